/*
 * 128 bits with the rotations and functions of three words of AVX-512; compiled with -mavx512vl and called only where
 * the processor has it.
 */
#define MD5_TERNARY
#define KERNEL md5_lanes_4_512
#include "digest_lanes_4.c"
