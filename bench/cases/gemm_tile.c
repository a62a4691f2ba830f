// See gemm_tile.h. A column-major BLAS product is a row-major product of the transposed matrices
// with the operands exchanged.
#include "gemm_tile.h"

#include "base/array.h"
#include "bench_case_kernels.h"

#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/launch.h>
#include <cucore/program.h>
#include <cucore/tensor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_tile_gemm {
    cuc_kernel *kernel;
    bench_product product; // m x n of the result, as the kernel sees it
    int64_t rows, columns, tiles;
    int32_t split;
    int32_t device;
};

bool bench_tile_read_how(bench_tile_how *out, char *text, char *why, size_t why_size)
{
    long rows = 0, columns = 0, depth = 0, stages = 0, cluster = 0, warps = 0, split = 0;
    long raster = 0;
    const struct {
        const char *name;
        long *to;
    } words[] = {
        { "BM=", &rows },       { "BN=", &columns },      { "bytes=", &depth },
        { "stages=", &stages }, { "cluster=", &cluster }, { "warps=", &warps },
        { "split=", &split },   { "raster=", &raster },
    };
    char *rest = NULL;

    *out = (bench_tile_how){ .name = NULL };
    for (char *word = strtok_r(text, "+", &rest); word; word = strtok_r(NULL, "+", &rest)) {
        char *end = word;
        size_t i = 0;
        if (strncmp(word, "arch=", 5) == 0) {
            out->arch = word + 5;
            continue;
        }
        for (; i < CUC_LENGTH(words); i++)
            if (strncmp(word, words[i].name, strlen(words[i].name)) == 0) {
                *words[i].to = strtol(word + strlen(words[i].name), &end, 10);
                break;
            }
        if (i == CUC_LENGTH(words) || *end || *words[i].to <= 0 || *words[i].to > 1 << 20) {
            snprintf(
                why, why_size,
                "tile has \"%s\": BM=, BN=, bytes=, stages=, cluster=, split=, raster=, warps= "
                "and arch= are known",
                word);
            return false;
        }
    }
    if (!rows != !columns) {
        snprintf(why, why_size, "tile: BM and BN go together");
        return false;
    }
    out->rows = rows;
    out->columns = columns;
    out->depth_bytes = (uint32_t)depth;
    out->stages = (int32_t)stages;
    out->cluster = (int32_t)cluster;
    out->warps = (int32_t)warps;
    out->split = (int32_t)split;
    out->raster = (int32_t)raster;
    return true;
}

static int64_t blocks(int64_t extent, int64_t tile)
{
    return (extent + tile - 1) / tile;
}

// Estimate a tile's clocks: prologue and epilogue, plus the time of the tensor cores or the time of
// loading the operands, whichever is longer. The tensor cores process at least 64 rows or columns.
static double clocks(const bench_product *p, int64_t rows, int64_t columns, int64_t split)
{
    enum { STEP_BYTES = 128, BYTES_A_CLOCK = 48, ENDS = 1500, JOINS = 2500 };
    int64_t steps = blocks(p->k * cuc_dtype_bits(p->dtype) / 8, STEP_BYTES * split);
    int64_t least = rows < columns ? rows : columns, most = rows < columns ? columns : rows;
    double computed = (double)(least * (most < 64 ? 64 : most)) / 32;
    // Data that other blocks also load arrives a little later.
    int64_t again = (blocks(p->n, columns) > 1 ? rows : 0) + (blocks(p->m, rows) > 1 ? columns : 0);
    double loaded = ((double)(rows + columns) + 0.1 * (double)again) * STEP_BYTES / BYTES_A_CLOCK;

    return (double)steps * (computed > loaded ? computed : loaded) + ENDS + (split > 1 ? JOINS : 0);
}

