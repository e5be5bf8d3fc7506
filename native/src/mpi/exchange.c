#include "handle.h"

static int mpi_tag(int32_t tag)
{
    return tag == DRUMLIN_MPI_ANY_TAG ? MPI_ANY_TAG : tag;
}

/* The bytes of a completed receive, or the failure that completed it. */
static int64_t received(int code, const MPI_Status *status)
{
    int bytes = 0;
    int32_t result = result_of(code);
    if (result == 0)
        result = result_of(MPI_Get_count(status, MPI_BYTE, &bytes));
    return result < 0 ? result : bytes;
}

int32_t drumlin_mpi_send(int64_t comm, const void *data, int64_t length, int32_t destination, int32_t tag)
{
    int32_t result = check_message(comm, length);
    return result < 0 ? result
                      : result_of(MPI_Send(data, (int)length, MPI_BYTE, destination, tag, COMM_OF(comm)));
}

int64_t drumlin_mpi_receive(int64_t comm, void *data, int64_t length, int32_t source, int32_t tag)
{
    MPI_Status status;
    int32_t result = check_message(comm, length);
    if (result < 0)
        return result;
    int code = MPI_Recv(data, (int)length, MPI_BYTE, source, mpi_tag(tag), COMM_OF(comm), &status);
    return received(code, &status);
}

int64_t drumlin_mpi_start_send(int64_t comm, const void *data, int64_t length, int32_t destination, int32_t tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = check_message(comm, length);
    if (result == 0)
        result = result_of(MPI_Isend(data, (int)length, MPI_BYTE, destination, tag, COMM_OF(comm), &request));
    return result < 0 ? result : HANDLE_OF(request);
}

int64_t drumlin_mpi_start_receive(int64_t comm, void *data, int64_t length, int32_t source, int32_t tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = check_message(comm, length);
    if (result == 0)
        result = result_of(MPI_Irecv(data, (int)length, MPI_BYTE, source, mpi_tag(tag), COMM_OF(comm), &request));
    return result < 0 ? result : HANDLE_OF(request);
}

int64_t drumlin_mpi_wait(int64_t handle)
{
    MPI_Request request = REQUEST_OF(handle);
    MPI_Status status;
    int32_t result = check_alive();
    if (result == 0 && handle == 0)
        result = -EINVAL;
    if (result < 0)
        return result;
    int code = MPI_Wait(&request, &status);
    return received(code, &status);
}
