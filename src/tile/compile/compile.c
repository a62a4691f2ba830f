// Runs the passes that compile a kernel, in order, and assembles a module's PTX.
#include "compile_steps.h"

#include "tile/ir/budget.h"
#include "tile/ir/diagnostic.h"
#include "tile/emit/emit.h"
#include "tile/layout/fragment.h"
#include "tile/ir/layout.h"
#include "tile/pass/access_width.h"
#include "tile/pass/accumulation.h"
#include "tile/pass/funnel.h"
#include "tile/pass/prefetch.h"
#include "tile/pass/pipeline.h"
#include "tile/pass/range_analysis.h"
#include "tile/pass/remark.h"
#include "tile/signature/signature.h"
#include "tile/layout/assign.h"

#include <assert.h>

// ---- The data that passes work on

enum { VARIANTS = 4 };

// The entries of a kernel that have been emitted so far.
struct output {
    struct tile_text *text;
    struct tile_entry entry[2 + VARIANTS];
    uint32_t entries;
};

// A kernel during compilation, with the decisions of its passes.
struct unit {
    struct tile_kernel *kernel;
    struct tile_target target; // for this kernel
    uint32_t holds;            // enum tile_property
    uint32_t warps;            // warps of a block
    bool has_roles;            // the kernel has an entry with roles
    bool apart;                // stored tensors overlap no others
    bool single;               // elements of tensors move one at a time
    bool has_realigned;        // the kernel also has an entry with roles for unaligned operands,
                               // which replaces some without roles
    struct tile_measures measures;
    uint32_t cluster;               // blocks per cluster
    bool flexible;                  // each launch chooses how many blocks share a loop
    const char *why_not_split;      // reason why no loop is split; NULL or ""
    struct tile_prefetch *prefetch; // NULL: no operands are prefetched
    const char *why;                // reason why no operands are prefetched
    struct output *out;             // NULL if only layouts are dumped
    enum tile_variant variant;      // the variant to emit
};

// ---- Passes on the source form

static bool choose_warps(struct unit *u)
{
    u->warps = u->target.warps ? tile_enough_warps(u->kernel, u->target.warps)
                               : tile_choose_warps(u->kernel, &u->target);
    return true;
}

static bool simplify(struct unit *u)
{
    tile_simplify(u->kernel);
    return true;
}

static void note_grids(struct tile_op *op, void *data)
{
    struct tile_kernel *kernel = data;

    // Ordered loads and results of atomic ops let a kernel see the writes of other blocks.
    kernel->keeps_order |= tile_op_infos[op->kind].traits & TILE_READS &&
                           (op->kind == TILE_ATOMIC
                                ? op->result[0]->uses > 0
                                : tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK);
}

// True if every block reaches a wait of the source: one in the body, before any branch or loop.
static bool always_waits(const struct tile_kernel *kernel)
{
    for (const struct tile_op *op = kernel->body.first; op && !op->block_count; op = op->next)
        if (op->kind == TILE_GRID_WAIT)
            return true;
    return false;
}

static bool find_grids(struct unit *u)
{
    tile_walk(&u->kernel->body, note_grids, u->kernel);
    u->kernel->waits_by_itself = always_waits(u->kernel);
    u->kernel->waits_for_grids = tile_has(&u->target, TILE_HAS_GRID_CONTROL);
    return true;
}

static bool refuse_huge(struct unit *u)
{
    tile_refuse_huge(u->kernel);
    return !u->kernel->module->diagnostics->errors;
}

static bool mark_approximate(struct unit *u)
{
    if (u->target.contract)
        tile_mark_approximate(u->kernel);
    return true;
}

static bool find_vector_bytes(struct unit *u)
{
    const struct tile_ranges *ranges = tile_analyze_ranges(u->kernel, 0, false);

    return ranges && tile_find_vector_bytes(u->kernel, ranges);
}

