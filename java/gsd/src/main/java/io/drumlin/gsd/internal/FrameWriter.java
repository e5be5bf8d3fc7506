package io.drumlin.gsd.internal;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.format.gsd.internal.EmptyFile;
import io.drumlin.format.gsd.internal.GsdIndex;
import io.drumlin.format.gsd.internal.GsdMetadata;
import io.drumlin.format.gsd.internal.Header;
import io.drumlin.format.gsd.internal.IndexEntry;
import io.drumlin.format.gsd.internal.NameList;
import io.drumlin.gsd.Strictness;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.internal.files.BlockFileSource;
import io.drumlin.storage.internal.files.LateFlush;
import io.drumlin.storage.internal.files.Writeback;
import java.io.IOException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Adds frames to a file. Section 8 of docs/formats/gsd.md describes what is written when and where.
 *
 * <p>The calls alone determine all locations. All ranks make the same calls, so each knows all locations and writes its
 * own rows. Rank 0 writes names, index and header. The state of this object changes only after all ranks have written
 * their parts, so a failed flush can be repeated. Not thread-safe.
 */
public final class FrameWriter implements AutoCloseable {

    static final long DEFAULT_BUFFER = 64L << 20;
    static final long DEFAULT_ENTRIES = 262144;

    /** Number of bytes that a device writes completely or not at all. */
    private static final int SECTOR = 512;

    private static final int STAGE = 1 << 18;

    private final BlockFile file;
    private final Communicator comm;
    private final Strictness strictness;
    private final DirectWrites direct;
    private final WriteBuffer buffer;
    private final WindowedWrite windows;
    private final AlignedBuffer stage;

    private Header header;
    private NameList names;
    /** Number of names in the file. {@link #storedNameBytes} is their size. */
    private int storedNames;

    private long storedNameBytes;

    private long used;
    /** Frame of the last entry in the file; -1 if there are no entries. */
    private long storedFrame;
    /** The known length of the file, at which new data go. */
    private long size;

    private long frame;
    /** Number of entries of the frame that is being written. */
    private int pending;
    /** Entries whose location is relative to the beginning of the buffer. */
    private final PendingIndex buffered = new PendingIndex();
    /** Entries whose data are in the file. */
    private final PendingIndex placed = new PendingIndex();
    /** For each id: one more than the last frame that has the name. */
    private long[] written = new long[16];

    /**
     * Set when something failed that cannot be repeated. The file is valid, but the state of this object may be wrong.
     */
    private @Nullable String unusable;

    /** Whether the file has data that were not synced and that no rank holds any more. Equal on all ranks. */
    private boolean unsynced;

    /** Whether this rank's storage is making data durable. */
    private boolean syncing;

    /** Whether the version in the file is still 2.0, although the header says 2.1. Equal on all ranks. */
    private boolean versionChanged;

    /** Whether a write failed for which space may have been reserved. Equal on all ranks. */
    private boolean untrimmed;

    private long maximumWriteBufferSize = DEFAULT_BUFFER;
    private long indexEntriesToBuffer = DEFAULT_ENTRIES;

    /** How long ended frames may stay in memory, in nanoseconds. */
    private long maximumAge;

    private long lastFlush = System.nanoTime();

    /** Whether the end of the frame flushes, because the age was reached on some rank. Equal on all ranks. */
    private boolean due;

    /** Where several ranks write, no rank can flush alone. It waits for the end of the JVM only, to say what is lost. */
    private final LateFlush late;

    public FrameWriter(
            BlockFile file,
            StorageEngine storage,
            Communicator comm,
            Strictness strictness,
            GsdMetadata metadata,
            LateFlush late)
            throws IOException {
        this.late = late;
        this.maximumAge = strictness == Strictness.REFERENCE ? LateFlush.NEVER : LateFlush.DEFAULT_NANOS;
        this.file = file;
        this.comm = comm;
        this.strictness = strictness;
        this.header = metadata.header();
        this.names = metadata.names();
        adopt(metadata);
        this.size = file.size();
        this.direct = new DirectWrites(storage, file);
        this.buffer = new WriteBuffer(storage, direct);
        this.windows = new WindowedWrite(storage, direct, file);
        this.stage = storage.allocate(STAGE);
    }

