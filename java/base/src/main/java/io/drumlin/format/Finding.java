package io.drumlin.format;

import io.drumlin.internal.Printable;

/**
 * One fault in a file.
 *
 * @param field name of the field in the format's documentation
 * @param offset byte position of the field in the file
 * @param problem the fault: the value and the allowed values
 */
public record Finding(String field, long offset, String problem) {

    /**
     * Returns the line that is shown to people.
     *
     * @return field, position and problem
     */
    @Override
    public String toString() {
        return Printable.text(field + " at offset " + offset + ": " + problem);
    }
}
