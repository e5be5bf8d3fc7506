/* What digest.c and the instances of digest_lanes.h share. MD5 as in RFC 1321. */
#ifndef DRUMLIN_CORE_DIGEST_H
#define DRUMLIN_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "MD5 words are little-endian, and so must the processor be"
#endif

#define MD5_BLOCK 64
#define MD5_WORDS 4

/*
 * Hashes this many whole blocks of each of its streams. Updates state[word][lane] and leaves data[lane] alone. A kernel
 * has as many lanes as it is wide.
 */
typedef void md5_kernel(uint32_t state[MD5_WORDS][16], const uint8_t *const *data, size_t blocks);

md5_kernel md5_lanes_4;
#ifdef __x86_64__
md5_kernel md5_lanes_8;
md5_kernel md5_lanes_16;
md5_kernel md5_lanes_4_512;
md5_kernel md5_lanes_8_512;
#endif

/*
 * Hashes this many whole blocks of each of eight streams, as an md5_kernel, and eight times as many of a single stream.
 */
typedef void md5_beside(uint32_t state[MD5_WORDS][16], const uint8_t *const *lanes, size_t blocks,
                        uint32_t single[MD5_WORDS], const uint8_t *data);

#ifdef __x86_64__
md5_beside md5_beside_8;
#endif

/* Hashes this many whole blocks of one stream and updates its state. */
typedef void md5_stream(uint32_t state[MD5_WORDS], const uint8_t *data, size_t blocks);

#ifdef __x86_64__
md5_stream md5_stream_512;
#endif

/*
 * The sixty-four steps on the words x(0) to x(15). a, b, c and d are variables of an unsigned or vector type, K(n)
 * makes a constant of that type. F, G, H and I are written so that b, which is known last, goes through few operations;
 * the two terms of G have no bit in common, which makes their OR a sum that can be begun early. A file that defines
 * MD5_TERNARY says that any function of three words is one instruction, which is less than that sum.
 * MD5_STEPS_WITH does then(0) to then(7) meanwhile, each after eight steps.
 */
#define MD5_F(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define MD5_H(b, c, d) ((b) ^ ((c) ^ (d)))
#define MD5_I(b, c, d) ((c) ^ ((b) | ~(d)))
#define MD5_ROTATE(v, s) (((v) << (s)) | ((v) >> (32 - (s))))
#define MD5_STEP(f, a, b, c, d, w, k, s)                                                                               \
    do {                                                                                                               \
        (a) += (w) + K(k);                                                                                             \
        (a) += f(b, c, d);                                                                                             \
        (a) = MD5_ROTATE(a, s) + (b);                                                                                  \
    } while (0)
#define MD5_G(b, c, d) (((b) & (d)) | ((c) & ~(d)))
#ifdef MD5_TERNARY
#define MD5_STEP_G(a, b, c, d, w, k, s) MD5_STEP(MD5_G, a, b, c, d, w, k, s)
#else
#define MD5_STEP_G(a, b, c, d, w, k, s)                                                                                \
    do {                                                                                                               \
        (a) += (w) + K(k) + ((c) & ~(d));                                                                              \
        (a) += (b) & (d);                                                                                              \
        (a) = MD5_ROTATE(a, s) + (b);                                                                                  \
    } while (0)
#endif

