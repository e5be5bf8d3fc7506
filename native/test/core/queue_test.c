#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef DRUMLIN_WITH_URING
#include <liburing.h>

static int ring_error;      /* io_uring_queue_init fails with it */
static int submit_error;    /* io_uring_submit fails with it ... */
static int submit_failures; /* ... so many times */
static unsigned largest;    /* most bytes of a transfer that are really submitted, 0: all */
static int address_lost;    /* transfers are submitted with an address that has no memory */
static int all_end_with;    /* submitted transfers move nothing and end with it, 0: they are carried out */
static int endings;
static struct io_uring *last_ring;

int __real_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    last_ring = ring;
    return ring_error ? ring_error : __real_io_uring_queue_init(entries, ring, flags);
}

int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring)
{
    if (submit_failures > 0) {
        submit_failures--;
        return submit_error;
    }
    for (unsigned i = ring->sq.sqe_head; i != ring->sq.sqe_tail; i++) {
        struct io_uring_sqe *sqe = &ring->sq.sqes[i & *ring->sq.kring_mask];
        if (largest && sqe->len > largest)
            sqe->len = largest;
        if (address_lost)
            sqe->addr = 8;
        if (all_end_with)
            sqe->opcode = IORING_OP_NOP;
    }
    unsigned before = *ring->cq.ktail;
    int count = __real_io_uring_submit(ring);
    /* An empty operation has ended by now. */
    for (unsigned i = before; all_end_with && i != *ring->cq.ktail; i++, endings++)
        ring->cq.cqes[i & *ring->cq.kring_mask].res = all_end_with;
    return count;
}

static int naps;
int __real_nanosleep(const struct timespec *duration, struct timespec *left);
int __wrap_nanosleep(const struct timespec *duration, struct timespec *left);
int __wrap_nanosleep(const struct timespec *duration, struct timespec *left)
{
    (void)duration;
    naps++;
    return __real_nanosleep(&(struct timespec){.tv_nsec = 1}, left);
}
#endif

/* The gate holds up pwrites of the thread pool. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moves = PTHREAD_COND_INITIALIZER;
static int gate_shut, waiting_at_gate, most_at_gate;

ssize_t __real_pwrite(int fd, const void *data, size_t length, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t length, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t length, off_t offset)
{
    pthread_mutex_lock(&gate);
    waiting_at_gate++;
    if (waiting_at_gate > most_at_gate)
        most_at_gate = waiting_at_gate;
    pthread_cond_broadcast(&gate_moves);
    while (gate_shut)
        pthread_cond_wait(&gate_moves, &gate);
    waiting_at_gate--;
    pthread_mutex_unlock(&gate);
    return __real_pwrite(fd, data, length, offset);
}

static int threads_left = 1000; /* that may still be made */
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *argument)
{
    if (threads_left-- <= 0)
        return EAGAIN;
    return __real_pthread_create(thread, attr, run, argument);
}

/* ---- fixture: the tests run once per backend ------------------------------------------------------------------ */

static int backend;
static char path[] = "queue_test.XXXXXX"; /* in the working folder: a disk, which /tmp need not be */
static int fd = -1;
static drumlin_queue *queue;

static int set_up(void **state)
{
    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    fd = mkstemp(path);
    int error = drumlin_queue_create(&queue, 4, backend);
    if (error)
        print_message("no queue of backend %d: %s\n", backend, drumlin_error_name(error));
    return fd < 0 || error;
}

static int tear_down(void **state)
{
    (void)state;
    drumlin_queue_destroy(queue);
    queue = NULL;
    close(fd);
    unlink(path);
    return 0;
}

static uint8_t *pattern(size_t length, unsigned salt)
{
    uint8_t *data = malloc(length);
    for (size_t i = 0; i < length; i++)
        data[i] = (uint8_t)(i * 13 + salt + i / 257);
    return data;
}

static void assert_file_holds(const uint8_t *data, size_t length, int64_t offset)
{
    uint8_t *back = malloc(length);
    assert_int_equal(drumlin_file_read(fd, back, (int64_t)length, offset), length);
    assert_memory_equal(back, data, length);
    free(back);
}

/* ---- both backends -------------------------------------------------------------------------------------------- */

