package io.drumlin.format.fti;

import io.drumlin.format.FormatException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of numbered keys, such as {@code var0_id} or {@code dcp_layer2_size}. Not thread-safe.
 *
 * @param <T> collects the keys with the same number
 */
final class NumberedFields<T> {

    /** A longer number cannot be below the number of keys that fit into a file. */
    private static final int MAX_DIGITS = 9;

    private final String prefix;
    private final Supplier<T> create;
    private final Map<Integer, T> fields = new HashMap<>();

    /** Keys with the same number mostly follow each other. */
    private int lastNumber = -1;

    private @Nullable T last;

    NumberedFields(String prefix, Supplier<T> create) {
        this.prefix = prefix;
        this.create = create;
    }

    /**
     * Returns the end of the number in a key with this prefix.
     *
     * @return -1 if it has no number, one with leading zeros, or one out of range: C FTI never looks for such a key
     */
    int numberEnd(String key) {
        return key.startsWith(prefix) ? numberEnd(key, prefix.length()) : -1;
    }

    static int numberEnd(String text, int start) {
        int end = start;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        int digits = end - start;
        boolean good = digits == 1 || (digits > 1 && digits <= MAX_DIGITS && text.charAt(start) != '0');
        return good ? end : -1;
    }

    /** Returns the collector of the keys with the number that ends at {@code end}. */
    T at(String key, int end) {
        int number = Integer.parseInt(key, prefix.length(), end, 10);
        T found = last;
        if (found == null || number != lastNumber) {
            found = fields.computeIfAbsent(number, n -> create.get());
            last = found;
            lastNumber = number;
        }
        return found;
    }

    Stream<T> all() {
        return fields.values().stream();
    }

    /** Converts the fields of a number to an entry. */
    interface Conversion<F, E> {
        E convert(F fields, String prefix) throws FormatException;
    }

    /**
     * Returns all entries in the order of their numbers, which begin with 0 and have no gap.
     *
     * @param section the section for messages
     * @param outerPrefix text before the prefix in messages
     * @param suffix suffix of a key that every number must have
     * @param offset offset of the section
     */
    <E> List<E> list(String section, String outerPrefix, String suffix, long offset, Conversion<T, E> conversion)
            throws FormatException {
        List<E> entries = new ArrayList<>(fields.size());
        for (int i = 0; i < fields.size(); i++) {
            String name = outerPrefix + prefix + i;
            entries.add(conversion.convert(Definition.needed(fields.get(i), section, name + suffix, offset), name));
        }
        return entries;
    }
}
