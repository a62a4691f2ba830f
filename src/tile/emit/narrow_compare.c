// Comparisons of an iota along a tile with a bound (pass/narrow_indices.c). The code moves the
// thread's part of the coordinate to the bound's side once, so that each element compares the bound
// with a constant.
#include "emit.h"

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

bool tile_emit_narrow_compare(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
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
    uint32_t threads = (uint32_t)layout->register_bits + TILE_LANE_BITS + layout->warp_bits;
    if (bits_of(layout, 0, layout->register_bits, (uint32_t)axis) &
        bits_of(layout, layout->register_bits, threads, (uint32_t)axis))
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
