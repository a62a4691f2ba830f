// Reduces partial results over lanes and warps, through shared memory.
#include "reduce.h"

#include "async.h"

#include <string.h>

enum { ALL_LANES = 31 };

// The partial results that warps exchange. Each thread has `count` of them. Lanes that differ in
// `reduced_lanes` hold copies, and warps that differ in `reduced_warps` hold parts of one result.
//
// Lanes that hold parts of the same results first divide these among themselves: a lane with one of
// the bits `divided_lanes` keeps the upper half of its results and gives the lower half away, and
// so on for the next bit. A thread then has `own` results, from `first` on, to write.
struct exchange {
    uint32_t count, reduced_lanes, reduced_warps;
    uint32_t divided_lanes, own;
    uint32_t wide;                  // results that a thread writes or reads at once
    uint32_t count_bits;            // log2 of the count
    uint32_t kept_lanes;            // the bits of the lane that are not reduced
    uint32_t lane_bits, warp_bits;  // their number, and that of the reduced warps
    uint32_t slots;                 // results of a group of warps that reduce together
    uint32_t results, parts;        // results of the block, and warps that hold parts of each
    uint32_t at[TILE_MOST_REDUCED]; // offset of each value's partial results from `base`
    tile_register shared;
    uint32_t base;
    tile_register lane, first, group, part, writes;
};

// Returns how many of `count` consecutive elements in shared memory an access moves.
static uint32_t wide_of(const struct tile_reduction *r, uint32_t count)
{
    enum { WIDEST = 16 };
    uint32_t wide = count;

    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = tile_bytes_of(r->dtype[i]);
        while (wide > 1 && (size < 4 || wide * size > WIDEST))
            wide /= 2;
    }
    return wide;
}

static struct exchange exchange_of(struct tile_reduction *r, uint32_t count, uint32_t lanes,
                                   uint32_t warps)
{
    struct exchange x = { .count = count, .reduced_lanes = lanes, .reduced_warps = warps };

    x.own = count;
    for (uint32_t left = lanes; left && x.own > 1; x.own /= 2) {
        uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(left));
        x.divided_lanes |= bit;
        left &= ~bit;
    }
    x.wide = wide_of(r, count);
    x.count_bits = tile_bits_of(count);
    x.kept_lanes = ALL_LANES & ~lanes;
    x.lane_bits = (uint32_t)__builtin_popcount(x.kept_lanes);
    x.warp_bits = (uint32_t)__builtin_popcount(warps);
    x.slots = count << x.lane_bits;
    x.results = x.slots * (r->e->warps >> x.warp_bits);
    x.parts = UINT32_C(1) << x.warp_bits;
    return x;
}

// Reduces over lanes. Each thread keeps its own results.
static void divide_lanes(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         const struct exchange *x)
{
    struct tile_emitter *e = r->e;
    uint32_t left = x->divided_lanes;

    for (uint32_t half = x->count / 2; half >= x->own && left; half /= 2) {
        uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(left));
        tile_register of_lane = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, bit);
        tile_register upper = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", of_lane);
        left &= ~bit;
        for (uint32_t k = 0; k < half; k++) {
            tile_register kept[TILE_MOST_REDUCED], other[TILE_MOST_REDUCED];
            for (uint32_t i = 0; i < r->n; i++) {
                tile_register low = partial[k][i], high = partial[k + half][i];
                kept[i] = tile_select(e, upper, high, low);
                other[i] = tile_shuffle_xor(e, tile_select(e, upper, low, high), bit);
            }
            r->combine(r, kept, other, partial[k]);
        }
    }
    tile_reduce_lanes(r, partial, x->own, x->reduced_lanes & ~x->divided_lanes);
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
    x->first = tile_compress(e, e->lane, x->divided_lanes);
    x->first = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", x->first, tile_bits_of(x->own));
    uint32_t copies = x->reduced_lanes & ~x->divided_lanes;
    x->writes = TILE_NO_REGISTER;
    if (copies) {
        tile_register writer = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, copies);
        x->writes = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", writer);
    }
}

// Emits the address of an element of the scratch.
static tile_register place_of(struct tile_emitter *e, tile_register index, uint32_t size,
                              tile_register shared)
{
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", index, size, shared);
}

// Reads the results of a thread, which are neighbors in shared memory, `from` bytes after `place`.
static void read_results(struct tile_reduction *r, const struct exchange *x, uint32_t value,
                         tile_register place, int64_t from, tile_register *out)
{
    uint32_t size = tile_bytes_of(r->dtype[value]);

    for (uint32_t k = 0; k < x->count; k++)
        out[k] = tile_new(r->e, tile_class_of(r->dtype[value]));
    for (uint32_t k = 0; k < x->count; k += x->wide)
        tile_emit_load(r->e, "", "shared", r->dtype[value], out + k, x->wide, place,
                       from + (int64_t)k * size, TILE_NO_REGISTER);
}

