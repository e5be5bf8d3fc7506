package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;

/**
 * Which bit is flipped, and how often.
 *
 * @param rank rank of the application
 * @param index index of the element
 * @param position position of the bit in the element, 0 for the lowest
 * @param number most flips
 * @param frequency seconds that must have passed since the last flip
 */
public record Injection(int rank, int index, int position, int number, int frequency) {

    private static final String SECTION = "injection";

    static Injection read(ConfigValues values) throws DrumlinException {
        return new Injection(
                values.integer(SECTION, "rank", 0),
                values.integer(SECTION, "index", 0),
                values.integer(SECTION, "position", 0),
                values.integer(SECTION, "number", 0),
                values.integer(SECTION, "frequency", -1));
    }
}
