package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FileNames;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deletes checkpoints from the archive of level 4, the metadata first. A directory announces the deletion, with the
 * identity of the checkpoint in its name. If a kill interrupts it, only what has that identity is deleted later: a new
 * checkpoint may have got the same id meanwhile.
 */
final class ArchiveDeletion {

    private static final String MARK = "drumlin-deleted-";
    private static final Pattern MARKED = Pattern.compile(MARK + "(\\d{1,9})(?:-([0-9a-f]{1,16}))?");

    private static final int HEX = 16;

    private final FtiConfig config;
    private final RunDirectory run;
    private final StorageEngine storage;

    ArchiveDeletion(FtiConfig config, String execId, StorageEngine storage) {
        this.config = config;
        this.storage = storage;
        run = new RunDirectory(config, execId, 0);
    }

    /** Returns the files and directories of a checkpoint, the metadata first. */
    List<Path> paths(int ckptId) throws IOException {
        return RunInventory.archivePaths(run).getOrDefault(ckptId, List.of());
    }

    void delete(int ckptId) throws IOException {
        List<Path> paths = paths(ckptId);
        OptionalLong identity = CheckpointIdentity.of(ckptId, paths, storage);
        String name = MARK + ckptId + (identity.isPresent() ? "-" + Long.toHexString(identity.getAsLong()) : "");
        Path mark = run.global().resolve(name);
        DirectoryTree.make(mark, storage);
        for (Path path : paths) {
            DirectoryTree.delete(path, storage);
        }
        finished(mark);
    }

    /** Returns the directories that announce deletions. */
    List<Path> marks() throws IOException {
        List<Path> marks = new ArrayList<>();
        for (Path entry : PathStatus.entries(run.global())) {
            if (MARKED.matcher(entry.getFileName().toString()).matches()) {
                marks.add(entry);
            }
        }
        return marks;
    }

    /** Finishes a deletion that was interrupted. What does not say that it is of the checkpoint stays. */
    void finish(Path mark) throws IOException {
        Matcher name = MARKED.matcher(mark.getFileName().toString());
        if (!name.matches()) {
            return;
        }
        int ckptId = Integer.parseInt(name.group(1));
        OptionalLong identity = name.group(2) == null
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseUnsignedLong(name.group(2), HEX));
        for (Path root : List.of(run.global(), run.meta())) {
            if (PathStatus.exists(RunDirectory.replaced(root, Level.L4))) {
                // The next start moves a checkpoint to the archive, of which a part may be there.
                return;
            }
        }
        List<Path> paths = paths(ckptId);
        if (!config.mode().metadataApart()) {
            for (Path path : paths) {
                deleteIf(isOf(ckptId, List.of(path), identity), path);
            }
        } else {
            // The metadata go first, and without them the data are of no use.
            Path metadata = run.metaArchive().resolve(FileNames.archived(ckptId));
            boolean all = PathStatus.entries(metadata).isEmpty() || isOf(ckptId, List.of(metadata), identity);
            for (Path path : paths) {
                deleteIf(all, path);
            }
        }
        finished(mark);
    }

    private boolean isOf(int ckptId, List<Path> paths, OptionalLong identity) throws IOException {
        return identity.isPresent()
                && CheckpointIdentity.of(ckptId, paths, storage).equals(identity);
    }

    private void deleteIf(boolean superfluous, Path path) throws IOException {
        if (superfluous) {
            DirectoryTree.delete(path, storage);
        }
    }

    private void finished(Path mark) throws IOException {
        if (PathStatus.exists(run.archive())) {
            storage.syncDirectory(run.archive());
        }
        storage.delete(mark);
        storage.syncDirectory(run.global());
    }
}
