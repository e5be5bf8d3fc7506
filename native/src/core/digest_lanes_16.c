/* 512 bits: AVX-512; compiled with -mavx512f and called only where the processor has it. */
#define LANES 16
#define KERNEL md5_lanes_16
#define INTERLEAVE(low, high, a, b)                                                                                    \
    do {                                                                                                               \
        (low) = SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);                                 \
        (high) = SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);                          \
    } while (0)
#include "digest_lanes.h"
