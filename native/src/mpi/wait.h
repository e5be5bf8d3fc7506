/* Waiting for MPI, for the files of this folder. */
#ifndef DRUMLIN_MPI_WAIT_H
#define DRUMLIN_MPI_WAIT_H

#include <mpi.h>
#include <stdint.h>
#include <time.h>

/*
 * How long a rank has been waiting. MPI itself polls without a pause while it waits, and takes the processor from those
 * that write the files. Waits here poll too, because MPI moves messages only when it is called, but after a short while
 * with pauses.
 */
struct patience {
    long pause; /* the next, in nanoseconds; 0 at the beginning */
    struct timespec begin;
};

/* Passes some time until MPI is asked again. */
void be_patient(struct patience *patience);

/* As MPI_Wait. */
int wait_patiently(MPI_Request *request, MPI_Status *status);

/* The result of a collective operation that was started with the code. */
int32_t collective(int code, MPI_Request *request);

#endif
