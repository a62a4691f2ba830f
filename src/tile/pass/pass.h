// The passes over the IR. Each pass keeps the IR valid, which debug builds verify.
#ifndef CUCORE_TILE_PASS_PASS_H
#define CUCORE_TILE_PASS_PASS_H

#include "tile/ir/ir.h"

// Runs folding, late widening, common-subexpression elimination, loop-invariant code motion and
// dead-code elimination until nothing changes.
void tile_simplify(struct tile_kernel *kernel);
// The passes, in order.
bool tile_fold(struct tile_kernel *kernel); // constants, identities; true if something changed
bool tile_cse(struct tile_kernel *kernel);  // common subexpressions
// True for ops of the same kind with equal operands, attributes and types.
bool tile_same_op(const struct tile_op *a, const struct tile_op *b);
bool tile_widen_late(struct tile_kernel *kernel); // delays the widening of f16 and bf16
// True for a cast that widens f16 or bf16 to f32 or f64.
bool tile_is_widening(const struct tile_op *op);
bool tile_hoist(struct tile_kernel *kernel); // loop-invariant code motion
bool tile_drop_dead(struct tile_kernel *kernel);
// Drops values that an `if` yields but no later op uses.
bool tile_drop_yields(struct tile_kernel *kernel);
// Rematerializes f32 values from 16-bit words in kernels with rows of at least `elements` elements.
// True if something changed.
bool tile_rematerialize(struct tile_kernel *kernel, int64_t elements);
// Moves reductions out of loops that accumulate them (reduce_after_loop.c). `contract` allows
// adding products without rounding them; `roles` includes loops that multiply matrices, for an
// entry with roles. True if something changed.
bool tile_reduce_after_loops(struct tile_kernel *kernel, uint32_t warps, bool contract, bool roles);
// Unrolls loops that load too few bytes at a time, and moves all loads of an iteration to its
// start. If stored tensors overlap no others (`apart`), loads also move before stores. True if
// something changed.
bool tile_unroll_loads(struct tile_kernel *kernel, uint32_t warps, bool apart);
// Does the same for the loops of an entry with roles that have no product.
bool tile_unroll_before_products(struct tile_kernel *kernel, uint32_t warps);
// Unrolls short loops whose loads move along the last axis of a tensor. True if something changed.
bool tile_unroll_taps(struct tile_kernel *kernel, uint32_t warps);
// True if some loop has loads that can only move if stored tensors overlap no others.
bool tile_has_loads_beside_stores(struct tile_kernel *kernel, uint32_t warps);
// Splits accumulating loops across the blocks of a cluster (split_loops.c). Returns the most blocks
// that share a loop. Returns 0 if no loop is split, with a reason in *why, or "". Sets *flexible if
// the launch chooses the number of blocks. Loops are then split only if that number changes no
// result.
struct tile_target;
uint32_t tile_split_loops(struct tile_kernel *kernel, const struct tile_target *target,
                          uint32_t warps, bool *flexible, const char **why);
// Adds ops that combine the results of a loop in which each block of a cluster of `parts` runs a
// part of the iterations. The first block of the cluster continues alone. `of` describes the
// results. Loops before it that only accumulate are split, too.
struct tile_accumulator;
bool tile_join_loop(struct tile_kernel *kernel, struct tile_op *loop,
                    const struct tile_accumulator *of, uint32_t warps, uint32_t parts);
// Keeps the counters of loops that add up histograms in shared memory (tally_loops.c).
void tile_tally_loops(struct tile_kernel *kernel, const struct tile_target *target);
// Returns how many blocks should fit on a multiprocessor at once, or 0 for any number.
uint32_t tile_occupancy(struct tile_kernel *kernel, uint32_t warps);
// The same for a kernel that ranks elements; 0 for any other.
uint32_t tile_rank_occupancy(struct tile_kernel *kernel, uint32_t warps);
// Gives products in loops loads of their own where a loop also uses a loaded operand for other work
// (separate.c). `only_transposed`: only to left operands whose depth axis is not last in memory,
// which a thread would have to transpose. True if something changed.
bool tile_separate_operands(struct tile_kernel *kernel, bool only_transposed);
// Moves the store of the largest tile behind the other stores at the kernel's end (store_last.c).
void tile_store_largest_last(struct tile_kernel *kernel);
// Marks exp, exp2, sigmoid and quotients for which approximate math suffices.
void tile_mark_approximate(struct tile_kernel *kernel);

// In debug builds, checks that the IR is still valid. Names the pass that broke a rule.
#ifdef NDEBUG
enum { TILE_VERIFIES = 0 };
#else
enum { TILE_VERIFIES = 1 };
#endif
bool tile_keeps_rules(struct tile_kernel *kernel, const char *after);

#endif
