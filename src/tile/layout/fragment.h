// Matrix products by mma.sync: the supported forms, and the accumulators' layout.
#ifndef CUCORE_TILE_LAYOUT_FRAGMENT_H
#define CUCORE_TILE_LAYOUT_FRAGMENT_H

#include "tile/ir/target.h"
#include "tile/ir/words.h"

struct tile_fragment {
    cuc_dtype operand;
    uint32_t needs; // an enum tile_feature; 0: nothing
    uint32_t depth; // elements along the depth axis: 32 bytes
    const char *name, *accumulator;
};

// The form that an mma op uses; NULL if it becomes scalar multiply-adds.
const struct tile_fragment *tile_fragment_of(const struct tile_op *op,
                                             const struct tile_target *target);
// The reason why an mma op cannot use mma.sync; "" if it can.
const char *tile_fragment_refusal(const struct tile_op *op, const struct tile_target *target);
// The dtype's name in instructions, such as "bf16".
const char *tile_fragment_name(cuc_dtype operand);
// Lines of an operand in shared memory. tile_fragment_single(): true if elements are read one by
// one, because ldmatrix cannot deliver them to the lanes that multiply them. tile_fragment_pitch():
// the distance between lines of `bytes` bytes that avoids bank conflicts.
bool tile_fragment_single(cuc_dtype operand, bool transposed);
uint32_t tile_fragment_pitch(uint32_t bytes, bool single);
// For dense lines of 16 bytes times a power of two. tile_fragment_span(): the number of bytes
// within which the 16-byte pieces of a line are permuted; 0 if they need not be.
// tile_fragment_flip(): the value that is XORed into offsets in line number `line`.
uint32_t tile_fragment_span(uint32_t bytes);
uint32_t tile_fragment_flip(uint32_t span, uint32_t line);
// Returns the layout of an accumulator. `rows`: gives each warp whole rows, if there are enough.
struct tile_layout tile_layout_fragment(const struct tile_type *type, uint32_t warp_bits,
                                        bool rows);
// Before layouts are assigned: gives the results of all products by mma.sync their layouts.
void tile_assign_fragments(struct tile_kernel *kernel, const struct tile_target *target,
                           uint32_t warps);
// lines.c, after layouts are assigned: rearranges accumulators for their stores. False if out of
// memory.
bool tile_store_lines(struct tile_kernel *kernel, const struct tile_target *target, uint32_t warps);
// The number of warps for the largest product; 0 if there is none.
uint32_t tile_fragment_warps(const struct tile_kernel *kernel, const struct tile_target *target);

#endif
