// Runs elementwise ops, ops that move elements, and random numbers.
#include "machine.h"

#include <string.h>

bool tile_step_constant(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    cuc_dtype dtype = op->result[0]->type.dtype;

    if (out)
        *out = real ? tile_element_of_real(dtype, real->f)
                    : tile_element_of_int(dtype, tile_int(op, TILE_ATTR_VALUE, 0));
    return out != NULL;
}

bool tile_step_iota(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);

    for (int32_t i = 0; out && i < op->result[0]->type.extent[0]; i++)
        out[i] = (uint64_t)i;
    return out != NULL;
}

// Runs an op whose result is value[INDEX].
static bool step_indexed(struct tile_machine *m, const struct tile_op *op, const int64_t *value)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);

    if (out)
        *out = (uint64_t)value[tile_int(op, TILE_ATTR_INDEX, 0)];
    return out != NULL;
}

bool tile_step_block(struct tile_machine *m, const struct tile_op *op)
{
    return step_indexed(m, op, m->block);
}

bool tile_step_num_blocks(struct tile_machine *m, const struct tile_op *op)
{
    return step_indexed(m, op, m->grid);
}

bool tile_step_dimension(struct tile_machine *m, const struct tile_op *op)
{
    return step_indexed(m, op, m->set.dimension);
}

bool tile_step_refused(struct tile_machine *m, const struct tile_op *op)
{
    return tile_machine_fail(m, op, "this op cannot be interpreted");
}

static uint64_t bitcast(cuc_dtype to, cuc_dtype from, uint64_t element)
{
    uint32_t bits = cuc_dtype_bits(from);
    uint64_t low = bits == 64 ? element : element & ((UINT64_C(1) << bits) - 1);

    return tile_is_integer(to) ? tile_element_of_int(to, (int64_t)low) : low;
}

// An undefined operation, such as a division by zero, may give any value. The interpreter gives 0.
bool tile_step_elementwise(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    int64_t count = tile_elements(&op->result[0]->type);
    cuc_dtype to = op->result[0]->type.dtype, from = op->operand[0]->type.dtype;
    struct tile_rounding how = tile_rounding_of(op);
    bool nan = tile_int(op, TILE_ATTR_NAN, 0), rounded = tile_is_rounded(op);
    const uint64_t *in[3] = { 0 };

    if (!out)
        return false;
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

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

static uint64_t scalar(struct tile_machine *m, const struct tile_op *op, uint32_t operand)
{
    return *tile_machine_elements(m, op->operand[operand]);
}

// Copies an operand's elements to their places in the result. `source` returns the index of the
// operand's element that becomes the result's element at `at`; -1: the padding.
typedef int64_t source_of(struct tile_machine *m, const struct tile_op *op, const int64_t *at);

static bool move(struct tile_machine *m, const struct tile_op *op, source_of *source, uint64_t pad)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    const struct tile_type *to = &op->result[0]->type;
    int64_t at[TILE_MAX_RANK];

    for (int64_t i = 0; in && out && i < tile_elements(to); i++) {
        tile_unflatten(to, i, at);
        int64_t from = source(m, op, at);
        out[i] = from < 0 ? pad : in[from];
    }
    return in && out;
}

bool tile_step_copy(struct tile_machine *m, const struct tile_op *op)
{
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);

    if (in && out)
        memcpy(out, in, (size_t)tile_elements(&op->result[0]->type) * sizeof(*out));
    return in && out;
}

static int64_t broadcast_source(struct tile_machine *m, const struct tile_op *op, const int64_t *at)
{
    const struct tile_type *from = &op->operand[0]->type;
    uint32_t lead = (uint32_t)(op->result[0]->type.rank - from->rank);
    int64_t index[TILE_MAX_RANK];

    (void)m;
    for (uint32_t i = 0; i < from->rank; i++)
        index[i] = from->extent[i] == 1 ? 0 : at[lead + i];
    return tile_flatten(from, index);
}

bool tile_step_broadcast(struct tile_machine *m, const struct tile_op *op)
{
    return move(m, op, broadcast_source, 0);
}

static int64_t permute_source(struct tile_machine *m, const struct tile_op *op, const int64_t *at)
{
    const struct tile_type *from = &op->operand[0]->type;
    const int64_t *axes = tile_attribute(op, TILE_ATTR_AXES)->ints;
    int64_t index[TILE_MAX_RANK];

    (void)m;
    for (uint32_t i = 0; i < from->rank; i++)
        index[axes[i]] = at[i];
    return tile_flatten(from, index);
}

