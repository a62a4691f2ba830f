// Runs plans: makes the array views that the kernel expects, and launches the kernel. Allocates
// nothing, except that the first call with an alpha other than 1 and without c loads the code for
// that case.
#include "gemm.h"

#include <cucore/copy.h>
#include <cucore/launch.h>

#include "base/array.h"
#include "device/device.h"
#include "base/options.h"
#include "device/stream.h"
#include "launch/launch.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_ARGUMENTS = 32, MOST_ACROSS = CUC__GEMM_MAX_WIDTH };

// ---- The kernel's views

static cuc_tensor transposed(const cuc_tensor *t)
{
    cuc_tensor out = *t;
    int32_t last = t->rank - 1;

    out.shape[last] = t->shape[last - 1];
    out.shape[last - 1] = t->shape[last];
    out.strides[last] = t->strides[last - 1];
    out.strides[last - 1] = t->strides[last];
    return out;
}

static void narrow(cuc_tensor *t, int32_t axis, int64_t from, int64_t count)
{
    t->data += (uint64_t)from * (uint64_t)t->strides[axis] * (cuc_dtype_bits(t->dtype) / 8);
    t->shape[axis] = count;
}

// The arrays of one launch. A launch covers the whole call, or a part of it if the call exceeds the
// grid's limits.
struct views {
    cuc_tensor a, b, d, c, bias, residual, row_scale, column_scale, offsets, parts, flags;
    cuc_tensor aux, amax, a_scale, b_scale;
    cuc_tensor summed, sums; // the operand whose sum is a bias's gradient, and partial sums
    struct cuc__gemm_stream_k stream_k;
    cuc_device_ptr workspace; // after the partial sums of a bias's gradient
};

static void make_views(struct views *v, const struct cuc__gemm_call *call)
{
    const cuc_gemm_args *g = call->args;
    const struct cuc__gemm_kind *k = &call->plan->kind;
    const cuc_tensor *rows = k->exchanged ? g->column_scale : g->row_scale;
    const cuc_tensor *columns = k->exchanged ? g->row_scale : g->column_scale;
    // Exchanged operands are transposed, and so is a column-major d.
    v->a = k->exchanged ? *g->b : *g->a;
    v->b = k->exchanged ? *g->a : *g->b;
    if (k->exchanged != k->transposed_a)
        v->a = transposed(&v->a);
    if (k->exchanged != k->transposed_b)
        v->b = transposed(&v->b);
    v->d = k->exchanged ? transposed(g->d) : *g->d;
    if (call->beta != 0)
        v->c = k->exchanged ? transposed(g->c) : *g->c;
    if (k->bias)
        v->bias = *g->bias;
    if (k->residual)
        v->residual = k->exchanged ? transposed(g->residual) : *g->residual;
    if (k->scaled_rows)
        v->row_scale = *rows;
    if (k->scaled_columns)
        v->column_scale = *columns;
    if (k->form == CUC_GEMM_GROUPED)
        v->offsets = *g->offsets;
    if (k->aux)
        v->aux = k->exchanged ? transposed(g->aux) : *g->aux;
    if (k->amax) {
        v->amax = *g->amax;
        v->amax.dtype = CUC_I32; // the kernel compares bits
    }
    if (k->a_scale_rows)
        v->a_scale = k->exchanged ? *g->b_scale : *g->a_scale;
    if (k->b_scale_columns)
        v->b_scale = k->exchanged ? *g->a_scale : *g->b_scale;
    if (k->exchanged != k->transposed_a && k->a_scale_rows)
        v->a_scale = transposed(&v->a_scale);
    if (k->exchanged != k->transposed_b && k->b_scale_columns)
        v->b_scale = transposed(&v->b_scale);
    v->summed = k->gradient == CUC_GEMM_GRADIENT_A ? v->a : v->b;
    if (call->alpha == 0) { // makes the sums of products empty
        v->a.shape[k->transposed_a ? v->a.rank - 2 : v->a.rank - 1] = 0;
        v->b.shape[k->transposed_b ? v->b.rank - 1 : v->b.rank - 2] = 0;
    }
}

// Makes the view of the partial sums of a bias's gradient, at the start of the workspace.
static void view_sums(struct views *v, const struct cuc__gemm_call *call, int32_t device,
                      const struct cuc__gemm_gradient *layout)
{
    const struct cuc__gemm_kind *k = &call->plan->kind;
    int64_t products = k->form == CUC_GEMM_BATCHED ? call->batch : 1, each = layout->parts;

    v->workspace += layout->bytes * (uint64_t)products;
    if (cuc__gemm_sums_operand(k) && v->summed.rank == 2) // products share the operand
        products = 1;
    v->sums = (cuc_tensor){ .data = call->args->workspace,
                            .dtype = cuc__gemm_sum_type(k),
                            .rank = 3,
                            .device = device,
                            .shape = { products, each, layout->pitch },
                            .strides = { each * layout->pitch, layout->pitch, 1 } };
}

