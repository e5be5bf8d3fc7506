#include "cmocka_all.h"
#include "drumlin/core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef WITH_OPENSSL
#include <openssl/evp.h>
#endif

static const int widths[] = {1, 4, 8, 16};
static unsigned seed;

static unsigned random_below(unsigned bound)
{
    return (unsigned)rand_r(&seed) % bound;
}

static void hex(const uint8_t *digest, char *text)
{
    for (int i = 0; i < DRUMLIN_MD5_LENGTH; i++)
        sprintf(text + 2 * i, "%02x", digest[i]);
}

/* Appendix A.5 of RFC 1321. */
static const struct {
    const char *text;
    const char *digest;
} vectors[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };

/* NULL where this processor lacks the width. */
static drumlin_md5 *lanes(int width)
{
    drumlin_md5 *md5 = NULL;
    int error = drumlin_md5_create(&md5, width);
    if (error == -ENOTSUP) {
        print_message("width %d not on this processor\n", width);
        return NULL;
    }
    assert_int_equal(error, 0);
    if (width > 0)
        assert_int_equal(drumlin_md5_width(md5), width);
    return md5;
}

static void the_single_stream_gives_the_digests_of_rfc_1321(void **state)
{
    (void)state;
    for (int i = 0; i < VECTORS; i++) {
        uint8_t digest[DRUMLIN_MD5_LENGTH];
        char text[33];
        drumlin_md5_single(vectors[i].text, (int64_t)strlen(vectors[i].text), digest);
        hex(digest, text);
        assert_string_equal(text, vectors[i].digest);
    }
}

static void every_width_gives_the_digests_of_rfc_1321(void **state)
{
    (void)state;
    for (int w = 0; w < 4; w++) {
        drumlin_md5 *md5 = lanes(widths[w]);
        if (!md5)
            continue;
        const void *pieces[16] = {0};
        int64_t lengths[16] = {0};
        for (int lane = 0; lane < 16; lane++) {
            pieces[lane] = vectors[lane % VECTORS].text;
            lengths[lane] = (int64_t)strlen(vectors[lane % VECTORS].text);
        }
        assert_int_equal(drumlin_md5_update(md5, pieces, lengths, 16), 0);
        for (int lane = 0; lane < 16; lane++) {
            uint8_t digest[DRUMLIN_MD5_LENGTH];
            char text[33];
            assert_int_equal(drumlin_md5_digest(md5, lane, digest), 0);
            hex(digest, text);
            assert_string_equal(text, vectors[lane % VECTORS].digest);
        }
        drumlin_md5_destroy(md5);
    }
}

#ifdef WITH_OPENSSL
static void the_single_stream_agrees_with_openssl(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    uint8_t data[MOST];
    for (int i = 0; i < MOST; i++)
        data[i] = (uint8_t)random_below(256);
    for (int length = 0; length < MOST; length += length < 300 ? 1 : 97) {
        uint8_t ours[DRUMLIN_MD5_LENGTH], theirs[DRUMLIN_MD5_LENGTH];
        drumlin_md5_single(data, length, ours);
        assert_int_equal(EVP_Digest(data, (size_t)length, theirs, NULL, EVP_md5(), NULL), 1);
        assert_memory_equal(ours, theirs, DRUMLIN_MD5_LENGTH);
    }
}
#endif

/*
 * Sixteen streams of random bytes, cut at random places, some fed more often than others, some started again half way.
 * Each must be what the single stream makes of the same bytes at once.
 */
