package io.drumlin.bench;

import io.drumlin.checkpoint.Checkpoints;
import io.drumlin.checkpoint.Level;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.ThreadCommunicator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The calls that ranks make in a real run with threads as ranks and small files: opening, two checkpoints of each level, a
 * restart from each, and the end. The ranks are on nodes of {@value #NODE_SIZE} in groups of {@value #GROUP_SIZE}.
 */
final class ScaleModel {

    static final int NODE_SIZE = 4;
    static final int GROUP_SIZE = 4;

    private final Communicator world;
    private final Marker marker;
    private final List<Call> calls = new ArrayList<>();
    private final Map<String, List<Call>> phases = new LinkedHashMap<>();
    private String phase = "";

    private ScaleModel(Communicator world, Marker marker) {
        this.world = world;
        this.marker = marker;
    }

    /** Learns on each rank that a phase begins; without a name, that the last has ended. Collective. */
    @FunctionalInterface
    interface Marker {
        void begin(String phase, Communicator world) throws IOException;
    }

    /**
     * Runs the job.
     *
     * @param folder a new one is made in it
     * @param ranks of the job, a multiple of the ranks of a sector
     * @param ioMode {@code ckpt_io}
     * @return the calls of a communicator of each rank, by what it did, in the order in which it did
     */
    static List<Map<String, List<Call>>> run(Path folder, int ranks, int ioMode) throws IOException {
        return run(folder, ranks, ioMode, (begun, world) -> {});
    }

    /**
     * Runs the job, and tells its phases; otherwise like {@link #run(Path, int, int)}.
     *
     * @param marker learns of all phases, also of those that are the same for each level
     */
    static List<Map<String, List<Call>>> run(Path folder, int ranks, int ioMode, Marker marker) throws IOException {
        List<Map<String, List<Call>>> phases = Stream.<Map<String, List<Call>>>generate(LinkedHashMap::new)
                .limit(ranks)
                .toList();
        for (Level level : List.of(Level.L1, Level.L2, Level.L3, Level.L4)) {
            Path run = Files.createDirectories(folder.resolve("L" + level.number()));
            Path config = Files.writeString(run.resolve("config.fti"), configuration(run, ioMode));
            for (boolean restart : new boolean[] {false, true}) {
                ThreadCommunicator.<IOException>run(ranks, world -> phases.get(world.rank())
                        .putAll(new ScaleModel(world, marker).job(config, level, restart)));
            }
        }
        return phases;
    }

    private Map<String, List<Call>> job(Path config, Level level, boolean restart) throws IOException {
        byte[] data = new byte[Long.BYTES];
        String name = "level " + level.number();
        begin(restart ? "restart from " + name : level == Level.L1 ? "start" : "");
        try (Checkpoints checkpoints = Checkpoints.open(config, new CallRecorder(world, calls))) {
            checkpoints.protect(0, data);
            if (restart) {
                begin("recovery from " + name);
                checkpoints.recover();
                begin("end after " + name);
                checkpoints.complete();
            } else {
                begin("checkpoint of " + name);
                checkpoints.checkpoint(1, level);
                begin("next checkpoint of " + name);
                checkpoints.checkpoint(2, level);
            }
        }
        // What is deleted behind the program is deleted by now, and belongs to the last phase.
        begin("");
        return phases;
    }

    private void begin(String next) throws IOException {
        if (!phase.isEmpty()) {
            phases.put(phase, List.copyOf(calls));
        }
        calls.clear();
        phase = next;
        marker.begin(next, world);
    }

    private static String configuration(Path run, int ioMode) {
        return String.join(
                "\n",
                "[basic]",
                "node_size = " + NODE_SIZE,
                "group_size = " + GROUP_SIZE,
                "ckpt_dir = " + run.resolve("local"),
                "glbl_dir = " + run.resolve("global"),
                "meta_dir = " + run.resolve("meta"),
                "ckpt_io = " + ioMode,
                "verbosity = 3",
                "[restart]",
                "failure = 0",
                "[advanced]",
                "block_size = 1024",
                "local_test = 1",
                "");
    }
}
