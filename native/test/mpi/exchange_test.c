#include "mpi_test.h"

static int32_t right(void)
{
    return (rank + 1) % size;
}

static int32_t left(void)
{
    return (rank + size - 1) % size;
}

static void messages_go_round_the_ring(void **state)
{
    (void)state;
    const int64_t lengths[] = {0, 1, 4096, 5 * 1024 * 1024 + 3};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t length = (size_t)lengths[i];
        unsigned char *out = malloc(length + 1);
        unsigned char *in = malloc(length + 1);
        memset(out, 'a' + rank, length + 1);
        memset(in, '?', length + 1);
        int64_t receive = drumlin_mpi_start_receive(comm, in, lengths[i], left(), 3);
        assert_true(receive > 0);
        assert_int_equal(drumlin_mpi_send(comm, out, lengths[i], right(), 3), 0);
        assert_int_equal(drumlin_mpi_wait(receive), lengths[i]);
        for (size_t k = 0; k < length; k++)
            assert_int_equal(in[k], 'a' + left());
        assert_int_equal(in[length], '?');
        free(out);
        free(in);
    }
}

static void tags_choose_messages(void **state)
{
    (void)state;
    int64_t one = 1, two = 2, got = 0;
    int64_t first = drumlin_mpi_start_send(comm, &one, 8, right(), 1);
    int64_t second = drumlin_mpi_start_send(comm, &two, 8, right(), 32767);
    assert_int_equal(drumlin_mpi_receive(comm, &got, 8, left(), 32767), 8);
    assert_int_equal(got, 2);
    assert_int_equal(drumlin_mpi_receive(comm, &got, 8, left(), DRUMLIN_MPI_ANY_TAG), 8);
    assert_int_equal(got, 1);
    assert_true(drumlin_mpi_wait(first) >= 0);
    assert_true(drumlin_mpi_wait(second) >= 0);
}

/* Returns when a message can be received. A message that was sent may still be on its way. */
static void await_message(int32_t tag)
{
    int32_t found = 0;
    while (found == 0)
        found = drumlin_mpi_has_message(comm, left(), tag);
    assert_int_equal(found, 1);
}

static void a_message_is_seen_before_it_is_received(void **state)
{
    (void)state;
    int64_t one = 1, two = 2, got = 0;
    assert_int_equal(drumlin_mpi_has_message(comm, left(), DRUMLIN_MPI_ANY_TAG), 0);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
    int64_t first = drumlin_mpi_start_send(comm, &one, 8, right(), 1);
    int64_t second = drumlin_mpi_start_send(comm, &two, 8, right(), 2);
    await_message(2);
    await_message(1);
    await_message(DRUMLIN_MPI_ANY_TAG);
    assert_int_equal(drumlin_mpi_has_message(comm, left(), 3), 0);
    assert_int_equal(drumlin_mpi_receive(comm, &got, 8, left(), 1), 8);
    assert_int_equal(got, 1);
    assert_int_equal(drumlin_mpi_has_message(comm, left(), 1), 0);
    assert_int_equal(drumlin_mpi_has_message(comm, left(), DRUMLIN_MPI_ANY_TAG), 1);
    assert_int_equal(drumlin_mpi_receive(comm, &got, 8, left(), 2), 8);
    assert_int_equal(got, 2);
    assert_int_equal(drumlin_mpi_has_message(comm, left(), DRUMLIN_MPI_ANY_TAG), 0);
    assert_true(drumlin_mpi_wait(first) >= 0);
    assert_true(drumlin_mpi_wait(second) >= 0);
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
}

static void a_cancelled_receive_leaves_message_and_memory_alone(void **state)
{
    (void)state;
    const int64_t lengths[] = {8, 5 * 1024 * 1024};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *out = calloc(1, (size_t)lengths[i]);
        char *in = malloc((size_t)lengths[i]);
        char *released = malloc((size_t)lengths[i]);
        memset(released, '?', (size_t)lengths[i]);
        int64_t given_up = drumlin_mpi_start_receive(comm, released, lengths[i], left(), 4);
        assert_int_equal(drumlin_mpi_cancel_receive(given_up), 0);
        assert_int_equal(drumlin_mpi_barrier(comm), 0);
        int64_t send = drumlin_mpi_start_send(comm, out, lengths[i], right(), 4);
        assert_int_equal(drumlin_mpi_receive(comm, in, lengths[i], left(), 4), lengths[i]);
        assert_true(drumlin_mpi_wait(send) >= 0);
        for (int64_t k = 0; k < lengths[i]; k++) {
            assert_int_equal(in[k], 0);
            assert_int_equal(released[k], '?');
        }
        free(out);
        free(in);
        free(released);
    }
}

