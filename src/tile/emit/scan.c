// Inclusive scans along an axis, by sum, product or a function, from either end.
//
// A scan repeats one step for each bit of the axis' coordinate, from the lowest bit up. The bit may
// be a thread bit or a register bit. The step joins two neighboring groups of elements, each with
// its total: it combines everything in the later group with the earlier group's total. Registers
// whose bits lie below all thread bits are scanned first, one after another. From then on these
// registers form a run, whose prefix is combined with its elements only at the very end.
#include "emit.h"

#include <string.h>

enum { MOST_VALUES = TILE_MAX_RANK, EXCHANGE_BYTES = 16 * 1024, FEW_BYTES = 512 };

struct scan {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_layout *layout;
    uint32_t n;                   // number of tiles scanned together
    cuc_dtype dtype[MOST_VALUES]; // type of the computation
    tile_register identity[MOST_VALUES];
    enum tile_combine with;
    uint32_t axis, axis_bits;
    bool reverse;
    uint32_t count;                      // number of registers
    tile_register (*value)[MOST_VALUES]; // per register: at first its elements, later their scan
    // Per run, indexed by its lowest register: its total, including the runs joined with it, and
    // the prefix before it.
    tile_register (*total)[MOST_VALUES], (*before)[MOST_VALUES];
};

// Combines x with y; x precedes y in the scan.
static void combine(struct scan *s, const tile_register *x, const tile_register *y,
                    tile_register *out)
{
    if (s->op->block_count)
        tile_emit_function(s->e, s->op->block[0], s->n, x, y, out);
    else
        out[0] = tile_emit_combine(s->e, s->with, s->dtype[0], false, x[0], y[0]);
}

static void choose(struct scan *s, tile_register p, const tile_register *x, const tile_register *y,
                   tile_register *out)
{
    for (uint32_t i = 0; i < s->n; i++)
        out[i] = x[i] == y[i] ? x[i] : tile_select(s->e, p, x[i], y[i]);
}

// Prepends a prefix to run `run` and to all runs joined with it.
static void put_before(struct scan *s, uint32_t run, const tile_register *before, uint32_t done,
                       uint32_t own)
{
    for (uint32_t r = 0; r < s->count; r++)
        if ((r & ~done) == run && !(r & own)) {
            if (s->before[r][0])
                combine(s, before, s->before[r], s->before[r]);
            else
                memcpy(s->before[r], before, sizeof(s->before[r]));
        }
}

// Joins two runs of one thread: combines the earlier run's total with everything in the later run.
static void join_registers(struct scan *s, uint32_t run, uint32_t bit, uint32_t done, uint32_t own)
{
    uint32_t first = s->reverse ? run | bit : run, second = first ^ bit;
    tile_register all[MOST_VALUES], sum[MOST_VALUES];

    memcpy(all, s->total[first], sizeof(all));
    put_before(s, second, all, done, own);
    combine(s, all, s->total[second], sum);
    memcpy(s->total[run], sum, sizeof(sum));
}

// A group of lanes to scan. `bits` bits of a lane's number, from bit `first` on, give its place in
// the scan.
struct lanes {
    uint32_t first, bits;
    tile_register has[TILE_LANE_BITS]; // predicates: there is a lane 2^k earlier in the scan
    tile_register last;                // the last lane in the scan
};

static void open_lanes(struct scan *s, uint32_t first, uint32_t bits, struct lanes *out)
{
    struct tile_emitter *e = s->e;
    uint32_t mask = ((UINT32_C(1) << bits) - 1) << first;
    tile_register number = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, mask);

    *out = (struct lanes){ .first = first, .bits = bits };
    for (uint32_t k = 0; k < bits; k++) {
        uint32_t distance = UINT32_C(1) << (first + k);
        out->has[k] =
            s->reverse ? tile_make(e, TILE_PRED, "setp.le.u32 %R, %R, %u", number, mask - distance)
                       : tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %u", number, distance);
    }
    out->last = s->reverse ? tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, 31 & ~mask)
                           : tile_make(e, TILE_R32, "or.b32 %R, %R, %u", e->lane, mask);
}

