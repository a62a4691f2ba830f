// Constructs layouts, which are linear maps, and computes the effect of shape ops on them.
#include "layout.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

uint32_t tile_bits_of(int64_t count)
{
    uint32_t bits = 0;

    while ((INT64_C(1) << bits) < count)
        bits++;
    return bits;
}

uint32_t tile_axis_shift(const struct tile_layout *layout, uint32_t axis)
{
    uint32_t shift = 0;

    for (uint32_t i = axis + 1; i < layout->rank; i++)
        shift += layout->axis_bits[i];
    return shift;
}

uint32_t tile_hardware_bits(const struct tile_layout *layout)
{
    return (uint32_t)layout->register_bits + TILE_LANE_BITS + layout->warp_bits;
}

uint32_t tile_coordinate(const struct tile_layout *layout, uint32_t hardware)
{
    uint32_t coordinate = 0;

    for (; hardware; hardware &= hardware - 1)
        coordinate ^= layout->basis[__builtin_ctz(hardware)];
    return coordinate;
}

uint32_t tile_axis_coordinate(const struct tile_layout *layout, uint32_t hardware, uint32_t axis)
{
    return tile_coordinate(layout, hardware) >> tile_axis_shift(layout, axis) &
           ((UINT32_C(1) << layout->axis_bits[axis]) - 1);
}

// Returns the rank of a set of vectors.
static uint32_t span(const uint32_t *vector, uint32_t count)
{
    uint32_t pivot[32] = { 0 }, found = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = vector[i];
        while (v) {
            uint32_t top = 31 - (uint32_t)__builtin_clz(v);
            if (!pivot[top]) {
                pivot[top] = v;
                found++;
                break;
            }
            v ^= pivot[top];
        }
    }
    return found;
}

uint32_t tile_hardware_bit(const struct tile_layout *layout, uint32_t coordinate)
{
    for (uint32_t i = 0; i < tile_hardware_bits(layout); i++)
        if (layout->basis[i] == UINT32_C(1) << coordinate)
            return i;
    return TILE_MAX_HARDWARE_BITS;
}

bool tile_layout_covers(const struct tile_layout *layout)
{
    return span(layout->basis, tile_hardware_bits(layout)) == layout->coordinate_bits;
}

bool tile_layout_matches(const struct tile_layout *a, const struct tile_layout *b)
{
    return a->register_bits == b->register_bits && a->warp_bits == b->warp_bits &&
           a->coordinate_bits == b->coordinate_bits &&
           memcmp(a->basis, b->basis, tile_hardware_bits(a) * sizeof(*a->basis)) == 0;
}

bool tile_layout_same(const struct tile_layout *a, const struct tile_layout *b)
{
    return tile_layout_matches(a, b) && a->rank == b->rank &&
           memcmp(a->axis_bits, b->axis_bits, a->rank) == 0;
}

const char *tile_layout_text(struct cuc__arena *arena, const struct tile_layout *layout)
{
    static const char letters[] = "rlw";
    const uint32_t ends[] = { layout->register_bits, layout->register_bits + TILE_LANE_BITS,
                              tile_hardware_bits(layout) };
    char text[TILE_MAX_HARDWARE_BITS * 10 + TILE_MAX_RANK * 10 + 16];
    size_t at = 0;
    uint32_t bit = 0;

    for (uint32_t part = 0; part < 3; part++) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%c:", letters[part]);
        for (uint32_t first = bit; bit < ends[part]; bit++)
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", bit > first ? "," : "",
                                   layout->basis[bit]);
        at += (size_t)snprintf(text + at, sizeof(text) - at, " ");
    }
    at += (size_t)snprintf(text + at, sizeof(text) - at, "of [");
    for (uint32_t i = 0; i < layout->rank; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u", i ? "," : "",
                               UINT32_C(1) << layout->axis_bits[i]);
    return cuc__arena_print(arena, "%s]", text);
}

static struct tile_layout empty(const struct tile_type *type, uint32_t warp_bits)
{
    struct tile_layout layout = { .rank = type->rank, .warp_bits = (uint8_t)warp_bits };

    for (uint32_t i = 0; i < type->rank; i++) {
        layout.axis_bits[i] = (uint8_t)tile_bits_of(type->extent[i]);
        layout.coordinate_bits = (uint8_t)(layout.coordinate_bits + layout.axis_bits[i]);
    }
    return layout;
}

