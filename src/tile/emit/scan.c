// Scans along an axis, inclusive, by sum, product or a function, from either end.
//
// Whichever thread or register a bit of the axis' coordinate lies in, a scan is made of the same
// step, bit by bit from the lowest: two neighbouring blocks, each with its total, become one, and
// all of the later block is combined with the total of the earlier one. Registers whose bits come
// below those of all threads are scanned first, one after the other, and are a run from then on:
// what stands before a run is combined with its elements at the very end.
#include "emit.h"

#include <string.h>

enum { MOST_VALUES = TILE_MAX_RANK, EXCHANGE_BYTES = 16 * 1024 };

struct scan {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_layout *layout;
    uint32_t n;                   // tiles that are scanned together
    cuc_dtype dtype[MOST_VALUES]; // computed in
    tile_register identity[MOST_VALUES];
    enum tile_combine with;
    uint32_t axis, axis_bits;
    bool reverse;
    uint32_t count;                      // of registers
    tile_register (*value)[MOST_VALUES]; // of each register: its elements, then their scan
    // Of each run, by its lowest register: all of it and of what it was joined with, and what
    // stands before it there.
    tile_register (*total)[MOST_VALUES], (*before)[MOST_VALUES];
};

static uint32_t bytes_of(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}

// x stands before y in the order of the scan.
static void combine(struct scan *s, const tile_register *x, const tile_register *y,
                    tile_register *out)
{
    struct tile_emitter *e = s->e;
    const struct tile_block *fn = s->op->block_count ? s->op->block[0] : NULL;
    tile_register result[MOST_VALUES];

    if (!fn) {
        out[0] = tile_emit_combine(e, s->with, s->dtype[0], false, x[0], y[0]);
        return;
    }
    for (uint32_t i = 0; i < 2 * s->n; i++) {
        tile_register *slot = tile_take(e->module, sizeof(*slot));
        if (!slot) {
            e->failed = true;
            memcpy(out, x, s->n * sizeof(*out));
            return;
        }
        *slot = i < s->n ? x[i] : y[i - s->n];
        e->value[fn->argument[i]->id] = slot;
    }
    tile_emit_function(e, fn);
    for (uint32_t i = 0; i < s->n; i++) {
        const tile_register *reg = tile_registers(e, fn->last->operand[i]);
        result[i] = reg ? reg[0] : x[i];
    }
    memcpy(out, result, s->n * sizeof(*out));
}

static void choose(struct scan *s, tile_register p, const tile_register *x, const tile_register *y,
                   tile_register *out)
{
    for (uint32_t i = 0; i < s->n; i++)
        out[i] = x[i] == y[i] ? x[i] : tile_select(s->e, p, x[i], y[i]);
}

// Two runs of one thread: everything in the later one has the earlier one before it.
static void join_registers(struct scan *s, uint32_t run, uint32_t bit, uint32_t done, uint32_t own)
{
    uint32_t first = s->reverse ? run | bit : run, second = first ^ bit;
    tile_register all[MOST_VALUES], sum[MOST_VALUES];

    memcpy(all, s->total[first], sizeof(all));
    for (uint32_t r = 0; r < s->count; r++) // the runs that were joined into the second
        if ((r & ~done) == second && !(r & own)) {
            if (s->before[r][0])
                combine(s, all, s->before[r], s->before[r]);
            else
                memcpy(s->before[r], all, sizeof(all));
        }
    combine(s, all, s->total[second], sum);
    memcpy(s->total[run], sum, sizeof(sum));
}

