package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import java.nio.file.Path;

/** The directories with the files of a run, as this rank sees them. */
public interface CheckpointDirectories {

    /** Returns the directory with the files of a level. */
    Path directory(Level level, CommitSlot slot);

    /** Returns the directory with the metadata of a level, in the modes that keep them apart from the data. */
    Path metadataDirectory(Level level, CommitSlot slot);
}
