// Moves vectors of a tensor whose rows are not aligned. A vector of 16 bytes then lies in two
// aligned words of 16 bytes.
//
// A store exchanges its vector with the next lane, which holds the next elements of the row, and
// writes one aligned word: the end of its own vector and the beginning of the next one. Memory thus
// moves as many sectors as for an aligned tensor; single elements would write each sector up to 16
// times. A load of bytes reads both words and shifts its vector out of them.
//
// The elements that no whole word covers move one at a time: those at the ends of the tensor's rows
// and, in a store, at the ends of the lanes' part of a row.
#include "access_move.h"
#include "word_shift.h"

enum { WORDS = TILE_VECTOR_BYTES / 4, AT_ONCE = 4 };

// The state that all vectors of an access share.
struct shifted {
    struct tile_access_state *access;
    struct tile_bounds *bounds;
    uint32_t axis, bytes;     // the tensor's last axis; bytes of an element
    tile_register first, end; // bounds of the row in tile coordinates
    tile_register unit;       // predicate: the last stride is 1; TILE_NO_REGISTER: it always is
    tile_register is_first, is_last; // predicates: the lane is the first, or last, of row_lanes()
};

// The place of a vector in memory.
struct place {
    tile_register address;    // of the vector's first element, 64 bits
    tile_register off;        // distance in bytes to the preceding aligned word
    tile_register rest;       // elements before the next aligned word, less than a vector
    tile_register coordinate; // along the last axis
    tile_register mask;       // predicate: inside along the other axes; TILE_NO_REGISTER: always
};

// Returns the number of consecutive lanes that hold consecutive vectors of the last axis.
static uint32_t row_lanes(const struct tile_access_state *a)
{
    const struct tile_layout *layout = a->tile->layout;
    uint32_t axis = (uint32_t)a->tile_axis[a->axes - 1], bit = 0;
    uint32_t step = a->vector << tile_axis_shift(layout, axis);

    while (bit < TILE_LANE_BITS && layout->basis[layout->register_bits + bit] == step << bit &&
           a->vector << bit < UINT32_C(1) << layout->axis_bits[axis])
        bit++;
    return UINT32_C(1) << bit;
}

