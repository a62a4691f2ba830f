// Remarks about the compiler's decisions. The user may turn some of them into errors.
#include "remark.h"

#include "tile/ir/diagnostic.h"
#include "tile/ir/words.h"
#include "tile/layout/fragment.h"
#include "tile/pass/prefetch.h"
#include "tile/pass/fused.h"
#include "tile/pass/pipeline.h"

struct review {
    struct tile_module *module;
    const struct tile_target *target;
    bool pipelined;
};

// Reports that the code is slower than the source suggests. `why` may be "".
static void downgrade(const struct review *r, const struct tile_op *op, bool refused,
                      const char *option, const char *expected, const char *got, const char *why)
{
    const char *name = tile_op_infos[op->kind].name, *before = *why ? ": " : "";

    if (refused)
        tile_error(r->module, TILE_T603, op->where, "%s: expected %s, as %s requires, got %s%s%s",
                   name, expected, option, got, before, why);
    else
        tile_remark(r->module, op->where, "%s: %s, not %s%s%s", name, got, expected, before, why);
}

static void review_op(struct tile_op *op, void *data)
{
    const struct review *r = data;

    const struct tile_fragment *fragment = op->kind == TILE_MMA ? tile_fragment_of(op, r->target)
                                                                : NULL;
    // Skip the remark, because the entry that most launches take uses a pipeline. A product after
    // the pipeline may still use no tensor core.
    if (r->pipelined && (op->kind != TILE_MMA || fragment))
        return;
    if (fragment)
        tile_remark(r->module, op->where, "mma: mma.sync m16n8k%u of %s", fragment->depth,
                    fragment->name);
    else if (op->kind == TILE_MMA)
        downgrade(r, op, r->target->require_tensor_core, "require_tensor_core", "a tensor core",
                  "fused multiply-adds", tile_fragment_refusal(op, r->target));
    else if (tile_int(op, TILE_ATTR_TMA, 0) > 0)
        downgrade(r, op, r->target->require_tma, "require_tma", "a copy by TMA",
                  "loads and stores of threads", "");
}

bool tile_review(struct tile_kernel *kernel, const struct tile_target *target, bool pipelined)
{
    struct review r = { kernel->module, target, pipelined };

    tile_walk(&kernel->body, review_op, &r);
    return !kernel->module->diagnostics->errors;
}

void tile_remark_access(struct tile_module *module, const struct tile_op *op,
                        enum tile_variant variant, uint32_t bytes, uint32_t unaligned,
                        const char *why)
{
    const char *name = tile_op_infos[op->kind].name;
    // These entries are for unaligned arguments; the others name the reason.
    bool says = why && variant != TILE_INDEX_64 && variant != TILE_INDEX_32 &&
                variant != TILE_REALIGNED;

    if (unaligned)
        tile_remark(module, op->where, "%s: %u bytes at a time, %u of an unaligned tensor (%s)%s%s",
                    name, bytes, unaligned, tile_variant_name(variant), says ? ": " : "",
                    says ? why : "");
    else
        tile_remark(module, op->where, "%s: %u byte%s at a time (%s)%s%s", name, bytes,
                    bytes == 1 ? "" : "s", tile_variant_name(variant), says ? ": " : "",
                    says ? why : "");
}

void tile_remark_split(const struct tile_kernel *kernel, uint32_t asked, uint32_t parts,
                       bool flexible, const char *why)
{
    if (parts && flexible)
        tile_remark(kernel->module, kernel->where,
                    "kernel: %s: launches with fewer blocks than multiprocessors share loops among "
                    "up to %u blocks",
                    kernel->name, parts);
    else if (parts)
        tile_remark(kernel->module, kernel->where,
                    "kernel: %s: loops are shared by %u blocks of a cluster", kernel->name, parts);
    else if (*why && asked > 1)
        tile_remark(kernel->module, kernel->where, "kernel: %s: split=%u is not applied: %s",
                    kernel->name, asked, why);
    else if (*why && !kernel->fills_device)
        tile_remark(kernel->module, kernel->where,
                    "kernel: %s: no loop is shared by several blocks: %s", kernel->name, why);
}

void tile_remark_instructions(struct tile_module *module, const struct tile_op *op,
                              enum tile_variant variant, uint32_t count)
{
    tile_remark(module, op->where,
                "%s: %u instructions, which take long to assemble: a smaller tile, or more warps, "
                "makes fewer (%s)",
                tile_op_infos[op->kind].name, count, tile_variant_name(variant));
}

void tile_remark_whole(const struct tile_kernel *kernel, struct tile_location where,
                       const struct tile_target *target, const char *why, enum tile_variant variant)
{
    if (target->split > TILE_PORTABLE_PARTS)
        why = "at most 8 blocks share a product";
    tile_remark(kernel->module, where, "mma: not split over blocks: %s (%s)", why,
                tile_variant_name(variant));
}

