package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErrnoTest {

    @Test
    void knowsTheWordsOfOtherLanguages(@TempDir Path directory) throws Exception {
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder builder = new ProcessBuilder(
                java, "-cp", System.getProperty("java.class.path"), Failures.class.getName(), loop.toString());
        builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "de"));
        // JVMs warn of native access there.
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assumeFalse(output.contains("No space left"), "the C library has no German messages");
        assertThat(output.lines().map(line -> line.split(" ", 2)[0]))
                .as(output)
                .containsExactly("ENOSPC", "EISDIR", "ELOOP", "?");
    }

    /** What the other JVM runs. */
    static final class Failures {

        private Failures() {}

        public static void main(String[] arguments) {
            Path loop = Path.of(arguments[0]);
            tell(() -> write(Path.of("/dev/full")));
            tell(() -> write(loop.getParent()));
            tell(() -> write(loop));
            tell(() -> {
                throw new IOException("something else");
            });
        }

        private interface Call {
            void run() throws IOException;
        }

        private static void write(Path path) throws IOException {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocate(1));
            }
        }

        private static void tell(Call call) {
            try {
                call.run();
            } catch (IOException e) {
                System.out.println(Errno.of(e).map(Errno::name).orElse("?") + " " + e.getMessage());
            }
        }
    }
}
