package io.drumlin.checkpoint.internal.config;

import io.drumlin.DrumlinException;
import io.drumlin.format.fti.IniFile;
import io.drumlin.scr.ScrConfig;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;

/** The values of a configuration file, parsed by type as C FTI parses them. Each error names section, key and value. */
public final class ConfigValues {

    private final IniFile ini;
    private final String name;

    /** @param name name of the file, for messages */
    ConfigValues(IniFile ini, String name) {
        this.ini = ini;
        this.name = name;
    }

    Optional<String> get(String section, String key) {
        return ini.get(section, key);
    }

    /** Returns a value; empty if it is missing or empty. */
    Optional<String> text(String section, String key) {
        String text = ini.get(section, key).orElse("");
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    Path directory(String key) throws DrumlinException {
        if (text("basic", key).isEmpty()) {
            throw refused("basic", key, "the path of a directory");
        }
        try {
            return path("basic", key, ScrConfig.expand(text("basic", key).orElse(""), ConfigValues::variable));
        } catch (NoSuchElementException unset) {
            throw refused("basic", key, String.valueOf(unset.getMessage()));
        }
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            throw new NoSuchElementException(
                    "variables that each rank has: " + name + " is not set here (mpirun -x " + name + " passes it on)");
        }
        // One character for each byte, as in the text of the file.
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    Path path(String section, String key) throws DrumlinException {
        return path(section, key, text(section, key).orElse(""));
    }

    private Path path(String section, String key, String value) throws DrumlinException {
        // The text holds one character per byte, so that a rewrite keeps bytes that are not UTF-8.
        ByteBuffer bytes = ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1));
        try {
            return Path.of(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
        } catch (CharacterCodingException e) {
            throw refused(section, key, "a path in UTF-8");
        } catch (InvalidPathException e) {
            throw refused(section, key, "a path in the characters of the locale, see LC_ALL (C.UTF-8 has them all)");
        }
    }

    int integer(String section, String key, int absent) throws DrumlinException {
        if (!isInteger(section, key)) {
            throw refused(section, key, "a whole number");
        }
        return lenient(section, key, absent);
    }

    /**
     * C FTI reads a word as 0 and ignores letters after a number. They are ignored here too, but only in keys of C FTI.
     */
    private boolean isInteger(String section, String key) {
        Optional<String> text = text(section, key);
        return text.isEmpty() || (section.equals("drumlin") ? isNumber(text.get()) : startsWithDigit(text.get()));
    }

    int lenient(String section, String key, int absent) {
        return ini.get(section, key).map(ConfigValues::parseInteger).orElse(absent);
    }

    static boolean startsWithDigit(String text) {
        return text.strip().matches("(?s)[+-]?[0-9].*");
    }

    private static boolean isNumber(String text) {
        return text.strip().matches("[+-]?([0-9]+|0[xX][0-9a-fA-F]+)");
    }

    /** Parses like {@code strtol} with base 0: it understands 0x.. and 0.., and ignores anything after the digits. */
    public static int parseInteger(String text) {
        String digits = text.strip();
        boolean negative = digits.startsWith("-");
        digits = negative || digits.startsWith("+") ? digits.substring(1) : digits;
        int radix = 10;
        if (digits.toLowerCase(Locale.ROOT).startsWith("0x")) {
            radix = 16;
            digits = digits.substring(2);
        } else if (digits.startsWith("0")) {
            radix = 8;
        }
        long value = 0;
        for (int i = 0; i < digits.length() && Character.digit(digits.charAt(i), radix) >= 0; i++) {
            value = Math.min(value * radix + Character.digit(digits.charAt(i), radix), 1L << 32);
        }
        return (int) (negative ? Math.max(-value, Integer.MIN_VALUE) : Math.min(value, Integer.MAX_VALUE));
    }

    boolean bool(String section, String key, boolean absent) throws DrumlinException {
        String text = ini.get(section, key).orElse("");
        if (text.isEmpty()) {
            return absent;
        }
        char first = Character.toLowerCase(text.charAt(0));
        if (first == 'y' || first == '1' || first == 't') {
            return true;
        }
        if (first == 'n' || first == '0' || first == 'f') {
            return false;
        }
        throw refused(section, key, "0 or 1");
    }

    int inRange(String section, String key, int absent, int low, int high) throws DrumlinException {
        int value = lenient(section, key, absent);
        if (!isInteger(section, key) || value < low || value > high) {
            throw refused(section, key, high == Integer.MAX_VALUE ? low + " or more" : low + " to " + high);
        }
        return value;
    }

    int oneOf(String section, String key, int absent, String allowed, int... values) throws DrumlinException {
        int value = lenient(section, key, absent);
        for (int candidate : values) {
            if (candidate == value && isInteger(section, key)) {
                return value;
            }
        }
        throw refused(section, key, allowed);
    }

    DrumlinException refused(String section, String key, String allowed) {
        String value = ini.get(section, key).map(v -> "is \"" + v + "\"").orElse("is missing");
        return DrumlinException.during("reading " + name)
                .problem("[" + section + "] " + key + " " + value)
                .advice("allowed: " + allowed)
                .exception();
    }

    double hours(String key, String text) throws DrumlinException {
        try {
            double hours = Double.parseDouble(text);
            if (hours > 0 && Double.isFinite(hours)) {
                return hours;
            }
        } catch (NumberFormatException e) {
            // Refused below, like a number out of range.
        }
        throw refused("drumlin", key, "hours above 0, such as 36 or 0.5");
    }
}
