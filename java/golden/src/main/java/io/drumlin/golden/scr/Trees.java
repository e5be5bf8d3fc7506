package io.drumlin.golden.scr;

import io.drumlin.format.MemoryByteSource;
import io.drumlin.format.kvtree.KvTree;
import io.drumlin.format.kvtree.KvTreeFile;
import io.drumlin.golden.base.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Trees as manifests write them: objects, or lists of [key, children] whose keys may be {@code {"hex": ...}}. */
final class Trees {

    private Trees() {}

    static KvTree of(Json json) {
        KvTree tree = new KvTree();
        addTo(tree, json);
        return tree;
    }

    private static void addTo(KvTree tree, Json json) {
        if (json.isList()) {
            for (Json pair : json.list(each -> each)) {
                addTo(
                        tree.add(key(pair.list(each -> each).get(0))),
                        pair.list(each -> each).get(1));
            }
        } else {
            json.members(each -> each).forEach((key, subtree) -> addTo(tree.add(key), subtree));
        }
    }

    private static String key(Json json) {
        return json.isText()
                ? json.text()
                : decoded(HexFormat.of().parseHex(json.get("hex").text()));
    }

    /** The bytes as the reader under test has them: a tree of one key, made by hand. */
    private static String decoded(byte[] key) {
        ByteBuffer file = ByteBuffer.allocate(20 + 4 + key.length + 1 + 4);
        file.putLong(0x951fc3f5_0001_0001L).putLong(file.capacity()).putInt(0);
        file.putInt(1).put(key).put((byte) 0).putInt(0).flip();
        try {
            return KvTreeFile.read(new MemoryByteSource(file)).tree().first().orElseThrow();
        } catch (IOException e) {
            throw new IllegalStateException("a tree of one key cannot be read", e);
        }
    }
}
