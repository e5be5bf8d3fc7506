/*
 * MPI for Java: what Drumlin needs of it, behind numbers that do not depend on which MPI it is. Built anew for every
 * MPI.
 *
 * Rules that hold for every function unless it says otherwise:
 *   - a result >= 0 is success, a negative result is -errno or a failure of MPI (drumlin_mpi_error_message);
 *   - communicators, requests and files are handles of 64 bits: an MPI_Comm is widened as it is, so that a handle of
 *     the same MPI from elsewhere can be passed, and the handles here can be passed on;
 *   - a call marked "Collective" is made by all ranks of the communicator, in the same order;
 *   - message lengths are bytes from 0 to 2^31 - 1 (-EMSGSIZE beyond), because that is what MPI counts;
 *   - memory that the caller passes stays the caller's;
 *   - calls come from one thread at a time unless drumlin_mpi_thread_level says 3;
 *   - before drumlin_mpi_init, or after MPI was finalised, the result is -ESHUTDOWN.
 */
#ifndef DRUMLIN_MPI_H
#define DRUMLIN_MPI_H

#include <stdint.h>

#include "drumlin/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a function below appears, changes its signature or its meaning, or disappears. */
#define DRUMLIN_MPI_ABI 8

/* The DRUMLIN_MPI_ABI with which the library was built. May be called at any time. */
DRUMLIN_API int32_t drumlin_mpi_abi(void);

/* ---- init.c: beginning and end, errors ----------------------------------------------------------------------- */

/* An MPI error code c becomes the result -DRUMLIN_MPI_ERROR - c; numbers above -DRUMLIN_MPI_ERROR are -errno. */
#define DRUMLIN_MPI_ERROR (1 << 20)

/*
 * What a negative result of this library means, when it comes from MPI: "MPI_ERR_TRUNCATE: message truncated". NULL for
 * -errno. Valid until the thread's next call.
 */
DRUMLIN_API const char *drumlin_mpi_error_message(int64_t result);

/*
 * The MPI that this library runs on, in its own words: "Open MPI v4.1.4, ...". May be called at any time. Valid until
 * the thread's next call.
 */
DRUMLIN_API const char *drumlin_mpi_library(void);

/*
 * Joins MPI where it is initialised, else initialises it, asking for MPI_THREAD_MULTIPLE. Collective over all processes
 * of the job when it initialises.
 *
 * It initialises MPI between drumlin_signals_keep and drumlin_signals_restore (drumlin/core.h). The library itself is to be
 * loaded by drumlin_library_load, because some MPI libraries take signals as soon as they are loaded.
 *
 * Returns 1 when MPI was initialised by this library, now or earlier, and 0 when somebody else has done it.
 * Errors: -EBUSY where MPI is initialised, but keeps a signal of the JVM.
 */
DRUMLIN_API int32_t drumlin_mpi_init(void);

/*
 * Finalises MPI if, and only if, this library initialised it; nothing of MPI can be used after that. To be called by
 * the thread that called drumlin_mpi_init. Collective over all processes of the job.
 *
 * Returns 1 when MPI was finalised now, 0 when there was nothing to do.
 */
DRUMLIN_API int32_t drumlin_mpi_finalize(void);

/* MPI_THREAD_SINGLE, FUNNELED, SERIALIZED or MULTIPLE as 0, 1, 2 or 3. */
DRUMLIN_API int32_t drumlin_mpi_thread_level(void);

/* Ends all processes of the job with this exit status. Returns only where MPI cannot do it; the result says why. */
DRUMLIN_API int32_t drumlin_mpi_abort(int32_t code);

/* ---- comm.c: communicators and collective calls -------------------------------------------------------------- */

/*
 * A rank on which a collective call has failed gets the error; the others may wait for it.
 *
 * Open MPI 4 takes failures of these calls to the error handler of MPI_COMM_WORLD, and MPICH those of messages too. To
 * return them, the handler is put aside for the moment at the end of each call in which MPI tells the outcome, and comes
 * back: another thread of the program must not set it meanwhile.
 */

/* How drumlin_mpi_allreduce joins values. */
#define DRUMLIN_MPI_SUM 0
#define DRUMLIN_MPI_MIN 1
#define DRUMLIN_MPI_MAX 2

/* The handle of MPI_COMM_WORLD. Communicate on a duplicate: errors in this one end the job. */
DRUMLIN_API int64_t drumlin_mpi_comm_world(void);

/*
 * Makes a communicator of the same ranks, whose messages do not mix with others and whose errors are returned.
 * Collective.
 *
 * Returns the handle, to be given to drumlin_mpi_comm_free. Errors: -EINVAL where comm is no communicator of one group
 * (MPI_COMM_NULL, an inter-communicator).
 */
DRUMLIN_API int64_t drumlin_mpi_comm_dup(int64_t comm);

/*
 * Makes a communicator of the ranks with the same color, ordered by key, then by rank; errors are returned. Collective.
 *
 * color   0 or above
 *
 * Returns the handle, to be given to drumlin_mpi_comm_free.
 */