static void the_backend_is_the_one_asked_for(void **state)
{
    (void)state;
    assert_int_equal(drumlin_queue_backend(queue), backend);
}

static void more_transfers_than_the_depth_are_all_carried_out(void **state)
{
    (void)state;
    enum { COUNT = 50, LENGTH = 70001 };
    uint8_t *data = pattern(COUNT * LENGTH, 1);
    int64_t tickets[COUNT];
    for (int i = 0; i < COUNT; i++) {
        tickets[i] = drumlin_queue_write(queue, fd, data + i * LENGTH, LENGTH, i * LENGTH);
        assert_true(tickets[i] >= 0);
    }
    for (int i = COUNT - 1; i >= 0; i--)
        assert_int_equal(drumlin_queue_wait(queue, tickets[i]), LENGTH);
    assert_file_holds(data, COUNT * LENGTH, 0);

    uint8_t *back = calloc(COUNT, LENGTH);
    for (int i = 0; i < COUNT; i++)
        tickets[i] = drumlin_queue_read(queue, fd, back + i * LENGTH, LENGTH, i * LENGTH);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(drumlin_queue_wait(queue, tickets[i]), LENGTH);
    assert_memory_equal(back, data, COUNT * LENGTH);
    free(back);
    free(data);
}

static void direct_writes_carry_the_bytes(void **state)
{
    (void)state;
    int direct = drumlin_file_open(path, DRUMLIN_OPEN_READ | DRUMLIN_OPEN_WRITE | DRUMLIN_OPEN_DIRECT, 0);
    enum { COUNT = 8, LENGTH = 1 << 20 };
    uint8_t *data;
    assert_int_equal(drumlin_memory_allocate((void **)&data, COUNT * LENGTH), 0);
    for (size_t i = 0; i < COUNT * LENGTH; i++)
        data[i] = (uint8_t)(i / 3);
    int64_t tickets[COUNT];
    for (int i = 0; i < COUNT; i++)
        tickets[i] = drumlin_queue_write(queue, direct, data + i * LENGTH, LENGTH, i * LENGTH);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(drumlin_queue_wait(queue, tickets[i]), LENGTH);
    assert_file_holds(data, COUNT * LENGTH, 0);
    if (drumlin_file_alignment(direct) > 1) {
        int64_t ticket = drumlin_queue_write(queue, direct, data + 1, 4096, 0);
        assert_int_equal(drumlin_queue_wait(queue, ticket), -EINVAL);
    }
    drumlin_memory_free(data);
    drumlin_file_close(direct);
}

static void a_read_ends_at_the_end_of_the_file(void **state)
{
    (void)state;
    uint8_t *data = pattern(10000, 2);
    uint8_t back[20000];
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, fd, data, 10000, 0)), 10000);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, back, sizeof back, 1000)), 9000);
    assert_memory_equal(back, data + 1000, 9000);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, back, sizeof back, 10000)), 0);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, back, 10, 1 << 30)), 0);
    free(data);
}

static void errors_come_with_the_ticket(void **state)
{
    (void)state;
    char byte = 0;
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, -1, &byte, 1, 0)), -EBADF);
    int read_only = drumlin_file_open(path, DRUMLIN_OPEN_READ, 0);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, read_only, &byte, 1, 0)), -EBADF);
    drumlin_file_close(read_only);
    int full = drumlin_file_open("/dev/full", DRUMLIN_OPEN_WRITE, 0);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, full, &byte, 1, 0)), -ENOSPC);
    drumlin_file_close(full);
}

/* A real short count: the kernel writes up to the limit, and the rest fails. */
static void a_write_over_the_size_limit_is_told(void **state)
{
    (void)state;
    struct rlimit limit, low;
    getrlimit(RLIMIT_FSIZE, &limit);
    low = limit;
    low.rlim_cur = 10000;
    uint8_t *data = pattern(20000, 3);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    int64_t result = drumlin_queue_wait(queue, drumlin_queue_write(queue, fd, data, 20000, 0));
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(result, -EFBIG);
    assert_int_equal(drumlin_file_size(fd), 10000);
    free(data);
}

