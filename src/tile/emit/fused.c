// An entry with roles for a loop with several products (pass/fused.h): attention.
//
// Of a loop that turns the products of a turn that need nothing computed are started before the
// last product of the turn before, which then runs under the work on their results:
//
//     start S(0); wait; work(0); late work(0)
//     for n = 1 ..:  start S(n); start O(n - 1); wait for S; work(n); wait for O; late work(n)
//     start O(last); wait
//
// Late work is what reads the accumulator of the last product, or writes what it reads.
#include "../pass/fused.h"
#include "ring.h"

#include <stdio.h>
#include <string.h>

enum {
    COPY_REGISTERS = 40,
    PRODUCT_REGISTERS = 232,
    L2_BYTES = 32 << 20,    // of operands that are streamed by tiles worked on at a time
    BARRIER_BYTES = 16,     // of a stage: that it is full, and 8 bytes on that it is free
    BARRIERS = 8,           // stages that a ring has room for
    FREE_AT = 8,
    BARRIER_OF_PRODUCTS = 6, // named, of the first warpgroup: it may start its products
};

// Where a role is in its rings; all rings go together.
struct turn {
    tile_register stage, phase;
};

struct fused_ring {
    struct tile_ring ring;
    struct tile_fused *plan;
    struct turn turn, late;   // of products that start early, and of the last
    tile_register held_phase; // of what is loaded once a tile
    tile_register section;    // tiles along the other axes of the grid that go together
    tile_register others;     // how many there are
    tile_register descriptor[TILE_MOST_FEEDS];
    tile_register *words[TILE_MOST_PRODUCTS]; // left operands in registers
};

static struct fused_ring *ring_of(struct tile_emitter *e)
{
    return (struct fused_ring *)e->ring; // its first member
}

static uint32_t number_of(const struct tile_fused *p, const struct tile_feed *feed)
{
    return (uint32_t)(feed - p->feed);
}

// ---- Rings

static void next_stage(struct tile_emitter *e, const struct turn *turn)
{
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, 1", turn->stage, turn->stage);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, turn->stage, (unsigned)e->ring->plan->stages);
    tile_ins(e, "@%R mov.u32 %R, 0", wraps, turn->stage);
    tile_ins(e, "@%R xor.b32 %R, %R, 1", wraps, turn->phase, turn->phase);
}

// The barrier of a feed's stage; `turn` is not looked at where it is held.
static tile_register barrier_of(struct tile_emitter *e, const struct tile_feed *feed,
                                const struct turn *turn)
{
    struct fused_ring *r = ring_of(e);
    uint32_t first = number_of(r->plan, feed) * BARRIERS * BARRIER_BYTES;
    tile_register at = r->ring.base;

    if (!feed->held)
        at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", turn->stage,
                       (unsigned)BARRIER_BYTES, at);
    return first ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", at, first) : at;
}

static void wait_full(struct tile_emitter *e, const struct tile_feed *feed,
                      const struct turn *turn)
{
    tile_emit_wait(e, barrier_of(e, feed, turn), 0,
                   feed->held ? ring_of(e)->held_phase : turn->phase);
}

static void release(struct tile_emitter *e, const struct tile_feed *feed, const struct turn *turn)
{
    tile_register at = barrier_of(e, feed, turn);

    tile_ins(e, "@!%R mbarrier.arrive.shared::cta.b64 _, [%R+%u]", e->ring->not_first, at,
             (unsigned)FREE_AT);
}

// ---- The thread that copies

static void copy_feed(struct tile_emitter *e, const struct tile_feed *feed)
{
    struct fused_ring *r = ring_of(e);
    const struct tile_stream *s = &feed->stream;
    tile_register full = barrier_of(e, feed, &r->turn);
    tile_register before = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1",
                                     feed->held ? r->held_phase : r->turn.phase);
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base,
                                 (unsigned)TILE_RING_AT + s->at);

    if (!feed->held)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", to, r->turn.stage, s->bytes, to);
    tile_emit_wait(e, full, FREE_AT, before);
    tile_ins(e, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%R], %u", full,
             s->span * s->rows * s->slabs);
    tile_emit_copy(e, s, to, full);
}

static const struct tile_feed *feed_of(const struct tile_fused *p, const struct tile_op *load)
{
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].stream.load == load)
            return &p->feed[i];
    return NULL;
}

static bool emit_wanted(struct tile_emitter *e, const struct tile_block *block)
{
    struct tile_fused *p = ring_of(e)->plan;

    for (const struct tile_op *op = block->first; op && op != p->base.loop; op = op->next)
        if (op->result_count == 1 && p->base.wanted[op->result[0]->id] && !feed_of(p, op) &&
            !tile_emit_one(e, op))
            return false;
    return true;
}

// ---- Tiles that are read into registers

