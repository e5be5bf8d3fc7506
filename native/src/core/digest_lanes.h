/*
 * The MD5 kernel for LANES streams at once, one stream per element of a vector, in the vector extensions of GCC and
 * Clang. Included once per width by a file that defines
 *
 *   LANES        4, 8 or 16
 *   KERNEL       the function's name
 *   INTERLEAVE   INTERLEAVE(low, high, a, b): low gets a0 b0 a1 b1 ..., high the rest, of vectors a and b
 */
#include "digest.h"

#include <string.h>

typedef uint32_t vector __attribute__((vector_size(LANES * 4)));

#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (vector){__VA_ARGS__})
#endif

/* Takes LANES words of each stream, one vector per stream, and gives one vector per word. */
static inline __attribute__((always_inline)) void transpose(vector v[LANES])
{
    for (int step = 1; step < LANES; step *= 2) {
        vector out[LANES];
        for (int i = 0; i < LANES / 2; i++)
            INTERLEAVE(out[2 * i], out[2 * i + 1], v[i], v[i + LANES / 2]);
        /* One by one: a copy of the whole array goes through memory where it is as large as a wider register. */
        for (int i = 0; i < LANES; i++)
            v[i] = out[i];
    }
}

void KERNEL(uint32_t state[MD5_WORDS][16], const uint8_t *const *data, size_t blocks)
{
    vector a, b, c, d;
    memcpy(&a, state[0], sizeof a);
    memcpy(&b, state[1], sizeof b);
    memcpy(&c, state[2], sizeof c);
    memcpy(&d, state[3], sizeof d);
    for (size_t offset = 0; offset < blocks * MD5_BLOCK; offset += MD5_BLOCK) {
        vector words[16];
        for (int group = 0; group < 16; group += LANES) {
            for (int lane = 0; lane < LANES; lane++)
                memcpy(&words[group + lane], data[lane] + offset + group * 4, sizeof(vector));
            transpose(words + group);
        }
        vector a0 = a, b0 = b, c0 = c, d0 = d;
#define K(n) ((vector){0} + UINT32_C(n))
#define WORD(i) words[i]
        MD5_STEPS(a, b, c, d, WORD);
        a += a0;
        b += b0;
        c += c0;
        d += d0;
    }
    memcpy(state[0], &a, sizeof a);
    memcpy(state[1], &b, sizeof b);
    memcpy(state[2], &c, sizeof c);
    memcpy(state[3], &d, sizeof d);
}
