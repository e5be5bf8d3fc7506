package io.drumlin.hostile;

import io.drumlin.checkpoint.fixture.ForeignLease;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.hostile.Life.Failure;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;

/** Jobs with threads as ranks, whose operations fail in their engine. */
final class ThreadJobs implements Jobs {

    @Override
    public Throwable run(Start start) throws Failure {
        Plan plan = start.plan();
        return Watchdog.run(() -> ThreadCommunicator.run(start.hostOfRank().size(), comm -> {
            Program program = new Program(
                    plan,
                    start.faults(),
                    start.telling(),
                    comm.rank(),
                    start.firstEpoch(),
                    start.behind(),
                    start.sizes());
            StorageEngine engine = new HostileEngine(start.storage(), start.faults(), comm.rank());
            program.run(start.run().on(start.hostOfRank(), comm).storage(engine), () -> secondJob(start));
        }));
    }

    /** Starts another job, to which this one is in another process. @return what became of it */
    private static String secondJob(Start start) {
        try {
            RunFixture run = start.run();
            Path lease = run.directory()
                    .resolve("Meta")
                    .resolve(run.restartValue("exec_id"))
                    .resolve("drumlin-lease");
            try (ForeignLease foreign = new ForeignLease(lease)) {
                foreign.pretend();
                ThreadCommunicator.run(start.hostOfRank().size(), comm -> run.on(start.hostOfRank(), comm)
                        .storage(start.storage())
                        .open()
                        .close());
                return "it was let in";
            }
        } catch (IOException e) {
            return "refused: " + e.getMessage();
        }
    }

    @Override
    public int mostRanksOfNode() {
        return 2;
    }

    @Override
    public String option() {
        return "";
    }
}
