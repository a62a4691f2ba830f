// Registers from and to memory: the vectors of a tile that lies inside as a whole, without a mask;
// at an edge the vectors behind masks, and one by one where an edge goes through a vector.
#include "access.h"

#include <string.h>

// The address of register r: what its own coordinates add where strides are not constants is made
// once for all registers that share them.
struct addresses {
    uint32_t own[64][TILE_MAX_RANK];
    tile_register reg[64];
    uint32_t count;
};

static tile_register address_of(struct tile_access *a, struct addresses *known, uint32_t r,
                                int64_t *offset)
{
    struct tile_emitter *e = a->e;
    uint32_t own[TILE_MAX_RANK] = { 0 }, bytes = tile_access_bytes(a), i;

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

// What is inside, in coordinates of the tile; predicates are made once for each that registers
// have.
struct bounds {
    struct tile_access *access;
    tile_register low[TILE_MAX_RANK], // NO_REGISTER: 0
        high[TILE_MAX_RANK];          // 32 bits: coordinates from low to high - 1 are inside
    tile_register dropped;            // the predicate that is in none of them
    struct {
        uint32_t axis, own;
        tile_register p;
    } row[128];
    uint32_t count;
};

// Coordinates have 24 bits, and so has what they are compared with.
static tile_register to_bound(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R",
                     tile_clamp64(e, x, -(INT64_C(1) << 30), INT64_C(1) << 30));
}

// Axes that the tile does not have count with the first that it has: outside of one nothing is
// inside.
static void open_bounds(struct bounds *b, struct tile_access *a)
{
    struct tile_emitter *e = a->e;

    b->access = a;
    b->dropped = a->dropped_inside;
    for (uint32_t axis = a->rows; axis < a->axes; axis++) {
        const struct tile_size *from = &a->from[axis];
        if (a->tile_axis[axis] < 0 || a->always[axis])
            continue;
        if (!a->forward[axis])
            b->low[axis] =
                to_bound(e, tile_make(e, TILE_R64, "neg.s64 %R, %R", tile_size_register(e, from)));
        b->high[axis] = to_bound(e, a->left[axis]);
        if (b->dropped)
            b->high[axis] =
                tile_make(e, TILE_R32, "selp.b32 %R, %R, %d, %R", b->high[axis], -1, b->dropped);
        b->dropped = TILE_NO_REGISTER;
    }
}

static tile_register axis_mask(struct bounds *b, uint32_t axis, uint32_t own)
{
    struct tile_access *a = b->access;
    struct tile_emitter *e = a->e;

    for (uint32_t i = 0; i < b->count; i++)
        if (b->row[i].axis == axis && b->row[i].own == own)
            return b->row[i].p;
    tile_register c = tile_thread_coordinate(e, a->tile->layout, (uint32_t)a->tile_axis[axis]);
    if (own)
        c = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", c, own);
    tile_register p = tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, %R", c, b->high[axis]);
    if (b->low[axis]) {
        tile_register q = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.ge.and.s32 %R, %R, %R, %R", q, c, b->low[axis], p);
        p = q;
    }
    if (b->count < 128) {
        b->row[b->count].axis = axis;
        b->row[b->count].own = own;
        b->row[b->count++].p = p;
    }
    return p;
}

static tile_register edge_mask(struct bounds *b, uint32_t r)
{
    struct tile_access *a = b->access;
    tile_register p = b->dropped;

    for (uint32_t axis = a->rows; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        if (t < 0 || a->always[axis])
            continue;
        p = tile_both(
            a->e, p, axis_mask(b, axis, tile_register_coordinate(a->tile->layout, r, (uint32_t)t)));
    }
    return p;
}

// The register of ids that stands for the row of register r.
static tile_register row_id(struct tile_access *a, uint32_t r)
{
    uint32_t own = tile_register_coordinate(a->tile->layout, r, 0);
    const tile_register *ids = tile_registers(a->e, a->ids);

    for (uint32_t i = 0; i < tile_register_count(a->ids); i++)
        if (tile_register_coordinate(a->ids->layout, i, 0) == own)
            return ids[i];
    return ids[0];
}

// A row's mask, and the part of the address that it makes.
static tile_register open_row(struct tile_access *a, uint32_t r, tile_register *step)
{
    struct tile_emitter *e = a->e;
    tile_register id = tile_emit_cast(e, CUC_I64, a->ids->type.dtype, TILE_RN, row_id(a, r));
    tile_register size = tile_size_register(e, &a->view->extent[0]);
    tile_register stride = tile_size_register(e, &a->view->stride[0]);
    tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", id);
    tile_register q = tile_new(e, TILE_PRED);

    tile_ins(e, "setp.lt.and.s64 %R, %R, %R, %R", q, id, size, p);
    tile_register elements = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", id, stride);
    *step = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %u", elements, tile_access_bytes(a));
    return q;
}

static tile_register pad_of(const struct tile_access *a, uint32_t r)
{
    return a->pads ? a->pads[r] : a->pad;
}

