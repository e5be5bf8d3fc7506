package io.drumlin.checkpoint.internal.inventory;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The order in which the checkpoints of a run were taken, as its log tells it (docs/formats/fti-run-directory.md, section
 * 12). Whoever keeps, deletes, lists or chooses checkpoints asks here, and never a file's time: a copy, an archive, {@code
 * touch} or a clock that is set changes that.
 */
public final class CommitOrder {

    public static final String BEGUN = "begun";

    public static final String COMMITTED = "committed";

    private static final int HEX = 16;

    /** A time that is not known. */
    public static final long NEVER = -1;

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private final Path log;
    private final Set<String> told = new HashSet<>();
    private List<Entry> entries = List.of();

    /** How many entries there were when the log was read first; those that came later are of this start of the run. */
    private int start = -1;

    public CommitOrder(Path log) {
        this.log = log;
    }

    /**
     * A checkpoint that was begun.
     *
     * @param identity a number that all files of the checkpoint have, and those of other checkpoints with its id do not
     * @param nanos when it was begun, in nanoseconds since 1970; {@link #NEVER} if that is not known
     * @param committed whether it is known to have been in its place on all nodes
     */
    public record Entry(int ckptId, Level level, long identity, long nanos, boolean committed) {

        /** Returns the line that records an event. */
        public String line(String event) {
            String words = event + " " + words() + " " + nanos;
            return words + " " + sum(words) + "\n";
        }

        public String words() {
            return ckptId + " " + level + " " + Long.toHexString(identity);
        }
    }

    /**
     * What is known of the age of a checkpoint.
     *
     * @param position its position in the log, higher for newer ones; -1 if the log does not have it
     * @param nanos when it was begun, in nanoseconds since 1970; {@link #NEVER} if that is not known
     * @param isOfThisStart whether it was begun since the log was read first
     */
    public record Age(long position, long nanos, boolean isOfThisStart) {

        /** That of a checkpoint that the log does not have. */
        public static final Age UNKNOWN = new Age(-1, NEVER, false);

        /** Returns when the checkpoint was begun; null if that is not known. */
        public @Nullable Instant time() {
            return nanos == NEVER ? null : Instant.ofEpochSecond(0, nanos);
        }

        /** Returns whether the checkpoint was begun before a time; false if that is not known. */
        public boolean isBefore(Instant time) {
            return nanos != NEVER && Instant.ofEpochSecond(0, nanos).isBefore(time);
        }
    }

    /** Reads the log as it is now. */
    public CommitOrder read() throws IOException {
        entries = entries(log);
        if (start < 0) {
            start = entries.size();
        }
        return this;
    }

    /** Reads the log to see what may go. If that fails nothing is known, so that all stays for now. */
    public CommitOrder readForDeletion() {
        try {
            return read();
        } catch (IOException e) {
            LOG.log(Logger.Level.DEBUG, "the order of the checkpoints is not known now", e);
            entries = List.of();
            return this;
        }
    }

    /** Returns the entries of a log, in its order. Incomplete or damaged lines are ignored. */
    public static List<Entry> entries(Path log) throws IOException {
        List<Entry> entries = new ArrayList<>();
        // A pipe does not count, because opening it would wait for its other end.
        if (PathStatus.isRegularFile(log)) {
            TextFiles.read(log).lines().forEach(line -> add(line, entries));
        }
        return entries;
    }

    private static void add(String line, List<Entry> entries) {
        String[] words = line.split(" ", -1);
        int sum = line.lastIndexOf(' ');
        if (words.length != 6 || !words[5].equals(sum(line.substring(0, sum)))) {
            return;
        }
        Entry entry = new Entry(
                Integer.parseInt(words[1]),
                Level.valueOf(words[2]),
                Long.parseUnsignedLong(words[3], HEX),
                Long.parseLong(words[4]),
                words[0].equals(COMMITTED));
        int last = entry.committed ? last(entries, entry.ckptId, entry.identity) : -1;
        if (last >= 0) {
            Entry begun = entries.get(last);
            entries.set(last, new Entry(begun.ckptId, begun.level, begun.identity, begun.nanos, true));
        } else if (!entry.committed) {
            entries.add(entry);
        }
    }

    private static String sum(String words) {
        CRC32C crc = new CRC32C();
        crc.update(words.getBytes(StandardCharsets.US_ASCII));
        return Long.toHexString(crc.getValue());
    }

    /** Returns the index of the last entry of a checkpoint, or -1. */
    public static int last(List<Entry> entries, int ckptId, long identity) {
        int last = entries.size() - 1;
        while (last >= 0 && (entries.get(last).ckptId != ckptId || entries.get(last).identity != identity)) {
            last--;
        }
        return last;
    }

    /** Returns the age of a checkpoint, by its {@link CheckpointIdentity identity}. */
    public Age age(int ckptId, OptionalLong identity) {
        int position = identity.isPresent() ? last(entries, ckptId, identity.getAsLong()) : -1;
        return position < 0 ? Age.UNKNOWN : new Age(position, entries.get(position).nanos, position >= start);
    }

    /** Says once which checkpoints stay because the log does not have them. */
    public void tell(Collection<?> unknown, Path directory) {
        if (!unknown.isEmpty() && told.add(directory + " " + unknown)) {
            LOG.log(
                    Logger.Level.WARNING,
                    "{0} does not say how old checkpoints {1} in {2} are, or one of these cannot be read: they stay until"
                            + " the run has taken enough others; drumlin run delete deletes one",
                    log,
                    unknown,
                    directory);
        }
    }

    /**
     * Sorts things, the newest first. This is the order in which a restart tries checkpoints, and in which they are listed,
     * kept and chosen. What the log does not have keeps its place; what the log has comes before what is older by the log,
     * wherever that was.
     *
     * @param things the things by their levels, the one first that is tried first
     * @param position returns the position of one in the log, below 0 if the log does not have it
     */
    public static <T> List<T> newestFirst(List<T> things, ToLongFunction<T> position) {
        List<T> known = things.stream()
                .filter(each -> position.applyAsLong(each) >= 0)
                .sorted(Comparator.comparingLong(position).reversed())
                .toList();
        List<T> ordered = new ArrayList<>();
        int next = 0;
        for (T each : things) {
            long of = position.applyAsLong(each);
            if (of < 0) {
                ordered.add(each);
            }
            while (of >= 0 && next < known.size() && position.applyAsLong(known.get(next)) >= of) {
                ordered.add(known.get(next++));
            }
        }
        return ordered;
    }
}
