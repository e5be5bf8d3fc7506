package io.drumlin.golden.fti;

import io.drumlin.golden.base.Json;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The types of C FTI, and the values that the golden programs give to their elements. */
enum ElementType implements ValueType {
    FTI_CHAR(0, 1),
    FTI_SHRT(1, 2),
    FTI_INTG(2, 4),
    FTI_LONG(3, 8),
    FTI_UCHR(4, 1),
    FTI_USHT(5, 2),
    FTI_UINT(6, 4),
    FTI_ULNG(7, 8),
    FTI_SFLT(8, 4),
    FTI_DBLE(9, 8),
    FTI_LDBE(10, 16);

    private static final int F80_EXPONENT_BIAS = 16383;

    private final int id;
    private final int size;

    ElementType(int id, int size) {
        this.id = id;
        this.size = size;
    }

    static ElementType of(Json json) {
        for (ElementType type : values()) {
            if (type.name().equals(json.text())) {
                return type;
            }
        }
        throw json.wrong("is a type without a generator");
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public ByteBuffer values(int rank, int id, int generation, long count) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(count * size)).order(ByteOrder.LITTLE_ENDIAN);
        long base = 1_000_003L * rank + 10_007L * id + 101L * generation;
        for (long i = 0; i < count; i++) {
            put(bytes, base + 31 * i);
        }
        return bytes.flip();
    }

    private void put(ByteBuffer bytes, long value) {
        switch (this) {
            case FTI_CHAR, FTI_UCHR -> bytes.put((byte) value);
            case FTI_SHRT, FTI_USHT -> bytes.putShort((short) value);
            case FTI_INTG, FTI_UINT -> bytes.putInt((int) value);
            case FTI_LONG, FTI_ULNG -> bytes.putLong(value);
            case FTI_SFLT -> bytes.putFloat((float) value * 0.5f);
            case FTI_DBLE -> bytes.putDouble((double) value * 0.25);
            case FTI_LDBE -> putEighth(bytes, value);
        }
    }

    /** The x87 form of an eighth of a number that is 0 or more, and padding to 16 bytes. */
    private static void putEighth(ByteBuffer bytes, long value) {
        int shift = Long.numberOfLeadingZeros(value);
        bytes.putLong(value == 0 ? 0 : value << shift);
        bytes.putShort((short) (value == 0 ? 0 : F80_EXPONENT_BIAS + 63 - shift - 3));
        bytes.putInt(0).putShort((short) 0);
    }
}
