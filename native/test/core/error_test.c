#include "cmocka_all.h"
#include "drumlin/core.h"

static void the_library_tells_the_abi_of_its_header(void **state)
{
    (void)state;
    assert_int_equal(drumlin_core_abi(), DRUMLIN_CORE_ABI);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_library_tells_the_abi_of_its_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
