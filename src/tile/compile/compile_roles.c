// Compiles entries with roles: pipelines of loops that contain one or several matrix products.
#include "compile_steps.h"

#include "tile/ir/diagnostic.h"
#include "tile/emit/ring.h"
#include "tile/ir/layout.h"
#include "tile/pass/fused.h"
#include "tile/pass/pipeline.h"
#include "tile/pass/remark.h"
#include "tile/layout/assign.h"

static void count_products(struct tile_op *op, void *data)
{
    *(uint32_t *)data += op->kind == TILE_MMA;
}

static void drop_grids(struct tile_op *op, void *data)
{
    struct tile_kernel *kernel = data;

    kernel->lets_grids_begin |= op->kind == TILE_GRID_LAUNCH;
    if (op->kind == TILE_GRID_WAIT || op->kind == TILE_GRID_LAUNCH)
        tile_delete(op);
}

// Copies a kernel for an entry with roles. The copy waits for other grids at its start, not at the
// place where the source waits, and itself finds the place where it lets the next grid begin.
static struct tile_kernel *copy_for_roles(const struct tile_kernel *kernel)
{
    struct tile_kernel *copy = tile_kernel_copy(kernel);

    if (copy) {
        tile_walk(&copy->body, drop_grids, copy);
        tile_store_largest_last(copy);
    }
    return copy;
}

// Prepares a copy of a kernel as a fused pipeline. `by_warps`: each warp checks if its own rows are
// masked. On failure returns NULL and a reason, which is "" if preparation may succeed without
// `by_warps`.
static struct tile_fused *prepare_fused(struct tile_kernel *copy, const struct tile_target *target,
                                        bool by_warps, const char **why)
{
    if (copy && tile_swap_computed(copy) && !tile_keeps_rules(copy, "exchanged operands"))
        return NULL;
    struct tile_fused *plan = copy ? tile_plan_fused(copy, target, why) : NULL;

    const char *why_whole = plan ? tile_split_fused(copy, plan, target) : "";
    if (!why_whole)
        plan = tile_plan_fused(copy, target, why);
    if (plan) {
        bool changed =
            tile_reduce_after_loops(copy, tile_fused_warps(plan), target->contract, true);
        if (tile_unroll_before_products(copy, tile_fused_warps(plan)) || changed)
            plan = tile_plan_fused(copy, target, why);
    }
    if (plan) {
        if (plan->overlaps) {
            tile_defer_reductions(copy, plan);
            tile_version_loop(copy, plan, by_warps);
        }
        tile_narrow_indices(copy);
        if (target->contract) {
            tile_approximate_divisions(copy, plan);
            tile_contract(copy);
        }
        plan = tile_plan_fused(copy, target, why);
    }
    if (!plan)
        return NULL;
    tile_unshare_iotas(copy);
    if (!tile_assign_layouts(copy, tile_fused_warps(plan), NULL))
        return NULL;
    *why = by_warps && !tile_warps_are_independent(plan) ? ""
                                                         : tile_settle_fused(copy, plan, target);
    if (*why || !tile_keeps_rules(copy, "layouts of a loop with several products"))
        return NULL;
    plan->why_whole = why_whole;
    plan->base.may_split = !why_whole || !*why_whole;
    return plan;
}

static void note_split(struct tile_kernel *kernel, const struct tile_pipeline *plan)
{
    kernel->splits = plan->split > 1;
    kernel->may_split = plan->may_split;
}

// Compiles an entry with roles for a loop that has several products, or other work between
// products. Returns false with a reason if that fails.
static bool compile_fused(struct tile_kernel *kernel, const struct tile_target *target,
                          struct tile_text *out, struct tile_entry *entry, const char **why)
{
    struct tile_kernel *copy = copy_for_roles(kernel);
    struct tile_fused *plan = prepare_fused(copy, target, true, why);

    if (!plan && *why && !**why) {
        copy = copy_for_roles(kernel);
        plan = prepare_fused(copy, target, false, why);
    }
    if (!plan && *why == tile_split_too_large) {
        struct tile_target whole = *target;
        whole.split = 1;
        if (!compile_fused(kernel, &whole, out, entry, why))
            return false;
        kernel->may_split = false;
        tile_remark_whole(kernel, kernel->where, target, tile_split_too_large, TILE_TMA);
        return true;
    }
    if (!plan)
        return false;
    *entry = (struct tile_entry){ .name = NULL };
    while (!tile_emit_fused(kernel->module, copy, plan, target, out, entry))
        if (plan->base.slices > 1 && !entry->dynamic_shared) {
            struct tile_target joint = *target; // the work needs all warpgroups at once, so they
                                                // cannot take turns
            joint.joint = true;
            return compile_fused(kernel, &joint, out, entry, why);
        } else if (kernel->module->diagnostics->errors ||
                   kernel->module->diagnostics->out_of_memory || !entry->dynamic_shared ||
                   --plan->base.stages < 2) {
            *why = "its operands and the work after it do not fit in shared memory";
            return false;
        }
    note_split(kernel, &plan->base);
    tile_remark_fused(kernel, plan, target);
    tile_remark_entry(kernel, entry);
    return true;
}

