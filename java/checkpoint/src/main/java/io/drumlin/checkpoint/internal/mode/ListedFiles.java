package io.drumlin.checkpoint.internal.mode;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.CheckpointDirectories;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.directory.NamesOfRanks;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The files that ranks have in the directories of a level, by their names. One of the ranks that share the directories
 * reads them and tells the others.
 *
 * @param names names as {@link NamesOfRanks#in} returns them, by the place of the directory
 */
public record ListedFiles(Map<CommitSlot, Set<String>> names) {

    /**
     * Reads the directories of a level. Collective.
     *
     * @param places the directories, the same on all ranks that share them
     */
    public static ListedFiles of(RankContext context, CheckpointDirectories places, Level level) throws IOException {
        Communicator sharing = context.sharing(level);
        Topology topology = context.topology();
        StringBuilder lines = new StringBuilder();
        for (CommitSlot slot : sharing.rank() == 0 ? List.of(CommitSlot.values()) : List.<CommitSlot>of()) {
            Path directory = places.directory(level, slot);
            context.rejected().succeeds("listing", directory, () -> {
                Set<String> names = level == Level.L4_DCP
                        ? NamesOfRanks.ofDifferentialIn(directory, topology)
                        : NamesOfRanks.in(directory, topology);
                names.forEach(
                        name -> lines.append(slot).append('/').append(name).append('\n'));
            });
        }
        List<String> agreed =
                Agreement.bcast(sharing, lines.toString(), 0).lines().toList();
        Map<CommitSlot, Set<String>> names = new EnumMap<>(CommitSlot.class);
        for (CommitSlot slot : CommitSlot.values()) {
            Set<String> there = at(slot, agreed);
            boolean asked = level.isGlobal() && topology.isNodeMaster() && !there.isEmpty();
            boolean refused = asked && !hasNoneOfHeads(context, places.directory(level, slot), there);
            names.put(slot, refused ? Set.of() : there);
        }
        return new ListedFiles(names);
    }

    private static Set<String> at(CommitSlot slot, List<String> lines) {
        String prefix = slot + "/";
        return lines.stream()
                .filter(line -> line.startsWith(prefix))
                .map(line -> line.substring(prefix.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean hasNoneOfHeads(RankContext context, Path directory, Set<String> names) {
        return context.rejected()
                .succeeds(
                        "looking for files of heads in",
                        directory,
                        () -> NamesOfRanks.requireNoneOfHeads(directory, names, context.topology()));
    }

    /** Returns the names that the files of a rank have in a directory, if it has them. */
    public List<String> ofRank(CommitSlot slot, int rank) {
        return names.getOrDefault(slot, Set.of()).stream()
                .map(name -> NamesOfRanks.ofRank(name, rank))
                .toList();
    }
}
