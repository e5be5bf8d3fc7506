#include "drumlin/core.h"

#include <errno.h>
#include <pthread.h>
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

/* Most bytes that wait for the next who needs them: a buffer of 64 MiB and the slabs of a rank. */
#define MOST_SPARE (INT64_C(128) << 20)

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

/* Memory that was given back and may be wanted again, oldest first. */
struct piece {
    void *memory;
    int64_t size;
};
static struct piece spares[MOST_SPARE / HUGE_PAGE];
static int spare_count;
static int64_t spare_bytes;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

static void *remove_spare(int at)
{
    void *memory = spares[at].memory;
    spare_bytes -= spares[at].size;
    spare_count--;
    memmove(&spares[at], &spares[at + 1], (size_t)(spare_count - at) * sizeof spares[0]);
    return memory;
}

/* The spare piece of a size that was used last, or NULL. */
static void *find_spare(int64_t size)
{
    void *found = NULL;
    pthread_mutex_lock(&spare_lock);
    for (int i = spare_count - 1; i >= 0 && !found; i--) {
        if (spares[i].size == size)
            found = remove_spare(i);
    }
    pthread_mutex_unlock(&spare_lock);
    return found;
}

/* Frees the oldest pieces until at most so many bytes are left. To be called with the lock. */
static void free_spares(int64_t most)
{
    /* Ends with the last piece, without which there are 0 bytes. */
    while (spare_bytes > most)
        free(remove_spare(0));
}

static int32_t take_new(void **memory, int64_t size, enum pages pages)
{
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

static int32_t allocate(void **memory, int64_t size, enum pages pages)
{
    if (size <= 0)
        return -EINVAL;
    int32_t taken = take_new(memory, size, pages);
    if (taken == -ENOMEM) {
        pthread_mutex_lock(&spare_lock);
        free_spares(0);
        pthread_mutex_unlock(&spare_lock);
        taken = take_new(memory, size, pages);
    }
    return taken;
}

int32_t drumlin_memory_allocate(void **memory, int64_t size)
{
    void *spare = find_spare(size);
    if (spare == NULL)
        return allocate(memory, size, HUGE);
    memset(spare, 0, (size_t)size);
    *memory = spare;
    return 0;
}

int32_t drumlin_memory_allocate_once(void **memory, int64_t size)
{
    return allocate(memory, size, choose());
}

void drumlin_memory_free(void *memory)
{
    free(memory);
}

void drumlin_memory_recycle(void *memory, int64_t size)
{
    if (memory == NULL || size < HUGE_PAGE || size > MOST_SPARE) {
        free(memory);
        return;
    }
    /* Advice only: a kernel that is short of memory may take the pages, and the next user finds zeros. */
    (void)madvise(memory, (size_t)(size / HUGE_PAGE * HUGE_PAGE), MADV_FREE);
    pthread_mutex_lock(&spare_lock);
    free_spares(MOST_SPARE - size);
    spares[spare_count++] = (struct piece){memory, size};
    spare_bytes += size;
    pthread_mutex_unlock(&spare_lock);
}
