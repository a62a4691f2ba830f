// Compares each layout with its definition, element by element, for many shapes.
#include "base/array.h"
#include "tile/layout/assign.h"
#include "tile/pass/access_width.h"
#include "tile/pass/pass.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tile/layout/fragment.h"
#include "tile/ir/layout.h"
#include "tile/layout/swizzle.h"
#include "tile/layout/wgmma.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t rank;
    int32_t extent[4];
} shapes[] = {
    { 1, { 1 } },        { 1, { 3 } },          { 1, { 32 } },         { 1, { 1000 } },
    { 1, { 4096 } },     { 2, { 1, 1 } },       { 2, { 4, 64 } },      { 2, { 3, 5 } },
    { 2, { 64, 1 } },    { 2, { 1, 128 } },     { 2, { 17, 33 } },     { 3, { 2, 3, 4 } },
    { 3, { 8, 1, 16 } }, { 4, { 2, 2, 2, 2 } }, { 4, { 1, 5, 1, 7 } },
};
enum { SHAPES = CUC_LENGTH(shapes) };

static struct tile_type type_of(int i)
{
    return tile_shaped(CUC_F32, shapes[i].rank, shapes[i].extent);
}

static struct tile_layout blocked(const struct tile_type *type, uint32_t warp_bits, uint32_t vector)
{
    uint8_t order[TILE_MAX_RANK];

    for (uint32_t i = 0; i < type->rank; i++)
        order[i] = (uint8_t)(type->rank - 1 - i);
    return tile_blocked(type, warp_bits, vector, order);
}

static uint32_t indices(const struct tile_layout *layout)
{
    return UINT32_C(1) << tile_hardware_bits(layout);
}

CASE("layouts", .timeout = 30);

TEST_RANGE(a_blocked_layout_holds_every_element_and_none_twice_unless_threads_are_left_over, 0,
           SHAPES)
{
    struct tile_type type = type_of(_i);

    for (uint32_t warps = 0; warps <= 3; warps++)
        for (uint32_t vector = 0; vector <= 3; vector++) {
            struct tile_layout layout = blocked(&type, warps, vector);
            uint32_t count = UINT32_C(1) << layout.coordinate_bits;
            uint8_t *times = calloc(count, 1);
            ck_assert_ptr_nonnull(times);
            for (uint32_t h = 0; h < indices(&layout); h++) {
                uint32_t c = tile_coordinate(&layout, h);
                ck_assert_uint_lt(c, count);
                if (times[c] < 255)
                    times[c]++;
            }
            uint32_t copies = indices(&layout) / count;
            for (uint32_t c = 0; c < count; c++)
                ck_assert_uint_eq(times[c], copies > 255 ? 255 : copies);
            ck_assert(tile_layout_covers(&layout));
            // Copies of an element are in other threads, never in other registers.
            ck_assert(copies == 1 || layout.register_bits <= vector);
            free(times);
        }
}

TEST(neighbors_along_the_last_axis_lie_in_neighboring_registers)
{
    int32_t extent[] = { 8, 256 };
    struct tile_type type = tile_shaped(CUC_F32, 2, extent);
    struct tile_layout layout = blocked(&type, 2, 2);

    for (uint32_t r = 0; r < 4; r++)
        ck_assert_uint_eq(tile_axis_coordinate(&layout, r, 1), r);
    ck_assert_uint_eq(tile_axis_coordinate(&layout, 1u << layout.register_bits, 1), 4); // lane 1
}

TEST_RANGE(an_axis_reads_its_own_part_of_a_coordinate, 0, SHAPES)
{
    struct tile_type type = type_of(_i);
    struct tile_layout layout = blocked(&type, 1, 1);

    for (uint32_t h = 0; h < indices(&layout); h++) {
        uint32_t flat = 0;
        for (uint32_t axis = 0; axis < type.rank; axis++)
            flat = flat << layout.axis_bits[axis] | tile_axis_coordinate(&layout, h, axis);
        ck_assert_uint_eq(flat, tile_coordinate(&layout, h));
    }
}

