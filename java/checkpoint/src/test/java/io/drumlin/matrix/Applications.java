package io.drumlin.matrix;

import static io.drumlin.fti.FTI.FTI_BUFS;
import static io.drumlin.fti.FTI.FTI_COMM_WORLD;
import static io.drumlin.fti.FTI.FTI_Checkpoint;
import static io.drumlin.fti.FTI.FTI_DONE;
import static io.drumlin.fti.FTI.FTI_GetStageDir;
import static io.drumlin.fti.FTI.FTI_GetStageStatus;
import static io.drumlin.fti.FTI.FTI_Protect;
import static io.drumlin.fti.FTI.FTI_Recover;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.fti.FTI.FTI_SI_ACTV;
import static io.drumlin.fti.FTI.FTI_SI_PEND;
import static io.drumlin.fti.FTI.FTI_SI_SCES;
import static io.drumlin.fti.FTI.FTI_SendFile;
import static io.drumlin.fti.FTI.FTI_Snapshot;
import static io.drumlin.fti.FTI.FTI_Status;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** The programs of C FTI's suites of features that compute something, on a rank that is no head; one that finds something wrong throws. */
final class Applications {

    /** Steps of {@code layers}. */
    static final int STEPS = 5;

    private static final int STEP_LENGTH = 1000;

    /** How often {@code massive} sends so many files. */
    static final int ROUNDS = 10;

    static final int FILES_PER_ROUND = 10;

    private final Communicator app = FTI_COMM_WORLD();
    private final int rank = app.rank();

    /**
     * {@code layers HOW END LAST FOUND}: multiplies the elements of an array by those of another, a fifth of it in a step, and
     * takes a differential checkpoint before the first step and after each; ends after step {@code LAST}. {@code FOUND} is the step from
     * which a restart goes on, -1 for the first start.
     */
    void layers(List<String> arguments) {
        double[] product = new double[STEPS * STEP_LENGTH];
        double[] factors = new double[STEPS * STEP_LENGTH];
        Scalar.OfInt step = new Scalar.OfInt(-1);
        assertThat(FTI_Protect(0, product)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(1, factors)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(2, step)).isEqualTo(FTI_SCES);
        int found = Integer.parseInt(arguments.get(3));
        assertThat(FTI_Status()).as("FTI_Status").isEqualTo(found < 0 ? 0 : 1);
        if (found < 0) {
            Arrays.fill(product, 1);
            Arrays.setAll(factors, this::factor);
            takeLayer(step);
        } else {
            Programs.recover(arguments.get(0).equals("all"), 3);
            assertThat(step.value).as("step").isEqualTo(found);
            assertThat(product).isEqualTo(product(found));
        }
        while (step.value < Integer.parseInt(arguments.get(2))) {
            for (int i = step.value * STEP_LENGTH; i < (step.value + 1) * STEP_LENGTH; i++) {
                product[i] *= factors[i];
            }
            takeLayer(step);
        }
        assertThat(product).isEqualTo(product(step.value));
        Programs.end(arguments.get(1));
    }

    private static void takeLayer(Scalar.OfInt step) {
        step.value++;
        assertThat(FTI_Checkpoint(step.value + 1, 8)).as("FTI_Checkpoint").isEqualTo(FTI_DONE);
    }

    private double factor(int element) {
        return 2 + rank + element / 7.0;
    }

    private double[] product(int steps) {
        double[] product = new double[STEPS * STEP_LENGTH];
        Arrays.setAll(product, i -> i < steps * STEP_LENGTH ? factor(i) : 1);
        return product;
    }

    /**
     * {@code addInArray LEVEL END}: numbers that grow, collected on all ranks, with a checkpoint every tenth iteration; the first start
     * leaves after iteration 63, the next goes on to the end.
     */
    void addInArray(List<String> arguments) throws IOException {
        int level = Integer.parseInt(arguments.get(0));
        boolean restart = FTI_Status() != 0;
        Scalar.OfInt iteration = new Scalar.OfInt(0);
        Scalar.OfInt number = new Scalar.OfInt(rank);
        assertThat(FTI_Protect(1, iteration)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(2, number)).isEqualTo(FTI_SCES);
        if (restart) {
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
            assertThat(iteration.value).isEqualTo(60);
        }
        ByteBuffer numbers = ByteBuffer.allocate(app.size() * Integer.BYTES);
        for (; iteration.value < (restart ? 120 : 64); iteration.value++) {
            if (iteration.value % 10 == 0) {
                assertThat(FTI_Checkpoint(iteration.value / 10 + 1, level)).isEqualTo(FTI_DONE);
            }
            app.allgather(ByteBuffer.allocate(Integer.BYTES).putInt(0, number.value), numbers);
            number.value++;
        }
        for (int i = 0; i < app.size(); i++) {
            assertThat(numbers.getInt(i * Integer.BYTES)).isEqualTo(i + iteration.value - 1);
        }
        Programs.end("finalize");
    }

