// Small tiles that warpgroups load ahead of their iteration, such as the scales of a block.
//
// Such a load takes longer than an iteration's matrix products, so each iteration loads the tiles
// for the iteration after next. Near the loop's end, it loads tiles that nobody uses. The loop's
// code contains three copies of an iteration, among which three sets of registers rotate. The part
// of an address that does not move with the iteration is computed before the loop.
#include "access.h"
#include "fused_ring.h"

// Larger indices lie outside every tensor.
#define MOST_INDEX (INT64_C(1) << 38)

struct tile_ahead_load {
    const struct tile_op *op;
    uint32_t count; // number of registers of the tile
    // If the loop variable itself indexes the moving axes, each load advances its addresses and
    // first elements for the next load. Otherwise each load computes its addresses.
    bool advances;
    tile_register *address; // by register; excludes the moving axes unless the address advances
    tile_register first[TILE_MAX_RANK];    // if advancing: the first element along each moving axis
    tile_register way;                     // if advancing: bytes per iteration
    tile_register distance[TILE_MAX_RANK]; // if advancing: elements per iteration along each moving
                                           // axis
    tile_register *inside;                 // by register: predicate for the axes that do not move;
                                           // TILE_NO_REGISTER: always inside
    tile_register pad; // padding value; TILE_NO_REGISTER if the iteration computes it
    // Registers of this iteration's tile and of the next ones.
    tile_register *set[TILE_AHEAD + 1];
};

static bool is_moving(const struct tile_op *loop, const struct tile_value *index)
{
    return index == loop->block[0]->argument[0] ||
           (index->op && tile_is_within(index->op, loop->block[0]));
}

static bool is_dropped(const struct tile_op *op, uint32_t axis)
{
    return tile_int(op, TILE_ATTR_DROPPED, 0) >> axis & 1;
}

// Returns the tile's axis for an axis of its tensor.
uint32_t tile_axis_of(const struct tile_op *op, uint32_t axis)
{
    uint32_t own = 0;

    for (uint32_t i = 0; i < axis; i++)
        own += !is_dropped(op, i);
    return own;
}

// Returns the index of the tile's first element along an axis.
tile_register tile_first_element(struct tile_emitter *e, const struct tile_op *op, uint32_t axis)
{
    const struct tile_value *index = op->operand[1 + axis];
    struct tile_range range = tile_range_of(e->ranges, index);
    int64_t scale = op->kind == TILE_LOAD ? tile_attribute(op, TILE_ATTR_SHAPE)->ints[axis] : 1;
    tile_register x =
        tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, tile_registers(e, index)[0]);

    if (range.low < -MOST_INDEX || range.high > MOST_INDEX || range.low > range.high)
        x = tile_clamp64(e, x, -MOST_INDEX, MOST_INDEX);
    return tile_scale(e, x, scale);
}

// Converts a distance of `at` elements along an axis to bytes.
tile_register tile_axis_distance(struct tile_emitter *e, const struct tile_op *op, uint32_t axis,
                                 tile_register at)
{
    const struct tile_emit_view *view = &e->view[op->operand[0]->id];

    return tile_distance(e, at, &view->stride[axis], tile_bytes_of(view->dtype));
}

// Returns a predicate: `at` is an index within the tensor's extent.
tile_register tile_is_on_axis(struct tile_emitter *e, const struct tile_op *op, uint32_t axis,
                              tile_register at)
{
    const struct tile_size *extent = &e->view[op->operand[0]->id].extent[axis];

    return tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %R", at, tile_size_register(e, extent));
}

// Returns an element's coordinate within the tile along an axis, or TILE_NO_REGISTER for 0.
static tile_register within_tile(struct tile_emitter *e, const struct tile_op *op, uint32_t axis,
                                 uint32_t r)
{
    const struct tile_layout *layout = op->result[0]->layout;

    if (is_dropped(op, axis) || tile_attribute(op, TILE_ATTR_SHAPE)->ints[axis] == 1)
        return TILE_NO_REGISTER;
    uint32_t own = tile_register_coordinate(layout, r, tile_axis_of(op, axis));
    tile_register c = tile_thread_coordinate(e, layout, tile_axis_of(op, axis));
    c = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c);
    return own ? tile_make(e, TILE_R64, "add.s64 %R, %R, %u", c, own) : c;
}

