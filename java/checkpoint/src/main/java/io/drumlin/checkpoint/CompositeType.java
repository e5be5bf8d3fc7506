package io.drumlin.checkpoint;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A type whose elements are C structs: {@code FTI_InitCompositeType}. The fields matter only in the mode HDF5; all
 * other modes store the bytes. The program adds the fields before the first checkpoint of such elements. Not
 * thread-safe.
 *
 * <pre>{@code
 * // struct { double x, y; int cell[3]; }
 * var particle = new CompositeType("particle", 32);
 * particle.addScalar("x", ElementType.DBLE, 0);
 * particle.addScalar("y", ElementType.DBLE, 8);
 * particle.addVector("cell", ElementType.INTG, 16, List.of(3L));
 * }</pre>
 *
 * <p>{@link RecordLayout} makes such types from Java records.
 */
public final class CompositeType implements DataType {

    /** Most fields that a type can have in C FTI. */
    public static final int MAX_FIELDS = 128;

    /** Most dimensions that a field can have in C FTI. */
    public static final int MAX_DIMS = 32;

    private final String name;
    private final int size;
    private final Optional<DatasetGroup> group;
    private final List<Field> fields = new ArrayList<>();

    /**
     * A part of the struct.
     *
     * @param name its name
     * @param type type of an element
     * @param offset where it begins in the struct, in bytes
     * @param dimensions dimensions of a vector, each above 0, the last varying fastest; empty for a scalar
     */
    public record Field(String name, DataType type, int offset, List<Long> dimensions) {

        /**
         * Copies the list.
         *
         * @param name its name
         * @param type type of an element
         * @param offset where it begins in the struct, in bytes
         * @param dimensions empty for a scalar
         */
        public Field {
            dimensions = List.copyOf(dimensions);
        }

        /**
         * Returns how many elements the field has.
         *
         * @return 1 or more
         */
        public long count() {
            return dimensions.stream().reduce(1L, Math::multiplyExact);
        }
    }

    /**
     * Makes a type without fields.
     *
     * @param name name of the type in the mode HDF5, not empty
     * @param size bytes of an element with its padding, above 0
     * @throws IllegalArgumentException the name is empty or the size not above 0
     */
    public CompositeType(String name, int size) {
        this(Optional.empty(), name, size);
    }

    /**
     * Makes a type without fields whose description lies in a group in the files of the mode HDF5.
     *
     * @param name name of the type in the group, not empty
     * @param size bytes of an element with its padding, above 0
     * @param group a group of the run that has the data
     * @throws IllegalArgumentException the name is empty or the size not above 0
     */
    public CompositeType(String name, int size, DatasetGroup group) {
        this(Optional.of(group), name, size);
    }

    private CompositeType(Optional<DatasetGroup> group, String name, int size) {
        check(name, size);
        this.name = name;
        this.size = size;
        this.group = group;
    }

    static void check(String name, int size) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the name of a type is empty");
        }
        if (size <= 0) {
            throw new IllegalArgumentException("type " + name + " has " + size + " bytes, which is not above 0");
        }
    }

    /**
     * Adds a field of one element: {@code FTI_AddScalarField}.
     *
     * @param field its name
     * @param type type of the element
     * @param offset where it begins in the struct, in bytes
     * @throws IllegalArgumentException there are {@value #MAX_FIELDS} fields, the field is not within the struct, or
     *     its type contains this one
     */
    public void addScalar(String field, DataType type, int offset) {
        add(new Field(field, type, offset, List.of()));
    }

    /**
     * Adds a field that is an array: {@code FTI_AddVectorField}.
     *
     * @param field its name
     * @param type type of an element
     * @param offset where it begins in the struct, in bytes
     * @param dimensions 1 to {@value #MAX_DIMS}, each 1 or more, the last varying fastest
     * @throws IllegalArgumentException as {@link #addScalar}, or the dimensions are out of range
     */
    public void addVector(String field, DataType type, int offset, List<Long> dimensions) {
        if (dimensions.isEmpty()
                || dimensions.size() > MAX_DIMS
                || dimensions.stream().anyMatch(each -> each < 1)) {
            throw new IllegalArgumentException("field " + field + " of type " + name + " has the dimensions "
                    + dimensions + "; allowed are 1 to " + MAX_DIMS + ", each 1 or more");
        }
        add(new Field(field, type, offset, dimensions));
    }

    private void add(Field field) {
        if (fields.size() == MAX_FIELDS) {
            throw new IllegalArgumentException("type " + name + " has " + MAX_FIELDS + " fields already");
        }
        if (isPartOf(field.type)) {
            throw new IllegalArgumentException(
                    "field " + field.name + " of type " + name + " is of a type that contains " + name);
        }
        // A division, because the product may not fit into 64 bits.
        if (field.offset < 0 || field.offset > size || !fits(field, (size - field.offset) / field.type.size())) {
            throw new IllegalArgumentException("field " + field.name + " at " + field.offset + " is not within the "
                    + size + " bytes of type " + name);
        }
        fields.add(field);
    }

    private static boolean fits(Field field, long room) {
        for (long dimension : field.dimensions) {
            room /= dimension;
        }
        return room > 0;
    }

    /** Returns whether this is {@code type} or a part of it. */
    private boolean isPartOf(DataType type) {
        return type == this
                || (type instanceof CompositeType composite
                        && composite.fields.stream().anyMatch(field -> isPartOf(field.type)));
    }

    /**
     * Returns the name of the type in the mode HDF5.
     *
     * @return its name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the group of the type in the mode HDF5.
     *
     * @return the group; empty for the root
     */
    public Optional<DatasetGroup> group() {
        return group;
    }

    /**
     * Returns the fields in the order in which they were added.
     *
     * @return an unmodifiable view
     */
    public List<Field> fields() {
        return Collections.unmodifiableList(fields);
    }

    @Override
    public int id() {
        return -1;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public String toString() {
        return "type " + name;
    }
}
