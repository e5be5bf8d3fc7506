package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.internal.directory.FileLocation;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that a rank has of a checkpoint.
 *
 * @param rank rank in the names of its files
 * @param expected the files that it would have if none were lost
 */
public record RankFindings(int rank, Left left, List<Path> expected) {

    public List<Path> files() {
        return left.stored().places().values().stream()
                .flatMap(List::stream)
                .map(FileLocation::path)
                .toList();
    }
}