// Returns the view without its first axis, whose lines follow those of the second.
static cuc_tensor flat(const cuc_tensor *t)
{
    cuc_tensor out = *t;

    out.rank = 2;
    out.shape[0] = t->shape[0] * t->shape[1];
    out.shape[1] = t->shape[2];
    out.strides[0] = t->strides[1];
    out.strides[1] = t->strides[2];
    return out;
}

// Restricts the partial sums that the epilogue writes to those of a part of the result.
static void narrow_sums(struct views *v, const struct cuc__gemm_kind *k,
                        const struct cuc__gemm_tile *tile, bool rows, int64_t from, int64_t count)
{
    int32_t unit = rows ? cuc__gemm_end_rows(tile) : cuc__gemm_end_columns(tile);

    if (!k->gradient || cuc__gemm_sums_operand(k))
        return;
    if (rows == (k->gradient == CUC_GEMM_GRADIENT_ROWS))
        narrow(&v->sums, 2, from, count);
    else
        narrow(&v->sums, 1, from / unit, cuc__ceil_div(count, unit));
}

// Restricts the views to rows or columns [from, from + count) of the result, and to the inputs that
// they need.
static void narrow_result(struct views *v, const struct cuc__gemm_kind *k, bool rows, int64_t from,
                          int64_t count, bool with_c)
{
    cuc_tensor *operand = rows ? &v->a : &v->b;
    bool depth_first = rows ? k->transposed_a : !k->transposed_b;
    int32_t before_last = rows ? 2 : 1;

    narrow(operand, operand->rank - (depth_first ? 1 : 2), from, count);
    int32_t lines = rows ? k->a_scale_rows : k->b_scale_columns;
    cuc_tensor *scale = rows ? &v->a_scale : &v->b_scale;
    if (lines)
        narrow(scale, scale->rank - (depth_first ? 1 : 2), from / lines,
               cuc__ceil_div(count, lines));
    narrow(&v->d, v->d.rank - before_last, from, count);
    if (with_c)
        narrow(&v->c, v->c.rank - before_last, from, count);
    if (k->residual)
        narrow(&v->residual, v->residual.rank - before_last, from, count);
    if (k->aux)
        narrow(&v->aux, v->aux.rank - before_last, from, count);
    if (k->bias && k->bias_of_rows == rows)
        narrow(&v->bias, v->bias.rank - 1, from, count);
    if (rows ? k->scaled_rows : k->scaled_columns)
        narrow(rows ? &v->row_scale : &v->column_scale, 0, from, count);
}

static void narrow_batch(struct views *v, const struct cuc__gemm_kind *k, int64_t from,
                         int64_t count, bool with_c)
{
    if (!k->shared_a)
        narrow(&v->a, 0, from, count);
    if (!k->shared_b)
        narrow(&v->b, 0, from, count);
    if (!k->shared_a && k->a_scale_rows)
        narrow(&v->a_scale, 0, from, count);
    if (!k->shared_b && k->b_scale_columns)
        narrow(&v->b_scale, 0, from, count);
    narrow(&v->d, 0, from, count);
    if (with_c)
        narrow(&v->c, 0, from, count);
    if (k->residual)
        narrow(&v->residual, 0, from, count);
    if (k->aux)
        narrow(&v->aux, 0, from, count);
    if (k->gradient && !cuc__gemm_sums_operand(k))
        narrow(&v->sums, 0, from, count);
}

