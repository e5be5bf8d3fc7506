#include "mpi_test.h"

#include <mpi.h>

static void dup_and_split_return_their_errors(void **state)
{
    (void)state;
    assert_int_equal(drumlin_mpi_comm_dup(0), -EINVAL);
    assert_int_equal(drumlin_mpi_comm_dup((int64_t)(uintptr_t)MPI_COMM_NULL), -EINVAL);
    assert_int_equal(drumlin_mpi_comm_free(0), -EINVAL);
    assert_int_equal(drumlin_mpi_comm_split(comm, -1, 0), -EINVAL);
    assert_true(drumlin_mpi_bcast(comm, NULL, 0, -5) < -DRUMLIN_MPI_ERROR);
    int64_t part = drumlin_mpi_comm_split(comm, 0, 0);
    assert_true(drumlin_mpi_bcast(part, NULL, 0, size) < -DRUMLIN_MPI_ERROR);
    assert_int_equal(drumlin_mpi_comm_free(part), 0);
}

static void inter_communicators_are_refused(void **state)
{
    (void)state;
    MPI_Comm half;
    MPI_Comm inter;
    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, (rank + 1) % 2, 7, &inter);
    assert_int_equal(drumlin_mpi_comm_dup((int64_t)(uintptr_t)inter), -EINVAL);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void split_orders_ranks_by_key(void **state)
{
    (void)state;
    int64_t part = drumlin_mpi_comm_split(comm, rank % 2, -rank);
    int32_t members = (size + 1 - rank % 2) / 2;
    assert_true(part > 0);
    assert_int_equal(drumlin_mpi_comm_size(part), members);
    assert_int_equal(drumlin_mpi_comm_rank(part), members - 1 - rank / 2);
    assert_int_equal(drumlin_mpi_barrier(part), 0);
    assert_int_equal(drumlin_mpi_comm_free(part), 0);
}

static void subset_has_the_given_order(void **state)
{
    (void)state;
    int32_t ranks[64];
    int32_t members = 0;
    for (int32_t other = size - 1; other >= 0; other--)
        if (other % 2 == rank % 2)
            ranks[members++] = other;
    int64_t part = drumlin_mpi_comm_subset(comm, ranks, members);
    assert_true(part > 0);
    assert_int_equal(drumlin_mpi_comm_size(part), members);
    assert_int_equal(drumlin_mpi_comm_rank(part), members - 1 - rank / 2);
    int64_t sum = rank;
    assert_int_equal(drumlin_mpi_allreduce(part, &sum, 1, DRUMLIN_MPI_SUM), 0);
    int64_t expected = 0;
    for (int32_t i = 0; i < members; i++)
        expected += ranks[i];
    assert_int_equal(sum, expected);
    assert_true(drumlin_mpi_bcast(part, NULL, 0, members) < -DRUMLIN_MPI_ERROR); /* its errors are returned */
    assert_int_equal(drumlin_mpi_comm_free(part), 0);
}

static void subset_refuses_what_is_none(void **state)
{
    (void)state;
    int32_t beyond[] = {rank, size};
    int32_t below[] = {rank, -1};
    int32_t another = (rank + 1) % size;
    assert_int_equal(drumlin_mpi_comm_subset(0, &rank, 1), -EINVAL);
    assert_int_equal(drumlin_mpi_comm_subset(comm, &rank, 0), -EINVAL);
    assert_int_equal(drumlin_mpi_comm_subset(comm, beyond, 2), -EINVAL);
    assert_int_equal(drumlin_mpi_comm_subset(comm, below, 2), -EINVAL);
    if (size > 1)
        assert_int_equal(drumlin_mpi_comm_subset(comm, &another, 1), -EINVAL);
}