static void a_receive_that_has_its_message_ends_when_it_is_cancelled(void **state)
{
    (void)state;
    int64_t one = 1, two = 2, got = 0;
    int64_t receive = drumlin_mpi_start_receive(comm, &got, 8, left(), 5);
    assert_int_equal(drumlin_mpi_send(comm, &one, 8, right(), 5), 0);
    int64_t send = drumlin_mpi_start_send(comm, &two, 8, right(), 5);
    await_message(5); /* the second: the first is where it was to go */
    assert_int_equal(drumlin_mpi_cancel_receive(receive), 0);
    assert_int_equal(got, 1);
    assert_int_equal(drumlin_mpi_receive(comm, &got, 8, left(), 5), 8);
    assert_int_equal(got, 2);
    assert_true(drumlin_mpi_wait(send) >= 0);
}

/* The memory is as long as the message: Open MPI 4.1 writes all of it. */
static void a_longer_message_than_a_started_receive_is_an_error(void **state)
{
    (void)state;
    const int32_t sources[] = {rank, left()}, targets[] = {rank, right()};
    for (int i = 0; i < 2; i++) {
        char out[4096] = {0}, in[4096];
        int64_t receive = drumlin_mpi_start_receive(comm, in, 8, sources[i], 0);
        int64_t send = drumlin_mpi_start_send(comm, out, sizeof out, targets[i], 0);
        int64_t result = drumlin_mpi_wait(receive);
        assert_true(result < -DRUMLIN_MPI_ERROR);
        assert_int_equal(error_class(result), MPI_ERR_TRUNCATE);
        assert_true(drumlin_mpi_wait(send) >= 0);
    }
    assert_int_equal(drumlin_mpi_barrier(comm), 0);
}

static void a_longer_message_than_the_buffer_is_an_error(void **state)
{
    (void)state;
    const int64_t lengths[] = {16, 3 * 1024 * 1024};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char *out = calloc(1, (size_t)lengths[i]);
        char *in = malloc((size_t)lengths[i]);
        memset(in, '?', (size_t)lengths[i]);
        int64_t send = drumlin_mpi_start_send(comm, out, lengths[i], right(), 0);
        int64_t result = drumlin_mpi_receive(comm, in, 4, left(), 0);
        assert_true(result < -DRUMLIN_MPI_ERROR);
        assert_int_equal(error_class(result), MPI_ERR_TRUNCATE);
        for (int64_t k = 0; k < lengths[i]; k++)
            assert_int_equal(in[k], '?');
        assert_true(drumlin_mpi_wait(send) >= 0);
        free(out);
        free(in);
    }
}

static void arguments_that_cannot_be_are_refused(void **state)
{
    (void)state;
    char byte = 0;
    assert_int_equal(drumlin_mpi_send(0, &byte, 1, 0, 0), -EINVAL);
    assert_int_equal(drumlin_mpi_send(comm, &byte, -1, 0, 0), -EINVAL);
    assert_int_equal(drumlin_mpi_receive(comm, &byte, INT64_C(1) << 31, 0, 0), -EMSGSIZE);
    assert_int_equal(drumlin_mpi_wait(0), -EINVAL);
    assert_int_equal(drumlin_mpi_cancel_receive(0), -EINVAL);
    assert_int_equal(drumlin_mpi_has_message(0, 0, 0), -EINVAL);
    assert_true(drumlin_mpi_has_message(comm, size, 0) < -DRUMLIN_MPI_ERROR);
    assert_true(drumlin_mpi_send(comm, &byte, 1, size, 0) < -DRUMLIN_MPI_ERROR);
    assert_true(drumlin_mpi_start_receive(comm, &byte, 1, size, 0) < -DRUMLIN_MPI_ERROR);
    assert_true(drumlin_mpi_start_send(comm, &byte, 1, 0, -7) < -DRUMLIN_MPI_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_round_the_ring),
        cmocka_unit_test(tags_choose_messages),
        cmocka_unit_test(a_message_is_seen_before_it_is_received),
        cmocka_unit_test(a_cancelled_receive_leaves_message_and_memory_alone),
        cmocka_unit_test(a_receive_that_has_its_message_ends_when_it_is_cancelled),
        cmocka_unit_test(a_longer_message_than_a_started_receive_is_an_error),
        cmocka_unit_test(a_longer_message_than_the_buffer_is_an_error),
        cmocka_unit_test(arguments_that_cannot_be_are_refused),
    };
    return RUN_RANKS(tests, set_up_ranks, tear_down_ranks);
}
