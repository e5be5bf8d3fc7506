package io.drumlin.format.hdf5;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/**
 * The type of an element, as a datatype message describes it; docs/formats/fti-hdf5.md, section 4. Immutable.
 */
public sealed interface Datatype permits ScalarType, CompoundType, ArrayType {

    /**
     * A part of a compound.
     *
     * @param name not empty
     * @param offset offset in bytes from the beginning of the compound
     * @param type the type of the part
     */
    record Member(String name, int offset, Datatype type) {

        private long end() {
            return (long) offset + type.size();
        }

        /**
         * Returns whether the library refuses this part in a compound that has another part.
         *
         * @param other the existing part
         * @return true if they have the same name, or bytes in common
         */
        public boolean excludes(Member other) {
            return name.equals(other.name) || (offset < other.end() && other.offset < end());
        }

        /**
         * Returns a description for messages.
         *
         * @return name, position and type
         */
        @Override
        public String toString() {
            return "member " + name + " at " + offset + ", " + type;
        }
    }

    /**
     * Returns the size of an element.
     *
     * @return size in bytes, above 0
     */
    int size();

    /**
     * Finds a difference in the meaning of an element's bytes between this type and another. The order in which members
     * are described does not count, nor does the content of unused bits.
     *
     * @param here the other type
     * @return the meaning "there", in this type, and "here", in the other; for compounds, of the first member that
     *     differs; empty if all bytes have the same meaning
     */
    Optional<String> difference(Datatype here);

    /**
     * Makes the type of an integer, little endian.
     *
     * @param size size in bytes, above 0
     * @param precision number of significant bits, from the lowest on
     * @param signed whether it is in two's complement
     * @return the type
     */
    static Datatype integer(int size, int precision, boolean signed) {
        ByteBuffer properties = ByteBuffer.allocate(ScalarType.INTEGER_PROPERTIES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) 0)
                .putShort((short) precision);
        return new ScalarType(ScalarType.FIXED_POINT, signed ? ScalarType.SIGNED : 0, size, properties.flip());
    }

    /**
     * Makes the type of bytes of which nothing is known.
     *
     * @param size size in bytes, above 0
     * @return the type
     */
    static Datatype opaque(int size) {
        return new ScalarType(ScalarType.OPAQUE, 0, size, ByteBuffer.allocate(0));
    }

    /**
     * Makes the type of texts in ASCII that have a fixed number of bytes and are filled up with NULs.
     *
     * @param size size in bytes, above 0
     * @return the type
     */
    static Datatype text(int size) {
        return new ScalarType(ScalarType.STRING, ScalarType.FILLED_UP, size, ByteBuffer.allocate(0));
    }

    /**
     * Returns the type {@code float} of C.
     *
     * @return IEEE 754 with 32 bits, little endian
     */
    static Datatype ieee32() {
        return ScalarType.IEEE32;
    }

    /**
     * Returns the type {@code double} of C.
     *
     * @return IEEE 754 with 64 bits, little endian
     */
    static Datatype ieee64() {
        return ScalarType.IEEE64;
    }

    /**
     * Returns the type {@code long double} of C on x86-64.
     *
     * @return 80 bits in 16 bytes
     */
    static Datatype extended80() {
        return ScalarType.EXTENDED80;
    }

    /**
     * Makes the type of an array of elements.
     *
     * @param element type of each element
     * @param dimensions 1 to 32 dimensions, each 1 or more
     * @return the type of the array
     * @throws ArithmeticException the elements together have 2 GiB or more
     */
    static Datatype array(Datatype element, List<Long> dimensions) {
        return new ArrayType(element, dimensions);
    }

    /**
     * Makes the type of a struct.
     *
     * @param size size of the struct in bytes
     * @param members 1 or more, within the size
     * @return the type
     * @throws IllegalArgumentException there are no members, two have the same name, or the names are too long for a
     *     message
     */
    static Datatype compound(int size, List<Member> members) {
        long names = members.stream().map(Member::name).distinct().count();
        if (members.isEmpty() || names < members.size()) {
            throw new IllegalArgumentException(
                    members.isEmpty() ? "it has no fields" : "two of its fields have the same name");
        }
        CompoundType made = new CompoundType(size, members);
        long bytes = DatatypeWriter.bytes(made);
        if (bytes > DatatypeWriter.MOST_BYTES) {
            throw new IllegalArgumentException(
                    "its description has " + bytes + " bytes, more than " + DatatypeWriter.MOST_BYTES);
        }
        return made;
    }
}
