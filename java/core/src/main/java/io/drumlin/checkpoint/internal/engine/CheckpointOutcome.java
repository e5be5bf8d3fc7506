package io.drumlin.checkpoint.internal.engine;

import io.drumlin.checkpoint.DifferentialShare;
import io.drumlin.checkpoint.internal.file.RankCheckpoint;
import java.io.IOException;
import java.util.Optional;

/**
 * A checkpoint that is in its place.
 *
 * @param source this rank's data of the checkpoint
 * @param bytes bytes of this rank's file
 * @param durable when the file was durable, by {@link System#nanoTime}
 * @param share how much a differential checkpoint had to write
 * @param late the failure after the commit, on all ranks
 */
public record CheckpointOutcome(
        RankCheckpoint source,
        long bytes,
        long durable,
        Optional<DifferentialShare> share,
        Optional<IOException> late) {}
