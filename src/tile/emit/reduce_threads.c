// Reduces partial results across threads: over lanes with the hardware's warp reduction or with
// shuffles, then over warps through shared memory.
#include "reduce.h"

#include "async.h"

#include <string.h>

enum { ALL_LANES = 31 };

static void by_shuffles(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                        uint32_t count, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1)
        for (uint32_t i = 0; i < count; i++) {
            tile_register other[TILE_MOST_REDUCED], next[TILE_MOST_REDUCED];
            for (uint32_t n = 0; n < r->n; n++)
                other[n] = tile_shuffle_xor(r->e, partial[i][n], lanes & -lanes);
            r->combine(r, partial[i], other, next);
            memcpy(partial[i], next, sizeof(next));
        }
}

// Reductions to one word per warp or block. The hardware reduces 32-bit integers over a warp in one
// instruction. Floats are first mapped to integers of the same order.

// Maps larger floats to larger integers: flips all bits except the sign of negative floats. The map
// is its own inverse.
static tile_register as_ordered(struct tile_emitter *e, tile_register x)
{
    tile_register sign = tile_make(e, TILE_R32, "shr.s32 %R, %R, 31", x);
    tile_register flips = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x7fffffff", sign);

    return tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", x, flips);
}

// Maps NaN to the worst integer. NaN then loses to all numbers, and the inverse map restores it if
// there was no number.
static tile_register ordered_number(struct tile_reduction *r, tile_register x)
{
    struct tile_emitter *e = r->e;
    tile_register nan = tile_make(e, TILE_PRED, "setp.nan.f32 %R, %R, %R", x, x);
    tile_register worst = tile_number32(e, r->with == TILE_WITH_MAX ? INT32_MIN : INT32_MAX);

    return tile_select(e, nan, worst, as_ordered(e, x));
}

static tile_register over_warp(struct tile_reduction *r, tile_register x)
{
    return tile_make(r->e, TILE_R32, "redux.sync.%s.%s %R, %R, 0xffffffff",
                     r->with == TILE_WITH_MAX ? "max" : "min",
                     r->dtype[0] == CUC_U32 ? "u32" : "s32", x);
}

// Exchanges one word per warp, which lane 0 writes. Each lane reads `count` words, from a position
// that the lowest bits of its number select.
static void exchange_words(struct tile_reduction *r, tile_register x, tile_register *out,
                           uint32_t count)
{
    struct tile_emitter *e = r->e;
    uint32_t at, mask = e->warps / count - 1;
    tile_register shared = tile_scratch_beside(e, 4 * e->warps, TILE_USUAL_BESIDE, &at);
    tile_register place = tile_new(e, TILE_R32), from = shared;
    tile_register writes = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->lane);

    tile_ins(e, "mad.lo.u32 %R, %R, 4, %R", place, e->warp, shared);
    tile_emit_store(e, "", "shared", CUC_U32, &x, 1, place, at, writes);
    if (mask) {
        tile_register group = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, mask);
        from = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", group, 4 * count, shared);
    }
    for (uint32_t i = 0; i < count; i++)
        out[i] = tile_new(e, TILE_R32);
    tile_scratch_written(e);
    tile_emit_load(e, "", "shared", CUC_U32, out, count, from, at, TILE_NO_REGISTER);
}

static bool is_word(const struct tile_reduction *r)
{
    return r->plain && cuc_dtype_bits(r->dtype[0]) == 32;
}

// True if all lanes of a warp hold the same values.
static bool has_copies(const struct tile_reduction *r)
{
    return (tile_copies(r->op->operand[0]->layout) & ALL_LANES) == ALL_LANES;
}

// Computes the minimum or maximum over all threads, or over a warp.
static bool by_warps(struct tile_reduction *r, tile_register *x, uint32_t lanes, uint32_t warps)
{
    struct tile_emitter *e = r->e;
    bool real = r->dtype[0] == CUC_F32;

    if (!is_word(r) || (r->with != TILE_WITH_MIN && r->with != TILE_WITH_MAX) || (real && r->nan) ||
        (lanes != ALL_LANES && !(warps && has_copies(r))) || (warps && warps != e->warps - 1))
        return false;
    tile_register word = real ? ordered_number(r, *x) : *x;
    if (lanes)
        word = over_warp(r, word);
    if (warps) {
        exchange_words(r, word, &word, 1);
        word = over_warp(r, word);
    }
    *x = real ? as_ordered(e, word) : word;
    return true;
}

