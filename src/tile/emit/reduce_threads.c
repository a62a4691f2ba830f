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

// The partial results that warps exchange. Each thread has `count` of them. Lanes that differ in
// `reduced_lanes` hold copies, and warps that differ in `reduced_warps` hold parts of one result.
struct exchange {
    uint32_t count, reduced_lanes, reduced_warps;
    uint32_t kept_lanes;            // the other bits of the lane
    uint32_t lane_bits, warp_bits;  // their number, and that of the reduced warps
    uint32_t slots;                 // results of a group of warps that reduce together
    uint32_t results, parts;        // results of the block, and warps that hold parts of each
    uint32_t at[TILE_MOST_REDUCED]; // offset of each value's partial results from `base`
    tile_register shared;
    uint32_t base;
    tile_register lane, group, part, writes;
};

static struct exchange exchange_of(struct tile_reduction *r, uint32_t count, uint32_t lanes,
                                   uint32_t warps)
{
    struct exchange x = { .count = count, .reduced_lanes = lanes, .reduced_warps = warps };

    x.kept_lanes = ALL_LANES & ~lanes;
    x.lane_bits = (uint32_t)__builtin_popcount(x.kept_lanes);
    x.warp_bits = (uint32_t)__builtin_popcount(warps);
    x.slots = count << x.lane_bits;
    x.results = x.slots * (r->e->warps >> x.warp_bits);
    x.parts = UINT32_C(1) << x.warp_bits;
    return x;
}

// Reserves `each` elements of scratch for each value, and computes a thread's coordinates.
static void begin_exchange(struct tile_reduction *r, struct exchange *x, uint32_t each)
{
    struct tile_emitter *e = r->e;
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < r->n; i++) {
        x->at[i] = bytes;
        bytes += (each * tile_bytes_of(r->dtype[i]) + 15u) & ~15u;
    }
    x->shared = tile_counts_waits(e, r->op)
                    ? tile_scratch_beside(e, bytes, TILE_WAITS_BESIDE, &x->base)
                    : tile_scratch(e, bytes);
    x->lane = tile_compress(e, e->lane, x->kept_lanes);
    x->group = tile_compress(e, e->warp, (e->warps - 1) & ~x->reduced_warps);
    x->part = tile_compress(e, e->warp, x->reduced_warps);
    tile_register writer = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, x->reduced_lanes);
    x->writes = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", writer);
}

