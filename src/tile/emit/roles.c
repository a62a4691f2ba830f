#include "roles.h"

#include <string.h>

// Loads the tensor maps and grid values into registers. The first thread initializes the barriers.
static void emit_start(struct tile_emitter *e, const struct tile_roles *roles, uint32_t bytes)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t made = tile_label(e), grid = tile_grid_at(bytes);
    tile_register first = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", e->tid);
    tile_register args = tile_new(e, TILE_R64);

    tile_ins(e, "mov.b64 %R, args", args);
    tile_ins(e, "cvta.param.u64 %R, %R", args, args);
    for (uint32_t i = 0; i < plan->maps; i++)
        r->map[i] = tile_make(e, TILE_R64, "add.s64 %R, %R, %u", args,
                              tile_maps_at(bytes) + i * (unsigned)TILE_MAP_BYTES);
    for (uint32_t i = 0; i < 3; i++) {
        r->grid[i] = tile_make(e, TILE_R32, "ld.param.u32 %R, [args+%u]", grid + 4 * i);
        e->blocks[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", r->grid[i]);
    }
    r->tiles = tile_make(e, TILE_R32, "ld.param.u32 %R, [args+%u]", grid + 12);
    for (uint32_t i = 0; i < 3; i++)
        r->inverse[i] = tile_make(e, TILE_R32, "ld.param.u32 %R, [args+%u]", grid + 16 + 4 * i);
    roles->open(e);
    tile_branch(e, first, false, made);
    for (uint32_t i = 0; i < plan->maps; i++)
        if (plan->map[i].optional)
            tile_ins(e, "@%R prefetch.tensormap [%R]", tile_has_map(e, i), r->map[i]);
        else
            tile_ins(e, "prefetch.tensormap [%R]", r->map[i]);
    roles->make_barriers(e);
    tile_ins(e, "fence.mbarrier_init.release.cluster");
    tile_put_label(e, made);
    tile_register group = tile_make(e, TILE_R32, "shr.u32 %R, %R, 7", e->tid);
    r->group = tile_make(e, TILE_R32, "shfl.sync.idx.b32 %R, %R, 0, 0x1f, 0xffffffff", group);
}

// Takes part in the meetings of the cluster's blocks before the loop, so that warpgroups need not
// wait for the copying threads.
static void join_meetings(struct tile_emitter *e)
{
    for (uint32_t i = 0; i < e->ring->meets; i++)
        tile_cluster_barrier(e, i + 1 < e->ring->meets);
}

void tile_await_start(struct tile_emitter *e)
{
    if (e->ring->plan->cluster > 1) {
        tile_ins(e, "barrier.cluster.arrive.release.aligned");
        tile_ins(e, "barrier.cluster.wait.acquire.aligned");
    } else {
        tile_ins(e, "bar.sync 0");
    }
    if (e->kernel->waits_for_grids)
        tile_ins(e, "griddepcontrol.wait");
    if (e->ring->copies)
        join_meetings(e);
}

// Lets the next grid begin when all blocks are about to end. Its blocks then start while the last
// results are on their way to memory. On an H200, matrix products with fewer blocks than
// multiprocessors took up to 30 % longer if a block did this at its start, probably because blocks
// that start before the machine is empty are spread unevenly. Entries in which some warps end long
// before others therefore omit the instruction, so that the next grid begins when this one ends.
// Brief loops are an exception (pipeline.c).
static void launch_dependents(struct tile_emitter *e)
{
    const struct tile_pipeline *plan = e->ring->plan;

    if (e->kernel->waits_for_grids && plan->split <= 1 && plan->teams <= 1)
        tile_ins(e, "griddepcontrol.launch_dependents");
}

// Ends a block once no other block of its cluster can still load into it or arrive at its barriers.
static void emit_end(struct tile_emitter *e)
{
    const struct tile_pipeline *plan = e->ring->plan;

    if (e->ring->copies && e->ring->meets)
        tile_ins(e, "barrier.cluster.wait.acquire"); // for the last meeting before the loop
    if (plan->cluster > 1 || (plan->split > 1 && e->ring->copies))
        tile_cluster_barrier(e, true);
    // Partial sums are exchanged between two cluster barriers. The copying threads take no part in
    // the exchange but arrive at both.
    if (plan->split > 1) {
        if (e->ring->copies)
            tile_ins(e, "barrier.cluster.arrive.release");
        tile_ins(e, "barrier.cluster.wait.acquire");
    }
    tile_ins(e, "ret");
}

