#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- faults: each wrapped call fails as the plan says -------------------------------------------------------- */

static struct {
    int pwrite_errno;     /* fail with it ... */
    int pwrite_errno_after; /* ... after so many calls; */
    int pwrite_fail_once;
    size_t largest; /* most that pread and pwrite move, 0: all */
    int pwrite_zero;
    int pread_interruptions;
    int open_interruptions;
    int fallocate_errno;
    int fallocate_interruptions; /* how often if the errno is EINTR, at least once */
    int ftruncate_interruptions;
    int sync_errno;
    int sync_interruptions;
    int close_errno;
    int set_flags_errno;
    int statx_missing; /* 1: the call, 2: the answer */
    int page_size; /* 0: 4096 */
    int statx_answers; /* answer with the two below */
    uint32_t memory_align, offset_align;
    int pwrites, preads;
} plan;

static int failing(int *counter, int error)
{
    if (*counter <= 0)
        return 0;
    (*counter)--;
    errno = error;
    return 1;
}

ssize_t __real_pwrite(int fd, const void *data, size_t length, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t length, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t length, off_t offset)
{
    plan.pwrites++;
    if (plan.pwrite_errno && plan.pwrite_errno_after-- <= 0) {
        errno = plan.pwrite_errno;
        if (plan.pwrite_fail_once)
            plan.pwrite_errno = 0;
        return -1;
    }
    if (plan.pwrite_zero)
        return 0;
    return __real_pwrite(fd, data, plan.largest && length > plan.largest ? plan.largest : length, offset);
}

ssize_t __real_pread(int fd, void *data, size_t length, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t length, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t length, off_t offset)
{
    plan.preads++;
    if (failing(&plan.pread_interruptions, EINTR))
        return -1;
    return __real_pread(fd, data, plan.largest && length > plan.largest ? plan.largest : length, offset);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    if (failing(&plan.open_interruptions, EINTR))
        return -1;
    return __real_open(path, flags, mode);
}

int __real_fallocate(int fd, int mode, off_t offset, off_t length);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t length);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t length)
{
    if (plan.fallocate_errno) {
        errno = plan.fallocate_errno;
        if (errno == EINTR && --plan.fallocate_interruptions <= 0)
            plan.fallocate_errno = 0;
        return -1;
    }
    return __real_fallocate(fd, mode, offset, length);
}

int __real_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length)
{
    return failing(&plan.ftruncate_interruptions, EINTR) ? -1 : __real_ftruncate(fd, length);
}

static int fdatasyncs, fsyncs;
static int sync_fault(void)
{
    if (failing(&plan.sync_interruptions, EINTR))
        return -1;
    errno = plan.sync_errno;
    return plan.sync_errno ? -1 : 0;
}

int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    (void)fd;
    fsyncs++;
    return sync_fault();
}

int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    (void)fd;
    fdatasyncs++;
    return sync_fault();
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int value = __real_close(fd);
    if (!plan.close_errno)
        return value;
    errno = plan.close_errno;
    return -1;
}

int __real_fcntl(int fd, int command, long argument);
int __wrap_fcntl(int fd, int command, long argument);
int __wrap_fcntl(int fd, int command, long argument)
{
    if (command == F_SETFL && (argument & O_DIRECT) && plan.set_flags_errno) {
        errno = plan.set_flags_errno;
        return -1;
    }
    return __real_fcntl(fd, command, argument);
}

int __wrap_getpagesize(void);
int __wrap_getpagesize(void)
{
    return plan.page_size ? plan.page_size : 4096;
}

long __real_syscall(long number, long a, long b, long c, long d, long e);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);
long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
    if (number != SYS_statx)
        return __real_syscall(number, a, b, c, d, e);
    if (plan.statx_missing == 1) {
        errno = ENOSYS;
        return -1;
    }
    if (plan.statx_missing == 2)
        return 0;
    if (!plan.statx_answers)
        return __real_syscall(number, a, b, c, d, e);
    uint8_t *answer = (uint8_t *)e;
    uint32_t mask = 0x2000;
    memcpy(answer, &mask, 4);
    memcpy(answer + 152, &plan.memory_align, 4);
    memcpy(answer + 156, &plan.offset_align, 4);
    return 0;
}

