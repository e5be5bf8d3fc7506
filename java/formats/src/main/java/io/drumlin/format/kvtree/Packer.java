package io.drumlin.format.kvtree;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** Packs a tree after free space for the header. */
final class Packer {

    private byte[] bytes = new byte[1024];
    private int length;

    Packer(int header) {
        length = header;
    }

    /** Returns space for the header, the tree, and space for the trailer. The spaces are zero. */
    byte[] pack(KvTree tree, int trailer) {
        packNode(tree, 1);
        reserve(trailer);
        return Arrays.copyOf(bytes, length + trailer);
    }

    private void packNode(KvTree node, int depth) {
        if (!node.isEmpty() && depth == KvTreeFile.MAX_DEPTH) {
            throw new IllegalArgumentException("the tree is deeper than " + KvTreeFile.MAX_DEPTH + " levels");
        }
        packCount(node.size());
        Optional<String> value = node.value();
        if (value.isPresent()) {
            packKey(value.get());
            packCount(0);
            return;
        }
        for (Map.Entry<String, KvTree> entry : node.entries().entrySet()) {
            packKey(entry.getKey());
            packNode(entry.getValue(), depth + 1);
        }
    }

    private void packCount(int count) {
        reserve(Integer.BYTES);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[length++] = (byte) (count >>> shift);
        }
    }

    private void packKey(String key) {
        if (packAscii(key)) {
            return;
        }
        byte[] encoded = Keys.bytes(key);
        reserve(encoded.length + 1);
        System.arraycopy(encoded, 0, bytes, length, encoded.length);
        length += encoded.length;
        bytes[length++] = 0;
    }

    /** Packs a key of ASCII, which nearly all keys are; returns false for any other key. */
    private boolean packAscii(String key) {
        reserve(key.length() + 1);
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c == 0 || c >= 0x80) {
                return false;
            }
            bytes[length + i] = (byte) c;
        }
        length += key.length();
        bytes[length++] = 0;
        return true;
    }

    private void reserve(int more) {
        long needed = (long) length + more;
        if (needed > bytes.length) {
            if (needed > Integer.MAX_VALUE - 8) {
                throw new IllegalArgumentException("the tree takes more than 2 GiB");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(needed, 2L * bytes.length)));
        }
    }
}
