// Internal interface of the files that compile a kernel: choose_warps.c, compile.c,
// compile_roles.c, measure.c, properties.c, refuse.c.
#ifndef CUCORE_TILE_COMPILE_COMPILE_STEPS_H
#define CUCORE_TILE_COMPILE_COMPILE_STEPS_H

#include "compile.h"

struct tile_text;

// measure.c: how much data a kernel processes at once, and whether a reduction needs all of its
// largest tile.
struct tile_measures {
    int64_t most, line; // number of elements of the largest tile, and of the longest row or column
                        // that is reduced
    bool loops, halves; // halves: some load has 16-bit elements
};
struct tile_measures tile_measures_of(const struct tile_kernel *kernel);
// True if the kernel reduces its whole tile at once.
bool tile_is_row(const struct tile_measures *m);
// Returns `warps`, or a larger number if the accumulators of products would not fit in the
// registers of that many.
uint32_t tile_enough_warps(const struct tile_kernel *kernel, uint32_t warps);
// Returns the number of neighboring blocks that start together, as a cluster.
uint32_t tile_blocks_together(const struct tile_measures *m, const struct tile_target *target,
                              uint32_t warps);

// choose_warps.c: the number of warps of a block.
uint32_t tile_choose_warps(const struct tile_kernel *kernel, const struct tile_target *target);
// For kernels without products: returns the clocks of a multiprocessor for each block, with the
// target's number of warps or the best one.
double tile_block_clocks(const struct tile_kernel *kernel, const struct tile_target *target);

// Properties of a kernel's IR, and decisions about the kernel. The passes of compile.c require and
// establish them.
enum tile_property {
    TILE_IR_SOURCE = 1 << 0,    // no value has a layout
    TILE_IR_SIMPLE = 1 << 1,    // simplified: no op is dead
    TILE_IR_SIZED = 1 << 2,     // no tile exceeds the registers of any block
    TILE_IR_MARKED = 1 << 3,    // math that may be approximate is marked
    TILE_IR_FRAGMENTS = 1 << 4, // products on tensor cores have the layouts of their accumulators
    TILE_IR_LAYOUTS = 1 << 5,   // every value but a tensor has a layout
    TILE_IR_WARPS = 1 << 6,     // a block's number of warps is chosen
    TILE_IR_MEASURES = 1 << 7,  // the kernel has been measured
    TILE_IR_ROLES = 1 << 8,     // the warp-specialized entry (roles), if any, has been compiled
    TILE_IR_PREFETCH = 1 << 9,  // the prefetch plan matches the current numbers of values
};
// properties.c. tile_verify_properties() checks the first six properties except TILE_IR_MARKED, and
// reports the first one that a pass has broken. tile_keeps_properties() does the same in debug
// builds, for kernels without errors, and otherwise returns true.
bool tile_verify_properties(struct tile_kernel *kernel, const struct tile_target *target,
                            uint32_t properties, const char *after);
bool tile_keeps_properties(struct tile_kernel *kernel, const struct tile_target *target,
                           uint32_t properties, const char *after);

// refuse.c: find and report tiles, and accumulators of products, that exceed the registers of any
// block. Entries with roles divide their accumulators differently, so that they fit.
bool tile_is_huge(const struct tile_value *value);
void tile_refuse_huge(struct tile_kernel *kernel);
void tile_refuse_accumulators(struct tile_kernel *kernel, const struct tile_target *target,
                              bool has_roles);

// Rejects a kernel whose sorts, scans and histograms have too much PTX so far.
bool tile_fits_code(const struct tile_kernel *kernel);

// compile_roles.c: compiles the entry with roles, if the kernel and the target allow one. Returns
// false if there is none, which is not an error. tile_compile_realigned() does the same for the
// pipeline of a single product, for operands with any alignment.
bool tile_compile_realigned(const struct tile_kernel *kernel, const struct tile_target *target,
                            struct tile_text *out, struct tile_entry *entry);
bool tile_compile_roles(struct tile_kernel *kernel, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);

#endif