bool tile_compile_realigned(const struct tile_kernel *kernel, const struct tile_target *target,
                            struct tile_text *out, struct tile_entry *entry)
{
    struct tile_kernel *copy = copy_for_roles(kernel);
    struct tile_target brief = *target;
    const char *why;
    struct tile_pipeline *plan = copy ? tile_plan_pipeline(copy, target, true, &why) : NULL;

    brief.brief = true; // here, tiles at an edge are as common as others
    if (!plan || !tile_assign_layouts(copy, 4 * plan->groups, NULL) ||
        !tile_settle_pipeline(copy, plan) ||
        !tile_keeps_rules(copy, "layouts of a realigned pipeline"))
        return false;
    *entry = (struct tile_entry){ .name = NULL };
    while (!tile_emit_pipeline(kernel->module, copy, plan, &brief, out, entry))
        if (kernel->module->diagnostics->errors || kernel->module->diagnostics->out_of_memory ||
            (!plan->apart && (!entry->dynamic_shared || --plan->stages < 2)))
            return false;
        else if (plan->apart)
            tile_finish_in_one_block(plan);
    tile_remark_pipeline(kernel, plan, target);
    tile_remark_entry(kernel, entry);
    return true;
}

// Reports why no pipeline is possible. Shows the reason of the fused pipeline unless the plain
// pipeline's is more helpful.
static void remark_no_pipeline(const struct tile_kernel *kernel, const char *not_fused,
                               const char *not_plain)
{
    bool outside = not_fused == tile_others_outside;
    bool is_better = *not_fused && not_fused != tile_not_in_loop &&
                     not_plain != tile_depth_not_last && (!outside || tile_is_no_region(not_plain));
    const struct tile_op *mma = outside && is_better ? tile_product_outside(kernel) : NULL;

    tile_remark_no_pipeline(kernel, mma ? mma->where : kernel->where,
                            is_better ? not_fused : not_plain);
}

// Says why a kernel has no entry with roles; NULL or "" if there is nothing to say.
struct reasons {
    const char *not_plain, *not_fused;
};

// Compiles a loop with one product as a plain pipeline, and other loops as fused ones.
static bool compile_roles(struct tile_kernel *kernel, const struct tile_target *target,
                          struct tile_text *out, struct tile_entry *entry, struct reasons *why)
{
    struct tile_kernel *copy = copy_for_roles(kernel);

    *why = (struct reasons){ .not_plain = "", .not_fused = "" };
    struct tile_pipeline *plan = copy ? tile_plan_pipeline(copy, target, false, &why->not_plain)
                                      : NULL;
    if (!plan) {
        uint32_t products = 0;
        tile_walk((struct tile_block *)(uintptr_t)&kernel->body, count_products, &products);
        return products && compile_fused(kernel, target, out, entry, &why->not_fused);
    }
    *why = (struct reasons){ .not_plain = NULL };
    if (!tile_assign_layouts(copy, 4 * plan->groups, NULL) || !tile_settle_pipeline(copy, plan) ||
        !tile_keeps_rules(copy, "layouts of a pipeline"))
        return false;
    // Other uses of shared memory may leave room for fewer stages.
    *entry = (struct tile_entry){ .name = NULL };
    while (!tile_emit_pipeline(kernel->module, copy, plan, target, out, entry))
        if (kernel->module->diagnostics->errors || kernel->module->diagnostics->out_of_memory)
            return false;
        else if (plan->teams > 1) { // alternating warpgroups must not depend on each other after
                                    // the loop
            struct tile_target together = *target;
            together.warps = 0;
            return compile_roles(kernel, &together, out, entry, why);
        } else if (!plan->apart && (!entry->dynamic_shared || --plan->stages < 2))
            return false;
        else if (plan->apart) // blocks cannot share the end of a tile if its warps depend on each
                              // other
            tile_finish_in_one_block(plan);
    note_split(kernel, plan);
    tile_remark_pipeline(kernel, plan, target);
    tile_remark_entry(kernel, entry);
    return true;
}

// Compiles a copy whose products have loads of their own. False if that changes nothing.
static bool compile_separated(struct tile_kernel *kernel, const struct tile_target *target,
                              struct tile_text *out, struct tile_entry *entry, bool only_transposed)
{
    struct tile_kernel *copy = tile_kernel_copy(kernel);
    struct reasons why;

    if (!copy || !tile_separate_operands(copy, only_transposed) ||
        !compile_roles(copy, target, out, entry, &why))
        return false;
    kernel->splits = copy->splits;
    kernel->may_split = copy->may_split;
    return true;
}

bool tile_compile_roles(struct tile_kernel *kernel, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry)
{
    const struct tile_diagnostics *diagnostics = kernel->module->diagnostics;
    struct reasons why;

    if (compile_separated(kernel, target, out, entry, true) ||
        compile_roles(kernel, target, out, entry, &why))
        return true;
    if (diagnostics->errors || diagnostics->out_of_memory || !why.not_plain)
        return false;
    if (compile_separated(kernel, target, out, entry, false))
        return true;
    remark_no_pipeline(kernel, why.not_fused ? why.not_fused : "", why.not_plain);
    return false;
}
