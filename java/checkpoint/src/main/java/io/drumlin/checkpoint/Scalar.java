package io.drumlin.checkpoint;

/**
 * A holder of a single value that can be protected. C code protects the address of a variable instead.
 *
 * <p>A checkpoint stores the value at the time it is taken. Not thread-safe.
 */
public abstract sealed class Scalar {

    private final ElementType type;

    private Scalar(ElementType type) {
        this.type = type;
    }

    /**
     * Returns the type of the value in C.
     *
     * @return the same for all holders of a class
     */
    public final ElementType type() {
        return type;
    }

    /** A {@code boolean}, one byte 0 or 1. */
    public static final class OfBoolean extends Scalar {
        /** The value. */
        public boolean value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfBoolean(boolean value) {
            super(ElementType.CHAR);
            this.value = value;
        }
    }

    /** A {@code byte}. */
    public static final class OfByte extends Scalar {
        /** The value. */
        public byte value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfByte(byte value) {
            super(ElementType.CHAR);
            this.value = value;
        }
    }

    /** A {@code short}, 2 bytes. */
    public static final class OfShort extends Scalar {
        /** The value. */
        public short value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfShort(short value) {
            super(ElementType.SHRT);
            this.value = value;
        }
    }

    /** A {@code char}, 2 bytes unsigned. */
    public static final class OfChar extends Scalar {
        /** The value. */
        public char value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfChar(char value) {
            super(ElementType.USHT);
            this.value = value;
        }
    }

    /** An {@code int}, 4 bytes. */
    public static final class OfInt extends Scalar {
        /** The value. */
        public int value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfInt(int value) {
            super(ElementType.INTG);
            this.value = value;
        }
    }

    /** A {@code long}, 8 bytes. */
    public static final class OfLong extends Scalar {
        /** The value. */
        public long value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfLong(long value) {
            super(ElementType.LONG);
            this.value = value;
        }
    }

    /** A {@code float}, 4 bytes. */
    public static final class OfFloat extends Scalar {
        /** The value. */
        public float value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfFloat(float value) {
            super(ElementType.SFLT);
            this.value = value;
        }
    }

    /** A {@code double}, 8 bytes. */
    public static final class OfDouble extends Scalar {
        /** The value. */
        public double value;

        /**
         * Makes a holder.
         *
         * @param value its first value
         */
        public OfDouble(double value) {
            super(ElementType.DBLE);
            this.value = value;
        }
    }
}
