// Elementwise kernels at memory speed: vector addition, transpose, activation. Compares tile
// programs with handwritten CUDA C++ and Python.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "peers.h"
#include "point.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t lanes(const bench_point *p)
{
    return 128 / cuc_dtype_bits(p->dtype);
}

static uint32_t blocks(int64_t threads)
{
    return (uint32_t)((threads + 255) / 256);
}

// Compare pieces of a `count`-element array with `one` applied to a and b.
static cuc_status check_pieces(bench_point *p, int64_t count, double (*one)(double a, double b),
                               double relative, double absolute, char *why, size_t why_size)
{
    enum { PIECE = 4096 };
    int64_t pieces = (count + PIECE - 1) / PIECE, k;
    double *x = malloc(3 * PIECE * sizeof(*x));
    cuc_status st = x ? CUC_OK : bench_no_memory("a piece");

    for (int64_t i = 0; st == CUC_OK && (k = bench_sampled(i, pieces)) >= 0; i++) {
        int64_t first = k * PIECE, n = count - first < PIECE ? count - first : PIECE;
        for (int a = 0; a < 3 && st >= 0; a++)
            if (!bench_get(p, x + a * PIECE, &p->arrays[a], first, n, 1, n))
                st = p->status;
        if (st < 0)
            break;
        for (int64_t j = 0; j < n; j++)
            x[j] = one(x[j], x[PIECE + j]);
        st = bench_near(x + 2 * PIECE, x, n, relative, absolute, "element", first, why, why_size);
    }
    free(x);
    return st;
}

// ---- c = a + b

static double add_one(double a, double b)
{
    return a + b;
}

// Allow the error of a single rounding: the sum of two elements is exact in double precision.
static cuc_status check_vadd(bench_point *p, char *why, size_t why_size)
{
    return check_pieces(p, p->columns, add_one, bench_epsilon(p->dtype) * 0.5, 0x1p-25, why,
                        why_size);
}

static const char *const peers[] = { "torch", "triton", NULL };

static cuc_status add_peers(bench_point *p, const char *name)
{
    cuc_status st = bench_point_done(p);

    return st < 0 ? st
                  : bench_peers_add(p->state, peers, CUC_BENCH_COLD, "elementwise", name,
                                    json_pack("{s:s, s:I, s:I}", "dtype", cuc_dtype_name(p->dtype),
                                              "rows", (json_int_t)p->rows, "columns",
                                              (json_int_t)p->columns));
}

// Run the tile program and, as the peer, vectorized CUDA C++ on the same arrays.
static void add_kernels(bench_point *p, const char *file, const char *source, const char *kernel,
                        double limit)
{
    int64_t vectors = p->rows * p->columns / lanes(p);
    bench_array *a = p->arrays;

    bench_point_kernel(
        p, &(bench_kernel_spec){
               .name = "tile",
               .file = file,
               .source = source,
               .kernel = kernel,
               .arguments = { BENCH_TENSOR(a), BENCH_TENSOR(a + 1), BENCH_TENSOR(a + 2) },
               .limit = limit,
           });
    if (p->rows * p->columns % lanes(p)) {
        bench_point_skip(p, "cuda", "it takes whole vectors of 16 bytes");
        return;
    }
    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "cuda",
                              .file = "elementwise.cu",
                              .source = elementwise_cu,
                              .kernel = kernel,
                              .grid = { blocks(vectors) },
                              .block = { 256 },
                              .arguments = { BENCH_TENSOR(a), BENCH_TENSOR(a + 1),
                                             BENCH_TENSOR(a + 2), BENCH_I64(vectors) },
                              .flags = CUC_BENCH_PEER,
                          });
}

static cuc_status set_up_vadd(cuc_bench_state *state, void *data)
{
    int64_t n = cuc_bench_state_int(state, "n");
    bench_point *p;
    cuc_status st = bench_point_make(&p, state, 1, n, check_vadd);

    (void)data;
    if (st < 0 || !p)
        return st;
    (void)bench_point_read(p, p->dtype, BENCH_SHAPE(n));
    (void)bench_point_read(p, p->dtype, BENCH_SHAPE(n));
    (void)bench_point_written(p, p->dtype, BENCH_SHAPE(n));
    add_kernels(p, "vadd.tile", vadd_tile, "vadd", n >= 1 << 28 ? 1 / 0.99 : 0);
    return add_peers(p, "vadd");
}

// ---- y = silu(gate) * up

static double swiglu_one(double gate, double up)
{
    return gate / (1 + exp(-gate)) * up;
}