TEST_RANGE(a_slice_has_the_elements_that_a_broadcast_needs, 0, SHAPES)
{
    struct tile_type type = type_of(_i), operand = type;
    struct tile_layout layout = blocked(&type, 1, 1);

    // Test every set of axes of extent 1, with every number of omitted leading axes.
    for (uint32_t ones = 0; ones < UINT32_C(1) << type.rank; ones++)
        for (uint32_t lead = 0; lead <= type.rank; lead++) {
            operand = (struct tile_type){ .dtype = CUC_F32, .rank = (uint8_t)(type.rank - lead) };
            for (uint32_t i = 0; i < operand.rank; i++)
                operand.extent[i] = ones >> i & 1 ? 1 : type.extent[lead + i];
            struct tile_layout slice = tile_layout_slice(&layout, &operand, &type);
            ck_assert_uint_eq(tile_hardware_bits(&slice), tile_hardware_bits(&layout));
            for (uint32_t h = 0; h < indices(&layout); h++)
                for (uint32_t i = 0; i < operand.rank; i++)
                    ck_assert_uint_eq(
                        tile_axis_coordinate(&slice, h, i),
                        operand.extent[i] == 1 ? 0 : tile_axis_coordinate(&layout, h, lead + i));
            // Conversely, broadcasting the slice needs that slice.
            struct tile_layout wide = tile_layout_broadcast(&slice, &operand, &type);
            ck_assert(tile_layout_covers(&wide));
        }
}

TEST_RANGE(a_permutation_moves_axes_and_nothing_else, 0, SHAPES)
{
    struct tile_type type = type_of(_i);
    struct tile_layout layout = blocked(&type, 2, 1);
    int64_t axes[TILE_MAX_RANK], back[TILE_MAX_RANK];

    for (uint32_t turn = 0; turn < type.rank; turn++) { // every rotation
        for (uint32_t i = 0; i < type.rank; i++)
            axes[i] = (i + turn) % type.rank;
        for (uint32_t i = 0; i < type.rank; i++)
            back[axes[i]] = i;
        struct tile_layout moved = tile_layout_permute(&layout, axes);
        for (uint32_t h = 0; h < indices(&layout); h++)
            for (uint32_t i = 0; i < type.rank; i++)
                ck_assert_uint_eq(tile_axis_coordinate(&moved, h, i),
                                  tile_axis_coordinate(&layout, h, (uint32_t)axes[i]));
        struct tile_layout again = tile_layout_permute(&moved, back);
        ck_assert(tile_layout_same(&again, &layout));
    }
}

TEST_RANGE(a_reduction_leaves_the_other_axes_and_drops_registers_that_become_one, 0, SHAPES)
{
    struct tile_type type = type_of(_i);
    struct tile_layout layout = blocked(&type, 1, 2);

    for (uint32_t axis = 0; axis < type.rank; axis++) {
        struct tile_layout out = tile_layout_reduce(&layout, axis);
        ck_assert_uint_eq(out.axis_bits[axis], 0);
        ck_assert(tile_layout_covers(&out));
        for (uint32_t i = 0; i < out.register_bits; i++)
            ck_assert_uint_ne(out.basis[i], 0);
        // Each thread holds the reduced elements at the coordinates of its own part of the tile.
        uint32_t threads = UINT32_C(1) << (TILE_LANE_BITS + layout.warp_bits);
        for (uint32_t t = 0; t < threads; t++)
            for (uint32_t i = 0; i < type.rank; i++)
                ck_assert_uint_eq(
                    tile_axis_coordinate(&out, t << out.register_bits, i),
                    i == axis ? 0 : tile_axis_coordinate(&layout, t << layout.register_bits, i));
    }
}

TEST(a_reshape_of_powers_of_two_leaves_elements_where_they_are)
{
    int32_t before[] = { 4, 8, 16 }, after[] = { 32, 2, 8 }, odd[] = { 4, 8, 15 };
    struct tile_type x = tile_shaped(CUC_F32, 3, before), y = tile_shaped(CUC_F32, 3, after);
    struct tile_type z = tile_shaped(CUC_F32, 3, odd);
    struct tile_layout layout = blocked(&x, 1, 2), out;

    ck_assert(tile_layout_reshape(&out, &layout, &x, &y));
    for (uint32_t h = 0; h < indices(&layout); h++) // the element's linear index stays the same
        ck_assert_uint_eq(tile_coordinate(&out, h), tile_coordinate(&layout, h));
    ck_assert_uint_eq(out.axis_bits[0], 5);
    ck_assert(!tile_layout_reshape(&out, &layout, &z, &y));
}