void tile_begin_tile(struct tile_emitter *e)
{
    e->shared_busy = true;
    e->read = e->written = 0;
    e->ring->out.open = false;
}

// Emits the copying role if all warps of its warpgroup copy.
static bool emit_by_threads(struct tile_emitter *e, const struct tile_roles *roles)
{
    bool realigned = e->ring->plan->realigned;

    if (!(realigned ? tile_open_realign(e) : tile_open_gathered(e)) ||
        !roles->for_each_tile(e, roles->copy))
        return false;
    if (realigned)
        tile_close_realign(e);
    else
        tile_close_gathered(e);
    emit_end(e);
    return !e->failed;
}

// Emits the copying role if one lane copies. The whole warp visits the tiles, so that warp-uniform
// values are computed once and ptxas knows that only one lane is elected.
static bool emit_copies(struct tile_emitter *e, const struct tile_roles *roles)
{
    uint32_t other = tile_label(e), end = tile_label(e);
    tile_register warp = tile_make(e, TILE_R32, "shr.u32 %R, %R, 5", e->tid);

    warp = tile_make(e, TILE_R32, "shfl.sync.idx.b32 %R, %R, 0, 0x1f, 0xffffffff", warp);
    tile_register others = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, %u", warp,
                                     tile_all_groups(e->ring->plan) * (TILE_GROUP_THREADS / 32u));
    tile_branch(e, others, false, other);
    e->ring->elected = tile_make(e, TILE_PRED, "elect.sync _|%R, 0xffffffff");
    if (!roles->for_each_tile(e, roles->copy))
        return false;
    tile_branch(e, TILE_NO_REGISTER, false, end);
    tile_put_label(e, other);
    tile_await_start(e);
    tile_put_label(e, end);
    tile_ins(e, "bar.warp.sync 0xffffffff");
    emit_end(e);
    return !e->failed;
}

static bool emit_products(struct tile_emitter *e, const struct tile_roles *roles)
{
    roles->open_products(e);
    if (!roles->for_each_tile(e, roles->multiply))
        return false;
    launch_dependents(e);
    if (e->ring->plan->store) // the block must keep its shared memory until the stores have read it
        tile_ins(e, "@!%R cp.async.bulk.wait_group.read 0", e->ring->not_storing);
    emit_end(e);
    return !e->failed;
}

static tile_register **copy_values(struct tile_emitter *e, tile_register *const *from)
{
    size_t bytes = (e->kernel->value_count + 1) * sizeof(*from);
    tile_register **copy = tile_take(e->module, bytes);

    if (copy)
        memcpy(copy, from, bytes);
    return copy;
}

// Emits the code of the multiplying warpgroups to the emitter's body, and all code that precedes it
// to `copying`.
static bool emit_both(struct tile_emitter *e, const struct tile_roles *roles, uint32_t bytes,
                      struct tile_text *copying)
{
    struct tile_ring *r = e->ring;
    uint32_t multiply = tile_label(e);
    struct tile_text none = { .module = e->module }, own = none, common = e->prologue;

    e->text = &common;
    emit_start(e, roles, bytes);
    tile_register multiplies =
        tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", r->group, tile_all_groups(r->plan));
    tile_branch(e, multiplies, false, multiply);
    tile_register **values = copy_values(e, e->value);
    if (!values)
        return false;

    // Each role has its own prologue, which precedes its text.
    e->prologue = none;
    r->copies = true;
    e->text = &own;
    if (!(tile_threads_copy(r->plan) ? emit_by_threads(e, roles) : emit_copies(e, roles)))
        return false;
    *copying = common;
    tile_put(copying, "\tsetmaxnreg.dec.sync.aligned.u32 %u;\n", roles->copy_registers);
    tile_put_string(copying, e->prologue.at ? e->prologue.at : "");
    tile_put_string(copying, own.at ? own.at : "");
    tile_put(copying, "$L%u:\n", multiply);
    tile_put(copying, "\tsetmaxnreg.inc.sync.aligned.u32 %u;\n", roles->product_registers);