    /**
     * {@code heatdis CHECKPOINTS}: heat that spreads on a plate, with snapshots; the first start leaves some iterations after so many
     * checkpoints, the next goes on to the end and compares with a plate that one rank has computed alone.
     */
    void heatdis(List<String> arguments) throws IOException {
        HeatPlate plate = new HeatPlate(rank, app.size(), HeatPlate.LINES);
        Scalar.OfInt iteration = new Scalar.OfInt(0);
        assertThat(FTI_Protect(0, iteration)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(1, plate.lines())).isEqualTo(FTI_SCES);
        boolean restart = FTI_Status() != 0;
        int checkpoints = 0;
        int end = Integer.MAX_VALUE;
        while (iteration.value < end) {
            int before = iteration.value;
            int result = FTI_Snapshot();
            if (result == FTI_DONE) {
                checkpoints++;
            } else {
                assertThat(result).as("FTI_Snapshot").isEqualTo(FTI_SCES);
            }
            if (restart && before == 0) {
                assertThat(iteration.value).as("recovered iteration").isPositive();
                end = iteration.value + 50;
            } else if (!restart && end == Integer.MAX_VALUE && checkpoints == Integer.parseInt(arguments.get(0))) {
                end = iteration.value + 20;
            }
            plate.step(app);
            pause(10);
            iteration.value++;
        }
        HeatPlate alone = new HeatPlate(0, 1, HeatPlate.LINES * app.size());
        alone.steps(iteration.value);
        assertThat(plate.lines()).isEqualTo(alone.part(rank));
        Programs.end("finalize");
    }

    /** {@code syncIntv CHECKPOINTS}: snapshots of iterations that become slower after half of the checkpoints. */
    void syncIntv(List<String> arguments) {
        int wanted = Integer.parseInt(arguments.get(0));
        assertThat(FTI_Protect(0, new double[1000])).isEqualTo(FTI_SCES);
        int checkpoints = 0;
        for (int call = 1; checkpoints < wanted; call++) {
            if (FTI_Snapshot() == FTI_DONE) {
                checkpoints++;
                if (rank == 0) {
                    System.out.println("Checkpoint made in call " + call);
                }
            }
            pause(checkpoints < wanted / 2 ? 10 : 30);
        }
        Programs.end("finalize");
    }

    /** What an iteration computes besides. */
    private static void pause(int milliseconds) {
        LockSupport.parkNanos(milliseconds * 1_000_000L);
    }

    /** {@code massive DIRECTORY}: sends many small files while checkpoints of levels 2 and 3 are taken. */
    void massive(List<String> arguments) throws IOException {
        Path remote = Path.of(arguments.get(0));
        StringBuilder stage = new StringBuilder();
        assertThat(FTI_GetStageDir(stage, FTI_BUFS)).isEqualTo(FTI_SCES);
        assertThat(FTI_Protect(0, new double[1000])).isEqualTo(FTI_SCES);
        List<Integer> requests = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            for (int file = 0; file < FILES_PER_ROUND; file++) {
                String name = rank + "-" + i + "-" + file;
                Path local = Files.write(Path.of(stage.toString(), name), content(name));
                requests.add(FTI_SendFile(local.toString(), remote.resolve(name).toString()));
            }
            assertThat(FTI_Checkpoint(i + 1, 2 + i % 2)).isEqualTo(FTI_DONE);
        }
        int completed = 0;
        for (int request : requests) {
            int status = FTI_GetStageStatus(request);
            while (status == FTI_SI_PEND || status == FTI_SI_ACTV) {
                Thread.yield();
                status = FTI_GetStageStatus(request);
            }
            completed += status == FTI_SI_SCES ? 1 : 0;
        }
        assertThat(completed).isEqualTo(ROUNDS * FILES_PER_ROUND);
        Programs.end("finalize");
    }

    /** What is in a file that {@code massive} sends. */
    static byte[] content(String name) {
        byte[] content = new byte[1024];
        new Random(name.hashCode()).nextBytes(content);
        return content;
    }
}
