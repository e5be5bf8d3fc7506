package io.drumlin.gsd;

import io.drumlin.DrumlinException;
import io.drumlin.comm.Communicator;
import io.drumlin.comm.SingleCommunicator;
import io.drumlin.comm.internal.Agreement;
import io.drumlin.format.FormatException;
import io.drumlin.format.gsd.ElementType;
import io.drumlin.format.gsd.Version;
import io.drumlin.format.gsd.internal.EmptyFile;
import io.drumlin.format.gsd.internal.GsdIndex;
import io.drumlin.format.gsd.internal.GsdMetadata;
import io.drumlin.format.gsd.internal.Header;
import io.drumlin.format.gsd.internal.IndexEntry;
import io.drumlin.format.gsd.internal.NameList;
import io.drumlin.gsd.internal.FrameWriter;
import io.drumlin.gsd.internal.WriteBuffer;
import io.drumlin.storage.AlignedBuffer;
import io.drumlin.storage.BlockFile;
import io.drumlin.storage.OpenMode;
import io.drumlin.storage.StorageEngine;
import io.drumlin.storage.StorageEngines;
import io.drumlin.storage.internal.files.BlockFileSource;
import io.drumlin.storage.internal.files.LateFlush;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A GSD file: frames of named chunks, each N rows of M elements.
 *
 * <pre>{@code
 * try (var file = GsdFile.create(path, "my program", "hoomd", new Version(1, 4))) {
 *     file.writeChunk("particles/position", positions, particles, 3);
 *     file.endFrame();
 * }
 * }</pre>
 *
 * <p>Chunks and frames gather in memory. They become durable in the file at {@link #flush} or {@link #close}, or when
 * the limit of {@link #setMaximumWriteBufferSize}, {@link #setIndexEntriesToBuffer} or {@link #setMaximumAge} is
 * reached. If one rank writes, ended frames are also flushed when the JVM ends, by {@code System.exit} and SIGTERM too.
 * So a kill (SIGKILL, or {@code Runtime.halt}) loses the frames of the last 10 seconds; all earlier ones are complete
 * in the file. If several ranks write, no rank can flush alone. Then the end of a JVM loses, like a kill, the frames
 * since the last flush, which is at most 10 seconds before the last frame. Runs of 4 MiB or more of one rank
 * bypass the page cache if the file system allows it, and are written while more data gather. Until the next flush, the
 * file may be longer by 64 MiB, or by all gathered data if they are more. A failed flush can be repeated, unless a sync
 * failed after chunks had been written at once. Then only opening the file again helps, and the error says so.
 *
 * <p>All ranks of its communicator write a file that was opened with one. Each gives its rows of every chunk, and they
 * become one chunk in the order of the ranks. Every rank must then call the methods marked <em>collective</em>, in the
 * same order. If such a call fails on one rank, it throws on all. A file opened for {@link Access#READ} has no
 * collective methods; each rank reads for itself, for instance its {@link Chunk#part}.
 *
 * <p>Frames without chunks count, but those at the end are not in the file. They are missing when it is opened again,
 * and closing warns of that. The bytes are those that the C library writes for the same calls; docs/formats/gsd.md.
 * Nothing locks a file against a second writer. Not thread-safe.
 */
public final class GsdFile implements Closeable {

    private static final Logger LOG = System.getLogger("io.drumlin.gsd");

    /** Of its own: a thread of the program that has locked the file and ends the JVM must not keep it from ending. */
    private final Object lock = new Object();

    private final BlockFile file;
    private final StorageEngine storage;
    private final Communicator comm;
    /** {@code null} if the file is open for reading only. */
    private final @Nullable FrameWriter writer;
    /** The metadata of the file in its current state; {@code null} after a write. */
    private @Nullable GsdMetadata metadata;

    private @Nullable AlignedBuffer stage;
    private boolean closed;

    private GsdFile(Builder how, BlockFile file, StorageEngine storage, Communicator comm, Access access)
            throws IOException {
        this.file = file;
        this.storage = storage;
        this.comm = comm;
        GsdMetadata read = read(file);
        this.metadata = read;
        this.writer = access.writes()
                ? new FrameWriter(file, storage, comm, how.strictness, read, new LateFlush(this::flushLate))
                : null;
    }

    /** Reads the metadata. Another process may write the file, which then grows between the looks at its size and at its index. */
    private static GsdMetadata read(BlockFile file) throws IOException {
        while (true) {
            long size = file.size();
            try {
                return GsdMetadata.read(new BlockFileSource(file));
            } catch (FormatException e) {
                if (file.size() == size) {
                    throw e;
                }
            }
        }
    }

    /**
     * The options for opening a file. The methods of {@link GsdFile} are shorter for the usual cases. Not thread-safe.
     */
    public static final class Builder {

        private final Path path;
        private Communicator communicator = new SingleCommunicator();
        private @Nullable StorageEngine storage;
        private Strictness strictness = Strictness.SAFE;
        private Version version = Version.CURRENT;

        private Builder(Path path) {
            this.path = path;
        }

        /**
         * Sets the ranks that write together.
         *
         * @param ranks a communicator, of which the file uses a duplicate
         * @return this
         */
        public Builder communicator(Communicator ranks) {
            this.communicator = ranks;
            return this;
        }

        /**
         * Chooses a storage engine.
         *
         * @param engine any engine; the default is {@link StorageEngines#best}
         * @return this
         */
        public Builder storage(StorageEngine engine) {
            this.storage = engine;
            return this;
        }

        /**
         * Sets which calls are refused.
         *
         * @param which the strictness; the default is {@link Strictness#SAFE}
         * @return this
         */
        public Builder strictness(Strictness which) {
            this.strictness = which;
            return this;
        }

        /**
         * Sets the version of the file layer of a new file.
         *
         * @param made 1.0, whose names have slots of 64 bytes, 2.0, or 2.1, which is the default
         * @return this
         */
        public Builder version(Version made) {
            if (!List.of(Version.FIRST, Version.PACKED, Version.CURRENT).contains(made)) {
                throw new IllegalArgumentException("files of version 1.0, 2.0 and 2.1 can be made, not " + made);
            }
            this.version = made;
            return this;
        }

        /**
         * Makes a file, or replaces the contents of a file, and opens it for reading and writing. Collective.
         *
         * @param application name of the writing program; 63 bytes of it are kept
         * @param schema name of the schema, which defines the chunks; 63 bytes of it are kept
         * @param schemaVersion version of the schema
         * @return the open file
         * @throws IOException the file cannot be made
         */
        public GsdFile create(String application, String schema, Version schemaVersion) throws IOException {
            return create(Header.create(application, schema, schemaVersion, version), OpenMode.TRUNCATE);
        }

        /**
         * Makes a file, which must not exist before, and opens it for reading and writing. Collective.
         *
         * @param application name of the writing program; 63 bytes of it are kept
         * @param schema name of the schema, which defines the chunks; 63 bytes of it are kept
         * @param schemaVersion version of the schema
         * @return the open file
         * @throws IOException the file exists (EEXIST) or cannot be made
         */
        public GsdFile createNew(String application, String schema, Version schemaVersion) throws IOException {
            return create(Header.create(application, schema, schemaVersion, version), OpenMode.EXCLUSIVE);
        }

        private GsdFile create(Header header, OpenMode existing) throws IOException {
            Agreement.run(communicator, "creation of " + path, () -> {
                if (communicator.rank() == 0) {
                    write(engine(), header, existing);
                }
            });
            return open(Access.READ_WRITE);
        }

        private void write(StorageEngine engine, Header header, OpenMode existing) throws IOException {
            try (BlockFile made = engine.open(path, EnumSet.of(OpenMode.WRITE, OpenMode.CREATE, existing))) {
                made.write(EmptyFile.encode(header), 0);
                made.sync();
            }
            Path directory = path.toAbsolutePath().getParent();
            if (directory != null) {
                engine.syncDirectory(directory);
            }
        }

        /**
         * Opens an existing file. Collective, unless it is opened for {@link Access#READ}.
         *
         * <p>A file keeps its version until it is upgraded. One of version 2.0 becomes one of 2.1 when it gets a chunk
         * of characters, or, with {@link Strictness#REFERENCE}, when it is opened for writing, as in the C library.
         *
         * @param access the purpose
         * @return the open file
         * @throws FormatException the file is not a GSD file, or is damaged; the message names the field
         * @throws IOException the file cannot be opened or read
         */
        public GsdFile open(Access access) throws IOException {
            if (!access.writes()) {
                return openHere(engine(), new SingleCommunicator(), access);
            }
            // One rank alone sends no messages, so that it can flush in another thread and when MPI has ended.
            Communicator ranks = communicator.size() == 1 ? new SingleCommunicator() : communicator.dup();
            GsdFile[] opened = new GsdFile[1];
            try {
                Agreement.run(ranks, "opening of " + path, () -> opened[0] = openHere(engine(), ranks, access));
                Agreement.run(ranks, "opening of " + path, () -> opened[0].markWritten());
            } catch (Throwable e) {
                try (ranks) {
                    if (opened[0] != null) {
                        opened[0].release();
                    }
                } catch (IOException late) {
                    e.addSuppressed(late);
                }
                throw e;
            }
            return opened[0];
        }

        private GsdFile openHere(StorageEngine engine, Communicator ranks, Access access) throws IOException {
            Set<OpenMode> modes =
                    access.writes() ? EnumSet.of(OpenMode.READ, OpenMode.WRITE) : EnumSet.of(OpenMode.READ);
            BlockFile file = engine.open(path, modes);
            try {
                return new GsdFile(this, file, engine, ranks, access);
            } catch (FormatException e) {
                file.close();
                throw e.in(path);
            } catch (Throwable e) {
                file.close();
                throw e;
            }
        }

        private StorageEngine engine() throws IOException {
            return storage == null ? StorageEngines.best() : storage;
        }
    }

    /**
     * Begins to open a file with options.
     *
     * @param path the file
     * @return a builder to set options and open the file
     */
    public static Builder at(Path path) {
        return new Builder(path);
    }

    /**
     * Makes a file, or replaces the contents of a file, and opens it for reading and writing.
     *
     * @param path the file
     * @param application name of the writing program; 63 bytes of it are kept
     * @param schema name of the schema, which defines the chunks; 63 bytes of it are kept
     * @param schemaVersion version of the schema
     * @return the open file
     * @throws IOException the file cannot be made
     */
    public static GsdFile create(Path path, String application, String schema, Version schemaVersion)
            throws IOException {
        return at(path).create(application, schema, schemaVersion);
    }

    /**
     * Makes a file of a version, or replaces the contents of a file, and opens it for reading and writing.
     *
     * @param path the file
     * @param application name of the writing program; 63 bytes of it are kept
     * @param schema name of the schema, which defines the chunks; 63 bytes of it are kept
     * @param schemaVersion version of the schema
     * @param version version of the file layer: 1.0, 2.0 or 2.1
     * @return the open file
     * @throws IOException the file cannot be made
     */
    public static GsdFile create(Path path, String application, String schema, Version schemaVersion, Version version)
            throws IOException {
        return at(path).version(version).create(application, schema, schemaVersion);
    }

    /**
     * Makes a file that many ranks write, or replaces the contents of a file. Collective.
     *
     * @param path the file, the same on every rank
     * @param ranks the writing ranks; the file uses a duplicate
     * @param application name of the writing program; 63 bytes of it are kept
     * @param schema name of the schema, which defines the chunks; 63 bytes of it are kept
     * @param schemaVersion version of the schema
     * @return the open file
     * @throws IOException the file cannot be made
     */
    public static GsdFile create(
            Path path, Communicator ranks, String application, String schema, Version schemaVersion)
            throws IOException {
        return at(path).communicator(ranks).create(application, schema, schemaVersion);
    }

    /**
     * Opens an existing file.
     *
     * @param path the file
     * @param access the purpose
     * @return the open file
     * @throws FormatException the file is not a GSD file, or is damaged; the message names the field
     * @throws IOException the file cannot be opened or read
     */
    public static GsdFile open(Path path, Access access) throws IOException {
        return at(path).open(access);
    }

    /**
     * Opens an existing file that many ranks write. Collective, unless it is opened for {@link Access#READ}.
     *
     * @param path the file, the same on every rank
     * @param ranks the writing ranks; the file uses a duplicate
     * @param access the purpose
     * @return the open file
     * @throws FormatException the file is not a GSD file, or is damaged; the message names the field
     * @throws IOException the file cannot be opened or read
     */
    public static GsdFile open(Path path, Communicator ranks, Access access) throws IOException {
        return at(path).communicator(ranks).open(access);
    }

    /**
     * Changes version 2.0 to 2.1, which is the only change that the C library makes at opening, if this is to be like
     * it. Called when all ranks have read the header.
     */
    private void markWritten() throws IOException {
        if (writer != null && writer.isReference() && writer.markVersion()) {
            metadata = null;
        }
    }

    /**
     * Returns the file's path.
     *
     * @return the path as it was opened
     */
    public Path path() {
        return file.path();
    }

    /**
     * Returns the name of the program that made the file.
     *
     * @return up to 63 bytes, decoded as UTF-8
     */
    public String application() {
        return header().application();
    }

    /**
     * Returns the name of the schema, which defines the chunks.
     *
     * @return up to 63 bytes, decoded as UTF-8
     */
    public String schema() {
        return header().schema();
    }

    /**
     * Returns the version of the schema.
     *
     * @return the version
     */
    public Version schemaVersion() {
        return header().schemaVersion();
    }

    /**
     * Returns the version of the file layer.
     *
     * @return 1.x, 2.x or 0.3
     */
    public Version gsdVersion() {
        return header().gsdVersion();
    }

    private Header header() {
        return writer != null ? writer.header() : current().header();
    }

    private NameList nameList() {
        return writer != null ? writer.names() : current().names();
    }

    private GsdMetadata current() {
        if (metadata == null) {
            throw new AssertionError("only a file that is written has no metadata at hand");
        }
        return metadata;
    }

    /**
     * Returns the number of frames. In a file that is being written it counts the frames that were ended, including
     * those without chunks and those not yet flushed.
     *
     * @return 0 or more
     * @throws IOException the index cannot be read
     */
    public long frameCount() throws IOException {
        return writer != null ? writer.frame() : current().index().frames();
    }

    /**
     * Returns the names of chunks in the order in which they were first written, including names that no chunk uses.
     *
     * @param prefix prefix of the names; empty for all
     * @return the names; bytes that are not UTF-8 are replaced
     */
    public List<String> names(String prefix) {
        NameList list = nameList();
        List<String> found = new ArrayList<>();
        for (int id = 0; id < list.size(); id++) {
            String name = list.name(id);
            if (name.startsWith(prefix)) {
                found.add(name);
            }
        }
        return found;
    }

    /**
     * Returns a frame.
     *
     * @param number 0 to {@link #frameCount()} - 1
     * @return the frame
     * @throws IOException the index cannot be read
     */
    public Frame frame(long number) throws IOException {
        if (number < 0 || number >= frameCount()) {
            throw new IndexOutOfBoundsException("frame " + number + " of " + frameCount() + ": " + path());
        }
        return new Frame(this, number);
    }

    /**
     * Returns all current frames.
     *
     * @return frames in order
     * @throws IOException the index cannot be read
     */
    public Iterable<Frame> frames() throws IOException {
        long count = frameCount();
        return () -> new Iterator<>() {
            private long next;

            @Override
            public boolean hasNext() {
                return next < count;
            }

            @Override
            public Frame next() {
                if (next >= count) {
                    throw new NoSuchElementException();
                }
                return new Frame(GsdFile.this, next++);
            }
        };
    }

    /**
     * Finds a chunk. The call first flushes a file that is being written, which makes it collective. Each rank does the
     * look-up for itself, and it can fail on one rank alone.
     *
     * @param frame number of the frame
     * @param name name of the chunk
     * @return the chunk, or empty
     * @throws FormatException there is an entry, but it is invalid
     * @throws IOException the file cannot be read or flushed
     */
    public Optional<Chunk> findChunk(long frame, String name) throws IOException {
        synchronized (lock) {
            if (frame < 0 || frame >= frameCount()) {
                return Optional.empty();
            }
            GsdIndex index = flushedIndex();
            int id = nameList().id(name);
            OptionalLong slot = id < 0 ? OptionalLong.empty() : index.find(frame, id);
            return slot.isPresent() ? Optional.of(chunk(index, slot.getAsLong())) : Optional.empty();
        }
    }

    /** Returns the chunks of a frame, in the order of the index. */
    List<Chunk> chunks(long frame) throws IOException {
        synchronized (lock) {
            GsdIndex index = flushedIndex();
            List<Chunk> chunks = new ArrayList<>();
            long end = index.firstAfter(frame);
            for (long slot = index.firstAfter(frame - 1); slot < end; slot++) {
                chunks.add(chunk(index, slot));
            }
            return chunks;
        }
    }

    private Chunk chunk(GsdIndex index, long slot) throws IOException {
        IndexEntry entry = index.slot(slot);
        try {
            entry.checkData(index.limits(), slot, index.offset(slot));
            entry.checkName(index.limits(), slot, index.offset(slot));
        } catch (FormatException e) {
            throw e.in(path());
        }
        return new Chunk(this, entry, nameList().name(entry.id()));
    }

    private GsdIndex flushedIndex() throws IOException {
        checkOpen();
        if (writer != null) {
            flush();
            if (metadata == null) {
                metadata = writer.metadata();
            }
        }
        return current().index();
    }

    /** Reads data for a chunk. */
    void read(ByteBuffer target, long offset) throws IOException {
        synchronized (lock) {
            checkOpen();
            BlockFileSource.readFully(file, offset, target);
        }
    }

    /** Returns the current length of the file. */
    long size() throws IOException {
        return file.size();
    }

    /** Returns the writing ranks; one rank if the file is open for reading only. */
    Communicator communicator() {
        return comm;
    }

    /** Returns memory for reading, which is kept until the file is closed. */
    ByteBuffer stage(int size) {
        if (stage == null) {
            stage = storage.allocate(size);
        }
        return stage.buffer().clear();
    }

    /**
     * Adds a chunk to the frame that is being written. The elements are copied; the buffer can be used again when the
     * call returns. Collective: the rows of the ranks become one chunk, in rank order.
     *
     * @param name not empty, without NUL; in files of version 1.0 at most 63 bytes
     * @param type the type of the elements
     * @param data this rank's elements from position to limit: a buffer of the type's width, signed and unsigned alike,
     *     or a {@link ByteBuffer} with the bytes as they are to be in the file, little-endian; not changed
     * @param rows N, this rank's number of rows, 0 or more
     * @param columns M, 1 to 2^32 - 1, the same on every rank
     * @throws IllegalArgumentException the name is empty, or data, rows and columns do not fit (with several ranks an
     *     {@link IOException} on all of them)
     * @throws IOException the file is open for reading only, the frame has the name already, the file has 65535 other
     *     names, or writing failed
     */
    public void writeChunk(String name, ElementType type, Buffer data, long rows, long columns) throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("writing of chunk " + name);
            target.writeChunk(name, type, data, rows, columns);
        }
    }

    /**
     * Adds a chunk like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data this rank's elements
     * @throws IOException see that method
     */
    public void writeChunk(String name, ChunkData data) throws IOException {
        writeChunk(name, data.type(), data.buffer(), data.rows(), data.columns());
    }

    /**
     * Adds a chunk of type int8, like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data the elements, row by row
     * @param rows N
     * @param columns M
     * @throws IOException see that method
     */
    public void writeChunk(String name, byte[] data, long rows, long columns) throws IOException {
        writeChunk(name, ElementType.INT8, ByteBuffer.wrap(data), rows, columns);
    }

    /**
     * Adds a chunk of type int16, like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data the elements, row by row
     * @param rows N
     * @param columns M
     * @throws IOException see that method
     */
    public void writeChunk(String name, short[] data, long rows, long columns) throws IOException {
        writeChunk(name, ElementType.INT16, ShortBuffer.wrap(data), rows, columns);
    }

    /**
     * Adds a chunk of type int32, like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data the elements, row by row
     * @param rows N
     * @param columns M
     * @throws IOException see that method
     */
    public void writeChunk(String name, int[] data, long rows, long columns) throws IOException {
        writeChunk(name, ElementType.INT32, IntBuffer.wrap(data), rows, columns);
    }

    /**
     * Adds a chunk of type int64, like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data the elements, row by row
     * @param rows N
     * @param columns M
     * @throws IOException see that method
     */
    public void writeChunk(String name, long[] data, long rows, long columns) throws IOException {
        writeChunk(name, ElementType.INT64, LongBuffer.wrap(data), rows, columns);
    }

    /**
     * Adds a chunk of type float, like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data the elements, row by row
     * @param rows N
     * @param columns M
     * @throws IOException see that method
     */
    public void writeChunk(String name, float[] data, long rows, long columns) throws IOException {
        writeChunk(name, ElementType.FLOAT, FloatBuffer.wrap(data), rows, columns);
    }

    /**
     * Adds a chunk of type double, like {@link #writeChunk(String, ElementType, Buffer, long, long)}. Collective.
     *
     * @param name the name of the chunk
     * @param data the elements, row by row
     * @param rows N
     * @param columns M
     * @throws IOException see that method
     */
    public void writeChunk(String name, double[] data, long rows, long columns) throws IOException {
        writeChunk(name, ElementType.DOUBLE, DoubleBuffer.wrap(data), rows, columns);
    }

    /**
     * Adds a chunk of type character, which holds one text in UTF-8, like {@link #writeChunk(String, ElementType,
     * Buffer, long, long)}. Collective: the parts of the ranks are joined.
     *
     * @param name the name of the chunk
     * @param text the text
     * @throws IOException see that method
     */
    public void writeChunk(String name, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        writeChunk(name, ElementType.CHARACTER, ByteBuffer.wrap(utf8), utf8.length, 1);
    }

    /**
     * Ends the frame that is being written. Collective.
     *
     * @throws IOException the file is open for reading only, or a flush was due and failed. The frame has ended even
     *     so, and {@link #flush} can be repeated
     */
    public void endFrame() throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("end of a frame");
            metadata = null;
            target.endFrame();
        }
    }

    /**
     * Writes all frames that were ended and makes them durable. Also writes the data and names of an unfinished frame,
     * but they become part of the file only when the frame has been ended and flushed. Does nothing if there is nothing
     * to write. Collective.
     *
     * @throws IOException the file is open for reading only, or not all data could be written; the earlier contents are
     *     still there, and the flush can be repeated
     */
    public void flush() throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("flush");
            if (target.isDirty()) {
                metadata = null;
                target.flush();
            }
        }
    }

    /**
     * Deletes all frames and names, flushed or not. The file becomes one of version 2.1 with the same application and
     * schema. The limits of {@link #setMaximumWriteBufferSize} and {@link #setIndexEntriesToBuffer} return to their
     * defaults. A crash leaves the file as it was or empty. Collective.
     *
     * @throws IOException the file is open for reading only, or writing failed
     */
    public void truncate() throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("truncation");
            metadata = null;
            target.truncate();
        }
    }

    /**
     * Converts a file of version 1.0 to version 2.1, in place, and gives a file of version 2.0 the version 2.1. A file
     * of version 1.0 is flushed first. A crash leaves the file as it was or upgraded. Collective.
     *
     * @throws IOException the file is open for reading only, has chunks of a frame that has not ended or names that were
     *     not flushed, or writing failed
     */
    public void upgrade() throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("upgrade");
            target.requireNothingPending();
            if (gsdVersion().hasSlots()) {
                metadata = null;
                target.upgrade();
            } else {
                Agreement.run(comm, "upgrade", target::markVersion);
                metadata = null;
            }
        }
    }

    /**
     * Returns the amount of data that gather before they are written. A chunk of at least this size is written at once.
     *
     * @return size in bytes, 64 MiB unless it was set
     * @throws IOException the file is open for reading only
     */
    public long maximumWriteBufferSize() throws IOException {
        return writer("setting").maximumWriteBufferSize();
    }

    /**
     * Sets the amount of data that gather before they are written. A chunk of at least this size is written at once.
     * Every rank must set the same size, which counts the bytes of all ranks.
     *
     * @param bytes 1 or more; at most 1 GiB are gathered
     * @throws IOException the file is open for reading only
     */
    public void setMaximumWriteBufferSize(long bytes) throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("setting");
            requirePositive("maximum write buffer size", bytes);
            target.setMaximumWriteBufferSize(Math.min(bytes, WriteBuffer.LIMIT));
        }
    }

    /**
     * Returns the number of chunks that gather before the end of a frame causes a flush.
     *
     * @return number of chunks, 262144 unless it was set
     * @throws IOException the file is open for reading only
     */
    public long indexEntriesToBuffer() throws IOException {
        return writer("setting").indexEntriesToBuffer();
    }

    /**
     * Sets the number of chunks that gather before the end of a frame causes a flush. With 1, nearly every frame is
     * flushed. Every rank must set the same number.
     *
     * @param entries 1 or more
     * @throws IOException the file is open for reading only
     */
    public void setIndexEntriesToBuffer(long entries) throws IOException {
        synchronized (lock) {
            FrameWriter target = writer("setting");
            requirePositive("number of index entries to buffer", entries);
            target.setIndexEntriesToBuffer(entries);
        }
    }

    /**
     * Returns how long ended frames may stay in memory.
     *
     * @return 10 seconds unless it was set
     * @throws IOException the file is open for reading only
     */
    public Duration maximumAge() throws IOException {
        return Duration.ofNanos(writer("setting").maximumAge());
    }

    /**
     * Sets how long ended frames may stay in memory. If one rank writes, another thread flushes them when they have that
     * age. If several ranks do, the end of a frame flushes if the last flush was so long ago on any rank.
     *
     * @param age 0 or more; about 292 years are the most
     * @throws IOException the file is open for reading only
     */
    public void setMaximumAge(Duration age) throws IOException {
        synchronized (lock) {
            writer("setting").setMaximumAge(LateFlush.nanos(age));
        }
    }

    /** Flushes what the program has left in memory, in another thread than the program's. */
    private void flushLate() throws IOException {
        if (comm.size() > 1) {
            // Without a lock: a call of the program may be waiting for another rank.
            throw DrumlinException.during("end of the program")
                    .path(path())
                    .rank(comm.rank())
                    .problem("the file is open, and its last frames are not in it")
                    .advice("close it on all ranks before the program ends")
                    .exception();
        }
        synchronized (lock) {
            if (!closed) {
                flush();
            }
        }
    }

    private static void requirePositive(String what, long value) {
        if (value < 1) {
            throw new IllegalArgumentException("the " + what + " is " + value + ", allowed 1 or more");
        }
    }

    private FrameWriter writer(String operation) throws IOException {
        checkOpen();
        if (writer == null) {
            throw DrumlinException.during(operation)
                    .path(path())
                    .problem("the file is open for reading only")
                    .advice("open it with Access." + Access.READ_WRITE)
                    .exception();
        }
        writer.checkUsable(operation);
        return writer;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw DrumlinException.during("access")
                    .path(path())
                    .problem("the file is closed")
                    .exception();
        }
    }

    /**
     * Flushes and closes the file; a second call does nothing. Chunks of an unfinished frame are lost. Collective.
     *
     * @throws IOException not all frames are in the file; it is closed even so
     */
    @Override
    public void close() throws IOException {
        synchronized (lock) {
            if (closed) {
                return;
            }
            IOException failure = null;
            if (writer != null) {
                try {
                    writer.flush();
                    warnOfEmptyFrames(writer);
                } catch (IOException e) {
                    failure = e;
                }
                failure = FrameWriter.join(failure, Agreement.attempt(comm, "close", writer::trim));
            }
            failure = FrameWriter.join(failure, Agreement.attempt(comm, "close", this::release));
            failure = FrameWriter.join(failure, Agreement.attempt(comm, "close", comm::close));
            if (failure != null) {
                throw failure;
            }
        }
    }

    private void warnOfEmptyFrames(FrameWriter ended) {
        if (ended.endsWithEmptyFrames() && comm.rank() == 0) {
            LOG.log(
                    Logger.Level.WARNING,
                    "{0}: the last frames have no chunks; {1} frames were ended, {2} are in the file",
                    path(),
                    ended.frame(),
                    ended.storedFrames());
        }
    }

    private void release() throws IOException {
        closed = true;
        if (stage != null) {
            stage.close();
        }
        try (file) {
            if (writer != null) {
                writer.close();
            }
        }
    }
}
