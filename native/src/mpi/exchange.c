#include "check.h"
#include "drumlin/mpi.h"
#include "handle.h"
#include "wait.h"

#include <errno.h>
#include <stdlib.h>

static int mpi_tag(int32_t tag)
{
    return tag == DRUMLIN_MPI_ANY_TAG ? MPI_ANY_TAG : tag;
}

/* The bytes of a completed receive, or the failure with which it completed. */
static int64_t received_bytes(int code, const MPI_Status *status)
{
    int bytes = 0;
    int32_t result = mpi_result(code);
    if (result == 0)
        result = mpi_result(MPI_Get_count(status, MPI_BYTE, &bytes));
    return result < 0 ? result : bytes;
}

int32_t drumlin_mpi_send(int64_t comm, const void *data, int64_t length, int32_t destination, int32_t tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result == 0)
        result = mpi_result(MPI_Isend(data, (int)length, MPI_BYTE, destination, tag, COMM_OF(comm), &request));
    return result < 0 ? result : mpi_result(mpi_wait_request(&request, MPI_STATUS_IGNORE));
}

/* Receives a message that is too long, and drops it. */
static int64_t discard_message(MPI_Message *message, int count)
{
    void *spare = malloc((size_t)count);
    if (spare == NULL)
        return -ENOMEM;
    int32_t result = mpi_result(MPI_Mrecv(spare, count, MPI_BYTE, message, MPI_STATUS_IGNORE));
    free(spare);
    return result < 0 ? result : mpi_result(MPI_ERR_TRUNCATE);
}

/* Does what MPI_Mprobe does, with the pauses of mpi_wait_request. */
static int wait_for_message(int64_t comm, int32_t source, int tag, MPI_Message *message, MPI_Status *status)
{
    struct mpi_backoff backoff = {0};
    while (1) {
        int found = 0;
        int code = MPI_Improbe(source, tag, COMM_OF(comm), &found, message, status);
        if (code != MPI_SUCCESS || found)
            return code;
        mpi_backoff_pause(&backoff);
    }
}

/*
 * The length is looked at before a byte is received, because Open MPI 4.1 reports a long message as truncated and yet
 * writes all of it, far beyond the buffer.
 */
int64_t drumlin_mpi_receive(int64_t comm, void *data, int64_t length, int32_t source, int32_t tag)
{
    MPI_Message message;
    MPI_Status status;
    int32_t result = mpi_check_message(comm, length);
    if (result < 0)
        return result;
    int64_t count = received_bytes(wait_for_message(comm, source, mpi_tag(tag), &message, &status), &status);
    if (count < 0)
        return count;
    if (count > length)
        return discard_message(&message, (int)count);
    return received_bytes(MPI_Mrecv(data, (int)count, MPI_BYTE, &message, &status), &status);
}

int32_t drumlin_mpi_has_message(int64_t comm, int32_t source, int32_t tag)
{
    int found = 0;
    int32_t result = mpi_check_comm(comm);
    if (result == 0)
        result = mpi_result(MPI_Iprobe(source, mpi_tag(tag), COMM_OF(comm), &found, MPI_STATUS_IGNORE));
    return result < 0 ? result : found != 0;
}

int64_t drumlin_mpi_start_send(int64_t comm, const void *data, int64_t length, int32_t destination, int32_t tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result == 0)
        result = mpi_result(MPI_Isend(data, (int)length, MPI_BYTE, destination, tag, COMM_OF(comm), &request));
    return result < 0 ? result : HANDLE_OF(request);
}

int64_t drumlin_mpi_start_receive(int64_t comm, void *data, int64_t length, int32_t source, int32_t tag)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int32_t result = mpi_check_message(comm, length);
    if (result == 0)
        result = mpi_result(MPI_Irecv(data, (int)length, MPI_BYTE, source, mpi_tag(tag), COMM_OF(comm), &request));
    return result < 0 ? result : HANDLE_OF(request);
}

int64_t drumlin_mpi_wait(int64_t handle)
{
    MPI_Request request = REQUEST_OF(handle);
    /* MPI may leave the status of a send as it is: with UCX it does, and the count of an unset status is any number. */
    MPI_Status status = {0};
    int32_t result = mpi_check_alive();
    if (result == 0 && handle == 0)
        result = -EINVAL;
    if (result < 0)
        return result;
    int64_t bytes = received_bytes(mpi_wait_request(&request, &status), &status);
    /* The status of a send says nothing about bytes. */
    return bytes == MPI_UNDEFINED ? 0 : bytes;
}

int32_t drumlin_mpi_cancel_receive(int64_t handle)
{
    MPI_Request request = REQUEST_OF(handle);
    int32_t result = mpi_check_alive();
    if (result == 0 && handle == 0)
        result = -EINVAL;
    if (result < 0)
        return result;
    /* A receive that has taken a message is not cancelled, but ends by itself. */
    result = mpi_result(MPI_Cancel(&request));
    int32_t ended = mpi_result(mpi_wait_request(&request, MPI_STATUS_IGNORE));
    return result < 0 ? result : ended;
}
