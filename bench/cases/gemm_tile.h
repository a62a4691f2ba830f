// Matrix products with gemm.tile, gemm_batched.tile and gemm_epilogue.tile of examples/tile.
#ifndef CUCORE_BENCH_CASES_GEMM_TILE_H
#define CUCORE_BENCH_CASES_GEMM_TILE_H

#include "cublaslt.h"

typedef struct bench_tile_gemm bench_tile_gemm;

// A named variant.
typedef struct bench_tile_how {
    const char *name, *arch;        // NULL: the device's
    int32_t cluster, warps, stages; // 0: the compiler's choice
    int32_t split, raster;
    int64_t rows, columns; // extents of a tile; 0: chosen automatically
    uint32_t depth_bytes;  // bytes of a tile's rows; 0: 128
} bench_tile_how;

// Parse a variant from words joined by +, such as "BM=128+BN=64+stages=4+arch=sm_80". The variant
// keeps `text`, which the call modifies. Returns false, with `why`, for an unknown word.
bool bench_tile_read_how(bench_tile_how *out, char *text, char *why, size_t why_size);

// Compile a kernel that lives as long as the point. `out` is NULL, with the reason in `why`, if the
// kernels do not support the product's type.
cuc_status bench_tile_gemm_create(bench_tile_gemm **out, cuc_bench_state *state,
                                  const bench_product *product, const bench_tile_how *how,
                                  char *why, size_t why_size);
cuc_status bench_tile_gemm_run(const bench_tile_gemm *gemm, cuc_stream *stream, cuc_device_ptr a,
                               cuc_device_ptr b, cuc_device_ptr d, cuc_device_ptr extra);
// Report the rows and columns of a block's tile, and the number of blocks.
void bench_tile_gemm_figures(const bench_tile_gemm *gemm, cuc_bench_figure out[3]);

#endif
