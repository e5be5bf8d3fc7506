/*
 * Lets calls on files fail in a program that is started with LD_PRELOAD=faults.so, a Java program too:
 *
 *   LD_PRELOAD=build/cmake/native/test/faults.so DRUMLIN_FAULTS='read path=/l1/ nth=3 error=EIO' java ...
 *   mpirun -x LD_PRELOAD=... -x DRUMLIN_FAULTS='write path=.fti rank=1 from=5 error=ENOSPC; sync every=2 error=EIO' ...
 *
 * rules.h says what a rule looks like. The calls are
 *
 *   open     open, openat
 *   stat     stat, lstat, fstatat, statx and access, by path, and fstat
 *   list     opendir, fdopendir and readdir
 *   read     pread, read, preadv, readv
 *   write    pwrite, write, pwritev, writev
 *   sync     fsync, fdatasync
 *   rename   rename, renameat, renameat2; path is one of the two
 *   mmap     mmap of a file; flip turns over a bit of a private mapping, for this process only
 *   memory   posix_memalign, aligned_alloc
 *   uring    io_uring_setup, always, with ENOSYS or what error says; takes no other words but that and rank
 *
 * The kernel takes transfers of io_uring from memory, where nothing can be put in between. So a rule for read or write,
 * like the rule uring, refuses io_uring to the whole process, and the engine native does with threads that call pread
 * and pwrite. A seccomp filter does it, because liburing makes its calls without the C library; it stays with child
 * processes.
 *
 * short is for read and write, flip for read and mmap. A rule without effect only counts, for DRUMLIN_FAULTS_LOG.
 */
#include "rules.h"

#include <dirent.h>
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

/* The function of that name in the library that comes after this one. */
#define NEXT(function) \
    ({ \
        static __typeof__(&function) next; \
        if (next == NULL) \
            next = (__typeof__(&function))(uintptr_t)dlsym(RTLD_NEXT, #function); \
        next; \
    })

/* Refuses io_uring as a kernel without it does, or as a container that forbids it. */
static void refuse_io_uring(void)
{
    unsigned error = ENOSYS;
    for (int i = 0; i < rule_count; i++)
        if (strcmp(rules[i].call, "uring") == 0 && rules[i].effect == ERROR)
            error = (unsigned)rules[i].value;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("fault library: io_uring cannot be refused");
        _exit(99);
    }
}

static bool has_rule_for(const char *call)
{
    for (int i = 0; i < rule_count; i++)
        if (strcmp(rules[i].call, call) == 0)
            return true;
    return false;
}

static void set_up(void)
{
    static const char *const calls[] = {"open", "stat",   "list", "read",   "write", "sync",
                                        "rename", "mmap", "memory", "uring", NULL};
    read_rules("DRUMLIN_FAULTS", calls);
    if (has_rule_for("uring") || has_rule_for("read") || has_rule_for("write"))
        refuse_io_uring();
}

/* Other libraries may open files before this one is initialised. */
__attribute__((constructor)) static void be_ready(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
}

static const struct rule *fault(const char *call, const char *path, const char *other)
{
    be_ready();
    return rule_count == 0 ? NULL : fault_of(call, path, other);
}

static const struct rule *fault_on(const char *call, int fd)
{
    char link[32], path[PATH_MAX];
    be_ready();
    if (!has_rule_for(call))
        return NULL;
    int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = '\0';
    errno = before;
    return fault_of(call, path, NULL);
}

/* True when the call fails here and now, with errno set. */
static bool is_error(const struct rule *rule)
{
    if (rule == NULL || rule->effect != ERROR)
        return false;
    errno = (int)rule->value;
    return true;
}

static size_t shortened(const struct rule *rule, size_t length)
{
    return rule != NULL && rule->effect == SHORT && (size_t)rule->value < length ? (size_t)rule->value : length;
}

static void flip(const struct rule *rule, void *data, ssize_t length)
{
    if (rule == NULL || rule->effect != FLIP || length <= 0)
        return;
    uint64_t bit = (uint64_t)rule->value % ((uint64_t)length * 8);
    ((uint8_t *)data)[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

/* ---- open ----------------------------------------------------------------------------------------------------- */

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments); \
        return is_error(fault("open", path, NULL)) ? -1 : NEXT(name)(path, flags, mode); \
    }