static bool compile_roles(struct unit *u)
{
    u->has_roles = tile_compile_roles(u->kernel, &u->target, u->out->text, &u->out->entry[0]);
    u->out->entries += u->has_roles;
    if (u->has_roles && tile_compile_realigned(u->kernel, &u->target, u->out->text,
                                               &u->out->entry[u->out->entries]))
        u->out->entries++;
    u->has_realigned = u->out->entries > 1;
    return true;
}

static bool refuse_accumulators(struct unit *u)
{
    tile_refuse_accumulators(u->kernel, &u->target, u->has_roles);
    return true;
}

static bool review(struct unit *u)
{
    return tile_review(u->kernel, &u->target, u->has_roles);
}

// ---- Layout passes

static bool reduce_after_loops(struct unit *u)
{
    tile_reduce_after_loops(u->kernel, u->warps, u->target.contract, false);
    return true;
}

static bool split_loops(struct unit *u)
{
    u->target.loop_split =
        tile_split_loops(u->kernel, &u->target, u->warps, &u->flexible, &u->why_not_split);
    if (u->target.split > 1 && !u->has_roles && tile_has_products(u->kernel))
        u->why_not_split = "it multiplies matrices without a pipeline";
    tile_remark_split(u->kernel, u->target.split, u->target.loop_split, u->flexible,
                      u->why_not_split);
    return true;
}

static bool unroll_taps(struct unit *u)
{
    (void)tile_unroll_taps(u->kernel, u->warps);
    return true;
}

static bool unroll_loads(struct unit *u)
{
    tile_unroll_loads(u->kernel, u->warps, u->apart);
    return true;
}

static bool tally_loops(struct unit *u)
{
    tile_tally_loops(u->kernel, &u->target);
    return true;
}

static bool measure(struct unit *u)
{
    u->measures = tile_measures_of(u->kernel);
    return true;
}

static bool choose_cluster(struct unit *u)
{
    u->cluster = tile_blocks_together(&u->measures, &u->target, u->warps);
    return true;
}

static bool rematerialize(struct unit *u)
{
    enum { MANY = 48 }; // with this many elements per thread, 16-bit elements stay narrow

    if (tile_is_row(&u->measures) && u->measures.most >= (int64_t)MANY * 32 * u->warps &&
        tile_rematerialize(u->kernel, u->measures.most))
        tile_drop_dead(u->kernel);
    return true;
}

static bool choose_occupancy(struct unit *u)
{
    bool row = tile_is_row(&u->measures);
    uint32_t blocks = (row ? tile_occupancy : tile_rank_occupancy)(u->kernel, u->warps);

    u->target.blocks = blocks < u->target.most_blocks ? blocks : u->target.most_blocks;
    u->target.defers = row && blocks;
    return true;
}

