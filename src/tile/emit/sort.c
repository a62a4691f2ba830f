// Sort and top-k along an axis, with a bitonic network over the bits of the axis' coordinate. The
// layout determines whether the partners of an exchange are registers, lanes or warps.
//
// Keys are integers. Floats map to integers of the same order, with -0 below 0 and NaN above
// everything. For topk, keys are inverted and extended by the index, so that no two keys are equal
// and the smaller index comes first. Padding is larger than every key.
#include "sort.h"

#include <string.h>

// A network with more instructions than this becomes loops, if they fit in shared memory, because
// ptxas would take many seconds. On an H200, loops took 3 to 4 times as long to run: for 64 MiB of
// f32 with 16 elements per thread, 352 instead of 84 us in rows of 512, and 690 instead of 238 us
// in rows of 8192.
enum { EXCHANGE_BYTES = 32 * 1024, MOST_INSTRUCTIONS = 16000 };

struct sort {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_layout *layout;
    cuc_dtype dtype;
    bool top;   // largest first, with indices
    bool pairs; // the index has a separate register
    struct tile_sort_keys k;
};

static bool is_wide(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) == 64;
}

// Keys

// Maps the bits of a float to a signed integer of the same order. The map is its own inverse.
static tile_register fold_sign(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
{
    bool wide = is_wide(dtype);
    uint32_t bits = cuc_dtype_bits(dtype);
    tile_register sign = wide ? tile_make(e, TILE_R64, "shr.s64 %R, %R, 63", x)
                              : tile_make(e, TILE_R32, "shr.s32 %R, %R, 31", x);
    tile_register flip =
        wide
            ? tile_make(e, TILE_R64, "and.b64 %R, %R, 0x%x", sign, (uint64_t)INT64_MAX)
            : tile_make(e, TILE_R32, "and.b32 %R, %R, 0x%x", sign, (UINT64_C(1) << (bits - 1)) - 1);

    return wide ? tile_make(e, TILE_R64, "xor.b64 %R, %R, %R", x, flip)
                : tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", x, flip);
}

static tile_register float_key(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
{
    bool wide = is_wide(dtype);
    uint64_t infinity = tile_element_of_real(dtype, __builtin_inf());
    tile_register p = tile_new(e, TILE_PRED);

    if (cuc_dtype_bits(dtype) == 16)
        x = tile_make(e, TILE_R32, "cvt.s32.s16 %R, %R", x);
    tile_register key = fold_sign(e, dtype, x);
    if (wide) {
        tile_register size = tile_make(e, TILE_R64, "and.b64 %R, %R, 0x%x", x, (uint64_t)INT64_MAX);
        tile_ins(e, "setp.gt.s64 %R, %R, 0x%x", p, size, infinity);
        return tile_make(e, TILE_R64, "selp.b64 %R, 0x%x, %R, %R", (uint64_t)INT64_MAX, key, p);
    }
    uint64_t most = (UINT64_C(1) << (cuc_dtype_bits(dtype) - 1)) - 1;
    tile_register size = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x%x", x, most);
    tile_ins(e, "setp.gt.s32 %R, %R, 0x%x", p, size, infinity);
    return tile_make(e, TILE_R32, "selp.b32 %R, 0x%x, %R, %R", most, key, p);
}

static tile_register float_of(struct tile_emitter *e, cuc_dtype dtype, tile_register key)
{
    tile_register x = fold_sign(e, dtype, key);

    return cuc_dtype_bits(dtype) == 16 ? tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", x) : x;
}

static void make_keys(struct sort *s, const tile_register *in)
{
    struct tile_emitter *e = s->e;
    const struct tile_value *x = s->op->operand[0];
    bool wide = is_wide(s->dtype),
         is_signed = !tile_is_integer(s->dtype) || tile_is_signed(s->dtype);

    s->k.type = wide ? is_signed ? "s64" : "u64" : is_signed ? "s32" : "u32";
    if (s->top && !wide)
        s->k.type = "u64";
    s->k.class = s->k.type[1] == '6' ? TILE_R64 : TILE_R32;
    uint64_t last = s->k.type[0] == 'u' ? UINT64_MAX : INT64_MAX;
    if (s->k.class == TILE_R32)
        last >>= 32;
    tile_register padding = s->k.class == TILE_R64
                                ? tile_make(e, TILE_R64, "mov.b64 %R, 0x%x", last)
                                : tile_make(e, TILE_R32, "mov.b32 %R, 0x%x", last);
    tile_register beyond = s->pairs ? tile_number32(e, -1) : TILE_NO_REGISTER;

    for (uint32_t r = 0; r < s->k.count; r++) {
        bool none;
        tile_register inside = tile_inside_tile(e, x, r, &none);
        tile_register key = tile_is_integer(s->dtype) ? in[r] : float_key(e, s->dtype, in[r]);
        tile_register index = s->top ? tile_element_coordinate(e, x, r, s->k.axis)
                                     : TILE_NO_REGISTER;
        if (s->top && wide) {
            key = tile_make(e, TILE_R64, "not.b64 %R, %R", key);
        } else if (s->top) { // upper bits: the inverted key as an unsigned number; lower bits: the
                             // index
            key = tile_make(e, TILE_R32, "xor.b32 %R, %R, 0x%x", key,
                            (uint64_t)(is_signed ? INT32_MAX : UINT32_MAX));
            key = tile_make(e, TILE_R64, "mov.b64 %R, {%R, %R}", index, key);
        }
        s->k.key[r] = none ? padding : inside ? tile_select(e, inside, key, padding) : key;
        if (s->pairs)
            s->k.index[r] = none ? beyond : inside ? tile_select(e, inside, index, beyond) : index;
    }
}

// The network

tile_register tile_stands_before(struct tile_emitter *e, const struct tile_sort_keys *s,
                                 tile_register k, tile_register i, tile_register l, tile_register j)
{
    tile_register less = tile_make(e, TILE_PRED, "setp.lt.%s %R, %R, %R", s->type, k, l);
    tile_register equal = tile_make(e, TILE_PRED, "setp.eq.%s %R, %R, %R", s->type, k, l);
    tile_register tie = tile_make(e, TILE_PRED, "setp.lt.and.u32 %R, %R, %R, %R", i, j, equal);

    return tile_make(e, TILE_PRED, "or.pred %R, %R, %R", less, tie);
}

// Compares two registers of a thread and puts the smaller key first.
static void exchange_registers(struct sort *s, uint32_t low, uint32_t high)
{
    struct tile_emitter *e = s->e;
    tile_register a = s->k.key[low], b = s->k.key[high];

    if (!s->pairs) {
        s->k.key[low] = tile_new(e, s->k.class);
        s->k.key[high] = tile_new(e, s->k.class);
        tile_ins(e, "min.%s %R, %R, %R", s->k.type, s->k.key[low], a, b);
        tile_ins(e, "max.%s %R, %R, %R", s->k.type, s->k.key[high], a, b);
        return;
    }
    tile_register i = s->k.index[low], j = s->k.index[high],
                  p = tile_stands_before(e, &s->k, a, i, b, j);
    s->k.key[low] = tile_select(e, p, a, b);
    s->k.key[high] = tile_select(e, p, b, a);
    s->k.index[low] = tile_select(e, p, i, j);
    s->k.index[high] = tile_select(e, p, j, i);
}

// Takes the smaller or larger of this thread's key and its partner's. If `known`, `lesser` says
// which; otherwise the predicate `is_upper` does.
static void take(struct sort *s, uint32_t r, tile_register key, tile_register index, bool known,
                 bool lesser, tile_register is_upper)
{
    struct tile_emitter *e = s->e;
    tile_register p, mine = s->k.key[r];

    if (!s->pairs && known) {
        s->k.key[r] = tile_make(e, s->k.class, "%s.%s %R, %R, %R", lesser ? "min" : "max",
                                s->k.type, mine, key);
        return;
    }
    // Keep this thread's key if it comes first and the smaller is wanted, or if neither is the
    // case.
    if (!s->pairs) { // a single setp, for which ptxas needs a third less time
        p = tile_make(e, TILE_PRED, "setp.lt.xor.%s %R, %R, %R, %R", s->k.type, mine, key,
                      is_upper);
        s->k.key[r] = tile_select(e, p, mine, key);
        return;
    }
    p = tile_stands_before(e, &s->k, mine, s->k.index[r], key, index);
    if (!known)
        p = tile_make(e, TILE_PRED, "xor.pred %R, %R, %R", p, is_upper);
    else if (!lesser)
        p = tile_make(e, TILE_PRED, "not.pred %R, %R", p);
    s->k.key[r] = tile_select(e, p, mine, key);
    s->k.index[r] = tile_select(e, p, s->k.index[r], index);
}

// Exchanges with partners in other warps, a few registers at a time.
static void through_shared(struct sort *s, uint32_t registers, uint32_t threads_mask, bool known,
                           uint32_t bit, tile_register is_upper)
{
    struct tile_emitter *e = s->e;
    uint32_t threads = 32 * e->warps, size = s->k.class == TILE_R64 ? 8 : 4;
    uint32_t each = EXCHANGE_BYTES / (threads * (size + (s->pairs ? 4 : 0)));
    cuc_dtype dtype = size == 8 ? CUC_U64 : CUC_U32;
    tile_register *key = tile_take(e->module, s->k.count * sizeof(*key));
    tile_register *index = tile_take(e->module, s->k.count * sizeof(*index));

    if (!key || !index) {
        e->failed = true;
        return;
    }
    tile_register partner = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", e->tid, threads_mask);
    for (uint32_t first = 0; first < s->k.count; first += each) {
        uint32_t end = first + each < s->k.count ? first + each : s->k.count;
        uint32_t indices = (end - first) * threads * size;
        tile_register shared =
            tile_scratch(e, indices + (s->pairs ? (end - first) * threads * 4 : 0));
        tile_register mine = tile_new(e, TILE_R32), theirs = tile_new(e, TILE_R32);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", mine, e->tid, size, shared);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", theirs, partner, size, shared);
        for (uint32_t r = first; r < end; r++)
            tile_emit_store(e, "", "shared", dtype, &s->k.key[r ^ registers], 1, mine,
                            (int64_t)(r - first) * threads * size, TILE_NO_REGISTER);
        tile_register my_index = TILE_NO_REGISTER, their_index = TILE_NO_REGISTER;
        if (s->pairs) {
            my_index = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", e->tid, shared);
            their_index = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", partner, shared);
        }
        for (uint32_t r = first; r < end && s->pairs; r++)
            tile_emit_store(e, "", "shared", CUC_U32, &s->k.index[r ^ registers], 1, my_index,
                            (int64_t)indices + (int64_t)(r - first) * threads * 4,
                            TILE_NO_REGISTER);
        tile_scratch_written(e);
        for (uint32_t r = first; r < end; r++) {
            key[r] = tile_new(e, s->k.class);
            tile_emit_load(e, "", "shared", dtype, &key[r], 1, theirs,
                           (int64_t)(r - first) * threads * size, TILE_NO_REGISTER);
            if (!s->pairs)
                continue;
            index[r] = tile_new(e, TILE_R32);
            tile_emit_load(e, "", "shared", CUC_U32, &index[r], 1, their_index,
                           (int64_t)indices + (int64_t)(r - first) * threads * 4, TILE_NO_REGISTER);
        }
    }
    for (uint32_t r = 0; r < s->k.count; r++)
        take(s, r, key[r], index[r], known, !(r >> bit & 1), is_upper);
}

// Compares every element with its partner, whose coordinate differs in the axis bits `from` to
// `top`. The element whose bit `top` is clear takes the smaller key.
static void compare(struct sort *s, uint32_t from, uint32_t top)
{
    struct tile_emitter *e = s->e;
    uint32_t shift = tile_axis_shift(s->layout, s->k.axis), registers = 0, threads = 0;
    uint32_t register_bits = s->layout->register_bits;
    uint32_t bit = tile_hardware_bit(s->layout, shift + top);
    bool known = bit < register_bits;
    tile_register is_upper = TILE_NO_REGISTER;

    for (uint32_t k = from; k <= top; k++) {
        uint32_t hardware = tile_hardware_bit(s->layout, shift + k);
        if (hardware < register_bits)
            registers |= UINT32_C(1) << hardware;
        else
            threads |= UINT32_C(1) << (hardware - register_bits);
    }
    if (!threads) {
        for (uint32_t r = 0; r < s->k.count; r++)
            if (!(r >> bit & 1))
                exchange_registers(s, r, r ^ registers);
        return;
    }
    if (!known) {
        tile_register set = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid,
                                      UINT32_C(1) << (bit - register_bits));
        is_upper = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", set);
    }
    if (threads >> TILE_LANE_BITS) {
        through_shared(s, registers, threads, known, bit, is_upper);
        return;
    }
    tile_register *key = tile_take(e->module, s->k.count * sizeof(*key));
    tile_register *index = tile_take(e->module, s->k.count * sizeof(*index));
    if (!key || !index) {
        e->failed = true;
        return;
    }
    for (uint32_t r = 0; r < s->k.count; r++) {
        key[r] = tile_shuffle_xor(e, s->k.key[r ^ registers], threads);
        if (s->pairs)
            index[r] = tile_shuffle_xor(e, s->k.index[r ^ registers], threads);
    }
    for (uint32_t r = 0; r < s->k.count; r++)
        take(s, r, key[r], index[r], known, !(r >> bit & 1), is_upper);
}