static void an_empty_transfer_ends_at_once(void **state)
{
    (void)state;
    int64_t ticket = drumlin_queue_write(queue, fd, NULL, 0, 5);
    assert_true(ticket >= 0);
    assert_int_equal(drumlin_queue_wait(queue, ticket), 0);
    assert_int_equal(drumlin_file_size(fd), 0);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    char byte = 0;
    assert_int_equal(drumlin_queue_write(queue, fd, &byte, -1, 0), -EINVAL);
    assert_int_equal(drumlin_queue_read(queue, fd, &byte, 1, -1), -EINVAL);
    assert_int_equal(drumlin_queue_wait(queue, 0), -EINVAL);
    assert_int_equal(drumlin_queue_wait(queue, -1), -EINVAL);
    int64_t ticket = drumlin_queue_write(queue, fd, &byte, 1, 0);
    assert_int_equal(drumlin_queue_wait(queue, ticket), 1);
    assert_int_equal(drumlin_queue_wait(queue, ticket), -EINVAL);
    drumlin_queue *none = NULL;
    assert_int_equal(drumlin_queue_create(&none, 0, backend), -EINVAL);
    assert_int_equal(drumlin_queue_create(&none, 5000, backend), -EINVAL);
    assert_int_equal(drumlin_queue_create(&none, 1, 3), -EINVAL);
    drumlin_queue_destroy(NULL);
}

static void a_queue_may_be_destroyed_before_its_transfers_were_waited_for(void **state)
{
    (void)state;
    uint8_t *data = pattern(1 << 20, 4);
    drumlin_queue *hasty;
    assert_int_equal(drumlin_queue_create(&hasty, 2, backend), 0);
    for (int i = 0; i < 5; i++)
        assert_true(drumlin_queue_write(hasty, fd, data, 1 << 20, i << 20) >= 0);
    drumlin_queue_destroy(hasty);
    for (int i = 0; i < 5; i++)
        assert_file_holds(data, 1 << 20, i << 20);
    free(data);
}

struct worker {
    pthread_t thread;
    unsigned number;
    int failures;
};

enum { WORKERS = 6, ROUNDS = 40, PIECES = 5, PIECE = 12288 };

/* Several transfers at once into this thread's part of the file, read back and compared, many times. */
static void *use_queue(void *argument)
{
    struct worker *worker = argument;
    int64_t base = (int64_t)worker->number * PIECES * PIECE;
    uint8_t *back = malloc(PIECES * PIECE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t *data = pattern(PIECES * PIECE, worker->number * 31 + round);
        int64_t tickets[PIECES];
        for (int i = 0; i < PIECES; i++)
            tickets[i] = drumlin_queue_write(queue, fd, data + i * PIECE, PIECE, base + i * PIECE);
        for (int i = 0; i < PIECES; i++)
            worker->failures += drumlin_queue_wait(queue, tickets[i]) != PIECE;
        int64_t ticket = drumlin_queue_read(queue, fd, back, PIECES * PIECE, base);
        worker->failures += drumlin_queue_wait(queue, ticket) != PIECES * PIECE;
        worker->failures += memcmp(back, data, PIECES * PIECE) != 0;
        free(data);
    }
    free(back);
    return NULL;
}

static void threads_share_a_queue(void **state)
{
    (void)state;
    struct worker workers[WORKERS] = {0};
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i].number = i;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, use_queue, &workers[i]), 0);
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_int_equal(workers[i].failures, 0);
    }
}

static int64_t started[4];

static void *write_and_leave(void *argument)
{
    for (int i = 0; i < 4; i++)
        started[i] = drumlin_queue_write(queue, fd, argument, 1 << 20, i << 20);
    return NULL;
}

static void *read_and_leave(void *argument)
{
    for (int i = 0; i < 4; i++)
        started[i] = drumlin_queue_read(queue, fd, (uint8_t *)argument + (i << 20), 1 << 20, i << 20);
    return NULL;
}

static void run_in_a_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, argument);
    pthread_join(thread, NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(drumlin_queue_wait(queue, started[i]), 1 << 20);
}