static tile_register plus(struct tile_emitter *e, tile_register x, tile_register y)
{
    return !y ? x : !x ? y : tile_make(e, TILE_R64, "add.s64 %R, %R, %R", x, y);
}

// True if an index is the loop variable, or an integer cast of it that preserves its values, and if
// tile_first_element() clamps none of these values.
static bool is_variable(const struct tile_emitter *e, const struct tile_op *loop,
                        const struct tile_value *index)
{
    while (index->op && index->op->kind == TILE_CAST &&
           tile_is_integer(index->op->operand[0]->type.dtype)) {
        struct tile_range all = tile_range_any(index->type.dtype);
        index = index->op->operand[0];
        struct tile_range range = tile_range_of(e->ranges, index);
        if (range.low < all.low || range.high > all.high)
            return false;
    }
    struct tile_range range = tile_range_of(e->ranges, index);
    return index == loop->block[0]->argument[0] && range.low >= -MOST_INDEX &&
           range.high <= MOST_INDEX;
}

// If a load's addresses can advance, sets them up for the variable's first value.
static void open_advancing(struct tile_emitter *e, const struct tile_op *loop, tile_register step,
                           struct tile_ahead_load *a)
{
    const struct tile_attribute *shape = tile_attribute(a->op, TILE_ATTR_SHAPE);
    tile_register moved = TILE_NO_REGISTER;

    for (uint32_t axis = 0; axis < shape->count; axis++)
        if (is_moving(loop, a->op->operand[1 + axis]) &&
            !is_variable(e, loop, a->op->operand[1 + axis]))
            return;
    if (!a->pad)
        return;
    a->advances = true;
    step = tile_emit_cast(e, CUC_I64, loop->operand[2]->type.dtype, TILE_RN, step);
    for (uint32_t axis = 0; axis < shape->count; axis++) {
        if (!is_moving(loop, a->op->operand[1 + axis]))
            continue;
        int64_t scale = a->op->kind == TILE_LOAD ? shape->ints[axis] : 1;
        a->first[axis] = tile_new(e, TILE_R64);
        tile_move(e, a->first[axis], tile_first_element(e, a->op, axis));
        moved = plus(e, moved, tile_axis_distance(e, a->op, axis, a->first[axis]));
        a->distance[axis] = tile_scale(e, step, scale);
        a->way = plus(e, a->way, tile_axis_distance(e, a->op, axis, a->distance[axis]));
    }
    for (uint32_t r = 0; r < a->count; r++) {
        tile_register own = tile_new(e, TILE_R64);
        tile_move(e, own, plus(e, a->address[r], moved));
        a->address[r] = own;
    }
}

static void open_register(struct tile_emitter *e, const struct tile_op *loop,
                          struct tile_ahead_load *a, uint32_t r, tile_register base,
                          const tile_register *first)
{
    bool none;
    uint32_t axes = tile_attribute(a->op, TILE_ATTR_SHAPE)->count;

    a->address[r] = base;
    a->inside[r] = tile_inside_tile(e, a->op->result[0], r, &none);
    for (uint32_t axis = 0; axis < axes; axis++) {
        tile_register own = within_tile(e, a->op, axis, r);
        tile_register at = plus(e, own, first[axis]);
        if (at)
            a->address[r] = plus(e, a->address[r], tile_axis_distance(e, a->op, axis, at));
        if (!is_moving(loop, a->op->operand[1 + axis]))
            a->inside[r] = tile_both(e, a->inside[r], tile_is_on_axis(e, a->op, axis, at));
    }
}

