#include "queue.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* Enough to keep a device busy with blocking calls; more only compete for processors with the ranks of the node. */
#define MAX_THREADS 8

struct pool {
    pthread_cond_t work; /* a transfer is there to be done, or stopping */
    struct transfer *first;
    struct transfer *last;
    bool stopping;
    int count;
    pthread_t threads[MAX_THREADS];
};

static struct transfer *next_transfer(drumlin_queue *queue, struct pool *pool)
{
    while (!pool->first && !pool->stopping)
        pthread_cond_wait(&pool->work, &queue->lock);
    struct transfer *transfer = pool->first;
    if (transfer)
        pool->first = transfer->next;
    return transfer;
}

/* The lock is given up meanwhile. */
static void carry_out(drumlin_queue *queue, struct transfer *transfer)
{
    pthread_mutex_unlock(&queue->lock);
    int64_t result = transfer->writing
                         ? drumlin_file_write(transfer->fd, transfer->data, transfer->length, transfer->offset)
                         : drumlin_file_read(transfer->fd, transfer->data, transfer->length, transfer->offset);
    pthread_mutex_lock(&queue->lock);
    queue_finish(queue, transfer, result);
}

static void *work(void *argument)
{
    drumlin_queue *queue = argument;
    struct transfer *transfer;
    pthread_mutex_lock(&queue->lock);
    while ((transfer = next_transfer(queue, queue->state)))
        carry_out(queue, transfer);
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void close_pool(drumlin_queue *queue)
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
static void start_threads(drumlin_queue *queue, struct pool *pool, int wanted)
{
    sigset_t all;
    sigset_t before;
    int error = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->count < wanted && !error) {
        error = pthread_create(&pool->threads[pool->count], NULL, work, queue);
        if (!error)
            pool->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int32_t open_pool(drumlin_queue *queue)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return -ENOMEM;
    pthread_cond_init(&pool->work, NULL);
    queue->state = pool;
    start_threads(queue, pool, queue->depth < MAX_THREADS ? queue->depth : MAX_THREADS);
    return 0; /* fewer than wanted will do */
}

static void start(drumlin_queue *queue, struct transfer *transfer)
{
    struct pool *pool = queue->state;
    if (pool->count == 0) {
        carry_out(queue, transfer);
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

static void await(drumlin_queue *queue)
{
    pthread_cond_wait(&queue->changed, &queue->lock);
}

const struct backend queue_threads = {DRUMLIN_QUEUE_THREADS, open_pool, start, await, close_pool};
