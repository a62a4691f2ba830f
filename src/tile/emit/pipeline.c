// Emits a loop with one matrix product, or a region with several, as a warp-specialized entry
// (roles.h), from a plan (pass/pipeline.h).
#include "element.h"
#include "roles.h"

static bool wants(const struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_pipeline *plan = e->ring->plan;

    return op->result_count == 1 && plan->wanted[op->result[0]->id] && op != plan->stream[0].load &&
           op != plan->stream[1].load;
}

static void copy_stage(struct tile_emitter *e, const struct tile_stream *stream)
{
    if (e->ring->plan->realigned)
        tile_emit_realigned(e);
    else if (e->ring->gathered)
        tile_emit_gathered(e, stream);
    else
        tile_emit_copies(e, stream);
}

static void emit_copy(struct tile_emitter *e, const struct tile_block *body)
{
    for (const struct tile_op *op = body->first; op; op = op->next) {
        tile_find_rows(e, op);
        if (wants(e, op) && !tile_emit_one(e, op))
            e->failed = true;
    }
    copy_stage(e, e->ring->plan->stream);
}

// Releases the stage that the latest finished products read, in all blocks that load into it. The
// stage was only read, so the arrival publishes nothing and needs no release at cluster scope,
// which would be a memory barrier.
static void release(struct tile_emitter *e, tile_register used)
{
    const struct tile_ring *r = e->ring;
    tile_register keeps = tile_new(e, TILE_PRED);
    bool alone = r->plan->cluster == 1;

    tile_ins(e, "setp.eq.or.u32 %R, %R, 0, %R", keeps, used,
             alone ? r->not_first : r->not_reporting);
    if (!alone)
        used = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", used, r->peer);
    tile_put(e->text, "\t@!%s mbarrier.arrive.shared::%s.b64 _, [%s];\n", tile_name(keeps),
             alone ? "cta" : "cluster", tile_name(used));
}

// Returns the number of blocks to which a block reports that a stage is free, and of their reports
// that it gets: one for each block with which it shares loads. If the cluster extends along both
// axes, this counts the block itself along each.
static uint32_t reports(const struct tile_pipeline *p)
{
    return p->across > 1 ? p->cluster / p->across + p->across : p->cluster;
}

// Lets the first threads of a warpgroup each report to one block.
static void open_reports(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t along = plan->cluster / plan->across;

    if (plan->cluster == 1)
        return;
    tile_register thread =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, TILE_GROUP_THREADS - 1u);
    r->not_reporting =
        tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %u", thread, (unsigned)reports(plan));
    tile_register to = thread;
    if (plan->across > 1) { // first its neighbors along the first axis, then the others
        tile_register second = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %u", thread, along);
        to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->rank_along[1], along, thread);
        tile_register other = tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", thread, along);
        other = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", other, along, r->rank_along[0]);
        to = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", other, to, second);
    }
    to = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", r->rank, to, r->not_reporting);
    r->peer = tile_make(e, TILE_R32, "mapa.shared::cluster.u32 %R, %R, %R", r->base, to);
    tile_ins(e, "sub.u32 %R, %R, %R", r->peer, r->peer, r->base);
}

// Computes how many stages and phase flips of the ring a tile of the other team takes. Both teams'
// tiles have the same number of iterations. Before its first tile, the second team skips one tile
// of the first team.
static void measure_stages(struct tile_emitter *e, const char *type, tile_register first,
                           tile_register last)
{
    struct tile_ring *r = e->ring;
    enum tile_register_class class = TILE_REGISTER_CLASS(first);
    uint32_t stages = r->plan->stages, goes = tile_label(e);
    tile_register none = tile_make(e, TILE_PRED, "setp.ge.%s %R, %R, %R", type, first, last);
    tile_register iterations = tile_make(e, class, "sub.%s %R, %R, %R", type, last, first);

    if (class != TILE_R64)
        iterations = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", iterations);
    tile_put(e->text, "\t@%s mov.b64 %s, 0;\n", tile_name(none), tile_name(iterations));
    // The quotient is exact up to 2^60 iterations.
    tile_register rounds = tile_make(e, TILE_R64, "mul.hi.u64 %R, %R, %l", iterations,
                                     (int64_t)(UINT64_MAX / stages + 1));
    tile_register rest = tile_make(e, TILE_R64, "mul.lo.u64 %R, %R, %u", rounds, stages);
    rest = tile_make(e, TILE_R64, "sub.u64 %R, %R, %R", iterations, rest);
    tile_ins(e, "cvt.u32.u64 %R, %R", r->others_stages, rest);
    tile_ins(e, "cvt.u32.u64 %R, %R", r->others_phase, rounds);
    tile_ins(e, "and.b32 %R, %R, 1", r->others_phase, r->others_phase);
    tile_register now = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", r->second);
    tile_branch(e, now, false, goes);
    tile_ins(e, "mov.u32 %R, 0", r->second);
    tile_skip_other_team(e);
    tile_put_label(e, goes);
}

