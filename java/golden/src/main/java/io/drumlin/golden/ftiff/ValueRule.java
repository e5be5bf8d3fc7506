package io.drumlin.golden.ftiff;

import io.drumlin.golden.base.Json;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;

/**
 * The values that the golden programs give to elements of a type: a function of rank, variable, element and seed.
 *
 * @param type i8 to u64, f32, f64, f80 or opN for N opaque bytes
 * @param elementSize bytes of an element
 */
public record ValueRule(String type, int elementSize) {

    private static final Map<String, Integer> SIZES =
            Map.of("i8", 1, "u8", 1, "i16", 2, "u16", 2, "i32", 4, "u32", 4, "i64", 8, "u64", 8, "f32", 4, "f64", 8);

    /** Bytes of an x87 number in memory: 10 and padding. */
    private static final int F80_SIZE = 16;

    private static final int F80_EXPONENT_BIAS = 16383;

    static ValueRule of(Json type, int elementSize) {
        ValueRule rule = of(type);
        if (rule.elementSize != elementSize) {
            throw type.wrong("has elements of " + elementSize + " bytes, expected " + rule.elementSize);
        }
        return rule;
    }

    static ValueRule of(Json type) {
        String name = type.text();
        Integer size = SIZES.get(name);
        if (size != null) {
            return new ValueRule(name, size);
        }
        if (name.equals("f80")) {
            return new ValueRule(name, F80_SIZE);
        }
        if (name.matches("op\\d{1,6}")) {
            return new ValueRule(name, Integer.parseInt(name.substring(2)));
        }
        throw type.wrong("is a type without a value rule");
    }

    /**
     * The bytes of a whole variable.
     *
     * @param rank world rank
     * @param id id of the variable
     * @param count elements
     * @param segments how they are filled; what no segment covers is 0
     * @return little-endian bytes
     */
    public ByteBuffer bytes(int rank, int id, long count, List<Manifest.Segment> segments) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(count * elementSize));
        for (Manifest.Segment segment : segments) {
            long end = segment.count().isPresent()
                    ? Math.min(count, segment.start() + segment.count().getAsLong())
                    : count;
            fill(bytes, rank, id, segment.start(), end, segment.seed());
        }
        return bytes;
    }

    /**
     * Gives elements their values.
     *
     * @param variable the whole variable from position 0
     * @param rank world rank
     * @param id id of the variable
     * @param start first element
     * @param end element behind the last
     * @param seed distinguishes fillings
     */
    public void fill(ByteBuffer variable, int rank, int id, long start, long end, long seed) {
        ByteBuffer target = variable.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        for (long i = start; i < end; i++) {
            target.position(Math.toIntExact(i * elementSize));
            put(target, rank * 1_000_000L + id * 1_000L + i + seed * 7_919L);
        }
    }

    private void put(ByteBuffer target, long b) {
        switch (type) {
            case "i8", "u8" -> target.put((byte) b);
            case "i16", "u16" -> target.putShort((short) b);
            case "i32", "u32" -> target.putInt((int) b);
            case "i64", "u64" -> target.putLong(b * 1_000_003L);
            case "f32" -> target.putFloat((float) (b * 0.25));
            case "f64" -> target.putDouble(b * 0.125);
            case "f80" -> putExtended(target, b);
            default -> {
                for (int j = 0; j < elementSize; j++) {
                    target.put((byte) (b * 31 + j));
                }
            }
        }
    }

    /** The x87 form of a whole number: 64 bits of mantissa with its leading one, then sign and exponent. */
    private static void putExtended(ByteBuffer target, long b) {
        long magnitude = Math.abs(b);
        int shift = Long.numberOfLeadingZeros(magnitude);
        int exponent = b == 0 ? 0 : F80_EXPONENT_BIAS + 63 - shift;
        target.putLong(b == 0 ? 0 : magnitude << shift);
        target.putShort((short) (exponent | (b < 0 ? 0x8000 : 0)));
        target.putInt(0).putShort((short) 0);
    }
}
