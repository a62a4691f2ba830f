// See gemm_tile.h. A product in the words of BLAS is, of its matrices transposed and exchanged, one
// whose rows lie one behind the other.
#include "gemm_tile.h"

#include "bench_case_kernels.h"

#include <cucore/device.h>
#include <cucore/launch.h>
#include <cucore/program.h>
#include <cucore/tensor.h>

#include <stdio.h>

struct bench_tile_gemm {
    cuc_kernel *kernel;
    bench_product product; // m x n of its result as the kernel has it
    int64_t rows, columns, tiles;
    int32_t device;
};

static int64_t blocks(int64_t extent, int64_t tile)
{
    return (extent + tile - 1) / tile;
}

// The tile with the least work of the block that has most; of equals the first, which reads least.
static void choose(bench_tile_gemm *g, int64_t multiprocessors)
{
    static const int64_t shapes[][2] = { { 128, 256 }, { 256, 128 }, { 128, 128 }, { 128, 64 },
                                         { 64, 256 },  { 64, 128 },  { 64, 64 } };
    double least = 0;

    for (size_t i = 0; i < BENCH_LENGTH(shapes); i++) {
        int64_t rows = shapes[i][0], columns = shapes[i][1];
        int64_t tiles = blocks(g->product.m, rows) * blocks(g->product.n, columns);
        double area = (double)(rows * columns);
        if (g->product.dtype == CUC_E4M3 && area > 128 * 128) // sums take registers twice
            continue;
        // Small tiles read more for each product.
        double work = (double)blocks(tiles, multiprocessors) *
                      (area + 40.0 * (double)(rows + columns));
        if (g->tiles && work >= least)
            continue;
        least = work;
        g->rows = rows;
        g->columns = columns;
        g->tiles = tiles;
    }
}

static cuc_status compile(bench_tile_gemm *g, const bench_tile_how *how)
{
    char words[5][16], name[8];
    const char *const constants[] = { words[0], words[1], words[2], words[3], words[4] };
    const bench_product *p = &g->product;
    cuc_program *program;
    cuc_object *object;

    snprintf(words[0], sizeof(words[0]), "T=%s", cuc_dtype_name(p->dtype));
    snprintf(words[1], sizeof(words[1]), "D=%s", cuc_dtype_name(p->out_dtype));
    snprintf(words[2], sizeof(words[2]), "BM=%d", (int)g->rows);
    snprintf(words[3], sizeof(words[3]), "BN=%d", (int)g->columns);
    snprintf(words[4], sizeof(words[4]), "BK=%u",
             (how->depth_bytes ? how->depth_bytes : 128) * 8 / cuc_dtype_bits(p->dtype));
    snprintf(name, sizeof(name), "gemm_%c%c", p->transposed_a ? 't' : 'n',
             p->transposed_b ? 't' : 'n');
    cuc_status st = cuc_program_create(
        &program, CUC_SOURCE_TILE, gemm_tile, 0,
        CUC_PROGRAM_OPTIONS(.name = "gemm.tile", .constants = constants,
                            .constant_count = BENCH_LENGTH(constants), .arch = how->arch,
                            .cluster = how->cluster, .warps = how->warps));
    if (st < 0)
        return st;
    // The driver assembles a program as a whole, and gives registers from role to role.
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
                                  .transposed_b = product->transposed_a };
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
    if ((st = compile(g, how)) < 0 ||
        (st = cuc_bench_state_defer(state, bench_drop_kernel, g->kernel)) < 0)
        return st;
    *out = g;
    return CUC_OK;
}

static cuc_tensor matrix(const bench_tile_gemm *g, cuc_device_ptr at, cuc_dtype dtype, int64_t rows,
                         int64_t columns)
{
    return (cuc_tensor){ .data = at,
                         .dtype = dtype,
                         .rank = 2,
                         .device = g->device,
                         .shape = { rows, columns },
                         .strides = { columns, 1 } };
}

cuc_status bench_tile_gemm_run(const bench_tile_gemm *g, cuc_stream *stream, cuc_device_ptr a,
                               cuc_device_ptr b, cuc_device_ptr d)
{
    const bench_product *p = &g->product;
    // What BLAS calls a is the second here.
    cuc_tensor x = p->transposed_a ? matrix(g, b, p->dtype, p->k, p->m)
                                   : matrix(g, b, p->dtype, p->m, p->k);
    cuc_tensor y = p->transposed_b ? matrix(g, a, p->dtype, p->n, p->k)
                                   : matrix(g, a, p->dtype, p->k, p->n);
    cuc_tensor z = matrix(g, d, p->out_dtype, p->m, p->n);
    cuc_arg args[] = { CUC_ARG(&x), CUC_ARG(&y), CUC_ARG(&z) };

    return cuc_launch(stream, NULL, g->kernel, args, 3);
}

void bench_tile_gemm_figures(const bench_tile_gemm *g, cuc_bench_figure out[3])
{
    out[0] = (cuc_bench_figure){ "tile_rows", (double)g->rows };
    out[1] = (cuc_bench_figure){ "tile_columns", (double)g->columns };
    out[2] = (cuc_bench_figure){ "tiles", (double)g->tiles };
}
