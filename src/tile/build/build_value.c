// Builds values with the language's conveniences: constants without a dtype, promotion,
// broadcasting.
#include "build.h"

#include "base/arena.h"
#include "infer.h"
#include "tile/ir/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(enum tile_op_kind kind)
{
    return tile_op_infos[kind].name;
}

cuc_dtype tile_promote(cuc_dtype x, cuc_dtype y)
{
    if (x == y)
        return x;
    if (tile_is_restricted(x) || tile_is_restricted(y))
        return CUC_DTYPE_UNKNOWN;
    if (x == CUC_BOOL)
        return y;
    if (y == CUC_BOOL)
        return x;
    bool x_float = tile_is_float(x), y_float = tile_is_float(y);
    if (x_float != y_float)
        return x_float ? x : y;
    if (!x_float && tile_is_signed(x) != tile_is_signed(y))
        return CUC_DTYPE_UNKNOWN;
    if (cuc_dtype_bits(x) == cuc_dtype_bits(y)) // f16 and bf16
        return CUC_DTYPE_UNKNOWN;
    return cuc_dtype_bits(x) > cuc_dtype_bits(y) ? x : y;
}

static bool fits(cuc_dtype dtype, struct tile_operand c)
{
    if (dtype == CUC_BOOL)
        return !c.real && (c.i == 0 || c.i == 1);
    if (tile_is_integer(dtype))
        return !c.real && tile_int_fits(dtype, c.i);
    return !isfinite(c.real ? c.f : 0.0) || tile_real_fits(dtype, c.real ? c.f : (double)c.i);
}

cuc_dtype tile_dtype_of_literal(tile_wide i)
{
    return tile_int_fits(CUC_I32, i) ? CUC_I32 : tile_int_fits(CUC_I64, i) ? CUC_I64 : CUC_U64;
}

const char *tile_wide_text(char text[TILE_WIDE_BYTES], tile_wide i)
{
    if (i < 0)
        snprintf(text, TILE_WIDE_BYTES, "%lld", (long long)i);
    else
        snprintf(text, TILE_WIDE_BYTES, "%llu", (unsigned long long)i);
    return text;
}

bool tile_need_fit(struct tile_builder *b, cuc_dtype dtype, struct tile_operand c)
{
    const char *name = cuc_dtype_name(dtype);
    char digits[TILE_WIDE_BYTES];

    if (fits(dtype, c))
        return true;
    if (c.real && (dtype == CUC_BOOL || tile_is_integer(dtype)))
        tile_error(b->module, TILE_T103, b->where,
                   "constant: %g is a float where a %s belongs: write a cast", c.f, name);
    else if (c.real)
        tile_error(b->module, TILE_T103, b->where, "constant: %g is out of the range of %s", c.f,
                   name);
    else
        tile_error(b->module, TILE_T103, b->where, "constant: %s is out of the range of %s",
                   tile_wide_text(digits, c.i), name);
    return false;
}

struct tile_value *tile_build_constant(struct tile_builder *b, cuc_dtype dtype,
                                       struct tile_operand c)
{
    struct tile_type type = tile_scalar(dtype);
    // A u64 of 2^63 or more keeps its bit pattern.
    struct tile_attribute attribute = { .key = TILE_ATTR_VALUE, .i = (int64_t)c.i };

    if (!tile_need_fit(b, dtype, c))
        return NULL;
    if (dtype != CUC_BOOL && !tile_is_integer(dtype))
        attribute =
            (struct tile_attribute){ .key = TILE_ATTR_REAL, .f = c.real ? c.f : (double)c.i };
    return tile_build(b, TILE_CONSTANT, NULL, 0, &attribute, 1, &type);
}

struct tile_value *tile_build_iota(struct tile_builder *b, cuc_dtype dtype, int64_t count)
{
    struct tile_op shown = { .kind = TILE_IOTA };
    struct tile_type type = { 0 };

    if (!tile_is_integer(dtype)) {
        tile_error(b->module, TILE_T101, b->where,
                   "iota: expected an integer dtype, got %s: write cast(iota(i32, ..), %s)",
                   cuc_dtype_name(dtype), cuc_dtype_name(dtype));
        return NULL;
    }
    if (!tile_need_shape(b, &shown, 1, &count, &type))
        return NULL;
    if (!tile_int_fits(dtype, count - 1)) {
        tile_error(b->module, TILE_T103, b->where, "iota: %lld is out of the range of %s",
                   (long long)count - 1, cuc_dtype_name(dtype));
        return NULL;
    }
    type.dtype = dtype;
    return tile_build(b, TILE_IOTA, NULL, 0, NULL, 0, &type);
}

