#include "cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

static char folder[] = "faults_test.XXXXXX";
static char path[64], log_path[64];

/* ---- in the program that the library is loaded into ----------------------------------------------------------- */

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s, errno %d\n", __FILE__, __LINE__, #condition, errno); \
            return 1; \
        } \
    } while (0)
#define CHECK_ERROR(call, number) \
    do { \
        errno = 0; \
        CHECK((long)(call) == -1 && errno == (number)); \
    } while (0)

static char bytes[8192];

static int third_read_fails(int fd)
{
    int other = open("/dev/zero", O_RDONLY);
    CHECK(pread(fd, bytes, 8, 0) == 8 && read(other, bytes, 8) == 8);
    CHECK(pread64(fd, bytes, 8, 0) == 8);
    CHECK_ERROR(read(fd, bytes, 8), EIO);
    CHECK(read(fd, bytes, 8) == 8);
    return 0;
}

static int every_second_write_fails(int fd)
{
    struct iovec piece = {bytes, 8};
    CHECK(pwrite(fd, bytes, 8, 0) == 8);
    CHECK_ERROR(pwrite64(fd, bytes, 8, 0), ENOSPC);
    CHECK(write(fd, bytes, 8) == 8);
    CHECK_ERROR(pwritev(fd, &piece, 1, 0), ENOSPC);
    return 0;
}

static int writes_are_short(int fd)
{
    struct iovec pieces[] = {{bytes, 8}, {bytes, 8}};
    CHECK(pwrite(fd, bytes, 8, 0) == 8);
    CHECK(pwrite(fd, bytes, 8, 0) == 5 && pwritev(fd, pieces, 2, 0) == 5);
    return 0;
}

static int reads_move_nothing(int fd)
{
    CHECK(pread(fd, bytes, 8, 0) == 0 && read(fd, bytes, 8) == 0);
    return 0;
}

static int one_bit_is_flipped(int fd)
{
    CHECK(pread(fd, bytes, 8, 0) == 8 && memcmp(bytes, "\0\0\0\0\0\0\0\0", 8) == 0);
    CHECK(pread(fd, bytes, 8, 0) == 8 && memcmp(bytes, "\0\4\0\0\0\0\0\0", 8) == 0);
    CHECK(pread(fd, bytes, 8, 0) == 8 && memcmp(bytes, "\0\0\0\0\0\0\0\0", 8) == 0);
    return 0;
}

static int one_bit_of_a_mapping_is_flipped(int fd)
{
    char *memory = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(memory != MAP_FAILED && memory[4097] == 4 && memory[4096] == 0);
    CHECK(pread(fd, bytes, 8192, 0) == 8192 && bytes[4097] == 0);
    return 0;
}

static int others_fail(int fd)
{
    void *memory;
    CHECK_ERROR(fsync(fd), EIO);
    CHECK_ERROR(fdatasync(fd), EIO);
    CHECK_ERROR(rename("a", path), EXDEV);
    CHECK_ERROR(open(path, O_RDONLY), EMFILE);
    CHECK_ERROR(open64(path, O_RDONLY), EMFILE);
    CHECK_ERROR(openat(AT_FDCWD, path, O_RDONLY), EMFILE);
    CHECK(open("/dev/null", O_RDONLY) >= 0);
    CHECK_ERROR(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), ENOMEM);
    CHECK(posix_memalign(&memory, 4096, 4096) == ENOMEM && aligned_alloc(4096, 4096) == NULL);
    return 0;
}

static int io_uring_is_refused(int fd)
{
    (void)fd;
    CHECK_ERROR(syscall(SYS_io_uring_setup, 0, NULL), ENOSYS);
    return 0;
}

static int it_waits_for_its_moment(int fd)
{
    CHECK(pread(fd, bytes, 8, 0) == 8);
    int moment = open("moment", O_CREAT | O_WRONLY, 0666);
    CHECK(moment >= 0);
    ssize_t count = pread(fd, bytes, 8, 0);
    unlink("moment");
    CHECK(count == -1 && errno == EIO);
    return 0;
}

static int looks_fail(int fd)
{
    struct stat status;
    CHECK_ERROR(stat(path, &status), EIO);
    CHECK_ERROR(access(path, F_OK), EIO);
    CHECK_ERROR(fstatat(AT_FDCWD, path, &status, 0), EIO);
    CHECK_ERROR(fstat(fd, &status), EIO);
    CHECK_ERROR(fstatat(fd, "", &status, AT_EMPTY_PATH), EIO);
    CHECK(lstat("/", &status) == 0 && fstat(0, &status) == 0);
    return 0;
}

static int lists_fail(int fd)
{
    (void)fd;
    *strrchr(path, '/') = '\0';
    CHECK(opendir(path) == NULL && errno == EACCES);
    DIR *directory = opendir(path);
    CHECK(directory != NULL && readdir(directory) != NULL);
    errno = 0;
    CHECK(readdir(directory) == NULL && errno == EIO && readdir(directory) != NULL);
    return 0;
}

