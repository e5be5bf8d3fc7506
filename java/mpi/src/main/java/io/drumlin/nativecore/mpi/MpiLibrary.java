package io.drumlin.nativecore.mpi;

import org.bytedeco.javacpp.annotation.Cast;
import org.bytedeco.javacpp.annotation.MemberGetter;
import org.bytedeco.javacpp.annotation.NoException;
import org.bytedeco.javacpp.annotation.Platform;

/**
 * The functions of {@code libdrumlin_mpi} under their C names; {@code drumlin/mpi.h} is their manual.
 *
 * <p>Parameters and results are numbers; addresses and handles are {@code long}. A result below 0 is a failure: -errno,
 * or an MPI code that {@link #drumlin_mpi_error_message} explains. Nothing is checked here: a wrong address or handle
 * ends the process. The functions can be called once {@link NativeMpiCore#unavailabilityCause()} has returned
 * {@code null}. They are thread-safe where the manual says so.
 */
@Platform(cinclude = "drumlin/mpi.h", link = "drumlin_mpi", library = "jnidrumlin_mpi")
@NoException
public final class MpiLibrary {

    /** The {@code DRUMLIN_MPI_ABI} for which these declarations were written. */
    public static final int ABI = 8;

    private MpiLibrary() {}

    /**
     * Returns the ABI of the library.
     *
     * @return {@link #ABI} in a library that fits
     */
    public static native int drumlin_mpi_abi();

    /**
     * Returns MPI's text for a result below 0.
     *
     * @param result a result below 0
     * @return address of a C string, 0 for -errno
     */
    public static native @Cast("intptr_t") long drumlin_mpi_error_message(long result);

    /**
     * Returns the MPI library's description of itself.
     *
     * @return address of a C string
     */
    public static native @Cast("intptr_t") long drumlin_mpi_library();

    /**
     * Joins or initialises MPI without losing signal handlers.
     *
     * @return 1 if this library has initialised it, 0 if somebody else has, or a failure
     */
    public static native int drumlin_mpi_init();

    /**
     * Finalises MPI if this library initialised it.
     *
     * @return 1 if it was finalised now, 0 if there was nothing to do, or a failure
     */
    public static native int drumlin_mpi_finalize();

    /**
     * Returns the thread level of MPI.
     *
     * @return 0 to 3 for MPI_THREAD_SINGLE to MULTIPLE, or a failure
     */
    public static native int drumlin_mpi_thread_level();

    /**
     * Ends all processes of the job.
     *
     * @param code exit status
     * @return a failure; otherwise the call does not return
     */
    public static native int drumlin_mpi_abort(int code);

    /**
     * Returns the handle of MPI_COMM_WORLD.
     *
     * @return handle or failure
     */
    public static native long drumlin_mpi_comm_world();

    /**
     * Duplicates a communicator.
     *
     * @param comm handle
     * @return handle or failure
     */
    public static native long drumlin_mpi_comm_dup(long comm);

    /**
     * Splits a communicator.
     *
     * @param comm handle
     * @param color 0 or above
     * @param key order
     * @return handle or failure
     */
    public static native long drumlin_mpi_comm_split(long comm, int color, int key);

    /**
     * Makes a communicator of ranks that are known.
     *
     * @param comm handle
     * @param ranks address of an int for each of them
     * @param count number of them
     * @return handle or failure
     */
    public static native long drumlin_mpi_comm_subset(long comm, @Cast("const int32_t *") long ranks, int count);

    /**
     * Frees a communicator.
     *
     * @param comm handle
     * @return 0 or failure
     */
    public static native int drumlin_mpi_comm_free(long comm);

    /**
     * Returns the caller's rank.
     *
     * @param comm handle
     * @return rank or failure
     */
    public static native int drumlin_mpi_comm_rank(long comm);

    /**
     * Returns the number of ranks.
     *
     * @param comm handle
     * @return number or failure
     */
    public static native int drumlin_mpi_comm_size(long comm);

    /**
     * Waits for all ranks.
     *
     * @param comm handle
     * @return 0 or failure
     */
    public static native int drumlin_mpi_barrier(long comm);

    /**
     * Combines values of all ranks in place.
     *
     * @param comm handle
     * @param values address
     * @param count number of values
     * @param operation {@code DRUMLIN_MPI_SUM}, {@code MIN} or {@code MAX}
     * @return 0 or failure
     */
    public static native int drumlin_mpi_allreduce(long comm, @Cast("int64_t*") long values, long count, int operation);

    /**
     * Copies the root's bytes to all ranks.
     *
     * @param comm handle
     * @param data address
     * @param length bytes
     * @param root rank
     * @return 0 or failure
     */
    public static native int drumlin_mpi_bcast(long comm, @Cast("void*") long data, long length, int root);

    /**
     * Collects bytes at the root.
     *
     * @param comm handle
     * @param part address
     * @param length bytes per rank
     * @param all address, used at the root
     * @param root rank
     * @return 0 or failure
     */
    public static native int drumlin_mpi_gather(
            long comm, @Cast("const void*") long part, long length, @Cast("void*") long all, int root);

    /**
     * Distributes bytes from the root.
     *
     * @param comm handle
     * @param all address, used at the root
     * @param part address
     * @param length bytes per rank
     * @param root rank
     * @return 0 or failure
     */
    public static native int drumlin_mpi_scatter(
            long comm, @Cast("const void*") long all, @Cast("void*") long part, long length, int root);

