// Products of matrices by a tile program, against cuBLASLt with the fastest of the algorithms that
// it proposes. Square, skinny and odd shapes.
#include "cublaslt.h"
#include "gemm_tile.h"
#include "peers.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_CHECKED = 4, MOST_SIMULATED = 1 << 20 };

typedef struct gemm {
    bench_product product;
    bench_lt *lt;
    bench_tile_gemm *tile;
    cuc_bench_input *a, *b, *d;
} gemm;

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    const gemm *g = data;

    return bench_lt_run(g->lt, stream, cuc_bench_input_ptr(g->a, set),
                        cuc_bench_input_ptr(g->b, set), cuc_bench_input_ptr(g->d, set));
}

static cuc_status run_tile(void *data, cuc_stream *stream, uint64_t set)
{
    const gemm *g = data;

    return bench_tile_gemm_run(g->tile, stream, cuc_bench_input_ptr(g->a, set),
                               cuc_bench_input_ptr(g->b, set), cuc_bench_input_ptr(g->d, set));
}

// ---- The check: some rows of the product in double precision

typedef struct rows {
    int64_t at[ROWS_CHECKED]; // which ones
    double *a;                // [ROWS_CHECKED][k]
    double *sums, *sizes;     // [ROWS_CHECKED][n] the product, and that of the absolute values
} rows;

static void *element(const void *array, uint32_t bits, int64_t index)
{
    return (char *)(uintptr_t)array + (size_t)index * (bits / 8);
}

// Add what element (k, n) of b does to each row, for `count` of them along one direction.
static void add_line(rows *r, const gemm *g, const double *line, int64_t count, int64_t k,
                     int64_t n, bool along_k)
{
    for (int row = 0; row < ROWS_CHECKED; row++) {
        const double *a = r->a + row * g->product.k + k;
        double *sums = r->sums + row * g->product.n + n, *sizes = r->sizes + row * g->product.n + n;
        for (int64_t i = 0; i < count; i++) {
            double one = line[i] * (along_k ? a[i] : a[0]);
            int64_t to = along_k ? 0 : i;
            sums[to] += one;
            sizes[to] += fabs(one);
        }
    }
}

// Goes through b in the order in which it lies.
static void multiply(rows *r, const gemm *g, const void *a, const void *b, double *line)
{
    const bench_product *p = &g->product;
    bench_reader *read = bench_reader_of(p->dtype);
    uint32_t bits = cuc_dtype_bits(p->dtype);
    bool along_k = !p->transposed_b;
    int64_t lines = along_k ? p->n : p->k, length = along_k ? p->k : p->n;

    for (int row = 0; row < ROWS_CHECKED; row++)
        read(r->a + row * p->k, element(a, bits, p->transposed_a ? r->at[row] * p->k : r->at[row]),
             (size_t)p->k, p->transposed_a ? 1 : (size_t)p->m);
    for (int64_t i = 0; i < lines; i++) {
        read(line, element(b, bits, i * length), (size_t)length, 1);
        add_line(r, g, line, length, along_k ? 0 : i, along_k ? i : 0, along_k);
    }
}

// Sums of products that are exact are rounded as f32 does, in any order, and the result once more.
// Parts of a sum, which grow with the root of its length, may be rounded to the type of the result
// when they are put together; of 8-bit floats Hopper keeps fewer bits of the sums.
static double allowed(const bench_product *p, double sum, double size)
{
    double of_sums = p->dtype == CUC_E4M3 ? 0x1p-10 : 0x1p-16;

    return bench_epsilon(p->out_dtype) * (2 * fabs(sum) + sqrt((double)p->k) / 2) + of_sums * size +
           0x1p-24;
}

