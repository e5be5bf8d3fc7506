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
 * A map for nodes of a few keys, in the order in which they came. Keys are looked for one by one; it takes a third of the
 * memory of a {@link java.util.LinkedHashMap}, which counts where an index has 200,000 such nodes.
 */
final class FewEntries extends AbstractMap<String, KvTree> {

    /** More are better looked up by their hash. */
    static final int MAX = 16;

    /** Keys, each with its value behind it. */
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
        int place = find(key);
        return place < 0 ? null : (KvTree) pairs[2 * place + 1];
    }

    /** To be called only while there are less than {@link #MAX}, or the key is there. */
    @Override
    public @Nullable KvTree put(String key, KvTree value) {
        int place = find(key);
        if (place < 0) {
            place = size++;
            if (2 * size > pairs.length) {
                pairs = Arrays.copyOf(pairs, 2 * pairs.length);
            }
        }
        KvTree before = (KvTree) pairs[2 * place + 1];
        pairs[2 * place] = key;
        pairs[2 * place + 1] = value;
        return before;
    }

    @Override
    public @Nullable KvTree remove(@Nullable Object key) {
        int place = find(key);
        if (place < 0) {
            return null;
        }
        KvTree before = (KvTree) pairs[2 * place + 1];
        size--;
        System.arraycopy(pairs, 2 * place + 2, pairs, 2 * place, 2 * (size - place));
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