    r->copies = false;
    e->value = values;
    e->deferred = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->deferred));
    if (!e->deferred)
        return false;
    e->coordinates = 0;
    e->prologue = none;
    e->text = &e->body;
    return emit_products(e, roles);
}

static void put_entry(struct tile_emitter *e, const struct tile_entry *entry, uint32_t bytes,
                      uint32_t scratch, const struct tile_text *copying, struct tile_text *out)
{
    const struct tile_ring *r = e->ring;

    tile_put_functions(e, out);
    if (e->globals.length)
        tile_put_string(out, e->globals.at);
    tile_put(out, ".visible .entry %s(.param .align 64 .b8 args[%u])\n", entry->name,
             tile_block_bytes(entry, bytes));
    tile_put(out, ".maxntid %u, 1, 1\n.minnctapersm 1\n", 32 * entry->warps);
    if (entry->cluster > 1 || entry->split > 1)
        tile_put(out, ".reqnctapercluster %u, 1, 1\n",
                 entry->split > 1 ? entry->split : entry->cluster);
    tile_put_string(out, "{\n");
    tile_put_declarations(e, out);
    tile_put(out, "\tmov.u32 %s, dynamic_scratch;\n", tile_name(r->base));
    tile_put(out, "\tadd.u32 %s, %s, %u;\n", tile_name(e->shared), tile_name(r->base), scratch);
    tile_put_string(out, copying->at ? copying->at : "");
    tile_put_string(out, e->prologue.at ? e->prologue.at : "");
    tile_put_string(out, e->body.at ? e->body.at : "");
    tile_put_string(out, "}\n");
}

bool tile_emit_roles(struct tile_module *module, const struct tile_kernel *kernel,
                     const struct tile_target *target, const struct tile_roles *roles,
                     struct tile_ring *ring, struct tile_text *out, struct tile_entry *entry)
{
    const struct tile_pipeline *plan = ring->plan;
    enum tile_variant variant = plan->realigned ? TILE_REALIGNED : TILE_TMA;
    struct tile_emitter e = { .dispatch = roles->dispatch,
                              .module = module,
                              .kernel = kernel,
                              .target = target,
                              .variant = variant,
                              .warps = roles->warps,
                              .ring = ring };
    struct tile_text copying;

    if (!tile_open_values(&e) || kernel->parameter_count > 64)
        return false;
    uint32_t bytes = e.parameter_bytes = tile_parameter_layout(kernel, e.parameter_at);
    tile_begin_entry(&e);
    ring->base = tile_new(&e, TILE_R32);
    if (!emit_both(&e, roles, bytes, &copying) || module->diagnostics->out_of_memory)
        return false;
    uint32_t groups = tile_all_groups(plan);
    uint32_t scratch = ring->staging +
                       (plan->store ? tile_storing_groups(plan) * tile_staging_bytes(plan) : 0);
    if (plan->teams > 1 && e.shared_bytes) // the teams would use the scratch at the same time
        return false;
    *entry = (struct tile_entry){
        .variant = variant,
        .name = tile_entry_name(module, kernel, variant),
        .warps = (groups + 1) * (TILE_GROUP_THREADS / 32),
        .dynamic_shared = scratch + e.shared_bytes,
        .persistent = true,
        .cluster = plan->cluster,
        .split = plan->split,
        .raster = plan->raster,
        .aligned = tile_aligned_parameters(plan),
        .map_count = plan->maps,
    };
    memcpy(entry->map, plan->map, sizeof(entry->map));
    entry->realigned = plan->realigned ? tile_streamed_parameters(plan) : 0;
    if (!entry->name || entry->dynamic_shared > target->shared_limit)
        return false;
    e.shared_bytes = 0; // so that the PTX declares no static shared memory
    put_entry(&e, entry, bytes, scratch, &copying, out);
    return true;
}
