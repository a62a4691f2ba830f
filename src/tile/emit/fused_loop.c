// The loop of a warp-specialized entry with several matrix products (pass/fused.h), such as
// attention.
//
// If the loop `overlaps`, the next iteration's products S, which need no computed operand, start
// before this iteration's last product O. O then runs while the warpgroup works on the results of
// S:
//
//     start S(0); wait; work(0); late work(0)
//     for n = 1 ..:  start S(n); start O(n - 1); wait for S; work(n); wait for O; late work(n)
//     start O(last); wait
//
// Late work is everything that reads the last product's accumulator or writes what that product
// reads.
#include "element.h"
#include "fused_loop.h"

// The named barrier at which the first warpgroup waits for its turn to start products.
enum { BARRIER_OF_PRODUCTS = 6 };

bool tile_loop_emit_op(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;
    const struct tile_feed *feed = tile_feed_of(p, op);

    if (feed && feed->reader == op)
        return tile_read_feed(e, feed);
    if (feed && feed->small)
        return tile_read_small(e, feed);
    if (op->kind == TILE_STORE_REDUCE) { // needs no barrier: nothing else touches its tensor
        uint64_t read = e->read, written = e->written;
        bool done = tile_emit_next(e, op);
        e->read = read;
        e->written = written;
        return done;
    }
    return tile_fused_skips(e, op) || tile_is_loaded_ahead(p, op) || tile_emit_next(e, op);
}

// Emits loads for the iteration `later` iterations ahead. Past the loop's end, loads the current
// iteration's tiles again.
static bool load_later(struct tile_emitter *e, const struct tile_loop *l, uint32_t later,
                       struct tile_ahead *ahead)
{
    enum tile_register_class class = l->wide ? TILE_R64 : TILE_R32;
    tile_register at = l->variable;

    if (!ahead->count)
        return true;
    if (later && tile_needs_variable(ahead)) {
        tile_register way = l->step;
        for (uint32_t i = 1; i < later; i++)
            way = tile_make(e, class, "add.%s %R, %R, %R", l->type, way, l->step);
        tile_register left = tile_make(e, class, "sub.%s %R, %R, %R", l->type, l->last, at);
        tile_register more =
            tile_make(e, TILE_PRED, "setp.gt.u%s %R, %R, %R", l->type + 1, left, way);
        tile_register next = tile_make(e, class, "add.%s %R, %R, %R", l->type, at, way);
        at = tile_make(e, class, "selp.b%s %R, %R, %R, %R", l->type + 1, next, at, more);
    }
    return tile_load_ahead(e, l->op, at, later, ahead);
}

bool tile_loop_load_next(struct tile_emitter *e, const struct tile_loop *l,
                         struct tile_ahead *ahead)
{
    return load_later(e, l, TILE_AHEAD, ahead);
}

bool tile_loop_open_ahead(struct tile_emitter *e, const struct tile_loop *l,
                          struct tile_ahead *ahead)
{
    if (!tile_open_ahead(e, l->op, l->step, ahead))
        return false;
    for (uint32_t later = 0; later < TILE_AHEAD; later++)
        if (!load_later(e, l, later, ahead))
            return false;
    return true;
}

void tile_loop_put_label(struct tile_emitter *e, uint32_t label)
{
    tile_put_label(e, label);
    e->shared_busy = TILE_SHARED_BUSY;
}

// Returns the number of copies of an iteration's code in a loop: one per set of registers.
uint32_t tile_loop_copies(const struct tile_ahead *ahead)
{
    return ahead->count ? TILE_AHEAD + 1 : 1;
}

// ---- Work

// Writes an op's result to the ring from which products take it.
bool tile_loop_write_feeds(struct tile_emitter *e, const struct tile_op *op,
                           const struct tile_ring_position *position)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].computed && p->feed[i].computed->op == op &&
            !tile_write_feed(e, &p->feed[i], position))
            return false;
    return true;
}

// Emits an iteration's ops except products and scaling: the late work if `late`, otherwise all
// other work.
static bool emit_work(struct tile_emitter *e, const struct tile_block *body, bool late)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused *p = r->plan;

    for (const struct tile_op *op = body->first; op != body->last; op = op->next) {
        bool is_late = op->result_count && p->late[op->result[0]->id];
        if (op->kind == TILE_MMA || op == p->scaling || is_late != late)
            continue;
        // The late work comes after the early products of the next iteration.
        if (!tile_loop_emit_op(e, op) ||
            !tile_loop_write_feeds(e, op, late ? &r->late : &r->position))
            return false;
    }
    return true;
}

