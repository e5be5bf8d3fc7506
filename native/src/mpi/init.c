#include "check.h"
#include "drumlin/mpi.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The signals that a JVM uses for null checks, safepoints and arithmetic, and that UCX takes. */
static const int guarded[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { GUARDED = sizeof guarded / sizeof guarded[0] };

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
    return version;
}

static int init_guarded(void)
{
    struct sigaction before[GUARDED];
    int level;

    setenv("UCX_ERROR_SIGNALS", "", 0);
    setenv("IPATH_NO_BACKTRACE", "1", 0);
    setenv("HFI_NO_BACKTRACE", "1", 0);
    for (int i = 0; i < GUARDED; i++)
        sigaction(guarded[i], NULL, &before[i]);
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < GUARDED; i++)
        sigaction(guarded[i], &before[i], NULL);
    return code;
}

int32_t drumlin_mpi_init(void)
{
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (!initialized) {
        int code = init_guarded();
        if (code != MPI_SUCCESS)
            return mpi_result(code);
        initialized_here = true;
    }
    int32_t result = mpi_check_alive();
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

/*
 * Asks the kernel itself which handler it calls: under libjsig the C library's sigaction reports what a library wishes
 * to have, not what is in force. The handler is the first word of the kernel's structure, which has room here.
 */
static int32_t handler_in_force(int signal_number, uintptr_t *handler)
{
    uintptr_t action[32] = {0};
    const size_t kernel_set_size = 8;
    if (syscall(SYS_rt_sigaction, signal_number, NULL, action, kernel_set_size) != 0)
        return -errno;
    *handler = action[0];
    return 0;
}

const char *drumlin_mpi_signal_owner(int32_t signal_number)
{
    static _Thread_local char owner[PATH_MAX];
    uintptr_t handler = 0;
    Dl_info library;

    if (handler_in_force(signal_number, &handler) < 0)
        return NULL;
    if (handler == (uintptr_t)SIG_DFL || handler == (uintptr_t)SIG_IGN)
        return "";
    if (dladdr((void *)handler, &library) == 0 || library.dli_fname == NULL)
        return "?";
    snprintf(owner, sizeof owner, "%s", library.dli_fname);
    return owner;
}

int32_t drumlin_mpi_abort(int32_t code)
{
    int32_t result = mpi_check_alive();
    return result < 0 ? result : mpi_result(MPI_Abort(MPI_COMM_WORLD, code));
}
