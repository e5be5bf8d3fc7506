package io.drumlin.format.kvtree;

import static org.assertj.core.api.Assertions.assertThat;

import io.drumlin.format.MemoryByteSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A node with few keys, with one and with many, against a map of Java's. */
class KvTreeTest {

    @Test
    void keepsKeysAndTheirOrderWhateverIsDone() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int keys = 1; keys < 40; keys++) {
            KvTree tree = new KvTree();
            Map<String, KvTree> expected = new LinkedHashMap<>();
            for (int i = 0; i < 300; i++) {
                String key = "k" + random.nextInt(keys);
                change(random.nextInt(5), tree, expected, key);
                assertThat(tree.has(key)).isEqualTo(expected.containsKey(key));
                assertThat(tree.get(key)).isSameAs(expected.get(key));
                assertThat(tree.size()).isEqualTo(expected.size());
            }
            assertThat(new ArrayList<>(tree.keys())).isEqualTo(new ArrayList<>(expected.keySet()));
            assertThat(new ArrayList<>(tree.entries().values())).isEqualTo(new ArrayList<>(expected.values()));
            KvTree read = KvTreeFile.read(new MemoryByteSource(KvTreeFile.encode(tree)))
                    .tree();
            assertThat(read).isEqualTo(tree).isEqualTo(tree.copy());
            assertThat(new ArrayList<>(read.keys())).isEqualTo(new ArrayList<>(expected.keySet()));
        }
    }

    private static void change(int what, KvTree tree, Map<String, KvTree> expected, String key) {
        switch (what) {
            case 0 -> {
                tree.remove(key);
                expected.remove(key);
            }
            case 1 -> {
                tree.set(key, "value of " + key);
                expected.put(key, tree.add(key));
            }
            case 2 -> {
                KvTree subtree = new KvTree();
                tree.put(key, subtree);
                expected.put(key, subtree);
            }
            default -> {
                KvTree subtree = tree.add(key);
                expected.putIfAbsent(key, subtree);
                subtree.add("x");
            }
        }
    }

    /** What has a value keeps it when more is added behind it. */
    @Test
    void aValueCanGetSomethingBelowIt() {
        KvTree tree = new KvTree();
        tree.set("FETCHED", "monday");
        tree.add("FETCHED").add("monday").set("BY", "somebody");
        tree.add("FETCHED").add("tuesday");
        assertThat(tree.find("FETCHED", "monday").value("BY")).contains("somebody");
        assertThat(tree.get("FETCHED").keys()).containsExactly("monday", "tuesday");
        assertThat(tree.value("FETCHED")).isEmpty();
    }
}