// The place of an element in its slab: rows of `span` bytes, whose pieces of 16 are exchanged by
// lower bits of the row. It is linear: that of two coordinates together is that of each, by XOR.
static uint32_t place_in_slab(const struct tile_stream *s, uint32_t row, uint32_t column)
{
    uint32_t bits = s->span == 128 ? row & 7 : s->span == 64 ? row >> 1 & 3 : row >> 2 & 1;

    return row * s->span ^ bits << 4 ^ column * s->element % s->span;
}

static tile_register thread_in_slab(struct tile_emitter *e, const struct tile_stream *s)
{
    const struct tile_layout *layout = s->load->result[0]->layout;
    tile_register sum = tile_number32(e, 0);

    for (uint32_t bit = 0; bit < TILE_LANE_BITS + (uint32_t)layout->warp_bits; bit++) {
        uint32_t one = UINT32_C(1) << (layout->register_bits + bit);
        uint32_t place = place_in_slab(s, tile_axis_coordinate(layout, one, 0),
                                       tile_axis_coordinate(layout, one, 1));
        tile_register part = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->tid, bit);
        part = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", part, place);
        sum = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", sum, part);
    }
    return sum;
}

// Everybody of the warpgroup has read before the stage is given back.
static bool read_feed(struct tile_emitter *e, const struct tile_feed *feed)
{
    struct fused_ring *r = ring_of(e);
    const struct tile_stream *s = &feed->stream;
    const struct tile_value *value = s->load->result[0];
    tile_register *reg = tile_registers(e, value);
    struct tile_text *before = tile_into_prologue(e);
    tile_register mine = thread_in_slab(e, s);
    e->text = before;

    if (!reg)
        return false;
    wait_full(e, feed, &r->turn);
    tile_register stage = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->turn.stage,
                                    s->bytes, r->ring.base);
    for (uint32_t i = 0; i < tile_register_count(value); i += 2) {
        uint32_t row = tile_register_coordinate(value->layout, i, 0);
        uint32_t column = tile_register_coordinate(value->layout, i, 1);
        if (row >= s->rows || column >= s->slabs * s->span / s->element)
            continue; // padding
        tile_register at = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", mine,
                                     place_in_slab(s, row, column));
        at = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, stage);
        tile_emit_load(e, "", "shared", value->type.dtype, reg + i, 2, at,
                       TILE_RING_AT + s->at +
                           column * s->element / s->span * (int64_t)(s->span * s->rows),
                       TILE_NO_REGISTER);
    }
    tile_register barrier = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.group,
                                      (unsigned)TILE_BARRIER_OF_GROUP);
    tile_ins(e, "bar.sync %R, %u", barrier, (unsigned)TILE_GROUP_THREADS);
    release(e, feed, &r->turn);
    return !e->failed;
}

// ---- Products

static void open_products(struct tile_emitter *e)
{
    struct fused_ring *r = ring_of(e);
    struct tile_text *before = tile_into_prologue(e);
    tile_register in_group =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, TILE_GROUP_THREADS - 1u);

    r->ring.not_first = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", in_group);
    r->ring.not_storing = r->ring.not_first;
    for (uint32_t i = 0; i < r->plan->feeds; i++) {
        const struct tile_stream *s = &r->plan->feed[i].stream;
        tile_register at = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base,
                                     (unsigned)TILE_RING_AT + s->at);
        for (uint32_t n = 0; n < r->plan->products; n++)
            if (r->plan->product[n].feed[0] == &r->plan->feed[i])
                tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->ring.group, tile_block_step(s),
                         at);
        at = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x3ffff", at);
        at = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", at);
        tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", at);
        r->descriptor[i] =
            tile_make(e, TILE_R64, "or.b64 %R, %R, 0x%x", wide, tile_descriptor_of(s));
    }
    e->text = before;
}

// Registers `first` on, "{%r1, ...}".
static const char *list_of(struct tile_emitter *e, const tile_register *reg, uint32_t count)
{
    struct tile_text text = { .module = e->module };

    for (uint32_t i = 0; i < count; i++) {
        tile_put_string(&text, i ? ", " : "{");
        tile_put_string(&text, tile_name(reg[i]));
    }
    tile_put_string(&text, "}");
    return text.at ? text.at : "";
}

static uint32_t powers_of(uint32_t count)
{
    uint32_t bits = 0;

    while (UINT32_C(1) << bits < count)
        bits++;
    return bits;
}

