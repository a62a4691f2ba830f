// Accesses of whole tiles: load, load_at, load_rows, store, store_at, store_rows, store_reduce.
//
// The code computes the tile's origin once, uniformly over the block. Nearly all tiles lie entirely
// inside the tensor and move in the widest vectors, without masks. A tile that crosses an edge
// moves in masked vectors, or element by element if the edge may split a vector.
#include "access.h"

#include "tile/pass/access_width.h"
#include "tile/pass/remark.h"
#include "ring.h"

#include <string.h>

tile_register tile_clamp64(struct tile_emitter *e, tile_register x, int64_t low, int64_t high)
{
    tile_register up = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, low);

    return tile_make(e, TILE_R64, "min.s64 %R, %R, %l", up, high);
}

// True if every value in `range` times the tile's extent `scale` is at most 2^61 in magnitude, so
// that sums of two such products fit in 64 bits.
static bool is_small(struct tile_range range, int64_t scale)
{
    const int64_t most = INT64_C(1) << 61;

    return range.low >= -(most / scale) && range.high <= most / scale;
}

// Returns an axis' index in elements, as 64 bits. Also records known facts about the tile's
// position along the axis.
static struct tile_size element_index(struct tile_access_state *a, uint32_t axis,
                                      const struct tile_value *index, int64_t scale)
{
    struct tile_emitter *e = a->e;
    struct tile_range range = tile_range_of(e->ranges, index);
    struct tile_range dim = tile_range_of_extent(e->ranges, a->op->operand[0], axis);
    // The index may exceed an i64.
    bool open = index->type.dtype == CUC_U64 && range.low < 0;

    a->forward[axis] = !open && range.low >= 0;
    a->always[axis] = a->forward[axis] && dim.low >= a->extent[axis] &&
                      range.high <= (dim.low - a->extent[axis]) / scale;
    // The grid's size proves nothing in a warp-specialized entry, which may launch more blocks.
    a->always[axis] |= !e->ring && tile_grid_keeps_inside(e->ranges, index, scale, a->extent[axis],
                                                          a->op->operand[0], axis);

    // `inside` holds only for the kernel's own blocks, not for blocks that pad a cluster.
    if (tile_int(a->op, TILE_ATTR_INSIDE, 0) && (!e->ring || e->ring->plan->cluster == 1))
        a->always[axis] = a->forward[axis] = true;

    if (index->op && index->op->kind == TILE_CONSTANT) {
        int64_t at, i = tile_int(index->op, TILE_ATTR_VALUE, 0);
        if (__builtin_mul_overflow(i, scale, &at))
            at = INT64_MIN / 2;
        a->forward[axis] = at >= 0; // test the scaled value, because the product may overflow
        return (struct tile_size){ TILE_NO_REGISTER, at };
    }
    tile_register x =
        tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, tile_registers(e, index)[0]);
    if (open || (scale != 1 && !is_small(range, scale)))
        x = tile_clamp64(e, x, -(INT64_C(1) << 38), INT64_C(1) << 38);
    return (struct tile_size){ tile_scale(e, x, scale), 0 };
}

// Emits an axis' contribution to the tile's address and bounds.
static void open_axis(struct tile_access_state *a, uint32_t axis, struct tile_size at)
{
    struct tile_emitter *e = a->e;
    const struct tile_size *dim = &a->view->extent[axis];

    a->from[axis] = at;
    if (at.reg || at.value)
        a->origin = tile_move_along(e, a->origin, tile_size_register(e, &at),
                                    &a->view->stride[axis], tile_access_bytes(a));
    if (a->always[axis])
        return;
    tile_register size = tile_size_register(e, dim), p = TILE_NO_REGISTER;
    bool forward = a->forward[axis];
    if (a->tile_axis[axis] < 0) {
        tile_register from = tile_size_register(e, &at);
        if (!forward)
            p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", from);
        tile_register q = tile_make(e, TILE_PRED, "setp.lt.s64 %R, %R, %R", from, size);
        a->dropped_inside = tile_both(e, a->dropped_inside, tile_both(e, p, q));
        return;
    }
    a->left[axis] = size;
    if (at.reg || at.value) {
        tile_register from = tile_size_register(e, &at);
        if (!forward)
            p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", from);
        a->left[axis] = tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", size, from);
    }
    tile_register q =
        tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, %l", a->left[axis], a->extent[axis]);
    a->whole = tile_both(e, a->whole, tile_both(e, p, q));
}

