#include "queue.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* Enough to keep a device busy with blocking calls. More would only compete for processors with the node's ranks. */
#define MAX_THREADS 8

struct pool {
    pthread_cond_t work; /* there is a transfer to carry out, or the pool is stopping */
    struct queue_transfer *first;
    struct queue_transfer *last;
    bool stopping;
    int count;
    pthread_t threads[MAX_THREADS];
};

static struct queue_transfer *pool_next(drumlin_queue *queue, struct pool *pool)
{
    while (!pool->first && !pool->stopping)
        pthread_cond_wait(&pool->work, &queue->lock);
    struct queue_transfer *transfer = pool->first;
    if (transfer)
        pool->first = transfer->next;
    return transfer;
}

/* Carries out a transfer by calls. Gives up the lock meanwhile. */
static void carry_out_transfer(drumlin_queue *queue, struct queue_transfer *transfer)
{
    pthread_mutex_unlock(&queue->lock);
    int64_t result = transfer->writing
                         ? drumlin_file_write(transfer->fd, transfer->data, transfer->length, transfer->offset)
                         : drumlin_file_read(transfer->fd, transfer->data, transfer->length, transfer->offset);
    pthread_mutex_lock(&queue->lock);
    queue_finish(queue, transfer, result);
}

static void *run_thread(void *argument)
{
    drumlin_queue *queue = argument;
    struct queue_transfer *transfer;
    pthread_mutex_lock(&queue->lock);
    while ((transfer = pool_next(queue, queue->state)))
        carry_out_transfer(queue, transfer);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void pool_close(drumlin_queue *queue)
{
    struct pool *pool = queue->state;
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&queue->lock);
    for (int i = 0; i < pool->count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_lock(&queue->lock);
    pthread_cond_destroy(&pool->work);
    free(pool);
}

/* Signals are for the threads of the program: its handlers must not run on ours. */
static void pool_start_threads(drumlin_queue *queue, struct pool *pool, int wanted)
{
    sigset_t all;
    sigset_t before;
    int error = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->count < wanted && !error) {
        error = pthread_create(&pool->threads[pool->count], NULL, run_thread, queue);
        if (!error)
            pool->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int32_t pool_open(drumlin_queue *queue)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return -ENOMEM;
    pthread_cond_init(&pool->work, NULL);
    queue->state = pool;
    pool_start_threads(queue, pool, queue->depth < MAX_THREADS ? queue->depth : MAX_THREADS);
    return 0; /* fewer than wanted will do */
}

static void start_transfer(drumlin_queue *queue, struct queue_transfer *transfer)
{
    struct pool *pool = queue->state;
    if (pool->count == 0) {
        carry_out_transfer(queue, transfer);
        return;
    }
    transfer->next = NULL;
    if (pool->first)
        pool->last->next = transfer;
    else
        pool->first = transfer;
    pool->last = transfer;
    pthread_cond_signal(&pool->work);
}

static void await_transfer(drumlin_queue *queue)
{
    pthread_cond_wait(&queue->changed, &queue->lock);
}

const struct queue_backend queue_threads = {
    DRUMLIN_QUEUE_THREADS, pool_open, start_transfer, await_transfer, pool_close,
};
