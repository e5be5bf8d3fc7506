package io.drumlin.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.drumlin.nativecore.NativeTests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
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
    void takesAWriteThatIsOverForTheNextOfTheFile(@TempDir Path directory) throws IOException {
        ByteBuffer memory = ByteBuffer.allocateDirect(8);
        try (BlockFile file =
                makeEngine().open(directory.resolve("file"), EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))) {
            PendingWrite write = file.startWrite(memory, 0);
            write.await();
            assertThat(file.startWrite(memory, 8, write)).isSameAs(write);
            // It is no harm to give one that is not over: whoever awaits it goes on to do so.
            assertThat(file.startWrite(memory, 16, write)).isNotSameAs(write);
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

    @Test
    void mapsARangeOfAFile(@TempDir Path directory) throws IOException {
        byte[] content = content();
        Path path = Files.write(directory.resolve("file"), content);
        try (MappedFile file = mapped(path, 2_500_000, 3_000_000)) {
            for (int offset = 2_500_000; offset < 5_500_000; offset += 600_000) {
                assertThat(file.startRead(offset, 600_000).await()).isEqualTo(600_000);
                assertThat(bytes(file.view(offset, 600_000)))
                        .isEqualTo(Arrays.copyOfRange(content, offset, offset + 600_000));
            }
            assertThatThrownBy(() -> file.startRead(5_499_999, 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.view(5_500_000, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> file.view(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void saysWhereAMappedFileEnds(@TempDir Path directory) throws IOException {
        byte[] content = content();
        Path path = Files.write(directory.resolve("file"), content);
        try (MappedFile file = mapped(path, 0, content.length + 100_000L)) {
            assertThat(file.startRead(content.length - 10, 100).await()).isEqualTo(10);
            assertThat(file.startRead(content.length, 100).await()).isZero();
            assertThat(file.startRead(content.length + 50_000, 100).await()).isZero();
            assertThat(bytes(file.view(content.length - 10, 10)))
                    .isEqualTo(Arrays.copyOfRange(content, content.length - 10, content.length));
        }
    }

    @Test
    void seesThatAMappedFileWasCut(@TempDir Path directory) throws IOException {
        byte[] content = content();
        Path path = Files.write(directory.resolve("file"), content);
        try (MappedFile file = mapped(path, 0, content.length)) {
            file.startRead(0, 1000).await();
            Files.write(path, Arrays.copyOf(content, 4_500_000));
            PendingRead first = file.startRead(4_400_000, 200_000);
            PendingRead second = file.startRead(5_000_000, 200_000);
            assertThat(first.await()).isEqualTo(100_000);
            assertThat(second.await()).isZero();
            assertThat(bytes(file.view(4_400_000, 100_000)))
                    .isEqualTo(Arrays.copyOfRange(content, 4_400_000, 4_500_000));
        }
    }

    @Test
    void mapsOnlyWhatTheSystemKeeps() throws IOException {
        StorageEngine engine = makeEngine();
        assertThat(engine.map(Path.of("/proc/self/maps"), 0, 4096)).isEmpty();
        assertThatThrownBy(() -> engine.map(Path.of("/no/such/file"), 0, 4096))
                .hasMessageContaining("/no/such/file")
                .hasMessageContaining("ENOENT");
    }

    @Test
    void aMappingThatWasClosedIsNotLookedAt(@TempDir Path directory) throws IOException {
        Path path = Files.write(directory.resolve("file"), content());
        mapped(path, 0, 100).close();
        long before = descriptors();
        MappedFile file = mapped(path, 0, 6_000_000);
        file.startRead(0, 6_000_000);
        file.close();
        file.close();
        assertThatThrownBy(() -> file.view(0, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> file.startRead(0, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(descriptors()).isLessThanOrEqualTo(before);
    }

    private static byte[] content() {
        byte[] content = new byte[6_000_000];
        new Random(5).nextBytes(content);
        return content;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private MappedFile mapped(Path path, long offset, long length) throws IOException {
        Optional<MappedFile> file = makeEngine().map(path, offset, length);
        assumeTrue(file.isPresent(), "the system maps no file in " + path.getParent());
        return file.orElseThrow();
    }

    private static long descriptors() throws IOException {
        try (var entries = Files.list(Path.of("/proc/self/fd"))) {
            return entries.count();
        }
    }
}
