// The passes over the IR. Each keeps the IR valid; debug builds verify this between passes.
#ifndef CUCORE_TILE_PASS_PASS_H
#define CUCORE_TILE_PASS_PASS_H

#include "tile/ir/ir.h"

// Runs folding, late widening, common-subexpression elimination, loop-invariant code motion and
// dead-code elimination until nothing changes.
void tile_simplify(struct tile_kernel *kernel);
// The passes, in order.
bool tile_fold(struct tile_kernel *kernel); // constants, identities; true: something changed
bool tile_cse(struct tile_kernel *kernel);  // common subexpressions
// True for ops of the same kind, operands, attributes and types.
bool tile_same_op(const struct tile_op *a, const struct tile_op *b);
bool tile_widen_late(struct tile_kernel *kernel); // delays the widening of f16 and bf16
bool tile_hoist(struct tile_kernel *kernel);      // loop-invariant code motion
bool tile_drop_dead(struct tile_kernel *kernel);
// Drops values that an `if` yields but no later op uses.
bool tile_drop_yields(struct tile_kernel *kernel);
// Rematerializes f32 values from 16-bit words in kernels whose rows have at least `elements`
// elements. True if something changed.
bool tile_rematerialize(struct tile_kernel *kernel, int64_t elements);
// Moves reductions that a loop accumulates behind the loop (reduce_after_loop.c). `contract`:
// products may be added without being rounded. True if something changed.
bool tile_reduce_after_loops(struct tile_kernel *kernel, uint32_t warps, bool contract);
// Unrolls loops that load too little at a time, with all loads of an iteration first. True if
// something changed.
bool tile_unroll_loads(struct tile_kernel *kernel, uint32_t warps);
// Splits loops that only accumulate over the blocks of a cluster (split_loops.c). Returns the most
// blocks that share a loop; 0 if none is split, then with a reason in *why, or "". `flexible`: a
// launch chooses the number, which changes no result.
struct tile_target;
uint32_t tile_split_loops(struct tile_kernel *kernel, const struct tile_target *target,
                          uint32_t warps, bool *flexible, const char **why);
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
