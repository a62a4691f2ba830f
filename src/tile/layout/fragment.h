// Matrix products with mma.sync: the supported forms and the accumulator layout.
#ifndef CUCORE_TILE_LAYOUT_FRAGMENT_H
#define CUCORE_TILE_LAYOUT_FRAGMENT_H

#include "tile/ir/target.h"
#include "tile/ir/words.h"

struct tile_fragment {
    cuc_dtype operand;
    uint32_t needs; // an enum tile_feature; 0: nothing
    uint32_t depth; // elements along the depth axis, 32 bytes in total
    const char *name, *accumulator;
};

// Returns the form that an mma op uses, or NULL if it becomes scalar multiply-adds.
const struct tile_fragment *tile_fragment_of(const struct tile_op *op,
                                             const struct tile_target *target);
// Returns the reason why an mma op cannot use mma.sync, or "" if it can.
const char *tile_fragment_refusal(const struct tile_op *op, const struct tile_target *target);
// Returns the dtype's name in instructions, such as "bf16".
const char *tile_fragment_name(cuc_dtype operand);
// An operand's rows in shared memory. tile_fragment_single() returns true if lanes must read
// elements one by one, because ldmatrix cannot deliver them to the lanes that multiply them.
// tile_fragment_pitch() returns a distance between rows of `bytes` bytes that avoids bank
// conflicts.
bool tile_fragment_single(cuc_dtype operand, bool transposed);
uint32_t tile_fragment_pitch(uint32_t bytes, bool single);
// Swizzle for unpadded rows of 16 bytes times a power of two. tile_fragment_span() returns the
// number of bytes within which a row's 16-byte pieces are permuted, or 0 if none are.
// tile_fragment_flip() returns the value to XOR into offsets within row number `line`.
uint32_t tile_fragment_span(uint32_t bytes);
uint32_t tile_fragment_flip(uint32_t span, uint32_t line);
// Returns the layout of an accumulator. `rows` gives each warp whole rows if there are enough.
struct tile_layout tile_layout_fragment(const struct tile_type *type, uint32_t warp_bits,
                                        bool rows);
// Returns the layout of an operand a whose registers are fragments, for products whose warps have
// whole rows if there are enough. Warps that share rows each have all of them.
struct tile_layout tile_layout_left(const struct tile_type *type, uint32_t warp_bits);
// Assigns layouts to the results of all mma.sync products. Runs before the other layouts are
// assigned.
void tile_assign_fragments(struct tile_kernel *kernel, const struct tile_target *target,
                           uint32_t warps);
// lines.c: rearranges accumulators for their stores, which move one element at a time if `single`.
// Runs after layouts are assigned. Returns false if out of memory.
bool tile_store_lines(struct tile_kernel *kernel, const struct tile_target *target, uint32_t warps,
                      bool single);
// Returns the number of warps for the largest product, or 0 if there is none.
uint32_t tile_fragment_warps(const struct tile_kernel *kernel, const struct tile_target *target);

#endif
