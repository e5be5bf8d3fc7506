package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A place of checkpoints beside those of the levels: the archive of level 4, a checkpoint that was kept when another took its
 * place, or a stash (docs/formats/fti-run-directory.md, section 1). It takes part in no commit.
 *
 * @param level the level of the checkpoints
 * @param files the directory with their files, on this rank's node for levels 1 to 3
 * @param metadata the directory with the metadata of the checkpoints, or of one checkpoint, in the modes that keep them
 *     apart from the data
 */
public record PlaceAside(Level level, Path files, Path metadata) implements CheckpointDirectories {

    /** Returns the place of a kept checkpoint of a run. */
    public static PlaceAside of(RunDirectory run, RunInventory.Kept kept) {
        return new PlaceAside(
                kept.level(), run.local().resolve(kept.name()), run.meta().resolve(kept.name()));
    }

    /**
     * Returns the places with archived checkpoints: one with all of them, or if metadata lie apart, one for each of
     * their directories, the newest first; those that the log does not have are by their ids, from the highest to the
     * lowest.
     */
    public static List<PlaceAside> archives(RunDirectory run, boolean metadataApart, StorageEngine storage)
            throws IOException {
        Path files = run.archive();
        if (!metadataApart) {
            return PathStatus.exists(files) ? List.of(new PlaceAside(Level.L4, files, run.metaArchive())) : List.of();
        }
        List<Path> found = new ArrayList<>();
        RunInventory.of(run, storage).archived().forEach(each -> found.add(each.metadata()));
        List<Path> there = PathStatus.entries(run.metaArchive());
        found.retainAll(there);
        // Those that were damaged when they were archived have no id.
        there.stream().filter(each -> !found.contains(each)).forEach(found::add);
        List<PlaceAside> archives = new ArrayList<>();
        for (Path metadata : found) {
            if (PathStatus.isDirectory(metadata)) {
                archives.add(new PlaceAside(Level.L4, files, metadata));
            }
        }
        return archives;
    }

    @Override
    public Path directory(Level any, CommitSlot slot) {
        return alone(files, slot);
    }

    @Override
    public Path metadataDirectory(Level any, CommitSlot slot) {
        return alone(metadata, slot);
    }

    /** Nothing is in other slots. */
    private static Path alone(Path directory, CommitSlot slot) {
        return slot == CommitSlot.COMMITTED ? directory : directory.resolve("nothing");
    }
}
