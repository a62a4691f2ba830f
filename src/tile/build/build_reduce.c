// Builds reductions, scans and matrix products with the language's conveniences.
#include "build.h"

#include "infer.h"
#include "tile/ir/scalar.h"

#include <string.h>

// Converts bools to integers, so that a sum of bools counts the true ones.
static struct tile_value *countable(struct tile_builder *b, enum tile_combine with,
                                    struct tile_value *x)
{
    bool logical = with == TILE_WITH_ANY || with == TILE_WITH_ALL;

    if (x && !x->type.tensor && x->type.dtype == CUC_BOOL && !logical)
        return tile_build_cast(b, tile_of(x), CUC_I32, TILE_RN);
    return x;
}

struct tile_value *tile_build_reduce(struct tile_builder *b, enum tile_combine with,
                                     struct tile_value *x, uint32_t count, const int64_t *axes,
                                     bool nan, struct tile_rounding how)
{
    struct tile_value *value = countable(b, with, x);
    bool all = !count, extreme = with == TILE_WITH_MIN || with == TILE_WITH_MAX;

    if (!value)
        return NULL;
    if (extreme && how.ftz && how.round == TILE_RN) { // flush each element first: this keeps their
                                                      // order
        const struct tile_operand twice[] = { tile_of(value), tile_of(value) };
        value = tile_build_rounded(b, TILE_MINIMUM, twice, 2, how, nan);
        how.ftz = false;
        if (!value)
            return NULL;
    }
    // Start at the last axis, whose elements are contiguous.
    for (uint32_t i = all ? value->type.rank : count; i-- > 0;) {
        struct tile_attribute attributes[5] = {
            { .key = TILE_ATTR_AXIS, .i = all ? (int64_t)i : axes[i] },
            { .key = TILE_ATTR_WITH, .i = with },
        };
        uint32_t given = 2;
        if (nan)
            attributes[given++] = (struct tile_attribute){ .key = TILE_ATTR_NAN, .i = 1 };
        if (how.round != TILE_RN)
            attributes[given++] = (struct tile_attribute){ .key = TILE_ATTR_ROUND, .i = how.round };
        if (how.ftz)
            attributes[given++] = (struct tile_attribute){ .key = TILE_ATTR_FTZ, .i = 1 };
        value = tile_build(b, TILE_REDUCE, &value, 1, attributes, given, NULL);
        if (!value)
            return NULL;
    }
    return all && !value->type.tensor ? tile_build_reshape(b, value, 0, NULL) : value;
}

struct tile_value *tile_build_arg(struct tile_builder *b, enum tile_op_kind kind,
                                  struct tile_value *x, const int64_t *axis, bool nan)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS, .i = axis ? *axis : 0 };
    int64_t all = x && !x->type.tensor ? tile_elements(&x->type) : 0;

    if (!axis && all)
        x = tile_build_reshape(b, x, 1, &all);
    struct tile_value *at = tile_build(b, kind, &x, 1, &attribute, 1, NULL);
    if (at && nan && tile_is_float(x->type.dtype)) {
        struct tile_value *wrong = tile_build_unary(b, TILE_ISNAN, tile_of(x));
        struct tile_value *first = tile_build_cast(b, tile_of(wrong), CUC_I32, TILE_RN);
        first = tile_build(b, TILE_ARGMAX, &first, 1, &attribute, 1, NULL);
        wrong = tile_build_reduce(b, TILE_WITH_ANY, wrong, 1, &attribute.i, false,
                                  (struct tile_rounding){ TILE_RN, false });
        at = tile_build_where(b, wrong, tile_of(first), tile_of(at));
    }
    return at && !axis ? tile_build_reshape(b, at, 0, NULL) : at;
}

struct tile_value *tile_build_scan(struct tile_builder *b, enum tile_combine with,
                                   struct tile_value *x, int64_t axis, bool reverse)
{
    struct tile_value *value = countable(b, with, x);
    const struct tile_attribute attributes[] = {
        { .key = TILE_ATTR_AXIS, .i = axis },
        { .key = TILE_ATTR_WITH, .i = with },
        { .key = TILE_ATTR_REVERSE, .i = 1 },
    };

    return tile_build(b, TILE_SCAN, &value, 1, attributes, reverse ? 3 : 2, NULL);
}

struct tile_block *tile_begin_function(struct tile_builder *b, uint32_t n,
                                       struct tile_value *const *x)
{
    struct tile_block *block = tile_block_create(b->kernel, NULL, 2 * n);

    for (uint32_t i = 0; block && i < 2 * n; i++) {
        if (!x[i % n])
            return NULL;
        struct tile_type type = tile_scalar(x[i % n]->type.dtype);
        if (!tile_argument_create(b->kernel, block, i, &type))
            return NULL;
    }
    return block;
}

