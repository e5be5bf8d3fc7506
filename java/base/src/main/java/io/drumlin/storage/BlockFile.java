package io.drumlin.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * An open file that is read and written in blocks at given offsets.
 *
 * <p>If {@link #direct()} is true, the offsets, lengths and memory addresses of all transfers must be multiples of
 * {@link #alignment()}, and memory must be direct. Memory of {@link StorageEngine#allocate} is suitable. Otherwise an
 * engine throws {@link IllegalArgumentException} before it transfers anything. If {@link #direct()} is false, there are
 * no such restrictions. A read may ask for more than the file holds: see {@link #read}. Transfers retry short counts
 * and interruptions by themselves. Only in the {@code nio} engine can an interrupt of the calling thread close the
 * file. Negative offsets and sizes cause an {@link IllegalArgumentException}.
 *
 * <p>Several threads may transfer at the same time. {@link #allocate} and {@link #truncate} need exclusive use of the
 * file, and {@link #close()} must come last. On a closed file, every call except {@code close} throws an
 * {@link IOException}.
 */
public interface BlockFile extends Closeable {

    /**
     * Returns the path with which the file was opened.
     *
     * @return the path
     */
    Path path();

    /**
     * Returns whether transfers bypass the page cache.
     *
     * @return false if {@link OpenMode#DIRECT} was not requested or the file system refused it
     */
    boolean direct();

    /**
     * Returns the unit of direct transfers.
     *
     * @return size in bytes, a power of two; 1 if the file is not direct
     */
    int alignment();

    /**
     * Returns the current length of the file.
     *
     * @return length in bytes
     * @throws IOException the file system does not report it
     */
    long size() throws IOException;

    /**
     * Writes the remaining bytes of {@code source} and returns when the kernel has taken all of them.
     *
     * @param source its position and limit bound the bytes; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @throws IOException not everything was written
     */
    void write(ByteBuffer source, long offset) throws IOException;

    /**
     * Starts a write and returns without waiting for it. {@code source} must be direct (else
     * {@link IllegalArgumentException}) and must stay unchanged until {@link PendingWrite#await()} has returned. Blocks
     * while too many writes are under way.
     *
     * @param source its position and limit bound the bytes; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @return the write, which the caller must await before it closes the file
     * @throws IOException the write could not be started
     */
    PendingWrite startWrite(ByteBuffer source, long offset) throws IOException;

    /**
     * Reads into the remaining bytes of {@code target}, up to the end of the file.
     *
     * @param target its position and limit bound the bytes; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @return number of bytes read: all requested bytes, or fewer at the end of the file; 0 at or past it
     * @throws IOException the bytes cannot be read
     */
    int read(ByteBuffer target, long offset) throws IOException;

    /**
     * Starts a read and returns, normally without waiting for it. {@code target} must be direct (else
     * {@link IllegalArgumentException}) and must not be used until {@link PendingRead#await()} has returned. Blocks
     * while too many transfers are under way.
     *
     * @param target its position and limit bound the bytes; its position is not changed
     * @param offset byte offset in the file, 0 or above
     * @return the read, which the caller must await before it closes the file
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
     * Reserves space so that later writes below {@code size} cannot fail for lack of it, and makes the file at least
     * that long. If the file system or the engine cannot reserve ({@code nio}), the file only becomes longer without
     * being filled, and a later write reports a full file system. Existing contents stay.
     *
     * @param size size in bytes
     * @throws IOException the space is not available (ENOSPC, EDQUOT, EFBIG)
     */
    void allocate(long size) throws IOException;

    /**
     * Reserves space for a range of a file that other processes may extend at the same time, and makes the file at
     * least as long as the end of the range. Direct writes of several processes to reserved ranges of one file proceed
     * side by side; writes that extend the file may wait for each other. If the file system or the engine cannot
     * reserve ({@code nio}), nothing happens.
     *
     * @param offset start of the range in bytes
     * @param length length in bytes, above 0
     * @throws IOException the space is not available (ENOSPC, EDQUOT, EFBIG)
     */
    void reserve(long offset, long length) throws IOException;

    /**
     * Makes the system begin to write buffered data of a range to the device, without waiting for it. A later
     * {@link #sync} after large writes then has less to do. Nothing becomes durable. If the engine ({@code nio}) or the
     * system cannot do this, nothing happens.
     *
     * @param offset start of the range in bytes
     * @param length length in bytes, above 0
     * @throws IOException the device has failed (EIO)
     */
    void startWriteback(long offset, long length) throws IOException;

    /**
     * Cuts or extends the file. Added bytes read as zeros.
     *
     * @param size new length in bytes
     * @throws IOException the length cannot be set
     */
    void truncate(long size) throws IOException;

    /**
     * Makes data and length durable.
     *
     * @throws IOException some written bytes may not have reached the device
     */
    void sync() throws IOException;

    /**
     * Closes the file; a second call does nothing. Waits for started transfers that nobody has awaited. Throws errors
     * that appear only now, from the system or from such a transfer.
     *
     * @throws IOException some written bytes may be missing
     */
    @Override
    void close() throws IOException;
}