// Computes the thread's contribution to the address: its coordinates times the strides.
static void open_thread(struct tile_access_state *a)
{
    struct tile_emitter *e = a->e;
    uint32_t bytes = tile_access_bytes(a);

    a->thread = a->origin;
    for (uint32_t axis = 0; axis < a->axes; axis++) {
        int t = a->tile_axis[axis];
        const struct tile_size *stride = &a->view->stride[axis];
        if (t < 0 || !a->tile->layout->axis_bits[t] || (a->rows && axis == 0))
            continue;
        tile_register c = tile_thread_coordinate(e, a->tile->layout, (uint32_t)t);
        tile_register step;
        if (!stride->reg && stride->value * bytes == (int32_t)(stride->value * bytes))
            step =
                tile_make(e, TILE_R64, "mul.wide.s32 %R, %R, %d", c, (int)(stride->value * bytes));
        else
            step = tile_distance(e, tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c), stride, bytes);
        a->thread = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", a->thread, step);
    }
}

// True if the index is a multiple of `count` plus or minus a constant that is not such a multiple.
static bool is_offset(const struct tile_emitter *e, const struct tile_value *index, uint64_t count)
{
    const struct tile_op *op = index->op;

    for (uint32_t i = 0; op && (op->kind == TILE_ADD || op->kind == TILE_SUB) && i < 2; i++) {
        struct tile_range by = tile_range_of(e->ranges, op->operand[i]);
        if (by.low == by.high && !tile_is_multiple(by, count) &&
            tile_is_multiple(tile_range_of(e->ranges, op->operand[!i]), count))
            return true;
    }
    return false;
}

