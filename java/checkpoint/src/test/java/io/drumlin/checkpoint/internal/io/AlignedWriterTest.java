package io.drumlin.checkpoint.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pieces of a file are in it, wherever they end, in whatever order they came, and far into a large file. */
class AlignedWriterTest {

    private static final int SLAB = 1 << 14;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"0, 1", "0, 2", "0, 3", "5, 4", "2281136128, 5", "4294967297, 6", "6442450900, 7", "6442450944, 8"})
    void allPiecesAreInTheFile(long start, int seed) throws IOException {
        Random random = new Random(seed);
        byte[] bytes = new byte[random.nextInt(30 * SLAB) + 1];
        random.nextBytes(bytes);
        List<int[]> pieces = new ArrayList<>();
        for (int from = 0, to; from < bytes.length; from = to) {
            to = Math.min(bytes.length, from + 1 + random.nextInt(random.nextBoolean() ? 300 : SLAB - 4096));
            pieces.add(new int[] {from, to});
        }
        Collections.shuffle(pieces, random);
        StorageEngine storage = StorageEngines.best();
        Path path = directory.resolve("file");
        ByteBuffer source = ByteBuffer.wrap(bytes);
        try (SlabPool slabs = new SlabPool(storage, 4, SLAB);
                AlignedWriter file = new AlignedWriter(storage, slabs, path)) {
            for (int[] piece : pieces) {
                long offset = start + piece[0];
                int length = piece[1] - piece[0];
                switch (random.nextInt(4)) {
                    case 0 -> file.keep(offset, source.slice(piece[0], length));
                    case 1 -> file.write(offset, source.slice(piece[0], length));
                    case 2 -> file.start(slab(slabs, offset, bytes, piece), offset, length);
                    default -> {
                        file.join(slab(slabs, offset, bytes, piece), offset, length, offset + length);
                        file.flush();
                    }
                }
                // Whoever takes a slab later must not get one that is not written yet.
                slabs.take().buffer().put(new byte[SLAB]);
            }
            file.finish(start + bytes.length);
        }
        ByteBuffer found = ByteBuffer.allocate(bytes.length + 1);
        try (BlockFile file = storage.open(path, EnumSet.of(OpenMode.READ))) {
            assertThat(file.size()).isEqualTo(start + bytes.length);
            assertThat(file.read(found, start)).isEqualTo(bytes.length);
        }
        assertThat(found.limit(bytes.length)).isEqualTo(source);
    }

    private static SlabPool.Slab slab(SlabPool slabs, long offset, byte[] bytes, int[] piece) throws IOException {
        SlabPool.Slab slab = slabs.take();
        slab.buffer().put(AlignedWriter.lead(offset), bytes, piece[0], piece[1] - piece[0]);
        return slab;
    }
}
