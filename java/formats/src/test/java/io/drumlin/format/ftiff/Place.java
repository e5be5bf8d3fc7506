package io.drumlin.format.ftiff;

import java.util.Optional;

/**
 * A field, or padding, of one record of a file.
 *
 * @param record what the record is
 * @param container for a variable record, its number in file order; otherwise -1
 * @param field empty for padding
 * @param offset byte position in the file
 * @param length bytes
 */
record Place(Kind record, int container, Optional<Field> field, int offset, int length) {

    enum Kind {
        FILE,
        BLOCK,
        VARIABLE
    }

    boolean inFileRecord() {
        return record == Kind.FILE;
    }

    boolean is(Field other) {
        return field.isPresent() && field.get() == other;
    }

    boolean contains(int position) {
        return position >= offset && position < offset + length;
    }
}
