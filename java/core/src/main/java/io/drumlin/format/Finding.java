package io.drumlin.format;

import io.drumlin.Printable;

/**
 * One thing that is wrong with a file.
 *
 * @param field name of the field in the format's documentation
 * @param offset byte position of the field in the file
 * @param problem what is wrong: the value and what is allowed
 */
public record Finding(String field, long offset, String problem) {

    /**
     * The line shown to people.
     *
     * @return field, position and problem
     */
    @Override
    public String toString() {
        return Printable.text(field + " at offset " + offset + ": " + problem);
    }
}