// Waits until the other team has seen all its stages full. Until then, a stage may be two uses
// behind the use that this team waits for, and the parity of its barrier does not distinguish these
// two uses.
static void wait_for_team(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    tile_register block = tile_make(e, TILE_R32, "mov.u32 %R, %%ctaid.x");
    tile_register later_tile = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, %R", r->tile, block);
    tile_register barrier =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->group, (unsigned)TILE_BARRIER_OF_TEAM);

    tile_ins(e, "@%R bar.sync %R, %u", later_tile, barrier, 2 * (unsigned)TILE_GROUP_THREADS);
    if (r->plan->before) {
        tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", r->group, r->base);
        tile_ins(e, "@%R ld.shared.v2.b32 {%R, %R}, [%R+%u]", later_tile, r->stage, r->phase, at,
                 (unsigned)TILE_HANDOVER_AT);
    }
    r->waited_for_team = true;
}

// Lets the other team begin, if it has a tile after this one. If tiles take different numbers of
// stages, the other team cannot compute where to begin; this function then passes on the stage at
// which this tile ended.
static void hand_ring_over(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    tile_register next = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");

    next = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", next, r->tile);
    tile_register goes_on = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", next, r->tiles);
    tile_register other = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", r->group);
    tile_register barrier =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", other, (unsigned)TILE_BARRIER_OF_TEAM);
    if (r->plan->before) {
        tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", other, r->base);
        tile_ins(e, "@!%R st.shared.v2.b32 [%R+%u], {%R, %R}", r->not_first, at,
                 (unsigned)TILE_HANDOVER_AT, r->stage, r->phase);
    }
    tile_ins(e, "@%R bar.arrive %R, %u", goes_on, barrier, 2 * (unsigned)TILE_GROUP_THREADS);
}

void tile_skip_products(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;

    if (r->copies || r->plan->teams < 2 || r->waited_for_team)
        return;
    wait_for_team(e);
    hand_ring_over(e);
    r->waited_for_team = false; // reset for the other paths
}

// Waits until a loop's next stage is full. If it is not, operands arrive more slowly than they are
// multiplied. Then the products under way are completed first, and their stage is released before
// the wait: otherwise one stage of the ring would be neither read nor requested.
static void await_stage(struct tile_emitter *e, tile_register full, tile_register used)
{
    const struct tile_ring *r = e->ring;
    uint32_t ready = tile_label(e);
    tile_register is_full = tile_new(e, TILE_PRED), uniform = tile_new(e, TILE_PRED);

    tile_ins(e, "mbarrier.test_wait.parity.shared::cta.b64 %R, [%R], %R", is_full, full, r->phase);
    tile_ins(e, "vote.sync.all.pred %R, %R, 0xffffffff", uniform, is_full);
    tile_branch(e, uniform, false, ready);
    tile_ins(e, "wgmma.wait_group.sync.aligned 0");
    release(e, used);
    tile_ins(e, "mov.b32 %R, 0", used);
    tile_emit_wait(e, full, 0, r->phase);
    tile_put_label(e, ready);
}

