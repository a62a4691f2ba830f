// Moves elements between threads: by shuffles within a warp, or through shared memory, where tiles
// are in row-major order. Also finds the threads that hold copies of an element.
#include "emit.h"

#include <stdio.h>
#include <string.h>

// Limits on the shared memory used to send elements to the threads that hold copies of them.
enum { EXCHANGE_BYTES = 16 * 1024, FEW_BYTES = 256, ALL_LANES = 31 };

// Registers of any class

tile_register tile_select(struct tile_emitter *e, tile_register p, tile_register x, tile_register y)
{
    static const char *const types[] = { "pred", "b16", "b32", "b64" };
    enum tile_register_class c = TILE_REGISTER_CLASS(x);
    tile_register out = tile_new(e, c);

    if (c == TILE_PRED) { // p & x | ~p & y
        tile_register a = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", p, x);
        tile_register n = tile_make(e, TILE_PRED, "not.pred %R, %R", p);
        tile_register b = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", n, y);
        tile_ins(e, "or.pred %R, %R, %R", out, a, b);
    } else {
        tile_ins(e, "selp.%s %R, %R, %R, %R", types[c], out, x, y, p);
    }
    return out;
}

tile_register tile_both(struct tile_emitter *e, tile_register p, tile_register q)
{
    return p && q ? tile_make(e, TILE_PRED, "and.pred %R, %R, %R", p, q) : p ? p : q;
}

static tile_register shuffle32(struct tile_emitter *e, const char *mode, tile_register x,
                               const char *lane)
{
    return tile_make(e, TILE_R32, "shfl.sync.%s.b32 %R, %R, %s, %u, 0xffffffff", mode, x, lane,
                     strcmp(mode, "up") == 0 ? 0 : 31);
}

static tile_register shuffle(struct tile_emitter *e, const char *mode, tile_register x,
                             const char *lane)
{
    switch (TILE_REGISTER_CLASS(x)) {
    case TILE_PRED: {
        tile_register word = tile_make(e, TILE_R32, "selp.u32 %R, 1, 0, %R", x);
        return tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", shuffle32(e, mode, word, lane));
    }
    case TILE_R16: {
        tile_register word = tile_make(e, TILE_R32, "cvt.u32.u16 %R, %R", x);
        return tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", shuffle32(e, mode, word, lane));
    }
    case TILE_R32:
        return shuffle32(e, mode, x, lane);
    default: {
        tile_register low = tile_new(e, TILE_R32), high = tile_new(e, TILE_R32);
        tile_ins(e, "mov.b64 {%R, %R}, %R", low, high, x);
        low = shuffle32(e, mode, low, lane);
        high = shuffle32(e, mode, high, lane);
        return tile_make(e, TILE_R64, "mov.b64 %R, {%R, %R}", low, high);
    }
    }
}

tile_register tile_shuffle_xor(struct tile_emitter *e, tile_register x, uint32_t mask)
{
    char lane[12];

    snprintf(lane, sizeof(lane), "%u", mask);
    return shuffle(e, "bfly", x, lane);
}

tile_register tile_shuffle_from(struct tile_emitter *e, tile_register x, tile_register lane)
{
    return shuffle(e, "idx", x, tile_name(lane));
}

tile_register tile_shuffle_along(struct tile_emitter *e, tile_register x, uint32_t distance,
                                 bool behind)
{
    char lanes[12];

    snprintf(lanes, sizeof(lanes), "%u", distance);
    return shuffle(e, behind ? "down" : "up", x, lanes);
}

// Threads that hold copies

tile_register tile_compress(struct tile_emitter *e, tile_register x, uint32_t mask)
{
    tile_register sum = TILE_NO_REGISTER;
    uint32_t to = 0;

    while (mask) {
        uint32_t first = (uint32_t)__builtin_ctz(mask), length = 0;
        while (first + length < 32 && mask >> (first + length) & 1)
            length++;
        uint32_t run = length < 32 ? (UINT32_C(1) << length) - 1 : UINT32_MAX;
        tile_register part = first ? tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", x, first) : x;
        part = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", part, run);
        if (to)
            part = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", part, to);
        sum = sum ? tile_make(e, TILE_R32, "or.b32 %R, %R, %R", sum, part) : part;
        mask &= ~(run << first);
        to += length;
    }
    return sum ? sum : tile_number32(e, 0);
}

