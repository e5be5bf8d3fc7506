package io.drumlin.checkpoint.internal.directory;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out whether nodes share the directory that each should have of its own. In such a one each node's first rank would rename
 * and delete what the others have written.
 */
public final class NodeMarker {

    /** How long another node may take to write into a marker that it has made. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Path file;
    private final String text;
    private boolean made;

    /**
     * The marker of one start of the run on one node.
     *
     * @param start the same on all ranks of a start of the run, and another at the next: what a kill has left means nothing
     */
    public NodeMarker(Path local, int node, String name, long start) {
        file = local.resolve("drumlin-node-" + Long.toHexString(start));
        text = "node " + node + ", " + name;
    }

    /** Makes the marker of this node, for one rank of it: only one node can make it in one directory, whatever its clients have cached. */
    public void make() throws DrumlinException {
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
            made = true;
        } catch (FileAlreadyExistsException e) {
            requireOwn();
        } catch (IOException e) {
            // What is wrong with the directory shows at the first checkpoint.
            made = false;
        }
    }

    private void requireOwn() throws DrumlinException {
        String other = maker();
        // A server of NFS may have been asked twice.
        made = other.equals(text);
        if (!made) {
            throw DrumlinException.during("start")
                    .path(file)
                    .problem(
                            "the directory of this marker, below ckpt_dir, is shared by nodes, and each needs one of its own: "
                                    + text + (other.isEmpty() ? " and another one" : " and " + other))
                    .advice("set ckpt_dir to storage of the node, such as /local or /dev/shm; glbl_dir and meta_dir are"
                            + " those that nodes share")
                    .exception();
        }
    }

    /** Who made the marker; empty if that cannot be read. */
    private String maker() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String other = "";
        try {
            other = Files.readString(file);
            // A file is made first and written then.
            while (other.isEmpty() && System.nanoTime() < end) {
                LockSupport.parkNanos(10_000_000L);
                other = Files.readString(file);
            }
        } catch (IOException e) {
            other = "";
        }
        return other;
    }

    /** Deletes it; to be called when all nodes have tried. */
    public void delete() {
        if (made) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                made = false;
            }
        }
    }
}
