// Zstandard, the compression of fat binaries since CUDA 12, through libzstd. libzstd is loaded when
// the first such fat binary is unpacked. Nothing links it, so programs without such fat binaries do
// not need it.
#ifndef CUCORE_BASE_ZSTD_H
#define CUCORE_BASE_ZSTD_H

#include <stddef.h>

enum cuc__zstd_result {
    CUC__ZSTD_OK,
    CUC__ZSTD_DAMAGED, // damaged, or of a different size
    CUC__ZSTD_NO_MEMORY,
    CUC__ZSTD_NO_LIBRARY,
};

// The remedy for CUC__ZSTD_NO_LIBRARY.
#define CUC__ZSTD_REMEDY                                                                         \
    "is packed with Zstandard, and libzstd.so.1 cannot be loaded: install libzstd (libzstd1 on " \
    "Debian and Ubuntu), or compile with nvcc --no-compress"

// Decodes frames without a dictionary into exactly `out_bytes` bytes.
enum cuc__zstd_result cuc__zstd_decode(void *out, size_t out_bytes, const void *in,
                                       size_t in_bytes);

#endif
