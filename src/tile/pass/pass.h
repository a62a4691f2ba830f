// The passes over the IR. Each keeps the IR valid; debug builds verify this between passes.
#ifndef CUCORE_TILE_PASS_PASS_H
#define CUCORE_TILE_PASS_PASS_H

#include "tile/ir/ir.h"

// Runs folding, late widening, common-subexpression elimination, loop-invariant code motion and
// dead-code elimination until nothing changes.
void tile_simplify(struct tile_kernel *kernel);
// The passes, in order.
bool tile_fold(struct tile_kernel *kernel);       // constants, identities; true: something changed
bool tile_cse(struct tile_kernel *kernel);        // common subexpressions
bool tile_widen_late(struct tile_kernel *kernel); // delays the widening of f16 and bf16
bool tile_hoist(struct tile_kernel *kernel);      // loop-invariant code motion
bool tile_drop_dead(struct tile_kernel *kernel);
// Drops values that an `if` yields but no later op uses.
bool tile_drop_yields(struct tile_kernel *kernel);
// Rematerializes f32 values from 16-bit words in kernels whose rows have at least `elements`
// elements. True if something changed.
bool tile_rematerialize(struct tile_kernel *kernel, int64_t elements);
// Returns the number of blocks that should fit on a multiprocessor at once; 0: any number.
uint32_t tile_occupancy(const struct tile_kernel *kernel, uint32_t warps);
// Finds powers that need not meet their error bound.
void tile_mark_approximate(struct tile_kernel *kernel);

// Debug builds check that the IR is still valid, and name the pass that broke a rule.
#ifdef NDEBUG
enum { TILE_VERIFIES = 0 };
#else
enum { TILE_VERIFIES = 1 };
#endif
bool tile_keeps_rules(struct tile_kernel *kernel, const char *after);

#endif
