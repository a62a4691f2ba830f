// Running plans: arguments checked by name, seen as the kernel has them, launched. Nothing is
// allocated.
#include "gemm.h"

#include <cucore/launch.h>

#include "device.h"
#include "options.h"
#include "stream.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ARGUMENTS = 24, MOST_ACROSS = 65535, WORKSPACE_ALIGN = 256, TEXT_BYTES = 128 };

// A call, as it is checked.
struct call {
    cuc_gemm_plan *plan;
    const cuc_gemm_args *args;
    const char *function;
    int64_t m, n, k, batch; // batch: 0 of a single product
    double alpha, beta;
};

// ---- What is given

// An array that a call takes, with what is expected of it. An extent of -1 is the array's own.
struct expected {
    const char *name;
    const cuc_tensor *tensor;
    cuc_dtype dtype; // 0: there is none
    int32_t rank;
    int64_t shape[3];
    const char *names; // of extents: "m k"
};

static const char *shape_text(char text[TEXT_BYTES], int32_t rank, const int64_t *shape)
{
    size_t at = 0;

    text[0] = 0;
    for (int32_t i = 0; i < rank && at < TEXT_BYTES; i++)
        at += (size_t)snprintf(text + at, TEXT_BYTES - at, "%s%" PRId64, i ? ", " : "", shape[i]);
    return text;
}

static cuc_status check_array(const struct call *c, const struct expected *e)
{
    const cuc_tensor *t = e->tensor;
    char got[TEXT_BYTES], wanted[TEXT_BYTES];
    bool same = true;

    if (!e->dtype && t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s is given, but the plan was made without it: leave it NULL", e->name);
    if (!e->dtype)
        return CUC_OK;
    if (!t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is NULL", e->name);
    if (t->dtype != e->dtype)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is of %s, the plan's is %s",
                         e->name, cuc_dtype_name(t->dtype), cuc_dtype_name(e->dtype));
    if (t->rank != e->rank)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s has %d axes, expected %d: [%s]", e->name, t->rank, e->rank, e->names);
    for (int32_t i = 0; i < e->rank; i++)
        same &= e->shape[i] < 0 ? t->shape[i] >= 0 : t->shape[i] == e->shape[i];
    if (same)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                     "%s is [%s], expected [%s], which is [%s] by the arrays before it", e->name,
                     shape_text(got, t->rank, t->shape), shape_text(wanted, e->rank, e->shape),
                     e->names);
}

// a gives m and k, b gives n; of batches and groups the first array with such an axis.
static void read_shape(struct call *c)
{
    const cuc_gemm_args *g = c->args;
    const struct cuc__gemm_kind *kind = &c->plan->kind;
    bool shared_a = kind->exchanged ? kind->shared_b : kind->shared_a;
    bool shared_b = kind->exchanged ? kind->shared_a : kind->shared_b;

    c->m = c->n = c->k = c->batch = -1;
    if (g->a && g->a->rank >= 2 && g->a->rank <= 3) {
        c->m = g->a->shape[g->a->rank - 2];
        c->k = g->a->shape[g->a->rank - 1];
    }
    if (g->b && g->b->rank >= 2 && g->b->rank <= 3)
        c->n = g->b->shape[g->b->rank - 1];
    if (kind->form == CUC_GEMM_GROUPED)
        c->batch = g->b && g->b->rank == 3 ? g->b->shape[0] : -1;
    if (kind->form == CUC_GEMM_BATCHED)
        c->batch = g->a && !shared_a   ? g->a->shape[0]
                   : g->b && !shared_b ? g->b->shape[0]
                   : g->d              ? g->d->shape[0]
                                       : -1;
}

