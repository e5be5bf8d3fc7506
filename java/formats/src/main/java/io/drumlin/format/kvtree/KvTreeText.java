package io.drumlin.format.kvtree;

import io.drumlin.internal.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats a tree as lines for people, like {@code scr_print}, with keys in the order of their bytes. */
public final class KvTreeText {

    private final boolean values;
    private final List<String> lines = new ArrayList<>();

    private KvTreeText(boolean values) {
        this.values = values;
    }

    /**
     * Returns a line for each key. If a key has exactly one value, the line contains both.
     *
     * @param tree the tree
     * @return {@code KEY = value}; deeper ones are further to the right
     */
    public static List<String> keyValues(KvTree tree) {
        return new KvTreeText(true).add(tree, "  ").lines;
    }

    /**
     * Returns a line for each key.
     *
     * @param tree the tree
     * @return keys; deeper ones are further to the right
     */
    public static List<String> tree(KvTree tree) {
        return new KvTreeText(false).add(tree, "  ").lines;
    }

    /**
     * Returns a key in a form that JSON can represent.
     *
     * @param key a key of a tree
     * @return the key, with {@code \xNN} for each byte that is not UTF-8
     */
    public static String printable(String key) {
        StringBuilder text = new StringBuilder();
        key.codePoints().forEach(code -> {
            if (Keys.isEscape(code)) {
                text.append(String.format(Locale.ROOT, "\\x%02x", code & 0xff));
            } else {
                text.appendCodePoint(code);
            }
        });
        return text.toString();
    }

    private KvTreeText add(KvTree node, String indent) {
        node.entries().entrySet().stream().sorted(Keys.BY_BYTES).forEach(entry -> {
            String key = Printable.text(entry.getKey());
            KvTree subtree = entry.getValue();
            String value = values ? subtree.value().orElse(null) : null;
            if (value != null) {
                lines.add(indent + key + " = " + Printable.text(value));
            } else {
                lines.add(indent + key);
                add(subtree, indent + "  ");
            }
        });
        return this;
    }
}