static void feed_at_random(drumlin_md5 *md5, const uint8_t *data, int most)
{
    int begin[16], end[16];
    for (int lane = 0; lane < 16; lane++) {
        begin[lane] = end[lane] = (int)random_below(64);
        drumlin_md5_reset(md5, lane);
    }
    for (int round = 0; round < 12; round++) {
        const void *pieces[16];
        int64_t lengths[16];
        int count = (int)random_below(17);
        int longest = round % 3 == 0 ? 64 * 20 : round % 3 == 1 ? 70 : 700;
        for (int lane = 0; lane < count; lane++) {
            if (random_below(20) == 0) {
                drumlin_md5_reset(md5, lane);
                begin[lane] = end[lane];
            }
            int length = random_below(4) == 0 ? 0 : (int)random_below((unsigned)longest);
            if (random_below(3) == 0)
                length = length / 64 * 64;
            if (end[lane] + length > most)
                length = most - end[lane];
            pieces[lane] = length ? data + end[lane] : NULL;
            lengths[lane] = length;
            end[lane] += length;
        }
        assert_int_equal(drumlin_md5_update(md5, pieces, lengths, count), 0);
    }
    for (int lane = 0; lane < 16; lane++) {
        uint8_t digest[DRUMLIN_MD5_LENGTH], expected[DRUMLIN_MD5_LENGTH];
        drumlin_md5_single(data + begin[lane], end[lane] - begin[lane], expected);
        assert_int_equal(drumlin_md5_digest(md5, lane, digest), 0);
        assert_memory_equal(digest, expected, DRUMLIN_MD5_LENGTH);
    }
}

static void every_width_agrees_with_the_single_stream(void **state)
{
    (void)state;
    enum { MOST = 12000 };
    /* Exactly as large as needed, so that a sanitizer sees a read past the end. */
    uint8_t *data = malloc(MOST);
    for (int i = 0; i < MOST; i++)
        data[i] = (uint8_t)random_below(256);
    for (int w = 0; w < 5; w++) {
        /* The last is whatever is fastest here. */
        drumlin_md5 *md5 = lanes(w < 4 ? widths[w] : 0);
        for (int trial = 0; md5 && trial < 200; trial++)
            feed_at_random(md5, data, MOST);
        drumlin_md5_destroy(md5);
    }
    free(data);
}

static void assert_digest(drumlin_md5 *md5, int lane, const uint8_t *data, int length)
{
    uint8_t digest[DRUMLIN_MD5_LENGTH], expected[DRUMLIN_MD5_LENGTH];
    drumlin_md5_single(data, length, expected);
    assert_int_equal(drumlin_md5_digest(md5, lane, digest), 0);
    assert_memory_equal(digest, expected, DRUMLIN_MD5_LENGTH);
}

/*
 * One stream beside sixteen others, cut at random places. In half of the rounds the pieces of the others are equally
 * long, and that of the one stream is about as long as they are together.
 */
static void feed_beside_at_random(drumlin_md5 *md5, drumlin_md5 *other, const uint8_t *data, int most)
{
    int end[16] = {0}, single = 0;
    int own = (int)random_below(16);
    for (int lane = 0; lane < 16; lane++) {
        drumlin_md5_reset(md5, lane);
        drumlin_md5_reset(other, lane);
    }
    for (int round = 0; round < 8; round++) {
        const void *pieces[16];
        int64_t lengths[16];
        int equal = (int)random_below(2), longest = (int)random_below(64 * 12), sum = 0;
        int count = random_below(3) == 0 ? (int)random_below(17) : 16;
        for (int lane = 0; lane < count; lane++) {
            int length = equal ? longest : (int)random_below((unsigned)longest + 1);
            pieces[lane] = length ? data + end[lane] : NULL;
            lengths[lane] = length;
            end[lane] += length;
            sum += length;
        }
        int length = equal ? sum + (int)random_below(200) - 100 : (int)random_below(20000);
        if (length < 0 || single + length > most)
            length = 0;
        const void *piece = length ? data + single : NULL;
        assert_int_equal(drumlin_md5_update_beside(md5, pieces, lengths, count, other, own, piece, length), 0);
        single += length;
    }
    for (int lane = 0; lane < 16; lane++) {
        assert_digest(md5, lane, data, end[lane]);
        assert_digest(other, lane, data, lane == own ? single : 0);
    }
}

static void a_stream_beside_others_agrees_with_the_single_stream(void **state)
{
    (void)state;
    enum { MOST = 100000 };
    uint8_t *data = malloc(MOST);
    for (int i = 0; i < MOST; i++)
        data[i] = (uint8_t)random_below(256);
    drumlin_md5 *other = lanes(0);
    for (int w = 0; w < 5; w++) {
        drumlin_md5 *md5 = lanes(w < 4 ? widths[w] : 0);
        for (int trial = 0; md5 && trial < 100; trial++)
            feed_beside_at_random(md5, other, data, MOST);
        drumlin_md5_destroy(md5);
    }
    drumlin_md5_destroy(other);
    free(data);
}

