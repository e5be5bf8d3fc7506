/*
 * The kernel of eight lanes, and one that hashes a single stream meanwhile. A step of the single stream waits for the
 * one before it, in general registers, and leaves most of the processor idle. A step of the lanes after each eight of
 * its steps fits into the gaps. They are mixed as finely because a processor looks ahead by some dozens of steps only.
 * Compiled with -mavx2 and called only where the processor has it.
 */
#include "digest_lanes_8.c"

#define INLINE static inline __attribute__((always_inline))
#undef K
#undef WORD

INLINE uint32_t word_at(const uint8_t *data, int i)
{
    uint32_t word;
    memcpy(&word, data + 4 * i, sizeof word);
    return word;
}

/* The constants of the steps, in their order. */
static void list_constants(uint32_t *next)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
#define K(n) (*next++ = UINT32_C(n))
#define WORD(i) 0
    MD5_STEPS(a, b, c, d, WORD);
#undef K
#undef WORD
}

/* Eight words of the next block of each lane. All sixteen at once would keep the single stream waiting. */
INLINE void load_words(vector *words, const uint8_t *const *lanes, size_t offset)
{
    for (int lane = 0; lane < 8; lane++)
        memcpy(&words[lane], lanes[lane] + offset, sizeof(vector));
    transpose(words);
}

/* One of the sixty-four steps of all lanes. Where it is a constant, nothing is left of the tables. */
INLINE void lane_step(int step, vector v[MD5_WORDS], const vector words[16], const uint32_t constants[64])
{
    static const int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const int first[4] = {0, 1, 5, 0}, stride[4] = {1, 5, 3, 7};
    int round = step / 16;
    vector a = v[(64 - step) % 4], b = v[(65 - step) % 4], c = v[(66 - step) % 4], d = v[(67 - step) % 4];
    a += words[(first[round] + step * stride[round]) % 16] + constants[step];
    a += round == 0 ? MD5_F(b, c, d) : round == 1 ? MD5_G(b, c, d) : round == 2 ? MD5_H(b, c, d) : MD5_I(b, c, d);
    v[(64 - step) % 4] = MD5_ROTATE(a, shifts[round][step % 4]) + b;
}

/* An eighth of the steps of the lanes, and a block of the single stream. */
INLINE void eighth(int part, vector v[MD5_WORDS], const vector words[16], const uint32_t constants[64],
                   uint32_t single[MD5_WORDS], const uint8_t *data)
{
    uint32_t a = single[0], b = single[1], c = single[2], d = single[3];
    data += part * MD5_BLOCK;
#define K(n) UINT32_C(n)
#define WORD(i) word_at(data, i)
#define LANE_STEP(n) lane_step(8 * part + n, v, words, constants)
    MD5_STEPS_WITH(a, b, c, d, WORD, LANE_STEP);
    single[0] += a;
    single[1] += b;
    single[2] += c;
    single[3] += d;
}

void md5_beside_8(uint32_t state[MD5_WORDS][16], const uint8_t *const *lanes, size_t blocks,
                  uint32_t single_state[MD5_WORDS], const uint8_t *data)
{
    uint32_t constants[64], single[MD5_WORDS];
    vector v[MD5_WORDS], words[16];
    list_constants(constants);
    memcpy(single, single_state, sizeof single);
    for (int word = 0; word < MD5_WORDS; word++)
        memcpy(&v[word], state[word], sizeof(vector));
    for (size_t offset = 0; offset < blocks * MD5_BLOCK; offset += MD5_BLOCK, data += 8 * MD5_BLOCK) {
        vector v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
        load_words(words, lanes, offset);
        eighth(0, v, words, constants, single, data);
        load_words(words + 8, lanes, offset + sizeof(vector));
        eighth(1, v, words, constants, single, data);
        eighth(2, v, words, constants, single, data);
        eighth(3, v, words, constants, single, data);
        eighth(4, v, words, constants, single, data);
        eighth(5, v, words, constants, single, data);
        eighth(6, v, words, constants, single, data);
        eighth(7, v, words, constants, single, data);
        v[0] += v0;
        v[1] += v1;
        v[2] += v2;
        v[3] += v3;
    }
    for (int word = 0; word < MD5_WORDS; word++)
        memcpy(state[word], &v[word], sizeof(vector));
    memcpy(single_state, single, sizeof single);
}
