/* 256 bits: AVX2; compiled with -mavx2 and called only where the processor has it. */
#define LANES 8
#ifndef KERNEL
#define KERNEL md5_lanes_8
#endif
#define INTERLEAVE(low, high, a, b)                                                                                    \
    do {                                                                                                               \
        (low) = SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11);                                                               \
        (high) = SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15);                                                            \
    } while (0)
#include "digest_lanes.h"
