/*
 * The region kernel by table look-up: a factor times a word is the sum of four products, one for each nibble of the
 * word, and a shuffle instruction looks up one byte of sixteen or more of them. Included once per width by a file that
 * defines
 *
 *   KERNEL    the function's name
 *   vector    a vector of uint8_t
 *   LOOKUP    LOOKUP(table, indexes): for each index 0 to 15 its byte of the 16 bytes at table
 *   SPLIT     SPLIT(even, odd, data): two vectors of words from memory, parted into their low and high bytes
 *   JOIN      JOIN(data, even, odd): the reverse
 */
#include "gf16.h"

/* The low and the high bytes of the products of all nibbles. */
struct tables {
    uint8_t low[4][16];
    uint8_t high[4][16];
};

static void fill_tables(struct tables *tables, const struct gf16_factor *factor)
{
    for (int nibble = 0; nibble < 4; nibble++)
        for (int value = 0; value < 16; value++) {
            uint16_t product = 0;
            for (int bit = 0; bit < 4; bit++)
                if (value >> bit & 1)
                    product ^= factor->column[4 * nibble + bit];
            tables->low[nibble][value] = (uint8_t)product;
            tables->high[nibble][value] = (uint8_t)(product >> 8);
        }
}

size_t KERNEL(uint8_t *target, const uint8_t *const *sources, const struct gf16_factor *factors, int count,
              size_t length)
{
    struct tables tables[GF16_SOURCES];
    for (int i = 0; i < count; i++)
        fill_tables(&tables[i], &factors[i]);

    size_t whole = length - length % (2 * sizeof(vector));
    for (size_t offset = 0; offset < whole; offset += 2 * sizeof(vector)) {
        vector low, high;
        SPLIT(low, high, target + offset);
        for (int i = 0; i < count; i++) {
            const struct tables *table = &tables[i];
            vector even, odd;
            SPLIT(even, odd, sources[i] + offset);
            vector n0 = even & 15, n1 = even >> 4, n2 = odd & 15, n3 = odd >> 4;
            low ^= LOOKUP(table->low[0], n0) ^ LOOKUP(table->low[1], n1) ^ LOOKUP(table->low[2], n2) ^
                   LOOKUP(table->low[3], n3);
            high ^= LOOKUP(table->high[0], n0) ^ LOOKUP(table->high[1], n1) ^ LOOKUP(table->high[2], n2) ^
                    LOOKUP(table->high[3], n3);
        }
        JOIN(target + offset, low, high);
    }
    return whole;
}
