/*
 * What an older build has left behind: libraries, and glue for the JVM, of an ABI that no classes know any more. Built as
 * stale/libdrumlin_core.so, stale/libjnidrumlin_core.so and the same for drumlin_mpi.
 */
#include <stdint.h>

#define STALE_ABI 1

int32_t Java_io_drumlin_nativecore_CoreLibrary_drumlin_1core_1abi(void *environment, void *binding);
int32_t Java_io_drumlin_nativecore_mpi_MpiLibrary_drumlin_1mpi_1abi(void *environment, void *binding);

int32_t Java_io_drumlin_nativecore_CoreLibrary_drumlin_1core_1abi(void *environment, void *binding)
{
    (void)environment;
    (void)binding;
    return STALE_ABI;
}

int32_t Java_io_drumlin_nativecore_mpi_MpiLibrary_drumlin_1mpi_1abi(void *environment, void *binding)
{
    (void)environment;
    (void)binding;
    return STALE_ABI;
}
