// Histograms: all threads increment counters in shared memory, in several passes if the counters do
// not all fit. The counters of a loop keep their place behind the scratch until they are read.
#include "emit.h"

// The number of counters per pass is a power of two, so that a bin's highest bits select the pass.
// In most layouts, all threads' bins in one register then fall into the same pass. The rest of
// shared memory is left to other ops.
enum { MOST_WORDS = 32768, SPARE_BYTES = 8 * 1024 };

static uint32_t words_at_once(const struct tile_emitter *e)
{
    uint32_t words = MOST_WORDS;

    while (4 * words + SPARE_BYTES > e->target->shared_limit)
        words /= 2;
    return words;
}

// Clears words; consecutive threads clear consecutive words.
static void clear(struct tile_emitter *e, tile_register shared, uint32_t words)
{
    uint32_t threads = 32 * e->warps, top = tile_label(e), done = tile_label(e);
    tile_register zero = tile_number32(e, 0), at = tile_new(e, TILE_R32);
    tile_register end = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", shared, 4 * words);
    tile_register over = tile_new(e, TILE_PRED);

    tile_ins(e, "mad.lo.u32 %R, %R, 4, %R", at, e->tid, shared);
    tile_put_label(e, top);
    tile_ins(e, "setp.ge.u32 %R, %R, %R", over, at, end);
    tile_branch(e, over, false, done);
    tile_ins(e, "st.shared.b32 [%R], %R", at, zero);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, 4 * threads);
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, done);
}

// Counts the `words` bins from bin `first` on. As an unsigned number a negative value is large, so
// it is not counted. Values that are known to be in range need no comparison.
static void count(struct tile_emitter *e, const struct tile_value *x, tile_register single,
                  tile_register shared, tile_register first, uint32_t words)
{
    const tile_register *reg = tile_registers(e, x);
    bool wide = tile_class_of(x->type.dtype) == TILE_R64;
    struct tile_range range = tile_range_of(e->ranges, x);
    bool known = !first && range.low >= 0 && range.high < words;

    if (first && wide)
        first = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", first);
    for (uint32_t r = 0; reg && r < tile_register_count(x); r++) {
        bool none;
        tile_register p = tile_both(e, tile_inside_tile(e, x, r, &none), single), bin = reg[r];
        if (none || tile_repeats(x->layout, r))
            continue;
        if (first)
            bin = tile_make(e, wide ? TILE_R64 : TILE_R32,
                            wide ? "sub.s64 %R, %R, %R" : "sub.s32 %R, %R, %R", bin, first);
        if (!known)
            p = tile_both(e, p,
                          tile_make(e, TILE_PRED,
                                    wide ? "setp.lt.u64 %R, %R, %u" : "setp.lt.u32 %R, %R, %u", bin,
                                    words));
        if (wide)
            bin = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", bin);
        tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", bin, shared);
        if (p)
            tile_put(e->text, "\t@%s", tile_name(p));
        tile_ins(e, "red.relaxed.cta.shared.add.u32 [%R], 1", at);
    }
}

// Reads the registers whose bins are known to lie among the `words` bins from `first` on.
static void read_part(struct tile_emitter *e, const struct tile_value *result,
                      tile_register own_place, uint32_t first, uint32_t words)
{
    tile_register *out = tile_registers(e, result);

    for (uint32_t r = 0; out && r < tile_register_count(result); r++) {
        uint32_t at = tile_register_coordinate(result->layout, r, 0);
        bool none;
        if (at < first || at - first >= words)
            continue;
        tile_register p = tile_inside_tile(e, result, r, &none);
        if (!none)
            tile_emit_load(e, "", "shared", CUC_I32, &out[r], 1, own_place, 4 * (at - first), p);
    }
}

// Reads counters for threads whose bins are spread over several passes. Each register checks
// whether its bin belongs to this pass.
static void read_any(struct tile_emitter *e, const struct tile_value *result, tile_register shared,
                     tile_register first, uint32_t words)
{
    tile_register *out = tile_registers(e, result);

    for (uint32_t r = 0; out && r < tile_register_count(result); r++) {
        bool none;
        tile_register p = tile_inside_tile(e, result, r, &none);
        if (none)
            continue;
        tile_register at = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R",
                                     tile_element_coordinate(e, result, r, 0), first);
        p = tile_both(e, p, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", at, words));
        at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", at, shared);
        tile_emit_load(e, "", "shared", CUC_I32, &out[r], 1, at, 0, p);
    }
}