// Choose the tile that minimizes the estimated time of the busiest multiprocessor. Among equals
// choose the first tile, which reads least.
static void choose(bench_tile_gemm *g, int64_t multiprocessors)
{
    static const int64_t shapes[][3] = {
        { 128, 256, 1 }, { 256, 128, 1 }, { 128, 128, 1 }, { 128, 64, 1 },
        { 64, 256, 1 },  { 64, 128, 1 },  { 64, 64, 1 },   { 128, 64, 2 },
        { 64, 128, 2 },  { 128, 64, 8 },  { 64, 128, 8 },  { 64, 64, 4 },
        { 64, 16, 1 },   { 16, 64, 1 },   { 64, 32, 1 },   { 32, 64, 1 },
    };
    const bench_product *p = &g->product;
    double least = 0;

    for (size_t i = 0; i < CUC_LENGTH(shapes); i++) {
        int64_t rows = shapes[i][0], columns = shapes[i][1], split = shapes[i][2];
        int64_t tiles = blocks(p->m, rows) * blocks(p->n, columns) * (p->batch > 1 ? p->batch : 1);
        // Clusters of more than 2 blocks leave some multiprocessors of an H200 idle.
        int64_t together = split > 2 ? multiprocessors * 10 / 11 : multiprocessors;
        double work = (double)blocks(tiles * split, together) * clocks(p, rows, columns, split);
        if (g->tiles && work >= least)
            continue;
        least = work;
        g->rows = rows;
        g->columns = columns;
        g->split = (int32_t)split;
        g->tiles = tiles;
    }
}

// Return the kernel, and the constants specific to it.
static const char *kernel_of(const bench_product *p, const char **constant)
{
    static const char *const plain[] = { "gemm_nn", "gemm_nt", "gemm_tn", "gemm_tt" };
    static const char *const batched[] = { "gemm_batched_nn", "gemm_batched_nt", "gemm_batched_tn",
                                           "gemm_batched_tt" };
    uint32_t order = 2u * p->transposed_a + p->transposed_b;

    *constant = p->after == BENCH_BIAS_GELU ? "TANH=true" : NULL;
    return p->after == BENCH_BIAS_GELU  ? "gemm_bias_gelu"
           : p->after == BENCH_RESIDUAL ? "gemm_residual"
           : p->batch > 1               ? batched[order]
                                        : plain[order];
}

static cuc_status compile(bench_tile_gemm *g, const bench_tile_how *how)
{
    enum { OWN = 7 };
    char words[OWN][16];
    const char *constants[OWN + 1];
    const bench_product *p = &g->product;
    const char *name = kernel_of(p, &constants[OWN]);
    cuc_program *program;
    cuc_object *object;

    snprintf(words[0], sizeof(words[0]), "T=%s", cuc_dtype_name(p->dtype));
    snprintf(words[1], sizeof(words[1]), "D=%s", cuc_dtype_name(p->out_dtype));
    snprintf(words[2], sizeof(words[2]), "BM=%d", (int)g->rows);
    snprintf(words[3], sizeof(words[3]), "BN=%d", (int)g->columns);
    snprintf(words[4], sizeof(words[4]), "BK=%u",
             (how->depth_bytes ? how->depth_bytes : 128) * 8 / cuc_dtype_bits(p->dtype));
    snprintf(words[5], sizeof(words[5]), "ACC=%s", p->dtype == CUC_I8 ? "i32" : "f32");
    snprintf(words[6], sizeof(words[6]), "FAST=%s", p->fast_sums ? "true" : "false");
    for (int i = 0; i < OWN; i++)
        constants[i] = words[i];
    // Keep one kernel, because the driver would assemble the others too.
    char *text = bench_one_kernel(p->after       ? gemm_epilogue_tile
                                  : p->batch > 1 ? gemm_batched_tile
                                                 : gemm_tile,
                                  name);
    if (!text)
        return cuc_error_status();
    cuc_status st = cuc_program_create(
        &program, CUC_SOURCE_TILE, text, 0,
        CUC_PROGRAM_OPTIONS(.name = "gemm.tile", .constants = constants,
                            .constant_count = OWN + (constants[OWN] != NULL), .arch = how->arch,
                            .cluster = how->cluster, .warps = how->warps, .stages = how->stages,
                            .split = g->split, .raster = how->raster));
    free(text);
    if (st < 0)
        return st;
    // Let the driver assemble the program, because only it assigns registers to each warp role.
    st = cuc_program_compile(&object, program, CUC_CODE_PTX);
    cuc_program_release(program);
    if (st < 0)
        return st;
    st = cuc_object_get_kernel(&g->kernel, object, name);
    cuc_object_release(object); // the kernel keeps it
    return st;
}

