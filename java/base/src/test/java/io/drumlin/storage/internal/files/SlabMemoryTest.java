package io.drumlin.storage.internal.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.FaultyEngine;
import io.drumlin.storage.FaultyEngine.Operation;
import io.drumlin.storage.StorageEngines;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlabMemoryTest {

    @ParameterizedTest
    @CsvSource({"4096, 5, 5", "65536, 3, 3", "1048576, 1, 1", "1048576, 5, 3", "4194304, 2, 2"})
    void cutsLargeSlabsFromHugePages(int slabBytes, int slabs, int blocks) throws Exception {
        FaultyEngine engine = new FaultyEngine(StorageEngines.best());
        try (SlabMemory memory = new SlabMemory(engine, slabBytes)) {
            ByteBuffer[] taken = new ByteBuffer[slabs];
            for (int i = 0; i < slabs; i++) {
                taken[i] = memory.take();
                assertThat(taken[i].capacity()).isEqualTo(slabBytes);
                assertThat(taken[i].order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
                assertThat(taken[i].alignmentOffset(0, AlignedBuffer.ALIGNMENT)).isZero();
                taken[i].putInt(0, i).putInt(slabBytes - Integer.BYTES, ~i);
            }
            for (int i = 0; i < slabs; i++) {
                assertThat(taken[i].getInt(0)).isEqualTo(i);
                assertThat(taken[i].getInt(slabBytes - Integer.BYTES)).isEqualTo(~i);
            }
            assertThat(engine.count(Operation.MEMORY)).isEqualTo(blocks);
        }
    }
}