DRUMLIN_API int64_t drumlin_mpi_comm_split(int64_t comm, int32_t color, int32_t key);

/*
 * Makes a communicator of some of the ranks, in the given order; errors are returned. Every rank names the ranks of its
 * own subset, and no rank is in two subsets. Does not tell the ranks about each other, as a split does. Collective.
 *
 * ranks   different ranks, among them the caller's; the same on all ranks of the subset
 * count   number of them, 1 or more
 *
 * Returns the handle, to be given to drumlin_mpi_comm_free. Errors: -EINVAL where a number is not a rank or the caller's
 * is missing.
 */
DRUMLIN_API int64_t drumlin_mpi_comm_subset(int64_t comm, const int32_t *ranks, int32_t count);

/* Frees a communicator that came from here. Collective. */
DRUMLIN_API int32_t drumlin_mpi_comm_free(int64_t comm);

/* The rank of the caller. */
DRUMLIN_API int32_t drumlin_mpi_comm_rank(int64_t comm);

/* The number of ranks. */
DRUMLIN_API int32_t drumlin_mpi_comm_size(int64_t comm);

/* Returns when all ranks have called it. Collective. */
DRUMLIN_API int32_t drumlin_mpi_barrier(int64_t comm);

/*
 * Joins count values element by element over all ranks, in place. Collective.
 *
 * operation   DRUMLIN_MPI_SUM (wraps at 64 bits), DRUMLIN_MPI_MIN or DRUMLIN_MPI_MAX, both signed
 */
DRUMLIN_API int32_t drumlin_mpi_allreduce(int64_t comm, int64_t *values, int64_t count, int32_t operation);

/* Copies the root's length bytes to all ranks. Collective. */
DRUMLIN_API int32_t drumlin_mpi_bcast(int64_t comm, void *data, int64_t length, int32_t root);

/*
 * Collects length bytes of every rank at the root, in rank order. Collective.
 *
 * all   at the root size * length bytes, elsewhere not looked at
 */
DRUMLIN_API int32_t drumlin_mpi_gather(int64_t comm, const void *part, int64_t length, void *all, int32_t root);

/*
 * Hands out length bytes to every rank, in rank order. Collective.
 *
 * all   at the root size * length bytes, elsewhere not looked at
 */
DRUMLIN_API int32_t drumlin_mpi_scatter(int64_t comm, const void *all, void *part, int64_t length, int32_t root);

/* Collects length bytes of every rank at every rank, in rank order: size * length bytes in all. Collective. */
DRUMLIN_API int32_t drumlin_mpi_allgather(int64_t comm, const void *part, int64_t length, void *all);

/* ---- exchange.c: messages from rank to rank ------------------------------------------------------------------ */

/* In a receive: any tag. Tags of messages are 0 to 32767. */
#define DRUMLIN_MPI_ANY_TAG (-1)

/* Sends; may return before the message was received. */
DRUMLIN_API int32_t drumlin_mpi_send(int64_t comm, const void *data, int64_t length, int32_t destination, int32_t tag);

/*
 * Receives.
 *
 * Returns bytes of the message. Errors: that of MPI_ERR_TRUNCATE when the message is longer than length; nothing is
 * written to data then, and the message is lost.
 */
DRUMLIN_API int64_t drumlin_mpi_receive(int64_t comm, void *data, int64_t length, int32_t source, int32_t tag);

/*
 * Whether drumlin_mpi_receive with this source and tag would find a message; does not wait. A message that was sent may
 * take several calls to be seen, because MPI moves messages only when it is called.
 *
 * Returns 1 or 0.
 */
DRUMLIN_API int32_t drumlin_mpi_has_message(int64_t comm, int32_t source, int32_t tag);

/*
 * Starts sending; data stays untouched until drumlin_mpi_wait.
 *
 * Returns the handle of a request.
 */
DRUMLIN_API int64_t drumlin_mpi_start_send(int64_t comm, const void *data, int64_t length, int32_t destination,
                                           int32_t tag);

/*
 * Starts receiving; data stays untouched until drumlin_mpi_wait. For messages whose length is known: Open MPI 4.1
 * writes beyond data when the message is longer, even though it reports MPI_ERR_TRUNCATE, and cuts some short messages
 * off without reporting it.
 *
 * Returns the handle of a request.
 */
DRUMLIN_API int64_t drumlin_mpi_start_receive(int64_t comm, void *data, int64_t length, int32_t source, int32_t tag);

/*
 * Waits for a request and frees it.
 *
 * Returns bytes of the message for a receive, something >= 0 for a send. Errors: as drumlin_mpi_receive; the request is
 * freed then, too.
 */
DRUMLIN_API int64_t drumlin_mpi_wait(int64_t request);

/*
 * Ends a receive that nobody wants any more and frees the request: data is the caller's again. It takes no later
 * message; one that it has taken is lost. There is no such thing for a send, which only its receiver ends.
 *
 * Returns 0. Errors: as drumlin_mpi_wait.
 */
