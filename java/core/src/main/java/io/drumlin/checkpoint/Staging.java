package io.drumlin.checkpoint;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Brings files that a rank has written on its node to the parallel file system: {@code enable_staging} of the configuration
 * (docs/formats/fti-run-directory.md, section 7).
 *
 * <p>A copy gets its name when it is whole and durable, so nobody finds half of it, and a file it replaces stays until then.
 * Without heads {@link #send} copies; with heads a thread of the rank does it behind the computation, and the run's completion
 * waits for it. One thread per rank calls.
 */
public interface Staging {

    /**
     * Where the ranks of a node write files that are to be sent. It is deleted with the run's other files on the node.
     *
     * @return an existing directory on node-local storage
     */
    Path directory();

    /**
     * Sends a file. If it is copied at once, the local file is deleted when the copy is durable; if a thread copies it, it stays
     * and must not change until the request is done.
     *
     * @param local an existing file
     * @param remote the copy, in an existing directory; an existing file is replaced, if it is not the local one
     * @return the request, done if the file is copied at once
     * @throws IOException the file was to be copied at once and could not be; it is still there
     */
    StageRequest send(Path local, Path remote) throws IOException;
}