static void emit_product(struct tile_emitter *e, const tile_register *sum, uint32_t count,
                         tile_register accumulates, tile_register used)
{
    // A ring of more stages hardly needs one more, and the additional instructions take time.
    enum { FEW_STAGES = 8 };
    struct tile_ring *r = e->ring;
    tile_register full = tile_stage_barrier(e);

    if (r->plan->promotes || r->in_region || r->plan->stages > FEW_STAGES)
        tile_emit_wait(e, full, 0, r->phase); // promoted products have been completed
    else
        await_stage(e, full, used);
    if (tile_gathers(r->plan)) // wgmma reads, through the asynchronous proxy, data that threads
                               // wrote
        tile_ins(e, "fence.proxy.async.shared::cta");
    tile_emit_products(e, sum, count, accumulates);
    if (r->plan->promotes) { // the products are finished
        tile_ins(e, "add.u32 %R, %R, %u", used, full, (unsigned)TILE_FREE_AT);
        release(e, used);
        return;
    }
    tile_ins(e, "wgmma.wait_group.sync.aligned 1");
    release(e, used);
    tile_ins(e, "add.u32 %R, %R, %u", used, full, (unsigned)TILE_FREE_AT);
    if (accumulates)
        tile_ins(e, "setp.eq.s32 %R, 0, 0", accumulates);
}

static void zero_registers(struct tile_emitter *e, const tile_register *reg, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tile_ins(e, "mov.b32 %R, 0", reg[i]);
}

// The accumulators of a ring's loop or region. A copying warp has none.
struct accumulators {
    const tile_register *reg;
    uint32_t count;
    tile_register used;        // address of the barrier that frees the previous stage, or 0
    tile_register accumulates; // predicate: false if the next products overwrite the accumulators;
                               // TILE_NO_REGISTER: they never do
};

static bool open_accumulators(struct tile_emitter *e, const struct tile_value *sum,
                              const struct tile_value *start, struct accumulators *out)
{
    const struct tile_pipeline *plan = e->ring->plan;

    out->reg = tile_registers(e, sum);
    if (!out->reg)
        return false;
    out->used = tile_number32(e, 0);
    if (plan->from_zero && plan->promotes) {
        zero_registers(e, out->reg, out->count);
    } else if (plan->from_zero) {
        out->accumulates = tile_make(e, TILE_PRED, "setp.ne.s32 %R, 0, 0");
    } else {
        const tile_register *init = tile_registers(e, start);
        for (uint32_t i = 0; init && i < out->count; i++)
            tile_move(e, out->reg[i], init[i]);
    }
    return true;
}

// Emits the code after the last iteration. If the loop is entered without a check (`checked` is
// false), nothing branches to `none`.
static void close_ring_loop(struct tile_emitter *e, const struct accumulators *acc, bool alternates,
                            bool checked, uint32_t none, uint32_t end)
{
    const struct tile_ring *r = e->ring;

    if (alternates && acc->accumulates)
        hand_ring_over(e);
    if (acc->accumulates)
        tile_load_early(e);
    if (!r->copies && !r->plan->promotes) {
        tile_ins(e, "wgmma.wait_group.sync.aligned 0");
        release(e, acc->used);
    }
    if (acc->accumulates && checked) {
        tile_branch(e, TILE_NO_REGISTER, false, end);
        tile_put_label(e, none);
        if (alternates)
            hand_ring_over(e);
        tile_load_early(e);
        tile_put_label(e, end);
    } else if (!acc->accumulates) {
        tile_put_label(e, none);
        if (alternates)
            hand_ring_over(e);
        tile_load_early(e);
    }
}

// Makes a predicate that is true for the block's last tile if its loop is brief. The next grid then
// begins before the epilogue. On an H200 this saved 0.05 to 0.4 us of products that take 2 to 7 us.
// Products whose blocks read more than 500 KB took longer: the next grid's blocks take the
// multiprocessors in the order in which these become free, so that neighbors in the grid no longer
// share loads.
static tile_register is_brief(struct tile_emitter *e, const char *type, tile_register first,
                              tile_register last)
{
    enum { MOST_BYTES = 500 << 10 };
    const struct tile_ring *r = e->ring;
    enum tile_register_class class = TILE_REGISTER_CLASS(first);
    tile_register brief = tile_new(e, TILE_PRED);
    tile_register iterations = tile_make(e, class, "sub.%s %R, %R, %R", type, last, first);

    tile_ins(e, "setp.le.%s %R, %R, %u", type, brief, iterations,
             MOST_BYTES / r->plan->stage_bytes);
    tile_register next = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");
    next = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", next, r->tile);
    tile_ins(e, "setp.ge.and.u32 %R, %R, %R, %R", brief, next, r->tiles, brief);
    return brief;
}

