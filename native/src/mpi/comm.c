#include "check.h"
#include "drumlin/mpi.h"
#include "handle.h"
#include "wait.h"

#include <errno.h>

int64_t drumlin_mpi_comm_world(void)
{
    int32_t result = mpi_check_alive();
    return result < 0 ? result : HANDLE_OF(MPI_COMM_WORLD);
}

/* The handle of a new communicator. Its errors are returned, whatever the handler of its parent does. */
static int64_t new_comm(int code, MPI_Comm comm)
{
    int32_t result = mpi_result(code);
    if (result == 0)
        result = mpi_result(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return result < 0 ? result : HANDLE_OF(comm);
}

int64_t drumlin_mpi_comm_dup(int64_t comm)
{
    MPI_Comm copy = MPI_COMM_NULL;
    int inter = 0;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = mpi_result(MPI_Comm_test_inter(COMM_OF(comm), &inter));
    if (result == 0 && inter)
        result = -EINVAL;
    if (result < 0)
        return result;
    int code = MPI_Comm_dup(COMM_OF(comm), &copy);
    return new_comm(code, copy);
}

int64_t drumlin_mpi_comm_split(int64_t comm, int32_t color, int32_t key)
{
    MPI_Comm part = MPI_COMM_NULL;
    int32_t result = mpi_check_comm(comm);
    if (result == 0 && color < 0)
        result = -EINVAL;
    if (result < 0)
        return result;
    int code = MPI_Comm_split(COMM_OF(comm), color, key, &part);
    return new_comm(code, part);
}

int32_t drumlin_mpi_comm_free(int64_t comm)
{
    MPI_Comm victim = COMM_OF(comm);
    int32_t result = mpi_check_comm(comm);
    return result < 0 ? result : mpi_result(MPI_Comm_free(&victim));
}

int32_t drumlin_mpi_comm_rank(int64_t comm)
{
    int rank = 0;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = mpi_result(MPI_Comm_rank(COMM_OF(comm), &rank));
    return result < 0 ? result : rank;
}

int32_t drumlin_mpi_comm_size(int64_t comm)
{
    int size = 0;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = mpi_result(MPI_Comm_size(COMM_OF(comm), &size));
    return result < 0 ? result : size;
}

int32_t drumlin_mpi_barrier(int64_t comm)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_comm(comm);
    return result < 0 ? result : mpi_wait_collective(MPI_Ibarrier(COMM_OF(comm), &request), &request);
}

int32_t drumlin_mpi_allreduce(int64_t comm, int64_t *values, int64_t count, int32_t operation)
{
    const MPI_Op operations[] = {[DRUMLIN_MPI_SUM] = MPI_SUM, [DRUMLIN_MPI_MIN] = MPI_MIN, [DRUMLIN_MPI_MAX] = MPI_MAX};
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, count);
    if (result == 0 && (operation < DRUMLIN_MPI_SUM || operation > DRUMLIN_MPI_MAX))
        result = -EINVAL;
    if (result < 0)
        return result;
    int code = MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, operations[operation], COMM_OF(comm),
                              &request);
    return mpi_wait_collective(code, &request);
}

int32_t drumlin_mpi_bcast(int64_t comm, void *data, int64_t length, int32_t root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result < 0)
        return result;
    int code = MPI_Ibcast(data, (int)length, MPI_BYTE, root, COMM_OF(comm), &request);
    return mpi_wait_collective(code, &request);
}

int32_t drumlin_mpi_gather(int64_t comm, const void *part, int64_t length, void *all, int32_t root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result < 0)
        return result;
    int code = MPI_Igather(part, (int)length, MPI_BYTE, all, (int)length, MPI_BYTE, root, COMM_OF(comm), &request);
    return mpi_wait_collective(code, &request);
}

int32_t drumlin_mpi_scatter(int64_t comm, const void *all, void *part, int64_t length, int32_t root)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result < 0)
        return result;
    int code = MPI_Iscatter(all, (int)length, MPI_BYTE, part, (int)length, MPI_BYTE, root, COMM_OF(comm), &request);
    return mpi_wait_collective(code, &request);
}

int32_t drumlin_mpi_allgather(int64_t comm, const void *part, int64_t length, void *all)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result < 0)
        return result;
    int code = MPI_Iallgather(part, (int)length, MPI_BYTE, all, (int)length, MPI_BYTE, COMM_OF(comm), &request);
    return mpi_wait_collective(code, &request);
}
