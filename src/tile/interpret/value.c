// Elementwise ops, ops that move elements, and random numbers.
#include "machine.h"

#include <string.h>

static bool step_leaf(struct tile_machine *m, const struct tile_op *op, uint64_t *out)
{
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    int64_t index = tile_int(op, TILE_ATTR_INDEX, 0);
    cuc_dtype dtype = op->result[0]->type.dtype;

    switch (op->kind) {
    case TILE_CONSTANT:
        *out = real ? tile_element_of_real(dtype, real->f)
                    : tile_element_of_int(dtype, tile_int(op, TILE_ATTR_VALUE, 0));
        return true;
    case TILE_IOTA:
        for (int32_t i = 0; i < op->result[0]->type.extent[0]; i++)
            out[i] = (uint64_t)i;
        return true;
    case TILE_BLOCK:
        *out = (uint64_t)m->block[index];
        return true;
    case TILE_NUM_BLOCKS:
        *out = (uint64_t)m->grid[index];
        return true;
    case TILE_DIMENSION:
        *out = (uint64_t)m->set.dimension[index];
        return true;
    default:
        return tile_machine_fail(m, op, "this op cannot be interpreted");
    }
}

static uint64_t bitcast(cuc_dtype to, cuc_dtype from, uint64_t element)
{
    uint32_t bits = cuc_dtype_bits(from);
    uint64_t low = bits == 64 ? element : element & ((UINT64_C(1) << bits) - 1);

    return tile_is_integer(to) ? tile_element_of_int(to, (int64_t)low) : low;
}

// An op without a result, such as a division by zero, may give any value: here 0.
static bool step_elementwise(struct tile_machine *m, const struct tile_op *op, uint64_t *out)
{
    int64_t count = tile_elements(&op->result[0]->type);
    cuc_dtype to = op->result[0]->type.dtype, from = op->operand[0]->type.dtype;
    struct tile_rounding how = tile_rounding_of(op);
    bool nan = tile_int(op, TILE_ATTR_NAN, 0), rounded = tile_is_rounded(op);
    const uint64_t *in[3] = { 0 };

    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!(in[i] = tile_machine_elements(m, op->operand[i])))
            return false;
    if (op->kind == TILE_WHERE)
        from = to;
    for (int64_t i = 0; i < count; i++) {
        uint64_t x[3] = { in[0][i], in[1] ? in[1][i] : 0, in[2] ? in[2][i] : 0 };
        if (op->kind == TILE_CAST) {
            out[i] = tile_element_cast(to, from, how.ftz ? tile_element_flush(from, x[0]) : x[0],
                                       how.round);
            if (how.ftz)
                out[i] = tile_element_flush(to, out[i]);
            continue;
        }
        if (rounded) {
            if (!tile_element_rounded(op->kind, from, how, nan, x, &out[i]))
                out[i] = 0;
            continue;
        }
        if (op->kind == TILE_BITCAST)
            out[i] = bitcast(to, from, x[0]);
        else if (!tile_element_compute(op->kind, from, nan, x, &out[i]))
            out[i] = 0;
    }
    return true;
}

bool tile_step_value(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);

    if (!out)
        return false;
    return tile_op_infos[op->kind].traits & TILE_ELEMENTWISE ? step_elementwise(m, op, out)
                                                             : step_leaf(m, op, out);
}

// The source of the result's element `flat`. False if it is the pad, or comes from the second
// operand.
struct moving {
    const struct tile_type *from, *to;
    int64_t index[TILE_MAX_RANK]; // of extract and insert; [0] is n for shift and roll
    int64_t axis;
    const int64_t *axes;
    const uint64_t *taken; // take's indices
    const struct tile_type *taken_type;
};

static int64_t wrapped(int64_t i, int64_t extent)
{
    return ((i % extent) + extent) % extent;
}