static void transfers_outlive_the_thread_that_started_them(void **state)
{
    (void)state;
    uint8_t *data = pattern(1 << 20, 5);
    run_in_a_thread(write_and_leave, data);
    for (int i = 0; i < 4; i++)
        assert_file_holds(data, 1 << 20, i << 20);
    fsync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* so that the reads take longer than the thread */
    uint8_t *back = calloc(4, 1 << 20);
    run_in_a_thread(read_and_leave, back);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(back + (i << 20), data, 1 << 20);
    free(back);
    free(data);
}

static void memory_that_is_not_there_is_told(void **state)
{
    (void)state;
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, fd, (void *)8, 10, 0)), -EFAULT);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, fd, "abc", 3, 0)), 3);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, (void *)8, 3, 0)), -EFAULT);
}

/* ---- thread pool ---------------------------------------------------------------------------------------------- */

static void *open_gate_when_all_wait(void *argument)
{
    pthread_mutex_lock(&gate);
    while (waiting_at_gate < *(int *)argument)
        pthread_cond_wait(&gate_moves, &gate);
    gate_shut = 0;
    pthread_cond_broadcast(&gate_moves);
    pthread_mutex_unlock(&gate);
    return NULL;
}

static void the_depth_is_used_and_never_exceeded(void **state)
{
    (void)state;
    int64_t tickets[12];
    int depth = 4;
    pthread_t opener;
    gate_shut = 1;
    most_at_gate = 0;
    pthread_create(&opener, NULL, open_gate_when_all_wait, &depth);
    for (int i = 0; i < 12; i++) /* the fifth blocks until the gate is open */
        tickets[i] = drumlin_queue_write(queue, fd, "x", 1, i);
    pthread_join(opener, NULL);
    for (int i = 0; i < 12; i++)
        assert_int_equal(drumlin_queue_wait(queue, tickets[i]), 1);
    assert_int_equal(most_at_gate, depth);
}

static void fewer_threads_than_wanted_will_do_and_even_none(void **state)
{
    (void)state;
    drumlin_queue *poor = NULL;
    threads_left = 1;
    assert_int_equal(drumlin_queue_create(&poor, 4, DRUMLIN_QUEUE_THREADS), 0);
    int64_t first = drumlin_queue_write(poor, fd, "ab", 2, 0);
    assert_int_equal(drumlin_queue_wait(poor, drumlin_queue_write(poor, fd, "cd", 2, 2)), 2);
    assert_int_equal(drumlin_queue_wait(poor, first), 2);
    drumlin_queue_destroy(poor);
    threads_left = 0;
    assert_int_equal(drumlin_queue_create(&poor, 4, DRUMLIN_QUEUE_THREADS), 0);
    int64_t tickets[6];
    char back[6];
    for (int i = 0; i < 6; i++)
        tickets[i] = drumlin_queue_write(poor, fd, "ghijkl" + i, 1, i);
    for (int i = 0; i < 6; i++)
        assert_int_equal(drumlin_queue_wait(poor, tickets[i]), 1);
    assert_int_equal(drumlin_queue_wait(poor, drumlin_queue_read(poor, fd, back, 6, 0)), 6);
    assert_memory_equal(back, "ghijkl", 6);
    assert_int_equal(drumlin_queue_wait(poor, drumlin_queue_write(poor, -1, "x", 1, 0)), -EBADF);
    drumlin_queue_destroy(poor);
    threads_left = 1000;
}

/* ---- io_uring ------------------------------------------------------------------------------------------------- */

#ifdef DRUMLIN_WITH_URING
static void short_counts_are_resubmitted(void **state)
{
    (void)state;
    uint8_t *data = pattern(100000, 6);
    uint8_t *back = calloc(1, 100000);
    largest = 9999;
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, fd, data, 100000, 11)), 100000);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, back, 100000, 11)), 100000);
    largest = 0;
    assert_memory_equal(back, data, 100000);
    free(back);
    free(data);
}

static void a_busy_kernel_is_asked_again(void **state)
{
    (void)state;
    int errors[] = {-EAGAIN, -EBUSY, -EINTR};
    for (int i = 0; i < 3; i++) {
        submit_error = errors[i];
        submit_failures = 3;
        int64_t first = drumlin_queue_write(queue, fd, "ab", 2, 0);
        int64_t second = drumlin_queue_write(queue, fd, "cd", 2, 2);
        assert_int_equal(drumlin_queue_wait(queue, second), 2);
        assert_int_equal(drumlin_queue_wait(queue, first), 2);
        assert_int_equal(submit_failures, 0);
        assert_file_holds((const uint8_t *)"abcd", 4, 0);
    }
}

