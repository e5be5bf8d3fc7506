package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.directory.RunInventory;
import io.drumlin.checkpoint.internal.inventory.CheckpointEntry;
import io.drumlin.checkpoint.internal.topology.NodeDisk;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * The files that one node gives to a branch. Until the branch is known they lie in a directory whose number is in the
 * record of the branch. So files for a branch that was not made to the end count nowhere, also on a node that comes back
 * later (docs/formats/fti-run-directory.md, section 14).
 */
final class NodePart {

    private static final String PREFIX = "drumlin-branch-";

    private static final String UNFINISHED = ".part";

    private static final Pattern NUMBER = Pattern.compile("[0-9a-f]{1,16}");

    private final Path local;
    private final Path part;
    private final Path unfinished;
    private final StorageEngine storage;

    /**
     * @param local the branch's directory on the node
     * @param number the number in its record; if empty, there is no part that counts
     */
    NodePart(Path local, String number, StorageEngine storage) {
        this.local = local;
        this.storage = storage;
        part = local.resolve(PREFIX + number);
        unfinished = local.resolve(PREFIX + number + UNFINISHED);
    }

    /** Returns a number that no other branch has. */
    static String newNumber() {
        return Long.toHexString(ThreadLocalRandom.current().nextLong());
    }

    static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    private static boolean isOne(Path entry) {
        return entry.getFileName().toString().startsWith(PREFIX);
    }

    /** Returns whether a directory has a part, of whatever number. */
    static boolean isIn(Path local) throws IOException {
        return PathStatus.entries(local).stream().anyMatch(NodePart::isOne);
    }

    /** Returns something in a directory that is no part of a branch. */
    static Optional<Path> other(Path local) throws IOException {
        return PathStatus.entries(local).stream().filter(entry -> !isOne(entry)).findFirst();
    }

    /** Gives the branch what the node has of a checkpoint and the id of its disk, all or, after a kill, nothing. */
    void make(RunDirectory parent, CheckpointEntry checkpoint) throws IOException {
        Level level = checkpoint.level();
        deleteOthers();
        if (PathStatus.exists(part) || PathStatus.exists(RunDirectory.committed(local, level))) {
            return;
        }
        List<Path> files = files(parent, checkpoint);
        Path disk = NodeDisk.file(parent.local());
        boolean hasId = PathStatus.isRegularFile(disk);
        if (files.isEmpty() && !hasId) {
            return;
        }
        DirectoryTree.make(local, storage);
        DirectoryTree.make(unfinished, storage);
        if (!files.isEmpty()) {
            share(files, RunDirectory.committed(unfinished, level));
        }
        if (hasId) {
            SharedFiles.share(disk, NodeDisk.file(unfinished), storage);
        }
        storage.syncDirectory(unfinished);
        storage.rename(unfinished, part);
        storage.syncDirectory(local);
    }

    private List<Path> files(RunDirectory parent, CheckpointEntry checkpoint) throws IOException {
        List<Path> files = new ArrayList<>();
        for (CheckpointEntry each : RunInventory.of(parent, storage).ofNode()) {
            if (each.place().equals(checkpoint.place()) && each.ckptId() == checkpoint.ckptId()) {
                files.addAll(each.paths());
            }
        }
        return files;
    }

    private void share(List<Path> files, Path target) throws IOException {
        DirectoryTree.make(target, storage);
        for (Path file : files) {
            SharedFiles.share(file, target.resolve(file.getFileName()), storage);
        }
        storage.syncDirectory(target);
    }

    /**
     * Puts the files into their place, once the branch is known. The id of the disk comes first: while files are missing
     * from their place, the part is there, and the next start goes on.
     */
    void complete() throws IOException {
        List<Path> entries = PathStatus.entries(part);
        for (Path entry : entries) {
            Path place = local.resolve(entry.getFileName());
            if (!PathStatus.isDirectory(place)) {
                storage.rename(entry, place);
            }
        }
        storage.syncDirectory(local);
        deleteAll(local);
    }

    private void deleteOthers() throws IOException {
        for (Path entry : PathStatus.entries(local)) {
            if (isOne(entry) && !entry.equals(part)) {
                DirectoryTree.delete(entry, storage);
            }
        }
    }

    private void deleteAll(Path directory) throws IOException {
        for (Path entry : PathStatus.entries(directory)) {
            if (isOne(entry)) {
                DirectoryTree.delete(entry, storage);
            }
        }
    }

    /** Deletes the part of a branch that was not made. */
    void delete() throws IOException {
        deleteAll(local);
        if (PathStatus.isDirectory(local) && PathStatus.entries(local).isEmpty()) {
            storage.delete(local);
        }
    }
}
