// Ops that move elements. Where each thread already holds what it needs only registers are renamed;
// else the tile goes through shared memory, where it lies row by row.
#include "emit.h"

#include <string.h>

static uint32_t bytes_of(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}

// Elements from a value's registers to shared memory, element [i][j].. at (i * extent + j ..) *
// bytes.
static void write_tile(struct tile_emitter *e, const struct tile_value *value, tile_register shared,
                       int64_t at)
{
    const tile_register *reg = tile_registers(e, value);
    uint32_t count = tile_register_count(value), bytes = bytes_of(value->type.dtype);
    tile_register place = shared;
    int64_t step = bytes;
    int64_t steps[TILE_MAX_RANK];

    for (uint32_t axis = value->type.rank; axis-- > 0;) {
        steps[axis] = step;
        if (value->layout->axis_bits[axis]) {
            tile_register c = tile_thread_coordinate(e, value->layout, axis);
            place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c, (unsigned)step, place);
        }
        step *= value->type.extent[axis];
    }
    // Copies are written by every thread that has one: they are the same.
    uint32_t vector = 1;
    uint32_t last = value->type.rank ? value->type.rank - 1u : 0;
    while (value->type.rank && 2 * vector * bytes <= 16 && vector < count &&
           value->layout->basis[__builtin_ctz(vector)] == vector &&
           vector < UINT32_C(1) << value->layout->axis_bits[last] &&
           value->type.extent[last] % (int32_t)(2 * vector) == 0)
        vector *= 2;
    for (uint32_t r = 0; r < count; r += vector) {
        bool none;
        int64_t offset = at;
        tile_register p = tile_inside_tile(e, value, r, &none);
        if (none)
            continue;
        for (uint32_t axis = 0; axis < value->type.rank; axis++)
            offset += steps[axis] * tile_register_coordinate(value->layout, r, axis);
        tile_emit_store(e, "", "shared", value->type.dtype, reg + r, vector, place, offset, p);
    }
}

static uint32_t tile_bytes(const struct tile_value *value)
{
    return (uint32_t)((tile_elements(&value->type) * bytes_of(value->type.dtype) + 15) & ~15);
}

static bool fits(struct tile_emitter *e, const struct tile_op *op, uint64_t bytes)
{
    if (bytes <= e->target->shared_limit)
        return true;
    tile_error(e->module, TILE_T602, op->where,
               "%s: it needs %llu bytes of shared memory, the target has %u: make the tile smaller",
               tile_op_infos[op->kind].name, (unsigned long long)bytes, e->target->shared_limit);
    e->failed = true;
    return false;
}

// The coordinate of register r along an axis, in the calling thread.
static tile_register coordinate(struct tile_emitter *e, const struct tile_value *value, uint32_t r,
                                uint32_t axis)
{
    tile_register c = tile_thread_coordinate(e, value->layout, axis);
    uint32_t own = tile_register_coordinate(value->layout, r, axis);

    return own ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", c, own) : c;
}

// A 32-bit signed register of an integer value.
static tile_register as32(struct tile_emitter *e, const struct tile_value *value, tile_register x)
{
    return tile_emit_cast(e, CUC_I32, value->type.dtype, TILE_RN, x);
}

// What register r of the result reads: the coordinates of its source. False: nothing is known to be
// wrong but the second operand, or the pad, is to be taken where *outside is true.
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
    if (op->kind == TILE_RESHAPE) { // through the number of the element
        tile_register flat = tile_number32(e, 0);
        for (uint32_t i = 0; i < to->type.rank; i++)
            flat = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", flat,
                             (unsigned)to->type.extent[i], coordinate(e, to, r, i));
        s->c[0] = flat;
        return;
    }
    for (uint32_t i = 0; i < from->type.rank; i++) {
        uint32_t n = i + (uint32_t)(to->type.rank - from->type.rank);
        for (uint32_t k = 0; op->kind == TILE_PERMUTE && k < axes->count; k++)
            if (axes->ints[k] == i)
                n = k;
        s->c[i] = op->kind == TILE_BROADCAST && from->type.extent[i] == 1 ? tile_number32(e, 0)
                                                                          : coordinate(e, to, r, n);
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

// The address of coordinates in a tile that lies row by row.
static tile_register address_of(struct tile_emitter *e, const struct tile_type *type,
                                const tile_register *c, bool flat, tile_register shared)
{
    uint32_t bytes = bytes_of(type->dtype);
    tile_register at = flat || !type->rank ? c[0] : TILE_NO_REGISTER;

    if (!flat && !type->rank)
        return shared;
    for (uint32_t i = 0; !flat && i < type->rank; i++)
        at = at ? tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", at, (unsigned)type->extent[i],
                            c[i])
                : c[i];
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", at, bytes, shared);
}

// 0 to extent - 1, so that no index reads outside.
static tile_register clamped(struct tile_emitter *e, tile_register x, int32_t extent)
{
    tile_register low = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", x);

    return tile_make(e, TILE_R32, "min.s32 %R, %R, %d", low, (int)extent - 1);
}