/* The bit count passes 2^32: a counter of 32 bits would be found out. */
static void streams_of_more_than_512_mib_are_counted_right(void **state)
{
    (void)state;
#ifdef WITH_OPENSSL
    enum { PIECE = 1 << 20, PIECES = 513 };
    uint8_t *data = malloc(PIECE);
    memset(data, 0x5a, PIECE);
    drumlin_md5 *md5;
    assert_int_equal(drumlin_md5_create(&md5, 0), 0);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_DigestInit_ex(context, EVP_md5(), NULL);
    const void *pieces[1] = {data};
    int64_t lengths[1] = {PIECE};
    for (int i = 0; i < PIECES; i++) {
        drumlin_md5_update(md5, pieces, lengths, 1);
        EVP_DigestUpdate(context, data, PIECE);
    }
    uint8_t ours[DRUMLIN_MD5_LENGTH], theirs[DRUMLIN_MD5_LENGTH];
    drumlin_md5_digest(md5, 0, ours);
    EVP_DigestFinal_ex(context, theirs, NULL);
    assert_memory_equal(ours, theirs, DRUMLIN_MD5_LENGTH);
    EVP_MD_CTX_free(context);
    drumlin_md5_destroy(md5);
    free(data);
#else
    skip();
#endif
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    drumlin_md5 *md5 = NULL;
    assert_int_equal(drumlin_md5_create(&md5, 2), -EINVAL);
    assert_int_equal(drumlin_md5_create(&md5, 32), -EINVAL);
    assert_int_equal(drumlin_md5_create(&md5, 0), 0);
    const void *pieces[2] = {"ab", "ab"};
    int64_t lengths[2] = {2, -1};
    uint8_t digest[DRUMLIN_MD5_LENGTH], empty[DRUMLIN_MD5_LENGTH];
    assert_int_equal(drumlin_md5_update(md5, pieces, lengths, 2), -EINVAL);
    assert_int_equal(drumlin_md5_update(md5, pieces, lengths, 17), -EINVAL);
    assert_int_equal(drumlin_md5_update(md5, pieces, lengths, -1), -EINVAL);
    drumlin_md5 *other = lanes(0);
    assert_int_equal(drumlin_md5_update_beside(md5, pieces, lengths, 2, other, 0, "ab", 2), -EINVAL);
    assert_int_equal(drumlin_md5_update_beside(md5, pieces, lengths, 1, md5, 1, "ab", 2), -EINVAL);
    assert_int_equal(drumlin_md5_update_beside(md5, pieces, lengths, 1, other, -1, "ab", 2), -EINVAL);
    assert_int_equal(drumlin_md5_update_beside(md5, pieces, lengths, 1, other, 16, "ab", 2), -EINVAL);
    assert_int_equal(drumlin_md5_update_beside(md5, pieces, lengths, 1, other, 0, "ab", -1), -EINVAL);
    assert_digest(other, 0, NULL, 0);
    drumlin_md5_destroy(other);
    assert_int_equal(drumlin_md5_reset(md5, 16), -EINVAL);
    assert_int_equal(drumlin_md5_reset(md5, -1), -EINVAL);
    assert_int_equal(drumlin_md5_digest(md5, 16, digest), -EINVAL);
    drumlin_md5_single(NULL, 0, empty);
    assert_int_equal(drumlin_md5_digest(md5, 0, digest), 0);
    assert_memory_equal(digest, empty, DRUMLIN_MD5_LENGTH);
    drumlin_md5_destroy(md5);
    drumlin_md5_destroy(NULL);
}

int main(void)
{
    const char *given = getenv("DRUMLIN_TEST_SEED");
    seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    print_message("DRUMLIN_TEST_SEED=%u\n", seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_single_stream_gives_the_digests_of_rfc_1321),
        cmocka_unit_test(every_width_gives_the_digests_of_rfc_1321),
#ifdef WITH_OPENSSL
        cmocka_unit_test(the_single_stream_agrees_with_openssl),
#endif
        cmocka_unit_test(every_width_agrees_with_the_single_stream),
        cmocka_unit_test(a_stream_beside_others_agrees_with_the_single_stream),
        cmocka_unit_test(streams_of_more_than_512_mib_are_counted_right),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
