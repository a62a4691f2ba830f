// Shifts and rolls by a constant. A thread finds most elements in its own registers or in other
// lanes of its warp. Only the elements that other warps hold go through shared memory.
#include "emit.h"

#include "tile/ir/layout.h"

#include <string.h>

// The source of a register's element.
enum origin { FROM_PADDING, FROM_REGISTERS, FROM_LANES, FROM_SHARED };

// A register's coordinate along the axis is the sum of the register's own part and the thread's
// part. Its element comes from a register with another own part. That own part may depend on the
// thread's part, which is that of the receiving thread or, for FROM_LANES, of the sending lane.
struct part {
    enum origin from;
    uint32_t below, above; // own parts in threads whose part is below `bound`, and in all others
    uint32_t bound;
    bool pads; // in some threads, the element lies outside of the tile
    tile_register outside, place;
};

struct shifter {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_value *x;
    const struct tile_layout *layout;
    uint32_t axis, shift, size; // of the axis: its lowest coordinate bit, and its physical extent
    int64_t extent, by;
    uint32_t own, lanes, warps; // coordinate bits along the axis that registers, lanes and warps
                                // determine
    // `one_run`: the lane bits of the axis are consecutive, and so are their coordinate bits.
    // `lane_bit` is the first lane bit, and `lane_from` its coordinate bit.
    bool one_run;
    uint32_t lane_bit, lane_from;
    struct part *part; // by own part
};

// Finds the bits of registers, lanes and warps. False unless each coordinate bit along the axis
// belongs to one hardware bit that flips no other coordinate bit.
static bool open_axis(struct shifter *s)
{
    const struct tile_layout *l = s->layout;
    uint32_t seen = 0, last = 0;

    s->one_run = true;
    for (uint32_t i = 0; i < tile_hardware_bits(l); i++) {
        uint32_t bit = l->basis[i] >> s->shift & (s->size - 1);
        if (!bit)
            continue;
        if (bit & (bit - 1) || bit & seen || l->basis[i] != bit << s->shift)
            return false;
        seen |= bit;
        if (i < l->register_bits) {
            s->own |= bit;
        } else if (i < (uint32_t)l->register_bits + TILE_LANE_BITS) {
            if (!s->lanes) {
                s->lane_bit = i - l->register_bits;
                s->lane_from = (uint32_t)__builtin_ctz(bit);
            } else {
                s->one_run &= bit == last << 1 && l->basis[i - 1] == l->basis[i] >> 1;
            }
            s->lanes |= bit;
            last = bit;
        } else {
            s->warps |= bit;
        }
    }
    return seen == s->size - 1;
}

// Returns the coordinate from which the element at coordinate c comes, or -1 for padding.
static int64_t source_of(const struct shifter *s, int64_t c)
{
    int64_t from = c - s->by;

    if (s->op->kind == TILE_ROLL)
        return from < 0 ? from + s->extent : from;
    return from < 0 || from >= s->extent ? -1 : from;
}

// Finds the own parts below and above a bound. own[t] is the own part for threads with part t, or
// -1 if any will do. False unless at most two own parts occur, one after the other.
static bool in_two(struct part *p, const int32_t *own, uint32_t size)
{
    int32_t below = -1, above = -1;

    for (uint32_t t = 0; t < size; t++) {
        if (own[t] < 0 || own[t] == (above < 0 ? below : above))
            continue;
        if (above >= 0)
            return false;
        if (below < 0) {
            below = own[t];
        } else {
            above = own[t];
            p->bound = t;
        }
    }
    p->below = (uint32_t)below;
    p->above = (uint32_t)(above < 0 ? below : above);
    return true;
}

// Finds the origin of the registers whose own part is `own`. `received` and `sent` have room for
// `size` parts.
static void plan(struct shifter *s, uint32_t own, int32_t *received, int32_t *sent)
{
    struct part *p = &s->part[own];
    uint32_t threads = s->lanes | s->warps;
    bool any = false, here = true, in_warp = s->one_run;

    *p = (struct part){ .from = FROM_PADDING };
    memset(received, -1, s->size * sizeof(*received));
    memset(sent, -1, s->size * sizeof(*sent));
    for (uint32_t t = 0; t < s->size; t++) {
        if (t & ~threads || own + t >= s->extent)
            continue;
        int64_t from = source_of(s, own + t);
        if (from < 0) {
            p->pads = true;
            continue;
        }
        uint32_t other = (uint32_t)from & threads;
        int32_t part = (int32_t)((uint32_t)from & s->own);
        any = true;
        here &= other == t;
        in_warp &= !((other ^ t) & s->warps) &&
                   other == ((uint32_t)((int64_t)own + t - s->by) & threads) &&
                   (sent[other] < 0 || sent[other] == part);
        received[t] = sent[other] = part;
    }
    if (!any)
        return;
    p->from = here && in_two(p, received, s->size)  ? FROM_REGISTERS
              : in_warp && in_two(p, sent, s->size) ? FROM_LANES
                                                    : FROM_SHARED;
}