bool tile_can_shift(const struct tile_access_state *a)
{
    uint32_t bytes = tile_access_bytes(a);

    if (!a->aligned || a->rows || a->op->kind == TILE_STORE_REDUCE || a->e->target->brief ||
        bytes > 4 || a->vector * bytes != TILE_VECTOR_BYTES || a->view->dtype == CUC_BOOL ||
        tile_int(a->op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        return false;
    for (uint32_t axis = 0; axis < a->tile->type.rank; axis++)
        if (a->tile->type.extent[axis] & (a->tile->type.extent[axis] - 1))
            return false;
    // The L1 cache collects wider elements as fast as memory delivers them.
    if (!a->stores)
        return bytes == 1;
    // All lanes exchange vectors, so none may skip the store.
    return !tile_copies(a->tile->layout) && row_lanes(a) > 1;
}

static void open_shifted(struct shifted *s, struct tile_access_state *a, struct tile_bounds *bounds)
{
    struct tile_emitter *e = a->e;
    uint32_t last = a->axes - 1;
    const struct tile_size *stride = &a->view->stride[last];
    tile_register from = tile_size_register(e, &a->from[last]);

    *s = (struct shifted){ .access = a, .bounds = bounds, .axis = last };
    s->bytes = tile_access_bytes(a);
    s->end = bounds->high[last];
    if (!s->end)
        s->end = tile_to_bound(e, tile_make(e, TILE_R64, "sub.s64 %R, %R, %R",
                                            tile_size_register(e, &a->view->extent[last]), from));
    s->first = bounds->low[last];
    if (!s->first && !a->stores)
        s->first = tile_to_bound(e, tile_make(e, TILE_R64, "neg.s64 %R, %R", from));
    if (stride->reg)
        s->unit = tile_make(e, TILE_PRED, "setp.eq.s64 %R, %R, 1", stride->reg);
    if (!a->stores)
        return;
    uint32_t lanes = row_lanes(a);
    tile_register lane = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, lanes - 1);
    s->is_first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", lane);
    s->is_last = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", lane, lanes - 1);
}

static struct place find_place(const struct shifted *s, struct tile_addresses *known, uint32_t r)
{
    struct tile_access_state *a = s->access;
    struct tile_emitter *e = a->e;
    uint32_t t = (uint32_t)a->tile_axis[s->axis];
    uint32_t own = tile_register_coordinate(a->tile->layout, r, t);
    int64_t offset;
    struct place p = { .address = tile_address_of(a, known, r, &offset) };

    if (offset)
        p.address = tile_make(e, TILE_R64, "add.s64 %R, %R, %l", p.address, offset);
    tile_register low = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", p.address);
    p.off = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", low, TILE_VECTOR_BYTES - 1);
    p.rest = tile_make(e, TILE_R32, "sub.s32 %R, 0, %R", p.off);
    tile_ins(e, "and.b32 %R, %R, %u", p.rest, p.rest, TILE_VECTOR_BYTES - 1);
    if (s->bytes > 1)
        tile_ins(e, "shr.u32 %R, %R, %u", p.rest, p.rest, s->bytes == 2 ? 1U : 2U);
    p.coordinate = tile_thread_coordinate(e, a->tile->layout, t);
    if (own)
        p.coordinate = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", p.coordinate, own);
    p.mask = tile_bounds_mask(s->bounds, r, s->axis);
    return p;
}

// Returns a mask of the vector's elements below a bound: bit i stands for element i.
//
// Computes max(bound - coordinate, 0) as bound - min(bound, coordinate) to avoid a ptxas bug: for
// max(a - b, 0) with an `a` that is the min or max of 64-bit constants, ptxas of CUDA 13.0 emits a
// VIADDMNMX on sm_90 and sm_100 that computes b - a.
static tile_register below(const struct shifted *s, tile_register bound, tile_register coordinate)
{
    struct tile_emitter *e = s->access->e;
    tile_register count = tile_make(e, TILE_R32, "min.s32 %R, %R, %R", bound, coordinate);

    tile_ins(e, "sub.s32 %R, %R, %R", count, bound, count);
    return tile_make(e, TILE_R32, "bmsk.clamp.b32 %R, 0, %R", count);
}

// Returns a mask of the vector's elements that lie inside the tensor.
static tile_register inside(const struct shifted *s, const struct place *p)
{
    struct tile_emitter *e = s->access->e;
    tile_register mask = below(s, s->end, p->coordinate);

    if (s->first) {
        tile_register outside = below(s, s->first, p->coordinate);
        tile_ins(e, "not.b32 %R, %R", outside, outside);
        tile_ins(e, "and.b32 %R, %R, %R", mask, mask, outside);
    }
    if (p->mask)
        tile_ins(e, "selp.b32 %R, %R, 0, %R", mask, mask, p->mask);
    return mask;
}

static tile_register element_bit(struct tile_emitter *e, tile_register mask, uint32_t i)
{
    tile_register bit = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", mask, UINT32_C(1) << i);

    return tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", bit);
}

// Returns the predicate that a number of elements from a coordinate on lie within the row.
static tile_register fits(const struct shifted *s, tile_register from, tile_register to,
                          tile_register also)
{
    struct tile_emitter *e = s->access->e;
    tile_register low = s->first ? tile_make(e, TILE_PRED, "setp.ge.s32 %R, %R, %R", from, s->first)
                                 : TILE_NO_REGISTER;
    tile_register high = tile_make(e, TILE_PRED, "setp.le.s32 %R, %R, %R", to, s->end);

    return tile_both(e, tile_both(e, s->unit, also), tile_both(e, low, high));
}

// Returns coordinate + rest + count.
static tile_register past(struct tile_emitter *e, const struct place *p, uint32_t count)
{
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", p->coordinate, p->rest);

    if (count)
        tile_ins(e, "add.u32 %R, %R, %u", to, to, count);
    return to;
}

// ---- Loads, of bytes

struct load {
    struct place place;
    tile_register words[2 * WORDS];
    tile_register whole; // predicate: the words contain the vector; otherwise single elements do
};

// Reads the aligned words of a vector, or its elements if part of the words lies outside the row.
static void request(const struct shifted *s, struct tile_addresses *known, uint32_t r,
                    struct load *l)
{
    struct tile_access_state *a = s->access;
    struct tile_emitter *e = a->e;
    uint32_t done = tile_label(e), vector = a->vector;

    l->place = find_place(s, known, r);
    const struct place *p = &l->place;
    // The first word begins `off` bytes before the vector. The second one ends `rest` elements
    // after it.
    tile_register back = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", p->coordinate, p->off);
    l->whole = fits(s, back, past(e, p, vector), p->mask);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", p->off);
    tile_register at = tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", p->address, wide);
    tile_register two = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.ne.and.u32 %R, %R, 0, %R", two, p->off, l->whole);
    for (uint32_t i = 0; i < 2 * WORDS; i++)
        l->words[i] = tile_number32(e, 0);
    for (uint32_t i = 0; i < 2; i++)
        tile_emit_load(e, tile_order_words(a->op), "global", CUC_U32, l->words + i * WORDS, WORDS,
                       at, i * TILE_VECTOR_BYTES, i ? two : l->whole);

    for (uint32_t i = r; i < r + vector; i++)
        tile_move(e, a->reg[i], tile_pad_of(a, i));
    tile_branch(e, l->whole, false, done);
    tile_register mask = inside(s, p);
    struct tile_addresses own = { .count = 0 }; // addresses computed here are unknown elsewhere
    for (uint32_t i = 0; i < vector; i++) {
        int64_t offset;
        tile_register address = tile_address_of(a, &own, r + i, &offset);
        tile_emit_load(e, tile_order_words(a->op), "global", a->view->dtype, a->reg + r + i, 1,
                       address, offset, element_bit(e, mask, i));
    }
    tile_put_label(e, done);
}

// Shifts the vector out of its words, unless its elements were read one at a time.
static void receive(const struct shifted *s, uint32_t r, struct load *l)
{
    struct tile_access_state *a = s->access;
    struct tile_emitter *e = a->e;

    const struct tile_word_shift shift = tile_find_word_shift(e, l->place.off, s->bytes);
    tile_shift_words(e, l->words, &shift);
    for (uint32_t i = 0; i < WORDS; i++) {
        tile_register single = tile_pack_word(e, a->view->dtype, a->reg + r + 4 * i);
        l->words[i] = tile_select(e, l->whole, l->words[i], single);
    }
    tile_unpack_words(e, a->view->dtype, l->words, a->reg + r, a->vector, TILE_NO_REGISTER);
}

static void load_shifted(const struct shifted *s)
{
    struct tile_access_state *a = s->access;
    struct tile_addresses known = { .count = 0 };
    uint32_t count = tile_register_count(a->tile), vector = a->vector;
    struct load load[AT_ONCE];

    for (uint32_t from = 0; from < count; from += AT_ONCE * vector) {
        uint32_t end = from + AT_ONCE * vector < count ? from + AT_ONCE * vector : count;
        for (uint32_t r = from; r < end; r += vector)
            request(s, &known, r, &load[(r - from) / vector]);
        for (uint32_t r = from; r < end; r += vector)
            receive(s, r, &load[(r - from) / vector]);
    }
}

// ---- Stores

static void store_vector(const struct shifted *s, struct tile_addresses *known, uint32_t r)
{
    struct tile_access_state *a = s->access;
    struct tile_emitter *e = a->e;
    struct place p = find_place(s, known, r);
    tile_register words[2 * WORDS],
        off = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", p.rest, s->bytes);

    for (uint32_t i = 0; i < WORDS; i++) {
        words[i] = s->bytes == 4 ? tile_make(e, TILE_R32, "mov.b32 %R, %R", a->reg[r + i])
                                 : tile_pack_word(e, a->view->dtype, a->reg + r + i * 4 / s->bytes);
        words[WORDS + i] = tile_shuffle_along(e, words[i], 1, true);
    }
    const struct tile_word_shift shift = tile_find_word_shift(e, off, s->bytes);
    tile_shift_words(e, words, &shift);

    // The word belongs to this lane and the next, unless the row or the lanes end before.
    tile_register word = fits(s, p.coordinate, past(e, &p, a->vector), p.mask);
    tile_register own = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.ne.and.u32 %R, %R, 0, %R", own, p.rest, s->is_last);
    tile_ins(e, "not.pred %R, %R", own, own);
    tile_ins(e, "and.pred %R, %R, %R", word, word, own);
    // The same predicate in the preceding lane.
    tile_register before = tile_make(e, TILE_R32, "sub.s32 %R, %R, %u", p.coordinate, a->vector);
    tile_register covered = fits(s, before, past(e, &p, 0), TILE_NO_REGISTER);
    own = tile_make(e, TILE_PRED, "not.pred %R, %R", s->is_first);
    tile_ins(e, "and.pred %R, %R, %R", covered, covered, own);

    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", off);
    tile_register at = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", p.address, wide);
    tile_emit_store(e, tile_order_words(a->op), "global", CUC_U32, words, WORDS, at, 0, word);

    // The elements before the word, unless the preceding lane has stored them, and those of the
    // word, unless this lane has.
    tile_register head = tile_make(e, TILE_R32, "bmsk.clamp.b32 %R, 0, %R", p.rest);
    tile_register tail = tile_make(e, TILE_R32, "not.b32 %R, %R", head);
    tile_ins(e, "selp.b32 %R, 0, %R, %R", head, head, covered);
    tile_ins(e, "selp.b32 %R, 0, %R, %R", tail, tail, word);
    tile_register mask = inside(s, &p);
    tile_ins(e, "or.b32 %R, %R, %R", head, head, tail);
    tile_ins(e, "and.b32 %R, %R, %R", mask, mask, head);
    for (uint32_t i = 0; i < a->vector; i++) {
        int64_t offset;
        tile_register address = tile_address_of(a, known, r + i, &offset);
        tile_emit_store(e, tile_order_words(a->op), "global", a->view->dtype, a->reg + r + i, 1,
                        address, offset, element_bit(e, mask, i));
    }
}

static void store_shifted(const struct shifted *s)
{
    struct tile_access_state *a = s->access;
    struct tile_addresses known = { .count = 0 };
    uint32_t count = tile_register_count(a->tile), vector = a->vector;

    for (uint32_t r = 0; r < count && !a->e->failed; r += vector) {
        if (a->deferred && r % TILE_PART == 0)
            tile_compute_deferred(a, r, r + (vector < TILE_PART ? TILE_PART : vector));
        if (!tile_repeats(a->tile->layout, r))
            store_vector(s, &known, r);
    }
    if (a->deferred)
        tile_restore_deferred(a->e, a->deferred);
}

void tile_move_shifted(struct tile_access_state *a, struct tile_bounds *bounds)
{
    struct shifted s;

    open_shifted(&s, a, bounds);
    if (a->stores)
        store_shifted(&s);
    else
        load_shifted(&s);
}
