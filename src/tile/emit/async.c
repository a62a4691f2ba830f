// Loops whose threads copy the operands of matrix products to shared memory some stages ahead
// (pass/prefetch.c): the ring of stages and the code of each iteration.
#include "async.h"

// Emits the ops of the loop's body that `marks` selects, with another loop variable in place of the
// loop's, and then calls `with`. Uses the indices already fetched for this stage, unless `marks`
// selects the ops that fetch indices.
static bool with_own_places(struct tile_emitter *e, const bool *marks, tile_register own_variable,
                            void (*with)(struct tile_emitter *e))
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    const struct tile_block *body = r->plan->loop->block[0];
    uint32_t variable = body->argument[0]->id, count = e->kernel->value_count + 1;
    tile_register **kept = tile_take(e->module, count * sizeof(*kept));
    tile_register *own = tile_take(e->module, sizeof(*own));

    if (!kept || !own)
        return false;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = e->value[i];
    *own = own_variable;
    e->value[variable] = own;
    for (const struct tile_op *op = body->first; op; op = op->next)
        if (op->result_count == 1 && marks[op->result[0]->id]) {
            uint32_t id = op->result[0]->id;
            bool ahead = marks == r->plan->ahead, fetched = !ahead && r->fetched[id];
            bool copies = r->index_bytes && r->index_at[id];
            e->value[id] = fetched ? r->fetched[id] : NULL;
            // A read whose elements a convert exchanges is copied only ahead, and the convert is
            // the read of shared memory.
            if (r->index_bytes && (ahead ? r->fetched[id] && !copies : copies && !fetched))
                continue;
            if (!fetched && !(copies ? tile_copy_read(e, op) : e->dispatch->one(e, op)))
                return false;
        }
    with(e);
    e->value[variable] = kept[variable];
    for (const struct tile_op *op = body->first; op; op = op->next)
        if (op->result_count == 1 && marks[op->result[0]->id])
            e->value[op->result[0]->id] = kept[op->result[0]->id];
    return !e->failed;
}

static void open_copiers(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;

    for (uint32_t i = 0; i < r->plan->streams && !e->failed; i++)
        tile_open_copier_stage(e, &r->copier[i]);
}

static void copy_edges(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;

    for (uint32_t i = 0; i < r->plan->streams && !e->failed; i++)
        tile_copy_edges(e, &r->copier[i]);
}

// Moves the indices from the registers into which they were just loaded to the registers for
// fetched indices.
static void keep_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;

    for (const struct tile_op *op = r->plan->loop->block[0]->first; op; op = op->next)
        for (uint32_t i = 0; op->result_count == 1 && r->fetched[op->result[0]->id] &&
                             i < tile_register_count(op->result[0]);
             i++)
            tile_move(e, r->fetched[op->result[0]->id][i], tile_registers(e, op->result[0])[i]);
}

// Reads the indices of the next stage, if there is one, so that its copies need not wait for them.
static void fetch_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    uint32_t none = tile_label(e);

    if (!r->plan->reads || r->index_bytes)
        return;
    tile_branch(e, r->loads, true, none);
    if (!with_own_places(e, r->plan->ahead, r->variable, keep_indices))
        e->failed = true;
    tile_put_label(e, none);
}

// Makes the registers of the indices that are read from memory.
static bool take_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;

    r->fetched = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*r->fetched));
    for (const struct tile_op *op = r->plan->loop->block[0]->first; op && r->fetched; op = op->next)
        if (op->result_count == 1 && r->plan->ahead[op->result[0]->id] &&
            tile_prefetch_read_of(op)) {
            uint32_t count = tile_register_count(op->result[0]);
            tile_register *fetched = tile_take(e->module, count * sizeof(*fetched));
            if (!fetched)
                return false;
            for (uint32_t i = 0; i < count; i++)
                fetched[i] = tile_constant_register(e, op->result[0]->type.dtype, 0);
            r->fetched[op->result[0]->id] = fetched;
            tile_order_access(e, tile_prefetch_read_of(op));
        }
    return r->fetched != NULL;
}

// Advances an offset to the next of `count` parts of a ring.
static void next_part(struct tile_emitter *e, tile_register at, uint32_t bytes, uint32_t count)
{
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, %u", at, at, bytes);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, at, count * bytes);
    tile_put(e->text, "\t@%s mov.u32 %s, 0;\n", tile_name(wraps), tile_name(at));
}

static void next_stage(struct tile_emitter *e, tile_register stage)
{
    const struct tile_prefetch *plan = e->prefetch_ring->plan;

    next_part(e, stage, plan->stage_bytes, plan->stages);
}