// Plans the prefetch with as few warps as the accumulators allow. Operands stay in shared memory,
// so a warp's registers are free for accumulators, and a warp that has more accumulators makes more
// use of each element that it reads.
static struct tile_prefetch *choose_prefetch(struct tile_kernel *kernel,
                                             const struct tile_target *target, uint32_t *warps,
                                             const char **why)
{
    enum { OF_A_WARP = 64 * 64, OF_WIDE = 64 * 32, LEAST_WARPS = 4 };
    struct tile_prefetch *plan = tile_plan_prefetch(kernel, target, *warps, why), *other = NULL;
    uint32_t few = LEAST_WARPS;

    if (target->warps || !plan || !plan->only)
        return plan;
    int64_t elements = tile_elements(&plan->only->result[0]->type);
    bool wide = plan->only->operand[0]->type.dtype == CUC_F64 ||
                tile_int(plan->only, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32X3;
    while (elements > (int64_t)few * (wide ? OF_WIDE : OF_A_WARP))
        few *= 2;
    const char *why_other;
    if (few < *warps)
        other = tile_plan_prefetch(kernel, target, few, &why_other);
    if (!other || !other->only)
        return plan;
    *warps = few;
    return other;
}

static bool plan_prefetch(struct unit *u)
{
    u->prefetch = choose_prefetch(u->kernel, &u->target, &u->warps, &u->why);
    return true;
}

static bool give_fragments(struct unit *u)
{
    // Next to a product on tensor cores, barriers that order accesses cost nothing measurable.
    u->target.orders_all = tile_fragment_warps(u->kernel, &u->target) > 0;
    tile_assign_fragments(u->kernel, &u->target, u->warps);
    return !u->prefetch || tile_lay_out_prefetch(u->kernel, u->prefetch, u->warps);
}

static uint32_t one_element(const struct tile_op *op, const void *data)
{
    (void)op;
    (void)data;
    return 0;
}

static bool assign_layouts(struct unit *u)
{
    const struct tile_ranges *ranges = tile_analyze_ranges(u->kernel, 0, false);
    struct tile_widths widths = { .bits = u->single ? one_element : tile_access_width,
                                  .data = ranges };

    return ranges && tile_assign_layouts(u->kernel, u->warps, &widths);
}

static bool funnel_loads(struct unit *u)
{
    const struct tile_ranges *ranges = tile_analyze_ranges(u->kernel, 0, false);

    return ranges && (u->prefetch || u->single || tile_funnel_loads(u->kernel, ranges));
}

static bool store_lines(struct unit *u)
{
    return (u->target.brief && !u->single) ||
           tile_store_lines(u->kernel, &u->target, u->warps, u->single);
}

static bool settle_prefetch(struct unit *u)
{
    if (u->prefetch && !tile_settle_prefetch(u->kernel, u->prefetch)) {
        u->prefetch = NULL;
        u->why = "an operand's ids are computed from tiles that other operations use";
    }
    return true;
}

// ---- Emission

// Emits an entry. Prefetches operands if their rows are aligned and shared memory suffices.
static bool emit_entry(struct unit *u)
{
    struct tile_module *module = u->kernel->module;
    struct output *out = u->out;
    struct tile_entry *entry = &out->entry[out->entries];
    bool done = u->prefetch && u->variant != TILE_INDEX_64 && u->variant != TILE_INDEX_32 &&
                tile_emit_entry(module, u->kernel, &u->target, u->warps, u->variant, u->prefetch,
                                out->text, entry);

    if (!done && (module->diagnostics->errors || module->diagnostics->out_of_memory ||
                  !tile_emit_entry(module, u->kernel, &u->target, u->warps, u->variant, NULL,
                                   out->text, entry)))
        return false;
    entry->cluster = u->cluster;
    entry->split = u->target.loop_split;
    entry->flexible = u->target.loop_split && u->flexible;
    out->entries++;
    return true;
}

// ---- The table

// Stages of a compilation. run_passes() runs the passes of some stages in the order of the table.
enum {
    PREPARE = 1 << 0, // once per kernel
    CHECK = 1 << 1,   // once per kernel, unless only its layouts are requested
    LAYOUT = 1 << 2,  // once per kernel, or per copy that has layouts of its own
    EMIT = 1 << 3,    // once per entry
};

struct pass {
    uint32_t stage;
    const char *name; // in diagnostics: "after NAME"
    bool (*run)(struct unit *u);
    uint32_t needs, leaves, ends; // enum tile_property; a pass keeps all others
    bool changes;                 // the pass changes the IR
};

static const struct pass passes[] = {
    // Folds, merges and hoists ops and drops dead ones, until nothing changes.
    { PREPARE, "simplification", simplify, .needs = TILE_IR_SOURCE, .leaves = TILE_IR_SIMPLE,
      .changes = true },
    // Chooses the number of warps per block, unless the target fixes it and accumulators fit.
    { PREPARE, "choice of warps", choose_warps, .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE,
      .leaves = TILE_IR_WARPS },
    // Unrolls short loops over the taps of a filter.
    { PREPARE, "unrolling of taps", unroll_taps,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_WARPS, .changes = true },
    // Finds out if the source waits for other grids, and if blocks may see the writes of other
    // blocks.
    { CHECK, "search for grids", find_grids, .needs = TILE_IR_SIMPLE },
    // Rejects tiles that exceed the registers of any block.
    { CHECK, "check of sizes", refuse_huge, .needs = TILE_IR_SIMPLE, .leaves = TILE_IR_SIZED },
    // Finds the widest access to each tensor, and thus how the tensor must be aligned.
    { CHECK, "search for widths", find_vector_bytes, .needs = TILE_IR_SIMPLE },
    // Marks exponentials and quotients that need not meet their usual error bound.
    { PREPARE, "approximate math", mark_approximate, .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE,
      .leaves = TILE_IR_MARKED, .changes = true },
    // Compiles the entry with roles from a copy of the kernel, if the kernel and the target allow
    // it.
    { CHECK, "roles", compile_roles,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_SIZED | TILE_IR_MARKED,
      .leaves = TILE_IR_ROLES },
    // Rejects accumulators that take all registers of a block, for the entries without roles.
    { CHECK, "check of accumulators", refuse_accumulators, .needs = TILE_IR_SIZED | TILE_IR_ROLES },
    // Reports code that is slower than necessary, or rejects it if the target demands that.
    { CHECK, "review", review, .needs = TILE_IR_SIMPLE | TILE_IR_ROLES },

    // Moves reductions out of loops that accumulate them: the loop accumulates elementwise, and the
    // reduction follows it.
    { LAYOUT, "reductions after loops", reduce_after_loops,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_WARPS, .changes = true },
    // Splits accumulating loops across the blocks of a cluster.
    { LAYOUT, "split of loops", split_loops,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_WARPS, .changes = true },
    // Unrolls loops that load few bytes per iteration, and moves their loads to the front.
    { LAYOUT, "unrolling", unroll_loads, .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_WARPS,
      .changes = true },
    // Keeps the counters of loops that add up histograms in shared memory.
    { LAYOUT, "counters of loops", tally_loops,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_WARPS, .changes = true },
    // Measures how much data the kernel processes at once.
    { LAYOUT, "measures", measure, .needs = TILE_IR_SIMPLE, .leaves = TILE_IR_MEASURES },
    // Makes neighboring blocks of some row kernels start together, as clusters.
    { LAYOUT, "choice of clusters", choose_cluster, .needs = TILE_IR_MEASURES | TILE_IR_WARPS },
    // Rematerializes the f32 values of long rows from 16-bit words, so that rows that are waiting
    // take fewer registers.
    { LAYOUT, "rematerialization", rematerialize,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_MARKED | TILE_IR_MEASURES | TILE_IR_WARPS,
      .changes = true },
    // Requests as many resident blocks per multiprocessor as the registers of a row's waiting
    // values allow.
    { LAYOUT, "choice of occupancy", choose_occupancy,
      .needs = TILE_IR_SIMPLE | TILE_IR_MEASURES | TILE_IR_WARPS },
    // Plans the prefetch of a loop's operands, which may lower the number of warps.
    { LAYOUT, "prefetch plan", plan_prefetch,
      .needs = TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_WARPS, .leaves = TILE_IR_PREFETCH },
    // Gives layouts to the accumulators of products on tensor cores (fragments), and to the ids of
    // prefetched rows.
    { LAYOUT, "fragments", give_fragments,
      .needs = TILE_IR_SOURCE | TILE_IR_WARPS | TILE_IR_PREFETCH, .leaves = TILE_IR_FRAGMENTS,
      .ends = TILE_IR_SOURCE, .changes = true },
    // Gives every other value a layout, inserts conversions between different layouts, and
    // renumbers the values.
    { LAYOUT, "layouts", assign_layouts, .needs = TILE_IR_FRAGMENTS | TILE_IR_WARPS,
      .leaves = TILE_IR_LAYOUTS, .ends = TILE_IR_SIMPLE | TILE_IR_MEASURES | TILE_IR_PREFETCH,
      .changes = true },
    // Replaces loads that begin between two vectors by loads of whole vectors.
    { LAYOUT, "funnels of loads", funnel_loads, .needs = TILE_IR_LAYOUTS, .leaves = TILE_IR_LAYOUTS,
      .changes = true },
    // Rearranges accumulators so that warps store whole rows, unless the target asks for short
    // code.
    { LAYOUT, "lines of stores", store_lines, .needs = TILE_IR_FRAGMENTS | TILE_IR_LAYOUTS,
      .changes = true },
    // Updates the prefetch plan to the new numbers of the values.
    { LAYOUT, "prefetch update", settle_prefetch, .needs = TILE_IR_LAYOUTS,
      .leaves = TILE_IR_PREFETCH },

    // Emits the PTX of an entry without roles.
    { EMIT, "emission", emit_entry,
      .needs = TILE_IR_MARKED | TILE_IR_LAYOUTS | TILE_IR_PREFETCH | TILE_IR_WARPS },
};

// Runs the passes of some stages in order. Debug builds check that the properties a pass needs hold
// before it, and that all properties it should leave hold after it.
static bool run_passes(struct unit *u, uint32_t stages)
{
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        const struct pass *pass = &passes[i];
        if (!(pass->stage & stages))
            continue;
        assert((u->holds & pass->needs) == pass->needs);
        if (!pass->run(u))
            return false;
        u->holds = (u->holds & ~pass->ends) | pass->leaves;
        if (pass->changes && !(tile_keeps_rules(u->kernel, pass->name) &&
                               tile_keeps_properties(u->kernel, &u->target, u->holds, pass->name)))
            return false;
    }
    return true;
}

