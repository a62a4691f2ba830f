// Zstandard, which compresses fat binaries since CUDA 12. Unpacking the first such fat binary loads
// libzstd at run time, so other programs do not need the library.
#ifndef CUCORE_BASE_ZSTD_H
#define CUCORE_BASE_ZSTD_H

#include <stddef.h>

enum cuc__zstd_result {
    CUC__ZSTD_OK,
    CUC__ZSTD_DAMAGED, // the frames are damaged, or do not decode to `out_bytes` bytes
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