// Computes the exclusive prefix and the total of one element per lane.
static void scan_lanes(struct scan *s, const struct lanes *l, const tile_register *element,
                       tile_register *before, tile_register *total)
{
    tile_register x[MOST_VALUES], other[MOST_VALUES], joined[MOST_VALUES];

    memcpy(x, element, sizeof(x));
    for (uint32_t k = 0; k < l->bits; k++) {
        for (uint32_t i = 0; i < s->n; i++)
            other[i] = tile_shuffle_along(s->e, x[i], UINT32_C(1) << (l->first + k), s->reverse);
        combine(s, other, x, joined);
        choose(s, l->has[k], joined, x, x);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        other[i] = tile_shuffle_along(s->e, x[i], UINT32_C(1) << l->first, s->reverse);
        total[i] = tile_shuffle_from(s->e, x[i], l->last);
    }
    choose(s, l->has[0], other, s->identity, before);
}

static void join_lanes(struct scan *s, const struct lanes *l, uint32_t done, uint32_t own)
{
    for (uint32_t run = 0; run < s->count; run++) {
        tile_register before[MOST_VALUES] = { 0 };
        if (run & (own | done))
            continue;
        scan_lanes(s, l, s->total[run], before, s->total[run]);
        put_before(s, run, before, done, own);
    }
}

// A group of joined warps, numbered in scan order. All lanes of a warp hold equal totals. Each warp
// writes the totals of all runs at once. The lanes of each warp then scan them, several runs at a
// time.
struct warp_totals {
    uint32_t bits;                   // number of warp bits of the joined warps
    uint32_t at[MOST_VALUES], bytes; // offset and size of a run in shared memory
    struct lanes lanes;
    tile_register shared;
    uint32_t from;
    // `which`: index of the lane's run among the runs scanned together. `warp`: the warp whose
    // totals the lane reads. `number`: this warp's index among the joined warps.
    tile_register which, warp, number;
};

static void write_totals(struct scan *s, struct warp_totals *w, const uint32_t *run, uint32_t count)
{
    struct tile_emitter *e = s->e;
    uint32_t bytes = count * w->bytes;
    tile_register one = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->lane);

    w->from = 0;
    w->shared = bytes <= FEW_BYTES ? tile_scratch_beside(e, bytes, TILE_USUAL_BESIDE, &w->from)
                                   : tile_scratch(e, bytes);
    for (uint32_t i = 0; i < s->n; i++) {
        tile_register place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->warp,
                                        tile_bytes_of(s->dtype[i]), w->shared);
        for (uint32_t k = 0; k < count; k++)
            tile_emit_store(e, "", "shared", s->dtype[i], &s->total[run[k]][i], 1, place,
                            w->from + (int64_t)k * w->bytes + w->at[i], one);
    }
    tile_scratch_written(e);
}

// Scans `count` runs whose totals were written, starting with run `start`. The lanes can hold
// `capacity` runs.
static void scan_totals(struct scan *s, const struct warp_totals *w, const uint32_t *run,
                        uint32_t start, uint32_t count, uint32_t capacity, uint32_t done,
                        uint32_t own)
{
    struct tile_emitter *e = s->e;
    tile_register x[MOST_VALUES] = { 0 }, before[MOST_VALUES] = { 0 }, total[MOST_VALUES] = { 0 };
    tile_register row =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", w->which, w->bytes, w->shared);
    tile_register there = count < capacity
                              ? tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", w->which, count)
                              : TILE_NO_REGISTER;

    for (uint32_t i = 0; i < s->n; i++) {
        tile_register place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", w->warp,
                                        tile_bytes_of(s->dtype[i]), row);
        x[i] = tile_new(e, tile_class_of(s->dtype[i]));
        if (there)
            tile_move(e, x[i], s->identity[i]);
        tile_emit_load(e, "", "shared", s->dtype[i], &x[i], 1, place,
                       w->from + (int64_t)start * w->bytes + w->at[i], there);
    }
    scan_lanes(s, &w->lanes, x, before, total);
    for (uint32_t k = 0; k < count; k++) {
        tile_register mine[MOST_VALUES] = { 0 };
        tile_register base = tile_number32(e, (int32_t)(k << w->bits));
        tile_register lane = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", w->number, base);
        for (uint32_t i = 0; i < s->n; i++) {
            mine[i] = tile_shuffle_from(e, before[i], lane);
            s->total[run[k]][i] = tile_shuffle_from(e, total[i], base);
        }
        put_before(s, run[k], mine, done, own);
    }
}

