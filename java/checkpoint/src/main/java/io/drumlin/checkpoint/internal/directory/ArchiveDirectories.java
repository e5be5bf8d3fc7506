package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The archive of level 4 as a place where checkpoints of that level lie (docs/formats/fti-run-directory.md, section 1).
 *
 * @param files the directory with the files of all archived checkpoints
 * @param metadata the directory with the metadata of the checkpoints, or of one checkpoint, in the modes that keep them
 *     apart from the data
 */
public record ArchiveDirectories(Path files, Path metadata) implements CheckpointDirectories {

    /**
     * Returns the places with archived checkpoints: one with all of them, or if metadata lie apart, one for each of
     * their directories, the newest first; those that the log does not have are by their ids, from the highest to the
     * lowest.
     */
    public static List<ArchiveDirectories> in(RunDirectory run, boolean metadataApart, StorageEngine storage)
            throws IOException {
        Path files = run.archive();
        if (!metadataApart) {
            return PathStatus.exists(files) ? List.of(new ArchiveDirectories(files, run.metaArchive())) : List.of();
        }
        List<Path> found = new ArrayList<>();
        RunInventory.of(run, storage).archived().forEach(each -> found.add(each.metadata()));
        List<Path> there = PathStatus.entries(run.metaArchive());
        found.retainAll(there);
        // Those that were damaged when they were archived have no id.
        there.stream().filter(each -> !found.contains(each)).forEach(found::add);
        List<ArchiveDirectories> archives = new ArrayList<>();
        for (Path metadata : found) {
            if (PathStatus.isDirectory(metadata)) {
                archives.add(new ArchiveDirectories(files, metadata));
            }
        }
        return archives;
    }

    @Override
    public Path directory(Level level, CommitSlot slot) {
        return CheckpointDirectories.alone(files, slot);
    }

    @Override
    public Path metadataDirectory(Level level, CommitSlot slot) {
        return CheckpointDirectories.alone(metadata, slot);
    }
}
