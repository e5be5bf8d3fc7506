package io.drumlin.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ResizedSourceTest {

    private static final byte[] FIVE = {1, 2, 3, 4, 5};

    @Test
    void everyWindowIsThatOfTheBytesCutOrExtendedByZeros() throws IOException {
        for (int size : new int[] {0, 3, 5, 6, 9}) {
            ByteSource resized = resized(size);
            assertThat(resized.size()).isEqualTo(size);
            byte[] whole = Arrays.copyOf(FIVE, size);
            for (int from = 0; from <= size; from++) {
                for (int to = from; to <= size; to++) {
                    ByteBuffer target = ByteBuffer.allocate(12).position(2).limit(2 + to - from);
                    resized.readFully(from, target);
                    assertThat(target.position()).isEqualTo(2 + to - from);
                    assertThat(Arrays.copyOfRange(target.array(), 2, 2 + to - from))
                            .as("%d to %d of %d", from, to, size)
                            .isEqualTo(Arrays.copyOfRange(whole, from, to));
                }
            }
        }
    }

    @Test
    void manyZerosOverwriteWhatWasThere() throws IOException {
        byte[] bytes = new byte[100_000];
        Arrays.fill(bytes, (byte) 7);
        resized(100_000).readFully(0, ByteBuffer.wrap(bytes));
        assertThat(bytes).isEqualTo(Arrays.copyOf(FIVE, 100_000));
    }

    @Test
    void whatIsNotWithinIsRefused() {
        for (int size : new int[] {3, 9}) {
            assertThatThrownBy(() -> resized(size).readFully(size, ByteBuffer.allocate(1)))
                    .isInstanceOf(EOFException.class);
            assertThatThrownBy(() -> resized(size).readFully(-1, ByteBuffer.allocate(1)))
                    .isInstanceOf(EOFException.class);
        }
    }

    private static ByteSource resized(int size) {
        return new ResizedSource(new MemoryByteSource(ByteBuffer.wrap(FIVE)), size);
    }
}
