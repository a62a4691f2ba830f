// Pipelines on Hopper for loops over matrix products: one thread of the producer warpgroup has TMA
// copy tiles into a ring of stages in shared memory, and consumer warpgroups multiply from there.
#ifndef CUCORE_TILE_PASS_PIPELINE_H
#define CUCORE_TILE_PASS_PIPELINE_H

#include "tile/ir/target.h"
#include "tile/signature/entry.h"

struct tile_gather;

// An operand of the product, streamed through the ring. In a stage it consists of consecutive
// slabs: `rows` rows of `span` bytes, swizzled within the span as TMA and wgmma do.
struct tile_stream {
    const struct tile_op *load;
    struct tile_gather *gather;  // numbering of its rows (gather.h); NULL if `load` is no gather
    const struct tile_op *slice; // the slice from which `load` loads; NULL for a whole tensor
    uint32_t last, other; // axes of the tensor: the contiguous axis, and the axis of the tile's
                          // rows (UINT32_MAX if the rows span several)
    uint32_t map;         // index into the entry's tensor maps
    uint32_t element;     // bytes per element
    bool mn_major;        // the depth axis is not the contiguous axis
    uint32_t span, rows, slabs;
    uint32_t at, bytes; // offset and size in the stage
    bool by_threads;    // threads gather its rows; else TMA copies them
    uint32_t sharers;   // blocks of the cluster of which each loads a part of the rows for all of
                        // them; 0 and 1: no sharing
    bool across;        // these blocks are neighbors along the grid's second axis
};

// wgmma's properties for an operand dtype.
struct tile_wgmma {
    cuc_dtype operand, accumulator;
    const char *name;
    bool either_major; // either axis of an operand may be contiguous
    bool promotes;     // accumulators keep few bits, so partial sums are added elsewhere
    bool signs;        // operands can be negated; false for integers
};
const struct tile_wgmma *tile_wgmma_of(cuc_dtype operand); // NULL: not supported

// One of the products that add to the accumulator, and the loads of its operands.
struct tile_added_product {
    const struct tile_op *mma;
    struct tile_stream stream[2];
};

enum { TILE_MOST_ADDED = 64 };

struct tile_pipeline {
    const struct tile_kernel *kernel;
    struct tile_ranges *ranges;       // ranges of the kernel's integers; NULL until analyzed
    const struct tile_op *loop, *mma; // the loop, or the region's last op; the first product
    // First op of a region, whose last op is `loop`. A region is a range of ops of the kernel's
    // body with products in its loops and branches (region.c). NULL for a single product in a
    // single loop.
    const struct tile_op *first;
    struct tile_added_product *product; // products of a region, all shaped like the first
    uint32_t products;
    const struct tile_value *start, *end; // of a region: the accumulator before and after it
    bool *steers; // by value id: scalars on which the region's control flow depends
    bool *sums;   // by value id: values of the region's accumulator
    bool promotes;
    bool swapped;                 // operands are exchanged and the result is transposed (swap.c)
    struct tile_stream stream[2]; // a and b
    bool from_zero;               // the accumulator starts at zero
    bool even;   // every tile takes the same number of iterations, and one or two warpgroups share
                 // each tile
    bool before; // code before the loop does more than scalar arithmetic, so each role repeats all
                 // scalar work
    uint32_t groups;         // warpgroups that multiply one tile together
    uint32_t teams;          // sets of such warpgroups that alternate between tiles; 0 or 1 for a
                             // single set
    uint32_t blocks;         // blocks of 64 rows per warpgroup
    uint32_t columns, depth; // shape of one stage's product
    uint32_t stages, stage_bytes;
    uint32_t slices;  // warpgroups that take a loop's iterations in turn; 0 or 1 for a single one
    uint32_t cluster; // blocks per cluster; 1 if there is no cluster
    uint32_t across;  // those that are neighbors along the grid's second axis
    uint32_t split;   // blocks of a cluster that each run a part of the loop; 1 if the loop is not
                      // split
    bool may_split;   // the blocks of a cluster could each run a part of the loop
    bool apart; // the blocks of a split share the epilogue: each finishes the rows of some warps
    uint32_t raster; // number of tiles along the grid's first axis before the index along the
                     // second one advances; of clusters if they extend along both axes
    struct tile_tensor_map map[TILE_MAX_MAPS];
    uint32_t maps;
    const struct tile_op *store; // the store that TMA performs from shared memory; NULL if threads
                                 // store
    const struct tile_op *like;  // the product whose result has the stored tile's layout; NULL for
                                 // `mma`
    uint32_t store_map;
    bool turned;   // the store transposes the accumulators (turned_store.c)
    uint32_t tail; // size of the last slab if it is smaller than the others, otherwise 0: bytes per
                   // row or, if the store is turned, rows
    uint32_t tail_map; // the last slab's map if `tail` is not 0
    uint32_t store_axis,
        store_step;             // 64 rows of the tile are `store_step` elements along this axis
    uint32_t slabs;             // slabs that a warpgroup stores
    uint32_t together;          // slabs stored at a time
    uint32_t buffers;           // slab buffers per warpgroup
    const struct tile_op *side; // a load after the loop with the stored tile's shape and layout, or
                                // NULL
    uint32_t side_map;
    const struct tile_op *left_side; // a load like `side` that threads move, or NULL
    const char *why_left;            // the reason
    bool realigned; // the copying warpgroup's threads copy the streams, which may have any address
                    // and pitch (emit/realign.c), and TMA copies nothing
    uint32_t buffer_bytes; // size of the realigning threads' buffer, which follows the stages
    bool fused;            // this is the first member of a struct tile_fused (pass/fused.h)
    bool gathers;          // if `fused`: threads gather the rows of a feed
    bool *wanted;      // by value id: the copying thread computes this value, or performs this load
    bool *known;       // by value id: scalars before the loop that depend only on scalars
    uint64_t gathered; // parameters of gathered streams, one bit each
    // By value id, for gathered streams. `rows`: values from which row numbers are computed.
    // `only_streamed`: the subset without another use, and operands that only products use.
    bool *rows, *only_streamed;
};

