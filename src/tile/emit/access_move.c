// Moves registers from and to memory: in unmasked vectors if the tile lies inside the tensor,
// otherwise in masked vectors, or one element at a time if the edge splits a vector.
#include "access_move.h"

#include <string.h>

static tile_register step_of(struct tile_access_state *a, struct tile_addresses *known,
                             uint32_t axis, uint32_t elements)
{
    for (uint32_t i = 0; i < known->steps; i++)
        if (known->step[i].axis == axis && known->step[i].elements == elements)
            return known->step[i].reg;
    tile_register reg = tile_scale(a->e, tile_size_register(a->e, &a->view->stride[axis]),
                                   (int64_t)elements * tile_access_bytes(a));
    if (a->e->target->brief && known->steps < 16) {
        known->step[known->steps].axis = axis;
        known->step[known->steps].elements = elements;
        known->step[known->steps++].reg = reg;
    }
    return reg;
}

// If the entry's code must be short (`brief`), returns the nearest computed address whose
// coordinates do not exceed `own`: the one with the fewest differing axes, then with the smallest
// distance. Subtracts its coordinates from `own`. Otherwise, or if there is no such address,
// returns the address of the thread's first element.
static tile_register nearest(struct tile_access_state *a, const struct tile_addresses *known,
                             uint32_t *own)
{
    enum { AXIS = 1 << 20, BEHIND = 1 << 24 };
    uint32_t best = 0, least = BEHIND;

    for (uint32_t i = 0; a->e->target->brief && i < known->count; i++) {
        uint32_t far = 0;
        for (uint32_t axis = 0; axis < a->axes; axis++)
            if (known->own[i][axis] > own[axis])
                far += BEHIND;
            else if (known->own[i][axis] < own[axis])
                far += AXIS + own[axis] - known->own[i][axis];
        if (far < least) {
            best = i;
            least = far;
        }
    }
    if (least >= BEHIND)
        return a->thread;
    for (uint32_t axis = 0; axis < a->axes; axis++)
        own[axis] -= known->own[best][axis];
    return known->reg[best];
}

tile_register tile_address_of(struct tile_access_state *a, struct tile_addresses *known, uint32_t r,
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
        // An immediate offset has 24 bits.
        if (stride->reg || step > (1 << 22) || step < -(1 << 22))
            own[axis] = c;
        else
            *offset += step;
    }
    for (i = 0; i < known->count; i++)
        if (memcmp(known->own[i], own, sizeof(own)) == 0)
            return known->reg[i];
    uint32_t rest[TILE_MAX_RANK];
    memcpy(rest, own, sizeof(own));
    tile_register address = nearest(a, known, rest);
    for (uint32_t axis = 0; axis < a->axes; axis++)
        if (rest[axis])
            address = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", address,
                                step_of(a, known, axis, rest[axis]));
    if (known->count < 64) {
        memcpy(known->own[known->count], own, sizeof(own));
        known->reg[known->count++] = address;
    }
    return address;
}

tile_register tile_to_bound(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R",
                     tile_clamp64(e, x, -(INT64_C(1) << 30), INT64_C(1) << 30));
}

// Sets up the bounds. Folds the predicate for dropped axes into the bound of the tile's first axis,
// because an index out of range along a dropped axis leaves no element inside.
static void open_bounds(struct tile_bounds *b, struct tile_access_state *a)
{
    struct tile_emitter *e = a->e;

    b->access = a;
    b->dropped = a->dropped_inside;
    for (uint32_t axis = a->rows; axis < a->axes; axis++) {
        const struct tile_size *from = &a->from[axis];
        if (a->tile_axis[axis] < 0 || a->always[axis])
            continue;
        if (!a->forward[axis])
            b->low[axis] = tile_to_bound(
                e, tile_make(e, TILE_R64, "neg.s64 %R, %R", tile_size_register(e, from)));
        b->high[axis] = tile_to_bound(e, a->left[axis]);
        if (b->dropped)
            b->high[axis] =
                tile_make(e, TILE_R32, "selp.b32 %R, %R, %d, %R", b->high[axis], -1, b->dropped);
        b->dropped = TILE_NO_REGISTER;
    }
}

