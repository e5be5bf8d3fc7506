package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Copies files that a rank has written on its node to the parallel file system: {@code enable_staging} of the
 * configuration (docs/formats/fti-run-directory.md, section 7).
 *
 * <p>A copy gets its name when it is whole and durable, so no reader finds an incomplete file, and a file that it
 * replaces exists until then. Without heads {@link #send} copies the file itself. With heads a thread of the rank
 * copies it in the background, and the completion of the run waits for the copy. Only one thread per rank may call
 * these methods.
 */
public interface Staging {

    /**
     * Returns the directory where the ranks of a node write files before they send them. It is deleted with the run's
     * other files on the node.
     *
     * @return an existing directory on node-local storage
     */
    Path directory();

    /**
     * Sends a file. If this call copies the file, it deletes the local file when the copy is durable. If a thread
     * copies the file, the local file is kept and must not change until the request is done.
     *
     * @param local an existing file
     * @param remote the copy, in an existing directory; an existing file is replaced, unless it is the local file. It has the
     *     permissions of the local file, and until it is complete only its owner can read it
     * @return the request; already done if this call copies the file
     * @throws IOException this call could not copy the file; the local file still exists
     */
    StageRequest send(Path local, Path remote) throws IOException;
}
