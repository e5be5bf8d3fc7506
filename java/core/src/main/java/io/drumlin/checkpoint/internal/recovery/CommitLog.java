package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.io.Threads;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.comm.Agreement;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.PathStatus;
import io.drumlin.storage.StorageEngine;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Records the order in which the checkpoints of a run were taken (docs/formats/fti-run-directory.md, section 12), in a
 * file on the parallel file system to which the first rank adds lines. A superseded checkpoint that is whole again,
 * because nodes have come back with old disks, is therefore known to be older.
 *
 * <p>A checkpoint is recorded before it can be whole anywhere, by a thread while the data are written. The age of a
 * checkpoint that is not in the log is unknown: it is of C FTI or of a Drumlin version without the log, or could not be
 * recorded. Not thread-safe.
 */
public final class CommitLog {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    private static final String BEGUN = "begun";

    private static final String COMMITTED = "committed";

    /** Bytes of a log above which its older half is dropped. */
    private static final int LONG = 1 << 20;

    private static final int HEX = 16;

    private final Communicator app;
    private final Path file;
    private final StorageEngine storage;

    /** The entries when this start of the run began; on the first rank only. */
    private @Nullable List<Entry> entries;

    /** Lines that are not yet in the file. */
    private String pending = "";

    private @Nullable Entry begun;
    private boolean failed;
    private @Nullable Thread thread;

    public CommitLog(Communicator app, Path file, StorageEngine storage) {
        this.app = app;
        this.file = file;
        this.storage = storage;
    }

    /**
     * A checkpoint that was begun.
     *
     * @param identity a number that all files of the checkpoint have, and those of other checkpoints with its id do not
     * @param committed whether it is known to have been in its place on all nodes
     */
    public record Entry(int ckptId, Level level, long identity, boolean committed) {

        boolean is(int otherId, long otherIdentity) {
            return ckptId == otherId && identity == otherIdentity;
        }

        public String words() {
            return ckptId + " " + level + " " + Long.toHexString(identity);
        }
    }

    /**
     * Records a checkpoint that is going to be written, while the caller continues. Not collective.
     *
     * @param identity the {@link StoredCheckpoint#identity} of the checkpoint
     */
    public void begin(int ckptId, Level level, long identity) {
        if (app.rank() == 0) {
            await();
            begun = new Entry(ckptId, level, identity, false);
            pending += line(BEGUN, begun);
            start();
        }
    }

    /** Marks the checkpoint that was begun last as committed; this is written together with the next checkpoint. */
    public void confirm() {
        Entry last = begun;
        if (last != null) {
            await();
            pending += line(COMMITTED, last);
            begun = null;
        }
    }

    /** Records that the run continues from a checkpoint. Not collective. */
    public void recordContinuedFrom(StoredCheckpoint from) throws IOException {
        OptionalLong identity = from.identity();
        if (app.rank() == 0 && identity.isPresent()) {
            Entry entry = new Entry(from.ckptId(), from.level(), identity.getAsLong(), false);
            Optional<Entry> known = entries().stream()
                    .filter(each -> each.is(entry.ckptId, entry.identity))
                    .findFirst();
            pending += known.isPresent() ? "" : line(BEGUN, entry);
            pending += known.map(Entry::committed).orElse(false) ? "" : line(COMMITTED, entry);
        }
    }

    /** Writes the pending lines. Not collective. */
    public void flush() {
        await();
        if (!pending.isEmpty()) {
            start();
            await();
        }
    }

    private void start() {
        Thread started = new Thread(null, this::write, "drumlin-commits", 0, false);
        started.setDaemon(true);
        try {
            started.start();
            thread = started;
        } catch (OutOfMemoryError e) {
            // No thread can be created. Other ranks continue, so this rank writes itself.
            write();
        }
    }

    /** Waits until all lines are durable, or writing has failed. */
    public void await() {
        Threads.join(thread);
        thread = null;
    }

    private void write() {
        try {
            append(pending);
            pending = "";
            failed = false;
        } catch (IOException e) {
            // A checkpoint on the nodes must not depend on the parallel file system. The next checkpoint tries again.
            LOG.log(
                    failed ? Logger.Level.DEBUG : Logger.Level.WARNING,
                    "the order of the last checkpoints is not written down yet, which matters if nodes come back with old"
                            + " disks: {0}",
                    e.getMessage());
            failed = true;
        }
    }

    private void append(String lines) throws IOException {
        if (!PathStatus.exists(file)) {
            TextFiles.replace(file, lines, storage);
            return;
        }
        PathStatus.requireNoDevice(file);
        try (BlockFile open = storage.open(file, EnumSet.of(OpenMode.WRITE))) {
            long end = open.size();
            if (end <= LONG) {
                // The text before may be half a line.
                String added = "\n" + lines;
                open.write(ByteBuffer.wrap(added.getBytes(StandardCharsets.US_ASCII)), end);
                open.sync();
                return;
            }
        }
        String text = TextFiles.read(file);
        TextFiles.replace(file, text.substring(text.indexOf('\n', text.length() - LONG / 2)) + "\n" + lines, storage);
    }

    private static String line(String what, Entry entry) {
        String words = what + " " + entry.words();
        return words + " " + sum(words) + "\n";
    }

    private static String sum(String words) {
        CRC32C crc = new CRC32C();
        crc.update(words.getBytes(StandardCharsets.US_ASCII));
        return Long.toHexString(crc.getValue());
    }

