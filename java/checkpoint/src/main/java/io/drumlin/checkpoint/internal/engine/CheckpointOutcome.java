package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.CheckpointReport;
import io.drumlin.checkpoint.DifferentialShare;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import java.io.IOException;
import java.util.Optional;

/**
 * A checkpoint that is in its place.
 *
 * @param source this rank's data of the checkpoint
 * @param report size and times of the checkpoint on this rank
 * @param share how much a differential checkpoint had to write
 * @param late the failure after the commit, on all ranks
 */
public record CheckpointOutcome(
        RankCheckpoint source,
        CheckpointReport report,
        Optional<DifferentialShare> share,
        Optional<IOException> late) {}
