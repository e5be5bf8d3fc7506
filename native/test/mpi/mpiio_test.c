/* Built with calls of 1000 bytes, so that transfers of a few KiB go the way of those above 1 GiB. */
#include "mpi_test.h"

#include <fcntl.h>
#include <mpi.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* While this is set, wrapped calls of MPI fail on the last rank, and those that rank 0 makes for all fail there. */
static int failing;
static int last_rank_fails(int code);

/* What the hints of MPI_File_open were, and whether one of its calls was to make the file. */
static struct {
    int calls, makes;
    char stripe[MPI_MAX_INFO_VAL], nodes[MPI_MAX_INFO_VAL];
} hinted;

static void note_hints(MPI_Info info, int modes)
{
    int found;
    hinted.calls++;
    hinted.makes += (modes & MPI_MODE_CREATE) != 0;
    MPI_Info_get(info, "striping_unit", sizeof hinted.stripe - 1, hinted.stripe, &found);
    MPI_Info_get(info, "cb_nodes", sizeof hinted.nodes - 1, hinted.nodes, &found);
}

int __real_MPI_File_open(MPI_Comm ranks, const char *name, int modes, MPI_Info info, MPI_File *file);
int __wrap_MPI_File_open(MPI_Comm ranks, const char *name, int modes, MPI_Info info, MPI_File *file);
int __wrap_MPI_File_open(MPI_Comm ranks, const char *name, int modes, MPI_Info info, MPI_File *file)
{
    if (info != MPI_INFO_NULL)
        note_hints(info, modes);
    return last_rank_fails(__real_MPI_File_open(ranks, name, modes, info, file));
}

int __real_MPI_File_sync(MPI_File file);
int __wrap_MPI_File_sync(MPI_File file);
int __wrap_MPI_File_sync(MPI_File file)
{
    return last_rank_fails(__real_MPI_File_sync(file));
}

int __real_MPI_File_set_size(MPI_File file, MPI_Offset length);
int __wrap_MPI_File_set_size(MPI_File file, MPI_Offset length);
int __wrap_MPI_File_set_size(MPI_File file, MPI_Offset length)
{
    int code = __real_MPI_File_set_size(file, length);
    return failing ? MPI_ERR_IO : code;
}

int __real_MPI_File_close(MPI_File *file);
int __wrap_MPI_File_close(MPI_File *file);
int __wrap_MPI_File_close(MPI_File *file)
{
    return last_rank_fails(__real_MPI_File_close(file));
}

/* OMPIO (4.1) does this where the system cannot read: it reports success and reads nothing. */
int __real_MPI_File_read_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type, MPI_Status *status);
int __wrap_MPI_File_read_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type, MPI_Status *status);
int __wrap_MPI_File_read_at(MPI_File file, MPI_Offset offset, void *data, int count, MPI_Datatype type, MPI_Status *status)
{
    if (failing && rank == size - 1)
        return MPI_Status_set_elements(status, MPI_BYTE, 0);
    return __real_MPI_File_read_at(file, offset, data, count, type, status);
}

static int last_rank_fails(int code)
{
    return failing && rank == size - 1 ? MPI_ERR_IO : code;
}

enum { WRITABLE = DRUMLIN_MPI_FILE_READ | DRUMLIN_MPI_FILE_WRITE | DRUMLIN_MPI_FILE_CREATE };

static char path[64];

static void make_path(void)
{
    int64_t pid = getpid();
    assert_int_equal(drumlin_mpi_bcast(comm, &pid, sizeof pid, 0), 0);
    snprintf(path, sizeof path, "/tmp/drumlin-mpiio-%ld", (long)pid);
}

static void remove_file(void)
{
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    if (rank == 0)
        assert_int_equal(unlink(path), 0);
}

static char byte_at(int64_t position)
{
    return (char)('A' + (position / 7 + position % 13) % 50);
}

/* Rank r writes 2500 * r bytes, so that the ranks need different numbers of calls and rank 0 none. */
static int64_t start_of(int32_t r)
{
    return INT64_C(2500) * r * (r - 1) / 2;
}

