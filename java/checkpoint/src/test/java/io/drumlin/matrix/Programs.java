package io.drumlin.matrix;

import static io.drumlin.fti.FTI.FTI_AddVarICP;
import static io.drumlin.fti.FTI.FTI_COMM_WORLD;
import static io.drumlin.fti.FTI.FTI_Checkpoint;
import static io.drumlin.fti.FTI.FTI_DONE;
import static io.drumlin.fti.FTI.FTI_Finalize;
import static io.drumlin.fti.FTI.FTI_FinalizeICP;
import static io.drumlin.fti.FTI.FTI_GetConfig;
import static io.drumlin.fti.FTI.FTI_GetStoredSize;
import static io.drumlin.fti.FTI.FTI_HEAD;
import static io.drumlin.fti.FTI.FTI_Init;
import static io.drumlin.fti.FTI.FTI_InitICP;
import static io.drumlin.fti.FTI.FTI_L4_H5_SINGLE;
import static io.drumlin.fti.FTI.FTI_NREC;
import static io.drumlin.fti.FTI.FTI_Protect;
import static io.drumlin.fti.FTI.FTI_Realloc;
import static io.drumlin.fti.FTI.FTI_Recover;
import static io.drumlin.fti.FTI.FTI_RecoverVar;
import static io.drumlin.fti.FTI.FTI_RecoverVarFinalize;
import static io.drumlin.fti.FTI.FTI_RecoverVarInit;
import static io.drumlin.fti.FTI.FTI_SCES;
import static io.drumlin.fti.FTI.FTI_Status;
import static io.drumlin.fti.FTI.FTI_getIDFromString;
import static io.drumlin.fti.FTI.FTI_setIDFromString;
import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.fti.Crash;
import io.drumlin.fti.FTIT_allConfiguration;
import io.drumlin.fti.Hdf5Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The programs of C FTI's test suites, one per start of a job; a rank that finds something wrong throws. */
public final class Programs {

    /** Iterations of {@code log}, as in C FTI's suite: the first start leaves at 63, checkpoints are taken every 10. */
    private static final int LAST_ITERATION = 111;

    private static final int STOP_ITERATION = 63;
    private static final int INTERVAL = 10;
    private static final int ARRAYS = 10;

    /** Of the data that {@code changes} has changed before each of its checkpoints. */
    static final List<Integer> CHANGED_PERCENT = List.of(100, 10, 50, 0, 100, 30, 80);

    private Programs() {}

    /** Runs as a rank under mpirun: configuration file, program, its arguments. */
    public static void main(String[] arguments) throws IOException {
        Communicators.run(world -> {
            try {
                List<String> all = List.of(arguments);
                run(Path.of(all.get(0)), world, all.subList(1, all.size()));
                Crash.now();
            } catch (AssertionError wrong) {
                wrong.printStackTrace();
                // So that mpirun ends the others, which may wait for this rank.
                Runtime.getRuntime().halt(1);
            }
        });
    }

    static void run(Path config, Communicator world, List<String> program) throws IOException {
        try {
            play(config, world, program);
        } catch (WasHead over) {
            // A head has nothing else to do.
        }
    }

    /** The rank was a head, and the run is over. */
    private static final class WasHead extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static void play(Path config, Communicator world, List<String> program) throws IOException {
        Programs.Run run = new Run(config.toString(), world);
        List<String> arguments = program.subList(1, program.size());
        switch (program.get(0)) {
            case "write" -> run.write(arguments);
            case "read" -> run.read(arguments);
            case "refuse" -> run.refuse();
            case "log" -> run.log(arguments);
            case "arrays" -> run.arrays(arguments);
            case "recoverArrays" -> run.recoverArrays(arguments);
            case "names" -> run.names(arguments);
            case "recoverNames" -> run.recoverNames(arguments);
            case "forgetNames" -> run.forgetNames();
            case "config" -> run.config();
            case "layers" -> run.application().layers(arguments);
            case "addInArray" -> run.application().addInArray(arguments);
            case "heatdis" -> run.application().heatdis(arguments);
            case "syncIntv" -> run.application().syncIntv(arguments);
            case "massive" -> run.application().massive(arguments);
            case "twice" -> run.twice(arguments);
            case "changes" -> run.changes(arguments);
            case "recoverChanges" -> run.recoverChanges();
            case "recoverInside" -> run.recoverInside(arguments);
            case "grid" -> run.grid(arguments);
            case "recoverGrid" -> run.recoverGrid(arguments);
            case "structures" -> run.structures(arguments);
            case "recoverStructures" -> run.recoverStructures(arguments);
            default -> throw new IllegalArgumentException("no program " + program);
        }
    }

