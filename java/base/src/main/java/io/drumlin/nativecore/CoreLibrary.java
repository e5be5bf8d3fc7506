package io.drumlin.nativecore;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.bytedeco.javacpp.annotation.Cast;
import org.bytedeco.javacpp.annotation.MemberGetter;
import org.bytedeco.javacpp.annotation.Name;
import org.bytedeco.javacpp.annotation.NoException;
import org.bytedeco.javacpp.annotation.Platform;
import org.bytedeco.javacpp.annotation.Raw;

/**
 * The functions of {@code libdrumlin_core} under their C names; {@code drumlin/core.h} is their manual.
 *
 * <p>Parameters and results are numbers; addresses are {@code long}. Strings and arrays are passed only as raw objects,
 * because the glue works without JavaCPP's run time. Unless a function says otherwise, results below 0 are
 * {@code -errno}. Nothing is checked here: a wrong address ends the process. The functions can be called once
 * {@link NativeCore#ensureAvailable()} has returned. They are thread-safe where the manual says so.
 */
@Platform(
        cinclude = "drumlin/core.h",
        include = "drumlin/jni_buffer.h",
        link = "drumlin_core",
        library = "jnidrumlin_core")
@NoException
public final class CoreLibrary {

    /** The {@code DRUMLIN_CORE_ABI} for which these declarations were written. */
    public static final int ABI = 7;

    private CoreLibrary() {}

    /**
     * Returns the ABI of the library.
     *
     * @return {@link #ABI} in a library that fits
     */
    public static native int drumlin_core_abi();

    /**
     * Returns the name of an errno.
     *
     * @param error errno or -errno
     * @return address of a C string, for example {@code ENOSPC}; 0 for a number without a name
     */
    public static native @Cast("intptr_t") long drumlin_error_name(int error);

    /**
     * Returns the system's text for an errno.
     *
     * @param error errno or -errno
     * @return address of a C string, for example {@code No space left on device}
     */
    public static native @Cast("intptr_t") long drumlin_error_message(int error);

    /**
     * Returns the owner of the handler of a signal.
     *
     * @param signalNumber number of a signal
     * @return address of a C string: path of a library, empty if there is no handler, {@code ?} for unknown code; 0 if
     *     the number is not a signal
     */
    public static native @Cast("intptr_t") long drumlin_signal_owner(int signalNumber);

    /**
     * Loads a library so that all libraries loaded later see it, and restores the signal handlers of the JVM that it
     * replaces.
     *
     * @param name address of the NUL-terminated path, or of a name that the dynamic linker looks for
     * @return 1 if the library had replaced handlers, else 0, or -errno
     */
    public static native int drumlin_library_load(@Cast("const char*") long name);

    /**
     * Returns the dynamic linker's text for the thread's last failure of {@link #drumlin_library_load}.
     *
     * @return address of a C string
     */
    public static native @Cast("intptr_t") long drumlin_library_error();

    /**
     * Allocates zeroed, aligned memory.
     *
     * @param memory address of the 8 bytes that receive the memory's address
     * @param size size in bytes
     * @return 0 or -errno
     */
    public static native int drumlin_memory_allocate(@Cast("void**") long memory, long size);

    /**
     * Frees memory of {@link #drumlin_memory_allocate}.
     *
     * @param memory its address, or 0
     */
    public static native void drumlin_memory_free(@Cast("void*") long memory);

    /**
     * Keeps memory of {@link #drumlin_memory_allocate} for the next call that asks for the same size.
     *
     * @param memory its address, or 0
     * @param size size in bytes, as it was requested
     */
    public static native void drumlin_memory_recycle(@Cast("void*") long memory, long size);

    /**
     * Copies memory past the cache, if nobody reads it soon.
     *
     * @param target address
     * @param source address
     * @param length bytes
     */
    public static native void drumlin_memory_copy(
            @Cast("void*") long target, @Cast("const void*") long source, long length);

    /**
     * {@code DRUMLIN_OPEN_READ}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_OPEN_READ();

    /**
     * {@code DRUMLIN_OPEN_WRITE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_OPEN_WRITE();

    /**
     * {@code DRUMLIN_OPEN_CREATE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_OPEN_CREATE();

    /**
     * {@code DRUMLIN_OPEN_EXCLUSIVE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_OPEN_EXCLUSIVE();

    /**
     * {@code DRUMLIN_OPEN_TRUNCATE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_OPEN_TRUNCATE();

    /**
     * {@code DRUMLIN_OPEN_DIRECT}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_OPEN_DIRECT();

    /**
     * Opens a file.
     *
     * @param path address of the NUL-terminated path
     * @param modes {@code DRUMLIN_OPEN_*}
     * @param permissions permissions of a new file
     * @return the descriptor, or -errno
     */
    public static native int drumlin_file_open(@Cast("const char*") long path, int modes, int permissions);

