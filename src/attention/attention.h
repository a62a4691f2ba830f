// Attention plans: their kind, the chosen tile, the compiled kernel.
#ifndef CUCORE_ATTENTION_ATTENTION_H
#define CUCORE_ATTENTION_ATTENTION_H

#include <cucore/attention.h>
#include <cucore/kernel.h>

#include "base/handle.h"
#include "program/plan_arch.h"

enum { CUC__ATTENTION_NAME = 32 };

// The indices that a score function knows, in the order of its parameters.
enum cuc__attention_index {
    CUC__ATTENTION_BATCH,
    CUC__ATTENTION_HEAD,
    CUC__ATTENTION_ROW,
    CUC__ATTENTION_COLUMN,
    CUC__ATTENTION_INDICES
};

struct cuc__attention_side {
    char name[CUC__ATTENTION_NAME];
    cuc_dtype dtype;
    int32_t rank;
    bool trains;
    uint8_t index[CUC__ATTENTION_INDICES]; // by axis, if it trains
};

// Returns the axis of an array that trains along which an index runs; -1 if there is none.
static inline int32_t cuc__attention_axis(const struct cuc__attention_side *side,
                                          enum cuc__attention_index index)
{
    int32_t axis = side->rank;

    while (--axis >= 0 && side->index[axis] != index)
        ;
    return axis;
}

// The numbers that the gradient of a side array adds up, over the batches, heads and so on that do
// not index it. Those for each row or column lie in the workspace.
enum cuc__attention_summands {
    CUC__ATTENTION_NONE, // it does not train
    CUC__ATTENTION_OF_ROWS,
    CUC__ATTENTION_OF_COLUMNS,
    CUC__ATTENTION_OF_SCORES,
};
static inline enum cuc__attention_summands
cuc__attention_summands(const struct cuc__attention_side *side)
{
    bool row = cuc__attention_axis(side, CUC__ATTENTION_ROW) >= 0;

    return !side->trains                                          ? CUC__ATTENTION_NONE
           : cuc__attention_axis(side, CUC__ATTENTION_COLUMN) < 0 ? CUC__ATTENTION_OF_ROWS
           : row                                                  ? CUC__ATTENTION_OF_SCORES
                                                                  : CUC__ATTENTION_OF_COLUMNS;
}

// The kind of attention that a kernel computes.
struct cuc__attention_kind {
    cuc_dtype dtype, o_dtype;
    int32_t width, value_width;
    int32_t mask, align, order;
    int64_t left, right; // keys of a window before and after the diagonal key; 0: any number
    bool lse, sinks;
    bool backward; // also has the kernels of cuc_attention_backward()
    bool scored;   // has a score function
    bool variable; // sequences of any lengths lie one after another
    struct cuc__attention_side sides[CUC_ATTENTION_MAX_SIDES];
    uint32_t side_count;
    int32_t page_size; // 0: keys are not in pages
    bool cached;       // keys are in a cache, in pages or not, which has the lengths of sequences
    bool scaled;       // elements of 8 bits, with scales
    bool packs;        // transposes v in the workspace before
    bool fast_acc;     // the weighted sums stay in the tensor cores
    bool few;          // few queries: a tile holds those of several heads, and keys may be split
};

struct cuc__attention_tile {
    int32_t queries, keys;
    int32_t stages, warps; // 0 leaves the choice to the compiler
    int32_t heads;         // heads of a tile, each with `queries`, if they are few; otherwise 1
    int32_t parts;         // of the keys
};

// The extents for which a tile is chosen. 0: large.
struct cuc__attention_shape {
    int64_t batch, heads, key_heads, queries, keys;
};

// Defined in options.c. Translates options to the kernel's terms. Records a failure under the name
// in `function`.
struct cuc__attention_problem {
    struct cuc__attention_kind kind;
    const char *score; // the caller's score function; NULL if there is none
    struct cuc__attention_shape shape;
    struct cuc__attention_tile wanted;
    uint32_t multiprocessors;
    bool pipelined; // the target has the fused pipeline of TMA and wgmma
    bool slow;      // but the score function does not allow it
    char arch[CUC__PLAN_ARCH];
};
cuc_status cuc__attention_read_options(struct cuc__attention_problem *out,
                                       const cuc_attention_options *options,
                                       const struct cuc_device *device, const char *function);

// Defined in choose.c. Chooses the tile; nonzero fields of `wanted` are kept.
void cuc__attention_choose(struct cuc__attention_tile *out,
                           const struct cuc__attention_problem *problem);

// Returns the width of a tile, which zeros fill up.
static inline int32_t cuc__attention_padded(int32_t width)
{
    return (width + 15) / 16 * 16;
}

// Returns the same for the depth of the scores. An instruction of 8-bit elements takes 32 of them.
static inline int32_t cuc__attention_depth(const struct cuc__attention_kind *kind)
{
    return kind->scaled ? (kind->width + 31) / 32 * 32 : cuc__attention_padded(kind->width);
}