TEST(axes_of_extent_1_are_added_and_removed)
{
    int32_t before[] = { 1, 7, 1, 5 }, after[] = { 7, 5, 1 }, other[] = { 5, 7 };
    struct tile_type x = tile_shaped(CUC_F32, 4, before), y = tile_shaped(CUC_F32, 3, after);
    struct tile_type z = tile_shaped(CUC_F32, 2, other);
    struct tile_layout layout = blocked(&x, 1, 1), out;

    ck_assert(tile_layout_reshape(&out, &layout, &x, &y));
    for (uint32_t h = 0; h < indices(&layout); h++) {
        ck_assert_uint_eq(tile_axis_coordinate(&out, h, 0), tile_axis_coordinate(&layout, h, 1));
        ck_assert_uint_eq(tile_axis_coordinate(&out, h, 1), tile_axis_coordinate(&layout, h, 3));
    }
    ck_assert(!tile_layout_reshape(&out, &layout, &x, &z));
}

TEST(a_reshape_of_the_first_axes_keeps_any_last_axis)
{
    int32_t before[] = { 64, 24 }, after[] = { 4, 1, 16, 24 }, other[] = { 4, 16, 3, 8 };
    struct tile_type x = tile_shaped(CUC_F32, 2, before), y = tile_shaped(CUC_F32, 4, after);
    struct tile_type z = tile_shaped(CUC_F32, 4, other);
    struct tile_layout layout = blocked(&x, 1, 1), out;

    ck_assert(tile_layout_reshape(&out, &layout, &x, &y));
    for (uint32_t h = 0; h < indices(&layout); h++) {
        ck_assert_uint_eq(tile_axis_coordinate(&out, h, 0) * 16 + tile_axis_coordinate(&out, h, 2),
                          tile_axis_coordinate(&layout, h, 0));
        ck_assert_uint_eq(tile_axis_coordinate(&out, h, 3), tile_axis_coordinate(&layout, h, 1));
    }
    ck_assert(!tile_layout_reshape(&out, &layout, &x, &z));
}

TEST(selected_rows_are_an_axis_of_the_tile)
{
    int32_t extent[] = { 6, 20 };
    struct tile_type type = tile_shaped(CUC_F32, 2, extent);
    struct tile_layout layout = blocked(&type, 1, 2);

    for (uint32_t axis = 0; axis < 2; axis++) {
        struct tile_layout rows = tile_layout_rows(&layout, axis);
        for (uint32_t h = 0; h < indices(&layout); h++)
            ck_assert_uint_eq(tile_coordinate(&rows, h), tile_axis_coordinate(&layout, h, axis));
    }
}

// Assignment

static void has_layout(struct tile_op *op, void *data)
{
    (void)data;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_value *v = op->result[i];
        if (v->type.tensor)
            continue;
        ck_assert_msg(v->layout, "%s has a result without a layout", tile_op_infos[op->kind].name);
        ck_assert_uint_eq(v->layout->rank, v->type.rank);
        for (uint32_t axis = 0; axis < v->type.rank; axis++)
            ck_assert_uint_eq(v->layout->axis_bits[axis], tile_bits_of(v->type.extent[axis]));
        ck_assert(tile_layout_covers(v->layout));
    }
}

static void count_conversions(struct tile_op *op, void *data)
{
    *(int *)data += op->kind == TILE_CONVERT;
}

static const struct {
    const char *name, *body;
    int conversions; // the maximum number of conversions that are inserted
} assigned[] = {
    { "an elementwise kernel", "store(a, [0, 0], load(a, [0, 0], [4, 256]) * 2.0 + 1.0)", 0 },
    { "a row kernel",
      "x = load(a, [0, 0], [_, 1024])\ne = exp(x - max(x))\nstore(a, [0, 0], e / sum(e))", 0 },
    { "rows of a matrix",
      "x = load(a, [0, 0], [8, 64])\ny = x - max(x, 1)\nstore(a, [0, 0], y / sum(y, 1))", 0 },
    { "columns of a matrix", "x = load(a, [0, 0], [64, 8])\nstore(a, [0, 0], x - min(x, 0))", 0 },
    { "a loop that accumulates",
      "acc = zeros(f32, [4, 64])\nfor j in 0 .. n { acc += load(a, [0, j], [4, 64]) }\n"
      "store(a, [0, 0], acc)",
      0 },
    { "a row added to a matrix",
      "x = load(a, [0, 0], [8, 64]) + load(b, [0], [64])\nstore(a, [0, 0], x)", 0 },
    { "a column added to a matrix",
      "x = load(a, [0, 0], [8, 64]) + load(b, [0], [8])[:, None]\nstore(a, [0, 0], x)", 0 },
    { "an outer sum", "store(a, [0, 0], load(b, [0], [16])[:, None] + load(b, [1], [16]))", 0 },
    { "a transpose", "store(a, [0, 0], trans(load(a, [0, 0], [32, 64])))", 1 },
    { "indices", "i = iota(i32, 64)\nstore(b, [0], cast(i * i, f32) + load(b, [0], [64]))", 0 },
};