static cuc_status compare(const rows *r, const gemm *g, const void *d, char *why, size_t why_size)
{
    const bench_product *p = &g->product;
    bench_reader *read = bench_reader_of(p->out_dtype);
    uint32_t bits = cuc_dtype_bits(p->out_dtype);

    for (int row = 0; row < ROWS_CHECKED; row++)
        for (int64_t n = 0; n < p->n; n++) {
            double got, expected = r->sums[row * p->n + n];
            read(&got, element(d, bits, r->at[row] + n * p->m), 1, 1);
            if (fabs(got - expected) <= allowed(p, expected, r->sizes[row * p->n + n]))
                continue;
            snprintf(why, why_size, "row %lld, column %lld is %g, expected %g",
                     (long long)r->at[row], (long long)n, got, expected);
            return 1;
        }
    return CUC_OK;
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const gemm *g = data;
    const bench_product *p = &g->product;
    int64_t longest = p->k > p->n ? p->k : p->n;
    double *room = calloc((size_t)(ROWS_CHECKED * (p->k + 2 * p->n) + longest), sizeof(*room));
    void *a = bench_read_input(g->a), *b = bench_read_input(g->b), *d = bench_read_input(g->d);
    cuc_status st = !room         ? bench_no_memory("a reference")
                    : a && b && d ? CUC_OK
                                  : cuc_error_status();

    (void)stream;
    if (st >= 0) {
        rows r = { .at = { 0, p->m / 3, p->m / 2, p->m - 1 } };
        r.a = room;
        r.sums = r.a + ROWS_CHECKED * p->k;
        r.sizes = r.sums + ROWS_CHECKED * p->n;
        multiply(&r, g, a, b, r.sizes + ROWS_CHECKED * p->n);
        st = compare(&r, g, d, why, why_size);
    }
    free(d);
    free(b);
    free(a);
    free(room);
    return st;
}

// ---- Points

// "4096x16x8192" as m, n and k; or n alone for all three.
static bool read_shape(bench_product *p, const char *text)
{
    long long m, n, k;
    char end;
    int count = sscanf(text, "%lldx%lldx%lld%c", &m, &n, &k, &end);

    if (count != 1 && count != 3)
        return false;
    p->m = m;
    p->n = count == 1 ? m : n;
    p->k = count == 1 ? m : k;
    return p->m > 0 && p->n > 0 && p->k > 0 && p->m < 1 << 20 && p->n < 1 << 20 && p->k < 1 << 20;
}

static cuc_status read_point(bench_product *p, cuc_bench_state *state)
{
    const char *shape = cuc_bench_state_text(state, "shape");
    const char *layout = cuc_bench_state_text(state, "layout");

    if (!read_shape(p, shape))
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "shape is %s: MxNxK is expected, each below 2^20", shape);
    if (strlen(layout) != 2 || strspn(layout, "nt") != 2)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "layout is %s: nn, nt, tn and tt are known",
                          layout);
    p->transposed_a = layout[0] == 't';
    p->transposed_b = layout[1] == 't';
    p->dtype = cuc_bench_state_dtype(state, "dtype");
    p->out_dtype = p->dtype == CUC_E4M3 ? CUC_BF16 : p->dtype == CUC_TF32 ? CUC_F32 : p->dtype;
    return bench_reader_of(p->dtype) ? CUC_OK : cuc_error_status();
}

static cuc_status make_matrices(gemm *g, cuc_bench_state *state)
{
    const bench_product *p = &g->product;

    if (!(g->a = bench_input(state, p->dtype, (uint64_t)(p->m * p->k), CUC_BENCH_UNIFORM, 0)) ||
        !(g->b = bench_input(state, p->dtype, (uint64_t)(p->k * p->n), CUC_BENCH_UNIFORM, 0)) ||
        !(g->d = bench_input(state, p->out_dtype, (uint64_t)(p->m * p->n), CUC_BENCH_ZEROS, 0)))
        return cuc_error_status();
    return CUC_OK;
}

static cuc_status set_work(cuc_bench_state *state, const bench_product *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;

    work.flop = 2 * m * n * k;
    work.bytes = (m * k + k * n) * cuc_dtype_bits(p->dtype) / 8 +
                 m * n * cuc_dtype_bits(p->out_dtype) / 8;
    work.peak = cuc_dtype_name(p->dtype);
    return cuc_bench_state_set_work(state, &work);
}

static const char *const gemm_peers[] = { "torch", NULL };

static cuc_status add_peers(cuc_bench_state *state, const bench_product *p)
{
    return bench_peers_add(state, gemm_peers, CUC_BENCH_COLD, "gemm", "matmul",
                           json_pack("{s:I, s:I, s:I, s:s, s:s}", "m", (json_int_t)p->m, "n",
                                     (json_int_t)p->n, "k", (json_int_t)p->k, "dtype",
                                     cuc_dtype_name(p->dtype), "layout",
                                     cuc_bench_state_text(state, "layout")));
}