enum {
    TILE_GROUP_THREADS = 128, // threads of one warpgroup
    TILE_RING_AT = 1024,      // offset of the stages in shared memory, after the barriers
    TILE_MOST_STAGES = 24,
    TILE_PART_COLUMNS = 128, // columns of promoted accumulators that are computed at a time
    TILE_SLAB_LINE = 128,    // bytes per row of a slab (64 rows that TMA stores or loads)
    TILE_SLAB_BYTES = 64 * TILE_SLAB_LINE,
    TILE_TURNED_BYTES = 2, // bytes per element of a turned store
    TILE_WORD_BYTES = 16,  // bytes per word in realigned copies
};

// The division of a stream's rows among the threads that realign it. In a round, each thread copies
// one 16-byte piece. The n pieces of a row span n + 1 words. The number of rows in a round is a
// multiple of 16, so that a thread's rows have the same misalignment in every round.
struct tile_rounds {
    uint32_t lanes;  // threads that copy one row
    uint32_t step;   // rows per round
    uint32_t rounds; // rounds per slab
    uint32_t bytes;  // bytes of a warp's words per round
    uint32_t buffer; // bytes of a stage's words
    bool partial;    // the last round has fewer rows
};

static inline struct tile_rounds tile_rounds_of(const struct tile_stream *s)
{
    struct tile_rounds x = { .lanes = s->span / TILE_WORD_BYTES };

    x.step = TILE_GROUP_THREADS / x.lanes;
    x.rounds = (s->rows + x.step - 1) / x.step;
    x.bytes = 32 / x.lanes * (x.lanes + 1) * TILE_WORD_BYTES;
    x.buffer = TILE_GROUP_THREADS / 32 * x.bytes * x.rounds * s->slabs;
    x.partial = s->rows % x.step;
    return x;
}

// Returns the number of blocks that the option `split` asks to share a product. Their code has the
// size of the cluster in it.
static inline uint32_t tile_product_split(const struct tile_target *target)
{
    return target->split <= TILE_PORTABLE_PARTS ? target->split : 1;
}

// Returns the parameter from which a stream loads, directly or through a slice.
static inline const struct tile_value *tile_streamed_tensor(const struct tile_stream *s)
{
    return s->slice ? s->slice->operand[0] : s->load->operand[0];
}

// True for an operand of a product whose elements must be rounded to tf32 on their way to the
// stage.
static inline bool tile_rounds_to_tf32(const struct tile_stream *s)
{
    cuc_dtype dtype = s->load->result[0]->type.dtype;

    return dtype == CUC_F32 || dtype == CUC_TF32;
}

// Returns the parameters from which a realigned plan's streams come, one bit each.
static inline uint64_t tile_streamed_parameters(const struct tile_pipeline *p)
{
    uint64_t out = 0;

    for (uint32_t i = 0; i < 2; i++)
        out |= UINT64_C(1) << tile_streamed_tensor(&p->stream[i])->index;
    return out;
}

