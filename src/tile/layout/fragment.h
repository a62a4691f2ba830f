// Products of matrices by mma.sync: which there are, and how accumulators lie.
#ifndef CUCORE_TILE_LAYOUT_FRAGMENT_H
#define CUCORE_TILE_LAYOUT_FRAGMENT_H

#include "tile/compile/compile.h"
#include "tile/ir/words.h"

struct tile_fragment {
    cuc_dtype operand;
    int sm;         // from this one on
    uint32_t depth; // elements along the summed axis: 32 bytes
    const char *name, *accumulator;
};

// What an mma op is done with; NULL: by multiply-adds of single numbers.
const struct tile_fragment *tile_fragment_of(const struct tile_op *op,
                                             const struct tile_target *target);
// Why it is done so; "": it is not.
const char *tile_fragment_refusal(const struct tile_op *op, const struct tile_target *target);
// "bf16", as instructions call it.
const char *tile_fragment_name(cuc_dtype operand);
// Lines of an operand in shared memory: elements that ldmatrix does not bring where they are
// multiplied are read one by one; and how far lines of so many bytes lie apart so that no bank is
// met twice.
bool tile_fragment_single(cuc_dtype operand, bool turned);
uint32_t tile_fragment_pitch(uint32_t bytes, bool single);
// Lines of 16 bytes times a power of two that lie close instead: their pieces of 16 bytes change
// places in so many bytes (0: they need not), in line number `line` with that as far as this away.
uint32_t tile_fragment_span(uint32_t bytes);
uint32_t tile_fragment_flip(uint32_t span, uint32_t line);
// `rows`: a warp has whole rows, where there are enough.
struct tile_layout tile_layout_fragment(const struct tile_type *type, uint32_t warp_bits,
                                        bool rows);
// Before layouts are assigned: their layout to the results of all such products.
void tile_give_fragments(struct tile_kernel *kernel, const struct tile_target *target,
                         uint32_t warps);
// lines.c, behind the layouts: accumulators that are stored are put in order for it. False without
// memory.
bool tile_store_lines(struct tile_kernel *kernel, const struct tile_target *target, uint32_t warps);
// Warps for the largest of them; 0: there is none.
uint32_t tile_fragment_warps(const struct tile_kernel *kernel, const struct tile_target *target);

#endif
