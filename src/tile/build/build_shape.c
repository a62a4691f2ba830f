// Builds constructs that need checks of their own: fills, shape changes, random numbers, inline
// PTX, prints.
#include "build.h"

#include "infer.h"
#include "tile/ir/print_format.h"
#include "tile/ir/scalar.h"

#include <string.h>

struct tile_value *tile_build_full(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                   const int64_t *extent, struct tile_operand x)
{
    if (x.loose && !tile_need_fit(b, dtype, x))
        return NULL;
    return tile_build_broadcast(b, tile_build_cast(b, x, dtype, TILE_RN), rank, extent);
}

struct tile_value *tile_build_listed(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                     const int64_t *extent, uint32_t count,
                                     const struct tile_operand *x, const struct tile_location *at)
{
    struct tile_value *value = NULL, *place = NULL;
    struct tile_location call = b->where;
    int64_t all = count;

    for (uint32_t i = 0; i < count; i++) {
        b->where = at ? at[i] : call;
        if (!x[i].loose && (!x[i].value || x[i].value->type.tensor || x[i].value->type.rank)) {
            const char *text = x[i].value ? tile_type_text(b->module->arena, &x[i].value->type)
                                          : NULL;
            if (x[i].value)
                tile_error(b->module, TILE_T209, b->where,
                           "full: element %u: expected a scalar, got %s", i, text ? text : "?");
            return NULL;
        }
        struct tile_value *one = tile_build_full(b, dtype, 0, NULL, x[i]);
        if (!i) {
            value = one;
            continue;
        }
        if (!place)
            place = tile_build_iota(b, CUC_I32, count);
        struct tile_value *here =
            tile_build_binary(b, TILE_EQ, tile_of(place), tile_of_int(i), false);
        if (!one || !value || !here)
            return NULL;
        value = tile_build_where(b, here, tile_of(one), tile_of(value));
    }
    b->where = call;
    return tile_build_reshape(b, tile_build_broadcast(b, value, 1, &all), rank, extent);
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

// Converts a padding value to the dtype of the tile that it pads, unless that loses something.
static struct tile_value *padding(struct tile_builder *b, cuc_dtype dtype, struct tile_operand pad)
{
    bool taken = pad.loose || !pad.value || tile_promote(pad.value->type.dtype, dtype) == dtype;

    return pad.loose ? tile_build_constant(b, dtype, pad)
           : taken   ? tile_build_cast(b, pad, dtype, TILE_RN)
                     : pad.value;
}

struct tile_value *tile_build_shift(struct tile_builder *b, struct tile_value *x,
                                    struct tile_value *n, int64_t axis, struct tile_operand pad)
{
    struct tile_value *operands[] = { x, n, NULL };
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS, .i = axis };

    if (!x)
        return NULL;
    operands[2] = padding(b, x->type.dtype, pad);
    return tile_build(b, TILE_SHIFT, operands, 3, &attribute, 1, NULL);
}

struct tile_value *tile_build_place(struct tile_builder *b, struct tile_value *x,
                                    struct tile_value *position, const int64_t *extent,
                                    struct tile_operand pad)
{
    struct tile_value *operands[] = { x, position, NULL };
    struct tile_attribute attribute = { .key = TILE_ATTR_COUNT };

    if (!x || !position)
        return NULL;
    attribute.i = extent ? *extent : tile_elements(&position->type);
    operands[2] = padding(b, x->type.dtype, pad);
    return tile_build(b, TILE_PLACE, operands, 3, &attribute, 1, NULL);
}

// Returns the unsigned integer dtype with the given width.
static cuc_dtype bits_of_width(uint32_t bits)
{
    return bits == 8 ? CUC_U8 : bits == 16 ? CUC_U16 : bits == 32 ? CUC_U32 : CUC_U64;
}

static struct tile_value *same_bits(struct tile_builder *b, struct tile_value *x, cuc_dtype dtype)
{
    struct tile_type wanted = tile_scalar(dtype);

    return x && x->type.dtype == dtype ? x : tile_build(b, TILE_BITCAST, &x, 1, NULL, 0, &wanted);
}