bool tile_emit_ring_loop(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_ring *r = e->ring;
    const struct tile_block *body = op->block[0];
    const struct tile_value *value = body->argument[0];
    uint32_t start = tile_label(e), none = tile_label(e), end = tile_label(e);
    bool wide = tile_class_of(value->type.dtype) == TILE_R64;
    const char *type = tile_integer_type(value->type.dtype);
    tile_register over = tile_new(e, TILE_PRED), more = tile_new(e, TILE_PRED);
    tile_register left = tile_new(e, wide ? TILE_R64 : TILE_R32);
    struct accumulators acc = { .count = tile_register_count(op->result[0]) };
    const tile_register *own = tile_registers(e, value);

    if (!own)
        return false;
    tile_register variable = own[0], last = tile_registers(e, op->operand[1])[0],
                  step = tile_registers(e, op->operand[2])[0];
    if (!r->copies && !open_accumulators(e, op->result[0], op->operand[3], &acc))
        return false;
    tile_register at = tile_registers(e, op->operand[0])[0];
    if (r->plan->split > 1)
        tile_split_range(e, type, op->operand[2], &at, &last);
    tile_move(e, variable, at);
    bool alternates = !r->copies && r->plan->teams > 1;
    if (alternates && !r->plan->before)
        measure_stages(e, type, variable, last);
    if (alternates)
        wait_for_team(e);
    // Every block runs an iteration if the loop is neither empty nor split.
    bool always_runs = r->plan->split == 1 && tile_range_of(e->ranges, op->operand[0]).high <
                                                  tile_range_of(e->ranges, op->operand[1]).low;
    tile_register brief = TILE_NO_REGISTER;
    if (!r->copies && r->plan->teams <= 1 && e->kernel->lets_grids_begin &&
        e->kernel->waits_for_grids)
        brief = is_brief(e, type, variable, last);
    // ptxas serializes the products if zeros are assigned only where the loop is skipped.
    if (!always_runs && !r->copies && acc.accumulates)
        zero_registers(e, acc.reg, acc.count);
    if (!always_runs) {
        tile_ins(e, "setp.ge.%s %R, %R, %R", type, over, variable, last);
        tile_branch(e, over, false, none);
    }
    tile_put_label(e, start);
    if (r->copies)
        emit_copy(e, body);
    else
        emit_product(e, acc.reg, acc.count, acc.accumulates, acc.used);
    tile_ring_step(e);
    tile_ins(e, "sub.%s %R, %R, %R", type, left, last, variable);
    tile_ins(e, "setp.gt.u%s %R, %R, %R", type + 1, more, left, step);
    tile_ins(e, "add.%s %R, %R, %R", type, variable, variable, step);
    tile_branch(e, more, false, start);
    close_ring_loop(e, &acc, alternates, !always_runs, none, end);
    if (brief)
        tile_ins(e, "@%R griddepcontrol.launch_dependents", brief);
    tile_find_next(e);
    if (!r->copies && r->plan->split > 1)
        tile_join_parts(e, acc.reg, acc.count);
    // A block that only pads its cluster ends its tile here.
    if (!r->copies && r->plan->cluster > 1) {
        tile_register outside =
            tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %R", r->column, r->grid[0]);
        if (r->plan->across > 1)
            tile_ins(e, "setp.ge.or.u32 %R, %R, %R, %R", outside, r->place[1], r->grid[1], outside);
        tile_branch(e, outside, false, r->next_tile);
    }
    return !e->failed;
}

// ---- Regions

bool tile_region_skips(const struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_ring *r = e->ring;

    if (!r->in_region || op->kind == TILE_MMA || !op->result_count ||
        tile_holds_products(r->plan, op))
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!op->result[i]->type.rank &&
            (r->copies ? r->plan->wanted : r->plan->steers)[op->result[i]->id])
            return false;
    return true;
}

