package io.drumlin.checkpoint.internal.inspect;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.CheckpointListFile;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.provenance.StartsFile;
import io.drumlin.checkpoint.internal.topology.NodeList;
import io.drumlin.checkpoint.internal.topology.TopologyFile;
import io.drumlin.format.fti.IniFile;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The configuration with which a run was written, if it has become one of another number of ranks: {@code node_size} and
 * {@code group_size} are changed before a program continues on them.
 */
final class WritingConfig {

    private static final Pattern RANKS =
            Pattern.compile("\"ranks\":(\\d{1,9}),\"node_size\":(\\d{1,9}),\"group_size\":(\\d{1,9})[,}]");

    private WritingConfig() {}

    /**
     * Finds it.
     *
     * @param topology the run's {@code Topology.fti}, whose nodes are those of the ranks that wrote the run
     * @return empty if the configuration is of these ranks, or if nothing tells of others
     */
    static Optional<FtiConfig> of(FtiConfig config, String execId, IniFile topology, int nodes) throws IOException {
        RunDirectory run = new RunDirectory(config, execId, 0);
        OptionalInt ranks = ranks(run, topology);
        int perNode = config.nodeSize() - config.heads();
        List<StartsFile.Start> starts = StartsFile.read(run.meta());
        for (int i = starts.size() - 1; i >= 0; i--) {
            Matcher start = RANKS.matcher(starts.get(i).json());
            if (start.find()) {
                int startRanks = Integer.parseInt(start.group(1));
                int nodeSize = Integer.parseInt(start.group(2));
                boolean onTheseNodes = (long) nodes * (nodeSize - config.heads()) == startRanks;
                if (onTheseNodes && ranks.orElse(startRanks) == startRanks) {
                    return changed(config, nodeSize, Integer.parseInt(start.group(3)));
                }
            }
        }
        if (ranks.isEmpty() || ranks.getAsInt() == nodes * perNode || ranks.getAsInt() % nodes != 0) {
            return Optional.empty();
        }
        int group = TopologyFile.groupSize(topology);
        return changed(config, ranks.getAsInt() / nodes + config.heads(), group > 0 ? group : config.groupSize());
    }

    /** Returns the number of ranks that wrote the run; empty if it is unknown, or if several numbers did. */
    private static OptionalInt ranks(RunDirectory run, IniFile topology) throws IOException {
        OptionalInt known = TopologyFile.ranks(topology);
        if (known.isPresent()) {
            return known;
        }
        int[] listed;
        try {
            listed = CheckpointListFile.entries(run.checkpointList()).stream()
                    .mapToInt(CheckpointListFile.Entry::ranks)
                    .filter(each -> each > 0)
                    .distinct()
                    .toArray();
        } catch (IOException e) {
            if (IoFailures.mayPass(e)) {
                throw e;
            }
            // The survey names a damaged list, and needs it for this only.
            return OptionalInt.empty();
        }
        return listed.length == 1 ? OptionalInt.of(listed[0]) : OptionalInt.empty();
    }

    private static Optional<FtiConfig> changed(FtiConfig config, int nodeSize, int groupSize) throws IOException {
        boolean same = nodeSize == config.nodeSize() && groupSize == config.groupSize();
        return same ? Optional.empty() : Optional.of(config.with(nodeSize, groupSize));
    }

    /** Returns who has written the run, for people. */
    static String words(FtiConfig config, FtiConfig written, int nodes) {
        return "written by " + nodes * (written.nodeSize() - written.heads()) + " ranks with node_size = "
                + written.nodeSize() + " and group_size = " + written.groupSize() + ", which are " + config.nodeSize()
                + " and " + config.groupSize() + " now; " + NodeList.whatOtherRanksRecover(config);
    }
}
