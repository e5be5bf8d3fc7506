/*
 * MD5 of two streams in general registers. One stream alone takes as long as its chain of dependent operations, in which
 * most units of a processor wait. Two chains that are interleaved step by step take as long as one where the units are
 * enough. That is a property of the processor: digest.c measures it.
 */
#define MD5_STEP(f, a, b, c, d, i, k, s)                                                                               \
    do {                                                                                                               \
        MD5_ONE_STEP(f, a[0], b[0], c[0], d[0], first[i], k, s);                                                       \
        MD5_ONE_STEP(f, a[1], b[1], c[1], d[1], second[i], k, s);                                                      \
    } while (0)
#define MD5_STEP_G(a, b, c, d, i, k, s)                                                                                \
    do {                                                                                                               \
        MD5_ONE_STEP_G(a[0], b[0], c[0], d[0], first[i], k, s);                                                        \
        MD5_ONE_STEP_G(a[1], b[1], c[1], d[1], second[i], k, s);                                                       \
    } while (0)
#include "digest.h"

#include <string.h>

void md5_lanes_2(uint32_t state[MD5_WORDS][16], const uint8_t *const *data, size_t blocks)
{
    uint32_t a[2], b[2], c[2], d[2];
    memcpy(a, state[0], sizeof a);
    memcpy(b, state[1], sizeof b);
    memcpy(c, state[2], sizeof c);
    memcpy(d, state[3], sizeof d);
    for (size_t offset = 0; offset < blocks * MD5_BLOCK; offset += MD5_BLOCK) {
        uint32_t first[16], second[16];
        memcpy(first, data[0] + offset, sizeof first);
        memcpy(second, data[1] + offset, sizeof second);
        uint32_t before[MD5_WORDS][2];
        memcpy(before[0], a, sizeof a);
        memcpy(before[1], b, sizeof b);
        memcpy(before[2], c, sizeof c);
        memcpy(before[3], d, sizeof d);
#define K(n) UINT32_C(n)
#define INDEX(i) i
        MD5_STEPS(a, b, c, d, INDEX);
        for (int stream = 0; stream < 2; stream++) {
            a[stream] += before[0][stream];
            b[stream] += before[1][stream];
            c[stream] += before[2][stream];
            d[stream] += before[3][stream];
        }
    }
    memcpy(state[0], a, sizeof a);
    memcpy(state[1], b, sizeof b);
    memcpy(state[2], c, sizeof c);
    memcpy(state[3], d, sizeof d);
}
