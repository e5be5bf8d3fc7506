/*
 * The C core of Drumlin: what Java cannot do by itself on one node. No MPI in it, and no policy.
 *
 * Rules that hold for every function unless it says otherwise:
 *   - a result >= 0 is success, a negative result is -errno;
 *   - lengths, sizes and offsets are bytes, never negative, and may exceed 2 GiB;
 *   - a call that a signal has interrupted is made again, 10,000 times in a row, then the result is -EINTR;
 *   - it may be called from any thread, at the same time as any other;
 *   - memory that the caller passes stays the caller's.
 */
#ifndef DRUMLIN_CORE_H
#define DRUMLIN_CORE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRUMLIN_API __attribute__((visibility("default")))

/* Changes whenever a function below comes or goes, or changes its signature or its meaning. */
#define DRUMLIN_CORE_ABI 7

/* The DRUMLIN_CORE_ABI with which the library was built. */
DRUMLIN_API int32_t drumlin_core_abi(void);

/* ---- error.c: what a number means ---------------------------------------------------------------------------- */

/*
 * The symbolic name of an errno, given as errno or -errno: "ENOSPC". NULL for a number that has no name here.
 */
DRUMLIN_API const char *drumlin_error_name(int32_t error);

/*
 * The system's sentence for an errno, given as errno or -errno: "No space left on device". Valid until the thread's
 * next call.
 */
DRUMLIN_API const char *drumlin_error_message(int32_t error);

/* ---- signals.c: libraries that take signals ------------------------------------------------------------------ */

/*
 * The JVM lives by its signals, and parts of MPI libraries take them away: UCX installs handlers for SIGSEGV, SIGBUS,
 * SIGFPE and SIGILL, and the next null check of a Java program then ends the process. UCX does it when the MPI library
 * is loaded, where that is linked to UCX (MPICH, Open MPI 5), else when MPI is initialised (Open MPI 4).
 */
#define DRUMLIN_SIGNALS 4

/* Who handled the four signals. */
struct drumlin_signals {
    struct sigaction actions[DRUMLIN_SIGNALS];
    uintptr_t handlers[DRUMLIN_SIGNALS]; /* those that the kernel calls */
};

/*
 * Remembers who handles the four signals, and sets, unless they are set, UCX_ERROR_SIGNALS to nothing and
 * IPATH_NO_BACKTRACE and HFI_NO_BACKTRACE (PSM) to 1.
 */
DRUMLIN_API void drumlin_signals_keep(struct drumlin_signals *signals);

/*
 * Gives the four signals the handlers that they had.
 *
 * Returns 1 where one of them was taken meanwhile, 0 where none was. Errors: -EBUSY where the kernel still calls another
 * handler than before.
 */
DRUMLIN_API int32_t drumlin_signals_restore(const struct drumlin_signals *signals);

/*
 * Who handles a signal: the path of the shared library that holds the handler; "" where the default action is in force
 * or the signal is ignored; "?" where the handler is in no library. NULL for what is no signal. Valid until the thread's
 * next call.
 */
DRUMLIN_API const char *drumlin_signal_owner(int32_t signal_number);

/*
 * Loads a library with all that it needs, for every library that is loaded later to see, and between
 * drumlin_signals_keep and drumlin_signals_restore. The library stays. No other thread may set handlers meanwhile.
 *
 * name   a path, or the name of a file that the dynamic linker looks for
 *
 * Returns what drumlin_signals_restore does. Errors: -ELIBACC where it cannot be loaded (drumlin_library_error says why),
 * -EBUSY.
 */
DRUMLIN_API int32_t drumlin_library_load(const char *name);

/* The dynamic linker's words for the last failure of drumlin_library_load in this thread. Valid until its next call. */
DRUMLIN_API const char *drumlin_library_error(void);

/* ---- align.c: memory for direct transfers -------------------------------------------------------------------- */

/* Boundary of all memory from drumlin_memory_allocate, and the largest alignment with which a file is direct. */
#define DRUMLIN_ALIGNMENT 4096

/*
 * Allocates zeroed memory on a boundary of DRUMLIN_ALIGNMENT. From 2 MiB on it lies on a 2 MiB boundary and is the
 * process's own from the beginning, in huge pages: a transfer has at most 254 parts, and each small page can be one.
 *
 * size     above 0
 * memory   receives the address, to be given to drumlin_memory_free or drumlin_memory_recycle
 *
 * Errors: -EINVAL (size), -ENOMEM.
 */
DRUMLIN_API int32_t drumlin_memory_allocate(void **memory, int64_t size);

/* Gives the memory back. NULL is allowed. */
DRUMLIN_API void drumlin_memory_free(void *memory);

