package io.drumlin.format.kvtree;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A map for nodes of a few keys, in the order of insertion. It searches the keys one by one, and takes a third of the
 * memory of a {@link java.util.LinkedHashMap}. An index may have 200,000 such nodes.
 */
final class ArrayMap extends AbstractMap<String, KvTree> {

    /** Largest number of keys; with more, hashing finds them faster. */
    static final int MAX = 16;

    /** Keys, each followed by its value. */
    private @Nullable Object[] pairs = new @Nullable Object[8];

    private int size;

    private int find(@Nullable Object key) {
        for (int i = 0; i < size; i++) {
            if (key != null && key.equals(pairs[2 * i])) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return find(key) >= 0;
    }

    @Override
    public @Nullable KvTree get(@Nullable Object key) {
        int index = find(key);
        return index < 0 ? null : (KvTree) pairs[2 * index + 1];
    }

    /** Call only while there are fewer than {@link #MAX} keys, or for a key that is there. */
    @Override
    public @Nullable KvTree put(String key, KvTree value) {
        int index = find(key);
        if (index < 0) {
            index = size++;
            if (2 * size > pairs.length) {
                pairs = Arrays.copyOf(pairs, 2 * pairs.length);
            }
        }
        KvTree before = (KvTree) pairs[2 * index + 1];
        pairs[2 * index] = key;
        pairs[2 * index + 1] = value;
        return before;
    }

    @Override
    public @Nullable KvTree remove(@Nullable Object key) {
        int index = find(key);
        if (index < 0) {
            return null;
        }
        KvTree before = (KvTree) pairs[2 * index + 1];
        size--;
        System.arraycopy(pairs, 2 * index + 2, pairs, 2 * index, 2 * (size - index));
        Arrays.fill(pairs, 2 * size, 2 * size + 2, null);
        return before;
    }

    @Override
    public Set<Map.Entry<String, KvTree>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public Iterator<Map.Entry<String, KvTree>> iterator() {
                return new EntryIterator();
            }
        };
    }

    private final class EntryIterator implements Iterator<Map.Entry<String, KvTree>> {

        private int next;

        @Override
        public boolean hasNext() {
            return next < size;
        }

        @Override
        public Map.Entry<String, KvTree> next() {
            Object key = next < size ? pairs[2 * next] : null;
            Object value = next < size ? pairs[2 * next + 1] : null;
            if (key == null || value == null) {
                throw new NoSuchElementException();
            }
            next++;
            return Map.entry((String) key, (KvTree) value);
        }
    }
}
