package io.drumlin.checkpoint;

import java.nio.file.Path;

/**
 * The checkpoint that this rank's data can be recovered from.
 *
 * @param path this rank's file, or the shared one
 * @param file what it holds, and where
 */
record Source(Level level, Path path, StoredFile file) {}