bool tile_step_permute(struct tile_machine *m, const struct tile_op *op)
{
    return move(m, op, permute_source, 0);
}

// Returns where a subtile starts along an axis of the whole tile, given the operand of extract or
// insert that indexes the axis.
static int64_t subtile_start(struct tile_machine *m, const struct tile_op *op, uint32_t operand,
                             int64_t whole, int64_t part)
{
    return clamp((int64_t)scalar(m, op, operand), 0, whole / part - 1) * part;
}

static int64_t extract_source(struct tile_machine *m, const struct tile_op *op, const int64_t *at)
{
    const struct tile_type *from = &op->operand[0]->type, *to = &op->result[0]->type;
    int64_t index[TILE_MAX_RANK];

    for (uint32_t i = 0; i < from->rank; i++)
        index[i] = at[i] + subtile_start(m, op, i + 1, from->extent[i], to->extent[i]);
    return tile_flatten(from, index);
}

bool tile_step_extract(struct tile_machine *m, const struct tile_op *op)
{
    return move(m, op, extract_source, 0);
}

// Flattens `at` with the index along the op's axis replaced by `along`.
static int64_t along_axis(const struct tile_op *op, const int64_t *at, int64_t along)
{
    const struct tile_type *from = &op->operand[0]->type;
    int64_t index[TILE_MAX_RANK];

    memcpy(index, at, from->rank * sizeof(*index));
    index[tile_int(op, TILE_ATTR_AXIS, 0)] = along;
    return tile_flatten(from, index);
}

static int64_t take_source(struct tile_machine *m, const struct tile_op *op, const int64_t *at)
{
    const struct tile_type *from = &op->operand[0]->type, *taken = &op->operand[1]->type;
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0);
    int64_t flat = taken->rank == 1 && from->rank > 1 ? at[axis] : tile_flatten(taken, at);
    int64_t index = (int64_t)tile_machine_elements(m, op->operand[1])[flat];

    return along_axis(
        op, at, clamp(index, 0, from->extent[axis] - 1)); // for an index out of range, any element
}

bool tile_step_take(struct tile_machine *m, const struct tile_op *op)
{
    return tile_machine_elements(m, op->operand[1]) && move(m, op, take_source, 0);
}

static int64_t shift_source(struct tile_machine *m, const struct tile_op *op, const int64_t *at)
{
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0), extent = op->operand[0]->type.extent[axis];
    int64_t along = at[axis] -
                    clamp((int64_t)scalar(m, op, 1), -TILE_MAX_ELEMENTS, TILE_MAX_ELEMENTS);

    return along < 0 || along >= extent ? -1 : along_axis(op, at, along);
}

bool tile_step_shift(struct tile_machine *m, const struct tile_op *op)
{
    return move(m, op, shift_source, scalar(m, op, 2));
}

static int64_t roll_source(struct tile_machine *m, const struct tile_op *op, const int64_t *at)
{
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0), extent = op->operand[0]->type.extent[axis];
    int64_t along = at[axis] - (int64_t)scalar(m, op, 1) % extent;

    return along_axis(op, at, ((along % extent) + extent) % extent);
}

bool tile_step_roll(struct tile_machine *m, const struct tile_op *op)
{
    return move(m, op, roll_source, 0);
}

bool tile_step_cat(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_type *x = &op->operand[0]->type, *y = &op->operand[1]->type;
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    const uint64_t *a = tile_machine_elements(m, op->operand[0]);
    const uint64_t *b = tile_machine_elements(m, op->operand[1]);
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0), at[TILE_MAX_RANK];

    for (int64_t i = 0; out && a && b && i < tile_elements(&op->result[0]->type); i++) {
        tile_unflatten(&op->result[0]->type, i, at);
        if (at[axis] < x->extent[axis]) {
            out[i] = a[tile_flatten(x, at)];
        } else {
            at[axis] -= x->extent[axis];
            out[i] = b[tile_flatten(y, at)];
        }
    }
    return out && a && b;
}

bool tile_step_insert(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_type *x = &op->operand[0]->type, *y = &op->operand[1]->type;
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    const uint64_t *b = tile_machine_elements(m, op->operand[1]);
    int64_t at[TILE_MAX_RANK];

    if (!b || !tile_step_copy(m, op))
        return false;
    for (int64_t i = 0; i < tile_elements(y); i++) {
        tile_unflatten(y, i, at);
        for (uint32_t n = 0; n < y->rank; n++)
            at[n] += subtile_start(m, op, 2 + n, x->extent[n], y->extent[n]);
        out[tile_flatten(x, at)] = b[i];
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