    static void end(String how) {
        if (how.equals("finalize")) {
            assertThat(FTI_Finalize()).as("FTI_Finalize").isEqualTo(FTI_SCES);
        } else {
            assertThat(how).isEqualTo("crash");
        }
    }

    /** Recovers all at once, or the variables 0 to {@code variables} - 1 one by one. */
    static void recover(boolean whole, int variables) {
        if (whole) {
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
            return;
        }
        assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
        for (int variable = variables - 1; variable >= 0; variable--) {
            assertThat(FTI_RecoverVar(variable)).as("FTI_RecoverVar").isEqualTo(FTI_SCES);
        }
        assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
    }

    /** One rank of a start. */
    private static final class Run {

        private final String config;
        private final Communicator world;
        private final int rank;
        private final Scalar.OfInt id = new Scalar.OfInt(0);
        private double[] first = {};
        private double[] second = {};

        Run(String config, Communicator world) {
            this.config = config;
            this.world = world;
            this.rank = world.rank();
        }

        private void init(int expected) {
            init(config, expected);
        }

        private void init(String file, int expected) {
            int result = FTI_Init(file, world);
            if (result == FTI_HEAD) {
                throw new WasHead();
            }
            assertThat(result).as("FTI_Init").isEqualTo(expected);
        }

        private Applications application() {
            init(FTI_SCES);
            return new Applications();
        }

        /** Three variables; sizes are those of rank 0 or grow with the rank. */
        private void protect(String sizes) {
            int elements = 1000 * (sizes.equals("equal") ? 1 : 1 + rank % 7);
            first = new double[elements];
            second = new double[elements + (sizes.equals("equal") ? 0 : rank)];
            assertThat(FTI_Protect(0, id)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(1, first)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(2, second)).isEqualTo(FTI_SCES);
        }

        private void fill(int seed) {
            id.value = seed;
            Arrays.setAll(first, i -> rank * 1e5 + seed * 1e3 + i);
            Arrays.setAll(second, i -> rank * 1e5 - seed * 1e3 - i);
        }

        /** {@code write SIZES END ID:LEVEL...}: takes checkpoints, with {@code ID:iLEVEL} incremental ones; the value of one is its id. */
        void write(List<String> arguments) {
            init(FTI_SCES);
            boolean restart = FTI_Status() != 0;
            protect(arguments.get(0));
            if (restart) {
                assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
            }
            for (String checkpoint : arguments.subList(2, arguments.size())) {
                int colon = checkpoint.indexOf(':');
                int number = Integer.parseInt(checkpoint.substring(0, colon));
                fill(number);
                take(number, checkpoint.substring(colon + 1));
            }
            end(arguments.get(1));
        }

        private void take(int number, String how) {
            if (!how.startsWith("i")) {
                assertThat(FTI_Checkpoint(number, Integer.parseInt(how)))
                        .as("FTI_Checkpoint %s:%s", number, how)
                        .isEqualTo(FTI_DONE);
                return;
            }
            assertThat(FTI_InitICP(number, Integer.parseInt(how.substring(1)), true))
                    .isEqualTo(FTI_SCES);
            for (int variable : List.of(2, 0, 1)) {
                assertThat(FTI_AddVarICP(variable))
                        .as("FTI_AddVarICP %s", variable)
                        .isEqualTo(FTI_SCES);
            }
            assertThat(FTI_FinalizeICP())
                    .as("FTI_FinalizeICP %s:%s", number, how)
                    .isEqualTo(FTI_SCES);
        }

