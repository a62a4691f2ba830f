// A sorting network as three nested loops over row-major keys in shared memory: over blocks of
// doubling length, over distances within them, and over pairs. It takes a few dozen instructions
// for any length, while the code of a network in registers grows with the number of pairs.
//
// The partners are i and i ^ mask, as in sort.c. Elements past the axis' end would be larger than
// every key and stay in place, so the loops skip pairs with them.
#include "sort.h"

static cuc_dtype key_dtype(const struct tile_sort_keys *s)
{
    return s->class == TILE_R64 ? CUC_U64 : CUC_U32;
}

static struct tile_value as_dtype(const struct tile_value *tile, cuc_dtype dtype)
{
    struct tile_value value = *tile;

    value.type.dtype = dtype;
    return value;
}

uint64_t tile_sort_shared_bytes(const struct tile_sort_keys *s)
{
    uint64_t elements = (uint64_t)tile_elements(&s->tile->type);

    return elements * (s->class == TILE_R64 ? 8u : 4u) + elements * (s->index ? 4u : 0u) + 32;
}

// Compares one pair at two addresses in shared memory and exchanges it if needed.
static void exchange(struct tile_emitter *e, const struct tile_sort_keys *s, tile_register low,
                     tile_register high, const tile_register *index)
{
    cuc_dtype dtype = key_dtype(s);
    tile_register k = tile_new(e, s->class), l = tile_new(e, s->class);

    tile_emit_load(e, "", "shared", dtype, &k, 1, low, 0, TILE_NO_REGISTER);
    tile_emit_load(e, "", "shared", dtype, &l, 1, high, 0, TILE_NO_REGISTER);
    if (!s->index) {
        tile_register less = tile_new(e, s->class), more = tile_new(e, s->class);
        tile_ins(e, "min.%s %R, %R, %R", s->type, less, k, l);
        tile_ins(e, "max.%s %R, %R, %R", s->type, more, k, l);
        tile_emit_store(e, "", "shared", dtype, &less, 1, low, 0, TILE_NO_REGISTER);
        tile_emit_store(e, "", "shared", dtype, &more, 1, high, 0, TILE_NO_REGISTER);
        return;
    }
    tile_register i = tile_new(e, TILE_R32), j = tile_new(e, TILE_R32);
    tile_emit_load(e, "", "shared", CUC_U32, &i, 1, index[0], 0, TILE_NO_REGISTER);
    tile_emit_load(e, "", "shared", CUC_U32, &j, 1, index[1], 0, TILE_NO_REGISTER);
    tile_register p = tile_stands_before(e, s, k, i, l, j);
    tile_register first = tile_select(e, p, k, l), second = tile_select(e, p, l, k);
    tile_register at_first = tile_select(e, p, i, j), at_second = tile_select(e, p, j, i);
    tile_emit_store(e, "", "shared", dtype, &first, 1, low, 0, TILE_NO_REGISTER);
    tile_emit_store(e, "", "shared", dtype, &second, 1, high, 0, TILE_NO_REGISTER);
    tile_emit_store(e, "", "shared", CUC_U32, &at_first, 1, index[0], 0, TILE_NO_REGISTER);
    tile_emit_store(e, "", "shared", CUC_U32, &at_second, 1, index[1], 0, TILE_NO_REGISTER);
}

