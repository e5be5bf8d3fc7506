package io.drumlin.checkpoint;

import java.nio.ByteBuffer;

/**
 * A single value that can be protected: what C code protects by the address of a variable.
 *
 * <p>The holders are plain: not thread-safe, no notification. The value that is stored is the one at the time of the
 * checkpoint.
 */
public abstract class Scalar {

    private final ElementType type;

    private Scalar(ElementType type) {
        this.type = type;
    }

    /** What the value is in C. */
    ElementType type() {
        return type;
    }

    /** Appends the value, little endian as the buffer is. */
    abstract void copyOut(ByteBuffer target);

    /** Takes the value. */
    abstract void copyIn(ByteBuffer source);

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

        @Override
        void copyOut(ByteBuffer target) {
            target.put((byte) (value ? 1 : 0));
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.get() != 0;
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

        @Override
        void copyOut(ByteBuffer target) {
            target.put(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.get();
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

        @Override
        void copyOut(ByteBuffer target) {
            target.putShort(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.getShort();
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

        @Override
        void copyOut(ByteBuffer target) {
            target.putChar(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.getChar();
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

        @Override
        void copyOut(ByteBuffer target) {
            target.putInt(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.getInt();
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

        @Override
        void copyOut(ByteBuffer target) {
            target.putLong(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.getLong();
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

        @Override
        void copyOut(ByteBuffer target) {
            target.putFloat(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.getFloat();
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

        @Override
        void copyOut(ByteBuffer target) {
            target.putDouble(value);
        }

        @Override
        void copyIn(ByteBuffer source) {
            value = source.getDouble();
        }
    }
}
