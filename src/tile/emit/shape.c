// Ops that move elements. If each thread already holds the elements it needs, the emitter only
// renames registers. If a linear map describes the move, the emitter converts the layout. Otherwise
// the tile goes through shared memory in row-major order.
#include "emit.h"
#include "tile/layout/assign.h"

#include <string.h>

// Converts an integer to 32 bits and clamps it to 0 to `most`, so that the index is in range. An
// index that is known to be in range needs no clamp.
static tile_register index_up_to(struct tile_emitter *e, const struct tile_value *value,
                                 tile_register x, int32_t most)
{
    cuc_dtype dtype = value->type.dtype;
    bool wide = tile_class_of(dtype) == TILE_R64;
    const char *type = tile_is_signed(dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32";
    struct tile_range range = tile_range_of(e->ranges, value);

    if (tile_is_signed(dtype) && range.low < 0)
        x = tile_make(e, tile_class_of(dtype), "max.%s %R, %R, 0", type, x);
    if (range.high > most || tile_range_is_open(dtype, range))
        x = tile_make(e, tile_class_of(dtype), "min.%s %R, %R, %d", type, x, (int)most);
    return wide ? tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x) : x;
}

// The source of the result's register r: its coordinates, and a predicate. If `outside` is true,
// the second operand or the padding value is used instead.
struct source {
    tile_register c[TILE_MAX_RANK];
    tile_register outside;
};

static void source_of(struct tile_emitter *e, const struct tile_op *op, uint32_t r,
                      const tile_register *scalar, struct source *s)
{
    const struct tile_value *to = op->result[0], *from = op->operand[0];
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    int32_t extent = from->type.rank ? from->type.extent[axis] : 1;

    s->outside = TILE_NO_REGISTER;
    if (op->kind == TILE_RESHAPE) { // use the element's flattened index
        tile_register flat = tile_number32(e, 0);
        for (uint32_t i = 0; i < to->type.rank; i++)
            flat = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", flat,
                             (unsigned)to->type.extent[i], tile_element_coordinate(e, to, r, i));
        s->c[0] = flat;
        return;
    }
    for (uint32_t i = 0; i < from->type.rank; i++) {
        uint32_t n = i + (uint32_t)(to->type.rank - from->type.rank);
        for (uint32_t k = 0; op->kind == TILE_PERMUTE && k < axes->count; k++)
            if (axes->ints[k] == i)
                n = k;
        s->c[i] = op->kind == TILE_BROADCAST && from->type.extent[i] == 1
                      ? tile_number32(e, 0)
                      : tile_element_coordinate(e, to, r, n);
    }
    switch (op->kind) {
    case TILE_EXTRACT:
        for (uint32_t i = 0; i < from->type.rank; i++)
            s->c[i] = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", scalar[i],
                                (unsigned)to->type.extent[i], s->c[i]);
        break;
    case TILE_SHIFT: {
        tile_register at = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", s->c[axis], scalar[0]);
        s->outside = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %d", at, (int)extent);
        s->c[axis] = at;
        break;
    }
    case TILE_ROLL: {
        tile_register at = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", s->c[axis], scalar[0]);
        tile_register p = tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, 0", at);
        tile_register up = tile_make(e, TILE_R32, "add.s32 %R, %R, %d", at, (int)extent);
        s->c[axis] = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", up, at, p);
        break;
    }
    case TILE_CAT:
        s->outside = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %d", s->c[axis], (int)extent);
        break;
    default:
        break;
    }
}

// Returns the address of the element at the given coordinates of a row-major tile.
static tile_register address_of(struct tile_emitter *e, const struct tile_type *type,
                                const tile_register *c, bool flat, tile_register shared)
{
    uint32_t bytes = tile_bytes_of(type->dtype);
    tile_register at = flat || !type->rank ? c[0] : TILE_NO_REGISTER;

    if (!flat && !type->rank)
        return shared;
    for (uint32_t i = 0; !flat && i < type->rank; i++)
        at = at ? tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", at, (unsigned)type->extent[i],
                            c[i])
                : c[i];
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", at, bytes, shared);
}

