package io.drumlin.sion;

import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Parses the mode string of C SIONlib, for example {@code bw,posix,collective,collsize=4}. Ignores unknown words, as C
 * does. Knows one word more than C, {@code mpiio}, with hints as further words: {@code bw,mpiio,striping_unit=1048576}.
 */
final class OpenModeParser {

    /** Beginnings of the keys that MPI-IO implementations give to hints. */
    private static final List<String> HINTS =
            List.of("striping_", "start_iodevice", "cb_", "ind_", "romio_", "ompio_", "mpiio_");

    private static final Set<String> LOW_LEVEL = Set.of("ansi", "posix", "sionfwd", "mpiio");

    private final Map<String, String> words = new LinkedHashMap<>();

    /** The last word that says how bytes are moved. */
    private String lowLevel = "";

    OpenModeParser(String mode) {
        for (String word : mode.split(",", -1)) {
            int equals = word.indexOf('=');
            words.put(equals < 0 ? word : word.substring(0, equals), equals < 0 ? "" : word.substring(equals + 1));
            lowLevel = LOW_LEVEL.contains(word) ? word : lowLevel;
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

    /** Returns the options that the words give any file: how its bytes are moved. */
    SionOptions ioOptions() {
        if (!lowLevel.equals("mpiio")) {
            return words.containsKey("buffered") ? SionOptions.defaults().buffered() : SionOptions.defaults();
        }
        SionOptions options = SionOptions.defaults().io(SionIo.MPI_IO);
        for (Map.Entry<String, String> word : words.entrySet()) {
            if (HINTS.stream().anyMatch(word.getKey()::startsWith)) {
                options = options.hint(word.getKey(), word.getValue());
            }
        }
        return options;
    }

    /** Returns the options that the words give a new file. */
    SionOptions options() {
        SionOptions options = ioOptions();
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
