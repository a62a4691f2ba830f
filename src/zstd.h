// A decoder of Zstandard frames (RFC 8878), the packing of fat binaries since CUDA 12. The input
// may be anything: no read or write leaves the two buffers.
#ifndef CUCORE_SRC_ZSTD_H
#define CUCORE_SRC_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

struct cuc__zstd; // working memory of a decoder

// NULL without memory. free() it after use.
struct cuc__zstd *cuc__zstd_new(void);

// Decodes one frame, without a dictionary, into exactly `out_bytes` bytes. False for a frame that
// is damaged or of another size. The content checksum is not verified.
bool cuc__zstd_decode(struct cuc__zstd *z, void *out, size_t out_bytes, const void *in,
                      size_t in_bytes);

#endif