// Sets up a load's padding value. If the value is a constant in the loop's body, emits the constant
// here, because the body comes later.
static void open_pad(struct tile_emitter *e, const struct tile_op *loop, struct tile_ahead_load *a)
{
    const struct tile_value *pad = a->op->operand[a->op->operand_count - 1];

    if (!tile_int(a->op, TILE_ATTR_PADDED, 0)) {
        a->pad = tile_constant_register(e, a->op->result[0]->type.dtype, 0);
    } else if (!is_moving(loop, pad)) {
        a->pad = tile_registers(e, pad)[0];
    } else if (pad->op && pad->op->kind == TILE_CONSTANT) {
        tile_register *kept = e->value[pad->id];
        e->value[pad->id] = NULL;
        if (tile_emit_one(e, pad->op))
            a->pad = tile_registers(e, pad)[0];
        e->value[pad->id] = kept;
    }
}

static bool open_load(struct tile_emitter *e, const struct tile_op *loop, tile_register step,
                      const struct tile_op *op, struct tile_ahead_load *a)
{
    uint32_t axes = tile_attribute(op, TILE_ATTR_SHAPE)->count;
    tile_register first[TILE_MAX_RANK] = { TILE_NO_REGISTER };
    tile_register base = e->view[op->operand[0]->id].base;
    size_t bytes;

    *a = (struct tile_ahead_load){ .op = op, .count = tile_register_count(op->result[0]) };
    bytes = a->count * sizeof(tile_register);
    a->address = tile_take(e->module, bytes);
    a->inside = tile_take(e->module, bytes);
    if (!a->address || !a->inside)
        return false;
    for (uint32_t i = TILE_AHEAD + 1; i-- > 0;) {
        e->value[op->result[0]->id] = NULL;
        a->set[i] = tile_registers(e, op->result[0]);
        if (!a->set[i])
            return false;
    }
    open_pad(e, loop, a);
    for (uint32_t axis = 0; axis < axes; axis++)
        if (!is_moving(loop, op->operand[1 + axis]))
            first[axis] = tile_first_element(e, op, axis);
    base = plus(e, base, tile_fused_ring_of(e)->lane_zero);
    for (uint32_t r = 0; r < a->count; r++)
        open_register(e, loop, a, r, base, first);
    open_advancing(e, loop, step, a);
    return !e->failed;
}

static void emit_load(struct tile_emitter *e, const struct tile_op *loop,
                      const struct tile_ahead_load *a, const tile_register *to)
{
    uint32_t axes = tile_attribute(a->op, TILE_ATTR_SHAPE)->count;
    tile_register moved = TILE_NO_REGISTER, all = TILE_NO_REGISTER;
    tile_register first[TILE_MAX_RANK] = { TILE_NO_REGISTER };
    tile_register pad = a->pad;

    if (!pad)
        pad = tile_registers(e, a->op->operand[a->op->operand_count - 1])[0];
    for (uint32_t axis = 0; axis < axes; axis++) {
        if (!is_moving(loop, a->op->operand[1 + axis]))
            continue;
        first[axis] = a->advances ? a->first[axis] : tile_first_element(e, a->op, axis);
        if (!a->advances)
            moved = plus(e, moved, tile_axis_distance(e, a->op, axis, first[axis]));
        if (!within_tile(e, a->op, axis, 0))
            all = tile_both(e, all, tile_is_on_axis(e, a->op, axis, first[axis]));
    }
    for (uint32_t r = 0; r < a->count; r++) {
        tile_register inside = a->inside[r];
        for (uint32_t axis = 0; axis < axes; axis++) {
            tile_register own = first[axis] ? within_tile(e, a->op, axis, r) : TILE_NO_REGISTER;
            if (own)
                inside = tile_both(e, inside,
                                   tile_is_on_axis(e, a->op, axis, plus(e, own, first[axis])));
        }
        inside = tile_both(e, inside, all);
        tile_move(e, to[r], pad);
        tile_emit_load(e, "", "global", a->op->result[0]->type.dtype, to + r, 1,
                       plus(e, a->address[r], moved), 0, inside);
    }
    for (uint32_t r = 0; r < a->count && a->way; r++)
        tile_ins(e, "add.s64 %R, %R, %R", a->address[r], a->address[r], a->way);
    for (uint32_t axis = 0; axis < axes && a->advances; axis++)
        if (a->first[axis])
            tile_ins(e, "add.s64 %R, %R, %R", a->first[axis], a->first[axis], a->distance[axis]);
}