/* ---- fixture -------------------------------------------------------------------------------------------------- */

static char folder[] = "file_test.XXXXXX"; /* in the working folder: a disk, which /tmp need not be */
static char path[64];
static char other[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(other, sizeof other, "%s/b", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int clear(void **state)
{
    (void)state;
    memset(&plan, 0, sizeof plan);
    unlink(path);
    unlink(other);
    return 0;
}

#define READ_WRITE_CREATE (DRUMLIN_OPEN_READ | DRUMLIN_OPEN_WRITE | DRUMLIN_OPEN_CREATE)

static int open_new(void)
{
    int fd = drumlin_file_open(path, READ_WRITE_CREATE, 0644);
    assert_true(fd >= 0);
    return fd;
}

static void fill(uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i++)
        data[i] = (uint8_t)(i * 7 + i / 251);
}

/* ---- open and alignment --------------------------------------------------------------------------------------- */

static void modes_mean_what_they_say(void **state)
{
    (void)state;
    assert_int_equal(drumlin_file_open(path, 0, 0644), -EINVAL);
    assert_int_equal(drumlin_file_open(path, DRUMLIN_OPEN_CREATE, 0644), -EINVAL);
    assert_int_equal(drumlin_file_open(path, DRUMLIN_OPEN_READ, 0644), -ENOENT);
    int fd = drumlin_file_open(path, DRUMLIN_OPEN_WRITE | DRUMLIN_OPEN_CREATE | DRUMLIN_OPEN_EXCLUSIVE, 0640);
    assert_true(fd >= 0);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode & 0777 & ~0640, 0);
    assert_int_equal(drumlin_file_write(fd, "abc", 3, 0), 3);
    char byte;
    assert_int_equal(drumlin_file_read(fd, &byte, 1, 0), -EBADF);
    assert_int_equal(drumlin_file_close(fd), 0);
    assert_int_equal(
        drumlin_file_open(path, DRUMLIN_OPEN_WRITE | DRUMLIN_OPEN_CREATE | DRUMLIN_OPEN_EXCLUSIVE, 0644), -EEXIST);

    fd = drumlin_file_open(path, DRUMLIN_OPEN_READ, 0);
    assert_int_equal(drumlin_file_size(fd), 3);
    assert_int_equal(drumlin_file_write(fd, "x", 1, 0), -EBADF);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    drumlin_file_close(fd);
    fd = drumlin_file_open(path, DRUMLIN_OPEN_WRITE | DRUMLIN_OPEN_TRUNCATE, 0);
    assert_int_equal(drumlin_file_size(fd), 0);
    drumlin_file_close(fd);
}

static void an_interrupted_open_is_repeated(void **state)
{
    (void)state;
    plan.open_interruptions = 2;
    int fd = drumlin_file_open(path, READ_WRITE_CREATE, 0644);
    assert_true(fd >= 0);
    assert_int_equal(plan.open_interruptions, 0);
    drumlin_file_close(fd);
}

static int alignment_as_opened(int modes)
{
    int fd = drumlin_file_open(path, READ_WRITE_CREATE | modes, 0644);
    assert_true(fd >= 0);
    int alignment = drumlin_file_alignment(fd);
    assert_int_equal(!!(fcntl(fd, F_GETFL) & O_DIRECT), alignment > 1);
    drumlin_file_close(fd);
    return alignment;
}

static void a_buffered_file_has_alignment_1(void **state)
{
    (void)state;
    assert_int_equal(alignment_as_opened(0), 1);
}

static void the_kernel_tells_the_alignment(void **state)
{
    (void)state;
    plan.statx_answers = 1;
    plan.memory_align = 4;
    plan.offset_align = 512;
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 512);
    plan.memory_align = 4096;
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 4096);
}

