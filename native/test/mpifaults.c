/*
 * Lets collective calls of MPI fail on some ranks of a program that is started with LD_PRELOAD=mpifaults.so:
 *
 *   mpirun -x LD_PRELOAD=build/cmake/native/test/mpifaults.so -x DRUMLIN_MPI_FAULTS='Iallreduce rank=1 nth=3 error=16' ...
 *
 * rules.h says what a rule looks like; calls of MPI are on no file, so that path is not for them, nor are short and
 * flip. The names of the calls are those of MPI without "MPI_": Barrier, Bcast, Allreduce, Reduce, Gather, Scatter,
 * Allgather, their non-blocking forms Ibarrier, Ibcast, Iallreduce, Igather, Iscatter, Iallgather (libdrumlin_mpi makes
 * all its collective calls by these), Comm_dup, Comm_split, Comm_create_group and File_open.
 *
 * The operation really takes place, so that no other rank waits, and with the others its result is right: only this
 * rank is told that it has failed, by the code that error names (MPI_ERR_OTHER is 16 in Open MPI, 15 in MPICH),
 * whatever the communicator's error handler is. A non-blocking call has ended by the time it returns, and leaves
 * MPI_REQUEST_NULL.
 *
 * A call in the midst of a run is found by counting: a rule without error, such as "Iallreduce rank=1", and
 * DRUMLIN_FAULTS_LOG tell how many there are; when=FILE begins to count at a moment of the program's choice, for
 * instance when a file or directory of a checkpoint appears:
 *
 *   DRUMLIN_MPI_FAULTS='Iallreduce rank=1 when=/tmp/run/now nth=2 error=16'
 */
#include "rules.h"

#include <mpi.h>

static void set_up(void)
{
    static const char *const calls[] = {"Barrier",    "Bcast",    "Allreduce", "Reduce",   "Gather",   "Scatter",  "Allgather",
                                        "Ibarrier",   "Ibcast",   "Iallreduce", "Igather", "Iscatter", "Iallgather", "Comm_dup",
                                        "Comm_split", "Comm_create_group", "File_open", NULL};
    read_rules("DRUMLIN_MPI_FAULTS", calls);
}

/* The code to return to the caller of a call that has returned code. */
static int told(const char *call, int code)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    const struct rule *rule = fault_of(call, NULL, NULL);
    return code == MPI_SUCCESS && rule != NULL && rule->effect == ERROR ? (int)rule->value : code;
}

static int told_of_start(const char *call, int code, MPI_Request *request)
{
    int lie = told(call, code);
    if (lie != code)
        PMPI_Wait(request, MPI_STATUS_IGNORE);
    return lie;
}

#define BLOCKING(name, parameters, ...) \
    int MPI_##name parameters \
    { \
        return told(#name, PMPI_##name(__VA_ARGS__)); \
    }

#define STARTED(name, parameters, ...) \
    int MPI_##name parameters \
    { \
        return told_of_start(#name, PMPI_##name(__VA_ARGS__), request); \
    }

BLOCKING(Barrier, (MPI_Comm comm), comm)
BLOCKING(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), data, count, type, root, comm)
BLOCKING(Allreduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), in, out, count, type,
         op, comm)
BLOCKING(Reduce, (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), in, out, count,
         type, op, root, comm)
BLOCKING(Gather,
         (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype out_type, int root, MPI_Comm comm), in,
         count, type, out, each, out_type, root, comm)
BLOCKING(Scatter,
         (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype out_type, int root, MPI_Comm comm), in,
         count, type, out, each, out_type, root, comm)
BLOCKING(Allgather, (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype out_type, MPI_Comm comm), in,
         count, type, out, each, out_type, comm)
BLOCKING(Comm_dup, (MPI_Comm comm, MPI_Comm *made), comm, made)
BLOCKING(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), comm, color, key, made)
BLOCKING(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), comm, group, tag, made)
BLOCKING(File_open, (MPI_Comm comm, const char *path, int modes, MPI_Info info, MPI_File *file), comm, path, modes, info, file)

STARTED(Ibarrier, (MPI_Comm comm, MPI_Request *request), comm, request)
STARTED(Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request), data, count, type, root,
        comm, request)
STARTED(Iallreduce,
        (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request), in, out, count,
        type, op, comm, request)
STARTED(Igather,
        (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype out_type, int root, MPI_Comm comm,
         MPI_Request *request),
        in, count, type, out, each, out_type, root, comm, request)
STARTED(Iscatter,
        (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype out_type, int root, MPI_Comm comm,
         MPI_Request *request),
        in, count, type, out, each, out_type, root, comm, request)
STARTED(Iallgather,
        (const void *in, int count, MPI_Datatype type, void *out, int each, MPI_Datatype out_type, MPI_Comm comm,
         MPI_Request *request),
        in, count, type, out, each, out_type, comm, request)
