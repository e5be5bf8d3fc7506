package io.drumlin.hostile;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicators;
import io.drumlin.hostile.Program.Killed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** What each rank of a start runs under mpirun. */
final class HostileRank {

    /** As the shell tells of SIGKILL. */
    private static final int KILLED = 137;

    /** How long a rank that has failed waits for the others. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private HostileRank() {}

    /** The file in which a rank tells, in the folder of the start. */
    static Path telling(Path folder, int rank) {
        return folder.resolve("told-" + rank);
    }

    /** The file that is there while the fault library may strike. */
    static Path moment(Path folder) {
        return folder.resolve("now");
    }

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        StartFile start = StartFile.read(folder.resolve("start"));
        Communicators.run(world -> run(folder, start, world));
    }

    private static void run(Path folder, StartFile start, Communicator world) throws IOException {
        WrittenTelling telling = new WrittenTelling(telling(folder, world.rank()));
        Faults faults = new Moments(start.plan().strike(), moment(folder));
        Program program = new Program(
                start.plan(), faults, telling, world.rank(), start.firstEpoch(), start.behind(), start.sizes());
        Checkpoints.Builder run = RunFixture.at(start.run()).on(start.hostOfRank(), world);
        // Nothing but what the program does is to fail.
        world.barrier();
        if (world.rank() == 0) {
            faults.enter(0);
        }
        world.barrier();
        try {
            program.run(run, () -> "");
            telling.over("");
        } catch (Killed end) {
            telling.killsItself();
            Runtime.getRuntime().halt(KILLED);
        } catch (IOException | RuntimeException | Error e) {
            Causes.requireWords(e).ifPresent(telling::wrong);
            telling.over(String.valueOf(e.getMessage()));
            if (!allEnd(folder, world.size())) {
                // One that fails alone, as in a recovery, ends the job.
                throw e;
            }
        }
    }

    /** Whether all ranks come to an end soon. */
    private static boolean allEnd(Path folder, int ranks) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int over = 0;
        while (over < ranks && System.nanoTime() < end) {
            LockSupport.parkNanos(20_000_000L);
            over = 0;
            for (int rank = 0; rank < ranks; rank++) {
                over += WrittenTelling.read(telling(folder, rank), new Telling())
                                .isOver()
                        ? 1
                        : 0;
            }
        }
        return over == ranks;
    }

    /** Says to the fault libraries of all ranks when their moment has come. */
    private static final class Moments extends Faults {
        private final Optional<Strike> strike;
        private final Path file;

        Moments(Optional<Strike> strike, Path file) {
            super(Optional.empty(), file);
            this.strike = strike;
            this.file = file;
        }

        @Override
        synchronized void enter(int next) {
            super.enter(next);
            try {
                if (strike.isPresent() && MpiJobs.isDue(strike.get(), next)) {
                    Files.writeString(file, "");
                } else {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
