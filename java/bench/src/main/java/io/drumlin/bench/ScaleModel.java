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

/**
 * The calls of a communicator that one rank makes in a real run with threads as ranks and small files: opening, checkpoints of all
 * levels, a restart from each. The ranks are on nodes of {@value #NODE_SIZE} in groups of {@value #GROUP_SIZE}.
 */
final class ScaleModel {

    static final int NODE_SIZE = 4;
    static final int GROUP_SIZE = 4;

    private ScaleModel() {}

    /**
     * Runs the job.
     *
     * @param folder a new one is made in it
     * @param ranks of the job, a multiple of the ranks of a sector
     * @param watched the rank whose calls are written down
     * @param ioMode {@code ckpt_io}
     * @return the calls by what the rank did, in the order in which it did
     */
    static Map<String, List<Call>> run(Path folder, int ranks, int watched, int ioMode) throws IOException {
        Map<String, List<Call>> phases = new LinkedHashMap<>();
        for (Level level : List.of(Level.L1, Level.L2, Level.L3, Level.L4)) {
            Path run = Files.createDirectories(folder.resolve("L" + level.number()));
            Path config = Files.writeString(run.resolve("config.fti"), configuration(run, ioMode));
            for (boolean restart : new boolean[] {false, true}) {
                List<Map<String, List<Call>>> all = ThreadCommunicator.<Map<String, List<Call>>, IOException>call(
                        ranks, world -> rank(config, world, level, restart));
                all.get(watched).forEach(phases::putIfAbsent);
            }
        }
        return phases;
    }

    private static Map<String, List<Call>> rank(Path config, Communicator world, Level level, boolean restart)
            throws IOException {
        List<Call> calls = new ArrayList<>();
        Map<String, List<Call>> phases = new LinkedHashMap<>();
        byte[] data = new byte[Long.BYTES];
        String name = "level " + level.number();
        try (Checkpoints checkpoints = Checkpoints.open(config, new CallRecorder(world, calls))) {
            checkpoints.protect(0, data);
            phases.put(restart ? "restart from " + name : "start", take(calls));
            if (restart) {
                checkpoints.recover();
                phases.put("recovery from " + name, take(calls));
            } else {
                checkpoints.checkpoint(1, level);
                phases.put("checkpoint of " + name, take(calls));
            }
        }
        return phases;
    }

    private static List<Call> take(List<Call> calls) {
        List<Call> taken = List.copyOf(calls);
        calls.clear();
        return taken;
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
