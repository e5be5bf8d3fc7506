#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#define PAGE 4096
#define SIZE ((5 << 20) + 1234)

/* ---- faults ------------------------------------------------------------------------------------------------------ */

static struct {
    int mlock_errno;
    int populate_errno;
    int interruptions; /* of populating */
    long type;         /* the file system's number, 0: what it is */
    const char *kernel; /* its release, NULL: what it is */
} plan;

int __real_madvise(void *address, size_t length, int advice);
int __wrap_madvise(void *address, size_t length, int advice);
int __wrap_madvise(void *address, size_t length, int advice)
{
    if (advice == MADV_POPULATE_READ && plan.populate_errno) {
        errno = plan.populate_errno;
        return -1;
    }
    if (advice == MADV_POPULATE_READ && length > 0 && plan.interruptions > 0) {
        plan.interruptions--;
        errno = EINTR;
        return -1;
    }
    return __real_madvise(address, length, advice);
}

static int naps;
int __wrap_nanosleep(const struct timespec *duration, struct timespec *left);
int __wrap_nanosleep(const struct timespec *duration, struct timespec *left)
{
    (void)duration;
    (void)left;
    naps++;
    return 0;
}

long __wrap_syscall(long number, void *address, size_t length, int flags);
long __wrap_syscall(long number, void *address, size_t length, int flags)
{
    assert_int_equal(number, SYS_mlock2);
    if (plan.mlock_errno) {
        errno = plan.mlock_errno;
        return -1;
    }
    return mlock2(address, length, (unsigned)flags);
}

int __real_fstatfs(int fd, struct statfs *status);
int __wrap_fstatfs(int fd, struct statfs *status);
int __wrap_fstatfs(int fd, struct statfs *status)
{
    int result = __real_fstatfs(fd, status);
    if (plan.type)
        status->f_type = plan.type;
    return result;
}

int __real_uname(struct utsname *kernel);
int __wrap_uname(struct utsname *kernel);
int __wrap_uname(struct utsname *kernel)
{
    int result = __real_uname(kernel);
    if (plan.kernel)
        strcpy(kernel->release, plan.kernel);
    return result;
}

/* ---- a file ------------------------------------------------------------------------------------------------------ */

static char path[] = "map_test.XXXXXX";
static char content[SIZE];

static int set_up(void **state)
{
    (void)state;
    memset(&plan, 0, sizeof plan);
    strcpy(path, "map_test.XXXXXX");
    int fd = mkstemp(path);
    for (size_t i = 0; i < SIZE; i++)
        content[i] = (char)(i * 7 + i / 977);
    return fd < 0 || write(fd, content, SIZE) != SIZE || fsync(fd) != 0 || close(fd) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

static int opened(void)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static int pages_in_cache(int fd)
{
    unsigned char resident[SIZE / PAGE + 1] = {0};
    void *map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mincore(map, SIZE, resident), 0);
    int count = 0;
    for (size_t i = 0; i < sizeof resident; i++)
        count += resident[i] & 1;
    munmap(map, SIZE);
    return count;
}

static void *mapped(int fd, int64_t size)
{
    void *memory = NULL;
    int32_t error = drumlin_map_create(&memory, fd, 0, size);
    /* The build folder may lie elsewhere, and the kernel be old. */
    if (error == -EOPNOTSUPP || error == -ENOSYS || error == -ENOMEM || error == -EPERM)
        skip();
    assert_int_equal(error, 0);
    return memory;
}

static void has_the_bytes_of_the_file(void **state)
{
    (void)state;
    int fd = opened();
    char *memory = mapped(fd, SIZE);
    assert_int_equal(drumlin_map_populate(memory, 0, 100), 0);
    assert_memory_equal(memory, content, 100);
    assert_int_equal(drumlin_map_populate(memory, 12345, SIZE - 12345), 0);
    assert_memory_equal(memory, content, SIZE);
    assert_int_equal(drumlin_map_destroy(memory, fd, 0, SIZE), 0);
    close(fd);
}

static void has_the_bytes_of_a_range(void **state)
{
    (void)state;
    int fd = opened();
    char *memory = NULL;
    assert_int_equal(drumlin_map_destroy(mapped(fd, SIZE), fd, 0, SIZE), 0);
    assert_int_equal(drumlin_map_create((void **)&memory, fd, 3 * PAGE, PAGE), 0);
    assert_int_equal(drumlin_map_populate(memory, 10, PAGE - 10), 0);
    assert_memory_equal(memory, content + 3 * PAGE, PAGE);
    assert_int_equal(drumlin_map_destroy(memory, fd, 3 * PAGE, PAGE), 0);
    assert_int_equal(drumlin_map_create((void **)&memory, fd, 1, PAGE), -EINVAL);
    assert_int_equal(drumlin_map_create((void **)&memory, fd, -PAGE, PAGE), -EINVAL);
    close(fd);
}

