package io.drumlin.checkpoint;

import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/**
 * Files that cannot be used. That is no failure of a restart: another place, file or level may have the checkpoint.
 *
 * @param app the ranks that must not wait for one that met such a file
 * @param sink told of each file or directory and why it was refused
 */
record Refusals(Communicator app, BiConsumer<Path, IOException> sink) {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Refusals that are warned of. */
    static Refusals logged(Communicator app) {
        return new Refusals(
                app,
                (path, refused) -> LOG.log(Logger.Level.WARNING, "rank {0}: {1}", app.rank(), refused.getMessage()));
    }

    /**
     * Does something with a file.
     *
     * @param doing what, for the message of an unexpected failure
     * @return whether it succeeded
     */
    boolean succeeds(String doing, Path path, Agreement.Step step) {
        IOException refused = Agreement.attempt(app, doing + " " + path, step);
        if (refused != null) {
            sink.accept(path, refused);
        }
        return refused == null;
    }
}
