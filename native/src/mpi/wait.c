#include "handle.h"

#include <sched.h>

/* As long as a message takes that is on its way: a sleep would cost more. */
#define RESTLESS_NANOS 50000
#define SHORTEST_PAUSE 20000
#define LONGEST_PAUSE 320000
#define NANOS_PER_SECOND 1000000000

static long nanos_since(const struct timespec *begin)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - begin->tv_sec) * NANOS_PER_SECOND + now.tv_nsec - begin->tv_nsec;
}

void be_patient(struct patience *patience)
{
    if (patience->pause == 0) {
        clock_gettime(CLOCK_MONOTONIC, &patience->begin);
        patience->pause = SHORTEST_PAUSE;
    }
    if (patience->pause == SHORTEST_PAUSE && nanos_since(&patience->begin) < RESTLESS_NANOS) {
        sched_yield();
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = patience->pause}, NULL);
    if (patience->pause < LONGEST_PAUSE)
        patience->pause *= 2;
}

int wait_patiently(MPI_Request *request, MPI_Status *status)
{
    struct patience patience = {0};
    while (1) {
        int done = 0;
        int code = MPI_Test(request, &done, status);
        if (code != MPI_SUCCESS || done)
            return code;
        be_patient(&patience);
    }
}

int32_t collective(int code, MPI_Request *request)
{
    return result_of(code == MPI_SUCCESS ? wait_patiently(request, MPI_STATUS_IGNORE) : code);
}