uint32_t tile_copies(const struct tile_layout *layout)
{
    uint32_t copies = 0;

    for (uint32_t i = 0; i < TILE_LANE_BITS + (uint32_t)layout->warp_bits; i++)
        if (!layout->basis[layout->register_bits + i])
            copies |= UINT32_C(1) << i;
    return copies;
}

tile_register tile_one_copy(struct tile_emitter *e, const struct tile_layout *layout)
{
    uint32_t copies = tile_copies(layout) & (e->single_warp ? ALL_LANES : UINT32_MAX);

    if (!copies)
        return TILE_NO_REGISTER;
    tile_register bits = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, copies);
    return tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", bits);
}

// True for a register that repeats a lower one.
bool tile_repeats(const struct tile_layout *layout, uint32_t r)
{
    for (uint32_t bit = 0; bit < layout->register_bits; bit++)
        if (r >> bit & 1 && !layout->basis[bit])
            return true;
    return false;
}

static uint32_t first_of_same(const struct tile_layout *layout, uint32_t r)
{
    for (uint32_t bit = 0; bit < layout->register_bits; bit++)
        if (!layout->basis[bit])
            r &= ~(UINT32_C(1) << bit);
    return r;
}

// Sends registers to the threads with copies of their elements: within a warp by a shuffle, between
// warps through shared memory.
static void spread_to_threads(struct tile_emitter *e, const struct tile_value *value,
                              const tile_register *reg, uint32_t copies)
{
    cuc_dtype dtype = value->type.dtype;
    uint32_t bytes = tile_bytes_of(dtype), count = tile_register_count(value);

    if (!(copies >> TILE_LANE_BITS)) {
        tile_register from = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, 31 & ~copies);
        for (uint32_t r = 0; r < count; r++)
            if (!tile_repeats(value->layout, r))
                tile_move(e, reg[r], tile_shuffle_from(e, reg[r], from));
        return;
    }
    uint32_t kept = (32 * e->warps - 1) & ~copies, step = bytes << __builtin_popcount(kept);
    tile_register single = tile_one_copy(e, value->layout), index = tile_compress(e, e->tid, kept);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint32_t each = EXCHANGE_BYTES / step, at = 0;
        end = first + each < count ? first + each : count;
        uint32_t size = (end - first) * step;
        tile_register shared = size <= FEW_BYTES
                                   ? tile_scratch_beside(e, size, TILE_USUAL_BESIDE, &at)
                                   : tile_scratch(e, size);
        tile_register place =
            tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", index, bytes, shared);
        for (uint32_t r = first; r < end; r++)
            tile_emit_store(e, "", "shared", dtype, &reg[r], 1, place,
                            at + (int64_t)(r - first) * step, single);
        tile_scratch_written(e);
        for (uint32_t r = first; r < end; r++)
            tile_emit_load(e, "", "shared", dtype, &reg[r], 1, place,
                           at + (int64_t)(r - first) * step, TILE_NO_REGISTER);
    }
}

void tile_spread_copies(struct tile_emitter *e, const struct tile_value *value,
                        const tile_register *reg)
{
    uint32_t copies = tile_copies(value->layout) & (e->single_warp ? ALL_LANES : UINT32_MAX);

    if (copies)
        spread_to_threads(e, value, reg, copies);
    for (uint32_t r = 0; r < tile_register_count(value); r++)
        if (tile_repeats(value->layout, r))
            tile_move(e, reg[r], reg[first_of_same(value->layout, r)]);
}

// Tiles in shared memory

uint32_t tile_shared_bytes(const struct tile_value *value)
{
    return (uint32_t)((tile_elements(&value->type) * tile_bytes_of(value->type.dtype) + 15) & ~15);
}