static struct unit unit_of(struct tile_kernel *kernel, const struct tile_target *target,
                           struct output *out)
{
    return (
        struct unit){ .kernel = kernel, .target = *target, .holds = TILE_IR_SOURCE, .out = out };
}

bool tile_lay_out(struct tile_module *module, const struct tile_target *target)
{
    for (struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next) {
        struct unit unit = unit_of(kernel, target, NULL);
        unit.apart = true;
        if (!run_passes(&unit, PREPARE | LAYOUT))
            return false;
    }
    return !module->diagnostics->errors && !module->diagnostics->out_of_memory;
}

// True if some access to a tensor moves several elements at once.
static bool moves_vectors(const struct tile_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct tile_parameter *p = &kernel->parameter[i];
        if (p->value->type.tensor && p->vector_bytes != tile_bytes_of(p->value->type.dtype))
            return true;
    }
    return false;
}

static void find_network(struct tile_op *op, void *data)
{
    bool *found = data;

    *found |= tile_is_network(op);
}

static bool has_networks(struct tile_kernel *kernel)
{
    bool found = false;

    tile_walk(&kernel->body, find_network, &found);
    return found;
}

// The entries without roles. `overlap` is for tensors that overlap, and `last` for all launches
// that the others do not accept.
struct entries {
    struct unit fast, overlap, last;
};