DRUMLIN_API int32_t drumlin_mpi_cancel_receive(int64_t request);

/* ---- mpiio.c: one file, many ranks --------------------------------------------------------------------------- */

/*
 * Each rank opens the file for MPI as one process alone and transfers its own bytes; then the ranks agree on the
 * outcome. So a rank on which MPI fails leaves nobody waiting. Hints for collective calls, such as ROMIO's
 * romio_cb_write, change nothing.
 *
 * Nothing of the program is touched by these calls. Each file has a duplicate of the communicator for itself and its
 * own handle and error handler, is moved by explicit offsets, and MPI_File_sync and MPI_File_set_size act on that
 * handle alone: a program's own MPI files, with transfers pending or not, go on as they are, and so do messages and
 * collective calls on its communicators. Two things are as MPI and POSIX have them. Before the file is open, failures
 * of MPI go to the handler of MPI_FILE_NULL, which returns them unless the program has changed that. And a process that
 * closes any descriptor of a file loses its fcntl(2) locks on it, so a file that is opened here must not be one that
 * the program has open with locks (MPI's atomic mode).
 */

/* What drumlin_mpi_file_open is asked for; READ, WRITE or both must be set. */
#define DRUMLIN_MPI_FILE_READ 1
#define DRUMLIN_MPI_FILE_WRITE 2
#define DRUMLIN_MPI_FILE_CREATE 4    /* create the file when it is missing */
#define DRUMLIN_MPI_FILE_EXCLUSIVE 8 /* with CREATE: fail when it is not */

/*
 * Bytes of a path without NUL. Open MPI up to 5.0 puts it, with a suffix, into 256 bytes without looking, whatever the
 * file system takes.
 */
#define DRUMLIN_MPI_FILE_MOST_PATH 230

/*
 * Opens a file on all ranks. Collective over comm, which may be freed while the file is open.
 *
 * path    the same on all ranks, NUL-terminated, at most DRUMLIN_MPI_FILE_MOST_PATH bytes
 * modes   DRUMLIN_MPI_FILE_* joined by |, the same on all ranks
 * hints   for MPI_Info: lines "key=value", NUL-terminated, the same on all ranks; "" for none. With hints, MPI makes a
 *         missing file, so that those for its stripes (striping_unit, striping_factor) count
 *
 * Returns a handle, to be given to drumlin_mpi_file_close. Errors: those of this rank, else of another one, among them
 * -EINVAL (modes, a hint without key or value or longer than MPI takes), -ENAMETOOLONG, -ENOMEM and those of open(2),
 * which each rank tries before MPI does, and again if MPI fails without a reason.
 */
DRUMLIN_API int64_t drumlin_mpi_file_open(int64_t comm, const char *path, int32_t modes, const char *hints);

/*
 * As drumlin_mpi_file_open, on the calling rank of comm alone; not collective, and no call on the file is. The file is
 * closed by drumlin_mpi_file_close.
 */
DRUMLIN_API int64_t drumlin_mpi_file_open_alone(int64_t comm, const char *path, int32_t modes, const char *hints);

/*
 * Writes length bytes at offset, where every rank has an offset and a length of its own, also above 2 GiB or 0.
 * Collective over the file's ranks. Each rank writes its region as it is: no rank collects small pieces of others.
 *
 * Returns length when all ranks have written all. Errors: those of this rank, else of another one, among them -EIO
 * where fewer bytes were written and neither MPI nor the system gives a reason, as on a full file system.
 */
DRUMLIN_API int64_t drumlin_mpi_file_write_at_all(int64_t file, int64_t offset, const void *data, int64_t length);

/*
 * Reads up to length bytes at offset, where every rank has an offset and a length of its own, also above 2 GiB or 0.
 * Collective over the file's ranks.
 *
 * Returns bytes read: fewer than length only at the end of the file. Errors: those of this rank, else of another one.
 */
DRUMLIN_API int64_t drumlin_mpi_file_read_at_all(int64_t file, int64_t offset, void *data, int64_t length);

/*
 * Cuts or extends the file to size bytes, the same on all ranks. Collective over the file's ranks. Errors: those of
 * this rank, else of another one.
 */
DRUMLIN_API int32_t drumlin_mpi_file_set_size(int64_t file, int64_t size);

/* The length of the file. */
DRUMLIN_API int64_t drumlin_mpi_file_size(int64_t file);

/*
 * Makes what was written durable and visible to the other ranks. Collective over the file's ranks. Errors: those of
 * this rank, else of another one.
 */
DRUMLIN_API int32_t drumlin_mpi_file_sync(int64_t file);

/*
 * Closes the file; the handle is gone whatever is returned. Collective over the file's ranks. Errors: those of this
 * rank, else of another one.
 */
DRUMLIN_API int32_t drumlin_mpi_file_close(int64_t file);

#ifdef __cplusplus
}
#endif

#endif