// Splits the last axis into pieces of `count` elements; a count of 0 merges the last two axes.
static struct tile_value *in_pieces(struct tile_builder *b, struct tile_value *x, int64_t count)
{
    int64_t extent[TILE_MAX_RANK + 1];
    uint32_t rank = x ? x->type.rank : 0;

    if (!x)
        return NULL;
    for (uint32_t i = 0; i < rank; i++)
        extent[i] = x->type.extent[i];
    if (!count) {
        extent[rank - 2] *= extent[rank - 1];
        return tile_build_reshape(b, x, rank - 1, extent);
    }
    extent[rank - 1] /= count;
    extent[rank] = count;
    return tile_build_reshape(b, x, rank + 1, extent);
}

// If the widths differ, the last axis grows or shrinks, lowest bits first. Shifts implement this,
// so only elementwise ops and sums are needed.
struct tile_value *tile_build_bitcast(struct tile_builder *b, struct tile_value *x, cuc_dtype dtype)
{
    const struct tile_op shown = { .kind = TILE_BITCAST };
    uint32_t from = x ? cuc_dtype_bits(x->type.dtype) : 0, to = cuc_dtype_bits(dtype);
    cuc_dtype narrow = bits_of_width(from < to ? from : to);
    cuc_dtype wide = bits_of_width(from < to ? to : from);

    if (!x || x->type.tensor || from == to || x->type.dtype == CUC_BOOL || dtype == CUC_BOOL)
        return same_bits(b, x, dtype);
    int64_t last = x->type.rank ? x->type.extent[x->type.rank - 1] : 0;
    int64_t count = from < to ? to / from : from / to;
    if (!last || (from < to && last % count)) {
        tile_wrong(b, &shown, TILE_T104,
                   "%s and %s have different widths: expected a last axis%s%s",
                   cuc_dtype_name(x->type.dtype), cuc_dtype_name(dtype),
                   last ? " that is a multiple of " : "",
                   !last        ? ""
                   : count == 2 ? "2"
                   : count == 4 ? "4"
                                : "8");
        return NULL;
    }
    struct tile_value *place = tile_build_iota(b, wide, count);
    place =
        tile_build_binary(b, TILE_MUL, tile_of(place), tile_of_int(from < to ? from : to), false);
    x = same_bits(b, x, bits_of_width(from));
    if (from > to) {
        x = in_pieces(b, x, 1);
        x = x ? tile_build_binary(b, TILE_SHR, tile_of(x), tile_of(place), false) : NULL;
        x = x ? tile_build_cast(b, tile_of(x), narrow, TILE_RN) : NULL;
        return same_bits(b, in_pieces(b, x, 0), dtype);
    }
    x = in_pieces(b, x, count);
    x = x ? tile_build_cast(b, tile_of(x), wide, TILE_RN) : NULL;
    x = x ? tile_build_binary(b, TILE_SHL, tile_of(x), tile_of(place), false) : NULL;
    int64_t axis = x ? x->type.rank - 1 : 0;
    x = x ? tile_build_reduce(b, TILE_WITH_SUM, x, 1, &axis, false,
                              (struct tile_rounding){ TILE_RN, false })
          : NULL;
    return same_bits(b, in_pieces(b, x, 0), dtype);
}

// Casts an integer to u64.
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
    struct tile_mark mark;
    uint32_t marks = 0;

    for (const char *at = text; tile_find_mark(at, &mark); at = mark.end) {
        int length = (int)(mark.end - mark.at);
        if (mark.wrong) {
            tile_error(
                b->module, TILE_T504, b->where,
                "print: expected {} or a format such as {:8.3f}, with one of d i o u x X for "
                "integers and e E f g G a A for floats, got %.*s",
                length, mark.at);
            return;
        }
        if (marks < count && x[marks] && !x[marks]->type.tensor &&
            !tile_mark_fits(&mark, x[marks]->type.dtype)) {
            tile_error(b->module, TILE_T101, b->where, "print: value %u: %.*s does not write %s",
                       marks, length, mark.at, cuc_dtype_name(x[marks]->type.dtype));
            return;
        }
        marks++;
    }
    if (marks != count)
        tile_error(b->module, TILE_T504, b->where, "print: %u {} for %u value%s", marks, count,
                   TILE_S(count));
    else
        tile_build(b, TILE_PRINT, x, count, &attribute, 1, NULL);
}
