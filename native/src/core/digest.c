#include "digest.h"

#include "drumlin/core.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LANES DRUMLIN_MD5_LANES

/*
 * The kernels for one stream and for up to 4, 8 and 16 streams. Those wider than the width in use are NULL. Fewer
 * streams than four_from are hashed one after the other. The kernel that hashes a stream beside eight others is NULL
 * where it does not pay.
 */
struct kernels {
    md5_stream *stream;
    md5_kernel *four, *eight, *sixteen;
    int four_from;
    md5_beside *beside;
};

struct drumlin_md5 {
    uint32_t state[MD5_WORDS][LANES];
    uint64_t length[LANES]; /* bytes of the stream so far; the last length % MD5_BLOCK of them are in pending */
    uint8_t pending[LANES][MD5_BLOCK];
    struct kernels kernels;
    int32_t width;
};

/* Whole blocks of one lane that are still to be hashed. */
struct run {
    int lane;
    const uint8_t *data;
    size_t blocks;
};

static const uint32_t initial[MD5_WORDS] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

static void single_blocks(uint32_t state[MD5_WORDS], const uint8_t *data, size_t blocks)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    for (; blocks > 0; blocks--, data += MD5_BLOCK) {
        uint32_t words[16];
        memcpy(words, data, sizeof words);
        uint32_t a0 = a, b0 = b, c0 = c, d0 = d;
#define K(n) UINT32_C(n)
#define WORD(i) words[i]
        MD5_STEPS(a, b, c, d, WORD);
        a += a0;
        b += b0;
        c += c0;
        d += d0;
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
}

/* Ends a stream of length bytes: hashes its last bytes, then 0x80, zeros and the length in bits. */
static void finish_single(uint32_t state[MD5_WORDS], const uint8_t *tail, uint64_t length, uint8_t *digest)
{
    uint8_t last[2 * MD5_BLOCK] = {0};
    size_t rest = length % MD5_BLOCK;
    size_t blocks = rest + 1 + sizeof length > MD5_BLOCK ? 2 : 1;
    uint64_t bits = length * 8;
    if (rest > 0)
        memcpy(last, tail, rest);
    last[rest] = 0x80;
    memcpy(last + blocks * MD5_BLOCK - sizeof bits, &bits, sizeof bits);
    single_blocks(state, last, blocks);
    memcpy(digest, state, DRUMLIN_MD5_LENGTH);
}

static int32_t widest_kernel(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vl") ? 16 : __builtin_cpu_supports("avx2") ? 8 : 4;
#else
    return 4;
#endif
}

static struct kernels kernels_for(int32_t width)
{
    struct kernels kernels = {.stream = single_blocks, .four = md5_lanes_4, .four_from = 2};
#ifdef __x86_64__
    if (width == 16)
        kernels = (struct kernels){md5_stream_512, md5_lanes_4_512, md5_lanes_8_512, md5_lanes_16, 2, NULL};
    else if (width == 8) {
        kernels.eight = md5_lanes_8;
        kernels.beside = md5_beside_8;
    }
#else
    (void)width;
#endif
    return kernels;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void keep_least(double *least, double begin)
{
    double taken = seconds() - begin;
    if (taken < *least)
        *least = taken;
}

static struct kernels fastest;

/*
 * An operation on vectors has the latency of one on general registers on some processors, and twice that on others. So
 * which way is faster for few streams is measured, in some tenths of a millisecond.
 */
static void measure(void)
{
    enum { BLOCKS = 64, ROUNDS = 6 };
    static const uint8_t data[BLOCKS * MD5_BLOCK];
    const uint8_t *lanes[LANES] = {data, data, data, data};
    uint32_t state[MD5_WORDS] = {0}, states[MD5_WORDS][LANES] = {{0}};
    double scalar = 1, vector = 1, four = 1;
    fastest = kernels_for(widest_kernel());
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds();
        single_blocks(state, data, BLOCKS);
        keep_least(&scalar, begin);
        begin = seconds();
        fastest.stream(state, data, BLOCKS);
        keep_least(&vector, begin);
        begin = seconds();
        fastest.four(states, lanes, BLOCKS);
        keep_least(&four, begin);
    }
    if (scalar <= vector)
        fastest.stream = single_blocks;
    double one = scalar < vector ? scalar : vector;
    while (fastest.four_from < 4 && fastest.four_from * one < four)
        fastest.four_from++;
}

static const struct kernels *fastest_kernels(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, measure);
    return &fastest;
}

void drumlin_md5_single(const void *data, int64_t length, uint8_t *digest)
{
    uint32_t state[MD5_WORDS];
    const uint8_t *tail = data;
    size_t whole = (size_t)length / MD5_BLOCK;
    memcpy(state, initial, sizeof state);
    if (whole > 0) {
        fastest_kernels()->stream(state, data, whole);
        tail += whole * MD5_BLOCK;
    }
    finish_single(state, tail, (uint64_t)length, digest);
}

