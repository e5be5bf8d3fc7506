/* Arguments and results, for the files of this folder: 0, or the negative result that the caller is to return. */
#ifndef DRUMLIN_MPI_CHECK_H
#define DRUMLIN_MPI_CHECK_H

#include <stdint.h>

/* The result for what an MPI function has returned. */
int32_t mpi_result(int code);

/* -ESHUTDOWN unless MPI may be used: MPI would end the process for a call before or after its time. */
int32_t mpi_check_alive(void);

/* As mpi_check_alive, and -EINVAL for a communicator that cannot be used. */
int32_t mpi_check_comm(int64_t comm);

/* As mpi_check_comm, and -EINVAL or -EMSGSIZE for the length of a message. */
int32_t mpi_check_message(int64_t comm, int64_t length);

#endif
