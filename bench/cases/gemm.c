// Matrix products with cuc_gemm() and as tile programs, compared with the fastest algorithm that
// cuBLASLt proposes: square, wide, skinny, odd and random shapes, batches, and epilogues.
#include "base/array.h"
#include "draw.h"
#include "gemm_check.h"
#include "gemm_grouped.h"
#include "gemm_plan.h"
#include "gemm_tile.h"
#include "peers.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>
#include <cucore/system.h>

#include <stdio.h>
#include <string.h>

enum { MOST_SIMULATED = 1 << 20 };

typedef struct gemm {
    bench_product product;
    bench_lt *lt;
    bench_tile_gemm *tile;
    bench_plan_gemm *plan;
    uint32_t modes; // of the subjects; 0: the case's modes
    cuc_bench_input *a, *b, *d, *extra;
    bench_product_reference *reference;
} gemm;

// Return the address of the epilogue operand; 0 if there is no epilogue.
static cuc_device_ptr extra_of(const gemm *g, uint64_t set)
{
    return g->extra ? cuc_bench_input_ptr(g->extra, set) : 0;
}

// Addresses of the matrices in one input set.
typedef struct matrices {
    cuc_device_ptr a, b, d;
} matrices;

static matrices matrices_of(const gemm *g, uint64_t set)
{
    uint64_t skipped = (uint64_t)g->product.skipped;
    uint64_t of_operand = skipped * cuc_dtype_bits(g->product.dtype) / 8;

    return (matrices){ cuc_bench_input_ptr(g->a, set) + of_operand,
                       cuc_bench_input_ptr(g->b, set) + of_operand,
                       cuc_bench_input_ptr(g->d, set) +
                           skipped * cuc_dtype_bits(g->product.out_dtype) / 8 };
}

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    const gemm *g = data;
    matrices x = matrices_of(g, set);

    return bench_lt_run(g->lt, stream, x.a, x.b, x.d, extra_of(g, set));
}

static cuc_status run_tile(void *data, cuc_stream *stream, uint64_t set)
{
    const gemm *g = data;
    matrices x = matrices_of(g, set);

    return bench_tile_gemm_run(g->tile, stream, x.a, x.b, x.d, extra_of(g, set));
}

static cuc_status run_plan(void *data, cuc_stream *stream, uint64_t set)
{
    const gemm *g = data;
    matrices x = matrices_of(g, set);

    return bench_plan_gemm_run(g->plan, stream, x.a, x.b, x.d, extra_of(g, set));
}

// ---- The check

// Poison the result and run again, because cuBLASLt's algorithms wrote to it when they were timed.
static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const gemm *g = data;
    cuc_status st = bench_product_poison(g->d, stream);

    if (st >= 0 && (st = (g->tile ? run_tile : g->plan ? run_plan : run)(data, stream, 0)) >= 0)
        st = cuc_stream_synchronize(stream);
    return st < 0 ? st : bench_product_check(g->reference, g->d, why, why_size);
}

// ---- Points

// Parse "4096x16x8192" as m, n and k, or one number for all three.
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

static cuc_status read_texts(bench_product *p, const char *shape, const char *layout,
                             cuc_dtype dtype)
{

    if (!read_shape(p, shape))
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "shape is %s: MxNxK is expected, each below 2^20", shape);
    if (strlen(layout) != 2 || strspn(layout, "nt") != 2)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "layout is %s: nn, nt, tn and tt are known",
                          layout);
    p->transposed_a = layout[0] == 't';
    p->transposed_b = layout[1] == 't';
    p->dtype = dtype;
    p->out_dtype = p->dtype == CUC_E4M3   ? CUC_BF16
                   : p->dtype == CUC_TF32 ? CUC_F32
                   : p->dtype == CUC_I8   ? CUC_I32
                                          : p->dtype;
    return bench_reader_of(p->dtype) ? CUC_OK : cuc_error_status();
}

// Parse a drawn case's point, which is one string: "bf16.nt.4096x16x8192". A suffix such as ".a4"
// puts each matrix 4 bytes past an aligned address.
static cuc_status read_drawn(bench_product *p, const char *text)
{
    char dtype[8], layout[3], shape[64];
    long long bytes = 0;
    int count = sscanf(text, "%7[^.].%2[^.].%63[^.].a%lld", dtype, layout, shape, &bytes);
    cuc_dtype type = count < 3 ? CUC_DTYPE_UNKNOWN : cuc_dtype_from_name(dtype);
    int size = (int)cuc_dtype_bits(type) / 8;

    if (type == CUC_DTYPE_UNKNOWN || bytes < 0 || bytes > 4096 || bytes % size)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "point is %s: DTYPE.LAYOUT.MxNxK is expected, as in bf16.nt.64x8x32, and "
                          "perhaps .aBYTES, of whole elements",
                          text);
    p->skipped = bytes / size;
    return read_texts(p, shape, layout, type);
}

