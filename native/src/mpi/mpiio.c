#include <stdlib.h>

#include "handle.h"

/*
 * Bytes that one rank moves in one collective call. MPI counts in int, and MPI-IO implementations hand counts down to
 * calls of the kernel that stop short of 2 GiB, so larger transfers are made of several calls.
 */
#ifndef DRUMLIN_MPI_FILE_ROUND
#define DRUMLIN_MPI_FILE_ROUND (INT64_C(1) << 30)
#endif

struct shared_file {
    MPI_File file;
    MPI_Comm comm; /* of the same ranks, to agree on the number of rounds */
};

static struct shared_file *shared_file_of(int64_t handle)
{
    return (struct shared_file *)(uintptr_t)handle;
}

static int32_t check_file(int64_t handle)
{
    int32_t result = check_alive();
    return result == 0 && handle == 0 ? -EINVAL : result;
}

static int mpi_modes(int32_t modes)
{
    int readable = modes & DRUMLIN_MPI_FILE_READ;
    int writable = modes & DRUMLIN_MPI_FILE_WRITE;
    int mpi = readable && writable ? MPI_MODE_RDWR : writable ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    if (modes & DRUMLIN_MPI_FILE_CREATE)
        mpi |= MPI_MODE_CREATE;
    if (modes & DRUMLIN_MPI_FILE_EXCLUSIVE)
        mpi |= MPI_MODE_EXCL;
    return mpi;
}

/* The modes that MPI would refuse on one rank and wait for on another. */
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

int64_t drumlin_mpi_file_open(int64_t comm, const char *path, int32_t modes)
{
    int32_t result = check_comm(comm);
    if (result == 0)
        result = check_modes(modes);
    if (result < 0)
        return result;

    struct shared_file *shared = malloc(sizeof *shared);
    if (shared == NULL)
        return -ENOMEM;
    result = result_of(MPI_Comm_dup(COMM_OF(comm), &shared->comm));
    if (result < 0) {
        free(shared);
        return result;
    }
    MPI_Comm_set_errhandler(shared->comm, MPI_ERRORS_RETURN);
    result = result_of(MPI_File_open(shared->comm, path, mpi_modes(modes), MPI_INFO_NULL, &shared->file));
    if (result < 0) {
        MPI_Comm_free(&shared->comm);
        free(shared);
        return result;
    }
    MPI_File_set_errhandler(shared->file, MPI_ERRORS_RETURN);
    return HANDLE_OF(shared);
}

/* How many collective calls it takes until the rank with the most bytes is through. */
static int32_t agree_on_rounds(MPI_Comm comm, int64_t length, int64_t *rounds)
{
    *rounds = length / DRUMLIN_MPI_FILE_ROUND + (length % DRUMLIN_MPI_FILE_ROUND != 0);
    return result_of(MPI_Allreduce(MPI_IN_PLACE, rounds, 1, MPI_INT64_T, MPI_MAX, comm));
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* MPI_File_read_at_all, or MPI_File_write_at_all without its const. */
typedef int (*transfer_at_all)(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);

static int write_at_all(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type, MPI_Status *status)
{
    return MPI_File_write_at_all(file, offset, data, count, type, status);
}

/*
 * Returns the bytes moved until the first short count. A rank that has failed or is through goes on with empty
 * transfers, because the others wait for it.
 */
static int64_t transfer(int64_t handle, int64_t offset, char *data, int64_t length, transfer_at_all call)
{
    struct shared_file *shared = shared_file_of(handle);
    int64_t rounds;
    int64_t moved = 0;
    int32_t failure = check_file(handle);
    if (failure < 0)
        return failure;
    if (length < 0 || offset < 0) {
        failure = -EINVAL;
        length = offset = 0;
    }
    int32_t result = agree_on_rounds(shared->comm, length, &rounds);
    if (result < 0)
        return result;

    for (; rounds > 0; rounds--) {
        int count = (int)least(length - moved, DRUMLIN_MPI_FILE_ROUND);
        int got = 0;
        MPI_Status status;
        result = result_of(call(shared->file, offset + moved, data + moved, count, MPI_BYTE, &status));
        if (result == 0)
            result = result_of(MPI_Get_count(&status, MPI_BYTE, &got));
        moved += got;
        if (result < 0 || got < count)
            length = moved;
        if (failure == 0)
            failure = result;
    }
    return failure < 0 ? failure : moved;
}

int64_t drumlin_mpi_file_write_at_all(int64_t file, int64_t offset, const void *data, int64_t length)
{
    int64_t written = transfer(file, offset, (char *)(uintptr_t)data, length, write_at_all);
    return written < 0 || written == length ? written : -EIO;
}

int64_t drumlin_mpi_file_size(int64_t file)
{
    MPI_Offset size = 0;
    int32_t result = check_file(file);
    if (result == 0)
        result = result_of(MPI_File_get_size(shared_file_of(file)->file, &size));
    return result < 0 ? result : (int64_t)size;
}

/* The end of the file is found by its length, because Open MPI reports what was asked for as read (4.1). */
int64_t drumlin_mpi_file_read_at_all(int64_t file, int64_t offset, void *data, int64_t length)
{
    int64_t size = drumlin_mpi_file_size(file);
    int64_t available = size < offset ? 0 : size - offset;
    int64_t got = transfer(file, offset, data, least(length, available), MPI_File_read_at_all);
    return size < 0 ? size : got;
}

int32_t drumlin_mpi_file_set_size(int64_t file, int64_t size)
{
    int32_t result = check_file(file);
    return result < 0 ? result : result_of(MPI_File_set_size(shared_file_of(file)->file, size));
}

int32_t drumlin_mpi_file_sync(int64_t file)
{
    int32_t result = check_file(file);
    return result < 0 ? result : result_of(MPI_File_sync(shared_file_of(file)->file));
}

int32_t drumlin_mpi_file_close(int64_t file)
{
    struct shared_file *shared = shared_file_of(file);
    int32_t result = check_file(file);
    if (result < 0)
        return result;
    result = result_of(MPI_File_close(&shared->file));
    int32_t freed = result_of(MPI_Comm_free(&shared->comm));
    free(shared);
    return result < 0 ? result : freed;
}
