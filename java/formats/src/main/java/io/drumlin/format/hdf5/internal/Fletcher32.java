package io.drumlin.format.hdf5.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The checksum of HDF5's Fletcher-32 filter: two sums modulo 65535 over big-endian words of 16 bits. Not thread-safe.
 */
public final class Fletcher32 {

    private static final int MODULUS = 65535;

    /** Number of words after which the sums, which begin below 2^17, still fit into 63 bits. */
    private static final int MOST_WORDS = 1 << 20;

    private long sum1;
    private long sum2;

    /** The first byte of a word whose second byte is still missing, or -1. */
    private int half = -1;

    /** Begins with the checksum of no bytes. */
    public Fletcher32() {}

    /**
     * Adds bytes.
     *
     * @param bytes a buffer whose remaining bytes are added; position, limit and byte order do not change
     */
    public void update(ByteBuffer bytes) {
        ByteBuffer rest = bytes.duplicate().order(ByteOrder.BIG_ENDIAN);
        if (half >= 0 && rest.hasRemaining()) {
            add(half << 8 | Byte.toUnsignedInt(rest.get()));
            half = -1;
        }
        while (rest.remaining() >= Short.BYTES) {
            int words = Math.min(rest.remaining() / Short.BYTES, MOST_WORDS);
            int position = rest.position();
            long first = sum1;
            long second = sum2;
            for (int i = 0; i < words; i++) {
                first += rest.getShort(position + i * Short.BYTES) & 0xFFFF;
                second += first;
            }
            rest.position(position + words * Short.BYTES);
            sum1 = reduced(first);
            sum2 = reduced(second);
        }
        if (rest.hasRemaining()) {
            half = Byte.toUnsignedInt(rest.get());
        }
    }

    private void add(int word) {
        sum1 = reduced(sum1 + word);
        sum2 = reduced(sum2 + sum1);
    }

    /**
     * Adds bytes of value 0.
     *
     * @param count number of bytes, 0 or more
     */
    public void zeros(long count) {
        if (count == 0) {
            return;
        }
        long rest = count;
        if (half >= 0) {
            add(half << 8);
            rest--;
        }
        sum2 = reduced(sum2 + sum1 * (rest / 2 % MODULUS));
        half = rest % 2 == 1 ? 0 : -1;
    }

    /** Folds the carries. The result is in 1..65535, and 0 only if all bytes were 0. */
    private static long reduced(long sum) {
        return sum == 0 ? 0 : (sum - 1) % MODULUS + 1;
    }

    /**
     * Returns the checksum of the added bytes.
     *
     * @return the value that is stored, little endian
     */
    public int value() {
        Fletcher32 all = this;
        if (half >= 0) {
            all = new Fletcher32();
            all.sum1 = sum1;
            all.sum2 = sum2;
            all.add(half << 8);
        }
        return (int) (all.sum2 << 16 | all.sum1);
    }
}