/*
 * Gives memory of drumlin_memory_allocate back, and lets it wait for the next call that asks for as much: new memory
 * costs more than a transfer where a virtual machine gives free memory to its host. At most 128 MiB of a process wait,
 * each piece of 2 MiB or more; the kernel may take them when it is short of memory (MADV_FREE). NULL is allowed.
 * Thread-safe.
 *
 * size     with which it was allocated
 */
DRUMLIN_API void drumlin_memory_recycle(void *memory, int64_t size);

/* ---- copy.c: large copies --------------------------------------------------------------------------------------- */

/*
 * Copies memory that nobody reads soon, past the cache. The two pieces do not overlap.
 */
DRUMLIN_API void drumlin_memory_copy(void *target, const void *source, int64_t length);

/* ---- file.c: files, whole transfers -------------------------------------------------------------------------- */

/* What drumlin_file_open is asked for; READ, WRITE or both must be set. */
#define DRUMLIN_OPEN_READ 1
#define DRUMLIN_OPEN_WRITE 2
#define DRUMLIN_OPEN_CREATE 4     /* create the file when it is missing */
#define DRUMLIN_OPEN_EXCLUSIVE 8  /* with CREATE: fail with -EEXIST when it is not */
#define DRUMLIN_OPEN_TRUNCATE 16  /* cut an existing file to length 0 */
#define DRUMLIN_OPEN_DIRECT 32    /* pass the page cache by (O_DIRECT) */

/*
 * Opens a file, never to be inherited by a child process.
 *
 * With DRUMLIN_OPEN_DIRECT the file is buffered all the same where the file system refuses O_DIRECT, says that the file
 * cannot have it, or wants a coarser alignment than DRUMLIN_ALIGNMENT; where the kernel does not say what is wanted, a
 * page is taken for it (Lustre). drumlin_file_alignment tells.
 *
 * path          NUL-terminated, in the file system's encoding
 * modes         DRUMLIN_OPEN_* joined by |
 * permissions   for a new file, before the umask: 0666
 *
 * Returns the file descriptor. Errors: -EINVAL (modes), and those of open(2).
 */
DRUMLIN_API int32_t drumlin_file_open(const char *path, int32_t modes, int32_t permissions);

/*
 * The unit of transfers of a file that was opened by drumlin_file_open: offsets, lengths and memory addresses must be
 * its multiples.
 *
 * Returns a power of two where the file is direct: what the kernel says (statx, STATX_DIOALIGN, Linux 6.1), else
 * DRUMLIN_ALIGNMENT. Returns 1 where it is buffered. Errors: those of fcntl(2).
 */
DRUMLIN_API int32_t drumlin_file_alignment(int32_t fd);

/*
 * Closes the file. The descriptor is gone whatever is returned. Errors: -EIO, -ENOSPC, -EDQUOT where the file system
 * reports only now that something written was lost; -EBADF.
 */
DRUMLIN_API int32_t drumlin_file_close(int32_t fd);

/*
 * Writes all of data at offset; short counts and interruptions are retried.
 *
 * Returns length. Errors: those of pwrite(2); what part was written before is unknown. -EIO where the kernel takes
 * nothing and gives no reason.
 */
DRUMLIN_API int64_t drumlin_file_write(int32_t fd, const void *data, int64_t length, int64_t offset);

/*
 * Reads up to length bytes at offset; short counts and interruptions are retried up to the end of the file.
 *
 * Returns bytes read: fewer than length only at the end of the file, 0 at or past it. Errors: those of pread(2).
 */
DRUMLIN_API int64_t drumlin_file_read(int32_t fd, void *data, int64_t length, int64_t offset);

/* The length of the file. Errors: those of fstat(2). */
DRUMLIN_API int64_t drumlin_file_size(int32_t fd);

/*
 * Reserves blocks for the first size bytes and makes the file at least that long.
 *
 * Returns 0, or 1 where the file system cannot reserve and the file was only made longer. Errors: -ENOSPC, -EDQUOT,
 * -EFBIG and others of fallocate(2).
 */
DRUMLIN_API int32_t drumlin_file_allocate(int32_t fd, int64_t size);

/*
 * Lets the system begin to write to the device what of a range is in the page cache, without waiting for it, so that a
 * sync that follows has less to do. Says nothing about durability.
 *
 * Returns 0, or 1 where the system or the file has no such thing. Errors: those of sync_file_range(2).
 */
DRUMLIN_API int32_t drumlin_file_writeback(int32_t fd, int64_t offset, int64_t length);