        /** {@code read SIZES END STATUS ID}: recovers the checkpoint of an id and compares every value. */
        void read(List<String> arguments) {
            init(FTI_SCES);
            assertThat(FTI_Status()).as("FTI_Status").isEqualTo(Integer.parseInt(arguments.get(2)));
            protect(arguments.get(0));
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
            compare(Integer.parseInt(arguments.get(3)));
            assertThat(FTI_Status()).as("FTI_Status afterwards").isZero();
            end(arguments.get(1));
        }

        private void compare(int seed) {
            double[] foundFirst = first.clone();
            double[] foundSecond = second.clone();
            assertThat(id.value).as("checkpoint").isEqualTo(seed);
            fill(seed);
            assertThat(foundFirst).isEqualTo(first);
            assertThat(foundSecond).isEqualTo(second);
        }

        /** {@code refuse}: nothing can be recovered, and every rank is told so. */
        void refuse() {
            init(FTI_NREC);
            assertThat(FTI_Status()).as("FTI_Status").isZero();
            protect("equal");
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_NREC);
        }

        /** {@code config}: the I/O mode is told as C FTI does, and every rank knows its place. */
        void config() throws IOException {
            init(FTI_SCES);
            FTIT_allConfiguration all = FTI_GetConfig();
            String text = Files.readString(Path.of(config));
            assertThat(text)
                    .containsPattern("ckpt_io += " + (all.configuration().ioMode() - 1000) + "\n");
            assertThat(all.configuration().blockSize()).isEqualTo(1024 * 1024);
            assertThat(all.configuration().localDir())
                    .endsWith("Local/node" + rank / 4 + "/" + all.execution().id());
            assertThat(text).contains(all.execution().id());
            assertThat(all.topology())
                    .isEqualTo(new FTIT_allConfiguration.FTIT_topology(
                            16,
                            4,
                            rank,
                            4,
                            0,
                            4,
                            0,
                            rank / 4,
                            rank % 4,
                            false,
                            rank / 4,
                            (rank / 4 + 1) % 4,
                            (rank / 4 + 3) % 4));
            end("finalize");
        }

        /**
         * {@code log LEVEL}: an opaque structure and an array that grows with rank and iteration; the first start leaves after
         * {@value #STOP_ITERATION} iterations, the next goes on to the end.
         */
        void log(List<String> arguments) {
            int level = Integer.parseInt(arguments.get(0));
            init(FTI_SCES);
            byte[] structure = new byte[24];
            int[] values = new int[size(1)];
            Scalar.OfInt iteration = new Scalar.OfInt(0);
            boolean restart = FTI_Status() == 1;
            assertThat(FTI_Protect(0, iteration)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(1, structure)).isEqualTo(FTI_SCES);
            assertThat(FTI_Protect(2, values)).isEqualTo(FTI_SCES);
            if (restart) {
                values = FTI_Realloc(2, values);
                recover(rank % 2 == 0, 3);
                assertThat(iteration.value).isEqualTo(STOP_ITERATION / INTERVAL * INTERVAL);
                assertThat(FTI_GetStoredSize(2)).isEqualTo(4L * size(iteration.value));
                assertThat(structure).containsOnly(iteration.value + rank);
                assertThat(values).hasSize(size(iteration.value)).containsOnly(iteration.value * 1000 + rank);
            }
            while (iteration.value < (restart ? LAST_ITERATION : STOP_ITERATION)) {
                iteration.value++;
                if (iteration.value % INTERVAL == 0) {
                    Arrays.fill(structure, (byte) (iteration.value + rank));
                    values = new int[size(iteration.value)];
                    Arrays.fill(values, iteration.value * 1000 + rank);
                    assertThat(FTI_Protect(2, values)).isEqualTo(FTI_SCES);
                    assertThat(FTI_Checkpoint(iteration.value / INTERVAL, level))
                            .isEqualTo(FTI_DONE);
                }
            }
            end(restart ? "finalize" : "crash");
        }

        private int size(int iteration) {
            return 100 * (rank + 1) + 10 * iteration;
        }

        private int[][] arrayValues(boolean filled) {
            int[][] arrays = new int[ARRAYS][];
            Arrays.setAll(arrays, i -> new int[50 + 10 * i + rank]);
            for (int i = 0; filled && i < arrays.length; i++) {
                Arrays.fill(arrays[i], 100 * rank + i);
            }
            return arrays;
        }