// Passes carried values to the next iteration, except `acc`, which is already in place. NULL:
// passes all.
void tile_loop_carry(struct tile_emitter *e, const struct tile_loop *l,
                     const struct tile_value *acc)
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

// Scales the last product's accumulator, unless all factors for a warp's rows are 1. In attention,
// the factors are 1 if no row has a new maximum, as in most iterations over a long sequence.
static bool scale_sum(struct tile_emitter *e, const tile_register *sum)
{
    const struct tile_op *op = tile_fused_ring_of(e)->plan->scaling;
    const tile_register *x = tile_registers(e, op->operand[0]), *by;
    uint32_t count = tile_register_count(op->result[0]), over = tile_label(e);
    tile_register any = TILE_NO_REGISTER;

    by = tile_registers(e, op->operand[x && x[0] == sum[0]]);
    for (uint32_t i = 0; by && i < count; i++) {
        bool seen = false;
        for (uint32_t n = 0; n < i; n++)
            seen |= by[n] == by[i];
        if (seen)
            continue;
        tile_register p = tile_make(e, TILE_PRED, "setp.neu.f32 %R, %R, 0f3F800000", by[i]);
        any = any ? tile_make(e, TILE_PRED, "or.pred %R, %R, %R", any, p) : p;
    }
    if (!by)
        return false;
    any = tile_make(e, TILE_PRED, "vote.sync.any.pred %R, %R, 0xffffffff", any);
    tile_branch(e, any, true, over);
    for (uint32_t i = 0; i < count; i++)
        tile_ins(e, "mul.rn.f32 %R, %R, %R", sum[i], sum[i], by[i]);
    tile_put_label(e, over);
    return !e->failed;
}

// Prepares the accumulator and the operand a for this iteration's last product, or the operands a
// of several ones.
static bool ready_last(struct tile_emitter *e, const tile_register *sum)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;
    const struct tile_fused_product *last = &p->product[p->products - 1];
    uint32_t count = tile_register_count(last->mma->result[0]);

    if (!sum) {
        for (uint32_t i = p->early; i < p->products; i++)
            if (!p->product[i].feed[0] && !tile_pack_left(e, &p->product[i]))
                return false;
        return true;
    }
    if (!p->scaling) {
        const tile_register *in = tile_registers(e, last->mma->operand[2]);
        for (uint32_t i = 0; in && i < count; i++)
            tile_move(e, sum[i], in[i]);
        if (!in)
            return false;
    } else if (!scale_sum(e, sum)) {
        return false;
    }
    return last->feed[0] || p->two_lefts || tile_pack_left(e, last);
}

static void start_early(struct tile_emitter *e)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    struct tile_fused *p = r->plan;

    for (uint32_t i = 0; i < p->early; i++) {
        for (uint32_t n = 0; n < 2; n++)
            if (!p->product[i].feed[n]->held)
                tile_wait_for_feed(e, p->product[i].feed[n], &r->position);
        tile_start_product(e, &p->product[i], tile_registers(e, p->product[i].mma->result[0]),
                           &r->position, false);
    }
}

static bool open_part(struct tile_emitter *e)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused_product *last = &r->plan->product[r->plan->products - 1];
    uint32_t count = tile_register_count(last->mma->result[0]);

    if (!last->promotes)
        return true;
    r->part = tile_take(e->module, count * sizeof(*r->part));
    for (uint32_t i = 0; r->part && i < count; i++)
        r->part[i] = tile_new(e, TILE_R32);
    return r->part;
}

static void await_operands(struct tile_emitter *e, const struct tile_fused_product *product,
                           const struct tile_ring_position *position)
{
    for (uint32_t n = 0; n < 2; n++)
        if (product->feed[n] && !product->feed[n]->held)
            tile_wait_for_feed(e, product->feed[n], position);
}

// True if warpgroups wait for the operand of an iteration's lone product after its other work and
// before the previous product ends. ptxas would move that work behind the end of the previous
// product, which it takes for a short wait, but not over the branches of this one.
static bool awaits_operands_first(const struct tile_fused *p)
{
    return p->products == 1 && !p->product[0].feed[0] && !p->product[0].feed[1]->computed;
}