struct tile_layout tile_squares(const struct tile_type *type, uint32_t warp_bits,
                                uint32_t vector_bits, const uint8_t *order, uint32_t other,
                                uint32_t square_bits)
{
    struct tile_layout layout = empty(type, warp_bits);
    uint32_t bits[TILE_MAX_COORDINATE_BITS], count = 0, given = 0;
    uint32_t fastest = type->rank ? layout.axis_bits[order[0]] : 0, all = layout.coordinate_bits;
    uint32_t vector = vector_bits < fastest ? vector_bits : fastest;
    uint32_t threads = TILE_LANE_BITS + warp_bits;
    uint32_t spread = all - vector < threads ? all - vector : threads;
    uint32_t left = all - vector - spread, square = 0;

    if (type->rank && other != order[0])
        square = square_bits < layout.axis_bits[other] ? square_bits : layout.axis_bits[other];
    if (square > left)
        square = left;
    // Collect coordinate bits, fastest first. The bits of a square precede those of the threads.
    for (uint32_t i = 0; i < type->rank; i++)
        for (uint32_t b = 0; b < layout.axis_bits[order[i]]; b++) {
            if (count == vector)
                for (uint32_t k = 0; k < square; k++)
                    bits[count++] = UINT32_C(1) << (tile_axis_shift(&layout, other) + k);
            if (order[i] != other || b >= square)
                bits[count++] = UINT32_C(1) << (tile_axis_shift(&layout, order[i]) + b);
        }
    vector += square;
    layout.register_bits = (uint8_t)(count - spread);
    for (uint32_t i = 0; i < vector; i++)
        layout.basis[i] = bits[given++];
    for (uint32_t i = 0; i < spread; i++)
        layout.basis[layout.register_bits + i] = bits[given++];
    for (uint32_t i = vector; i < layout.register_bits; i++)
        layout.basis[i] = bits[given++];
    return layout;
}

struct tile_layout tile_blocked(const struct tile_type *type, uint32_t warp_bits,
                                uint32_t vector_bits, const uint8_t *order)
{
    return tile_squares(type, warp_bits, vector_bits, order, 0, 0);
}

struct tile_layout tile_layout_in_order(const struct tile_type *type, uint32_t warp_bits)
{
    struct tile_layout layout = empty(type, warp_bits);
    uint32_t all = layout.coordinate_bits, lanes = all < TILE_LANE_BITS ? all : TILE_LANE_BITS;
    uint32_t warps = all - lanes < warp_bits ? all - lanes : warp_bits;

    layout.register_bits = (uint8_t)(all - lanes - warps);
    for (uint32_t i = 0; i < layout.register_bits; i++)
        layout.basis[i] = UINT32_C(1) << (lanes + i);
    for (uint32_t i = 0; i < lanes; i++)
        layout.basis[layout.register_bits + i] = UINT32_C(1) << i;
    for (uint32_t i = 0; i < warps; i++)
        layout.basis[layout.register_bits + TILE_LANE_BITS + i] = UINT32_C(1) << (all - warps + i);
    return layout;
}

bool tile_ranks_in_halves(uint32_t digits, uint32_t warp_bits)
{
    enum { MOST_VOTED = 4, MOST_WORDS = 8192 }; // that fit in the shared memory of any machine

    return digits > MOST_VOTED && digits << warp_bits <= MOST_WORDS;
}

struct tile_layout tile_layout_for_rank(const struct tile_type *type, uint32_t digits,
                                        uint32_t warp_bits)
{
    enum { HALF_BITS = TILE_LANE_BITS - 1 };
    struct tile_layout layout = tile_layout_in_order(type, warp_bits);
    uint32_t *basis = layout.basis, registers = layout.register_bits;

    if (!tile_ranks_in_halves(digits, warp_bits) || !registers)
        return layout;
    for (uint32_t i = 0; i < registers; i++)
        basis[i] = UINT32_C(1) << (HALF_BITS + i);
    basis[registers + HALF_BITS] = UINT32_C(1) << (HALF_BITS + registers);
    return layout;
}

// Moves the coordinate bits of `from` to another shape. to[bit] is a mask with the bit's new
// position, or 0 if the bit is gone.
static void carry_over(struct tile_layout *out, const struct tile_layout *from, const uint32_t *to)
{
    out->register_bits = from->register_bits;
    out->warp_bits = from->warp_bits;
    for (uint32_t i = 0; i < tile_hardware_bits(from); i++) {
        out->basis[i] = 0;
        for (uint32_t left = from->basis[i]; left; left &= left - 1)
            out->basis[i] ^= to[__builtin_ctz(left)];
    }
}

