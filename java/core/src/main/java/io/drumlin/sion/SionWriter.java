package io.drumlin.sion;

import io.drumlin.DrumlinException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.GatheringByteChannel;
import java.util.Objects;

/**
 * The stream of one task, while it is written. Bytes are written behind those before; nothing here is collective.
 *
 * <p>Where a chunk ends decides how the file looks, so it is the rule of C SIONlib: what one call writes goes into the
 * present chunk if it fits, else into the next one, and the rest of the present chunk stays empty. Only what is larger
 * than a chunk is split, which C SIONlib refuses. Bytes are on their way to the file when a slab of memory is full, at
 * {@link #flush} and when the file is closed. A task in key/value mode is written by {@link KeyValueWriter} instead.
 *
 * <p>Not thread-safe; writers of different tasks may be used by different threads.
 */
public final class SionWriter implements GatheringByteChannel {

    private final TaskBlocks blocks;
    private final WriteStage stage;
    private final ByteOrder order;
    private boolean open = true;

    /** Whether bytes may have been lost: then the file must not become a whole one. */
    private boolean broken;

    SionWriter(TaskBlocks blocks, WriteStage stage, ByteOrder order) {
        this.blocks = blocks;
        this.stage = stage;
        this.order = order;
    }

    /**
     * Writes all remaining bytes.
     *
     * @param source its position moves to its limit
     * @return how many there were
     * @throws IOException they could not be written; how far is unknown
     */
    @Override
    public int write(ByteBuffer source) throws IOException {
        int length = source.remaining();
        begin(length);
        append(source);
        return length;
    }

    /**
     * Writes the remaining bytes of several buffers as if they were one.
     *
     * @param sources buffers, whose positions move to their limits
     * @param offset first of them
     * @param length how many of them
     * @return how many bytes there were
     * @throws IOException they could not be written; how far is unknown
     */
    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
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

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they could not be written; how far is unknown
     */
    public void write(double[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Double.BYTES, (to, i, n) -> to.asDoubleBuffer().put(values, offset + i, n));
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they could not be written; how far is unknown
     */
    public void write(float[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Float.BYTES, (to, i, n) -> to.asFloatBuffer().put(values, offset + i, n));
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they could not be written; how far is unknown
     */
    public void write(long[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        write(length, Long.BYTES, (to, i, n) -> to.asLongBuffer().put(values, offset + i, n));
    }

    /**
     * Writes numbers in the byte order of the file's data, as one call of {@link #write(ByteBuffer)} would.
     *
     * @param values the array
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they could not be written; how far is unknown
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
        begin((long) count * size);
        move(() -> fill(count, size, elements));
    }

    /** Straight into the slabs; only an element that a slab or chunk cuts in two takes a detour. */
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
     * Sees to it that bytes fit into the present block, if need be by beginning the next one, which then counts.
     *
     * @param bytes 0 or above
     * @throws IOException they are more than a chunk has
     */
    public void ensureFreeSpace(long bytes) throws IOException {
        requireOpen();
        blocks.ensure(bytes);
    }

    /**
     * How many bytes fit into the present block.
     *
     * @return bytes
     */
    public long freeSpace() {
        return blocks.free();
    }

    /**
     * The largest number of bytes that is never split.
     *
     * @return bytes of a chunk that this task may use
     */
    public long chunkSize() {
        return blocks.limit();
    }

    /**
     * How many bytes were written.
     *
     * @return bytes, of all blocks together
     */
    public long size() {
        return blocks.size();
    }

    /**
     * Where in the physical file the next byte goes, if it still fits into the present block.
     *
     * @return byte offset
     */
    public long fileOffset() {
        return blocks.offset();
    }

    /**
     * The block that is being written.
     *
     * @return 0 or above
     */
    public int block() {
        return blocks.blocks() - 1;
    }

    /**
     * Hands all bytes that were written so far to the system. They are durable when the file was closed.
     *
     * @throws IOException they could not be written
     */
    public void flush() throws IOException {
        requireOpen();
        move(stage::flush);
    }

    /** Bytes on their way. */
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

    /** Writes behind the bytes before, splitting wherever a chunk ends. */
    void append(ByteBuffer source) throws IOException {
        move(() -> put(source));
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

    /** Puts what follows into one chunk if any chunk has room for it. */
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
     * Writes what is left and takes no more. The file stays open; only {@link SionOutput#close} makes it readable.
     *
     * @throws IOException something could not be written, now or earlier
     */
    @Override
    public void close() throws IOException {
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
                stage.close();
            }
        }
    }

    /** Whether a write has failed, so that data are missing. */
    boolean isBroken() {
        return broken;
    }

    /** Takes no more, and forgets what is not written. */
    void abandon() throws IOException {
        open = false;
        stage.close();
    }
}
