package io.drumlin.checkpoint.internal.engine;

import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a restarted run has of its own, beside the checkpoints of its groups: an empty file in its directory of metadata says
 * so (docs/formats/fti-run-directory.md, section 18).
 */
public enum OwnCheckpoints {
    /** It has some, and a restart that finds none has lost them: there is no such file. */
    SOME,
    /** It has none. Only groups have. */
    NONE,
    /** The first one was begun. Whether it was completed is not known until it is found. */
    BEGUN;

    static OwnCheckpoints of(Path meta) throws IOException {
        if (PathStatus.exists(BEGUN.file(meta))) {
            return BEGUN;
        }
        return PathStatus.exists(NONE.file(meta)) ? NONE : SOME;
    }

    /** Returns the file that says this of a run. */
    public Path file(Path meta) {
        return meta.resolve(this == NONE ? "drumlin-groups-only" : "drumlin-groups-only-begun");
    }
}
