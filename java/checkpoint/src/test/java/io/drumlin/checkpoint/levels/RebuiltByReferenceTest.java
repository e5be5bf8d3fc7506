package io.drumlin.checkpoint.levels;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.fti.FTI;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An encoded file that C FTI rebuilt, with another id and another timestamp in its record: src/test/resources/io/drumlin/fti/rebuilt. */
class RebuiltByReferenceTest {

    private static final String EXEC_ID = "2026-11-28_15-57-20";

    @Test
    void theLostFilesAreMadeFromIt(@TempDir Path directory) throws IOException {
        RunFixture run = new RunFixture(directory, Map.of("basic.node_size", "1", "basic.group_size", "2"));
        run.setRestart("1", EXEC_ID);
        Path node = Files.createDirectories(directory.resolve("Local/node0/" + EXEC_ID + "/l3"));
        Path meta = Files.createDirectories(directory.resolve("Meta/" + EXEC_ID));
        copy("Ckpt1-Rank0.fti", node);
        copy("Ckpt1-RSed0.fti", node);
        copy("Topology.fti", meta);
        run.run(2, (checkpoints, comm) -> {
            assertThat(checkpoints.lastCheckpoint()).hasValue(1);
            int[] ints = new int[100 + 25 * comm.rank()];
            byte[] bytes = new byte[51 + comm.rank()];
            checkpoints.protect(1, ints);
            checkpoints.protect(2, bytes);
            checkpoints.recover();
            for (int i = 0; i < ints.length; i++) {
                assertThat(ints[i]).isEqualTo(1_000_000 * comm.rank() + 1000 + i);
            }
            for (int i = 0; i < bytes.length; i++) {
                assertThat(bytes[i]).isEqualTo((byte) (1_000_000 * comm.rank() + 2000 + i));
            }
        });
    }

    private static void copy(String name, Path folder) throws IOException {
        try (InputStream file = FTI.class.getResourceAsStream("rebuilt/" + name)) {
            Files.copy(Objects.requireNonNull(file), folder.resolve(name));
        }
    }
}
