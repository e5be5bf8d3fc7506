package io.drumlin.checkpoint.internal.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
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
            new boolean[BYTES / 5][5],
            new byte[BYTES / 3][3],
            new char[BYTES / 24][2][6],
            new long[BYTES / 8][1],
            new float[10][BYTES / 40000][1000],
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
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            for (int i = 0; bits && i < length; i++) {
                bytes[i] &= 1;
            }
            piece.put(0, bytes);
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

    /** Rows of all lengths, short ones and empty ones among long ones. */
    @Test
    void raggedRowsAreOneAfterTheOther() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int[][] rows = new int[20_000][];
        Arrays.setAll(rows, i -> new int[random.nextInt(500) == 0 ? random.nextInt(40_000) : random.nextInt(6)]);
        int[] all = random.ints(Arrays.stream(rows).mapToInt(row -> row.length).sum())
                .toArray();
        ByteBuffer expected =
                ByteBuffer.allocateDirect(all.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        expected.asIntBuffer().put(all);
        ProtectedData data = ProtectedData.ofRagged(rows);
        long head = data.size() - expected.capacity();
        for (int offset = 0; offset < expected.capacity(); ) {
            int length = Math.min(expected.capacity() - offset, 1 + random.nextInt(300_000));
            data.copyIn(head + offset, expected.slice(offset, length));
            offset += length;
        }
        assertThat(Arrays.stream(rows).flatMapToInt(Arrays::stream).toArray())
                .as("seed " + seed)
                .isEqualTo(all);
        for (int round = 0; round < 30; round++) {
            int offset = random.nextInt(expected.capacity());
            ByteBuffer piece = ByteBuffer.allocateDirect(random.nextInt(expected.capacity() - offset));
            data.copyOut(head + offset, piece);
            assertThat(piece.flip()).as("seed " + seed).isEqualTo(expected.slice(offset, piece.limit()));
        }
    }

    /** One that became longer must not push the others to places of their neighbours. */
    @Test
    void aShortRowOfAnotherLengthIsRefused() {
        int[][] rows = new int[1000][3];
        ProtectedData data = ProtectedData.of(rows);
        for (int[] other : new int[][] {new int[4], new int[2], null}) {
            rows[700] = other;
            for (Executable copy : List.<Executable>of(
                    () -> data.copyOut(0, ByteBuffer.allocate(12_000)),
                    () -> data.copyIn(0, ByteBuffer.allocate(12_000)))) {
                assertThatThrownBy(copy::execute)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("a protected int[][] has changed");
            }
        }
        rows[700] = new int[] {7, 8, 9};
        ByteBuffer one = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        data.copyOut(8400, one);
        assertThat(one.getInt(8)).isEqualTo(9);
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