// Starts the last product, which adds to `sum`, or several ones, whose accumulators are in place.
static void start_last(struct tile_emitter *e, const tile_register *sum)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);

    for (uint32_t i = r->plan->early; i < r->plan->products; i++) {
        const struct tile_fused_product *late = &r->plan->product[i];
        if (!awaits_operands_first(r->plan))
            await_operands(e, late, &r->late);
        if (!sum)
            tile_start_product(e, late, tile_registers(e, late->mma->result[0]), &r->late,
                               !late->from_zero);
        else
            tile_start_product(e, late, late->promotes ? r->part : sum, &r->late, !late->promotes);
    }
}

void tile_loop_release(struct tile_emitter *e, uint32_t first, uint32_t end,
                       const struct tile_ring_position *position)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (uint32_t i = first; i < end; i++)
        for (uint32_t n = 0; n < 2; n++)
            if (p->product[i].feed[n] && !p->product[i].feed[n]->held && tile_is_last_use(p, i, n))
                tile_release_feed(e, p->product[i].feed[n], position);
}

// Waits for the last products, and adds partial sums to the accumulator.
static void finish_last(struct tile_emitter *e, const tile_register *sum)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused_product *last = &r->plan->product[r->plan->products - 1];
    uint32_t each = UINT32_C(1) << (tile_bits_of(last->columns) - 1);

    tile_wait_products(e, 0);
    tile_loop_release(e, r->plan->early, r->plan->products, &r->late);
    tile_next_stage(e, &r->late);
    for (uint32_t i = 0; last->promotes && i < r->plan->base.blocks * each; i++)
        if (i % each < last->columns / 2)
            tile_ins(e, "add.rn.f32 %R, %R, %R", sum[i], sum[i], r->part[i]);
}

// Advances the loop variable, or branches to `end` after the last iteration.
void tile_loop_advance(struct tile_emitter *e, const struct tile_loop *l, uint32_t end)
{
    tile_register left = tile_new(e, l->wide ? TILE_R64 : TILE_R32), over = tile_new(e, TILE_PRED);

    if (l->left) {
        tile_ins(e, "sub.u32 %R, %R, 1", l->left, l->left);
        tile_ins(e, "setp.eq.u32 %R, %R, 0", over, l->left);
        tile_branch(e, over, false, end);
        tile_ins(e, "add.%s %R, %R, %R", l->type, l->variable, l->variable, l->step);
        return;
    }
    tile_ins(e, "sub.%s %R, %R, %R", l->type, left, l->last, l->variable);
    tile_ins(e, "setp.le.u%s %R, %R, %R", l->type + 1, over, left, l->step);
    tile_branch(e, over, false, end);
    tile_ins(e, "add.%s %R, %R, %R", l->type, l->variable, l->variable, l->step);
}

// Returns the barrier at which this warpgroup, or the next one if `next`, waits for its turn to
// start products. One warpgroup thus computes while another's products run.
static tile_register barrier_of_products(struct tile_emitter *e, bool next)
{
    const struct tile_fused_ring *r = tile_fused_ring_of(e);
    tile_register group = r->ring.group;

    if (next) {
        group = tile_make(e, TILE_R32, "add.u32 %R, %R, 1", group);
        tile_register last =
            tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", group, r->plan->base.groups);
        group = tile_make(e, TILE_R32, "selp.u32 %R, 0, %R, %R", group, last);
    }
    return tile_make(e, TILE_R32, "add.u32 %R, %R, %u", group, (unsigned)BARRIER_OF_PRODUCTS);
}

static void await_products(struct tile_emitter *e)
{
    if (tile_fused_ring_of(e)->plan->alternates)
        tile_ins(e, "bar.sync %R, %u", barrier_of_products(e, false),
                 2 * (unsigned)TILE_GROUP_THREADS);
}

void tile_signal_next_group(struct tile_emitter *e)
{
    if (tile_fused_ring_of(e)->plan->alternates)
        tile_ins(e, "bar.arrive %R, %u", barrier_of_products(e, true),
                 2 * (unsigned)TILE_GROUP_THREADS);
}