/*
 * Reserves blocks for a range of a file that other processes may extend at the same time, and makes the file at least
 * as long as the range's end.
 *
 * Returns 0, or 1 where the file system cannot reserve; nothing was changed then. Errors: -EINVAL for a range that
 * begins below 0 or is empty, -ENOSPC, -EDQUOT, -EFBIG and others of fallocate(2).
 */
DRUMLIN_API int32_t drumlin_file_reserve(int32_t fd, int64_t offset, int64_t length);

/* Cuts or extends the file to size bytes. Errors: those of ftruncate(2). */
DRUMLIN_API int32_t drumlin_file_truncate(int32_t fd, int64_t size);

/*
 * Makes the file's content durable.
 *
 * metadata   0: content and what is needed to read it back, the length among it (fdatasync); else also times and
 *            permissions (fsync)
 *
 * Errors: -EIO, -ENOSPC, -EDQUOT: something written is lost, and a second call would not say so again.
 */
DRUMLIN_API int32_t drumlin_file_sync(int32_t fd, int32_t metadata);

/* Renames, replacing an existing file, in one step. Errors: those of rename(2); nothing has changed then. */
DRUMLIN_API int32_t drumlin_file_rename(const char *from, const char *to);

/*
 * Makes the entries of a directory durable. File systems that have no such thing (-EINVAL from fsync) count as done.
 * Errors: those of open(2) and fsync(2).
 */
DRUMLIN_API int32_t drumlin_directory_sync(const char *path);

/* ---- queue.c: transfers under way ---------------------------------------------------------------------------- */

/* Who moves the bytes. */
#define DRUMLIN_QUEUE_AUTO 0    /* io_uring where the library has it and the kernel allows it, else threads */
#define DRUMLIN_QUEUE_URING 1
#define DRUMLIN_QUEUE_THREADS 2

/* Starts transfers and waits for them. Any thread may use it. */
typedef struct drumlin_queue drumlin_queue;

/*
 * Makes a queue.
 *
 * depth     transfers that may be under way at a time, 1 to 4096
 * backend   DRUMLIN_QUEUE_*
 * queue     receives the queue, to be given to drumlin_queue_destroy
 *
 * Where no thread can be made (ulimit -u), starting a transfer carries it out.
 *
 * Errors: -EINVAL (depth, backend), -ENOMEM; with DRUMLIN_QUEUE_URING also -ENOSYS (the
 * library or the kernel has no io_uring), -EPERM (the kernel's settings or a container forbid it), -EMFILE and -ENFILE.
 */
DRUMLIN_API int32_t drumlin_queue_create(drumlin_queue **queue, int32_t depth, int32_t backend);

/* DRUMLIN_QUEUE_URING or DRUMLIN_QUEUE_THREADS. */
DRUMLIN_API int32_t drumlin_queue_backend(const drumlin_queue *queue);

/*
 * Starts what drumlin_file_write does. Blocks while depth transfers are under way, not until one of them was waited
 * for. Data must stay untouched until drumlin_queue_wait returned.
 *
 * Returns a ticket, to be given to drumlin_queue_wait exactly once. Errors: -EINVAL (length or offset), -ENOMEM.
 */
DRUMLIN_API int64_t drumlin_queue_write(drumlin_queue *queue, int32_t fd, const void *data, int64_t length,
                                        int64_t offset);

/* Starts what drumlin_file_read does; otherwise as drumlin_queue_write. */
DRUMLIN_API int64_t drumlin_queue_read(drumlin_queue *queue, int32_t fd, void *data, int64_t length, int64_t offset);

/*
 * Waits for the end of a transfer.
 *
 * Returns what drumlin_file_write or drumlin_file_read would have returned. -EINVAL also for a ticket that was waited
 * for before. What io_uring cannot do, because the kernel can make no threads (ulimit -u), is done by the thread that
 * waits. With DRUMLIN_QUEUE_URING also what the kernel says when it takes no more transfers, among it -ENOMEM after ten
 * seconds without memory, and -EBADF or -EOPNOTSUPP where somebody else closed the descriptor of the queue; all later
 * transfers fail with it then. The thread that started the transfer need not live any more.
 */
DRUMLIN_API int64_t drumlin_queue_wait(drumlin_queue *queue, int64_t ticket);

/* Waits for all transfers, forgets their results, and frees the queue. Nobody may use it meanwhile. NULL is allowed. */
DRUMLIN_API void drumlin_queue_destroy(drumlin_queue *queue);

/* ---- digest.c: MD5 (RFC 1321) -------------------------------------------------------------------------------- */

/* Streams of a drumlin_md5. */
#define DRUMLIN_MD5_LANES 16
/* Bytes of a digest. */
#define DRUMLIN_MD5_LENGTH 16

/* Sixteen independent streams, hashed side by side in SIMD registers. One thread at a time. */
typedef struct drumlin_md5 drumlin_md5;

