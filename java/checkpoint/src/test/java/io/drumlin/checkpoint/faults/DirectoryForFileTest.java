package io.drumlin.checkpoint.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.fixture.RunFixture;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.storage.internal.NioEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a file was, there is a directory of its name: it counts as lost, and is made again. */
class DirectoryForFileTest {

    private static final int RANKS = 3;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"1, L2", "1, L3", "3, L2", "3, L3", "5, L2", "5, L3"})
    void itIsMadeAgain(String mode, Level level) throws IOException {
        RunFixture run = new RunFixture(directory, "node_size=1, group_size=" + RANKS + ", ckpt_io=" + mode);
        run.run(RANKS, (checkpoints, comm) -> {
            checkpoints.protect(1, values(comm.rank()));
            checkpoints.checkpoint(1, level);
        });
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory.resolve("Local"))) {
            files = all.filter(file -> file.getFileName().toString().startsWith("Ckpt1"))
                    .sorted()
                    .toList();
        }
        assertThat(files).hasSize(2 * RANKS);
        for (Path file : files) {
            Files.delete(file);
            Files.createDirectory(file);
            Files.writeString(file.resolve("note"), "of somebody");
            run.run(RANKS, (checkpoints, comm) -> {
                byte[] values = new byte[values(comm.rank()).length];
                checkpoints.protect(1, values);
                checkpoints.recover();
                assertThat(Arrays.equals(values, values(comm.rank()))).isTrue();
            });
            assertThat(file).isRegularFile();
            Path aside = file.resolveSibling("drumlin-directory-" + file.getFileName());
            assertThat(aside.resolve("note")).exists();
            DirectoryTree.delete(aside, new NioEngine());
        }
    }

    private static byte[] values(int rank) {
        byte[] values = new byte[10_000 + 1_111 * rank];
        new Random(rank).nextBytes(values);
        return values;
    }
}
