#include "check.h"
#include "drumlin/mpi.h"
#include "handle.h"
#include "members.h"
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

int mpi_comm_of_members(MPI_Comm comm, const int *ranks, int count, MPI_Comm *part)
{
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    int code = MPI_Comm_group(comm, &all);
    if (code == MPI_SUCCESS)
        code = MPI_Group_incl(all, count, ranks, &members);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_create_group(comm, members, 0, part);
    if (members != MPI_GROUP_NULL)
        MPI_Group_free(&members);
    if (all != MPI_GROUP_NULL)
        MPI_Group_free(&all);
    return code;
}

/* 0, or -EINVAL: MPI takes a wrong rank in a group to the handler of MPI_COMM_WORLD. */
static int32_t check_members(int64_t comm, const int32_t *ranks, int32_t count)
{
    int32_t size = drumlin_mpi_comm_size(comm);
    int32_t self = drumlin_mpi_comm_rank(comm);
    int32_t result = -EINVAL;
    for (int32_t i = 0; i < count; i++) {
        if (ranks[i] < 0 || ranks[i] >= size)
            return -EINVAL;
        if (ranks[i] == self)
            result = 0;
    }
    return result;
}

/*
 * The subset is made from a duplicate. Open MPI sends messages with a tag of the program's for it, which a receive of
 * the program could take. MPICH keeps a table of all ranks for it until the communicator is freed.
 */
int64_t drumlin_mpi_comm_subset(int64_t comm, const int32_t *ranks, int32_t count)
{
    MPI_Comm whole = MPI_COMM_NULL;
    MPI_Comm part = MPI_COMM_NULL;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = check_members(comm, ranks, count);
    if (result < 0)
        return result;
    int code = MPI_Comm_dup(COMM_OF(comm), &whole);
    if (code == MPI_SUCCESS)
        code = mpi_comm_of_members(whole, ranks, count, &part);
    if (whole != MPI_COMM_NULL)
        MPI_Comm_free(&whole);
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
