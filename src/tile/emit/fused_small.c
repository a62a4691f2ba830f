// Small tiles in a ring of a fused loop, such as a vector of scales along the depth axis. All lanes
// of the copying warp copy elements with cp.async, which needs no tensor map and accepts any
// address and any strides. Warpgroups read the tile from shared memory.
//
// Elements lie in row-major order of the tile's physical shape, so that an element's place is its
// flattened coordinate. Elements outside the tensor or the tile are zeros. 16-bit elements are
// copied in pairs, because cp.async moves at least 4 bytes. Pairs that begin at an odd element go
// through registers.
#include "fused_ring.h"

enum { LANES = 32 };

struct small_copy {
    const struct tile_op *op;
    const struct tile_layout *layout; // only its shape is used
    uint32_t element, pair;           // bytes per element; elements per copy, 1 or 2
    uint32_t axes;                    // number of the tensor's axes
    tile_register first;              // flattened coordinate of the lane's first element
    tile_register at[TILE_MAX_RANK];  // that element's coordinates in the tensor, 64 bits
    tile_register own[TILE_MAX_RANK]; // that element's coordinates in the tile, by tensor axis, 32
                                      // bits; TILE_NO_REGISTER: 0
    tile_register address;
};

static bool has_extent(const struct tile_op *op, uint32_t axis)
{
    return !(tile_int(op, TILE_ATTR_DROPPED, 0) >> axis & 1) &&
           tile_attribute(op, TILE_ATTR_SHAPE)->ints[axis] > 1;
}

static tile_register plus(struct tile_emitter *e, tile_register x, tile_register y)
{
    return !x ? y : !y ? x : tile_make(e, TILE_R64, "add.s64 %R, %R, %R", x, y);
}

// Extracts a flattened coordinate's component along a tensor axis.
static uint32_t coordinate_of(const struct small_copy *c, uint32_t flat, uint32_t axis)
{
    uint32_t own = tile_axis_of(c->op, axis);

    return flat >> tile_axis_shift(c->layout, own) &
           ((UINT32_C(1) << c->layout->axis_bits[own]) - 1);
}

static struct small_copy open_copy(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_emit_view *view = &e->view[op->operand[0]->id];
    struct small_copy c = { .op = op, .layout = op->result[0]->layout, .pair = 1 };

    c.element = tile_bytes_of(view->dtype);
    c.axes = tile_attribute(op, TILE_ATTR_SHAPE)->count;
    const struct tile_size *last = &view->stride[c.axes - 1];
    if (c.element == 2 && has_extent(op, c.axes - 1) && !last->reg && last->value == 1)
        c.pair = 2;
    c.first = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", e->lane, c.pair);
    c.address = view->base;
    for (uint32_t axis = 0; axis < c.axes; axis++) {
        c.at[axis] = tile_first_element(e, op, axis);
        if (has_extent(op, axis)) {
            uint32_t own = tile_axis_of(op, axis);
            c.own[axis] = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, %u", c.first,
                                    tile_axis_shift(c.layout, own), c.layout->axis_bits[own]);
            c.at[axis] =
                plus(e, c.at[axis], tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c.own[axis]));
        }
        c.address = plus(e, c.address, tile_axis_distance(e, op, axis, c.at[axis]));
    }
    return c;
}

// Returns a predicate: the element `flat` elements after the lane's first one is inside the tensor
// and the tile.
static tile_register inside(struct tile_emitter *e, const struct small_copy *c, uint32_t flat)
{
    tile_register all = TILE_NO_REGISTER;

    if (flat + c->pair * LANES > UINT32_C(1) << c->layout->coordinate_bits)
        all = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->first,
                        (UINT32_C(1) << c->layout->coordinate_bits) - flat);
    for (uint32_t axis = 0; axis < c->axes; axis++) {
        uint32_t extent = (uint32_t)tile_attribute(c->op, TILE_ATTR_SHAPE)->ints[axis];
        uint32_t more = has_extent(c->op, axis) ? coordinate_of(c, flat, axis) : 0;
        tile_register at = c->at[axis];
        if (more)
            at = tile_make(e, TILE_R64, "add.s64 %R, %R, %u", at, more);
        all = tile_both(e, all, tile_is_on_axis(e, c->op, axis, at));
        if (has_extent(c->op, axis) && extent & (extent - 1))
            all = tile_both(e, all,
                            tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, %d", c->own[axis],
                                      (int)extent - (int)more));
    }
    if (e->ring->outside)
        all = tile_make(e, TILE_PRED, "and.pred %R, %R, !%R", all, e->ring->outside);
    return all;
}

