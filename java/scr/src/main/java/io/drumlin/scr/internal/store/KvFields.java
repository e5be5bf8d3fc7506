package io.drumlin.scr.internal.store;

import io.drumlin.format.kvtree.KvTree;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Reads the values of a kvtree like SCR; docs/formats/scr.md, section 2. */
public final class KvFields {

    private KvFields() {}

    /**
     * Parses a number of 32 bits at the beginning of the first value. Returns empty if the key is missing or has no
     * value.
     */
    public static OptionalInt integer(@Nullable KvTree tree, String key) {
        KvTree values = tree == null ? null : tree.get(key);
        return values == null || values.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(leadingInteger(values.first().orElseThrow()));
    }

    /** Works like C's atoi. Returns 0 where that is undefined. */
    public static int leadingInteger(String text) {
        String digits = text.strip();
        int end = digits.startsWith("-") || digits.startsWith("+") ? 1 : 0;
        while (end < digits.length() && digits.charAt(end) >= '0' && digits.charAt(end) <= '9') {
            end++;
        }
        try {
            return Integer.parseInt(digits.substring(0, end));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /**
     * Parses a number of 64 bits, which may be hexadecimal (0x) or octal (0). Returns empty unless the key has exactly
     * one value and it is a number.
     */
    public static OptionalLong number(@Nullable KvTree tree, String key) {
        if (tree == null) {
            return OptionalLong.empty();
        }
        String text = tree.value(key).orElse("");
        try {
            if (text.startsWith("0x") || text.startsWith("0X")) {
                return OptionalLong.of(Long.parseUnsignedLong(text.substring(2), 16));
            }
            if (text.startsWith("-")) {
                return OptionalLong.of(Long.parseLong(text));
            }
            int radix = text.startsWith("0") && text.length() > 1 ? 8 : 10;
            return OptionalLong.of(Long.parseUnsignedLong(text, radix));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
