package io.drumlin.format.ftiff;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * MD5 (RFC 1321) of a few bytes, for the digests over digests. It is slower than the JDK's implementation, but the
 * first use of that one loads all security providers, which takes longer than everything else in a small checkpoint.
 */
final class SmallMd5 {

    private static final int BLOCK = 64;
    private static final int ROUND = 16;
    private static final int[][] SHIFTS = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    private static final int[] SINES = sines();

    private final int[] state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
    private long length;

    private static int[] sines() {
        int[] sines = new int[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            sines[i] = (int) (long) (Math.abs(StrictMath.sin(i + 1.0)) * (1L << Integer.SIZE));
        }
        return sines;
    }

    void update(byte[] bytes) {
        length += bytes.length;
        for (byte each : bytes) {
            put(each);
        }
    }

    private void put(byte each) {
        block.put(each);
        if (!block.hasRemaining()) {
            addBlock();
            block.clear();
        }
    }

    /** Ends the stream; nothing may follow. */
    byte[] digest() {
        put((byte) 0x80);
        while (block.position() != BLOCK - Long.BYTES) {
            put((byte) 0);
        }
        block.putLong(length * Byte.SIZE);
        addBlock();
        ByteBuffer digest = ByteBuffer.allocate(state.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int word : state) {
            digest.putInt(word);
        }
        return digest.array();
    }

    private void addBlock() {
        int a = state[0];
        int b = state[1];
        int c = state[2];
        int d = state[3];
        for (int step = 0; step < BLOCK; step++) {
            int round = step / ROUND;
            int mixed =
                    switch (round) {
                        case 0 -> (b & c) | (~b & d);
                        case 1 -> (d & b) | (~d & c);
                        case 2 -> b ^ c ^ d;
                        default -> c ^ (b | ~d);
                    };
            int word =
                    switch (round) {
                        case 0 -> step;
                        case 1 -> 5 * step + 1;
                        case 2 -> 3 * step + 5;
                        default -> 7 * step;
                    };
            int sum = a + mixed + SINES[step] + block.getInt(word % ROUND * Integer.BYTES);
            a = d;
            d = c;
            c = b;
            b += Integer.rotateLeft(sum, SHIFTS[round][step % SHIFTS.length]);
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
    }
}
