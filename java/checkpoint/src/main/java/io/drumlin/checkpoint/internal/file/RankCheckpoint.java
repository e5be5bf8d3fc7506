package io.drumlin.checkpoint.internal.file;

import io.drumlin.checkpoint.Level;
import java.nio.file.Path;

/**
 * The checkpoint from which this rank's data can be recovered.
 *
 * @param path this rank's file, or the shared file
 * @param file content of the file
 */
public record RankCheckpoint(Level level, Path path, StoredFile file) {}
