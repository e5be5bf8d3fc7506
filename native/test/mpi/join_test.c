/* Somebody else initialises MPI. */
#include "mpi_test.h"

#include <mpi.h>

static void init_joins_and_finalize_leaves_alone(void **state)
{
    (void)state;
    int finalized = 0;
    assert_int_equal(MPI_Init(NULL, NULL), MPI_SUCCESS);
    assert_int_equal(drumlin_mpi_init(), 0);
    assert_int_equal(drumlin_mpi_init(), 0);

    int64_t copy = drumlin_mpi_comm_dup((int64_t)(uintptr_t)MPI_COMM_WORLD);
    assert_true(copy > 0);
    assert_int_equal(drumlin_mpi_barrier(copy), 0);
    assert_int_equal(drumlin_mpi_comm_free(copy), 0);

    assert_int_equal(drumlin_mpi_finalize(), 0);
    MPI_Finalized(&finalized);
    assert_false(finalized);
    MPI_Finalize();
    assert_int_equal(drumlin_mpi_init(), -ESHUTDOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(init_joins_and_finalize_leaves_alone)};
    return RUN_RANKS(tests, NULL, NULL);
}
