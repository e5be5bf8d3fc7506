package io.drumlin.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An open file that is written and read in blocks at given offsets.
 *
 * <p>When {@link #direct()} is true, offsets, lengths and memory addresses of all transfers must be multiples of
 * {@link #alignment()} (memory of {@link StorageEngine#allocate} is), memory must be direct, and an engine throws {@link IllegalArgumentException} otherwise, before
 * anything is transferred. When it is false anything goes. A read may ask for more than the file holds: see
 * {@link #read}. Transfers retry short counts and interruptions by themselves. Interrupting the calling thread may close
 * the file in the {@code nio} engine only. Negative offsets and sizes are an {@link IllegalArgumentException}.
 *
 * <p>Different threads may transfer at the same time. {@link #allocate} and {@link #truncate} want the file for
 * themselves, and {@link #close()} must come last: every call on a closed file but {@code close} throws an
 * {@link IOException}.
 */
public interface BlockFile extends Closeable {

    /**
     * The file's path as it was opened.
     *
     * @return the path
     */
    Path path();

    /**
     * Whether the page cache is passed by.
     *
     * @return false where {@link OpenMode#DIRECT} was not asked or the file system refused it
     */
    boolean direct();

    /**
     * The unit of direct transfers.
     *
     * @return bytes, a power of two; 1 when the file is not direct
     */
    int alignment();

    /**
     * The present length of the file.
     *
     * @return bytes
     * @throws IOException the file system does not say
     */
    long size() throws IOException;

    /**
     * Writes the remaining bytes of {@code source} and returns when the kernel has taken all of them.
     *
     * @param source position and limit bound what is written; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @throws IOException not everything was written
     */
    void write(ByteBuffer source, long offset) throws IOException;

    /**
     * Starts a write and returns without waiting for it; {@code source} must be direct (else {@link IllegalArgumentException}) and
     * stay untouched until {@link PendingWrite#await()} returned. Blocks while too many writes are under way.
     *
     * @param source position and limit bound what is written; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @return the write, to be awaited before the file is closed
     * @throws IOException the write could not be started
     */
    PendingWrite startWrite(ByteBuffer source, long offset) throws IOException;

    /**
     * Reads into the remaining bytes of {@code target}, up to the end of the file.
     *
     * @param target position and limit bound what is read; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @return bytes read: all that were asked, or fewer at the end of the file; 0 at or past it
     * @throws IOException the bytes cannot be read
     */
    int read(ByteBuffer target, long offset) throws IOException;

    /**
     * Starts a read and returns, as a rule without waiting for it; {@code target} must be direct (else
     * {@link IllegalArgumentException}) and be left alone until {@link PendingRead#await()} returned. Blocks while too many transfers
     * are under way.
     *
     * @param target position and limit bound what is read; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @return the read, to be awaited before the file is closed
     * @throws IOException the read could not be started
     */
    default PendingRead startRead(ByteBuffer target, long offset) throws IOException {
        if (!target.isDirect()) {
            throw new IllegalArgumentException("a started read needs a direct buffer");
        }
        int count = read(target, offset);
        return () -> count;
    }

    /**
     * Reserves space so that later writes below {@code size} cannot fail for want of it; makes the file at least that
     * long. Where the file system or the engine cannot reserve ({@code nio}), the file is only made longer, without
     * filling it, and a full file system shows in a later write. What was in the file stays.
     *
     * @param size bytes
     * @throws IOException the space is not there (ENOSPC, EDQUOT, EFBIG)
     */
    void allocate(long size) throws IOException;

    /**
     * Reserves space for a range of a file that other processes may extend at the same time; makes the file at least as
     * long as the range's end. Direct writes of several processes into reserved ranges of one file go on side by side,
     * where file systems let those that extend it wait for each other. Where the file system or the engine cannot reserve
     * ({@code nio}), nothing happens.
     *
     * @param offset bytes
     * @param length bytes, above 0
     * @throws IOException the space is not there (ENOSPC, EDQUOT, EFBIG)
     */
    void reserve(long offset, long length) throws IOException;

    /**
     * Lets the system begin to write to the device what was written buffered to a range, without waiting for it: a
     * {@link #sync} that follows large writes then has less to do. Nothing becomes durable by it. Where the engine
     * ({@code nio}) or the system has no such thing, nothing happens.
     *
     * @param offset bytes
     * @param length bytes, above 0
     * @throws IOException the device has failed (EIO)
     */
    void startWriteback(long offset, long length) throws IOException;

    /**
     * Cuts or extends the file; what is added reads as zeros.
     *
     * @param size new length in bytes
     * @throws IOException the length cannot be set
     */
    void truncate(long size) throws IOException;

    /**
     * Makes data and length durable.
     *
     * @throws IOException something written may not have reached the device
     */
    void sync() throws IOException;

    /**
     * Closes the file; a second call does nothing. Waits for started transfers that nobody awaited. An error that is
     * reported only now is thrown, be it the system's or that of such a write.
     *
     * @throws IOException something written may be missing
     */
    @Override
    void close() throws IOException;
}