static tile_register axis_mask(struct tile_bounds *b, uint32_t axis, uint32_t own)
{
    struct tile_access_state *a = b->access;
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

tile_register tile_bounds_mask(struct tile_bounds *b, uint32_t r, uint32_t except)
{
    struct tile_access_state *a = b->access;
    tile_register p = b->dropped;

    for (uint32_t axis = a->rows; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        if (t < 0 || a->always[axis] || axis == except)
            continue;
        p = tile_both(
            a->e, p, axis_mask(b, axis, tile_register_coordinate(a->tile->layout, r, (uint32_t)t)));
    }
    return p;
}

// Returns the register that holds the index of register r's row.
static tile_register row_id(struct tile_access_state *a, uint32_t r)
{
    uint32_t own = tile_register_coordinate(a->tile->layout, r, 0);
    const tile_register *ids = tile_registers(a->e, a->ids);

    for (uint32_t i = 0; i < tile_register_count(a->ids); i++)
        if (tile_register_coordinate(a->ids->layout, i, 0) == own)
            return ids[i];
    return ids[0];
}

// Computes the mask of a row and its contribution to the address.
static tile_register open_row(struct tile_access_state *a, uint32_t r, tile_register *step)
{
    struct tile_emitter *e = a->e;
    tile_register id = tile_emit_cast(e, CUC_I64, a->ids->type.dtype, TILE_RN, row_id(a, r));
    tile_register size = tile_size_register(e, &a->view->extent[0]);
    tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", id);
    tile_register q = tile_new(e, TILE_PRED);

    tile_ins(e, "setp.lt.and.s64 %R, %R, %R, %R", q, id, size, p);
    *step = tile_distance(e, id, &a->view->stride[0], tile_access_bytes(a));
    return q;
}

tile_register tile_pad_of(const struct tile_access_state *a, uint32_t r)
{
    return a->pads ? a->pads[r] : a->pad;
}

static void pad(struct tile_access_state *a, uint32_t r, uint32_t count)
{
    bool words = a->word && count > 1;

    for (uint32_t i = r; i < r + count && !words; i++)
        tile_move(a->e, a->reg[i], tile_pad_of(a, i));
    for (uint32_t i = r; i < r + count && words; i += 2)
        tile_ins(a->e, "mov.b32 %R, {%R, %R}", a->word[i / 2], tile_pad_of(a, i),
                 tile_pad_of(a, i + 1));
}

// Moves one element or vector. `predicate` is TILE_NO_REGISTER if the elements always lie inside.
static void move(struct tile_access_state *a, struct tile_addresses *known, uint32_t r,
                 uint32_t count, tile_register predicate, tile_register step)
{
    const char *order = tile_order_words(a->op);
    int64_t offset;
    tile_register address = tile_address_of(a, known, r, &offset);

    if (step)
        address = tile_make(a->e, TILE_R64, "add.s64 %R, %R, %R", address, step);
    if (a->op->kind == TILE_STORE_REDUCE)
        tile_emit_atomics(a->e, ".relaxed.gpu",
                          (enum tile_combine)tile_int(a->op, TILE_ATTR_WITH, TILE_WITH_SUM),
                          a->view->dtype, address, offset, &a->reg[r], count, predicate);
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

void tile_compute_deferred(struct tile_access_state *a, uint32_t first, uint32_t end)
{
    uint32_t count = tile_register_count(a->tile);

    if (!tile_compute_registers(a->e, a->tile, first, end < count ? end : count))
        a->e->failed = true;
}

// Moves registers, `vector` at a time. `bounds` is NULL if the whole tile lies inside the tensor.
static void move_some(struct tile_access_state *a, uint32_t first, uint32_t end, uint32_t vector,
                      struct tile_bounds *bounds)
{
    struct tile_addresses known = { .count = 0 };

    for (uint32_t r = first; r < end && !a->e->failed; r += vector) {
        bool none;
        if (a->deferred && r % TILE_PART == 0)
            tile_compute_deferred(a, r, r + (vector < TILE_PART ? TILE_PART : vector));
        if (a->stores && tile_repeats(a->tile->layout, r))
            continue;
        tile_register p = tile_inside_tile(a->e, a->tile, r, &none), step = TILE_NO_REGISTER;
        if (!none && bounds)
            p = tile_both(a->e, p, tile_bounds_mask(bounds, r, TILE_MAX_RANK));
        if (!none && a->rows)
            p = tile_both(a->e, p, open_row(a, r, &step));
        if (!a->stores && (none || p))
            pad(a, r, vector);
        if (!none)
            move(a, &known, r, vector, p, step);
    }
}

// Moves vectors. Uses the aligned view of the tensor if there is one.
static void move_vectors(struct tile_access_state *a, uint32_t first, uint32_t end,
                         struct tile_bounds *bounds)
{
    const struct tile_emit_view *view = a->view;

    if (a->aligned)
        a->view = &a->unit;
    move_some(a, first, end, a->vector, bounds);
    a->view = view;
}

static void move_all(struct tile_access_state *a, bool vectors, struct tile_bounds *bounds)
{
    uint32_t count = tile_register_count(a->tile);

    if (vectors)
        move_vectors(a, 0, count, bounds);
    else
        move_some(a, 0, count, 1, bounds);
    if (a->deferred)
        tile_restore_deferred(a->e, a->deferred);
}

void tile_move_whole(struct tile_access_state *a)
{
    move_all(a, true, NULL);
}

void tile_move_part(struct tile_access_state *a, uint32_t first, uint32_t end)
{
    struct tile_emitter *e = a->e;
    uint32_t single = tile_label(e), done = tile_label(e);

    if (!a->aligned) {
        move_some(a, first, end, a->vector, NULL);
        return;
    }
    tile_branch(e, a->aligned, true, single);
    move_vectors(a, first, end, NULL);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, single);
    move_some(a, first, end, 1, NULL);
    tile_put_label(e, done);
}

// Returns the distance along an axis between the coordinates of vector 0 and vector `number`.
static tile_register rolled_coordinate(struct tile_access_state *a, tile_register number,
                                       uint32_t vector, uint32_t axis)
{
    struct tile_emitter *e = a->e;
    uint32_t vectors = tile_register_count(a->tile) / vector;
    tile_register sum = TILE_NO_REGISTER;

    for (uint32_t bit = 1; bit < vectors; bit *= 2) {
        uint32_t own = tile_register_coordinate(a->tile->layout, bit * vector, axis), run = bit;
        if (!own)
            continue;
        while (2 * bit < vectors && tile_register_coordinate(a->tile->layout, 2 * bit * vector,
                                                             axis) == own * (2 * bit / run))
            bit *= 2;
        tile_register part = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", number, 2 * bit - run);
        part = own >= run ? tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", part, own / run)
                          : tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", part,
                                      (unsigned)__builtin_ctz(run / own));
        sum = sum ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", sum, part) : part;
    }
    return sum;
}