    private void adopt(GsdMetadata metadata) throws IOException {
        storedNames = names.size();
        storedNameBytes = names.bytes();
        used = metadata.index().used();
        frame = metadata.index().frames();
        storedFrame = frame - 1;
    }

    public Header header() {
        return header;
    }

    public NameList names() {
        return names;
    }

    /** Returns the current metadata of the file. */
    public GsdMetadata metadata() throws IOException {
        return GsdMetadata.written(new BlockFileSource(file), header, names, used);
    }

    public long frame() {
        return frame;
    }

    /** Returns whether the last frames have no chunks. They will be missing when the file is opened again. */
    public boolean endsWithEmptyFrames() {
        return frame > storedFrame + 1;
    }

    public long storedFrames() {
        return storedFrame + 1;
    }

    /**
     * Changes version 2.0 to 2.1, because chunks of type character may follow. Returns whether that changed the file.
     */
    public boolean markVersion() throws IOException {
        Version version = header.gsdVersion();
        if (version.major() != Version.CURRENT.major() || version.minor() >= Version.CURRENT.minor()) {
            return false;
        }
        header = header.withGsdVersion(Version.CURRENT);
        if (isLeader()) {
            writeHeader(header);
        }
        return true;
    }

    public boolean isReference() {
        return strictness == Strictness.REFERENCE;
    }

    public long maximumWriteBufferSize() {
        return maximumWriteBufferSize;
    }

    public void setMaximumWriteBufferSize(long bytes) {
        maximumWriteBufferSize = bytes;
    }

    public long indexEntriesToBuffer() {
        return indexEntriesToBuffer;
    }

    public void setIndexEntriesToBuffer(long entries) {
        indexEntriesToBuffer = entries;
    }

    public long maximumAge() {
        return maximumAge;
    }

    public void setMaximumAge(long nanos) {
        maximumAge = nanos;
        late.end();
        guardEndedFrames();
    }

    private void guardEndedFrames() {
        if (hasEndedFrames()) {
            late.begin(comm.size() == 1 ? maximumAge : LateFlush.NEVER);
        }
    }

    /** Returns whether chunks of ended frames are not in the file. */
    private boolean hasEndedFrames() {
        return placed.size() + buffered.size() > pending;
    }

    /** Adds a chunk to the frame; {@code data} holds this rank's rows. Collective. */
    public void writeChunk(String name, ElementType type, Buffer data, long rows, long columns) throws IOException {
        if (comm.size() == 1) {
            int id = checked(name, type, data, rows, columns);
            write(id, name, type, data, columns, new RankRows(0, rows, false));
            return;
        }
        int[] id = new int[1];
        String operation = "writing of chunk " + name;
        IOException failure =
                Agreement.attempt(comm, operation, () -> id[0] = checked(name, type, data, rows, columns));
        long signature = (31L * name.hashCode() + type.id()) << 32 ^ columns;
        boolean old = System.nanoTime() - lastFlush >= maximumAge;
        RankRows rankRows = RankRows.of(comm, operation, failure == null ? rows : 0, signature, old, failure);
        due |= rankRows.due();
        write(id[0], name, type, data, columns, rankRows);
    }

