package io.drumlin.checkpoint.internal.data;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a program calls a variable; kept in metadata files, not in FTI-FF. Names have a character for each byte.
 *
 * @param idName the name that stands for the id, or empty
 * @param attribute the name given as an attribute, or empty
 * @param dimensions given as an attribute; at most 32
 */
public record VariableName(String idName, String attribute, List<Long> dimensions) {

    private static final int MOST_BYTES = 255;

    public static final VariableName NONE = new VariableName("", "", List.of());

    public VariableName {
        dimensions = List.copyOf(dimensions);
    }

    /**
     * A program's name as it is stored.
     *
     * @throws IllegalArgumentException it is longer than C FTI's buffer, or no value in a text file
     */
    public static String stored(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MOST_BYTES || name.chars().anyMatch(c -> c < ' ')) {
            throw new IllegalArgumentException("the name of a variable has more than " + MOST_BYTES
                    + " bytes or a control character: " + name.replaceAll("\\p{Cntrl}", "?"));
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