static void without_an_answer_the_alignment_is_a_page(void **state)
{
    (void)state;
    plan.statx_missing = 1;
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 4096);
    plan.statx_missing = 2;
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 4096);
    plan.page_size = 65536; /* as on many ARM machines */
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 1);
}

static void a_file_that_cannot_be_direct_is_buffered(void **state)
{
    (void)state;
    plan.statx_answers = 1; /* both 0: the kernel's way to say no */
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 1);
    plan.memory_align = 512;
    plan.offset_align = 65536;
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT), 1);
}

static void a_refused_direct_open_is_buffered_even_when_exclusive(void **state)
{
    (void)state;
    plan.set_flags_errno = EINVAL;
    assert_int_equal(alignment_as_opened(DRUMLIN_OPEN_DIRECT | DRUMLIN_OPEN_EXCLUSIVE), 1);
}

static void another_error_of_a_direct_open_is_told(void **state)
{
    (void)state;
    plan.set_flags_errno = EIO;
    assert_int_equal(drumlin_file_open(path, READ_WRITE_CREATE | DRUMLIN_OPEN_DIRECT, 0644), -EIO);
}

static void bad_descriptors_are_told(void **state)
{
    (void)state;
    assert_int_equal(drumlin_file_alignment(-1), -EBADF);
    assert_int_equal(drumlin_file_size(-1), -EBADF);
    assert_int_equal(drumlin_file_close(-1), -EBADF);
    assert_int_equal(drumlin_file_truncate(-1, 0), -EBADF);
    assert_int_equal(drumlin_file_allocate(-1, 10), -EBADF);
}

/* ---- transfers ------------------------------------------------------------------------------------------------ */

static void direct_transfers_carry_the_bytes(void **state)
{
    (void)state;
    int fd = drumlin_file_open(path, READ_WRITE_CREATE | DRUMLIN_OPEN_DIRECT, 0644);
    int alignment = drumlin_file_alignment(fd);
    print_message("alignment here: %d\n", alignment);
    uint8_t *data, *back;
    assert_int_equal(drumlin_memory_allocate((void **)&data, 65536), 0);
    assert_int_equal(drumlin_memory_allocate((void **)&back, 65536), 0);
    fill(data, 65536);
    assert_int_equal(drumlin_file_write(fd, data, 65536, 4096), 65536);
    assert_int_equal(drumlin_file_read(fd, back, 65536, 4096), 65536);
    assert_memory_equal(data, back, 65536);
    if (alignment > 1)
        assert_int_equal(drumlin_file_write(fd, data + 1, 4096, 0), -EINVAL);

    /* A direct read past an end that is on no boundary gives the bytes that are there, and no error. */
    assert_int_equal(drumlin_file_truncate(fd, 4096 + 1000), 0);
    assert_int_equal(drumlin_file_read(fd, back, 8192, 4096), 1000);
    assert_memory_equal(data, back, 1000);
    assert_int_equal(drumlin_file_read(fd, back, 8192, 8192), 0);
    drumlin_memory_free(data);
    drumlin_memory_free(back);
    drumlin_file_close(fd);
}

static void short_counts_and_interruptions_are_retried(void **state)
{
    (void)state;
    uint8_t data[10000], back[10000];
    fill(data, sizeof data);
    int fd = open_new();
    plan.largest = 999;
    plan.pwrite_errno = EINTR;
    plan.pwrite_errno_after = 3;
    plan.pwrite_fail_once = 1;
    assert_int_equal(drumlin_file_write(fd, data, sizeof data, 77), sizeof data);
    assert_int_equal(plan.pwrites, 12);
    plan.pread_interruptions = 2;
    assert_int_equal(drumlin_file_read(fd, back, sizeof back, 77), sizeof back);
    assert_int_equal(plan.preads, 13);
    assert_memory_equal(data, back, sizeof data);
    drumlin_file_close(fd);
}

