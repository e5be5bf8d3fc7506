#include "cmocka_all.h"
#include "drumlin/core.h"

#include <stdlib.h>
#include <string.h>

#define ROOM (1 << 18)
#define OUTSIDE 0x5a

/* Bytes of which no 4096 that begin on a boundary of 64 are like others. */
static uint8_t pattern(int64_t i)
{
    return (uint8_t)(i * 7 + (i >> 6) * 31 + (i >> 12) * 113);
}

static void assert_copied(uint8_t *to, const uint8_t *from, int64_t target, int64_t source, int64_t length)
{
    memset(to, OUTSIDE, ROOM);
    drumlin_memory_copy(to + target, from + source, length);
    for (int64_t i = 0; i < ROOM; i++) {
        int inside = i >= target && i < target + length;
        if (to[i] != (inside ? pattern(i - target + source) : OUTSIDE))
            fail_msg("byte %lld, target %lld, source %lld, length %lld", (long long)i, (long long)target,
                     (long long)source, (long long)length);
    }
}

static void all_bytes_are_copied_and_no_others(void **state)
{
    (void)state;
    uint8_t *to = aligned_alloc(4096, ROOM), *from = aligned_alloc(4096, ROOM);
    assert_non_null(to);
    assert_non_null(from);
    for (int64_t i = 0; i < ROOM; i++)
        from[i] = pattern(i);
    int64_t starts[] = {0, 1, 8, 63, 64, 100, 4095};
    int64_t lengths[] = {0, 1, 7, 63, 64, 65, 4096, 16383, 16384, 16385, 16384 + 63, 2 * 16384, 100000, 200000};
    for (size_t t = 0; t < sizeof starts / sizeof *starts; t++)
        for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                assert_copied(to, from, starts[t], starts[s], lengths[l]);
    free(to);
    free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_are_copied_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