    /**
     * Collects bytes at every rank.
     *
     * @param comm handle
     * @param part address
     * @param length bytes per rank
     * @param all address
     * @return 0 or failure
     */
    public static native int drumlin_mpi_allgather(
            long comm, @Cast("const void*") long part, long length, @Cast("void*") long all);

    /**
     * Sends a message.
     *
     * @param comm handle
     * @param data address
     * @param length bytes
     * @param destination rank
     * @param tag 0 to 32767
     * @return 0 or failure
     */
    public static native int drumlin_mpi_send(
            long comm, @Cast("const void*") long data, long length, int destination, int tag);

    /**
     * Receives a message.
     *
     * @param comm handle
     * @param data address
     * @param length bytes
     * @param source rank
     * @param tag 0 to 32767, or -1 for any
     * @return length of the message in bytes, or failure
     */
    public static native long drumlin_mpi_receive(
            long comm, @Cast("void*") long data, long length, int source, int tag);

    /**
     * Returns whether a message can be received.
     *
     * @param comm handle
     * @param source rank
     * @param tag 0 to 32767, or -1 for any
     * @return 1 or 0, or failure
     */
    public static native int drumlin_mpi_has_message(long comm, int source, int tag);

    /**
     * Starts sending.
     *
     * @param comm handle
     * @param data address
     * @param length bytes
     * @param destination rank
     * @param tag 0 to 32767
     * @return handle of a request or failure
     */
    public static native long drumlin_mpi_start_send(
            long comm, @Cast("const void*") long data, long length, int destination, int tag);

    /**
     * Starts receiving.
     *
     * @param comm handle
     * @param data address
     * @param length bytes
     * @param source rank
     * @param tag 0 to 32767, or -1 for any
     * @return handle of a request or failure
     */
    public static native long drumlin_mpi_start_receive(
            long comm, @Cast("void*") long data, long length, int source, int tag);

    /**
     * Waits for a request and frees it.
     *
     * @param request handle
     * @return length of a received message in bytes, or failure
     */
    public static native long drumlin_mpi_wait(long request);

    /**
     * Ends a receive that is no longer needed and frees the request.
     *
     * @param request handle
     * @return 0 or failure
     */
    public static native int drumlin_mpi_cancel_receive(long request);

    /**
     * Opens a file on all ranks.
     *
     * @param comm handle
     * @param path address of the NUL-terminated path
     * @param modes {@code DRUMLIN_MPI_FILE_*}
     * @param hints address of NUL-terminated lines {@code key=value}
     * @return handle or failure
     */
    public static native long drumlin_mpi_file_open(
            long comm, @Cast("const char*") long path, int modes, @Cast("const char*") long hints);

    /**
     * Opens a file on this rank alone.
     *
     * @param comm handle
     * @param path address of the NUL-terminated path
     * @param modes {@code DRUMLIN_MPI_FILE_*}
     * @param hints address of NUL-terminated lines {@code key=value}
     * @return handle or failure
     */
    public static native long drumlin_mpi_file_open_alone(
            long comm, @Cast("const char*") long path, int modes, @Cast("const char*") long hints);

    /**
     * Writes together with all ranks.
     *
     * @param file handle
     * @param offset bytes
     * @param data address
     * @param length bytes
     * @return length or failure
     */
    public static native long drumlin_mpi_file_write_at_all(
            long file, long offset, @Cast("const void*") long data, long length);

    /**
     * Reads together with all ranks.
     *
     * @param file handle
     * @param offset bytes
     * @param data address
     * @param length bytes
     * @return bytes read or failure
     */
    public static native long drumlin_mpi_file_read_at_all(
            long file, long offset, @Cast("void*") long data, long length);

    /**
     * Cuts or extends the file.
     *
     * @param file handle
     * @param size bytes
     * @return 0 or failure
     */
    public static native int drumlin_mpi_file_set_size(long file, long size);

    /**
     * Returns the length of the file.
     *
     * @param file handle
     * @return bytes or failure
     */
    public static native long drumlin_mpi_file_size(long file);

    /**
     * Makes the file durable.
     *
     * @param file handle
     * @return 0 or failure
     */
    public static native int drumlin_mpi_file_sync(long file);

    /**
     * Closes the file.
     *
     * @param file handle
     * @return 0 or failure
     */
    public static native int drumlin_mpi_file_close(long file);

    /**
     * {@code DRUMLIN_MPI_SUM}.
     *
     * @return the number
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_SUM();

    /**
     * {@code DRUMLIN_MPI_MIN}.
     *
     * @return the number
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_MIN();

    /**
     * {@code DRUMLIN_MPI_MAX}.
     *
     * @return the number
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_MAX();

    /**
     * {@code DRUMLIN_MPI_FILE_READ}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_FILE_READ();

    /**
     * {@code DRUMLIN_MPI_FILE_WRITE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_FILE_WRITE();

    /**
     * {@code DRUMLIN_MPI_FILE_CREATE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_FILE_CREATE();

    /**
     * {@code DRUMLIN_MPI_FILE_EXCLUSIVE}.
     *
     * @return the bit
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_FILE_EXCLUSIVE();

    /**
     * {@code DRUMLIN_MPI_FILE_MOST_PATH}.
     *
     * @return bytes of a path
     */
    @MemberGetter
    public static native int DRUMLIN_MPI_FILE_MOST_PATH();
}
