package io.drumlin.checkpoint.internal.directory;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.topology.Topology;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of the files that ranks have in the directory of a level, without the ranks in them. At level 4 all ranks
 * share the directory: one rank reads it and tells the others the names, which are few, and every rank looks at its own
 * files only.
 */
public final class NamesOfRanks {

    /** Stands for the rank in a name. */
    private static final String RANK = "*";

    private NamesOfRanks() {}

    /**
     * Returns the names of the files of ordinary checkpoints in a directory; none if the directory is missing.
     *
     * @param topology topology of this run
     * @return the names, to be completed by {@link #ofRank}
     * @throws IOException the directory cannot be read, or was written by a run of another number of ranks, of which
     *     this run would recover only a part
     */
    public static Set<String> in(Path directory, Topology topology) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path entry : PathStatus.entries(directory)) {
            Matcher name = match(FileNames.RANK_FILE, entry);
            if (name.matches()) {
                long owner = Long.parseLong(name.group(3));
                if (!isOfRun(owner, topology) && PathStatus.isRegularFile(entry)) {
                    requireRank(entry, owner, topology);
                }
                names.add(withoutRank(name, 3));
            }
        }
        return names;
    }

    /**
     * Returns the names of the files of differential checkpoints; otherwise like {@link #in}.
     *
     * @throws IOException the directory cannot be read, or has a file of a rank that the application does not have
     */
    public static Set<String> ofDifferentialIn(Path directory, Topology topology) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path entry : PathStatus.entries(directory)) {
            Matcher name = match(FileNames.DIFFERENTIAL_FILE, entry);
            if (name.matches()) {
                requireRank(entry, Long.parseLong(name.group(2)), topology);
                names.add(withoutRank(name, 2));
            }
        }
        return names;
    }

    /** Returns the name that a rank's file has. */
    public static String ofRank(String name, int rank) {
        return name.replace(RANK, Integer.toString(rank));
    }

    /**
     * Refuses the files of heads of this rank's node. The rank that reads a directory of all ranks does not know the heads
     * of other nodes if ranks are not numbered node by node. For one rank of each node.
     *
     * @param names what {@link #in} has returned on that rank
     */
    public static void requireNoneOfHeads(Path directory, Set<String> names, Topology topology) throws IOException {
        for (int place = 0; !topology.isNumberedByNode() && place < topology.heads(); place++) {
            int head = topology.fileRankAt(place);
            for (String name : names) {
                Path file = directory.resolve(ofRank(name, head));
                if (PathStatus.isRegularFile(file)) {
                    requireRank(file, head, topology);
                }
            }
        }
    }

    /**
     * Deletes the files of other checkpoints than one, of all ranks of this run. For the rank that reads the directory.
     *
     * @param stay names of this rank's files of the checkpoint that stays, one for each kind that is looked at
     * @throws IOException the directory cannot be read, was written by a run of another number of ranks, or a file
     *     cannot be deleted
     */
    public static void deleteOthers(Path directory, List<String> stay, Topology topology, StorageEngine storage)
            throws IOException {
        Map<String, String> byKind = new HashMap<>();
        for (String own : stay) {
            Matcher name = FileNames.RANK_FILE.matcher(own);
            if (name.matches()) {
                byKind.put(name.group(2), withoutRank(name, 3));
            }
        }
        for (Path entry : byKind.isEmpty() ? List.<Path>of() : PathStatus.entries(directory)) {
            Matcher name = match(FileNames.RANK_FILE, entry);
            if (!name.matches()) {
                continue;
            }
            long owner = Long.parseLong(name.group(3));
            String kept = byKind.get(name.group(2));
            boolean other = kept != null && !kept.equals(withoutRank(name, 3));
            if ((other || !isOfRun(owner, topology)) && PathStatus.isRegularFile(entry)) {
                requireRank(entry, owner, topology);
                storage.delete(entry);
            }
        }
    }

    /** Returns the name of an entry without the rank in it; empty if the entry is no file of a rank, by its name. */
    static Optional<String> withoutRank(Path entry) {
        Matcher ordinary = match(FileNames.RANK_FILE, entry);
        if (ordinary.matches()) {
            return Optional.of(withoutRank(ordinary, 3));
        }
        Matcher differential = match(FileNames.DIFFERENTIAL_FILE, entry);
        return differential.matches() ? Optional.of(withoutRank(differential, 2)) : Optional.empty();
    }

    private static Matcher match(Pattern pattern, Path entry) {
        return pattern.matcher(entry.getFileName().toString());
    }

    private static String withoutRank(Matcher name, int group) {
        String whole = name.group();
        return whole.substring(0, name.start(group)) + RANK + whole.substring(name.end(group));
    }

    private static boolean isOfRun(long owner, Topology topology) {
        return owner < topology.ranks() && topology.isOfApplication((int) owner);
    }

    private static void requireRank(Path entry, long owner, Topology topology) throws DrumlinException {
        if (owner >= topology.ranks()) {
            throw DrumlinException.during("restart")
                    .path(entry)
                    .problem("this is the file of rank " + owner + " and the run has " + topology.ranks() + " ranks")
                    .advice("restart with the number of ranks of the run that wrote it")
                    .exception();
        }
        if (!topology.isOfApplication((int) owner)) {
            throw DrumlinException.during("restart")
                    .path(entry)
                    .problem("this is the file of rank " + owner + ", which is a head now and would not get its data")
                    .advice("restart with the head and node_size of the run that wrote it")
                    .exception();
        }
    }
}