// Returns false for elements of 8 bits that a pipeline cannot multiply: two sets of accumulators,
// in the tensor cores and outside, fit in the registers up to a width of 128.
static inline bool cuc__attention_has_pipeline(const struct cuc__attention_kind *kind)
{
    return kind->packs && (kind->fast_acc || kind->value_width <= 128);
}

// Defined in source.c. Writes the tile program. Returns NULL if out of memory.
char *cuc__attention_source(const struct cuc__attention_problem *problem,
                            const struct cuc__attention_tile *tile);
// Write the score function, whose text begins on line 2; its parameters of a kernel; and a call,
// where b, h, row and column are the batch, the head and the indices.
struct cuc__text;
void cuc__attention_put_score(struct cuc__text *text, const struct cuc__attention_problem *problem);
void cuc__attention_put_sides(struct cuc__text *text, const struct cuc__attention_kind *kind);
void cuc__attention_put_call(struct cuc__text *text, const struct cuc__attention_kind *kind,
                             const char *score);

// Defined in source_append.c. Adds the kernel of cuc_attention_append() to a tile program.
struct cuc__text;
void cuc__attention_put_append(struct cuc__text *text,
                               const struct cuc__attention_problem *problem);

// Defined in source.c. Writes the parameter k or v.
void cuc__attention_put_keys(struct cuc__text *text, const struct cuc__attention_kind *kind,
                             char array);

// Defined in source_pack.c. Adds the kernel that transposes v to a tile program. `step` is a
// sequence's first column in the transposed array.
void cuc__attention_put_pack(struct cuc__text *text, const struct cuc__attention_problem *problem);

// Keys in a group of the transposed v: the places of a group's keys are those in which threads hold
// their weights.
enum { CUC__ATTENTION_GROUP = 16 };

// Returns the number of columns of the transposed v: a sequence begins with a whole group.
static inline int64_t cuc__attention_columns(const struct cuc__attention_kind *kind, int64_t batch,
                                             int64_t keys)
{
    int64_t whole = (keys + CUC__ATTENTION_GROUP - 1) / CUC__ATTENTION_GROUP * CUC__ATTENTION_GROUP;

    return kind->variable ? whole + batch * CUC__ATTENTION_GROUP : whole;
}

// Defined in source_backward.c. Writes the tile program of cuc_attention_backward(). Returns NULL
// if out of memory.
char *cuc__attention_backward_source(const struct cuc__attention_problem *problem);

// The kernels of cuc_attention_backward(): row sums of d_o o, and the gradients. d_k and d_v have a
// kernel together, or one each.
enum {
    CUC__ATTENTION_SUMS,
    CUC__ATTENTION_D_Q,
    CUC__ATTENTION_D_KV,
    CUC__ATTENTION_D_K,
    CUC__ATTENTION_D_V,
    CUC__ATTENTION_COLUMNS, // sums of columns for gradients of side arrays
    CUC__ATTENTION_D_SINKS,
    CUC__ATTENTION_D_SIDE,
    CUC__ATTENTION_STEPS = CUC__ATTENTION_D_SIDE + CUC_ATTENTION_MAX_SIDES
};

// Defined in source_backward.c. True if the program of cuc__attention_backward_source() has the
// kernel of a step before CUC__ATTENTION_D_SIDE.
bool cuc__attention_backward_has(const struct cuc__attention_problem *problem, int step);

// True if the gradient of a side array adds up such numbers.
static inline bool cuc__attention_adds(const struct cuc__attention_kind *k,
                                       enum cuc__attention_summands summands)
{
    bool adds = false;

    for (uint32_t i = 0; i < k->side_count; i++)
        adds |= cuc__attention_summands(&k->sides[i]) == summands;
    return adds;
}

struct cuc_attention_plan {
    cuc__handle head;
    cuc_device *device;
    struct cuc__attention_kind kind;
    struct cuc__attention_tile tile;
    bool plain_launch; // launches are not programmatic
    cuc_attention_choice choice;
    char *text;
    cuc_object *object;
    cuc_kernel *kernel;
    cuc_kernel *join;    // adds up the parts of split keys, or NULL
    cuc_kernel *append;  // NULL without a cache
    cuc_kernel *pack;    // transposes v, or NULL
    char *backward_text; // NULL without a backward pass
    cuc_object *backward_object;
    cuc_kernel *backward[CUC__ATTENTION_STEPS]; // NULL: no such step
};

enum { CUC__ATTENTION_WORKSPACE_ALIGN = 256 };
static inline uint64_t cuc__attention_aligned(uint64_t bytes)
{
    return (bytes + CUC__ATTENTION_WORKSPACE_ALIGN - 1) / CUC__ATTENTION_WORKSPACE_ALIGN *
           CUC__ATTENTION_WORKSPACE_ALIGN;
}

// Defined in check.c. Checks a call, whose arguments are already read, and reads its extents from
// the arrays.
struct cuc__attention_call {
    cuc_attention_plan *plan;
    const cuc_attention_args *args;
    const char *function;
    bool backward, append;
    int64_t batch, heads, key_heads, queries, keys, pages;
};
cuc_status cuc__attention_check(struct cuc__attention_call *call, const struct cuc_stream *stream);

#endif
