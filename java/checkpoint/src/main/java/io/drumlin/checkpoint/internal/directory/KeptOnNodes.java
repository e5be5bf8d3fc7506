package io.drumlin.checkpoint.internal.directory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.KeptCheckpoints;
import io.drumlin.checkpoint.internal.inventory.CheckpointIdentity;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
import io.drumlin.checkpoint.internal.inventory.MetadataFiles;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
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
    public record Kept(Level level, int ckptId, Path path) {

        /** Returns whether it has no files with data. */
        private boolean isOfMetadata() throws IOException {
            return PathStatus.entries(path).stream()
                    .noneMatch(file ->
                            Archive.FILE.matcher(file.getFileName().toString()).matches());
        }
    }

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

    /**
     * Returns the names of those that do not stay.
     *
     * @param kept the kept checkpoints by their names
     * @param rule how many of each level stay, the one in its place included
     * @param roots where checkpoints of levels may be in their place
     */
    public static List<String> superfluous(Map<String, Age> kept, KeptCheckpoints rule, List<Path> roots)
            throws IOException {
        List<String> superfluous = new ArrayList<>();
        for (Level level : List.of(Level.L1, Level.L2, Level.L3)) {
            List<String> names = kept.keySet().stream()
                    .filter(name -> name.startsWith(KEPT + "l" + level.number() + "-"))
                    .toList();
            int current = 0;
            for (Path root : roots) {
                current |= PathStatus.exists(RunDirectory.committed(root, level)) ? 1 : 0;
            }
            superfluous.addAll(CommitOrder.beyond(Math.max(0, rule.onNodes(level) - current), names, kept::get));
        }
        return superfluous;
    }

    /** Adds the ages of the kept checkpoints below a root, by name. Of one checkpoint not all directories may tell it. */
    public static void addAges(Path root, CommitOrder order, StorageEngine storage, Map<String, Age> ages)
            throws IOException {
        for (Kept each : in(root)) {
            OptionalLong identity = CheckpointIdentity.forDeletion(each.ckptId, List.of(each.path), storage);
            addAge(name(each.level, each.ckptId), order.age(each.ckptId, identity), ages);
        }
    }

    private static void addAge(String name, Age age, Map<String, Age> ages) {
        ages.merge(name, age, (one, other) -> one.position() > other.position() ? one : other);
    }

    /**
     * Gives those that do not stay another name. One rank decides for all, because the metadata and some nodes say what
     * others do not. Collective.
     *
     * @param roots the directories that belong to this rank's work
     * @return what is to be deleted below the roots
     */
    static List<Path> drop(
            Communicator app, List<Path> roots, KeptCheckpoints rule, CommitOrder order, StorageEngine storage)
            throws IOException {
        String operation = "looking for checkpoints that were kept";
        List<String> found = Agreement.gather(app, Agreement.call(app, operation, () -> words(roots, storage)));
        String names = Agreement.call(app, operation, () -> app.rank() == 0 ? names(found, roots, rule, order) : "");
        List<String> agreed = List.of(Agreement.bcast(app, names, 0).split(" "));
        List<Path> dropped = new ArrayList<>();
        // The metadata last: in the modes that keep them apart they alone say how old the rest is.
        for (boolean ofMetadata : List.of(false, true)) {
            dropped.addAll(Agreement.call(app, operation, () -> drop(roots, agreed, ofMetadata, storage)));
        }
        return dropped.stream().distinct().toList();
    }

    private static List<Path> drop(List<Path> roots, List<String> names, boolean ofMetadata, StorageEngine storage)
            throws IOException {
        List<Path> dropped = new ArrayList<>();
        for (Path root : roots) {
            dropped.addAll(remains(root));
            for (Kept each : in(root)) {
                if (names.contains(name(each.level, each.ckptId)) && each.isOfMetadata() == ofMetadata) {
                    dropped.add(dropped(each.path, storage));
                }
            }
        }
        return dropped;
    }

    /** Returns the names of those that do not stay, of what the ranks have found. */
    private static String names(List<String> found, List<Path> roots, KeptCheckpoints rule, CommitOrder order)
            throws IOException {
        order.readForDeletion();
        Map<String, Age> ages = new TreeMap<>();
        for (String line : found.stream().flatMap(String::lines).toList()) {
            String[] words = line.split(" ", -1);
            OptionalLong identity =
                    words[2].isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(words[2]));
            addAge(words[0], order.age(Integer.parseInt(words[1]), identity), ages);
        }
        List<String> superfluous = superfluous(ages, rule, roots);
        List<String> unknown = CommitOrder.unknown(List.copyOf(ages.keySet()), ages::get);
        order.tell(unknown.stream().filter(name -> !superfluous.contains(name)).toList(), roots.get(0));
        return String.join(" ", superfluous);
    }

    /** Returns a line for each kept checkpoint: its name, its id and, if it is known, its identity. */
    private static String words(List<Path> roots, StorageEngine storage) throws IOException {
        StringBuilder words = new StringBuilder();
        for (Path root : roots) {
            for (Kept each : in(root)) {
                OptionalLong identity = CheckpointIdentity.forDeletion(each.ckptId, List.of(each.path), storage);
                words.append(name(each.level, each.ckptId))
                        .append(' ')
                        .append(each.ckptId)
                        .append(' ');
                words.append(identity.isPresent() ? Long.toString(identity.getAsLong()) : "")
                        .append('\n');
            }
        }
        return words.toString();
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
