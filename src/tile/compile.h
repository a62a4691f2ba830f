// From a module to PTX: what is compiled for, and the passes.
#ifndef CUCORE_TILE_COMPILE_H
#define CUCORE_TILE_COMPILE_H

#include "ir/ir.h"

struct tile_target {
    int sm;                // 80, 90, 100, 120
    bool specific;         // sm_90a, sm_100a
    uint32_t warps;        // 0: the compiler chooses, a kernel
    uint32_t shared_limit; // bytes a block may have
    bool contract;         // a * b + c may be rounded once
    bool lineinfo;
    bool require_tma, require_tensor_core;
};

// An entry of a kernel; they differ in speed only.
enum tile_variant { TILE_ALIGNED_32, TILE_INDEX_32, TILE_INDEX_64, TILE_VARIANTS };
const char *tile_variant_name(enum tile_variant variant); // "idx32+aligned"

struct tile_entry {
    enum tile_variant variant;
    const char *name;                       // its symbol
    uint32_t warps;                         // of a block
    uint32_t static_shared, dynamic_shared; // bytes a block; a launch gives the dynamic ones
};

struct tile_compiled {
    // All kernels with all variants and their signatures, closed by a zero byte; in the module's
    // arena.
    const char *ptx;
    size_t ptx_bytes;
};
// What a target of that number has; false, with a text, when there is no such one.
bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t room);
// False, with diagnostics, when something cannot be.
bool tile_compile(struct tile_module *module, const struct tile_target *target,
                  struct tile_compiled *out);

// Where each parameter lies in the block of bytes that entries take; how many there are.
uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at);

// Fold, common subexpressions, motion, dead code, until nothing changes.
void tile_simplify(struct tile_kernel *kernel);
// The passes, in order. Each keeps the IR valid; debug builds verify between them.
bool tile_fold(struct tile_kernel *kernel);  // constants, identities; true: something changed
bool tile_cse(struct tile_kernel *kernel);   // common subexpressions
bool tile_hoist(struct tile_kernel *kernel); // what does not change in a loop, out of it
bool tile_drop_dead(struct tile_kernel *kernel);

#endif
