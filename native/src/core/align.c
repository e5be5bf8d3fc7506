#include "drumlin/core.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_PAGE (INT64_C(2) << 20)

/* Since Linux 5.14; not in every libc that a kernel of today meets. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/*
 * Memory that is new to the process costs 0.1 to 0.3 CPU seconds per GiB. Huge pages are the cheaper ones, unless the
 * kernel has to move memory to make them, or a virtual machine has given them back to its host: then they cost up to ten
 * times as much as small ones. So for memory that is filled once both are tried, and the ones that took less time are taken.
 * Where data go through the memory again and again that is paid once, and each transfer from small pages costs more.
 */
enum pages { HUGE, SMALL };

/* Nanoseconds of CPU time for a huge page's worth of memory, when it was taken last; 0 is not known. */
static atomic_llong cost[2];

/* Pieces of memory that were taken since the cost of the other kind was known. */
static atomic_int pieces;

/* As many pieces are taken of one kind before the other is tried again. */
#define TRIAL 64

static enum pages choose(void)
{
    return atomic_load(&cost[HUGE]) <= atomic_load(&cost[SMALL]) ? HUGE : SMALL;
}

static void judge(enum pages pages, long long nanoseconds)
{
    atomic_store(&cost[pages], nanoseconds > 0 ? nanoseconds : 1);
    if (atomic_fetch_add(&pieces, 1) >= TRIAL) {
        atomic_store(&pieces, 0);
        atomic_store(&cost[pages == HUGE ? SMALL : HUGE], 0);
    }
}

static long long cpu_time(void)
{
    struct timespec time = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Takes whole huge pages' worth of memory from the kernel, zeroed. */
static int32_t take(void *memory, size_t size, enum pages pages)
{
    /* Advice only; before the pages are touched. */
    (void)madvise(memory, size, pages == HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    /* The kernel gives zeros where a page is touched for the first time; writing zeros too would double the work. */
    if (madvise(memory, size, MADV_DONTNEED) != 0) {
        memset(memory, 0, size);
        return 0;
    }
    long long begin = cpu_time();
    if (madvise(memory, size, MADV_POPULATE_WRITE) == 0)
        judge(pages, (cpu_time() - begin) / (long long)(size / HUGE_PAGE));
    else if (errno == ENOMEM)
        return -ENOMEM;
    return 0;
}

static int32_t allocate(void **memory, int64_t size, enum pages pages)
{
    if (size <= 0)
        return -EINVAL;
    int large = size >= HUGE_PAGE;
    int error = posix_memalign(memory, large ? HUGE_PAGE : DRUMLIN_ALIGNMENT, (size_t)size);
    if (error)
        return -error;
    /* The last, partial huge page stays ordinary. */
    size_t whole = large ? (size_t)(size / HUGE_PAGE * HUGE_PAGE) : 0;
    int32_t taken = whole > 0 ? take(*memory, whole, pages) : 0;
    if (taken < 0) {
        free(*memory);
        return taken;
    }
    memset((char *)*memory + whole, 0, (size_t)size - whole);
    return 0;
}

int32_t drumlin_memory_allocate(void **memory, int64_t size)
{
    return allocate(memory, size, HUGE);
}

int32_t drumlin_memory_allocate_once(void **memory, int64_t size)
{
    return allocate(memory, size, choose());
}

void drumlin_memory_free(void *memory)
{
    free(memory);
}
