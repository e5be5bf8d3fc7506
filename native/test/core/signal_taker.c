/* A library that takes signals when it is loaded, as UCX does, whatever UCX_ERROR_SIGNALS says. */
#include <signal.h>
#include <stdlib.h>

static void handler_of_the_library(int signal_number)
{
    (void)signal_number;
}

static void note(const char *name, const char *noted)
{
    const char *value = getenv(name);
    if (value)
        setenv(noted, value, 1);
}

__attribute__((constructor)) static void take(void)
{
    note("UCX_ERROR_SIGNALS", "TAKER_FOUND_UCX_ERROR_SIGNALS");
    note("IPATH_NO_BACKTRACE", "TAKER_FOUND_IPATH_NO_BACKTRACE");
    note("HFI_NO_BACKTRACE", "TAKER_FOUND_HFI_NO_BACKTRACE");
    signal(SIGSEGV, handler_of_the_library);
    signal(SIGBUS, handler_of_the_library);
    signal(SIGFPE, handler_of_the_library);
    signal(SIGILL, handler_of_the_library);
}
