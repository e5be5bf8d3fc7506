package io.drumlin.storage.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.drumlin.nativecore.NativeTests;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("native")
class MemoryCopyTest {

    /** More than is copied of an array in one go. */
    private static final int BYTES = (2 << 20) + MemoryCopy.LARGE + 40;

    private final ByteBuffer source = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);

    @BeforeEach
    void fill() {
        NativeTests.requireCore();
        for (int i = 0; i < BYTES; i++) {
            source.put(i, (byte) (i * 31 + (i >> 8)));
        }
    }

    @Test
    void anArrayGetsTheBytesAndNothingElseChanges() {
        double[] array = new double[BYTES / Double.BYTES + 10];
        assertThat(MemoryCopy.copiedIn(source, DoubleBuffer.wrap(array), Double.BYTES, 16))
                .isTrue();
        for (int i = 0; i < array.length; i++) {
            boolean inside = i >= 2 && i < 2 + BYTES / Double.BYTES;
            long expected = inside ? source.getLong((i - 2) * Double.BYTES) : 0;
            assertThat(Double.doubleToRawLongBits(array[i])).as("element " + i).isEqualTo(expected);
        }
        assertThat(source.position()).isZero();
    }

    @Test
    void aSliceOfAnArrayBeginsWhereItsElementsDo() {
        byte[] array = new byte[BYTES + 9];
        ByteBuffer slice = ByteBuffer.wrap(array, 5, BYTES + 4).slice();
        ByteBuffer part = source.duplicate().position(3);
        assertThat(MemoryCopy.copiedIn(part, slice, 1, 1)).isTrue();
        assertThat(ByteBuffer.wrap(array, 6, BYTES - 3)).isEqualTo(part);
        assertThat(array[5]).isZero();
        assertThat(array[6 + BYTES - 3]).isZero();
    }

    @Test
    void memoryOutsideTheHeapGetsTheBytes() {
        ByteBuffer target = ByteBuffer.allocateDirect(BYTES + 20).position(7).slice();
        assertThat(MemoryCopy.copiedIn(source, target, 1, 5)).isTrue();
        assertThat(target.slice(5, BYTES)).isEqualTo(source);
        assertThat(target.slice(0, 5)).isEqualTo(ByteBuffer.allocate(5));
    }

    @Test
    void whatIsInAnArrayOrMemoryIsCopiedOut() {
        double[] array = new double[BYTES / Double.BYTES];
        source.asDoubleBuffer().get(array);
        int length = BYTES - 100;
        for (Buffer elements : List.of(DoubleBuffer.wrap(array), source.asDoubleBuffer())) {
            ByteBuffer target = ByteBuffer.allocateDirect(BYTES).position(50).limit(50 + length);
            assertThat(MemoryCopy.copiedOut(elements, Double.BYTES, 13, target)).isTrue();
            assertThat(target).isEqualTo(source.slice(13, length));
            assertThat(target.clear().slice(0, 50)).isEqualTo(ByteBuffer.allocate(50));
            assertThat(target.slice(50 + length, 50)).isEqualTo(ByteBuffer.allocate(50));
        }
        assertThatThrownBy(() -> MemoryCopy.copiedOut(
                        DoubleBuffer.wrap(array), Double.BYTES, 1, ByteBuffer.allocateDirect(BYTES)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void nothingIsCopiedWhereThereIsNothingToGainOrNoWay() {
        ByteBuffer target = ByteBuffer.allocate(BYTES);
        assertThat(MemoryCopy.copiedIn(source.slice(0, MemoryCopy.LARGE - 1), target, 1, 0))
                .isFalse();
        assertThat(MemoryCopy.copiedIn(ByteBuffer.allocate(BYTES), target, 1, 0))
                .isFalse();
        // A view of a heap buffer shows no array.
        assertThat(MemoryCopy.copiedIn(source, target.asDoubleBuffer(), Double.BYTES, 0))
                .isFalse();
        assertThat(target).isEqualTo(ByteBuffer.allocate(BYTES));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        DoubleBuffer target = DoubleBuffer.allocate(BYTES / Double.BYTES);
        assertThatThrownBy(() -> MemoryCopy.copiedIn(source, target, Double.BYTES, 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> MemoryCopy.copiedIn(source, target, Double.BYTES, -8))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