static cuc_status check_arrays(struct call *c)
{
    const cuc_gemm_args *g = c->args;
    const struct cuc__gemm_kind *k = &c->plan->kind;
    bool x = k->exchanged, batched = k->form == CUC_GEMM_BATCHED;
    bool grouped = k->form == CUC_GEMM_GROUPED;
    bool axis_a = batched && !(x ? k->shared_b : k->shared_a);
    bool axis_b = grouped || (batched && !(x ? k->shared_a : k->shared_b));
    bool rows = k->bias_of_rows != x; // of d as the caller sees it
    cuc_dtype row = (x ? k->scaled_columns : k->scaled_rows) ? CUC_F32 : 0;
    cuc_dtype column = (x ? k->scaled_rows : k->scaled_columns) ? CUC_F32 : 0;

    read_shape(c);
#define MATRIX(axis, p, q, names)                                     \
    2 + (axis), { (axis) ? c->batch : (p), (axis) ? (p) : (q), (q) }, \
        (axis) ? "batch, " names : names
#define RESULT MATRIX(batched, c->m, c->n, "m, n")
    const struct expected all[] = {
        { "a", g->a, k->dtype, MATRIX(axis_a, c->m, c->k, "m, k") },
        { "b",
          g->b,
          k->dtype,
          2 + axis_b,
          { axis_b ? c->batch : c->k, axis_b ? c->k : c->n, c->n },
          grouped  ? "groups, k, n"
          : axis_b ? "batch, k, n"
                   : "k, n" },
        { "d", g->d, k->d, RESULT },
        { "c", g->c, c->beta != 0 || g->c ? k->c : 0, RESULT },
        { "bias",
          g->bias,
          k->bias,
          1 + grouped,
          { grouped ? c->batch
            : rows  ? c->m
                    : c->n,
            c->n },
          grouped ? "groups, n"
          : rows  ? "m"
                  : "n" },
        { "residual", g->residual, k->residual, RESULT },
        { "row_scale", g->row_scale, row, 1, { c->m }, "m" },
        { "column_scale", g->column_scale, column, 1, { c->n }, "n" },
        { "offsets", g->offsets, grouped ? CUC_I32 : 0, 1, { c->batch + 1 }, "groups + 1" },
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        cuc_status st = check_array(c, &all[i]);
        if (st < 0)
            return st;
    }
    if (g->d->flags & CUC_TENSOR_READ_ONLY)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "d is read-only");
    return CUC_OK;
}

static cuc_status check_workspace(const struct call *c)
{
    uint64_t needed = cuc_gemm_plan_workspace_bytes(c->plan, c->m, c->n);
    const cuc_gemm_args *g = c->args;

    if (g->workspace % WORKSPACE_ALIGN)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace is 0x%" PRIx64 ", expected a multiple of %d", g->workspace,
                         WORKSPACE_ALIGN);
    if (needed && (!g->workspace || g->workspace_bytes < needed))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace has %" PRIu64 " bytes, expected %" PRIu64 " for m %" PRId64
                         " and n %" PRId64 ", as cuc_gemm_plan_workspace_bytes() says",
                         g->workspace ? g->workspace_bytes : 0, needed, c->m, c->n);
    return CUC_OK;
}

// A factor of integers is an integer.
static cuc_status check_factor(const struct call *c, const char *name, double value)
{
    if (c->plan->kind.compute != CUC_I32 ||
        (value >= INT32_MIN && value <= INT32_MAX && (double)(int32_t)value == value))
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                     "%s is %g, expected a whole number of 32 bits, as d is of i32: or make the "
                     "plan with a d_dtype of f32",
                     name, value);
}

static cuc_status check(struct call *c, int32_t form, cuc_stream *stream)
{
    static const char *const calls[] = { "cuc_gemm", "cuc_gemm_batched", "cuc_gemm_grouped" };
    const struct cuc__gemm_kind *k = &c->plan->kind;
    cuc_status st;

    if (k->form != form)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "the plan is for %s()",
                         calls[k->form]);
    if (stream->device != c->plan->device)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "the stream is of device %d, the plan of device %d", stream->ordinal,
                         c->plan->device->ordinal);
    if (c->beta != 0 && !k->c)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "beta is %g, and the plan has no c: make it with a c_dtype", c->beta);
    if ((st = check_factor(c, "alpha", c->alpha)) < 0 ||
        (st = check_factor(c, "beta", c->beta)) < 0 || (st = check_arrays(c)) < 0)
        return st;
    return check_workspace(c);
}

// ---- As the kernel has it

static cuc_tensor turned(const cuc_tensor *t)
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
    t->data += (uint64_t)(from * t->strides[axis]) * (cuc_dtype_bits(t->dtype) / 8);
    t->shape[axis] = count;
}