// Each warp writes its partial results, and each thread reads all parts of its results in the order
// of the warps. The results of a thread are neighbors.
static void read_all_parts(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                           struct exchange *x)
{
    struct tile_emitter *e = r->e;
    tile_register(*read)[TILE_MOST_REDUCED] = tile_take(e->module, x->count * sizeof(*read));
    tile_register *part = tile_take(e->module, x->count * sizeof(*part));
    uint32_t together = wide_of(r, x->own);

    if (!read || !part) {
        e->failed = true;
        return;
    }
    begin_exchange(r, x, x->results * x->parts);
    // The number of a thread's first slot consists of its results' numbers, its kept lane bits,
    // then its position among the reduced warps, then the other warp bits.
    tile_register lane = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", x->lane, x->count_bits);
    tile_register first = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", x->group, x->warp_bits);
    tile_register mine = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first, x->part);
    tile_register own = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", lane, x->first);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", own, mine, x->slots, own);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", lane, first, x->slots, lane);
    for (uint32_t i = 0; i < r->n; i++) {
        tile_register place = place_of(e, own, tile_bytes_of(r->dtype[i]), x->shared);
        for (uint32_t k = 0; k < x->own; k++)
            part[k] = partial[k][i];
        for (uint32_t k = 0; k < x->own; k += together)
            tile_emit_store(e, "", "shared", r->dtype[i], part + k, together, place,
                            (int64_t)x->base + x->at[i] + (int64_t)k * tile_bytes_of(r->dtype[i]),
                            x->writes);
    }
    tile_scratch_written(e);
    for (uint32_t w = 0; w < x->parts; w++) {
        for (uint32_t i = 0; i < r->n; i++) {
            uint32_t size = tile_bytes_of(r->dtype[i]);
            read_results(r, x, i, place_of(e, lane, size, x->shared),
                         (int64_t)x->base + x->at[i] + (int64_t)w * x->slots * size, part);
            for (uint32_t k = 0; k < x->count; k++)
                read[k][i] = part[k];
        }
        for (uint32_t k = 0; k < x->count; k++) {
            tile_register next[TILE_MOST_REDUCED];
            if (w)
                r->combine(r, partial[k], read[k], next);
            memcpy(partial[k], w ? next : read[k], sizeof(next));
        }
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
// with a copy of the result reduces all of its parts. Counts instructions; a barrier counts as 16.
static bool shares_work(const struct tile_reduction *r, const struct exchange *x)
{
    enum { BARRIER = 16 };
    struct share s = share_of(r, x);
    uint32_t shuffles = tile_bits_of(s.together), bytes = 0;

    for (uint32_t i = 0; i < r->n; i++)
        bytes += shared_elements(x) * tile_bytes_of(r->dtype[i]) + 16;
    return !r->e->ring && bytes <= r->e->target->shared_limit &&
           x->parts * (x->count + x->count / x->wide) >
               2 * s.each * (s.parts + shuffles + 1) + x->count / x->wide + BARRIER;
}

// Returns the place of a result among all results, in which those of a thread are neighbors: moves
// the bits of its lane above those of its number in the thread.
static tile_register result_place(struct tile_emitter *e, const struct exchange *x,
                                  tile_register result)
{
    uint32_t of_lane = (UINT32_C(1) << x->lane_bits) - 1;

    if (!x->count_bits || !x->lane_bits)
        return result;
    tile_register lane = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", result, of_lane);
    tile_register number =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", result, (x->count - 1) << x->lane_bits);
    tile_register group =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", result, ~(x->slots - 1) & (x->results - 1));
    number = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", number, x->lane_bits);
    group = tile_make(e, TILE_R32, "or.b32 %R, %R, %R", group, number);
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", lane, x->count, group);
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
        tile_reduce_lanes(r, &sum, 1, s->together - 1);
        tile_register number = before ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", result, before)
                                      : result;
        number = result_place(e, x, number);
        for (uint32_t i = 0; i < r->n; i++) {
            uint32_t size = tile_bytes_of(r->dtype[i]);
            tile_emit_store(
                e, "", "shared", r->dtype[i], &sum[i], 1, place_of(e, number, size, x->shared),
                (int64_t)x->base + x->at[i] + (int64_t)(x->results * (x->parts + 1)) * size,
                writes);
        }
    }
}

// Each warp writes its partial results, each thread reduces its share of the results, and all
// threads read theirs. The parts of neighboring lanes' results are neighbors, but for the padding.
static void share_parts(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                        struct exchange *x)
{
    struct tile_emitter *e = r->e;
    struct share s = share_of(r, x);
    tile_register *out = tile_take(e->module, x->count * sizeof(*out));

    if (!out) {
        e->failed = true;
        return;
    }
    begin_exchange(r, x, shared_elements(x));
    tile_register group = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", x->group, x->slots);
    tile_register mine = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", group, x->lane);
    tile_register first =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", x->lane, x->count, group);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", mine, x->first, 1u << x->lane_bits, mine);
    mine = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", mine, x->parts + 1, x->part);
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t size = tile_bytes_of(r->dtype[i]);
        tile_register place = place_of(e, mine, size, x->shared);
        for (uint32_t k = 0; k < x->own; k++)
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
        read_results(r, x, i, place_of(e, first, size, x->shared),
                     (int64_t)x->base + x->at[i] + (int64_t)(x->results * (x->parts + 1)) * size,
                     out);
        for (uint32_t k = 0; k < x->count; k++)
            partial[k][i] = out[k];
    }
}

void tile_reduce_warps(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                       uint32_t count, uint32_t lanes, uint32_t warps)
{
    struct exchange x = exchange_of(r, count, lanes, warps);

    divide_lanes(r, partial, &x);
    if (shares_work(r, &x))
        share_parts(r, partial, &x);
    else
        read_all_parts(r, partial, &x);
}
