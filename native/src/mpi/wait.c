#include "wait.h"

#include "check.h"

#include <pthread.h>
#include <sched.h>

/* About the time of a message that is on its way: a sleep would cost more. */
#define YIELDING_NANOS 50000
#define SHORTEST_PAUSE 20000
#define LONGEST_PAUSE 320000
#define NANOS_PER_SECOND 1000000000

static long nanos_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - begin->tv_sec) * NANOS_PER_SECOND + now.tv_nsec - begin->tv_nsec;
}

void mpi_backoff_pause(struct mpi_backoff *backoff)
{
    if (backoff->pause == 0) {
        clock_gettime(CLOCK_MONOTONIC, &backoff->begin);
        backoff->pause = SHORTEST_PAUSE;
    }
    if (backoff->pause == SHORTEST_PAUSE && nanos_since(&backoff->begin) < YIELDING_NANOS) {
        sched_yield();
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = backoff->pause}, NULL);
    if (backoff->pause < LONGEST_PAUSE)
        backoff->pause *= 2;
}

/*
 * Does what MPI_Test does, and returns what has failed. Some MPIs give the failure of an operation to the handler of
 * MPI_COMM_WORLD, whatever the communicator, and that handler ends the job. So MPI_COMM_WORLD has another handler
 * meanwhile. The test takes no time and calls nothing else.
 */
__attribute__((unused)) static int test_and_return(MPI_Request *request, int *done, MPI_Status *status)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    MPI_Errhandler before;
    pthread_mutex_lock(&one_at_a_time);
    int code = MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    if (code == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        code = MPI_Test(request, done, status);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
        MPI_Errhandler_free(&before);
    }
    pthread_mutex_unlock(&one_at_a_time);
    return code;
}

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define test_message MPI_Test
#define test_collective MPI_Test
#elif defined(OPEN_MPI)
#define test_message MPI_Test
/* Open MPI 4 does so with collective operations. Asking whether one is over raises nothing. */
static int test_collective(MPI_Request *request, int *done, MPI_Status *status)
{
    int code = MPI_Request_get_status(*request, done, MPI_STATUS_IGNORE);
    return code != MPI_SUCCESS || !*done ? code : test_and_return(request, done, status);
}
#else
/* MPICH has forgotten the communicator of an operation that is over, and asking raises the failure. */
#define test_message test_and_return
#define test_collective test_and_return
#endif

/*
 * Waits of this library have no bound, as MPI's have none: nobody knows how long the other ranks compute before they
 * make their calls. A wait ends when they have made them, or with a failure when MPI or its launcher finds that one of
 * them cannot.
 */
int mpi_wait_request(MPI_Request *request, MPI_Status *status)
{
    struct mpi_backoff backoff = {0};
    while (1) {
        int done = 0;
        int code = test_message(request, &done, status);
        if (code != MPI_SUCCESS || done)
            return code;
        mpi_backoff_pause(&backoff);
    }
}

int32_t mpi_wait_collective(int code, MPI_Request *request)
{
    struct mpi_backoff backoff = {0};
    int done = 0;
    while (code == MPI_SUCCESS) {
        code = test_collective(request, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
        mpi_backoff_pause(&backoff);
    }
    return mpi_result(code);
}