// The left operand's registers as instructions take them: two elements a word.
static bool pack(struct tile_emitter *e, const struct tile_fused_product *product)
{
    struct fused_ring *r = ring_of(e);
    uint32_t number = (uint32_t)(product - r->plan->product);
    const struct tile_value *a = product->mma->operand[0];
    uint32_t each = UINT32_C(1) << (powers_of(product->depth) - 1); // registers of a block
    uint32_t words = r->plan->base.blocks * each / 2;
    const tile_register *reg = tile_registers(e, a);

    if (!r->words[number]) {
        r->words[number] = tile_take(e->module, words * sizeof(**r->words));
        for (uint32_t i = 0; r->words[number] && i < words; i++)
            r->words[number][i] = tile_new(e, TILE_R32);
    }
    if (!reg || !r->words[number])
        return false;
    for (uint32_t i = 0; i < words; i++)
        if (2 * i % each < product->depth / 2)
            tile_ins(e, "mov.b32 %R, {%R, %R}", r->words[number][i], reg[2 * i], reg[2 * i + 1]);
    return true;
}

static tile_register moved(struct tile_emitter *e, tile_register descriptor, uint32_t bytes)
{
    return bytes ? tile_make(e, TILE_R64, "add.s64 %R, %R, %u", descriptor, bytes / 16)
                 : descriptor;
}

static tile_register descriptor_in(struct tile_emitter *e, const struct tile_feed *feed,
                                   const struct turn *turn)
{
    struct fused_ring *r = ring_of(e);
    tile_register first = r->descriptor[number_of(r->plan, feed)];

    if (feed->held)
        return first;
    tile_register stage = tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", turn->stage,
                                    feed->stream.bytes / 16);
    return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", first, stage);
}

// Start a product whose operands are there, as a group of its own; `keeps`: it is added to `sum`.
static void start(struct tile_emitter *e, const struct tile_fused_product *product,
                  const tile_register *sum, const struct turn *turn, bool keeps)
{
    enum { STEP_BYTES = 32 };
    struct fused_ring *r = ring_of(e);
    const struct tile_value *a = product->mma->operand[0], *b = product->mma->operand[1];
    const struct tile_wgmma *x = tile_wgmma_of(a->type.dtype), *y = tile_wgmma_of(b->type.dtype);
    const struct tile_feed *left = product->feed[0], *right = product->feed[1];
    uint32_t per_step = STEP_BYTES / right->stream.element, steps = product->depth / per_step;
    uint32_t each = UINT32_C(1) << (powers_of(product->columns) - 1);
    const tile_register *words = r->words[product - r->plan->product];
    uint32_t words_each = (UINT32_C(1) << powers_of(product->depth)) / 4;
    tile_register at[2] = { TILE_NO_REGISTER, descriptor_in(e, right, turn) };
    char end[16] = "";

    if (left)
        at[0] = descriptor_in(e, left, turn);
    if (x->turns && left)
        snprintf(end, sizeof(end), ", 1, 1, %d, %d", left->stream.mn_major,
                 right->stream.mn_major);
    else if (x->turns)
        snprintf(end, sizeof(end), ", 1, 1, %d", right->stream.mn_major);
    else if (x->signs)
        snprintf(end, sizeof(end), ", 1, 1");
    tile_ins(e, "wgmma.fence.sync.aligned");
    for (uint32_t step = 0; step < steps; step++) {
        tile_register to = moved(e, at[1], tile_step_of(&right->stream, step));
        for (uint32_t block = 0; block < r->plan->base.blocks; block++) {
            tile_register from = TILE_NO_REGISTER;
            if (left)
                from = moved(e, at[0],
                             tile_step_of(&left->stream, step) +
                                 block * r->plan->base.groups * tile_block_step(&left->stream));
            tile_put(e->text, "\twgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ",
                     product->columns, per_step, x->signs ? "f32" : "s32", x->name, y->name);
            tile_put_string(e->text, list_of(e, sum + block * each, product->columns / 2));
            tile_put_string(e->text, ", ");
            tile_put_string(e->text, left ? tile_name(from)
                                          : list_of(e, words + block * words_each + 4 * step, 4));
            tile_put(e->text, ", %s, %s%s;\n", tile_name(to), step || keeps ? "1" : "0", end);
        }
    }
    tile_ins(e, "wgmma.commit_group.sync.aligned");
}

static void wait_products(struct tile_emitter *e, uint32_t running)
{
    tile_ins(e, "wgmma.wait_group.sync.aligned %u", running);
}

// ---- The loop

struct loop {
    const struct tile_op *op;
    const char *type;
    bool wide;
    tile_register variable, last, step;
};

static bool emit_work_op(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_feed *feed = feed_of(ring_of(e)->plan, op);

    if (feed && feed->read)
        return read_feed(e, feed);
    return tile_fused_skips(e, op) || tile_emit_next(e, op);
}

// Everything of a turn that is not started elsewhere: late work, or what is none.
static bool emit_work(struct tile_emitter *e, const struct tile_block *body, bool late)
{
    struct tile_fused *p = ring_of(e)->plan;

    for (const struct tile_op *op = body->first; op != body->last; op = op->next) {
        bool is_late = op->result_count && p->late[op->result[0]->id];
        if (op->kind != TILE_MMA && is_late == late && !emit_work_op(e, op))
            return false;
    }
    return true;
}

