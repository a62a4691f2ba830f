// Evaluates a launch's arguments. See host.h.
#include "host.h"

#include "base/text.h"
#include "scalar.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static bool refuse(char *text, size_t bytes,
                                                         const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(text, bytes, format, args);
    va_end(args);
    return false;
}

// Computes a tensor's byte range [*first, *end), which is empty if it has no elements.
static void reach_of(const cuc_tensor *t, uint64_t *first, uint64_t *end)
{
    int64_t low = 0, high = 0, bytes = cuc_dtype_bits(t->dtype) / 8;

    *first = *end = t->data;
    for (int32_t i = 0; i < t->rank; i++) {
        if (!t->shape[i])
            return;
        int64_t far = (t->shape[i] - 1) * t->strides[i];
        low += far < 0 ? far : 0;
        high += far > 0 ? far : 0;
    }
    *first = t->data + (uint64_t)(low * bytes);
    *end = t->data + (uint64_t)((high + 1) * bytes);
}

bool tile_tensors_disjoint(const cuc_tensor *a, const cuc_tensor *b)
{
    uint64_t a_first, a_end, b_first, b_end;

    reach_of(a, &a_first, &a_end);
    reach_of(b, &b_first, &b_end);
    return a_end <= b_first || b_end <= a_first || a_first == a_end || b_first == b_end;
}

bool tile_tensor_has_overlap(const cuc_tensor *t)
{
    bool taken[CUC_TENSOR_MAX_RANK] = { false };
    int64_t reach = 0; // of the axes so far

    for (int32_t n = 0; n < t->rank; n++) {
        int32_t least = -1;
        for (int32_t i = 0; i < t->rank; i++)
            if (!taken[i] && (least < 0 || llabs(t->strides[i]) < llabs(t->strides[least])))
                least = i;
        taken[least] = true;
        if (t->shape[least] > 1 && llabs(t->strides[least]) <= reach)
            return true;
        reach += (t->shape[least] - 1) * llabs(t->strides[least]);
    }
    return false;
}

bool tile_host_compute(enum tile_op_kind op, const int64_t *x, int64_t *out, char *text,
                       size_t bytes)
{
    bool logical = op == TILE_AND || op == TILE_OR || op == TILE_NOT;
    bool divides = tile_is_floored_division(op);
    tile_wide wide[3] = { x[0], x[1], x[2] }, result = 0;

    if (divides && (!x[1] || (x[1] == -1 && x[0] == INT64_MIN)))
        return refuse(text, bytes, "%" PRId64 " divided by %" PRId64, x[0], x[1]);
    for (uint32_t i = 0; i < 3 && logical; i++)
        wide[i] = op == TILE_NOT && i ? 0 : x[i] != 0; // not x is x == 0
    if (!(tile_op_infos[op].traits & TILE_ON_HOST) ||
        tile_int_compute(op == TILE_NOT ? TILE_EQ : op, wide, 64, &result) != TILE_EXACT)
        return refuse(text, bytes, "the host has no op %d", (int)op);
    if (result < INT64_MIN || result > INT64_MAX)
        return refuse(text, bytes, "a result beyond 64 bits");
    *out = (int64_t)result;
    return true;
}

// Functions for the columns `evaluate` and `describe` of host.def.

typedef bool evaluate(const struct tile_binding_set *set, const struct tile_host_expression *x,
                      int64_t *out, char *text, size_t bytes);
#define UNUSED __attribute__((unused))
#define EVALUATE(name)                                                              \
    static bool evaluate_##name(UNUSED const struct tile_binding_set *set,          \
                                const struct tile_host_expression *x, int64_t *out, \
                                UNUSED char *text, UNUSED size_t bytes)

static const cuc_tensor *tensor_of(const struct tile_binding_set *set,
                                   const struct tile_host_expression *x)
{
    return set->argument[x->index].tensor;
}

EVALUATE(constant)
{
    *out = x->value;
    return true;
}

EVALUATE(dimension)
{
    *out = set->dimension[x->index];
    return true;
}

EVALUATE(scalar)
{
    const struct tile_parameter *p = &set->kernel->parameter[x->index];
    uint64_t scalar = set->argument[x->index].scalar;

    *out = (int64_t)scalar;
    return *out >= 0 || p->value->type.dtype != CUC_U64 ||
           refuse(text, bytes, "%s is %" PRIu64 ", and the host computes up to %" PRId64, p->name,
                  scalar, INT64_MAX);
}

EVALUATE(extent)
{
    *out = tensor_of(set, x)->shape[x->axis];
    return true;
}

EVALUATE(stride)
{
    *out = tensor_of(set, x)->strides[x->axis];
    return true;
}

EVALUATE(op)
{
    int64_t operand[3] = { 0 };

    for (uint32_t i = 0; i < 3 && x->operand[i]; i++)
        if (!tile_host_evaluate(set, x->operand[i], &operand[i], text, bytes))
            return false;
    return tile_host_compute(x->op, operand, out, text, bytes);
}

EVALUATE(noalias)
{
    *out = tile_tensors_disjoint(tensor_of(set, x), set->argument[x->value].tensor);
    return true;
}

