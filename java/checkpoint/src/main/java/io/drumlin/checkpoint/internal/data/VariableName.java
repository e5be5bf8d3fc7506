package io.drumlin.checkpoint.internal.data;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The names that a program gives a variable. Metadata files store them, FTI-FF files do not. Names have one character
 * for each byte.
 *
 * @param idName the name behind the id, or empty
 * @param attribute the name given as an attribute, or empty
 * @param dimensions the dimensions given as an attribute, at most 32
 */
public record VariableName(String idName, String attribute, List<Long> dimensions) {

    private static final int MOST_BYTES = 255;

    public static final VariableName NONE = new VariableName("", "", List.of());

    public VariableName {
        dimensions = List.copyOf(dimensions);
    }

    /**
     * Returns the stored form of a program's name.
     *
     * @throws IllegalArgumentException the name is longer than C FTI's buffer, or cannot be a value in a text file
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