// Tables of the instruction set. Register i of a wgmma accumulator with N columns is at row 16 w +
// g + 8 (i / 2 % 2), column 8 (i / 4) + 2 t + i % 2. Each warpgroup has 64 rows, in order.
TEST_RANGE(the_accumulator_of_wgmma_lies_as_in_the_instruction, 0, 6)
{
    static const int32_t extents[][2] = { { 64, 8 },    { 64, 96 },  { 128, 256 },
                                          { 128, 136 }, { 256, 64 }, { 64, 16 } };
    struct tile_type type = tile_shaped(CUC_F32, 2, extents[_i]);
    uint32_t warp_bits = extents[_i][0] > 64 ? 3 : 2, groups = warp_bits == 3 ? 2 : 1;
    struct tile_layout layout;

    ck_assert(tile_layout_wgmma(&layout, &type, warp_bits));
    ck_assert(tile_layout_covers(&layout));
    uint32_t of_block = 1;
    while ((int32_t)of_block < extents[_i][1] / 2)
        of_block *= 2;
    for (uint32_t h = 0; h < indices(&layout); h++) {
        uint32_t r = h & ((1u << layout.register_bits) - 1), lane = h >> layout.register_bits & 31;
        uint32_t warp = h >> (layout.register_bits + 5), i = r % of_block, block = r / of_block;
        uint32_t row = 64 * (warp / 4 + groups * block) + 16 * (warp % 4) + lane / 4 +
                       8 * (i / 2 % 2);
        ck_assert_uint_eq(tile_axis_coordinate(&layout, h, 0), row);
        ck_assert_uint_eq(tile_axis_coordinate(&layout, h, 1),
                          8 * (i / 4) + 2 * (lane % 4) + i % 2);
    }
}

TEST(tiles_that_wgmma_cannot_accumulate_get_no_layout)
{
    static const int32_t extents[][2] = { { 32, 64 }, { 192, 64 }, { 64, 12 }, { 64, 4 } };
    struct tile_layout layout;

    for (int i = 0; i < 4; i++) {
        struct tile_type type = tile_shaped(CUC_F32, 2, extents[i]);
        ck_assert(!tile_layout_wgmma(&layout, &type, 2));
    }
}

// The four registers of a group are at rows g and g + 8 and columns 2 t and 2 t + 1 of a fragment.
// The fragment's first row is a multiple of 16, and its first column a multiple of 8. A smaller
// tile is replicated.
TEST_RANGE(mma_sync_has_its_accumulator_in_fragments, 0, SHAPES)
{
    struct tile_type type = type_of(_i);

    if (type.rank < 2)
        return;
    for (uint32_t warps = 0; warps <= 4; warps++) {
        struct tile_layout layout = tile_layout_fragment(&type, warps, _i % 2 != 0);
        uint32_t m = type.rank - 2u, n = type.rank - 1u;
        uint32_t rows = (1u << layout.axis_bits[m]) - 1, columns = (1u << layout.axis_bits[n]) - 1;
        ck_assert(tile_layout_covers(&layout));
        for (uint32_t h = 0; h < indices(&layout); h++) {
            uint32_t lane = h >> layout.register_bits & 31, first = h & ~3u;
            first &= ~(31u << layout.register_bits);
            uint32_t row = tile_axis_coordinate(&layout, first, m) + lane / 4 + 8 * (h / 2 % 2);
            uint32_t column = tile_axis_coordinate(&layout, first, n) + 2 * (lane % 4) + h % 2;
            ck_assert_uint_eq(tile_axis_coordinate(&layout, first, m) % 16, 0);
            ck_assert_uint_eq(tile_axis_coordinate(&layout, first, n) % 8, 0);
            ck_assert_uint_eq(tile_axis_coordinate(&layout, h, m), row & rows);
            ck_assert_uint_eq(tile_axis_coordinate(&layout, h, n), column & columns);
        }
    }
}