static void interruptions_without_end_are_told(void **state)
{
    (void)state;
    char byte = 1;
    int fd = open_new();
    plan.open_interruptions = plan.pread_interruptions = plan.ftruncate_interruptions = plan.sync_interruptions = INT_MAX;
    plan.fallocate_interruptions = INT_MAX;
    plan.fallocate_errno = plan.pwrite_errno = EINTR;
    assert_int_equal(drumlin_file_open(path, DRUMLIN_OPEN_READ, 0), -EINTR);
    assert_int_equal(drumlin_directory_sync(folder), -EINTR);
    assert_int_equal(drumlin_file_write(fd, &byte, 1, 0), -EINTR);
    assert_int_equal(drumlin_file_read(fd, &byte, 1, 0), -EINTR);
    assert_int_equal(drumlin_file_reserve(fd, 0, 10), -EINTR);
    assert_int_equal(drumlin_file_allocate(fd, 10), -EINTR);
    assert_int_equal(drumlin_file_truncate(fd, 10), -EINTR);
    assert_int_equal(drumlin_file_sync(fd, 0), -EINTR);
    assert_int_equal(drumlin_file_sync(fd, 1), -EINTR);
    assert_true(INT_MAX - plan.ftruncate_interruptions > 1000);
    memset(&plan, 0, sizeof plan);
    drumlin_file_close(fd);
}

static void a_read_ends_at_the_end_of_the_file(void **state)
{
    (void)state;
    uint8_t data[3000] = {1}, back[5000];
    int fd = open_new();
    assert_int_equal(drumlin_file_write(fd, data, sizeof data, 0), sizeof data);
    plan.largest = 1000;
    assert_int_equal(drumlin_file_read(fd, back, sizeof back, 500), 2500);
    assert_int_equal(drumlin_file_read(fd, back, sizeof back, 3000), 0);
    assert_int_equal(drumlin_file_read(fd, back, sizeof back, 100000), 0);
    drumlin_file_close(fd);
}

static void a_write_that_fails_half_way_is_told(void **state)
{
    (void)state;
    uint8_t data[10000] = {0};
    int fd = open_new();
    int errors[] = {ENOSPC, EIO, EDQUOT};
    for (size_t i = 0; i < 3; i++) {
        plan.largest = 1000;
        plan.pwrite_errno = errors[i];
        plan.pwrite_errno_after = 4;
        assert_int_equal(drumlin_file_write(fd, data, sizeof data, 0), -errors[i]);
    }
    plan.pwrite_errno = 0;
    plan.pwrite_zero = 1;
    assert_int_equal(drumlin_file_write(fd, data, sizeof data, 0), -EIO);
    drumlin_file_close(fd);
}

static void negative_lengths_and_offsets_are_refused(void **state)
{
    (void)state;
    char byte = 0;
    int fd = open_new();
    assert_int_equal(drumlin_file_write(fd, &byte, -1, 0), -EINVAL);
    assert_int_equal(drumlin_file_write(fd, &byte, 1, -1), -EINVAL);
    assert_int_equal(drumlin_file_read(fd, &byte, -1, 0), -EINVAL);
    assert_int_equal(drumlin_file_read(fd, &byte, 1, -1), -EINVAL);
    assert_int_equal(drumlin_file_write(fd, &byte, 0, 0), 0);
    assert_int_equal(drumlin_file_read(fd, &byte, 0, 0), 0);
    assert_int_equal(drumlin_file_allocate(fd, -1), -EINVAL);
    drumlin_file_close(fd);
}

static void offsets_beyond_4_gib_are_kept(void **state)
{
    (void)state;
    int64_t far = (INT64_C(5) << 30) + 3;
    char back[4];
    int fd = open_new();
    assert_int_equal(drumlin_file_write(fd, "far", 4, far), 4);
    assert_int_equal(drumlin_file_size(fd), far + 4);
    assert_int_equal(drumlin_file_read(fd, back, 4, far), 4);
    assert_string_equal(back, "far");
    drumlin_file_close(fd);
}

/* ---- space, durability, names --------------------------------------------------------------------------------- */