EVALUATE(aligned)
{
    *out = tensor_of(set, x)->data % (uint64_t)x->value == 0;
    return true;
}

EVALUATE(unit)
{
    *out = tensor_of(set, x)->strides[x->axis] == 1;
    return true;
}

bool tile_host_evaluate(const struct tile_binding_set *set, const struct tile_host_expression *x,
                        int64_t *out, char *text, size_t bytes)
{
    static evaluate *const kinds[] = {
#define TILE_HOST(id, word, evaluate, ...) evaluate_##evaluate,
#include "host.def"
    };

    return kinds[x->kind](set, x, out, text, bytes);
}

static bool bind_tensor(struct tile_binding_set *set, const struct tile_parameter *p,
                        const cuc_tensor *t, bool *bound, char *text, size_t bytes)
{
    const struct tile_kernel *k = set->kernel;
    const struct tile_type *type = &p->value->type;

    if (!t)
        return refuse(text, bytes, "argument %s: expected a tensor, got a scalar", p->name);
    // tf32 has the layout of f32 in memory, and matrix products ignore the bits that it lacks.
    if (t->dtype != type->dtype && !(type->dtype == CUC_TF32 && t->dtype == CUC_F32))
        return refuse(text, bytes, "argument %s: expected elements of %s, got %s", p->name,
                      cuc_dtype_name(type->dtype), cuc_dtype_name(t->dtype));
    if (t->rank != type->rank)
        return refuse(text, bytes, "argument %s: expected %d %s, got %d", p->name, type->rank,
                      type->rank == 1 ? "axis" : "axes", t->rank);
    for (uint32_t axis = 0; axis < type->rank; axis++) {
        const struct tile_extent *extent = &p->extent[axis];
        if (extent->kind == TILE_EXTENT_STATIC && t->shape[axis] != extent->value)
            return refuse(text, bytes, "argument %s: axis %u: expected %" PRId64 ", got %" PRId64,
                          p->name, axis, extent->value, t->shape[axis]);
        if (extent->kind != TILE_EXTENT_NAMED)
            continue;
        int64_t *dimension = &set->dimension[extent->dimension];
        if (bound[extent->dimension] && *dimension != t->shape[axis]) {
            const struct tile_dimension *d = &k->dimension[extent->dimension];
            return refuse(text, bytes,
                          "argument %s: axis %u: expected %" PRId64 ", which %s is by argument %s, "
                          "got %" PRId64,
                          p->name, axis, *dimension, d->name, k->parameter[d->parameter].name,
                          t->shape[axis]);
        }
        *dimension = t->shape[axis];
        bound[extent->dimension] = true;
    }
    return true;
}

enum { PIECE_BYTES = 200 };

typedef void describe(char *piece, const struct tile_binding_set *set,
                      const struct tile_host_expression *x, int64_t value);
#define DESCRIBE(name)                                                                  \
    static void describe_##name(char *piece, UNUSED const struct tile_binding_set *set, \
                                UNUSED const struct tile_host_expression *x, UNUSED int64_t value)

static const char *name_of(const struct tile_binding_set *set, const struct tile_host_expression *x)
{
    return set->kernel->parameter[x->index].name;
}

DESCRIBE(nothing)
{
    *piece = '\0';
}

DESCRIBE(dimension)
{
    snprintf(piece, PIECE_BYTES, "%s is %" PRId64, set->kernel->dimension[x->index].name, value);
}

DESCRIBE(scalar)
{
    snprintf(piece, PIECE_BYTES, "%s is %" PRId64, name_of(set, x), value);
}

DESCRIBE(extent)
{
    snprintf(piece, PIECE_BYTES, "extent %u of %s is %" PRId64, x->axis, name_of(set, x), value);
}

DESCRIBE(stride)
{
    snprintf(piece, PIECE_BYTES, "stride %u of %s is %" PRId64, x->axis, name_of(set, x),
             tensor_of(set, x)->strides[x->axis]);
}

DESCRIBE(noalias)
{
    snprintf(piece, PIECE_BYTES, "%s and %s %s", name_of(set, x),
             set->kernel->parameter[x->value].name, value ? "share no byte" : "share bytes");
}

DESCRIBE(aligned)
{
    snprintf(piece, PIECE_BYTES, "%s is at 0x%" PRIx64, name_of(set, x), tensor_of(set, x)->data);
}

// Appends the value of a name in a fact, such as "N is 100". Describes each name only once, even in
// facts such as N % 2 == 0 && N > 4.
static void append_leaf(struct cuc__text *out, const struct tile_binding_set *set,
                        const struct tile_host_expression *x)
{
    static describe *const kinds[] = {
#define TILE_HOST(id, word, evaluate, describe, ...) describe_##describe,
#include "host.def"
    };
    char piece[PIECE_BYTES] = "", why[8];
    int64_t value = 0;

    if (!tile_host_evaluate(set, x, &value, why, sizeof(why)))
        return;
    kinds[x->kind](piece, set, x, value);
    if (*piece && !out->lost && !strstr(out->at, piece))
        cuc__text_put(out, "%s%s", out->length ? ", " : "", piece);
}