TEST_ROWS(every_value_gets_a_layout_that_fits_and_few_are_converted, assigned)
{
    char text[512];

    for (uint32_t warps = 1; warps <= 8; warps *= 2) {
        snprintf(text, sizeof(text), "kernel k(a: f32[M, N], b: f32[N], n: i32) grid 1 {\n%s\n}\n",
                 assigned[_i].body);
        struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
        ck_assert_ptr_nonnull(module);
        ck_assert_msg(!module->diagnostics->errors, "%s:\n%s", assigned[_i].name,
                      tile_diagnostics_text(module, false));
        tile_simplify(module->first);
        ck_assert(tile_assign_layouts(module->first, warps, NULL));
        ck_assert_msg(tile_verify(module, "layouts"), "%s, %u warps:\n%s", assigned[_i].name, warps,
                      tile_diagnostics_text(module, false));
        int conversions = 0;
        tile_walk(&module->first->body, has_layout, NULL);
        tile_walk(&module->first->body, count_conversions, &conversions);
        ck_assert_msg(conversions <= assigned[_i].conversions, "%s: %d conversions, expected %d",
                      assigned[_i].name, conversions, assigned[_i].conversions);
        tile_module_free(module);
    }
}

// The number of adjacent elements of the tile `x` in consecutive registers of a thread.
static const struct {
    const char *name, *body;
    uint32_t neighbours;
} widths[] = {
    { "16 bytes", "x = load(h, [0, 0], [16, 64])", 8 },
    { "narrow rows", "x = load(h, [0, n], [64, 10])", 2 },
    { "narrow rows of a multiple of 4", "x = load(h, [0, n], [64, 12])", 4 },
    { "odd rows", "x = load(h, [0, n], [64, 7])", 1 },
    { "pairs of bytes", "x = load(q, [0, n], [64, 6])", 1 },
    { "any place", "x = load_at(h, [0, n], [16, 64])", 1 },
    { "a place that is a multiple", "x = load_at(h, [0, n * 4], [16, 64])", 4 },
    { "a slice along the axis", "x = load(slice(h, 1, n, N), [0, 0], [16, 64])", 1 },
    { "a slice along another axis", "x = load(slice(h, 0, n, M), [0, 0], [16, 64])", 8 },
    { "the widest of several", "x = load_at(h, [0, n], [16, 64]) + load(h, [0, n], [16, 64])", 8 },
    { "a place between vectors", "x = load_at(h, [0, n * 8 + 3], [16, 64])", 8 },
    { "a place between places that are multiples", "x = load_at(h, [0, n * 4 + 3], [16, 64])", 1 },
    { "elements in an order", "x = load(h, [0, 0], [16, 64], order=relaxed)", 1 },
    { "rows by their ids", "x = load_rows(h, iota(i32, 64), [n], [12])", 4 },
};

static uint32_t neighbours;

static void count_neighbours(struct tile_op *op, void *data)
{
    const struct tile_value *x = op->result_count ? op->result[0] : NULL;

    (void)data;
    if (!x || !x->name || strcmp(x->name, "x") != 0)
        return;
    for (neighbours = 1; x->layout->basis[__builtin_ctz(neighbours)] == neighbours;)
        neighbours *= 2;
}