static void allocation_reserves_and_extends(void **state)
{
    (void)state;
    int fd = open_new();
    plan.fallocate_errno = EINTR;
    int value = drumlin_file_allocate(fd, 100000);
    assert_in_range(value, 0, 1);
    assert_int_equal(drumlin_file_size(fd), 100000);
    struct stat status;
    fstat(fd, &status);
    if (value == 0)
        assert_true(status.st_blocks * 512 >= 100000);
    assert_true(drumlin_file_allocate(fd, 10) >= 0);
    assert_int_equal(drumlin_file_allocate(fd, 0), 0);
    assert_int_equal(drumlin_file_size(fd), 100000);
    drumlin_file_close(fd);
}

static void where_nothing_can_be_reserved_the_file_is_made_longer(void **state)
{
    (void)state;
    int fd = open_new();
    plan.fallocate_errno = EOPNOTSUPP;
    plan.ftruncate_interruptions = 1;
    assert_int_equal(drumlin_file_allocate(fd, 5000), 1);
    assert_int_equal(drumlin_file_size(fd), 5000);
    assert_int_equal(drumlin_file_allocate(fd, 100), 1);
    assert_int_equal(drumlin_file_size(fd), 5000);
    drumlin_file_close(fd);
}

static void a_range_is_reserved_and_what_is_after_it_stays(void **state)
{
    (void)state;
    int fd = open_new();
    assert_int_equal(drumlin_file_write(fd, "far", 3, 500000), 3);
    plan.fallocate_errno = EINTR;
    int value = drumlin_file_reserve(fd, 100000, 50000);
    assert_in_range(value, 0, 1);
    assert_int_equal(drumlin_file_size(fd), 500003);
    struct stat status;
    fstat(fd, &status);
    if (value == 0)
        assert_true(status.st_blocks * 512 >= 50000 && status.st_blocks * 512 < 100000);
    if (drumlin_file_reserve(fd, 500000, 100000) == 0)
        assert_int_equal(drumlin_file_size(fd), 600000);
    char back[3];
    assert_int_equal(drumlin_file_read(fd, back, 3, 500000), 3);
    assert_memory_equal(back, "far", 3);
    plan.fallocate_errno = EOPNOTSUPP;
    assert_int_equal(drumlin_file_reserve(fd, 0, 1000000), 1);
    assert_true(drumlin_file_size(fd) <= 600000);
    plan.fallocate_errno = 0;
    assert_int_equal(drumlin_file_reserve(fd, 0, 0), -EINVAL);
    drumlin_file_close(fd);
}

static void writeback_changes_nothing_and_tells_of_wrong_ranges(void **state)
{
    (void)state;
    int fd = open_new();
    assert_int_equal(drumlin_file_write(fd, "data", 4, 10), 4);
    assert_in_range(drumlin_file_writeback(fd, 0, 1 << 20), 0, 1);
    assert_int_equal(drumlin_file_size(fd), 14);
    assert_int_equal(drumlin_file_writeback(fd, -1, 5), -EINVAL);
    assert_int_equal(drumlin_file_writeback(-1, 0, 5), -EBADF);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(drumlin_file_writeback(ends[1], 0, 5), 1);
    close(ends[0]);
    close(ends[1]);
    drumlin_file_close(fd);
}

static void want_of_space_is_told_by_allocation(void **state)
{
    (void)state;
    int fd = open_new();
    plan.fallocate_errno = ENOSPC;
    assert_int_equal(drumlin_file_allocate(fd, 5000), -ENOSPC);
    plan.fallocate_errno = 0;
    struct rlimit limit, low;
    getrlimit(RLIMIT_FSIZE, &limit);
    low = limit;
    low.rlim_cur = 8192;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    assert_int_equal(drumlin_file_allocate(fd, 1 << 20), -EFBIG);
    setrlimit(RLIMIT_FSIZE, &limit);
    drumlin_file_close(fd);
}