// To the next turn what it carries, but the accumulator of the last product, which is there.
static void carry(struct tile_emitter *e, const struct loop *l, const struct tile_value *acc)
{
    const struct tile_op *end = l->op->block[0]->last;
    struct tile_value **to = tile_take(e->module, (end->operand_count + 1) * sizeof(*to));
    struct tile_value **from = tile_take(e->module, (end->operand_count + 1) * sizeof(*from));
    uint32_t count = 0;

    for (uint32_t i = 0; to && from && i < end->operand_count; i++)
        if (end->operand[i] != acc) {
            to[count] = l->op->result[i];
            from[count++] = end->operand[i];
        }
    tile_move_values(e, to, from, count);
}

// Before the last product of this turn is started: its accumulator and left operand.
static bool ready_last(struct tile_emitter *e, const tile_register *sum)
{
    struct tile_fused *p = ring_of(e)->plan;
    const struct tile_fused_product *last = &p->product[p->products - 1];
    const tile_register *in = tile_registers(e, last->mma->operand[2]);
    uint32_t count = tile_register_count(last->mma->result[0]);

    for (uint32_t i = 0; in && i < count; i++)
        tile_move(e, sum[i], in[i]);
    return in && (last->feed[0] || pack(e, last));
}

static void start_early(struct tile_emitter *e)
{
    struct fused_ring *r = ring_of(e);
    struct tile_fused *p = r->plan;

    for (uint32_t i = 0; i + 1 < p->products; i++) {
        for (uint32_t n = 0; n < 2; n++)
            if (!p->product[i].feed[n]->held)
                wait_full(e, p->product[i].feed[n], &r->turn);
        start(e, &p->product[i], tile_registers(e, p->product[i].mma->result[0]), &r->turn,
              false);
    }
}

static void start_last(struct tile_emitter *e, const tile_register *sum)
{
    struct fused_ring *r = ring_of(e);
    const struct tile_fused_product *last = &r->plan->product[r->plan->products - 1];

    for (uint32_t n = 0; n < 2; n++)
        if (last->feed[n] && !last->feed[n]->held)
            wait_full(e, last->feed[n], &r->late);
    start(e, last, sum, &r->late, true);
}

static void release_feeds(struct tile_emitter *e, uint32_t first, uint32_t end,
                          const struct turn *turn)
{
    struct tile_fused *p = ring_of(e)->plan;

    for (uint32_t i = first; i < end; i++)
        for (uint32_t n = 0; n < 2; n++)
            if (p->product[i].feed[n] && !p->product[i].feed[n]->held)
                release(e, p->product[i].feed[n], turn);
}

// The variable's next value, or away to `end`.
static void advance(struct tile_emitter *e, const struct loop *l, uint32_t end)
{
    tile_register left = tile_new(e, l->wide ? TILE_R64 : TILE_R32),
                  over = tile_new(e, TILE_PRED);

    tile_ins(e, "sub.%s %R, %R, %R", l->type, left, l->last, l->variable);
    tile_ins(e, "setp.le.u%s %R, %R, %R", l->type + 1, over, left, l->step);
    tile_branch(e, over, false, end);
    tile_ins(e, "add.%s %R, %R, %R", l->type, l->variable, l->variable, l->step);
}

// Warpgroups start their products in turns, so that one computes while the other's are done.
static tile_register barrier_of_products(struct tile_emitter *e, uint32_t other)
{
    tile_register group = ring_of(e)->ring.group;

    if (other)
        group = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", group);
    return tile_make(e, TILE_R32, "add.u32 %R, %R, %u", group, (unsigned)BARRIER_OF_PRODUCTS);
}

static void await_products(struct tile_emitter *e)
{
    if (ring_of(e)->plan->alternates)
        tile_ins(e, "bar.sync %R, %u", barrier_of_products(e, 0),
                 2 * (unsigned)TILE_GROUP_THREADS);
}

static void hand_products_over(struct tile_emitter *e)
{
    if (ring_of(e)->plan->alternates)
        tile_ins(e, "bar.arrive %R, %u", barrier_of_products(e, 1),
                 2 * (unsigned)TILE_GROUP_THREADS);
}

