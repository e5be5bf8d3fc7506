#include "drumlin/core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (INT64_C(2) << 20)

int32_t drumlin_memory_allocate(void **memory, int64_t size)
{
    if (size <= 0)
        return -EINVAL;
    int huge = size >= HUGE_PAGE;
    int error = posix_memalign(memory, huge ? HUGE_PAGE : DRUMLIN_ALIGNMENT, (size_t)size);
    if (error)
        return -error;
    /* Advice only; it must come before the pages are touched. The last, partial huge page stays ordinary. */
    if (huge)
        (void)madvise(*memory, (size_t)(size / HUGE_PAGE * HUGE_PAGE), MADV_HUGEPAGE);
    memset(*memory, 0, (size_t)size);
    return 0;
}

void drumlin_memory_free(void *memory)
{
    free(memory);
}
