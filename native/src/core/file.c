#include "file.h"

#include "drumlin/core.h"
#include "retry.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

/* Linux 6.1 has these fields of struct statx. Many headers lack them, so they are read by their offsets. */
#define DIOALIGN_BIT 0x2000u
#define STATX_BYTES 256
#define MASK_OFFSET 0
#define MEMORY_ALIGN_OFFSET 152
#define OFFSET_ALIGN_OFFSET 156

/* Where the headers have the fields, they hold the numbers above to them. */
#ifdef STATX_DIOALIGN
_Static_assert(DIOALIGN_BIT == STATX_DIOALIGN, "STATX_DIOALIGN");
_Static_assert(STATX_BYTES == sizeof(struct statx), "struct statx");
_Static_assert(MASK_OFFSET == offsetof(struct statx, stx_mask), "stx_mask");
_Static_assert(MEMORY_ALIGN_OFFSET == offsetof(struct statx, stx_dio_mem_align), "stx_dio_mem_align");
_Static_assert(OFFSET_ALIGN_OFFSET == offsetof(struct statx, stx_dio_offset_align), "stx_dio_offset_align");
#endif

static int32_t result(int value)
{
    return value < 0 ? -errno : value;
}

static uint32_t word_at(const uint8_t *bytes, size_t offset)
{
    uint32_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

/* The alignment that direct transfers of fd need; 0 where it cannot have them. */
static int32_t direct_alignment(int fd)
{
    uint8_t statx[STATX_BYTES] = {0};
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, DIOALIGN_BIT, statx) < 0 ||
        !(word_at(statx, MASK_OFFSET) & DIOALIGN_BIT))
        return getpagesize() > DRUMLIN_ALIGNMENT ? 0 : DRUMLIN_ALIGNMENT;
    uint32_t memory = word_at(statx, MEMORY_ALIGN_OFFSET);
    uint32_t offset = word_at(statx, OFFSET_ALIGN_OFFSET);
    uint32_t alignment = memory > offset ? memory : offset;
    return offset == 0 || alignment > DRUMLIN_ALIGNMENT ? 0 : (int32_t)alignment;
}

/*
 * Sets O_DIRECT after the open: a file system that refuses it at the open may have created the file by then, and a
 * second attempt with O_EXCL would fail.
 */
static int try_direct(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -errno;
    if (direct_alignment(fd) == 0)
        return 0;
    if (fcntl(fd, F_SETFL, flags | O_DIRECT) < 0 && errno != EINVAL && errno != EOPNOTSUPP)
        return -errno;
    return 0;
}

static int open_retrying(const char *path, int flags, mode_t permissions)
{
    int fd, times = 0;
    do
        fd = open(path, flags, permissions);
    while (fd < 0 && interrupted(&times));
    return result(fd);
}

int32_t drumlin_file_open(const char *path, int32_t modes, int32_t permissions)
{
    int flags = O_CLOEXEC | O_NOCTTY;
    switch (modes & (DRUMLIN_OPEN_READ | DRUMLIN_OPEN_WRITE)) {
    case DRUMLIN_OPEN_READ: flags |= O_RDONLY; break;
    case DRUMLIN_OPEN_WRITE: flags |= O_WRONLY; break;
    case DRUMLIN_OPEN_READ | DRUMLIN_OPEN_WRITE: flags |= O_RDWR; break;
    default: return -EINVAL;
    }
    if (modes & DRUMLIN_OPEN_CREATE)
        flags |= O_CREAT | (modes & DRUMLIN_OPEN_EXCLUSIVE ? O_EXCL : 0);
    if (modes & DRUMLIN_OPEN_TRUNCATE)
        flags |= O_TRUNC;

    int fd = open_retrying(path, flags, (mode_t)permissions);
    if (fd >= 0 && (modes & DRUMLIN_OPEN_DIRECT)) {
        int error = try_direct(fd);
        if (error) {
            close(fd);
            return error;
        }
    }
    return fd;
}

int32_t drumlin_file_alignment(int32_t fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -errno;
    return flags & O_DIRECT ? direct_alignment(fd) : 1;
}