// Returns the register that holds the index of a `take` for register r of the result.
static tile_register taken_index(struct tile_emitter *e, const struct tile_op *op, uint32_t r)
{
    const struct tile_value *index = op->operand[1], *to = op->result[0];
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    const tile_register *reg = tile_registers(e, index);

    int32_t most = op->operand[0]->type.extent[axis] - 1;

    if (index->type.rank == to->type.rank)
        return index_up_to(e, index, reg[r], most);
    uint32_t own = tile_register_coordinate(to->layout, r, axis), i = 0;
    while (i + 1 < tile_register_count(index) &&
           tile_register_coordinate(index->layout, i, 0) != own)
        i++;
    return index_up_to(e, index, reg[i], most);
}

static void read_into(struct tile_emitter *e, cuc_dtype dtype, tile_register to,
                      tile_register address, int64_t offset, tile_register predicate)
{
    tile_emit_load(e, "", "shared", dtype, &to, 1, address, offset, predicate);
}

static tile_register not_of(struct tile_emitter *e, tile_register p)
{
    return p ? tile_make(e, TILE_PRED, "not.pred %R, %R", p) : p;
}

// Reads each register of the result from its element's position in shared memory.
static bool through_shared(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *to = op->result[0], *from = op->operand[0];
    const struct tile_value *other = op->kind == TILE_CAT ? op->operand[1] : NULL;
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    uint32_t first = tile_shared_bytes(from),
             bytes = first + (other ? tile_shared_bytes(other) : 0);
    uint32_t count = tile_register_count(to);
    tile_register scalar[TILE_MAX_RANK] = { 0 };
    tile_register *out = tile_registers(e, to);
    cuc_dtype dtype = to->type.dtype;

    if (!out || !tile_shared_fits(e, op, bytes))
        return false;
    for (uint32_t i = 1; op->kind == TILE_EXTRACT && i < op->operand_count; i++)
        scalar[i - 1] = index_up_to(e, op->operand[i], tile_registers(e, op->operand[i])[0],
                                    from->type.extent[i - 1] / to->type.extent[i - 1] - 1);
    if (op->kind == TILE_SHIFT || op->kind == TILE_ROLL) {
        int32_t extent = from->type.extent[axis];
        tile_register n = tile_emit_cast(e, CUC_I64, op->operand[1]->type.dtype, TILE_RN,
                                         tile_registers(e, op->operand[1])[0]);
        if (op->kind == TILE_SHIFT) {
            n = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", n, (int64_t)-extent);
            n = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", n, (int64_t)extent);
        } else { // wrap into the range 0 to extent - 1
            n = tile_make(e, TILE_R64, "rem.s64 %R, %R, %l", n, (int64_t)extent);
            tile_register p = tile_make(e, TILE_PRED, "setp.lt.s64 %R, %R, 0", n);
            tile_register up = tile_make(e, TILE_R64, "add.s64 %R, %R, %l", n, (int64_t)extent);
            n = tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", up, n, p);
        }
        scalar[0] = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", n);
    }
    uint32_t base = 0;
    bool there = false;
    tile_register shared = op->kind == TILE_TAKE ? tile_scratch_for(e, op, bytes, &base, &there)
                                                 : tile_scratch(e, bytes);
    if (!there) {
        tile_write_shared(e, from, tile_registers(e, from), shared, base, NULL);
        if (other)
            tile_write_shared(e, other, tile_registers(e, other), shared, first, NULL);
        tile_scratch_written(e);
    }
    for (uint32_t r = 0; r < count; r++) {
        bool none;
        struct source s;
        tile_register inside = tile_inside_tile(e, to, r, &none);
        if (none) {
            tile_move(e, out[r], tile_constant_register(e, dtype, 0));
            continue;
        }
        if (inside) // padding is not read but needs a value
            tile_move(e, out[r], tile_constant_register(e, dtype, 0));
        source_of(e, op, r, scalar, &s);
        if (op->kind == TILE_TAKE)
            s.c[axis] = taken_index(e, op, r);
        tile_register reads = not_of(e, s.outside);
        if (inside && reads)
            reads = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", reads, inside);
        else if (inside)
            reads = inside;
        if (op->kind == TILE_SHIFT)
            tile_move(e, out[r], tile_registers(e, op->operand[2])[0]);
        else if (s.outside && !inside)
            tile_move(e, out[r], tile_constant_register(e, dtype, 0));
        read_into(e, dtype, out[r],
                  address_of(e, &from->type, s.c, op->kind == TILE_RESHAPE, shared), base, reads);
        if (!other)
            continue;
        s.c[axis] =
            tile_make(e, TILE_R32, "sub.s32 %R, %R, %d", s.c[axis], (int)from->type.extent[axis]);
        reads = inside ? tile_make(e, TILE_PRED, "and.pred %R, %R, %R", s.outside, inside)
                       : s.outside;
        read_into(e, dtype, out[r], address_of(e, &other->type, s.c, false, shared), first, reads);
    }
    return !e->failed;
}

