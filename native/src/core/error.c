#include "drumlin/core.h"

#include <errno.h>
#include <string.h>

int32_t drumlin_core_abi(void)
{
    return DRUMLIN_CORE_ABI;
}

/* The C library has strerrorname_np only since glibc 2.32; clusters run older ones. */
#define NAME(error) [error] = #error
static const char *const names[] = {
    NAME(EPERM),        NAME(ENOENT),       NAME(EINTR),      NAME(EIO),         NAME(ENXIO),     NAME(E2BIG),
    NAME(EBADF),        NAME(EAGAIN),       NAME(ENOMEM),     NAME(EACCES),      NAME(EFAULT),    NAME(ENOTBLK),
    NAME(EBUSY),        NAME(EEXIST),       NAME(EXDEV),      NAME(ENODEV),      NAME(ENOTDIR),   NAME(EISDIR),
    NAME(EINVAL),       NAME(ENFILE),       NAME(EMFILE),     NAME(ENOTTY),      NAME(ETXTBSY),   NAME(EFBIG),
    NAME(ENOSPC),       NAME(ESPIPE),       NAME(EROFS),      NAME(EMLINK),      NAME(EPIPE),     NAME(EDOM),
    NAME(ERANGE),       NAME(EDEADLK),      NAME(ENAMETOOLONG), NAME(ENOLCK),    NAME(ENOSYS),    NAME(ENOTEMPTY),
    NAME(ELOOP),        NAME(ENODATA),      NAME(ETIME),      NAME(EREMOTE),     NAME(ENOLINK),   NAME(ECOMM),
    NAME(EPROTO),       NAME(EBADMSG),      NAME(EOVERFLOW),  NAME(EBADFD),      NAME(EREMCHG),   NAME(EILSEQ),
    NAME(ERESTART),     NAME(EUSERS),       NAME(EOPNOTSUPP), NAME(ENETDOWN),    NAME(ENETUNREACH), NAME(ENETRESET),
    NAME(ECONNABORTED), NAME(ECONNRESET),   NAME(ENOBUFS),    NAME(ENOTCONN),    NAME(ESHUTDOWN), NAME(ETIMEDOUT),
    NAME(ECONNREFUSED), NAME(EHOSTDOWN),    NAME(EHOSTUNREACH), NAME(EALREADY),  NAME(EINPROGRESS), NAME(ESTALE),
    NAME(EUCLEAN),      NAME(EREMOTEIO),    NAME(EDQUOT),     NAME(ENOMEDIUM),   NAME(EMEDIUMTYPE), NAME(ECANCELED),
    NAME(ENOKEY),       NAME(EKEYEXPIRED),  NAME(EKEYREVOKED), NAME(EKEYREJECTED), NAME(EHWPOISON), NAME(ESRCH),
    NAME(ECHILD),
};

static int64_t positive(int32_t error)
{
    return error < 0 ? -(int64_t)error : error;
}

const char *drumlin_error_name(int32_t error)
{
    int64_t number = positive(error);
    return number < (int64_t)(sizeof names / sizeof names[0]) ? names[number] : NULL;
}

const char *drumlin_error_message(int32_t error)
{
    static _Thread_local char text[128];
    /* The GNU strerror_r: returns a constant, or text. */
    return strerror_r((int)positive(error), text, sizeof text);
}