    /**
     * Returns the id of a chunk's name, or -1 for a new name. First makes all checks of the call and allocates the
     * memory, so that this rank can do its part if the others can do theirs.
     */
    private int checked(String name, ElementType type, Buffer data, long rows, long columns) throws IOException {
        int id = names.id(name);
        if (id < 0 && (name.isEmpty() || name.indexOf('\0') >= 0)) {
            throw new IllegalArgumentException("a name of a chunk is not empty and has no NUL character");
        }
        if (rows < 0 || columns < 1 || columns > 0xffffffffL) {
            throw new IllegalArgumentException("chunk " + name + " has " + rows + " rows of " + columns
                    + " columns; allowed are 0 rows or more of 1 to 4294967295 columns");
        }
        long bytes = Elements.bytes(type, data);
        long rowBytes = columns * type.bytes();
        // A division would be a notable part of the cost of a small chunk.
        if (Math.multiplyHigh(rows, rowBytes) != 0 || rows * rowBytes != bytes) {
            throw new IllegalArgumentException("chunk " + name + " has " + rows + " rows of " + columns
                    + " elements of type " + type.label() + ", but the buffer has " + bytes + " bytes");
        }
        if (strictness == Strictness.SAFE) {
            checkSafe(name, id);
        }
        if (id < 0 && names.size() >= NameList.LIMIT) {
            throw refusal(name)
                    .problem("the name list is full: a file has at most " + NameList.LIMIT + " names")
                    .advice("use fewer names, or a chunk with more columns")
                    .exception();
        }
        if (bytes < maximumWriteBufferSize) {
            buffer.reserve((int) bytes, isFull(bytes));
        }
        return id;
    }

    private void checkSafe(String name, int id) throws DrumlinException {
        if (id >= 0 && id < written.length && written[id] == frame + 1) {
            throw refusal(name)
                    .problem("frame " + frame + " has this chunk already, and only one of them could be found")
                    .advice("write each name once per frame")
                    .exception();
        }
        if (id < 0
                && header.gsdVersion().hasSlots()
                && name.getBytes(StandardCharsets.UTF_8).length > NameList.SLOT_NAME_BYTES) {
            throw refusal(name)
                    .problem("a name has at most " + NameList.SLOT_NAME_BYTES + " bytes in a file of version "
                            + header.gsdVersion())
                    .advice("upgrade the file to version " + Version.CURRENT + ", or use a shorter name")
                    .exception();
        }
    }

    private DrumlinException.Context refusal(String name) {
        return DrumlinException.during("writing of chunk " + name).path(file.path());
    }

    private void write(int known, String name, ElementType type, Buffer data, long columns, RankRows rankRows)
            throws IOException {
        long rowBytes = columns * type.bytes();
        long bytes = rankRows.total() * rowBytes;
        if (Math.multiplyHigh(rankRows.total(), rowBytes) != 0
                || bytes < 0
                || bytes > Long.MAX_VALUE - size - buffer.length()) {
            throw refusal(name)
                    .problem("the file would have more than 2^63 bytes")
                    .exception();
        }
        boolean atOnce = bytes >= maximumWriteBufferSize;
        if (atOnce) {
            yieldPlace("writing of chunk " + name);
            write("writing of chunk " + name, size, () -> writeAtOnce(data, size + rankRows.first() * rowBytes, type));
            unsynced = true;
        } else {
            makeRoom(bytes);
            if (buffer.length() == 0) {
                buffer.locate(size);
            }
            int own = (int) Elements.bytes(type, data);
            buffer.add(data, own, rankRows.first() * rowBytes, bytes, reservedAhead());
        }
        if (type == ElementType.CHARACTER && header.gsdVersion().equals(Version.PACKED)) {
            header = header.withGsdVersion(Version.CURRENT);
            versionChanged = true;
        }
        int id = known >= 0 ? known : names.add(name);
        note(id);
        if (atOnce) {
            placed.add(frame, rankRows.total(), size, columns, id, type.id());
            size += bytes;
        } else {
            buffered.add(frame, rankRows.total(), buffer.length() - bytes, columns, id, type.id());
        }
        pending++;
    }

    private void note(int id) {
        if (id >= written.length) {
            written = Arrays.copyOf(written, Math.max(id + 1, 2 * written.length));
        }
        written[id] = frame + 1;
    }