// Emits a copy of x in which y replaces a part.
static bool emit_insert(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0], *y = op->operand[1], *to = op->result[0];
    uint32_t bytes = tile_shared_bytes(x), count = tile_register_count(to);
    tile_register *out = tile_registers(e, to);
    tile_register part = TILE_NO_REGISTER;

    if (!out || !tile_shared_fits(e, op, bytes))
        return false;
    // Compute the address in the copy of x at which y begins. The elements of y are stored with the
    // row length of x.
    int64_t step = tile_bytes_of(x->type.dtype);
    tile_register shared = tile_scratch(e, bytes);
    tile_write_shared(e, x, tile_registers(e, x), shared, 0, NULL);
    tile_barrier(e);
    part = shared;
    for (uint32_t axis = x->type.rank; axis-- > 0;) {
        const struct tile_value *index = op->operand[2 + axis];
        tile_register i = index_up_to(e, index, tile_registers(e, index)[0],
                                      x->type.extent[axis] / y->type.extent[axis] - 1);
        part = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", i,
                         (unsigned)(step * y->type.extent[axis]), part);
        step *= x->type.extent[axis];
    }
    for (uint32_t r = 0; r < tile_register_count(y); r++) {
        bool none;
        tile_register c[TILE_MAX_RANK], p = tile_inside_tile(e, y, r, &none);
        if (none)
            continue;
        for (uint32_t axis = 0; axis < y->type.rank; axis++)
            c[axis] = tile_element_coordinate(e, y, r, axis);
        tile_emit_store(e, "", "shared", y->type.dtype, &tile_registers(e, y)[r], 1,
                        address_of(e, &x->type, c, false, part), 0, p);
    }
    tile_scratch_written(e);
    for (uint32_t r = 0; r < count; r++) {
        bool none;
        tile_register c[TILE_MAX_RANK], p = tile_inside_tile(e, to, r, &none);
        if (none || p)
            tile_move(e, out[r], tile_constant_register(e, to->type.dtype, 0));
        if (none)
            continue;
        for (uint32_t axis = 0; axis < to->type.rank; axis++)
            c[axis] = tile_element_coordinate(e, to, r, axis);
        read_into(e, to->type.dtype, out[r], address_of(e, &to->type, c, false, shared), 0, p);
    }
    return !e->failed;
}

// Finds a layout of the operand that assigns to each register the element that the same register of
// the result needs.
static bool operand_layout(const struct tile_op *op, struct tile_layout *out)
{
    const struct tile_value *from = op->operand[0], *to = op->result[0];
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    int64_t back[TILE_MAX_RANK];

    switch (op->kind) {
    case TILE_BROADCAST:
        *out = tile_layout_slice(to->layout, &from->type, &to->type);
        return true;
    case TILE_PERMUTE:
        for (uint32_t i = 0; i < axes->count; i++)
            back[axes->ints[i]] = i;
        *out = tile_layout_permute(to->layout, back);
        return true;
    case TILE_RESHAPE:
        return tile_layout_reshape(out, to->layout, &to->type, &from->type);
    case TILE_CONVERT:
        *out = *to->layout;
        return true;
    default:
        return false;
    }
}

// Returns a value's registers in another layout, either renamed or converted to new registers. NULL
// if the tile with its padding is too large.
static const tile_register *in_layout(struct tile_emitter *e, const struct tile_value *value,
                                      const struct tile_layout *from, const tile_register *in,
                                      const struct tile_layout *to)
{
    uint32_t count = UINT32_C(1) << to->register_bits;
    tile_register *out = tile_take(e->module, count * sizeof(*out));
    cuc_dtype dtype = value->type.dtype;

    tile_spend(e->module, count); // counted even if this emits nothing
    if (!in || !out || tile_rename(from, in, to, out))
        return in ? out : NULL;
    if (tile_convert_bytes(dtype, from) > e->target->shared_limit)
        return NULL;
    for (uint32_t r = 0; r < count; r++)
        out[r] = tile_new(e, tile_class_of(dtype));
    tile_convert(e, dtype, from, in, to, out);
    return out;
}