static void join_warps_by_lanes(struct scan *s, uint32_t first, uint32_t bits, uint32_t done,
                                uint32_t own)
{
    enum { MOST_RUNS = 64 };
    struct tile_emitter *e = s->e;
    struct warp_totals w = { .bits = bits };
    uint32_t capacity = 32 >> bits, mask = ((1u << bits) - 1) << first, run[MOST_RUNS], next = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        w.at[i] = w.bytes;
        w.bytes += (e->warps * tile_bytes_of(s->dtype[i]) + 7u) & ~7u; // aligned for the next value
    }
    uint32_t most = EXCHANGE_BYTES / w.bytes < MOST_RUNS ? EXCHANGE_BYTES / w.bytes : MOST_RUNS;
    open_lanes(s, 0, bits, &w.lanes);
    w.number = tile_compress(e, e->warp, mask);
    w.which = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", e->lane, bits);
    w.warp = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, mask >> first);
    tile_register others = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->warp, ~mask & 31);
    w.warp = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", w.warp, first);
    w.warp = tile_make(e, TILE_R32, "or.b32 %R, %R, %R", w.warp, others);
    while (next < s->count) {
        uint32_t count = 0;
        for (; next < s->count && count < most; next++)
            if (!(next & (done | own)))
                run[count++] = next;
        if (count)
            write_totals(s, &w, run, count);
        for (uint32_t k = 0; k < count; k += capacity)
            scan_totals(s, &w, run + k, k, count - k < capacity ? count - k : capacity, capacity,
                        done, own);
    }
}