static void allreduce_joins_every_element(void **state)
{
    (void)state;
    int64_t sum[] = {rank, 1, INT64_MAX};
    assert_int_equal(drumlin_mpi_allreduce(comm, sum, 3, DRUMLIN_MPI_SUM), 0);
    assert_int_equal(sum[0], size * (size - 1) / 2);
    assert_int_equal(sum[1], size);
    assert_true((uint64_t)sum[2] == (uint64_t)INT64_MAX * (uint64_t)size);
    int64_t least[] = {rank, -rank};
    assert_int_equal(drumlin_mpi_allreduce(comm, least, 2, DRUMLIN_MPI_MIN), 0);
    assert_int_equal(least[0], 0);
    assert_int_equal(least[1], -(size - 1));
    int64_t most[] = {rank, rank == 0 ? INT64_MAX : INT64_MIN};
    assert_int_equal(drumlin_mpi_allreduce(comm, most, 2, DRUMLIN_MPI_MAX), 0);
    assert_int_equal(most[0], size - 1);
    assert_true(most[1] == INT64_MAX);
    assert_int_equal(drumlin_mpi_allreduce(comm, most, 2, 3), -EINVAL);
    assert_int_equal(drumlin_mpi_allreduce(comm, most, -1, DRUMLIN_MPI_SUM), -EINVAL);
    assert_int_equal(drumlin_mpi_allreduce(comm, most, INT64_C(1) << 31, DRUMLIN_MPI_SUM), -EMSGSIZE);
}

static void assert_parts(const char *all, int32_t root)
{
    for (int32_t other = 0; other < size; other++) {
        char expected[4] = {'r', (char)('0' + other), (char)('0' + root), '\0'};
        assert_memory_equal(all + 4 * other, expected, 4);
    }
}

static void bcast_gather_scatter_and_allgather_move_bytes(void **state)
{
    (void)state;
    char word[4] = "abc";
    char *all = malloc(4 * (size_t)size);
    for (int32_t root = 0; root < size; root++) {
        char message[4] = "xyz";
        if (rank == root)
            memcpy(message, word, 4);
        assert_int_equal(drumlin_mpi_bcast(comm, message, 4, root), 0);
        assert_string_equal(message, "abc");

        char part[4] = {'r', (char)('0' + rank), (char)('0' + root), '\0'};
        memset(all, '?', 4 * (size_t)size);
        assert_int_equal(drumlin_mpi_gather(comm, part, 4, rank == root ? all : NULL, root), 0);
        if (rank == root)
            assert_parts(all, root);
        char own[4] = "???";
        assert_int_equal(drumlin_mpi_scatter(comm, rank == root ? all : NULL, own, 4, root), 0);
        assert_memory_equal(own, part, 4);
        memset(all, '?', 4 * (size_t)size);
        assert_int_equal(drumlin_mpi_allgather(comm, part, 4, all), 0);
        assert_parts(all, root);
    }
    assert_int_equal(drumlin_mpi_bcast(comm, word, -1, 0), -EINVAL);
    assert_int_equal(drumlin_mpi_bcast(comm, word, INT64_C(1) << 31, 0), -EMSGSIZE);
    free(all);
}

/* Ranks work in pairs, so that nobody waits for a third one that has failed. */
static void failures_of_collective_calls_are_returned(void **state)
{
    (void)state;
    char bytes[16] = {0};
    int64_t pair = drumlin_mpi_comm_split(comm, rank / 2, rank);
    int first = drumlin_mpi_comm_rank(pair) == 0;
    int32_t result = drumlin_mpi_bcast(pair, bytes, first ? 16 : 4, 0);
    assert_int_equal(result < -DRUMLIN_MPI_ERROR, !first);
    if (!first) /* MPICH has no class for what goes wrong within a collective call */
        assert_true(error_class(result) == MPI_ERR_TRUNCATE || error_class(result) == MPI_ERR_OTHER);
    assert_int_equal(drumlin_mpi_barrier(pair), 0);
    assert_true(drumlin_mpi_bcast(pair, bytes, 4, 7) < -DRUMLIN_MPI_ERROR);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    assert_true(handler == MPI_ERRORS_ARE_FATAL); /* the program's handler is in force again */
    MPI_Errhandler_free(&handler);
    assert_int_equal(drumlin_mpi_comm_free(pair), 0);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dup_and_split_return_their_errors),
        cmocka_unit_test(inter_communicators_are_refused),
        cmocka_unit_test(split_orders_ranks_by_key),
        cmocka_unit_test(subset_has_the_given_order),
        cmocka_unit_test(subset_refuses_what_is_none),
        cmocka_unit_test(allreduce_joins_every_element),
        cmocka_unit_test(bcast_gather_scatter_and_allgather_move_bytes),
        cmocka_unit_test(failures_of_collective_calls_are_returned),
    };
    return RUN_RANKS(tests, set_up_ranks, tear_down_ranks);
}