// Adds register bits for coordinate bits that no hardware bit affects.
static void cover(struct tile_layout *layout, uint32_t missing)
{
    uint32_t extra = (uint32_t)__builtin_popcount(missing), bits = layout->register_bits;

    if (!extra)
        return;
    memmove(layout->basis + bits + extra, layout->basis + bits,
            (TILE_LANE_BITS + layout->warp_bits) * sizeof(*layout->basis));
    layout->register_bits = (uint8_t)(bits + extra);
    for (; missing; missing &= missing - 1)
        layout->basis[bits++] = missing & -missing;
}

struct tile_layout tile_layout_broadcast(const struct tile_layout *from,
                                         const struct tile_type *operand,
                                         const struct tile_type *result)
{
    struct tile_layout out = empty(result, from->warp_bits);
    uint32_t to[TILE_MAX_COORDINATE_BITS] = { 0 }, missing = 0, lead = result->rank - operand->rank;

    for (uint32_t i = 0; i < result->rank; i++) {
        uint32_t shift = tile_axis_shift(&out, i);
        bool kept = i >= lead && operand->extent[i - lead] == result->extent[i];
        for (uint32_t b = 0; b < out.axis_bits[i]; b++) {
            if (kept)
                to[tile_axis_shift(from, i - lead) + b] = UINT32_C(1) << (shift + b);
            else
                missing |= UINT32_C(1) << (shift + b);
        }
    }
    carry_over(&out, from, to);
    cover(&out, missing);
    return out;
}

struct tile_layout tile_layout_slice(const struct tile_layout *result,
                                     const struct tile_type *operand,
                                     const struct tile_type *result_type)
{
    struct tile_layout out = empty(operand, result->warp_bits);
    uint32_t to[TILE_MAX_COORDINATE_BITS] = { 0 };
    uint32_t lead = (uint32_t)(result_type->rank - operand->rank);

    for (uint32_t i = 0; i < operand->rank; i++)
        for (uint32_t b = 0; operand->extent[i] != 1 && b < out.axis_bits[i]; b++)
            to[tile_axis_shift(result, lead + i) + b] = UINT32_C(1)
                                                        << (tile_axis_shift(&out, i) + b);
    carry_over(&out, result, to);
    return out;
}

struct tile_layout tile_layout_permute(const struct tile_layout *from, const int64_t *axes)
{
    struct tile_layout out = *from;
    uint32_t to[TILE_MAX_COORDINATE_BITS] = { 0 };

    for (uint32_t i = 0; i < from->rank; i++)
        out.axis_bits[i] = from->axis_bits[axes[i]];
    for (uint32_t i = 0; i < from->rank; i++)
        for (uint32_t b = 0; b < out.axis_bits[i]; b++)
            to[tile_axis_shift(from, (uint32_t)axes[i]) + b] = UINT32_C(1)
                                                               << (tile_axis_shift(&out, i) + b);
    carry_over(&out, from, to);
    return out;
}

struct tile_layout tile_layout_compact(struct tile_layout layout)
{
    uint32_t kept = 0, bits = layout.register_bits;

    for (uint32_t i = 0; i < bits; i++)
        if (layout.basis[i])
            layout.basis[kept++] = layout.basis[i];
    memmove(layout.basis + kept, layout.basis + bits,
            (TILE_LANE_BITS + layout.warp_bits) * sizeof(*layout.basis));
    layout.register_bits = (uint8_t)kept;
    return layout;
}

struct tile_layout tile_layout_reduce(const struct tile_layout *from, uint32_t axis)
{
    struct tile_layout out = *from;
    uint32_t to[TILE_MAX_COORDINATE_BITS] = { 0 };

    out.axis_bits[axis] = 0;
    out.coordinate_bits = (uint8_t)(from->coordinate_bits - from->axis_bits[axis]);
    for (uint32_t i = 0; i < from->rank; i++)
        for (uint32_t b = 0; i != axis && b < from->axis_bits[i]; b++)
            to[tile_axis_shift(from, i) + b] = UINT32_C(1) << (tile_axis_shift(&out, i) + b);
    carry_over(&out, from, to);
    return tile_layout_compact(out); // some registers now hold copies of others
}

static bool are_powers_of_two(const int32_t *extent, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (extent[i] & (extent[i] - 1))
            return false;
    return true;
}

