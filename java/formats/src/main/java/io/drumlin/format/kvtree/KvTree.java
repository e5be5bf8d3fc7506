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
 * {@code ckpt.1}. Keys are byte strings. Their text is UTF-8, in which a byte that is not UTF-8 becomes the lone
 * surrogate U+DC00 + byte, so that no conversion changes a key. The order of keys is kept, but does not matter for the
 * equality of trees. Access by key takes constant time. Not thread-safe.
 */
public final class KvTree {

    /** The key of a node with one key. Most nodes have one or none, and an index has millions of nodes. */
    private @Nullable String key;

    /** Its subtree; {@code null} for a leaf that nobody has requested yet. */
    private @Nullable KvTree subtree;

    /** The keys of a node that has, or had, several. */
    private @Nullable Map<String, KvTree> several;

    /** Makes an empty tree. */
    public KvTree() {}

    /**
     * Returns the subtree of a key.
     *
     * @param key a key of this node
     * @return the subtree itself, not a copy; {@code null} if the key is missing
     */
    public @Nullable KvTree get(String key) {
        if (several != null) {
            return several.get(key);
        }
        return key.equals(this.key) ? only() : null;
    }

    /** Returns the subtree of the only key. */
    private KvTree only() {
        if (subtree == null) {
            subtree = new KvTree();
        }
        return subtree;
    }

    /**
     * Returns the subtree at the end of a path.
     *
     * @param keys a key of this node, a key of its subtree, and so on
     * @return the subtree itself; {@code null} if a key is missing
     */
    public @Nullable KvTree find(String... keys) {
        KvTree node = this;
        for (String key : keys) {
            node = node == null ? null : node.get(key);
        }
        return node;
    }

    /**
     * Returns whether this node has a key.
     *
     * @param key any text
     * @return true if it has
     */
    public boolean has(String key) {
        return several == null ? key.equals(this.key) : several.containsKey(key);
    }

    /**
     * Returns the keys of this node.
     *
     * @return keys in their order; a view
     */
    public Set<String> keys() {
        if (several != null) {
            return Collections.unmodifiableSet(several.keySet());
        }
        return key == null ? Set.of() : Set.of(key);
    }

    /**
     * Returns the keys of this node with their subtrees.
     *
     * @return entries in their order; an unmodifiable view
     */
    public Map<String, KvTree> entries() {
        if (several != null) {
            return Collections.unmodifiableMap(several);
        }
        return key == null ? Map.of() : Map.of(key, only());
    }

    /**
     * Returns the number of keys of this node.
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
     * Returns whether this node is a leaf.
     *
     * @return true without keys
     */
    public boolean isEmpty() {
        return size() == 0;
    }

    /**
     * Adds a key, if it is missing.
     *
     * @param key a key without U+0000
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
     * Adds the missing keys of a path.
     *
     * @param keys the keys from this node downwards
     * @return the subtree of the last key
     */
    public KvTree addPath(String... keys) {
        KvTree node = this;
        for (String key : keys) {
            node = node.add(key);
        }
        return node;
    }

    /**
     * Sets the subtree of a key, in place of any old one.
     *
     * @param key a key without U+0000
     * @param subtree the subtree; not copied
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

    /** Adds a key without children, if it is missing. */
    void addLeaf(String key) {
        if (several == null && this.key == null) {
            this.key = key;
        } else {
            add(key);
        }
    }

    /**
     * Sets the value of a key, in place of any old ones.
     *
     * @param key a key without U+0000
     * @param value a value without U+0000
     */
    public void set(String key, String value) {
        KvTree subtree = new KvTree();
        subtree.addLeaf(value);
        put(key, subtree);
    }

    /**
     * Sets the value of a key, in place of any old ones.
     *
     * @param key a key without U+0000
     * @param value stored in decimal
     */
    public void set(String key, long value) {
        set(key, Long.toString(value));
    }

    /**
     * Removes a key and everything below it.
     *
     * @param key the key; it may be missing
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
     * Returns the value of a key.
     *
     * @param key any text
     * @return empty if the key is missing, or has no child or several; C's readers do the same
     */
    public Optional<String> value(String key) {
        KvTree subtree = get(key);
        return subtree == null || subtree.size() != 1 ? Optional.empty() : subtree.first();
    }

    /** Returns the only key of this node, if it is a leaf. */
    Optional<String> value() {
        if (several == null) {
            return key == null || (subtree != null && !subtree.isEmpty()) ? Optional.empty() : Optional.of(key);
        }
        return size() == 1 && several.values().iterator().next().isEmpty() ? first() : Optional.empty();
    }

    /**
     * Returns the first key of this node.
     *
     * @return empty for a leaf
     */
    public Optional<String> first() {
        return several == null
                ? Optional.ofNullable(key)
                : several.keySet().stream().findFirst();
    }

    /**
     * Returns a separate tree with the same content.
     *
     * @return a deep copy
     */
    public KvTree copy() {
        KvTree copy = new KvTree();
        entries().forEach((key, subtree) -> copy.put(key, subtree.copy()));
        return copy;
    }

    /**
     * Adds the keys of another tree; equal keys are merged.
     *
     * @param other the other tree, which does not change
     */
    public void merge(KvTree other) {
        other.entries().forEach((key, subtree) -> add(key).merge(subtree));
    }

    /**
     * Returns a separate tree with the same content, in which the keys of all nodes are in the order of their bytes.
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

    /** Returns whether both trees have equal keys with equal subtrees, in any order. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof KvTree tree && entries().equals(tree.entries());
    }

    @Override
    public int hashCode() {
        return entries().hashCode();
    }

    /** Returns the content in one line, for messages. */
    @Override
    public String toString() {
        return entries().toString();
    }
}
