package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.nativecore.NativeTests;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PendingWrite;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngineContract;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("native")
class NativeEngineTest extends StorageEngineContract {

    @Override
    protected StorageEngine makeEngine() {
        NativeTests.requireCore();
        return new NativeEngine();
    }

    @Test
    void isTheBestWhereItIsAvailable() throws IOException {
        makeEngine();
        assertThat(StorageEngines.names()).first().isEqualTo("native");
        assertThat(StorageEngines.best().name()).isEqualTo(System.getProperty(StorageEngines.PROPERTY, "native"));
        assertThat(new NativeEngine().queue()).isIn("io_uring", "threads");
    }

    @Test
    void writesOnAnInterruptedThread(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("file");
        try (BlockFile file = makeEngine().open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))) {
            Thread.currentThread().interrupt();
            file.write(ByteBuffer.allocate(10), 0);
            file.startWrite(ByteBuffer.allocateDirect(10), 10).await();
        } finally {
            Thread.interrupted();
        }
        assertThat(Files.size(path)).isEqualTo(20);
    }

    @Test
    void startsMoreWritesThanTheQueueIsDeep(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("file");
        try (BlockFile file = makeEngine().open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))) {
            List<PendingWrite> writes = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                writes.add(file.startWrite(ByteBuffer.allocateDirect(8).putInt(4, i), 8L * i));
            }
            for (PendingWrite write : writes) {
                write.await();
            }
        }
        ByteBuffer written = ByteBuffer.wrap(Files.readAllBytes(path));
        for (int i = 0; i < 300; i++) {
            assertThat(written.getLong()).isEqualTo(i);
        }
    }

    @Test
    void aFailedWriteIsToldByEveryAwaitAndNotByClose() throws IOException {
        BlockFile full = makeEngine().open(Path.of("/dev/full"), EnumSet.of(OpenMode.WRITE));
        PendingWrite write = full.startWrite(ByteBuffer.allocateDirect(4096), 0);
        assertThatThrownBy(write::await).hasMessageContaining("ENOSPC").hasMessageContaining("write of 4096 bytes");
        assertThatThrownBy(write::await).hasMessageContaining("ENOSPC");
        full.close();
    }

    @Test
    void memoryIsNotGivenBackBeforeTheWritesFromItHaveEnded() throws IOException {
        StorageEngine engine = makeEngine();
        int size = 32 << 20;
        Path path = Files.createTempFile(Path.of("target"), "memory", ".tmp");
        try (BlockFile file = engine.open(path, EnumSet.of(OpenMode.READ, OpenMode.WRITE, OpenMode.DIRECT))) {
            for (int round = 1; round <= 4; round++) {
                AlignedBuffer buffer = engine.allocate(size);
                for (int i = 0; i < size; i += 512) {
                    buffer.buffer().putInt(i, round);
                }
                PendingWrite write = file.startWrite(buffer.buffer(), 0);
                buffer.close();
                // The same memory, filled with zeros.
                AlignedBuffer next = engine.allocate(size);
                write.await();
                file.read(next.buffer(), 0);
                for (int i = 0; i < size; i += 512) {
                    assertThat(next.buffer().getInt(i)).isEqualTo(round);
                }
                next.close();
            }
        } finally {
            Files.delete(path);
        }
    }

    @Test
    void saysHowMuchIsFreeWhenThereIsNoSpace() throws IOException {
        try (BlockFile full = makeEngine().open(Path.of("/dev/full"), EnumSet.of(OpenMode.WRITE))) {
            assertThatThrownBy(() -> full.write(ByteBuffer.allocate(5000), 0))
                    .hasMessageMatching(
                            "write of 5000 bytes at offset 0 in /dev/full failed: ENOSPC .* \\d+ bytes are free.*");
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
