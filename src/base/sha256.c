#include "sha256.h"

#include <string.h>

enum { BLOCK = 64, LENGTH = 8 }; // bytes of a block, and of the message's length at its end

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

// One round. The caller renames the variables instead of moving their values.
#define ROUND(a, b, c, d, e, f, g, h, i)                                                        \
    do {                                                                                        \
        uint32_t t = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g))) + \
                     constants[i] + w[(i) % 16];                                                \
        d += t;                                                                                 \
        h = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)));     \
    } while (0)

static void add_block(uint32_t state[8], const unsigned char *data)
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

void cuc__sha256_init(cuc__sha256 *hash)
{
    // The fractional parts of the square roots of the first 8 primes.
    static const uint32_t start[8] = {
        // clang-format off
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
        // clang-format on
    };

    *hash = (cuc__sha256){ .bytes = 0 };
    memcpy(hash->state, start, sizeof(start));
}

void cuc__sha256_update(cuc__sha256 *hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    size_t waiting = hash->bytes % BLOCK;

    if (!bytes) // then data may be NULL
        return;
    hash->bytes += bytes;
    if (waiting) {
        size_t part = bytes < BLOCK - waiting ? bytes : BLOCK - waiting;
        memcpy(hash->block + waiting, at, part);
        if (waiting + part < BLOCK)
            return;
        add_block(hash->state, hash->block);
        at += part;
        bytes -= part;
    }
    for (; bytes >= BLOCK; at += BLOCK, bytes -= BLOCK)
        add_block(hash->state, at);
    memcpy(hash->block, at, bytes);
}

void cuc__sha256_finish(unsigned char digest[CUC__SHA256_BYTES], cuc__sha256 *hash)
{
    static const unsigned char padding[BLOCK] = { 0x80 };
    unsigned char length[LENGTH];
    uint64_t bits = hash->bytes * 8;
    size_t used = hash->bytes % BLOCK, capacity = BLOCK - LENGTH; // before the length

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
