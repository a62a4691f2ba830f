// Emits the entries in which all threads run the same code. pipeline.c and fused.c emit the
// warp-specialized entries (roles.h).
#include "tile/signature/signature.h"
#include "async.h"
#include "emit.h"

bool tile_emit_entry(struct tile_module *module, const struct tile_kernel *kernel,
                     const struct tile_target *target, uint32_t warps, enum tile_variant variant,
                     const struct tile_prefetch *prefetch, struct tile_text *out,
                     struct tile_entry *entry)
{
    struct tile_emitter e = { .dispatch = &tile_dispatch,
                              .module = module,
                              .kernel = kernel,
                              .target = target,
                              .variant = variant,
                              .warps = warps,
                              .prefetch = prefetch };
    uint32_t bytes;

    if (!tile_open_values(&e))
        return false;
    if (target->defers)
        e.deferred = tile_take(module, (kernel->value_count + 1) * sizeof(*e.deferred));
    if (kernel->parameter_count > 64) {
        tile_error(module, TILE_T504, kernel->where, "kernel: at most 64 parameters, got %u",
                   kernel->parameter_count);
        return false;
    }
    if (!prefetch) // threads copy elements of prefetched tiles for others
        tile_find_owned(&e);
    e.parameter_bytes = tile_parameter_layout(kernel, e.parameter_at);
    tile_begin_entry(&e);
    if (!tile_emit_block(&e, &kernel->body) || e.failed || module->diagnostics->out_of_memory)
        return false;
    // After the loop, the scratch reuses the space of the stages.
    uint32_t below = (e.prefetch_below + TILE_SCRATCH_ALIGN - 1) &
                     ~(uint32_t)(TILE_SCRATCH_ALIGN - 1);
    if (e.prefetch_bytes) {
        if (e.shared_bytes < below + e.prefetch_bytes)
            e.shared_bytes = below + e.prefetch_bytes;
        if (e.shared_bytes > target->shared_limit)
            return false;
    }
    uint32_t tallies_at = (e.shared_bytes + 15) & ~UINT32_C(15);
    if (e.tally_bytes)
        e.shared_bytes = tallies_at + e.tally_bytes;
    bool dynamic = e.shared_bytes > TILE_STATIC_SHARED;
    if (e.shared_bytes > target->shared_limit) {
        tile_error(module, TILE_T602, kernel->where,
                   "kernel: it needs %u bytes of shared memory, the target has %u: make its tiles "
                   "smaller",
                   e.shared_bytes, target->shared_limit);
        return false;
    }
    *entry = (struct tile_entry){
        .variant = variant,
        .aligned = tile_asks_alignment(variant) ? 0 : tile_wide_parameters(kernel, prefetch),
        .narrow = e.narrow,
        .assumes_no_overlap = e.assumes_no_overlap || kernel->assumes_no_overlap,
        .name = tile_entry_name(module, kernel, variant),
        .warps = warps,
        .static_shared = dynamic ? 0 : e.shared_bytes,
        .dynamic_shared = dynamic ? e.shared_bytes : 0,
    };
    if (!entry->name)
        return false;
    tile_put_functions(&e, out);
    tile_put_text(out, &e.globals);
    bytes = tile_block_bytes(entry, e.parameter_bytes);
    // An array must not be empty.
    tile_put(out, ".visible .entry %s(.param .align 8 .b8 args[%u])\n", entry->name,
             bytes ? bytes : 8);
    tile_put(out, ".reqntid %u, 1, 1\n", 32 * warps);
    if (target->blocks)
        tile_put(out, ".minnctapersm %u\n", target->blocks);
    tile_put_string(out, "{\n");
    tile_put_declarations(&e, out);
    if (e.shared_bytes)
        tile_put(out, "\tmov.u32 %s, %s;\n", tile_name(e.shared),
                 dynamic ? "dynamic_scratch" : "scratch");
    if (e.prefetch_bytes)
        tile_put(out, "\tadd.u32 %s, %s, %u;\n", tile_name(e.prefetch_ring->base),
                 tile_name(e.shared), below);
    if (e.tally_bytes)
        tile_put(out, "\tadd.u32 %s, %s, %u;\n", tile_name(e.tallies), tile_name(e.shared),
                 tallies_at);
    tile_put_text(out, &e.prologue);
    tile_put_text(out, &e.body);
    tile_put_string(out, "}\n");
    return true;
}
