// A product with mma.sync during emission: the internal interface of mma_sync.c, mma_fragments.c
// and mma_prefetch.c.
#ifndef CUCORE_TILE_EMIT_MMA_SYNC_H
#define CUCORE_TILE_EMIT_MMA_SYNC_H

#include "tile/layout/fragment.h"
#include "async.h"

enum {
    TILE_MOST_FRAGMENTS = 128, // fragments of an operand, per thread
    TILE_MOST_PRODUCTS = 256,  // products per iteration of the loop
    TILE_STEP_BYTES = 32,      // bytes per step along the depth axis
};

struct tile_mma_operand {
    const struct tile_value *value;
    const tile_register *reg;
    uint32_t bytes;         // size of an element
    uint32_t summed, other; // the value's depth axis and its other matrix axis
    uint32_t extent;        // extent of the other axis
    bool transposed;        // rows in shared memory run along the other axis
    bool single;            // elements are read one by one
    bool rounds;            // round f32 to tf32 in the fragments
    bool ring;              // prefetched, so it lies in a stage
    bool direct;            // the registers already are fragments
    uint32_t pitch;         // bytes between rows
    uint32_t span;          // bytes within which a row's 16-byte pieces are swizzled
                            // (layout/fragment.h)
    uint32_t lines;
    uint32_t batch_bytes;
    uint32_t at; // offset in the scratch
    // The warp's fragments. `batch` and `own` are coordinates of accumulator registers.
    uint32_t count;
    struct {
        uint32_t batch, own;
        tile_register word[2][4]; // words of the current step and of the step being read
        tile_register carried[4]; // words of the first step, carried between iterations
        tile_register rest[4];    // tf32x3: remainders of the current words
        tile_register line;       // address of the row, without the current step
        uint32_t offset, flip;    // added to the address; XORed into it
    } fragment[TILE_MOST_FRAGMENTS];
};

struct tile_product {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_value *acc;
    const struct tile_fragment *how;
    struct tile_mma_operand a, b;
    uint32_t m, n, batches, depth, slice;
    // By group of 4 accumulator registers: the fragment of a, and of b; UINT32_MAX if there is
    // none.
    uint32_t *row, *column;
    tile_register *sum;
    tile_register *part; // partial sums of this iteration (tf32x3), or of every other step
                         // (halves); otherwise NULL
    uint32_t count;
    bool thrice;     // tf32x3
    bool halves;     // every other step has sums of its own, so that steps wait less for each other
    bool odd;        // the next step is one of those
    bool first;      // no product has been added yet
    uint32_t begins; // start of the current slice along the depth axis
    const tile_register *in;
    uint32_t now;    // index of the current step's word set
    uint32_t places; // for a carried product: number of distinct row starts, in stage 0 (`place`)
                     // and in the current stage (`there`)
    tile_register place[2 * TILE_MOST_FRAGMENTS], there[2 * TILE_MOST_FRAGMENTS];
};

static inline uint32_t tile_round_up(uint32_t x, uint32_t to)
{
    return (x + to - 1) / to * to;
}

// mma_sync.c. tile_shape_product() sets up a product's shape. tile_set_mma_operand() sets up
// operand 0 or 1.
bool tile_shape_product(struct tile_product *p, struct tile_emitter *e, const struct tile_op *op);
bool tile_set_mma_operand(struct tile_product *p, struct tile_mma_operand *o, uint32_t which);

// mma_fragments.c. tile_find_fragments() finds a warp's fragments. tile_open_fragments() computes
// their addresses. tile_read_step() reads the fragments of a step into the words of `set`, in new
// registers unless `there` is true. tile_multiply_step() multiplies the words of set `now`.
bool tile_find_fragments(struct tile_product *p);
void tile_open_fragments(struct tile_product *p, tile_register shared);
void tile_read_step(struct tile_product *p, uint32_t step, uint32_t set, bool there);
void tile_multiply_step(struct tile_product *p);
// Called before and after the steps of an iteration. With tf32x3, tensor cores truncate bits that a
// sum cannot hold. The three products are therefore summed separately, starting from 0, and then
// added to the sum with rounding. So are the products of every other step, with `halves`.
bool tile_open_parts(struct tile_product *p);
void tile_close_parts(struct tile_product *p);

// mma_prefetch.c: emits one iteration's products of a carried product (async.h).
bool tile_multiply_carried(struct tile_product *p);

#endif
