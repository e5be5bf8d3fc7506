package io.drumlin.checkpoint.internal.data;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/** The lengths in front of the elements of a ragged array: docs/formats/ragged.md. */
final class RaggedLengths {

    private static final byte[] MAGIC = "drumlin ragged 1".getBytes(StandardCharsets.US_ASCII);
    private static final int DEPTH = 16;
    private static final int COUNT = 24;
    private static final int FIXED = 32;

    private RaggedLengths() {}

    /** Returns the present lengths of an array, in which none is null, as they are stored. */
    static ByteBuffer of(Object[] arrays) {
        LongStream.Builder found = LongStream.builder();
        for (List<Object> level = List.of((Object) arrays); !level.isEmpty(); level = next(level)) {
            level.forEach(array -> found.add(Array.getLength(array)));
        }
        long[] lengths = found.build().toArray();
        int bytes = Math.addExact(FIXED, Math.multiplyExact(lengths.length, Long.BYTES));
        ByteBuffer stored = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        stored.put(MAGIC).putLong(depth(arrays.getClass())).putLong(lengths.length);
        stored.asLongBuffer().put(lengths);
        return stored.rewind();
    }

    private static List<Object> next(List<Object> level) {
        List<Object> next = new ArrayList<>();
        for (Object array : level) {
            if (array instanceof Object[] arrays) {
                next.addAll(Arrays.asList(arrays));
            }
        }
        return next;
    }

    private static int depth(Class<?> array) {
        int depth = 0;
        for (Class<?> each = array; each.isArray(); each = each.getComponentType()) {
            depth++;
        }
        return depth;
    }

    /**
     * Returns how many bytes the stored lengths take.
     *
     * @param first the first bytes of a variable
     * @param size bytes of the variable
     * @return empty if these are no such lengths
     */
    static OptionalLong size(ByteBuffer first, long size) {
        if (first.capacity() < FIXED || !first.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            return OptionalLong.empty();
        }
        long count = first.slice().order(ByteOrder.LITTLE_ENDIAN).getLong(COUNT);
        boolean fits = count >= 1 && count <= (size - FIXED) / Long.BYTES;
        return fits ? OptionalLong.of(FIXED + count * Long.BYTES) : OptionalLong.empty();
    }

    /**
     * Makes the array whose lengths are stored. Nothing is allocated before they are known to fit.
     *
     * @param stored all stored lengths
     * @param array class of the array
     * @param elements number of the elements that follow
     * @throws IllegalArgumentException the lengths are not those of an array of this class with that many elements
     */
    static Object newArray(ByteBuffer stored, Class<?> array, long elements) {
        ByteBuffer bytes = stored.slice().order(ByteOrder.LITTLE_ENDIAN);
        int depth = depth(array);
        long[] lengths = new long[(stored.capacity() - FIXED) / Long.BYTES];
        bytes.slice(FIXED, lengths.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(lengths);
        int[] levels = levels(lengths, depth);
        if (bytes.getLong(DEPTH) != depth
                || levels.length != depth
                || Arrays.stream(lengths, levels[depth - 1], lengths.length).sum() != elements) {
            throw new IllegalArgumentException(
                    "its stored lengths are not those of a " + array.getSimpleName() + " of " + elements + " elements");
        }
        return make(array, 0, levels, lengths);
    }

    /** Returns the index of the first length of each level; nothing if there are not as many lengths as they ask for. */
    private static int[] levels(long[] lengths, int depth) {
        int[] levels = new int[depth];
        long end = 1;
        for (int level = 0; level < depth; level++) {
            long arrays = 0;
            for (int i = levels[level]; i < end; i++) {
                if (lengths[i] < 0 || lengths[i] > Integer.MAX_VALUE) {
                    return new int[0];
                }
                arrays += lengths[i];
            }
            if (level + 1 < depth) {
                levels[level + 1] = (int) end;
                end += arrays;
            }
            if (end > lengths.length) {
                return new int[0];
            }
        }
        return end == lengths.length ? levels : new int[0];
    }

    /** @param next index of the next length of each level; advanced */
    private static Object make(Class<?> type, int level, int[] next, long[] lengths) {
        Class<?> component = type.getComponentType();
        Object array = Array.newInstance(component, (int) lengths[next[level]++]);
        if (array instanceof Object[] arrays) {
            for (int i = 0; i < arrays.length; i++) {
                arrays[i] = make(component, level + 1, next, lengths);
            }
        }
        return array;
    }
}
