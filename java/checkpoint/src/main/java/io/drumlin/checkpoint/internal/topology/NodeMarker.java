package io.drumlin.checkpoint.internal.topology;

import io.drumlin.DrumlinException;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out whether nodes share a directory that each node should have for itself. In a shared directory the first rank
 * of each node would rename and delete the files of the other nodes.
 */
public final class NodeMarker {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** How long another node may take to write into a marker after creating it. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Path file;
    private final String text;
    private boolean made;

    /**
     * Creates the marker of one start of the run on one node; makes no file yet.
     *
     * @param start a number that is the same on all ranks and differs at the next start, so that a marker left by a
     *     kill is ignored
     */
    public NodeMarker(Path local, int node, String name, long start) {
        file = local.resolve("drumlin-node-" + Long.toHexString(start));
        text = "node " + node + ", " + name;
    }

    /** Returns the number and the name of this node, as words of a message. */
    public String words() {
        return text;
    }

    /**
     * Makes the marker file of this node; called by one rank of the node. Only one node can create it in a directory,
     * whatever the clients have cached.
     */
    public void make() throws DrumlinException {
        try (OutputStream opened = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            // Without its words too the file is a marker, which is to be deleted.
            made = true;
            opened.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (FileAlreadyExistsException e) {
            requireOwn();
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "the first checkpoint reports what is wrong with the directory", e);
        }
    }

    private void requireOwn() throws DrumlinException {
        String other = maker();
        // An NFS server may have received the request twice.
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

    /** Returns which node made the marker; empty if it cannot be read. */
    private String maker() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String other = "";
        try {
            other = PathStatus.readText(file);
            // The other node creates the file first and writes to it later.
            while (other.isEmpty() && System.nanoTime() < end) {
                LockSupport.parkNanos(10_000_000L);
                other = PathStatus.readText(file);
            }
        } catch (IOException e) {
            other = "";
        }
        return other;
    }

    /** Deletes the marker. Called after all nodes have tried to make theirs. */
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