static void a_failed_sync_is_told_and_not_repeated(void **state)
{
    (void)state;
    int fd = open_new();
    fsyncs = fdatasyncs = 0;
    plan.sync_interruptions = 1;
    assert_int_equal(drumlin_file_sync(fd, 0), 0);
    assert_int_equal(fdatasyncs, 2);
    assert_int_equal(drumlin_file_sync(fd, 1), 0);
    assert_int_equal(fsyncs, 1);
    plan.sync_errno = EIO;
    assert_int_equal(drumlin_file_sync(fd, 0), -EIO);
    assert_int_equal(fdatasyncs, 3);
    assert_int_equal(drumlin_file_sync(fd, 1), -EIO);
    assert_int_equal(fsyncs, 2);
    drumlin_file_close(fd);
}

static void an_error_at_close_is_told_an_interruption_is_none(void **state)
{
    (void)state;
    int fd = open_new();
    plan.close_errno = EIO;
    assert_int_equal(drumlin_file_close(fd), -EIO);
    plan.close_errno = 0;
    fd = open_new();
    plan.close_errno = EINTR;
    assert_int_equal(drumlin_file_close(fd), 0);
}

static void a_rename_replaces(void **state)
{
    (void)state;
    int fd = open_new();
    drumlin_file_write(fd, "new", 3, 0);
    drumlin_file_close(fd);
    fd = drumlin_file_open(other, READ_WRITE_CREATE, 0644);
    drumlin_file_write(fd, "older", 5, 0);
    drumlin_file_close(fd);
    assert_int_equal(drumlin_file_rename(path, other), 0);
    assert_int_equal(access(path, F_OK), -1);
    fd = drumlin_file_open(other, DRUMLIN_OPEN_READ, 0);
    assert_int_equal(drumlin_file_size(fd), 3);
    drumlin_file_close(fd);
    assert_int_equal(drumlin_file_rename(path, other), -ENOENT);
}

static void a_directory_is_synced(void **state)
{
    (void)state;
    fsyncs = 0;
    assert_int_equal(drumlin_directory_sync(folder), 0);
    assert_int_equal(fsyncs, 1);
    assert_int_equal(drumlin_directory_sync(path), -ENOENT);
    drumlin_file_close(open_new());
    assert_int_equal(drumlin_directory_sync(path), -ENOTDIR);
    plan.sync_errno = EINVAL; /* what file systems answer that have no such thing */
    assert_int_equal(drumlin_directory_sync(folder), 0);
    plan.sync_errno = EIO;
    assert_int_equal(drumlin_directory_sync(folder), -EIO);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, clear, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(modes_mean_what_they_say),
        TEST(an_interrupted_open_is_repeated),
        TEST(a_buffered_file_has_alignment_1),
        TEST(the_kernel_tells_the_alignment),
        TEST(without_an_answer_the_alignment_is_a_page),
        TEST(a_file_that_cannot_be_direct_is_buffered),
        TEST(a_refused_direct_open_is_buffered_even_when_exclusive),
        TEST(another_error_of_a_direct_open_is_told),
        TEST(bad_descriptors_are_told),
        TEST(direct_transfers_carry_the_bytes),
        TEST(short_counts_and_interruptions_are_retried),
        TEST(interruptions_without_end_are_told),
        TEST(a_read_ends_at_the_end_of_the_file),
        TEST(a_write_that_fails_half_way_is_told),
        TEST(negative_lengths_and_offsets_are_refused),
        TEST(offsets_beyond_4_gib_are_kept),
        TEST(allocation_reserves_and_extends),
        TEST(where_nothing_can_be_reserved_the_file_is_made_longer),
        TEST(a_range_is_reserved_and_what_is_after_it_stays),
        TEST(writeback_changes_nothing_and_tells_of_wrong_ranges),
        TEST(want_of_space_is_told_by_allocation),
        TEST(a_failed_sync_is_told_and_not_repeated),
        TEST(an_error_at_close_is_told_an_interruption_is_none),
        TEST(a_rename_replaces),
        TEST(a_directory_is_synced),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