int32_t drumlin_md5_create(drumlin_md5 **md5, int32_t width)
{
    if (width != 0 && width != 1 && width != 4 && width != 8 && width != 16)
        return -EINVAL;
    if (width > widest_kernel())
        return -ENOTSUP;
    drumlin_md5 *made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    if (!made)
        return -ENOMEM;
    made->width = width ? width : widest_kernel();
    made->kernels = width ? kernels_for(width) : *fastest_kernels();
    for (int32_t lane = 0; lane < LANES; lane++)
        drumlin_md5_reset(made, lane);
    *md5 = made;
    return 0;
}

int32_t drumlin_md5_width(const drumlin_md5 *md5)
{
    return md5->width;
}

void drumlin_md5_destroy(drumlin_md5 *md5)
{
    free(md5);
}

int32_t drumlin_md5_reset(drumlin_md5 *md5, int32_t lane)
{
    if (lane < 0 || lane >= LANES)
        return -EINVAL;
    for (int word = 0; word < MD5_WORDS; word++)
        md5->state[word][lane] = initial[word];
    md5->length[lane] = 0;
    return 0;
}

static void get_state(const drumlin_md5 *md5, int lane, uint32_t state[MD5_WORDS])
{
    for (int word = 0; word < MD5_WORDS; word++)
        state[word] = md5->state[word][lane];
}

static void set_state(drumlin_md5 *md5, int lane, const uint32_t state[MD5_WORDS])
{
    for (int word = 0; word < MD5_WORDS; word++)
        md5->state[word][lane] = state[word];
}

static void run_single(drumlin_md5 *md5, const struct run *run, size_t blocks)
{
    uint32_t state[MD5_WORDS];
    get_state(md5, run->lane, state);
    md5->kernels.stream(state, run->data, blocks);
    set_state(md5, run->lane, state);
}

/* What a kernel of this width takes. Its spare lanes get the first run once more. */
static void gather(const drumlin_md5 *md5, int width, const struct run *runs, int count,
                   uint32_t state[MD5_WORDS][LANES], const uint8_t **data)
{
    for (int i = 0; i < width; i++) {
        const struct run *run = &runs[i < count ? i : 0];
        data[i] = run->data;
        for (int word = 0; word < MD5_WORDS; word++)
            state[word][i] = md5->state[word][run->lane];
    }
}

static void scatter(drumlin_md5 *md5, const struct run *runs, int count, uint32_t state[MD5_WORDS][LANES])
{
    for (int i = 0; i < count; i++)
        for (int word = 0; word < MD5_WORDS; word++)
            md5->state[word][runs[i].lane] = state[word][i];
}

static void run_kernel(drumlin_md5 *md5, md5_kernel *kernel, int width, const struct run *runs, int count,
                       size_t blocks)
{
    uint32_t state[MD5_WORDS][LANES] = {{0}};
    const uint8_t *data[LANES];
    gather(md5, width, runs, count, state, data);
    kernel(state, data, blocks);
    scatter(md5, runs, count, state);
}

/*
 * Hashes this many blocks of each run. The runs are no more than the width. The narrowest kernel that takes them all
 * does it, because a wider pass costs more, or each run is hashed by itself.
 */
static void hash_runs(drumlin_md5 *md5, const struct run *runs, int count, size_t blocks)
{
    if (count < md5->kernels.four_from)
        for (int i = 0; i < count; i++)
            run_single(md5, &runs[i], blocks);
    else if (count <= 4)
        run_kernel(md5, md5->kernels.four, 4, runs, count, blocks);
    else if (count <= 8)
        run_kernel(md5, md5->kernels.eight, 8, runs, count, blocks);
    else
        run_kernel(md5, md5->kernels.sixteen, 16, runs, count, blocks);
}

static size_t least_blocks(const struct run *runs, int count)
{
    size_t blocks = runs[0].blocks;
    for (int i = 1; i < count; i++)
        if (runs[i].blocks < blocks)
            blocks = runs[i].blocks;
    return blocks;
}

static void advance(struct run *run, size_t blocks)
{
    run->data += blocks * MD5_BLOCK;
    run->blocks -= blocks;
}

/* Hashes all runs. A run that has ended makes room for another one. */
static void drain(drumlin_md5 *md5, struct run *runs, int count)
{
    while (count > 0) {
        int taken = count < md5->width ? count : md5->width;
        size_t blocks = least_blocks(runs, taken);
        hash_runs(md5, runs, taken, blocks);
        for (int i = taken - 1; i >= 0; i--) {
            advance(&runs[i], blocks);
            if (runs[i].blocks == 0)
                runs[i] = runs[--count];
        }
    }
}

/* A run of other streams, to be hashed beside those of an update. */
struct beside {
    drumlin_md5 *md5;
    struct run run;
};