// True if threads gather rows for any product.
static inline bool tile_gathers(const struct tile_pipeline *p)
{
    for (uint32_t n = 0; n < p->products; n++)
        if (p->product[n].stream[0].by_threads || p->product[n].stream[1].by_threads)
            return true;
    return p->gathers || p->stream[0].by_threads || p->stream[1].by_threads;
}

// True if all threads of the copying warpgroup copy.
static inline bool tile_threads_copy(const struct tile_pipeline *p)
{
    return p->realigned || tile_gathers(p);
}

// tile_slices() returns the number of slices, and tile_all_groups() the number of multiplying
// warpgroups.
static inline uint32_t tile_slices(const struct tile_pipeline *p)
{
    return p->slices > 1 ? p->slices : 1;
}

static inline uint32_t tile_all_groups(const struct tile_pipeline *p)
{
    return (p->teams > 1 ? p->teams * p->groups : p->groups) * tile_slices(p);
}

// Returns the number of multiplying warpgroups that store.
static inline uint32_t tile_storing_groups(const struct tile_pipeline *p)
{
    return tile_all_groups(p) / tile_slices(p);
}

// Returns the bytes of shared memory through which all slices but the first pass on their sums.
static inline uint32_t tile_slice_bytes(const struct tile_pipeline *p)
{
    return (tile_slices(p) - 1) * p->columns / 2 * TILE_GROUP_THREADS * 4;
}

// tile_plan_slabs() plans how the tile is stored, once the accumulator's blocks are known.
// tile_save_slabs() makes warpgroups store one slab at a time if that makes room for a third stage
// in `rest` bytes, because with two stages the threads that copy wait for products; it returns the
// bytes saved. tile_staging_bytes() returns the bytes of a warpgroup's slab buffers.
void tile_plan_slabs(struct tile_pipeline *p);
uint32_t tile_save_slabs(struct tile_pipeline *p, uint32_t rest);
uint32_t tile_staging_bytes(const struct tile_pipeline *p);

// Returns the parameters that are aligned in every launch, one bit each: parameters with a map, and
// parameters from which rows are gathered.
static inline uint64_t tile_aligned_parameters(const struct tile_pipeline *p)
{
    uint64_t all = p->gathered;

    for (uint32_t i = 0; i < p->maps; i++)
        if (!p->map[i].optional)
            all |= UINT64_C(1) << p->map[i].parameter;
    return all;
}

// Copies a kernel and all its values.
struct tile_kernel *tile_kernel_copy(const struct tile_kernel *kernel);

// The reason given for a product that is not in a loop of the kernel's body. If tile_find_region()
// fails too, its reason is the more useful one.
extern const char tile_not_in_loop[];
// The reason given for an operand whose contiguous axis is not the one that its dtype requires.
extern const char tile_depth_not_last[];
// loop.c: allocates the plan's tables by value id and clears them. False if out of memory.
bool tile_take_marks(struct tile_kernel *kernel, struct tile_pipeline *p);
// Finds the loop, the product and its streamed operands, and marks the values on which their
// indices depend. Returns NULL on success, the reason if there is no such loop, or "" if the kernel
// has no product.
const char *tile_find_loop(struct tile_kernel *kernel, struct tile_pipeline *p);
// swap.c: exchanges the operands in a loop that has been found, and transposes its accumulator. The
// loop must then be found again. Returns false if out of memory; the kernel may then be
// inconsistent.
bool tile_swap_product(struct tile_kernel *kernel, const struct tile_pipeline *p);
// Plans a kernel with one loop over a product, and sets the layouts of the values that hold
// accumulators. If `realigned`, threads instead of TMA copy the operands. If planning is
// impossible, returns NULL with a reason in *why for a remark.
struct tile_pipeline *tile_plan_pipeline(struct tile_kernel *kernel,
                                         const struct tile_target *target, bool realigned,
                                         const char **why);
// region.c: finds products that all add to one accumulator and that lie in nested loops, in several
// loops or under conditions. Returns NULL on success, or the reason if there are none.
const char *tile_find_region(struct tile_kernel *kernel, struct tile_pipeline *p);
// True if `why` says that the products do not add to one accumulator.
bool tile_is_no_region(const char *why);
// Recomputes the scalars that each role needs, after values are renumbered.
void tile_settle_region(struct tile_kernel *kernel, struct tile_pipeline *p);
// True for an op that contains products of the region.
bool tile_holds_products(const struct tile_pipeline *p, const struct tile_op *op);
// loop.c: finds the load of a product's operand. Returns NULL, or the reason if there is none.
const char *tile_find_stream(struct tile_pipeline *p, const struct tile_op *mma, uint32_t which,
                             struct tile_stream *s);
