/*
 * Times an FTI library that somebody has built, for the benchmark of the same name in Java (io.drumlin.bench.PeerRun), whose
 * arguments and output it has:
 *
 *   fti_peer CONFIG MIB ARRAYS write LEVELS ROUNDS   takes checkpoints of each of the levels (for example 14), ROUNDS times
 *   fti_peer CONFIG MIB ARRAYS restart               restarts, recovers, and compares what it has got
 *
 * The first rank prints a line for each call: what it was, the seconds of the slowest rank, those that its files took to be
 * durable after it, and the CPU seconds of all ranks in user and system mode, also those of the sync.
 * The run is not ended: its files stay for a restart.
 *
 * scripts/bench compiles it against the folder that it is given. It uses nothing but the functions of the guide of FTI.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <fti.h>
#include <ftw.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

struct data {
    int count;
    double **arrays;
    size_t *lengths;
};

struct cost {
    double begin, cpu;
};

static int rank;

static void stop(const char *why)
{
    fprintf(stderr, "fti_peer: rank %d: %s\n", rank, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void must(int holds, const char *why)
{
    if (!holds)
        stop(why);
}

static double cpu_seconds(void)
{
    struct rusage used;
    must(getrusage(RUSAGE_SELF, &used) == 0, "getrusage failed");
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static struct cost begin(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return (struct cost){MPI_Wtime(), cpu_seconds()};
}

static int sync_file(const char *path, const struct stat *found, int type, struct FTW *place)
{
    (void)found;
    (void)place;
    if (type == FTW_F) {
        int file = open(path, O_RDONLY | O_CLOEXEC);
        must(file >= 0 && fsync(file) == 0, "a file of the run could not be synced");
        close(file);
    }
    return 0;
}

/* What the library has left to the kernel: the first rank waits for it. */
static void sync_files(const char *config)
{
    char *folder = strdup(config);
    must(folder != NULL, "no memory");
    char *end = strrchr(folder, '/');
    must(end != NULL, "the configuration is not given by a path with a folder");
    *end = '\0';
    must(nftw(folder, sync_file, 16, FTW_PHYS) == 0, "the folder of the run could not be walked");
    free(folder);
}

static void end(const char *what, struct cost since, const char *config)
{
    double seconds = MPI_Wtime() - since.begin, cpu = cpu_seconds() - since.cpu, slowest, rest = 0, total;
    MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        /* Without the time in which MPI waits: the other ranks are not late in a program that goes on. */
        struct cost sync = {MPI_Wtime(), cpu_seconds()};
        sync_files(config);
        rest = MPI_Wtime() - sync.begin;
        cpu += cpu_seconds() - sync.cpu;
    }
    MPI_Reduce(&cpu, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("peer %s %.6f %.6f %.6f\n", what, slowest, rest, total);
        fflush(stdout);
    }
}

/* As PeerRun makes them: no two ranks, arrays or elements are alike. */
static double value(int array, size_t i)
{
    uint64_t x = (((uint64_t)rank << 52) + ((uint64_t)array << 40) + i) * 0x9E3779B97F4A7C15u;
    return (double)(x >> 11) * 0x1p-53;
}

/* The last array is as many times as long as the first as there are arrays. */
static struct data make(size_t bytes, int count)
{
    struct data data = {count, calloc((size_t)count, sizeof(double *)), calloc((size_t)count, sizeof(size_t))};
    must(data.arrays != NULL && data.lengths != NULL, "no memory");
    size_t elements = bytes / sizeof(double), parts = (size_t)count * ((size_t)count + 1) / 2, rest = elements;
    for (int a = 0; a < count; a++) {
        data.lengths[a] = a == count - 1 ? rest : elements * ((size_t)a + 1) / parts;
        rest -= data.lengths[a];
        data.arrays[a] = malloc(data.lengths[a] * sizeof(double));
        must(data.arrays[a] != NULL, "no memory for the data");
        /* The pages are there then, as in a program that works with them. */
        memset(data.arrays[a], 0xff, data.lengths[a] * sizeof(double));
    }
    return data;
}

static void fill(const struct data *data)
{
    for (int a = 0; a < data->count; a++)
        for (size_t i = 0; i < data->lengths[a]; i++)
            data->arrays[a][i] = value(a, i);
}

static void compare(const struct data *data)
{
    for (int a = 0; a < data->count; a++)
        for (size_t i = 0; i < data->lengths[a]; i++)
            must(data->arrays[a][i] == value(a, i), "the restart has brought wrong data");
}

static void protect(const struct data *data)
{
    for (int a = 0; a < data->count; a++)
        must(FTI_Protect(a, data->arrays[a], (int64_t)data->lengths[a], FTI_DBLE) == FTI_SCES, "FTI_Protect failed");
}

static void write_rounds(const char *config, const struct data *data, const char *levels, int rounds)
{
    fill(data);
    must(FTI_Init(config, MPI_COMM_WORLD) == FTI_SCES, "FTI_Init failed");
    protect(data);
    int id = 1;
    for (int round = 0; round < rounds; round++)
        for (const char *level = levels; *level != '\0'; level++) {
            char what[] = "level-0";
            what[6] = *level;
            struct cost since = begin();
            must(FTI_Checkpoint(id++, *level - '0') == FTI_DONE, "FTI_Checkpoint failed");
            end(what, since, config);
        }
}

static void restart(const char *config, const struct data *data)
{
    struct cost since = begin();
    must(FTI_Init(config, MPI_COMM_WORLD) == FTI_SCES, "FTI_Init failed");
    must(FTI_Status() != 0, "FTI_Init has found no checkpoint");
    protect(data);
    must(FTI_Recover() == FTI_SCES, "FTI_Recover failed");
    end("restart", since, config);
    compare(data);
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    must(count >= 5, "too few arguments");
    const char *config = arguments[1], *what = arguments[4];
    int arrays = atoi(arguments[3]);
    must(atoi(arguments[2]) > 0 && arrays > 0, "a size or number is not positive");
    struct data data = make((size_t)atoi(arguments[2]) * MIB, arrays);
    if (strcmp(what, "write") == 0 && count == 7)
        write_rounds(config, &data, arguments[5], atoi(arguments[6]));
    else if (strcmp(what, "restart") == 0 && count == 5)
        restart(config, &data);
    else
        stop("unknown arguments");
    MPI_Finalize();
    return 0;
}
