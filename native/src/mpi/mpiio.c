#include "check.h"
#include "drumlin/mpi.h"
#include "handle.h"
#include "members.h"
#include "wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Bytes of one call. MPI counts in int, and MPI-IO implementations hand counts down to calls of the kernel that stop
 * short of 2 GiB, so larger transfers are made of several calls.
 */
#ifndef DRUMLIN_MPI_FILE_CALL
#define DRUMLIN_MPI_FILE_CALL (INT64_C(1) << 30)
#endif

struct shared_file {
    MPI_File file; /* of this rank alone */
    MPI_Comm comm; /* of all ranks, to agree on the outcome */
};

static struct shared_file *shared_file_of(int64_t handle)
{
    return (struct shared_file *)(uintptr_t)handle;
}

static int32_t check_file(int64_t handle)
{
    int32_t result = mpi_check_alive();
    return result == 0 && handle == 0 ? -EINVAL : result;
}

/* MPI's access mode for a file that exists. */
static int mpi_access_mode(int32_t modes)
{
    int readable = modes & DRUMLIN_MPI_FILE_READ;
    int writable = modes & DRUMLIN_MPI_FILE_WRITE;
    return readable && writable ? MPI_MODE_RDWR : writable ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
}

/* open(2)'s. */
static int access_flags(int32_t modes)
{
    int readable = modes & DRUMLIN_MPI_FILE_READ;
    int writable = modes & DRUMLIN_MPI_FILE_WRITE;
    return readable && writable ? O_RDWR : writable ? O_WRONLY : O_RDONLY;
}

/* Refuses modes with which MPI would fail on one rank and wait on another. */
static int32_t check_modes(int32_t modes)
{
    const int32_t known =
        DRUMLIN_MPI_FILE_READ | DRUMLIN_MPI_FILE_WRITE | DRUMLIN_MPI_FILE_CREATE | DRUMLIN_MPI_FILE_EXCLUSIVE;
    int writable = modes & DRUMLIN_MPI_FILE_WRITE;
    if ((modes & ~known) || !(modes & (DRUMLIN_MPI_FILE_READ | DRUMLIN_MPI_FILE_WRITE)))
        return -EINVAL;
    if ((modes & DRUMLIN_MPI_FILE_CREATE && !writable) ||
        (modes & DRUMLIN_MPI_FILE_EXCLUSIVE && !(modes & DRUMLIN_MPI_FILE_CREATE)))
        return -EINVAL;
    return 0;
}

/* The error that a call has left, if only a file, its device or a limit causes it; otherwise another one. */
static int32_t left_by_file(int error, int32_t otherwise)
{
    switch (error) {
    case EIO:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EROFS:
    case ESTALE:
        return -error;
    default:
        return otherwise;
    }
}

/* The result for what a function of MPI-IO has returned: -errno where MPI or the system tells it. */
static int32_t file_result(int code)
{
    int error = errno;
    int class = MPI_ERR_UNKNOWN;
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_class(code, &class);
    switch (class) {
    case MPI_ERR_ACCESS:
        return -EACCES;
    case MPI_ERR_FILE_EXISTS:
        return -EEXIST;
    case MPI_ERR_NO_SPACE:
        return -ENOSPC;
    case MPI_ERR_NO_SUCH_FILE:
        return -ENOENT;
    case MPI_ERR_QUOTA:
        return -EDQUOT;
    case MPI_ERR_READ_ONLY:
        return -EROFS;
    default:
        return left_by_file(error, mpi_result(code));
    }
}

/* Makes a call of MPI-IO, after which errno is that of this call. */
#define FILE_CALL(call) (errno = 0, file_result(call))

/* Returns this rank's outcome, or another rank's failure if this rank has succeeded. */
static int64_t agree_on_outcome(MPI_Comm comm, int64_t outcome)
{
    int64_t worst = outcome < 0 ? outcome : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_Iallreduce(MPI_IN_PLACE, &worst, 1, MPI_INT64_T, MPI_MIN, comm, &request);
    int32_t result = mpi_wait_collective(code, &request);
    if (outcome < 0)
        return outcome;
    return result < 0 ? result : worst < 0 ? worst : outcome;
}

