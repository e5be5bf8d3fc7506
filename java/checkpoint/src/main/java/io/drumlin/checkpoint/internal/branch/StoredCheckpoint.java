package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;

/**
 * A checkpoint of a run, as the names of its files tell. Only what says its age is read, so files may be missing or damaged.
 *
 * @param ckptId its id
 * @param level its level
 * @param place the name of the directory in which it lies
 * @param age what the log says of its age
 * @param files its files, by the directory that has them
 * @param metadata the directory with its metadata, in the modes that keep them apart; it may be missing
 * @param isLost whether there are only metadata of another checkpoint, without which nobody can read its data
 */
public record StoredCheckpoint(
        int ckptId, Level level, String place, Age age, Map<Path, List<Path>> files, Path metadata, boolean isLost) {

    private static final List<Level> ON_NODES = List.of(Level.L1, Level.L2, Level.L3);

    private static final String ARCHIVE = "l4_archive";

    /** Returns whether it is in the archive of level 4. */
    public boolean isArchived() {
        return place.equals(ARCHIVE);
    }

    /** Returns whether it is one of levels 1 to 3 that was kept when another took its place. */
    public boolean isKept() {
        return KeptOnNodes.isOne(place);
    }

    /** Returns the place and the time, for people. */
    public String words() {
        return place + ", " + (age.time() == null ? "nobody knows of when" : age.time());
    }

    /**
     * Finds the checkpoints of a run: those of level 4, those of the archive, and those on the nodes if all nodes have
     * their directories on this machine. The newest come first; those that the log does not have are in the order of a
     * restart.
     */
    public static List<StoredCheckpoint> of(FtiConfig config, String execId, StorageEngine storage) throws IOException {
        RunDirectory run = new RunDirectory(config, execId, 0);
        Finder finder = new Finder(run, storage, new CommitOrder(run.commitLog()).read());
        if (config.localTest()) {
            finder.addInPlaces(RunPlaces.onNodes(config, execId));
        }
        finder.add(Level.L4, "l4", List.of(run.global()));
        for (Map.Entry<Integer, List<Path>> each : Archive.archived(run).entrySet()) {
            List<Path> files = each.getValue().stream()
                    .filter(path -> path.startsWith(run.archive()) && isFile(path))
                    .toList();
            if (!files.isEmpty()) {
                Path metadata = run.metaArchive().resolve("Ckpt_" + each.getKey());
                finder.add(each.getKey(), Level.L4, ARCHIVE, Map.of(run.archive(), files), metadata);
            }
        }
        if (config.localTest()) {
            finder.addKept(RunPlaces.onNodes(config, execId));
        }
        return CommitOrder.inOrder(finder.found, StoredCheckpoint::age);
    }

    /** Finds what one node has of a run's checkpoints. */
    static List<StoredCheckpoint> ofNode(RunDirectory run, StorageEngine storage) throws IOException {
        Finder finder = new Finder(run, storage, new CommitOrder(run.commitLog()).read());
        finder.addInPlaces(List.of(run.local()));
        finder.addKept(List.of(run.local()));
        return finder.found;
    }

    /** Returns words about a checkpoint of level 4 that was not yet in its place when a job ended; empty if there is none. */
    static String unfinished(FtiConfig config, String execId) throws IOException {
        RunDirectory run = new RunDirectory(config, execId, 0);
        for (Path directory : List.of(RunDirectory.tmp(run.global()), RunDirectory.replaced(run.global(), Level.L4))) {
            if (PathStatus.entries(directory).stream().anyMatch(StoredCheckpoint::isFile)) {
                return "; a job ended while it put a checkpoint into its place, and has left files of it in "
                        + directory + ": a restart of the run (failure = 1) finishes that if the checkpoint is whole";
            }
        }
        return "";
    }

    private static boolean isFile(Path path) {
        return Archive.FILE.matcher(path.getFileName().toString()).matches();
    }

    /** Finds checkpoints by the names of their files. */
    private record Finder(RunDirectory run, StorageEngine storage, CommitOrder order, List<StoredCheckpoint> found) {

        Finder(RunDirectory run, StorageEngine storage, CommitOrder order) {
            this(run, storage, order, new ArrayList<>());
        }

        void addInPlaces(List<Path> roots) throws IOException {
            for (Level level : ON_NODES) {
                add(level, "l" + level.number(), roots);
            }
        }

        void addKept(List<Path> roots) throws IOException {
            Map<String, Level> names = new TreeMap<>();
            for (Path root : roots) {
                KeptOnNodes.in(root)
                        .forEach(each -> names.put(KeptOnNodes.name(each.level(), each.ckptId()), each.level()));
            }
            for (Map.Entry<String, Level> each : names.entrySet()) {
                add(each.getValue(), each.getKey(), roots);
            }
        }

        void add(Level level, String place, List<Path> roots) throws IOException {
            Map<Integer, Map<Path, List<Path>>> byId = new TreeMap<>();
            for (Path root : roots) {
                Path directory = root.resolve(place);
                for (Path file : PathStatus.entries(directory)) {
                    Matcher name = Archive.FILE.matcher(file.getFileName().toString());
                    if (name.matches()) {
                        byId.computeIfAbsent(Integer.valueOf(name.group(1)), id -> new LinkedHashMap<>())
                                .computeIfAbsent(directory, path -> new ArrayList<>())
                                .add(file);
                    }
                }
            }
            for (Map.Entry<Integer, Map<Path, List<Path>>> each : byId.entrySet()) {
                add(each.getKey(), level, place, each.getValue(), run.meta().resolve(place));
            }
        }

        void add(int ckptId, Level level, String place, Map<Path, List<Path>> files, Path metadata) throws IOException {
            List<Path> paths = new ArrayList<>(List.of(metadata));
            files.values().forEach(paths::addAll);
            OptionalLong identity = CheckpointIdentity.of(ckptId, paths, storage);
            boolean isLost = identity.isEmpty() && MetadataFiles.areOfOthers(ckptId, metadata, storage);
            found.add(new StoredCheckpoint(ckptId, level, place, order.age(ckptId, identity), files, metadata, isLost));
        }
    }
}