// Joins warps whose bits are consecutive in the coordinate. Each warp writes its totals and reads
// the totals of all joined warps in order.
static void join_warps(struct scan *s, const uint32_t *bits, uint32_t bit_count, uint32_t done,
                       uint32_t own)
{
    struct tile_emitter *e = s->e;
    uint32_t threads = 32 * e->warps, bytes = 0, at[MOST_VALUES], mask = 0, warps = 1u << bit_count;

    for (uint32_t i = 0; i < s->n; i++) {
        at[i] = bytes;
        bytes += threads * tile_bytes_of(s->dtype[i]);
    }
    // This warp's index among the joined warps, and the position of this thread's counterpart in
    // the first of them.
    tile_register number = tile_number32(e, 0), base = tile_new(e, TILE_R32);
    for (uint32_t k = 0; k < bit_count; k++) {
        tile_register bit = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->warp, bits[k]);
        bit = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", bit, k);
        number = tile_make(e, TILE_R32, "or.b32 %R, %R, %R", number, bit);
        mask |= UINT32_C(32) << bits[k];
    }
    tile_ins(e, "and.b32 %R, %R, %u", base, e->tid, (threads - 1) & ~mask);

    uint32_t run[2], each = EXCHANGE_BYTES / bytes ? EXCHANGE_BYTES / bytes : 1;
    for (run[0] = 0; run[0] < s->count; run[0] = run[1]) {
        // Take as many runs as fit in the exchange buffer.
        uint32_t left = 0, runs = 0;
        for (run[1] = run[0]; run[1] < s->count && left < each; run[1]++)
            left += !(run[1] & (done | own));
        if (!left)
            break;
        tile_register shared = tile_scratch(e, left * bytes);
        for (uint32_t i = 0; i < s->n; i++) {
            uint32_t size = tile_bytes_of(s->dtype[i]), number_of_run = 0;
            tile_register place =
                tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid, size, shared);
            for (uint32_t r = run[0]; r < run[1]; r++)
                if (!(r & (done | own)))
                    tile_emit_store(e, "", "shared", s->dtype[i], &s->total[r][i], 1, place,
                                    (int64_t)at[i] + (int64_t)number_of_run++ * bytes,
                                    TILE_NO_REGISTER);
        }
        tile_scratch_written(e);
        tile_register place[MOST_VALUES];
        for (uint32_t i = 0; i < s->n; i++)
            place[i] = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", base,
                                 tile_bytes_of(s->dtype[i]), shared);
        for (uint32_t r = run[0]; r < run[1]; r++) {
            tile_register sum[MOST_VALUES], before[MOST_VALUES];
            if (r & (done | own))
                continue;
            memcpy(before, s->identity, sizeof(before));
            for (uint32_t k = 0; k < warps; k++) {
                uint32_t w = s->reverse ? warps - 1 - k : k, thread = 0;
                tile_register other[MOST_VALUES];
                for (uint32_t b = 0; b < bit_count; b++)
                    thread |= (w >> b & 1) * (UINT32_C(32) << bits[b]);
                for (uint32_t i = 0; i < s->n; i++) {
                    other[i] = tile_new(e, tile_class_of(s->dtype[i]));
                    tile_emit_load(e, "", "shared", s->dtype[i], &other[i], 1, place[i],
                                   (int64_t)at[i] + (int64_t)runs * bytes +
                                       (int64_t)thread * tile_bytes_of(s->dtype[i]),
                                   TILE_NO_REGISTER);
                }
                if (k)
                    combine(s, sum, other, sum);
                else
                    memcpy(sum, other, sizeof(sum));
                if (k + 1 == warps)
                    break;
                // A warp's prefix is the sum of all earlier warps' totals.
                tile_register is_next = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", number,
                                                  s->reverse ? w - 1 : w + 1);
                choose(s, is_next, sum, before, before);
            }
            memcpy(s->total[r], sum, sizeof(sum));
            put_before(s, r, before, done, own);
            runs++;
        }
    }
}

// Scans registers whose bits lie below all thread bits, one after another.
static void scan_run(struct scan *s, uint32_t run, uint32_t own)
{
    uint32_t bits = (uint32_t)__builtin_popcount(own), last = run;

    for (uint32_t k = 0; k < UINT32_C(1) << bits; k++) {
        uint32_t number = s->reverse ? (UINT32_C(1) << bits) - 1 - k : k, r = run;
        // Find the k-th register of the run in coordinate order.
        for (uint32_t b = 0; b < bits; b++)
            if (number >> b & 1)
                r |= UINT32_C(1) << tile_hardware_bit(s->layout,
                                                      tile_axis_shift(s->layout, s->axis) + b);
        if (k)
            combine(s, s->value[last], s->value[r], s->value[r]);
        last = r;
    }
    memcpy(s->total[run], s->value[last], sizeof(s->total[run]));
}