// Advances a copy of the loop's variable. `loads` becomes false after the last iteration.
static void advance(struct tile_emitter *e, tile_register variable, tile_register loads)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    tile_register left = tile_new(e, TILE_REGISTER_CLASS(variable));

    tile_ins(e, "sub.%s %R, %R, %R", r->type, left, r->last, variable);
    tile_register more =
        tile_make(e, TILE_PRED, "setp.gt.u%s %R, %R, %R", r->type + 1, left, r->step);
    tile_ins(e, "and.pred %R, %R, %R", loads, loads, more);
    tile_ins(e, "add.%s %R, %R, %R", r->type, variable, variable, r->step);
}

static void do_nothing(struct tile_emitter *e)
{
    (void)e;
}

// Copies the indices of a later stage to their slot, if there is such a stage.
static void copy_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    uint32_t none = tile_label(e);

    tile_branch(e, r->index_loads, true, none);
    if (!with_own_places(e, r->plan->ahead, r->index_variable, do_nothing))
        e->failed = true;
    tile_put_label(e, none);
    advance(e, r->index_variable, r->index_loads);
    next_part(e, r->index_to, r->index_bytes, r->index_slots);
}

// Copies the indices of the stages that are filled before the loop, and waits for them.
static void fill_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    tile_register more = tile_new(e, TILE_PRED);
    uint32_t top = tile_label(e);

    r->index_variable = tile_new(e, TILE_REGISTER_CLASS(r->variable));
    tile_move(e, r->index_variable, r->variable);
    r->index_loads = tile_make(e, TILE_PRED, "mov.pred %R, %R", r->loads);
    tile_put_label(e, top);
    copy_indices(e);
    tile_ins(e, "setp.lt.u32 %R, %R, %u", more, r->index_to,
             (r->plan->stages - 1) * r->index_bytes);
    tile_branch(e, more, false, top);
    tile_ins(e, "cp.async.wait_all");
    tile_barrier(e);
}

void tile_open_copies(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;

    tile_read_indices(e);
    if (!with_own_places(e, r->plan->wanted, r->variable, open_copiers))
        e->failed = true;
}

void tile_copy_part(struct tile_emitter *e, uint32_t part, uint32_t parts)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    uint32_t all = 0, before = 0;

    if (e->failed) // out of memory for the indices
        return;
    for (uint32_t i = 0; i < r->plan->streams; i++)
        all += r->copier[i].iterations;
    uint32_t first = all * part / parts, end = all * (part + 1) / parts;
    for (uint32_t i = 0; i < r->plan->streams; i++) {
        uint32_t iterations = r->copier[i].iterations, from = first > before ? first - before : 0;
        uint32_t to = end > before ? end - before : 0;
        tile_copy_pieces(e, &r->copier[i], from < iterations ? from : iterations,
                         to < iterations ? to : iterations);
        before += iterations;
    }
}

void tile_close_copies(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;

    if (e->failed)
        return;
    uint32_t none = tile_label(e);
    tile_register whole = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < r->plan->streams; i++)
        whole = tile_both(e, whole, r->copier[i].whole);
    tile_register edge = tile_make(e, TILE_PRED, "not.pred %R, %R", whole);
    tile_branch(e, tile_both(e, edge, r->loads), true, none);
    if (!with_own_places(e, r->plan->wanted, r->variable, copy_edges))
        e->failed = true;
    tile_put_label(e, none);
    advance(e, r->variable, r->loads);
    for (uint32_t i = 0; i < r->plan->streams; i++)
        if (r->copier[i].until)
            tile_ins(e, "add.s64 %R, %R, %R", r->copier[i].origin, r->copier[i].origin,
                     r->copier[i].advance);
    if (r->index_bytes) {
        copy_indices(e);
        next_part(e, r->index_from, r->index_bytes, r->index_slots);
    }
    tile_ins(e, "cp.async.commit_group");
    next_stage(e, r->copied);
    fetch_indices(e);
}

// Copies the next stage, if any, and advances the copy position.
static void copy_stage(struct tile_emitter *e)
{
    tile_open_copies(e);
    tile_copy_part(e, 0, 1);
    tile_close_copies(e);
}

// Fills all stages but one, in a loop because the code for copies at an edge is long.
static void fill_stages(struct tile_emitter *e)
{
    const struct tile_prefetch *plan = e->prefetch_ring->plan;
    tile_register more = tile_new(e, TILE_PRED);
    uint32_t top = tile_label(e);

    tile_put_label(e, top);
    copy_stage(e);
    tile_ins(e, "setp.lt.u32 %R, %R, %u", more, e->prefetch_ring->copied,
             (plan->stages - 1) * plan->stage_bytes);
    tile_branch(e, more, false, top);
}

