// A product of matrices by mma.sync while it is emitted: see mma_sync.c.
#ifndef CUCORE_TILE_PRODUCT_H
#define CUCORE_TILE_PRODUCT_H

#include "../layout/fragment.h"
#include "emit.h"

enum {
    TILE_MOST_FRAGMENTS = 128, // of an operand, in a thread
    TILE_STEP_BYTES = 32,      // of the summed axis
};

struct tile_operand {
    const struct tile_value *value;
    const tile_register *reg;
    uint32_t bytes;         // of an element
    uint32_t summed, other; // axes of the value
    uint32_t extent;        // of the other axis
    bool turned;            // lines go along the other axis
    bool rounds;            // f32 to tf32, once it is in fragments
    uint32_t pitch;         // bytes of a line
    uint32_t lines;
    uint32_t batch_bytes;
    uint32_t at; // in the scratch
    // Fragments of the warp, by the coordinates that registers of the accumulator give.
    uint32_t count;
    struct {
        uint32_t batch, own;
        tile_register word[4];
        tile_register line; // address, without the step's part
        uint32_t offset;
    } fragment[TILE_MOST_FRAGMENTS];
};

struct tile_product {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_value *acc;
    const struct tile_fragment *how;
    struct tile_operand a, b;
    uint32_t m, n, batches, depth, slice;
    // Fragments, by group of 4 registers of the accumulator; UINT32_MAX: none.
    uint32_t *row, *column;
    tile_register *sum;
    uint32_t count;
    bool first; // no product was added yet
    const tile_register *in;
};

// Bytes of a line of that many elements' bytes, so that 8 lines side by side meet no bank twice.
uint32_t tile_line_pitch(uint32_t bytes);
// What is known of a product before its operands are; false without memory.
bool tile_shape_product(struct tile_product *p, struct tile_emitter *e, const struct tile_op *op);
// Which fragments a warp needs: false when they are too many.
bool tile_find_fragments(struct tile_product *p);
// Where they begin in shared memory, and the sum over `length` of the summed axis.
void tile_open_fragments(struct tile_product *p, tile_register shared);
void tile_add_slice(struct tile_product *p, uint32_t length);

#endif
