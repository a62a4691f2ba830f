// Tiles from and to memory: load, load_at, load_rows, store, store_at, store_rows, store_reduce.
//
// The tile's origin is computed once, the same in every thread. Where it lies inside of the tensor
// as a whole, which is so for nearly all blocks, elements move in the widest vectors without a
// mask; else one by one, each behind its own predicate.
#include "emit.h"

#include "../remark.h"

#include <string.h>

enum { VECTOR_BYTES = 16 };

struct access {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_emit_view *view;
    const struct tile_value *tile; // what is loaded or stored
    const tile_register *reg;
    bool stores, rows;
    uint32_t axes;                 // of the tensor
    int tile_axis[TILE_MAX_RANK];  // of each; -1: dropped
    int64_t extent[TILE_MAX_RANK]; // that is moved
    tile_register low[TILE_MAX_RANK],
        high[TILE_MAX_RANK];      // 32 bits: coordinates from low to high - 1 are inside
    bool always[TILE_MAX_RANK];   // is known to be inside
    tile_register dropped_inside; // of all axes that the tile does not have
    tile_register whole;          // the tile lies inside as a whole; TILE_NO_REGISTER: always
    tile_register origin;         // address of the tile's first element, 64 bits
    tile_register thread;         // that of the thread's own first element
    uint32_t vector;              // elements
    const struct tile_value *ids;
    tile_register pad;         // the same for all
    const tile_register *pads; // each its own
};

static uint32_t bytes_of(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}

// What is known to divide an integer value.
static uint64_t divisor_of(const struct tile_value *value, uint32_t depth)
{
    const struct tile_op *op = value->op;
    uint64_t x, y;

    if (!op || depth > 8)
        return 1;
    switch (op->kind) {
    case TILE_CONSTANT: {
        int64_t i = tile_int(op, TILE_ATTR_VALUE, 1);
        return i ? (uint64_t)(i & -i) : UINT64_C(1) << 40;
    }
    case TILE_ASSUME:
        return (uint64_t)tile_int(op, TILE_ATTR_DIVISOR, 1);
    case TILE_MUL:
        x = divisor_of(op->operand[0], depth + 1);
        y = divisor_of(op->operand[1], depth + 1);
        return x > (UINT64_C(1) << 20) || y > (UINT64_C(1) << 20) ? UINT64_C(1) << 20 : x * y;
    case TILE_ADD:
    case TILE_SUB:
    case TILE_MINIMUM:
    case TILE_MAXIMUM:
        x = divisor_of(op->operand[0], depth + 1);
        y = divisor_of(op->operand[1], depth + 1);
        while (y) {
            uint64_t rest = x % y;
            x = y;
            y = rest;
        }
        return x;
    case TILE_CAST:
        return divisor_of(op->operand[0], depth + 1);
    default:
        return 1;
    }
}

static tile_register clamp64(struct tile_emitter *e, tile_register x, int64_t low, int64_t high)
{
    tile_register up = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, low);

    return tile_make(e, TILE_R64, "min.s64 %R, %R, %l", up, high);
}

// A 64-bit value cut to what 24 bits of coordinates can be compared with.
static tile_register to_bound(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R",
                     clamp64(e, x, -(INT64_C(1) << 30), INT64_C(1) << 30));
}

// Is a value small enough that no product with a tile's extent passes 64 bits?
static bool is_small(const struct tile_value *value, uint32_t depth)
{
    if (value->type.dtype != CUC_I64 && value->type.dtype != CUC_U64)
        return true;
    if (value->block && value->block->parent && value->block->parent->kind == TILE_FOR &&
        !value->index) // a loop's variable is as small as its end
        return depth < 4 && is_small(value->block->parent->operand[1], depth + 1);
    if (!value->op)
        return false;
    switch (value->op->kind) {
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
    case TILE_CONSTANT:
        return true;
    case TILE_CDIV:
    case TILE_FLOORDIV: // of an extent by a constant
        return value->op->operand[1]->op && value->op->operand[1]->op->kind == TILE_CONSTANT;
    case TILE_CAST:
        return is_small(value->op->operand[0], depth + 1);
    case TILE_ADD:
    case TILE_SUB:
    case TILE_MINIMUM:
        return depth < 4 && is_small(value->op->operand[0], depth + 1) &&
               is_small(value->op->operand[1], depth + 1);
    default:
        return false;
    }
}