// Returns the address of the element `flat` elements after the lane's first one.
static tile_register address_of(struct tile_emitter *e, const struct small_copy *c, uint32_t flat)
{
    tile_register address = c->address;

    for (uint32_t axis = 0; axis < c->axes; axis++) {
        uint32_t more = has_extent(c->op, axis) ? coordinate_of(c, flat, axis) : 0;
        if (more)
            address = plus(e, address, tile_axis_distance(e, c->op, axis, tile_number64(e, more)));
    }
    return address;
}

// A lane's part of one copy: one element, or a pair.
struct piece {
    tile_register address, inside[2];
    tile_register valid; // predicate: the lane has elements to copy; TILE_NO_REGISTER: all lanes do
    uint32_t place;
};

static struct piece piece_of(struct tile_emitter *e, const struct small_copy *c, uint32_t flat)
{
    uint32_t count = UINT32_C(1) << c->layout->coordinate_bits;
    struct piece piece = { .address = address_of(e, c, flat), .place = flat * c->element };

    for (uint32_t i = 0; i < c->pair; i++)
        piece.inside[i] = inside(e, c, flat + i);
    if (flat + LANES * c->pair > count)
        piece.valid = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->first, count - flat);
    return piece;
}

static void put_valid(struct tile_emitter *e, const struct piece *piece)
{
    tile_put_string(e->text, "\t");
    if (piece->valid)
        tile_put(e->text, "@%s ", tile_name(piece->valid));
}

static void copy_piece(struct tile_emitter *e, const struct small_copy *c,
                       const struct piece *piece, tile_register to)
{
    tile_register size =
        tile_make(e, TILE_R32, "selp.u32 %R, %u, 0, %R", c->element, piece->inside[0]);

    if (c->pair == 2)
        size = tile_make(e, TILE_R32, "selp.u32 %R, 4, %R, %R", size, piece->inside[1]);
    put_valid(e, piece);
    tile_put(e->text, "cp.async.ca.shared.global [%s+%u], ", tile_name(to), piece->place);
    tile_put(e->text, "[%s], %u, ", tile_name(piece->address), c->element * c->pair);
    tile_put(e->text, "%s;\n", tile_name(size));
}

// Like copy_piece(), but moves 16-bit elements through registers.
static void move_piece(struct tile_emitter *e, const struct small_copy *c,
                       const struct piece *piece, tile_register to)
{
    for (uint32_t i = 0; i < c->pair; i++) {
        tile_register x = tile_make(e, TILE_R16, "mov.b16 %R, 0");
        tile_ins(e, "@%R ld.global.b16 %R, [%R+%u]", piece->inside[i], x, piece->address,
                 i * c->element);
        put_valid(e, piece);
        tile_put(e->text, "st.shared.b16 [%s+%u], ", tile_name(to), piece->place + i * c->element);
        tile_put(e->text, "%s;\n", tile_name(x));
    }
}

// Returns a predicate: some lane of the warp has a pair that cp.async cannot copy, either because
// it begins at an odd element or because only its second element is inside.
static tile_register has_odd_pairs(struct tile_emitter *e, const struct piece *piece,
                                   uint32_t count)
{
    tile_register any = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < count; i++) {
        tile_register low = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", piece[i].address);
        low = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", low);
        tile_register odd = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", low);
        tile_register late = tile_make(e, TILE_PRED, "not.pred %R, %R", piece[i].inside[0]);
        late = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", late, piece[i].inside[1]);
        odd = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", odd, late);
        any = any ? tile_make(e, TILE_PRED, "or.pred %R, %R, %R", any, odd) : odd;
    }
    return tile_make(e, TILE_PRED, "vote.sync.any.pred %R, %R, 0xffffffff", any);
}

