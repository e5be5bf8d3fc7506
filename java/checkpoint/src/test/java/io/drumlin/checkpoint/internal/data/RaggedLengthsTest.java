package io.drumlin.checkpoint.internal.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The layout of docs/formats/ragged.md. */
class RaggedLengthsTest {

    private static final short[][] EXAMPLE = {{1, 2}, {}, {3}};

    @Test
    void theExampleIsAsDescribed() {
        ProtectedData data = ProtectedData.ofRagged(EXAMPLE);
        ByteBuffer stored = ByteBuffer.allocate(70).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(data.size()).isEqualTo(stored.capacity());
        data.copyOut(0, stored);
        ByteBuffer expected = ByteBuffer.allocate(70).order(ByteOrder.LITTLE_ENDIAN);
        expected.put("drumlin ragged 1".getBytes(StandardCharsets.US_ASCII));
        for (long length : new long[] {2, 4, 3, 2, 0, 1}) {
            expected.putLong(length);
        }
        expected.putShort((short) 1).putShort((short) 2).putShort((short) 3);
        assertThat(stored.flip()).isEqualTo(expected.flip());
    }

    @Test
    void piecesOfAnySizeArriveWhereTheyBelong() {
        for (int length = 1; length <= 70; length++) {
            ProtectedData from = ProtectedData.ofRagged(EXAMPLE);
            short[][] copy = {new short[2], {}, new short[1]};
            ProtectedData to = ProtectedData.ofRagged(copy);
            for (int offset = 0; offset < 70; offset += length) {
                ByteBuffer piece = ByteBuffer.allocate(Math.min(length, 70 - offset));
                from.copyOut(offset, piece);
                to.copyIn(offset, piece.flip());
            }
            assertThat(Arrays.deepEquals(copy, EXAMPLE)).isTrue();
            assertThat(to.problemOfRecovery()).isEmpty();
        }
    }

    /** Whatever was written there: the array that was stored, or words, and never memory for what is not there. */
    @Test
    void noLengthsAllocateMoreThanIsStored() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int[][][] array = new int[5][3][];
        for (int[][] each : array) {
            Arrays.setAll(each, i -> new int[random.nextInt(4)]);
        }
        ByteBuffer stored = RaggedLengths.of(array);
        long elements = NestedElements.of(array).count();
        for (int round = 0; round < 3000; round++) {
            ByteBuffer changed = ByteBuffer.wrap(stored.array().clone()).order(ByteOrder.LITTLE_ENDIAN);
            int at = 32 + Long.BYTES * random.nextInt(stored.capacity() / Long.BYTES - 4);
            changed.putLong(at, random.nextBoolean() ? random.nextInt(20) : random.nextLong() >> random.nextInt(64));
            boolean same = changed.equals(stored);
            try {
                Object made = RaggedLengths.newArray(changed, int[][][].class, elements);
                assertThat(RaggedLengths.of((Object[]) made)).as("seed " + seed).isEqualTo(changed);
            } catch (IllegalArgumentException e) {
                assertThat(same).as("seed " + seed).isFalse();
            }
        }
        assertThatThrownBy(() -> RaggedLengths.newArray(stored, int[][].class, elements))
                .hasMessageContaining("not those of a int[][]");
        assertThat(RaggedLengths.size(stored, stored.capacity())).hasValue(stored.capacity());
        assertThat(RaggedLengths.size(stored, stored.capacity() - 1)).isEmpty();
    }
}