// The index of an axis in elements, as 64 bits.
static struct tile_size element_index(struct access *a, const struct tile_value *index,
                                      int64_t scale)
{
    struct tile_emitter *e = a->e;

    if (index->op && index->op->kind == TILE_CONSTANT) {
        int64_t at, i = tile_int(index->op, TILE_ATTR_VALUE, 0);
        if (__builtin_mul_overflow(i, scale, &at))
            at = INT64_MIN / 2;
        return (struct tile_size){ TILE_NO_REGISTER, at };
    }
    tile_register x =
        tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, tile_registers(e, index)[0]);
    if (index->type.dtype == CUC_U64 || (scale != 1 && !is_small(index, 0)))
        x = clamp64(e, x, -(INT64_C(1) << 38), INT64_C(1) << 38);
    if (scale != 1)
        x = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", x, scale);
    return (struct tile_size){ x, 0 };
}

// Address and bounds of an axis.
static void open_axis(struct access *a, uint32_t axis, struct tile_size at)
{
    struct tile_emitter *e = a->e;
    const struct tile_size *dim = &a->view->extent[axis];
    uint32_t bytes = bytes_of(a->view->dtype);

    if (at.reg || at.value) {
        const struct tile_size *stride = &a->view->stride[axis];
        tile_register x = at.reg ? at.reg : tile_number64(e, at.value);
        tile_register step;
        if (stride->reg) {
            tile_register elements =
                tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", x, stride->reg);
            step = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %u", elements, bytes);
        } else {
            step = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", x, stride->value * bytes);
        }
        a->origin = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", a->origin, step);
    }
    // Known now: the tile's part of this axis is inside.
    if (!at.reg && !dim->reg && at.value >= 0 && at.value + a->extent[axis] <= dim->value) {
        a->always[axis] = true;
        return;
    }
    tile_register from = tile_size_register(e, &at), size = tile_size_register(e, dim);
    if (a->tile_axis[axis] < 0) {
        tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", from);
        tile_register q = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.lt.and.s64 %R, %R, %R, %R", q, from, size, p);
        a->dropped_inside = tile_both(e, a->dropped_inside, q);
        return;
    }
    tile_register minus = tile_make(e, TILE_R64, "neg.s64 %R, %R", from);
    tile_register left = tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", size, from);
    a->low[axis] = to_bound(e, minus);
    a->high[axis] = to_bound(e, left);
    tile_register p = tile_make(e, TILE_PRED, "setp.le.s32 %R, %R, 0", a->low[axis]);
    tile_register q = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.ge.and.s32 %R, %R, %d, %R", q, a->high[axis], (int)a->extent[axis], p);
    a->whole = tile_both(e, a->whole, q);
}

// What threads add to the address: their coordinates times the strides.
static void open_thread(struct access *a)
{
    struct tile_emitter *e = a->e;
    uint32_t bytes = bytes_of(a->view->dtype);

    a->thread = a->origin;
    for (uint32_t axis = 0; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        const struct tile_size *stride = &a->view->stride[axis];
        if (t < 0 || !a->tile->layout->axis_bits[t] || (a->rows && axis == 0))
            continue;
        tile_register c = tile_thread_coordinate(e, a->tile->layout, (uint32_t)t);
        tile_register step;
        if (stride->reg) {
            tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c);
            tile_register elements =
                tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", wide, stride->reg);
            step = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %u", elements, bytes);
        } else if (stride->value * bytes == (int32_t)(stride->value * bytes)) {
            step =
                tile_make(e, TILE_R64, "mul.wide.s32 %R, %R, %d", c, (int)(stride->value * bytes));
        } else {
            tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c);
            step = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", wide, stride->value * bytes);
        }
        a->thread = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", a->thread, step);
    }
}

