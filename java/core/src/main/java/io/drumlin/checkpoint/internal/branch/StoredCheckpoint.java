package io.drumlin.checkpoint.internal.branch;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.FtiConfig;
import io.drumlin.checkpoint.internal.directory.Archive;
import io.drumlin.checkpoint.internal.directory.KeptOnNodes;
import io.drumlin.checkpoint.internal.directory.RunDirectory;
import io.drumlin.storage.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;

/**
 * A checkpoint of a run, as the names of its files tell. Nothing is read, so files may be missing or damaged.
 *
 * @param ckptId its id
 * @param level its level
 * @param place the name of the directory in which it lies
 * @param time when its last file was written
 * @param files its files, by the directory that has them
 * @param metadata the directory with its metadata, in the modes that keep them apart; it may be missing
 */
public record StoredCheckpoint(
        int ckptId, Level level, String place, Instant time, Map<Path, List<Path>> files, Path metadata) {

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

    /**
     * Finds the checkpoints of a run: those of level 4, those of the archive, and those on the nodes if all nodes have
     * their directories on this machine.
     */
    public static List<StoredCheckpoint> of(FtiConfig config, String execId) throws IOException {
        RunDirectory run = new RunDirectory(config, execId, 0);
        List<StoredCheckpoint> found = new ArrayList<>();
        add(Level.L4, "l4", List.of(run.global()), run, found);
        for (Map.Entry<Integer, List<Path>> each : Archive.archived(run).entrySet()) {
            List<Path> files = each.getValue().stream()
                    .filter(path -> path.startsWith(run.archive()) && isFile(path))
                    .toList();
            if (!files.isEmpty()) {
                Path metadata = run.metaArchive().resolve("Ckpt_" + each.getKey());
                found.add(new StoredCheckpoint(
                        each.getKey(), Level.L4, ARCHIVE, newest(files), Map.of(run.archive(), files), metadata));
            }
        }
        if (config.localTest()) {
            addOnNodes(RunPlaces.onNodes(config, execId), run, found);
        }
        return found;
    }

    /** Finds what one node has of a run's checkpoints. */
    static List<StoredCheckpoint> ofNode(RunDirectory run) throws IOException {
        List<StoredCheckpoint> found = new ArrayList<>();
        addOnNodes(List.of(run.local()), run, found);
        return found;
    }

    /** Adds those in their places, and then those that were kept, the newest first. */
    private static void addOnNodes(List<Path> roots, RunDirectory run, List<StoredCheckpoint> found)
            throws IOException {
        for (Level level : ON_NODES) {
            add(level, "l" + level.number(), roots, run, found);
        }
        List<StoredCheckpoint> kept = new ArrayList<>();
        Map<String, Level> names = new TreeMap<>();
        for (Path root : roots) {
            KeptOnNodes.in(root)
                    .forEach(each -> names.put(KeptOnNodes.name(each.level(), each.ckptId()), each.level()));
        }
        for (Map.Entry<String, Level> each : names.entrySet()) {
            add(each.getValue(), each.getKey(), roots, run, kept);
        }
        kept.sort(Comparator.comparing(StoredCheckpoint::time).reversed());
        found.addAll(kept);
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

    private static void add(Level level, String place, List<Path> roots, RunDirectory run, List<StoredCheckpoint> found)
            throws IOException {
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
        Path metadata = run.meta().resolve(place);
        for (Map.Entry<Integer, Map<Path, List<Path>>> each : byId.entrySet()) {
            List<Path> all =
                    each.getValue().values().stream().flatMap(List::stream).toList();
            found.add(new StoredCheckpoint(each.getKey(), level, place, newest(all), each.getValue(), metadata));
        }
    }

    /** Looks at the first file and the last, because all are written within the same checkpoint. */
    private static Instant newest(List<Path> files) throws IOException {
        Instant first = PathStatus.read(files.get(0)).lastModifiedTime().toInstant();
        Instant last =
                PathStatus.read(files.get(files.size() - 1)).lastModifiedTime().toInstant();
        return first.isAfter(last) ? first : last;
    }
}
