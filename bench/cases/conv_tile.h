// Chooses the kernel of conv.tile for a convolution, and its tile. Only the suite conv uses it.
#ifndef CUCORE_BENCH_CASES_CONV_TILE_H
#define CUCORE_BENCH_CASES_CONV_TILE_H

#include <cucore/tensor.h>

#include <stdbool.h>
#include <stddef.h>

// x [n][h][w][c], the weights [k][r][r][c], y [n][p][q][k]
enum array { X, W, Y, ARRAYS };

typedef struct conv {
    int64_t n, h, w, c, k, r, stride, pad, p, q;
    cuc_dtype dtype;
    enum array result; // y: the convolution; else the gradient of x or w
} conv;

typedef struct bench_conv_tile {
    const char *kernel;
    bool in_a_row;  // true: a tile is box[2] successive pixels of all images; false: it is a box
    int64_t box[3]; // images, rows, columns
    int64_t k, c;   // channels
    int64_t shares; // blocks that add to each element of the result
    int64_t split;  // blocks of a cluster that share each sum of a tile
    int64_t warps;  // 4: warpgroups alternate between tiles; 0: the compiler's choice
    double seconds; // the estimate
} bench_conv_tile;

void bench_conv_choose(bench_conv_tile *out, const conv *v);
// Writes the constants and options of the chosen kernel, as a bench_kernel_spec has them.
void bench_conv_settings(char *out, size_t size, const conv *v, const bench_conv_tile *t);

#endif
