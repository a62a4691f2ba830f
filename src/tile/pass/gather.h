// Operands of a pipeline whose rows are gathered: load_rows() or gather() gives each row a separate
// number, which determines its place in memory. Threads of the copying warpgroup compute the
// numbers of their rows from the IR's expressions (emit/gathered.c).
#ifndef CUCORE_TILE_PASS_GATHER_H
#define CUCORE_TILE_PASS_GATHER_H

#include "pipeline.h"

enum { TILE_MOST_NODES = 96, TILE_NODE_OPERANDS = 3, TILE_NO_NODE = UINT16_MAX };

// A value from which an index is computed, at one element per row. The same value may be needed at
// two elements: a pixel's row and column may share an iota.
struct tile_row_node {
    const struct tile_value *value;
    int8_t axis[TILE_MAX_RANK]; // for each axis of the value: the axis of the loaded box along
                                // which it runs; -1 if none
    uint16_t operand[TILE_NODE_OPERANDS]; // operand nodes; for a load, only its padding
    uint32_t weight;          // approximate number of instructions that compute it and its operands
    const struct tile_op *at; // all its dependencies are known before this op
    const struct tile_op *needed; // during the search: the op before which it is needed
    bool kept;                    // computed before `at` and kept for many iterations
};

struct tile_gather {
    struct tile_row_node node[TILE_MOST_NODES]; // operands first
    uint32_t nodes;
    // By tensor axis: the node of the index. For load_rows(), also the number of elements per unit
    // of the index (`scale`), and the box axis that is added to the index (`plus`, -1 if none).
    uint16_t index[TILE_MAX_RANK];
    int64_t scale[TILE_MAX_RANK];
    int8_t plus[TILE_MAX_RANK];
    uint16_t mask; // node; TILE_NO_NODE: none
    // `is_box`: the tensor is no slice, and the elements lie at equal distances along the tensor's
    // axes, so TMA copies them without the threads' help. `extent` and `step` are their number and
    // distance along each axis.
    bool is_box;
    int64_t extent[TILE_MAX_RANK], step[TILE_MAX_RANK];
    const struct tile_op *at; // row addresses are computed before this op
};

// loop.c: completes a stream whose load is a gather() or load_rows(). Returns NULL, or the reason
// why that is impossible.
const char *tile_find_gathered(struct tile_pipeline *p, struct tile_stream *s);
// Finds how the rows of a stream's load are numbered. Marks in p->wanted and p->rows the values
// from which the copying threads compute the numbers. Returns NULL, or the reason why that is
// impossible.
const char *tile_find_gather(struct tile_pipeline *p, struct tile_stream *s);
// True if the first elements of the rows are known to lie at multiples of 16 bytes.
bool tile_gather_starts_aligned(struct tile_pipeline *p, const struct tile_stream *s);
// Returns the registers in which a thread keeps what it needs of a stream's rows; 0 if threads do
// not gather them.
uint32_t tile_gather_registers(const struct tile_stream *s);
// Marks in p->only_streamed the values that are used only to compute row numbers, and the operands
// of a region's products. No multiplying warpgroup needs them.
void tile_mark_only_streamed(struct tile_kernel *kernel, struct tile_pipeline *p);

#endif
