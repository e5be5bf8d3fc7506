package io.drumlin.mpi;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.comm.Mpirun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs that are killed at random moments of restarts, checkpoints and the completion come back, also when they lose what a
 * node stored.
 */
@Tag("exhaustive")
@Tag("native")
class KillIT {

    private static final int FEW = 3;
    private static final int MANY = 50;

    @TempDir
    Path directory;

    @Test
    void threadRanks() throws IOException, InterruptedException {
        killThreadRanks(2, FEW, Map.of());
    }

    @Test
    void ranksUnderMpirun() throws IOException, InterruptedException {
        killUnderMpirun(2, FEW, "3");
    }

    @Test
    @Tag("soak")
    void threadRanksManyTimes() throws IOException, InterruptedException {
        killThreadRanks(4, MANY, Map.of());
    }

    @Test
    @Tag("soak")
    void threadRanksThatKeepTheLastCheckpointManyTimes() throws IOException, InterruptedException {
        killThreadRanks(2, MANY, Map.of("basic.keep_last_ckpt", "1", "drumlin.packing", "compact"));
    }

    /** In the modes POSIX, MPI-IO, FTI-FF and SIONlib. */
    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4"})
    void ranksUnderMpirunManyTimes(String ioMode) throws IOException, InterruptedException {
        killUnderMpirun(4, MANY, ioMode);
    }

    private void killThreadRanks(int ranks, int kills, Map<String, String> changes)
            throws IOException, InterruptedException {
        RunFixture run = run(ranks, changes);
        ProcessBuilder command = Mpirun.oneJvm(KillTarget.class, KillCampaign.arguments(run, ranks));
        boolean keepsLast = changes.containsKey("basic.keep_last_ckpt");
        new KillCampaign(run, command, ranks, keepsLast, new Random().nextLong()).run(kills);
    }

    private void killUnderMpirun(int ranks, int kills, String ioMode) throws IOException, InterruptedException {
        MpiTests.assumeNativeMpi();
        RunFixture run = run(ranks, Map.of("basic.ckpt_io", ioMode));
        ProcessBuilder command = Mpirun.ranks(ranks).command(KillTarget.class, KillCampaign.arguments(run, 0));
        new KillCampaign(run, command, ranks, false, new Random().nextLong()).run(kills);
    }

    /** Each rank is a node, and all are one group. */
    private RunFixture run(int ranks, Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>(changes);
        all.put("basic.node_size", "1");
        // Messages so small that lost files of level 2 are sent while they are verified.
        all.put("drumlin.slab_memory", "2");
        all.put("basic.group_size", Integer.toString(ranks));
        return new RunFixture(directory, all);
    }
}