static bool turning_loop(struct tile_emitter *e, const struct loop *l)
{
    struct fused_ring *r = ring_of(e);
    uint32_t early = r->plan->products - 1;
    const struct tile_op *last = r->plan->product[early].mma;
    const struct tile_block *body = l->op->block[0];
    uint32_t again = tile_label(e), tail = tile_label(e);
    const tile_register *sum = NULL;

    for (uint32_t i = 0; i < l->op->result_count; i++)
        if (body->last->operand[i] == last->result[0])
            sum = tile_registers(e, l->op->result[i]);
    if (!sum)
        return false;
    start_early(e);
    wait_products(e, 0);
    release_feeds(e, 0, early, &r->turn);
    if (!emit_work(e, body, false))
        return false;
    next_stage(e, &r->turn);
    if (!emit_work(e, body, true) || !ready_last(e, sum))
        return false;
    carry(e, l, last->result[0]);
    tile_put_label(e, again);
    advance(e, l, tail);
    await_products(e);
    start_early(e);
    start_last(e, sum);
    hand_products_over(e);
    if (early) {
        wait_products(e, 1);
        release_feeds(e, 0, early, &r->turn);
    }
    if (!emit_work(e, body, false))
        return false;
    next_stage(e, &r->turn);
    wait_products(e, 0);
    release_feeds(e, early, early + 1, &r->late);
    next_stage(e, &r->late);
    if (!emit_work(e, body, true) || !ready_last(e, sum))
        return false;
    carry(e, l, last->result[0]);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, tail);
    start_last(e, sum);
    wait_products(e, 0);
    release_feeds(e, early, early + 1, &r->late);
    next_stage(e, &r->late);
    return true;
}

// A product where it stands.
static bool emit_product(struct tile_emitter *e, const struct tile_fused_product *product)
{
    struct fused_ring *r = ring_of(e);
    const struct tile_value *result = product->mma->result[0];
    const tile_register *sum = tile_registers(e, result), *in;
    uint32_t count = tile_register_count(result);

    if (!sum || (!product->feed[0] && !pack(e, product)))
        return false;
    if (!product->from_zero) {
        in = tile_registers(e, product->mma->operand[2]);
        for (uint32_t i = 0; in && i < count; i++)
            tile_move(e, sum[i], in[i]);
    }
    for (uint32_t n = 0; n < 2; n++)
        if (product->feed[n] && !product->feed[n]->held)
            wait_full(e, product->feed[n], &r->turn);
    start(e, product, sum, &r->turn, !product->from_zero);
    wait_products(e, 0);
    for (uint32_t n = 0; n < 2; n++)
        if (product->feed[n] && !product->feed[n]->held)
            release(e, product->feed[n], &r->turn);
    return !e->failed;
}

static bool plain_loop(struct tile_emitter *e, const struct loop *l)
{
    struct fused_ring *r = ring_of(e);
    uint32_t again = tile_label(e), end = tile_label(e), product = 0;

    tile_put_label(e, again);
    for (const struct tile_op *op = l->op->block[0]->first; op != l->op->block[0]->last;
         op = op->next)
        if (op->kind == TILE_MMA ? !emit_product(e, &r->plan->product[product++])
                                 : !emit_work_op(e, op))
            return false;
    next_stage(e, &r->turn);
    carry(e, l, NULL);
    advance(e, l, end);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, end);
    return true;
}

static bool copy_loop(struct tile_emitter *e, const struct loop *l)
{
    struct fused_ring *r = ring_of(e);
    struct tile_fused *p = r->plan;
    uint32_t again = tile_label(e), end = tile_label(e);

    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].held)
            copy_feed(e, &p->feed[i]);
    tile_put_label(e, again);
    if (!emit_wanted(e, l->op->block[0]))
        return false;
    for (uint32_t i = 0; i < p->feeds; i++)
        if (!p->feed[i].held)
            copy_feed(e, &p->feed[i]);
    next_stage(e, &r->turn);
    advance(e, l, end);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, end);
    return true;
}