static int64_t source_of(const struct tile_op *op, const struct moving *v, int64_t flat)
{
    int64_t at[TILE_MAX_RANK], from[TILE_MAX_RANK] = { 0 };
    uint32_t lead = (uint32_t)(v->to->rank - v->from->rank);

    if (op->kind == TILE_RESHAPE || op->kind == TILE_CONVERT)
        return flat;
    tile_unflatten(v->to, flat, at);
    for (uint32_t i = 0; i < v->from->rank; i++)
        from[i] = op->kind == TILE_PERMUTE ? 0 : at[lead + i];
    switch (op->kind) {
    case TILE_BROADCAST:
        for (uint32_t i = 0; i < v->from->rank; i++)
            from[i] = v->from->extent[i] == 1 ? 0 : from[i];
        break;
    case TILE_PERMUTE:
        for (uint32_t i = 0; i < v->from->rank; i++)
            from[v->axes[i]] = at[i];
        break;
    case TILE_EXTRACT:
        for (uint32_t i = 0; i < v->from->rank; i++)
            from[i] += v->index[i] * v->to->extent[i];
        break;
    case TILE_TAKE: {
        int64_t i = v->taken_type->rank == 1 && v->from->rank > 1 ? at[v->axis]
                                                                  : tile_flatten(v->taken_type, at);
        int64_t index = (int64_t)v->taken[i], extent = v->from->extent[v->axis];
        from[v->axis] = index < 0 ? 0 : index >= extent ? extent - 1 : index; // any value
        break;
    }
    case TILE_SHIFT:
        from[v->axis] -= v->index[0];
        if (from[v->axis] < 0 || from[v->axis] >= v->from->extent[v->axis])
            return -1;
        break;
    case TILE_ROLL:
        from[v->axis] = wrapped(from[v->axis] - v->index[0] % v->from->extent[v->axis],
                                v->from->extent[v->axis]);
        break;
    default:
        break;
    }
    return tile_flatten(v->from, from);
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

static bool step_cat(struct tile_machine *m, const struct tile_op *op, uint64_t *out)
{
    const struct tile_type *x = &op->operand[0]->type, *y = &op->operand[1]->type;
    const uint64_t *a = tile_machine_elements(m, op->operand[0]);
    const uint64_t *b = tile_machine_elements(m, op->operand[1]);
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0), at[TILE_MAX_RANK];

    for (int64_t i = 0; a && b && i < tile_elements(&op->result[0]->type); i++) {
        tile_unflatten(&op->result[0]->type, i, at);
        if (at[axis] < x->extent[axis]) {
            out[i] = a[tile_flatten(x, at)];
        } else {
            at[axis] -= x->extent[axis];
            out[i] = b[tile_flatten(y, at)];
        }
    }
    return a && b;
}

static bool step_insert(struct tile_machine *m, const struct tile_op *op, uint64_t *out)
{
    const struct tile_type *x = &op->operand[0]->type, *y = &op->operand[1]->type;
    const uint64_t *a = tile_machine_elements(m, op->operand[0]);
    const uint64_t *b = tile_machine_elements(m, op->operand[1]);
    int64_t at[TILE_MAX_RANK];

    if (!a || !b)
        return false;
    memcpy(out, a, (size_t)tile_elements(x) * sizeof(*out));
    for (int64_t i = 0; i < tile_elements(y); i++) {
        tile_unflatten(y, i, at);
        for (uint32_t n = 0; n < y->rank; n++) {
            int64_t index = (int64_t)*tile_machine_elements(m, op->operand[2 + n]);
            at[n] += clamp(index, 0, x->extent[n] / y->extent[n] - 1) * y->extent[n];
        }
        out[tile_flatten(x, at)] = b[i];
    }
    return true;
}

bool tile_step_shape(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    struct moving v = { .from = &op->operand[0]->type, .to = &op->result[0]->type };
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    uint64_t pad = 0;

    if (!out || !in)
        return false;
    if (op->kind == TILE_CAT)
        return step_cat(m, op, out);
    if (op->kind == TILE_INSERT)
        return step_insert(m, op, out);
    v.axis = tile_int(op, TILE_ATTR_AXIS, 0);
    v.axes = axes ? axes->ints : NULL;
    if (op->kind == TILE_TAKE) {
        v.taken = tile_machine_elements(m, op->operand[1]);
        v.taken_type = &op->operand[1]->type;
    }
    for (uint32_t i = 1; op->kind == TILE_EXTRACT && i < op->operand_count; i++)
        v.index[i - 1] = clamp((int64_t)*tile_machine_elements(m, op->operand[i]), 0,
                               v.from->extent[i - 1] / v.to->extent[i - 1] - 1);
    if (op->kind == TILE_SHIFT || op->kind == TILE_ROLL)
        v.index[0] = (int64_t)*tile_machine_elements(m, op->operand[1]);
    if (op->kind == TILE_SHIFT) {
        pad = *tile_machine_elements(m, op->operand[2]);
        v.index[0] = clamp(v.index[0], -TILE_MAX_ELEMENTS, TILE_MAX_ELEMENTS);
    }
    for (int64_t i = 0; i < tile_elements(v.to); i++) {
        int64_t from = source_of(op, &v, i);
        out[i] = from < 0 ? pad : in[from];
    }
    return true;
}

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
bool tile_step_philox(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *seed = tile_machine_elements(m, op->operand[0]);
    const uint64_t *counter = tile_machine_elements(m, op->operand[1]);
    uint64_t *out[4];

    for (uint32_t i = 0; i < 4; i++)
        if (!(out[i] = tile_machine_elements(m, op->result[i])))
            return false;
    for (int64_t i = 0; seed && counter && i < tile_elements(&op->result[0]->type); i++) {
        uint32_t c[4] = { (uint32_t)counter[i], (uint32_t)(counter[i] >> 32), 0, 0 };
        uint32_t k[2] = { (uint32_t)seed[i], (uint32_t)(seed[i] >> 32) };
        for (int round = 0; round < 10; round++) {
            uint64_t a = (uint64_t)c[0] * UINT32_C(0xd2511f53);
            uint64_t b = (uint64_t)c[2] * UINT32_C(0xcd9e8d57);
            uint32_t next[4] = { (uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                 (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a };
            memcpy(c, next, sizeof(c));
            k[0] += UINT32_C(0x9e3779b9);
            k[1] += UINT32_C(0xbb67ae85);
        }
        for (uint32_t n = 0; n < 4; n++)
            out[n][i] = c[n];
    }
    return seed && counter;
}
