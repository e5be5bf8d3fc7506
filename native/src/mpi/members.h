/* Communicators of ranks that are known, for the files of this folder. */
#ifndef DRUMLIN_MPI_MEMBERS_H
#define DRUMLIN_MPI_MEMBERS_H

#include <mpi.h>

/*
 * Makes a communicator of count different ranks of comm, among them the caller's, in their order. Collective over them
 * alone. For two or more ranks Open MPI sends messages with tag 0 on comm, so no other may be under way there.
 */
int mpi_comm_of_members(MPI_Comm comm, const int *ranks, int count, MPI_Comm *part);

#endif
