// The pass order for a target, and the text of a module.
#include "compile_steps.h"

#include "tile/ir/budget.h"
#include "tile/ir/diagnostic.h"
#include "tile/emit/emit.h"
#include "tile/layout/fragment.h"
#include "tile/ir/layout.h"
#include "tile/pass/prefetch.h"
#include "tile/pass/pipeline.h"
#include "tile/pass/remark.h"
#include "tile/signature/signature.h"
#include "tile/layout/assign.h"

static void note_grids(struct tile_op *op, void *data)
{
    struct tile_kernel *kernel = data;

    kernel->waits_for_grids |= op->kind == TILE_GRID_WAIT;
    kernel->launches_grids |= op->kind == TILE_GRID_LAUNCH;
    // A kernel can see other blocks' work through an acquiring load or an atomic op's result.
    kernel->keeps_order |= tile_op_infos[op->kind].traits & TILE_READS &&
                           (op->kind == TILE_ATOMIC
                                ? op->result[0]->uses > 0
                                : tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_ACQUIRE);
}

// A simplified kernel with the layouts of the entries without roles.
struct laid_out {
    struct tile_kernel *kernel;
    struct tile_target target; // for this kernel
    uint32_t warps;
    uint32_t together;              // blocks of a cluster
    struct tile_prefetch *prefetch; // NULL: no loads run ahead,
    const char *why;                // for this reason
};

// Lets loads run ahead if lines are aligned and shared memory suffices.
static bool emit_entry(const struct laid_out *as, enum tile_variant variant, struct tile_text *out,
                       struct tile_entry *entry)
{
    struct tile_module *module = as->kernel->module;
    bool done = as->prefetch && variant != TILE_INDEX_64 &&
                tile_emit_entry(module, as->kernel, &as->target, as->warps, variant, as->prefetch,
                                out, entry);

    if (!done &&
        (module->diagnostics->errors || module->diagnostics->out_of_memory ||
         !tile_emit_entry(module, as->kernel, &as->target, as->warps, variant, NULL, out, entry)))
        return false;
    entry->cluster = as->together;
    return true;
}

// Prepares a kernel that reduces whole rows at once. With 48 or more elements a thread, 16-bit
// elements wait unwidened. Requests as many blocks per multiprocessor as fit.
static uint32_t prepare_row(struct tile_kernel *kernel, const struct tile_measures *m,
                            const struct tile_target *target, uint32_t warps)
{
    enum { MANY = 48 };

    if (!tile_is_row(m))
        return 0;
    if (m->most >= (int64_t)MANY * 32 * warps && tile_rematerialize(kernel, m->most))
        tile_drop_dead(kernel);
    uint32_t blocks = tile_occupancy(kernel, warps);
    return blocks < target->most_blocks ? blocks : target->most_blocks;
}

// If operands are copied ahead, a warp needs its registers only for accumulators. The more it has,
// the more often each element read from shared memory is used.
static struct tile_prefetch *plan_prefetch(struct tile_kernel *kernel,
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

static bool lay_out(struct tile_kernel *kernel, const struct tile_target *target, uint32_t warps,
                    struct laid_out *out)
{
    struct tile_measures m = tile_measures_of(kernel);

    out->kernel = kernel;
    out->target = *target;
    out->together = tile_blocks_together(&m, target, warps);
    out->target.blocks = prepare_row(kernel, &m, target, warps);
    // These barriers cost nothing next to products.
    out->target.orders_all = tile_fragment_warps(kernel, target) > 0;
    out->warps = warps;
    out->prefetch = plan_prefetch(kernel, target, &out->warps, &out->why);
    tile_give_fragments(kernel, target, out->warps);
    return tile_assign_layouts(kernel, out->warps) &&
           (target->brief || tile_store_lines(kernel, target, out->warps)) &&
           (!out->prefetch || tile_settle_prefetch(kernel, out->prefetch)) &&
           tile_keeps_rules(kernel, "layouts");
}

bool tile_lay_out(struct tile_module *module, const struct tile_target *target)
{
    struct laid_out out;

    for (struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next) {
        uint32_t warps = target->warps ? target->warps : tile_choose_warps(kernel, target);
        tile_simplify(kernel);
        if (target->contract)
            tile_mark_approximate(kernel);
        if (!lay_out(kernel, target, warps, &out))
            return false;
    }
    return !module->diagnostics->errors && !module->diagnostics->out_of_memory;
}

// Lays out the entries without roles, and the last one, which takes all remaining cases. Only the
// fastest entry gets few warps with many accumulators each: most of a program's instructions belong
// to a thread's accumulators, and assembly time grows with their number.
static bool lay_out_entries(struct tile_kernel *kernel, const struct tile_target *target,
                            uint32_t warps, bool has_roles, struct laid_out *out,
                            struct laid_out *last)
{
    struct tile_target whole = *target;
    bool products = tile_fragment_warps(kernel, target),
         few = products && !has_roles && !target->warps;
    struct tile_kernel *copy = products ? tile_kernel_copy(kernel) : kernel;

    whole.warps = has_roles ? tile_choose_warps(kernel, target)
                            : warps; // `warps` is a request for the entry with roles
    if (!copy || !lay_out(kernel, few ? target : &whole, whole.warps, out))
        return false;
    out->target.brief = has_roles;
    *last = *out;
    whole.brief = true;
    if (products && !lay_out(copy, &whole, whole.warps, last))
        return false;
    last->target.blocks = 0; // it handles elements one by one, a register each
    return true;
}

static bool compile_kernel(struct tile_kernel *kernel, const struct tile_target *target,
                           struct tile_text *out)
{
    enum { VARIANTS = 3 };
    static const enum tile_variant variants[VARIANTS] = { TILE_ALIGNED_32, TILE_OVERLAP_32,
                                                          TILE_INDEX_64 };
    struct tile_entry entry[1 + VARIANTS];
    uint32_t warps = target->warps ? target->warps : tile_choose_warps(kernel, target);
    uint32_t entries = 0;

    tile_work_on(kernel->module, NULL);
    tile_work_at(kernel->module, kernel->where);
    tile_simplify(kernel);
    tile_refuse_huge(kernel);
    tile_walk(&kernel->body, note_grids, kernel);
    if (kernel->module->diagnostics->errors)
        return false;
    if (target->contract)
        tile_mark_approximate(kernel);
    entries += tile_compile_roles(kernel, target, out, &entry[0]);
    tile_refuse_accumulators(kernel, target, entries > 0);
    if (!tile_review(kernel, target, entries > 0))
        return false;
    struct laid_out laid, last;
    if (!lay_out_entries(kernel, target, warps, entries > 0, &laid, &last))
        return false;
    tile_remark_prefetch(kernel, laid.prefetch, laid.why);
    for (uint32_t i = 0; i < VARIANTS; i++) {
        const struct laid_out *as = variants[i] == TILE_INDEX_64 ? &last : &laid;
        if (variants[i] == TILE_OVERLAP_32 && !entry[entries - 1].presumes_apart)
            continue;
        if (!emit_entry(as, variants[i], out, &entry[entries]))
            return false;
        tile_remark_entry(kernel, &entry[entries++]);
    }
    return tile_signature_put(out, kernel, tile_written_parameters(kernel), entry, entries);
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
    // An error in one kernel does not stop the check of the next.
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
