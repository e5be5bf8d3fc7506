/*
 * How fast regions are summed on one core, for each width this processor has, beside memcpy of one source. Not a test:
 *
 *   cmake --build build/cmake --target gf16_bench && build/cmake/native/test/core/gf16_bench
 */
#include "drumlin/core.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_SOURCES = 8, ROUNDS = 5 };
#define ROUND_SECONDS 0.05

static const int widths[] = {2, 16, 32, 64};

struct regions {
    void *target;
    const void *sources[MOST_SOURCES];
    uint16_t coefficients[MOST_SOURCES];
    int count;
    int64_t length;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* GB of source per second, best of some rounds. Width 0 copies. */
static double measure(const struct regions *regions, int width)
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now(), elapsed;
        int calls = 0;
        do {
            if (width == 0)
                memcpy(regions->target, regions->sources[0], (size_t)regions->length);
            else
                drumlin_gf16_accumulate(regions->target, regions->sources, regions->coefficients, regions->count,
                                        regions->length, width);
            calls++;
            elapsed = now() - begin;
        } while (elapsed < ROUND_SECONDS);
        double bytes = (double)calls * (double)regions->length * (width == 0 ? 1 : regions->count);
        if (bytes / elapsed > best)
            best = bytes / elapsed;
    }
    return best / 1e9;
}

int main(void)
{
    static const int64_t lengths[] = {64 << 10, 1 << 20, 64 << 20};
    static const int counts[] = {1, 4, 8};
    printf("%10s %8s %8s %8s %8s %8s %8s   GB of source per second\n", "bytes", "sources", "memcpy", "2", "16", "32", "64");
    for (int l = 0; l < 3; l++) {
        struct regions regions = {.length = lengths[l]};
        void *memory[MOST_SOURCES + 1];
        for (int i = 0; i <= MOST_SOURCES; i++)
            if (drumlin_memory_allocate(&memory[i], lengths[l]) < 0)
                return 1;
        for (int i = 0; i < MOST_SOURCES; i++) {
            memset(memory[i], i + 1, (size_t)lengths[l]);
            regions.sources[i] = memory[i];
            regions.coefficients[i] = (uint16_t)(0x1234 * (i + 1));
        }
        regions.target = memory[MOST_SOURCES];
        for (int c = 0; c < 3; c++) {
            regions.count = counts[c];
            printf("%10lld %8d %8.1f", (long long)lengths[l], counts[c], measure(&regions, 0));
            for (int w = 0; w < 4; w++)
                if (widths[w] <= drumlin_gf16_width())
                    printf(" %8.1f", measure(&regions, widths[w]));
            putchar('\n');
        }
        for (int i = 0; i <= MOST_SOURCES; i++)
            drumlin_memory_free(memory[i]);
    }
    return 0;
}