    /**
     * Returns the unit of transfers of a file.
     *
     * @param fd descriptor
     * @return a power of two, 1 if the file is buffered, or -errno
     */
    public static native int drumlin_file_alignment(int fd);

    /**
     * Closes a file.
     *
     * @param fd descriptor
     * @return 0 or -errno
     */
    public static native int drumlin_file_close(int fd);

    /**
     * Writes all of a piece of memory.
     *
     * @param fd descriptor
     * @param data address
     * @param length bytes
     * @param offset bytes
     * @return length or -errno
     */
    public static native long drumlin_file_write(int fd, @Cast("const void*") long data, long length, long offset);

    /**
     * Reads up to the end of the file.
     *
     * @param fd descriptor
     * @param data address
     * @param length bytes
     * @param offset bytes
     * @return bytes read, or -errno
     */
    public static native long drumlin_file_read(int fd, @Cast("void*") long data, long length, long offset);

    /**
     * Returns the length of a file.
     *
     * @param fd descriptor
     * @return bytes or -errno
     */
    public static native long drumlin_file_size(int fd);

    /**
     * Reserves space.
     *
     * @param fd descriptor
     * @param size bytes
     * @return 0, 1 if the file was only made longer, or -errno
     */
    public static native int drumlin_file_allocate(int fd, long size);

    /**
     * Makes the system begin to write a range to the device.
     *
     * @param fd descriptor
     * @param offset start of the range in bytes
     * @param length bytes
     * @return 0, 1 if the system cannot do this, or -errno
     */
    public static native int drumlin_file_writeback(int fd, long offset, long length);

    /**
     * Reserves space for a range of a file that others may extend meanwhile.
     *
     * @param fd descriptor
     * @param offset start of the range in bytes
     * @param length bytes, above 0
     * @return 0, 1 if the file system cannot reserve and nothing was changed, or -errno
     */
    public static native int drumlin_file_reserve(int fd, long offset, long length);

    /**
     * Cuts or extends a file.
     *
     * @param fd descriptor
     * @param size bytes
     * @return 0 or -errno
     */
    public static native int drumlin_file_truncate(int fd, long size);

    /**
     * Makes a file durable.
     *
     * @param fd descriptor
     * @param metadata 0 for content and length only
     * @return 0 or -errno
     */
    public static native int drumlin_file_sync(int fd, int metadata);

    /**
     * Renames a file or directory.
     *
     * @param from address of the NUL-terminated path
     * @param to address of the NUL-terminated path
     * @return 0 or -errno
     */
    public static native int drumlin_file_rename(@Cast("const char*") long from, @Cast("const char*") long to);

    /**
     * Makes the entries of a directory durable.
     *
     * @param path address of the NUL-terminated path
     * @return 0 or -errno
     */
    public static native int drumlin_directory_sync(@Cast("const char*") long path);

    /**
     * {@code DRUMLIN_QUEUE_AUTO}.
     *
     * @return the number
     */
    @MemberGetter
    public static native int DRUMLIN_QUEUE_AUTO();

    /**
     * {@code DRUMLIN_QUEUE_URING}.
     *
     * @return the number
     */
    @MemberGetter
    public static native int DRUMLIN_QUEUE_URING();

    /**
     * Makes a queue of transfers.
     *
     * @param queue address of the 8 bytes that receive the queue's address
     * @param depth largest number of transfers under way
     * @param backend {@code DRUMLIN_QUEUE_*}
     * @return 0 or -errno
     */
    public static native int drumlin_queue_create(@Cast("drumlin_queue**") long queue, int depth, int backend);

    /**
     * Returns the mechanism that moves the bytes.
     *
     * @param queue its address
     * @return {@code DRUMLIN_QUEUE_*}
     */
    public static native int drumlin_queue_backend(@Cast("const drumlin_queue*") long queue);

    /**
     * Starts a write.
     *
     * @param queue its address
     * @param fd descriptor
     * @param data address
     * @param length bytes
     * @param offset bytes
     * @return a ticket or -errno
     */
    public static native long drumlin_queue_write(
            @Cast("drumlin_queue*") long queue, int fd, @Cast("const void*") long data, long length, long offset);

    /**
     * Starts a read.
     *
     * @param queue its address
     * @param fd descriptor
     * @param data address
     * @param length bytes
     * @param offset bytes
     * @return a ticket or -errno
     */
    public static native long drumlin_queue_read(
            @Cast("drumlin_queue*") long queue, int fd, @Cast("void*") long data, long length, long offset);

