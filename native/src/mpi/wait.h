/* Waiting for MPI, for the files of this folder. */
#ifndef DRUMLIN_MPI_WAIT_H
#define DRUMLIN_MPI_WAIT_H

#include <mpi.h>
#include <stdint.h>
#include <time.h>

/*
 * How long a rank has been waiting. MPI polls without a pause while it waits, and takes the processor from the threads
 * that write files. Waits here poll too, because MPI moves messages only when it is called, but with pauses after a
 * short while.
 */
struct mpi_backoff {
    long pause; /* the next, in nanoseconds; 0 at the beginning */
    struct timespec begin;
};

/* Yields the processor or sleeps, before MPI is asked again. */
void mpi_backoff_pause(struct mpi_backoff *backoff);

/* Does what MPI_Wait does. */
int mpi_wait_request(MPI_Request *request, MPI_Status *status);

/* Waits for a collective operation. code is what the MPI function that started it has returned. Returns its result. */
int32_t mpi_wait_collective(int code, MPI_Request *request);

#endif
