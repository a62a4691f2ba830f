// Reductions along an axis: registers of a thread first, then lanes by shuffles, then warps through
// shared memory. The order is the layout's, so a compiled kernel gives the same bits at every
// launch.
//
// Sums and products of f16 and bf16 run in f32 and are rounded once. Padding beyond the extent
// takes part as the identity.
#include "emit.h"

#include <string.h>

enum { MOST_VALUES = TILE_MAX_RANK };

// What is reduced together: one value, a value and its index, or the tiles of a function.
struct reduction {
    struct tile_emitter *e;
    const struct tile_op *op;
    uint32_t n;
    cuc_dtype dtype[MOST_VALUES]; // computed in
    tile_register identity[MOST_VALUES];
    void (*combine)(struct reduction *r, const tile_register *x, const tile_register *y,
                    tile_register *out);
    uint32_t axis;
};

static uint32_t bytes_of(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}

// Warps: each writes its partial results; all read those of the warps that they are reduced with,
// in the order of the warps.
static void across_warps(struct reduction *r, tile_register (*partial)[MOST_VALUES], uint32_t count,
                         uint32_t lanes_mask, uint32_t warps_mask)
{
    struct tile_emitter *e = r->e;
    uint32_t kept_lanes = 31u & ~lanes_mask;
    uint32_t others = (e->warps - 1) & ~warps_mask;
    uint32_t lane_bits = (uint32_t)__builtin_popcount(kept_lanes);
    uint32_t warp_bits = (uint32_t)__builtin_popcount(warps_mask);
    uint32_t slots = count << lane_bits, groups = e->warps;
    uint32_t at[MOST_VALUES], bytes = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        at[i] = bytes;
        bytes += (groups * slots * bytes_of(r->dtype[i]) + 15u) & ~15u;
    }
    tile_register shared = tile_scratch(e, bytes);
    // Slot of a thread: its kept lanes, then its place among the reduced warps, then the other
    // warps.
    tile_register lane = tile_compress(e, e->lane, kept_lanes);
    tile_register group = tile_compress(e, e->warp, others),
                  within = tile_compress(e, e->warp, warps_mask);
    tile_register first = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", group, warp_bits);
    tile_register mine = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first, within);
    tile_register writer = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, lanes_mask);
    tile_register writes = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", writer);

    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = bytes_of(r->dtype[i]);
        tile_register slot = tile_new(e, TILE_R32), place = tile_new(e, TILE_R32);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", slot, mine, slots, lane);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", place, slot, size, shared);
        for (uint32_t k = 0; k < count; k++)
            tile_emit_store(e, "", "shared", r->dtype[i], &partial[k][i], 1, place,
                            (int64_t)at[i] + (int64_t)(k << lane_bits) * size, writes);
    }
    tile_scratch_written(e);
    for (uint32_t k = 0; k < count; k++) {
        tile_register sum[MOST_VALUES], other[MOST_VALUES], next[MOST_VALUES];
        for (uint32_t w = 0; w < UINT32_C(1) << warp_bits; w++) {
            for (uint32_t i = 0; i < r->n; i++) {
                uint32_t size = bytes_of(r->dtype[i]);
                tile_register slot = tile_new(e, TILE_R32), place = tile_new(e, TILE_R32);
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", slot, first, slots, lane);
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", place, slot, size, shared);
                other[i] = tile_new(e, tile_class_of(r->dtype[i]));
                tile_emit_load(e, "", "shared", r->dtype[i], &other[i], 1, place,
                               (int64_t)at[i] + (int64_t)(w * slots + (k << lane_bits)) * size,
                               TILE_NO_REGISTER);
            }
            if (!w) {
                memcpy(sum, other, sizeof(sum));
                continue;
            }
            r->combine(r, sum, other, next);
            memcpy(sum, next, sizeof(sum));
        }
        memcpy(partial[k], sum, sizeof(sum));
    }
}

// The number of the result's register that holds what register `index` of the operand goes into.
static uint32_t result_register(const struct tile_value *in, const struct tile_value *out,
                                uint32_t axis, uint32_t index)
{
    for (uint32_t i = 0; i < tile_register_count(out); i++) {
        bool same = true;
        for (uint32_t n = 0; same && n < in->type.rank; n++)
            same = n == axis || tile_register_coordinate(in->layout, index, n) ==
                                    tile_register_coordinate(out->layout, i, n);
        if (same)
            return i;
    }
    return 0;
}