    /**
     * Waits for a transfer.
     *
     * @param queue its address
     * @param ticket the ticket of the started transfer
     * @return bytes or -errno
     */
    public static native long drumlin_queue_wait(@Cast("drumlin_queue*") long queue, long ticket);

    /**
     * Waits for all transfers and frees the queue.
     *
     * @param queue its address
     */
    public static native void drumlin_queue_destroy(@Cast("drumlin_queue*") long queue);

    /**
     * Makes sixteen MD5 streams.
     *
     * @param md5 address of the 8 bytes that receive the streams' address
     * @param width lanes per instruction, 0 for the best
     * @return 0 or -errno
     */
    public static native int drumlin_md5_create(@Cast("drumlin_md5**") long md5, int width);

    /**
     * Returns the number of lanes per instruction.
     *
     * @param md5 address of the streams
     * @return 1, 4, 8 or 16
     */
    public static native int drumlin_md5_width(@Cast("const drumlin_md5*") long md5);

    /**
     * Starts a stream again from the beginning.
     *
     * @param md5 address of the streams
     * @param lane 0 to 15
     * @return 0 or -errno
     */
    public static native int drumlin_md5_reset(@Cast("drumlin_md5*") long md5, int lane);

    /**
     * Appends pieces to the first lanes.
     *
     * @param md5 address of the streams
     * @param pieces address of the pieces' addresses
     * @param lengths address of the pieces' lengths, 8 bytes each
     * @param count number of pieces
     * @return 0 or -errno
     */
    public static native int drumlin_md5_update(
            @Cast("drumlin_md5*") long md5,
            @Cast("const void* const*") long pieces,
            @Cast("const int64_t*") long lengths,
            int count);

    /**
     * Appends pieces to the first lanes, and a piece to a lane of other streams in the same pass.
     *
     * @param md5 address of the streams
     * @param pieces address of the pieces' addresses
     * @param lengths address of the pieces' lengths, 8 bytes each
     * @param count number of pieces
     * @param other address of the other streams
     * @param lane 0 to 15
     * @param piece address of the piece for that lane
     * @param length its bytes
     * @return 0 or -errno
     */
    public static native int drumlin_md5_update_beside(
            @Cast("drumlin_md5*") long md5,
            @Cast("const void* const*") long pieces,
            @Cast("const int64_t*") long lengths,
            int count,
            @Cast("drumlin_md5*") long other,
            int lane,
            @Cast("const void*") long piece,
            long length);

    /**
     * Ends a stream.
     *
     * @param md5 address of the streams
     * @param lane 0 to 15
     * @param digest address of the 16 bytes that receive the digest
     * @return 0 or -errno
     */
    public static native int drumlin_md5_digest(
            @Cast("drumlin_md5*") long md5, int lane, @Cast("uint8_t*") long digest);

    /**
     * Frees the streams.
     *
     * @param md5 their address
     */
    public static native void drumlin_md5_destroy(@Cast("drumlin_md5*") long md5);

    /**
     * Returns the number of bytes per instruction in regions of GF(2^16).
     *
     * @return 2, 16, 32 or 64
     */
    public static native int drumlin_gf16_width();

    /**
     * Adds multiples of regions to a region.
     *
     * @param target address of the region
     * @param sources address of the sources' addresses
     * @param coefficients address of their factors, 2 bytes each
     * @param count number of sources
     * @param length bytes of each region, even
     * @param width bytes per instruction, 0 for the best
     * @return 0 or -errno
     */
    public static native int drumlin_gf16_accumulate(
            @Cast("void*") long target,
            @Cast("const void* const*") long sources,
            @Cast("const uint16_t*") long coefficients,
            int count,
            long length,
            int width);

    /** Makes a direct buffer over memory. */
    @Name("drumlin_jni_view")
    @Raw(withEnv = true)
    static native ByteBuffer view(long address, long length);

    /**
     * Copies memory into a primitive array, from byte {@code offset} of its elements on. Garbage collection may have to
     * wait meanwhile.
     */
    @Name("drumlin_jni_copy_in")
    static native void copyIn(@Raw(withEnv = true) Object array, long offset, long source, long length);

    /**
     * Copies the elements of a primitive array to memory, from byte {@code offset} of the elements on. Garbage
     * collection may have to wait meanwhile.
     */
    @Name("drumlin_jni_copy_out")
    static native void copyOut(@Raw(withEnv = true) Object array, long offset, long target, long length);

    /** Returns the address of a direct buffer's element 0; 0 for a heap buffer. */
    @Name("drumlin_jni_address")
    static native long address(@Raw(withEnv = true) Buffer buffer);

    /** Returns whether the memory of a direct buffer stays valid whatever the program does. */
    @Name("drumlin_jni_is_lasting")
    static native boolean isLasting(@Raw(withEnv = true) Buffer buffer);
}
