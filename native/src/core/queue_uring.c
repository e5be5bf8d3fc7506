#include "queue.h"

#include "file.h"

#include <errno.h>
#include <liburing.h>
#include <sched.h>
#include <stdlib.h>

/* What the kernel moves at most in one transfer (MAX_RW_COUNT with 4 KiB pages). */
#define MAX_LENGTH INT64_C(0x7ffff000)

/*
 * Submission is guarded by the queue's lock. Completions are reaped by one waiting thread at a time, which sleeps in
 * the kernel without the lock; the other waiting threads sleep on the condition.
 */
struct uring {
    struct io_uring ring;
    bool reaping;
};

static bool operations_known(struct io_uring *ring)
{
    struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
    if (!probe)
        return false;
    bool known = io_uring_opcode_supported(probe, IORING_OP_WRITE) && io_uring_opcode_supported(probe, IORING_OP_READ);
    io_uring_free_probe(probe);
    return known;
}

/* A container may allow the set-up call and forbid the others: an empty operation goes the whole way. */
static int try_out(struct io_uring *ring)
{
    struct io_uring_cqe *cqe;
    if (!operations_known(ring))
        return -ENOSYS;
    io_uring_prep_nop(io_uring_get_sqe(ring));
    int count = io_uring_submit(ring);
    if (count < 0)
        return count;
    int error;
    do
        error = io_uring_wait_cqe(ring, &cqe);
    while (error == -EINTR);
    if (!error)
        io_uring_cqe_seen(ring, cqe);
    return error;
}

static int32_t open_ring(drumlin_queue *queue)
{
    struct uring *uring = calloc(1, sizeof *uring);
    if (!uring)
        return -ENOMEM;
    int error = io_uring_queue_init((unsigned)queue->depth, &uring->ring, 0);
    if (!error && (error = try_out(&uring->ring)))
        io_uring_queue_exit(&uring->ring);
    if (error) {
        free(uring);
        return error;
    }
    queue->state = uring;
    return 0;
}

static void close_ring(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    io_uring_queue_exit(&uring->ring);
    free(uring);
}

/* The rest of the transfer. There is room: no transfer has two entries, and depth of them fit. */
static void prepare(struct io_uring *ring, struct transfer *transfer)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    int64_t rest = transfer->length - transfer->done;
    unsigned length = (unsigned)(rest < MAX_LENGTH ? rest : MAX_LENGTH);
    char *data = transfer->data + transfer->done;
    uint64_t offset = (uint64_t)(transfer->offset + transfer->done);
    if (transfer->writing)
        io_uring_prep_write(sqe, transfer->fd, data, length, offset);
    else
        io_uring_prep_read(sqe, transfer->fd, data, length, offset);
    io_uring_sqe_set_data(sqe, transfer);
}

/* What the kernel has no memory for now stays in the ring until the next call. */
static void submit(struct io_uring *ring)
{
    if (io_uring_sq_ready(ring) > 0)
        (void)io_uring_submit(ring);
}

static void start(drumlin_queue *queue, struct transfer *transfer)
{
    struct uring *uring = queue->state;
    prepare(&uring->ring, transfer);
    submit(&uring->ring);
}

/* Takes note of what the kernel says of a transfer; true when that was not yet all. */
static bool goes_on(drumlin_queue *queue, struct transfer *transfer, int count)
{
    /* Cancelled: the thread that started it ended before the kernel came to it. */
    if (count == -EINTR || count == -EAGAIN || count == -ECANCELED)
        return true;
    if (count < 0 || (count == 0 && transfer->writing)) {
        queue_finish(queue, transfer, count < 0 ? count : -EIO);
        return false;
    }
    transfer->done += count;
    bool ended = count == 0 || transfer->done == transfer->length ||
                 (!transfer->writing && file_at_end(transfer->fd, transfer->offset + transfer->done));
    if (ended)
        queue_finish(queue, transfer, transfer->done);
    return !ended;
}

static void reap(drumlin_queue *queue, struct io_uring *ring)
{
    struct io_uring_cqe *cqe;
    while (io_uring_peek_cqe(ring, &cqe) == 0) {
        struct transfer *transfer = io_uring_cqe_get_data(cqe);
        int count = cqe->res;
        io_uring_cqe_seen(ring, cqe);
        if (goes_on(queue, transfer, count))
            prepare(ring, transfer);
    }
    submit(ring);
}

static void await(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    if (uring->reaping) {
        pthread_cond_wait(&queue->changed, &queue->lock);
        return;
    }
    submit(&uring->ring);
    bool in_kernel = (int32_t)io_uring_sq_ready(&uring->ring) < queue->under_way;

    uring->reaping = true;
    pthread_mutex_unlock(&queue->lock);
    struct io_uring_cqe *cqe;
    if (in_kernel)
        (void)io_uring_wait_cqe(&uring->ring, &cqe);
    else
        sched_yield();
    pthread_mutex_lock(&queue->lock);
    reap(queue, &uring->ring);
    uring->reaping = false;
    /* Another waiting thread must reap from now on, even if nothing has finished. */
    pthread_cond_broadcast(&queue->changed);
}

const struct backend queue_uring = {DRUMLIN_QUEUE_URING, open_ring, start, await, close_ring};