bool tile_region_carries(const struct tile_emitter *e, const struct tile_value *value)
{
    const struct tile_ring *r = e->ring;

    if (!r || !r->in_region)
        return true;
    if (r->plan->sums[value->id])
        return false; // accumulators keep their registers
    return (r->copies ? r->plan->wanted : r->plan->steers)[value->id];
}

bool tile_emit_region_product(struct tile_emitter *e, const struct tile_op *mma)
{
    struct tile_ring *r = e->ring;
    const struct accumulators *acc = r->accumulators;
    const struct tile_added_product *product = r->plan->product;

    while (product->mma != mma)
        product++;
    if (r->copies)
        copy_stage(e, product->stream);
    else
        emit_product(e, acc->reg, acc->count, acc->accumulates, acc->used);
    tile_ring_step(e);
    return !e->failed;
}

static void share_registers(struct tile_op *op, void *data)
{
    struct tile_emitter *e = data;
    const struct tile_ring *r = e->ring;
    tile_register *reg = (tile_register *)(uintptr_t)r->accumulators->reg;

    for (uint32_t i = 0; i < op->result_count; i++)
        if (r->plan->sums[op->result[i]->id])
            e->value[op->result[i]->id] = reg;
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++)
            if (r->plan->sums[op->block[n]->argument[i]->id])
                e->value[op->block[n]->argument[i]->id] = reg;
}

// Ends a region: waits for the last products, which still run. Without any product, the accumulator
// gets its initial value.
static void close_region(struct tile_emitter *e, const struct accumulators *acc)
{
    uint32_t end = tile_label(e);

    tile_load_early(e);
    if (!e->ring->plan->promotes) {
        tile_ins(e, "wgmma.wait_group.sync.aligned 0");
        release(e, acc->used);
    }
    if (acc->accumulates) {
        tile_branch(e, acc->accumulates, false, end);
        zero_registers(e, acc->reg, acc->count);
        tile_put_label(e, end);
    }
    tile_find_next(e);
}

// Emits the region's ops. All values of its accumulator share registers.
bool tile_emit_region(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    struct accumulators acc = { .count = tile_register_count(plan->end) };

    if (!r->copies && !open_accumulators(e, plan->end, plan->start, &acc))
        return false;
    r->accumulators = &acc;
    if (!r->copies)
        tile_walk((struct tile_block *)(uintptr_t)&e->kernel->body, share_registers, e);
    r->in_region = true;
    for (const struct tile_op *op = plan->first; op != plan->loop->next && !e->failed;
         op = op->next) {
        tile_find_rows(e, op);
        if (!tile_region_skips(e, op) && !tile_emit_next(e, op))
            e->failed = true;
    }
    r->in_region = false;
    if (!r->copies && !e->failed)
        close_region(e, &acc);
    r->accumulators = NULL;
    e->shared_busy = true;
    return !e->failed;
}

// ---- Roles

// Finds the block's place in a cluster that extends along both axes of the grid, and with which
// blocks it shares which loads. Ranks count along the first axis first.
static void open_cluster(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    uint32_t across = r->plan->across, along = r->plan->cluster / across;

    r->rank_along[0] = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", r->rank, along - 1);
    r->rank_along[1] =
        tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", r->rank, (unsigned)__builtin_ctz(along));
    uint32_t first = (1u << along) - 1, second = 0;
    for (uint32_t i = 0; i < across; i++)
        second |= 1u << (i * along);
    tile_register past = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", r->rank_along[1], along);
    r->mask[0] = tile_make(e, TILE_R16, "mov.b16 %R, %u", first);
    r->mask[1] = tile_make(e, TILE_R16, "mov.b16 %R, %u", second);
    tile_ins(e, "shl.b16 %R, %R, %R", r->mask[0], r->mask[0], past);
    tile_ins(e, "shl.b16 %R, %R, %R", r->mask[1], r->mask[1], r->rank_along[0]);
    for (uint32_t axis = 0; axis < 2; axis++) {
        uint32_t extent = axis ? across : along;
        tile_register x = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->grid[axis], extent - 1);
        x = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", x, (unsigned)__builtin_ctz(extent));
        *(axis ? &r->height : &r->width) = x;
    }
}