/*
 * The MD5 of one piece of memory.
 *
 * digest   receives DRUMLIN_MD5_LENGTH bytes
 */
DRUMLIN_API void drumlin_md5_single(const void *data, int64_t length, uint8_t *digest);

/*
 * Makes sixteen empty streams.
 *
 * width   how many lanes one instruction may take: 1, 4 (SSE2, NEON), 8 (AVX2), 16 (AVX-512VL); 0 for the widest that
 *         this processor has, and for few streams the way that is fastest on it, which the first call measures
 * md5     receives the streams, to be given to drumlin_md5_destroy
 *
 * Errors: -EINVAL (no such width), -ENOTSUP (not on this processor), -ENOMEM.
 */
DRUMLIN_API int32_t drumlin_md5_create(drumlin_md5 **md5, int32_t width);

/* The width in use: 1, 4, 8 or 16. */
DRUMLIN_API int32_t drumlin_md5_width(const drumlin_md5 *md5);

/* Starts a new stream in a lane, 0 to DRUMLIN_MD5_LANES - 1. Errors: -EINVAL (lane). */
DRUMLIN_API int32_t drumlin_md5_reset(drumlin_md5 *md5, int32_t lane);

/*
 * Appends one piece to each of the first count lanes. Pieces may be of any length and at any address; fastest when they
 * are equally long and whole 64-byte blocks. Pieces may overlap or be the same.
 *
 * pieces    count addresses; an entry is not looked at where its length is 0
 * lengths   count lengths
 * count     0 to DRUMLIN_MD5_LANES
 *
 * Errors: -EINVAL (count, or a negative length); nothing has changed then.
 */
DRUMLIN_API int32_t drumlin_md5_update(drumlin_md5 *md5, const void *const *pieces, const int64_t *lengths,
                                       int32_t count);

/*
 * Does what drumlin_md5_update does, and appends a piece to a lane of other streams. With a width of 8 that takes
 * hardly longer than the piece alone, if it is as long as the others together and those are 16, or 8, of one length.
 * Else it takes as long as two calls.
 *
 * other   not md5
 * lane    0 to DRUMLIN_MD5_LANES - 1
 * piece   may overlap the others or be made of them; not looked at where its length is 0
 *
 * Errors: -EINVAL (count, a negative length, other, lane); nothing has changed then.
 */
DRUMLIN_API int32_t drumlin_md5_update_beside(drumlin_md5 *md5, const void *const *pieces, const int64_t *lengths,
                                              int32_t count, drumlin_md5 *other, int32_t lane, const void *piece,
                                              int64_t length);

/*
 * Ends the stream in a lane; drumlin_md5_reset it before it is used again.
 *
 * digest   receives DRUMLIN_MD5_LENGTH bytes
 *
 * Errors: -EINVAL (lane).
 */
DRUMLIN_API int32_t drumlin_md5_digest(drumlin_md5 *md5, int32_t lane, uint8_t *digest);

/* Frees the streams. NULL is allowed. */
DRUMLIN_API void drumlin_md5_destroy(drumlin_md5 *md5);

/* ---- gf16.c: GF(2^16), for Reed-Solomon codes ---------------------------------------------------------------- */

/*
 * Elements are polynomials over GF(2) modulo x^16 + x^12 + x^3 + x + 1 (0x1100b), bit n the coefficient of x^n. A
 * region is memory that is taken for a sequence of elements, two bytes each, little-endian. It may lie at any address.
 */

/*
 * How many bytes one instruction takes at most on this processor: 64 (GFNI and AVX-512), 32 (AVX2), 16 (SSSE3, NEON),
 * or 2 where it has none of these.
 */
DRUMLIN_API int32_t drumlin_gf16_width(void);

/*
 * Adds to the region target the sum of coefficients[i] * sources[i] for all i below count. Addition is exclusive or, so
 * a second call with the same arguments takes it away again. One call with all sources is faster than one for each: the
 * target is read and written once for eight of them.
 *
 * target         length bytes that overlap no source
 * sources        count addresses of length bytes; they may be the same
 * coefficients   count elements
 * count          0 and above
 * length         even: an odd tail is for the caller to complete, in the codes of FTI by a zero byte
 * width          as drumlin_gf16_width gives it, or narrower; 0 for that
 *
 * Errors: -EINVAL (count, length, no such width), -ENOTSUP (width not on this processor); nothing has changed then.
 */
DRUMLIN_API int32_t drumlin_gf16_accumulate(void *target, const void *const *sources, const uint16_t *coefficients,
                                            int32_t count, int64_t length, int32_t width);

#ifdef __cplusplus
}
#endif

#endif
