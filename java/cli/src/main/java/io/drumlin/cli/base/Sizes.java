package io.drumlin.cli.base;

import java.util.List;
import java.util.Locale;

/** Formats sizes for people. */
public final class Sizes {

    /** Powers of 1024. */
    public static final List<String> UNITS = List.of("KiB", "MiB", "GiB", "TiB", "PiB", "EiB");

    private Sizes() {}

    /** Formats a size, for example {@code 108688 (106.1 KiB)}. */
    public static String readable(long bytes) {
        String unit = unit(bytes);
        return unit.isEmpty() ? bytes + " bytes" : bytes + " bytes (" + unit + ")";
    }

    /** Formats a size, for example {@code 106.1 KiB}, {@code 2 MiB} or {@code 12 B}. */
    public static String brief(long bytes) {
        String unit = unit(bytes);
        return unit.isEmpty() ? bytes + " B" : unit.replace(".0 ", " ");
    }

    /** Formats a size, for example {@code 106.1 KiB}; empty below 1024. */
    public static String unit(long bytes) {
        if (bytes < 1024) {
            return "";
        }
        double value = bytes;
        int unit = -1;
        do {
            value /= 1024;
            unit++;
        } while (value >= 1023.95 && unit < UNITS.size() - 1);
        return String.format(Locale.ROOT, "%.1f %s", value, UNITS.get(unit));
    }
}
