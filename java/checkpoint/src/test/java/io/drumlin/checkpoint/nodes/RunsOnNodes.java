package io.drumlin.checkpoint.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.InMemory;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.run.EngineCheckpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;

/** What tests share whose runs are on real nodes, each of which sees its own storage only. */
public abstract class RunsOnNodes {

    public static final List<String> NODES = List.of("n1", "n2", "n3", "n4");

    @TempDir(factory = InMemory.class)
    public Path directory;

    public final Random random = new Random();

    public RunsOnNodes() {
        long seed = random.nextLong();
        random.setSeed(seed);
        System.out.println(getClass().getSimpleName() + ": seed " + seed);
    }

    /** A run of one group, with a rank on each node, in a directory of its own. */
    public final RunFixture run(String ioMode, Map<String, String> changes) throws IOException {
        return new RunFixture(
                Files.createTempDirectory(directory, "run"),
                RunFixture.settings(
                        "advanced.local_test=0, group_size=4, ckpt_io=" + ioMode + ", node_size=1", changes));
    }

    private static int[] values(int value, int rank) {
        int[] values = new int[300 + 11 * rank];
        Arrays.fill(values, 1000 * value + rank);
        return values;
    }

    /** Takes a checkpoint with the value that its id is. */
    public static void take(Checkpoints checkpoints, int ckptId, Level level) throws IOException {
        take(checkpoints, ckptId, level, ckptId);
    }

    public static void take(Checkpoints checkpoints, int ckptId, Level level, int value) throws IOException {
        checkpoints.protect(0, values(value, checkpoints.communicator().rank()));
        checkpoints.checkpoint(ckptId, level);
        ((EngineCheckpoints) checkpoints).awaitDeletion();
    }

    public static void recovers(Checkpoints checkpoints, int ckptId) throws IOException {
        recovers(checkpoints, ckptId, ckptId);
    }

    public static void recovers(Checkpoints checkpoints, int ckptId, int value) throws IOException {
        assertThat(checkpoints.lastCheckpoint()).contains(ckptId);
        int[] expected = values(value, checkpoints.communicator().rank());
        int[] found = new int[expected.length];
        checkpoints.protect(0, found);
        checkpoints.recover();
        assertThat(found).isEqualTo(expected);
    }
}
