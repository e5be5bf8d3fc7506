package io.drumlin.golden.ftiff;

import io.drumlin.golden.Outcome;
import java.io.IOException;
import java.nio.file.Path;

/** Makes the calls of a case with Drumlin and compares what it leaves on disk at each snapshot. */
@FunctionalInterface
public interface Rewriter {

    /** Used while nothing can make the calls. */
    Rewriter NONE = (manifest, directory, outcome) ->
            outcome.compared("writing again: not compared, the checkpoint engine is not attached");

    /**
     * Writes the case again. Works in a temporary directory of its own; {@link SnapshotComparison} compares.
     *
     * @param manifest the case
     * @param directory the case's golden files
     * @param outcome gets what was compared or why not, and what differs
     * @throws IOException files cannot be written or read
     */
    void rewrite(Manifest manifest, Path directory, Outcome outcome) throws IOException;
}
