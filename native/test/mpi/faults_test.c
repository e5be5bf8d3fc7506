/* Runs with mpifaults.so and the rules of CMakeLists.txt. */
#include "mpi_test.h"

#include <mpi.h>

static int64_t largest_rank(int32_t *result)
{
    int64_t value = rank;
    *result = drumlin_mpi_allreduce(comm, &value, 1, DRUMLIN_MPI_MAX);
    return value;
}

/* Iallreduce rank=0 nth=2 error=16 */
static void a_rank_is_told_a_failure_and_the_others_have_the_result(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        int32_t result = 0;
        int64_t largest = largest_rank(&result);
        assert_int_equal(result, rank == 0 && i == 2 ? -DRUMLIN_MPI_ERROR - 16 : 0);
        if (result == 0)
            assert_int_equal(largest, size - 1);
    }
}

/* Ibarrier rank=0 from=1 error=16 */
static void a_call_may_fail_always(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(drumlin_mpi_barrier(comm), rank == 0 ? -DRUMLIN_MPI_ERROR - 16 : 0);
}

/* Allreduce rank=0 error=16, past the error handler, which would end the job */
static void blocking_calls_fail_too(void **state)
{
    (void)state;
    int value = 1, sum = 0;
    assert_int_equal(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), rank == 0 ? 16 : MPI_SUCCESS);
    if (rank > 0)
        assert_int_equal(sum, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_is_told_a_failure_and_the_others_have_the_result),
        cmocka_unit_test(a_call_may_fail_always),
        cmocka_unit_test(blocking_calls_fail_too),
    };
    return RUN_RANKS(tests, set_up_ranks, tear_down_ranks);
}