bool tile_emit_fused_loop(struct tile_emitter *e, const struct tile_op *op)
{
    struct fused_ring *r = ring_of(e);
    struct tile_fused *p = r->plan;
    const struct tile_value *value = op->block[0]->argument[0];
    bool wide = tile_class_of(value->type.dtype) == TILE_R64;
    struct loop l = {
        .op = op,
        .wide = wide,
        .type = tile_is_signed(value->type.dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32",
    };
    uint32_t none = tile_label(e);
    const tile_register *own = tile_registers(e, value);

    if (!own)
        return false;
    l.variable = own[0];
    l.last = tile_registers(e, op->operand[1])[0];
    l.step = tile_registers(e, op->operand[2])[0];
    tile_move(e, l.variable, tile_registers(e, op->operand[0])[0]);
    if (!r->ring.copies) {
        for (uint32_t i = 0; i < op->result_count; i++)
            if (!(e->value[op->block[0]->argument[1 + i]->id] = tile_registers(e, op->result[i])))
                return false;
        tile_move_values(e, op->result, op->operand + 3, op->result_count);
        e->shared_busy = true;
    }
    tile_register over = tile_make(e, TILE_PRED, wide ? "setp.ge.s64 %R, %R, %R"
                                                      : "setp.ge.s32 %R, %R, %R",
                                   l.variable, l.last);
    tile_branch(e, over, false, none);
    for (uint32_t i = 0; i < p->feeds && !r->ring.copies; i++)
        if (p->feed[i].held)
            wait_full(e, &p->feed[i], NULL);
    if (!(r->ring.copies ? copy_loop : p->turns ? turning_loop : plain_loop)(e, &l))
        return false;
    for (uint32_t i = 0; i < p->feeds && !r->ring.copies; i++)
        if (p->feed[i].held)
            release(e, &p->feed[i], NULL);
    tile_ins(e, "xor.b32 %R, %R, 1", r->held_phase, r->held_phase);
    tile_put_label(e, none);
    e->shared_busy = true;
    return !e->failed;
}

static bool has_map(const struct tile_pipeline *plan, uint32_t parameter)
{
    for (uint32_t i = 0; i < plan->maps; i++)
        if (plan->map[i].parameter == parameter)
            return true;
    return false;
}

bool tile_fits_word(const struct tile_emitter *e, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (!e->ring || !op)
        return false;
    switch (op->kind) {
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
        return true;
    case TILE_DIMENSION:
        return has_map(e->ring->plan,
                       e->kernel->dimension[tile_int(op, TILE_ATTR_INDEX, 0)].parameter);
    case TILE_DIM:
        return !op->operand[0]->op && has_map(e->ring->plan, op->operand[0]->index);
    case TILE_CONSTANT:
        return tile_int(op, TILE_ATTR_VALUE, -1) >= 0 &&
               tile_int(op, TILE_ATTR_VALUE, -1) <= INT32_MAX;
    case TILE_FLOORDIV:
    case TILE_MOD:
        return tile_fits_word(e, op->operand[0]) && tile_fits_word(e, op->operand[1]);
    default:
        return false;
    }
}

bool tile_fused_skips(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_fused *p = tile_fused_of(e->ring->plan);

    if (!p || !(tile_op_infos[op->kind].traits & (TILE_PURE | TILE_READS)) || !op->result_count)
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (p->needed[op->result[i]->id])
            return false;
    return op->kind != TILE_MMA;
}

// ---- Tiles

// All tiles along the first axis of a section of the others, then the next: what a section streams
// stays in the second cache. Where the loop's end depends on the first axis the last tiles come
// first: they are the longest, as in causal attention.
static void open_tile(struct tile_emitter *e, tile_register tile, uint32_t end)
{
    struct fused_ring *r = ring_of(e);
    const tile_register *grid = r->ring.grid;
    tile_register over = tile_new(e, TILE_PRED), block[3];

    tile_ins(e, "setp.ge.u32 %R, %R, %R", over, tile, r->ring.tiles);
    tile_branch(e, over, false, end);
    tile_register layer = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", grid[0], r->section);
    tile_register first = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", tile, layer);
    tile_register rest = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", first, layer);
    rest = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", tile, rest);
    first = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", first, r->section);
    tile_register size = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", r->others, first);
    size = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", size, r->section);
    block[0] = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", rest, size);
    tile_register other = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", block[0], size);
    other = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", rest, other);
    other = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", other, first);
    block[2] = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", other, grid[1]);
    block[1] = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", block[2], grid[1]);
    block[1] = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", other, block[1]);
    if (r->plan->uneven) {
        tile_register back = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", grid[0]);
        block[0] = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", back, block[0]);
    }
    for (uint32_t i = 0; i < 3; i++)
        e->block[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", block[i]);
}

static bool emit_tiles(struct tile_emitter *e, bool (*body)(struct tile_emitter *e))
{
    struct fused_ring *r = ring_of(e);
    uint32_t again = tile_label(e), end = tile_label(e);
    tile_register tile = tile_make(e, TILE_R32, "mov.u32 %R, %%ctaid.x");
    tile_register step = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");

    r->turn = (struct turn){ tile_number32(e, 0), tile_number32(e, 0) };
    r->late = (struct turn){ tile_number32(e, 0), tile_number32(e, 0) };
    r->held_phase = tile_number32(e, 0);
    r->ring.next_tile = tile_label(e);
    tile_put_label(e, again);
    open_tile(e, tile, end);
    if (!body(e))
        return false;
    tile_put_label(e, r->ring.next_tile);
    tile_ins(e, "add.u32 %R, %R, %R", tile, tile, step);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, end);
    return !e->failed;
}

// ---- Roles

static bool copy_body(struct tile_emitter *e)
{
    const struct tile_op *loop = e->ring->plan->loop;

    return emit_wanted(e, &e->kernel->body) && tile_emit_fused_loop(e, loop);
}

static bool product_body(struct tile_emitter *e)
{
    e->shared_busy = true; // by the tile before
    e->read = e->written = 0;
    e->ring->out.open = false;
    return tile_emit_block(e, &e->kernel->body);
}

// How many tiles along the other axes go together: as many as stream what the cache holds.
static void open_sections(struct tile_emitter *e)
{
    struct fused_ring *r = ring_of(e);
    tile_register sum = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < r->plan->feeds; i++) {
        const struct tile_op *load = r->plan->feed[i].stream.load;
        const struct tile_emit_view *view = &e->view[load->operand[0]->id];
        int64_t dropped = tile_int(load, TILE_ATTR_DROPPED, 0);
        tile_register bytes = TILE_NO_REGISTER;
        if (r->plan->feed[i].held)
            continue;
        bytes = tile_make(e, TILE_R32, "mov.b32 %R, 0f%x", UINT64_C(0x3F800000));
        for (uint32_t axis = 0; axis < view->rank; axis++) {
            if (dropped >> axis & 1)
                continue;
            tile_register extent = tile_make(e, TILE_R32, "cvt.rn.f32.s64 %R, %R",
                                             tile_size_register(e, &view->extent[axis]));
            bytes = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, %R", bytes, extent);
        }
        for (uint32_t n = 1; n < r->plan->feed[i].stream.element; n *= 2)
            bytes = tile_make(e, TILE_R32, "add.rn.f32 %R, %R, %R", bytes, bytes);
        sum = sum ? tile_make(e, TILE_R32, "add.rn.f32 %R, %R, %R", sum, bytes) : bytes;
    }
    r->others =
        tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", r->ring.grid[1], r->ring.grid[2]);
    tile_register most = tile_make(e, TILE_R32, "cvt.rn.f32.u32 %R, %u", (unsigned)L2_BYTES);
    tile_register count = tile_make(e, TILE_R32, "div.approx.f32 %R, %R, %R", most, sum);
    r->section = tile_make(e, TILE_R32, "cvt.rzi.u32.f32 %R, %R", count);
    r->section = tile_make(e, TILE_R32, "max.u32 %R, %R, 1", r->section);
    r->section = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", r->section, r->others);
}

