package io.drumlin.checkpoint.internal.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtendedSourceTest {

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyWindowOfAnExtendedFileIsThatOfTheWhole(boolean embedsSize) throws IOException {
        byte[] plain = new byte[300];
        Arrays.fill(plain, (byte) 9);
        ExtendedSource extended = new ExtendedSource(new MemoryByteSource(ByteBuffer.wrap(plain)), 317, embedsSize);
        byte[] whole = Arrays.copyOf(plain, 317);
        if (embedsSize) {
            ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).putLong(309, 300);
        }
        assertThat(extended.size()).isEqualTo(317);
        for (int from = 290; from <= 317; from++) {
            for (int to = from; to <= 317; to++) {
                ByteBuffer window = ByteBuffer.allocate(to - from);
                extended.readFully(from, window);
                assertThat(window.hasRemaining()).isFalse();
                assertThat(window.array()).as("%d to %d", from, to).isEqualTo(Arrays.copyOfRange(whole, from, to));
            }
        }
    }
}