#define OPENAT(name) \
    int name(int directory, const char *path, int flags, ...) \
    { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments); \
        return is_error(fault("open", path, NULL)) ? -1 : NEXT(name)(directory, path, flags, mode); \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* ---- looks at files and directories --------------------------------------------------------------------------- */

/* Which of these Java calls depends on its version. */
#define STAT(name, parameters, ...) \
    int name parameters \
    { \
        return is_error(fault("stat", path, NULL)) ? -1 : NEXT(name)(__VA_ARGS__); \
    }

/* Without a path it is the open file or directory. */
#define STAT_AT(name, parameters, ...) \
    int name parameters \
    { \
        const struct rule *rule = *path == '\0' ? fault_on("stat", directory) : fault("stat", path, NULL); \
        return is_error(rule) ? -1 : NEXT(name)(__VA_ARGS__); \
    }

#define STAT_OF(name, parameters, ...) \
    int name parameters \
    { \
        return is_error(fault_on("stat", fd)) ? -1 : NEXT(name)(__VA_ARGS__); \
    }

STAT(stat, (const char *path, struct stat *status), path, status)
STAT(stat64, (const char *path, struct stat64 *status), path, status)
STAT(lstat, (const char *path, struct stat *status), path, status)
STAT(lstat64, (const char *path, struct stat64 *status), path, status)
STAT_AT(fstatat, (int directory, const char *path, struct stat *status, int flags), directory, path, status, flags)
STAT_AT(fstatat64, (int directory, const char *path, struct stat64 *status, int flags), directory, path, status, flags)
STAT_AT(statx, (int directory, const char *path, int flags, unsigned mask, struct statx *status), directory, path, flags, mask,
        status)
STAT(access, (const char *path, int mode), path, mode)
STAT_OF(fstat, (int fd, struct stat *status), fd, status)
STAT_OF(fstat64, (int fd, struct stat64 *status), fd, status)

DIR *opendir(const char *path)
{
    return is_error(fault("list", path, NULL)) ? NULL : NEXT(opendir)(path);
}

DIR *fdopendir(int fd)
{
    return is_error(fault_on("list", fd)) ? NULL : NEXT(fdopendir)(fd);
}

struct dirent *readdir(DIR *directory)
{
    return is_error(fault_on("list", dirfd(directory))) ? NULL : NEXT(readdir)(directory);
}

struct dirent64 *readdir64(DIR *directory)
{
    return is_error(fault_on("list", dirfd(directory))) ? NULL : NEXT(readdir64)(directory);
}

/* ---- read and write ------------------------------------------------------------------------------------------- */

#define READ(name, parameters, ...) \
    ssize_t name parameters \
    { \
        const struct rule *rule = fault_on("read", fd); \
        if (is_error(rule)) \
            return -1; \
        length = shortened(rule, length); \
        ssize_t count = length == 0 ? 0 : NEXT(name)(__VA_ARGS__); \
        flip(rule, data, count); \
        return count; \
    }

#define WRITE(name, parameters, ...) \
    ssize_t name parameters \
    { \
        const struct rule *rule = fault_on("write", fd); \
        if (is_error(rule)) \
            return -1; \
        size_t whole = length; \
        length = shortened(rule, length); \
        return length == 0 && whole > 0 ? 0 : NEXT(name)(__VA_ARGS__); \
    }

READ(read, (int fd, void *data, size_t length), fd, data, length)
READ(pread, (int fd, void *data, size_t length, off_t offset), fd, data, length, offset)
READ(pread64, (int fd, void *data, size_t length, off64_t offset), fd, data, length, offset)
WRITE(write, (int fd, const void *data, size_t length), fd, data, length)
WRITE(pwrite, (int fd, const void *data, size_t length, off_t offset), fd, data, length, offset)
WRITE(pwrite64, (int fd, const void *data, size_t length, off64_t offset), fd, data, length, offset)