// How many elements of a thread lie side by side and aligned in memory.
static uint32_t vector_of(const struct access *a, const struct tile_value *last_index,
                          int64_t scale)
{
    const struct tile_layout *layout = a->tile->layout;
    uint32_t last = a->axes - 1, bytes = bytes_of(a->view->dtype), vector = 1;

    if (!a->axes || a->tile_axis[last] < 0 || a->view->stride[last].reg ||
        a->view->stride[last].value != 1 || (a->rows && last == 0) ||
        tile_int(a->op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK ||
        a->op->kind == TILE_STORE_REDUCE)
        return 1;
    uint64_t aligned = divisor_of(last_index, 0) * (uint64_t)scale * bytes;
    uint32_t shift = tile_axis_shift(layout, (uint32_t)a->tile_axis[last]);
    for (uint32_t bit = 0; bit < layout->register_bits; bit++) {
        if (layout->basis[bit] != UINT32_C(1) << (shift + bit) ||
            bit >= layout->axis_bits[a->tile_axis[last]] || 2 * vector * bytes > VECTOR_BYTES ||
            2 * vector * bytes > a->view->aligned || aligned % (2 * vector * bytes) ||
            a->extent[last] % (2 * vector))
            break;
        vector *= 2;
    }
    return vector;
}

// The address of register r: what its own coordinates add where strides are not constants is made
// once for all registers that share them.
struct addresses {
    uint32_t own[64][TILE_MAX_RANK];
    tile_register reg[64];
    uint32_t count;
};

static tile_register address_of(struct access *a, struct addresses *known, uint32_t r,
                                int64_t *offset)
{
    struct tile_emitter *e = a->e;
    uint32_t own[TILE_MAX_RANK] = { 0 }, bytes = bytes_of(a->view->dtype), i;

    *offset = 0;
    for (uint32_t axis = 0; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        if (t < 0 || (a->rows && axis == 0))
            continue;
        uint32_t c = tile_register_coordinate(a->tile->layout, r, (uint32_t)t);
        const struct tile_size *stride = &a->view->stride[axis];
        int64_t step = stride->value * bytes * (int64_t)c;
        if (stride->reg || step > (1 << 22) || step < -(1 << 22)) // an immediate has 24 bits
            own[axis] = c;
        else
            *offset += step;
    }
    for (i = 0; i < known->count; i++)
        if (memcmp(known->own[i], own, sizeof(own)) == 0)
            return known->reg[i];
    tile_register address = a->thread;
    for (uint32_t axis = 0; axis < a->axes; axis++) {
        const struct tile_size *stride = &a->view->stride[axis];
        if (!own[axis])
            continue;
        tile_register s = tile_size_register(e, stride);
        tile_register step =
            tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", s, (int64_t)own[axis] * bytes);
        address = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", address, step);
    }
    if (known->count < 64) {
        memcpy(known->own[known->count], own, sizeof(own));
        known->reg[known->count++] = address;
    }
    return address;
}

// Predicates of coordinates along an axis, made once for each that registers have.
struct masks {
    struct {
        uint32_t axis, own;
        tile_register p;
    } row[128];
    uint32_t count;
};

static tile_register axis_mask(struct access *a, struct masks *known, uint32_t axis, uint32_t own)
{
    struct tile_emitter *e = a->e;
    const struct tile_layout *layout = a->tile->layout;

    for (uint32_t i = 0; i < known->count; i++)
        if (known->row[i].axis == axis && known->row[i].own == own)
            return known->row[i].p;
    tile_register c = tile_thread_coordinate(e, layout, (uint32_t)a->tile_axis[axis]);
    if (own)
        c = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", c, own);
    tile_register p = tile_make(e, TILE_PRED, "setp.ge.s32 %R, %R, %R", c, a->low[axis]);
    tile_register q = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.lt.and.s32 %R, %R, %R, %R", q, c, a->high[axis], p);
    if (known->count < 128) {
        known->row[known->count].axis = axis;
        known->row[known->count].own = own;
        known->row[known->count++].p = q;
    }
    return q;
}

static tile_register edge_mask(struct access *a, struct masks *known, uint32_t r)
{
    tile_register p = a->dropped_inside;

    for (uint32_t axis = a->rows; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        if (t < 0 || a->always[axis])
            continue;
        p = tile_both(
            a->e, p,
            axis_mask(a, known, axis, tile_register_coordinate(a->tile->layout, r, (uint32_t)t)));
    }
    return p;
}

static void pad(struct access *a, uint32_t r)
{
    tile_move(a->e, a->reg[r], a->pads ? a->pads[r] : a->pad);
}

// One element or vector, `predicate` of which is TILE_NO_REGISTER when it is always there.
static void move(struct access *a, struct addresses *known, uint32_t r, uint32_t count,
                 tile_register predicate)
{
    int64_t offset;
    tile_register address = address_of(a, known, r, &offset);

    if (a->rows) { // the row's own part of the address was computed with its mask
        tile_register row = a->low[0];
        address = tile_make(a->e, TILE_R64, "add.s64 %R, %R, %R", address, row);
    }
    if (a->op->kind == TILE_STORE_REDUCE)
        tile_emit_atomic(a->e, ".relaxed.gpu",
                         (enum tile_combine)tile_int(a->op, TILE_ATTR_WITH, TILE_WITH_SUM),
                         a->view->dtype, TILE_NO_REGISTER, address, offset, &a->reg[r], predicate);
    else if (a->stores)
        tile_emit_store(a->e, tile_order_words(a->op), "global", a->view->dtype, a->reg + r, count,
                        address, offset, predicate);
    else
        tile_emit_load(a->e, tile_order_words(a->op), "global", a->view->dtype, a->reg + r, count,
                       address, offset, predicate);
}

// The register of ids that stands for the row of register r.
static tile_register row_id(struct access *a, uint32_t r)
{
    uint32_t own = tile_register_coordinate(a->tile->layout, r, 0);
    const tile_register *ids = tile_registers(a->e, a->ids);

    for (uint32_t i = 0; i < tile_register_count(a->ids); i++)
        if (tile_register_coordinate(a->ids->layout, i, 0) == own)
            return ids[i];
    return ids[0];
}

// A row's address and mask: low[0] is made the address part of it for move().
static tile_register open_row(struct access *a, uint32_t r)
{
    struct tile_emitter *e = a->e;
    tile_register id = tile_emit_cast(e, CUC_I64, a->ids->type.dtype, TILE_RN, row_id(a, r));
    tile_register size = tile_size_register(e, &a->view->extent[0]);
    tile_register stride = tile_size_register(e, &a->view->stride[0]);
    tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", id);
    tile_register q = tile_new(e, TILE_PRED);

    tile_ins(e, "setp.lt.and.s64 %R, %R, %R, %R", q, id, size, p);
    tile_register elements = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", id, stride);
    a->low[0] = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %u", elements, bytes_of(a->view->dtype));
    return q;
}

static void move_whole(struct access *a)
{
    struct addresses known = { .count = 0 };
    uint32_t count = tile_register_count(a->tile);

    for (uint32_t r = 0; r < count; r += a->vector) {
        bool none;
        if (a->stores && tile_repeats(a->tile->layout, r))
            continue;
        tile_register p = tile_inside_tile(a->e, a->tile, r, &none);
        if (none) {
            for (uint32_t i = 0; i < a->vector && !a->stores; i++)
                pad(a, r + i);
            continue;
        }
        if (a->rows)
            p = tile_both(a->e, p, open_row(a, r));
        for (uint32_t i = 0; i < a->vector && p && !a->stores; i++)
            pad(a, r + i);
        move(a, &known, r, a->vector, p);
    }
}

static void move_edge(struct access *a)
{
    struct addresses known = { .count = 0 };
    struct masks masks = { .count = 0 };
    uint32_t count = tile_register_count(a->tile);

    for (uint32_t r = 0; r < count; r++) {
        bool none;
        if (a->stores && tile_repeats(a->tile->layout, r))
            continue;
        tile_register p = tile_inside_tile(a->e, a->tile, r, &none);
        if (!a->stores)
            pad(a, r);
        if (none)
            continue;
        p = tile_both(a->e, p, edge_mask(a, &masks, r));
        if (a->rows)
            p = tile_both(a->e, p, open_row(a, r));
        move(a, &known, r, 1, p);
    }
}

static void read_pad(struct access *a)
{
    const struct tile_op *op = a->op;

    if (!tile_int(op, TILE_ATTR_PADDED, 0)) {
        a->pad = tile_constant_register(a->e, a->view->dtype, 0);
        return;
    }
    const struct tile_value *value = op->operand[op->operand_count - 1];
    const tile_register *reg = tile_registers(a->e, value);
    if (value->type.rank)
        a->pads = reg;
    else
        a->pad = reg[0];
}

bool tile_emit_access(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    bool by_tiles = op->kind != TILE_LOAD_AT && op->kind != TILE_STORE_AT;
    struct access a = { .e = e,
                        .op = op,
                        .view = &e->view[op->operand[0]->id],
                        .stores = !op->result_count,
                        .rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS };
    const struct tile_value *last_index = NULL;
    int64_t last_scale = 1;
    uint32_t next = 0;

    tile_order_access(e, op);
    a.tile = a.stores ? op->operand[op->operand_count - 1] : op->result[0];
    a.reg = tile_registers(e, a.tile);
    a.axes = a.view->rank;
    a.origin = a.view->base;
    if (!a.reg)
        return false;
    if (!a.stores)
        read_pad(&a);
    if (a.rows) {
        a.ids = op->operand[1];
        a.tile_axis[0] = (int)next++;
        a.extent[0] = a.tile->type.extent[0];
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        uint32_t axis = i + a.rows;
        a.extent[axis] = shape->ints[i];
        a.tile_axis[axis] = dropped >> i & 1 ? -1 : (int)next++;
        last_index = op->operand[1 + a.rows + i];
        last_scale = by_tiles ? shape->ints[i] : 1;
        open_axis(&a, axis, element_index(&a, last_index, last_scale));
    }
    open_thread(&a);
    a.vector = last_index ? vector_of(&a, last_index, last_scale) : 1;
    tile_remark_access(e->module, op, e->variant, a.vector * bytes_of(a.view->dtype));
    // Others may write meanwhile: where order matters an element is read once, for all who have it.
    int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);
    bool once = a.stores || order != TILE_WEAK;
    tile_register single = once ? tile_one_copy(e, a.tile->layout) : TILE_NO_REGISTER;
    uint32_t done = tile_label(e), edge = tile_label(e);
    if (single)
        tile_branch(e, single, true, done);
    tile_register whole = tile_both(e, a.whole, a.dropped_inside);
    if (whole)
        tile_branch(e, whole, true, edge);
    move_whole(&a);
    if (whole) {
        tile_branch(e, TILE_NO_REGISTER, false, done);
        tile_put_label(e, edge);
        move_edge(&a);
    }
    if (whole || single)
        tile_put_label(e, done);
    if (once && !a.stores)
        tile_spread_copies(e, a.tile, a.reg);
    // What comes after an acquire is after it in every thread of the block.
    if (order == TILE_ACQUIRE)
        tile_barrier(e);
    return !e->failed;
}