// Arrays of a launch: those of the whole call, or of a part of it where it passes a grid's limits.
struct views {
    cuc_tensor a, b, d, c, bias, residual, row_scale, column_scale, offsets, parts, flags;
    struct cuc__gemm_dealt dealt;
};

static void see(struct views *v, const struct call *call)
{
    const cuc_gemm_args *g = call->args;
    const struct cuc__gemm_kind *k = &call->plan->kind;
    const cuc_tensor *rows = k->exchanged ? g->column_scale : g->row_scale;
    const cuc_tensor *columns = k->exchanged ? g->row_scale : g->column_scale;
    // Exchanged operands are transposed, and so is what lies column by column.
    v->a = k->exchanged ? *g->b : *g->a;
    v->b = k->exchanged ? *g->a : *g->b;
    if (k->exchanged != k->turned_a)
        v->a = turned(&v->a);
    if (k->exchanged != k->turned_b)
        v->b = turned(&v->b);
    v->d = k->exchanged ? turned(g->d) : *g->d;
    if (call->beta != 0)
        v->c = k->exchanged ? turned(g->c) : *g->c;
    if (k->bias)
        v->bias = *g->bias;
    if (k->residual)
        v->residual = k->exchanged ? turned(g->residual) : *g->residual;
    if (k->scaled_rows)
        v->row_scale = *rows;
    if (k->scaled_columns)
        v->column_scale = *columns;
    if (k->form == CUC_GEMM_GROUPED)
        v->offsets = *g->offsets;
    if (call->alpha == 0) { // sums of nothing
        v->a.shape[k->turned_a ? v->a.rank - 2 : v->a.rank - 1] = 0;
        v->b.shape[k->turned_b ? v->b.rank - 1 : v->b.rank - 2] = 0;
    }
}

// Columns [from, from + count) of the result, and what they are made of.
static void narrow_columns(struct views *v, const struct cuc__gemm_kind *k, int64_t from,
                           int64_t count, bool with_c)
{
    narrow(&v->b, k->turned_b ? v->b.rank - 2 : v->b.rank - 1, from, count);
    narrow(&v->d, v->d.rank - 1, from, count);
    if (with_c)
        narrow(&v->c, v->c.rank - 1, from, count);
    if (k->residual)
        narrow(&v->residual, v->residual.rank - 1, from, count);
    if (k->bias && !k->bias_of_rows)
        narrow(&v->bias, v->bias.rank - 1, from, count);
    if (k->scaled_columns)
        narrow(&v->column_scale, 0, from, count);
}

static void narrow_batch(struct views *v, const struct cuc__gemm_kind *k, int64_t from,
                         int64_t count, bool with_c)
{
    if (!k->shared_a)
        narrow(&v->a, 0, from, count);
    if (!k->shared_b)
        narrow(&v->b, 0, from, count);
    narrow(&v->d, 0, from, count);
    if (with_c)
        narrow(&v->c, 0, from, count);
    if (k->residual)
        narrow(&v->residual, 0, from, count);
}

