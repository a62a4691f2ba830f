// Operands of a pipeline whose rows are gathered: each row's place in memory has a number of its
// own, from load_rows() or gather(). Threads of the copying warpgroup compute these numbers, each
// for its rows, from the IR's expressions (emit/gathered.c).
#ifndef CUCORE_TILE_PASS_GATHER_H
#define CUCORE_TILE_PASS_GATHER_H

#include "pipeline.h"

enum { TILE_MOST_NODES = 96, TILE_NODE_OPERANDS = 3, TILE_NO_NODE = UINT16_MAX };

// A value that an index is computed from, at one element for each row. The same value may be
// needed at two elements: a row of pixels and its column may share an iota.
struct tile_row_node {
    const struct tile_value *value;
    int8_t axis[TILE_MAX_RANK]; // by axis: that of the loaded box which it runs along, -1: none
    uint16_t operand[TILE_NODE_OPERANDS]; // a load has its padding alone
    uint32_t weight;                      // about the number of instructions below it
    const struct tile_op *at;             // everything that it depends on is known before this op
    const struct tile_op *needed;         // during the search: the op before which it is needed
    bool kept;                            // computed before `at`, once for many iterations
};

struct tile_gather {
    struct tile_row_node node[TILE_MOST_NODES]; // operands first
    uint32_t nodes;
    // By the tensor's axes: the node of the index, and for load_rows() the elements that it counts
    // and the box's axis that is added, -1: none.
    uint16_t index[TILE_MAX_RANK];
    int64_t scale[TILE_MAX_RANK];
    int8_t plus[TILE_MAX_RANK];
    uint16_t mask;            // node; TILE_NO_NODE: none
    const struct tile_op *at; // rows' addresses are computed before this op
};

// Finds how the rows of a stream's load are numbered, and marks what the copying threads need for
// that in p->wanted and p->rows. Returns NULL, or the reason why that is impossible.
const char *tile_find_gather(struct tile_pipeline *p, struct tile_stream *s);
// True if the rows' first elements are known to lie at multiples of 16 bytes.
bool tile_gather_starts_aligned(struct tile_pipeline *p, const struct tile_stream *s);
// Marks the values that only such indices use in p->only_rows: no warpgroup needs them.
void tile_mark_only_rows(struct tile_kernel *kernel, struct tile_pipeline *p);

#endif