// True for an operand that is loaded once per tile and not used by the last products. Its buffer is
// released before them, so that the next tile's load overlaps the end of this tile.
static bool is_given_early(const struct tile_fused *p, const struct tile_feed *feed)
{
    for (uint32_t i = p->early; i < p->products; i++)
        if (p->product[i].feed[0] == feed || p->product[i].feed[1] == feed)
            return false;
    return feed->held && p->overlaps;
}

static void release_early(struct tile_emitter *e)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (uint32_t i = 0; i < p->feeds; i++)
        if (is_given_early(p, &p->feed[i]))
            tile_release_feed(e, &p->feed[i], NULL);
}

// Returns the registers of the last product's accumulator, which the loop carries.
static const tile_register *last_sum(struct tile_emitter *e, const struct tile_loop *l)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;
    const struct tile_value *last = p->product[p->products - 1].mma->result[0];

    for (uint32_t i = 0; i < l->op->result_count; i++)
        if (l->op->block[0]->last->operand[i] == last)
            return tile_registers(e, l->op->result[i]);
    return NULL;
}

// Zeros the operand a of a slice past the loop's end, so that its product is 0. The copies have
// already zeroed b.
static void skip_slice(struct tile_emitter *e, const struct tile_loop *l)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused_product *last = &r->plan->product[0];
    uint32_t inside = tile_label(e);
    uint32_t words =
        (tile_bytes_of(last->mma->operand[0]->type.dtype) << tile_bits_of(last->depth)) / 8;
    tile_register is_inside =
        tile_make(e, TILE_PRED, "setp.lt.%s %R, %R, %R", l->type, l->variable, l->last);

    tile_branch(e, is_inside, false, inside);
    for (uint32_t i = 0; i < words; i++)
        tile_ins(e, "mov.b32 %R, 0", r->words[0][i]);
    tile_put_label(e, inside);
}

// Adds the accumulators of all other slices to the first slice's accumulators. The first slice's
// warpgroup then finishes the tile.
static void join_slices(struct tile_emitter *e, const tile_register *sum)
{
    enum { WORDS = 4, BARRIER_OF_FREE = 6, BARRIER_OF_SUMS = 7 };
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t slices = r->plan->base.slices, count = r->plan->base.columns / 2;
    uint32_t threads = slices * TILE_GROUP_THREADS, pitch = TILE_GROUP_THREADS * WORDS * 4;
    uint32_t joins = tile_label(e);
    tile_register at = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base, r->slices_at);

    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, e->tid, WORDS * 4u, at);
    tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", r->ring.group);
    tile_ins(e, "bar.sync %u, %u", (unsigned)BARRIER_OF_FREE, threads);
    tile_branch(e, first, false, joins);
    tile_register other = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", r->ring.group);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", other, other, count / WORDS * pitch, at);
    for (uint32_t i = 0; i < count / WORDS; i++)
        tile_put(e->text, "\tst.shared.v4.b32 [%s+%u], %s;\n", tile_name(other), i * pitch,
                 tile_register_list(e, sum + i * WORDS, WORDS));
    tile_ins(e, "bar.arrive %u, %u", (unsigned)BARRIER_OF_SUMS, threads);
    if (r->plan->base.split > 1) { // arrive where the first slice's warpgroup exchanges sums
        tile_cluster_barrier(e, true);
        tile_cluster_barrier(e, false);
    }
    tile_branch(e, TILE_NO_REGISTER, false, r->ring.next_tile);
    tile_put_label(e, joins);
    tile_ins(e, "bar.sync %u, %u", (unsigned)BARRIER_OF_SUMS, threads);
    for (uint32_t i = 0; i < (slices - 1) * (count / WORDS); i++) {
        tile_register word[WORDS];
        for (uint32_t n = 0; n < WORDS; n++)
            word[n] = tile_new(e, TILE_R32);
        tile_put(e->text, "\tld.shared.v4.b32 %s, [%s+%u];\n", tile_register_list(e, word, WORDS),
                 tile_name(at), i * pitch);
        for (uint32_t n = 0; n < WORDS; n++) {
            tile_register to = sum[i % (count / WORDS) * WORDS + n];
            tile_ins(e, "add.rn.f32 %R, %R, %R", to, to, word[n]);
        }
    }
}

