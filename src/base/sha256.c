#include "sha256.h"

#include "cpu.h"

#include <pthread.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

// Bytes of a block; bytes of the message length at the end of the last block.
enum { BLOCK = 64, LENGTH = 8 };

// The fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    // clang-format off
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    // clang-format on
};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t read_big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void write_big(unsigned char *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(x >> (24 - 8 * i));
}

// One round. The caller passes the variables in rotated order, which saves moving their values.
#define ROUND(a, b, c, d, e, f, g, h, i)                                                        \
    do {                                                                                        \
        uint32_t t = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g))) + \
                     constants[i] + w[(i) % 16];                                                \
        d += t;                                                                                 \
        h = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)));     \
    } while (0)

static void add_block_in_c(uint32_t state[8], const unsigned char *data)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t w[16]; // the last 16 words of the message schedule

    for (int i = 0; i < 16; i++)
        w[i] = read_big(data + 4 * i);
    for (int i = 0; i < 64; i += 8) {
        for (int j = i; i >= 16 && j < i + 8; j++) {
            uint32_t x = w[(j + 1) % 16], y = w[(j + 14) % 16];
            w[j % 16] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(j + 9) % 16] +
                         (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
        ROUND(a, b, c, d, e, f, g, h, i);
        ROUND(h, a, b, c, d, e, f, g, i + 1);
        ROUND(g, h, a, b, c, d, e, f, i + 2);
        ROUND(f, g, h, a, b, c, d, e, i + 3);
        ROUND(e, f, g, h, a, b, c, d, i + 4);
        ROUND(d, e, f, g, h, a, b, c, i + 5);
        ROUND(c, d, e, f, g, h, a, b, i + 6);
        ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

#ifdef __x86_64__

#define BY_INSTRUCTIONS static inline __attribute__((always_inline, target("sha,sse4.1")))

// A message being hashed by instructions: its state, and the last 16 words of its message schedule.
struct lane {
    __m128i abef, cdgh, w[4];
};

BY_INSTRUCTIONS void begin_lane(struct lane *l, const uint32_t state[8])
{
    const void *in[] = { state, state + 4 };
    const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(in[0]), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(in[1]), 0x1b);

    l->abef = _mm_alignr_epi8(cdab, efgh, 8);
    l->cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
}

BY_INSTRUCTIONS void end_lane(uint32_t state[8], const struct lane *l)
{
    void *out[] = { state, state + 4 };
    const __m128i feba = _mm_shuffle_epi32(l->abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(l->cdgh, 0xb1);

    _mm_storeu_si128(out[0], _mm_blend_epi16(feba, dchg, 0xf0)); // dcba
    _mm_storeu_si128(out[1], _mm_alignr_epi8(dchg, feba, 8));    // hgfe
}

// Does the i-th of 16 groups of four rounds. From i = 4 on, first replaces the words of 16 rounds
// ago with new ones.
BY_INSTRUCTIONS void add_rounds(struct lane *l, int i)
{
    const void *at = constants + 4 * i;
    __m128i m = l->w[i % 4];

    if (i >= 4) {
        const __m128i n = l->w[(i + 1) % 4], o = l->w[(i + 2) % 4], p = l->w[(i + 3) % 4];
        m = _mm_add_epi32(_mm_sha256msg1_epu32(m, n), _mm_alignr_epi8(p, o, 4));
        l->w[i % 4] = m = _mm_sha256msg2_epu32(m, p);
    }
    m = _mm_add_epi32(m, _mm_loadu_si128(at));
    l->cdgh = _mm_sha256rnds2_epu32(l->cdgh, l->abef, m);
    l->abef = _mm_sha256rnds2_epu32(l->abef, l->cdgh, _mm_shuffle_epi32(m, 0x0e));
}

// Adds a block to each of one or two messages. The rounds of one message depend on one another.
// Rounds of two messages do not, so the processor overlaps them.
BY_INSTRUCTIONS void add_block_of(struct lane *l, int lanes, const unsigned char *const *data)
{
    const __m128i big = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    struct lane before[2];

#pragma GCC unroll 2
    for (int k = 0; k < lanes; k++) {
        before[k] = l[k];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const void *at = data[k] + 16 * i;
            l[k].w[i] = _mm_shuffle_epi8(_mm_loadu_si128(at), big);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
#pragma GCC unroll 2
        for (int k = 0; k < lanes; k++)
            add_rounds(&l[k], i);
#pragma GCC unroll 2
    for (int k = 0; k < lanes; k++) {
        l[k].abef = _mm_add_epi32(l[k].abef, before[k].abef);
        l[k].cdgh = _mm_add_epi32(l[k].cdgh, before[k].cdgh);
    }
}

// Adds blocks with the processor's SHA-256 instructions, several times as fast as in C.
__attribute__((target("sha,sse4.1"))) static void
add_blocks_by_instructions(uint32_t state[8], const unsigned char *data, size_t blocks)
{
    struct lane l;

    begin_lane(&l, state);
    for (; blocks; blocks--, data += BLOCK)
        add_block_of(&l, 1, &data);
    end_lane(state, &l);
}

// Adds blocks to two messages in about the time of one.
__attribute__((target("sha,sse4.1"))) static void
add_pairs_by_instructions(uint32_t state[2][8], const unsigned char *const data[2], size_t blocks)
{
    const unsigned char *at[] = { data[0], data[1] };
    struct lane l[2];

    begin_lane(&l[0], state[0]);
    begin_lane(&l[1], state[1]);
    for (; blocks; blocks--, at[0] += BLOCK, at[1] += BLOCK)
        add_block_of(l, 2, at);
    end_lane(state[0], &l[0]);
    end_lane(state[1], &l[1]);
}

#endif

static void add_blocks_in_c(uint32_t state[8], const unsigned char *data, size_t blocks)
{
    for (; blocks; blocks--, data += BLOCK)
        add_block_in_c(state, data);
}

static void add_pairs_in_c(uint32_t state[2][8], const unsigned char *const data[2], size_t blocks)
{
    add_blocks_in_c(state[0], data[0], blocks);
    add_blocks_in_c(state[1], data[1], blocks);
}

static void (*add_blocks)(uint32_t state[8], const unsigned char *data,
                          size_t blocks) = add_blocks_in_c;
static void (*add_pairs)(uint32_t state[2][8], const unsigned char *const data[2],
                         size_t blocks) = add_pairs_in_c;

static void choose(void)
{
#ifdef __x86_64__
    if (!cuc__sha256_in_c && cuc__cpu_features() & CUC__CPU_SHA) {
        add_blocks = add_blocks_by_instructions;
        add_pairs = add_pairs_by_instructions;
    }
#endif
}

bool cuc__sha256_in_c;

void cuc__sha256_init(cuc__sha256 *hash)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    // The fractional parts of the square roots of the first 8 primes.
    static const uint32_t start[8] = {
        // clang-format off
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
        // clang-format on
    };

    pthread_once(&once, choose);
    *hash = (cuc__sha256){ .bytes = 0 };
    memcpy(hash->state, start, sizeof(start));
}

void cuc__sha256_update(cuc__sha256 *hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    size_t waiting = hash->bytes % BLOCK;

    if (!bytes) // `data` may be NULL here
        return;
    hash->bytes += bytes;
    if (waiting) {
        size_t part = bytes < BLOCK - waiting ? bytes : BLOCK - waiting;
        memcpy(hash->block + waiting, at, part);
        if (waiting + part < BLOCK)
            return;
        add_blocks(hash->state, hash->block, 1);
        at += part;
        bytes -= part;
    }
    add_blocks(hash->state, at, bytes / BLOCK);
    memcpy(hash->block, at + bytes / BLOCK * BLOCK, bytes % BLOCK);
}

void cuc__sha256_finish(unsigned char digest[CUC__SHA256_BYTES], cuc__sha256 *hash)
{
    static const unsigned char padding[BLOCK] = { 0x80 };
    unsigned char length[LENGTH];
    uint64_t bits = hash->bytes * 8;
    size_t used = hash->bytes % BLOCK, capacity = BLOCK - LENGTH; // before the length field

    write_big(length, (uint32_t)(bits >> 32));
    write_big(length + 4, (uint32_t)bits);
    cuc__sha256_update(hash, padding, used < capacity ? capacity - used : capacity + BLOCK - used);
    cuc__sha256_update(hash, length, LENGTH);
    for (int i = 0; i < 8; i++)
        write_big(digest + 4 * i, hash->state[i]);
}

void cuc__sha256_of(unsigned char digest[CUC__SHA256_BYTES], const void *data, size_t bytes)
{
    cuc__sha256 hash;

    cuc__sha256_init(&hash);
    cuc__sha256_update(&hash, data, bytes);
    cuc__sha256_finish(digest, &hash);
}

void cuc__sha256_of_halves(unsigned char digest[CUC__SHA256_BYTES], const void *data, size_t bytes)
{
    const size_t half = bytes - bytes / 2, blocks = half / BLOCK, rest = half % BLOCK;
    const unsigned char *const at[] = { data, (const unsigned char *)data + bytes - half };
    const uint64_t length = bytes;
    unsigned char part[CUC__SHA256_BYTES];
    uint32_t state[2][8];
    cuc__sha256 hash, all;

    cuc__sha256_init(&hash);
    cuc__sha256_init(&all);
    cuc__sha256_update(&all, &length, sizeof(length));
    memcpy(state[0], hash.state, sizeof(hash.state));
    memcpy(state[1], hash.state, sizeof(hash.state));
    add_pairs(state, at, blocks);
    for (int k = 0; k < 2; k++) {
        memcpy(hash.state, state[k], sizeof(hash.state));
        hash.bytes = blocks * BLOCK;
        cuc__sha256_update(&hash, at[k] + blocks * BLOCK, rest);
        cuc__sha256_finish(part, &hash);
        cuc__sha256_update(&all, part, sizeof(part));
    }
    cuc__sha256_finish(digest, &all);
}

void cuc__sha256_text(char text[2 * CUC__SHA256_BYTES + 1],
                      const unsigned char digest[CUC__SHA256_BYTES])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < CUC__SHA256_BYTES; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * CUC__SHA256_BYTES] = '\0';
}