TEST_ROWS(a_thread_holds_as_many_neighbors_as_an_access_moves, widths)
{
    char text[512];

    snprintf(text, sizeof(text),
             "kernel k(h: f16[M, N], q: i8[M, N], o: f16[M, N], n: i32) grid 1 {\n%s\n"
             "scatter(o, [0, 0], cast(sum(x), f16))\n}\n",
             widths[_i].body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s", tile_diagnostics_text(module, false));
    struct tile_widths known = { tile_access_width, tile_analyze_ranges(module->first, 0, false) };
    ck_assert_ptr_nonnull(known.data);
    ck_assert(tile_assign_layouts(module->first, 2, &known));
    tile_walk(&module->first->body, count_neighbours, NULL);
    ck_assert_msg(neighbours == widths[_i].neighbours, "%s: %u, expected %u", widths[_i].name,
                  neighbours, widths[_i].neighbours);
    tile_module_free(module);
}

static const struct {
    int32_t whole[3], part[3];
    uint32_t vector;
    bool found; // whether it is found in registers, in the tile's blocked layout
} parts[] = {
    { { 1, 8, 64 }, { 1, 8, 32 }, 2, false },  { { 1, 8, 64 }, { 1, 4, 64 }, 2, true },
    { { 1, 64, 64 }, { 1, 32, 64 }, 2, true }, { { 3, 32, 4 }, { 3, 32, 1 }, 2, true },
    { { 3, 32, 4 }, { 3, 32, 2 }, 2, true },   { { 3, 32, 4 }, { 3, 32, 2 }, 1, false },
    { { 3, 32, 4 }, { 3, 32, 4 }, 0, true },   { { 3, 32, 12 }, { 3, 32, 4 }, 2, false },
};

TEST_ROWS(a_part_of_a_tile_is_some_of_its_registers, parts)
{
    struct tile_type whole = tile_shaped(CUC_F32, 3, parts[_i].whole);
    struct tile_type part = tile_shaped(CUC_F32, 3, parts[_i].part);
    struct tile_layout all = blocked(&whole, 1, parts[_i].vector), own, made, again;
    uint32_t selects[TILE_MAX_HARDWARE_BITS];

    ck_assert_int_eq(tile_layout_part(&own, &all, &whole, &part, selects), parts[_i].found);
    if (!parts[_i].found)
        return;
    ck_assert(tile_layout_covers(&own));
    for (uint32_t h = 0; h < indices(&all); h++) {
        // `place` is the index of the same element in its part, and `other` selects the part.
        uint32_t bits = 0, place = 0, other = 0;
        for (uint32_t bit = 0; bit < tile_hardware_bits(&all); bit++)
            if (bit < all.register_bits && selects[bit])
                other |= h >> bit & 1 ? selects[bit] : 0;
            else
                place |= (h >> bit & 1) << bits++;
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t c = tile_axis_coordinate(&all, h, axis);
            uint32_t first = other >> tile_axis_shift(&all, axis) &
                             ((1u << all.axis_bits[axis]) - 1);
            ck_assert_uint_eq(tile_axis_coordinate(&own, place, axis), c - first);
            ck_assert_uint_eq(first % (uint32_t)parts[_i].part[axis], 0);
        }
    }
    // Conversely, each of the part's threads must hold the same elements in the tile's layout as in
    // the part's.
    ck_assert(tile_layout_of_whole(&made, &own, &whole, &part));
    ck_assert(tile_layout_covers(&made));
    ck_assert(tile_layout_part(&again, &made, &whole, &part, NULL));
    ck_assert(tile_layout_same(&again, &own));
}

// Checks that 64 threads share a tile of 1024 elements.
static void look_at_shared(struct tile_op *op, void *data)
{
    (void)data;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (tile_elements(&op->result[i]->type) == 1024)
            ck_assert_uint_eq(op->result[i]->layout->register_bits, 4);
}

// Every thread holds the element m, which does not mean that every thread holds the tile.
TEST(one_element_of_a_tile_does_not_tell_how_threads_share_it)
{
    static const char text[] = "fn joined(r, a, s, b) { return r + s, where(s > 0, b, a + b) }\n"
                               "kernel k(x: i32[N], y: i64[N], z: i64[N]) grid cdiv(N, 1024) {\n"
                               "    v = load(x, [block(0)], [1024])\n"
                               "    a, b = scan(joined, [v, cast(v, i64)], 0, [0, 0])\n"
                               "    m = reshape(extract(b, [1023], [1]), [])\n"
                               "    store(z, [block(0)], m, shape=[_])\n"
                               "    store(y, [block(0)], b + m)\n"
                               "}\n";
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);

    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s", tile_diagnostics_text(module, false));
    ck_assert(tile_assign_layouts(module->first, 2, NULL));
    tile_walk(&module->first->body, look_at_shared, NULL);
    tile_module_free(module);
}

// Checks the tile that a load or store moves.
static void look_at_moved(struct tile_op *op, void *data)
{
    uint32_t vector = *(uint32_t *)data;

    if (op->kind != TILE_LOAD && op->kind != TILE_STORE)
        return;
    const struct tile_layout *layout =
        (op->result_count ? op->result[0] : op->operand[op->operand_count - 1])->layout;
    uint32_t row = layout->axis_bits[layout->rank - 1], bit = 0;
    for (; bit < vector && bit < row; bit++)
        ck_assert_uint_eq(layout->basis[bit], 1u << bit);
    for (uint32_t lane = 0; lane < TILE_LANE_BITS && bit < row; lane++, bit++)
        ck_assert_uint_eq(layout->basis[layout->register_bits + lane], 1u << bit);
}

static const struct {
    const char *dtype, *shape, *program;
    uint32_t vector;
} turned[] = {
    { "f32", "64, 64", "trans(%s)", 2 },      { "f32", "32, 128", "trans(%s)", 2 },
    { "f32", "128, 32", "trans(%s)", 2 },     { "bf16", "64, 64", "trans(%s)", 3 },
    { "u8", "128, 64", "trans(%s)", 4 },      { "f32", "64, 64", "trans(%s * 2.0) + 1.0", 2 },
    { "f32", "8, 256", "exp(trans(%s))", 2 },
};

