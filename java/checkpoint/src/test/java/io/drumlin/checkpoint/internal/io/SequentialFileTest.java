package io.drumlin.checkpoint.internal.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequentialFileTest {

    @TempDir
    private Path directory;

    /** In a group of 31 that lost all plain files, a rank takes more slabs than there are between two of its own file. */
    @ParameterizedTest
    @ValueSource(ints = {SlabPool.SLAB_BYTES, 2 * SlabPool.SLAB_BYTES, 3 * SlabPool.SLAB_BYTES})
    void keepsWhatWasAppendedWhateverIsTakenOfThePoolMeanwhile(int length) throws IOException {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        StorageEngine storage = StorageEngines.best();
        Path path = directory.resolve("file");
        try (SlabPool slabs = new SlabPool(storage, 3, SlabPool.SLAB_BYTES)) {
            try (SequentialFile file = new SequentialFile(storage, slabs, path, length)) {
                for (int i = 0; i < length; i += SlabPool.SLAB_BYTES) {
                    file.append(ByteBuffer.wrap(bytes, i, SlabPool.SLAB_BYTES));
                    for (int taken = 0; taken < 4; taken++) {
                        ByteBuffer other = slabs.take().buffer();
                        while (other.hasRemaining()) {
                            other.putLong(-1);
                        }
                    }
                }
                file.finish();
            }
        }
        assertThat(Arrays.equals(Files.readAllBytes(path), bytes)).isTrue();
    }
}