static cuc_status read_point(bench_product *p, cuc_bench_state *state, bool drawn)
{
    return drawn ? read_drawn(p, cuc_bench_state_text(state, "point"))
                 : read_texts(p, cuc_bench_state_text(state, "shape"),
                              cuc_bench_state_text(state, "layout"),
                              cuc_bench_state_dtype(state, "dtype"));
}

static cuc_status make_matrices(gemm *g, cuc_bench_state *state)
{
    const bench_product *p = &g->product;
    int64_t batch = p->batch > 1 ? p->batch : 1, extra = bench_product_extra(p);
    int64_t more = p->skipped;

    if (!(g->a = bench_input(state, p->dtype, (uint64_t)(batch * p->m * p->k + more),
                             CUC_BENCH_UNIFORM, 0)) ||
        !(g->b = bench_input(state, p->dtype, (uint64_t)(batch * p->k * p->n + more),
                             CUC_BENCH_UNIFORM, 0)) ||
        !(g->d = bench_input(state, p->out_dtype, (uint64_t)(batch * p->m * p->n + more),
                             CUC_BENCH_ZEROS, 0)) ||
        (extra &&
         !(g->extra = bench_input(state, p->out_dtype, (uint64_t)extra, CUC_BENCH_UNIFORM, 0))) ||
        !(g->reference = bench_product_reference_create(state, p, g->a, g->b, g->extra)))
        return cuc_error_status();
    return CUC_OK;
}

static cuc_status set_work(gemm *g, cuc_bench_state *state, bool drawn)
{
    const bench_product *p = &g->product;
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    double batch = p->batch > 1 ? (double)p->batch : 1, extra = (double)bench_product_extra(p);
    cuc_bench_work work = CUC_BENCH_WORK_INIT;

    work.flop = 2 * m * n * k * batch;
    work.bytes = (m * k + k * n) * batch * cuc_dtype_bits(p->dtype) / 8 +
                 (m * n * batch + extra) * cuc_dtype_bits(p->out_dtype) / 8;
    work.peak = cuc_dtype_name(p->dtype);
    g->modes = drawn ? bench_draw_mode(work.flop, work.bytes) : 0;
    return cuc_bench_state_set_work(state, &work);
}

static const char *const after_names[] = { "nothing", "bias_gelu", "residual", "silu" };

// Like the sm_80 code, triton_plain does not use TMA.
static const char *const gemm_peers[] = { "torch", "triton", "triton_plain", NULL };

static cuc_status add_peers(cuc_bench_state *state, const bench_product *p)
{
    return bench_peers_add(state, gemm_peers, CUC_BENCH_COLD, "gemm", "matmul",
                           json_pack("{s:I, s:I, s:I, s:I, s:s, s:s, s:s}", "m", (json_int_t)p->m,
                                     "n", (json_int_t)p->n, "k", (json_int_t)p->k, "batch",
                                     (json_int_t)(p->batch > 1 ? p->batch : 1), "after",
                                     after_names[p->after], "dtype", cuc_dtype_name(p->dtype),
                                     "layout", cuc_bench_state_text(state, "layout")));
}

// Create a subject that shares the matrices but has its own result.
static gemm *make_another(cuc_bench_state *state, const gemm *lt)
{
    const bench_product *p = &lt->product;
    gemm *g = bench_allocate(state, sizeof(*g));

    if (!g)
        return NULL;
    *g = *lt;
    g->d = bench_input(state, p->out_dtype,
                       (uint64_t)(p->m * p->n * (p->batch > 1 ? p->batch : 1) + p->skipped),
                       CUC_BENCH_ZEROS, 0);
    return g->d ? g : NULL;
}

static cuc_status add_subject(cuc_bench_state *state, gemm *g, const char *name,
                              cuc_status (*run_it)(void *data, cuc_stream *stream, uint64_t set),
                              const cuc_bench_figure *figures, size_t count)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;

    subject.name = name;
    subject.data = g;
    subject.run = run_it;
    subject.check = check;
    subject.modes = g->modes;
    subject.figures = figures;
    subject.figure_count = count;
    return cuc_bench_state_add_subject(state, &subject);
}

