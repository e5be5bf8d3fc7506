package io.drumlin.integrity;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@link Gf16Regions} with two tables for each coefficient: its products with all low and with all high bytes. */
final class JavaGf16Regions implements Gf16Regions {

    private static final int BYTE_VALUES = 256;

    /** The target is processed in pieces that stay in the cache for all sources. */
    private static final int PIECE = 16 << 10;

    private final Map<Integer, Tables> tables = new HashMap<>();

    /** The products of a coefficient with all low and with all high bytes. */
    private static final class Tables {
        private final char[] low;
        private final char[] high;

        Tables(int coefficient) {
            low = products(coefficient);
            high = products(Gf16.multiply(coefficient, BYTE_VALUES));
        }
    }

    @Override
    public void accumulate(ByteBuffer target, List<ByteBuffer> sources, int[] coefficients) {
        Gf16Engine.check(target, sources, coefficients);
        ByteBuffer sum = words(target);
        ByteBuffer[] added = new ByteBuffer[coefficients.length];
        Tables[] products = new Tables[coefficients.length];
        for (int i = 0; i < coefficients.length; i++) {
            added[i] = words(sources.get(i));
            products[i] = tables.computeIfAbsent(coefficients[i], Tables::new);
        }
        for (int start = 0; start < sum.capacity(); start += PIECE) {
            int end = Math.min(start + PIECE, sum.capacity());
            for (int i = 0; i < coefficients.length; i++) {
                add(sum, added[i], start, end, products[i].low, products[i].high);
            }
        }
    }

    /** Returns the products of an element with 0 to 255. */
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

    private static ByteBuffer words(ByteBuffer region) {
        return region.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void add(ByteBuffer sum, ByteBuffer source, int start, int end, char[] low, char[] high) {
        int offset = start;
        for (; offset <= end - Long.BYTES; offset += Long.BYTES) {
            long words = source.getLong(offset);
            long products = product((int) words, low, high)
                    | (long) product((int) (words >>> 16), low, high) << 16
                    | (long) product((int) (words >>> 32), low, high) << 32
                    | (long) product((int) (words >>> 48), low, high) << 48;
            sum.putLong(offset, sum.getLong(offset) ^ products);
        }
        for (; offset < end; offset += Short.BYTES) {
            int product = product(source.getShort(offset), low, high);
            sum.putShort(offset, (short) (sum.getShort(offset) ^ product));
        }
    }

    /** Returns the product of the low 16 bits. */
    private static int product(int word, char[] low, char[] high) {
        return low[word & 0xff] ^ high[word >>> 8 & 0xff];
    }
}
