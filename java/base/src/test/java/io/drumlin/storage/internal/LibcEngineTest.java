package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngineContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("native")
class LibcEngineTest extends StorageEngineContract {

    @Override
    protected StorageEngine makeEngine() {
        Throwable cause = LibcEngine.unavailabilityCause();
        assumeTrue(cause == null, () -> "libc is not available: " + cause);
        return new LibcEngine();
    }

    @Test
    void writesOnAnInterruptedThread(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("file");
        try (BlockFile file = makeEngine().open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))) {
            Thread.currentThread().interrupt();
            file.write(ByteBuffer.allocate(10), 0);
            file.write(ByteBuffer.allocate(10), 10);
        } finally {
            Thread.interrupted();
        }
        assertThat(Files.size(path)).isEqualTo(20);
    }

    @Test
    void namesErrorsAsTheSystemDoes() {
        makeEngine();
        for (Errno errno : Errno.values()) {
            String text = NativeLibrary.getProcess()
                    .getFunction("strerror")
                    .invokeString(new Object[] {errno.number()}, false);
            assertThat(errno.text()).isEqualTo(text);
            assertThat(Errno.of(new IOException(text))).isEqualTo(Optional.of(errno));
        }
    }

    @Test
    void leavesNoDescriptorBehind(@TempDir Path directory) throws IOException {
        StorageEngine engine = makeEngine();
        Path path = Files.createFile(directory.resolve("file"));
        engine.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT)).close();
        long before = descriptors();
        for (int i = 0; i < 50; i++) {
            engine.open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT)).close();
            engine.syncDirectory(directory);
        }
        assertThat(descriptors()).isLessThan(before + 50);
    }

    /** strace makes the kernel answer EINTR, on every other write and once on all else. */
    @Test
    void goesOnAfterInterruptedCalls(@TempDir Path directory) throws Exception {
        makeEngine();
        List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", directory + "/trace"));
        for (String call : List.of("pwrite64:when=1+2", "fallocate:when=1", "ftruncate:when=1", "fdatasync:when=1")) {
            command.addAll(List.of("-e", "inject=" + call.replace(":", ":error=EINTR:")));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Writer.class.getName()));
        command.add(directory.resolve("file").toString());
        String output = run(command);
        assumeTrue(
                Files.exists(directory.resolve("trace")) && !output.startsWith("strace:"),
                () -> "strace cannot be used: " + output);
        assertThat(output).contains("written");
        assertThat(Files.readString(directory.resolve("trace")))
                .containsPattern("pwrite64.*EINTR.*INJECTED")
                .containsPattern("fallocate.*EINTR.*INJECTED")
                .containsPattern("ftruncate.*EINTR.*INJECTED")
                .containsPattern("fdatasync.*EINTR.*INJECTED");
        byte[] expected = new byte[1_000_000];
        Arrays.fill(expected, (byte) 7);
        assertThat(Files.readAllBytes(directory.resolve("file"))).isEqualTo(expected);
    }

    private static String run(List<String> command) throws InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return output;
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What the traced JVM runs. */
    static final class Writer {

        private Writer() {}

        public static void main(String[] args) throws IOException {
            ByteBuffer source = ByteBuffer.allocateDirect(100_000);
            while (source.hasRemaining()) {
                source.put((byte) 7);
            }
            source.flip();
            try (BlockFile file =
                    new LibcEngine().open(Path.of(args[0]), EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))) {
                file.allocate(2_000_000);
                for (int i = 0; i < 10; i++) {
                    file.startWrite(source, i * 100_000L).await();
                }
                file.truncate(1_000_000);
                file.sync();
            }
            System.out.println("written");
        }
    }

    private static long descriptors() throws IOException {
        try (var entries = Files.list(Path.of("/proc/self/fd"))) {
            return entries.count();
        }
    }
}
