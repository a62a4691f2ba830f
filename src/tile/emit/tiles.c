// A role's loop over the grid's tiles, and the work between two tiles.
//
// Tiles are numbered so that concurrent tiles lie close together: a few along the grid's first
// axis, then the next index along the second axis.
#include "roles.h"

// Computes x / y for x below 2^31, and the remainder `*rest`. The host provides the reciprocal
// floor((2^32 - 1) / y), with which the quotient is too small by at most one. A division
// instruction takes a hundred clocks or more, and would delay the matrix products between two
// tiles.
static tile_register divide(struct tile_emitter *e, tile_register x, tile_register y,
                            tile_register inverse, tile_register *rest)
{
    tile_register q = tile_make(e, TILE_R32, "mul.hi.u32 %R, %R, %R", x, inverse);
    tile_register r = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", q, y);
    r = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", x, r);
    tile_register more = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %R", r, y);
    tile_register one = tile_make(e, TILE_R32, "selp.u32 %R, 1, 0, %R", more);
    tile_register less = tile_make(e, TILE_R32, "selp.u32 %R, %R, 0, %R", y, more);
    *rest = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", r, less);
    return tile_make(e, TILE_R32, "add.u32 %R, %R, %R", q, one);
}

// Divides by a constant with the same code, because ptxas does not divide by constants any faster.
static tile_register divide_by(struct tile_emitter *e, tile_register x, uint32_t y)
{
    tile_register rest;

    if (!(y & (y - 1)))
        return tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", x, (unsigned)__builtin_ctz(y));
    tile_register divisor = tile_make(e, TILE_R32, "mov.u32 %R, %u", y);
    tile_register inverse = tile_make(e, TILE_R32, "mov.u32 %R, %u", UINT32_MAX / y);
    return divide(e, x, divisor, inverse, &rest);
}

static void place_tile(struct tile_emitter *e, tile_register tile, const tile_register *out)
{
    struct tile_ring *r = e->ring;
    uint32_t raster = r->plan->raster, across = r->plan->across, along = r->plan->cluster / across;
    tile_register rest, own;

    if (across > 1) // clusters are numbered, and each one's blocks in turn
        tile = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", tile,
                         (unsigned)__builtin_ctz(r->plan->cluster));
    tile_register layer = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", r->width, r->height);
    tile_move(e, out[2], divide(e, tile, layer, r->inverse[0], &rest));
    // Divide `rest` by height * raster, with remainder.
    tile_register first = divide_by(e, divide(e, rest, r->height, r->inverse[1], &own), raster);
    first = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", first, raster);
    tile_register before = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", first, r->height);
    rest = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", rest, before);
    tile_register wide = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", r->width, first);
    tile_register last = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", wide, raster);
    wide = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", wide, raster);
    tile_register inverse =
        tile_make(e, TILE_R32, "selp.u32 %R, %R, %u, %R", r->inverse[2], UINT32_MAX / raster, last);
    tile_move(e, out[1], divide(e, rest, wide, inverse, &own));
    tile_ins(e, "add.u32 %R, %R, %R", out[0], own, first);
    for (uint32_t axis = 0; axis < 2 && across > 1; axis++)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", out[axis], out[axis], axis ? across : along,
                 r->rank_along[axis]);
}

// Returns the number of 32-bit registers of a value; two 16-bit elements share one.
static uint32_t words_of(const struct tile_value *x)
{
    uint32_t bits = cuc_dtype_bits(x->type.dtype);

    return tile_register_count(x) * (bits < 16 ? 16 : bits) / 32;
}

