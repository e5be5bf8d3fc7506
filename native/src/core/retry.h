/* For loops that make a call again which a signal has interrupted. */
#ifndef DRUMLIN_CORE_RETRY_H
#define DRUMLIN_CORE_RETRY_H

#include <errno.h>
#include <stdbool.h>

/* More signals than a call meets in a minute under a profiler. Whoever sends more would let the loop go on for ever. */
#define MOST_INTERRUPTIONS 10000

/* Whether to make the call again that has just failed. times counts, and is 0 before the first call and after a success. */
static inline bool interrupted(int *times)
{
    return errno == EINTR && (*times)++ < MOST_INTERRUPTIONS;
}

#endif