    /** Returns the entries of the file, in its order; for the first rank. Incomplete or damaged lines are ignored. */
    public List<Entry> entries() throws IOException {
        List<Entry> known = entries;
        if (known == null) {
            known = new ArrayList<>();
            if (PathStatus.exists(file)) {
                for (String line : TextFiles.read(file).lines().toList()) {
                    add(line, known);
                }
            }
            entries = known;
        }
        return known;
    }

    private static void add(String line, List<Entry> entries) {
        String[] words = line.split(" ", -1);
        int sum = line.lastIndexOf(' ');
        if (words.length != 5 || !words[4].equals(sum(line.substring(0, sum)))) {
            return;
        }
        Entry entry = new Entry(
                Integer.parseInt(words[1]), Level.valueOf(words[2]), Long.parseUnsignedLong(words[3], HEX), false);
        if (words[0].equals(BEGUN)) {
            entries.add(entry);
            return;
        }
        int last = last(entries, entry.ckptId, entry.identity);
        if (last >= 0) {
            entries.set(last, new Entry(entry.ckptId, entries.get(last).level, entry.identity, true));
        }
    }

    /** Returns the index of the last entry of a checkpoint, or -1. */
    private static int last(List<Entry> entries, int ckptId, long identity) {
        int last = entries.size() - 1;
        while (last >= 0 && !entries.get(last).is(ckptId, identity)) {
            last--;
        }
        return last;
    }

    /**
     * Returns the positions of checkpoints in the order in which they were taken. Collective.
     *
     * @param rejected receives the log if it cannot be read; then nothing is known
     * @return the position of each checkpoint, higher for newer ones, or -1; the same on all ranks
     */
    long[] positions(List<StoredCheckpoint> checkpoints, RejectedFiles rejected) throws IOException {
        long[] positions = new long[checkpoints.size()];
        rejected.succeeds("reading", file, () -> {
            for (int i = 0; app.rank() == 0 && i < checkpoints.size(); i++) {
                positions[i] = position(checkpoints.get(i)) + 1;
            }
        });
        rejected.requireReadable();
        app.allreduce(positions, Op.MAX);
        for (int i = 0; i < checkpoints.size(); i++) {
            positions[i]--;
        }
        return positions;
    }

    private long position(StoredCheckpoint checkpoint) throws IOException {
        OptionalLong identity = checkpoint.identity();
        List<Entry> known = entries();
        return identity.isPresent() ? last(known, checkpoint.ckptId(), identity.getAsLong()) : -1;
    }

    /**
     * Returns the levels at which there may be a newer checkpoint. Collective.
     *
     * @param position position of the found checkpoint
     */
    public Set<Level> levelsOfNewer(long position) throws IOException {
        Set<Level> levels = EnumSet.noneOf(Level.class);
        if (app.rank() == 0) {
            List<Entry> known = entries();
            for (Entry newer : known.subList((int) position + 1, known.size())) {
                levels.add(newer.level);
                // A restart copies it to the nodes, and the end of a run to level 4.
                levels.addAll(newer.committed ? List.of(Level.L1, Level.L4) : List.of(Level.L1));
            }
        }
        String names = levels.stream().map(Level::name).collect(Collectors.joining(" "));
        String agreed = Agreement.bcast(app, names, 0);
        return agreed.isEmpty()
                ? Set.of()
                : Stream.of(agreed.split(" ")).map(Level::valueOf).collect(Collectors.toSet());
    }

    /**
     * Returns whether a newer checkpoint was once committed. Collective; the first rank logs a warning.
     *
     * @param position position of {@code found}
     * @param found the checkpoint from which the restart continues
     */
    boolean isOlder(long position, StoredCheckpoint found) throws IOException {
        long[] newer = {0};
        if (app.rank() == 0) {
            Optional<Entry> newest = newestCommitted(position);
            if (newest.isPresent()) {
                newer[0] = 1;
                LOG.log(
                        Logger.Level.WARNING,
                        "going on from what is whole: checkpoint {0} of level {1} is older than checkpoint {2} of level {3},"
                                + " of which files are missing or damaged; what is left of that stays until the run has taken"
                                + " another",
                        Integer.toString(found.ckptId()),
                        found.level().number(),
                        Integer.toString(newest.get().ckptId),
                        newest.get().level.number());
            }
        }
        app.allreduce(newer, Op.MAX);
        return newer[0] == 1;
    }

    private Optional<Entry> newestCommitted(long after) throws IOException {
        List<Entry> known = entries();
        return known.subList((int) after + 1, known.size()).stream()
                .filter(Entry::committed)
                .reduce((first, second) -> second);
    }

    /**
     * Sorts things with known positions, the newest first. Things without a known position keep their places.
     *
     * @param things the things to sort
     * @param positions their positions in the log, -1 if unknown
     */
    public static <T> List<T> inOrder(List<T> things, long[] positions) {
        List<Integer> known = new ArrayList<>();
        for (int i = 0; i < things.size(); i++) {
            if (positions[i] >= 0) {
                known.add(i);
            }
        }
        List<Integer> sorted = new ArrayList<>(known);
        sorted.sort((a, b) -> Long.compare(positions[b], positions[a]));
        List<T> ordered = new ArrayList<>(things);
        for (int i = 0; i < known.size(); i++) {
            ordered.set(known.get(i), things.get(sorted.get(i)));
        }
        return ordered;
    }
}
