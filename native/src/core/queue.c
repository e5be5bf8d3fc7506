#include "queue.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_DEPTH 4096
#define GENERATION_MASK UINT32_C(0x7fffffff) /* tickets are never negative */

static int32_t open_backend(drumlin_queue *queue, int32_t number)
{
#ifdef DRUMLIN_WITH_URING
    if (number != DRUMLIN_QUEUE_THREADS) {
        queue->backend = &queue_uring;
        int32_t error = queue->backend->open(queue);
        if (error == 0 || number == DRUMLIN_QUEUE_URING)
            return error;
    }
#else
    if (number == DRUMLIN_QUEUE_URING)
        return -ENOSYS;
#endif
    queue->backend = &queue_threads;
    return queue->backend->open(queue);
}

int32_t drumlin_queue_create(drumlin_queue **queue, int32_t depth, int32_t backend)
{
    if (depth < 1 || depth > MAX_DEPTH || backend < DRUMLIN_QUEUE_AUTO || backend > DRUMLIN_QUEUE_THREADS)
        return -EINVAL;
    drumlin_queue *made = calloc(1, sizeof *made);
    if (!made)
        return -ENOMEM;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->depth = depth;
    int32_t error = open_backend(made, backend);
    if (error) {
        pthread_cond_destroy(&made->changed);
        pthread_mutex_destroy(&made->lock);
        free(made);
        return error;
    }
    *queue = made;
    return 0;
}

int32_t drumlin_queue_backend(const drumlin_queue *queue)
{
    return queue->backend->number;
}

static struct queue_transfer *add_to_table(drumlin_queue *queue)
{
    struct queue_transfer **table = realloc(queue->table, (queue->table_size + 1) * sizeof *table);
    if (!table)
        return NULL;
    queue->table = table;
    struct queue_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return NULL;
    transfer->index = queue->table_size;
    table[queue->table_size++] = transfer;
    return transfer;
}

static struct queue_transfer *take_transfer(drumlin_queue *queue)
{
    struct queue_transfer *transfer = queue->unused;
    if (transfer)
        queue->unused = transfer->next;
    else
        transfer = add_to_table(queue);
    return transfer;
}

static void release_transfer(drumlin_queue *queue, struct queue_transfer *transfer)
{
    transfer->used = false;
    transfer->generation = (transfer->generation + 1) & GENERATION_MASK;
    transfer->next = queue->unused;
    queue->unused = transfer;
}

static int64_t ticket_of(const struct queue_transfer *transfer)
{
    return (int64_t)transfer->generation << 32 | transfer->index;
}

static struct queue_transfer *find_transfer(const drumlin_queue *queue, int64_t ticket)
{
    uint32_t index = (uint32_t)ticket;
    if (ticket < 0 || index >= queue->table_size)
        return NULL;
    struct queue_transfer *transfer = queue->table[index];
    return transfer->used && !transfer->claimed && ticket_of(transfer) == ticket ? transfer : NULL;
}

void queue_finish(drumlin_queue *queue, struct queue_transfer *transfer, int64_t result)
{
    transfer->result = result;
    transfer->finished = true;
    queue->under_way--;
    pthread_cond_broadcast(&queue->changed);
}

static int64_t start_transfer(drumlin_queue *queue, int fd, bool writing, void *data, int64_t length, int64_t offset)
{
    if (length < 0 || offset < 0)
        return -EINVAL;
    pthread_mutex_lock(&queue->lock);
    /* This loop and the two below end, because a backend ends every transfer that was started. */
    while (queue->under_way == queue->depth)
        queue->backend->await(queue);
    int64_t ticket = -ENOMEM;
    struct queue_transfer *transfer = take_transfer(queue);
    if (transfer) {
        *transfer = (struct queue_transfer){
            .fd = fd,
            .writing = writing,
            .data = data,
            .length = length,
            .offset = offset,
            .used = true,
            .index = transfer->index,
            .generation = transfer->generation,
        };
        ticket = ticket_of(transfer);
        queue->under_way++;
        if (length == 0)
            queue_finish(queue, transfer, 0);
        else
            queue->backend->start(queue, transfer);
    }
    pthread_mutex_unlock(&queue->lock);
    return ticket;
}

int64_t drumlin_queue_write(drumlin_queue *queue, int32_t fd, const void *data, int64_t length, int64_t offset)
{
    return start_transfer(queue, fd, true, (void *)(uintptr_t)data, length, offset);
}

int64_t drumlin_queue_read(drumlin_queue *queue, int32_t fd, void *data, int64_t length, int64_t offset)
{
    return start_transfer(queue, fd, false, data, length, offset);
}

int64_t drumlin_queue_wait(drumlin_queue *queue, int64_t ticket)
{
    pthread_mutex_lock(&queue->lock);
    int64_t result = -EINVAL;
    struct queue_transfer *transfer = find_transfer(queue, ticket);
    if (transfer) {
        transfer->claimed = true;
        while (!transfer->finished)
            queue->backend->await(queue);
        result = transfer->result;
        release_transfer(queue, transfer);
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}

void drumlin_queue_destroy(drumlin_queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    while (queue->under_way > 0)
        queue->backend->await(queue);
    queue->backend->close(queue);
    pthread_mutex_unlock(&queue->lock);
    for (uint32_t i = 0; i < queue->table_size; i++)
        free(queue->table[i]);
    free(queue->table);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}
