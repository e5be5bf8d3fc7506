/* For tests that run on several ranks: what a rank needs, and an end of the whole job when one of them fails. */
#ifndef DRUMLIN_MPI_TEST_H
#define DRUMLIN_MPI_TEST_H

#include "cmocka_all.h"
#include "drumlin/mpi.h"

#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t comm;
static int32_t rank;
static int32_t size;

/* The words of an error differ from MPI to MPI, and with the level of detail that it was built with. */
static inline int error_class(int64_t result)
{
    int class = MPI_SUCCESS;
    MPI_Error_class((int)(-DRUMLIN_MPI_ERROR - result), &class);
    return class;
}

static inline int set_up_ranks(void **state)
{
    (void)state;
    if (drumlin_mpi_init() != 1)
        return -1;
    comm = drumlin_mpi_comm_dup(drumlin_mpi_comm_world());
    rank = drumlin_mpi_comm_rank(comm);
    size = drumlin_mpi_comm_size(comm);
    return comm > 0 && rank >= 0 && size > rank ? 0 : -1;
}

static inline int tear_down_ranks(void **state)
{
    (void)state;
    return drumlin_mpi_comm_free(comm) == 0 && drumlin_mpi_finalize() == 1 ? 0 : -1;
}

/* A rank that has failed must not leave the others waiting: cmocka aborts at the first failed assertion. */
static inline int run_ranks(const struct CMUnitTest *tests, size_t count, CMFixtureFunction set_up,
                            CMFixtureFunction tear_down)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    return _cmocka_run_group_tests("ranks", tests, count, set_up, tear_down);
}

#define RUN_RANKS(tests, set_up, tear_down) run_ranks(tests, sizeof tests / sizeof tests[0], set_up, tear_down)

#endif
