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
     * @param offset in bytes from the beginning of the compound
     * @param type of the part
     */
    record Member(String name, int offset, Datatype type) {

        private long end() {
            return (long) offset + type.size();
        }

        /**
         * Whether the library refuses this in a compound that has another part.
         *
         * @param other the part that is there
         * @return whether they have one name, or bytes in common
         */
        public boolean excludes(Member other) {
            return name.equals(other.name) || (offset < other.end() && other.offset < end());
        }

        /**
         * For messages.
         *
         * @return name, place and type
         */
        @Override
        public String toString() {
            return "member " + name + " at " + offset + ", " + type;
        }
    }

    /**
     * How large an element is.
     *
     * @return bytes, above 0
     */
    int size();

    /**
     * Looks for what the bytes of an element would mean otherwise in another type. The order in which members are described means
     * nothing, nor does what is in bits that are not used.
     *
     * @param here what is compared with this
     * @return what is "there", in this type, and what "here", of compounds of the first member that differs; empty if all means the same
     */
    Optional<String> difference(Datatype here);

    /**
     * A whole number.
     *
     * @param size bytes, above 0
     * @param precision bits from the lowest on that have a meaning
     * @param signed whether it is in two's complement
     * @return its type, little endian
     */
    static Datatype integer(int size, int precision, boolean signed) {
        ByteBuffer properties = ByteBuffer.allocate(ScalarType.INTEGER_PROPERTIES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) 0)
                .putShort((short) precision);
        return new ScalarType(ScalarType.FIXED_POINT, signed ? ScalarType.SIGNED : 0, size, properties.flip());
    }

    /**
     * {@code float} of C.
     *
     * @return IEEE 754 with 32 bits, little endian
     */
    static Datatype ieee32() {
        return ScalarType.IEEE32;
    }

    /**
     * {@code double} of C.
     *
     * @return IEEE 754 with 64 bits, little endian
     */
    static Datatype ieee64() {
        return ScalarType.IEEE64;
    }

    /**
     * {@code long double} of C on x86-64.
     *
     * @return 80 bits in 16 bytes
     */
    static Datatype extended80() {
        return ScalarType.EXTENDED80;
    }

    /**
     * Several elements as one.
     *
     * @param element type of each
     * @param dimensions 1 to 32, each 1 or more
     * @return the type of all
     * @throws ArithmeticException they are 2 GiB or more
     */
    static Datatype array(Datatype element, List<Long> dimensions) {
        return new ArrayType(element, dimensions);
    }

    /**
     * A struct.
     *
     * @param size bytes of it
     * @param members 1 or more, within the size
     * @return its type
     * @throws IllegalArgumentException there are no members, two have one name, or the names are too long for a message
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
