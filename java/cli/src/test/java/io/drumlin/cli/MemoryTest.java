package io.drumlin.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.ftiff.BlockMeta;
import io.drumlin.format.ftiff.Layout;
import io.drumlin.format.ftiff.VariableMeta;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of 93 MiB that are nothing but metadata, read by a JVM whose heap is the file's size plus 64 MiB. */
@Tag("soak")
class MemoryTest {

    private static final int BLOCKS = 1_400_000;
    private static final String HASH_OF_NOTHING = "d41d8cd98f00b204e9800998ecf8427e";

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void metadataTakeLittleMoreMemoryThanTheyHaveBytes(boolean oneVariable) throws Exception {
        Path file = directory.resolve("file");
        Files.write(file, file(oneVariable));
        String target = directory.resolve("target").toString();

        assertThat(run(file, "verify", file.toString())).endsWith("whole");
        assertThat(run(file, "extract", file.toString(), "--select", "var=0", "-o", target))
                .isEmpty();
        assertThat(Path.of(target)).isEmptyFile();

        byte[] damaged = Files.readAllBytes(file);
        for (int block = 0; block < BLOCKS; block++) {
            damaged[70 * block + 20] = 2; // hascontent
        }
        Files.write(file, damaged);
        assertThat(run(file, "verify", file.toString())).endsWith("more findings");
    }

    /** A block for each container of 0 bytes, all of one variable or each of its own. */
    private static byte[] file(boolean oneVariable) {
        List<BlockMeta> blocks = new AbstractList<>() {
            @Override
            public BlockMeta get(int i) {
                int id = oneVariable ? 0 : i;
                int container = oneVariable ? i : 0;
                return new BlockMeta(
                        List.of(new VariableMeta(
                                id, VariableMeta.NO_IDX, container, true, false, 0, 0, 0, 0, HASH_OF_NOTHING)),
                        0);
            }

            @Override
            public int size() {
                return BLOCKS;
            }
        };
        ByteBuffer bytes = ByteBuffer.allocate((int) Layout.F.metaSize(blocks));
        Layout.F.put(bytes, blocks, Layout.F.seal(blocks, 1, 0, -1, -1));
        return bytes.array();
    }

    private String run(Path file, String... arguments) throws IOException, InterruptedException {
        long heap = Files.size(file) + (64 << 20);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:+UseSerialGC",
                "-Xmn8m",
                "-Xmx" + heap / 1024 + "k",
                DrumlinCommand.class.getName()));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        return Files.readString(output).strip();
    }
}