/* The kernel does this for a thread that is ending. */
static void a_transfer_that_the_kernel_has_no_memory_of_is_done_by_calls(void **state)
{
    (void)state;
    char back[6];
    largest = 2;
    int64_t ticket = drumlin_queue_write(queue, fd, "abcdef", 6, 0);
    address_lost = 1; /* from the second submission on */
    assert_int_equal(drumlin_queue_wait(queue, ticket), 6);
    assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, back, 6, 0)), 6);
    largest = 0;
    address_lost = 0;
    assert_memory_equal(back, "abcdef", 6);
}

/* A kernel that can make no threads does this. Callers that wait for room continue, so there are more than the depth. */
static void what_the_ring_ends_undone_is_done_by_calls(void **state)
{
    (void)state;
    int errors[] = {-ECANCELED, -EAGAIN, -EINTR, -EFAULT};
    for (int i = 0; i < 4; i++) {
        uint8_t *data = pattern(9 * 5000, 7 + (unsigned)i);
        uint8_t *back = calloc(9, 5000);
        int64_t tickets[9];
        all_end_with = errors[i];
        endings = 0;
        for (int j = 0; j < 9; j++)
            tickets[j] = drumlin_queue_write(queue, fd, data + j * 5000, 5000, j * 5000);
        for (int j = 0; j < 9; j++)
            assert_int_equal(drumlin_queue_wait(queue, tickets[j]), 5000);
        assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_read(queue, fd, back, 9 * 5000, 0)), 9 * 5000);
        assert_int_equal(drumlin_queue_wait(queue, drumlin_queue_write(queue, -1, "x", 1, 0)), -EBADF);
        all_end_with = 0;
        assert_int_equal(endings, 11); /* once each */
        assert_memory_equal(back, data, 9 * 5000);
        free(back);
        free(data);
    }
}

static void a_ring_that_ends_all_undone_is_shared_by_threads(void **state)
{
    all_end_with = -ECANCELED;
    threads_share_a_queue(state);
    all_end_with = 0;
}

/* One transfer more than the depth: a caller that waits for room gets the error, too. */
static void assert_all_fail_with(int error)
{
    int64_t tickets[5];
    for (int i = 0; i < 5; i++)
        tickets[i] = drumlin_queue_write(queue, fd, "x", 1, i);
    for (int i = 4; i >= 0; i--)
        assert_int_equal(drumlin_queue_wait(queue, tickets[i]), error);
}

static void a_kernel_that_stays_without_memory_is_not_waited_for(void **state)
{
    (void)state;
    submit_error = -ENOMEM;
    submit_failures = INT_MAX;
    naps = 0;
    assert_all_fail_with(-ENOMEM);
    assert_true(naps > 1000);
    submit_failures = 0;
}

static void a_ring_that_fails_takes_nothing_more(void **state)
{
    (void)state;
    submit_error = -EFAULT;
    submit_failures = 1;
    assert_all_fail_with(-EFAULT);
    assert_int_equal(drumlin_file_size(fd), 0);
}

/* The kernel may still write to the memory of what it has taken. */
static void what_the_kernel_has_taken_ends_by_itself(void **state)
{
    (void)state;
    for (int reused = 0; reused < 2; reused++) {
        drumlin_queue *other = NULL;
        int ends[2];
        char back[3];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(drumlin_queue_create(&other, 4, DRUMLIN_QUEUE_URING), 0);
        int64_t taken = drumlin_queue_read(other, ends[0], back, 3, 0);
        int number = last_ring->ring_fd;
        close(number);
        if (reused)
            assert_int_equal(dup2(fd, number), number);
        int error = reused ? -EOPNOTSUPP : -EBADF;
        assert_int_equal(drumlin_queue_wait(other, drumlin_queue_write(other, fd, "x", 1, 0)), error);
        assert_int_equal(write(ends[1], "abc", 3), 3);
        assert_int_equal(drumlin_queue_wait(other, taken), 3);
        assert_memory_equal(back, "abc", 3);
        drumlin_queue_destroy(other);
        assert_int_equal(close(number), reused ? 0 : -1);
        close(ends[0]);
        close(ends[1]);
    }
}

