// Histograms: counters in shared memory, as many at a time as it holds, that every thread adds to.
#include "emit.h"

enum { MOST_BYTES = 32 * 1024 };

// All threads write zeros, 32 bits each, one behind the other.
static void clear(struct tile_emitter *e, tile_register shared, uint32_t words)
{
    uint32_t threads = 32 * e->warps, again = tile_label(e), done = tile_label(e);
    tile_register zero = tile_number32(e, 0), at = tile_new(e, TILE_R32);
    tile_register end = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", shared, 4 * words);
    tile_register over = tile_new(e, TILE_PRED);

    tile_ins(e, "mad.lo.u32 %R, %R, 4, %R", at, e->tid, shared);
    tile_put_label(e, again);
    tile_ins(e, "setp.ge.u32 %R, %R, %R", over, at, end);
    tile_branch(e, over, false, done);
    tile_ins(e, "st.shared.b32 [%R], %R", at, zero);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, 4 * threads);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, done);
}

// Elements from `first` on, `words` of them, are counted; what is below zero is a large number
// without its sign.
static void count(struct tile_emitter *e, const struct tile_value *x, tile_register single,
                  tile_register shared, uint32_t first, uint32_t words)
{
    const tile_register *reg = tile_registers(e, x);
    bool wide = tile_class_of(x->type.dtype) == TILE_R64;

    for (uint32_t r = 0; reg && r < tile_register_count(x); r++) {
        bool none;
        tile_register p = tile_both(e, tile_inside_tile(e, x, r, &none), single), bin = reg[r];
        if (none || tile_repeats(x->layout, r))
            continue;
        if (first)
            bin = tile_make(e, wide ? TILE_R64 : TILE_R32,
                            wide ? "sub.s64 %R, %R, %u" : "sub.s32 %R, %R, %u", bin, first);
        p = tile_both(e, p,
                      tile_make(e, TILE_PRED,
                                wide ? "setp.lt.u64 %R, %R, %u" : "setp.lt.u32 %R, %R, %u", bin,
                                words));
        if (wide)
            bin = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", bin);
        tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", bin, shared);
        tile_put(e->text, "\t@%s red.relaxed.cta.shared.add.u32 [%s], 1;\n", tile_name(p),
                 tile_name(at));
    }
}

// The counters that the result's registers stand for.
static void read(struct tile_emitter *e, const struct tile_value *result, tile_register shared,
                 uint32_t first, uint32_t words, uint32_t bins)
{
    tile_register *out = tile_registers(e, result);

    for (uint32_t r = 0; out && r < tile_register_count(result); r++) {
        bool none;
        tile_register p = tile_inside_tile(e, result, r, &none);
        if (none)
            continue;
        tile_register at = tile_element_coordinate(e, result, r, 0);
        if (first)
            at = tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", at, first);
        if (words < bins) {
            tile_register here = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", at, words);
            p = tile_both(e, p, here);
        }
        at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", at, shared);
        tile_emit_load(e, "", "shared", CUC_I32, &out[r], 1, at, 0, p);
    }
}

bool tile_emit_histogram(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0], *result = op->result[0];
    uint32_t bins = (uint32_t)result->type.extent[0];
    const tile_register *out = tile_registers(e, result);
    tile_register single = tile_one_copy(e, x->layout), zero = tile_number32(e, 0);

    for (uint32_t r = 0; out && r < tile_register_count(result); r++)
        tile_move(e, out[r], zero); // padding is something
    for (uint32_t first = 0; first < bins; first += MOST_BYTES / 4) {
        uint32_t words = bins - first < MOST_BYTES / 4 ? bins - first : MOST_BYTES / 4;
        tile_register shared = tile_scratch(e, 4 * words);
        clear(e, shared, words);
        tile_barrier(e);
        count(e, x, single, shared, first, words);
        tile_scratch_written(e);
        read(e, result, shared, first, words, bins);
    }
    return out && !e->failed;
}
