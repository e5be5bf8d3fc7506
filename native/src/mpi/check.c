#include "check.h"

#include "drumlin/mpi.h"
#include "handle.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>

int32_t mpi_result(int code)
{
    return code == MPI_SUCCESS ? 0 : -DRUMLIN_MPI_ERROR - code;
}

int32_t mpi_check_alive(void)
{
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized ? 0 : -ESHUTDOWN;
}

int32_t mpi_check_comm(int64_t comm)
{
    int32_t result = mpi_check_alive();
    if (result == 0 && (comm == 0 || COMM_OF(comm) == MPI_COMM_NULL))
        result = -EINVAL;
    return result;
}

int32_t mpi_check_message(int64_t comm, int64_t length)
{
    int32_t result = mpi_check_comm(comm);
    if (result == 0 && length < 0)
        result = -EINVAL;
    if (result == 0 && length > INT_MAX)
        result = -EMSGSIZE;
    return result;
}
