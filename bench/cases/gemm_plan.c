// See gemm_plan.h. The plan receives BLAS's column-major matrices unchanged.
#include "gemm_plan.h"

#include <cucore/buffer.h>
#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/gemm.h>

#include <stdio.h>

struct bench_plan_gemm {
    cuc_gemm_plan *plan;
    cuc_buffer *workspace; // NULL: the plan needs none
    uint64_t workspace_bytes;
    bench_product product;
    int32_t device;
};

// Equals the workspace limit for cuBLASLt.
static const uint64_t most_workspace = (uint64_t)256 << 20;

static void drop_plan(void *plan)
{
    cuc_gemm_plan_release(plan);
}

static void drop_workspace(void *workspace)
{
    cuc_buffer_release(workspace);
}

static int32_t order_of(bool transposed)
{
    return transposed ? CUC_GEMM_ROW_MAJOR : CUC_GEMM_COLUMN_MAJOR;
}

cuc_status bench_plan_gemm_create(bench_plan_gemm **out, cuc_bench_state *state,
                                  const bench_product *p, char *why, size_t why_size)
{
    bench_plan_gemm *g = bench_allocate(state, sizeof(*g));
    cuc_device *device = cuc_bench_state_device(state);
    cuc_status st;

    *out = NULL;
    if (!g)
        return cuc_error_status();
    g->product = *p;
    g->device = cuc_device_ordinal(device);
    st = cuc_gemm_plan_create(
        &g->plan, device,
        CUC_GEMM_OPTIONS(.form = p->batch > 1 ? CUC_GEMM_BATCHED : CUC_GEMM_SINGLE,
                         .flags = p->fast_sums ? CUC_GEMM_FAST_ACC : 0, .dtype = p->dtype,
                         .d_dtype = p->out_dtype, .a_order = order_of(p->transposed_a),
                         .b_order = order_of(p->transposed_b), .d_order = CUC_GEMM_COLUMN_MAJOR,
                         .activation = p->after == BENCH_BIAS_GELU ? CUC_GEMM_GELU_TANH
                                       : p->after == BENCH_SILU    ? CUC_GEMM_SILU
                                                                   : CUC_GEMM_LINEAR,
                         .bias = p->after == BENCH_BIAS_GELU ? CUC_GEMM_BIAS_ROWS
                                                             : CUC_GEMM_NO_BIAS,
                         .residual_dtype = p->after == BENCH_RESIDUAL ? p->out_dtype : 0, .m = p->m,
                         .n = p->n, .k = p->k, .batch = p->batch, .workspace_bytes = most_workspace,
                         .alignment = (int32_t)bench_product_alignment(p)));
    if (st < 0) {
        snprintf(why, why_size, "%s", cuc_error_message());
        return CUC_OK;
    }
    if ((st = cuc_bench_state_defer(state, drop_plan, g->plan)) < 0)
        return st;
    g->workspace_bytes = cuc_gemm_plan_workspace_bytes(g->plan, p->m, p->n, p->k);
    if (g->workspace_bytes &&
        ((st = cuc_buffer_create(&g->workspace, cuc_bench_state_stream(state), NULL,
                                 g->workspace_bytes)) < 0 ||
         (st = cuc_bench_state_defer(state, drop_workspace, g->workspace)) < 0))
        return st;
    *out = g;
    return CUC_OK;
}

// Describe a row-major or column-major matrix.
static cuc_tensor matrix(const bench_plan_gemm *g, cuc_device_ptr at, cuc_dtype dtype, int64_t rows,
                         int64_t columns, bool by_rows)
{
    cuc_tensor t = { .data = at, .dtype = dtype, .device = g->device };
    int32_t axis = 0;

    if (g->product.batch > 1) {
        t.shape[axis] = g->product.batch;
        t.strides[axis++] = rows * columns;
    }
    t.shape[axis] = rows;
    t.strides[axis++] = by_rows ? columns : 1;
    t.shape[axis] = columns;
    t.strides[axis++] = by_rows ? 1 : rows;
    t.rank = axis;
    return t;
}

cuc_status bench_plan_gemm_run(const bench_plan_gemm *g, cuc_stream *stream, cuc_device_ptr a,
                               cuc_device_ptr b, cuc_device_ptr d, cuc_device_ptr extra)
{
    const bench_product *p = &g->product;
    cuc_tensor x = matrix(g, a, p->dtype, p->m, p->k, p->transposed_a);
    cuc_tensor y = matrix(g, b, p->dtype, p->k, p->n, p->transposed_b);
    cuc_tensor z = matrix(g, d, p->out_dtype, p->m, p->n, false);
    cuc_tensor w = matrix(g, extra, p->out_dtype, p->m, p->n, false);
    cuc_tensor bias = { .data = extra,
                        .dtype = p->out_dtype,
                        .rank = 1,
                        .device = g->device,
                        .shape = { p->m },
                        .strides = { 1 } };
    cuc_gemm_args args = CUC_GEMM_ARGS_INIT;

    args.a = &x;
    args.b = &y;
    args.d = &z;
    args.bias = p->after == BENCH_BIAS_GELU ? &bias : NULL;
    args.residual = p->after == BENCH_RESIDUAL ? &w : NULL;
    if (g->workspace) {
        args.workspace = cuc_buffer_ptr(g->workspace);
        args.workspace_bytes = g->workspace_bytes;
    }
    return p->batch > 1 ? cuc_gemm_batched(stream, g->plan, 1, 0, &args)
                        : cuc_gemm(stream, g->plan, 1, 0, &args);
}

size_t bench_plan_gemm_figures(const bench_plan_gemm *g, cuc_bench_figure out[BENCH_PLAN_FIGURES])
{
    cuc_gemm_choice c = CUC_GEMM_CHOICE_INIT;
    size_t count = 0;

    (void)cuc_gemm_plan_get_choice(&c, g->plan);
    const struct {
        const char *name;
        double value, usual; // the figure is omitted if both are equal
    } figures[BENCH_PLAN_FIGURES] = {
        { "tile_rows", c.tile_m, 0 },   { "tile_columns", c.tile_n, 0 },
        { "tile_depth", c.tile_k, 0 },  { "tiles", (double)c.tiles, 0 },
        { "pipeline", c.pipeline, -1 }, { "stages", c.stages, 0 },
        { "cluster", c.cluster, 1 },    { "split", c.split, 1 },
        { "parts", c.parts, 1 },        { "stream_k", c.stream_k, 0 },
        { "pack", c.pack, 0 },
    };
    for (size_t i = 0; i < BENCH_PLAN_FIGURES; i++)
        if (figures[i].value < figures[i].usual || figures[i].value > figures[i].usual)
            out[count++] = (cuc_bench_figure){ figures[i].name, figures[i].value };
    return count;
}