// Which registers take's index has for register r of the result.
static tile_register taken_index(struct tile_emitter *e, const struct tile_op *op, uint32_t r)
{
    const struct tile_value *index = op->operand[1], *to = op->result[0];
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    const tile_register *reg = tile_registers(e, index);

    if (index->type.rank == to->type.rank)
        return as32(e, index, reg[r]);
    uint32_t own = tile_register_coordinate(to->layout, r, axis);
    for (uint32_t i = 0; i < tile_register_count(index); i++)
        if (tile_register_coordinate(index->layout, i, 0) == own)
            return as32(e, index, reg[i]);
    return as32(e, index, reg[0]);
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

// The result's registers, each read from where its element lies.
static bool through_shared(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *to = op->result[0], *from = op->operand[0];
    const struct tile_value *other = op->kind == TILE_CAT ? op->operand[1] : NULL;
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    uint32_t first = tile_bytes(from), bytes = first + (other ? tile_bytes(other) : 0);
    uint32_t count = tile_register_count(to);
    tile_register scalar[TILE_MAX_RANK] = { 0 };
    tile_register *out = tile_registers(e, to);
    cuc_dtype dtype = to->type.dtype;

    if (!out || !fits(e, op, bytes))
        return false;
    for (uint32_t i = 1; op->kind == TILE_EXTRACT && i < op->operand_count; i++)
        scalar[i - 1] = clamped(e, as32(e, op->operand[i], tile_registers(e, op->operand[i])[0]),
                                from->type.extent[i - 1] / to->type.extent[i - 1]);
    if (op->kind == TILE_SHIFT || op->kind == TILE_ROLL) {
        int32_t extent = from->type.extent[axis];
        tile_register n = tile_emit_cast(e, CUC_I64, op->operand[1]->type.dtype, TILE_RN,
                                         tile_registers(e, op->operand[1])[0]);
        if (op->kind == TILE_SHIFT) {
            n = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", n, (int64_t)-extent);
            n = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", n, (int64_t)extent);
        } else { // 0 to extent - 1
            n = tile_make(e, TILE_R64, "rem.s64 %R, %R, %l", n, (int64_t)extent);
            tile_register p = tile_make(e, TILE_PRED, "setp.lt.s64 %R, %R, 0", n);
            tile_register up = tile_make(e, TILE_R64, "add.s64 %R, %R, %l", n, (int64_t)extent);
            n = tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", up, n, p);
        }
        scalar[0] = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", n);
    }
    tile_register shared = tile_scratch(e, bytes);
    write_tile(e, from, shared, 0);
    if (other)
        write_tile(e, other, shared, first);
    tile_scratch_written(e);
    for (uint32_t r = 0; r < count; r++) {
        bool none;
        struct source s;
        tile_register inside = tile_inside_tile(e, to, r, &none);
        if (none) {
            tile_move(e, out[r], tile_constant_register(e, dtype, 0));
            continue;
        }
        if (inside) // padding reads nothing, and is something
            tile_move(e, out[r], tile_constant_register(e, dtype, 0));
        source_of(e, op, r, scalar, &s);
        if (op->kind == TILE_TAKE)
            s.c[axis] = clamped(e, taken_index(e, op, r), from->type.extent[axis]);
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
                  address_of(e, &from->type, s.c, op->kind == TILE_RESHAPE, shared), 0, reads);
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

// x, with y written over a part of it.
static bool emit_insert(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0], *y = op->operand[1], *to = op->result[0];
    uint32_t bytes = tile_bytes(x), count = tile_register_count(to);
    tile_register *out = tile_registers(e, to);
    tile_register part = TILE_NO_REGISTER;

    if (!out || !fits(e, op, bytes))
        return false;
    // The part's place, as an offset: y is written row by row of x.
    int64_t step = bytes_of(x->type.dtype);
    tile_register shared = tile_scratch(e, bytes);
    write_tile(e, x, shared, 0);
    tile_barrier(e);
    part = shared;
    for (uint32_t axis = x->type.rank; axis-- > 0;) {
        const struct tile_value *index = op->operand[2 + axis];
        tile_register i = clamped(e, as32(e, index, tile_registers(e, index)[0]),
                                  x->type.extent[axis] / y->type.extent[axis]);
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
            c[axis] = coordinate(e, y, r, axis);
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
            c[axis] = coordinate(e, to, r, axis);
        read_into(e, to->type.dtype, out[r], address_of(e, &to->type, c, false, shared), 0, p);
    }
    return !e->failed;
}

// Registers under other numbers: result register r is source register map(r). False: threads do not
// hold what they need.
static bool rename_registers(struct tile_emitter *e, const struct tile_op *op,
                             const struct tile_layout *wanted)
{
    const struct tile_value *from = op->operand[0], *to = op->result[0];
    uint32_t count = tile_register_count(to), have = tile_register_count(from);
    uint32_t threads = TILE_LANE_BITS + (uint32_t)wanted->warp_bits;

    // `wanted` is the operand's map as the result's coordinates: the same threads must hold the
    // same.
    for (uint32_t i = 0; i < threads; i++)
        if (wanted->basis[wanted->register_bits + i] !=
            from->layout->basis[from->layout->register_bits + i])
            return false;
    tile_register *out = tile_take(e->module, count * sizeof(*out));
    const tile_register *in = tile_registers(e, from);
    if (!out || !in)
        return false;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t own = tile_coordinate(wanted, r), i = 0;
        while (i < have && tile_coordinate(from->layout, i) != own)
            i++;
        if (i == have)
            return false;
        out[r] = in[i];
    }
    e->value[to->id] = out;
    return true;
}

// The layout that an operand would have if it were made of the result's: which of the operand's
// elements each register of the result needs.
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
        return tile_layout_reshape(out, to->layout, &to->type, &from->type) ||
               tile_layout_squeeze(out, to->layout, &to->type, &from->type);
    case TILE_CONVERT:
        *out = *to->layout;
        return true;
    default:
        return false;
    }
}

bool tile_emit_shape(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_layout wanted;

    if (op->kind == TILE_INSERT)
        return emit_insert(e, op);
    if (operand_layout(op, &wanted) && rename_registers(e, op, &wanted))
        return true;
    return through_shared(e, op);
}
