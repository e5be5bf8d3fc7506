package io.drumlin.checkpoint.internal.sharedfile;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.checkpoint.internal.io.SlabPool;
import io.drumlin.comm.ThreadCommunicator;
import io.drumlin.format.MemoryByteSource;
import io.drumlin.integrity.StripedMd5;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MpiIoFileWriterTest {

    private static final int SLAB = SlabPool.SLAB_BYTES;

    @TempDir
    private Path directory;

    /** A file system that refuses direct transfers. */
    private record BufferedEngine(StorageEngine real) implements StorageEngine {

        @Override
        public String name() {
            return real.name();
        }

        @Override
        public BlockFile open(Path path, Set<OpenMode> modes) throws IOException {
            Set<OpenMode> buffered = EnumSet.copyOf(modes);
            buffered.remove(OpenMode.DIRECT);
            return real.open(path, buffered);
        }

        @Override
        public AlignedBuffer allocate(int size) {
            return real.allocate(size);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            real.rename(from, to);
        }

        @Override
        public void syncDirectory(Path folder) throws IOException {
            real.syncDirectory(folder);
        }
    }

    /** Bytes of each rank: regions within a block, on its boundaries, across slabs, and none. */
    static Stream<int[]> sizes() {
        return Stream.of(
                new int[] {1, 4095, 4096, 1},
                new int[] {4096, 0, 8192, 0},
                new int[] {100, 200, 4000, 12_289},
                new int[] {2 * SLAB, SLAB - 1, 3, 2 * SLAB + 17},
                new int[] {0, 0, 0, 0},
                new int[] {9 << 20, 5, 1, 17 << 20});
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void theFileHasTheBytesOfAllRanks(int[] sizes) throws Exception {
        assertWritten(sizes, -1);
    }

    /** The ranks must agree on how it is written. */
    @ParameterizedTest
    @MethodSource("sizes")
    void theFileHasTheBytesOfAllRanksWhereOneOfThemCannotWriteDirectly(int[] sizes) throws Exception {
        assertWritten(sizes, 2);
    }

    private void assertWritten(int[] sizes, int buffered) throws Exception {
        Path path = directory.resolve("file");
        Files.write(path, new byte[50_000]);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        for (int rank = 0; rank < sizes.length; rank++) {
            expected.writeBytes(bytes(rank, sizes[rank]));
        }
        ThreadCommunicator.run(sizes.length, app -> {
            StorageEngine engine = StorageEngines.best();
            StorageEngine storage = app.rank() == buffered ? new BufferedEngine(engine) : engine;
            byte[] bytes = bytes(app.rank(), sizes[app.rank()]);
            try (SlabPool slabs = new SlabPool(storage, SlabPool.SLABS, SlabPool.SLAB_BYTES)) {
                SharedFileWriter.Written written = new MpiIoFileWriter(app, storage, slabs, Map.of())
                        .write(path, new MemoryByteSource(ByteBuffer.wrap(bytes)));
                assertThat(written.start()).isEqualTo(app.exscan(bytes.length));
                assertThat(written.digests()).containsExactly(digest(bytes));
            }
        });
        assertThat(Files.readAllBytes(path)).isEqualTo(expected.toByteArray());
    }

    private static byte[] bytes(int rank, int size) {
        byte[] bytes = new byte[size];
        new Random(rank).nextBytes(bytes);
        return bytes;
    }

    private static byte[] digest(byte[] bytes) {
        try (StripedMd5 md5 = new StripedMd5()) {
            md5.update(ByteBuffer.wrap(bytes));
            return md5.digest();
        }
    }
}