static void every_rank_writes_and_reads_its_region(void **state)
{
    (void)state;
    make_path();
    int64_t length = INT64_C(2500) * rank;
    int64_t total = start_of(size);
    char *data = malloc((size_t)length + 1);
    for (int64_t i = 0; i < length; i++)
        data[i] = byte_at(start_of(rank) + i);

    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    assert_true(file > 0);
    assert_int_equal(drumlin_mpi_file_write_at_all(file, start_of(rank), data, length), length);
    assert_int_equal(drumlin_mpi_file_sync(file), 0);
    assert_int_equal(drumlin_mpi_file_size(file), total);
    memset(data, 0, (size_t)length);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, start_of(rank), data, length), length);
    for (int64_t i = 0; i < length; i++)
        assert_int_equal(data[i], byte_at(start_of(rank) + i));
    assert_int_equal(drumlin_mpi_file_close(file), 0);

    FILE *plain = fopen(path, "rb");
    for (int64_t i = 0; i < total; i++)
        assert_int_equal((char)fgetc(plain), byte_at(i));
    assert_int_equal(fgetc(plain), EOF);
    fclose(plain);
    free(data);
    remove_file();
}

static void reading_stops_at_the_end_of_the_file(void **state)
{
    (void)state;
    make_path();
    char data[4000];
    memset(data, 'x', sizeof data);
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    assert_int_equal(drumlin_mpi_file_write_at_all(file, 0, data, rank == 0 ? 2500 : 0), rank == 0 ? 2500 : 0);
    assert_int_equal(drumlin_mpi_file_sync(file), 0);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, 0, data, 4000), 2500);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, rank % 2 == 0 ? 2000 : 0, data, 1000), rank % 2 == 0 ? 500 : 1000);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, 2500, data, 10), 0);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, 9000, data, 10), 0);
    assert_int_equal(drumlin_mpi_file_set_size(file, 100), 0);
    assert_int_equal(drumlin_mpi_file_size(file), 100);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    assert_int_equal(drumlin_mpi_file_set_size(file, 5000), 0);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, 4000, data, 4000), 1000);
    assert_int_equal(data[0], 0);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    remove_file();
}

static void hints_reach_mpi_which_makes_the_file_with_them(void **state)
{
    (void)state;
    make_path();
    memset(&hinted, 0, sizeof hinted);
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE | DRUMLIN_MPI_FILE_EXCLUSIVE, "striping_unit=65536\ncb_nodes=2");
    assert_true(file > 0);
    assert_int_equal(hinted.calls, rank == 0 ? 2 : 1);
    assert_int_equal(hinted.makes, rank == 0 ? 1 : 0);
    assert_string_equal(hinted.stripe, "65536");
    assert_string_equal(hinted.nodes, "2");
    assert_int_equal(drumlin_mpi_file_write_at_all(file, rank, "x", 1), 1);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE | DRUMLIN_MPI_FILE_EXCLUSIVE, "cb_nodes=2\n"), -EEXIST);
    remove_file();
}

static void a_hint_that_mpi_would_refuse_is_an_error(void **state)
{
    (void)state;
    char long_key[MPI_MAX_INFO_KEY + 10];
    memset(long_key, 'k', sizeof long_key);
    memcpy(long_key + MPI_MAX_INFO_KEY, "=v", 3);
    make_path();
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE, "striping_unit"), -EINVAL);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE, "=1"), -EINVAL);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE, "cb_nodes=1\nstriping_unit="), -EINVAL);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE, long_key), -EINVAL);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE, rank == size - 1 ? "=" : ""), -EINVAL);
}

/* The last rank alone opens and writes the file, while the others go on. */
static void a_file_of_one_rank_alone_needs_no_other(void **state)
{
    (void)state;
    make_path();
    char data[2500];
    memset(data, 'x', sizeof data);
    if (rank == size - 1) {
        int64_t file = drumlin_mpi_file_open_alone(comm, path, WRITABLE, "cb_nodes=1");
        assert_true(file > 0);
        assert_int_equal(drumlin_mpi_file_write_at_all(file, 5, data, sizeof data), sizeof data);
        assert_int_equal(drumlin_mpi_file_sync(file), 0);
        assert_int_equal(drumlin_mpi_file_read_at_all(file, 4, data, sizeof data), sizeof data);
        assert_int_equal(data[0], 0);
        assert_int_equal(data[1], 'x');
        assert_int_equal(drumlin_mpi_file_size(file), 5 + sizeof data);
        assert_int_equal(drumlin_mpi_file_close(file), 0);
        assert_int_equal(drumlin_mpi_file_open_alone(comm, "/nonexistent/file", WRITABLE, ""), -ENOENT);
    }
    remove_file();
}

