package io.drumlin.format.gsd;

import java.util.Locale;
import java.util.Optional;

/** The types of the elements of a chunk; docs/formats/gsd.md, section 5. */
public enum ElementType {
    /** 8 bits, unsigned. */
    UINT8(1, 1),
    /** 16 bits, unsigned. */
    UINT16(2, 2),
    /** 32 bits, unsigned. */
    UINT32(3, 4),
    /** 64 bits, unsigned. */
    UINT64(4, 8),
    /** 8 bits, signed. */
    INT8(5, 1),
    /** 16 bits, signed. */
    INT16(6, 2),
    /** 32 bits, signed. */
    INT32(7, 4),
    /** 64 bits, signed. */
    INT64(8, 8),
    /** IEEE 754, 32 bits. */
    FLOAT(9, 4),
    /** IEEE 754, 64 bits. */
    DOUBLE(10, 8),
    /** A byte of a text in UTF-8; since 2.1. */
    CHARACTER(11, 1);

    private static final ElementType[] BY_ID = values();

    private final int id;
    private final int bytes;
    private final String label;

    ElementType(int id, int bytes) {
        this.id = id;
        this.bytes = bytes;
        this.label = name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the type of an index entry.
     *
     * @param id byte of the entry
     * @return empty if no type has the id
     */
    public static Optional<ElementType> of(int id) {
        return id >= 1 && id <= BY_ID.length ? Optional.of(BY_ID[id - 1]) : Optional.empty();
    }

    /**
     * Returns the type's number in an index entry.
     *
     * @return 1 to 11
     */
    public int id() {
        return id;
    }

    /**
     * Returns the size of an element.
     *
     * @return size in bytes: 1, 2, 4 or 8
     */
    public int bytes() {
        return bytes;
    }

    /**
     * Returns the name in the format's description.
     *
     * @return a lower-case word
     */
    public String label() {
        return label;
    }
}