    private void makeRoom(long bytes) throws IOException {
        if (isFull(bytes)) {
            write("writing of buffered chunks", size, () -> buffer.writeTo(file, size));
            unsynced = true;
            placeBuffered();
        }
    }

    /**
     * Returns whether the buffer must be flushed. As in the C library, a buffer that exceeds a lowered maximum is not
     * emptied before the flush.
     */
    private boolean isFull(long bytes) {
        long fill = buffer.length();
        return (fill <= maximumWriteBufferSize && bytes > maximumWriteBufferSize - fill)
                || fill + bytes > WriteBuffer.LIMIT;
    }

    /**
     * Returns the offset up to which space may be reserved for chunks before the next flush, which cuts off the rest.
     * Only the rank that cuts off space reserves it; another rank's space could be cut off too early. Nothing is
     * reserved if the end of the frame will flush.
     */
    private long reservedAhead() {
        return isLeader() && placed.size() == 0 ? size + Math.min(maximumWriteBufferSize, DEFAULT_BUFFER) : 0;
    }

    /**
     * Ensures that no rank is still writing after the end of the file. Something other than the buffer will be written
     * there. Collective.
     */
    private void yieldPlace(String operation) throws IOException {
        if (buffer.length() > 0) {
            Agreement.run(comm, operation, buffer::forget);
        }
    }

    private void placeBuffered() {
        placed.moveAll(buffered, size);
        size += buffer.length();
        buffer.clear();
    }

    private void writeAtOnce(Buffer data, long offset, ElementType type) throws IOException {
        long bytes = Elements.bytes(type, data);
        if (DirectWrites.isWorth(offset, offset + bytes)
                && direct.reach(offset, offset + bytes, 0)
                && windows.write(data, bytes, offset)) {
            return;
        }
        writeBuffered(data, bytes, offset);
    }

    private void writeBuffered(Buffer data, long bytes, long offset) throws IOException {
        Writeback writeback = new Writeback(file);
        int most = data instanceof ByteBuffer ? Writeback.window() : STAGE;
        for (long done = 0; done < bytes; done += most) {
            int length = (int) Math.min(most, bytes - done);
            if (data instanceof ByteBuffer raw) {
                file.write(raw.slice(raw.position() + (int) done, length), offset + done);
            } else {
                ByteBuffer piece = stage.buffer().clear().limit(length);
                Elements.copy(data, done, piece);
                file.write(piece.rewind(), offset + done);
            }
            writeback.written(offset + done, length);
        }
    }

    /** Ends the frame. Writes it only when enough data have gathered. Collective. */
    public void endFrame() throws IOException {
        frame++;
        pending = 0;
        if (placed.size() > 0 || buffered.size() > indexEntriesToBuffer || due) {
            flush();
        }
        guardEndedFrames();
    }

    public void checkUsable(String operation) throws DrumlinException {
        if (unusable != null) {
            throw DrumlinException.during(operation)
                    .path(file.path())
                    .problem(unusable)
                    .advice("close the file, open it again and go on behind its " + storedFrames() + " frames")
                    .exception();
        }
    }

    /** Returns whether a flush has anything to do. */
    public boolean isDirty() {
        if (unusable != null) {
            return false;
        }
        return names.size() > storedNames || buffered.size() > 0 || placed.size() > pending;
    }

    /** Writes everything except the entries of the unfinished frame, and makes it durable. Collective. */
    public void flush() throws IOException {
        if (!isDirty()) {
            return;
        }
        writeNamesAndData();
        int complete = placed.size() - pending;
        if (complete > 0) {
            placed.sort();
            commit(complete);
        }
        late.end();
        lastFlush = System.nanoTime();
        due = false;
    }

