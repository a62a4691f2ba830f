// A product by mma.sync during emission: the internal interface of mma_sync.c, mma_fragments.c and
// mma_prefetch.c.
#ifndef CUCORE_TILE_EMIT_MMA_SYNC_H
#define CUCORE_TILE_EMIT_MMA_SYNC_H

#include "tile/layout/fragment.h"
#include "async.h"

enum {
    TILE_MOST_FRAGMENTS = 128, // fragments of an operand, per thread
    TILE_MOST_PRODUCTS = 256,  // per iteration of the loop
    TILE_STEP_BYTES = 32,      // bytes of one step along the depth axis
};

struct tile_mma_operand {
    const struct tile_value *value;
    const tile_register *reg;
    uint32_t bytes;         // size of an element
    uint32_t summed, other; // the value's depth axis and its other axis
    uint32_t extent;        // extent of the other axis
    bool transposed;        // lines run along the other axis
    bool single;            // elements are read one by one
    bool rounds;            // round f32 to tf32 in the fragments
    bool ring;              // prefetched, so it lies in a stage
    bool direct;            // its registers are fragments already
    uint32_t pitch;         // bytes of a line
    uint32_t span;          // bytes of a line within which 16-byte pieces are swizzled
                            // (layout/fragment.h)
    uint32_t lines;
    uint32_t batch_bytes;
    uint32_t at; // offset in the scratch
    // Fragments of the warp, indexed through the coordinates of the accumulator's registers.
    uint32_t count;
    struct {
        uint32_t batch, own;
        tile_register word[2][4]; // words of the current step, and of the step being read
        tile_register carried[4]; // the first step's words, carried from iteration to iteration
        tile_register rest[4];    // tf32x3: the remainders of this step's words
        tile_register line;       // address of the line, without the current step
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
    // Fragments for each group of 4 registers of the accumulator; UINT32_MAX: none.
    uint32_t *row, *column;
    tile_register *sum;
    tile_register *part; // tf32x3: partial sums of this iteration; else NULL
    uint32_t count;
    bool thrice;     // tf32x3
    bool first;      // no product has been added yet
    uint32_t begins; // start of the current slice along the depth axis
    const tile_register *in;
    uint32_t now;    // index of the word set for the current step
    uint32_t places; // for a carried product: the number of starts of lines in stage 0 and in the
                     // current stage
    tile_register place[2 * TILE_MOST_FRAGMENTS], there[2 * TILE_MOST_FRAGMENTS];
};

static inline uint32_t tile_round_up(uint32_t x, uint32_t to)
{
    return (x + to - 1) / to * to;
}

// mma_sync.c: sets up a product's shape; sets up an operand, 0 or 1.
bool tile_shape_product(struct tile_product *p, struct tile_emitter *e, const struct tile_op *op);
bool tile_set_mma_operand(struct tile_product *p, struct tile_mma_operand *o, uint32_t which);

// mma_fragments.c: finds a warp's fragments; computes their addresses; reads the fragments of a
// step into the words of `set`, which are new registers or exist already; multiplies the words of
// set `now`.
bool tile_find_fragments(struct tile_product *p);
void tile_open_fragments(struct tile_product *p, tile_register shared);
void tile_read_step(struct tile_product *p, uint32_t step, uint32_t set, bool there);
void tile_multiply_step(struct tile_product *p);
// Called before and after the steps of an iteration of tf32x3. Tensor cores truncate bits that a
// sum cannot hold. So the three products are summed separately, starting from 0, and the result is
// then added to the sum with rounding.
bool tile_open_parts(struct tile_product *p);
void tile_close_parts(struct tile_product *p);

// mma_prefetch.c: emits an iteration's products if the product is carried (async.h).
bool tile_multiply_carried(struct tile_product *p);

#endif