enum { ROLLED_BYTES = 16, LEAST_ROLLED = 32, OF_A_THREAD = 128 };

// True if an entry with short code (`brief`) should store the registers in a loop, through the
// scratch. It should if other ops already need as much scratch, or if the store needs at most
// OF_A_THREAD bytes per thread: so few bytes hardly lower the occupancy, which the many registers
// limit. All branches to this code are uniform.
static bool rolls(const struct tile_access_state *a)
{
    const struct tile_emitter *e = a->e;
    uint32_t count = tile_register_count(a->tile), bytes = tile_access_bytes(a);
    uint32_t all = 32 * e->warps * count * bytes;

    if (!e->target->brief || a->op->kind != TILE_STORE || a->deferred || e->single_warp ||
        count < LEAST_ROLLED || (bytes != 2 && bytes != 4) || tile_copies(a->tile->layout) ||
        all > e->target->shared_limit)
        return false;
    if (all > e->shared_bytes && all > e->prefetch_bytes && count * bytes > OF_A_THREAD)
        return false;
    for (uint32_t axis = 0; axis < a->tile->type.rank; axis++)
        if (a->tile->type.extent[axis] & (a->tile->type.extent[axis] - 1))
            return false;
    for (uint32_t r = 0; r < count; r++)
        if (tile_repeats(a->tile->layout, r))
            return false;
    return true;
}

