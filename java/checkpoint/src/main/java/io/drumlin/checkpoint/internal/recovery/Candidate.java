package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;

/**
 * A checkpoint as far as this rank has files of it.
 *
 * @param level the level at which it was found
 * @param entry what tells it from others; the same on all ranks
 */
public record Candidate(Level level, CheckpointEntry entry, StoredCheckpoint stored) {

    /** Returns the position in the log, below 0 if it is not known. */
    public long position() {
        return entry.age().position();
    }
}