// Results

static tile_register element_of(struct sort *s, uint32_t r)
{
    struct tile_emitter *e = s->e;
    bool is_signed = !tile_is_integer(s->dtype) || tile_is_signed(s->dtype);
    tile_register key = s->k.key[r];

    if (s->top && is_wide(s->dtype)) {
        key = tile_make(e, TILE_R64, "not.b64 %R, %R", key);
    } else if (s->top) {
        tile_register high = tile_new(e, TILE_R32);
        s->k.index[r] = tile_new(e, TILE_R32);
        tile_ins(e, "mov.b64 {%R, %R}, %R", s->k.index[r], high, key);
        key = tile_make(e, TILE_R32, "xor.b32 %R, %R, 0x%x", high,
                        (uint64_t)(is_signed ? INT32_MAX : UINT32_MAX));
    }
    return tile_is_integer(s->dtype) ? key : float_of(e, s->dtype, key);
}

// Copies registers from the operand's layout to the result's, directly or through shared memory.
static bool give(struct sort *s, const tile_register *reg, const struct tile_value *result)
{
    struct tile_emitter *e = s->e;
    struct tile_value sorted = *result;

    if (tile_layout_same(s->layout, result->layout)) {
        e->value[result->id] = (tile_register *)(uintptr_t)reg;
        return true;
    }
    if (!tile_shared_fits(e, s->op, tile_shared_bytes(result)))
        return false;
    sorted.layout = s->layout; // elements past the result's extent are dropped
    tile_register *out = tile_registers(e, result);
    tile_register shared = tile_scratch(e, tile_shared_bytes(result));
    tile_write_shared(e, &sorted, reg, shared, 0, NULL);
    tile_scratch_written(e);
    if (out)
        tile_read_shared(e, result, out, shared, 0);
    return out != NULL;
}