static cuc_status add_tile(cuc_bench_state *state, const gemm *lt, const bench_tile_how *how)
{
    bench_tile_gemm *tile = NULL;
    cuc_bench_figure figures[3];
    char why[512];

    if (bench_tile_gemm_create(&tile, state, &lt->product, how, why, sizeof(why)) < 0)
        return bench_failed_subject(state, how->name, 0);
    if (!tile)
        return cuc_bench_state_skip_subject(state, how->name, why);
    gemm *g = make_another(state, lt);
    if (!g)
        return cuc_error_status();
    g->tile = tile;
    bench_tile_gemm_figures(tile, figures);
    return add_subject(state, g, how->name, run_tile, figures, CUC_LENGTH(figures));
}

static cuc_status add_plan(cuc_bench_state *state, const gemm *lt)
{
    bench_plan_gemm *plan = NULL;
    cuc_bench_figure figures[BENCH_PLAN_FIGURES];
    char why[512];

    if (bench_plan_gemm_create(&plan, state, &lt->product, why, sizeof(why)) < 0)
        return bench_failed_subject(state, "cuc_gemm", 0);
    if (!plan)
        return cuc_bench_state_skip_subject(state, "cuc_gemm", why);
    gemm *g = make_another(state, lt);
    if (!g)
        return cuc_error_status();
    g->plan = plan;
    return add_subject(state, g, "cuc_gemm", run_plan, figures,
                       bench_plan_gemm_figures(plan, figures));
}

static cuc_status add_cublaslt(cuc_bench_state *state, gemm *g)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_figure figures[3];
    char why[512];
    cuc_status st;

    if ((st = bench_lt_create(&g->lt, &g->product, why, sizeof(why))) < 0)
        return bench_failed_subject(state, "cublaslt", 0);
    if (!g->lt)
        return cuc_bench_state_skip_subject(state, "cublaslt", why);
    if ((st = cuc_bench_state_defer(state, bench_lt_release, g->lt)) < 0)
        return st;
    matrices x = matrices_of(g, 0);
    if ((st = bench_lt_choose(g->lt, cuc_bench_state_stream(state), x.a, x.b, x.d,
                              extra_of(g, 0))) < 0)
        return bench_failed_subject(state, "cublaslt", 0);
    bench_lt_figures(g->lt, figures);
    subject.name = "cublaslt";
    subject.data = g;
    subject.run = run;
    subject.check = check;
    subject.modes = g->modes;
    subject.flags = CUC_BENCH_PEER;
    subject.figures = figures;
    subject.figure_count = CUC_LENGTH(figures);
    return cuc_bench_state_add_subject(state, &subject);
}

// The same source compiled for an older GPU.
static const bench_tile_how ways[] = {
    { .name = "sm_80", .arch = "sm_80" },
    // Two blocks per multiprocessor, 64 x 64 per warp.
    { .name = "sm_80_small",
      .arch = "sm_80",
      .warps = 4,
      .rows = 128,
      .columns = 128,
      .depth_bytes = 64 },
};

// Add each variant of the axis `tile` as a subject. A / separates variants; a variant is a list of
// tile settings, or cuc_gemm for the library's choice.
static cuc_status add_named_tiles(cuc_bench_state *state, const gemm *g, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = bench_allocate(state, bytes), *rest = NULL, why[256];
    cuc_status st = copy ? CUC_OK : cuc_error_status();

    if (copy)
        memcpy(copy, text, bytes);
    for (char *one = copy ? strtok_r(copy, "/", &rest) : NULL; one && st >= 0;
         one = strtok_r(NULL, "/", &rest)) {
        bench_tile_how how;
        if (strcmp(one, "cuc_gemm") == 0) {
            st = add_plan(state, g);
            continue;
        }
        char *name = bench_allocate(state, strlen(one) + 1);
        if (!name)
            return cuc_error_status();
        strcpy(name, one);
        if (!bench_tile_read_how(&how, one, why, sizeof(why)))
            return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "%s", why);
        how.name = name;
        st = add_tile(state, g, &how);
    }
    return st;
}

// Properties of a case besides its axes.
struct kind {
    bool after, batched, fast, drawn;
};

