package io.drumlin.hosts;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.Scalar;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.Communicators;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One rank of a job that loses a host. Each value is a function of rank, variable, job, checkpoint and place, so that a value of another
 * one is seen. Rank 0 writes what was reached into the file {@code events}, on the rank that stops the file {@code stopped}.
 */
final class HostLossRank {

    private final Path folder;
    private final int job;
    private final String levels;
    private final int last;
    private final Where where;
    private final int victim;
    private final long operations;

    /** Where a rank stops. */
    enum Where {
        NEVER,
        RESTART,
        COMPUTATION,
        CHECKPOINT,
        END
    }

    private HostLossRank(String[] arguments) {
        folder = Path.of(arguments[0]);
        job = Integer.parseInt(arguments[1]);
        levels = arguments[2];
        last = Integer.parseInt(arguments[3]);
        where = Where.valueOf(arguments[4]);
        victim = Integer.parseInt(arguments[5]);
        operations = Long.parseLong(arguments[6]);
    }

    public static void main(String[] arguments) throws IOException {
        HostLossRank rank = new HostLossRank(arguments);
        Communicators.run(rank::run);
    }

    private void run(Communicator world) throws IOException {
        boolean stops = world.rank() == victim;
        StoppingEngine engine = new StoppingEngine(StorageEngines.best(), this::stop);
        if (stops && where == Where.RESTART) {
            engine.stopAfter(operations);
        }
        long[][] values = new long[2][];
        values[0] = new long[300 + 17 * world.rank()];
        values[1] = new long[5000 + 101 * world.rank()];
        Scalar.OfInt writer = new Scalar.OfInt(0);
        try (Checkpoints checkpoints = Checkpoints.builder(folder.resolve("config.fti"))
                .communicator(world)
                .storage(engine)
                .open()) {
            checkpoints.protect(0, values[0]);
            checkpoints.protect(1, writer);
            checkpoints.protect(2, values[1]);
            int ckptId = 0;
            if (checkpoints.isRestart()) {
                checkpoints.recover();
                ckptId = checkpoints.lastCheckpoint().orElseThrow();
                check(world, values, writer.value, ckptId);
                world.barrier();
                tell(
                        world,
                        "restored " + ckptId + " " + writer.value + " "
                                + checkpoints.lastLevel().orElseThrow().number());
            } else {
                tell(world, "fresh");
            }
            writer.value = job;
            // The job before may have come further than it should.
            int stopAt = Math.max(last, ckptId + 1);
            for (ckptId++; ckptId <= last || (where != Where.NEVER && where != Where.END); ckptId++) {
                for (int variable = 0; variable < values.length; variable++) {
                    for (int i = 0; i < values[variable].length; i++) {
                        values[variable][i] = value(world.rank(), variable, job, ckptId, i);
                    }
                }
                if (stops && ckptId == stopAt) {
                    if (where == Where.COMPUTATION) {
                        stop();
                    } else if (where == Where.CHECKPOINT) {
                        engine.stopAfter(operations);
                    }
                }
                Level level = Level.of(levels.charAt(ckptId % levels.length()) - '0');
                tell(world, "writing " + ckptId + " " + job + " " + level.number());
                world.barrier();
                checkpoints.checkpoint(ckptId, level);
                tell(world, "done");
            }
            tell(world, "ending");
            world.barrier();
            if (stops && where == Where.END) {
                engine.stopAfter(operations);
            }
            checkpoints.complete();
            tell(world, "ended");
            if (stops && where == Where.END) {
                stop();
            }
        }
    }

    private static void check(Communicator world, long[][] values, int writer, int ckptId) throws IOException {
        long[] same = {writer, -writer};
        world.allreduce(same, Op.MAX);
        if (same[0] != -same[1]) {
            throw new AssertionError("WRONG: data of the jobs " + -same[1] + " and " + same[0]);
        }
        for (int variable = 0; variable < values.length; variable++) {
            for (int i = 0; i < values[variable].length; i++) {
                if (values[variable][i] != value(world.rank(), variable, writer, ckptId, i)) {
                    throw new AssertionError("WRONG: rank " + world.rank() + ", variable " + variable + ", checkpoint "
                            + ckptId + ", value " + i);
                }
            }
        }
    }

    private static long value(int rank, int variable, int job, int ckptId, int i) {
        long mixed = ((((long) rank * 31 + variable) * 1009 + job) * 1009 + ckptId) * 100_003 + i;
        mixed *= 0x9E3779B97F4A7C15L;
        return mixed ^ (mixed >>> 29);
    }

    private void tell(Communicator world, String event) throws IOException {
        if (world.rank() == 0) {
            Files.writeString(
                    folder.resolve("events"), event + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    /** Waits for the end of the host. */
    private void stop() {
        try {
            Files.writeString(folder.resolve("stopped"), "");
            while (true) {
                Thread.sleep(1000);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