    private void writeNamesAndData() throws IOException {
        Header renamed = headerForNames();
        boolean moved = renamed.namelistLocation() != header.namelistLocation();
        long dataLocation = moved ? size + nameBlockBytes(renamed) : size;
        if (moved) {
            yieldPlace("writing of names");
        }
        write("writing of data", dataLocation, () -> {
            if (isLeader() && versionChanged) {
                writeHeader(header);
            }
            if (isLeader() && names.size() > storedNames) {
                writeNames(renamed, moved);
            }
            buffer.writeTo(file, dataLocation);
            if (isLeader()) {
                direct.trim(dataLocation + buffer.length());
            }
            syncData();
        });
        unsynced = false;
        versionChanged = false;
        header = renamed;
        storedNames = names.size();
        storedNameBytes = names.bytes();
        placeBuffered();
    }

    /** A system reports a failure only once. The next sync would succeed although the data are not in the file. */
    private void syncData() throws IOException {
        syncing = true;
        file.sync();
        syncing = false;
    }

    /**
     * Carries out a collective write up to {@code end}. Later data go after {@code end} even if the write failed,
     * because the header in the file may already refer to this range.
     */
    private void write(String operation, long end, Agreement.Step step) throws IOException {
        try {
            Agreement.run(comm, operation, step);
        } catch (IOException e) {
            // Bytes that were written count as unwritten too, because they may not be durable.
            buffer.forget();
            untrimmed = true;
            if (unsynced && isSyncingAnywhere()) {
                unusable = "data that were written before could not be made durable";
            }
            throw e;
        } finally {
            syncing = false;
            size = end;
        }
    }

    private boolean isSyncingAnywhere() throws IOException {
        return Agreement.any(comm, syncing);
    }

    private static long nameBlockBytes(Header header) {
        return header.namelistAllocatedEntries() * Header.NAME_UNIT;
    }

    /**
     * Returns the header with a name block that has room for all names: the current block, or a larger one at the end
     * of the file.
     */
    private Header headerForNames() {
        long allocated = nameBlockBytes(header);
        if (names.bytes() <= allocated) {
            return header;
        }
        do {
            allocated *= 2;
        } while (names.bytes() >= allocated);
        return header.withNamelist(size, allocated / Header.NAME_UNIT);
    }

    private void writeNames(Header renamed, boolean moved) throws IOException {
        long end = renamed.namelistLocation() + nameBlockBytes(renamed);
        if (moved) {
            writeAndFill(names.encode(0), renamed.namelistLocation(), end);
            syncData();
            writeHeader(renamed);
        } else {
            writeAndFill(names.encode(storedNames), renamed.namelistLocation() + storedNameBytes, end);
        }
    }

    /** Writes bytes, followed by zeros up to {@code end}. */
    private void writeAndFill(ByteBuffer bytes, long location, long end) throws IOException {
        file.write(bytes, location);
        fill(location + bytes.remaining(), end);
    }

    private void fill(long location, long end) throws IOException {
        for (long at = location; at < end; at += STAGE) {
            ByteBuffer zeros = stage.buffer().clear().limit((int) Math.min(STAGE, end - at));
            while (zeros.hasRemaining()) {
                zeros.put((byte) 0);
            }
            file.write(zeros.rewind(), at);
        }
    }

    private void writeHeader(Header changed) throws IOException {
        file.write(changed.encode(), 0);
        file.sync();
    }

    private boolean isLeader() {
        return comm.rank() == 0;
    }

    /** Adds the first {@code count} placed entries to the index. */
    private void commit(int count) throws IOException {
        long last = placed.frame(count - 1);
        long allocated = header.indexAllocatedEntries();
        long entries = allocatedFor(used + count, last);
        Header grown = entries == allocated ? header : header.withIndex(size, entries);
        long end = entries == allocated ? size : size + entries * IndexEntry.BYTES;
        write("writing of the index", end, () -> {
            if (!isLeader()) {
                return;
            }
            if (entries == allocated) {
                append(count);
            } else {
                moveIndex(grown, count);
            }
        });
        header = grown;
        used += count;
        storedFrame = last;
        placed.removeFirst(count);
    }

