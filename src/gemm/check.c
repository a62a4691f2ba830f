// Checks the arguments of a plan's call by name: arrays and their shapes, scale factors, the
// workspace.
#include "base/array.h"
#include "gemm.h"

#include "device/device.h"
#include "device/stream.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <stdio.h>

enum { TEXT_BYTES = 128 };

// An array argument and its expected properties. An extent of -1 comes from the array.
struct expected {
    const char *name;
    const cuc_tensor *tensor;
    cuc_dtype dtype; // 0: no such array
    int32_t rank;
    int64_t shape[3];
    const char *names; // the names of the extents, such as "m k"
};

static const char *shape_text(char text[TEXT_BYTES], int32_t rank, const int64_t *shape)
{
    size_t at = 0;

    text[0] = 0;
    for (int32_t i = 0; i < rank && at < TEXT_BYTES; i++)
        at += (size_t)snprintf(text + at, TEXT_BYTES - at, "%s%" PRId64, i ? ", " : "", shape[i]);
    return text;
}

static cuc_status check_array(const struct cuc__gemm_call *c, const struct expected *e)
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
    for (int32_t i = 0; i < e->rank; i++) {
        if (t->shape[i] < 0)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                             "%s is [%s], expected extents of 0 and more: [%s]", e->name,
                             shape_text(got, t->rank, t->shape), e->names);
        same &= e->shape[i] < 0 || t->shape[i] == e->shape[i];
    }
    if (same)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                     "%s is [%s], expected [%s]: the arrays before it give [%s]", e->name,
                     shape_text(got, t->rank, t->shape), shape_text(wanted, e->rank, e->shape),
                     e->names);
}

// Refuses an array that cannot be written: a read-only one, or one whose elements share addresses,
// because several blocks would write them in any order.
static cuc_status check_written(const struct cuc__gemm_call *c, const char *name,
                                const cuc_tensor *t)
{
    char shape[TEXT_BYTES], strides[TEXT_BYTES];

    if (t->flags & CUC_TENSOR_READ_ONLY)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is read-only", name);
    if (!cuc__tensor_shares_addresses(t))
        return CUC_OK;
    return cuc__fail(
        CUC_ERROR_INVALID_ARGUMENT, c->function,
        "%s is [%s] with strides of [%s], which give several elements one address: expected %s",
        name, shape_text(shape, t->rank, t->shape), shape_text(strides, t->rank, t->strides),
        t->rank > 1 ? "a leading dimension of at least the extent beside it"
                    : "a stride other than 0");
}

// Reads m and k from a, n from b, and the number of batches or groups from the first array that has
// this axis.
static void read_shape(struct cuc__gemm_call *c)
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

// Returns the number of blocks of lines, rounded up; -1 for an unknown extent.
static int64_t blocks_of(int64_t extent, int32_t lines)
{
    return extent < 0 || !lines ? extent : cuc__ceil_div(extent, lines);
}