static void emit_start(struct tile_emitter *e, uint32_t bytes)
{
    struct fused_ring *r = ring_of(e);
    struct tile_fused *p = r->plan;
    uint32_t made = tile_label(e);
    tile_register first = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", e->tid);
    tile_register args = tile_new(e, TILE_R64);

    tile_ins(e, "mov.b64 %R, args", args);
    tile_ins(e, "cvta.param.u64 %R, %R", args, args);
    for (uint32_t i = 0; i < p->base.maps; i++)
        r->ring.map[i] = tile_make(e, TILE_R64, "add.s64 %R, %R, %u", args,
                                   tile_maps_at(bytes) + i * (unsigned)TILE_MAP_BYTES);
    for (uint32_t i = 0; i < 3; i++) {
        r->ring.grid[i] = tile_make(e, TILE_R32, "ld.param.u32 %R, [args+%u]", bytes + 4 * i);
        e->blocks[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", r->ring.grid[i]);
    }
    r->ring.tiles = tile_make(e, TILE_R32, "ld.param.u32 %R, [args+%u]", bytes + 12);
    open_sections(e);
    tile_branch(e, first, false, made);
    for (uint32_t i = 0; i < p->base.maps; i++)
        tile_ins(e, "prefetch.tensormap [%R]", r->ring.map[i]);
    for (uint32_t i = 0; i < p->feeds; i++)
        for (uint32_t s = 0; s < (p->feed[i].held ? 1 : p->base.stages); s++) {
            uint32_t at = (i * BARRIERS + s) * BARRIER_BYTES;
            tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], 1", r->ring.base, at);
            tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], %u", r->ring.base,
                     at + (unsigned)FREE_AT, p->base.groups);
        }
    tile_ins(e, "fence.mbarrier_init.release.cluster");
    tile_put_label(e, made);
    tile_ins(e, "bar.sync 0");
    tile_register group = tile_make(e, TILE_R32, "shr.u32 %R, %R, 7", e->tid);
    r->ring.group = tile_make(e, TILE_R32, "shfl.sync.idx.b32 %R, %R, 0, 0x1f, 0xffffffff", group);
}

static tile_register **values_again(struct tile_emitter *e, tile_register *const *from)
{
    size_t bytes = (e->kernel->value_count + 1) * sizeof(*from);
    tile_register **copy = tile_take(e->module, bytes);

    if (copy)
        memcpy(copy, from, bytes);
    return copy;
}