    private long allocatedFor(long wanted, long lastFrame) {
        long allocated = header.indexAllocatedEntries();
        boolean safe = strictness == Strictness.SAFE;
        if (wanted <= allocated && !(safe && lastFrame >= allocated)) {
            return allocated;
        }
        do {
            allocated = Math.multiplyExact(allocated, 2L);
        } while (allocated <= wanted || (safe && lastFrame >= allocated));
        return allocated;
    }

    /**
     * Makes a larger index at the end of the file. The header, which is written last, makes the new frames part of the
     * file.
     */
    private void moveIndex(Header grown, int count) throws IOException {
        long target = grown.indexLocation();
        long copied = used * IndexEntry.BYTES;
        for (long done = 0; done < copied; done += STAGE) {
            ByteBuffer piece = stage.buffer().clear().limit((int) Math.min(STAGE, copied - done));
            BlockFileSource.readFully(file, header.indexLocation() + done, piece);
            file.write(piece.rewind(), target + done);
        }
        writeEntries(0, count, target + copied);
        long end = target + grown.indexAllocatedEntries() * IndexEntry.BYTES;
        // The file is cut first, because a failed flush may have left something there.
        file.truncate(target + copied + (long) count * IndexEntry.BYTES);
        file.truncate(end);
        file.sync();
        writeHeader(grown);
    }

    /**
     * Writes entries after the used ones in such a way that a crash leaves all of them or none. A device writes a
     * sector completely or not at all. Entries in several sectors are written while the header says that the index ends
     * before them. In an empty index, the first slot is written last instead. If there are more frames than entries,
     * neither is possible, and a power loss can leave some of the entries.
     */
    private void append(int count) throws IOException {
        long location = header.indexLocation() + used * IndexEntry.BYTES;
        long end = location + (long) count * IndexEntry.BYTES;
        if (location / SECTOR == (end - 1) / SECTOR) {
            writeEntries(0, count, location);
        } else if (used == 0) {
            writeEntries(1, count, location + IndexEntry.BYTES);
            file.sync();
            writeEntries(0, 1, location);
        } else if (storedFrame < used) {
            writeHeader(header.withIndex(header.indexLocation(), used));
            writeEntries(0, count, location);
            file.sync();
            file.write(header.encode(), 0);
        } else {
            writeEntries(0, count, location);
        }
        file.sync();
    }

    private void writeEntries(int from, int to, long location) throws IOException {
        int most = STAGE / IndexEntry.BYTES;
        for (int entry = from; entry < to; entry += most) {
            ByteBuffer piece = stage.buffer().clear().limit(Math.min(most, to - entry) * IndexEntry.BYTES);
            placed.encode(entry, piece);
            file.write(piece.rewind(), location + (long) (entry - from) * IndexEntry.BYTES);
        }
    }

    /** Makes the file an empty one of version 2.1. Collective. */
    public void truncate() throws IOException {
        Header empty = header.emptied();
        yieldPlace("truncation");
        replace("truncation", () -> {
            replaceBlocks(empty, ByteBuffer.allocate(0), ByteBuffer.allocate(0));
            file.truncate(EmptyFile.BYTES);
            file.sync();
        });
        late.end();
        header = empty;
        names = new NameList(Version.CURRENT);
        storedNames = 0;
        storedNameBytes = 0;
        used = 0;
        frame = 0;
        storedFrame = -1;
        size = EmptyFile.BYTES;
        pending = 0;
        unsynced = false;
        buffered.clear();
        placed.clear();
        buffer.clear();
        written = new long[16];
        maximumWriteBufferSize = DEFAULT_BUFFER;
        indexEntriesToBuffer = DEFAULT_ENTRIES;
    }

