// Incremental SHA-256 (FIPS 180-4).
//
// The library has its own implementation because it links only libc, which has no cryptographic
// hash.
#ifndef CUCORE_BASE_SHA256_H
#define CUCORE_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUC__SHA256_BYTES = 32 };

typedef struct cuc__sha256 {
    uint32_t state[8];
    uint64_t bytes;          // hashed so far
    unsigned char block[64]; // the last bytes % 64 bytes, an incomplete block
} cuc__sha256;

// Forces the C implementation even if the processor has SHA-256 instructions. Tests set it before
// the first hash.
extern bool cuc__sha256_in_c;

void cuc__sha256_init(cuc__sha256 *hash);
void cuc__sha256_update(cuc__sha256 *hash, const void *data, size_t bytes);
// Writes the digest. Initialize the hash again before hashing another message.
void cuc__sha256_finish(unsigned char digest[CUC__SHA256_BYTES], cuc__sha256 *hash);

// Hashes one message.
void cuc__sha256_of(unsigned char digest[CUC__SHA256_BYTES], const void *data, size_t bytes);

// Hashes the length of a message and the digests of its two halves. If the length is odd, the
// halves share a byte. The digest differs from that of cuc__sha256_of() and takes less time,
// because the processor hashes both halves at once.
void cuc__sha256_of_halves(unsigned char digest[CUC__SHA256_BYTES], const void *data, size_t bytes);

// Writes a digest as 64 hexadecimal digits and a NUL.
void cuc__sha256_text(char text[2 * CUC__SHA256_BYTES + 1],
                      const unsigned char digest[CUC__SHA256_BYTES]);

#endif