static int reads_as_ever(int fd)
{
    CHECK(pread(fd, bytes, 8, 0) == 8);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int fd);
} programs[] = {
#define PROGRAM(function) {#function, function}
    PROGRAM(third_read_fails),
    PROGRAM(every_second_write_fails),
    PROGRAM(writes_are_short),
    PROGRAM(reads_move_nothing),
    PROGRAM(one_bit_is_flipped),
    PROGRAM(one_bit_of_a_mapping_is_flipped),
    PROGRAM(others_fail),
    PROGRAM(io_uring_is_refused),
    PROGRAM(it_waits_for_its_moment),
    PROGRAM(looks_fail),
    PROGRAM(lists_fail),
    PROGRAM(reads_as_ever),
};

/* Opens the file by a system call, which no rule can hit. */
static int run_program(const char *name, const char *file)
{
    snprintf(path, sizeof path, "%s", file);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR);
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (strcmp(programs[i].name, name) == 0)
            return fd < 0 ? 2 : programs[i].run(fd);
    return 3;
}

/* ---- the tests ------------------------------------------------------------------------------------------------ */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/data", folder);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int make_file(void **state)
{
    (void)state;
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
    int error = fd < 0 || ftruncate(fd, 8192) != 0;
    close(fd);
    return error;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(log_path);
    return unlink(path);
}

static int status_under(const char *faults, const char *program)
{
    pid_t child = fork();
    if (child == 0) {
        setenv("LD_PRELOAD", FAULT_LIBRARY, 1); /* a name, since a path in it has no blanks */
        setenv("LD_LIBRARY_PATH", FAULT_FOLDER, 1);
        setenv("DRUMLIN_FAULTS", faults, 1);
        setenv("DRUMLIN_FAULTS_LOG", log_path, 1);
        setenv("PMI_RANK", "2", 1);
        execl("/proc/self/exe", "faults_test", program, path, (char *)NULL);
        _exit(4);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void calls_fail_as_they_are_told(void **state)
{
    (void)state;
    assert_int_equal(status_under("read path=data nth=3 error=EIO", "third_read_fails"), 0);
    assert_int_equal(status_under("write path=/data every=2 error=ENOSPC", "every_second_write_fails"), 0);
    assert_int_equal(status_under("write path=data from=2 short=5", "writes_are_short"), 0);
    assert_int_equal(status_under("read path=data from=1 short=0", "reads_move_nothing"), 0);
    assert_int_equal(status_under("read path=data nth=2 flip=10", "one_bit_is_flipped"), 0);
    assert_int_equal(status_under("mmap path=data flip=32778", "one_bit_of_a_mapping_is_flipped"), 0);
    assert_int_equal(status_under("stat path=data from=1 error=EIO", "looks_fail"), 0);
    assert_int_equal(status_under("list path=faults_test nth=1 error=EACCES; list path=faults_test nth=4 error=EIO",
                                  "lists_fail"),
                     0);
    assert_int_equal(status_under("sync path=data from=1 error=5; rename path=data error=EXDEV; open path=data from=1 "
                                  "error=EMFILE;mmap path=data error=ENOMEM; memory from=1 error=ENOMEM",
                                  "others_fail"),
                     0);
}

static void io_uring_is_refused_to_who_shall_read_and_write_by_calls(void **state)
{
    (void)state;
    assert_int_equal(status_under("uring", "io_uring_is_refused"), 0);
    assert_int_equal(status_under("read path=elsewhere", "io_uring_is_refused"), 0);
    assert_int_equal(status_under("sync path=elsewhere", "io_uring_is_refused"), 1);
}

static void a_rule_waits_for_its_moment(void **state)
{
    (void)state;
    assert_int_equal(status_under("read path=data when=moment error=EIO", "it_waits_for_its_moment"), 0);
}

static void a_rule_of_another_rank_does_nothing(void **state)
{
    (void)state;
    assert_int_equal(status_under("read path=data rank=1 from=1 error=EIO", "reads_as_ever"), 0);
    assert_int_equal(status_under("read path=data rank=2 from=1 error=EIO", "reads_as_ever"), 1);
}

static void a_rule_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(status_under("read path=data nth=2 kill=9", "reads_as_ever"), 0);
    assert_int_equal(status_under("read path=data kill=9", "reads_as_ever"), -1);
}

static void what_is_not_understood_ends_the_program(void **state)
{
    (void)state;
    const char *const wrong[] = {"raed", "read error", "read error=EFOO", "read nth=x", "read often=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(status_under(wrong[i], "reads_as_ever"), 99);
}

static void calls_and_faults_are_counted(void **state)
{
    (void)state;
    char text[4096] = "";
    assert_int_equal(status_under("read path=data nth=3 error=EIO", "third_read_fails"), 0);
    FILE *log = fopen(log_path, "r");
    assert_non_null(log);
    assert_true(fread(text, 1, sizeof text - 1, log) > 0);
    fclose(log);
    assert_non_null(strstr(text, "read 3 of rule 1 fails: "));
    assert_non_null(strstr(text, "rule 1, read: 4 matched, 1 failed"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_file, remove_files)

int main(int count, char **arguments)
{
    if (count == 3)
        return run_program(arguments[1], arguments[2]);
    const struct CMUnitTest tests[] = {
        TEST(calls_fail_as_they_are_told),
        TEST(io_uring_is_refused_to_who_shall_read_and_write_by_calls),
        TEST(a_rule_waits_for_its_moment),
        TEST(a_rule_of_another_rank_does_nothing),
        TEST(a_rule_ends_the_process),
        TEST(what_is_not_understood_ends_the_program),
        TEST(calls_and_faults_are_counted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