// True for a load after the loop that takes few registers and does not depend on the loop, such as
// a bias.
static bool is_early(const struct tile_emitter *e, const struct tile_op *op)
{
    // The limit includes accumulators; other work needs the remaining registers.
    enum { MOST_REGISTERS = 176 };
    const struct tile_pipeline *plan = e->ring->plan;
    const struct tile_op *loop = plan->loop;

    if (op->kind != TILE_LOAD || op == plan->side ||
        words_of(op->result[0]) + plan->blocks * plan->columns / 2 > MOST_REGISTERS ||
        tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        return false;
    for (const struct tile_op *late = loop; late; late = late->next)
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (op->operand[i]->op == late)
                return false;
    return true;
}

bool tile_is_loaded_early(const struct tile_emitter *e, const struct tile_op *op)
{
    return e->ring && e->ring->early && op->kind == TILE_LOAD && op->parent == &e->kernel->body &&
           e->ring->loaded_early[op->result[0]->id];
}

// Emits an early load on each path to the loop's end, always into the same registers.
static void load_early(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->result[0];
    const tile_register *before = e->ring->loaded_early[x->id] ? e->value[x->id] : NULL;

    e->ring->loaded_early[x->id] = false;
    e->value[x->id] = NULL;
    if (!tile_emit_one(e, op))
        e->failed = true;
    for (uint32_t i = 0; before && !e->failed && i < tile_register_count(x); i++)
        tile_move_half(e, before[i], e->value[x->id][i]);
    if (before)
        e->value[x->id] = (tile_register *)(uintptr_t)before;
    e->ring->loaded_early[x->id] = true;
}

// Emits loads for the epilogue while the last products of a tile are in flight.
void tile_load_early(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;

    if (!r->early)
        return;
    for (const struct tile_op *op = r->plan->loop->next; op; op = op->next) {
        if (tile_op_infos[op->kind].traits & TILE_WRITES || op->block_count)
            break;
        if (is_early(e, op))
            load_early(e, op);
    }
}

// Computes the next tile's position during the products instead of between tiles.
void tile_find_next(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;

    if (r->early)
        place_tile(e, tile_make(e, TILE_R32, "add.u32 %R, %R, %R", r->tile, r->step), r->next);
}

// Emits a role's loop over the tiles; `body` emits the work for one tile.
bool tile_for_each_tile(struct tile_emitter *e, bool (*body)(struct tile_emitter *e))
{
    struct tile_ring *r = e->ring;
    uint32_t start = tile_label(e), end = tile_label(e);
    tile_register over = tile_new(e, TILE_PRED);

    r->tile = tile_make(e, TILE_R32, "mov.u32 %R, %%ctaid.x");
    r->step = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");
    if (!r->copies && r->plan->teams > 1) {
        tile_ins(e, "mad.lo.u32 %R, %R, %R, %R", r->tile, r->group, r->step, r->tile);
        tile_ins(e, "mul.lo.u32 %R, %R, %u", r->step, r->step, (unsigned)r->plan->teams);
    }
    if (r->plan->split > 1) // the blocks of a split share one tile
        tile_ins(e, "div.u32 %R, %R, %u", r->tile, r->tile, (unsigned)r->plan->split);
    r->early = !r->copies && !r->plan->before && r->plan->split <= 1;
    r->loaded_early = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*r->loaded_early));
    if (!r->loaded_early)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        r->place[i] = tile_new(e, TILE_R32);
        r->next[i] = tile_number32(e, 0);
    }
    r->stage = tile_number32(e, 0);
    r->phase = tile_number32(e, 0);
    r->next_tile = tile_label(e);
    place_tile(e, r->tile, r->place);
    tile_await_start(e);
    tile_put_label(e, start);
    tile_ins(e, "setp.ge.u32 %R, %R, %R", over, r->tile, r->tiles);
    tile_branch(e, over, false, end);
    r->column = r->place[0];
    for (uint32_t i = 0; i < 3; i++)
        e->block[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", r->place[i]);
    if (!body(e))
        return false;
    tile_put_label(e, r->next_tile);
    if (!r->copies && r->plan->teams > 1 && !r->plan->before)
        tile_skip_other_team(e);
    tile_ins(e, "add.u32 %R, %R, %R", r->tile, r->tile, r->step);
    if (!r->early)
        place_tile(e, r->tile, r->place);
    for (uint32_t i = 0; i < 3 && r->early; i++)
        tile_move(e, r->place[i], r->next[i]);
    if (r->plan->split <= 1)
        tile_branch(e, TILE_NO_REGISTER, false, start);
    tile_put_label(e, end);
    return !e->failed;
}
