// How a loop over products of matrices becomes a pipeline on Hopper: one thread has tiles copied
// into a ring of stages in shared memory, warpgroups multiply them out of it.
#ifndef CUCORE_TILE_PASS_PIPELINE_H
#define CUCORE_TILE_PASS_PIPELINE_H

#include "tile/compile/compile.h"

// An operand of the product, which comes through the ring. In a stage it lies in slabs, one behind
// the other: `rows` rows of `span` bytes, swizzled over the span as TMA and wgmma do.
struct tile_stream {
    const struct tile_op *load;
    const struct tile_op *slice; // that it loads from; NULL: from a tensor as it is
    uint32_t last, other;        // axes of the tensor that the tile has
    uint32_t map;                // of the entry's tensor maps
    uint32_t element;            // bytes
    bool mn_major;               // what lies side by side is the axis that is not summed over
    uint32_t span, rows, slabs;
    uint32_t at, bytes; // in the stage
    bool shared;        // by the blocks of a cluster: each loads its part of the rows for all
};

// What wgmma makes of operands of a dtype.
struct tile_wgmma {
    cuc_dtype operand, accumulator;
    const char *name;
    bool turns;    // either axis of an operand may be the one that lies side by side
    bool promotes; // sums keep few bits: parts of them are added up outside
    bool signs;    // operands may be negated: not integers
};
const struct tile_wgmma *tile_wgmma_of(cuc_dtype operand); // NULL: nothing

struct tile_pipeline {
    const struct tile_op *loop, *mma;
    bool promotes;
    bool swapped;                 // its operands are, and its result is turned (swap.c)
    struct tile_stream stream[2]; // a and b
    bool from_zero;               // the accumulator starts with zeros
    bool even;   // turns are as many for each tile, of one warpgroup or two together
    bool before; // more than scalar arithmetic stands before the loop: all of scalars is done twice
    uint32_t groups;         // warpgroups that multiply a tile together
    uint32_t teams;          // of as many, which take tiles in turns; 0 and 1: one
    uint32_t blocks;         // of 64 rows that each warpgroup has
    uint32_t columns, depth; // of the product of a stage
    uint32_t stages, stage_bytes;
    uint32_t cluster; // blocks; 1: none
    uint32_t split;   // blocks of a cluster that each do a part of the loop; 1: none
    bool apart;       // these end the tile together, each warp's rows in one of them
    uint32_t raster;  // tiles along the grid's first axis before the next along its second
    struct tile_tensor_map map[TILE_MAX_MAPS];
    uint32_t maps;
    const struct tile_op *store; // through shared memory by TMA; NULL: by threads
    uint32_t store_map;
    uint32_t span;              // bytes of a line of the slabs that are stored
    uint32_t slabs;             // that a warpgroup stores
    uint32_t together;          // of them: that are stored at a time
    uint32_t buffers;           // that it has for them
    bool by_warp;               // each warp stores its own 16 rows of them
    const struct tile_op *side; // a load behind the loop, of what lies as what is stored; NULL
    uint32_t side_map;
    bool fused;   // the first member of a struct tile_fused (pass/fused.h)
    bool *wanted; // by value id: what the thread that copies computes for itself, and its loads
    bool *known;  // by value id: before the loop, scalars that are made of scalars alone
};

enum {
    TILE_GROUP_THREADS = 128, // of a warpgroup
    TILE_RING_AT = 1024,      // where stages begin in shared memory; barriers before
    TILE_MOST_STAGES = 24,
    TILE_PART_COLUMNS = 128,    // of sums that are promoted, at a time
    TILE_SLAB_BYTES = 64 * 128, // of what is loaded to be like what is stored: 64 rows
};

static inline uint32_t tile_slab_bytes(const struct tile_pipeline *p)
{
    return 64 * p->span;
}

// All warpgroups that multiply.
static inline uint32_t tile_all_groups(const struct tile_pipeline *p)
{
    return p->teams > 1 ? p->teams * p->groups : p->groups;
}

// How a store goes out, its accumulator's blocks known; and bytes that a warpgroup has for it.
void tile_plan_slabs(struct tile_pipeline *p);
uint32_t tile_staging_bytes(const struct tile_pipeline *p);

// A copy of a kernel with values of its own.
struct tile_kernel *tile_kernel_copy(const struct tile_kernel *kernel);

// loop.c: the loop, the product and what is streamed to it; which values their places are made of.
// NULL, or why there is none; "": there is no product.
const char *tile_find_loop(struct tile_kernel *kernel, struct tile_pipeline *p);
// swap.c: operands exchanged and the accumulator turned, in a loop that was found; to be found
// again then. False, with the kernel perhaps spoilt, without memory.
bool tile_swap_product(struct tile_kernel *kernel, const struct tile_pipeline *p);
// Whether a kernel is one loop over a product, and how it is done then; layouts of what holds
// accumulators are given. NULL, and why not: for a remark.
struct tile_pipeline *tile_plan_pipeline(struct tile_kernel *kernel,
                                         const struct tile_target *target, const char **why);
// The map of what goes by slabs, which a load or store of the product's shape does; its number.
uint32_t tile_plan_slab_map(struct tile_pipeline *p, const struct tile_op *access);
// Whether a scalar differs between blocks that lie side by side along the grid's first axis.
bool tile_differs_by_block(const struct tile_value *value);
// How what is streamed lies in shared memory, and its map. NULL, or why it cannot be.
const char *tile_plan_stream(struct tile_pipeline *p, struct tile_stream *s);
// scalars.c: whether an op and all that is in it is about scalars, reads them from tensors at most,
// and writes nothing; whether rows that a load from a slice does not have can be any.
bool tile_is_of_scalars(const struct tile_op *op);
// The same of an op before the loop, when those ahead of it were asked for: all that it is made of
// is such, too, so that the thread that copies can do it.
bool tile_can_know(const struct tile_pipeline *p, const struct tile_op *op);
bool tile_rows_unseen(const struct tile_pipeline *p, const struct tile_op *load, uint32_t axis);
// Whether the thread that copies can do a load: its place is made of scalars that it can compute,
// and it is padded with zeros.
bool tile_can_stream(struct tile_kernel *kernel, struct tile_pipeline *p,
                     const struct tile_op *load);
// Have one block alone end a tile that is split.
void tile_end_alone(struct tile_pipeline *p);
// Once more what is wanted, when values have other numbers.
bool tile_settle_pipeline(struct tile_kernel *kernel, struct tile_pipeline *p);

// layout/wgmma.c: the accumulator of wgmma, rows over 2^(warp_bits - 2) warpgroups. False: it is
// not made of whole blocks of 64 rows and 8 columns.
struct tile_layout;
bool tile_layout_wgmma(struct tile_layout *layout, const struct tile_type *type,
                       uint32_t warp_bits);

#endif
