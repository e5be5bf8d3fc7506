/*
 * 128 bits: SSSE3, compiled with -mssse3 and called only where the processor has it, or NEON, which aarch64 always has.
 */
#include <stdint.h>

typedef uint8_t vector __attribute__((vector_size(16)));
#define KERNEL gf16_kernel_16

#ifdef __x86_64__

#include <immintrin.h>

#define LOAD(data) _mm_loadu_si128((const __m128i *)(const void *)(data))
#define LOOKUP(table, indexes) ((vector)_mm_shuffle_epi8(LOAD(table), (__m128i)(indexes)))
#define SPLIT(even, odd, data)                                                                                         \
    do {                                                                                                               \
        __m128i a_ = LOAD(data), b_ = LOAD((data) + 16), mask_ = _mm_set1_epi16(0xff);                                 \
        (even) = (vector)_mm_packus_epi16(_mm_and_si128(a_, mask_), _mm_and_si128(b_, mask_));                         \
        (odd) = (vector)_mm_packus_epi16(_mm_srli_epi16(a_, 8), _mm_srli_epi16(b_, 8));                                \
    } while (0)
#define JOIN(data, even, odd)                                                                                          \
    do {                                                                                                               \
        _mm_storeu_si128((__m128i *)(void *)(data), _mm_unpacklo_epi8((__m128i)(even), (__m128i)(odd)));               \
        _mm_storeu_si128((__m128i *)(void *)((data) + 16), _mm_unpackhi_epi8((__m128i)(even), (__m128i)(odd)));        \
    } while (0)

#else

#include <arm_neon.h>

#define LOOKUP(table, indexes) ((vector)vqtbl1q_u8(vld1q_u8(table), (uint8x16_t)(indexes)))
#define SPLIT(even, odd, data)                                                                                         \
    do {                                                                                                               \
        uint8x16x2_t pair_ = vld2q_u8(data);                                                                           \
        (even) = (vector)pair_.val[0];                                                                                 \
        (odd) = (vector)pair_.val[1];                                                                                  \
    } while (0)
#define JOIN(data, even, odd) vst2q_u8(data, ((uint8x16x2_t){{(uint8x16_t)(even), (uint8x16_t)(odd)}}))

#endif

#include "gf16_nibbles.h"