static cuc_status check_arrays(struct cuc__gemm_call *c)
{
    const cuc_gemm_args *g = c->args;
    const struct cuc__gemm_kind *k = &c->plan->kind;
    bool x = k->exchanged, batched = k->form == CUC_GEMM_BATCHED;
    bool grouped = k->form == CUC_GEMM_GROUPED;
    bool axis_a = batched && !(x ? k->shared_b : k->shared_a);
    bool axis_b = grouped || (batched && !(x ? k->shared_a : k->shared_b));
    bool rows = k->bias_of_rows != x; // true if the bias has one value per row of the caller's d
    int32_t a_lines = x ? k->b_scale_columns : k->a_scale_rows;
    int32_t b_lines = x ? k->a_scale_rows : k->b_scale_columns;
    bool sums_rows = k->gradient == (x ? CUC_GEMM_GRADIENT_COLUMNS : CUC_GEMM_GRADIENT_ROWS) ||
                     k->gradient == (x ? CUC_GEMM_GRADIENT_B : CUC_GEMM_GRADIENT_A);
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
        { "aux", g->aux, k->aux, RESULT },
        { "bias_gradient",
          g->bias_gradient,
          k->gradient_dtype,
          1,
          { sums_rows ? c->m : c->n },
          sums_rows ? "m" : "n" },
        { "a_scale", g->a_scale, a_lines ? CUC_F32 : 0,
          MATRIX(axis_a, blocks_of(c->m, a_lines), blocks_of(c->k, CUC__GEMM_SCALED_DEPTH),
                 "m / a_scale_rows, k / 128") },
        { "b_scale",
          g->b_scale,
          b_lines ? CUC_F32 : 0,
          2 + axis_b,
          { axis_b ? c->batch : blocks_of(c->k, CUC__GEMM_SCALED_DEPTH),
            axis_b ? blocks_of(c->k, CUC__GEMM_SCALED_DEPTH) : blocks_of(c->n, b_lines),
            blocks_of(c->n, b_lines) },
          grouped  ? "groups, k / 128, n / b_scale_columns"
          : axis_b ? "batch, k / 128, n / b_scale_columns"
                   : "k / 128, n / b_scale_columns" },
        { "amax", g->amax, k->amax ? CUC_F32 : 0, 1, { 1 }, "1" },
        { "row_scale", g->row_scale, row, 1, { c->m }, "m" },
        { "column_scale", g->column_scale, column, 1, { c->n }, "n" },
        { "offsets", g->offsets, grouped ? CUC_I32 : 0, 1, { c->batch + 1 }, "groups + 1" },
    };
    for (size_t i = 0; i < CUC_LENGTH(all); i++) {
        cuc_status st = check_array(c, &all[i]);
        if (st < 0)
            return st;
    }
    const struct {
        const char *name;
        const cuc_tensor *tensor;
    } written[] = {
        { "d", g->d },
        { "aux", cuc__gemm_reads_aux(k) ? NULL : g->aux },
        { "bias_gradient", g->bias_gradient },
        { "amax", g->amax },
    };
    for (size_t i = 0; i < CUC_LENGTH(written); i++) {
        cuc_status st = written[i].tensor ? check_written(c, written[i].name, written[i].tensor)
                                          : CUC_OK;
        if (st < 0)
            return st;
    }
    return CUC_OK;
}

static cuc_status check_workspace(const struct cuc__gemm_call *c)
{
    uint64_t needed = cuc_gemm_plan_workspace_bytes(c->plan, c->m, c->n, c->k);
    const cuc_gemm_args *g = c->args;

    // The size is that of one product.
    if (c->plan->kind.form == CUC_GEMM_BATCHED && needed != UINT64_MAX &&
        __builtin_mul_overflow(needed, (uint64_t)c->batch, &needed))
        needed = UINT64_MAX;

    if (g->workspace % CUC__GEMM_WORKSPACE_ALIGN)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace is 0x%" PRIx64 ", expected a multiple of %d", g->workspace,
                         CUC__GEMM_WORKSPACE_ALIGN);
    if (needed == UINT64_MAX)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "the workspace for m %" PRId64 ", n %" PRId64 " and k %" PRId64
                         " exceeds 64 bits: make the plan without parts and packed operands",
                         c->m, c->n, c->k);
    if (needed && (!g->workspace || g->workspace_bytes < needed))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace has %" PRIu64 " bytes, expected %" PRIu64 " for m %" PRId64
                         ", n %" PRId64 " and k %" PRId64
                         ", as cuc_gemm_plan_workspace_bytes() says%s",
                         g->workspace ? g->workspace_bytes : 0, needed, c->m, c->n, c->k,
                         c->plan->kind.form == CUC_GEMM_BATCHED ? " for each product" : "");
    return CUC_OK;
}

// For a product of integers, refuses a scale factor that is not an integer.
static cuc_status check_factor(const struct cuc__gemm_call *c, const char *name, double value)
{
    if (c->plan->kind.compute != CUC_I32 ||
        (value >= INT32_MIN && value <= INT32_MAX && (double)(int32_t)value == value))
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                     "%s is %g, expected a 32-bit integer, because d is of i32: or make the plan "
                     "with a d_dtype of f32",
                     name, value);
}

cuc_status cuc__gemm_check(struct cuc__gemm_call *c, int32_t form, const cuc_stream *stream)
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
                         "beta is %g, but the plan has no c: make it with a c_dtype", c->beta);
    if ((st = check_factor(c, "alpha", c->alpha)) < 0 ||
        (st = check_factor(c, "beta", c->beta)) < 0 || (st = check_arrays(c)) < 0)
        return st;
    return check_workspace(c);
}
