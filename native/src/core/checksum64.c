#include "drumlin/core.h"

#include <string.h>

#define CHAINS DRUMLIN_CHECKSUM64_CHAINS
#define STRIPE 64

/* Odd numbers without a pattern, which io.drumlin.integrity.Checksum64 has too. */
static const uint64_t keys[CHAINS] = {UINT64_C(0x97b1165f0971b7c5), UINT64_C(0xd13c513a42f8eda1),
                                      UINT64_C(0x8a8318174d645fa7), UINT64_C(0xa5abd89bd67e4d93)};

__extension__ typedef __int128 product;

/* Signed, because Java has no other 128 bits. */
static uint64_t fold(uint64_t x, uint64_t y)
{
    product whole = (product)(int64_t)x * (int64_t)y;
    return (uint64_t)whole ^ (uint64_t)(whole >> 64);
}

static uint64_t word(const uint8_t *bytes, int i)
{
    uint64_t read;
    memcpy(&read, bytes + i * (int)sizeof read, sizeof read);
    return read;
}

void drumlin_checksum64_update(uint64_t chains[CHAINS], const void *bytes, int64_t stripes)
{
    uint64_t a = chains[0], b = chains[1], c = chains[2], d = chains[3];
    const uint8_t *at = bytes;
    /* No chain waits for another, so that the processor multiplies for several at the same time. */
    for (; stripes > 0; stripes--, at += STRIPE) {
        a = fold(word(at, 0) ^ keys[0], word(at, 1) ^ a);
        b = fold(word(at, 2) ^ keys[1], word(at, 3) ^ b);
        c = fold(word(at, 4) ^ keys[2], word(at, 5) ^ c);
        d = fold(word(at, 6) ^ keys[3], word(at, 7) ^ d);
    }
    chains[0] = a;
    chains[1] = b;
    chains[2] = c;
    chains[3] = d;
}