/* More than MPI needs for a file: OMPIO (4.1) takes one for the data and some for what it shares between ranks. */
#define NEEDED_DESCRIPTORS 16

struct descriptors {
    int count;
    int fds[NEEDED_DESCRIPTORS];
};

/* Opens the file and takes as many descriptors as MPI may need for it. */
static int32_t take_descriptors(struct descriptors *taken, const char *path, int flags)
{
    while (taken->count < NEEDED_DESCRIPTORS) {
        int fd = taken->count == 0 ? open(path, flags | O_CLOEXEC, 0666) : fcntl(taken->fds[0], F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return -errno;
        taken->fds[taken->count++] = fd;
    }
    return 0;
}

static void give_back_descriptors(struct descriptors *taken)
{
    while (taken->count > 0)
        close(taken->fds[--taken->count]);
}

/*
 * Whether all ranks can open the file. Creates it if the modes say so. MPI does not tell why it cannot open a file, and
 * open(2) does. So the descriptors that MPI will need are taken here, and given back.
 */
static int32_t probe_on_all_ranks(MPI_Comm comm, const char *path, int32_t modes)
{
    int flags = access_flags(modes);
    int rank;
    struct descriptors taken = {.count = 0};
    int32_t result = mpi_result(MPI_Comm_rank(comm, &rank));
    if (result == 0 && rank == 0) {
        int making = modes & DRUMLIN_MPI_FILE_CREATE ? O_CREAT : 0;
        int alone = modes & DRUMLIN_MPI_FILE_EXCLUSIVE ? O_EXCL : 0;
        result = take_descriptors(&taken, path, flags | making | alone);
    }
    result = (int32_t)agree_on_outcome(comm, result);
    if (result == 0)
        result = (int32_t)agree_on_outcome(comm, rank == 0 ? 0 : take_descriptors(&taken, path, flags));
    give_back_descriptors(&taken);
    return result;
}

/* Adds a hint "key=value" to the info. Returns -EINVAL where MPI would refuse it, because that may end the job. */
static int32_t add_hint(MPI_Info info, const char *line, size_t length)
{
    char key[MPI_MAX_INFO_KEY];
    char value[MPI_MAX_INFO_VAL];
    const char *equals = memchr(line, '=', length);
    if (equals == NULL)
        return -EINVAL;
    size_t key_length = (size_t)(equals - line);
    size_t value_length = length - key_length - 1;
    if (key_length == 0 || key_length >= sizeof key || value_length == 0 || value_length >= sizeof value)
        return -EINVAL;
    memcpy(key, line, key_length);
    key[key_length] = '\0';
    memcpy(value, equals + 1, value_length);
    value[value_length] = '\0';
    return mpi_result(MPI_Info_set(info, key, value));
}

/* Makes the info of lines "key=value"; MPI_INFO_NULL where there are none. */
static int32_t make_info(const char *hints, MPI_Info *info)
{
    *info = MPI_INFO_NULL;
    if (*hints == '\0')
        return 0;
    int32_t result = mpi_result(MPI_Info_create(info));
    while (result == 0 && *hints != '\0') {
        size_t length = strcspn(hints, "\n");
        result = add_hint(*info, hints, length);
        hints += length + (hints[length] == '\n');
    }
    if (result < 0 && *info != MPI_INFO_NULL)
        MPI_Info_free(info);
    return result;
}

/* Makes a communicator of this rank alone. MPI_COMM_SELF may be in use by another thread. */
static int32_t make_comm_of_one(MPI_Comm comm, MPI_Comm *alone)
{
    int rank;
    int32_t result = mpi_result(MPI_Comm_rank(comm, &rank));
    return result < 0 ? result : mpi_result(mpi_comm_of_members(comm, &rank, 1, alone));
}

/* Opens the file for this rank alone: one that cannot would leave the others waiting in MPI_File_open (OMPIO, 4.1). */
static int32_t open_alone(struct shared_file *opened, const char *path, int32_t modes, int making, MPI_Info info)
{
    MPI_Comm alone = MPI_COMM_NULL;
    int32_t result = make_comm_of_one(opened->comm, &alone);
    if (result < 0)
        return result;
    result = FILE_CALL(MPI_File_open(alone, path, mpi_access_mode(modes) | making, info, &opened->file));
    MPI_Comm_free(&alone);
    if (result <= -DRUMLIN_MPI_ERROR) {
        /* MPI does not tell why. Perhaps open(2) still does. */
        int fd = open(path, access_flags(modes) | O_CLOEXEC);
        if (fd < 0)
            result = -errno;
        else
            close(fd);
    }
    return result;
}

/*
 * Makes a missing file through MPI on rank 0, because a file gets its stripes from the hints only when MPI makes it.
 * Returns the modes that are left to probe for. A failure shows there, with its reason.
 */
static int32_t make_with_hints(MPI_Comm comm, const char *path, int32_t modes, MPI_Info info)
{
    struct shared_file made = {.file = MPI_FILE_NULL, .comm = comm};
    int rank;
    if (!(modes & DRUMLIN_MPI_FILE_CREATE) || info == MPI_INFO_NULL || MPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        rank != 0 || access(path, F_OK) == 0)
        return modes;
    int exclusive = modes & DRUMLIN_MPI_FILE_EXCLUSIVE ? MPI_MODE_EXCL : 0;
    if (open_alone(&made, path, modes, MPI_MODE_CREATE | exclusive, info) < 0)
        return modes;
    MPI_File_close(&made.file);
    return modes & ~DRUMLIN_MPI_FILE_EXCLUSIVE;
}

static int32_t open_on_all_ranks(struct shared_file *opened, const char *path, int32_t modes, MPI_Info info)
{
    int32_t result = probe_on_all_ranks(opened->comm, path, make_with_hints(opened->comm, path, modes, info));
    if (result < 0)
        return result;
    return (int32_t)agree_on_outcome(opened->comm, open_alone(opened, path, modes, 0, info));
}

static void abandon(struct shared_file *opened)
{
    if (opened->file != MPI_FILE_NULL)
        MPI_File_close(&opened->file);
    MPI_Comm_free(&opened->comm);
}

static int32_t check_open(const char *path, int32_t modes)
{
    int32_t result = check_modes(modes);
    return result == 0 && strlen(path) > DRUMLIN_MPI_FILE_MOST_PATH ? -ENAMETOOLONG : result;
}

int64_t drumlin_mpi_file_open(int64_t comm, const char *path, int32_t modes, const char *hints)
{
    MPI_Info info = MPI_INFO_NULL;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = check_open(path, modes);
    if (result < 0)
        return result;

    struct shared_file *shared = malloc(sizeof *shared);
    struct shared_file opened = {.file = MPI_FILE_NULL};
    result = mpi_result(MPI_Comm_dup(COMM_OF(comm), &opened.comm));
    if (result == 0) {
        MPI_Comm_set_errhandler(opened.comm, MPI_ERRORS_RETURN);
        result = (int32_t)agree_on_outcome(opened.comm, shared == NULL ? -ENOMEM : make_info(hints, &info));
        if (result == 0)
            result = open_on_all_ranks(&opened, path, modes, info);
        if (result < 0)
            abandon(&opened);
    }
    if (info != MPI_INFO_NULL)
        MPI_Info_free(&info);
    if (result < 0) {
        free(shared);
        return result;
    }
    MPI_File_set_errhandler(opened.file, MPI_ERRORS_RETURN);
    *shared = opened;
    return HANDLE_OF(shared);
}

int64_t drumlin_mpi_file_open_alone(int64_t comm, const char *path, int32_t modes, const char *hints)
{
    MPI_Comm alone = MPI_COMM_NULL;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = make_comm_of_one(COMM_OF(comm), &alone);
    if (result < 0)
        return result;
    MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    int64_t file = drumlin_mpi_file_open(HANDLE_OF(alone), path, modes, hints);
    MPI_Comm_free(&alone);
    return file;
}

/* MPI_File_read_at, or MPI_File_write_at without its const. */
typedef int (*transfer_at)(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);

static int write_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at(file, offset, data, count, type, status);
}