static void a_failure_of_one_rank_is_one_of_all(void **state)
{
    (void)state;
    make_path();
    char data[3500];
    memset(data, 'y', sizeof data);
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    int64_t offset = rank == size - 1 ? -1 : INT64_C(3500) * rank;
    assert_int_equal(drumlin_mpi_file_write_at_all(file, offset, data, 3500), -EINVAL);
    assert_int_equal(drumlin_mpi_file_write_at_all(file, INT64_C(3500) * rank, data, 3500), 3500);
    assert_int_equal(drumlin_mpi_file_read_at_all(file, offset, data, 3500), -EINVAL);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    remove_file();
}

static void no_rank_goes_on_where_one_has_failed(void **state)
{
    (void)state;
    const int32_t failure = -DRUMLIN_MPI_ERROR - MPI_ERR_IO;
    make_path();
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    failing = 1;
    assert_int_equal(drumlin_mpi_file_sync(file), failure);
    assert_int_equal(drumlin_mpi_file_set_size(file, 100), failure);
    assert_int_equal(drumlin_mpi_file_close(file), failure);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE, ""), failure);
    failing = 0;
    remove_file();
}

static void what_cannot_be_read_is_not_the_end_of_the_file(void **state)
{
    (void)state;
    make_path();
    char data[100] = {0};
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    assert_int_equal(drumlin_mpi_file_write_at_all(file, INT64_C(100) * rank, data, 100), 100);
    failing = 1;
    assert_int_equal(drumlin_mpi_file_read_at_all(file, INT64_C(100) * rank, data, 100), -EIO);
    failing = 0;
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    remove_file();
}

/* The last rank does not have the directory, as if its node had not mounted the file system. */
static void a_file_that_one_rank_cannot_open_is_one_that_nobody_can(void **state)
{
    (void)state;
    if (size == 1)
        skip();
    make_path();
    if (rank == 0)
        assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    assert_int_equal(chdir(rank == size - 1 ? "/" : path), 0);
    int64_t file = drumlin_mpi_file_open(comm, "drumlin-only-here", WRITABLE, "");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(file, -ENOENT);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    if (rank == 0) {
        assert_int_equal(chdir(path), 0);
        assert_int_equal(unlink("drumlin-only-here"), 0);
        assert_int_equal(chdir("/"), 0);
        assert_int_equal(rmdir(path), 0);
    }
}

enum { DESCRIPTORS = 200 };

/* Uses up descriptors until only left are free. Returns how many it took. */
static int leave_descriptors(int *taken, int left)
{
    int count = 0;
    while (count < DESCRIPTORS && (taken[count] = dup(STDERR_FILENO)) >= 0)
        count++;
    for (int i = 0; i < left; i++)
        close(taken[--count]);
    return count;
}

/* However few descriptors a rank has left, the others must not wait for it. */
static void a_rank_without_descriptors_leaves_nobody_waiting(void **state)
{
    (void)state;
    struct rlimit limit, low;
    getrlimit(RLIMIT_NOFILE, &limit);
    low = limit;
    low.rlim_cur = DESCRIPTORS;
    make_path();
    int64_t opened = 0;
    for (int left = 0; left < 24; left++) {
        int taken[DESCRIPTORS];
        int count = 0;
        if (rank == size - 1) {
            setrlimit(RLIMIT_NOFILE, &low);
            count = leave_descriptors(taken, left);
        }
        int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
        while (count > 0)
            close(taken[--count]);
        setrlimit(RLIMIT_NOFILE, &limit);
        opened = file;
        assert_true(file > 0 || file == -EMFILE);
        if (file > 0)
            assert_int_equal(drumlin_mpi_file_close(file), 0);
    }
    assert_true(opened > 0);
    remove_file();
}

static void a_path_that_is_too_long_for_mpi_is_refused(void **state)
{
    (void)state;
    char name[300] = "/tmp";
    while (strlen(name) < 250)
        strcat(name, "/abcdefgh");
    assert_int_equal(drumlin_mpi_file_open(comm, name, WRITABLE, ""), -ENAMETOOLONG);
}

