// Layouts: each held to what it means, element by element, for many shapes.
#include "tile/compile.h"
#include "tile/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tile/layout/layout.h"

#include <check.h>
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
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

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

START_TEST(a_blocked_layout_holds_every_element_and_none_twice_unless_threads_are_left_over)
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
            // Copies are in threads, never in registers.
            ck_assert(copies == 1 || layout.register_bits <= vector);
            free(times);
        }
}
END_TEST

START_TEST(neighbours_along_the_last_axis_lie_in_neighbouring_registers)
{
    int32_t extent[] = { 8, 256 };
    struct tile_type type = tile_shaped(CUC_F32, 2, extent);
    struct tile_layout layout = blocked(&type, 2, 2);

    for (uint32_t r = 0; r < 4; r++)
        ck_assert_uint_eq(tile_axis_coordinate(&layout, r, 1), r);
    ck_assert_uint_eq(tile_axis_coordinate(&layout, 1u << layout.register_bits, 1), 4); // lane 1
}
END_TEST

START_TEST(an_axis_reads_its_own_part_of_a_coordinate)
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
END_TEST

START_TEST(a_slice_is_what_each_place_of_a_broadcast_needs)
{
    struct tile_type type = type_of(_i), operand = type;
    struct tile_layout layout = blocked(&type, 1, 1);

    // Every set of axes of extent 1, and as many leading axes left out.
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
            // And back: the broadcast of the slice needs that slice.
            struct tile_layout wide = tile_layout_broadcast(&slice, &operand, &type);
            ck_assert(tile_layout_covers(&wide));
        }
}
END_TEST

START_TEST(a_permutation_moves_axes_and_nothing_else)
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
END_TEST

START_TEST(a_reduction_leaves_the_other_axes_and_drops_registers_that_become_one)
{
    struct tile_type type = type_of(_i);
    struct tile_layout layout = blocked(&type, 1, 2);

    for (uint32_t axis = 0; axis < type.rank; axis++) {
        struct tile_layout out = tile_layout_reduce(&layout, axis);
        ck_assert_uint_eq(out.axis_bits[axis], 0);
        ck_assert(tile_layout_covers(&out));
        for (uint32_t i = 0; i < out.register_bits; i++)
            ck_assert_uint_ne(out.basis[i], 0);
        // A thread's elements are those of the tile that it holds.
        uint32_t threads = UINT32_C(1) << (TILE_LANE_BITS + layout.warp_bits);
        for (uint32_t t = 0; t < threads; t++)
            for (uint32_t i = 0; i < type.rank; i++)
                ck_assert_uint_eq(
                    tile_axis_coordinate(&out, t << out.register_bits, i),
                    i == axis ? 0 : tile_axis_coordinate(&layout, t << layout.register_bits, i));
    }
}
END_TEST

START_TEST(a_reshape_of_powers_of_two_leaves_elements_where_they_are)
{
    int32_t before[] = { 4, 8, 16 }, after[] = { 32, 2, 8 }, odd[] = { 4, 8, 15 };
    struct tile_type x = tile_shaped(CUC_F32, 3, before), y = tile_shaped(CUC_F32, 3, after);
    struct tile_type z = tile_shaped(CUC_F32, 3, odd);
    struct tile_layout layout = blocked(&x, 1, 2), out;

    ck_assert(tile_layout_reshape(&out, &layout, &x, &y));
    for (uint32_t h = 0; h < indices(&layout); h++) // the number of the element is the same
        ck_assert_uint_eq(tile_coordinate(&out, h), tile_coordinate(&layout, h));
    ck_assert_uint_eq(out.axis_bits[0], 5);
    ck_assert(!tile_layout_reshape(&out, &layout, &z, &y));
}
END_TEST

START_TEST(axes_of_extent_1_come_and_go)
{
    int32_t before[] = { 1, 7, 1, 5 }, after[] = { 7, 5, 1 }, other[] = { 5, 7 };
    struct tile_type x = tile_shaped(CUC_F32, 4, before), y = tile_shaped(CUC_F32, 3, after);
    struct tile_type z = tile_shaped(CUC_F32, 2, other);
    struct tile_layout layout = blocked(&x, 1, 1), out;

    ck_assert(tile_layout_squeeze(&out, &layout, &x, &y));
    for (uint32_t h = 0; h < indices(&layout); h++) {
        ck_assert_uint_eq(tile_axis_coordinate(&out, h, 0), tile_axis_coordinate(&layout, h, 1));
        ck_assert_uint_eq(tile_axis_coordinate(&out, h, 1), tile_axis_coordinate(&layout, h, 3));
    }
    ck_assert(!tile_layout_squeeze(&out, &layout, &x, &z));
}
END_TEST

START_TEST(rows_that_are_picked_are_an_axis_of_the_tile)
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
END_TEST

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
    int conversions; // the most that are put in
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

START_TEST(every_value_gets_a_layout_that_fits_and_few_are_converted)
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
        ck_assert(tile_assign_layouts(module->first, warps));
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
END_TEST

int main(void)
{
    Suite *suite = suite_create("tile layouts");
    TCase *t = tcase_create("layouts");

    tcase_set_timeout(t, 30);
    tcase_add_loop_test(
        t, a_blocked_layout_holds_every_element_and_none_twice_unless_threads_are_left_over, 0,
        SHAPES);
    tcase_add_test(t, neighbours_along_the_last_axis_lie_in_neighbouring_registers);
    tcase_add_loop_test(t, an_axis_reads_its_own_part_of_a_coordinate, 0, SHAPES);
    tcase_add_loop_test(t, a_slice_is_what_each_place_of_a_broadcast_needs, 0, SHAPES);
    tcase_add_loop_test(t, a_permutation_moves_axes_and_nothing_else, 0, SHAPES);
    tcase_add_loop_test(t, a_reduction_leaves_the_other_axes_and_drops_registers_that_become_one, 0,
                        SHAPES);
    tcase_add_test(t, a_reshape_of_powers_of_two_leaves_elements_where_they_are);
    tcase_add_test(t, axes_of_extent_1_come_and_go);
    tcase_add_test(t, rows_that_are_picked_are_an_axis_of_the_tile);
    tcase_add_loop_test(t, every_value_gets_a_layout_that_fits_and_few_are_converted, 0,
                        (int)(sizeof(assigned) / sizeof(assigned[0])));
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
