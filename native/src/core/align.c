#include "drumlin/core.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (INT64_C(2) << 20)

/* Since Linux 5.14; not in every libc that a kernel of today meets. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Most bytes that wait for the next who needs them: a buffer of 64 MiB and the slabs of a rank. */
#define MOST_SPARE (INT64_C(128) << 20)

/*
 * Takes whole huge pages' worth of memory from the kernel, zeroed. Huge pages may cost more than small ones, where the kernel has
 * to move memory to make them or a virtual machine has given them back to its host. That is paid once, and each transfer from
 * small pages costs more.
 */
static int32_t take(void *memory, size_t size)
{
    /* Advice only; before the pages are touched. */
    (void)madvise(memory, size, MADV_HUGEPAGE);
    /* The kernel gives zeros where a page is touched for the first time; writing zeros too would double the work. */
    if (madvise(memory, size, MADV_DONTNEED) != 0) {
        memset(memory, 0, size);
        return 0;
    }
    /* Before Linux 5.14 the pages come when they are touched. */
    return madvise(memory, size, MADV_POPULATE_WRITE) != 0 && errno == ENOMEM ? -ENOMEM : 0;
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

static int32_t take_new(void **memory, int64_t size)
{
    int large = size >= HUGE_PAGE;
    int error = posix_memalign(memory, large ? HUGE_PAGE : DRUMLIN_ALIGNMENT, (size_t)size);
    if (error)
        return -error;
    /* The last, partial huge page stays ordinary. */
    size_t whole = large ? (size_t)(size / HUGE_PAGE * HUGE_PAGE) : 0;
    int32_t taken = whole > 0 ? take(*memory, whole) : 0;
    if (taken < 0) {
        free(*memory);
        return taken;
    }
    memset((char *)*memory + whole, 0, (size_t)size - whole);
    return 0;
}

int32_t drumlin_memory_allocate(void **memory, int64_t size)
{
    if (size <= 0)
        return -EINVAL;
    void *spare = find_spare(size);
    if (spare != NULL) {
        memset(spare, 0, (size_t)size);
        *memory = spare;
        return 0;
    }
    int32_t taken = take_new(memory, size);
    if (taken == -ENOMEM) {
        pthread_mutex_lock(&spare_lock);
        free_spares(0);
        pthread_mutex_unlock(&spare_lock);
        taken = take_new(memory, size);
    }
    return taken;
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