struct tile_value *tile_build_value(struct tile_builder *b, struct tile_operand x)
{
    if (!x.loose)
        return x.value;
    return tile_build_constant(b, x.real ? CUC_F32 : tile_dtype_of_literal(x.i), x);
}

enum { MOST_WAYS = 3 };
// Stores the attributes for an op's rounding and returns their number, which is 0 for the default.
static uint32_t put_rounding(struct tile_attribute *to, struct tile_rounding how, bool nan)
{
    uint32_t count = 0;

    if (how.round != TILE_RN)
        to[count++] = (struct tile_attribute){ .key = TILE_ATTR_ROUND, .i = how.round };
    if (how.ftz)
        to[count++] = (struct tile_attribute){ .key = TILE_ATTR_FTZ, .i = 1 };
    if (nan)
        to[count++] = (struct tile_attribute){ .key = TILE_ATTR_NAN, .i = 1 };
    return count;
}

struct tile_value *tile_build_cast_rounded(struct tile_builder *b, struct tile_operand x,
                                           cuc_dtype dtype, struct tile_rounding how)
{
    struct tile_type type = tile_scalar(dtype);
    struct tile_attribute attributes[MOST_WAYS];

    if (x.loose && fits(dtype, x))
        return tile_build_constant(b, dtype, x);
    struct tile_value *value = tile_build_value(b, x);
    if (!value || value->type.dtype == dtype)
        return value;
    return tile_build(b, TILE_CAST, &value, 1, attributes, put_rounding(attributes, how, false),
                      &type);
}

struct tile_value *tile_build_cast(struct tile_builder *b, struct tile_operand x, cuc_dtype dtype,
                                   enum tile_round round)
{
    return tile_build_cast_rounded(b, x, dtype, (struct tile_rounding){ round, false });
}

struct tile_value *tile_build_broadcast(struct tile_builder *b, struct tile_value *x, uint32_t rank,
                                        const int64_t *extent)
{
    struct tile_op shown = { .kind = TILE_BROADCAST };
    struct tile_type type = { 0 };

    if (!x || !tile_need_shape(b, &shown, rank, extent, &type))
        return NULL;
    type.dtype = x->type.dtype;
    if (tile_type_same(&x->type, &type))
        return x;
    return tile_build(b, TILE_BROADCAST, &x, 1, NULL, 0, &type);
}

struct tile_value *tile_build_reshape(struct tile_builder *b, struct tile_value *x, uint32_t rank,
                                      const int64_t *extent)
{
    struct tile_op shown = { .kind = TILE_RESHAPE };
    int64_t filled[TILE_MAX_RANK + 1], product = 1;
    struct tile_type type = { 0 };
    uint32_t open = TILE_MAX_RANK + 1;

    if (!x)
        return NULL;
    for (uint32_t i = 0; i < rank && i < TILE_MAX_RANK; i++) {
        filled[i] = extent[i];
        if (extent[i] == -1 && open > TILE_MAX_RANK)
            open = i;
        else if (extent[i] == -1)
            return tile_wrong(b, &shown, TILE_T206, "extent %u: at most one may be -1", i) ? x
                                                                                           : NULL;
        else if (extent[i] > 0 && extent[i] <= TILE_MAX_ELEMENTS && product <= TILE_MAX_ELEMENTS)
            product *= extent[i];
    }
    if (open <= TILE_MAX_RANK && !x->type.tensor) {
        if (!product || tile_elements(&x->type) % product) {
            tile_error(b->module, TILE_T203, b->where,
                       "reshape: %lld elements do not divide by %lld",
                       (long long)tile_elements(&x->type), (long long)product);
            return NULL;
        }
        filled[open] = tile_elements(&x->type) / product;
    }
    if (!tile_need_shape(b, &shown, rank, filled, &type))
        return NULL;
    type.dtype = x->type.dtype;
    if (tile_type_same(&x->type, &type))
        return x;
    return tile_build(b, TILE_RESHAPE, &x, 1, NULL, 0, &type);
}

