package io.drumlin.sion;

import io.drumlin.format.sion.TaskStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;

/**
 * The stream of one task, to be read. As a channel it is the content of all blocks, joined; block by block it is seen with
 * {@link #seek}, {@link #bytesAvailableInBlock} and {@link #endOfFile}, as C SIONlib does. Nothing here is collective.
 *
 * <p>Not thread-safe; readers of different tasks may be used by different threads.
 */
public final class SionReader implements SeekableByteChannel, ScatteringByteChannel {

    private final TaskStream stream;
    private final ReadWindow window;
    private final ByteOrder order;

    /** The end of a block is another place than the beginning of the next one. */
    private int block;

    private long inBlock;
    private boolean open = true;

    SionReader(TaskStream stream, ReadWindow window, ByteOrder order) {
        this.stream = stream;
        this.window = window;
        this.order = order;
    }

    /**
     * Reads as much as there is room for, across blocks.
     *
     * @param target where the bytes go
     * @return how many were read; -1 at the end, if there was room
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
     * @param values where they go
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they cannot be read, or the stream ends before
     */
    public void read(double[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Double.BYTES, (from, i, n) -> from.asDoubleBuffer().get(values, offset + i, n));
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values where they go
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they cannot be read, or the stream ends before
     */
    public void read(float[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Float.BYTES, (from, i, n) -> from.asFloatBuffer().get(values, offset + i, n));
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values where they go
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they cannot be read, or the stream ends before
     */
    public void read(long[] values, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, values.length);
        read(length, Long.BYTES, (from, i, n) -> from.asLongBuffer().get(values, offset + i, n));
    }

    /**
     * Reads numbers in the byte order of the file's data.
     *
     * @param values where they go
     * @param offset index of the first one
     * @param length how many
     * @throws IOException they cannot be read, or the stream ends before
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
     * Goes to a place in the stream. Where a block ends this is that end, not the beginning of the next one.
     *
     * @param position 0 or above; behind the end, reading finds the end
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

    /** To the end of a block rather than the beginning of the next one. */
    private void moveBehind(long position) {
        block = position == 0 ? 0 : stream.blockOf(position - 1);
        inBlock = position - stream.position(block);
    }

    /**
     * Goes to a place in a block.
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
     * The present block.
     *
     * @return 0 to {@link #blocks} - 1
     */
    public int block() {
        return block;
    }

    /**
     * Where in the present block the next byte is.
     *
     * @return 0 to {@link #blockSize}
     */
    public long positionInBlock() {
        return inBlock;
    }

    /**
     * Where in the physical file the next byte is; at the end of a block, where it would be if the block went on.
     *
     * @return byte offset
     */
    public long fileOffset() {
        return stream.fileOffset(block, inBlock);
    }

    /**
     * How many blocks the task has.
     *
     * @return 1 or more
     */
    public int blocks() {
        return stream.blocks();
    }

    /**
     * How many bytes are in a block.
     *
     * @param ofBlock 0 to {@link #blocks} - 1
     * @return bytes
     */
    public long blockSize(int ofBlock) {
        return stream.size(Objects.checkIndex(ofBlock, stream.blocks()));
    }

    /**
     * How many bytes of the present block were not read.
     *
     * @return bytes; 0 at the end of a block, also if more blocks follow
     */
    public long bytesAvailableInBlock() {
        return stream.size(block) - inBlock;
    }

    /**
     * Whether everything was read. At the end of a block that is not the last, goes to the beginning of the next one, which
     * may be empty.
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

    /** Gives back memory; the file stays open. */
    @Override
    public void close() {
        open = false;
        window.close();
    }
}
