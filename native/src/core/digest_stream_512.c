/*
 * MD5 of one stream with the instructions of AVX-512 on 128-bit registers, of which only the lowest word counts. A step
 * waits for the one before it, so it takes as long as its chain of dependent operations: four here (a function of three
 * words, a sum, a rotation, a sum), where general registers need a fifth. Compiled with -mavx512vl and called only
 * where the processor has it.
 */
#define MD5_TERNARY
#include "digest.h"

#include <string.h>

typedef uint32_t vector __attribute__((vector_size(16)));

void md5_stream_512(uint32_t state[MD5_WORDS], const uint8_t *data, size_t blocks)
{
    vector a = {state[0]}, b = {state[1]}, c = {state[2]}, d = {state[3]};
    for (; blocks > 0; blocks--, data += MD5_BLOCK) {
        uint32_t words[16];
        memcpy(words, data, sizeof words);
        vector a0 = a, b0 = b, c0 = c, d0 = d;
#define K(n) UINT32_C(n)
#define WORD(i) words[i]
        MD5_STEPS(a, b, c, d, WORD);
        a += a0;
        b += b0;
        c += c0;
        d += d0;
    }
    state[0] = a[0];
    state[1] = b[0];
    state[2] = c[0];
    state[3] = d[0];
}
