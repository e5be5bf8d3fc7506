package io.drumlin.checkpoint.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.storage.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restarts on nodes without room. */
class FullNodesTest {

    private static final int INTS = 50_000;

    @TempDir
    Path directory;

    private static int[] values(int step) {
        int[] values = new int[INTS];
        for (int i = 0; i < INTS; i++) {
            values[i] = step * INTS + i;
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "3, 0", "4, 0", "5, 0", "1, 1", "2, 1", "3, 1"})
    void whatIsWholeOnTheParallelFileSystemIsRecoveredFromThere(String ioMode, int heads) throws IOException {
        int ranks = heads == 0 ? 2 : 4;
        try (MountedFileSystem nodes = MountedFileSystem.mount("tmpfs", "size=4m")) {
            Map<String, String> changes = new HashMap<>();
            changes.put("basic.ckpt_dir", nodes.root().resolve("Local").toString());
            changes.put("basic.ckpt_io", ioMode);
            changes.put("basic.head", Integer.toString(heads));
            changes.put("basic.node_size", Integer.toString(ranks / 2));
            RunFixture run = new RunFixture(directory, changes);
            run.run(ranks, (checkpoints, comm) -> {
                checkpoints.protect(0, values(1));
                checkpoints.checkpoint(1, Level.L4);
                checkpoints.await();
            });
            fill(nodes.root().resolve("of-others"));
            restartAndTakeTheNext(run, ranks, 1);
            restartAndTakeTheNext(run, ranks, heads == 0 ? 2 : 1);
        }
    }

    /** An incomplete checkpoint of level 1, as the loss of a node leaves it, fills the others. */
    @ParameterizedTest
    @CsvSource({"1", "3"})
    void aCheckpointThatIsOfNoUseStaysUntilThereIsANewOne(String ioMode) throws IOException {
        try (MountedFileSystem nodes = MountedFileSystem.mount("tmpfs", "size=700k")) {
            Map<String, String> changes = new HashMap<>();
            changes.put("basic.ckpt_dir", nodes.root().resolve("Local").toString());
            changes.put("basic.ckpt_io", ioMode);
            changes.put("basic.node_size", "1");
            RunFixture run = new RunFixture(directory, changes);
            run.run(2, (checkpoints, comm) -> {
                checkpoints.protect(0, values(1));
                checkpoints.checkpoint(1, Level.L4);
                checkpoints.protect(0, values(2));
                checkpoints.checkpoint(2, Level.L1);
            });
            String execId = run.restartValue("exec_id");
            Path lost = nodes.root().resolve("Local/node1/" + execId + "/l1/Ckpt2-Rank1.fti");
            Files.delete(lost);
            fill(nodes.root().resolve("of-others"));
            Path useless = nodes.root().resolve("Local/node0/" + execId + "/l1/Ckpt2-Rank0.fti");
            run.run(2, (checkpoints, comm) -> {
                int[] restored = new int[INTS];
                checkpoints.protect(0, restored);
                checkpoints.recover();
                assertThat(restored).isEqualTo(values(1));
                comm.barrier();
                if (comm.rank() == 0) {
                    assertThat(Files.exists(useless)).isTrue();
                }
                comm.barrier();
            });
            restartAndTakeTheNext(run, 2, 1);
            assertThat(useless).doesNotExist();
        }
    }

    private static void restartAndTakeTheNext(RunFixture run, int ranks, int step) throws IOException {
        run.run(ranks, (checkpoints, comm) -> {
            int[] restored = new int[INTS];
            checkpoints.protect(0, restored);
            assertThat(checkpoints.isRestart()).isTrue();
            checkpoints.recover();
            assertThat(restored).isEqualTo(values(step));
            System.arraycopy(values(step + 1), 0, restored, 0, INTS);
            // A head would take it from the node.
            if (checkpoints.describe().heads() == 0) {
                checkpoints.checkpoint(step + 1, Level.L4);
            }
        });
    }

    private static void fill(Path ballast) throws IOException {
        Files.write(
                ballast,
                new byte[Math.toIntExact(Files.getFileStore(ballast.getParent()).getUsableSpace())]);
    }
}