// Makes each thread write its vectors to the scratch, then store them from there in a loop.
static void move_rolled(struct tile_access_state *a, const struct tile_bounds *bounds)
{
    struct tile_emitter *e = a->e;
    uint32_t vector = ROLLED_BYTES / tile_access_bytes(a), threads = 32 * e->warps;
    uint32_t count = tile_register_count(a->tile), top = tile_label(e);
    tile_register reg[ROLLED_BYTES / 2];
    tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid,
                                 (unsigned)ROLLED_BYTES,
                                 tile_scratch(e, threads * count * tile_access_bytes(a)));
    struct tile_access_state one = *a;
    struct tile_bounds own = *bounds;

    for (uint32_t r = 0; r < count; r += vector)
        tile_emit_store(e, "", "shared", a->view->dtype, a->reg + r, vector, at,
                        r / vector * threads * ROLLED_BYTES, TILE_NO_REGISTER);
    tile_register number = tile_number32(e, 0), more = tile_new(e, TILE_PRED);
    tile_put_label(e, top);
    tile_put_string(e->text, "\t.pragma \"nounroll\";\n");
    for (uint32_t i = 0; i < vector; i++)
        reg[i] = tile_new(e, tile_class_of(a->view->dtype));
    tile_emit_load(e, "", "shared", a->view->dtype, reg, vector, at, 0, TILE_NO_REGISTER);
    one.reg = reg;
    own.access = &one;
    own.count = 0;
    for (uint32_t axis = 0; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        tile_register c = t < 0 ? TILE_NO_REGISTER
                                : rolled_coordinate(a, number, vector, (uint32_t)t);
        if (!c)
            continue;
        tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c);
        one.thread =
            tile_move_along(e, one.thread, wide, &a->view->stride[axis], tile_access_bytes(a));
        if (own.high[axis])
            own.high[axis] = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", own.high[axis], c);
        if (own.low[axis])
            own.low[axis] = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", own.low[axis], c);
    }
    move_some(&one, 0, vector, 1, &own);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, threads * ROLLED_BYTES);
    tile_ins(e, "add.u32 %R, %R, 1", number, number);
    tile_ins(e, "setp.lt.u32 %R, %R, %u", more, number, count / vector);
    tile_branch(e, more, false, top);
}

// Moves elements one at a time. If the access is a load that uses words, then assembles the words
// from the elements.
static void move_single(struct tile_access_state *a, const struct tile_bounds *bounds)
{
    struct tile_bounds own = *bounds; // predicates set in the other branch are not valid here
    uint32_t count = tile_register_count(a->tile);

    if (rolls(a)) {
        move_rolled(a, bounds);
        return;
    }
    own.count = 0;
    if (tile_can_shift(a)) {
        tile_move_shifted(a, &own);
        return;
    }
    move_all(a, false, &own);
    for (uint32_t r = 0; a->word && r < count; r += 2)
        tile_ins(a->e, "mov.b32 %R, {%R, %R}", a->word[r / 2], a->reg[r], a->reg[r + 1]);
}

void tile_move_edge(struct tile_access_state *a, tile_register whole)
{
    struct tile_emitter *e = a->e;
    struct tile_bounds bounds = { .count = 0 };
    uint32_t last = a->axes - 1, single = tile_label(e), done = tile_label(e);

    open_bounds(&bounds, a);
    if (a->vector == 1) {
        move_single(a, &bounds);
        return;
    }
    // The tile begins at a vector boundary. If the tensor also ends at a vector boundary, no vector
    // crosses the edge.
    bool ends =
        a->always[last] ||
        tile_is_multiple(tile_range_of_extent(e->ranges, a->op->operand[0], last), a->vector);
    tile_register over = TILE_NO_REGISTER; // predicate: a vector crosses the edge
    if (!ends) {
        tile_register rest = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", a->left[last]);
        rest = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", rest, a->vector - 1);
        over = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", rest);
        if (whole)
            tile_ins(e, "and.pred %R, %R, %R", over, over,
                     tile_make(e, TILE_PRED, "not.pred %R, %R", whole));
    }
    if (a->aligned) {
        tile_register misaligned = tile_make(e, TILE_PRED, "not.pred %R, %R", a->aligned);
        over = over ? tile_make(e, TILE_PRED, "or.pred %R, %R, %R", over, misaligned) : misaligned;
    }
    if (over)
        tile_branch(e, over, false, single);
    move_all(a, true, &bounds);
    if (!over)
        return;
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, single);
    move_single(a, &bounds);
    tile_put_label(e, done);
}