TEST_ROWS(both_sides_of_a_transpose_access_memory_along_rows, turned)
{
    char load[64], value[128], text[512];

    snprintf(load, sizeof(load), "load(x, [block(1), block(0)], [%s])", turned[_i].shape);
    // Replaces %s in a table.
    const char *at = strstr(turned[_i].program, "%s");
    snprintf(value, sizeof(value), "%.*s%s%s", (int)(at - turned[_i].program), turned[_i].program,
             load, at + 2);
    snprintf(
        text, sizeof(text),
        "kernel k(x: %s[M, N], y: %s[N, M]) grid 1, 1 { store(y, [block(0), block(1)], %s) }\n",
        turned[_i].dtype, turned[_i].dtype, value);
    for (uint32_t warps = 1; warps <= 16; warps *= 2) {
        struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
        ck_assert_ptr_nonnull(module);
        ck_assert_msg(!module->diagnostics->errors, "%s", tile_diagnostics_text(module, false));
        tile_simplify(module->first);
        ck_assert(tile_assign_layouts(module->first, warps, NULL));
        uint32_t vector = turned[_i].vector;
        tile_walk(&module->first->body, look_at_moved, &vector);
        tile_module_free(module);
    }
}

// Shared memory

// Makes a layout of a tile with two axes: `order` is "rc" or "cr", with the fastest axis last.
// `vector` is the number of register bits along the fastest axis, `square` the number along the
// other.
struct pair_side {
    const char *order;
    uint32_t vector, square;
};

static const struct {
    int32_t rows, columns;
    uint32_t bytes, warps_log2;
    struct pair_side from, to;
    uint32_t least_write, least_read; // bytes of a vector
} pairs[] = {
    { 64, 64, 4, 4, { "rc", 2, 0 }, { "cr", 2, 0 }, 16, 4 },
    { 64, 64, 4, 3, { "rc", 2, 2 }, { "cr", 2, 2 }, 16, 16 },
    { 64, 64, 4, 3, { "rc", 2, 1 }, { "cr", 2, 1 }, 16, 8 },
    { 64, 64, 2, 3, { "rc", 3, 1 }, { "cr", 3, 1 }, 16, 8 },
    { 64, 64, 2, 3, { "rc", 3, 0 }, { "cr", 3, 0 }, 16, 2 },
    { 64, 64, 2, 2, { "rc", 3, 2 }, { "cr", 3, 2 }, 16, 16 },
    { 64, 64, 2, 2, { "rc", 1, 0 }, { "cr", 1, 0 }, 4, 2 },
    { 64, 64, 2, 5, { "rc", 0, 0 }, { "cr", 0, 0 }, 2, 2 },
    { 64, 64, 1, 2, { "rc", 4, 1 }, { "cr", 4, 1 }, 16, 4 },
    { 64, 64, 1, 3, { "rc", 2, 0 }, { "cr", 2, 0 }, 4, 1 },
    { 64, 64, 1, 5, { "rc", 0, 0 }, { "cr", 0, 0 }, 1, 1 },
    { 64, 64, 8, 3, { "rc", 1, 1 }, { "cr", 1, 1 }, 16, 16 },
    { 64, 64, 8, 5, { "rc", 1, 0 }, { "cr", 1, 0 }, 8, 8 },
    { 32, 128, 4, 2, { "rc", 2, 2 }, { "cr", 2, 2 }, 16, 16 },
    { 128, 32, 4, 2, { "rc", 2, 0 }, { "cr", 2, 0 }, 4, 4 },
    { 128, 32, 4, 2, { "rc", 2, 2 }, { "cr", 2, 2 }, 16, 16 },
    { 32, 32, 4, 2, { "rc", 2, 0 }, { "cr", 2, 0 }, 16, 4 },
    { 32, 32, 4, 5, { "rc", 0, 0 }, { "cr", 0, 0 }, 4, 4 },
    { 8, 8, 4, 0, { "rc", 1, 0 }, { "cr", 1, 0 }, 8, 4 },
    { 4, 4, 4, 1, { "rc", 2, 0 }, { "cr", 2, 0 }, 16, 4 },
    { 256, 16, 2, 2, { "rc", 3, 1 }, { "cr", 3, 1 }, 8, 8 },
    { 64, 64, 4, 2, { "rc", 0, 0 }, { "rc", 2, 0 }, 4, 16 },
    { 64, 64, 4, 2, { "rc", 2, 0 }, { "rc", 0, 0 }, 16, 4 },
    { 64, 64, 2, 2, { "rc", 0, 0 }, { "rc", 3, 0 }, 2, 16 },
    { 1, 2048, 4, 3, { "rc", 2, 0 }, { "rc", 0, 0 }, 4, 4 },
};
enum { PAIRS = CUC_LENGTH(pairs) };

