/* 256 bits: AVX2; compiled with -mavx2 and called only where the processor has it. */
#include <immintrin.h>
#include <stdint.h>

typedef uint8_t vector __attribute__((vector_size(32)));
#define KERNEL gf16_kernel_32

#define LOAD(data) _mm256_loadu_si256((const __m256i *)(const void *)(data))
#define LOOKUP(table, indexes)                                                                                         \
    ((vector)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(table))), \
                                 (__m256i)(indexes)))
/* Packing and unpacking work within 128 bits: SPLIT moves words to other places, and JOIN moves them back. */
#define SPLIT(even, odd, data)                                                                                         \
    do {                                                                                                               \
        __m256i a_ = LOAD(data), b_ = LOAD((data) + 32), mask_ = _mm256_set1_epi16(0xff);                              \
        (even) = (vector)_mm256_packus_epi16(_mm256_and_si256(a_, mask_), _mm256_and_si256(b_, mask_));                \
        (odd) = (vector)_mm256_packus_epi16(_mm256_srli_epi16(a_, 8), _mm256_srli_epi16(b_, 8));                       \
    } while (0)
#define JOIN(data, even, odd)                                                                                          \
    do {                                                                                                               \
        _mm256_storeu_si256((__m256i *)(void *)(data), _mm256_unpacklo_epi8((__m256i)(even), (__m256i)(odd)));         \
        _mm256_storeu_si256((__m256i *)(void *)((data) + 32), _mm256_unpackhi_epi8((__m256i)(even), (__m256i)(odd)));  \
    } while (0)

#include "gf16_nibbles.h"