/* Moves up to length bytes, until a call moves none. Returns how many, or a failure. */
static int64_t transfer(MPI_File file, int64_t offset, char *data, int64_t length, transfer_at call)
{
    int64_t moved = 0;
    if (offset < 0 || length < 0)
        return -EINVAL;
    while (moved < length) {
        int64_t left = length - moved;
        int count = (int)(left < DRUMLIN_MPI_FILE_CALL ? left : DRUMLIN_MPI_FILE_CALL);
        int got = 0;
        MPI_Status status;
        int32_t result = FILE_CALL(call(file, offset + moved, data + moved, count, MPI_BYTE, &status));
        if (result == 0)
            result = mpi_result(MPI_Get_count(&status, MPI_BYTE, &got));
        if (result < 0)
            return result;
        /* Each round moves something, or is the last one. */
        if (got <= 0)
            break;
        moved += got;
    }
    return moved;
}

/*
 * The ranks write on their own and then agree, because the collective writes of Open MPI (OMPIO, 4.1) report success on
 * a full file system.
 */
int64_t drumlin_mpi_file_write_at_all(int64_t file, int64_t offset, const void *data, int64_t length)
{
    struct shared_file *shared = shared_file_of(file);
    int32_t result = check_file(file);
    if (result < 0)
        return result;
    int64_t written = transfer(shared->file, offset, (char *)(uintptr_t)data, length, write_at);
    return agree_on_outcome(shared->comm, written >= 0 && written < length ? left_by_file(errno, -EIO) : written);
}

