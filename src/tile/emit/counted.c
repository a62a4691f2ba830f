// Ops on an iota along a tile, whose elements are the sum of a thread's part and a constant of the
// register. The code computes with the thread's part once, and with a constant for each element:
//
// - comparisons with a bound (pass/narrow_indices.c): the thread's part moves to the bound's side,
// - conversions to f32, which are exact,
// - products with a scalar (pass/reassociate.c), which become multiply-adds.
#include "emit.h"

#include "element.h"

// Returns the axis along which a reshaped or broadcast iota counts, or -1 for any other value.
static int axis_of_count(const struct tile_value *value)
{
    const struct tile_op *op = value->op;
    int axis = -1;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE)) {
        const struct tile_type *type = &op->operand[0]->type;
        if (op->kind == TILE_BROADCAST && type->rank != value->type.rank)
            return -1;
        for (uint32_t i = 0; i < op->result[0]->type.rank && axis < 0; i++)
            if (op->kind == TILE_RESHAPE && op->result[0]->type.extent[i] > 1)
                axis = (int)i;
        op = op->operand[0]->op;
    }
    if (!op || op->kind != TILE_IOTA || axis < 0 ||
        op->result[0]->type.extent[0] != value->type.extent[axis])
        return -1;
    return axis;
}

static uint32_t bits_of(const struct tile_layout *layout, uint32_t first, uint32_t end,
                        uint32_t axis)
{
    uint32_t bits = 0;

    for (uint32_t i = first; i < end; i++)
        bits |= tile_axis_coordinate(layout, UINT32_C(1) << i, axis);
    return bits;
}

// True if each coordinate along the axis is the sum of a thread's part and a register's part.
static bool is_sum(const struct tile_layout *layout, uint32_t axis)
{
    uint32_t threads = (uint32_t)layout->register_bits + TILE_LANE_BITS + layout->warp_bits;

    return !(bits_of(layout, 0, layout->register_bits, axis) &
             bits_of(layout, layout->register_bits, threads, axis));
}

static bool emit_comparison(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                            uint32_t first, uint32_t end)
{
    static const struct {
        enum tile_op_kind kind;
        const char *compare; // compares the bound with the coordinate
    } rows[] = { { TILE_LT, "gt" }, { TILE_LE, "ge" }, { TILE_GT, "lt" }, { TILE_GE, "le" } };
    const struct tile_layout *layout = op->result[0]->layout;
    int axis = axis_of_count(op->operand[0]);
    const char *compare = NULL;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].kind == op->kind)
            compare = rows[i].compare;
    if (axis < 0 || !compare || !tile_compute_registers(e, op->operand[1], first, end))
        return false;
    if (!is_sum(layout, (uint32_t)axis))
        return false;
    const tile_register *bounds = e->value[op->operand[1]->id];
    tile_register thread = tile_thread_coordinate(e, layout, (uint32_t)axis);
    struct {
        tile_register bound, own;
    } known[4];
    uint32_t count = 0;

    for (uint32_t r = first; r < end; r++) {
        uint32_t i = 0;
        if (out[r])
            continue;
        while (i < count && known[i].bound != bounds[r])
            i++;
        if (i == count) {
            i = count < 4 ? count++ : 3;
            known[i].bound = bounds[r];
            known[i].own = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", bounds[r], thread);
        }
        out[r] = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.%s.s32 %R, %R, %u", compare, out[r], known[i].own,
                 tile_register_coordinate(layout, r, (uint32_t)axis));
    }
    return true;
}

static tile_register number_of_thread(struct tile_emitter *e, const struct tile_layout *layout,
                                      uint32_t axis)
{
    return tile_make(e, TILE_R32, "cvt.rn.f32.u32 %R, %R", tile_thread_coordinate(e, layout, axis));
}

// Returns the bits of a register's part in f32.
static uint64_t constant_of(const struct tile_layout *layout, uint32_t r, uint32_t axis)
{
    return tile_element_of_real(CUC_F32, tile_register_coordinate(layout, r, axis));
}

// Returns the axis along which a value counts in f32, or -1.
static int axis_of_number(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    return op && op->kind == TILE_CAST && value->type.dtype == CUC_F32 &&
                   op->operand[0]->type.dtype == CUC_I32
               ? axis_of_count(op->operand[0])
               : -1;
}

static bool emit_number(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                        uint32_t first, uint32_t end)
{
    const struct tile_layout *layout = op->result[0]->layout;
    int axis = axis_of_number(op->result[0]);

    if (axis < 0 || !is_sum(layout, (uint32_t)axis))
        return false;
    tile_register own = number_of_thread(e, layout, (uint32_t)axis);
    for (uint32_t r = first; r < end; r++) {
        uint64_t constant = constant_of(layout, r, (uint32_t)axis);
        if (!out[r])
            out[r] = constant ? tile_make(e, TILE_R32, "add.rn.f32 %R, %R, 0f%x", own, constant)
                              : own;
    }
    return true;
}

// Emits the product of a number, or of a negated number, with a scalar.
static bool emit_product(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                         uint32_t first, uint32_t end)
{
    const struct tile_layout *layout = op->result[0]->layout;
    const struct tile_value *factor = op->operand[1], *number = op->operand[0];

    if (op->kind != TILE_MUL)
        return false;
    if (number->op && number->op->kind == TILE_BROADCAST) {
        factor = op->operand[0];
        number = op->operand[1];
    }
    bool minus = number->op && number->op->kind == TILE_NEG;
    int axis = axis_of_number(minus ? number->op->operand[0] : number);
    if (axis < 0 || !is_sum(layout, (uint32_t)axis) || !factor->op ||
        factor->op->kind != TILE_BROADCAST || factor->op->operand[0]->type.rank ||
        !tile_compute_registers(e, factor, first, end))
        return false;
    tile_register scalar = e->value[factor->id][first];
    if (minus)
        scalar = tile_make(e, TILE_R32, "neg.f32 %R, %R", scalar);
    tile_register own = number_of_thread(e, layout, (uint32_t)axis);
    own = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, %R", own, scalar);
    for (uint32_t r = first; r < end; r++) {
        uint64_t constant = constant_of(layout, r, (uint32_t)axis);
        if (!out[r])
            out[r] = constant ? tile_make(e, TILE_R32, "fma.rn.f32 %R, %R, 0f%x, %R", scalar,
                                          constant, own)
                              : own;
    }
    return true;
}

bool tile_emit_counted(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                       uint32_t first, uint32_t end)
{
    if (tile_int(op, TILE_ATTR_NARROW, 0))
        return emit_comparison(e, op, out, first, end) || emit_product(e, op, out, first, end);
    return op->kind == TILE_CAST && emit_number(e, op, out, first, end);
}