// Makes the views of stream-K, whose flags begin at `workspace`.
static void view_stream_k(struct views *v, const struct cuc__gemm_call *call, int32_t device,
                          uint64_t workspace, int64_t rows, int64_t columns)
{
    const struct cuc__gemm_kind *k = &call->plan->kind;
    const struct cuc__gemm_tile *tile = &call->plan->tile;
    int64_t elements = (int64_t)tile->rows * tile->columns;
    bool fragments = cuc__gemm_partials_are_fragments(tile);

    cuc__gemm_schedule_stream_k(&v->stream_k, tile, rows, columns,
                                v->a.shape[k->transposed_a ? v->a.rank - 2 : v->a.rank - 1]);
    v->flags = (cuc_tensor){ .data = workspace,
                             .dtype = CUC_I64,
                             .rank = 1,
                             .device = device,
                             .shape = { tile->programs },
                             .strides = { 1 } };
    v->parts = (cuc_tensor){ .data = workspace + cuc__gemm_stream_k_flag_bytes(tile),
                             .dtype = k->accumulator,
                             .rank = fragments ? 4 : 3,
                             .device = device,
                             .shape = { tile->programs, tile->rows, tile->columns },
                             .strides = { elements, tile->columns, 1 } };
    if (!fragments && cuc__gemm_is_exchanged(tile)) {
        v->parts.shape[1] = tile->columns;
        v->parts.shape[2] = v->parts.strides[1] = tile->rows;
    }
    if (fragments) {
        const int64_t shape[] = { tile->rows / 16, tile->columns / 8, 128 };
        const int64_t strides[] = { tile->columns * 16, 128, 1 };
        memcpy(v->parts.shape + 1, shape, sizeof(shape));
        memcpy(v->parts.strides + 1, strides, sizeof(strides));
    }
}

// ---- Launches

static cuc_arg factor(cuc_dtype dtype, double value)
{
    switch (dtype) {
    case CUC_I32:
        return CUC_ARG((int32_t)value);
    case CUC_F64:
        return CUC_ARG(value);
    default:
        return CUC_ARG((float)value);
    }
}

// Returns true if TMA can copy the matrix.
static bool is_aligned(const cuc_tensor *t)
{
    enum { ALIGNED = 16 };
    int64_t bytes = cuc_dtype_bits(t->dtype) / 8;

    return t->data % ALIGNED == 0 && t->strides[1] == 1 && t->strides[0] * bytes % ALIGNED == 0 &&
           t->strides[0] >= t->shape[1];
}

// Packs the operands that the plan packs, unless they are as the kernel needs them, and replaces
// their views.
static cuc_status pack(struct views *v, const struct cuc__gemm_call *c, cuc_stream *stream,
                       const struct cuc__gemm_code *code, const struct cuc__gemm_workspace *layout)
{
    int32_t bits = c->plan->tile.pack;
    cuc_tensor *operands[] = { &v->a, &v->b }, from[2], to[2];
    int64_t blocks[2] = { 0, 0 };

    for (int i = 0; i < 2; i++) {
        int64_t pitch = layout->packed[i].pitch;
        bool transposed = bits & (i ? CUC_GEMM_PACK_TRANSPOSED_B : CUC_GEMM_PACK_TRANSPOSED_A);
        from[i] = to[i] = *operands[i];
        to[i].flags = 0;
        if (!(bits & (i ? CUC_GEMM_PACK_B : CUC_GEMM_PACK_A)) ||
            (!transposed && is_aligned(operands[i]))) {
            from[i].shape[0] = to[i].shape[0] = 0;
            continue;
        }
        to[i].data = v->workspace + layout->packed[i].at;
        to[i].device = stream->ordinal;
        to[i].shape[0] = from[i].shape[transposed];
        to[i].strides[0] = to[i].shape[1] = pitch;
        to[i].strides[1] = 1;
        blocks[i] =
            cuc__ceil_div(to[i].shape[0], transposed ? CUC__GEMM_PACK_SIDE : CUC__GEMM_PACK_ROWS) *
            cuc__ceil_div(pitch, transposed ? CUC__GEMM_PACK_SIDE : CUC__GEMM_PACK_COLUMNS);
        *operands[i] = to[i];
        operands[i]->shape[1] = from[i].shape[!transposed];
    }
    if (!(blocks[0] + blocks[1]))
        return CUC_OK;
    const cuc_arg args[] = {
        CUC_ARG(&from[0]),
        CUC_ARG(&to[0]),
        CUC_ARG(&from[1]),
        CUC_ARG(&to[1]),
        CUC_ARG((uint32_t)blocks[0]),
        CUC_ARG((uint32_t)(blocks[0] + blocks[1])),
    };
    return cuc__launch_plan_kernel(stream, code->pack, args, CUC_LENGTH(args),
                                   c->plan->plain_launch);
}

// Lays out the workspace and makes its views. Enqueues the packing of operands.
static cuc_status use_workspace(struct views *v, const struct cuc__gemm_call *c, cuc_stream *stream,
                                const struct cuc__gemm_code *code)
{
    const struct cuc__gemm_kind *k = &c->plan->kind;
    const struct cuc__gemm_tile *tile = &c->plan->tile;
    int64_t rows = v->d.shape[0], columns = v->d.shape[1];
    int64_t depth = v->a.shape[k->transposed_a ? 0 : 1];
    struct cuc__gemm_workspace layout;

    cuc__gemm_lay_out_workspace(&layout, k, tile, rows, columns, depth); // fits, as was checked
    uint64_t sums = v->workspace + layout.sums.at;
    if (code->parts)
        v->parts = (cuc_tensor){
            .data = sums,
            .dtype = k->accumulator,
            .rank = 3,
            .device = stream->ordinal,
            .shape = { tile->parts, rows, layout.sums.pitch },
            .strides = { rows * layout.sums.pitch, layout.sums.pitch, 1 },
        };
    if (tile->stream_k)
        view_stream_k(v, c, stream->ordinal, sums, rows, columns);
    return code->pack ? pack(v, c, stream, code, &layout) : CUC_OK;
}