/* Open MPI 4 locks it while it opens a file of this name; a job that was killed meanwhile leaves it locked. */
static void a_semaphore_that_a_killed_job_has_locked_stops_nobody(void **state)
{
    (void)state;
    char name[300];
    make_path();
    snprintf(name, sizeof name, "/OMPIO_%s", strrchr(path, '/') + 1);
    if (rank == 0)
        assert_ptr_not_equal(sem_open(name, O_CREAT, 0600, 0), SEM_FAILED);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    alarm(20);
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    alarm(0);
    assert_true(file > 0);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    if (rank == 0) {
        sem_unlink(name);
        remove(path);
    }
}

/* The file of the last rank may not grow as far as its region. */
static void a_rank_that_cannot_write_is_noticed(void **state)
{
    (void)state;
    make_path();
    char data[3500];
    struct rlimit unlimited;
    memset(data, 'z', sizeof data);
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE, "");
    getrlimit(RLIMIT_FSIZE, &unlimited);
    if (rank == size - 1) {
        struct rlimit limited = {.rlim_cur = 3500 * (rlim_t)rank + 1700, .rlim_max = unlimited.rlim_max};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limited);
    }
    assert_true(drumlin_mpi_file_write_at_all(file, INT64_C(3500) * rank, data, 3500) < 0);
    setrlimit(RLIMIT_FSIZE, &unlimited);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    remove_file();
}

static void a_full_file_system_is_noticed(void **state)
{
    (void)state;
    char data[3500] = {0};
    int64_t file = drumlin_mpi_file_open(comm, "/dev/full", DRUMLIN_MPI_FILE_WRITE, "");
    if (file < 0)
        skip();
    assert_true(drumlin_mpi_file_write_at_all(file, INT64_C(3500) * rank, data, 3500) < 0);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
}

static void a_file_that_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(drumlin_mpi_file_open(comm, "/nonexistent/file", DRUMLIN_MPI_FILE_READ, ""), -ENOENT);
    assert_int_equal(drumlin_mpi_file_open(comm, "/tmp/x", 0, ""), -EINVAL);
    assert_int_equal(drumlin_mpi_file_open(comm, "/tmp/x", DRUMLIN_MPI_FILE_READ | DRUMLIN_MPI_FILE_CREATE, ""), -EINVAL);
    assert_int_equal(drumlin_mpi_file_open(comm, "/tmp/x", DRUMLIN_MPI_FILE_WRITE | 64, ""), -EINVAL);
    make_path();
    int64_t file = drumlin_mpi_file_open(comm, path, WRITABLE | DRUMLIN_MPI_FILE_EXCLUSIVE, "");
    assert_true(file > 0);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    assert_int_equal(drumlin_mpi_file_open(comm, path, WRITABLE | DRUMLIN_MPI_FILE_EXCLUSIVE, ""), -EEXIST);
    remove_file();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rank_writes_and_reads_its_region),
        cmocka_unit_test(reading_stops_at_the_end_of_the_file),
        cmocka_unit_test(hints_reach_mpi_which_makes_the_file_with_them),
        cmocka_unit_test(a_hint_that_mpi_would_refuse_is_an_error),
        cmocka_unit_test(a_file_of_one_rank_alone_needs_no_other),
        cmocka_unit_test(a_failure_of_one_rank_is_one_of_all),
        cmocka_unit_test(no_rank_goes_on_where_one_has_failed),
        cmocka_unit_test(what_cannot_be_read_is_not_the_end_of_the_file),
        cmocka_unit_test(a_file_that_one_rank_cannot_open_is_one_that_nobody_can),
        cmocka_unit_test(a_rank_without_descriptors_leaves_nobody_waiting),
        cmocka_unit_test(a_path_that_is_too_long_for_mpi_is_refused),
        cmocka_unit_test(a_semaphore_that_a_killed_job_has_locked_stops_nobody),
        cmocka_unit_test(a_rank_that_cannot_write_is_noticed),
        cmocka_unit_test(a_full_file_system_is_noticed),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error),
    };
    return RUN_RANKS(tests, set_up_ranks, tear_down_ranks);
}