struct tile_value *tile_build_permute(struct tile_builder *b, struct tile_value *x, uint32_t count,
                                      const int64_t *axes)
{
    int64_t *kept = tile_take(b->module, (count + 1) * sizeof(*kept));

    if (!x || !kept)
        return NULL;
    if (count)
        memcpy(kept, axes, count * sizeof(*kept));
    struct tile_attribute attribute = { .key = TILE_ATTR_AXES, .count = count, .ints = kept };
    return tile_build(b, TILE_PERMUTE, &x, 1, &attribute, 1, NULL);
}

// True if the tile with fewer axes would fit if its axes were the first ones of the other.
static bool would_fit_with_last_axes(const struct tile_type *x, const struct tile_type *y)
{
    const struct tile_type *few = x->rank < y->rank ? x : y, *many = few == x ? y : x;

    for (uint32_t axis = 0; axis < few->rank; axis++)
        if (few->extent[axis] != 1 && many->extent[axis] != 1 &&
            few->extent[axis] != many->extent[axis])
            return false;
    return few->rank && few->rank < many->rank;
}

bool tile_broadcast_together(struct tile_builder *b, enum tile_op_kind kind,
                             struct tile_value **values, uint32_t count)
{
    int64_t extent[TILE_MAX_RANK] = { 0 };
    uint32_t rank = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!values[i])
            return false;
        if (values[i]->type.tensor) {
            tile_error(b->module, TILE_T302, b->where,
                       "%s: expected a tile, got a tensor: load from it first", name_of(kind));
            return false;
        }
        rank = values[i]->type.rank > rank ? values[i]->type.rank : rank;
    }
    for (uint32_t axis = 0; axis < rank; axis++)
        extent[axis] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct tile_type *type = &values[i]->type;
        uint32_t lead = rank - type->rank;
        for (uint32_t axis = 0; axis < type->rank; axis++) {
            int64_t have = type->extent[axis], *want = &extent[lead + axis];
            if (have != 1 && *want != 1 && have != *want) {
                const char *x = tile_type_text(b->module->arena, &values[0]->type);
                const char *y = tile_type_text(b->module->arena, type);
                tile_error(b->module, TILE_T201, b->where,
                           "%s: %s and %s do not broadcast together%s",
                           b->op ? b->op : name_of(kind), x ? x : "?", y ? y : "?",
                           would_fit_with_last_axes(&values[0]->type, type)
                               ? ": [:, None] gives a tile a last axis of extent 1"
                               : "");
                return false;
            }
            if (have != 1)
                *want = have;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        values[i] = tile_build_broadcast(b, values[i], rank, extent);
        if (!values[i])
            return false;
    }
    return true;
}

// Returns the common dtype of operands. Constants adopt the dtype of the values, but a real
// constant with integer values makes the result f32.
static cuc_dtype common_dtype(struct tile_builder *b, enum tile_op_kind kind,
                              const struct tile_operand *x, uint32_t count)
{
    cuc_dtype dtype = CUC_DTYPE_UNKNOWN;
    bool real = false, any = false;

    for (uint32_t i = 0; i < count; i++) {
        if (x[i].loose) {
            real |= x[i].real;
            continue;
        }
        cuc_dtype other = x[i].value->type.dtype;
        cuc_dtype both = any ? tile_promote(dtype, other) : other;
        if (both == CUC_DTYPE_UNKNOWN) {
            tile_error(b->module, TILE_T102, b->where,
                       "%s: operands of %s and %s have no common dtype: cast one", name_of(kind),
                       cuc_dtype_name(dtype), cuc_dtype_name(other));
            return CUC_DTYPE_UNKNOWN;
        }
        dtype = both;
        any = true;
    }
    if (!any) {
        dtype = real ? CUC_F32 : CUC_I32;
        for (uint32_t i = 0; i < count && !real; i++)
            if (tile_dtype_of_literal(x[i].i) > dtype)
                dtype = tile_dtype_of_literal(x[i].i);
    }
    if (real && (tile_is_integer(dtype) || dtype == CUC_BOOL))
        dtype = CUC_F32;
    return dtype;
}

