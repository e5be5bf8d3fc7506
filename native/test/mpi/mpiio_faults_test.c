/* Runs with faults.so and the rules of CMakeLists.txt. */
#include "mpi_test.h"

#include <sys/stat.h>
#include <unistd.h>

static char path[64];

/* Opens the file on all ranks or on none. */
static int opens_everywhere(void)
{
    char byte = (char)('a' + rank);
    int64_t file = drumlin_mpi_file_open(comm, path, DRUMLIN_MPI_FILE_WRITE | DRUMLIN_MPI_FILE_CREATE, "");
    int64_t opened = file > 0;
    assert_int_equal(drumlin_mpi_allreduce(comm, &opened, 1, DRUMLIN_MPI_SUM), 0);
    assert_int_equal(opened, file > 0 ? size : 0);
    if (file < 0) {
        assert_int_equal(file, -ENOSPC);
        return 0;
    }
    assert_int_equal(drumlin_mpi_file_write_at_all(file, rank, &byte, 1), 1);
    assert_int_equal(drumlin_mpi_file_close(file), 0);
    return 1;
}

/* Both rank 0 and rank 1 fail at calls in turn, those of this library and those of MPI. */
static void a_rank_that_cannot_open_leaves_nobody_waiting(void **state)
{
    (void)state;
    enum { TIMES = 20 };
    int64_t pid = getpid();
    int opened = 0;
    struct stat status;
    assert_int_equal(drumlin_mpi_bcast(comm, &pid, sizeof pid, 0), 0);
    snprintf(path, sizeof path, "/tmp/drumlin-mpiio-%ld", (long)pid);
    for (int i = 0; i < TIMES; i++)
        opened += opens_everywhere();
    assert_in_range(opened, 1, TIMES - 1);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, size);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    if (rank == 0)
        assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_cannot_open_leaves_nobody_waiting),
    };
    return RUN_RANKS(tests, set_up_ranks, tear_down_ranks);
}