void tile_await_stage(struct tile_emitter *e)
{
    tile_ins(e, "cp.async.wait_group %u", e->prefetch_ring->plan->stages - 2);
    tile_barrier(e); // all copies have arrived, and no thread still reads the previous stage
    e->shared_busy = false;
}

// Advances to the next stage. In the last iteration, keeps the current stage.
void tile_advance_stage(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    tile_register variable = tile_registers(e, r->plan->loop->block[0]->argument[0])[0];
    tile_register left = tile_new(e, TILE_REGISTER_CLASS(variable));
    tile_register next = tile_make(e, TILE_R32, "mov.b32 %R, %R", r->stage);

    tile_ins(e, "sub.%s %R, %R, %R", r->type, left, r->last, variable);
    tile_register more =
        tile_make(e, TILE_PRED, "setp.gt.u%s %R, %R, %R", r->type + 1, left, r->step);
    next_stage(e, next);
    tile_ins(e, "selp.b32 %R, %R, %R, %R", r->stage, next, r->stage, more);
}

bool tile_begin_prefetch(struct tile_emitter *e, const struct tile_op *loop)
{
    const struct tile_prefetch *plan = e->prefetch;
    const struct tile_value *value = loop->block[0]->argument[0];
    struct tile_prefetch_ring *r = tile_take(e->module, sizeof(*r));
    bool wide = tile_class_of(value->type.dtype) == TILE_R64;

    if (!r)
        return false;
    e->prefetch_ring = r;
    r->plan = plan;
    r->type = tile_is_signed(value->type.dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32";
    r->base = tile_new(e, TILE_R32); // assigned once the scratch address is known
    e->prefetch_bytes = plan->stages * plan->stage_bytes;
    for (uint32_t i = 0; i < plan->streams; i++)
        tile_order_access(e, plan->stream[i].load);
    if (!take_indices(e))
        return false;
    for (uint32_t i = 0; i < plan->streams; i++)
        tile_open_copier(e, &r->copier[i], &plan->stream[i], r->base);
    r->variable = tile_new(e, wide ? TILE_R64 : TILE_R32);
    tile_move(e, r->variable, tile_registers(e, value)[0]);
    r->last = tile_registers(e, loop->operand[1])[0];
    r->step = tile_registers(e, loop->operand[2])[0];
    r->loads = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.lt.%s %R, %R, %R", r->type, r->loads, r->variable, r->last);
    r->copied = tile_number32(e, 0);
    r->stage = tile_number32(e, 0);
    tile_barrier(e); // all reads of the stages are done
    if (plan->reads && tile_open_indices(e))
        fill_indices(e);
    fetch_indices(e);
    fill_stages(e);
    return !e->failed;
}

void tile_enter_prefetch(struct tile_emitter *e)
{
    tile_carry_product(e);
}

// True if the entry's code must be short (`brief`) and its loop has one product, whose operands are
// both prefetched. The copies of an iteration then follow the product and run while the tensor
// cores are busy.
static bool copies_late(const struct tile_emitter *e)
{
    return e->target->brief && e->prefetch->only;
}

void tile_begin_prefetch_iteration(struct tile_emitter *e)
{
    if (e->prefetch_ring->carried)
        return;
    tile_await_stage(e);
    if (!copies_late(e))
        copy_stage(e);
}

void tile_end_prefetch_iteration(struct tile_emitter *e)
{
    if (e->prefetch_ring->carried)
        return;
    if (copies_late(e))
        copy_stage(e);
    next_stage(e, e->prefetch_ring->stage);
}

void tile_end_prefetch(struct tile_emitter *e)
{
    tile_ins(e, "cp.async.wait_group 0");
    e->prefetch_below = e->shared_bytes;
}

bool tile_counts_waits(const struct tile_emitter *e, const struct tile_op *op)
{
    return e->prefetch && e->prefetch->waits && op->parent == e->prefetch->loop->block[0];
}

bool tile_is_prefetched(const struct tile_emitter *e, const struct tile_op *op)
{
    bool transposed;

    return e->prefetch && op->parent == e->prefetch->loop->block[0] &&
           (op->kind == TILE_LOAD || op->kind == TILE_LOAD_ROWS || op->kind == TILE_PERMUTE ||
            op->kind == TILE_RESHAPE) &&
           tile_prefetch_stream_of(e->prefetch, op->result[0], &transposed);
}

bool tile_prefetch_skips(const struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_prefetch *plan = e->prefetch;

    if (!plan || !plan->reads || op->parent != plan->loop->block[0])
        return false;
    if (tile_is_prefetched(e, op))
        return true;
    if (op->result_count != 1 || !plan->wanted[op->result[0]->id])
        return false;
    for (const struct tile_use *use = op->result[0]->use; use; use = use->next)
        if (!tile_prefetch_skips(e, use->user))
            return false;
    return true;
}