static cuc_status read_kind(bench_product *p, cuc_bench_state *state, const struct kind *kind)
{
    p->fast_sums = kind->fast;
    if (kind->batched)
        p->batch = cuc_bench_state_int(state, "batch");
    if (!kind->after)
        return CUC_OK;
    const char *name = cuc_bench_state_text(state, "after");
    for (size_t i = 1; i < CUC_LENGTH(after_names); i++)
        if (strcmp(name, after_names[i]) == 0)
            p->after = (enum bench_after)i;
    return p->after ? CUC_OK
                    : bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                                 "after is %s: bias_gelu, residual and silu are known", name);
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    gemm *g = bench_allocate(state, sizeof(*g));
    const struct kind *kind = data;
    cuc_status st;

    if (!g)
        return cuc_error_status();
    if ((st = read_point(&g->product, state, kind->drawn)) < 0 ||
        (st = read_kind(&g->product, state, data)) < 0)
        return st;
    const bench_product *p = &g->product;
    if (cuc_driver_is_simulated() && p->m * p->n * p->k > MOST_SIMULATED)
        return cuc_bench_state_skip(state,
                                    "simulated: 2^20 products are the most that is measured");
    // cuBLASLt uses the thread's current context.
    if ((st = cuc_device_set_current(cuc_bench_state_device(state), NULL)) < 0 ||
        (st = make_matrices(g, state)) < 0 || (st = set_work(g, state, kind->drawn)) < 0 ||
        (st = add_cublaslt(state, g)) < 0)
        return st;
    const char *named = cuc_bench_state_text(state, "tile");
    if (strcmp(named, "default") != 0)
        return add_named_tiles(state, g, named);
    if ((st = add_plan(state, g)) < 0 || kind->drawn)
        return st;
    for (size_t i = 0; i < CUC_LENGTH(ways); i++)
        if ((st = add_tile(state, g, &ways[i])) < 0)
            return st;
    return add_peers(state, p);
}

// Compile settings that replace the suite's (see bench_tile_read_how()); / separates several.
#define TILES BENCH_AXIS("tile", STRING, "default", NULL)
#define DTYPES BENCH_AXIS("dtype", DTYPE, "f16,bf16,tf32,e4m3,i8", "f16,e4m3")

static const cuc_bench_axis square_axes[] = {
    BENCH_AXIS("shape", STRING, "512,1024,2048,4096,8192,16384", "1024"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "nn,nt,tn,tt", "tn"),
    TILES,
};
static const cuc_bench_axis wide_axes[] = {
    BENCH_AXIS("shape", STRING, "4096x12288x2560,14336x4096x4096,1024x8192x8192",
               "4096x12288x2560"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "nn,tn", "tn"),
    TILES,
};
static const cuc_bench_axis skinny_axes[] = {
    BENCH_AXIS("shape", STRING,
               "128x4096x4096,4096x128x4096,16x8192x8192,8192x16x8192,4096x4096x128,256x256x8192",
               "8192x16x8192"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "tn", NULL),
    TILES,
};
static const cuc_bench_axis odd_axes[] = {
    BENCH_AXIS("shape", STRING, "1000x1000x1000,3072x1536x5120,4095x4095x4095", "1000x1000x1000"),
    DTYPES,
    BENCH_AXIS("layout", STRING, "nn,tn", "tn"),
    TILES,
};
static const cuc_bench_axis fast_axes[] = {
    BENCH_AXIS("shape", STRING, "4096,8192", "4096"),
    BENCH_AXIS("dtype", DTYPE, "e4m3", NULL),
    BENCH_AXIS("layout", STRING, "tn", NULL),
    TILES,
};
static const cuc_bench_axis batched_axes[] = {
    BENCH_AXIS("batch", INT, "32", NULL),
    BENCH_AXIS("shape", STRING, "1024,256,128x512x2048", "256"),
    BENCH_AXIS("dtype", DTYPE, "f16,bf16", "bf16"),
    BENCH_AXIS("layout", STRING, "nn,tn", "tn"),
    TILES,
};
static const cuc_bench_axis after_axes[] = {
    BENCH_AXIS("after", STRING, "bias_gelu,residual,silu", NULL),
    BENCH_AXIS("shape", STRING, "8192x8192x4096,4096", "1024"),
    BENCH_AXIS("dtype", DTYPE, "f16,bf16", "bf16"),
    BENCH_AXIS("layout", STRING, "tn", NULL),
    TILES,
};

// Points that were once slow; --random replaces them.
#define POINTS(values, quick) BENCH_AXIS("point", STRING, values, quick)

