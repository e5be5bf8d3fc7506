package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import java.nio.file.Path;

/** Where the files of a run lie, on this rank. */
public interface CheckpointDirectories {

    /** Where the files of a level lie. */
    Path directory(Level level, CommitSlot slot);

    /** Where the metadata of a level lie, in the modes that keep them apart from the data. */
    Path metadataDirectory(Level level, CommitSlot slot);
}