// Gives each accumulator to which a product only adds the registers of the loop's result.
bool tile_loop_open_sums(struct tile_emitter *e, const struct tile_loop *l)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;
    const struct tile_op *end = l->op->block[0]->last;

    for (uint32_t i = 0; i < p->products; i++)
        for (uint32_t n = 0; tile_only_adds(p, i) && n < l->op->result_count; n++)
            if (end->operand[n] == p->product[i].mma->result[0])
                e->value[end->operand[n]->id] = tile_registers(e, l->op->result[n]);
    return !e->failed;
}

// Ends an iteration: emits the late work and prepares the next iteration.
static bool end_iteration(struct tile_emitter *e, const struct tile_loop *l,
                          const tile_register *sum, struct tile_ahead *ahead)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;

    if (!emit_work(e, l->op->block[0], true) || !ready_last(e, sum))
        return false;
    if (e->ring->sliced && !p->two_lefts)
        skip_slice(e, l);
    tile_loop_carry(e, l, sum ? p->product[p->products - 1].mma->result[0] : NULL);
    tile_swap_ahead(e, ahead);
    return true;
}

// Forms the operand a of the next product beside that of the running one, if there are two.
static bool form_other_left(struct tile_emitter *e, const struct tile_loop *l)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    tile_register *words = r->words[0];

    if (!r->plan->two_lefts)
        return true;
    r->words[0] = r->other_words;
    r->other_words = words;
    if (!tile_pack_left(e, &r->plan->product[0]))
        return false;
    if (e->ring->sliced)
        skip_slice(e, l);
    return true;
}

static bool overlapping_iteration(struct tile_emitter *e, const struct tile_loop *l,
                                  const tile_register *sum, struct tile_ahead *ahead)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t early = r->plan->early, all = r->plan->products;

    await_products(e);
    start_early(e);
    start_last(e, sum);
    tile_signal_next_group(e);
    if (!tile_loop_load_next(e, l, ahead))
        return false;
    if (early) {
        tile_wait_products(e, all - early);
        tile_loop_release(e, 0, early, &r->position);
    }
    if (!emit_work(e, l->op->block[0], false) || !form_other_left(e, l))
        return false;
    if (awaits_operands_first(r->plan))
        await_operands(e, &r->plan->product[0], &r->position);
    tile_next_stage(e, &r->position);
    finish_last(e, sum);
    return end_iteration(e, l, sum, ahead);
}

static bool overlapping_loop(struct tile_emitter *e, const struct tile_loop *l)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t early = r->plan->early, top = tile_label(e), tail[2], end = tile_label(e);
    bool several = r->plan->products - early > 1;
    uint32_t sets = r->plan->two_lefts ? 2 : 1;
    const tile_register *sum = several ? NULL : last_sum(e, l);
    struct tile_ahead ahead;

    if (!(several ? tile_loop_open_sums(e, l) : sum != NULL) || !open_part(e) ||
        !tile_loop_open_ahead(e, l, &ahead))
        return false;
    start_early(e);
    if (!tile_loop_load_next(e, l, &ahead))
        return false;
    tile_wait_products(e, 0);
    tile_loop_release(e, 0, early, &r->position);
    if (!emit_work(e, l->op->block[0], false) || !form_other_left(e, l))
        return false;
    if (awaits_operands_first(r->plan))
        await_operands(e, &r->plan->product[0], &r->position);
    tile_next_stage(e, &r->position);
    if (!end_iteration(e, l, sum, &ahead))
        return false;
    for (uint32_t set = 0; set < sets; set++)
        tail[set] = tile_label(e);
    tile_loop_put_label(e, top);
    for (uint32_t copy = 0; copy < sets * tile_loop_copies(&ahead); copy++) {
        tile_loop_advance(e, l, tail[copy % sets]);
        if (!overlapping_iteration(e, l, sum, &ahead))
            return false;
    }
    tile_branch(e, TILE_NO_REGISTER, false, top);
    for (uint32_t set = 0; set < sets; set++) { // the words of set 0 are current at the loop's top
        tile_put_label(e, tail[set]);
        release_early(e);
        start_last(e, sum);
        finish_last(e, sum);
        if (set + 1 < sets) {
            tile_branch(e, TILE_NO_REGISTER, false, end);
            tile_register *words = r->words[0];
            r->words[0] = r->other_words;
            r->other_words = words;
        }
    }
    tile_put_label(e, end);
    return true;
}

// ---- A loop whose products only add to accumulators
//
// An iteration's products start while the previous iteration's run. Each accumulator has one set of
// registers, which nothing else touches.