// Copies a slice's part of a small feed's stage. The first slice waits until the stage is free.
// Each lane arrives at the barrier when its copies of all slices have arrived.
static void copy_by_warp(struct tile_emitter *e, const struct tile_feed *feed, uint32_t slice)
{
    enum { MOST_PIECES = 256 / LANES };
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *s = &feed->stream;
    uint32_t slices = tile_slices(&r->plan->base), count = 0, fast = tile_label(e),
             done = tile_label(e);
    tile_register full = tile_feed_barrier(e, feed, &r->position);
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base,
                                 (unsigned)TILE_RING_AT + s->at + slice * s->bytes);
    struct piece piece[MOST_PIECES];

    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", to, r->position.stage, s->bytes * slices, to);
    if (!slice) {
        tile_register before = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", r->position.phase);
        tile_emit_wait(e, full, TILE_FEED_FREE_AT, before);
    }
    struct small_copy c = open_copy(e, s->load);
    for (uint32_t flat = 0; flat < UINT32_C(1) << c.layout->coordinate_bits; flat += LANES * c.pair)
        piece[count++] = piece_of(e, &c, flat);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", to, e->lane, c.pair * c.element, to);
    bool last = slice + 1 == slices;
    if (c.element == 2) {
        if (c.pair == 2)
            tile_branch(e, has_odd_pairs(e, piece, count), true, fast);
        for (uint32_t i = 0; i < count; i++)
            move_piece(e, &c, &piece[i], to);
        if (last && slices > 1) // wait for the copies of earlier slices
            tile_ins(e, "cp.async.wait_all");
        if (last)
            tile_ins(e, "mbarrier.arrive.shared::cta.b64 _, [%R]", full);
        if (c.pair == 2)
            tile_branch(e, TILE_NO_REGISTER, false, done);
    }
    tile_put_label(e, fast);
    for (uint32_t i = 0; i < count && c.element * c.pair > 2; i++)
        copy_piece(e, &c, &piece[i], to);
    if (last && c.element * c.pair > 2)
        tile_ins(e, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%R]", full);
    tile_put_label(e, done);
}

void tile_copy_small(struct tile_emitter *e, const struct tile_feed *feed, uint32_t slice)
{
    uint32_t others = tile_label(e);

    if (tile_threads_copy(e->ring->plan)) { // the other warps only gather
        tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
        tile_branch(e, tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", warp), false, others);
    }
    copy_by_warp(e, feed, slice);
    if (tile_threads_copy(e->ring->plan))
        tile_put_label(e, others);
}

// ---- Warpgroups

// Returns the thread's contribution to its elements' offsets.
static tile_register thread_place(struct tile_emitter *e, const struct tile_stream *s)
{
    const struct tile_layout *layout = s->load->result[0]->layout;
    tile_register place = tile_number32(e, 0);

    for (uint32_t bit = 0; bit < TILE_LANE_BITS + (uint32_t)layout->warp_bits; bit++) {
        uint32_t basis = layout->basis[layout->register_bits + bit];
        if (!basis)
            continue;
        tile_register mine = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->tid, bit);
        place =
            tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", mine, basis * s->element, place);
    }
    return place;
}

// Reads a small feed's tile into registers. All threads of a warp must have read their elements
// before the warp releases the stage.
bool tile_read_small(struct tile_emitter *e, const struct tile_feed *feed)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *s = &feed->stream;
    const struct tile_value *value = s->load->result[0];
    // A doubled loop works on the previous iteration's results while the next iteration's products
    // run.
    const struct tile_ring_position *position = r->plan->doubles ? &r->late : &r->position;
    tile_register *reg = tile_registers(e, value);
    struct tile_text *before = tile_into_prologue(e);
    tile_register mine = thread_place(e, s);
    uint32_t run = tile_feed_run(s), slices = tile_slices(&r->plan->base);
    e->text = before;

    if (!reg)
        return false;
    tile_wait_for_feed(e, feed, position);
    tile_register at = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", r->ring.base, mine);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, position->stage, s->bytes * slices, at);
    if (slices > 1)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->ring.group, s->bytes, at);
    for (uint32_t i = 0; i < tile_register_count(value); i += run) {
        uint32_t flat = 0;
        for (uint32_t bit = 0; bit < value->layout->register_bits; bit++)
            flat ^= i >> bit & 1 ? value->layout->basis[bit] : 0;
        tile_emit_load(e, "", "shared", value->type.dtype, reg + i, run, at,
                       (int64_t)TILE_RING_AT + s->at + flat * s->element, TILE_NO_REGISTER);
    }
    tile_ins(e, "bar.warp.sync 0xffffffff");
    tile_ins(e, "@!%R mbarrier.arrive.shared::cta.b64 _, [%R+%u]", r->not_first_lane,
             tile_feed_barrier(e, feed, position), (unsigned)TILE_FEED_FREE_AT);
    return !e->failed;
}
