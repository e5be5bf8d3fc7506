/* Drumlin initialises MPI. Run with one and with several ranks. */
#include "mpi_test.h"

#include <mpi.h>

static const int guarded[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

static void handler_of_the_program(int signal_number)
{
    (void)signal_number;
}

static void handler_of_a_library(int signal_number)
{
    (void)signal_number;
}

static int calls_of_init;

/* Takes the signals as UCX does, whatever MPI the test runs on. */
int __real_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int __wrap_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int __wrap_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    calls_of_init++;
    assert_string_equal(getenv("UCX_ERROR_SIGNALS"), "");
    assert_string_equal(getenv("IPATH_NO_BACKTRACE"), "1");
    assert_string_equal(getenv("HFI_NO_BACKTRACE"), "set by the user");
    assert_int_equal(required, MPI_THREAD_MULTIPLE);
    int code = __real_MPI_Init_thread(argc, argv, required, provided);
    for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++)
        signal(guarded[i], handler_of_a_library);
    return code;
}

static void nothing_works_before_init(void **state)
{
    (void)state;
    int64_t value = 0;
    int32_t one = 1;
    char byte = 0;
    assert_int_equal(drumlin_mpi_comm_world(), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_dup(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_split(1, 0, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_subset(1, &one, 1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_free(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_rank(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_size(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_barrier(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_allreduce(1, &value, 1, DRUMLIN_MPI_SUM), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_bcast(1, &byte, 1, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_gather(1, &byte, 1, &byte, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_scatter(1, &byte, &byte, 1, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_allgather(1, &byte, 1, &byte), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_send(1, &byte, 1, 0, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_receive(1, &byte, 1, 0, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_has_message(1, 0, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_start_send(1, &byte, 1, 0, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_start_receive(1, &byte, 1, 0, 0), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_wait(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_cancel_receive(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_file_open(1, "x", DRUMLIN_MPI_FILE_READ, ""), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_thread_level(), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_abort(1), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_finalize(), 0);
}

static void the_library_tells_abi_and_mpi(void **state)
{
    (void)state;
    assert_int_equal(drumlin_mpi_abi(), DRUMLIN_MPI_ABI);
    assert_true(strlen(drumlin_mpi_library()) > 3);
    assert_null(strpbrk(drumlin_mpi_library(), "\n\t"));
}

static void init_leaves_the_signals_to_the_program(void **state)
{
    (void)state;
    unsetenv("UCX_ERROR_SIGNALS");
    unsetenv("IPATH_NO_BACKTRACE");
    setenv("HFI_NO_BACKTRACE", "set by the user", 1);
    for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++)
        signal(guarded[i], handler_of_the_program);

    assert_int_equal(drumlin_mpi_init(), 1);

    assert_int_equal(calls_of_init, 1);
    for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
        struct sigaction action;
        sigaction(guarded[i], NULL, &action);
        assert_ptr_equal(action.sa_handler, handler_of_the_program);
        signal(guarded[i], SIG_DFL);
    }
}

static void a_second_init_does_nothing(void **state)
{
    (void)state;
    assert_int_equal(drumlin_mpi_init(), 1);
    assert_int_equal(calls_of_init, 1);
    assert_in_range(drumlin_mpi_thread_level(), 0, 3);
}

static void errors_of_mpi_have_texts(void **state)
{
    (void)state;
    int64_t copy = drumlin_mpi_comm_dup(drumlin_mpi_comm_world());
    int32_t result = drumlin_mpi_send(copy, "x", 1, 1000000, 0);
    assert_true(result < -DRUMLIN_MPI_ERROR);
    assert_int_equal(error_class(result), MPI_ERR_RANK);
    assert_non_null(strstr(drumlin_mpi_error_message(result), "rank"));
    assert_null(drumlin_mpi_error_message(-EINVAL));
    assert_null(drumlin_mpi_error_message(0));
    assert_int_equal(drumlin_mpi_comm_free(copy), 0);
}

static void finalize_ends_what_init_began(void **state)
{
    (void)state;
    int finalized = 0;
    assert_int_equal(drumlin_mpi_finalize(), 1);
    MPI_Finalized(&finalized);
    assert_true(finalized);
    assert_int_equal(drumlin_mpi_finalize(), 0);
    assert_int_equal(drumlin_mpi_init(), -ESHUTDOWN);
    assert_int_equal(drumlin_mpi_comm_world(), -ESHUTDOWN);
    assert_non_null(drumlin_mpi_error_message(-DRUMLIN_MPI_ERROR - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_before_init),
        cmocka_unit_test(the_library_tells_abi_and_mpi),
        cmocka_unit_test(init_leaves_the_signals_to_the_program),
        cmocka_unit_test(a_second_init_does_nothing),
        cmocka_unit_test(errors_of_mpi_have_texts),
        cmocka_unit_test(finalize_ends_what_init_began),
    };
    return RUN_RANKS(tests, NULL, NULL);
}