static bool chained_iteration(struct tile_emitter *e, const struct tile_loop *l,
                              struct tile_ahead *ahead, bool first)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused *p = r->plan;
    const struct tile_block *body = l->op->block[0];

    for (uint32_t i = 0; i < p->products; i++) {
        for (uint32_t n = 0; n < 2; n++)
            if (!p->product[i].feed[n]->held)
                tile_wait_for_feed(e, p->product[i].feed[n], &r->position);
        tile_start_product(e, &p->product[i], tile_registers(e, p->product[i].mma->result[0]),
                           &r->position, true);
    }
    if (!tile_loop_load_next(e, l, ahead))
        return false;
    for (const struct tile_op *op = body->first; op != body->last; op = op->next)
        if (op->kind != TILE_MMA && !tile_loop_emit_op(e, op))
            return false;
    tile_next_stage(e, &r->position);
    if (!first) {
        tile_wait_products(e, p->products);
        tile_loop_release(e, 0, p->products, &r->late);
        tile_next_stage(e, &r->late);
    }
    tile_loop_carry(e, l, NULL);
    tile_swap_ahead(e, ahead);
    return !e->failed;
}

static bool chained_loop(struct tile_emitter *e, const struct tile_loop *l)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t top = tile_label(e), tail = tile_label(e);
    struct tile_ahead ahead;

    if (!tile_loop_open_sums(e, l) || !tile_loop_open_ahead(e, l, &ahead) ||
        !chained_iteration(e, l, &ahead, true))
        return false;
    tile_loop_put_label(e, top);
    for (uint32_t copy = 0; copy < tile_loop_copies(&ahead); copy++) {
        tile_loop_advance(e, l, tail);
        if (!chained_iteration(e, l, &ahead, false))
            return false;
    }
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, tail);
    tile_wait_products(e, 0);
    tile_loop_release(e, 0, r->plan->products, &r->late);
    tile_next_stage(e, &r->late);
    return true;
}

// ---- A loop whose products run one iteration ahead
//
//     start P(0)
//     for n = 0 ..:  start P(n + 1); wait for P(n); work(n)
//
// Even and odd iterations have separate code, because their products have separate registers. With
// loads ahead, there is a copy for each combination of parity and register set.

// Registers of each product's result in even and odd iterations.
struct doubled {
    tile_register *result[2][TILE_MOST_PRODUCTS];
};

static bool open_doubled(struct tile_emitter *e, struct doubled *d)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (uint32_t odd = 0; odd < 2; odd++)
        for (uint32_t i = 0; i < p->products; i++) {
            tile_register **own = &e->value[p->product[i].mma->result[0]->id];
            *own = NULL;
            d->result[odd][i] = tile_registers(e, p->product[i].mma->result[0]);
            if (!d->result[odd][i])
                return false;
        }
    return true;
}

static void start_all(struct tile_emitter *e, const struct doubled *d, bool odd)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused *p = r->plan;

    for (uint32_t i = 0; i < p->products; i++) {
        for (uint32_t n = 0; n < 2; n++)
            if (!p->product[i].feed[n]->held)
                tile_wait_for_feed(e, p->product[i].feed[n], &r->position);
        tile_start_product(e, &p->product[i], d->result[odd][i], &r->position, false);
    }
    tile_next_stage(e, &r->position);
}

// Emits an iteration's work, after a wait that leaves the last `later` products in flight.
static bool finish_iteration(struct tile_emitter *e, const struct tile_loop *l,
                             const struct doubled *d, bool odd, uint32_t later,
                             struct tile_ahead *ahead)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused *p = r->plan;
    const struct tile_block *body = l->op->block[0];

    if (!tile_loop_load_next(e, l, ahead))
        return false;
    tile_wait_products(e, later);
    tile_loop_release(e, 0, p->products, &r->late);
    bool reads = false; // true if a small feed must be read from this iteration's stage
    for (uint32_t i = 0; i < p->feeds; i++)
        reads |= p->feed[i].small;
    if (!reads)
        tile_next_stage(e, &r->late);
    for (uint32_t i = 0; i < p->products; i++)
        e->value[p->product[i].mma->result[0]->id] = d->result[odd][i];
    for (const struct tile_op *op = body->first; op != body->last; op = op->next)
        if (op->kind != TILE_MMA && !tile_loop_emit_op(e, op))
            return false;
    if (reads)
        tile_next_stage(e, &r->late);
    tile_loop_carry(e, l, NULL);
    tile_swap_ahead(e, ahead);
    return true;
}

