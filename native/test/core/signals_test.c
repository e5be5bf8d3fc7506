/* Libraries that take signals: those for the test do it when they are loaded, as UCX does. */
#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const int guarded[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { GUARDED = sizeof guarded / sizeof guarded[0] };

static void handler_of_the_program(int signal_number)
{
    (void)signal_number;
}

/* Whether handlers cannot be put back. */
static bool refused;

int __real_sigaction(int signal_number, const struct sigaction *action, struct sigaction *before);
int __wrap_sigaction(int signal_number, const struct sigaction *action, struct sigaction *before);
int __wrap_sigaction(int signal_number, const struct sigaction *action, struct sigaction *before)
{
    return refused && action ? -1 : __real_sigaction(signal_number, action, before);
}

/* In each test: cmocka handles these signals itself until a test begins. */
static void program_handles_all(void)
{
    for (int i = 0; i < GUARDED; i++)
        signal(guarded[i], handler_of_the_program);
}

static void assert_program_handles_all(void)
{
    for (int i = 0; i < GUARDED; i++) {
        struct sigaction action;
        sigaction(guarded[i], NULL, &action);
        assert_ptr_equal(action.sa_handler, handler_of_the_program);
    }
}

/* The library notes what it has found in the environment, because it is loaded only once. */
static void a_library_that_takes_signals_when_it_is_loaded_gives_them_back(void **state)
{
    (void)state;
    program_handles_all();
    unsetenv("UCX_ERROR_SIGNALS");
    unsetenv("IPATH_NO_BACKTRACE");
    setenv("HFI_NO_BACKTRACE", "set by the user", 1);

    assert_int_equal(drumlin_library_load(TAKER), 1);

    assert_program_handles_all();
    assert_string_equal(getenv("TAKER_FOUND_UCX_ERROR_SIGNALS"), "");
    assert_string_equal(getenv("TAKER_FOUND_IPATH_NO_BACKTRACE"), "1");
    assert_string_equal(getenv("TAKER_FOUND_HFI_NO_BACKTRACE"), "set by the user");
    assert_int_equal(drumlin_library_load(TAKER), 0); /* it is there */
}

static void signals_that_cannot_be_given_back_are_an_error(void **state)
{
    (void)state;
    program_handles_all();
    refused = true;
    int32_t result = drumlin_library_load(OTHER_TAKER);
    refused = false;
    assert_int_equal(result, -EBUSY);
    assert_non_null(strstr(drumlin_signal_owner(SIGSEGV), "signal_taker_2"));
}

static void a_library_that_takes_nothing_changes_nothing(void **state)
{
    (void)state;
    program_handles_all();
    assert_int_equal(drumlin_library_load("libm.so.6"), 0);
    assert_program_handles_all();
}

static void a_library_that_is_not_there_is_an_error_with_words(void **state)
{
    (void)state;
    program_handles_all();
    assert_int_equal(drumlin_library_load("libdrumlin-nowhere.so.7"), -ELIBACC);
    assert_non_null(strstr(drumlin_library_error(), "libdrumlin-nowhere.so.7"));
    assert_program_handles_all();
}

static void the_owner_of_a_signal_is_a_library(void **state)
{
    (void)state;
    program_handles_all();
    assert_non_null(strstr(drumlin_signal_owner(SIGSEGV), "signals_test"));
    signal(SIGSEGV, SIG_DFL);
    assert_string_equal(drumlin_signal_owner(SIGSEGV), "");
    signal(SIGSEGV, SIG_IGN);
    assert_string_equal(drumlin_signal_owner(SIGSEGV), "");
    signal(SIGSEGV, (void (*)(int))(uintptr_t)_cmocka_run_group_tests);
    assert_non_null(strstr(drumlin_signal_owner(SIGSEGV), "libcmocka"));
    signal(SIGSEGV, (void (*)(int))(uintptr_t)8);
    assert_string_equal(drumlin_signal_owner(SIGSEGV), "?");
    assert_null(drumlin_signal_owner(100000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_takes_signals_when_it_is_loaded_gives_them_back),
        cmocka_unit_test(signals_that_cannot_be_given_back_are_an_error),
        cmocka_unit_test(a_library_that_takes_nothing_changes_nothing),
        cmocka_unit_test(a_library_that_is_not_there_is_an_error_with_words),
        cmocka_unit_test(the_owner_of_a_signal_is_a_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
