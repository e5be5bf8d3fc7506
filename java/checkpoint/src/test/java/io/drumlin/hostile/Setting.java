package io.drumlin.hostile;

import io.drumlin.checkpoint.Level;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How a run is configured: four nodes with one or two ranks each.
 *
 * @param nodeSize ranks per node, heads included
 * @param heads whether each node has a head, the first of its two ranks
 * @param changes to the configuration of {@link io.drumlin.checkpoint.fixture.RunFixture}
 */
record Setting(int ioMode, int nodeSize, boolean heads, int groupSize, Map<String, String> changes) {

    static final int NODES = 4;

    private static final Map<String, StorageEngine> ENGINES = new ConcurrentHashMap<>();

    static Setting random(Random random, boolean archives, int mostRanksOfNode) throws IOException {
        Map<String, String> changes = new TreeMap<>();
        int ioMode = 1 + random.nextInt(5);
        int nodeSize = 1 + random.nextInt(mostRanksOfNode);
        int groupSize = new int[] {1, 2, 2, 4, 4}[random.nextInt(5)];
        boolean heads = nodeSize == 2 && random.nextInt(3) == 0;
        changes.put("basic.ckpt_io", Integer.toString(ioMode));
        changes.put("basic.node_size", Integer.toString(nodeSize));
        changes.put("basic.group_size", Integer.toString(groupSize));
        if (heads) {
            changes.put("basic.head", "1");
            for (int level = 2; level <= 4; level++) {
                changes.put("basic.inline_l" + level, Integer.toString(random.nextInt(2)));
            }
        }
        String layout = List.of("F", "F", "E", "A").get(random.nextInt(4));
        changes.put("drumlin.layout", layout);
        if ((ioMode == 1 || (ioMode == 3 && !layout.equals("A"))) && random.nextInt(2) == 0) {
            changes.put("basic.enable_dcp", "1");
            changes.put("basic.dcp_mode", Integer.toString(1 + random.nextInt(2)));
            changes.put("basic.dcp_block_size", ioMode == 3 ? "512" : Integer.toString(32 << random.nextInt(5)));
            changes.put("basic.dcp_stack_size", Integer.toString(1 + random.nextInt(3)));
        }
        changes.put("basic.keep_last_ckpt", Integer.toString(random.nextInt(2)));
        changes.put("basic.keep_l4_ckpt", Integer.toString(archives ? 1 : random.nextInt(2)));
        changes.put("drumlin.packing", random.nextBoolean() ? "aligned" : "compact");
        changes.put("drumlin.async", random.nextInt(4) == 0 ? "1" : "0");
        List<String> engines = StorageEngines.names();
        changes.put("drumlin.storage", engines.get(random.nextInt(engines.size())));
        changes.put("drumlin.slab_memory", "2");
        changes.put("advanced.local_test", "0");
        int kept = random.nextInt(5);
        if (kept > 1 && changes.get("basic.keep_l4_ckpt").equals("0")) {
            changes.put("drumlin.keep", Integer.toString(kept));
        }
        return new Setting(ioMode, nodeSize, heads, groupSize, changes);
    }

    int ranks() {
        return NODES * nodeSize;
    }

    boolean is(String key) {
        return changes.getOrDefault(key, "0").equals("1");
    }

    /** How many checkpoints of level 4 stay, the last one included; all are not counted. */
    int kept() {
        return Integer.parseInt(changes.getOrDefault("drumlin.keep", "1"));
    }

    /** Whether checkpoints may be finished while the program goes on. */
    boolean behind() {
        return heads || is("drumlin.async");
    }

    /** Whether variables may be added one by one. */
    boolean isIncremental() {
        return ioMode != 3 || !changes.get("drumlin.layout").equals("A");
    }

    List<Level> levels() {
        List<Level> levels = new ArrayList<>(List.of(Level.L1, Level.L4));
        if (groupSize > 1) {
            levels.addAll(List.of(Level.L2, Level.L3, Level.L2, Level.L3));
        }
        if (is("basic.enable_dcp")) {
            levels.addAll(List.of(Level.L4_DCP, Level.L4_DCP));
        }
        return levels;
    }

    /** The engine for all starts, which is made once: each has threads and memory. */
    StorageEngine engine() throws IOException {
        String name = changes.get("drumlin.storage");
        StorageEngine known = ENGINES.get(name);
        if (known == null) {
            boolean pure = "off".equals(System.getProperty("drumlin.native"));
            known = StorageEngines.byName(pure && name.equals("native") ? "nio" : name);
            ENGINES.put(name, known);
        }
        return known;
    }
}
