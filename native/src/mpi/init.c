#include "check.h"
#include "drumlin/mpi.h"

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool initialized_here;

int32_t drumlin_mpi_abi(void)
{
    return DRUMLIN_MPI_ABI;
}

const char *drumlin_mpi_error_message(int64_t result)
{
    static _Thread_local char message[MPI_MAX_ERROR_STRING + 1];
    int length = 0;
    if (result > -DRUMLIN_MPI_ERROR || result < INT32_MIN)
        return NULL;
    int code = (int)(-DRUMLIN_MPI_ERROR - result);
    if (mpi_check_alive() < 0 || MPI_Error_string(code, message, &length) != MPI_SUCCESS)
        snprintf(message, sizeof message, "MPI error code %d", code);
    return message;
}

const char *drumlin_mpi_library(void)
{
    static _Thread_local char version[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int length = 0;
    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS)
        snprintf(version, sizeof version, "unknown MPI");
    version[strcspn(version, "\n")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    return version;
}

static int32_t init_guarded(void)
{
    struct drumlin_signals signals;
    struct sigaction announcement;
    int level;

    /* No shared file pointers are used. For them, Open MPI 4 locks a semaphore while it opens a file, and a job that is
       killed meanwhile leaves it locked: nobody could open a file of that name on the node again. */
    setenv("OMPI_MCA_sharedfp", "^sm", 0);
    drumlin_signals_keep(&signals);
    /* MPICH takes SIGUSR1, to be told of failed processes where mpiexec has -disable-auto-cleanup. Batch systems announce
       the end of a job by it. */
    sigaction(SIGUSR1, NULL, &announcement);
    int32_t result = mpi_result(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level));
    sigaction(SIGUSR1, &announcement, NULL);
    int32_t restored = drumlin_signals_restore(&signals);
    if (result < 0)
        return result;
    initialized_here = true;
    return restored < 0 ? restored : 0;
}

int32_t drumlin_mpi_init(void)
{
    int initialized = 0;
    MPI_Initialized(&initialized);
    int32_t result = initialized ? 0 : init_guarded();
    if (result < 0)
        return result;
    result = mpi_check_alive();
    return result < 0 ? result : initialized_here;
}

int32_t drumlin_mpi_finalize(void)
{
    if (!initialized_here || mpi_check_alive() < 0)
        return 0;
    int32_t result = mpi_result(MPI_Finalize());
    return result < 0 ? result : 1;
}

int32_t drumlin_mpi_thread_level(void)
{
    int level;
    int32_t result = mpi_check_alive();
    if (result < 0)
        return result;
    result = mpi_result(MPI_Query_thread(&level));
    if (result < 0)
        return result;
    return level >= MPI_THREAD_MULTIPLE ? 3 : level >= MPI_THREAD_SERIALIZED ? 2 : level >= MPI_THREAD_FUNNELED ? 1 : 0;
}

int32_t drumlin_mpi_abort(int32_t code)
{
    int32_t result = mpi_check_alive();
    return result < 0 ? result : mpi_result(MPI_Abort(MPI_COMM_WORLD, code));
}