static bool emit_roles(struct tile_emitter *e, uint32_t bytes, struct tile_text *copying)
{
    struct fused_ring *r = ring_of(e);
    uint32_t multiply = tile_label(e), end = tile_label(e);
    struct tile_text common = e->prologue;
    tile_register **values;

    e->text = &common;
    emit_start(e, bytes);
    tile_register multiplies = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", r->ring.group,
                                         r->plan->base.groups);
    tile_branch(e, multiplies, false, multiply);
    values = values_again(e, e->value);
    if (!values)
        return false;

    // One thread copies; what its role computes for itself goes where its text does.
    struct tile_text prologue = { .module = e->module };
    struct tile_text own = { .module = e->module };
    e->prologue = prologue;
    r->ring.copies = true;
    e->text = &own;
    tile_register others = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, %u", e->tid,
                                     r->plan->base.groups * (unsigned)TILE_GROUP_THREADS);
    tile_branch(e, others, false, end);
    if (!emit_tiles(e, copy_body))
        return false;
    tile_put_label(e, end);
    tile_ins(e, "bar.warp.sync 0xffffffff");
    tile_ins(e, "ret");
    *copying = common;
    tile_put(copying, "\tsetmaxnreg.dec.sync.aligned.u32 %d;\n", COPY_REGISTERS);
    tile_put_string(copying, e->prologue.at ? e->prologue.at : "");
    tile_put_string(copying, own.at ? own.at : "");
    tile_put(copying, "$L%u:\n", multiply);
    tile_put(copying, "\tsetmaxnreg.inc.sync.aligned.u32 %d;\n", PRODUCT_REGISTERS);

    r->ring.copies = false;
    e->value = values;
    e->waiting = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->waiting));
    if (!e->waiting)
        return false;
    e->coordinates = 0;
    e->prologue = prologue;
    e->text = &e->body;
    open_products(e);
    if (r->plan->alternates) { // the first begins
        uint32_t begins = tile_label(e);
        tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", r->ring.group);
        tile_branch(e, first, false, begins);
        hand_products_over(e);
        tile_put_label(e, begins);
    }
    if (!emit_tiles(e, product_body))
        return false;
    if (r->plan->base.store)
        tile_ins(e, "@!%R cp.async.bulk.wait_group 0", r->ring.not_storing);
    tile_ins(e, "ret");
    return !e->failed;
}

bool tile_emit_fused(struct tile_module *module, const struct tile_kernel *kernel,
                     struct tile_fused *plan, const struct tile_target *target,
                     struct tile_text *out, struct tile_entry *entry)
{
    struct fused_ring ring = { .ring = { .plan = &plan->base }, .plan = plan };
    struct tile_emitter e = { .module = module,
                              .kernel = kernel,
                              .target = target,
                              .variant = TILE_TMA,
                              .warps = 4 * plan->base.groups,
                              .ring = &ring.ring };
    struct tile_text copying;
    uint32_t threads = (plan->base.groups + 1) * TILE_GROUP_THREADS;

    if (!tile_open_values(&e) || kernel->parameter_count > 64)
        return false;
    uint32_t bytes = tile_parameter_layout(kernel, e.parameter_at);
    ring.ring.staging = TILE_RING_AT;
    for (uint32_t i = 0; i < plan->feeds; i++) {
        struct tile_feed *feed = &plan->feed[i];
        feed->stream.at = ring.ring.staging - TILE_RING_AT;
        ring.ring.staging += feed->stream.bytes * (feed->held ? 1 : plan->base.stages);
    }
    tile_begin_entry(&e);
    ring.ring.base = tile_new(&e, TILE_R32);
    if (!emit_roles(&e, bytes, &copying) || module->diagnostics->out_of_memory)
        return false;
    uint32_t scratch = ring.ring.staging +
                       (plan->base.store ? plan->base.groups * tile_staging_bytes(&plan->base) : 0);
    *entry = (struct tile_entry){
        .variant = TILE_TMA,
        .name = tile_entry_name(module, kernel, TILE_TMA),
        .warps = threads / 32,
        .dynamic_shared = scratch + e.shared_bytes,
        .persistent = true,
        .cluster = 1,
        .map_count = plan->base.maps,
    };
    memcpy(entry->map, plan->base.map, sizeof(entry->map));
    if (!entry->name || entry->dynamic_shared > target->shared_limit)
        return false;
    e.shared_bytes = 0; // none of it is declared
    tile_put_functions(&e, out);
    if (e.globals.length)
        tile_put_string(out, e.globals.at);
    tile_put(out, ".visible .entry %s(.param .align 64 .b8 args[%u])\n", entry->name,
             tile_block_bytes(entry, bytes));
    tile_put(out, ".maxntid %u, 1, 1\n.minnctapersm 1\n{\n", threads);
    tile_put_declarations(&e, out);
    tile_put(out, "\tmov.u32 %s, dynamic_scratch;\n", tile_name(ring.ring.base));
    tile_put(out, "\tadd.u32 %s, %s, %u;\n", tile_name(e.shared), tile_name(ring.ring.base),
             scratch);
    tile_put_string(out, copying.at ? copying.at : "");
    tile_put_string(out, e.prologue.at ? e.prologue.at : "");
    tile_put_string(out, e.body.at ? e.body.at : "");
    tile_put_string(out, "}\n");
    return true;
}