static bool doubled_loop(struct tile_emitter *e, const struct tile_loop *l)
{
    enum { MOST_COPIES = 2 * (TILE_AHEAD + 1) };
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;
    enum tile_register_class class = l->wide ? TILE_R64 : TILE_R32;
    uint32_t top = tile_label(e), end = tile_label(e), tail[MOST_COPIES];
    struct doubled d;
    struct tile_ahead ahead;

    if (!open_doubled(e, &d) || !tile_loop_open_ahead(e, l, &ahead))
        return false;
    uint32_t copies = 2 * tile_loop_copies(&ahead);
    start_all(e, &d, false);
    tile_loop_put_label(e, top);
    for (uint32_t copy = 0; copy < copies; copy++) {
        tile_register over = TILE_NO_REGISTER;
        if (l->left) {
            tile_ins(e, "sub.u32 %R, %R, 1", l->left, l->left);
            over = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", l->left);
        } else {
            tile_register left =
                tile_make(e, class, "sub.%s %R, %R, %R", l->type, l->last, l->variable);
            over = tile_make(e, TILE_PRED, "setp.le.u%s %R, %R, %R", l->type + 1, left, l->step);
        }
        tail[copy] = tile_label(e);
        tile_branch(e, over, false, tail[copy]);
        start_all(e, &d, !(copy % 2));
        if (!finish_iteration(e, l, &d, copy % 2, p->products, &ahead))
            return false;
        tile_ins(e, "add.%s %R, %R, %R", l->type, l->variable, l->variable, l->step);
    }
    tile_branch(e, TILE_NO_REGISTER, false, top);
    for (uint32_t copy = 0; copy < copies; copy++) {
        tile_loop_put_label(e, tail[copy]);
        if (!finish_iteration(e, l, &d, copy % 2, 0, &ahead))
            return false;
        if (copy + 1 < copies)
            tile_branch(e, TILE_NO_REGISTER, false, end);
    }
    tile_put_label(e, end);
    return true;
}

// Copies the operands of the iteration that comes `slice` iterations after the current one.
static bool copy_slice(struct tile_emitter *e, const struct tile_loop *l, uint32_t slice)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;
    tile_register *variable = e->value[l->op->block[0]->argument[0]->id];

    if (slice) {
        tile_register at = tile_make(e, l->wide ? TILE_R64 : TILE_R32, "add.%s %R, %R, %u", l->type,
                                     l->variable, slice);
        e->ring->outside = tile_make(e, TILE_PRED, "setp.ge.%s %R, %R, %R", l->type, at, l->last);
        variable[0] = at;
    }
    bool done = tile_emit_wanted(e, l->op->block[0]);
    for (uint32_t i = 0; i < p->feeds && done; i++)
        if (p->feed[i].small)
            tile_copy_small(e, &p->feed[i], slice);
        else if (!p->feed[i].held && !p->feed[i].computed)
            tile_copy_feed(e, &p->feed[i], slice);
    variable[0] = l->variable;
    e->ring->outside = TILE_NO_REGISTER;
    return done;
}

static bool copy_loop(struct tile_emitter *e, const struct tile_loop *l)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    struct tile_fused *p = r->plan;
    uint32_t top = tile_label(e), end = tile_label(e);

    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].held)
            tile_copy_feed(e, &p->feed[i], 0);
    tile_put_label(e, top);
    for (uint32_t slice = 0; slice < tile_slices(&p->base); slice++)
        if (!copy_slice(e, l, slice))
            return false;
    tile_next_stage(e, &r->position);
    tile_loop_advance(e, l, end);
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, end);
    return true;
}

