package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.DirectoryTree;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where a run has its files on this machine, and the names of what is left of runs that were not made or not deleted to
 * the end.
 *
 * @param meta the directory of metadata
 * @param others the other directories, existing or not: on the parallel file system and on the nodes
 */
public record RunPlaces(Path meta, List<Path> others) {

    /** Suffix of the directory of metadata of a branch that is being made. */
    public static final String PART = ".drumlin-part";

    /** Suffix of the directory of metadata of a run that is being deleted. */
    public static final String DELETED = ".drumlin-deleted";

    private static final Pattern NODE = Pattern.compile("node\\d{1,9}");

    /** Returns the places of a run, whether it exists or not. */
    public static RunPlaces of(FtiConfig config, String execId) throws IOException {
        RunDirectory run = new RunDirectory(config, execId, 0);
        List<Path> others = new ArrayList<>();
        others.add(run.global());
        others.addAll(onNodes(config, execId));
        others.removeIf(run.meta()::equals);
        return new RunPlaces(run.meta(), others.stream().distinct().toList());
    }

    /** Returns the places of a run on the parallel file system, whether it exists or not. */
    static RunPlaces shared(FtiConfig config, String execId) {
        RunDirectory run = new RunDirectory(config, execId, 0);
        return new RunPlaces(run.meta(), run.global().equals(run.meta()) ? List.of() : List.of(run.global()));
    }

    /** Returns the directories of a run on the nodes that this machine has, existing or not. */
    static List<Path> onNodes(FtiConfig config, String execId) throws IOException {
        if (!config.localTest()) {
            return List.of(config.ckptDir().resolve(execId));
        }
        List<Path> directories = new ArrayList<>();
        for (Path node : PathStatus.entries(config.ckptDir())) {
            if (NODE.matcher(node.getFileName().toString()).matches()) {
                directories.add(node.resolve(execId));
            }
        }
        return directories;
    }

    /** Returns the directories of a run on the nodes, if this machine has those of all nodes. */
    public static List<Path> seen(FtiConfig config, String execId) throws IOException {
        return config.localTest() ? onNodes(config, execId) : List.of();
    }

    /** Returns the directory of metadata while the run is a branch that is being made. */
    public Path part() {
        return meta.resolveSibling(meta.getFileName() + PART);
    }

    /** Returns the directory of metadata while the run is being deleted. */
    public Path deleted() {
        return meta.resolveSibling(meta.getFileName() + DELETED);
    }

    /**
     * Deletes all but the directory of metadata, durably, so that this directory can be deleted next. Without that, a
     * power loss could leave files of a run that nobody knows any more.
     */
    public void deleteOthers(StorageEngine storage) throws IOException {
        for (Path each : others) {
            DirectoryTree.delete(each, storage);
            Path parent = each.getParent();
            if (parent != null && PathStatus.isDirectory(parent)) {
                storage.syncDirectory(parent);
            }
        }
    }

    /** Returns the first place that exists. */
    Optional<Path> firstExisting() throws IOException {
        for (Path each : others) {
            if (PathStatus.exists(each)) {
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }
}
