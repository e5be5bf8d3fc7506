/*
 * What gf16.c and its kernels share. An element of GF(2^16) is a polynomial over GF(2) of degree 15 or less, bit n the
 * coefficient of x^n, modulo x^16 + x^12 + x^3 + x + 1.
 */
#ifndef DRUMLIN_CORE_GF16_H
#define DRUMLIN_CORE_GF16_H

#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words of regions are little-endian, and so must the processor be"
#endif

#define GF16_POLYNOMIAL 0x1100b
#define GF16_BITS 16

/* Sources that a kernel takes in one pass over the target. */
#define GF16_SOURCES 8

/*
 * A constant factor as a linear map: column[n] is the factor times x^n, so that a product is the sum of the columns of
 * the bits that are set in the other factor.
 */
struct gf16_factor {
    uint16_t column[GF16_BITS];
};

/*
 * Adds factors[i] * sources[i] to the target, for all i below count, which is at most GF16_SOURCES. Takes whole steps
 * of its own width only. Returns how many bytes these were.
 */
typedef size_t gf16_kernel(uint8_t *target, const uint8_t *const *sources, const struct gf16_factor *factors, int count,
                           size_t length);

#if defined(__x86_64__) || defined(__aarch64__)
gf16_kernel gf16_kernel_16;
#endif
#ifdef __x86_64__
gf16_kernel gf16_kernel_32;
gf16_kernel gf16_kernel_64;
#endif

#endif
