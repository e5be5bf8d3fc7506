/* What queue.c and its two backends share. */
#ifndef DRUMLIN_CORE_QUEUE_H
#define DRUMLIN_CORE_QUEUE_H

#include "drumlin/core.h"

#include <pthread.h>
#include <stdbool.h>

struct queue_transfer {
    int fd;
    bool writing;
    char *data;
    int64_t length;
    int64_t offset;
    int64_t done;   /* bytes moved so far, where the backend counts them */
    int64_t result; /* once finished */
    bool finished;
    bool claimed; /* somebody waits for it */
    bool used;
    uint32_t index;      /* in the queue's table */
    uint32_t generation; /* times the entry was used; in the ticket, so that an old one does not match */
    struct queue_transfer *next;
};

/*
 * All but open are called with the queue's lock held. A backend ends every transfer that was started, whichever thread
 * waits for it.
 */
struct queue_backend {
    int32_t number; /* DRUMLIN_QUEUE_* */
    int32_t (*open)(struct drumlin_queue *queue);
    /* May carry out the whole transfer; gives up the lock meanwhile. */
    void (*start)(struct drumlin_queue *queue, struct queue_transfer *transfer);
    /* Returns when a transfer may have finished; gives up the lock meanwhile. */
    void (*await)(struct drumlin_queue *queue);
    /* Called when no transfer is under way any more. */
    void (*close)(struct drumlin_queue *queue);
};

struct drumlin_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a transfer has finished */
    int32_t depth;
    int32_t under_way;
    struct queue_transfer **table;
    uint32_t table_size;
    struct queue_transfer *unused;
    const struct queue_backend *backend;
    void *state; /* the backend's */
};

/* Ends a transfer with its result. Backends call it with the lock held. */
void queue_finish(struct drumlin_queue *queue, struct queue_transfer *transfer, int64_t result);

extern const struct queue_backend queue_threads;
#ifdef DRUMLIN_WITH_URING
extern const struct queue_backend queue_uring;
#endif

#endif