// Computes the grid's extents, padded to whole clusters.
static void open_grid(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    uint32_t cluster = r->plan->cluster;

    if (r->plan->split > 1 || cluster > 1)
        r->rank = tile_make(e, TILE_R32, "mov.u32 %R, %%cluster_ctarank");
    r->width = r->grid[0];
    r->height = r->grid[1];
    if (r->plan->across > 1) {
        open_cluster(e);
    } else if (cluster > 1) {
        r->width = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->width, cluster - 1);
        r->width = tile_make(e, TILE_R32, "and.b32 %R, %R, %d", r->width, -(int)cluster);
    }
}

// Returns the number of arrivals that make a stage full. Realigning warps arrive once each.
// Otherwise the thread that issues TMA copies arrives, even if it copies nothing, and so does each
// gathering thread.
static uint32_t arrivals(const struct tile_pipeline *p)
{
    return p->realigned ? TILE_GROUP_THREADS / 32 : tile_gathers(p) ? TILE_GROUP_THREADS + 1 : 1;
}

static void make_barriers(struct tile_emitter *e)
{
    const struct tile_ring *r = e->ring;

    for (uint32_t s = 0; s < r->plan->stages; s++) {
        tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], %u", r->base, 8 * s, arrivals(r->plan));
        tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], %u", r->base,
                 8 * s + (unsigned)TILE_FREE_AT, r->plan->groups * reports(r->plan));
    }
}

static void open_products(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;

    if (r->plan->teams > 1) { // number threads within their team
        struct tile_text *before = tile_into_prologue(e);
        e->tid = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, TILE_GROUP_THREADS - 1u);
        e->warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
        e->text = before;
        r->others_stages = tile_number32(e, 0);
        r->others_phase = tile_number32(e, 0);
        r->second = tile_make(e, TILE_R32, "mov.u32 %R, %R", r->group);
    }
    tile_open_products(e);
    open_reports(e);
}

static bool copy_body(struct tile_emitter *e)
{
    const struct tile_op *loop = e->ring->plan->loop, *first = e->ring->plan->first;

    for (const struct tile_op *op = e->kernel->body.first; op != (first ? first : loop);
         op = op->next) {
        tile_find_rows(e, op);
        if ((e->ring->plan->before ? tile_can_know(e->ring->plan, op) : wants(e, op)) &&
            !tile_emit_next(e, op))
            return false;
    }
    if (!first)
        tile_find_rows(e, loop);
    if (!(first ? tile_emit_region(e) : tile_emit_ring_loop(e, loop)) || !e->ring->plan->side)
        return !e->failed;
    for (const struct tile_op *op = loop->next; op != e->ring->plan->side; op = op->next)
        if (wants(e, op) && !tile_emit_one(e, op))
            return false;
    tile_copy_side(e);
    return !e->failed;
}

static bool product_body(struct tile_emitter *e)
{
    tile_begin_tile(e);
    e->ring->warps_apart = false;
    return (!e->ring->plan->side || tile_begin_side(e)) && tile_emit_block(e, &e->kernel->body);
}

bool tile_emit_pipeline(struct tile_module *module, const struct tile_kernel *kernel,
                        const struct tile_pipeline *plan, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry)
{
    const struct tile_roles roles = {
        .dispatch = &tile_dispatch,
        .warps = plan->groups * (TILE_GROUP_THREADS / 32),
        .copy_registers = tile_threads_copy(plan) ? 72 : 24,
        .product_registers = plan->groups > 2                              ? 160
                             : tile_threads_copy(plan) && plan->groups > 1 ? 216
                                                                           : 240,
        .open = open_grid,
        .make_barriers = make_barriers,
        .open_products = open_products,
        .for_each_tile = tile_for_each_tile,
        .copy = copy_body,
        .multiply = product_body,
    };
    struct tile_ring ring = { .plan = plan,
                              .staging = TILE_RING_AT + plan->stages * plan->stage_bytes +
                                         plan->buffer_bytes };

    if (!tile_emit_roles(module, kernel, target, &roles, &ring, out, entry))
        return false;
    entry->even = plan->even;
    return true;
}
