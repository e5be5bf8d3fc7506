package io.drumlin.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    private static long descriptors() throws IOException {
        try (var entries = Files.list(Path.of("/proc/self/fd"))) {
            return entries.count();
        }
    }
}
