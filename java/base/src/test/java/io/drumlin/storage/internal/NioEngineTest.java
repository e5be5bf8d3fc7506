package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.DrumlinException;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngineContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NioEngineTest extends StorageEngineContract {

    @Override
    protected StorageEngine makeEngine() {
        return new NioEngine();
    }

    @Override
    protected boolean reserves() {
        return false;
    }

    @Test
    void saysThatAnInterruptClosedTheFile(@TempDir Path directory) throws IOException {
        Path path = directory.resolve("file");
        try (BlockFile file = makeEngine().open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE))) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> file.write(ByteBuffer.allocate(10), 0))
                    .isInstanceOf(DrumlinException.class)
                    .hasMessageContainingAll("interrupted", "libc");
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void alignsToTheBlockOfTheFileSystem() throws IOException {
        Path path = Files.createTempFile(Path.of("target"), "block", "");
        try (BlockFile file = makeEngine().open(path, EnumSet.of(OpenMode.READ, OpenMode.DIRECT))) {
            long block = Files.getFileStore(path).getBlockSize();
            assertThat((long) file.alignment()).isEqualTo(file.direct() ? block : 1);
        } finally {
            Files.delete(path);
        }
    }
}
