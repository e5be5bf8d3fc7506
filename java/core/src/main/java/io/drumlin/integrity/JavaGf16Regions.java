package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** {@link Gf16Regions} by two tables for each coefficient: its products with all low and with all high bytes. */
final class JavaGf16Regions implements Gf16Regions {

    private static final int BYTE_VALUES = 256;

    /** The target is walked in pieces that stay in the cache from source to source. */
    private static final int PIECE = 16 << 10;

    @Override
    public void accumulate(ByteBuffer target, List<ByteBuffer> sources, int[] coefficients) {
        Gf16Engine.check(target, sources, coefficients);
        char[][] low = new char[coefficients.length][];
        char[][] high = new char[coefficients.length][];
        for (int i = 0; i < coefficients.length; i++) {
            low[i] = products(coefficients[i]);
            high[i] = products(Gf16.multiply(coefficients[i], BYTE_VALUES));
        }
        for (int done = 0; done < target.remaining(); done += PIECE) {
            int length = Math.min(PIECE, target.remaining() - done);
            ByteBuffer sum = piece(target, done, length);
            for (int i = 0; i < coefficients.length; i++) {
                add(sum, piece(sources.get(i), done, length), low[i], high[i]);
            }
        }
    }

    /** The products of an element with 0 to 255. */
    private static char[] products(int element) {
        char[] products = new char[BYTE_VALUES];
        int power = element;
        for (int bit = 1; bit < BYTE_VALUES; bit <<= 1) {
            for (int rest = 0; rest < bit; rest++) {
                products[bit + rest] = (char) (products[rest] ^ power);
            }
            power = Gf16.shift(power);
        }
        return products;
    }

    private static ByteBuffer piece(ByteBuffer region, int offset, int length) {
        return region.slice(region.position() + offset, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void add(ByteBuffer sum, ByteBuffer source, char[] low, char[] high) {
        int length = sum.capacity();
        int offset = 0;
        for (; offset <= length - Long.BYTES; offset += Long.BYTES) {
            long words = source.getLong(offset);
            long products = product((int) words, low, high)
                    | (long) product((int) (words >>> 16), low, high) << 16
                    | (long) product((int) (words >>> 32), low, high) << 32
                    | (long) product((int) (words >>> 48), low, high) << 48;
            sum.putLong(offset, sum.getLong(offset) ^ products);
        }
        for (; offset < length; offset += Short.BYTES) {
            int product = product(source.getShort(offset), low, high);
            sum.putShort(offset, (short) (sum.getShort(offset) ^ product));
        }
    }

    /** Of the low 16 bits. */
    private static int product(int word, char[] low, char[] high) {
        return low[word & 0xff] ^ high[word >>> 8 & 0xff];
    }
}
