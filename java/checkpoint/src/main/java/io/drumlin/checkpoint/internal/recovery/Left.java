package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.DataSource;
import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileKind;
import io.drumlin.checkpoint.internal.directory.CommitSlot;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import java.util.EnumSet;

/**
 * The remaining files of a checkpoint.
 *
 * @param slot place of the files in this rank's directory
 * @param whole kinds of this rank's whole files there
 * @param source where this rank gets its data from
 * @param recoverable whether every rank gets its data; the same on all ranks
 */
public record Left(
        Candidate candidate, CommitSlot slot, EnumSet<FileKind> whole, DataSource source, boolean recoverable) {

    public Level level() {
        return stored().level();
    }

    public StoredCheckpoint stored() {
        return candidate.stored();
    }
}
