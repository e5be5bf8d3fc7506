package io.drumlin.sion;

import io.drumlin.DrumlinException;
import io.drumlin.sion.internal.TaskBlocks;
import io.drumlin.sion.internal.WriteStage;
import io.drumlin.storage.internal.files.LateFlush;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.GatheringByteChannel;
import java.time.Duration;
import java.util.Objects;

/**
 * Writes the stream of one task. Each write appends to the stream. No method is collective.
 *
 * <p>The ends of chunks shape the file, so the rule of C SIONlib applies. The data of one call go into the current
 * chunk if they fit; otherwise they go into the next one, and the rest of the current chunk stays empty. Only data
 * larger than a chunk are split; C SIONlib refuses them. Bytes go to the file when a slab of memory is full, at
 * {@link #flush}, when they are 10 seconds old, when the JVM ends, also by {@code System.exit} and SIGTERM, and when
 * the file is closed. A killed program loses the bytes of the last 10 seconds; {@code drumlin sion repair} saves the
 * others. {@link KeyValueWriter} writes a task in key/value mode instead.
 *
 * <p>Not thread-safe; different threads may use writers of different tasks.
 */
public final class SionWriter implements GatheringByteChannel {

    /** Of its own: a thread of the program that has locked the writer and ends the JVM must not keep it from ending. */
    private final Object lock = new Object();

    private final TaskBlocks blocks;
    private final WriteStage stage;
    private final ByteOrder order;
    private boolean open = true;

    /** Whether bytes may have been lost. Then the file must not become valid. */
    private boolean broken;

    private final LateFlush late = new LateFlush(this::flushLate);
    private long maximumAge = LateFlush.DEFAULT_NANOS;

    SionWriter(TaskBlocks blocks, WriteStage stage, ByteOrder order) {
        this.blocks = blocks;
        this.stage = stage;
        this.order = order;
    }

    /**
     * Writes all remaining bytes.
     *
     * @param source its position moves to its limit
     * @return number of bytes written
     * @throws IOException the bytes could not be written; part of them may be in the file
     */
    @Override
    public int write(ByteBuffer source) throws IOException {
        synchronized (lock) {
            int length = source.remaining();
            begin(length);
            append(source);
            return length;
        }
    }