static struct tile_layout side_of(int i, const struct pair_side *side)
{
    int32_t extent[] = { pairs[i].rows, pairs[i].columns };
    struct tile_type type = tile_shaped(CUC_F32, 2, extent);
    bool by_rows = side->order[0] == 'r';
    uint8_t order[] = { by_rows, !by_rows };

    return tile_squares(&type, pairs[i].warps_log2, side->vector, order, !by_rows, side->square);
}

// Counts the passes of an access by 32 lanes, each with `vector` bytes at `at`. A pass serves all
// 32 lanes with 4-byte words, half of them with 8 bytes, or a quarter with 16; lanes may share a
// word.
static uint32_t passes(const uint32_t *at, uint32_t vector)
{
    uint32_t lanes = vector <= 4 ? 32 : 128 / vector, most = 1;

    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t words[32][32], count[32] = { 0 };
        for (uint32_t lane = first; lane < first + lanes; lane++)
            for (uint32_t word = at[lane] / 4; word <= (at[lane] + vector - 1) / 4; word++) {
                uint32_t bank = word % 32, k = 0;
                while (k < count[bank] && words[bank][k] != word)
                    k++;
                if (k == count[bank])
                    words[bank][count[bank]++] = word;
            }
        for (uint32_t bank = 0; bank < 32; bank++)
            if (count[bank] > most)
                most = count[bank];
    }
    return most;
}

static void look_at_side(int i, const struct tile_swizzle *s, const struct tile_layout *layout,
                         uint32_t vector_bits, uint32_t least)
{
    uint32_t index[16], bytes = pairs[i].bytes, warps = 1u << layout->warp_bits;
    uint32_t own = tile_swizzle_vector(s, layout, vector_bits, index),
             vector = bytes << vector_bits;

    ck_assert_uint_ge(vector, least);
    ck_assert_uint_le(vector, 16);
    for (uint32_t r = 0; r < 1u << layout->register_bits; r++)
        for (uint32_t warp = 0; warp < warps && !(r & own); warp++) {
            uint32_t at[32];
            for (uint32_t lane = 0; lane < 32; lane++) {
                uint32_t thread = (lane | warp << 5) << layout->register_bits;
                at[lane] = bytes * tile_swizzle_place(s, tile_coordinate(layout, r | thread));
                ck_assert_uint_eq(at[lane] % vector, 0);
                for (uint32_t k = 0; k < 1u << vector_bits; k++)
                    ck_assert_uint_eq(
                        bytes *
                            tile_swizzle_place(s, tile_coordinate(layout, r | index[k] | thread)),
                        at[lane] + k * bytes);
            }
            ck_assert_msg(passes(at, vector) == 1, "pair %d, register %u, warp %u: %u passes", i, r,
                          warp, passes(at, vector));
        }
}

TEST_RANGE(a_conversion_has_no_bank_conflicts_and_moves_wide_vectors, 0, PAIRS)
{
    struct tile_layout from = side_of(_i, &pairs[_i].from), to = side_of(_i, &pairs[_i].to);
    struct tile_swizzle s;

    tile_swizzle_choose(&s, &from, &to, pairs[_i].bytes);
    ck_assert_uint_eq(s.bits, from.coordinate_bits);
    // Distinct coordinates must have distinct addresses.
    uint32_t count = 1u << s.bits;
    uint8_t *taken = calloc(count, 1);
    ck_assert_ptr_nonnull(taken);
    for (uint32_t c = 0; c < count; c++) {
        uint32_t place = tile_swizzle_place(&s, c);
        ck_assert_uint_lt(place, count);
        ck_assert(!taken[place]++);
    }
    free(taken);
    look_at_side(_i, &s, &from, s.write_bits, pairs[_i].least_write);
    look_at_side(_i, &s, &to, s.read_bits, pairs[_i].least_read);
}

int main(void)
{
    return run_tests("tile layouts");
}
