package io.drumlin.checkpoint;

import java.nio.file.Path;

/**
 * The checkpoint that this rank's data can be recovered from.
 *
 * @param path this rank's file, or the shared one
 * @param file what it holds, and where
 * @param verified whether the whole file was read since it was written
 */
record Source(Level level, Path path, StoredFile file, boolean verified) {

    Source asVerified() {
        return new Source(level, path, file, true);
    }
}