// Returns false if the distance is not a constant, or if the layouts are not supported.
static bool open_shifter(struct shifter *s, struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0], *n = op->operand[1];

    if (e->ring || !x->type.rank || !n->op || n->op->kind != TILE_CONSTANT ||
        !tile_layout_same(x->layout, op->result[0]->layout))
        return false;
    *s = (struct shifter){ .e = e, .op = op, .x = x, .layout = x->layout };
    s->axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    s->shift = tile_axis_shift(s->layout, s->axis);
    s->size = UINT32_C(1) << s->layout->axis_bits[s->axis];
    s->extent = x->type.extent[s->axis];
    s->by = tile_int(n->op, TILE_ATTR_VALUE, 0);
    if (n->type.dtype == CUC_U64 && s->by < 0)
        return false;
    if (op->kind == TILE_ROLL)
        s->by = (s->by % s->extent + s->extent) % s->extent;
    else
        s->by = s->by > s->extent ? s->extent : s->by < -s->extent ? -s->extent : s->by;
    if (!open_axis(s))
        return false;
    s->part = tile_take(e->module, s->size * sizeof(*s->part));
    int32_t *room = tile_take(e->module, 2 * s->size * sizeof(*room));
    for (uint32_t own = 0; s->part && room && own < s->size; own++)
        if (!(own & ~s->own))
            plan(s, own, room, room + s->size);
    e->failed |= !s->part || !room;
    return !e->failed;
}

// Returns register r with another own part.
static uint32_t with_own(const struct shifter *s, uint32_t r, uint32_t own)
{
    for (uint32_t i = 0; i < s->layout->register_bits; i++) {
        uint32_t bit = s->layout->basis[i] >> s->shift & (s->size - 1);
        if (bit)
            r = (r & ~(UINT32_C(1) << i)) | (uint32_t)((own & bit) != 0) << i;
    }
    return r;
}

static uint32_t own_of(const struct shifter *s, uint32_t r)
{
    return tile_register_coordinate(s->layout, r, s->axis);
}

// Marks the registers that other threads read from shared memory.
static void find_needed(const struct shifter *s, bool *needed)
{
    uint32_t threads = s->lanes | s->warps;

    for (uint32_t r = 0; r < tile_register_count(s->x); r++) {
        uint32_t own = own_of(s, r);
        for (uint32_t t = 0; s->part[own].from == FROM_SHARED && t < s->size; t++) {
            int64_t from = t & ~threads || own + t >= s->extent ? -1 : source_of(s, own + t);
            if (from >= 0)
                needed[with_own(s, r, (uint32_t)from & s->own)] = true;
        }
    }
}

// Returns the coordinate from which the element comes. It is below 0 if a roll wraps.
static tile_register origin_of(const struct shifter *s, uint32_t own)
{
    tile_register c = tile_thread_coordinate(s->e, s->layout, s->axis);
    int64_t by = (int64_t)own - s->by;

    return by ? tile_make(s->e, TILE_R32, "add.s32 %R, %R, %d", c, (int)by) : c;
}

// Returns a predicate: the element lies outside of the tile. TILE_NO_REGISTER if none does.
static tile_register outside(const struct shifter *s, uint32_t own)
{
    struct part *p = &s->part[own];

    if (p->pads && !p->outside)
        p->outside =
            tile_make(s->e, TILE_PRED, "setp.ge.u32 %R, %R, %d", origin_of(s, own), (int)s->extent);
    return p->outside;
}

// Returns the register of this thread that holds the wanted element or, for FROM_LANES, the element
// that another lane wants.
static tile_register chosen(const struct shifter *s, uint32_t r, const tile_register *in)
{
    const struct part *p = &s->part[own_of(s, r)];
    tile_register below = in[with_own(s, r, p->below)], above = in[with_own(s, r, p->above)];

    if (below == above)
        return above;
    tile_register is_below = tile_make(s->e, TILE_PRED, "setp.lt.u32 %R, %R, %u",
                                       tile_thread_coordinate(s->e, s->layout, s->axis), p->bound);
    return tile_select(s->e, is_below, below, above);
}

// Returns the number of the lane that holds the element.
static tile_register lane_of(const struct shifter *s, uint32_t own)
{
    struct tile_emitter *e = s->e;
    struct part *p = &s->part[own];
    uint32_t run = s->lanes >> s->lane_from;

    if (p->place)
        return p->place;
    tile_register at = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", origin_of(s, own), s->lanes);
    if (s->lane_from > s->lane_bit)
        at = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", at, s->lane_from - s->lane_bit);
    else if (s->lane_from < s->lane_bit)
        at = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", at, s->lane_bit - s->lane_from);
    p->place = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, 31 & ~(run << s->lane_bit));
    return p->place = tile_make(e, TILE_R32, "or.b32 %R, %R, %R", p->place, at);
}

