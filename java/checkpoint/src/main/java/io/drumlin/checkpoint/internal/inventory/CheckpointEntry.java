package io.drumlin.checkpoint.internal.inventory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Age;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * A checkpoint of a run, as the names of its files tell. Only what says its age was read, so files may be missing or damaged.
 *
 * @param ckptId its id
 * @param level its level
 * @param place the name of the directory in which it lies
 * @param identity its {@link CheckpointIdentity}, if that is known
 * @param age what the log says of its age
 * @param files its files with data, by the directory that has them
 * @param metadata the directory with its metadata, in the modes that keep them apart; it may be missing
 */
public record CheckpointEntry(
        int ckptId,
        Level level,
        String place,
        OptionalLong identity,
        Age age,
        Map<Path, List<Path>> files,
        Path metadata) {

    /** Prefix of the names of directories with kept checkpoints. */
    public static final String KEPT = "drumlin-kept-";

    /** Name of the directories of the archive of level 4. */
    public static final String ARCHIVE = "l4_archive";

    /** Returns whether it is in the archive of level 4. */
    public boolean isArchived() {
        return place.equals(ARCHIVE);
    }

    /** Returns whether it is one of levels 1 to 3 that was kept when another took its place. */
    public boolean isKept() {
        return place.startsWith(KEPT);
    }

    /** Returns the place and the time, for people. */
    public String words() {
        return place + ", " + (age.time() == null ? "nobody knows of when" : age.time());
    }

    /** Returns whether another look has found the same checkpoint, wherever it lies now. */
    public boolean isSame(CheckpointEntry other) {
        return ckptId == other.ckptId && level == other.level && identity.equals(other.identity);
    }

    /** Returns its files with data. */
    public List<Path> paths() {
        return files.values().stream().flatMap(List::stream).toList();
    }

    /** Sorts checkpoints like {@link CommitOrder#newestFirst}. */
    public static List<CheckpointEntry> newestFirst(List<CheckpointEntry> entries) {
        return CommitOrder.newestFirst(entries, each -> each.age.position());
    }

    /**
     * Returns the checkpoints that may go so that some of the newest stay: of each, as many others are certainly newer.
     *
     * @param stay how many of the newest stay
     */
    public static List<CheckpointEntry> beyond(int stay, List<CheckpointEntry> entries) {
        List<CheckpointEntry> unknown = unknown(entries);
        List<CheckpointEntry> known = new ArrayList<>(entries);
        known.removeAll(unknown);
        List<CheckpointEntry> beyond =
                new ArrayList<>(newestFirst(known).stream().skip(stay).toList());
        beyond.addAll(areOlder(stay, known) ? unknown : List.of());
        return beyond;
    }

    /** Returns those of the checkpoints that the log does not have. */
    public static List<CheckpointEntry> unknown(List<CheckpointEntry> entries) {
        return entries.stream().filter(each -> each.age.position() < 0).toList();
    }

    /**
     * Returns whether checkpoints that the log does not have are older than some that it has. They are certainly older
     * than those that were begun since the log was read first, and than what is in the place from which they were moved.
     *
     * @param some how many have to be newer than each of them
     */
    public static boolean areOlder(int some, List<CheckpointEntry> known) {
        return known.stream().filter(each -> each.age.isOfThisStart()).count() >= some;
    }

    /** Returns one for each id at a place: the newest that directories or ranks have found, with the files of all. */
    public static List<CheckpointEntry> newestOfEach(List<CheckpointEntry> found) {
        Map<String, CheckpointEntry> places = new LinkedHashMap<>();
        found.forEach(each -> places.merge(each.place + " " + each.ckptId, each, CheckpointEntry::with));
        return List.copyOf(places.values());
    }

    private CheckpointEntry with(CheckpointEntry other) {
        boolean isOlder =
                age.position() < other.age.position() || (age.position() == other.age.position() && identity.isEmpty());
        CheckpointEntry newer = isOlder ? other : this;
        Map<Path, List<Path>> all = new LinkedHashMap<>(files);
        all.putAll(other.files);
        return new CheckpointEntry(newer.ckptId, level, place, newer.identity, newer.age, all, metadata);
    }

    /** Returns text for {@link #parse} on other ranks, which tells all but the files. */
    public static String lines(List<CheckpointEntry> entries) {
        return entries.stream()
                .map(each -> each.level + " " + each.ckptId + " " + each.place + " "
                        + (each.identity.isPresent() ? Long.toString(each.identity.getAsLong()) : ""))
                .collect(Collectors.joining("\n"));
    }

    /**
     * Returns the checkpoints that other ranks have found.
     *
     * @param lines what {@link #lines} has returned there
     * @param order the log, which says how old they are
     * @param meta the run's directory of metadata
     */
    public static List<CheckpointEntry> parse(String lines, CommitOrder order, Path meta) {
        List<CheckpointEntry> entries = new ArrayList<>();
        for (String line : lines.lines().filter(each -> !each.isEmpty()).toList()) {
            String[] words = line.split(" ", -1);
            int ckptId = Integer.parseInt(words[1]);
            OptionalLong identity =
                    words[3].isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(words[3]));
            entries.add(new CheckpointEntry(
                    ckptId,
                    Level.valueOf(words[0]),
                    words[2],
                    identity,
                    order.age(ckptId, identity),
                    Map.of(),
                    meta.resolve(words[2])));
        }
        return entries;
    }
}
