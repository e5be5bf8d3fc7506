package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints.Kept;
import io.drumlin.storage.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the archived checkpoints of level 4 that a run does not keep any longer
 * (docs/formats/fti-run-directory.md, section 13).
 */
public final class ArchivePruning {

    /** Matches the name of each file of a checkpoint, whatever its mode; the group is the id. */
    public static final Pattern FILE = Pattern.compile("Ckpt(\\d{1,9})-.*");

    private static final Pattern METADATA = Pattern.compile("Ckpt_(\\d{1,9})");

    private final RunDirectory directories;
    private final KeptCheckpoints kept;

    public ArchivePruning(RunDirectory directories, KeptCheckpoints kept) {
        this.directories = directories;
        this.kept = kept;
    }

    /** Returns the files and the directories of metadata of each archived checkpoint, the metadata first, by id. */
    public static Map<Integer, List<Path>> archived(RunDirectory directories) throws IOException {
        Map<Integer, List<Path>> found = new TreeMap<>();
        add(directories.metaArchive(), METADATA, found);
        add(directories.archive(), FILE, found);
        return found;
    }

    private static void add(Path directory, Pattern pattern, Map<Integer, List<Path>> found) throws IOException {
        for (Path entry : PathStatus.entries(directory)) {
            Matcher name = pattern.matcher(entry.getFileName().toString());
            if (name.matches()) {
                found.computeIfAbsent(Integer.valueOf(name.group(1)), id -> new ArrayList<>())
                        .add(entry);
            }
        }
    }

    /** Returns the ids of the checkpoints of level 4, archived or not. */
    static Set<Integer> ids(RunDirectory directories) throws IOException {
        Map<Integer, List<Path>> found = archived(directories);
        add(directories.committed(Level.L4), FILE, found);
        return found.keySet();
    }

    /** Returns what is to be deleted, in this order. If a kill interrupts the deletion, the next one finishes it. */
    List<Path> superfluous() throws IOException {
        if (kept.all()) {
            return List.of();
        }
        Map<Integer, List<Path>> archived = archived(directories);
        List<Kept> checkpoints = new ArrayList<>();
        for (Map.Entry<Integer, List<Path>> each : archived.entrySet()) {
            List<Path> paths = each.getValue();
            Path last = paths.get(paths.size() - 1);
            long millis = PathStatus.read(last).lastModifiedTime().toMillis();
            checkpoints.add(new Kept(each.getKey(), millis, bytes(paths)));
        }
        long current = kept.mostBytes() == 0 ? 0 : bytes(PathStatus.entries(directories.committed(Level.L4)));
        List<Path> superfluous = new ArrayList<>();
        for (Kept each : kept.superfluous(checkpoints, current)) {
            superfluous.addAll(archived.get(each.ckptId()));
        }
        return superfluous;
    }

    private long bytes(List<Path> paths) throws IOException {
        long bytes = 0;
        for (Path path : kept.mostBytes() == 0 ? List.<Path>of() : paths) {
            BasicFileAttributes status = PathStatus.read(path);
            bytes += status.isDirectory() ? 0 : status.size();
        }
        return bytes;
    }
}