static void keeps_what_was_populated(void **state)
{
    (void)state;
    int fd = opened();
    char *memory = mapped(fd, SIZE);
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), 0);
    /* The kernel takes unlocked pages away at this. */
    (void)__real_madvise(memory, SIZE / PAGE * PAGE, MADV_DONTNEED);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    assert_int_equal(pages_in_cache(fd), SIZE / PAGE + 1);
    assert_int_equal(drumlin_map_destroy(memory, fd, 0, SIZE), 0);
    close(fd);
}

static void leaves_nothing_in_the_page_cache(void **state)
{
    (void)state;
    int fd = opened();
    struct statfs status;
    assert_int_equal(__real_fstatfs(fd, &status), 0);
    if (status.f_type == TMPFS_MAGIC)
        skip();
    char *memory = mapped(fd, SIZE);
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), 0);
    assert_int_equal(drumlin_map_destroy(memory, fd, 0, SIZE), 0);
    assert_int_equal(pages_in_cache(fd), 0);
    close(fd);
}

static void says_that_the_file_is_shorter(void **state)
{
    (void)state;
    int fd = opened();
    char *memory = mapped(fd, 2 * SIZE);
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), 0);
    assert_int_equal(drumlin_map_populate(memory, SIZE, SIZE), -EIO);
    assert_int_equal(truncate(path, SIZE / 2), 0);
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), -EIO);
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE / 2), 0);
    assert_memory_equal(memory, content, SIZE / 2);
    assert_int_equal(drumlin_map_destroy(memory, fd, 0, 2 * SIZE), 0);
    close(fd);
}

static void goes_on_after_an_interruption(void **state)
{
    (void)state;
    int fd = opened();
    char *memory = mapped(fd, SIZE);
    plan.interruptions = 2;
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), 0);
    assert_int_equal(plan.interruptions, 0);
    assert_memory_equal(memory, content, SIZE);
    plan.populate_errno = ENOMEM;
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), -ENOMEM);
    plan.populate_errno = EAGAIN;
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), -EAGAIN);
    assert_in_range(naps, 1000, 100000);
    plan.populate_errno = EINTR;
    assert_int_equal(drumlin_map_populate(memory, 0, SIZE), -EINTR);
    assert_int_equal(drumlin_map_destroy(memory, fd, 0, SIZE), 0);
    close(fd);
}

static void needs_what_keeps_pages(void **state)
{
    (void)state;
    void *memory = NULL;
    int fd = opened();
    plan.kernel = "6.9.0-rc5";
    assert_int_equal(drumlin_map_create(&memory, fd, 0, 0), -EINVAL);
    plan.type = NFS_SUPER_MAGIC;
    assert_int_equal(drumlin_map_create(&memory, fd, 0, SIZE), -EOPNOTSUPP);
    plan.type = EXT4_SUPER_MAGIC;
    plan.mlock_errno = ENOMEM;
    assert_int_equal(drumlin_map_create(&memory, fd, 0, SIZE), -ENOMEM);
    static const char *const old[] = {"6.8.12", "5.14.0-503.el9.x86_64", "4.18", "?"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
        plan.kernel = old[i];
        assert_int_equal(drumlin_map_create(&memory, fd, 0, SIZE), -ENOSYS);
    }
    plan.kernel = "10.0.1";
    assert_null(memory);
    close(fd);
    assert_int_equal(drumlin_map_create(&memory, fd, 0, SIZE), -EOPNOTSUPP);
}

static void refuses_a_range_before_the_file(void **state)
{
    (void)state;
    assert_int_equal(drumlin_map_populate(content, -1, 1), -EINVAL);
    assert_int_equal(drumlin_map_populate(content, 0, -1), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(has_the_bytes_of_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(has_the_bytes_of_a_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_what_was_populated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_nothing_in_the_page_cache, set_up, tear_down),
        cmocka_unit_test_setup_teardown(says_that_the_file_is_shorter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(goes_on_after_an_interruption, set_up, tear_down),
        cmocka_unit_test_setup_teardown(needs_what_keeps_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_range_before_the_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
