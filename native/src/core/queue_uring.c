#include "queue.h"

#include "file.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <time.h>

/* Most bytes that the kernel moves in one transfer (MAX_RW_COUNT with 4 KiB pages). */
#define MAX_LENGTH INT64_C(0x7ffff000)

/*
 * The pause before a kernel without memory is asked again, and how often it is asked while no transfer under way can
 * free some: for 10 s.
 */
#define PAUSE_NANOS 1000000
#define MOST_REFUSALS 10000

/*
 * Submission is guarded by the queue's lock. Completions are reaped by one waiting thread at a time, which sleeps in
 * the kernel without the lock; the other waiting threads sleep on the condition.
 */
struct uring {
    struct io_uring ring;
    bool reaping;
    int refusal;  /* the last error by which the kernel asks to be called again */
    int refusals; /* calls in a row that it refused while it had no transfer to do */
    int error;    /* with which the ring has failed for good, or 0 */
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

/* Tries the ring with an empty operation: a container may allow the set-up call and forbid the others. */
static int ring_probe(struct io_uring *ring)
{
    struct io_uring_cqe *cqe;
    if (!operations_known(ring))
        return -ENOSYS;
    io_uring_prep_nop(io_uring_get_sqe(ring));
    int count = io_uring_submit(ring);
    if (count < 0)
        return count;
    int error;
    /* This loop ends: an empty operation waits for nothing, so a call after an interruption finds it completed. */
    do
        error = io_uring_wait_cqe(ring, &cqe);
    while (error == -EINTR);
    if (!error)
        io_uring_cqe_seen(ring, cqe);
    return error;
}

static int32_t ring_open(drumlin_queue *queue)
{
    struct uring *uring = calloc(1, sizeof *uring);
    if (!uring)
        return -ENOMEM;
    int error = io_uring_queue_init((unsigned)queue->depth, &uring->ring, 0);
    if (!error && (error = ring_probe(&uring->ring)))
        io_uring_queue_exit(&uring->ring);
    if (error) {
        free(uring);
        return error;
    }
    uring->refusal = -EAGAIN;
    queue->state = uring;
    return 0;
}

static void ring_close(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    /* Somebody has closed the descriptor of the ring. Its number may be that of another file by now. */
    if (uring->error == -EBADF || uring->error == -EOPNOTSUPP)
        uring->ring.ring_fd = -1;
    io_uring_queue_exit(&uring->ring);
    free(uring);
}

/* Prepares an entry for the rest of the transfer. There is room: depth entries fit, and no transfer has two. */
static void prepare_rest(drumlin_queue *queue, struct queue_transfer *transfer)
{
    struct uring *uring = queue->state;
    if (uring->error) {
        queue_finish(queue, transfer, uring->error);
        return;
    }
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
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

/* The number of prepared entries that the kernel has not taken. Once the ring has failed they belong to no transfer. */
static int32_t entries_not_taken(const struct uring *uring)
{
    return uring->error ? 0 : (int32_t)io_uring_sq_ready(&uring->ring);
}

/*
 * Ends the use of the ring after an error. Nothing is submitted any more, and transfers that the kernel has not taken
 * end with the error. The kernel still uses the memory of those that it has taken: they end by themselves, and their
 * completions come in the ring.
 */
static void ring_fail(drumlin_queue *queue, int error)
{
    struct uring *uring = queue->state;
    const struct io_uring_sq *sq = &uring->ring.sq;
    unsigned count = (unsigned)entries_not_taken(uring);
    uring->error = error;
    for (unsigned i = sq->sqe_tail - count; i != sq->sqe_tail; i++)
        queue_finish(queue, (struct queue_transfer *)(uintptr_t)sq->sqes[i & *sq->kring_mask].user_data, error);
}

/* Records what a system call on the ring has returned. */
static void ring_record_result(drumlin_queue *queue, int result)
{
    struct uring *uring = queue->state;
    if (result >= 0 || uring->error)
        return;
    if (result == -EINTR || result == -EAGAIN || result == -EBUSY || result == -ENOMEM)
        uring->refusal = result;
    else
        ring_fail(queue, result);
}

/* Submits what is prepared. Entries for which the kernel has no memory now stay in the ring until the next call. */
static void ring_submit(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    if (entries_not_taken(uring) > 0)
        ring_record_result(queue, io_uring_submit(&uring->ring));
}

static void start_transfer(drumlin_queue *queue, struct queue_transfer *transfer)
{
    prepare_rest(queue, transfer);
    ring_submit(queue);
}

/* Carries out by calls the rest of a transfer that the ring cannot do. Gives up the lock meanwhile. */
static void move_rest(drumlin_queue *queue, struct queue_transfer *transfer)
{
    int64_t rest = transfer->length - transfer->done;
    char *data = transfer->data + transfer->done;
    int64_t offset = transfer->offset + transfer->done;
    pthread_mutex_unlock(&queue->lock);
    int64_t moved = transfer->writing ? drumlin_file_write(transfer->fd, data, rest, offset)
                                      : drumlin_file_read(transfer->fd, data, rest, offset);
    pthread_mutex_lock(&queue->lock);
    queue_finish(queue, transfer, moved < 0 ? moved : transfer->done + moved);
}

/*
 * Whether a completion says that the ring has failed, not the transfer. -ECANCELED: the thread that started the
 * transfer ended before the kernel came to it, or the kernel could not make a thread for it and cannot make the next
 * one either (ulimit -u, the pids of a container). -EFAULT: the memory cannot be used, or the thread that started the
 * transfer was ending. The ring might fail in the same way without end. Calls end, and tell the real error.
 */
static bool is_ring_failure(int count)
{
    return count == -ECANCELED || count == -EFAULT || count == -EINTR || count == -EAGAIN;
}

/* Applies the count or error of a completion to its transfer. True if the transfer moved bytes and is not complete. */
static bool transfer_continues(drumlin_queue *queue, struct queue_transfer *transfer, int count)
{
    if (is_ring_failure(count)) {
        move_rest(queue, transfer);
        return false;
    }
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

/* Takes all completions out of the ring. One thread at a time calls it. */
static void ring_reap(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    struct io_uring_cqe *cqe;
    while (io_uring_peek_cqe(&uring->ring, &cqe) == 0) {
        struct queue_transfer *transfer = io_uring_cqe_get_data(cqe);
        int count = cqe->res;
        io_uring_cqe_seen(&uring->ring, cqe);
        if (transfer_continues(queue, transfer, count))
            prepare_rest(queue, transfer);
    }
    ring_submit(queue);
}

/* Whether the kernel has transfers to do. The ring fails if it refuses even the first one for too long. */
static bool kernel_has_transfers(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    if (entries_not_taken(uring) < queue->under_way)
        uring->refusals = 0;
    else if (++uring->refusals > MOST_REFUSALS)
        ring_fail(queue, uring->refusal);
    return uring->refusals == 0;
}

/* Returns when there may be a completion in the ring. Without asking the kernel, it only pauses. */
static int ring_sleep(struct io_uring *ring, bool ask)
{
    struct io_uring_cqe *cqe;
    int result = ask ? io_uring_wait_cqe(ring, &cqe) : -EAGAIN;
    if (result < 0 && result != -EINTR)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NANOS}, NULL);
    return result;
}

/*
 * A caller that repeats this sees its transfer end. The kernel ends the transfers that it has taken. If it takes none
 * while it has nothing to do, the ring fails after MOST_REFUSALS. And a transfer that continues has become shorter.
 */
static void await_transfer(drumlin_queue *queue)
{
    struct uring *uring = queue->state;
    if (uring->reaping) {
        pthread_cond_wait(&queue->changed, &queue->lock);
        return;
    }
    ring_submit(queue);
    bool ask = kernel_has_transfers(queue) && !uring->error;
    if (queue->under_way == 0)
        return;

    uring->reaping = true;
    pthread_mutex_unlock(&queue->lock);
    int result = ring_sleep(&uring->ring, ask);
    pthread_mutex_lock(&queue->lock);
    if (ask)
        ring_record_result(queue, result);
    ring_reap(queue);
    uring->reaping = false;
    /* Another waiting thread must reap from now on, even if nothing has finished. */
    pthread_cond_broadcast(&queue->changed);
}

const struct queue_backend queue_uring = {
    DRUMLIN_QUEUE_URING, ring_open, start_transfer, await_transfer, ring_close,
};