// Finds out which registers this op and later ones of the block read from shared memory.
static bool *needed_registers(const struct shifter *s)
{
    bool *needed = tile_take(s->e->module, tile_register_count(s->x));

    if (!needed)
        return NULL;
    find_needed(s, needed);
    for (const struct tile_op *op = s->op->next; op; op = op->next) {
        struct shifter other;
        if ((op->kind == TILE_SHIFT || op->kind == TILE_ROLL) && op->operand[0] == s->x &&
            open_shifter(&other, s->e, op))
            find_needed(&other, needed);
    }
    return needed;
}

// Writes the operand to shared memory, unless an earlier op of the block has done so.
static bool share(const struct shifter *s, const tile_register *in)
{
    struct tile_emitter *e = s->e;
    uint32_t bytes = tile_shared_bytes(s->x);

    if (e->shared_copy == s->x && e->shared_copy_in == s->op->parent) {
        e->shared_busy = TILE_SHARED_BUSY; // other barriers may have ended the earlier reads
        return true;
    }
    const bool *needed = needed_registers(s);
    if (!needed || !tile_shared_fits(e, s->op, bytes))
        return false;
    tile_register shared = tile_scratch(e, bytes);
    tile_write_shared(e, s->x, in, shared, 0, needed);
    tile_scratch_written(e);
    e->shared_copy = s->x;
    e->shared_copy_in = s->op->parent;
    return true;
}

// Reads `count` registers from shared memory.
static void read(const struct shifter *s, const tile_register *out, uint32_t r, uint32_t count,
                 tile_register place, const int64_t *steps, tile_register padding)
{
    struct tile_emitter *e = s->e;
    struct part *p = &s->part[own_of(s, r)];
    bool none;
    tile_register inside = tile_inside_tile(e, s->x, r, &none), beyond = outside(s, own_of(s, r));
    int64_t at = tile_shared_offset(s->x, r, steps) - s->by * steps[s->axis];

    if (beyond)
        inside = tile_both(e, inside, tile_make(e, TILE_PRED, "not.pred %R, %R", beyond));
    for (uint32_t i = r; i < r + count && (none || inside); i++)
        tile_move(e, out[i], padding);
    if (none)
        return;
    if (s->op->kind == TILE_ROLL && s->by) {
        if (!p->place) {
            tile_register wraps =
                tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, 0", origin_of(s, own_of(s, r)));
            tile_register end = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", place,
                                          (unsigned)(s->extent * steps[s->axis]));
            p->place = tile_select(e, wraps, end, place);
        }
        place = p->place;
    }
    tile_emit_load(e, "", "shared", s->x->type.dtype, out + r, count, place, at, inside);
}

const tile_register *tile_shift_registers(struct tile_emitter *e, const struct tile_op *op)
{
    struct shifter s;
    const tile_register *in = tile_registers(e, op->operand[0]);
    uint32_t count = tile_register_count(op->result[0]);
    tile_register *out = tile_take(e->module, count * sizeof(*out)), place = TILE_NO_REGISTER;
    int64_t steps[TILE_MAX_RANK];

    if (!in || !out || !open_shifter(&s, e, op))
        return NULL;
    tile_register padding = op->kind == TILE_SHIFT ? tile_registers(e, op->operand[2])[0]
                                                   : tile_constant_register(e, s.x->type.dtype, 0);
    uint32_t vector = s.axis + 1u < s.x->type.rank ? tile_shared_vector(s.x) : 1;
    for (uint32_t r = 0; r < count && !e->failed; r++) {
        uint32_t own = own_of(&s, r);
        const struct part *p = &s.part[own];
        if (p->from == FROM_PADDING) {
            out[r] = padding;
        } else if (p->from == FROM_SHARED) {
            if (!place && !share(&s, in))
                return NULL;
            if (!place)
                place = tile_shared_place(e, s.x, e->shared, steps);
            out[r] = tile_new(e, tile_class_of(s.x->type.dtype));
            if ((r + 1) % vector == 0)
                read(&s, out, r + 1 - vector, vector, place, steps, padding);
        } else {
            out[r] = chosen(&s, r, in);
            if (p->from == FROM_LANES)
                out[r] = tile_shuffle_from(e, out[r], lane_of(&s, own));
            if (outside(&s, own))
                out[r] = tile_select(e, outside(&s, own), padding, out[r]);
        }
    }
    return e->failed ? NULL : out;
}
