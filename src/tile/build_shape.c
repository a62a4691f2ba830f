// Constructs of the language that are an op or a few, with checks of their own: fills, shapes,
// random numbers, inline PTX, prints.
#include "build.h"

#include "infer.h"
#include "scalar.h"

#include <string.h>

struct tile_value *tile_build_full(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                   const int64_t *extent, struct tile_operand x)
{
    if (x.loose && !tile_need_fit(b, dtype, x))
        return NULL;
    return tile_build_broadcast(b, tile_build_cast(b, x, dtype, TILE_RN), rank, extent);
}

struct tile_value *tile_build_squeeze(struct tile_builder *b, struct tile_value *x, int64_t axis)
{
    int64_t extent[TILE_MAX_RANK];
    uint32_t rank = 0;

    if (!x)
        return NULL;
    if (x->type.tensor || axis < 0 || axis >= x->type.rank || x->type.extent[axis] != 1) {
        const char *text = tile_type_text(b->module->arena, &x->type);
        tile_error(b->module, TILE_T204, b->where,
                   "squeeze: expected an axis of extent 1, got axis %lld of %s", (long long)axis,
                   text ? text : "?");
        return NULL;
    }
    for (int64_t i = 0; i < x->type.rank; i++)
        if (i != axis)
            extent[rank++] = x->type.extent[i];
    return tile_build_reshape(b, x, rank, extent);
}

struct tile_value *tile_build_trans(struct tile_builder *b, struct tile_value *x)
{
    int64_t axes[TILE_MAX_RANK];

    if (!x)
        return NULL;
    if (x->type.tensor || x->type.rank < 2) {
        const char *text = tile_type_text(b->module->arena, &x->type);
        tile_error(b->module, TILE_T204, b->where,
                   "trans: expected a tile of at least 2 axes, got %s", text ? text : "?");
        return NULL;
    }
    for (int64_t i = 0; i < x->type.rank; i++)
        axes[i] = i;
    axes[x->type.rank - 2] = x->type.rank - 1;
    axes[x->type.rank - 1] = x->type.rank - 2;
    return tile_build_permute(b, x, x->type.rank, axes);
}

struct tile_value *tile_build_shift(struct tile_builder *b, struct tile_value *x,
                                    struct tile_value *n, int64_t axis, struct tile_operand pad)
{
    struct tile_value *operands[] = { x, n, NULL };
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS, .i = axis };

    if (!x)
        return NULL;
    operands[2] = tile_build_cast(b, pad, x->type.dtype, TILE_RN);
    return tile_build(b, TILE_SHIFT, operands, 3, &attribute, 1, NULL);
}

// An integer as u64.
static struct tile_value *whole(struct tile_builder *b, const char *name, struct tile_operand x)
{
    cuc_dtype dtype = x.loose ? (x.real ? CUC_F32 : CUC_I64)
                              : (x.value ? x.value->type.dtype : CUC_I64);

    if (!tile_is_integer(dtype)) {
        tile_error(b->module, TILE_T101, b->where,
                   "philox: operand %s: expected an integer, got %s", name, cuc_dtype_name(dtype));
        return NULL;
    }
    return tile_build_cast(b, x, CUC_U64, TILE_RN);
}

struct tile_op *tile_build_philox(struct tile_builder *b, struct tile_operand seed,
                                  struct tile_operand counter)
{
    struct tile_value *operands[2];

    operands[0] = whole(b, "seed", seed);
    operands[1] = whole(b, "counter", counter);
    return tile_broadcast_together(b, TILE_PHILOX, operands, 2)
               ? tile_build_op(b, TILE_PHILOX, operands, 2, NULL, 0, NULL, NULL)
               : NULL;
}

struct tile_value *tile_build_asm(struct tile_builder *b, const char *text, cuc_dtype dtype,
                                  uint32_t count, const struct tile_operand *x)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_TEXT, .text = text };
    struct tile_value *operands[TILE_MAX_RANK];
    struct tile_type wanted = tile_scalar(dtype);

    for (uint32_t i = 0; i < count; i++)
        operands[i] = tile_build_value(b, x[i]);
    return tile_broadcast_together(b, TILE_ASM, operands, count)
               ? tile_build(b, TILE_ASM, operands, count, &attribute, 1, &wanted)
               : NULL;
}

void tile_build_print(struct tile_builder *b, const char *text, uint32_t count,
                      struct tile_value *const *x)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_TEXT, .text = text };
    uint32_t marks = 0;

    for (const char *at = text; (at = strstr(at, "{}")); at += 2)
        marks++;
    if (marks != count)
        tile_error(b->module, TILE_T504, b->where, "print: %u {} for %u values", marks, count);
    else
        tile_build(b, TILE_PRINT, x, count, &attribute, 1, NULL);
}
