package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.IoFailures;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finds out whether a node sees another directory where all nodes should see the same one, because the file system is not
 * mounted there. The files of its ranks would be lost.
 */
public final class SharedMarker {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Map<String, Path> directories;
    private final List<Path> made = new ArrayList<>();
    private long start;

    /**
     * Creates the marker of one start of the run; makes no file yet.
     *
     * @param directories the directories that nodes share, by the keys of the configuration
     * @param start what {@link #start} returns on the first rank; there 0 for a new run and otherwise an odd number that
     *     differs at the next start
     */
    public SharedMarker(Map<String, Path> directories, long start) {
        this.directories = directories;
        this.start = start;
    }

    /** Returns a number for the other ranks, which is even and not 0 if there is no marker. */
    public long start() {
        return start;
    }

    private Path file(Path directory) {
        return directory.resolve("drumlin-shared-" + Long.toHexString(start));
    }

    /** Makes the marker files; called by the first rank before the others look for them. */
    public void make() throws IOException {
        for (Path directory : directories.values()) {
            Path file = file(directory);
            try {
                made.add(file);
                Files.createFile(file);
            } catch (FileAlreadyExistsException e) {
                // Both are the same directory, or an NFS server has received the request twice.
                LOG.log(Logger.Level.DEBUG, "the marker is there", e);
            } catch (IOException e) {
                if (start == 0) {
                    throw IoFailures.explain("making a marker", file, e);
                }
                // A restart from a full file system is worth more than a marker.
                LOG.log(Logger.Level.WARNING, "nodes do not look whether they see the same {0}: {1}", directory, e);
                start--;
                return;
            }
        }
    }

    /**
     * Requires that this node sees what the first rank has made; called by one rank of each node. It tries to make the files
     * itself: what a client remembers of a directory cannot deceive it then.
     *
     * @param node the number and the name of this node
     */
    public void requireSeen(String node) throws DrumlinException {
        if (start != 0 && start % 2 == 0) {
            return;
        }
        for (Map.Entry<String, Path> each : directories.entrySet()) {
            Path file = file(each.getValue());
            try {
                Files.createFile(file);
            } catch (IOException e) {
                // It is there; or the first checkpoint reports what is wrong with the directory.
                LOG.log(Logger.Level.DEBUG, "the marker is there or cannot be made", e);
                continue;
            }
            delete(file);
            // What this node has made in the wrong place.
            delete(each.getValue());
            throw DrumlinException.during("start")
                    .path(each.getValue())
                    .problem(node + ", does not see there what rank 0 has made: " + each.getKey()
                            + " is another directory on this node")
                    .advice("mount the same file system there on all nodes, or correct " + each.getKey())
                    .exception();
        }
    }

    /** Deletes the marker files that this rank has made. Called after all nodes have looked. */
    public void delete() {
        made.forEach(SharedMarker::delete);
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "the marker or a directory with other files stays", e);
        }
    }
}