    /** Requires that nothing is pending. The C library requires this before an upgrade, even if the file needs none. */
    public void requireNothingPending() throws DrumlinException {
        if (names.size() > storedNames || placed.size() > 0) {
            throw DrumlinException.during("upgrade")
                    .path(file.path())
                    .problem("frame " + frame + " has chunks that are not in the file yet")
                    .advice("end the frame and flush the file first")
                    .exception();
        }
    }

    /** Converts a file of version 1.0 to version 2.1. Flushes, as the C library does in this case. Collective. */
    public void upgrade() throws IOException {
        long stored = used;
        long replaced = header.indexLocation();
        flush();
        NameList packed = names.convertedTo(Version.CURRENT);
        Header upgraded = header.withGsdVersion(Version.CURRENT);
        yieldPlace("upgrade");
        replace("upgrade", () -> {
            ByteBuffer entries = sorted(metadata().index(), stored);
            replaceBlocks(upgraded, entries, packed.encode(0));
            if (replaced != header.indexLocation()) {
                file.write(entries.limit((int) stored * IndexEntry.BYTES), replaced);
            }
            file.truncate(size);
            file.sync();
        });
        header = upgraded;
        names = packed;
        storedNameBytes = names.bytes();
    }

    /** Makes rank 0 change existing parts of the file. */
    private void replace(String operation, Agreement.Step step) throws IOException {
        unusable = operation + " of the file failed before";
        Agreement.run(comm, operation, () -> {
            if (isLeader()) {
                step.run();
            }
        });
        unusable = null;
    }

    /** Cuts off space that was reserved for data that did not come. Collective. */
    public void trim() throws IOException {
        if (!untrimmed) {
            return;
        }
        yieldPlace("close");
        Agreement.run(comm, "close", () -> {
            if (isLeader() && file.size() > size) {
                file.truncate(size);
            }
        });
    }

    /**
     * Sorts the first {@code unsorted} entries; those of the flush are in order. As in the C library, they are not
     * sorted together, because that would change the order of equal keys.
     */
    private ByteBuffer sorted(GsdIndex index, long unsorted) throws IOException {
        PendingIndex entries = new PendingIndex();
        for (long slot = 0; slot < used; slot++) {
            IndexEntry entry = index.slot(slot);
            entries.add(entry.frame(), entry.rows(), entry.location(), entry.columns(), entry.id(), entry.type());
            if (entries.size() == unsorted) {
                entries.sort();
            }
        }
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(entries.size(), IndexEntry.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        entries.encode(0, bytes);
        return bytes.rewind();
    }

    /**
     * Replaces the contents of the index and the names at the locations in {@code target}. First writes the new
     * contents after the end of the file and a header that points there, so that a crash leaves either the old or the
     * new state. The caller must cut off the temporary copy.
     */
    private void replaceBlocks(Header target, ByteBuffer entries, ByteBuffer nameBytes) throws IOException {
        long end = Math.max(file.size(), size);
        Header aside = target.withIndex(end, target.indexAllocatedEntries())
                .withNamelist(
                        end + target.indexAllocatedEntries() * IndexEntry.BYTES, target.namelistAllocatedEntries());
        for (Header place : new Header[] {aside, target}) {
            long indexEnd = place.indexLocation() + place.indexAllocatedEntries() * IndexEntry.BYTES;
            writeAndFill(entries, place.indexLocation(), indexEnd);
            writeAndFill(nameBytes, place.namelistLocation(), place.namelistLocation() + nameBlockBytes(place));
            file.sync();
            writeHeader(place);
        }
    }

    @Override
    public void close() throws IOException {
        late.end();
        buffer.close();
        windows.close();
        stage.close();
        direct.close();
    }

    /** Attaches a failure during closing to an earlier one. */
    public static @Nullable IOException join(@Nullable IOException first, @Nullable IOException second) {
        if (first == null) {
            return second;
        }
        if (second != null) {
            first.addSuppressed(second);
        }
        return first;
    }
}
