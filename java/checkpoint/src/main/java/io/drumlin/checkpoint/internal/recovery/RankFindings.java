package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.internal.directory.FileLocation;
import io.drumlin.checkpoint.internal.recovery.CheckpointSearch.Left;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that a rank has of a checkpoint.
 *
 * @param rank rank in the names of its files
 * @param position position in the order in which checkpoints were taken, or -1
 * @param expected the files that it would have if none were lost
 */
public record RankFindings(int rank, Left left, long position, boolean archived, List<Path> expected) {

    public List<Path> files() {
        return left.stored().places().values().stream()
                .flatMap(List::stream)
                .map(FileLocation::path)
                .toList();
    }
}