/* Hashes of the runs, and of the one beside them, as much as goes in one pass. What is left of them may be nothing. */
static void hash_beside(drumlin_md5 *md5, struct run *runs, int count, struct beside *beside)
{
    enum { WIDTH = 8 };
    for (int first = 0; first + WIDTH <= count; first += WIDTH) {
        uint32_t states[MD5_WORDS][LANES], state[MD5_WORDS];
        const uint8_t *data[WIDTH];
        size_t blocks = least_blocks(runs + first, WIDTH);
        if (beside->run.blocks / WIDTH < blocks)
            blocks = beside->run.blocks / WIDTH;
        gather(md5, WIDTH, runs + first, WIDTH, states, data);
        get_state(beside->md5, beside->run.lane, state);
        md5->kernels.beside(states, data, blocks, state, beside->run.data);
        scatter(md5, runs + first, WIDTH, states);
        set_state(beside->md5, beside->run.lane, state);
        for (int i = 0; i < WIDTH; i++)
            advance(&runs[first + i], blocks);
        advance(&beside->run, blocks * WIDTH);
    }
}

static bool lengths_valid(const int64_t *lengths, int32_t count)
{
    if (count < 0 || count > LANES)
        return false;
    for (int32_t lane = 0; lane < count; lane++)
        if (lengths[lane] < 0)
            return false;
    return true;
}

/* Bytes that are still to be appended to a lane. */
struct piece {
    const uint8_t *data;
    size_t length;
};

/* Appends the head of the piece to the pending bytes, if there are any. True if that makes a whole block. */
static bool fill_pending(drumlin_md5 *md5, int lane, struct piece *piece)
{
    size_t pending = md5->length[lane] % MD5_BLOCK;
    if (pending == 0 || piece->length == 0)
        return false;
    size_t head = MD5_BLOCK - pending < piece->length ? MD5_BLOCK - pending : piece->length;
    memcpy(md5->pending[lane] + pending, piece->data, head);
    md5->length[lane] += head;
    piece->data += head;
    piece->length -= head;
    return pending + head == MD5_BLOCK;
}

/* Keeps the bytes of a piece after its last whole block. */
static void keep_tail(drumlin_md5 *md5, int lane, const struct piece *piece)
{
    size_t tail = piece->length % MD5_BLOCK;
    /* A tail is left only where nothing was pending or a block was made of it, so pending is free. */
    if (tail > 0)
        memcpy(md5->pending[lane], piece->data + piece->length - tail, tail);
    md5->length[lane] += piece->length;
}

/* beside is NULL for nothing. The pieces are valid. */
static void update(drumlin_md5 *md5, const void *const *pieces, const int64_t *lengths, int32_t count,
                   struct beside *beside)
{
    struct piece rest[LANES];
    struct run runs[LANES];
    int run_count = 0;
    for (int32_t lane = 0; lane < count; lane++) {
        rest[lane] = (struct piece){pieces[lane], (size_t)lengths[lane]};
        if (fill_pending(md5, lane, &rest[lane]))
            runs[run_count++] = (struct run){lane, md5->pending[lane], 1};
    }
    drain(md5, runs, run_count);

    run_count = 0;
    for (int32_t lane = 0; lane < count; lane++) {
        size_t blocks = rest[lane].length / MD5_BLOCK;
        if (blocks > 0)
            runs[run_count++] = (struct run){lane, rest[lane].data, blocks};
    }
    if (beside)
        hash_beside(md5, runs, run_count, beside);
    drain(md5, runs, run_count);

    for (int32_t lane = 0; lane < count; lane++)
        keep_tail(md5, lane, &rest[lane]);
}

int32_t drumlin_md5_update(drumlin_md5 *md5, const void *const *pieces, const int64_t *lengths, int32_t count)
{
    if (!lengths_valid(lengths, count))
        return -EINVAL;
    update(md5, pieces, lengths, count, NULL);
    return 0;
}

int32_t drumlin_md5_update_beside(drumlin_md5 *md5, const void *const *pieces, const int64_t *lengths, int32_t count,
                                  drumlin_md5 *other, int32_t lane, const void *piece, int64_t length)
{
    if (!lengths_valid(lengths, count) || other == md5 || lane < 0 || lane >= LANES || length < 0)
        return -EINVAL;
    struct piece rest = {piece, (size_t)length};
    if (fill_pending(other, lane, &rest))
        run_single(other, &(struct run){lane, other->pending[lane], 1}, 1);
    struct beside beside = {other, {lane, rest.data, rest.length / MD5_BLOCK}};
    if (md5->kernels.beside) {
        update(md5, pieces, lengths, count, &beside);
        run_single(other, &beside.run, beside.run.blocks);
    } else {
        run_single(other, &beside.run, beside.run.blocks);
        update(md5, pieces, lengths, count, NULL);
    }
    keep_tail(other, lane, &rest);
    return 0;
}

int32_t drumlin_md5_digest(drumlin_md5 *md5, int32_t lane, uint8_t *digest)
{
    if (lane < 0 || lane >= LANES)
        return -EINVAL;
    uint32_t state[MD5_WORDS];
    get_state(md5, lane, state);
    finish_single(state, md5->pending[lane], md5->length[lane], digest);
    return 0;
}