// Returns the number of iterations if the loop steps by one and its bounds are known to fit in 32
// bits, otherwise TILE_NO_REGISTER. Warpgroups that do not need the variable then avoid counting in
// 64 bits.
static tile_register count_iterations(struct tile_emitter *e, const struct tile_loop *l)
{
    const struct tile_op *by = l->op->operand[2]->op;
    struct tile_range first = tile_range_of(e->ranges, l->op->operand[0]),
                      last = tile_range_of(e->ranges, l->op->operand[1]);

    if (!by || by->kind != TILE_CONSTANT || tile_int(by, TILE_ATTR_VALUE, 0) != 1 ||
        first.low < INT32_MIN / 2 || first.low > first.high || last.high > INT32_MAX / 2)
        return TILE_NO_REGISTER;
    tile_register left = tile_make(e, l->wide ? TILE_R64 : TILE_R32, "sub.%s %R, %R, %R", l->type,
                                   l->last, l->variable);
    tile_register count = tile_new(e, TILE_R32);
    if (l->wide)
        tile_ins(e, "cvt.u32.u64 %R, %R", count, left);
    else
        tile_move(e, count, left);
    return count;
}

// Makes the loop advance by `slices` iterations at a time. Each warpgroup runs one of them.
static bool open_slices(struct tile_emitter *e, struct tile_loop *l)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t slices = r->plan->base.slices;
    enum tile_register_class class = l->wide ? TILE_R64 : TILE_R32;

    if (!l->left) {
        e->failed = true;
        return false;
    }
    tile_ins(e, "add.u32 %R, %R, %u", l->left, l->left, slices - 1);
    tile_ins(e, "div.u32 %R, %R, %u", l->left, l->left, slices);
    l->step = l->wide ? tile_make(e, TILE_R64, "mov.b64 %R, %u", slices)
                      : tile_make(e, TILE_R32, "mov.b32 %R, %u", slices);
    r->ring.sliced = true;
    if (r->ring.copies)
        return true;
    tile_register mine = r->ring.group;
    if (l->wide)
        mine = tile_make(e, class, "cvt.u64.u32 %R, %R", mine);
    tile_ins(e, "add.%s %R, %R, %R", l->type, l->variable, l->variable, mine);
    return true;
}

bool tile_emit_fused_loop(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    struct tile_fused *p = r->plan;
    const struct tile_value *value = op->block[0]->argument[0];
    bool wide = tile_class_of(value->type.dtype) == TILE_R64;
    struct tile_loop l = {
        .op = op,
        .wide = wide,
        .type = tile_integer_type(value->type.dtype),
    };
    uint32_t none = tile_label(e);
    const tile_register *own = tile_registers(e, value);

    if (!own)
        return false;
    l.variable = own[0];
    l.last = tile_registers(e, op->operand[1])[0];
    l.step = tile_registers(e, op->operand[2])[0];
    tile_register first = tile_registers(e, op->operand[0])[0];
    if (p->base.split > 1)
        tile_split_range(e, l.type, op->operand[2], &first, &l.last);
    tile_move(e, l.variable, first);
    if (!r->ring.copies) {
        for (uint32_t i = 0; i < op->result_count; i++)
            if (!(e->value[op->block[0]->argument[1 + i]->id] = tile_registers(e, op->result[i])))
                return false;
        tile_move_values(e, op->result, op->operand + 3, op->result_count);
        e->shared_busy = true;
    }
    tile_register over = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.ge.%s %R, %R, %R", l.type, over, l.variable, l.last);
    tile_branch(e, over, false, none);
    l.left = count_iterations(e, &l);
    if (tile_slices(&p->base) > 1 && !open_slices(e, &l))
        return false;
    for (uint32_t i = 0; i < p->feeds && !r->ring.copies; i++)
        if (p->feed[i].held)
            tile_wait_for_feed(e, &p->feed[i], NULL);
    if (!r->ring.copies && !tile_read_kept(e))
        return false;
    bool (*emit)(struct tile_emitter *, const struct tile_loop *) = r->ring.copies ? copy_loop
                                                                    : p->overlaps ? overlapping_loop
                                                                    : p->doubles  ? doubled_loop
                                                                    : p->chains
                                                                        ? chained_loop
                                                                        : tile_emit_loop_in_turn;
    if (!emit(e, &l))
        return false;
    for (uint32_t i = 0; i < p->feeds && !r->ring.copies; i++)
        if (p->feed[i].held && !is_given_early(p, &p->feed[i]))
            tile_release_feed(e, &p->feed[i], NULL);
    tile_ins(e, "xor.b32 %R, %R, 1", r->held_phase, r->held_phase);
    tile_put_label(e, none);
    r->ring.sliced = false;
    if (tile_slices(&p->base) > 1 && !r->ring.copies)
        join_slices(e, tile_registers(e, op->result[0]));
    e->shared_busy = true;
    return !e->failed;
}
