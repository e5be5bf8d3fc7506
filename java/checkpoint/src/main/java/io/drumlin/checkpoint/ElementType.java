package io.drumlin.checkpoint;

import java.util.Arrays;

/** The predefined types of C FTI. The numbers and sizes are those of x86-64. */
public enum ElementType implements DataType {
    /** {@code char}. */
    CHAR(0, 1),
    /** {@code short}. */
    SHRT(1, 2),
    /** {@code int}. */
    INTG(2, 4),
    /** {@code long}. */
    LONG(3, 8),
    /** {@code unsigned char}. */
    UCHR(4, 1),
    /** {@code unsigned short}. */
    USHT(5, 2),
    /** {@code unsigned int}. */
    UINT(6, 4),
    /** {@code unsigned long}. */
    ULNG(7, 8),
    /** {@code float}. */
    SFLT(8, 4),
    /** {@code double}. */
    DBLE(9, 8),
    /** {@code long double}: 10 bytes and padding. */
    LDBE(10, 16);

    private final int id;
    private final int size;

    ElementType(int id, int size) {
        this.id = id;
        this.size = size;
    }

    /**
     * Returns the type with a number.
     *
     * @param id 0 to 10
     * @return the type
     * @throws IllegalArgumentException there is no such type
     */
    public static ElementType of(int id) {
        return Arrays.stream(values())
                .filter(type -> type.id == id)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("type " + id + " is not in 0.." + LDBE.id));
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int size() {
        return size;
    }
}
