package io.drumlin.checkpoint.internal.catalogue;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.scrindex.ArchiveIndex;
import io.drumlin.scr.ScrPrefix;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deletes checkpoints from the archive of level 4: the record in the index of SCR first, then the metadata. A directory announces the
 * deletion. If a kill interrupts it, what is older than the announcement is deleted later: a new checkpoint may have got
 * the same id meanwhile.
 */
final class ArchiveDeletion {

    private static final String MARK = "drumlin-deleted-";
    private static final Pattern MARKED = Pattern.compile(MARK + "(\\d{1,9})");

    private final RunDirectory run;
    private final StorageEngine storage;
    private final Optional<ArchiveIndex> index;

    ArchiveDeletion(FtiConfig config, String execId, StorageEngine storage) {
        this.storage = storage;
        run = new RunDirectory(config, execId, 0);
        index = config.scrIndex()
                .map(prefix ->
                        new ArchiveIndex(new ScrPrefix(prefix), run, storage, config.ioMode() != FtiConfig.IO_FTIFF));
    }

    /** Returns the files and directories of a checkpoint, the metadata first. */
    List<Path> paths(int ckptId) throws IOException {
        return Archive.archived(run).getOrDefault(ckptId, List.of());
    }

    void delete(int ckptId) throws IOException {
        Path mark = run.global().resolve(MARK + ckptId);
        // Left of another deletion, whose checkpoint may have been replaced by this one.
        DirectoryTree.delete(mark, storage);
        DirectoryTree.make(mark, storage);
        finish(mark, ckptId);
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

    /** Finishes a deletion that was interrupted. */
    void finish(Path mark) throws IOException {
        Matcher name = MARKED.matcher(mark.getFileName().toString());
        if (name.matches()) {
            finish(mark, Integer.parseInt(name.group(1)));
        }
    }

    private void finish(Path mark, int ckptId) throws IOException {
        if (index.isPresent()) {
            // If a newer checkpoint has the id meanwhile, the run's next one lists it again.
            index.get().remove(List.of(ckptId));
        }
        FileTime announced = PathStatus.read(mark).lastModifiedTime();
        for (Path path : paths(ckptId)) {
            if (PathStatus.isDirectory(path)) {
                for (Path entry : PathStatus.entries(path)) {
                    deleteIfOlder(entry, announced);
                }
                if (PathStatus.entries(path).isEmpty()) {
                    storage.delete(path);
                }
            } else {
                deleteIfOlder(path, announced);
            }
        }
        if (PathStatus.exists(run.archive())) {
            storage.syncDirectory(run.archive());
        }
        storage.delete(mark);
        storage.syncDirectory(run.global());
    }

    private void deleteIfOlder(Path path, FileTime announced) throws IOException {
        if (PathStatus.read(path).lastModifiedTime().compareTo(announced) <= 0) {
            storage.delete(path);
        }
    }
}