        /** {@code arrays LEVEL}: ten arrays, one checkpoint. */
        void arrays(List<String> arguments) {
            init(FTI_SCES);
            int[][] arrays = arrayValues(true);
            for (int i = 0; i < arrays.length; i++) {
                assertThat(FTI_Protect(i, arrays[i])).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_Checkpoint(1, Integer.parseInt(arguments.get(0)))).isEqualTo(FTI_DONE);
        }

        /** {@code recoverArrays SEED}: protected and recovered one by one in random order, another on each rank. */
        void recoverArrays(List<String> arguments) {
            init(FTI_SCES);
            int[][] arrays = arrayValues(false);
            assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
            for (int i : shuffled(Long.parseLong(arguments.get(0)) + rank)) {
                assertThat(FTI_Protect(i, arrays[i])).isEqualTo(FTI_SCES);
                assertThat(FTI_RecoverVar(i)).as("FTI_RecoverVar %d", i).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
            assertThat(arrays).isDeepEqualTo(arrayValues(true));
            end("finalize");
        }

        /** {@code changes HOW}: differential checkpoints of an array of which a known share has changed. */
        void changes(List<String> arguments) {
            init(FTI_SCES);
            byte[] values = new byte[200 * 512];
            FTI_Protect(0, id);
            FTI_Protect(1, first);
            FTI_Protect(2, second);
            FTI_Protect(3, values);
            for (int i = 0; i < CHANGED_PERCENT.size(); i++) {
                id.value = i;
                change(values, i);
                String how = arguments.get(0);
                if (how.startsWith("i")) {
                    assertThat(FTI_InitICP(i + 1, 8, true)).isEqualTo(FTI_SCES);
                    for (int variable : List.of(3, 0, 2, 1)) {
                        assertThat(FTI_AddVarICP(variable)).isEqualTo(FTI_SCES);
                    }
                    assertThat(FTI_FinalizeICP()).isEqualTo(FTI_SCES);
                } else {
                    assertThat(FTI_Checkpoint(i + 1, 8)).isEqualTo(FTI_DONE);
                }
            }
        }

        private void change(byte[] values, int round) {
            for (int block = 0; block < 2 * CHANGED_PERCENT.get(round); block++) {
                values[512 * block + (7 * block + rank) % 512] += (byte) (1 + round);
            }
        }

        /** {@code recoverChanges}: what {@code changes} had at its end. */
        void recoverChanges() {
            init(FTI_SCES);
            byte[] values = new byte[200 * 512];
            byte[] expected = new byte[200 * 512];
            for (int i = 0; i < CHANGED_PERCENT.size(); i++) {
                change(expected, i);
            }
            FTI_Protect(0, id);
            FTI_Protect(1, first);
            FTI_Protect(2, second);
            FTI_Protect(3, values);
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
            assertThat(id.value).isEqualTo(CHANGED_PERCENT.size() - 1);
            assertThat(values).isEqualTo(expected);
            end("finalize");
        }

        /** {@code names LEVEL SEED}: as {@code arrays}, with names in random order, the same on all ranks, for ids. */
        void names(List<String> arguments) {
            init(FTI_SCES);
            int[][] arrays = arrayValues(true);
            for (int i : shuffled(Long.parseLong(arguments.get(1)))) {
                assertThat(FTI_Protect(FTI_setIDFromString("array " + i), arrays[i]))
                        .isEqualTo(FTI_SCES);
            }
            assertThat(FTI_Checkpoint(1, Integer.parseInt(arguments.get(0)))).isEqualTo(FTI_DONE);
        }

        /** {@code recoverNames SEED}: as {@code recoverArrays}, with the ids that the names had. */
        void recoverNames(List<String> arguments) {
            init(FTI_SCES);
            int[][] arrays = arrayValues(false);
            assertThat(FTI_RecoverVarInit()).isEqualTo(FTI_SCES);
            for (int i : shuffled(Long.parseLong(arguments.get(0)) + rank)) {
                int named = FTI_getIDFromString("array " + i);
                assertThat(FTI_Protect(named, arrays[i])).isEqualTo(FTI_SCES);
                assertThat(FTI_RecoverVar(named)).as("FTI_RecoverVar %d", named).isEqualTo(FTI_SCES);
            }
            assertThat(FTI_RecoverVarFinalize()).isEqualTo(FTI_SCES);
            assertThat(arrays).isDeepEqualTo(arrayValues(true));
            end("finalize");
        }

        /** {@code forgetNames}: a restart that finds data without names. */
        void forgetNames() {
            init(FTI_SCES);
            for (int i = 0; i < ARRAYS; i++) {
                assertThat(FTI_getIDFromString("array " + i)).isEqualTo(-1);
            }
        }

        private static List<Integer> shuffled(long seed) {
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < ARRAYS; i++) {
                order.add(i);
            }
            Collections.shuffle(order, new Random(seed));
            return order;
        }