static const cuc_bench_axis aligned_axes[] = {
    POINTS("bf16.tn.4096x4096x4104,bf16.tn.3912x6648x3128,bf16.tn.3912x6648x3136",
           "bf16.nn.72x40x104,f16.tt.64x128x64"),
    TILES,
};
static const cuc_bench_axis any_axes[] = {
    POINTS("bf16.tn.2074x910x1396,bf16.tn.2429x4445x4117,bf16.tn.4096x4096x4096.a2",
           "f16.nt.70x33x51,bf16.tt.64x32x48.a2"),
    TILES,
};
static const cuc_bench_axis types_axes[] = {
    POINTS("e4m3.tn.4096x4096x4112,tf32.tn.2048x3072x4112,i8.tn.4096x4096x4112",
           "e4m3.tn.64x48x96"),
    TILES,
};

static const cuc_bench_axis grouped_axes[] = {
    BENCH_AXIS("groups", INT, "16", NULL),
    BENCH_AXIS("shape", STRING, "8192x4096x4096,2048x2048x2048", "500x64x32"),
    BENCH_AXIS("dtype", DTYPE, "f16,bf16", "bf16"),
    BENCH_AXIS("layout", STRING, "nn,tn", NULL),
    TILES,
};

static struct kind plain, fast = { .fast = true }, batched = { .batched = true },
                          after = { .after = true }, drawn = { .drawn = true };

#define GEMM_CASE(of, text, has)                                                     \
    BENCH_CASE(.suite = "gemm", .name = #of, .about = (text), BENCH_AXES(of##_axes), \
               .setup = set_up, .data = &(has), .modes = CUC_BENCH_COLD | CUC_BENCH_HOT)

static const cuc_bench_case cases[] = {
    GEMM_CASE(square, "n x n x n, as cuBLASLt does it best", plain),
    GEMM_CASE(wide, "m x n x k as models have them", plain),
    GEMM_CASE(skinny, "m x n x k with one of them small, or the result", plain),
    GEMM_CASE(odd, "no powers of two", plain),
    GEMM_CASE(fast, "8-bit floats, accumulated with fewer bits", fast),
    GEMM_CASE(batched, "many products of one shape", batched),
    GEMM_CASE(after, "with work done on the product before it is stored", after),
    BENCH_CASE(.suite = "gemm", .name = "grouped",
               .about = "groups of rows, ragged, each with a matrix of its own",
               BENCH_AXES(grouped_axes), .setup = bench_grouped_set_up,
               .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
    GEMM_CASE(aligned, "extents that are multiples of 8, at random by --random", drawn),
    GEMM_CASE(any, "any extents and addresses, at random by --random", drawn),
    GEMM_CASE(types, "tf32, e4m3 and i8, multiples of 16, at random by --random", drawn),
};

// ---- Random points: log-uniform extents from 64 to 16384

static void draw(char *out, size_t size, bench_random *r, const char *const *dtypes, int count,
                 bool only_tn, int64_t step)
{
    static const char *const layouts[] = { "nn", "nt", "tn", "tt" };
    int64_t low = cuc_driver_is_simulated() ? 16 : 64;
    int64_t high = cuc_driver_is_simulated() ? 96 : 16384, extents[3];
    const char *dtype = dtypes[bench_random_uniform(r, 0, count - 1)];
    const char *layout = only_tn ? "tn" : BENCH_RANDOM_OF(r, layouts);

    for (int i = 0; i < 3; i++)
        extents[i] = bench_random_multiple(r, low, high, step);
    snprintf(out, size, "%s.%s.%lldx%lldx%lld", dtype, layout, (long long)extents[0],
             (long long)extents[1], (long long)extents[2]);
}

static const char *const halves[] = { "bf16", "f16" }, *const others[] = { "tf32", "e4m3", "i8" };

static void draw_aligned(char *out, size_t size, bench_random *r)
{
    draw(out, size, r, halves, CUC_LENGTH(halves), false, 8);
}

// Draw points where half of the matrices begin at an arbitrary element.
static void draw_any(char *out, size_t size, bench_random *r)
{
    static const int bytes[] = { 0, 0, 0, 2, 4, 8 };
    int skipped;

    draw(out, size, r, halves, CUC_LENGTH(halves), false, 1);
    if ((skipped = BENCH_RANDOM_OF(r, bytes)) != 0)
        snprintf(out + strlen(out), size - strlen(out), ".a%d", skipped);
}

static void draw_types(char *out, size_t size, bench_random *r)
{
    draw(out, size, r, others, CUC_LENGTH(others), true, 16);
}

static const bench_draw draws[] = {
    { "aligned", draw_aligned },
    { "any", draw_any },
    { "types", draw_types },
    { NULL, NULL },
};

const bench_suite bench_gemm_suite = { "gemm", cases, CUC_LENGTH(cases), NULL, draws };