// Lays out a copy of the kernel, in which loads stay behind stores.
static bool lay_out_copy(struct unit *u, const struct unit *general, bool single)
{
    *u = *general;
    u->single = single;
    u->kernel = tile_kernel_copy(general->kernel);
    return u->kernel && run_passes(u, LAYOUT);
}

// Lays out the entries. Only the fastest one uses few warps with many accumulators each: most
// instructions of a product operate on a thread's accumulators, and assembly time grows with the
// number of such instructions. Only this entry may move loads before stores, since its tensors do
// not overlap. The last ones get unaligned tensors, whose elements move one at a time. So their
// threads hold no neighbors, and a warp's access touches as few cache lines as possible.
static bool lay_out_entries(const struct unit *source, struct entries *to)
{
    const struct tile_target *target = &source->target;
    struct unit general = *source, *fast = &to->fast, *last = &to->last;
    bool products = tile_fragment_warps(source->kernel, target),
         few = products && !source->has_roles && !target->warps,
         apart = tile_has_loads_beside_stores(source->kernel, source->warps),
         single = moves_vectors(source->kernel) && !has_networks(source->kernel) &&
                  !(products && source->has_realigned);

    if (source->has_roles) // the target's number of warps applies to the entry with roles
        general.warps = tile_choose_warps(source->kernel, target);
    general.target.warps = general.warps;
    if (products || apart || single) {
        struct unit brief = general;
        brief.target.brief = products;
        if (!lay_out_copy(last, &brief, single) ||
            (apart && single && !lay_out_copy(&to->overlap, &brief, false)))
            return false;
    }
    *fast = general;
    fast->apart = apart;
    if (few)
        fast->target.warps = 0;
    if (!(source->has_realigned && products) && !run_passes(fast, LAYOUT))
        return false;
    fast->target.brief = source->has_roles;
    if (!products && !apart && !single)
        *last = *fast;
    if (!apart)
        to->overlap = *fast;
    else if (!single)
        to->overlap = *last;
    last->target.blocks = 0; // these need a register per element, since they move elements one by
                             // one
    last->target.defers = false;
    return true;
}

