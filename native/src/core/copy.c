#include "drumlin/core.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

#define PAGE 4096
#define LINE 64

/* Pages that are copied at the same time: the processor fetches ahead in each of them. */
#define STREAMS 4
#define BLOCK (STREAMS * PAGE)

static void copy_line(char *target, const char *source)
{
    for (int i = 0; i < LINE; i += (int)sizeof(__m128i)) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(source + i));
        _mm_stream_si128((__m128i *)(void *)(target + i), bytes);
    }
}

/* The target lies on a boundary of a line. Stores past the cache do not read what they replace. */
static void copy_block(char *target, const char *source)
{
    for (int line = 0; line < PAGE; line += LINE)
        for (int stream = 0; stream < BLOCK; stream += PAGE)
            copy_line(target + stream + line, source + stream + line);
}

static int64_t copy_blocks(char *target, const char *source, int64_t length)
{
    int64_t done = 0;
    for (; length - done >= BLOCK; done += BLOCK)
        copy_block(target + done, source + done);
    /* Without a fence other threads may see these stores in any order. */
    _mm_sfence();
    return done;
}
#else
#define LINE 1

static int64_t copy_blocks(char *target, const char *source, int64_t length)
{
    memcpy(target, source, (size_t)length);
    return length;
}
#endif

void drumlin_memory_copy(void *target, const void *source, int64_t length)
{
    char *to = target;
    const char *from = source;
    int64_t head = -(intptr_t)to & (LINE - 1);
    if (head > length)
        head = length;
    memcpy(to, from, (size_t)head);
    int64_t done = head + copy_blocks(to + head, from + head, length - head);
    memcpy(to + done, from + done, (size_t)(length - done));
}
