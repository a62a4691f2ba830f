// The SHA-256 hash of FIPS 180-4, computed incrementally.
//
// The library has its own because it links nothing but libc, which has no cryptographic hash.
#ifndef CUCORE_BASE_SHA256_H
#define CUCORE_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUC__SHA256_BYTES = 32 };

typedef struct cuc__sha256 {
    uint32_t state[8];
    uint64_t bytes;          // hashed so far
    unsigned char block[64]; // the last bytes % 64 bytes wait here for the rest of their block
} cuc__sha256;

// Set to true before the first hash, computes in C even if the processor has instructions for it.
// Used by tests.
extern bool cuc__sha256_in_c;

void cuc__sha256_init(cuc__sha256 *hash);
void cuc__sha256_update(cuc__sha256 *hash, const void *data, size_t bytes);
// Writes the digest. Initialize the hash again before another message.
void cuc__sha256_finish(unsigned char digest[CUC__SHA256_BYTES], cuc__sha256 *hash);

// Hashes one message.
void cuc__sha256_of(unsigned char digest[CUC__SHA256_BYTES], const void *data, size_t bytes);

// Writes a digest as 64 hexadecimal digits and a NUL.
void cuc__sha256_text(char text[2 * CUC__SHA256_BYTES + 1],
                      const unsigned char digest[CUC__SHA256_BYTES]);

#endif