void tile_remark_pipeline(const struct tile_kernel *kernel, const struct tile_pipeline *plan,
                          const struct tile_target *target)
{
    const char *variant = tile_variant_name(plan->realigned ? TILE_REALIGNED : TILE_TMA);
    bool all = plan->realigned ||
               (!plan->first && plan->stream[0].by_threads && plan->stream[1].by_threads);

    tile_remark(kernel->module, plan->mma->where,
                "mma: wgmma m64n%u, %u stages of %u bytes by %s, %u warpgroup%s%s%s (%s)",
                plan->columns, plan->stages, plan->stage_bytes,
                all                  ? "threads"
                : tile_gathers(plan) ? "TMA and threads"
                                     : "TMA",
                tile_all_groups(plan), tile_all_groups(plan) == 1 ? "" : "s",
                plan->teams > 1 ? " in ping-pong" : "", plan->swapped ? ", operands exchanged" : "",
                variant);
    if (plan->split > 1)
        tile_remark(kernel->module, plan->mma->where,
                    "mma: split-K over %u blocks of a cluster (%s)", plan->split, variant);
    else if (target->split > 1)
        tile_remark_whole(
            kernel, plan->mma->where, target,
            "its bounds depend on what the block looks up, its sum does not start from "
            "zero, or its ring is smaller than the sum",
            plan->realigned ? TILE_REALIGNED : TILE_TMA);
    if (plan->side)
        tile_remark(kernel->module, plan->side->where, "load: by TMA, with the products (%s)",
                    variant);
    else if (plan->left_side)
        tile_remark(kernel->module, plan->left_side->where,
                    "load: by threads, after the products: %s (%s)", plan->why_left, variant);
    if (plan->store)
        tile_remark(kernel->module, plan->store->where, "store: by TMA (%s)", variant);
}

// Returns how a right operand comes to shared memory.
static const char *way_of(const struct tile_feed *feed)
{
    bool by_threads = feed->stream.by_threads;

    if (feed->computed)
        return "in shared memory, computed";
    if (feed->held)
        return by_threads ? "loaded once by threads" : "loaded once by TMA";
    return by_threads ? "in stages by threads" : "in stages by TMA";
}

void tile_remark_fused(const struct tile_kernel *kernel, const struct tile_fused *plan,
                       const struct tile_target *target)
{
    for (uint32_t i = 0; i < plan->products; i++) {
        const struct tile_fused_product *product = &plan->product[i];
        tile_remark(kernel->module, product->mma->where,
                    "mma: wgmma m64n%u, left operand from %s, right operand %s, "
                    "%u warpgroup%s%s (%s)",
                    product->columns,
                    !product->feed[0]            ? "registers"
                    : product->feed[0]->held     ? "shared memory, loaded once"
                    : product->feed[0]->computed ? "shared memory, computed"
                                                 : "shared memory",
                    way_of(product->feed[1]), plan->base.groups, plan->base.groups == 1 ? "" : "s",
                    plan->chains || (plan->overlaps && i >= plan->early)
                        ? ", overlapped with the next iteration"
                        : "",
                    tile_variant_name(TILE_TMA));
    }
    for (uint32_t i = 0; i < plan->feeds; i++)
        if (plan->feed[i].small)
            tile_remark(kernel->module, plan->feed[i].stream.load->where,
                        "load: %u bytes in stages by the copying warp (%s)",
                        plan->feed[i].stream.bytes, tile_variant_name(TILE_TMA));
    for (const struct tile_op *op = plan->base.loop->next; op; op = op->next)
        if (op->kind == TILE_MMA)
            tile_remark(kernel->module, op->where, "mma: %s, behind the loop (%s)",
                        tile_fragment_of(op, target) ? "mma.sync" : "fused multiply-adds",
                        tile_variant_name(TILE_TMA));
    if (plan->base.slices > 1)
        tile_remark(kernel->module, plan->base.loop->where,
                    "for: iterations in turn by %u warpgroups (%s)", plan->base.slices,
                    tile_variant_name(TILE_TMA));
    if (plan->base.split > 1)
        tile_remark(kernel->module, plan->base.loop->where,
                    "for: split over %u blocks of a cluster (%s)", plan->base.split,
                    tile_variant_name(TILE_TMA));
    else if (target->split > 1)
        tile_remark_whole(kernel, plan->base.mma->where, target, plan->why_whole, TILE_TMA);
    tile_remark(kernel->module, plan->base.loop->where, "for: %u stages of %u bytes by %s (%s)",
                plan->base.stages, plan->base.stage_bytes,
                !plan->base.gathers                    ? "TMA"
                : plan->base.maps > !!plan->base.store ? "TMA and threads"
                                                       : "threads",
                tile_variant_name(TILE_TMA));
    if (plan->base.store)
        tile_remark(kernel->module, plan->base.store->where, "store: by TMA (%s)",
                    tile_variant_name(TILE_TMA));
}

void tile_remark_no_pipeline(const struct tile_kernel *kernel, struct tile_location where,
                             const char *why)
{
    if (*why)
        tile_remark(kernel->module, where, "kernel: %s: no pipeline by TMA: mma: %s", kernel->name,
                    why);
}

void tile_remark_prefetch(const struct tile_kernel *kernel, const struct tile_prefetch *plan,
                          const char *why)
{
    if (plan)
        tile_remark(kernel->module, plan->loop->where,
                    "for: %u operand%s of products by cp.async, %u stages of %u bytes (%s)",
                    plan->streams, plan->streams == 1 ? "" : "s", plan->stages, plan->stage_bytes,
                    tile_variant_name(TILE_ALIGNED_32));
    else if (*why)
        tile_remark(kernel->module, kernel->where, "kernel: %s: no prefetch: mma: %s", kernel->name,
                    why);
}

void tile_remark_warps(const struct tile_kernel *kernel, uint32_t asked, uint32_t taken)
{
    if (taken > asked)
        tile_remark(kernel->module, kernel->where,
                    "kernel: %s: blocks of %u warps, not %u: its accumulators would not fit in the "
                    "registers of a thread",
                    kernel->name, taken, asked);
}

void tile_remark_entry(const struct tile_kernel *kernel, const struct tile_entry *entry)
{
    uint32_t shared = entry->static_shared + entry->dynamic_shared;

    tile_remark(kernel->module, kernel->where,
                "kernel: %s: blocks of %u threads, %u bytes of shared memory (%s)", kernel->name,
                32 * entry->warps, shared, tile_variant_name(entry->variant));
}
