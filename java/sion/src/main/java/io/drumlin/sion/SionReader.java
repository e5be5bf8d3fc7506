package io.drumlin.sion;

import io.drumlin.format.sion.internal.TaskStream;
import io.drumlin.storage.internal.files.ReadWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;

/**
 * Reads the stream of one task. The channel joins the contents of all blocks. As in C SIONlib, {@link #seek},
 * {@link #bytesAvailableInBlock} and {@link #endOfFile} show the single blocks. No method is collective.
 *
 * <p>Not thread-safe; different threads may use readers of different tasks.
 */
public final class SionReader implements SeekableByteChannel, ScatteringByteChannel {

    private final TaskStream stream;
    private final ReadWindow window;
    private final ByteOrder order;

    /** The end of a block and the beginning of the next one are different positions. */
    private int block;

    private long inBlock;
    private boolean open = true;

    SionReader(TaskStream stream, ReadWindow window, ByteOrder order) {
        this.stream = stream;
        this.window = window;
        this.order = order;
    }

    /**
     * Reads until the target is full or the stream ends, across blocks.
     *
     * @param target receives the bytes
     * @return number of bytes read; -1 at the end, if there was room
     * @throws IOException the bytes cannot be read
     */
    @Override
    public int read(ByteBuffer target) throws IOException {
        requireOpen();
        long position = position();
        int length = (int) Math.min(target.remaining(), stream.size() - position);
        if (length == 0) {
            return target.hasRemaining() ? -1 : 0;
        }
        int end = target.limit();
        target.limit(target.position() + length);
        stream.readFully(position, target);
        target.limit(end);
        moveBehind(position + length);
        return length;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        long sum = 0;
        for (int i = offset; i < offset + length; i++) {
            int read = read(targets[i]);
            if (read < 0) {
                return sum == 0 ? -1 : sum;
            }
            sum += read;
        }
        return sum;
    }

    @Override
    public long read(ByteBuffer[] targets) throws IOException {
        return read(targets, 0, targets.length);
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values receives the numbers
     * @param offset index of the first number in {@code values}
     * @param length number of values
     * @throws IOException the numbers cannot be read, or the stream ends too early
     */
    public void read(double[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Double.BYTES, (from, i, n) -> from.asDoubleBuffer().get(values, offset + i, n));
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values receives the numbers
     * @param offset index of the first number in {@code values}
     * @param length number of values
     * @throws IOException the numbers cannot be read, or the stream ends too early
     */
    public void read(float[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Float.BYTES, (from, i, n) -> from.asFloatBuffer().get(values, offset + i, n));
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values receives the numbers
     * @param offset index of the first number in {@code values}
     * @param length number of values
     * @throws IOException the numbers cannot be read, or the stream ends too early
     */
    public void read(long[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Long.BYTES, (from, i, n) -> from.asLongBuffer().get(values, offset + i, n));
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values receives the numbers
     * @param offset index of the first number in {@code values}
     * @param length number of values
     * @throws IOException the numbers cannot be read, or the stream ends too early
     */
    public void read(int[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Integer.BYTES, (from, i, n) -> from.asIntBuffer().get(values, offset + i, n));
    }

    /** Copies elements from the front of a buffer to an array. */
    private interface Elements {
        void copy(ByteBuffer source, int first, int count);
    }

    private void read(int count, int size, Elements elements) throws IOException {
        ByteBuffer part = ByteBuffer.allocate((int) Math.min(1 << 16, (long) count * size))
                .order(order);
        for (int done = 0; done < count; ) {
            int number = Math.min(part.capacity() / size, count - done);
            part.clear().limit(number * size);
            if (read(part) < number * size) {
                throw new java.io.EOFException(
                        "the stream ends after " + stream.size() + " bytes, before " + count + " numbers are read");
            }
            elements.copy(part.flip(), done, number);
            done += number;
        }
    }

    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    @Override
    public long position() {
        return stream.position(block) + inBlock;
    }

    /**
     * Moves to a position in the stream. At a block boundary it is the end of the earlier block, not the beginning of
     * the later one.
     *
     * @param position 0 or above; after a position past the end, a read reports the end
     * @return this
     * @throws IOException the channel is closed
     */
    @Override
    public SionReader position(long position) throws IOException {
        requireOpen();
        if (position < 0) {
            throw new IllegalArgumentException("negative position " + position);
        }
        moveBehind(Math.min(position, stream.size()));
        return this;
    }

    /** Prefers the end of a block to the beginning of the next one. */
    private void moveBehind(long position) {
        block = position == 0 ? 0 : stream.blockOf(position - 1);
        inBlock = position - stream.position(block);
    }

    /**
     * Moves to a position in a block.
     *
     * @param toBlock 0 to {@link #blocks} - 1
     * @param position 0 to {@link #blockSize}
     * @throws IOException the channel is closed
     */
    public void seek(int toBlock, long position) throws IOException {
        requireOpen();
        Objects.checkIndex(toBlock, stream.blocks());
        if (position < 0 || position > stream.size(toBlock)) {
            throw new IllegalArgumentException("position " + position + " is not within block " + toBlock
                    + ", which has " + stream.size(toBlock) + " bytes");
        }
        block = toBlock;
        inBlock = position;
    }

    @Override
    public long size() {
        return stream.size();
    }

    @Override
    public SeekableByteChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    /**
     * Returns the current block.
     *
     * @return 0 to {@link #blocks} - 1
     */
    public int block() {
        return block;
    }

    /**
     * Returns the position of the next byte in the current block.
     *
     * @return 0 to {@link #blockSize}
     */
    public long positionInBlock() {
        return inBlock;
    }

    /**
     * Returns the offset of the next byte in the physical file. At the end of a block, returns the offset right after
     * its last byte.
     *
     * @return byte offset
     */
    public long fileOffset() {
        return stream.fileOffset(block, inBlock);
    }

    /**
     * Returns the number of blocks of the task.
     *
     * @return 1 or more
     */
    public int blocks() {
        return stream.blocks();
    }

    /**
     * Returns the number of bytes in a block.
     *
     * @param ofBlock 0 to {@link #blocks} - 1
     * @return bytes
     */
    public long blockSize(int ofBlock) {
        return stream.size(Objects.checkIndex(ofBlock, stream.blocks()));
    }

    /**
     * Returns the number of unread bytes in the current block.
     *
     * @return bytes; 0 at the end of a block, even if more blocks follow
     */
    public long bytesAvailableInBlock() {
        return stream.size(block) - inBlock;
    }

    /**
     * Returns whether everything was read. At the end of any block but the last, moves to the beginning of the next
     * one, which may be empty.
     *
     * @return true at the end of the last block
     */
    public boolean endOfFile() {
        if (bytesAvailableInBlock() > 0) {
            return false;
        }
        if (block + 1 == stream.blocks()) {
            return true;
        }
        block++;
        inBlock = 0;
        return false;
    }

    TaskStream stream() {
        return stream;
    }

    private void requireOpen() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Releases memory; the file stays open. */
    @Override
    public void close() {
        open = false;
        window.close();
    }
}
