package io.drumlin.checkpoint.internal.topology;

import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The id of the run's directory on a node, in a file there. With it a restart knows the disk again, whatever name the
 * node has now (docs/formats/fti-run-directory.md, section 2).
 */
public final class NodeDisk {

    private static final String FILE = "drumlin-disk";

    private static final Pattern ID = Pattern.compile("[0-9a-f]{1,16}-[0-9]{1,10}");

    private NodeDisk() {}

    /**
     * Returns an id that no other disk of the run has.
     *
     * @param start a number of this start of the run that no other start has
     * @param node the node on which the disk is
     */
    public static String newId(long start, int node) {
        return Long.toHexString(start) + "-" + node;
    }

    /** Returns the file with the id. */
    public static Path file(Path local) {
        return local.resolve(FILE);
    }

    /**
     * Returns the id of the disk; empty if it has none.
     *
     * @param local the run's directory on this node
     */
    public static String read(Path local) throws IOException {
        Path file = file(local);
        if (!PathStatus.isRegularFile(file)) {
            return "";
        }
        String id = TextFiles.read(file).strip();
        return ID.matcher(id).matches() ? id : "";
    }

    /**
     * Writes the id. A disk without one is known by the name of its node, so an error is no obstacle; the first
     * checkpoint reports what is wrong with the directory.
     */
    public static void write(Path local, String id, StorageEngine storage) {
        try {
            TextFiles.replace(file(local), id + "\n", storage);
        } catch (IOException e) {
            System.getLogger("io.drumlin.checkpoint")
                    .log(System.Logger.Level.DEBUG, "the disk below {0} gets no id: {1}", local, e.toString());
        }
    }
}