// Passes the parameters in the order of cuc__gemm_source() to the kernel and launches it.
static cuc_status launch(const struct cuc__gemm_call *c, cuc_stream *stream,
                         const struct cuc__gemm_code *code, const struct views *v)
{
    const struct cuc__gemm_kind *k = &c->plan->kind;
    const cuc_tensor sums = k->form == CUC_GEMM_BATCHED ? v->sums : flat(&v->sums);
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;

    args[count++] = CUC_ARG(&v->a);
    args[count++] = CUC_ARG(&v->b);
    if (k->a_scale_rows)
        args[count++] = CUC_ARG(&v->a_scale);
    if (k->b_scale_columns)
        args[count++] = CUC_ARG(&v->b_scale);
    if (code->parts) {
        args[count++] = CUC_ARG(&v->parts);
        args[count++] = CUC_ARG(c->plan->tile.parts);
        cuc_status st =
            cuc__launch_plan_kernel(stream, code->parts, args, count, c->plan->plain_launch);
        if (st < 0)
            return st;
        count = 0;
        args[count++] = CUC_ARG(&v->parts);
    }
    args[count++] = CUC_ARG(&v->d);
    if (c->beta != 0)
        args[count++] = CUC_ARG(&v->c);
    if (k->bias)
        args[count++] = CUC_ARG(&v->bias);
    if (k->residual)
        args[count++] = CUC_ARG(&v->residual);
    if (k->aux)
        args[count++] = CUC_ARG(&v->aux);
    if (k->gradient && !cuc__gemm_sums_operand(k))
        args[count++] = CUC_ARG(&sums);
    if (k->amax)
        args[count++] = CUC_ARG(&v->amax);
    if (k->scaled_rows)
        args[count++] = CUC_ARG(&v->row_scale);
    if (k->scaled_columns)
        args[count++] = CUC_ARG(&v->column_scale);
    if (k->form == CUC_GEMM_GROUPED)
        args[count++] = CUC_ARG(&v->offsets);
    if (c->beta != 0 || c->alpha != 1)
        args[count++] = factor(k->compute, c->alpha);
    if (c->beta != 0)
        args[count++] = factor(k->compute, c->beta);
    if (c->plan->tile.stream_k) {
        args[count++] = CUC_ARG(&v->parts);
        args[count++] = CUC_ARG(&v->flags);
        args[count++] = CUC_ARG(v->stream_k.each);
        args[count++] = CUC_ARG(v->stream_k.more);
        args[count++] = CUC_ARG(v->stream_k.shared);
        args[count++] = CUC_ARG(v->stream_k.spread);
        args[count++] = CUC_ARG(v->stream_k.units);
        args[count++] = CUC_ARG(v->stream_k.over_iterations);
        args[count++] = CUC_ARG(v->stream_k.over_band);
        args[count++] = CUC_ARG(v->stream_k.over_last);
    }
    return cuc__launch_plan_kernel(stream,
                                   atomic_load_explicit(&code->kernel, memory_order_relaxed), args,
                                   count, c->plan->plain_launch);
}

// Launches the kernels that compute a bias's gradient: from the partial sums of the epilogue, or
// from an operand.
static cuc_status launch_gradient(const struct cuc__gemm_call *c, cuc_stream *stream,
                                  const struct cuc__gemm_code *code, const struct views *v)
{
    const cuc_tensor sums = flat(&v->sums);
    const cuc_arg of_operand[] = { CUC_ARG(&v->summed), CUC_ARG(&sums),
                                   CUC_ARG((int32_t)v->sums.shape[1]) };
    const cuc_arg total[] = { CUC_ARG(&sums), CUC_ARG(c->args->bias_gradient) };
    bool plain = c->plan->plain_launch;
    cuc_status st = CUC_OK;

    if (code->operand_sums)
        st = cuc__launch_plan_kernel(stream, code->operand_sums, of_operand, CUC_LENGTH(of_operand),
                                     plain);
    return st < 0
               ? st
               : cuc__launch_plan_kernel(stream, code->gradient, total, CUC_LENGTH(total), plain);
}