int64_t drumlin_mpi_file_read_at_all(int64_t file, int64_t offset, void *data, int64_t length)
{
    struct shared_file *shared = shared_file_of(file);
    int32_t result = check_file(file);
    if (result < 0)
        return result;
    int64_t got = transfer(shared->file, offset, data, length, MPI_File_read_at);
    if (got >= 0 && got < length) {
        /* OMPIO (4.1) reports a failure as the end of the file. */
        int error = errno;
        int64_t size = drumlin_mpi_file_size(file);
        got = size < 0 ? size : offset + got < size ? left_by_file(error, -EIO) : got;
    }
    return agree_on_outcome(shared->comm, got);
}

int64_t drumlin_mpi_file_size(int64_t file)
{
    MPI_Offset size = 0;
    int32_t result = check_file(file);
    if (result == 0)
        result = FILE_CALL(MPI_File_get_size(shared_file_of(file)->file, &size));
    return result < 0 ? result : (int64_t)size;
}

/* Rank 0 sets the size for all. */
int32_t drumlin_mpi_file_set_size(int64_t file, int64_t size)
{
    struct shared_file *shared = shared_file_of(file);
    int rank;
    int32_t result = check_file(file);
    if (result < 0)
        return result;
    result = mpi_result(MPI_Comm_rank(shared->comm, &rank));
    if (result == 0 && rank == 0)
        result = FILE_CALL(MPI_File_set_size(shared->file, size));
    return (int32_t)agree_on_outcome(shared->comm, result);
}

int32_t drumlin_mpi_file_sync(int64_t file)
{
    struct shared_file *shared = shared_file_of(file);
    int32_t result = check_file(file);
    return result < 0 ? result : (int32_t)agree_on_outcome(shared->comm, FILE_CALL(MPI_File_sync(shared->file)));
}

int32_t drumlin_mpi_file_close(int64_t file)
{
    struct shared_file *shared = shared_file_of(file);
    int32_t result = check_file(file);
    if (result < 0)
        return result;
    result = (int32_t)agree_on_outcome(shared->comm, FILE_CALL(MPI_File_close(&shared->file)));
    int32_t freed = mpi_result(MPI_Comm_free(&shared->comm));
    free(shared);
    return result < 0 ? result : freed;
}