cuc_status bench_tile_gemm_create(bench_tile_gemm **out, cuc_bench_state *state,
                                  const bench_product *product, const bench_tile_how *how,
                                  char *why, size_t why_size)
{
    cuc_device *device = cuc_bench_state_device(state);
    bench_tile_gemm *g = bench_allocate(state, sizeof(*g));
    int32_t multiprocessors = 0;
    cuc_status st;

    *out = NULL;
    if (!g)
        return bench_no_memory("a product");
    if (how->arch && product->dtype == CUC_E4M3) {
        snprintf(why, why_size, "%s has no tensor cores for e4m3", how->arch);
        return CUC_OK;
    }
    if (product->after == BENCH_SILU) {
        snprintf(why, why_size, "no shipped tile program applies silu after a product");
        return CUC_OK;
    }
    if (product->dtype != CUC_F16 && product->dtype != CUC_BF16 &&
        (!product->transposed_a || product->transposed_b)) {
        snprintf(why, why_size, "of %s there is only tn", cuc_dtype_name(product->dtype));
        return CUC_OK;
    }
    g->product = (bench_product){ .m = product->n,
                                  .n = product->m,
                                  .k = product->k,
                                  .dtype = product->dtype,
                                  .out_dtype = product->out_dtype,
                                  .transposed_a = product->transposed_b,
                                  .transposed_b = product->transposed_a,
                                  .batch = product->batch,
                                  .after = product->after,
                                  .fast_sums = product->fast_sums };
    g->device = cuc_device_ordinal(device);
    if ((st = cuc_device_get_attribute(&multiprocessors, device, CUC_DEVICE_MULTIPROCESSOR_COUNT)) <
        0)
        return st;
    if (how->rows) {
        g->rows = how->rows;
        g->columns = how->columns;
        g->tiles = blocks(g->product.m, g->rows) * blocks(g->product.n, g->columns);
    } else {
        choose(g, multiprocessors);
    }
    if (how->split || how->rows || how->arch)
        g->split = how->split;
    if ((st = compile(g, how)) < 0 ||
        (st = cuc_bench_state_defer(state, bench_drop_kernel, g->kernel)) < 0)
        return st;
    *out = g;
    return CUC_OK;
}

static cuc_tensor matrix(const bench_tile_gemm *g, cuc_device_ptr at, cuc_dtype dtype, int64_t rows,
                         int64_t columns)
{
    if (g->product.batch > 1)
        return (cuc_tensor){ .data = at,
                             .dtype = dtype,
                             .rank = 3,
                             .device = g->device,
                             .shape = { g->product.batch, rows, columns },
                             .strides = { rows * columns, columns, 1 } };
    return (cuc_tensor){ .data = at,
                         .dtype = dtype,
                         .rank = 2,
                         .device = g->device,
                         .shape = { rows, columns },
                         .strides = { columns, 1 } };
}

cuc_status bench_tile_gemm_run(const bench_tile_gemm *g, cuc_stream *stream, cuc_device_ptr a,
                               cuc_device_ptr b, cuc_device_ptr d, cuc_device_ptr extra)
{
    const bench_product *p = &g->product;
    // BLAS's a is the kernel's second operand.
    cuc_tensor x = p->transposed_a ? matrix(g, b, p->dtype, p->k, p->m)
                                   : matrix(g, b, p->dtype, p->m, p->k);
    cuc_tensor y = p->transposed_b ? matrix(g, a, p->dtype, p->n, p->k)
                                   : matrix(g, a, p->dtype, p->k, p->n);
    cuc_tensor z = matrix(g, d, p->out_dtype, p->m, p->n);
    cuc_tensor w = matrix(g, extra, p->out_dtype, p->m, p->n);
    cuc_arg plain[] = { CUC_ARG(&x), CUC_ARG(&y), CUC_ARG(&z) };
    cuc_arg after[] = { CUC_ARG(&x), CUC_ARG(&y),   CUC_ARG(&w),
                        CUC_ARG(&z), CUC_ARG(1.0f), CUC_ARG(1.0f) };

    if (p->after == BENCH_BIAS_GELU)
        w = (cuc_tensor){ .data = extra,
                          .dtype = p->out_dtype,
                          .rank = 1,
                          .device = g->device,
                          .shape = { p->n },
                          .strides = { 1 } };
    return p->after ? cuc_launch(stream, NULL, g->kernel, after, p->after == BENCH_RESIDUAL ? 6 : 4)
                    : cuc_launch(stream, NULL, g->kernel, plain, 3);
}

void bench_tile_gemm_figures(const bench_tile_gemm *g, cuc_bench_figure out[3])
{
    out[0] = (cuc_bench_figure){ "tile_rows", (double)g->rows };
    out[1] = (cuc_bench_figure){ "tile_columns", (double)g->columns };
    out[2] = (cuc_bench_figure){ "tiles", (double)g->tiles };
}
