package io.drumlin.checkpoint.internal.object;

import java.io.IOException;
import java.util.Map;

/** Primitives, boxed or not. */
final class ScalarType extends ValueType {

    /** What stores and reads the values of a class. */
    private record Way(String kind, Object zero, Writer writer, ValueReader reader) {}

    @FunctionalInterface
    private interface Writer {
        void write(Object value, ObjectBytes out);
    }

    private static final Map<Class<?>, Way> WAYS = Map.of(
            Boolean.class,
                    new Way(
                            "boolean",
                            false,
                            (value, out) -> out.put((Boolean) value ? 1 : 0),
                            in -> in.hasValue("a boolean")),
            Byte.class, new Way("byte", (byte) 0, (value, out) -> out.put((Byte) value), ObjectReader::get),
            Short.class,
                    new Way("short", (short) 0, (value, out) -> out.putShort((Short) value), ObjectReader::getShort),
            Character.class,
                    new Way("char", (char) 0, (value, out) -> out.putShort((Character) value), in ->
                            (char) in.getShort()),
            Integer.class, new Way("int", 0, (value, out) -> out.putInt((Integer) value), ObjectReader::getInt),
            Long.class, new Way("long", 0L, (value, out) -> out.putLong((Long) value), ObjectReader::getLong),
            Float.class,
                    new Way(
                            "float",
                            0f,
                            (value, out) -> out.putInt(Float.floatToRawIntBits((Float) value)),
                            in -> Float.intBitsToFloat(in.getInt())),
            Double.class,
                    new Way(
                            "double",
                            0d,
                            (value, out) -> out.putLong(Double.doubleToRawLongBits((Double) value)),
                            in -> Double.longBitsToDouble(in.getLong())));

    private final Way way;

    private ScalarType(Way way) {
        this.way = way;
    }

    static boolean knows(Class<?> boxed) {
        return WAYS.containsKey(boxed);
    }

    /** @param boxed a class that is {@link #knows known} */
    static ScalarType of(Class<?> boxed) {
        Way way = WAYS.get(boxed);
        if (way == null) {
            throw new IllegalArgumentException(boxed + " is no boxed primitive");
        }
        return new ScalarType(way);
    }

    /** Returns what a component has that was not stored. */
    Object zero() {
        return way.zero;
    }

    @Override
    Schema schema() {
        return Schema.of(way.kind);
    }

    @Override
    void write(Object value, ObjectBytes out) {
        way.writer.write(value, out);
    }

    @Override
    ValueReader reader(Schema stored, String where) throws IOException {
        requireKind(stored, where);
        return way.reader;
    }
}