// Converts operands to values of one dtype and shape.
static bool bring_together(struct tile_builder *b, enum tile_op_kind kind,
                           const struct tile_operand *x, uint32_t count, cuc_dtype dtype,
                           struct tile_value **out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!x[i].loose && (!x[i].value || x[i].value->type.tensor)) {
            if (x[i].value)
                tile_error(b->module, TILE_T302, b->where,
                           "%s: expected a tile, got a tensor: load from it first", name_of(kind));
            return false;
        }
    }
    if (dtype == CUC_DTYPE_UNKNOWN)
        dtype = common_dtype(b, kind, x, count);
    if (dtype == CUC_DTYPE_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = x[i].loose ? tile_build_constant(b, dtype, x[i])
                            : tile_build_cast(b, x[i], dtype, TILE_RN);
        if (!out[i])
            return false;
    }
    return tile_broadcast_together(b, kind, out, count);
}

struct tile_value *tile_build_unary(struct tile_builder *b, enum tile_op_kind kind,
                                    struct tile_operand x)
{
    struct tile_value *value = tile_build_value(b, x);

    return tile_build(b, kind, &value, 1, NULL, 0, NULL);
}

// Returns the dtype of a quotient: `/` on integers divides in f32.
static cuc_dtype quotient(const struct tile_operand *x)
{
    for (uint32_t i = 0; i < 2; i++)
        if (x[i].loose ? x[i].real : x[i].value && !tile_is_integer(x[i].value->type.dtype))
            return CUC_DTYPE_UNKNOWN;
    return CUC_F32;
}

static struct tile_value *build_binary(struct tile_builder *b, enum tile_op_kind kind,
                                       struct tile_operand x, struct tile_operand y,
                                       struct tile_rounding how, bool nan)
{
    struct tile_operand operands[] = { x, y };
    struct tile_attribute attributes[MOST_WAYS];
    struct tile_value *values[2];
    bool arithmetic = kind >= TILE_ADD && kind <= TILE_MAXIMUM;

    // Report that bools have no arithmetic, even when the other operand is a constant.
    for (uint32_t i = 0; arithmetic && i < 2; i++)
        if (operands[i].loose && !operands[i].real && !operands[1 - i].loose &&
            operands[1 - i].value && operands[1 - i].value->type.dtype == CUC_BOOL)
            operands[i] = tile_of_int(0);

    if (!bring_together(b, kind, operands, 2,
                        kind == TILE_DIV ? quotient(operands) : CUC_DTYPE_UNKNOWN, values))
        return NULL;
    return tile_build(b, kind, values, 2, attributes, put_rounding(attributes, how, nan), NULL);
}

struct tile_value *tile_build_binary(struct tile_builder *b, enum tile_op_kind kind,
                                     struct tile_operand x, struct tile_operand y, bool nan)
{
    return build_binary(b, kind, x, y, (struct tile_rounding){ TILE_RN, false }, nan);
}

struct tile_value *tile_build_rounded(struct tile_builder *b, enum tile_op_kind kind,
                                      const struct tile_operand *x, uint32_t count,
                                      struct tile_rounding how, bool nan)
{
    struct tile_attribute attributes[MOST_WAYS];
    struct tile_value *values[3];

    if (count == 2)
        return build_binary(b, kind, x[0], x[1], how, nan);
    if (count == 1)
        values[0] = tile_build_value(b, x[0]);
    else if (!bring_together(b, kind, x, count, CUC_DTYPE_UNKNOWN, values))
        return NULL;
    return tile_build(b, kind, values, count, attributes, put_rounding(attributes, how, nan), NULL);
}

struct tile_value *tile_build_fma(struct tile_builder *b, struct tile_operand x,
                                  struct tile_operand y, struct tile_operand z)
{
    const struct tile_operand operands[] = { x, y, z };

    return tile_build_rounded(b, TILE_FMA, operands, 3, (struct tile_rounding){ TILE_RN, false },
                              false);
}

struct tile_value *tile_build_where(struct tile_builder *b, struct tile_value *c,
                                    struct tile_operand x, struct tile_operand y)
{
    const struct tile_operand operands[] = { x, y };
    struct tile_value *values[3] = { c };

    if (!c || !bring_together(b, TILE_WHERE, operands, 2, CUC_DTYPE_UNKNOWN, values + 1) ||
        !tile_broadcast_together(b, TILE_WHERE, values, 3))
        return NULL;
    return tile_build(b, TILE_WHERE, values, 3, NULL, 0, NULL);
}
