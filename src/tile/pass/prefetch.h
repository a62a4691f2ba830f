// Loops over matrix products whose threads themselves copy the operands to shared memory
// (cp.async), some stages ahead. For targets without TMA or wgmma, and for loops with more than one
// product.
#ifndef CUCORE_TILE_PASS_PREFETCH_H
#define CUCORE_TILE_PASS_PREFETCH_H

#include "tile/ir/target.h"

enum { TILE_MOST_PREFETCHED = 4 };
enum { TILE_MOST_INDEX_BYTES = 4096 }; // of shared memory for indices that are read from memory

// An operand in a stage: lines along the tensor's last axis.
struct tile_prefetch_stream {
    const struct tile_op *load;
    bool rows;            // `load` is a load_rows(): ids number the lines, along axis 0
    uint32_t each;        // lines per id; more than 1 if ids number pages
    uint32_t element;     // bytes per element
    uint32_t last, other; // axes of the tensor that the tile spans
    bool transposed;      // the lines in memory do not run along the depth axis
    bool single;          // fragments read its elements one by one
    uint32_t lines, pitch;
    uint32_t span;      // bytes within which a row's 16-byte pieces are swizzled
                        // (layout/fragment.h)
    uint32_t at, bytes; // offset and size in the stage
};

struct tile_prefetch {
    const struct tile_op *loop;
    struct tile_prefetch_stream stream[TILE_MOST_PREFETCHED];
    uint32_t streams;
    uint32_t stages, stage_bytes;
    const struct tile_op *only; // the loop's only product, if both its operands are streams
    bool waits;                 // the loop has several products of few rows and so mostly waits for
                                // memory
    // By value id: the values in the loop on which the loads' indices and ids depend (`wanted`),
    // and those among them that are read from memory, or with which such reads are indexed
    // (`ahead`). The latter are computed a stage before the copies need them.
    bool *wanted, *ahead;
    bool reads;      // some indices are read from memory
    bool spreads;    // each thread reads a few of the ids, and a convert gives it those it needs
    bool ends_early; // an iteration may end before the loads
};

// Plans the loop with the most prefetchable operands. If there is none, returns NULL with a reason
// in *why, or "" if the kernel has no product.
struct tile_prefetch *tile_plan_prefetch(struct tile_kernel *kernel,
                                         const struct tile_target *target, uint32_t warps,
                                         const char **why);
// Recomputes `wanted` and `ahead`, after values are renumbered. False if ids would have to be
// exchanged between threads in the loop.
bool tile_settle_prefetch(struct tile_kernel *kernel, struct tile_prefetch *plan);
// Returns the extent of a stream's tile along an axis of its tensor.
int64_t tile_prefetch_extent(const struct tile_prefetch_stream *stream, uint32_t axis);
// Lays out the ids of rows so that each thread has those of the lines that it copies. If other ops
// use the ids, too, the prefetch gets copies of them.
bool tile_lay_out_prefetch(struct tile_kernel *kernel, struct tile_prefetch *plan, uint32_t warps);
// True for a read of indices, such as the number of a page, or of ids.
bool tile_prefetch_reads(const struct tile_op *op);
// Returns the read whose elements an op's result has: the op itself, or the read whose elements a
// convert exchanges. NULL for any other op, and for a read that only converts use.
const struct tile_op *tile_prefetch_read_of(const struct tile_op *op);
// True for a read that cp.async can make: of single elements of 4 or 8 bytes, at indices that are
// not read from memory themselves.
bool tile_prefetch_can_copy(const struct tile_prefetch *plan, const struct tile_op *read);
// Returns the number of slots of indices: those of `stages` - 1 iterations are read while as many
// arrive.
static inline uint32_t tile_prefetch_index_slots(const struct tile_prefetch *plan)
{
    return 2 * (plan->stages - 1);
}
// Returns the stream from which an operand comes, directly or transposed, or NULL. Sets *transposed
// if the product uses it transposed.
const struct tile_prefetch_stream *tile_prefetch_stream_of(const struct tile_prefetch *plan,
                                                           const struct tile_value *operand,
                                                           bool *transposed);

#endif