// Returns how many of a thread's consecutive elements are contiguous and aligned in memory if the
// tensor is as `view` describes it. Sets a->why if a change of the source would raise this number.
static uint32_t vector_of(struct tile_access_state *a, const struct tile_emit_view *view,
                          const struct tile_value *last_index, int64_t scale)
{
    const struct tile_layout *layout = a->tile->layout;
    uint32_t last = a->axes - 1, bytes = tile_access_bytes(a), vector = 1, most = TILE_VECTOR_BYTES;

    if (a->op->kind == TILE_STORE_REDUCE)
        most = tile_atomic_bytes(
            a->e, (enum tile_combine)tile_int(a->op, TILE_ATTR_WITH, TILE_WITH_SUM), view->dtype);
    if (!a->axes || view->stride[last].reg || view->stride[last].value != 1)
        return 1;
    a->why = a->tile_axis[last] < 0 || (a->rows && last == 0)
                 ? "the tile has one element along the tensor's last axis"
             : tile_int(a->op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK
                 ? "ordered accesses move single elements"
                 : NULL;
    if (a->why)
        return 1;
    uint64_t aligned = tile_index_alignment(a->e->ranges, last_index, scale, bytes);
    uint32_t shift = tile_axis_shift(layout, (uint32_t)a->tile_axis[last]);
    for (uint32_t bit = 0; 2 * vector * bytes <= most; bit++) {
        uint32_t next = 2 * vector * bytes;
        a->why = a->extent[last] % (2 * vector) ? "the tile's last extent is not a multiple of more"
                 : aligned % next && is_offset(a->e, last_index, next / ((uint64_t)scale * bytes))
                     ? "the constant that is added to its last index makes it unaligned"
                 : aligned % next
                     ? "its last index is not known to be a multiple of more: assume() that"
                 : bit >= layout->register_bits || bit >= layout->axis_bits[a->tile_axis[last]] ||
                         layout->basis[bit] != UINT32_C(1) << (shift + bit)
                     ? "a thread does not hold more neighbours of the tensor's last axis"
                 : next > view->aligned ? "a slice along the last axis may begin anywhere"
                                        : NULL;
        if (a->why)
            break;
        vector *= 2;
    }
    if (!a->why && most < TILE_VECTOR_BYTES)
        a->why = "no wider atomic operation exists for it";
    return vector;
}

// True if the entry contains only one version of an access's code: in a rare entry, and outside of
// loops in a brief one (ir/target.h), where the access runs once.
static bool is_cold(const struct tile_access_state *a)
{
    const struct tile_target *target = a->e->target;

    return target->rare || (target->brief && a->op->parent == &a->e->kernel->body);
}

// Chooses the vector width. If the tensor's alignment is known only at launch, requests a check. In
// brief entries, requests the check only for accesses in loops.
static void choose_vector(struct tile_access_state *a, const struct tile_value *last_index,
                          int64_t scale)
{
    uint32_t last = a->axes - 1;

    a->vector = last_index ? vector_of(a, a->view, last_index, scale) : 1;
    if (!last_index || !a->view->asks || a->vector > 1 ||
        (a->e->target->brief && !tile_loop_around(a->op)))
        return;
    a->unit = *a->view;
    a->unit.stride[last] = (struct tile_size){ TILE_NO_REGISTER, 1 };
    a->unit.aligned = tile_vector_bytes(&a->e->kernel->parameter[a->view->asks - 1]);
    a->vector = vector_of(a, &a->unit, last_index, scale);
    if (a->vector > 1)
        a->aligned = tile_parameter_is_aligned(a->e, a->view->asks - 1);
}

static void read_pad(struct tile_access_state *a)
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

// Assigns words to a vector load of 16-bit floats. All paths of the access leave these floats
// packed, two to a word; once the paths have joined, code unpacks them into the value's registers.
// Loads of single elements at an edge use separate registers.
static const tile_register *open_words(struct tile_access_state *a)
{
    struct tile_emitter *e = a->e;
    const tile_register *own = a->reg;
    uint32_t count = tile_register_count(a->tile);

    if (a->stores || a->vector == 1 || tile_class_of(a->view->dtype) != TILE_R16)
        return NULL;
    a->word = tile_take(e->module, count / 2 * sizeof(*a->word));
    tile_register *part = tile_take(e->module, count * sizeof(*part));
    if (!a->word || !part) {
        e->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        part[i] = tile_new(e, TILE_R16);
    for (uint32_t i = 0; i < count / 2; i++)
        a->word[i] = tile_new(e, TILE_R32);
    a->reg = part;
    return own;
}

static void close_words(struct tile_access_state *a, const tile_register *own)
{
    for (uint32_t i = 0; own && i < tile_register_count(a->tile); i += 2)
        tile_split(a->e, a->word[i / 2], own[i], own[i + 1]);
}

// True if a load can wait until its user needs the elements. This saves registers in a
// warp-specialized entry, where the accumulators leave few registers free. The tile's only user
// must be an elementwise op, and the next op in the same block.
static bool comes_in_parts(const struct tile_access_state *a)
{
    enum { MANY = 32 };
    const struct tile_op *user = a->op->next;
    const struct tile_value *value = a->op->result_count ? a->op->result[0] : NULL;
    bool takes = false;

    if (!a->e->ring || a->e->ring->plan->fused || a->op->kind != TILE_LOAD ||
        a->op->parent == &a->e->kernel->body || a->whole || a->dropped_inside ||
        tile_class_of(a->view->dtype) != TILE_R32 || tile_register_count(value) < MANY ||
        value->uses != 1 || !user || !(tile_op_infos[user->kind].traits & TILE_ELEMENTWISE) ||
        tile_int(a->op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        return false;
    for (uint32_t i = 0; i < user->operand_count; i++)
        takes |= user->operand[i] == value;
    return takes;
}

// Sets up an access: its axes, the thread's contribution to the address, and the vector width. With
// `asks`, the tile's elements are computed while they are stored.
static bool open_access(struct tile_access_state *a, bool asks)
{
    struct tile_emitter *e = a->e;
    const struct tile_op *op = a->op;
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    bool by_tiles = op->kind != TILE_LOAD_AT && op->kind != TILE_STORE_AT;
    const struct tile_value *last_index = NULL;
    int64_t last_scale = 1;
    uint32_t next = 0;

    a->reg = asks ? e->value[a->tile->id] : tile_registers(e, a->tile);
    a->axes = a->view->rank;
    a->origin = a->view->base;
    if (!a->reg)
        return false;
    if (!a->stores)
        read_pad(a);
    if (a->rows) {
        a->ids = op->operand[1];
        a->tile_axis[0] = (int)next++;
        a->extent[0] = a->tile->type.extent[0];
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        uint32_t axis = i + a->rows;
        a->extent[axis] = shape->ints[i];
        a->tile_axis[axis] = dropped >> i & 1 ? -1 : (int)next++;
        last_index = op->operand[1 + a->rows + i];
        last_scale = by_tiles ? shape->ints[i] : 1;
        open_axis(a, axis, element_index(a, axis, last_index, last_scale));
    }
    open_thread(a);
    choose_vector(a, last_index, last_scale);
    return true;
}

// Moves the elements, with masks only if the tile crosses an edge. `once`: if several threads hold
// an element, one of them moves it for all.
static bool move_elements(struct tile_access_state *a, bool asks, bool once)
{
    struct tile_emitter *e = a->e;
    tile_register single = once ? tile_one_copy(e, a->tile->layout) : TILE_NO_REGISTER;
    uint32_t done = tile_label(e), edge = tile_label(e);

    if (single)
        tile_branch(e, single, true, done);
    tile_register whole = tile_both(e, a->whole, a->dropped_inside);
    // The code for tensors of unknown alignment already has a vector path and a single-element
    // path, so it gets no third path without masks.
    bool masked = whole && (is_cold(a) || (a->aligned && !e->ring));
    tile_register fast = masked ? TILE_NO_REGISTER : tile_both(e, whole, a->aligned);
    if (fast)
        tile_branch(e, fast, true, edge);
    struct tile_deferred deferred;
    if (asks && !tile_save_deferred(e, &deferred))
        return false;
    a->deferred = asks ? &deferred : NULL;
    if (masked)
        tile_move_edge(a, whole);
    else
        tile_move_whole(a);
    if (fast) {
        tile_branch(e, TILE_NO_REGISTER, false, done);
        tile_put_label(e, edge);
        tile_move_edge(a, TILE_NO_REGISTER);
    }
    if (fast || single)
        tile_put_label(e, done);
    a->deferred = NULL;
    return true;
}

// True if a store asks for its deferred tile part by part and forgets the parts again. In a
// pipeline, only a store before that by TMA does, so that the accumulators stay in registers and
// not also what is computed from them. It may not compute from a side tile, whose parts are read
// once.
static bool asks_for_parts(const struct tile_emitter *e, const struct tile_op *op,
                           const struct tile_value *tile)
{
    const struct tile_pipeline *plan = e->ring ? e->ring->plan : NULL;

    if (op->kind != TILE_STORE)
        return false;
    return plan ? plan->store && op != plan->store && !plan->fused && !plan->side &&
                      e->deferred[tile->id]
                : tile_is_deferred(e, tile);
}

bool tile_emit_access(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_access_state a = {
        .e = e,
        .op = op,
        .view = &e->view[op->operand[0]->id],
        .tile = op->result_count ? op->result[0] : op->operand[op->operand_count - 1],
        .stores = !op->result_count,
        .rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS,
    };

    tile_order_access(e, op);
    bool asks = asks_for_parts(e, op, a.tile);
    if (!open_access(&a, asks))
        return false;
    const tile_register *halves = open_words(&a);
    if (e->failed)
        return false;
    tile_remark_access(e->module, op, e->variant, a.vector * tile_access_bytes(&a),
                       a.aligned ? tile_access_bytes(&a) : 0,
                       tile_elements(&a.tile->type) > 1 ? a.why : NULL);
    if (comes_in_parts(&a)) {
        if (!(e->deferred_load = tile_take(e->module, sizeof(a))))
            return false;
        *e->deferred_load = a;
        e->deferred[a.tile->id] = op;
        return !e->failed;
    }
    // Another thread may write the element between two reads. An ordered load therefore reads each
    // element in one thread, which passes it to all threads that hold it.
    int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);
    bool once = a.stores || order != TILE_WEAK;
    if (!move_elements(&a, asks, once))
        return false;
    close_words(&a, halves);
    if (once && !a.stores)
        tile_spread_copies(e, a.tile, a.reg);
    // Make every thread of the block execute the acquire before its later reads.
    if (order == TILE_ACQUIRE)
        tile_barrier(e);
    return !e->failed;
}
