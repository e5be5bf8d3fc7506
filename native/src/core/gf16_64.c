/*
 * 512 bits: GFNI and AVX-512; compiled with -mgfni -mavx512f -mavx512bw and called only where the processor has them.
 *
 * The factor is a 16x16 matrix over GF(2), and GFNI multiplies bytes with 8x8 matrices: four of them make the factor.
 * All eight bytes of a quadword get the same matrix. So low and high bytes of words are brought into different
 * quadwords, and back in the end.
 */
#include "gf16.h"

#include <immintrin.h>

/* The 8x8 part of the factor that maps bits from, from + 1, ... of the input to bits to, to + 1, ... of the output. */
static uint64_t matrix(const struct gf16_factor *factor, int from, int to)
{
    uint64_t rows = 0;
    for (int out = 0; out < 8; out++)
        for (int in = 0; in < 8; in++)
            if (factor->column[from + in] >> (to + out) & 1)
                rows |= UINT64_C(1) << (8 * (7 - out) + in); /* GFNI has the row of bit 0 in the highest byte */
    return rows;
}

size_t gf16_kernel_64(uint8_t *target, const uint8_t *const *sources, const struct gf16_factor *factors, int count,
                      size_t length)
{
    /* Quadwords of low bytes are even, of high bytes odd. */
    __m512i straight[GF16_SOURCES], crossed[GF16_SOURCES];
    for (int i = 0; i < count; i++) {
        __m128i pair = _mm_set_epi64x((int64_t)matrix(&factors[i], 8, 8), (int64_t)matrix(&factors[i], 0, 0));
        straight[i] = _mm512_broadcast_i32x4(pair);
        pair = _mm_set_epi64x((int64_t)matrix(&factors[i], 0, 8), (int64_t)matrix(&factors[i], 8, 0));
        crossed[i] = _mm512_broadcast_i32x4(pair);
    }
    const __m512i part = _mm512_broadcast_i32x4(_mm_set_epi8(15, 13, 11, 9, 7, 5, 3, 1, 14, 12, 10, 8, 6, 4, 2, 0));
    const __m512i join = _mm512_broadcast_i32x4(_mm_set_epi8(15, 7, 14, 6, 13, 5, 12, 4, 11, 3, 10, 2, 9, 1, 8, 0));

    size_t whole = length - length % sizeof(__m512i);
    for (size_t offset = 0; offset < whole; offset += sizeof(__m512i)) {
        __m512i sum = _mm512_setzero_si512();
        for (int i = 0; i < count; i++) {
            __m512i own = _mm512_shuffle_epi8(_mm512_loadu_si512(sources[i] + offset), part);
            __m512i other = _mm512_shuffle_epi32(own, _MM_PERM_BADC);
            sum = _mm512_ternarylogic_epi64(sum, _mm512_gf2p8affine_epi64_epi8(own, straight[i], 0),
                                            _mm512_gf2p8affine_epi64_epi8(other, crossed[i], 0), 0x96);
        }
        __m512i old = _mm512_loadu_si512(target + offset);
        _mm512_storeu_si512(target + offset, _mm512_xor_si512(old, _mm512_shuffle_epi8(sum, join)));
    }
    return whole;
}
