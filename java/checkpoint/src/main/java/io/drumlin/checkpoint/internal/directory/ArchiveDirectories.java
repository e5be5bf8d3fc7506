package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The archive of level 4 as a place where checkpoints of that level lie (docs/formats/fti-run-directory.md, section 1).
 *
 * @param files the directory with the files of all archived checkpoints
 * @param metadata the directory with the metadata of the checkpoints, or of one checkpoint, in the modes that keep them
 *     apart from the data
 */
public record ArchiveDirectories(Path files, Path metadata) implements CheckpointDirectories {

    private static final Pattern METADATA = Pattern.compile("Ckpt_(\\d{1,9})");

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
        List<ArchiveDirectories> found = new ArrayList<>();
        for (Path metadata : PathStatus.entries(run.metaArchive())) {
            if (PathStatus.isDirectory(metadata)) {
                found.add(new ArchiveDirectories(files, metadata));
            }
        }
        found.sort(Comparator.comparingInt(ArchiveDirectories::ckptId).reversed());
        CommitOrder order = new CommitOrder(run.commitLog()).read();
        Map<Path, Age> ages = new HashMap<>();
        for (ArchiveDirectories each : found) {
            OptionalLong identity = CheckpointIdentity.of(each.ckptId(), List.of(each.metadata), storage);
            ages.put(each.metadata, order.age(each.ckptId(), identity));
        }
        return CommitOrder.inOrder(found, each -> ages.getOrDefault(each.metadata, Age.UNKNOWN));
    }

    /** Returns the id in the name of the metadata's directory, or -1. */
    private int ckptId() {
        Matcher name = METADATA.matcher(metadata.getFileName().toString());
        return name.matches() ? Integer.parseInt(name.group(1)) : -1;
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