/* A vectored call that is cut short moves its first piece only. */
static struct iovec first_of(const struct rule *rule, const struct iovec *pieces, int count)
{
    struct iovec first = {NULL, 0};
    if (count > 0)
        first = pieces[0];
    first.iov_len = shortened(rule, first.iov_len);
    return first;
}

#define VECTORED(name, call, parameters, ...) \
    ssize_t name parameters \
    { \
        const struct rule *rule = fault_on(call, fd); \
        if (is_error(rule)) \
            return -1; \
        struct iovec first = first_of(rule, pieces, pieces_count); \
        if (rule != NULL && rule->effect == SHORT) { \
            if (first.iov_len == 0) \
                return 0; \
            pieces = &first; \
            pieces_count = 1; \
        } \
        ssize_t count = NEXT(name)(__VA_ARGS__); \
        if (count > 0) \
            flip(rule, first.iov_base, count < (ssize_t)first.iov_len ? count : (ssize_t)first.iov_len); \
        return count; \
    }

VECTORED(readv, "read", (int fd, const struct iovec *pieces, int pieces_count), fd, pieces, pieces_count)
VECTORED(preadv, "read", (int fd, const struct iovec *pieces, int pieces_count, off_t at), fd, pieces, pieces_count, at)
VECTORED(preadv64, "read", (int fd, const struct iovec *pieces, int pieces_count, off64_t at), fd, pieces, pieces_count, at)
VECTORED(writev, "write", (int fd, const struct iovec *pieces, int pieces_count), fd, pieces, pieces_count)
VECTORED(pwritev, "write", (int fd, const struct iovec *pieces, int pieces_count, off_t at), fd, pieces, pieces_count, at)
VECTORED(pwritev64, "write", (int fd, const struct iovec *pieces, int pieces_count, off64_t at), fd, pieces, pieces_count, at)

/* ---- sync and rename ------------------------------------------------------------------------------------------ */

int fsync(int fd)
{
    return is_error(fault_on("sync", fd)) ? -1 : NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
    return is_error(fault_on("sync", fd)) ? -1 : NEXT(fdatasync)(fd);
}

int rename(const char *from, const char *to)
{
    return is_error(fault("rename", from, to)) ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    return is_error(fault("rename", from, to)) ? -1 : NEXT(renameat)(from_directory, from, to_directory, to);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags)
{
    return is_error(fault("rename", from, to)) ? -1 : NEXT(renameat2)(from_directory, from, to_directory, to, flags);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* Writing to a page of a private mapping makes it this process's own. */
static void flip_mapped(const struct rule *rule, char *memory, size_t length, int protection, int flags, int fd, off64_t at)
{
    struct stat status;
    if (memory == MAP_FAILED || rule == NULL || rule->effect != FLIP || !(flags & MAP_PRIVATE))
        return;
    if (NEXT(fstat)(fd, &status) != 0 || status.st_size <= at)
        return;
    size_t there = (size_t)(status.st_size - at) < length ? (size_t)(status.st_size - at) : length;
    size_t byte = (size_t)rule->value / 8 % there;
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    char *page = memory + byte / page_size * page_size;
    if (mprotect(page, page_size, protection | PROT_READ | PROT_WRITE) == 0) {
        memory[byte] = (char)(memory[byte] ^ 1 << rule->value % 8);
        (void)mprotect(page, page_size, protection);
    }
}

#define MMAP(name, offset_type) \
    void *name(void *address, size_t length, int protection, int flags, int fd, offset_type offset) \
    { \
        const struct rule *rule = flags & MAP_ANONYMOUS ? NULL : fault_on("mmap", fd); \
        if (is_error(rule)) \
            return MAP_FAILED; \
        void *memory = NEXT(name)(address, length, protection, flags, fd, offset); \
        flip_mapped(rule, memory, length, protection, flags, fd, offset); \
        return memory; \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    const struct rule *rule = fault("memory", NULL, NULL);
    return rule != NULL && rule->effect == ERROR ? (int)rule->value : NEXT(posix_memalign)(memory, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return is_error(fault("memory", NULL, NULL)) ? NULL : NEXT(aligned_alloc)(alignment, size);
}