// in[i][register] of each operand; out[register][i].
static bool reduce(struct reduction *r, tile_register (*in)[MOST_VALUES],
                   tile_register (*out)[MOST_VALUES])
{
    struct tile_emitter *e = r->e;
    const struct tile_value *x = r->op->operand[0], *y = r->op->result[0];
    const struct tile_layout *layout = x->layout;
    uint32_t count = tile_register_count(x), results = tile_register_count(y);
    uint32_t mask = ((UINT32_C(1) << layout->axis_bits[r->axis]) - 1)
                    << tile_axis_shift(layout, r->axis);
    uint32_t lanes = 0, warps = 0;

    for (uint32_t i = 0; i < results; i++)
        out[i][0] = TILE_NO_REGISTER;
    for (uint32_t k = 0; k < count; k++) {
        bool none;
        tile_register inside = tile_inside_tile(e, x, k, &none);
        uint32_t to = result_register(x, y, r->axis, k);
        if (none || tile_repeats(layout, k))
            continue;
        tile_register value[MOST_VALUES], next[MOST_VALUES];
        for (uint32_t i = 0; i < r->n; i++) {
            value[i] = in[k][i];
            if (inside)
                value[i] = tile_select(e, inside, value[i], r->identity[i]);
        }
        if (!out[to][0]) {
            memcpy(out[to], value, sizeof(value));
            continue;
        }
        r->combine(r, out[to], value, next);
        memcpy(out[to], next, sizeof(next));
    }
    for (uint32_t i = 0; i < results; i++)
        if (!out[i][0]) // padding alone
            memcpy(out[i], r->identity, sizeof(out[i]));
    for (uint32_t bit = 0; bit < TILE_LANE_BITS; bit++)
        if (layout->basis[layout->register_bits + bit] & mask)
            lanes |= UINT32_C(1) << bit;
    for (uint32_t bit = 0; bit < layout->warp_bits; bit++)
        if (layout->basis[layout->register_bits + TILE_LANE_BITS + bit] & mask)
            warps |= UINT32_C(1) << bit;
    for (uint32_t left = lanes; left; left &= left - 1)
        for (uint32_t i = 0; i < results; i++) {
            tile_register other[MOST_VALUES], next[MOST_VALUES];
            for (uint32_t n = 0; n < r->n; n++)
                other[n] = tile_shuffle_xor(e, out[i][n], left & -left);
            r->combine(r, out[i], other, next);
            memcpy(out[i], next, sizeof(next));
        }
    if (warps)
        across_warps(r, out, results, lanes, warps);
    return !e->failed;
}

// One value

static void combine_plain(struct reduction *r, const tile_register *x, const tile_register *y,
                          tile_register *out)
{
    out[0] = tile_emit_combine(r->e,
                               (enum tile_combine)tile_int(r->op, TILE_ATTR_WITH, TILE_WITH_SUM),
                               r->dtype[0], tile_int(r->op, TILE_ATTR_NAN, 0), x[0], y[0]);
}

// By a function: its block is emitted with its arguments bound to registers.
static void combine_by_function(struct reduction *r, const tile_register *x, const tile_register *y,
                                tile_register *out)
{
    const struct tile_block *fn = r->op->block[0];
    struct tile_emitter *e = r->e;

    for (uint32_t i = 0; i < r->n; i++) {
        const tile_register *both[] = { x, y };
        for (uint32_t side = 0; side < 2; side++) {
            tile_register *slot = tile_take(e->module, sizeof(*slot));
            if (!slot) {
                e->failed = true;
                memcpy(out, x, r->n * sizeof(*out));
                return;
            }
            *slot = both[side][i];
            e->value[fn->argument[side * r->n + i]->id] = slot;
        }
    }
    tile_emit_function(e, fn);
    for (uint32_t i = 0; i < r->n; i++) {
        const tile_register *reg = tile_registers(e, fn->last->operand[i]);
        out[i] = reg ? reg[0] : x[i];
    }
}

static bool give(struct reduction *r, tile_register (*out)[MOST_VALUES], uint32_t value,
                 const struct tile_value *result, bool narrows)
{
    uint32_t count = tile_register_count(result);
    tile_register *reg = tile_take(r->e->module, count * sizeof(*reg));

    if (!reg)
        return false;
    for (uint32_t i = 0; i < count; i++)
        reg[i] = narrows ? tile_narrow(r->e, result->type.dtype, out[i][value]) : out[i][value];
    r->e->value[result->id] = reg;
    return true;
}