// Estimates the number of instructions in the network.
static uint64_t network_length(const struct sort *s, uint32_t bits)
{
    uint64_t each = s->pairs ? 16 : s->k.class == TILE_R64 ? 10 : 5;

    return each * s->k.count * bits * (bits + 1) / 2;
}

static void sort_keys(struct sort *s, uint32_t bits)
{
    struct tile_sort_keys keys = s->k;

    keys.index = s->pairs ? keys.index : NULL;
    if (network_length(s, bits) > MOST_INSTRUCTIONS &&
        tile_sort_shared_bytes(&keys) <= s->e->target->shared_limit) {
        tile_sort_in_shared(s->e, &keys);
        return;
    }
    // Merge sorted blocks of 2^top elements into blocks of twice the length: first compare one half
    // with the reversed other half, then sort each half.
    for (uint32_t top = 0; top < bits; top++) {
        compare(s, 0, top);
        for (uint32_t k = top; k-- > 0;)
            compare(s, k, k);
    }
}

bool tile_emit_sort(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0];
    struct sort s = { .e = e,
                      .op = op,
                      .layout = x->layout,
                      .dtype = x->type.dtype,
                      .top = op->kind == TILE_TOPK,
                      .pairs = op->kind == TILE_TOPK && is_wide(x->type.dtype),
                      .k = { .tile = x,
                             .axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0),
                             .count = tile_register_count(x) } };
    uint32_t shift = tile_axis_shift(s.layout, s.k.axis), bits = s.layout->axis_bits[s.k.axis];
    const tile_register *in = tile_registers(e, x);
    tile_register *out = tile_take(e->module, s.k.count * sizeof(*out));

    s.k.key = tile_take(e->module, s.k.count * sizeof(*s.k.key));
    s.k.index = tile_take(e->module, s.k.count * sizeof(*s.k.index));
    if (!in || !out || !s.k.key || !s.k.index)
        return false;
    for (uint32_t k = 0; k < bits; k++)
        if (tile_hardware_bit(s.layout, shift + k) == TILE_MAX_HARDWARE_BITS)
            return tile_cannot(e, op, "its layout splits a bit of the axis");
    make_keys(&s, in);
    sort_keys(&s, bits);
    for (uint32_t r = 0; r < s.k.count; r++)
        out[r] = element_of(&s, r);
    return give(&s, out, op->result[0]) && (!s.top || give(&s, s.k.index, op->result[1])) &&
           !e->failed;
}
