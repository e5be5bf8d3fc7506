package io.drumlin.sion.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.comm.SingleCommunicator;
import io.drumlin.sion.SionIo;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngines;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteStageTest {

    private static final int CHUNK = 1 << 20;

    @TempDir
    private Path directory;

    /** The slabs of all tasks have 64 MiB; from 16,384 tasks on each has one of 4 KiB. */
    @ParameterizedTest
    @CsvSource({"64, 65536, 16", "1024, 4096, 16", "2048, 4096, 8", "16384, 4096, 1", "1000000, 4096, 1"})
    void tasksShareTheMemory(int tasks, int slabBytes, int slabs) throws Exception {
        FaultyEngine engine = new FaultyEngine(StorageEngines.best());
        byte[] bytes = new byte[CHUNK];
        new Random(tasks).nextBytes(bytes);
        Path path = Files.createFile(directory.resolve("file.sion"));
        DataFiles data = new DataFiles(engine, new SingleCommunicator(), SionIo.BUFFERED, Map.of());
        try (TaskFile file = new TaskFile(data, path, EnumSet.of(OpenMode.WRITE))) {
            WriteStage stage = new WriteStage(engine, file, new TaskBlocks(0, CHUNK, CHUNK), CHUNK, tasks);
            int before = engine.count(Operation.MEMORY);
            assertThat(stage.slabFor(0).remaining()).isEqualTo(slabBytes);
            for (int at = 0; at < CHUNK; at += 1000) {
                stage.put(at, ByteBuffer.wrap(bytes, at, Math.min(1000, CHUNK - at)));
            }
            assertThat(engine.count(Operation.MEMORY) - before).isEqualTo(slabs);
            stage.flush();
            stage.close();
        }
        assertThat(Files.readAllBytes(path)).isEqualTo(bytes);
    }
}
