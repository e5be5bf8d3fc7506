package io.drumlin.mpi;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A simulation that is there to be killed. Its data are a function of rank and step, so that after a restart every element can
 * be checked. Rank 0 says on standard output what it is about to do and what is done.
 *
 * <p>Arguments: configuration file, steps, and the number of thread ranks or 0 for the ranks of the job.
 */
public final class KillTarget {

    private static final int DOUBLES = 150_000;

    /** All levels, in an order in which each follows several others. */
    private static final List<Level> LEVELS =
            List.of(Level.L1, Level.L2, Level.L1, Level.L3, Level.L2, Level.L1, Level.L4, Level.L3, Level.L1, Level.L2);

    private final Communicator comm;
    private final Scalar.OfInt step = new Scalar.OfInt(0);
    private final double[] grid = new double[DOUBLES];
    private final byte[] tail = new byte[1001];
    private long[] growing = new long[0];

    private KillTarget(Communicator comm) {
        this.comm = comm;
    }

    /** Runs to the end unless it is killed. */
    public static void main(String[] args) throws IOException {
        Path config = Path.of(args[0]);
        int steps = Integer.parseInt(args[1]);
        int threads = Integer.parseInt(args[2]);
        if (threads > 0) {
            ThreadCommunicator.run(threads, comm -> new KillTarget(comm).run(config, steps));
        } else {
            Communicators.run(comm -> new KillTarget(comm).run(config, steps));
        }
    }

    /** The level at which the checkpoint of a step is taken. */
    static Level level(int step) {
        return LEVELS.get(step % LEVELS.size());
    }

    private void run(Path config, int steps) throws IOException {
        sayPids();
        say("open");
        try (Checkpoints checkpoints = Checkpoints.open(config, comm)) {
            protect(checkpoints);
            if (checkpoints.isRestart()) {
                growing = checkpoints.reallocate(2, growing);
                checkpoints.recover();
                check();
            }
            say("start " + step.value);
            int last = step.value + steps;
            while (step.value < last) {
                step.value++;
                fill();
                checkpoints.protect(2, growing);
                say("begin " + step.value);
                checkpoints.checkpoint(step.value, level(step.value));
                // All ranks have returned: from now on nothing older may come back.
                comm.barrier();
                say("done " + step.value);
            }
            say("finalize");
            checkpoints.complete();
            say("end");
        }
    }

    private void protect(Checkpoints checkpoints) {
        checkpoints.protect(0, step);
        checkpoints.protect(1, grid);
        checkpoints.protect(2, growing);
        checkpoints.protect(3, tail);
    }

    private void fill() {
        for (int i = 0; i < grid.length; i++) {
            grid[i] = value(i);
        }
        Arrays.fill(tail, (byte) step.value);
        // Grows, shrinks and is empty at times: containers come and lose their content.
        growing = new long[step.value % 5 * 1000];
        Arrays.setAll(growing, i -> step.value * 1000L + i);
    }

    private double value(int index) {
        return comm.rank() * 1e6 + step.value * 1e3 + Math.sqrt(index);
    }

    private void check() {
        for (int i = 0; i < grid.length; i++) {
            require(grid[i] == value(i), "grid", i);
        }
        for (int i = 0; i < tail.length; i++) {
            require(tail[i] == (byte) step.value, "tail", i);
        }
        require(growing.length == step.value % 5 * 1000, "length of growing", growing.length);
        for (int i = 0; i < growing.length; i++) {
            require(growing[i] == step.value * 1000L + i, "growing", i);
        }
    }

    private void require(boolean right, String what, int index) {
        if (!right) {
            throw new IllegalStateException(
                    "rank " + comm.rank() + ", step " + step.value + ": " + what + " " + index + " is wrong");
        }
    }

    private void sayPids() throws IOException {
        ByteBuffer own = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        own.putLong(0, ProcessHandle.current().pid());
        ByteBuffer all = ByteBuffer.allocate(Long.BYTES * comm.size()).order(ByteOrder.nativeOrder());
        comm.gather(own, all, 0);
        StringBuilder line = new StringBuilder("pids");
        for (int rank = 0; rank < comm.size(); rank++) {
            line.append(' ').append(all.getLong(rank * Long.BYTES));
        }
        say(line.toString());
    }

    private void say(String line) {
        if (comm.rank() == 0) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
