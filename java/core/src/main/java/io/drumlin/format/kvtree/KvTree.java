package io.drumlin.format.kvtree;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A node of a kvtree with everything below it: keys, each with a subtree (docs/formats/kvtree.md, section 1).
 *
 * <p>A value is a key without children: {@code NAME = ckpt.1} is the key {@code NAME} whose only child is the key
 * {@code ckpt.1}. Keys are byte strings; as texts they are UTF-8, in which a byte that is no UTF-8 stands as the lone
 * surrogate U+DC00 + byte, so that no key changes on the way. The order of keys is kept; two trees are equal without
 * regard to it. Access by key takes constant time. Not thread-safe.
 */
public final class KvTree {

    /** The key of a node that has one. Most have one or none, and an index has millions of nodes. */
    private @Nullable String key;

    /** Its subtree; {@code null} for a leaf that nobody has asked for yet. */
    private @Nullable KvTree subtree;

    /** The keys of a node that has, or had, several. */
    private @Nullable Map<String, KvTree> several;

    /** Makes an empty tree. */
    public KvTree() {}

    /**
     * The subtree of a key.
     *
     * @param key a key of this node
     * @return the subtree itself, not a copy; {@code null} without the key
     */
    public @Nullable KvTree get(String key) {
        if (several != null) {
            return several.get(key);
        }
        return key.equals(this.key) ? only() : null;
    }

    /** The subtree of the only key. */
    private KvTree only() {
        if (subtree == null) {
            subtree = new KvTree();
        }
        return subtree;
    }

    /**
     * The subtree at the end of a path.
     *
     * @param keys a key of this node, a key of its subtree, and so on
     * @return the subtree itself; {@code null} where a key is missing
     */
    public @Nullable KvTree find(String... keys) {
        KvTree node = this;
        for (String key : keys) {
            node = node == null ? null : node.get(key);
        }
        return node;
    }

    /**
     * Whether this node has a key.
     *
     * @param key any text
     * @return true if it has
     */
    public boolean has(String key) {
        return several == null ? key.equals(this.key) : several.containsKey(key);
    }

    /**
     * The keys of this node.
     *
     * @return in their order; a view
     */
    public Set<String> keys() {
        if (several != null) {
            return Collections.unmodifiableSet(several.keySet());
        }
        return key == null ? Set.of() : Set.of(key);
    }

    /**
     * The keys of this node with their subtrees.
     *
     * @return in their order; a view that cannot be changed
     */
    public Map<String, KvTree> entries() {
        if (several != null) {
            return Collections.unmodifiableMap(several);
        }
        return key == null ? Map.of() : Map.of(key, only());
    }

    /**
     * How many keys this node has.
     *
     * @return 0 for a leaf
     */
    public int size() {
        if (several != null) {
            return several.size();
        }
        return key == null ? 0 : 1;
    }

    /**
     * Whether this node is a leaf.
     *
     * @return true without keys
     */
    public boolean isEmpty() {
        return size() == 0;
    }

    /**
     * Adds a key, if it is missing.
     *
     * @param key without U+0000
     * @return its subtree, empty if the key is new
     */
    public KvTree add(String key) {
        KvTree present = get(key);
        if (present != null) {
            return present;
        }
        KvTree added = new KvTree();
        put(key, added);
        return added;
    }

    /**
     * Adds the keys of a path that are missing.
     *
     * @param keys from this node downwards
     * @return the subtree of the last
     */
    public KvTree addPath(String... keys) {
        KvTree node = this;
        for (String key : keys) {
            node = node.add(key);
        }
        return node;
    }

    /**
     * Gives a key a subtree, in place of the one it has.
     *
     * @param key without U+0000
     * @param subtree not copied
     */
    public void put(String key, KvTree subtree) {
        if (several == null && (this.key == null || this.key.equals(key))) {
            this.key = key;
            this.subtree = subtree;
            return;
        }
        if (several == null) {
            several = new ArrayMap();
            several.put(Objects.requireNonNull(this.key), only());
            this.key = null;
            this.subtree = null;
        } else if (several.size() == ArrayMap.MAX && several instanceof ArrayMap && !several.containsKey(key)) {
            several = new LinkedHashMap<>(several);
        }
        several.put(key, subtree);
    }

    /** Adds a key without anything below it, if it is missing. */
    void addLeaf(String key) {
        if (several == null && this.key == null) {
            this.key = key;
        } else {
            add(key);
        }
    }

    /**
     * Gives a key one value, in place of those it has.
     *
     * @param key without U+0000
     * @param value without U+0000
     */
    public void set(String key, String value) {
        KvTree subtree = new KvTree();
        subtree.addLeaf(value);
        put(key, subtree);
    }

    /**
     * Gives a key one value, in place of those it has.
     *
     * @param key without U+0000
     * @param value stored in decimal
     */
    public void set(String key, long value) {
        set(key, Long.toString(value));
    }

    /**
     * Removes a key and what is below it.
     *
     * @param key may be missing
     */
    public void remove(String key) {
        if (several != null) {
            several.remove(key);
        } else if (key.equals(this.key)) {
            this.key = null;
            this.subtree = null;
        }
    }

    /**
     * The value of a key that has one.
     *
     * @param key any text
     * @return empty if the key is missing or has no child or several: so do the readers of C
     */
    public Optional<String> value(String key) {
        KvTree subtree = get(key);
        return subtree == null || subtree.size() != 1 ? Optional.empty() : subtree.first();
    }

    /** The only key of this node, if that is a leaf. */
    Optional<String> value() {
        if (several == null) {
            return key == null || (subtree != null && !subtree.isEmpty()) ? Optional.empty() : Optional.of(key);
        }
        return size() == 1 && several.values().iterator().next().isEmpty() ? first() : Optional.empty();
    }

    /**
     * The first key of this node.
     *
     * @return empty for a leaf
     */
    public Optional<String> first() {
        return several == null
                ? Optional.ofNullable(key)
                : several.keySet().stream().findFirst();
    }

    /**
     * A tree of its own with the same content.
     *
     * @return a deep copy
     */
    public KvTree copy() {
        KvTree copy = new KvTree();
        entries().forEach((key, subtree) -> copy.put(key, subtree.copy()));
        return copy;
    }

    /**
     * Adds the keys of another tree; equal keys are joined.
     *
     * @param other stays what it is
     */
    public void merge(KvTree other) {
        other.entries().forEach((key, subtree) -> add(key).merge(subtree));
    }

    /**
     * A tree of its own with the same content, the keys of all nodes in the order of their bytes.
     *
     * @return a deep copy
     */
    public KvTree sorted() {
        KvTree sorted = new KvTree();
        entries().entrySet().stream()
                .sorted(Keys.BY_BYTES)
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue().sorted()));
        return sorted;
    }

    /** Equal keys with equal subtrees, in any order. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KvTree tree && entries().equals(tree.entries());
    }

    @Override
    public int hashCode() {
        return entries().hashCode();
    }

    /** The content in one line, for messages. */
    @Override
    public String toString() {
        return entries().toString();
    }
}
