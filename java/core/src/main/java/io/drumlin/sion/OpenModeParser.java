package io.drumlin.sion;

import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * Parses the mode string of C SIONlib, for example {@code bw,posix,collective,collsize=4}. Ignores unknown words, as C
 * does.
 */
final class OpenModeParser {

    private final Map<String, String> words = new HashMap<>();

    OpenModeParser(String mode) {
        for (String word : mode.split(",", -1)) {
            int equals = word.indexOf('=');
            words.put(equals < 0 ? word : word.substring(0, equals), equals < 0 ? "" : word.substring(equals + 1));
        }
    }

    private boolean hasAny(String... any) {
        for (String word : any) {
            if (words.containsKey(word)) {
                return true;
            }
        }
        return false;
    }

    boolean writes() {
        return hasAny("w", "wb", "bw");
    }

    /** Refuses a mode that has no word for reading. A parallel open needs one; a serial open reads without it. */
    void requireReading() {
        if (!hasAny("r", "rb", "br")) {
            throw new IllegalArgumentException("the mode has none of the words for reading and writing");
        }
    }

    /** Returns the options that the words give a new file. */
    SionOptions options() {
        SionOptions options = SionOptions.defaults();
        if (words.containsKey("keyval") && (words.get("keyval").isEmpty() || isInline(words.get("keyval")))) {
            options = options.keyValue();
        }
        if (words.containsKey("endianness")) {
            boolean big = "big".equals(words.get("endianness"));
            options = options.payloadOrder(big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        }
        if (words.containsKey("buddy")) {
            options = options.buddies(Math.max(1, number("buddy")));
        }
        if (words.containsKey("collective")) {
            int size = Math.max(0, number("collsize"));
            options = hasAny("cmerge", "collectivemerge") ? options.merge(size) : options.collective(size);
        }
        return options;
    }

    private static boolean isInline(String value) {
        return value.equals("inline") || value.equals("default");
    }

    private int number(String word) {
        try {
            return Integer.parseInt(words.getOrDefault(word, "0"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