    /**
     * Writes the remaining bytes of several buffers as if they were one.
     *
     * @param sources buffers, whose positions move to their limits
     * @param offset index of the first buffer
     * @param length number of buffers
     * @return number of bytes written
     * @throws IOException the bytes could not be written; part of them may be in the file
     */
    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        synchronized (lock) {
            Objects.checkFromIndexSize(offset, length, sources.length);
            long bytes = 0;
            for (int i = offset; i < offset + length; i++) {
                bytes += sources[i].remaining();
            }
            begin(bytes);
            for (int i = offset; i < offset + length; i++) {
                append(sources[i]);
            }
            return bytes;
        }
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first number
     * @param length number of values
     * @throws IOException the numbers could not be written; part of them may be in the file
     */
    public void write(double[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Double.BYTES, (to, i, n) -> to.asDoubleBuffer().put(values, offset + i, n));
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first number
     * @param length number of values
     * @throws IOException the numbers could not be written; part of them may be in the file
     */
    public void write(float[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Float.BYTES, (to, i, n) -> to.asFloatBuffer().put(values, offset + i, n));
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first number
     * @param length number of values
     * @throws IOException the numbers could not be written; part of them may be in the file
     */
    public void write(long[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Long.BYTES, (to, i, n) -> to.asLongBuffer().put(values, offset + i, n));
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first number
     * @param length number of values
     * @throws IOException the numbers could not be written; part of them may be in the file
     */
    public void write(int[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Integer.BYTES, (to, i, n) -> to.asIntBuffer().put(values, offset + i, n));
    }

    /** Copies elements of an array to the front of a buffer. */
    private interface Elements {
        void copy(ByteBuffer target, int first, int count);
    }

    private void write(int count, int size, Elements elements) throws IOException {
        synchronized (lock) {
            begin((long) count * size);
            move(() -> fill(count, size, elements));
            late.begin(maximumAge);
        }
    }

    /**
     * Copies elements straight into the slabs. Only an element that the end of a slab or chunk would split goes through
     * a buffer.
     */
    private void fill(int count, int size, Elements elements) throws IOException {
        ByteBuffer cut = ByteBuffer.allocate(size).order(order);
        for (int done = 0; done < count; ) {
            if (blocks.free() == 0) {
                blocks.open();
            }
            ByteBuffer slab = stage.slabFor(blocks.offset()).order(order);
            int whole = (int) (Math.min(slab.remaining(), blocks.free()) / size);
            int number = Math.min(whole, count - done);
            if (number > 0) {
                elements.copy(slab, done, number);
                stage.filled(number * size);
                blocks.add((long) number * size);
                done += number;
            } else {
                elements.copy(cut.clear(), done, 1);
                append(cut);
                done++;
            }
        }
    }

    /**
     * Ensures that bytes fit into the current block. If necessary, begins the next one, which then counts as a block of
     * the task.
     *
     * @param bytes 0 or above
     * @throws IOException they are more than a chunk holds
     */
    public void ensureFreeSpace(long bytes) throws IOException {
        requireOpen();
        blocks.ensure(bytes);
    }

    /**
     * Returns the number of bytes that fit into the current block.
     *
     * @return bytes
     */
    public long freeSpace() {
        return blocks.free();
    }

    /**
     * Returns the largest number of bytes that is never split.
     *
     * @return bytes of a chunk that this task may use
     */
    public long chunkSize() {
        return blocks.limit();
    }

    /**
     * Returns the number of bytes written.
     *
     * @return bytes, of all blocks together
     */
    public long size() {
        return blocks.size();
    }

    /**
     * Returns the offset of the next byte in the physical file, if it still fits into the current block.
     *
     * @return byte offset
     */
    public long fileOffset() {
        return blocks.offset();
    }

    /**
     * Returns the block that is being written.
     *
     * @return 0 or above
     */
    public int block() {
        return blocks.blocks() - 1;
    }

    /**
     * Hands all bytes written so far to the operating system. They become durable when the file is closed.
     *
     * @throws IOException the bytes could not be written
     */
    public void flush() throws IOException {
        synchronized (lock) {
            requireOpen();
            move(stage::flush);
            late.end();
        }
    }

    /** Flushes what the program has left in memory, in another thread than the program's. */
    private void flushLate() throws IOException {
        synchronized (lock) {
            if (open) {
                flush();
            }
        }
    }

    /**
     * Sets how long written bytes may stay in memory before another thread flushes them; 10 seconds unless it was set.
     *
     * @param age 0 or more
     */
    public void setMaximumAge(Duration age) {
        synchronized (lock) {
            maximumAge = LateFlush.nanos(age);
        }
    }

    /** A transfer of bytes. */
    private interface Movement {
        void run() throws IOException;
    }

    private void move(Movement movement) throws IOException {
        boolean done = false;
        try {
            movement.run();
            done = true;
        } finally {
            broken |= !done;
        }
    }

    /** Appends bytes, and splits them at the end of each chunk. */
    void append(ByteBuffer source) throws IOException {
        synchronized (lock) {
            move(() -> put(source));
            late.begin(maximumAge);
        }
    }

    private void put(ByteBuffer source) throws IOException {
        int end = source.limit();
        requireChunk(source.remaining());
        while (source.hasRemaining()) {
            if (blocks.free() == 0) {
                blocks.open();
            }
            int length = (int) Math.min(source.remaining(), blocks.free());
            source.limit(source.position() + length);
            stage.put(blocks.offset(), source);
            blocks.add(length);
            source.limit(end);
        }
    }

    /** Refuses more than fits into a chunk. */
    void requireRoom(long bytes) throws IOException {
        requireOpen();
        blocks.requireRoom(bytes);
    }

    /** Places the next bytes in one chunk if any chunk has room for them. */
    private void begin(long bytes) throws IOException {
        requireOpen();
        requireChunk(bytes);
        if (bytes <= blocks.limit()) {
            blocks.ensure(bytes);
        }
    }

    private void requireChunk(long bytes) throws DrumlinException {
        if (bytes > 0 && blocks.limit() == 0) {
            throw DrumlinException.during("write")
                    .range(-1, bytes)
                    .problem("the file was opened with a chunk of 0 bytes for this task")
                    .exception();
        }
    }

    private void requireOpen() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
    }

    TaskBlocks blocks() {
        return blocks;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /**
     * Writes the remaining bytes and accepts no more. The file stays open; only {@link SionOutput#close} makes it
     * readable.
     *
     * @throws IOException something could not be written, now or earlier
     */
    @Override
    public void close() throws IOException {
        synchronized (lock) {
            if (open) {
                open = false;
                try {
                    if (broken) {
                        throw DrumlinException.during("close")
                                .problem("an earlier write of this task failed, so that it lacks data")
                                .advice("write the file again")
                                .exception();
                    }
                    move(stage::flush);
                } finally {
                    late.end();
                    stage.close();
                }
            }
        }
    }

    /** Returns whether a write has failed, so that data are missing. */
    boolean isBroken() {
        return broken;
    }

    /** Accepts no more bytes and discards those that are not written. */
    void abandon() throws IOException {
        synchronized (lock) {
            open = false;
            late.end();
            stage.close();
        }
    }
}