static cuc_status check_swiglu(bench_point *p, char *why, size_t why_size)
{
    return check_pieces(p, p->rows * p->columns, swiglu_one, bench_epsilon(p->dtype) + 0x1p-18,
                        0x1p-24, why, why_size);
}

static cuc_status set_up_swiglu(cuc_bench_state *state, void *data)
{
    int64_t rows, columns;
    bench_point *p;
    cuc_status st = bench_shape(&rows, &columns, state);

    (void)data;
    if (st < 0 || (st = bench_point_make(&p, state, rows, columns, check_swiglu)) < 0 || !p)
        return st;
    (void)bench_point_read(p, p->dtype, BENCH_SHAPE(rows, columns));
    (void)bench_point_read(p, p->dtype, BENCH_SHAPE(rows, columns));
    (void)bench_point_written(p, p->dtype, BENCH_SHAPE(rows, columns));
    add_kernels(p, "activations.tile", activations_tile, "swiglu", 0);
    return add_peers(p, "swiglu");
}

// ---- y[n, m] = x[m, n]

// Compare rows of y with columns of x.
static cuc_status check_transpose(bench_point *p, char *why, size_t why_size)
{
    int64_t m = p->rows, n = p->columns, row;
    double *x = malloc(2 * (size_t)m * sizeof(*x));
    cuc_status st = x ? CUC_OK : bench_no_memory("a row");

    for (int64_t i = 0; st == CUC_OK && (row = bench_sampled(i, n)) >= 0; i++) {
        char what[64];
        snprintf(what, sizeof(what), "row %lld, column", (long long)row);
        if (bench_get(p, x, &p->arrays[0], row, 1, m, n) &&
            bench_get(p, x + m, &p->arrays[1], row * m, m, 1, m))
            st = bench_near(x + m, x, m, 0, 0, what, 0, why, why_size);
        else
            st = p->status;
    }
    free(x);
    return st;
}

static cuc_status set_up_transpose(cuc_bench_state *state, void *data)
{
    int64_t m, n;
    bench_point *p;
    cuc_status st = bench_shape(&m, &n, state);

    (void)data;
    if (st < 0 || (st = bench_point_make(&p, state, m, n, check_transpose)) < 0 || !p)
        return st;
    bench_array *x = bench_point_read(p, p->dtype, BENCH_SHAPE(m, n));
    bench_array *y = bench_point_written(p, p->dtype, BENCH_SHAPE(n, m));
    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "tile",
                              .file = "transpose.tile",
                              .source = transpose_tile,
                              .kernel = "transpose",
                              .arguments = { BENCH_TENSOR(x), BENCH_TENSOR(y) },
                              .limit = p->bytes >= 256 << 20 ? 1 / 0.9 : 0,
                          });
    bench_point_kernel(
        p, &(bench_kernel_spec){
               .name = "cuda",
               .file = "elementwise.cu",
               .source = elementwise_cu,
               .kernel = "transpose",
               .grid = { (uint32_t)((n + 63) / 64), (uint32_t)((m + 63) / 64) },
               .block = { 256 },
               .arguments = { BENCH_TENSOR(x), BENCH_TENSOR(y), BENCH_I32(m), BENCH_I32(n) },
           });
    bench_point_copy(p, CUC_BENCH_PEER);
    return add_peers(p, "transpose");
}

// ---- The cases

#define DTYPES(all, quick) BENCH_AXIS("dtype", DTYPE, all, quick)

static const cuc_bench_axis vadd_axes[] = {
    BENCH_AXIS("n", POW2, "20,24,28", "14"),
    DTYPES("f32,f16,bf16", NULL),
    BENCH_TILE_AXIS,
};
static const cuc_bench_axis transpose_axes[] = {
    BENCH_AXIS("shape", STRING, "4096x4096,16384x16384", "96x80"),
    DTYPES("f32,bf16", NULL),
    BENCH_TILE_AXIS,
};
static const cuc_bench_axis swiglu_axes[] = {
    BENCH_AXIS("shape", STRING, "8192x4096,8192x14336", "24x256"),
    DTYPES("f32,bf16", NULL),
    BENCH_TILE_AXIS,
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "elementwise", .name = "vadd", .about = "c = a + b", BENCH_AXES(vadd_axes),
               .setup = set_up_vadd, .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "elementwise", .name = "transpose", .about = "y[n, m] = x[m, n]",
               BENCH_AXES(transpose_axes), .setup = set_up_transpose, .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "elementwise", .name = "swiglu", .about = "y = silu(gate) * up",
               BENCH_AXES(swiglu_axes), .setup = set_up_swiglu, .modes = CUC_BENCH_COLD),
};

const bench_suite bench_elementwise_suite = { "elementwise", cases, CUC_LENGTH(cases), NULL, NULL };
