package io.drumlin.cli;

import java.util.Locale;

/** Sizes as people read them. */
final class Sizes {

    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Sizes() {}

    /** For example {@code 108688 (106.1 KiB)}. */
    static String readable(long bytes) {
        String unit = unit(bytes);
        return unit.isEmpty() ? bytes + " bytes" : bytes + " bytes (" + unit + ")";
    }

    /** For example {@code 106.1 KiB}; empty below 1024. */
    static String unit(long bytes) {
        if (bytes < 1024) {
            return "";
        }
        double value = bytes;
        int unit = -1;
        do {
            value /= 1024;
            unit++;
        } while (value >= 1023.95 && unit < UNITS.length - 1);
        return String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }
}