// Concatenates two tiles of one shape if register bits distinguish them in the result.
static const tile_register *cat_registers(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *to = op->result[0], *const *x =
                                                     (const struct tile_value *const *)op->operand;
    uint32_t selects[TILE_MAX_HARDWARE_BITS], count = tile_register_count(to);
    struct tile_layout part;
    const tile_register *in[2];

    if (!tile_shape_same(&x[0]->type, &x[1]->type) ||
        !tile_layout_part(&part, to->layout, &to->type, &x[0]->type, selects))
        return NULL;
    tile_register *out = tile_take(e->module, count * sizeof(*out));
    for (uint32_t i = 0; i < 2; i++)
        if (!(in[i] = in_layout(e, x[i], x[i]->layout, tile_registers(e, x[i]), &part)) || !out)
            return NULL;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t own = 0, bits = 0, second = 0;
        for (uint32_t bit = 0; bit < to->layout->register_bits; bit++) {
            if (selects[bit])
                second |= r >> bit & 1;
            else
                own |= (r >> bit & 1) << bits++;
        }
        out[r] = in[second][own];
    }
    return out;
}

// Extracts a part at constant indices if register bits select it.
static const tile_register *part_registers(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *to = op->result[0], *from = op->operand[0];
    const tile_register *in = tile_registers(e, from);
    uint32_t selects[TILE_MAX_HARDWARE_BITS], where = 0;
    struct tile_layout part;

    if (!tile_is_fixed_part(op) ||
        !tile_layout_part(&part, from->layout, &from->type, &to->type, selects))
        return NULL;
    tile_register *out = tile_take(e->module, (sizeof(*out) << part.register_bits));
    for (uint32_t i = 0; i < from->type.rank; i++) {
        int64_t most = from->type.extent[i] / to->type.extent[i] - 1;
        int64_t index = tile_int(op->operand[1 + i]->op, TILE_ATTR_VALUE, 0);
        index = index < 0 ? 0 : index > most ? most : index;
        where |= (uint32_t)(index * to->type.extent[i]) << tile_axis_shift(from->layout, i);
    }
    for (uint32_t r = 0; in && out && r < UINT32_C(1) << part.register_bits; r++) {
        uint32_t whole = 0, bits = 0;
        for (uint32_t bit = 0; bit < from->layout->register_bits; bit++)
            whole |= (selects[bit] ? (where & selects[bit]) != 0 : r >> bits++ & 1) << bit;
        out[r] = in[whole];
    }
    return out ? in_layout(e, to, &part, out, to->layout) : NULL;
}

bool tile_emit_shape(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *from = op->operand[0];
    const tile_register *out = NULL;
    struct tile_layout wanted;

    if (op->kind == TILE_INSERT)
        return emit_insert(e, op);
    if (op->kind == TILE_CAT)
        out = cat_registers(e, op);
    else if (op->kind == TILE_EXTRACT)
        out = part_registers(e, op);
    else if (op->kind == TILE_SHIFT || op->kind == TILE_ROLL)
        out = tile_shift_registers(e, op);
    else if (operand_layout(op, &wanted))
        out = in_layout(e, from, from->layout, tile_registers(e, from), &wanted);
    if (!out)
        return !e->failed && through_shared(e, op);
    e->value[op->result[0]->id] = (tile_register *)(uintptr_t)out;
    return !e->failed;
}

bool tile_emit_funnel(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *out = op->result[0];
    const tile_register *from[2] = { tile_registers(e, op->operand[0]),
                                     tile_registers(e, op->operand[1]) };
    uint32_t count = tile_register_count(out), past = (uint32_t)tile_int(op, TILE_ATTR_VALUE, 0);
    uint32_t vector = (uint32_t)tile_int(op, TILE_ATTR_COUNT, 1);
    tile_register *reg = tile_take(e->module, count * sizeof(*reg));

    if (!reg || !from[0] || !from[1])
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i % vector + past;
        reg[i] = from[at / vector][i - i % vector + at % vector];
    }
    e->value[out->id] = reg;
    return true;
}