// True for a scalar that is recomputed for the loads of a later iteration.
static bool is_recomputed(const struct tile_fused *p, const struct tile_op *op)
{
    return tile_is_recomputable(op) && tile_depends_on_variable(p, op->result[0]);
}

bool tile_needs_variable(const struct tile_ahead *ahead)
{
    bool needs = false;

    for (uint32_t i = 0; i < ahead->count; i++)
        needs |= !ahead->load[i].advances;
    return needs;
}

// Emits the scalars that the loads depend on, with `at` as the loop variable, then the loads into a
// set of registers. The current iteration's scalars keep their registers.
static bool emit_loads(struct tile_emitter *e, const struct tile_op *loop, struct tile_ahead *ahead,
                       tile_register at, uint32_t set)
{
    const struct tile_block *body = loop->block[0];
    struct tile_fused *p = tile_fused_ring_of(e)->plan;
    tile_register **variable = &e->value[body->argument[0]->id], *before = *variable;
    tile_register **kept = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*kept));

    *variable = tile_take(e->module, sizeof(**variable));
    if (!*variable || !kept)
        return false;
    **variable = at;
    bool computes = tile_needs_variable(ahead);
    for (const struct tile_op *op = body->first; computes && op != body->last; op = op->next)
        if (is_recomputed(p, op)) {
            kept[op->result[0]->id] = e->value[op->result[0]->id];
            e->value[op->result[0]->id] = NULL;
            if (!tile_emit_one(e, op))
                return false;
        }
    for (uint32_t i = 0; i < ahead->count; i++)
        emit_load(e, loop, &ahead->load[i], ahead->load[i].set[set]);
    for (const struct tile_op *op = body->first; computes && op != body->last; op = op->next)
        if (is_recomputed(p, op))
            e->value[op->result[0]->id] = kept[op->result[0]->id];
    *variable = before;
    return !e->failed;
}

bool tile_open_ahead(struct tile_emitter *e, const struct tile_op *loop, tile_register step,
                     struct tile_ahead *ahead)
{
    const struct tile_block *body = loop->block[0];
    struct tile_fused *p = tile_fused_ring_of(e)->plan;

    *ahead = (struct tile_ahead){ 0 };
    for (const struct tile_op *op = body->first; op != body->last; op = op->next)
        ahead->count += tile_is_loaded_ahead(p, op);
    ahead->load = tile_take(e->module, (ahead->count + 1) * sizeof(*ahead->load));
    ahead->count = 0;
    if (!ahead->load)
        return false;
    for (const struct tile_op *op = body->first; op != body->last; op = op->next)
        if (tile_is_loaded_ahead(p, op) &&
            !open_load(e, loop, step, op, &ahead->load[ahead->count++]))
            return false;
    return true;
}

bool tile_load_ahead(struct tile_emitter *e, const struct tile_op *loop, tile_register at,
                     uint32_t iterations, struct tile_ahead *ahead)
{
    return emit_loads(e, loop, ahead, at, iterations);
}

// Rotates the register sets at compile time. ptxas would hoist a move instruction above the
// products and wait there for the load.
void tile_swap_ahead(struct tile_emitter *e, struct tile_ahead *ahead)
{
    for (uint32_t i = 0; i < ahead->count; i++) {
        struct tile_ahead_load *a = &ahead->load[i];
        tile_register *now = a->set[0];
        for (uint32_t n = 0; n < TILE_AHEAD; n++)
            a->set[n] = a->set[n + 1];
        a->set[TILE_AHEAD] = now;
        e->value[a->op->result[0]->id] = a->set[0];
    }
}
