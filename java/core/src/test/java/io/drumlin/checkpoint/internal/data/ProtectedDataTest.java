package io.drumlin.checkpoint.internal.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pieces of any size at any place, from memory outside the Java heap and from within, into all that can be protected. */
class ProtectedDataTest {

    private static final int BYTES = 600_000;

    static Object[] variables() {
        return new Object[] {
            new byte[BYTES],
            new boolean[BYTES],
            new short[BYTES / Short.BYTES],
            new char[BYTES / Character.BYTES],
            new int[BYTES / Integer.BYTES],
            new long[BYTES / Long.BYTES],
            new float[BYTES / Float.BYTES],
            new double[BYTES / Double.BYTES],
            new double[75][1000],
            new int[BYTES / 12][3],
            new short[30][100][100],
            new boolean[2][BYTES / 2],
            new byte[1][BYTES],
            ByteBuffer.wrap(new byte[BYTES + 11], 7, BYTES),
            DoubleBuffer.wrap(new double[BYTES / Double.BYTES + 11], 7, BYTES / Double.BYTES),
            ByteBuffer.allocateDirect(BYTES + 11).position(3).limit(BYTES + 3),
            outside(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer(),
            outside(ByteOrder.BIG_ENDIAN).asDoubleBuffer(),
            outside(ByteOrder.BIG_ENDIAN).asShortBuffer(),
            ByteBuffer.allocate(BYTES).order(ByteOrder.BIG_ENDIAN).asLongBuffer()
        };
    }

    private static ByteBuffer outside(ByteOrder order) {
        return ByteBuffer.allocateDirect(BYTES).order(order);
    }

    @ParameterizedTest
    @MethodSource("variables")
    void piecesArriveWhereTheyBelong(Object variable) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ProtectedData data = ProtectedData.of(variable);
        ByteBuffer expected = outside(ByteOrder.LITTLE_ENDIAN);
        boolean bits = variable instanceof boolean[] || variable instanceof boolean[][];
        for (int round = 0; round < 20; round++) {
            int length = round % 2 == 0 ? random.nextInt(BYTES) : random.nextInt(100);
            int offset = random.nextInt(BYTES - length);
            ByteBuffer piece = round % 3 == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
            for (int i = 0; i < length; i++) {
                piece.put(i, (byte) (bits ? random.nextInt(2) : random.nextInt()));
            }
            expected.put(offset, piece, 0, length);
            data.copyIn(offset, piece);
            assertThat(piece.remaining()).as("seed " + seed).isZero();
        }
        for (int round = 0; round < 20; round++) {
            int length = round == 0 ? BYTES : random.nextInt(BYTES);
            int offset = random.nextInt(BYTES - length + 1);
            ByteBuffer stored = round % 3 == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
            data.copyOut(offset, stored);
            assertThat(stored.remaining()).isZero();
            assertThat(stored.flip()).as("seed " + seed).isEqualTo(expected.slice(offset, length));
        }
    }

    @Test
    void nothingIsCopiedOfNothing() {
        for (Object variable : new Object[] {new double[0][3], new int[3][0], new byte[2][0][4], new long[0]}) {
            ProtectedData data = ProtectedData.of(variable);
            assertThat(data.size()).isZero();
            data.copyOut(0, ByteBuffer.allocate(0));
            data.copyIn(0, ByteBuffer.allocate(0));
        }
    }
}
