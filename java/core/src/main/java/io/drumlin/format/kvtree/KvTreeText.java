package io.drumlin.format.kvtree;

import io.drumlin.Printable;
import java.util.ArrayList;
import java.util.List;

/** A tree as lines for people, keys in the order of their bytes: what {@code scr_print} prints. */
public final class KvTreeText {

    private final boolean values;
    private final List<String> lines = new ArrayList<>();

    private KvTreeText(boolean values) {
        this.values = values;
    }

    /**
     * A line for each key; one that has one value stands with it in a line.
     *
     * @param tree the tree
     * @return {@code KEY = value}, deeper ones further to the right
     */
    public static List<String> keyValues(KvTree tree) {
        return new KvTreeText(true).add(tree, "  ").lines;
    }

    /**
     * A line for each key.
     *
     * @param tree the tree
     * @return keys, deeper ones further to the right
     */
    public static List<String> tree(KvTree tree) {
        return new KvTreeText(false).add(tree, "  ").lines;
    }

    /**
     * A key as JSON can have it.
     *
     * @param key a key of a tree
     * @return the same; bytes that are no UTF-8 as {@code \xNN}
     */
    public static String printable(String key) {
        StringBuilder text = new StringBuilder();
        key.codePoints().forEach(code -> {
            if (Keys.isEscape(code)) {
                text.append(String.format("\\x%02x", code & 0xff));
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