// What tiles that are shared take of the workspace.
static void see_stream(struct views *v, const struct call *call, int32_t device, int64_t rows,
                       int64_t columns)
{
    const struct cuc__gemm_kind *k = &call->plan->kind;
    const struct cuc__gemm_tile *tile = &call->plan->tile;
    int64_t sums = (int64_t)tile->rows * tile->columns;
    bool aside = cuc__gemm_puts_aside(tile);

    cuc__gemm_deal(&v->dealt, tile, rows, columns,
                   v->a.shape[k->turned_a ? v->a.rank - 2 : v->a.rank - 1]);
    v->flags = (cuc_tensor){ .data = call->args->workspace,
                             .dtype = CUC_I64,
                             .rank = 1,
                             .device = device,
                             .shape = { tile->programs },
                             .strides = { 1 } };
    v->parts = (cuc_tensor){ .data = call->args->workspace + cuc__gemm_stream_flag_bytes(tile),
                             .dtype = k->accumulator,
                             .rank = aside ? 4 : 3,
                             .device = device,
                             .shape = { tile->programs, tile->rows, tile->columns },
                             .strides = { sums, tile->columns, 1 } };
    if (aside) {
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

// As cuc__gemm_source() writes the parameters.
static cuc_status launch(const struct call *c, cuc_stream *stream,
                         const struct cuc__gemm_code *code, const struct views *v)
{
    const struct cuc__gemm_kind *k = &c->plan->kind;
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;

    if (code->parts) {
        const cuc_arg parts[] = { CUC_ARG(&v->a), CUC_ARG(&v->b), CUC_ARG(&v->parts),
                                  CUC_ARG(c->plan->tile.parts) };
        cuc_status st = cuc_launch(stream, NULL, code->parts, parts, 4);
        if (st < 0)
            return st;
        args[count++] = CUC_ARG(&v->parts);
    } else {
        args[count++] = CUC_ARG(&v->a);
        args[count++] = CUC_ARG(&v->b);
    }
    args[count++] = CUC_ARG(&v->d);
    if (c->beta != 0)
        args[count++] = CUC_ARG(&v->c);
    if (k->bias)
        args[count++] = CUC_ARG(&v->bias);
    if (k->residual)
        args[count++] = CUC_ARG(&v->residual);
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
        args[count++] = CUC_ARG(v->dealt.each);
        args[count++] = CUC_ARG(v->dealt.more);
        args[count++] = CUC_ARG(v->dealt.shared);
        args[count++] = CUC_ARG(v->dealt.spread);
        args[count++] = CUC_ARG(v->dealt.units);
        args[count++] = CUC_ARG(v->dealt.over_turns);
        args[count++] = CUC_ARG(v->dealt.over_band);
        args[count++] = CUC_ARG(v->dealt.over_last);
    }
    return cuc_launch(stream, NULL, atomic_load_explicit(&code->kernel, memory_order_relaxed), args,
                      count);
}

// All columns and batches, as many at a time as a grid may have.
static cuc_status launch_all(const struct call *c, cuc_stream *stream)
{
    const struct cuc__gemm_kind *k = &c->plan->kind;
    int variant = c->beta != 0    ? CUC__GEMM_ADDED
                  : c->alpha != 1 ? CUC__GEMM_SCALED
                                  : CUC__GEMM_PLAIN;
    const struct cuc__gemm_code *code = &c->plan->code[variant];
    int64_t columns = k->exchanged ? c->m : c->n, rows = k->exchanged ? c->n : c->m;
    int64_t across = (int64_t)c->plan->tile.columns * MOST_ACROSS;
    int64_t batch = k->form == CUC_GEMM_BATCHED ? c->batch : 1;
    struct views all, v;
    cuc_status st = CUC_OK;

    if (!atomic_load_explicit(&code->kernel, memory_order_acquire) &&
        (st = cuc__gemm_load(c->plan, variant, c->function)) < 0)
        return st;
    see(&all, c);
    for (int64_t z = 0; z < batch && st >= 0; z += MOST_ACROSS)
        for (int64_t n = 0; n < columns && st >= 0; n += across) {
            int64_t wide = columns - n < across ? columns - n : across;
            v = all;
            if (batch > MOST_ACROSS)
                narrow_batch(&v, k, z, batch - z < MOST_ACROSS ? batch - z : MOST_ACROSS,
                             c->beta != 0);
            if (columns > across)
                narrow_columns(&v, k, n, wide, c->beta != 0);
            if (code->parts)
                v.parts = (cuc_tensor){
                    .data = c->args->workspace,
                    .dtype = k->accumulator,
                    .rank = 3,
                    .device = stream->ordinal,
                    .shape = { c->plan->tile.parts, rows, wide },
                    .strides = { rows * wide, wide, 1 },
                };
            if (c->plan->tile.stream_k)
                see_stream(&v, c, stream->ordinal, rows, wide);
            st = launch(c, stream, code, &v);
        }
    return st;
}

static cuc_status run(cuc_stream *stream, cuc_gemm_plan *plan, double alpha, double beta,
                      const cuc_gemm_args *args, int32_t form, const char *function)
{
    cuc_gemm_args given;
    struct call c = { .plan = plan, .args = &given, .function = function };
    cuc_status st;

    c.alpha = alpha;
    c.beta = beta;
    if (!args)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "args is NULL");
    if ((st = cuc__read_options(&given, sizeof(given), args, "cuc_gemm_args", function)) < 0 ||
        (st = check(&c, form, stream)) < 0)
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
