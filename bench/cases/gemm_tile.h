// Products of matrices by examples/tile/gemm.tile.
#ifndef CUCORE_BENCH_CASES_GEMM_TILE_H
#define CUCORE_BENCH_CASES_GEMM_TILE_H

#include "cublaslt.h"

typedef struct bench_tile_gemm bench_tile_gemm;

// A way to do it, and what it is called.
typedef struct bench_tile_how {
    const char *name, *arch;        // NULL: the device's
    int32_t cluster, warps, stages; // 0: as the compiler likes
    int32_t split, raster;
    int64_t rows, columns; // of a tile; 0: chosen
    uint32_t depth_bytes;  // of a tile's rows; 0: 128
} bench_tile_how;

// Read a way from words with + in between, "BM=128+BN=64+stages=4+arch=sm_80"; the text, which is
// changed, is kept by it. False, with why, when a word is not known.
bool bench_tile_read_how(bench_tile_how *out, char *text, char *why, size_t why_size);

// Compiled, and let go of when the point is done. NULL in `out` with the reason in `why` where the
// kernels do not have the product's type.
cuc_status bench_tile_gemm_create(bench_tile_gemm **out, cuc_bench_state *state,
                                  const bench_product *product, const bench_tile_how *how,
                                  char *why, size_t why_size);
cuc_status bench_tile_gemm_run(const bench_tile_gemm *gemm, cuc_stream *stream, cuc_device_ptr a,
                               cuc_device_ptr b, cuc_device_ptr d, cuc_device_ptr extra);
// Rows and columns of a block's tile, and blocks of the grid.
void bench_tile_gemm_figures(const bench_tile_gemm *gemm, cuc_bench_figure out[3]);

#endif
