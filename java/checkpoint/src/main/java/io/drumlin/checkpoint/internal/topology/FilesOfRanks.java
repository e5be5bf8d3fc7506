package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Counts the files of all ranks in a directory that the ranks share, as one rank sees it. What another rank has written is
 * missing if the file system is not mounted on its node.
 */
public final class FilesOfRanks {

    /** Most ranks that a message names. */
    private static final int MOST_NAMED = 16;

    private FilesOfRanks() {}

    /**
     * Requires the files of all ranks if there are those of any, and the metadata of all groups if there are those of any.
     *
     * @param groups number of groups whose metadata lie apart from the data
     */
    public static void requireAll(Path directory, int groups, Topology topology) throws IOException {
        Map<Integer, String> files = new HashMap<>();
        int described = 0;
        for (Path entry : PathStatus.entries(directory)) {
            String name = entry.getFileName().toString();
            OptionalInt owner = FileNames.anyOwner(name);
            if (owner.isPresent() && topology.isOfApplication(owner.getAsInt())) {
                files.put(owner.getAsInt(), name);
            } else if (FileNames.METADATA_FILE.matcher(name).matches()) {
                described++;
            }
        }
        int ranks = topology.ranksOfApplication();
        if (!files.isEmpty() && files.size() < ranks) {
            throw missing(directory, files.size() + " of " + ranks + " ranks" + without(files, topology), "glbl_dir");
        }
        if (described > 0 && described < groups) {
            throw missing(directory, described + " of " + groups + " groups of ranks", "meta_dir");
        }
    }

    /** Deletes the files of differential checkpoints of ranks that this run does not have. */
    public static void deleteOthers(Path directory, Topology topology, StorageEngine storage) throws IOException {
        for (Path file : PathStatus.entries(directory)) {
            OptionalInt rank = FileNames.differentialOwner(file.getFileName().toString());
            if (rank.isPresent() && !topology.isOfApplication(rank.getAsInt())) {
                storage.delete(file);
            }
        }
    }

    private static String without(Map<Integer, String> files, Topology topology) {
        List<Integer> missing = IntStream.range(0, topology.ranks())
                .filter(rank -> topology.isOfApplication(rank) && !files.containsKey(rank))
                .limit(MOST_NAMED)
                .boxed()
                .toList();
        return ", not those of " + RankRanges.of(missing) + (missing.size() == MOST_NAMED ? " and more" : "");
    }

    private static DrumlinException missing(Path directory, String found, String key) {
        return DrumlinException.during("commit")
                .path(directory)
                .problem("the first rank sees the files of " + found + "; all of them have written theirs")
                .advice("see that " + key
                        + " is mounted on all nodes, with the same files; the checkpoint before is kept")
                .exception();
    }
}