// The same matrices, and a result of its own.
static cuc_status add_tile(cuc_bench_state *state, const gemm *lt, const bench_tile_how *how)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_figure figures[3];
    const bench_product *p = &lt->product;
    char why[512];
    gemm *g = bench_allocate(state, sizeof(*g));
    cuc_status st;

    if (!g)
        return cuc_error_status();
    *g = *lt;
    if ((st = bench_tile_gemm_create(&g->tile, state, p, how, why, sizeof(why))) < 0)
        return bench_failed_subject(state, how->name, 0);
    if (!g->tile)
        return cuc_bench_state_skip_subject(state, how->name, why);
    if (!(g->d = bench_input(state, p->out_dtype, (uint64_t)(p->m * p->n), CUC_BENCH_ZEROS, 0)))
        return cuc_error_status();
    bench_tile_gemm_figures(g->tile, figures);
    subject.name = how->name;
    subject.data = g;
    subject.run = run_tile;
    subject.check = check;
    subject.figures = figures;
    subject.figure_count = BENCH_LENGTH(figures);
    return cuc_bench_state_add_subject(state, &subject);
}

static cuc_status add_cublaslt(cuc_bench_state *state, gemm *g)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_figure figures[3];
    char why[512];
    cuc_status st;

    if ((st = bench_lt_create(&g->lt, &g->product, why, sizeof(why))) < 0)
        return st;
    if (!g->lt)
        return cuc_bench_state_skip_subject(state, "cublaslt", why);
    if ((st = cuc_bench_state_defer(state, bench_lt_release, g->lt)) < 0 ||
        (st = bench_lt_choose(g->lt, cuc_bench_state_stream(state), cuc_bench_input_ptr(g->a, 0),
                              cuc_bench_input_ptr(g->b, 0), cuc_bench_input_ptr(g->d, 0))) < 0)
        return st;
    bench_lt_figures(g->lt, figures);
    subject.name = "cublaslt";
    subject.data = g;
    subject.run = run;
    subject.check = check;
    subject.flags = CUC_BENCH_PEER;
    subject.figures = figures;
    subject.figure_count = BENCH_LENGTH(figures);
    return cuc_bench_state_add_subject(state, &subject);
}

static const bench_tile_how ways[] = {
    { .name = "tile" },
    { .name = "tile_cluster", .cluster = 2 },
    { .name = "tile_sm_80", .arch = "sm_80" },
    // Two blocks a multiprocessor, each warp with 64 x 64.
    { .name = "tile_sm_80_small",
      .arch = "sm_80",
      .warps = 4,
      .rows = 128,
      .columns = 128,
      .depth_bytes = 64 },
};

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    gemm *g = bench_allocate(state, sizeof(*g));
    cuc_status st;

    (void)data;
    if (!g)
        return cuc_error_status();
    if ((st = read_point(&g->product, state)) < 0)
        return st;
    const bench_product *p = &g->product;
    if (cuc_driver_is_simulated() && p->m * p->n * p->k > MOST_SIMULATED)
        return cuc_bench_state_skip(state,
                                    "simulated: 2^20 products are the most that is measured");
    // cuBLASLt goes by the thread's current context.
    if ((st = cuc_device_set_current(cuc_bench_state_device(state), NULL)) < 0 ||
        (st = make_matrices(g, state)) < 0 || (st = set_work(state, p)) < 0 ||
        (st = add_cublaslt(state, g)) < 0)
        return st;
    for (size_t i = 0; i < BENCH_LENGTH(ways); i++)
        if ((st = add_tile(state, g, &ways[i])) < 0)
            return st;
    return add_peers(state, p);
}

#define DTYPES BENCH_AXIS("dtype", DTYPE, "f16,bf16,tf32,e4m3", "f16,e4m3")

static const cuc_bench_axis square_axes[] = {
    BENCH_AXIS("shape", STRING, "512,1024,2048,4096,8192", "1024"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "nn,nt,tn", "tn"),
};
static const cuc_bench_axis skinny_axes[] = {
    BENCH_AXIS("shape", STRING, "8192x16x8192,8192x128x8192,16x8192x8192,8192x8192x64",
               "8192x16x8192"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "tn", NULL),
};
static const cuc_bench_axis odd_axes[] = {
    BENCH_AXIS("shape", STRING, "1000x1000x1000,3072x1536x5120,4095x4095x4095", "1000x1000x1000"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "nn,tn", "tn"),
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "gemm", .name = "square", .about = "n x n x n, as cuBLASLt does it best",
               BENCH_AXES(square_axes), .setup = set_up, .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
    BENCH_CASE(.suite = "gemm", .name = "skinny", .about = "m x n x k with one of them small",
               BENCH_AXES(skinny_axes), .setup = set_up, .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
    BENCH_CASE(.suite = "gemm", .name = "odd", .about = "no powers of two", BENCH_AXES(odd_axes),
               .setup = set_up, .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
};

const bench_suite bench_gemm_suite = { "gemm", cases, BENCH_LENGTH(cases), NULL };