static bool scan(struct scan *s)
{
    struct tile_emitter *e = s->e;
    uint32_t shift = tile_axis_shift(s->layout, s->axis), own = 0, done = 0, bit = 0;
    uint32_t registers = s->layout->register_bits, lane_bits = 0;

    for (uint32_t k = 0; k < s->axis_bits; k++)
        if (tile_hardware_bit(s->layout, shift + k) == TILE_MAX_HARDWARE_BITS)
            return tile_cannot(e, s->op, "its layout splits a bit of the axis");
    while (bit < s->axis_bits && tile_hardware_bit(s->layout, shift + bit) < registers)
        own |= UINT32_C(1) << tile_hardware_bit(s->layout, shift + bit++);
    for (uint32_t r = 0; r < s->count; r++)
        if (!(r & own))
            scan_run(s, r, own);
    while (bit < s->axis_bits) {
        uint32_t hardware = tile_hardware_bit(s->layout, shift + bit);
        if (hardware < registers) {
            for (uint32_t r = 0; r < s->count; r++)
                if (!(r & (own | done | UINT32_C(1) << hardware)))
                    join_registers(s, r, UINT32_C(1) << hardware, done, own);
            done |= UINT32_C(1) << hardware;
            bit++;
        } else if (hardware < registers + TILE_LANE_BITS) {
            uint32_t first = hardware - registers, bits = 0;
            struct lanes lanes;
            while (bit < s->axis_bits && first + bits < TILE_LANE_BITS &&
                   tile_hardware_bit(s->layout, shift + bit) == hardware + bits) {
                bits++;
                bit++;
            }
            open_lanes(s, first, bits, &lanes);
            join_lanes(s, &lanes, done, own);
            lane_bits += bits;
        } else {
            uint32_t bits[TILE_MAX_WARP_BITS], count = 0;
            while (bit < s->axis_bits && (hardware = tile_hardware_bit(s->layout, shift + bit)) >=
                                             registers + TILE_LANE_BITS) {
                bits[count++] = hardware - registers - TILE_LANE_BITS;
                bit++;
            }
            bool follow = lane_bits == TILE_LANE_BITS;
            for (uint32_t k = 1; k < count; k++)
                follow &= bits[k] == bits[0] + k;
            if (follow)
                join_warps_by_lanes(s, bits[0], count, done, own);
            else
                join_warps(s, bits, count, done, own);
        }
    }
    for (uint32_t r = 0; r < s->count; r++)
        if (s->before[r & ~own][0])
            combine(s, s->before[r & ~own], s->value[r], s->value[r]);
    return !e->failed;
}

bool tile_emit_scan(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0];
    struct scan s = { .e = e,
                      .op = op,
                      .layout = x->layout,
                      .n = op->result_count,
                      .with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM),
                      .axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0),
                      .reverse = tile_int(op, TILE_ATTR_REVERSE, 0),
                      .count = tile_register_count(x) };
    bool widens = (x->type.dtype == CUC_F16 || x->type.dtype == CUC_BF16) && !op->block_count;

    s.axis_bits = s.layout->axis_bits[s.axis];
    s.value = tile_take(e->module, s.count * sizeof(*s.value));
    s.total = tile_take(e->module, s.count * sizeof(*s.total));
    s.before = tile_take(e->module, s.count * sizeof(*s.before));
    if (!s.value || !s.total || !s.before)
        return false;
    for (uint32_t i = 0; i < s.n; i++) {
        s.dtype[i] = widens ? CUC_F32 : op->operand[i]->type.dtype;
        s.identity[i] =
            op->block_count
                ? tile_registers(e, op->operand[s.n + i])[0]
                : tile_constant_register(e, s.dtype[i], tile_element_identity(s.with, s.dtype[i]));
        const tile_register *in = tile_registers(e, op->operand[i]);
        for (uint32_t r = 0; in && r < s.count; r++) {
            bool none = false;
            // In a reverse scan, padding comes first.
            tile_register inside = s.reverse ? tile_inside_tile(e, x, r, &none) : TILE_NO_REGISTER;
            tile_register value = widens ? tile_widen(e, x->type.dtype, in[r]) : in[r];
            s.value[r][i] = none     ? s.identity[i]
                            : inside ? tile_select(e, inside, value, s.identity[i])
                                     : value;
        }
    }
    if (!scan(&s))
        return false;
    for (uint32_t i = 0; i < s.n; i++) {
        tile_register *out = tile_take(e->module, s.count * sizeof(*out));
        if (!out)
            return false;
        for (uint32_t r = 0; r < s.count; r++)
            out[r] = widens ? tile_narrow(e, x->type.dtype, s.value[r][i]) : s.value[r][i];
        e->value[op->result[i]->id] = out;
    }
    return !e->failed;
}