        /** {@code twice LEVEL OTHERCONFIG}: two runs in one process, each from its beginning to its end. */
        void twice(List<String> arguments) {
            int level = Integer.parseInt(arguments.get(0));
            for (String each : List.of(config, arguments.get(1))) {
                try {
                    init(each, FTI_SCES);
                } catch (WasHead of) {
                    continue;
                }
                protect("different");
                fill(5);
                assertThat(FTI_Checkpoint(5, level)).isEqualTo(FTI_DONE);
                fill(6);
                assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
                compare(5);
                end("finalize");
            }
        }

        /** {@code recoverInside LEVEL}: a checkpoint, then the same process starts anew and recovers it. */
        void recoverInside(List<String> arguments) {
            try {
                init(FTI_SCES);
                protect("different");
                fill(9);
                assertThat(FTI_Checkpoint(9, Integer.parseInt(arguments.get(0))))
                        .isEqualTo(FTI_DONE);
            } catch (WasHead once) {
                // And again with the second start.
            }
            init(FTI_SCES);
            assertThat(FTI_Status()).isEqualTo(1);
            fill(8);
            protect("different");
            assertThat(FTI_Recover()).isEqualTo(FTI_SCES);
            compare(9);
            end("finalize");
        }

        /** {@code grid HOW SEED}: checkpoints in the shared file, one at each level, and another in the shared file. */
        void grid(List<String> arguments) {
            init(FTI_SCES);
            boolean oneByOne = arguments.get(0).equals("i");
            GridProgram grid = new GridProgram(FTI_COMM_WORLD(), Long.parseLong(arguments.get(1)));
            int[] levels = {FTI_L4_H5_SINGLE, FTI_L4_H5_SINGLE, 1, 2, 3, 4, FTI_L4_H5_SINGLE};
            for (int i = 0; i < levels.length; i++) {
                grid.checkpoint(i + 1, levels[i], oneByOne);
            }
        }

        /** {@code recoverGrid STATUS ID HOW SEED}: recovers a checkpoint of {@code grid} on any square number of ranks. */
        void recoverGrid(List<String> arguments) {
            init(FTI_SCES);
            assertThat(FTI_Status()).as("FTI_Status").isEqualTo(Integer.parseInt(arguments.get(0)));
            GridProgram grid = new GridProgram(FTI_COMM_WORLD(), Long.parseLong(arguments.get(3)));
            grid.recover(Integer.parseInt(arguments.get(1)), arguments.get(2).equals("i"));
            end("finalize");
        }

        /** {@code structures LEVEL}: two checkpoints of variables of all types, the first of them without values. */
        void structures(List<String> arguments) {
            init(FTI_SCES);
            int level = Integer.parseInt(arguments.get(0));
            Hdf5Program program = new Hdf5Program(rank);
            assertThat(FTI_Checkpoint(1, level)).isEqualTo(FTI_DONE);
            program.fill();
            assertThat(FTI_Checkpoint(2, level)).isEqualTo(FTI_DONE);
        }

        /** {@code recoverStructures STATUS}: what {@code structures} had at its end. */
        void recoverStructures(List<String> arguments) {
            init(FTI_SCES);
            assertThat(FTI_Status()).as("FTI_Status").isEqualTo(Integer.parseInt(arguments.get(0)));
            Hdf5Program program = new Hdf5Program(rank);
            assertThat(FTI_Recover()).as("FTI_Recover").isEqualTo(FTI_SCES);
            program.assertFilled();
            end("finalize");
        }
    }
}