#define MD5_STEPS_WITH(a, b, c, d, x, then)                                                                            \
    do {                                                                                                               \
        MD5_STEP(MD5_F, a, b, c, d, x(0), 0xd76aa478, 7);                                                              \
        MD5_STEP(MD5_F, d, a, b, c, x(1), 0xe8c7b756, 12);                                                             \
        MD5_STEP(MD5_F, c, d, a, b, x(2), 0x242070db, 17);                                                             \
        MD5_STEP(MD5_F, b, c, d, a, x(3), 0xc1bdceee, 22);                                                             \
        MD5_STEP(MD5_F, a, b, c, d, x(4), 0xf57c0faf, 7);                                                              \
        MD5_STEP(MD5_F, d, a, b, c, x(5), 0x4787c62a, 12);                                                             \
        MD5_STEP(MD5_F, c, d, a, b, x(6), 0xa8304613, 17);                                                             \
        MD5_STEP(MD5_F, b, c, d, a, x(7), 0xfd469501, 22);                                                             \
        then(0);                                                                                                       \
        MD5_STEP(MD5_F, a, b, c, d, x(8), 0x698098d8, 7);                                                              \
        MD5_STEP(MD5_F, d, a, b, c, x(9), 0x8b44f7af, 12);                                                             \
        MD5_STEP(MD5_F, c, d, a, b, x(10), 0xffff5bb1, 17);                                                            \
        MD5_STEP(MD5_F, b, c, d, a, x(11), 0x895cd7be, 22);                                                            \
        MD5_STEP(MD5_F, a, b, c, d, x(12), 0x6b901122, 7);                                                             \
        MD5_STEP(MD5_F, d, a, b, c, x(13), 0xfd987193, 12);                                                            \
        MD5_STEP(MD5_F, c, d, a, b, x(14), 0xa679438e, 17);                                                            \
        MD5_STEP(MD5_F, b, c, d, a, x(15), 0x49b40821, 22);                                                            \
        then(1);                                                                                                       \
        MD5_STEP_G(a, b, c, d, x(1), 0xf61e2562, 5);                                                                   \
        MD5_STEP_G(d, a, b, c, x(6), 0xc040b340, 9);                                                                   \
        MD5_STEP_G(c, d, a, b, x(11), 0x265e5a51, 14);                                                                 \
        MD5_STEP_G(b, c, d, a, x(0), 0xe9b6c7aa, 20);                                                                  \
        MD5_STEP_G(a, b, c, d, x(5), 0xd62f105d, 5);                                                                   \
        MD5_STEP_G(d, a, b, c, x(10), 0x02441453, 9);                                                                  \
        MD5_STEP_G(c, d, a, b, x(15), 0xd8a1e681, 14);                                                                 \
        MD5_STEP_G(b, c, d, a, x(4), 0xe7d3fbc8, 20);                                                                  \
        then(2);                                                                                                       \
        MD5_STEP_G(a, b, c, d, x(9), 0x21e1cde6, 5);                                                                   \
        MD5_STEP_G(d, a, b, c, x(14), 0xc33707d6, 9);                                                                  \
        MD5_STEP_G(c, d, a, b, x(3), 0xf4d50d87, 14);                                                                  \
        MD5_STEP_G(b, c, d, a, x(8), 0x455a14ed, 20);                                                                  \
        MD5_STEP_G(a, b, c, d, x(13), 0xa9e3e905, 5);                                                                  \
        MD5_STEP_G(d, a, b, c, x(2), 0xfcefa3f8, 9);                                                                   \
        MD5_STEP_G(c, d, a, b, x(7), 0x676f02d9, 14);                                                                  \
        MD5_STEP_G(b, c, d, a, x(12), 0x8d2a4c8a, 20);                                                                 \
        then(3);                                                                                                       \
        MD5_STEP(MD5_H, a, b, c, d, x(5), 0xfffa3942, 4);                                                              \
        MD5_STEP(MD5_H, d, a, b, c, x(8), 0x8771f681, 11);                                                             \
        MD5_STEP(MD5_H, c, d, a, b, x(11), 0x6d9d6122, 16);                                                            \
        MD5_STEP(MD5_H, b, c, d, a, x(14), 0xfde5380c, 23);                                                            \
        MD5_STEP(MD5_H, a, b, c, d, x(1), 0xa4beea44, 4);                                                              \
        MD5_STEP(MD5_H, d, a, b, c, x(4), 0x4bdecfa9, 11);                                                             \
        MD5_STEP(MD5_H, c, d, a, b, x(7), 0xf6bb4b60, 16);                                                             \
        MD5_STEP(MD5_H, b, c, d, a, x(10), 0xbebfbc70, 23);                                                            \
        then(4);                                                                                                       \
        MD5_STEP(MD5_H, a, b, c, d, x(13), 0x289b7ec6, 4);                                                             \
        MD5_STEP(MD5_H, d, a, b, c, x(0), 0xeaa127fa, 11);                                                             \
        MD5_STEP(MD5_H, c, d, a, b, x(3), 0xd4ef3085, 16);                                                             \
        MD5_STEP(MD5_H, b, c, d, a, x(6), 0x04881d05, 23);                                                             \
        MD5_STEP(MD5_H, a, b, c, d, x(9), 0xd9d4d039, 4);                                                              \
        MD5_STEP(MD5_H, d, a, b, c, x(12), 0xe6db99e5, 11);                                                            \
        MD5_STEP(MD5_H, c, d, a, b, x(15), 0x1fa27cf8, 16);                                                            \
        MD5_STEP(MD5_H, b, c, d, a, x(2), 0xc4ac5665, 23);                                                             \
        then(5);                                                                                                       \
        MD5_STEP(MD5_I, a, b, c, d, x(0), 0xf4292244, 6);                                                              \
        MD5_STEP(MD5_I, d, a, b, c, x(7), 0x432aff97, 10);                                                             \
        MD5_STEP(MD5_I, c, d, a, b, x(14), 0xab9423a7, 15);                                                            \
        MD5_STEP(MD5_I, b, c, d, a, x(5), 0xfc93a039, 21);                                                             \
        MD5_STEP(MD5_I, a, b, c, d, x(12), 0x655b59c3, 6);                                                             \
        MD5_STEP(MD5_I, d, a, b, c, x(3), 0x8f0ccc92, 10);                                                             \
        MD5_STEP(MD5_I, c, d, a, b, x(10), 0xffeff47d, 15);                                                            \
        MD5_STEP(MD5_I, b, c, d, a, x(1), 0x85845dd1, 21);                                                             \
        then(6);                                                                                                       \
        MD5_STEP(MD5_I, a, b, c, d, x(8), 0x6fa87e4f, 6);                                                              \
        MD5_STEP(MD5_I, d, a, b, c, x(15), 0xfe2ce6e0, 10);                                                            \
        MD5_STEP(MD5_I, c, d, a, b, x(6), 0xa3014314, 15);                                                             \
        MD5_STEP(MD5_I, b, c, d, a, x(13), 0x4e0811a1, 21);                                                            \
        MD5_STEP(MD5_I, a, b, c, d, x(4), 0xf7537e82, 6);                                                              \
        MD5_STEP(MD5_I, d, a, b, c, x(11), 0xbd3af235, 10);                                                            \
        MD5_STEP(MD5_I, c, d, a, b, x(2), 0x2ad7d2bb, 15);                                                             \
        MD5_STEP(MD5_I, b, c, d, a, x(9), 0xeb86d391, 21);                                                             \
        then(7);                                                                                                       \
    } while (0)
#define MD5_STEPS(a, b, c, d, x) MD5_STEPS_WITH(a, b, c, d, x, MD5_NOTHING)
#define MD5_NOTHING(n)

#endif