// The same run of another lane.
static void join_lanes(struct scan *s, uint32_t run, uint32_t lane_bit, tile_register later,
                       uint32_t done, uint32_t own)
{
    tile_register other[MOST_VALUES], first[MOST_VALUES], second[MOST_VALUES], mine[MOST_VALUES];

    memcpy(mine, s->total[run], sizeof(mine));
    for (uint32_t i = 0; i < s->n; i++)
        other[i] = tile_shuffle_xor(s->e, mine[i], UINT32_C(1) << lane_bit);
    for (uint32_t r = 0; r < s->count; r++)
        if ((r & ~done) == run && !(r & own)) {
            tile_register joined[MOST_VALUES];
            const tile_register *was = s->before[r][0] ? s->before[r] : s->identity;
            if (s->before[r][0])
                combine(s, other, was, joined);
            else
                memcpy(joined, other, sizeof(joined));
            choose(s, later, joined, was, s->before[r]);
        }
    if (s->with == TILE_WITH_FN) {
        choose(s, later, other, mine, first);
        choose(s, later, mine, other, second);
        combine(s, first, second, s->total[run]);
    } else {
        combine(s, mine, other, s->total[run]);
    }
}

// Warps, as many as their bits follow one another in the coordinate: each writes its totals and
// reads those of all others, in order.
static void join_warps(struct scan *s, const uint32_t *bits, uint32_t bit_count, uint32_t done,
                       uint32_t own)
{
    struct tile_emitter *e = s->e;
    uint32_t threads = 32 * e->warps, bytes = 0, at[MOST_VALUES], mask = 0, warps = 1u << bit_count;

    for (uint32_t i = 0; i < s->n; i++) {
        at[i] = bytes;
        bytes += threads * bytes_of(s->dtype[i]);
    }
    // The number of the warp among those that are joined, and the place of the first of them.
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
        // As many runs as the exchange holds.
        uint32_t left = 0, runs = 0;
        for (run[1] = run[0]; run[1] < s->count && left < each; run[1]++)
            left += !(run[1] & (done | own));
        if (!left)
            break;
        tile_register shared = tile_scratch(e, left * bytes);
        for (uint32_t i = 0; i < s->n; i++) {
            uint32_t size = bytes_of(s->dtype[i]), number_of_run = 0;
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
                                 bytes_of(s->dtype[i]), shared);
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
                                       (int64_t)thread * bytes_of(s->dtype[i]),
                                   TILE_NO_REGISTER);
                }
                if (k)
                    combine(s, sum, other, sum);
                else
                    memcpy(sum, other, sizeof(sum));
                if (k + 1 == warps)
                    break;
                // What is before a warp is the sum of all that come before it.
                tile_register is_next = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", number,
                                                  s->reverse ? w - 1 : w + 1);
                choose(s, is_next, sum, before, before);
            }
            memcpy(s->total[r], sum, sizeof(sum));
            for (uint32_t q = 0; q < s->count; q++)
                if ((q & ~done) == r && !(q & own)) {
                    if (s->before[q][0])
                        combine(s, before, s->before[q], s->before[q]);
                    else
                        memcpy(s->before[q], before, sizeof(before));
                }
            runs++;
        }
    }
}

// Registers below all thread bits: one after the other.
static void scan_run(struct scan *s, uint32_t run, uint32_t own)
{
    uint32_t bits = (uint32_t)__builtin_popcount(own), last = run;

    for (uint32_t k = 0; k < UINT32_C(1) << bits; k++) {
        uint32_t number = s->reverse ? (UINT32_C(1) << bits) - 1 - k : k, r = run;
        // The k-th register of the run, in the order of the coordinate.
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
    uint32_t registers = s->layout->register_bits;

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
            uint32_t lane_bit = hardware - registers;
            tile_register set =
                tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, UINT32_C(1) << lane_bit);
            tile_register later = tile_make(
                e, TILE_PRED, s->reverse ? "setp.eq.u32 %R, %R, 0" : "setp.ne.u32 %R, %R, 0", set);
            for (uint32_t r = 0; r < s->count; r++)
                if (!(r & (own | done)))
                    join_lanes(s, r, lane_bit, later, done, own);
            bit++;
        } else {
            uint32_t bits[TILE_MAX_WARP_BITS], count = 0;
            while (bit < s->axis_bits && (hardware = tile_hardware_bit(s->layout, shift + bit)) >=
                                             registers + TILE_LANE_BITS) {
                bits[count++] = hardware - registers - TILE_LANE_BITS;
                bit++;
            }
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
            // From the end on padding comes first.
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
