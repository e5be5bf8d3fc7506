package io.drumlin.checkpoint;

import io.drumlin.checkpoint.Recovery.Left;
import java.nio.file.Path;
import java.util.List;

/**
 * What a rank has of a checkpoint.
 *
 * @param rank that the names of its files carry
 * @param position in the order in which checkpoints were taken, or -1
 * @param expected the files it would have if none were lost
 */
record RankFindings(int rank, Left left, long position, boolean archived, List<Path> expected) {

    List<Path> files() {
        return left.stored().places().values().stream()
                .flatMap(List::stream)
                .map(FileLocation::path)
                .toList();
    }
}
