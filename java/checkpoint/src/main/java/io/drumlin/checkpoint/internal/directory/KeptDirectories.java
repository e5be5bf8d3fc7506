package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import java.nio.file.Path;

/**
 * The place of one checkpoint of level 1, 2 or 3, such as one that was kept when another took its place, or a stash.
 *
 * @param files the directory with its files on this rank's node
 * @param metadata the directory with its metadata, in the modes that keep them apart from the data
 */
public record KeptDirectories(Path files, Path metadata) implements CheckpointDirectories {

    /** Returns the place of a kept checkpoint of a run. */
    public static KeptDirectories of(RunDirectory run, Level level, int ckptId) {
        String name = RunInventory.nameOfKept(level, ckptId);
        return new KeptDirectories(run.local().resolve(name), run.meta().resolve(name));
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