static void append_leaves(struct cuc__text *out, const struct tile_binding_set *set,
                          const struct tile_host_expression *x)
{
    append_leaf(out, set, x);
    for (uint32_t i = 0; i < 3 && x->operand[i]; i++)
        append_leaves(out, set, x->operand[i]);
}

static bool refuse_fact(const struct tile_binding_set *set, const struct tile_fact *fact,
                        char *text, size_t bytes)
{
    const struct tile_host_expression *x = fact->holds;
    char values[256] = "", why[8];
    struct cuc__text out = CUC_TEXT_IN(values);
    int64_t left;

    append_leaves(&out, set, x);
    // For a fact such as N % 16 == 0, also show the value of N % 16.
    if (x->kind == TILE_HOST_OP && x->operand[0] && x->operand[1] &&
        x->operand[0]->kind == TILE_HOST_OP && x->operand[1]->kind == TILE_HOST_CONSTANT &&
        tile_host_evaluate(set, x->operand[0], &left, why, sizeof(why)))
        cuc__text_put(&out, "; the left side is %" PRId64, left);
    return refuse(text, bytes, "where %s: it does not hold: %s", fact->text,
                  *values ? values : "it is false");
}

bool tile_bind_dimensions(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes)
{
    const struct tile_kernel *k = set->kernel;
    bool bound[64 * TILE_MAX_RANK] = { 0 };

    if (count != k->parameter_count)
        return refuse(text, bytes, "expected %u argument%s, got %u", k->parameter_count,
                      k->parameter_count == 1 ? "" : "s", count);
    if (k->dimension_count > sizeof(bound))
        return refuse(text, bytes, "more than %zu dimensions", sizeof(bound));
    for (uint32_t i = 0; i < count; i++) {
        const struct tile_parameter *p = &k->parameter[i];
        const struct tile_argument *a = &set->argument[i];
        if (p->value->type.tensor) {
            if (!bind_tensor(set, p, a->tensor, bound, text, bytes))
                return false;
        } else if (a->tensor) {
            return refuse(text, bytes, "argument %s: expected a scalar of %s, got a tensor",
                          p->name, cuc_dtype_name(p->value->type.dtype));
        } else if (a->dtype != CUC_DTYPE_UNKNOWN && a->dtype != p->value->type.dtype) {
            return refuse(text, bytes, "argument %s: expected %s, got %s", p->name,
                          cuc_dtype_name(p->value->type.dtype), cuc_dtype_name(a->dtype));
        }
    }
    return true;
}

bool tile_bind_arguments(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes)
{
    const struct tile_kernel *k = set->kernel;
    char why[160];
    int64_t value;

    if (!tile_bind_dimensions(set, count, text, bytes))
        return false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t axis = 0; axis < k->parameter[i].value->type.rank; axis++) {
            const struct tile_extent *extent = &k->parameter[i].extent[axis];
            if (!k->parameter[i].value->type.tensor || extent->kind != TILE_EXTENT_CHECKED)
                continue;
            if (!tile_host_evaluate(set, extent->check, &value, why, sizeof(why)))
                return refuse(text, bytes, "argument %s: axis %u: its extent has %s",
                              k->parameter[i].name, axis, why);
            if (set->argument[i].tensor->shape[axis] != value)
                return refuse(
                    text, bytes, "argument %s: axis %u: expected %" PRId64 ", got %" PRId64,
                    k->parameter[i].name, axis, value, set->argument[i].tensor->shape[axis]);
        }
    for (uint32_t i = 0; i < k->fact_count; i++) {
        if (!tile_host_evaluate(set, k->fact[i].holds, &value, why, sizeof(why)))
            return refuse(text, bytes, "where %s: %s", k->fact[i].text, why);
        if (!value)
            return refuse_fact(set, &k->fact[i], text, bytes);
    }
    return true;
}

int64_t tile_grid_limit(uint32_t axis)
{
    return axis ? UINT16_MAX : INT32_MAX;
}

bool tile_host_grid(const struct tile_binding_set *set, int64_t grid[3], char *text, size_t bytes)
{
    char why[160];

    grid[0] = grid[1] = grid[2] = 1;
    for (uint32_t i = 0; i < set->kernel->grid_rank; i++) {
        if (!tile_host_evaluate(set, set->kernel->grid[i], &grid[i], why, sizeof(why)))
            return refuse(text, bytes, "grid axis %u: %s", i, why);
        if (grid[i] < 0 || grid[i] > tile_grid_limit(i))
            return refuse(text, bytes, "grid axis %u: expected 0 to %" PRId64 ", got %" PRId64, i,
                          tile_grid_limit(i), grid[i]);
    }
    return true;
}

bool tile_parameters_apart(const struct tile_kernel *k, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < k->fact_count; i++) {
        const struct tile_host_expression *x = k->fact[i].holds;
        if (x->kind == TILE_HOST_NOALIAS && ((x->index == a && (uint32_t)x->value == b) ||
                                             (x->index == b && (uint32_t)x->value == a)))
            return true;
    }
    return false;
}