// Counts in a loop of several passes if there are more bins than counters. The code size then grows
// with the sum of the two tiles' sizes, not with their product.
static void count_in_passes(struct tile_emitter *e, const struct tile_value *x,
                            const struct tile_value *result, tile_register single, uint32_t words)
{
    uint32_t bins = (uint32_t)result->type.extent[0], top = tile_label(e);
    bool apart = tile_thread_mask(result->layout, 0) >= words;
    tile_register shared = tile_scratch(e, 4 * words), first = tile_new(e, TILE_R32);
    tile_register more = tile_new(e, TILE_PRED), own = tile_new(e, TILE_R32);
    tile_register here = tile_new(e, TILE_PRED);

    tile_ins(e, "mad.lo.u32 %R, %R, 4, %R", own, tile_thread_coordinate(e, result->layout, 0),
             shared);
    tile_ins(e, "mov.u32 %R, 0", first);
    tile_put_label(e, top);
    clear(e, shared, words);
    tile_barrier(e);
    count(e, x, single, shared, first, words);
    tile_scratch_written(e);
    if (apart)
        read_any(e, result, shared, first, words);
    for (uint32_t first_bin = 0; first_bin < bins && !apart; first_bin += words) {
        uint32_t next = tile_label(e);
        tile_ins(e, "setp.ne.u32 %R, %R, %u", here, first, first_bin);
        tile_branch(e, here, false, next);
        read_part(e, result, own, first_bin, words);
        tile_put_label(e, next);
    }
    tile_ins(e, "add.u32 %R, %R, %u", first, first, words);
    tile_ins(e, "setp.lt.u32 %R, %R, %u", more, first, bins);
    tile_barrier(e); // all threads have read the counters
    tile_branch(e, more, false, top);
}

bool tile_emit_histogram(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0], *result = op->result[0];
    uint32_t bins = (uint32_t)result->type.extent[0];
    const tile_register *out = tile_registers(e, result);
    tile_register single = tile_one_copy(e, x->layout), zero = tile_number32(e, 0);

    for (uint32_t r = 0; out && r < tile_register_count(result); r++)
        tile_move(e, out[r], zero); // padding needs a value
    if (bins > words_at_once(e)) {
        count_in_passes(e, x, result, single, words_at_once(e));
        return out && !e->failed;
    }
    tile_register shared = tile_scratch(e, 4 * bins);
    clear(e, shared, bins);
    tile_barrier(e);
    count(e, x, single, shared, TILE_NO_REGISTER, bins);
    tile_scratch_written(e);
    tile_register own = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R",
                                  tile_thread_coordinate(e, result->layout, 0), shared);
    read_part(e, result, own, 0, UINT32_MAX);
    return out && !e->failed;
}

bool tile_emit_tally(struct tile_emitter *e, const struct tile_op *op)
{
    uint32_t words = (uint32_t)tile_int(op, TILE_ATTR_COUNT, 0);

    if (!e->tally_bytes)
        e->tallies = tile_new(e, TILE_R32);
    if (e->tally_bytes < 4 * words)
        e->tally_bytes = 4 * words;
    if (op->kind == TILE_TALLY) {
        const struct tile_value *x = op->operand[0];
        count(e, x, tile_one_copy(e, x->layout), e->tallies, TILE_NO_REGISTER, words);
        return !e->failed;
    }
    tile_barrier(e); // all threads have counted, or have read the counters of an earlier loop
    if (op->kind == TILE_TALLY_START) {
        clear(e, e->tallies, words);
        tile_barrier(e);
        return true;
    }
    const struct tile_value *result = op->result[0];
    const tile_register *out = tile_registers(e, result);
    tile_register zero = tile_number32(e, 0);
    for (uint32_t r = 0; out && r < tile_register_count(result); r++)
        tile_move(e, out[r], zero); // padding needs a value
    tile_register own = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R",
                                  tile_thread_coordinate(e, result->layout, 0), e->tallies);
    read_part(e, result, own, 0, UINT32_MAX);
    return out && !e->failed;
}