static void without_io_uring_threads_take_over(void **state)
{
    (void)state;
    int errors[] = {-ENOSYS, -EPERM, -ENOMEM};
    for (int i = 0; i < 3; i++) {
        drumlin_queue *other = NULL;
        ring_error = errors[i];
        assert_int_equal(drumlin_queue_create(&other, 4, DRUMLIN_QUEUE_URING), errors[i]);
        assert_int_equal(drumlin_queue_create(&other, 4, DRUMLIN_QUEUE_AUTO), 0);
        ring_error = 0;
        assert_int_equal(drumlin_queue_backend(other), DRUMLIN_QUEUE_THREADS);
        assert_int_equal(drumlin_queue_wait(other, drumlin_queue_write(other, fd, "abc", 3, 0)), 3);
        drumlin_queue_destroy(other);
    }
}

static void a_ring_that_takes_no_operations_is_not_used(void **state)
{
    (void)state;
    drumlin_queue *other = NULL;
    submit_error = -EPERM;
    submit_failures = 2;
    assert_int_equal(drumlin_queue_create(&other, 4, DRUMLIN_QUEUE_URING), -EPERM);
    assert_int_equal(drumlin_queue_create(&other, 4, DRUMLIN_QUEUE_AUTO), 0);
    assert_int_equal(drumlin_queue_backend(other), DRUMLIN_QUEUE_THREADS);
    drumlin_queue_destroy(other);
}

static int io_uring_usable(void)
{
    drumlin_queue *probe;
    int error = drumlin_queue_create(&probe, 1, DRUMLIN_QUEUE_URING);
    if (error) {
        print_message("io_uring tests skipped: this kernel or container refuses it: %s\n", drumlin_error_name(error));
        return 0;
    }
    drumlin_queue_destroy(probe);
    return 1;
}
#endif

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define COMMON_TESTS                                                                                                   \
    TEST(the_backend_is_the_one_asked_for), TEST(more_transfers_than_the_depth_are_all_carried_out),                   \
        TEST(direct_writes_carry_the_bytes), TEST(a_read_ends_at_the_end_of_the_file),                                 \
        TEST(errors_come_with_the_ticket), TEST(a_write_over_the_size_limit_is_told),                                  \
        TEST(an_empty_transfer_ends_at_once), TEST(wrong_arguments_are_refused),                                       \
        TEST(a_queue_may_be_destroyed_before_its_transfers_were_waited_for), TEST(threads_share_a_queue),              \
        TEST(transfers_outlive_the_thread_that_started_them), TEST(memory_that_is_not_there_is_told)

int main(void)
{
    const struct CMUnitTest with_threads[] = {
        COMMON_TESTS,
        TEST(the_depth_is_used_and_never_exceeded),
        TEST(fewer_threads_than_wanted_will_do_and_even_none),
    };
    backend = DRUMLIN_QUEUE_THREADS;
    int failures = cmocka_run_group_tests_name("threads", with_threads, NULL, NULL);
#ifdef DRUMLIN_WITH_URING
    const struct CMUnitTest with_uring[] = {
        COMMON_TESTS,
        TEST(short_counts_are_resubmitted),
        TEST(a_busy_kernel_is_asked_again),
        TEST(a_transfer_that_the_kernel_has_no_memory_of_is_done_by_calls),
        TEST(what_the_ring_ends_undone_is_done_by_calls),
        TEST(a_ring_that_ends_all_undone_is_shared_by_threads),
        TEST(a_kernel_that_stays_without_memory_is_not_waited_for),
        TEST(a_ring_that_fails_takes_nothing_more),
        TEST(what_the_kernel_has_taken_ends_by_itself),
        TEST(without_io_uring_threads_take_over),
        TEST(a_ring_that_takes_no_operations_is_not_used),
    };
    if (io_uring_usable()) {
        backend = DRUMLIN_QUEUE_URING;
        failures += cmocka_run_group_tests_name("io_uring", with_uring, NULL, NULL);
    }
#endif
    return failures;
}
