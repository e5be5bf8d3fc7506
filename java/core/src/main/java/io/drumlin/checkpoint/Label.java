package io.drumlin.checkpoint;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a program calls a variable; kept in metadata files, not in FTI-FF. Names have a character for each byte.
 *
 * @param idName the name that stands for the id, or empty
 * @param attribute the name given as an attribute, or empty
 * @param dimensions given as an attribute; at most 32
 */
record Label(String idName, String attribute, List<Long> dimensions) {

    private static final int MOST_BYTES = 255;

    static final Label NONE = new Label("", "", List.of());

    Label {
        dimensions = List.copyOf(dimensions);
    }

    /**
     * A program's name as it is stored.
     *
     * @throws IllegalArgumentException it is longer than C FTI's buffer, or no value in a text file
     */
    static String stored(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_BYTES || name.chars().anyMatch(c -> c < ' ')) {
            throw new IllegalArgumentException("the name of a variable has more than " + MOST_BYTES
                    + " bytes or a control character: " + name.replaceAll("\\p{Cntrl}", "?"));
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
