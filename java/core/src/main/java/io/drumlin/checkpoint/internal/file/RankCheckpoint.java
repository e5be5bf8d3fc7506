package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.Level;
import java.nio.file.Path;

/**
 * The checkpoint that this rank's data can be recovered from.
 *
 * @param path this rank's file, or the shared one
 * @param file what it holds, and where
 */
public record RankCheckpoint(Level level, Path path, StoredFile file) {}