// Launches the product in pieces of at most MOST_ACROSS tiles along the grid's second axis and at
// most MOST_ACROSS batches.
static cuc_status launch_all(const struct cuc__gemm_call *c, cuc_stream *stream)
{
    const struct cuc__gemm_kind *k = &c->plan->kind;
    const struct cuc__gemm_tile *tile = &c->plan->tile;
    int variant = c->beta != 0    ? CUC__GEMM_ADDED
                  : c->alpha != 1 ? CUC__GEMM_SCALED
                                  : CUC__GEMM_PLAIN;
    const struct cuc__gemm_code *code = &c->plan->code[variant];
    int64_t columns = k->exchanged ? c->m : c->n, rows = k->exchanged ? c->n : c->m;
    int64_t most = tile->stream_k ? cuc__gemm_stream_k_max_width(tile, rows) : MOST_ACROSS;
    bool by_rows = tile->cluster_n > 1; // the grid's second axis then counts rows of tiles
    // Pieces then end where blocks of scales do, and the tiles of the kernel that adds up parts.
    if ((k->gradient && tile->parts > 1) || cuc__gemm_scales_blocks(k))
        most -= most % CUC__GEMM_SUM_COLUMNS;
    int64_t extent = by_rows ? rows : columns;
    int64_t across = (by_rows ? tile->rows : tile->columns) * most;
    int64_t batch = !rows || !columns ? 0 : k->form == CUC_GEMM_BATCHED ? c->batch : 1;
    struct cuc__gemm_gradient gradient;
    struct views all, v;
    cuc_status st = CUC_OK;

    if (k->amax && (st = cuc_fill(stream, c->args->amax->data, 0, sizeof(float), 1)) < 0)
        return st;
    if (!batch && !k->gradient)
        return CUC_OK; // an empty result
    if (!most)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s is %" PRId64 ", and stream_k cannot number so many tiles of %d: make "
                         "the plan without it, or with larger tiles",
                         k->exchanged ? "n" : "m", rows, tile->rows);
    if (!atomic_load_explicit(&code->kernel, memory_order_acquire) &&
        (st = cuc__gemm_load(c->plan, variant, c->function)) < 0)
        return st;
    make_views(&all, c);
    all.workspace = c->args->workspace;
    if (k->gradient) {
        cuc__gemm_lay_out_gradient(&gradient, k, tile, rows, columns, c->k); // fits, as was checked
        view_sums(&all, c, stream->ordinal, &gradient);
    }
    for (int64_t z = 0; z < batch && st >= 0; z += MOST_ACROSS)
        for (int64_t n = 0; n < extent && st >= 0; n += across) {
            int64_t wide = extent - n < across ? extent - n : across;
            v = all;
            if (batch > MOST_ACROSS)
                narrow_batch(&v, k, z, batch - z < MOST_ACROSS ? batch - z : MOST_ACROSS,
                             c->beta != 0);
            if (extent > across) {
                narrow_result(&v, k, by_rows, n, wide, c->beta != 0);
                narrow_sums(&v, k, tile, by_rows, n, wide);
            }
            if (code->pack || code->parts || tile->stream_k)
                st = use_workspace(&v, c, stream, code);
            if (st >= 0)
                st = launch(c, stream, code, &v);
        }
    return k->gradient && st >= 0 ? launch_gradient(c, stream, code, &all) : st;
}

static cuc_status run(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                      const cuc_gemm_args *args, int32_t form, const char *function)
{
    cuc_gemm_args given;
    struct cuc__gemm_call c = { .plan = plan, .args = &given, .function = function };
    cuc_status st;

    c.alpha = alpha;
    c.beta = beta;
    if (!args)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "args is NULL");
    if ((st = cuc__read_options(&given, sizeof(given), args, "cuc_gemm_args", function)) < 0 ||
        (st = cuc__gemm_check(&c, form, stream)) < 0)
        return st;
    return cuc__pass(launch_all(&c, stream), function);
}

cuc_status cuc_gemm(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                    const cuc_gemm_args *args)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, GEMM_PLAN);
    return run(stream, plan, alpha, beta, args, CUC_GEMM_SINGLE, __func__);
}

cuc_status cuc_gemm_batched(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                            const cuc_gemm_args *args)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, GEMM_PLAN);
    return run(stream, plan, alpha, beta, args, CUC_GEMM_BATCHED, __func__);
}

cuc_status cuc_gemm_grouped(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                            const cuc_gemm_args *args)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, GEMM_PLAN);
    return run(stream, plan, alpha, beta, args, CUC_GEMM_GROUPED, __func__);
}
