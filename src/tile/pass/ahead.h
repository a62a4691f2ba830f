// A loop with products whose operands its threads copy to shared memory by themselves, some stages
// ahead (cp.async): what is done where there is no TMA or wgmma, or more than one product.
#ifndef CUCORE_TILE_PASS_AHEAD_H
#define CUCORE_TILE_PASS_AHEAD_H

#include "tile/compile/compile.h"

enum { TILE_MOST_AHEAD = 4 };

// An operand in a stage: lines along the tensor's last axis.
struct tile_ahead_stream {
    const struct tile_op *load;
    uint32_t element;     // bytes
    uint32_t last, other; // axes of the tensor that the tile has
    bool turned;          // as it lies, lines are not along the axis that is summed over
    bool single;          // its elements are read one by one
    uint32_t lines, pitch;
    uint32_t span;      // of a line, in which pieces change places (layout/fragment.h)
    uint32_t at, bytes; // in the stage
};

struct tile_ahead {
    const struct tile_op *loop;
    struct tile_ahead_stream stream[TILE_MOST_AHEAD];
    uint32_t streams;
    uint32_t stages, stage_bytes;
    const struct tile_op *alone; // the loop's one product, when both its operands are streams
    bool *wanted; // by value id: what in the loop the places of its loads are made of
};

// The loop of a kernel that has most of them. NULL, and why there is none; "": there is no product.
struct tile_ahead *tile_plan_ahead(struct tile_kernel *kernel, const struct tile_target *target,
                                   uint32_t warps, const char **why);
// Once more what is wanted, when values have other numbers.
bool tile_settle_ahead(struct tile_kernel *kernel, struct tile_ahead *plan);
// The stream that an operand is, as it is or turned; NULL: none. *turns: the product sees it
// turned.
const struct tile_ahead_stream *tile_ahead_stream_of(const struct tile_ahead *plan,
                                                     const struct tile_value *operand, bool *turns);

#endif
