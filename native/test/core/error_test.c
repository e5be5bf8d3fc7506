#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <string.h>

static void the_library_tells_the_abi_of_its_header(void **state)
{
    (void)state;
    assert_int_equal(drumlin_core_abi(), DRUMLIN_CORE_ABI);
}

static void an_errno_has_its_name_with_either_sign(void **state)
{
    (void)state;
    assert_string_equal(drumlin_error_name(ENOSPC), "ENOSPC");
    assert_string_equal(drumlin_error_name(-ENOSPC), "ENOSPC");
    assert_string_equal(drumlin_error_name(-EIO), "EIO");
    assert_string_equal(drumlin_error_name(EDQUOT), "EDQUOT");
}

#if __GLIBC_PREREQ(2, 32)
static void names_are_those_of_the_c_library(void **state)
{
    (void)state;
    int known = 0;
    for (int error = 1; error < 140; error++) {
        const char *name = drumlin_error_name(error);
        if (name) {
            assert_string_equal(name, strerrorname_np(error));
            known++;
        }
    }
    assert_in_range(known, 70, 140);
}
#endif

static void a_number_without_a_name_has_none(void **state)
{
    (void)state;
    assert_null(drumlin_error_name(0));
    assert_null(drumlin_error_name(100000));
    assert_null(drumlin_error_name(INT32_MIN));
}

static void messages_are_those_of_the_system(void **state)
{
    (void)state;
    assert_string_equal(drumlin_error_message(-ENOSPC), strerror(ENOSPC));
    assert_non_null(strstr(drumlin_error_message(100000), "100000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_library_tells_the_abi_of_its_header),
        cmocka_unit_test(an_errno_has_its_name_with_either_sign),
#if __GLIBC_PREREQ(2, 32)
        cmocka_unit_test(names_are_those_of_the_c_library),
#endif
        cmocka_unit_test(a_number_without_a_name_has_none),
        cmocka_unit_test(messages_are_those_of_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
