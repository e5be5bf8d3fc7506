/* Handles and results, for the files of this folder. */
#ifndef DRUMLIN_MPI_HANDLE_H
#define DRUMLIN_MPI_HANDLE_H

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <time.h>

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

/*
 * How long a rank has been waiting. MPI itself polls without a pause while it waits, and takes the processor from those
 * that write the files. Waits here poll too, because MPI moves messages only when it is called, but after a short while
 * with pauses.
 */
struct patience {
    long pause; /* the next, in nanoseconds; 0 at the beginning */
    struct timespec begin;
};

/* Passes some time until MPI is asked again. */
void be_patient(struct patience *patience);

/* As MPI_Wait. */
int wait_patiently(MPI_Request *request, MPI_Status *status);

/* The result of a collective operation that was started with the code. */
int32_t collective(int code, MPI_Request *request);

#endif
