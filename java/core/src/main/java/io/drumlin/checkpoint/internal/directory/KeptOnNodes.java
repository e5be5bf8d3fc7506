package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checkpoints of levels 1 to 3 that stay after others have taken their places. Each has a directory beside those of the
 * levels, on its nodes and in the directory of metadata, at which neither a restart nor C FTI looks
 * (docs/formats/fti-run-directory.md, section 17).
 */
public final class KeptOnNodes {

    private static final String KEPT = "drumlin-kept-";

    /** Prefix of what is being deleted. */
    private static final String DROPPED = "drumlin-dropped-";

    private static final Pattern NAME = Pattern.compile(KEPT + "l([1-3])-(\\d{1,9})");

    private KeptOnNodes() {}

    /**
     * A kept checkpoint.
     *
     * @param path its directory
     */
    public record Kept(Level level, int ckptId, Path path) {}

    /** Returns the name of the directory of a kept checkpoint. */
    public static String name(Level level, int ckptId) {
        return KEPT + "l" + level.number() + "-" + ckptId;
    }

    /** Returns whether a directory has the name of one with a kept checkpoint. */
    public static boolean isOne(String name) {
        return NAME.matcher(name).matches();
    }

    /** Returns the kept checkpoints below a root, by their names. */
    public static List<Kept> in(Path root) throws IOException {
        List<Kept> kept = new ArrayList<>();
        for (Path entry : PathStatus.entries(root)) {
            Matcher name = NAME.matcher(entry.getFileName().toString());
            if (name.matches() && PathStatus.isDirectory(entry)) {
                kept.add(new Kept(Level.of(Integer.parseInt(name.group(1))), Integer.parseInt(name.group(2)), entry));
            }
        }
        return kept;
    }

    /**
     * Keeps a checkpoint that another one has replaced. A kept one of its id goes for it.
     *
     * @param from the directory with its files or metadata
     * @return whether it is kept; it is not if its id is not known, or a restart has found it damaged
     */
    static boolean keep(Path root, Level level, Path from, StorageEngine storage) throws IOException {
        OptionalInt ckptId = ckptId(from, storage);
        if (ckptId.isEmpty() || PassedOver.isMarked(from)) {
            return false;
        }
        Path to = root.resolve(name(level, ckptId.getAsInt()));
        if (PathStatus.exists(to)) {
            DirectoryTree.delete(dropped(to, storage), storage);
        }
        storage.rename(from, to);
        storage.syncDirectory(root);
        return true;
    }

    /** Returns the id of the checkpoint in a directory; empty if it has several, or none. */
    private static OptionalInt ckptId(Path directory, StorageEngine storage) throws IOException {
        if (!PathStatus.isDirectory(directory)) {
            return OptionalInt.empty();
        }
        List<Integer> ids = new ArrayList<>();
        for (Path file : PathStatus.entries(directory)) {
            Matcher name = Archive.FILE.matcher(file.getFileName().toString());
            if (name.matches()) {
                ids.add(Integer.valueOf(name.group(1)));
            }
        }
        if (ids.isEmpty()) {
            Optional<String> name = MetadataFiles.archiveName(directory, storage);
            name.filter(text -> text.matches("Ckpt_\\d{1,9}"))
                    .map(text -> Integer.valueOf(text.substring("Ckpt_".length())))
                    .ifPresent(ids::add);
        }
        return ids.stream().distinct().count() == 1 ? OptionalInt.of(ids.get(0)) : OptionalInt.empty();
    }

    /**
     * Gives the directory of a checkpoint a name under which nobody finds it, because its deletion may be interrupted.
     *
     * @return the directory, whose name is durable
     */
    public static Path dropped(Path checkpoint, StorageEngine storage) throws IOException {
        String name = Objects.requireNonNull(checkpoint.getFileName()).toString();
        Path dropped = checkpoint.resolveSibling(DROPPED + (isOne(name) ? name.substring(KEPT.length()) : name));
        DirectoryTree.delete(dropped, storage);
        storage.rename(checkpoint, dropped);
        storage.syncDirectory(dropped.resolveSibling(""));
        return dropped;
    }

    /** Returns what interrupted deletions have left below a root. */
    public static List<Path> remains(Path root) throws IOException {
        return PathStatus.entries(root).stream()
                .filter(entry -> entry.getFileName().toString().startsWith(DROPPED))
                .toList();
    }

    private record Timed(Kept kept, FileTime time) {}

    /**
     * Returns the kept checkpoints of a level that do not stay, the oldest ones.
     *
     * @param most how many checkpoints of the level stay, the one in its place included
     */
    public static List<Kept> superfluous(Path root, Level level, int most) throws IOException {
        List<Timed> kept = new ArrayList<>();
        for (Kept each : in(root)) {
            if (each.level == level) {
                kept.add(new Timed(each, time(each)));
            }
        }
        kept.sort(Comparator.comparing(Timed::time)
                .thenComparing(each -> each.kept.ckptId)
                .reversed());
        int current = PathStatus.exists(RunDirectory.committed(root, level)) ? 1 : 0;
        return kept.stream().skip(Math.max(0, most - current)).map(Timed::kept).toList();
    }

    private static FileTime time(Kept kept) throws IOException {
        List<Path> files = PathStatus.entries(kept.path);
        return PathStatus.read(files.isEmpty() ? kept.path : files.get(0)).lastModifiedTime();
    }

    /** Gives those that do not stay another name, and returns what is to be deleted below a root. */
    static List<Path> dropped(Path root, KeptCheckpoints rule, StorageEngine storage) throws IOException {
        List<Path> dropped = new ArrayList<>(remains(root));
        for (Level level : List.of(Level.L1, Level.L2, Level.L3)) {
            for (Kept each : superfluous(root, level, rule.onNodes(level))) {
                Path path = dropped(each.path, storage);
                if (!dropped.contains(path)) {
                    dropped.add(path);
                }
            }
        }
        return dropped;
    }

    /** Deletes everything that there is of kept checkpoints below a root. */
    static void deleteAll(Path root, StorageEngine storage) throws IOException {
        for (Kept each : in(root)) {
            DirectoryTree.delete(dropped(each.path, storage), storage);
        }
        for (Path each : remains(root)) {
            DirectoryTree.delete(each, storage);
        }
    }
}
