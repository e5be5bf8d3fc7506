#include "cmocka_all.h"
#include "drumlin/core.h"

#include <string.h>

#define STRIPES 5
#define STRIPE 64

/* The values were computed with integers of any length. */
static const uint64_t after_one[] = {UINT64_C(0x9b8fcaf0fd8d1236), UINT64_C(0x3a6fe60b51d41d53),
                                     UINT64_C(0x2f79148e918a4dbb), UINT64_C(0x535df86db3a40d96)};
static const uint64_t after_all[] = {UINT64_C(0x50182f5a2117432f), UINT64_C(0x389f60a9ec0b9810),
                                     UINT64_C(0x53ca3bf829f7b532), UINT64_C(0x6e2cf8c63dbade1f)};

static void assert_chains(const uint64_t *chains, const uint64_t *expected)
{
    for (int i = 0; i < DRUMLIN_CHECKSUM64_CHAINS; i++)
        assert_int_equal(chains[i], expected[i]);
}

static void stripes_at_any_address_change_the_chains(void **state)
{
    (void)state;
    uint8_t room[STRIPES * STRIPE + 8];
    for (int shift = 0; shift < 8; shift++) {
        uint8_t *bytes = room + shift;
        for (int i = 0; i < STRIPES * STRIPE; i++)
            bytes[i] = (uint8_t)(i * 7 + (i >> 6) * 31);
        uint64_t chains[] = {1, 2, 3, 4};
        drumlin_checksum64_update(chains, bytes, 1);
        assert_chains(chains, after_one);
        drumlin_checksum64_update(chains, bytes + STRIPE, STRIPES - 1);
        assert_chains(chains, after_all);
        drumlin_checksum64_update(chains, NULL, 0);
        assert_chains(chains, after_all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stripes_at_any_address_change_the_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