bool tile_layout_reshape(struct tile_layout *out, const struct tile_layout *from,
                         const struct tile_type *operand, const struct tile_type *result)
{
    uint32_t x = operand->rank, y = result->rank, same = 0;

    // The last axes may be the same in both, apart from axes of extent 1.
    while (x && y) {
        if (operand->extent[x - 1] == 1)
            x--;
        else if (result->extent[y - 1] == 1)
            y--;
        else if (operand->extent[x - 1] == result->extent[y - 1])
            x--, y--;
        else
            break;
    }
    while (same < x && same < y && operand->extent[same] == result->extent[same])
        same++; // so may be the first ones
    // The other axes must have no padding but at the end of the first of them, or the new position
    // would not be a linear function of the old one.
    if ((same < x && !are_powers_of_two(operand->extent + same + 1, x - same - 1)) ||
        (same < y && !are_powers_of_two(result->extent + same + 1, y - same - 1)))
        return false;
    struct tile_layout shape = empty(result, from->warp_bits);
    *out = *from;
    out->rank = shape.rank;
    memcpy(out->axis_bits, shape.axis_bits, sizeof(out->axis_bits));
    return true;
}

struct tile_layout tile_layout_rows(const struct tile_layout *tile, uint32_t axis)
{
    struct tile_layout out = { .rank = 1, .warp_bits = tile->warp_bits };
    uint32_t to[TILE_MAX_COORDINATE_BITS] = { 0 };

    out.axis_bits[0] = out.coordinate_bits = tile->axis_bits[axis];
    for (uint32_t b = 0; b < tile->axis_bits[axis]; b++)
        to[tile_axis_shift(tile, axis) + b] = UINT32_C(1) << b;
    carry_over(&out, tile, to);
    return out;
}

// Maps the coordinate bits of a part to those of the tile, and collects the tile's bits that select
// a part.
static bool open_part(const struct tile_layout *whole, const struct tile_layout *part,
                      const struct tile_type *whole_type, const struct tile_type *part_type,
                      uint32_t *to_whole, uint32_t *selecting)
{
    *selecting = 0;
    if (whole_type->rank != part_type->rank)
        return false;
    for (uint32_t i = 0; i < part_type->rank; i++) {
        int32_t w = whole_type->extent[i], p = part_type->extent[i];
        if (w != p && (w & (w - 1) || p & (p - 1)))
            return false;
        uint32_t at = tile_axis_shift(whole, i);
        for (uint32_t b = 0; b < whole->axis_bits[i]; b++) {
            if (b < part->axis_bits[i])
                to_whole[tile_axis_shift(part, i) + b] = UINT32_C(1) << (at + b);
            else
                *selecting |= UINT32_C(1) << (at + b);
        }
    }
    return true;
}

bool tile_layout_part(struct tile_layout *out, const struct tile_layout *whole,
                      const struct tile_type *whole_type, const struct tile_type *part_type,
                      uint32_t *selects)
{
    struct tile_layout part = empty(part_type, whole->warp_bits);
    uint32_t to_whole[TILE_MAX_COORDINATE_BITS] = { 0 }, to[TILE_MAX_COORDINATE_BITS] = { 0 };
    uint32_t selecting, seen = 0, kept = 0, bits = whole->register_bits;

    if (!open_part(whole, &part, whole_type, part_type, to_whole, &selecting))
        return false;
    for (uint32_t i = 0; i < tile_hardware_bits(whole); i++) {
        uint32_t selected = whole->basis[i] & selecting;
        if (selected && (i >= bits || selected != whole->basis[i] || selected & seen ||
                         selected & (selected - 1)))
            return false;
        seen |= selected;
        if (selects && i < bits)
            selects[i] = selected;
    }
    if (seen != selecting)
        return false;
    for (uint32_t b = 0; b < part.coordinate_bits; b++)
        to[__builtin_ctz(to_whole[b])] = UINT32_C(1) << b;
    *out = part;
    carry_over(out, whole, to);
    for (uint32_t i = 0; i < bits; i++)
        if (!(whole->basis[i] & selecting))
            out->basis[kept++] = out->basis[i];
    memmove(out->basis + kept, out->basis + bits,
            (TILE_LANE_BITS + out->warp_bits) * sizeof(*out->basis));
    out->register_bits = (uint8_t)kept;
    return true;
}

bool tile_layout_of_whole(struct tile_layout *out, const struct tile_layout *part,
                          const struct tile_type *whole_type, const struct tile_type *part_type)
{
    struct tile_layout whole = empty(whole_type, part->warp_bits);
    uint32_t to_whole[TILE_MAX_COORDINATE_BITS] = { 0 }, selecting;

    if (!open_part(&whole, part, whole_type, part_type, to_whole, &selecting))
        return false;
    *out = whole;
    carry_over(out, part, to_whole);
    cover(out, selecting);
    return true;
}