// Each warp writes its partial results, and each thread reads all parts of its results in the order
// of the warps.
static void read_all_parts(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                           struct exchange *x)
{
    struct tile_emitter *e = r->e;

    begin_exchange(r, x, x->results * x->parts);
    // The number of a thread's slot consists of its kept lane bits, then its position among the
    // reduced warps, then the other warp bits.
    tile_register first = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", x->group, x->warp_bits);
    tile_register mine = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first, x->part);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = tile_bytes_of(r->dtype[i]);
        tile_register slot = tile_new(e, TILE_R32), place = tile_new(e, TILE_R32);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", slot, mine, x->slots, x->lane);
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", place, slot, size, x->shared);
        for (uint32_t k = 0; k < x->count; k++)
            tile_emit_store(e, "", "shared", r->dtype[i], &partial[k][i], 1, place,
                            (int64_t)x->base + x->at[i] + (int64_t)(k << x->lane_bits) * size,
                            x->writes);
    }
    tile_scratch_written(e);
    for (uint32_t k = 0; k < x->count; k++) {
        tile_register sum[TILE_MOST_REDUCED], other[TILE_MOST_REDUCED], next[TILE_MOST_REDUCED];
        for (uint32_t w = 0; w < x->parts; w++) {
            for (uint32_t i = 0; i < r->n; i++) {
                uint32_t size = tile_bytes_of(r->dtype[i]);
                tile_register slot = tile_new(e, TILE_R32), place = tile_new(e, TILE_R32);
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", slot, first, x->slots, x->lane);
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", place, slot, size, x->shared);
                other[i] = tile_new(e, tile_class_of(r->dtype[i]));
                tile_emit_load(e, "", "shared", r->dtype[i], &other[i], 1, place,
                               (int64_t)x->base + x->at[i] +
                                   (int64_t)(w * x->slots + (k << x->lane_bits)) * size,
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

// The work of a thread that reduces `each` results of the block, or one of `together` shares of one
// result.
struct share {
    uint32_t together, each, parts;
};

static struct share share_of(const struct tile_reduction *r, const struct exchange *x)
{
    uint32_t threads = 32 * r->e->warps;
    struct share s = { .together = 1, .each = 1 };

    if (x->results > threads)
        s.each = x->results / threads;
    while (s.together < x->parts && s.together < 32 && x->results * s.together * 2 <= threads)
        s.together *= 2;
    s.parts = x->parts / s.together;
    return s;
}

// Returns the number of elements of scratch for each value: the parts of a result, with padding
// against bank conflicts, and then the results.
static uint32_t shared_elements(const struct exchange *x)
{
    return x->results * (x->parts + 1) + x->results;
}

// True if it is cheaper that each result is reduced once, by few threads, than that every thread
// with a copy of the result reduces all of its parts. Counts loads; a barrier counts as 8.
static bool shares_work(const struct tile_reduction *r, const struct exchange *x)
{
    enum { BARRIER = 8 };
    struct share s = share_of(r, x);
    uint32_t shuffles = tile_bits_of(s.together), bytes = 0;

    for (uint32_t i = 0; i < r->n; i++)
        bytes += shared_elements(x) * tile_bytes_of(r->dtype[i]) + 16;
    return !r->e->ring && bytes <= r->e->target->shared_limit &&
           x->count * x->parts > s.each * (s.parts + shuffles) + x->count + BARRIER;
}

// Emits the address of an element of the scratch.
static tile_register place_of(struct tile_emitter *e, tile_register index, uint32_t size,
                              tile_register shared)
{
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", index, size, shared);
}

// Reduces the results that a thread shares with its neighbors, and writes them.
static void reduce_share(struct tile_reduction *r, const struct exchange *x, const struct share *s)
{
    struct tile_emitter *e = r->e;
    uint32_t together_bits = tile_bits_of(s->together), threads = 32 * e->warps;
    uint32_t active = x->results * s->together;
    tile_register thread = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 32, %R", e->warp, e->lane);
    tile_register result = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", thread, together_bits);
    tile_register own = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", thread, s->together - 1);
    tile_register writes = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", own);

    if (active < threads) {
        result = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", result, x->results - 1);
        writes =
            tile_both(e, writes, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", thread, active));
    }
    own = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", own, s->parts);
    own = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", result, x->parts + 1, own);
    for (uint32_t n = 0; n < s->each; n++) {
        tile_register sum[TILE_MOST_REDUCED], other[TILE_MOST_REDUCED], next[TILE_MOST_REDUCED];
        uint32_t before = n * threads;
        for (uint32_t w = 0; w < s->parts; w++) {
            for (uint32_t i = 0; i < r->n; i++) {
                uint32_t size = tile_bytes_of(r->dtype[i]);
                other[i] = tile_new(e, tile_class_of(r->dtype[i]));
                tile_emit_load(
                    e, "", "shared", r->dtype[i], &other[i], 1, place_of(e, own, size, x->shared),
                    (int64_t)x->base + x->at[i] + (int64_t)(before * (x->parts + 1) + w) * size,
                    TILE_NO_REGISTER);
            }
            if (w)
                r->combine(r, sum, other, next);
            memcpy(sum, w ? next : other, sizeof(sum));
        }
        by_shuffles(r, &sum, 1, s->together - 1);
        for (uint32_t i = 0; i < r->n; i++) {
            uint32_t size = tile_bytes_of(r->dtype[i]);
            tile_emit_store(e, "", "shared", r->dtype[i], &sum[i], 1,
                            place_of(e, result, size, x->shared),
                            (int64_t)x->base + x->at[i] +
                                (int64_t)(x->results * (x->parts + 1) + before) * size,
                            writes);
        }
    }
}

// Each warp writes its partial results, each thread reduces its share of the results, and all
// threads read theirs.
static void share_parts(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                        struct exchange *x)
{
    struct tile_emitter *e = r->e;
    struct share s = share_of(r, x);

    begin_exchange(r, x, shared_elements(x));
    tile_register first =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", x->group, x->slots, x->lane);
    tile_register mine =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", first, x->parts + 1, x->part);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = tile_bytes_of(r->dtype[i]);
        tile_register place = place_of(e, mine, size, x->shared);
        for (uint32_t k = 0; k < x->count; k++)
            tile_emit_store(e, "", "shared", r->dtype[i], &partial[k][i], 1, place,
                            (int64_t)x->base + x->at[i] +
                                (int64_t)(k << x->lane_bits) * (x->parts + 1) * size,
                            x->writes);
    }
    tile_scratch_written(e);
    reduce_share(r, x, &s);
    tile_scratch_written(e);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = tile_bytes_of(r->dtype[i]);
        tile_register place = place_of(e, first, size, x->shared);
        for (uint32_t k = 0; k < x->count; k++) {
            partial[k][i] = tile_new(e, tile_class_of(r->dtype[i]));
            tile_emit_load(e, "", "shared", r->dtype[i], &partial[k][i], 1, place,
                           (int64_t)x->base + x->at[i] +
                               (int64_t)(x->results * (x->parts + 1) + (k << x->lane_bits)) * size,
                           TILE_NO_REGISTER);
        }
    }
}

static void across_warps(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         uint32_t count, uint32_t lanes, uint32_t warps)
{
    struct exchange x = exchange_of(r, count, lanes, warps);

    if (shares_work(r, &x))
        share_parts(r, partial, &x);
    else
        read_all_parts(r, partial, &x);
}

// Finds out if any or all elements of a tile are true: a vote of each warp, or a barrier that
// votes. Copies of elements do not change the result.
static bool by_votes(struct tile_reduction *r, tile_register *x, uint32_t lanes, uint32_t warps)
{
    struct tile_emitter *e = r->e;
    bool any = r->with == TILE_WITH_ANY;

    if (!r->plain || (!any && r->with != TILE_WITH_ALL) || e->ring || e->single_warp ||
        tile_elements(&r->op->result[0]->type) > 1 || !(lanes || warps))
        return false;
    *x = warps ? tile_make(e, TILE_PRED, "bar.red.%s.pred %R, 0, %R", any ? "or" : "and", *x)
               : tile_make(e, TILE_PRED, "vote.sync.%s.pred %R, %R, 0xffffffff",
                           any ? "any" : "all", *x);
    return true;
}

void tile_reduce_threads(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         uint32_t count, uint32_t lanes, uint32_t warps)
{
    if (count == 1 && by_votes(r, partial[0], lanes, warps))
        return;
    if (count == 1 && by_warps(r, partial[0], lanes, warps))
        return;
    by_shuffles(r, partial, count, lanes);
    if (warps && !(count == 1 && by_words(r, partial[0], lanes, warps)))
        across_warps(r, partial, count, lanes, warps);
}
