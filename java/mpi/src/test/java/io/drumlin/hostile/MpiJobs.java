package io.drumlin.hostile;

import io.drumlin.comm.Mpirun;
import io.drumlin.hostile.Life.Failure;
import io.drumlin.hostile.WrittenTelling.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Jobs under mpirun, a process for each rank, whose calls of the system fail. */
final class MpiJobs implements Jobs {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final int mostRanksOfNode;

    MpiJobs(int mostRanksOfNode) {
        this.mostRanksOfNode = mostRanksOfNode;
    }

    /** Whether a strike may come in a window. */
    static boolean isDue(Strike strike, int window) {
        return switch (strike.trouble()) {
            case FULL_NODES -> true;
            case KILL -> window >= strike.window();
            default -> window == strike.window();
        };
    }

    @Override
    public Throwable run(Start start) throws IOException, Failure {
        Path folder = Files.createTempDirectory(start.run().directory().getParent(), "start");
        new StartFile(
                        start.run().directory(),
                        start.plan(),
                        start.hostOfRank(),
                        start.firstEpoch(),
                        start.behind(),
                        start.sizes())
                .write(folder.resolve("start"));
        Path log = folder.resolve("faults");
        Mpirun job = Mpirun.ranks(start.hostOfRank().size())
                .jvmOptions("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
                .environment("DRUMLIN_FAULTS_LOG", log.toString())
                .timeout(PATIENCE);
        if (start.plan().strike().isPresent()) {
            Strike strike = start.plan().strike().get();
            Path moment = HostileRank.moment(folder);
            job.faults(rule(
                    strike, start.run().directory(), moment, start.hostOfRank().size()));
        }
        Mpirun.Outcome outcome = run(job, folder);
        Throwable failure = judge(start, folder, log, outcome);
        World.delete(folder);
        return failure;
    }

    private static Mpirun.Outcome run(Mpirun job, Path folder) throws IOException, Failure {
        try {
            return job.run(HostileRank.class, folder.toString());
        } catch (AssertionError hangs) {
            throw new Failure(hangs.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
    }

    private static Throwable judge(Start start, Path folder, Path log, Mpirun.Outcome outcome)
            throws IOException, Failure {
        String where = Files.exists(log)
                ? Files.readAllLines(log).stream()
                        .filter(line -> line.contains(" fails: "))
                        .findFirst()
                        .orElse("")
                : "";
        boolean killed =
                !where.isEmpty() && start.plan().strike().map(Strike::isKill).orElse(false);
        boolean all = true;
        List<String> failures = new ArrayList<>();
        for (int rank = 0; rank < start.hostOfRank().size(); rank++) {
            Ended ended = WrittenTelling.read(HostileRank.telling(folder, rank), start.telling());
            killed |= ended.killedItself();
            all &= ended.isOver();
            failures.addAll(ended.failures());
        }
        start.faults().learn(killed, where);
        // A rank that fails alone ends the others.
        boolean known = all ? outcome.exitStatus() == 0 : !failures.isEmpty();
        if (!killed && !known) {
            throw new Failure("the job ended with status " + outcome.exitStatus() + "\n" + outcome.output());
        }
        return failures.isEmpty() ? null : new IOException(failures.get(0));
    }

    /** What the fault library makes of a strike. */
    private static String rule(Strike strike, Path run, Path moment, int ranks) {
        String rank = " rank=" + (strike.isKill() ? strike.nth() % ranks : strike.rank());
        String files = " path=" + run + " when=" + moment;
        return switch (strike.trouble()) {
            case FULL_NODES -> "write path=" + run + "/hosts/ when=" + moment + " from=1 error=ENOSPC";
            case FLIPPED_READ ->
                "read path=" + run + (strike.nth() % 2 == 0 ? "/hosts/" : "/Global/") + " when=" + moment + rank
                        + " nth=" + strike.nth() + " flip=" + 1001 * strike.nth();
            case KILL -> call(strike) + files + rank + " nth=" + (1 + strike.nth() / 6) + " kill=9";
            default ->
                call(strike) + files + rank + (strike.always() ? " from=" : " nth=") + strike.nth() + " error="
                        + errno(strike);
        };
    }

    private static String call(Strike strike) {
        List<String> deadly = List.of("open", "write", "sync", "rename", "stat", "read");
        if (strike.isKill()) {
            return deadly.get(strike.nth() % deadly.size());
        }
        return switch (strike.kind()) {
            case OPEN -> "open";
            case READ -> "read";
            case WRITE -> "write";
            case SYNC -> "sync";
            case RENAME -> "rename";
            case DELETE -> "stat";
            case MAKE_DIRECTORY -> "list";
            case ALLOCATE -> "mmap";
        };
    }

    private static String errno(Strike strike) {
        return switch (strike.kind()) {
            case MAKE_DIRECTORY -> "EIO";
            case ALLOCATE -> "ENOMEM";
            default -> strike.errno();
        };
    }

    @Override
    public int mostRanksOfNode() {
        return mostRanksOfNode;
    }

    @Override
    public String option() {
        return " --mpi";
    }
}
