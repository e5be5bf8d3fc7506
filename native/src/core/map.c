#include "drumlin/core.h"
#include "retry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* Younger than some headers: Linux 5.14, 4.4, and file systems' numbers. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xf2f52010
#endif

/*
 * File systems of one node. Others may take pages away again when another node writes the file, locked or not, and a page
 * that cannot be read once more is a signal.
 */
static int is_local(int fd)
{
    struct statfs status;
    if (fstatfs(fd, &status) != 0)
        return 0;
    switch ((uint32_t)status.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
        return 1;
    default:
        return 0;
    }
}

/*
 * Before Linux 6.9 populating tries a page for ever that the device cannot read, where it should say so. Of the older ones those
 * that have it repaired are not told from the others.
 */
static int says_what_cannot_be_read(void)
{
    struct utsname kernel;
    unsigned version, release;
    if (uname(&kernel) != 0 || sscanf(kernel.release, "%u.%u", &version, &release) != 2)
        return 0;
    return version > 6 || (version == 6 && release >= 9);
}

/* Keeps pages from now on, once they are there. */
static int lock(void *memory, size_t size)
{
#ifdef SYS_mlock2
    return (int)syscall(SYS_mlock2, memory, size, MLOCK_ONFAULT);
#else
    (void)memory;
    (void)size;
    errno = ENOSYS;
    return -1;
#endif
}

int32_t drumlin_map_create(void **memory, int32_t fd, int64_t offset, int64_t size)
{
    if (offset < 0 || size <= 0)
        return -EINVAL;
    if (!says_what_cannot_be_read())
        return -ENOSYS;
    if (!is_local(fd))
        return -EOPNOTSUPP;
    void *made = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, offset);
    if (made == MAP_FAILED)
        return -errno;
    if (lock(made, (size_t)size) != 0) {
        int error = errno;
        (void)munmap(made, (size_t)size);
        return -error;
    }
    /* Advice only: the page cache takes huge pages where the file system can, which makes it five to ten times as cheap. */
    (void)madvise(made, (size_t)size, MADV_HUGEPAGE);
    *memory = made;
    return 0;
}

/* Until a kernel that cannot serve now is asked again, and how often: 10 s. */
#define PAUSE_NANOS 1000000
#define MOST_REFUSALS 10000

/* Whether to ask again after a failure. */
static bool may_pass(int *interruptions, int *refusals)
{
    if (errno != EAGAIN)
        return interrupted(interruptions);
    if ((*refusals)++ == MOST_REFUSALS)
        return false;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOS}, NULL);
    return true;
}

int32_t drumlin_map_populate(void *memory, int64_t position, int64_t length)
{
    if (position < 0 || length < 0)
        return -EINVAL;
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t start = position - position % page;
    int result, interruptions = 0, refusals = 0;
    do
        result = madvise((char *)memory + start, (size_t)(position + length - start), MADV_POPULATE_READ);
    while (result != 0 && may_pass(&interruptions, &refusals));
    if (result == 0)
        return 0;
    /* Touching the page would have been a SIGBUS. */
    return errno == EFAULT ? -EIO : -errno;
}

int32_t drumlin_map_destroy(void *memory, int32_t fd, int64_t offset, int64_t size)
{
    if (munmap(memory, (size_t)size) != 0)
        return -errno;
    (void)posix_fadvise(fd, offset, size, POSIX_FADV_DONTNEED);
    return 0;
}
