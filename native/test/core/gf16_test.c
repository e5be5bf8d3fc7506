#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int widths[] = {2, 16, 32, 64};
enum { WIDTHS = sizeof widths / sizeof widths[0], MOST_SOURCES = 20 };
static unsigned seed;

static unsigned random_below(unsigned bound)
{
    return (unsigned)rand_r(&seed) % bound;
}

/* The field from its definition: product of polynomials, remainder by long division. */
static uint16_t product(uint16_t a, uint16_t b)
{
    uint32_t sum = 0;
    for (int bit = 0; bit < 16; bit++)
        if (b >> bit & 1)
            sum ^= (uint32_t)a << bit;
    for (int bit = 31; bit >= 16; bit--)
        if (sum >> bit & 1)
            sum ^= UINT32_C(0x1100b) << (bit - 16);
    return (uint16_t)sum;
}

static bool supported(int width)
{
    if (width <= drumlin_gf16_width())
        return true;
    print_message("width %d not on this processor\n", width);
    return false;
}

static void every_word_is_multiplied_as_the_definition_says(void **state)
{
    (void)state;
    enum { WORDS = 1 << 16 };
    uint16_t *words = malloc(WORDS * sizeof *words), *target = malloc(WORDS * sizeof *target);
    for (int i = 0; i < WORDS; i++)
        words[i] = (uint16_t)i;
    for (int w = 0; w < WIDTHS; w++) {
        for (int trial = 0; supported(widths[w]) && trial < 20; trial++) {
            const uint16_t few[] = {0, 1, 2, 0x8000, 0xffff, 0x100, 0x00ff};
            uint16_t coefficient = trial < 7 ? few[trial] : (uint16_t)random_below(1 << 16);
            const void *sources[] = {words};
            memset(target, 0, WORDS * sizeof *target);
            assert_int_equal(
                drumlin_gf16_accumulate(target, sources, &coefficient, 1, WORDS * sizeof *words, widths[w]), 0);
            for (int i = 0; i < WORDS; i++)
                assert_int_equal(target[i], product(coefficient, words[i]));
        }
    }
    free(words);
    free(target);
}

/* Memory exactly as large as needed, so that a sanitizer sees an access past the end; the start may be odd. */
static uint8_t *random_region(int before, int length)
{
    uint8_t *memory = malloc((size_t)(before + length) + (before + length == 0));
    for (int i = 0; i < before + length; i++)
        memory[i] = (uint8_t)random_below(256);
    return memory;
}

static void add_by_definition(uint8_t *target, const uint8_t *source, uint16_t coefficient, int length)
{
    for (int i = 0; i < length; i += 2) {
        uint16_t p = product(coefficient, (uint16_t)(source[i] | source[i + 1] << 8));
        target[i] ^= (uint8_t)p;
        target[i + 1] ^= (uint8_t)(p >> 8);
    }
}

static void accumulate_at_random(int width, int count, int length)
{
    uint8_t *memory[MOST_SOURCES];
    const void *sources[MOST_SOURCES];
    uint16_t coefficients[MOST_SOURCES];
    int before = (int)random_below(70);
    uint8_t *target = random_region(before, length), *expected = malloc((size_t)(before + length) + 1);
    memcpy(expected, target, (size_t)(before + length));
    for (int i = 0; i < count; i++) {
        int skipped = (int)random_below(70);
        memory[i] = random_region(skipped, length);
        sources[i] = memory[i] + skipped;
        coefficients[i] = (uint16_t)random_below(1 << 16);
        add_by_definition(expected + before, sources[i], coefficients[i], length);
    }
    assert_int_equal(drumlin_gf16_accumulate(target + before, sources, coefficients, count, length, width), 0);
    assert_memory_equal(target, expected, before + length);
    for (int i = 0; i < count; i++)
        free(memory[i]);
    free(target);
    free(expected);
}

static void regions_of_any_length_place_and_number_give_their_sum(void **state)
{
    (void)state;
    for (int w = 0; w < WIDTHS; w++) {
        if (!supported(widths[w]))
            continue;
        for (int length = 0; length <= 300; length += 2)
            accumulate_at_random(widths[w], (int)random_below(4), length);
        for (int count = 0; count <= MOST_SOURCES; count++)
            accumulate_at_random(widths[w], count, (int)random_below(1000) * 2);
    }
    accumulate_at_random(0, 3, 500);
}

static void the_same_sum_again_takes_it_away(void **state)
{
    (void)state;
    enum { LENGTH = 4098 };
    uint8_t *target = random_region(0, LENGTH), *before = malloc(LENGTH);
    uint8_t *source = random_region(0, LENGTH);
    memcpy(before, target, LENGTH);
    const void *sources[] = {source, source};
    const uint16_t coefficients[] = {0x1234, 0x4321};
    drumlin_gf16_accumulate(target, sources, coefficients, 2, LENGTH, 0);
    assert_memory_not_equal(target, before, LENGTH);
    drumlin_gf16_accumulate(target, sources, coefficients, 2, LENGTH, 0);
    assert_memory_equal(target, before, LENGTH);
    free(target);
    free(before);
    free(source);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    uint8_t target[4] = {1, 2, 3, 4}, source[4] = {5, 6, 7, 8};
    const uint8_t before[4] = {1, 2, 3, 4};
    const void *sources[] = {source};
    const uint16_t coefficients[] = {3};
    assert_int_equal(drumlin_gf16_accumulate(target, sources, coefficients, 1, 3, 0), -EINVAL);
    assert_int_equal(drumlin_gf16_accumulate(target, sources, coefficients, 1, -2, 0), -EINVAL);
    assert_int_equal(drumlin_gf16_accumulate(target, sources, coefficients, -1, 4, 0), -EINVAL);
    assert_int_equal(drumlin_gf16_accumulate(target, sources, coefficients, 1, 4, 8), -EINVAL);
    assert_int_equal(drumlin_gf16_accumulate(target, sources, coefficients, 1, 4, 128), -EINVAL);
    assert_int_equal(drumlin_gf16_accumulate(NULL, NULL, NULL, 0, 4, 0), 0);
    assert_int_equal(drumlin_gf16_accumulate(NULL, sources, coefficients, 1, 0, 0), 0);
    for (int w = 0; w < WIDTHS; w++)
        if (widths[w] > drumlin_gf16_width())
            assert_int_equal(drumlin_gf16_accumulate(target, sources, coefficients, 1, 4, widths[w]), -ENOTSUP);
    assert_memory_equal(target, before, sizeof target);
}

int main(void)
{
    const char *given = getenv("DRUMLIN_TEST_SEED");
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    print_message("DRUMLIN_TEST_SEED=%u\n", seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_multiplied_as_the_definition_says),
        cmocka_unit_test(regions_of_any_length_place_and_number_give_their_sum),
        cmocka_unit_test(the_same_sum_again_takes_it_away),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