// Mark, for the copying thread, everything on which a load's indices or a scalar depend. False if
// that includes more than scalars, or more than tile_find_gather() accepts.
bool tile_want_place(struct tile_pipeline *p, struct tile_stream *s);
bool tile_want(struct tile_pipeline *p, const struct tile_value *value);
// Checks the ops before the loop or region, and sets p->before. Returns NULL, or the reason why an
// op is not allowed there. Warpgroups run these ops at the start of each tile. With `flows`, loops
// and branches may compute tiles, and a read of a scalar alone does not set p->before.
const char *tile_check_before(struct tile_kernel *kernel, struct tile_pipeline *p,
                              const struct tile_op *first, bool flows);
// True if an op, or one in its blocks, writes, is a while loop, returns, or accesses in an order.
bool tile_has_effect(struct tile_op *op);

// Plans the place of a stream's rows in a stage. Each row has `line` bytes. Returns NULL, or the
// reason why that is impossible.
const char *tile_plan_lines(struct tile_pipeline *p, struct tile_stream *s, uint32_t line);
uint32_t tile_swizzle_of(uint32_t span); // returns a tensor map's encoding

// turned_store.c: plans a TMA store of a product whose operands are exchanged. Returns false if
// threads must store it. tile_set_turned_layouts() gives the layouts of the accumulators and of the
// stored tile to all values that are transposed into each other; false: out of memory.
// tile_turned_slabs() returns the number of slabs for 64 rows of accumulators. tile_is_turned()
// returns true if a tile is computed from a transposed one, element by element.
bool tile_plan_turned_store(struct tile_pipeline *p, const struct tile_op *store);
bool tile_is_turned(const struct tile_value *x);
bool tile_set_turned_layouts(struct tile_kernel *kernel, const struct tile_pipeline *p);
uint32_t tile_turned_slabs(const struct tile_pipeline *p);
// Sets the number of rows of accumulators that one turned store writes: 64, or a warp's 16.
void tile_set_turned_rows(struct tile_tensor_map *map, uint32_t rows);
struct tile_layout tile_turned_layout(const struct tile_layout *accumulators);

// Adds the tensor map for an access through slabs with rows of `line` bytes: a load or store of the
// product's shape. Returns the map's index.
uint32_t tile_plan_slab_map(struct tile_pipeline *p, const struct tile_op *access, uint32_t line);
// Finds the axis along which groups of 64 rows of an access's tile are consecutive boxes. Sets
// `box` to such a box, last axis first, with rows of `line` elements. Sets *step to its extent
// along *axis. False if there is no such axis.
bool tile_slab_box(const struct tile_op *access, uint32_t line, uint32_t *box, uint32_t *axis,
                   uint32_t *step);
// True if a scalar differs between neighboring blocks along an axis of the grid.
bool tile_differs_by_block(const struct tile_value *value, uint32_t axis);
// Returns the rows of an operand that each of the blocks that share its loads copies. The last
// parts overlap if the rows do not divide evenly.
uint32_t tile_shared_rows(const struct tile_stream *stream);
// Plans a stream's place in shared memory and its map. Returns NULL, or the reason why that is
// impossible.
const char *tile_plan_stream(struct tile_pipeline *p, struct tile_stream *s);
// True if TMA can copy an access's rows, that is, if they start at multiples of 16 bytes.
bool tile_starts_aligned(struct tile_pipeline *p, const struct tile_op *access, uint32_t element);
// scalars.c: true if an op and everything inside it handles only scalars and writes nothing. It may
// read scalars from tensors.
bool tile_is_of_scalars(const struct tile_op *op);
// tile_can_know() is true for an op before the loop that the copying thread can run: a
// tile_is_of_scalars() op whose operands also come from such ops. Call it for earlier ops first.
// tile_rows_unseen() is true if the rows of a loaded tile past the end of its slice may hold any
// values.
bool tile_can_know(const struct tile_pipeline *p, const struct tile_op *op);
bool tile_rows_unseen(const struct tile_pipeline *p, const struct tile_op *load, uint32_t axis);
// True if the copying thread can perform a load: it pads with zeros, and the thread can compute its
// indices, which are scalars.
bool tile_can_stream(struct tile_pipeline *p, const struct tile_op *load);
// Makes one block alone finish a split tile.
void tile_finish_in_one_block(struct tile_pipeline *p);
// Recomputes `wanted` and `known`, after values are renumbered.
bool tile_settle_pipeline(struct tile_kernel *kernel, struct tile_pipeline *p);

#endif