struct tile_op *tile_build_by_function(struct tile_builder *b, enum tile_op_kind kind, uint32_t n,
                                       struct tile_value *const *x,
                                       const struct tile_operand *identity,
                                       struct tile_block *function, int64_t axis, bool reverse)
{
    struct tile_value *operands[2 * TILE_MAX_RANK];
    const struct tile_attribute attributes[] = {
        { .key = TILE_ATTR_AXIS, .i = axis },
        { .key = TILE_ATTR_WITH, .i = TILE_WITH_FN },
        { .key = TILE_ATTR_REVERSE, .i = 1 },
    };

    if (n < 1 || n > TILE_MAX_RANK) {
        tile_error(b->module, TILE_T504, b->where, "%s: expected 1 to %d tiles, got %u",
                   tile_op_infos[kind].name, TILE_MAX_RANK, n);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!x[i])
            return NULL;
        operands[i] = x[i];
        operands[n + i] = identity[i].loose ? tile_build_constant(b, x[i]->type.dtype, identity[i])
                                            : identity[i].value;
    }
    return tile_build_op(b, kind, operands, 2 * n, attributes, reverse ? 3 : 2, function, NULL);
}

struct tile_value *tile_build_mma(struct tile_builder *b, struct tile_value *x,
                                  struct tile_value *y, struct tile_value *acc,
                                  enum tile_precision precision, bool fast_acc)
{
    struct tile_attribute attributes[2];
    uint32_t count = 0;
    struct tile_value *operands[] = { x, y, acc };

    if (!x || !y || !acc)
        return NULL;
    // Broadcast the operands' batch axes to the accumulator's.
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_type *type = &operands[i]->type;
        int64_t extent[TILE_MAX_RANK];
        uint32_t rank = acc->type.rank;
        if (type->tensor || acc->type.tensor || type->rank < 2 || rank < 2 || type->rank > rank)
            continue; // the op's own rules report the error
        for (uint32_t axis = 0; axis < rank; axis++)
            extent[axis] = axis + 2 < rank ? acc->type.extent[axis]
                                           : type->extent[type->rank - (rank - axis)];
        operands[i] = tile_build_broadcast(b, operands[i], rank, extent);
        if (!operands[i])
            return NULL;
    }
    if (precision != TILE_IEEE)
        attributes[count++] = (struct tile_attribute){ .key = TILE_ATTR_PRECISION, .i = precision };
    if (fast_acc)
        attributes[count++] = (struct tile_attribute){ .key = TILE_ATTR_FAST_ACC, .i = 1 };
    return tile_build(b, TILE_MMA, operands, 3, attributes, count, NULL);
}

struct tile_value *tile_build_product(struct tile_builder *b, struct tile_value *x,
                                      struct tile_value *y)
{
    struct tile_op shown = { .kind = TILE_MMA };
    int64_t extent[TILE_MAX_RANK];

    if (!x || !y)
        return NULL;
    const struct tile_type *tx = &x->type, *ty = &y->type;
    if (tx->tensor || ty->tensor || tx->rank < 2 || ty->rank < 2) {
        const struct tile_type *wrong = tx->tensor || tx->rank < 2 ? tx : ty;
        const char *text = tile_type_text(b->module->arena, wrong);
        tile_error(b->module, TILE_T210, b->where,
                   "mma: operand %s: expected a tile of at least 2 axes, got %s",
                   wrong == tx ? "a" : "b", text ? text : "?");
        return NULL;
    }
    uint32_t rank = tx->rank > ty->rank ? tx->rank : ty->rank;
    for (uint32_t i = 0; i + 2 < rank; i++) {
        uint32_t lx = rank - tx->rank, ly = rank - ty->rank;
        int32_t ex = i < lx ? 1 : tx->extent[i - lx], ey = i < ly ? 1 : ty->extent[i - ly];
        extent[i] = ex > ey ? ex : ey;
    }
    extent[rank - 2] = tx->extent[tx->rank - 2];
    extent[rank - 1] = ty->extent[ty->rank - 1];
    cuc_dtype dtype = tx->dtype == CUC_F64                         ? CUC_F64
                      : tx->dtype == CUC_I8 || tx->dtype == CUC_U8 ? CUC_I32
                                                                   : CUC_F32;
    struct tile_type type;
    if (!tile_need_shape(b, &shown, rank, extent, &type))
        return NULL;
    struct tile_value *zero = tile_build_constant(b, dtype, tile_of_int(0));
    return tile_build_mma(b, x, y, tile_build_broadcast(b, zero, rank, extent), TILE_IEEE, false);
}