static bool compile_kernel(struct tile_kernel *kernel, const struct tile_target *target,
                           struct tile_text *text)
{
    static const enum tile_variant variants[VARIANTS] = { TILE_ALIGNED_32, TILE_OVERLAP_32,
                                                          TILE_INDEX_32, TILE_INDEX_64 };
    struct output out = { .text = text };
    struct unit source = unit_of(kernel, target, &out);
    struct entries entries;

    kernel->module->network = NULL;
    kernel->module->network_bytes = kernel->module->networks_bytes = 0;
    tile_set_construct(kernel->module, NULL);
    tile_set_location(kernel->module, kernel->where);
    if (!run_passes(&source, PREPARE | CHECK) || !lay_out_entries(&source, &entries))
        return false;
    if (!source.has_roles && target->warps)
        tile_remark_warps(kernel, target->warps, source.warps);
    if (!source.has_realigned)
        tile_remark_prefetch(kernel, entries.fast.prefetch, entries.fast.why);
    bool unit = entries.last.single && !tile_fragment_warps(kernel, target);
    struct unit *const units[VARIANTS] = { &entries.fast, &entries.overlap, &entries.last,
                                           &entries.last };
    for (uint32_t i = 0; i < VARIANTS; i++) {
        if ((variants[i] != TILE_INDEX_64 && source.has_realigned) ||
            (variants[i] == TILE_INDEX_32 && !unit))
            continue;
        if (variants[i] == TILE_OVERLAP_32 && !out.entry[out.entries - 1].assumes_no_overlap)
            continue;
        units[i]->variant = variants[i];
        if (!run_passes(units[i], EMIT) || !tile_fits_code(kernel))
            return false;
        tile_remark_entry(kernel, &out.entry[out.entries - 1]);
        entries.last.target.rare |= variants[i] == TILE_INDEX_32;
    }
    return tile_signature_put(text, kernel, tile_written_parameters(kernel), out.entry,
                              out.entries);
}

bool tile_compile(struct tile_module *module, const struct tile_target *target,
                  struct tile_compiled *out)
{
    struct tile_text text = { .module = module };

    tile_put(&text,
             "// made by cucore's tile compiler\n.version 9.0\n.target sm_%d%s\n"
             ".address_size 64\n"
             ".extern .shared .align %u .b8 dynamic_scratch[];\n",
             target->sm, target->specific ? "a" : "", target->shared_align);
    if (target->lineinfo)
        tile_put(&text, ".file 1 \"%s\"\n", module->file ? module->file : "program.tile");
    // Check the remaining kernels even after an error in one of them.
    struct tile_diagnostics *d = module->diagnostics;
    bool whole = true;
    for (struct tile_kernel *kernel = module->first; kernel && !d->out_of_memory;
         kernel = kernel->next) {
        d->earlier += d->errors;
        d->errors = 0;
        whole &= compile_kernel(kernel, target, &text);
    }
    d->errors += d->earlier;
    d->earlier = 0;
    if (!whole)
        return false;
    out->ptx = text.at;
    out->ptx_bytes = text.length;
    return !module->diagnostics->errors && !module->diagnostics->out_of_memory;
}
