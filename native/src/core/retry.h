/* For loops that repeat a call after a signal has interrupted it. */
#ifndef DRUMLIN_CORE_RETRY_H
#define DRUMLIN_CORE_RETRY_H

#include <errno.h>
#include <stdbool.h>

/* More signals than a call meets in a minute under a profiler. Without a bound, signals could keep a loop up for ever. */
#define MOST_INTERRUPTIONS 10000

/*
 * Whether to repeat the call that has just failed. Counts in times, which the caller sets to 0 before the first call
 * and after a success.
 */
static inline bool interrupted(int *times)
{
    return errno == EINTR && (*times)++ < MOST_INTERRUPTIONS;
}

#endif