bool tile_emit_reduce(struct tile_emitter *e, const struct tile_op *op)
{
    struct reduction r = {
        .e = e, .op = op, .n = op->result_count, .axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0)
    };
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    uint32_t count = tile_register_count(op->operand[0]);
    uint32_t results = tile_register_count(op->result[0]);
    tile_register(*in)[MOST_VALUES] = tile_take(e->module, count * sizeof(*in));
    tile_register(*out)[MOST_VALUES] = tile_take(e->module, results * sizeof(*out));
    cuc_dtype dtype = op->operand[0]->type.dtype;
    bool widens = (dtype == CUC_F16 || dtype == CUC_BF16) && with != TILE_WITH_FN;

    if (!in || !out)
        return false;
    for (uint32_t i = 0; i < r.n; i++) {
        r.dtype[i] = widens ? CUC_F32 : op->operand[i]->type.dtype;
        r.identity[i] =
            with == TILE_WITH_FN
                ? tile_registers(e, op->operand[r.n + i])[0]
                : tile_constant_register(e, r.dtype[i], tile_element_identity(with, r.dtype[i]));
        const tile_register *x = tile_registers(e, op->operand[i]);
        for (uint32_t k = 0; k < count; k++)
            in[k][i] = widens ? tile_widen(e, dtype, x[k]) : x[k];
    }
    // Of elements that are all NaN a minimum without `nan` is NaN: min and max of PTX see to it
    // when nothing but elements goes in.
    if ((with == TILE_WITH_MIN || with == TILE_WITH_MAX) && tile_is_float(dtype))
        r.identity[0] = tile_constant_register(
            e, r.dtype[0],
            tile_int(op, TILE_ATTR_NAN, 0) ? tile_element_identity(with, r.dtype[0])
            : r.dtype[0] == CUC_F64        ? UINT64_C(0x7fffffffffffffff)
                                           : UINT64_C(0x7fffffff));
    r.combine = with == TILE_WITH_FN ? combine_by_function : combine_plain;
    if (!reduce(&r, in, out))
        return false;
    for (uint32_t i = 0; i < r.n; i++)
        if (!give(&r, out, i, op->result[i], widens))
            return false;
    return true;
}

// The least or largest and its index: of equals the smaller index, of NaN nothing.
static void combine_arg(struct reduction *r, const tile_register *x, const tile_register *y,
                        tile_register *out)
{
    struct tile_emitter *e = r->e;
    enum tile_op_kind order = r->op->kind == TILE_ARGMIN ? TILE_LT : TILE_GT;
    cuc_dtype dtype = r->dtype[0];
    static const char *const types[] = { "pred", "b16", "b32", "b64" };
    tile_register better = tile_emit_binary(e, order, dtype, false, y[0], x[0]);
    tile_register equal = tile_emit_binary(e, TILE_EQ, dtype, false, y[0], x[0]);
    tile_register before = tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, %R", y[1], x[1]);
    tile_register tie = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", equal, before);
    tile_register takes = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", better, tie);

    if (tile_is_float(dtype)) { // x is NaN and y is none; or both are, and y stands before
        const char *type = dtype == CUC_F64 ? "f64" : "f32";
        tile_register nan = tile_new(e, TILE_PRED), number = tile_new(e, TILE_PRED);
        tile_ins(e, "testp.notanumber.%s %R, %R", type, nan, x[0]);
        tile_ins(e, "testp.number.%s %R, %R", type, number, y[0]);
        tile_register first = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", number, before);
        tile_register only = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", nan, first);
        takes = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", takes, only);
    }
    out[0] = tile_new(e, tile_class_of(dtype));
    tile_ins(e, "selp.%s %R, %R, %R, %R", types[tile_class_of(dtype)], out[0], y[0], x[0], takes);
    out[1] = tile_new(e, TILE_R32);
    tile_ins(e, "selp.b32 %R, %R, %R, %R", out[1], y[1], x[1], takes);
}

bool tile_emit_arg(struct tile_emitter *e, const struct tile_op *op)
{
    struct reduction r = { .e = e,
                           .op = op,
                           .n = 2,
                           .combine = combine_arg,
                           .axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0) };
    const struct tile_value *x = op->operand[0];
    uint32_t count = tile_register_count(x), results = tile_register_count(op->result[0]);
    tile_register(*in)[MOST_VALUES] = tile_take(e->module, count * sizeof(*in));
    tile_register(*out)[MOST_VALUES] = tile_take(e->module, results * sizeof(*out));
    cuc_dtype dtype = x->type.dtype;
    bool widens = dtype == CUC_F16 || dtype == CUC_BF16;

    if (!in || !out)
        return false;
    r.dtype[0] = widens ? CUC_F32 : dtype;
    r.dtype[1] = CUC_I32;
    // Padding loses against everything: a NaN, or the worst integer, at the largest index.
    r.identity[0] = tile_constant_register(
        e, r.dtype[0],
        tile_is_integer(dtype)
            ? tile_element_identity(op->kind == TILE_ARGMIN ? TILE_WITH_MIN : TILE_WITH_MAX, dtype)
        : r.dtype[0] == CUC_F64 ? UINT64_C(0x7fffffffffffffff)
                                : UINT64_C(0x7fffffff));
    r.identity[1] = tile_number32(e, INT32_MAX);
    const tile_register *reg = tile_registers(e, x);
    tile_register thread = tile_thread_coordinate(e, x->layout, r.axis);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t own = tile_register_coordinate(x->layout, k, r.axis);
        in[k][0] = widens ? tile_widen(e, dtype, reg[k]) : reg[k];
        in[k][1] = own ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", thread, own) : thread;
    }
    return reduce(&r, in, out) && give(&r, out, 1, op->result[0], false);
}