// Handles all pairs of one distance. Each of n threads takes every n-th pair.
static void put_pairs(struct tile_emitter *e, const struct tile_sort_keys *s, uint32_t bits,
                      tile_register distance, tile_register mask, tile_register shared,
                      uint32_t index_at)
{
    const struct tile_type *type = &s->tile->type;
    uint32_t length = (uint32_t)type->extent[s->axis], half = UINT32_C(1) << (bits - 1);
    uint32_t inner = 1, size = s->class == TILE_R64 ? 8 : 4;
    uint32_t top = tile_label(e), next = tile_label(e), done = tile_label(e);

    for (uint32_t axis = s->axis + 1; axis < type->rank; axis++)
        inner *= (uint32_t)type->extent[axis];
    uint32_t lines = (uint32_t)tile_elements(type) / length;

    tile_register below = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", distance);
    tile_register q = tile_make(e, TILE_R32, "mov.u32 %R, %R", e->tid);
    tile_put_label(e, top);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %u", q, lines * half), false, done);
    // For pair p along the axis, i is p with a zero bit inserted at the distance.
    tile_register pair = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", q, half - 1);
    tile_register low = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", pair, below);
    tile_register twice = tile_make(e, TILE_R32, "shl.b32 %R, %R, 1", pair);
    tile_register i = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", twice, low);
    tile_register j = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", i, mask);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %u", j, length), false, next);
    tile_register line = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", q, bits - 1);
    tile_register start;
    if (inner == 1) {
        start = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", line, length);
    } else {
        tile_register outer = tile_make(e, TILE_R32, "div.u32 %R, %R, %u", line, inner);
        tile_register rest = tile_make(e, TILE_R32, "rem.u32 %R, %R, %u", line, inner);
        start = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", outer, length * inner, rest);
    }
    tile_register place[2], at[2], index[2] = { TILE_NO_REGISTER, TILE_NO_REGISTER };
    place[0] = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", i, inner, start);
    place[1] = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", j, inner, start);
    for (uint32_t n = 0; n < 2; n++) {
        at[n] = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", place[n], size, shared);
        if (!s->index)
            continue;
        index[n] = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", place[n], shared);
        index[n] = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", index[n], index_at);
    }
    exchange(e, s, at[0], at[1], index);
    tile_put_label(e, next);
    tile_ins(e, "add.u32 %R, %R, %u", q, q, 32 * e->warps);
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, done);
    tile_barrier(e);
}

void tile_sort_in_shared(struct tile_emitter *e, struct tile_sort_keys *s)
{
    struct tile_value keys = as_dtype(s->tile, key_dtype(s));
    struct tile_value indices = as_dtype(s->tile, CUC_U32);
    uint32_t bits = tile_bits_of(s->tile->type.extent[s->axis]);
    uint32_t index_at = tile_shared_bytes(&keys);
    uint32_t longer = tile_label(e), nearer = tile_label(e);

    tile_register shared = tile_scratch(e, (uint32_t)tile_sort_shared_bytes(s));
    tile_write_shared(e, &keys, s->key, shared, 0, NULL);
    if (s->index)
        tile_write_shared(e, &indices, s->index, shared, index_at, NULL);
    tile_scratch_written(e);

    // `top` holds 2^top of sort.c: half the length of a block.
    tile_register top = tile_make(e, TILE_R32, "mov.u32 %R, 1"), distance = tile_new(e, TILE_R32),
                  mask = tile_new(e, TILE_R32);
    tile_put_label(e, longer);
    tile_ins(e, "mov.u32 %R, %R", distance, top);
    tile_register twice = tile_make(e, TILE_R32, "shl.b32 %R, %R, 1", top);
    tile_ins(e, "sub.u32 %R, %R, 1", mask, twice); // first compare one half with the reversed other
                                                   // half
    tile_put_label(e, nearer);
    put_pairs(e, s, bits, distance, mask, shared, index_at);
    tile_ins(e, "shr.u32 %R, %R, 1", distance, distance);
    tile_ins(e, "mov.u32 %R, %R", mask, distance);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", distance), false, nearer);
    tile_ins(e, "shl.b32 %R, %R, 1", top, top);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", top, UINT32_C(1) << bits),
                false, longer);

    for (uint32_t r = 0; r < s->count; r++) {
        s->key[r] = tile_new(e, s->class);
        if (s->index)
            s->index[r] = tile_new(e, TILE_R32);
    }
    tile_read_shared(e, &keys, s->key, shared, 0);
    if (s->index)
        tile_read_shared(e, &indices, s->index, shared, index_at);
}