static void pad(struct tile_access *a, uint32_t r, uint32_t count)
{
    bool words = a->word && count > 1;

    for (uint32_t i = r; i < r + count && !words; i++)
        tile_move(a->e, a->reg[i], pad_of(a, i));
    for (uint32_t i = r; i < r + count && words; i += 2)
        tile_ins(a->e, "mov.b32 %R, {%R, %R}", a->word[i / 2], pad_of(a, i), pad_of(a, i + 1));
}

// One element or vector, `predicate` of which is TILE_NO_REGISTER when it is always there.
static void move(struct tile_access *a, struct addresses *known, uint32_t r, uint32_t count,
                 tile_register predicate, tile_register step)
{
    const char *order = tile_order_words(a->op);
    int64_t offset;
    tile_register address = address_of(a, known, r, &offset);

    if (step)
        address = tile_make(a->e, TILE_R64, "add.s64 %R, %R, %R", address, step);
    if (a->op->kind == TILE_STORE_REDUCE)
        tile_emit_atomic(a->e, ".relaxed.gpu",
                         (enum tile_combine)tile_int(a->op, TILE_ATTR_WITH, TILE_WITH_SUM),
                         a->view->dtype, TILE_NO_REGISTER, address, offset, &a->reg[r], predicate);
    else if (a->stores)
        tile_emit_store(a->e, order, "global", a->view->dtype, a->reg + r, count, address, offset,
                        predicate);
    else if (a->word && count > 1)
        tile_emit_load(a->e, order, "global", CUC_U32, a->word + r / 2, count / 2, address, offset,
                       predicate);
    else
        tile_emit_load(a->e, order, "global", a->view->dtype, a->reg + r, count, address, offset,
                       predicate);
}

// What waits, of registers from `first` on.
static void ask(struct tile_access *a, uint32_t first, uint32_t end)
{
    uint32_t count = tile_register_count(a->tile);

    if (!tile_hurry(a->e, a->tile, first, end < count ? end : count))
        a->e->failed = true;
}

// Registers, `vector` at a time; `bounds`: NULL when all that is in the tile is in the tensor.
static void move_some(struct tile_access *a, uint32_t first, uint32_t end, uint32_t vector,
                      struct bounds *bounds)
{
    struct addresses known = { .count = 0 };

    for (uint32_t r = first; r < end && !a->e->failed; r += vector) {
        bool none;
        if (a->waiting && r % TILE_PART == 0)
            ask(a, r, r + (vector < TILE_PART ? TILE_PART : vector));
        if (a->stores && tile_repeats(a->tile->layout, r))
            continue;
        tile_register p = tile_inside_tile(a->e, a->tile, r, &none), step = TILE_NO_REGISTER;
        if (!none && bounds)
            p = tile_both(a->e, p, edge_mask(bounds, r));
        if (!none && a->rows)
            p = tile_both(a->e, p, open_row(a, r, &step));
        if (!a->stores && (none || p))
            pad(a, r, vector);
        if (!none)
            move(a, &known, r, vector, p, step);
    }
}

static void move_all(struct tile_access *a, uint32_t vector, struct bounds *bounds)
{
    move_some(a, 0, tile_register_count(a->tile), vector, bounds);
    if (a->waiting)
        tile_wait_again(a->e, a->waiting);
}

void tile_move_whole(struct tile_access *a)
{
    move_all(a, a->vector, NULL);
}

void tile_move_part(struct tile_access *a, uint32_t first, uint32_t end)
{
    move_some(a, first, end, a->vector, NULL);
}

// One by one; words are put together afterwards.
static void move_single(struct tile_access *a, const struct bounds *bounds)
{
    struct bounds own = *bounds; // predicates of the other branch are not made in this one
    uint32_t count = tile_register_count(a->tile);

    own.count = 0;
    move_all(a, 1, &own);
    for (uint32_t r = 0; a->word && r < count; r += 2)
        tile_ins(a->e, "mov.b32 %R, {%R, %R}", a->word[r / 2], a->reg[r], a->reg[r + 1]);
}

void tile_move_edge(struct tile_access *a)
{
    struct tile_emitter *e = a->e;
    struct bounds bounds = { .count = 0 };
    uint32_t last = a->axes - 1, single = tile_label(e), done = tile_label(e);

    open_bounds(&bounds, a);
    if (a->vector == 1) {
        move_single(a, &bounds);
        return;
    }
    // The tile begins with a vector: if one ends where the tensor does, none goes over the edge.
    bool ends = a->always[last] ||
                tile_is_multiple(tile_known_extent(e->facts, a->op->operand[0], last), a->vector);
    if (!ends) {
        tile_register rest = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", a->left[last]);
        rest = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", rest, a->vector - 1);
        tile_branch(e, tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", rest), false, single);
    }
    move_all(a, a->vector, &bounds);
    if (ends)
        return;
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, single);
    move_single(a, &bounds);
    tile_put_label(e, done);
}
