#include "gf16.h"

#include "drumlin/core.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define BYTE_VALUES 256

static void make_factor(struct gf16_factor *factor, uint16_t coefficient)
{
    uint32_t column = coefficient;
    for (int bit = 0; bit < GF16_BITS; bit++) {
        factor->column[bit] = (uint16_t)column;
        column <<= 1;
        if (column >> GF16_BITS)
            column ^= GF16_POLYNOMIAL;
    }
}

/* Fills a table of the products of all bytes. columns[n] is the product of bit n. */
static void fill_table(uint16_t *table, const uint16_t *columns)
{
    table[0] = 0;
    for (unsigned value = 1; value < BYTE_VALUES; value++)
        table[value] = table[value & (value - 1)] ^ columns[__builtin_ctz(value)];
}

/* Adds one word at a time, looking up each of its bytes in a table. */
static size_t single_words(uint8_t *target, const uint8_t *const *sources, const struct gf16_factor *factors, int count,
                           size_t length)
{
    for (int i = 0; i < count; i++) {
        uint16_t low[BYTE_VALUES], high[BYTE_VALUES];
        fill_table(low, factors[i].column);
        fill_table(high, factors[i].column + 8);
        for (size_t offset = 0; offset < length; offset += sizeof(uint16_t)) {
            uint16_t word, sum;
            memcpy(&word, sources[i] + offset, sizeof word);
            memcpy(&sum, target + offset, sizeof sum);
            sum ^= low[word & 0xff] ^ high[word >> 8];
            memcpy(target + offset, &sum, sizeof sum);
        }
    }
    return length;
}

int32_t drumlin_gf16_width(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        return 64;
    return __builtin_cpu_supports("avx2") ? 32 : __builtin_cpu_supports("ssse3") ? 16 : 2;
#elif defined(__aarch64__)
    return 16;
#else
    return 2;
#endif
}

static gf16_kernel *kernel_for(int32_t width)
{
    switch (width) {
#ifdef __x86_64__
    case 64:
        return gf16_kernel_64;
    case 32:
        return gf16_kernel_32;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    case 16:
        return gf16_kernel_16;
#endif
    default:
        return single_words;
    }
}

static bool is_width(int32_t width)
{
    return width == 0 || width == 2 || width == 16 || width == 32 || width == 64;
}

int32_t drumlin_gf16_accumulate(void *target, const void *const *sources, const uint16_t *coefficients, int32_t count,
                                int64_t length, int32_t width)
{
    int32_t widest = drumlin_gf16_width();
    if (!is_width(width) || count < 0 || length < 0 || length % 2 != 0)
        return -EINVAL;
    if (width > widest)
        return -ENOTSUP;
    gf16_kernel *wide = kernel_for(width ? width : widest);
    for (int32_t done = 0; length > 0 && done < count; done += GF16_SOURCES) {
        int taken = count - done < GF16_SOURCES ? count - done : GF16_SOURCES;
        struct gf16_factor factors[GF16_SOURCES];
        const uint8_t *begins[GF16_SOURCES], *rests[GF16_SOURCES];
        for (int i = 0; i < taken; i++) {
            make_factor(&factors[i], coefficients[done + i]);
            begins[i] = sources[done + i];
        }
        size_t whole = wide(target, begins, factors, taken, (size_t)length);
        for (int i = 0; i < taken; i++)
            rests[i] = begins[i] + whole;
        if (whole < (size_t)length)
            single_words((uint8_t *)target + whole, rests, factors, taken, (size_t)length - whole);
    }
    return 0;
}
