package io.drumlin.checkpoint;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Finds out whether nodes share the directory that each should have of its own. In such a one each node's first rank would rename
 * and delete what the others have written.
 */
final class NodeMarker {

    private final Path file;
    private final String text;
    private boolean made;

    /**
     * @param start the same on all ranks of a start of the run, and another at the next: what a kill has left means nothing
     */
    NodeMarker(Path local, Topology topology, long start) {
        file = local.resolve("drumlin-node-" + Long.toHexString(start));
        text = "node " + topology.node() + ", " + topology.nodeName();
    }

    /** Makes the marker of this node, for one rank of it: only one node can make it in one directory, whatever its clients have cached. */
    void make() throws DrumlinException {
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
        String other;
        try {
            other = Files.readString(file);
        } catch (IOException e) {
            other = "";
        }
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

    /** Deletes it; to be called when all nodes have tried. */
    void delete() {
        if (made) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                made = false;
            }
        }
    }
}