bool tile_shared_fits(struct tile_emitter *e, const struct tile_op *op, uint64_t bytes)
{
    if (bytes <= e->target->shared_limit)
        return true;
    tile_error(e->module, TILE_T602, op->where,
               "%s: it needs %llu bytes of shared memory, the target has %u: make the tile smaller",
               tile_op_infos[op->kind].name, (unsigned long long)bytes, e->target->shared_limit);
    e->failed = true;
    return false;
}

tile_register tile_element_coordinate(struct tile_emitter *e, const struct tile_value *value,
                                      uint32_t index, uint32_t axis)
{
    tile_register c = tile_thread_coordinate(e, value->layout, axis);
    uint32_t own = tile_register_coordinate(value->layout, index, axis);

    return own ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", c, own) : c;
}

// Returns the address of the thread's first element, and the stride along each axis in bytes.
tile_register tile_shared_place(struct tile_emitter *e, const struct tile_value *value,
                                tile_register shared, int64_t *steps)
{
    int64_t step = tile_bytes_of(value->type.dtype);
    tile_register place = shared;

    for (uint32_t axis = value->type.rank; axis-- > 0;) {
        steps[axis] = step;
        if (value->layout->axis_bits[axis]) {
            tile_register c = tile_thread_coordinate(e, value->layout, axis);
            place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c, (unsigned)step, place);
        }
        step *= value->type.extent[axis];
    }
    return place;
}

// Returns the number of consecutive registers whose elements are contiguous and aligned in
// row-major order.
uint32_t tile_shared_vector(const struct tile_value *value)
{
    uint32_t vector = 1, bytes = tile_bytes_of(value->type.dtype),
             count = tile_register_count(value);
    uint32_t last = value->type.rank ? value->type.rank - 1u : 0;

    while (value->type.rank && 2 * vector * bytes <= 16 && vector < count &&
           value->layout->basis[__builtin_ctz(vector)] == vector &&
           vector < UINT32_C(1) << value->layout->axis_bits[last] &&
           value->type.extent[last] % (int32_t)(2 * vector) == 0)
        vector *= 2;
    return vector;
}

int64_t tile_shared_offset(const struct tile_value *value, uint32_t index, const int64_t *steps)
{
    int64_t offset = 0;

    for (uint32_t axis = 0; axis < value->type.rank; axis++)
        offset += steps[axis] * tile_register_coordinate(value->layout, index, axis);
    return offset;
}

void tile_write_shared(struct tile_emitter *e, const struct tile_value *value,
                       const tile_register *reg, tile_register shared, int64_t at,
                       const bool *needed)
{
    uint32_t count = tile_register_count(value), vector = tile_shared_vector(value);
    int64_t steps[TILE_MAX_RANK];

    tile_register place = tile_shared_place(e, value, shared, steps);
    // Let every thread with a copy write it, since all copies are equal.
    for (uint32_t r = 0; r < count; r += vector) {
        bool none;
        if (needed && !memchr(needed + r, true, vector))
            continue;
        tile_register p = tile_inside_tile(e, value, r, &none);
        if (!none)
            tile_emit_store(e, "", "shared", value->type.dtype, reg + r, vector, place,
                            at + tile_shared_offset(value, r, steps), p);
    }
}

void tile_read_shared(struct tile_emitter *e, const struct tile_value *value,
                      const tile_register *reg, tile_register shared, int64_t at)
{
    tile_register zero = TILE_NO_REGISTER;
    uint32_t count = tile_register_count(value), vector = tile_shared_vector(value);
    int64_t steps[TILE_MAX_RANK];

    tile_register place = tile_shared_place(e, value, shared, steps);
    for (uint32_t r = 0; r < count; r += vector) {
        bool none;
        tile_register p = tile_inside_tile(e, value, r, &none);
        // Padding elements need a value.
        for (uint32_t i = 0; i < vector && (none || p); i++) {
            if (!zero)
                zero = tile_constant_register(e, value->type.dtype, 0);
            tile_move(e, reg[r + i], zero);
        }
        if (!none)
            tile_emit_load(e, "", "shared", value->type.dtype, reg + r, vector, place,
                           at + tile_shared_offset(value, r, steps), p);
    }
}
