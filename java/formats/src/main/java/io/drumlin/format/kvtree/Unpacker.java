package io.drumlin.format.kvtree;

import io.drumlin.format.FormatException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Unpacks a tree. Time and memory grow with the number of bytes, never with a number stored in them. */
final class Unpacker {

    /** The smallest element has an empty key: a NUL and a count. */
    private static final int SMALLEST_ELEMENT = 5;

    /** Size of the table, a power of two. */
    private static final int RECENT = 1 << 12;

    private final byte[] bytes;
    private final int end;

    /** Keys by the hash of their bytes. The same few keys occur in a file again and again, and are stored once. */
    private final @Nullable String[] recent = new String[RECENT];

    private int position;

    Unpacker(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.end = end;
        this.position = start;
    }

    KvTree unpack() throws FormatException {
        KvTree tree = new KvTree();
        unpackInto(tree, 1);
        if (position != end) {
            throw KvTreeFile.damaged("tree", position, (end - position) + " bytes follow the last element");
        }
        return tree;
    }

    private void unpackInto(KvTree node, int depth) throws FormatException {
        int start = position;
        long count = count();
        if (count > (end - position) / SMALLEST_ELEMENT) {
            throw KvTreeFile.damaged(
                    "count", start, count + " elements do not fit into the " + (end - position) + " bytes that follow");
        }
        if (count > 0 && depth == KvTreeFile.MAX_DEPTH) {
            throw KvTreeFile.damaged("count", start, "deeper than " + KvTreeFile.MAX_DEPTH + " levels");
        }
        for (long i = 0; i < count; i++) {
            String key = key();
            if (isLeaf()) {
                position += Integer.BYTES;
                node.addLeaf(key);
            } else {
                unpackInto(node.add(key), depth + 1);
            }
        }
    }

    /** Returns whether the next count is 0. It is for more than half of all nodes, which are values. */
    private boolean isLeaf() {
        return end - position >= Integer.BYTES
                && (bytes[position] | bytes[position + 1] | bytes[position + 2] | bytes[position + 3]) == 0;
    }

    private long count() throws FormatException {
        if (end - position < Integer.BYTES) {
            throw KvTreeFile.damaged("count", position, "only " + (end - position) + " bytes are left");
        }
        long count = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            count = count << 8 | Byte.toUnsignedLong(bytes[position++]);
        }
        return count;
    }

    private String key() throws FormatException {
        int start = position;
        int hash = 0;
        int bits = 0;
        while (position < end && bytes[position] != 0) {
            hash = 31 * hash + bytes[position];
            bits |= bytes[position++];
        }
        if (position == end) {
            throw KvTreeFile.damaged("key", start, "no NUL ends it before the tree ends at " + end);
        }
        int length = position++ - start;
        return bits < 0 ? Keys.text(bytes, start, length) : ascii(start, length, hash & RECENT - 1);
    }

    private String ascii(int start, int length, int place) {
        String known = recent[place];
        if (known != null && known.length() == length && isAt(start, known)) {
            return known;
        }
        String text = new String(bytes, start, length, StandardCharsets.ISO_8859_1);
        recent[place] = text;
        return text;
    }

    private boolean isAt(int start, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (bytes[start + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
