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
    size_t whole = huge ? (size_t)(size / HUGE_PAGE * HUGE_PAGE) : 0;
    if (whole > 0) {
        /* Advice only; it must come before the pages are touched. The last, partial huge page stays ordinary. */
        (void)madvise(*memory, whole, MADV_HUGEPAGE);
        /* The kernel gives zeros where a page is touched for the first time; writing zeros too would double the work. */
        if (madvise(*memory, whole, MADV_DONTNEED) != 0)
            whole = 0;
    }
    memset((char *)*memory + whole, 0, (size_t)size - whole);
    return 0;
}

void drumlin_memory_free(void *memory)
{
    free(memory);
}
