#include "drumlin/core.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a JVM uses for null checks, safepoints and arithmetic, and what UCX takes. */
static const int guarded[DRUMLIN_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

static _Thread_local char load_error[PATH_MAX + 1024];

/*
 * Asks the kernel itself which handler it calls: under libjsig the C library's sigaction reports what a library wishes
 * to have, not what is in force. The handler is the first word of the kernel's structure, which has room here.
 */
static int32_t handler_in_force(int signal_number, uintptr_t *handler)
{
    uintptr_t action[32] = {0};
    const size_t kernel_set_size = 8;
    if (syscall(SYS_rt_sigaction, signal_number, NULL, action, kernel_set_size) != 0)
        return -errno;
    *handler = action[0];
    return 0;
}

const char *drumlin_signal_owner(int32_t signal_number)
{
    static _Thread_local char owner[PATH_MAX];
    uintptr_t handler = 0;
    Dl_info library;

    if (handler_in_force(signal_number, &handler) < 0)
        return NULL;
    if (handler == (uintptr_t)SIG_DFL || handler == (uintptr_t)SIG_IGN)
        return "";
    if (dladdr((void *)handler, &library) == 0 || library.dli_fname == NULL)
        return "?";
    snprintf(owner, sizeof owner, "%s", library.dli_fname);
    return owner;
}

void drumlin_signals_keep(struct drumlin_signals *signals)
{
    setenv("UCX_ERROR_SIGNALS", "", 0);
    setenv("IPATH_NO_BACKTRACE", "1", 0);
    setenv("HFI_NO_BACKTRACE", "1", 0);
    for (int i = 0; i < DRUMLIN_SIGNALS; i++) {
        handler_in_force(guarded[i], &signals->handlers[i]);
        sigaction(guarded[i], NULL, &signals->actions[i]);
    }
}

int32_t drumlin_signals_restore(const struct drumlin_signals *signals)
{
    int32_t result = 0;
    for (int i = 0; i < DRUMLIN_SIGNALS; i++) {
        uintptr_t handler = signals->handlers[i];
        handler_in_force(guarded[i], &handler);
        int taken = handler != signals->handlers[i];
        sigaction(guarded[i], &signals->actions[i], NULL);
        handler_in_force(guarded[i], &handler);
        if (handler != signals->handlers[i])
            result = -EBUSY;
        else if (taken && result == 0)
            result = 1;
    }
    return result;
}

int32_t drumlin_library_load(const char *name)
{
    struct drumlin_signals signals;
    load_error[0] = '\0';
    drumlin_signals_keep(&signals);
    void *library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
    int32_t result = drumlin_signals_restore(&signals);
    if (library == NULL) {
        const char *words = dlerror();
        snprintf(load_error, sizeof load_error, "%s", words ? words : "no reason given");
        return result < 0 ? result : -ELIBACC;
    }
    return result;
}

const char *drumlin_library_error(void)
{
    return load_error;
}