int32_t drumlin_file_close(int32_t fd)
{
    /* Linux frees the descriptor also when a signal comes; a retry could close somebody else's file. */
    return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

int64_t drumlin_file_write(int32_t fd, const void *data, int64_t length, int64_t offset)
{
    if (length < 0 || offset < 0)
        return -EINVAL;
    int64_t done = 0;
    int times = 0;
    while (done < length) {
        ssize_t count = pwrite(fd, (const char *)data + done, (size_t)(length - done), offset + done);
        if (count == 0)
            return -EIO;
        if (count > 0) {
            done += count;
            times = 0;
        } else if (!interrupted(&times)) {
            return -errno;
        }
    }
    return length;
}

int file_at_end(int fd, int64_t position)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && position >= status.st_size;
}

int64_t drumlin_file_read(int32_t fd, void *data, int64_t length, int64_t offset)
{
    if (length < 0 || offset < 0)
        return -EINVAL;
    int64_t done = 0;
    int times = 0;
    while (done < length) {
        ssize_t count = pread(fd, (char *)data + done, (size_t)(length - done), offset + done);
        if (count == 0)
            break;
        if (count > 0) {
            done += count;
            times = 0;
            if (done < length && file_at_end(fd, offset + done))
                break;
        } else if (!interrupted(&times)) {
            return -errno;
        }
    }
    return done;
}

int64_t drumlin_file_size(int32_t fd)
{
    struct stat status;
    return fstat(fd, &status) < 0 ? -errno : status.st_size;
}

static int32_t extend_file(int fd, int64_t size)
{
    int64_t present = drumlin_file_size(fd);
    if (present < 0)
        return (int32_t)present;
    int32_t error = present < size ? drumlin_file_truncate(fd, size) : 0;
    return error ? error : 1;
}

int32_t drumlin_file_writeback(int32_t fd, int64_t offset, int64_t length)
{
    int value = sync_file_range(fd, offset, length, SYNC_FILE_RANGE_WRITE);
    if (value < 0 && (errno == ENOSYS || errno == ESPIPE))
        return 1;
    return result(value);
}

/* Bytes to reserve by one call where signals interrupt: few enough to succeed between two of them. */
#define RESERVED_AT_ONCE (16 << 20)

int32_t drumlin_file_reserve(int32_t fd, int64_t offset, int64_t length)
{
    int times = 0;
    int value = fallocate(fd, 0, offset, length);
    if (value < 0 && interrupted(&times)) {
        /*
         * An interrupted tmpfs gives back what it has reserved (before Linux 6.11). Under a profiler's timer a call for
         * the whole range would be interrupted every time.
         */
        int64_t end = offset + length;
        while (offset < end && (value >= 0 || interrupted(&times))) {
            int64_t part = end - offset < RESERVED_AT_ONCE ? end - offset : RESERVED_AT_ONCE;
            value = fallocate(fd, 0, offset, part);
            if (value >= 0) {
                offset += part;
                times = 0;
            }
        }
    }
    if (value < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
        return 1;
    return result(value);
}

int32_t drumlin_file_allocate(int32_t fd, int64_t size)
{
    if (size <= 0)
        return size < 0 ? -EINVAL : 0;
    int32_t value = drumlin_file_reserve(fd, 0, size);
    return value == 1 ? extend_file(fd, size) : value;
}

int32_t drumlin_file_truncate(int32_t fd, int64_t size)
{
    int value, times = 0;
    do
        value = ftruncate(fd, size);
    while (value < 0 && interrupted(&times));
    return result(value);
}

int32_t drumlin_file_sync(int32_t fd, int32_t metadata)
{
    int value, times = 0;
    do
        value = metadata ? fsync(fd) : fdatasync(fd);
    while (value < 0 && interrupted(&times));
    return result(value);
}

int32_t drumlin_file_rename(const char *from, const char *to)
{
    return result(rename(from, to));
}

int32_t drumlin_directory_sync(const char *path)
{
    int fd = open_retrying(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    int32_t error = drumlin_file_sync(fd, 1);
    close(fd);
    return error == -EINVAL ? 0 : error;
}
