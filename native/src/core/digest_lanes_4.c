/* 128 bits: SSE2, NEON. */
#define LANES 4
#ifndef KERNEL
#define KERNEL md5_lanes_4
#endif
#define INTERLEAVE(low, high, a, b)                                                                                    \
    do {                                                                                                               \
        (low) = SHUFFLE(a, b, 0, 4, 1, 5);                                                                             \
        (high) = SHUFFLE(a, b, 2, 6, 3, 7);                                                                            \
    } while (0)
#include "digest_lanes.h"
