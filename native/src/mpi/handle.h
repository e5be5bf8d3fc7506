/* MPI handles as numbers, for the files of this folder. */
#ifndef DRUMLIN_MPI_HANDLE_H
#define DRUMLIN_MPI_HANDLE_H

#include <mpi.h>
#include <stdint.h>

/*
 * An MPI handle is a pointer (Open MPI) or an int (MPICH and its kin), which is widened without its sign so that no
 * handle looks like an error.
 */
#define HANDLE_OF(object) \
    ((int64_t)((uintptr_t)(object) & (sizeof(object) == sizeof(uint32_t) ? (uintptr_t)UINT32_MAX : UINTPTR_MAX)))
#define COMM_OF(handle) ((MPI_Comm)(uintptr_t)(handle))
#define REQUEST_OF(handle) ((MPI_Request)(uintptr_t)(handle))

#endif
