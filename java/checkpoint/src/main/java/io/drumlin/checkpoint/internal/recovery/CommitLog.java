package io.drumlin.checkpoint.internal.recovery;

import io.drumlin.checkpoint.Level;
import io.drumlin.checkpoint.internal.config.TextFiles;
import io.drumlin.checkpoint.internal.inventory.CommitOrder;
import io.drumlin.checkpoint.internal.inventory.CommitOrder.Entry;
import io.drumlin.checkpoint.internal.io.Threads;
import io.drumlin.checkpoint.internal.mode.RejectedFiles;
import io.drumlin.checkpoint.internal.mode.StoredCheckpoint;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.Communicator.Op;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.PathStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records the order in which the checkpoints of a run were taken (docs/formats/fti-run-directory.md, section 12), in a
 * file on the parallel file system to which the first rank adds lines. A superseded checkpoint that is whole again,
 * because nodes have come back with old disks, is therefore known to be older.
 *
 * <p>A checkpoint is recorded before it can be whole anywhere, by a thread while the data are written. The age of a
 * checkpoint that is not in the log is unknown: it is of C FTI, or could not be recorded. Not thread-safe.
 */
public final class CommitLog {

    private static final Logger LOG = System.getLogger("io.drumlin.checkpoint");

    /** Bytes of a log above which it is shortened. */
    private static final int LONG = 1 << 20;

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
     * Records a checkpoint that is going to be written, while the caller continues. Not collective.
     *
     * @param identity the {@link StoredCheckpoint#identity} of the checkpoint
     * @param timestamp when it was begun, in nanoseconds since 1970
     */
    public void begin(int ckptId, Level level, long identity, long timestamp) {
        if (app.rank() == 0) {
            await();
            begun = new Entry(ckptId, level, identity, timestamp, false);
            pending += begun.line(CommitOrder.BEGUN);
            start();
        }
    }

    /** Marks the checkpoint that was begun last as committed; this is written together with the next checkpoint. */
    public void confirm() {
        Entry last = begun;
        if (last != null) {
            await();
            pending += last.line(CommitOrder.COMMITTED);
            begun = null;
        }
    }

    /**
     * Records that the run continues from a checkpoint, while the caller continues: a job that fails again before its next
     * checkpoint has failed with this one. Not collective.
     */
    public void recordContinuedFrom(StoredCheckpoint from) throws IOException {
        OptionalLong identity = from.identity();
        if (app.rank() == 0 && identity.isPresent()) {
            int last = CommitOrder.last(entries(), from.ckptId(), identity.getAsLong());
            Entry entry = last >= 0
                    ? entries().get(last)
                    : new Entry(from.ckptId(), from.level(), identity.getAsLong(), CommitOrder.NEVER, false);
            pending += last >= 0 ? "" : entry.line(CommitOrder.BEGUN);
            pending += entry.committed() ? "" : entry.line(CommitOrder.COMMITTED);
            if (!pending.isEmpty()) {
                start();
            }
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
        TextFiles.replace(file, shortened(TextFiles.read(file)) + "\n" + lines, storage);
    }

    /** Checkpoints of level 1 are many and soon gone: the older half loses those, and if they are few, all. */
    private static String shortened(String text) {
        int half = text.indexOf('\n', text.length() - LONG / 2);
        String older = text.substring(0, half)
                .lines()
                .filter(line -> !line.contains(" " + Level.L1 + " "))
                .collect(Collectors.joining("\n"));
        return (older.length() < LONG / 4 ? older : "") + text.substring(half);
    }

    /** Returns the entries of the file when it was read first; for the first rank. */
    public List<Entry> entries() throws IOException {
        List<Entry> known = entries;
        if (known == null) {
            known = CommitOrder.entries(file);
            entries = known;
        }
        return known;
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
        return identity.isPresent() ? CommitOrder.last(entries(), checkpoint.ckptId(), identity.getAsLong()) : -1;
    }

    /**
     * Returns the levels at which there may be a newer checkpoint. Collective.
     *
     * @param position position of the found checkpoint; below 0 if it is not known, and nothing is known to be newer
     */
    public Set<Level> levelsOfNewer(long position) throws IOException {
        Set<Level> levels = EnumSet.noneOf(Level.class);
        if (position >= 0 && app.rank() == 0) {
            List<Entry> known = entries();
            for (Entry newer : known.subList((int) position + 1, known.size())) {
                levels.add(newer.level());
                // A restart copies it to the nodes, and the end of a run to level 4.
                levels.add(Level.L1);
                if (newer.committed()) {
                    levels.add(Level.L4);
                }
            }
        }
        List<Level> all = List.of(Level.values());
        long[] found =
                all.stream().mapToLong(level -> levels.contains(level) ? 1 : 0).toArray();
        app.allreduce(found, Op.MAX);
        for (int i = 0; i < found.length; i++) {
            if (found[i] == 1) {
                levels.add(all.get(i));
            }
        }
        return levels;
    }

    /**
     * Returns whether a newer checkpoint was once committed. Collective; the first rank logs a warning.
     *
     * @param position position of {@code found}
     * @param found the checkpoint from which the restart continues
     */
    boolean isOlder(long position, StoredCheckpoint found) throws IOException {
        Optional<Entry> newest = app.rank() == 0 ? newestCommitted(position) : Optional.empty();
        newest.ifPresent(newer -> LOG.log(
                Logger.Level.WARNING,
                "going on from what is whole: checkpoint {0} of level {1} is older than checkpoint {2} of level {3},"
                        + " of which files are missing or damaged; what is left of that stays until the run has taken"
                        + " another",
                Integer.toString(found.ckptId()),
                found.level().number(),
                Integer.toString(newer.ckptId()),
                newer.level().number()));
        return Agreement.any(app, newest.isPresent());
    }

    /**
     * Returns the newest checkpoint that was once committed after another one, in words. Collective.
     *
     * @param position position of the other one; nothing is newer if it is below 0
     */
    public Optional<String> newerThan(long position) throws IOException {
        Optional<Entry> newest = position < 0 || app.rank() != 0 ? Optional.empty() : newestCommitted(position);
        String words = newest.map(each -> words(each.ckptId(), each.level())).orElse("");
        return Optional.of(Agreement.bcast(app, words, 0)).filter(each -> !each.isEmpty());
    }

    /** Returns the name of a checkpoint, for people. */
    public static String words(int ckptId, Level level) {
        return "checkpoint " + ckptId + " of level " + level.number();
    }

    private Optional<Entry> newestCommitted(long after) throws IOException {
        List<Entry> known = entries();
        return known.subList((int) after + 1, known.size()).stream()
                .filter(Entry::committed)
                .reduce((first, second) -> second);
    }
}