// Reduces one word per warp: each lane reads four words, and lanes that read different words
// exchange their results.
static bool by_words(struct tile_reduction *r, tile_register *x, uint32_t lanes, uint32_t warps)
{
    struct tile_emitter *e = r->e;
    tile_register part[4];
    uint32_t count = e->warps < 4 ? e->warps : 4;

    if (!is_word(r) || (lanes != ALL_LANES && !has_copies(r)) || warps != e->warps - 1)
        return false;
    exchange_words(r, *x, part, count);
    for (uint32_t step = 1; step < count; step *= 2)
        for (uint32_t i = 0; i < count; i += 2 * step)
            r->combine(r, &part[i], &part[i + step], &part[i]);
    for (uint32_t bit = 1; bit < e->warps / count; bit *= 2) {
        tile_register other = tile_shuffle_xor(e, part[0], bit);
        r->combine(r, &part[0], &other, &part[0]);
    }
    *x = part[0];
    return true;
}

// The general case

// Reduces over warps. Each warp writes its partial results, and all warps read the results of their
// group in the order of the warps.
static void across_warps(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         uint32_t count, uint32_t lanes_mask, uint32_t warps_mask)
{
    struct tile_emitter *e = r->e;
    uint32_t kept_lanes = 31u & ~lanes_mask;
    uint32_t others = (e->warps - 1) & ~warps_mask;
    uint32_t lane_bits = (uint32_t)__builtin_popcount(kept_lanes);
    uint32_t warp_bits = (uint32_t)__builtin_popcount(warps_mask);
    uint32_t slots = count << lane_bits, groups = e->warps;
    uint32_t at[TILE_MOST_REDUCED], bytes = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        at[i] = bytes;
        bytes += (groups * slots * tile_bytes_of(r->dtype[i]) + 15u) & ~15u;
    }
    uint32_t base = 0;
    tile_register shared = tile_counts_waits(e, r->op)
                               ? tile_scratch_beside(e, bytes, TILE_WAITS_BESIDE, &base)
                               : tile_scratch(e, bytes);
    // The number of a thread's slot consists of its kept lane bits, then its position among the
    // reduced warps, then the other warp bits.
    tile_register lane = tile_compress(e, e->lane, kept_lanes);
    tile_register group = tile_compress(e, e->warp, others),
                  within = tile_compress(e, e->warp, warps_mask);
    tile_register first = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", group, warp_bits);
    tile_register mine = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first, within);
    tile_register writer = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, lanes_mask);
    tile_register writes = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", writer);

    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = tile_bytes_of(r->dtype[i]);
        tile_register slot = tile_new(e, TILE_R32), place = tile_new(e, TILE_R32);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", slot, mine, slots, lane);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", place, slot, size, shared);
        for (uint32_t k = 0; k < count; k++)
            tile_emit_store(e, "", "shared", r->dtype[i], &partial[k][i], 1, place,
                            (int64_t)base + at[i] + (int64_t)(k << lane_bits) * size, writes);
    }
    tile_scratch_written(e);
    for (uint32_t k = 0; k < count; k++) {
        tile_register sum[TILE_MOST_REDUCED], other[TILE_MOST_REDUCED], next[TILE_MOST_REDUCED];
        for (uint32_t w = 0; w < UINT32_C(1) << warp_bits; w++) {
            for (uint32_t i = 0; i < r->n; i++) {
                uint32_t size = tile_bytes_of(r->dtype[i]);
                tile_register slot = tile_new(e, TILE_R32), place = tile_new(e, TILE_R32);
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", slot, first, slots, lane);
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", place, slot, size, shared);
                other[i] = tile_new(e, tile_class_of(r->dtype[i]));
                tile_emit_load(e, "", "shared", r->dtype[i], &other[i], 1, place,
                               (int64_t)base + at[i] +
                                   (int64_t)(w * slots + (k << lane_bits)) * size,
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

void tile_reduce_threads(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         uint32_t count, uint32_t lanes, uint32_t warps)
{
    if (count == 1 && by_warps(r, partial[0], lanes, warps))
        return;
    by_shuffles(r, partial, count, lanes);
    if (warps && !(count == 1 && by_words(r, partial[0], lanes, warps)))
        across_warps(r, partial, count, lanes, warps);
}
