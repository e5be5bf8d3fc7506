package io.drumlin.mpi;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A program with two libraries, whose rank 1 dies. Arguments: the configuration file, and the start: {@code 1} takes
 * checkpoints of the groups alone, {@code 2} of the run and of one group, {@code 3} completes.
 */
public final class GroupsProgram {

    private static final int LENGTH = 10_000;

    private static final int KILLED = 137;

    private GroupsProgram() {}

    public static void main(String[] args) throws IOException {
        Communicators.run(world -> run(world, Path.of(args[0]), Integer.parseInt(args[1])));
    }

    private static void run(Communicator world, Path config, int start) throws IOException {
        try (Checkpoints run = Checkpoints.open(config, world);
                Checkpoints solver = run.group("solver");
                Checkpoints tracer = run.group("tracer")) {
            int[] values = new int[LENGTH];
            report(run, "run", values);
            report(solver, "solver", values);
            report(tracer, "tracer", values);
            if (start == 1) {
                take(solver, values, 1, Level.L2);
                take(tracer, values, 2, Level.L4);
            } else if (start == 2) {
                take(run, values, 3, Level.L1);
                take(solver, values, 4, Level.L3);
            } else {
                run.complete();
                return;
            }
            run.communicator().barrier();
            if (run.communicator().rank() == 1) {
                Runtime.getRuntime().halt(KILLED);
            }
            run.communicator().barrier();
        }
    }

    private static void report(Checkpoints checkpoints, String name, int[] values) throws IOException {
        checkpoints.protect(0, values);
        int step = 0;
        if (checkpoints.isRestart()) {
            checkpoints.recover();
            step = checkpoints.lastCheckpoint().orElseThrow();
            int expected = 1000 * checkpoints.communicator().rank() + step;
            if (!Arrays.stream(values).allMatch(value -> value == expected)) {
                throw new IllegalStateException(name + " has other data: " + values[0]);
            }
        }
        if (checkpoints.communicator().rank() == 0) {
            System.out.println(name + " begins at " + step);
        }
    }

    private static void take(Checkpoints checkpoints, int[] values, int step, Level level) throws IOException {
        Arrays.fill(values, 1000 * checkpoints.communicator().rank() + step);
        checkpoints.checkpoint(step, level);
        checkpoints.await();
    }
}
