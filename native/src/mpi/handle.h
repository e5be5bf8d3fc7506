/* Handles and results, for the files of this folder. */
#ifndef DRUMLIN_MPI_HANDLE_H
#define DRUMLIN_MPI_HANDLE_H

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>

#include "drumlin/mpi.h"

/*
 * An MPI handle is a pointer (Open MPI) or an int (MPICH and its kin), which is widened without its sign so that no
 * handle looks like an error.
 */
#define HANDLE_OF(object) \
    ((int64_t)((uintptr_t)(object) & (sizeof(object) == sizeof(uint32_t) ? (uintptr_t)UINT32_MAX : UINTPTR_MAX)))
#define COMM_OF(handle) ((MPI_Comm)(uintptr_t)(handle))
#define REQUEST_OF(handle) ((MPI_Request)(uintptr_t)(handle))

/* 0 or the negative result for what an MPI function has returned. */
static inline int32_t result_of(int code)
{
    return code == MPI_SUCCESS ? 0 : -DRUMLIN_MPI_ERROR - code;
}

/* 0 while MPI may be used, else -ESHUTDOWN: MPI would end the process for a call before or after its time. */
int32_t check_alive(void);

/* 0, or the negative result for a communicator that cannot be used. */
static inline int32_t check_comm(int64_t comm)
{
    int32_t result = check_alive();
    if (result == 0 && (comm == 0 || COMM_OF(comm) == MPI_COMM_NULL))
        result = -EINVAL;
    return result;
}

/* As check_comm, and for the length of a message. */
static inline int32_t check_message(int64_t comm, int64_t length)
{
    int32_t result = check_comm(comm);
    if (result == 0 && length < 0)
        result = -EINVAL;
    if (result == 0 && length > INT_MAX)
        result = -EMSGSIZE;
    return result;
}

#endif
