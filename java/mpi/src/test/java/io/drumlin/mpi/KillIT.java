package io.drumlin.mpi;

import io.drumlin.checkpoint.RunFixture;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that are killed at random moments of checkpoints and of the completion come back. */
class KillIT {

    private static final int RANKS = 2;
    private static final int FEW = 5;
    private static final int MANY = 50;

    @TempDir
    Path directory;

    @Test
    void threadRanks() throws IOException, InterruptedException {
        killThreadRanks(FEW, Map.of());
    }

    @Test
    void ranksUnderMpirun() throws IOException, InterruptedException {
        killUnderMpirun(FEW);
    }

    @Test
    @Tag("soak")
    void threadRanksManyTimes() throws IOException, InterruptedException {
        killThreadRanks(MANY, Map.of());
    }

    @Test
    @Tag("soak")
    void threadRanksThatKeepTheLastCheckpointManyTimes() throws IOException, InterruptedException {
        killThreadRanks(MANY, Map.of("basic.keep_last_ckpt", "1", "drumlin.packing", "compact"));
    }

    @Test
    @Tag("soak")
    void ranksUnderMpirunManyTimes() throws IOException, InterruptedException {
        killUnderMpirun(MANY);
    }

    private void killThreadRanks(int kills, Map<String, String> changes) throws IOException, InterruptedException {
        RunFixture run = new RunFixture(directory, changes);
        ProcessBuilder command = Mpirun.oneJvm(KillTarget.class, KillCampaign.arguments(run, RANKS));
        new KillCampaign(command, changes.containsKey("basic.keep_last_ckpt"), new Random().nextLong()).run(kills);
    }

    private void killUnderMpirun(int kills) throws IOException, InterruptedException {
        MpiTests.assumeNativeMpi();
        RunFixture run = new RunFixture(directory, Map.of());
        ProcessBuilder command = Mpirun.ranks(RANKS).command(KillTarget.class, KillCampaign.arguments(run, 0));
        new KillCampaign(command, false, new Random().nextLong()).run(kills);
    }
}
