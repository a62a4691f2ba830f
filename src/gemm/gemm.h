// Matrix-product plans: their kind, the chosen tile, the compiled kernels.
#ifndef CUCORE_GEMM_GEMM_H
#define CUCORE_GEMM_GEMM_H

#include <cucore/gemm.h>
#include <cucore/kernel.h>

#include <pthread.h>

#include "base/divide.h"
#include "base/handle.h"
#include "tile/compile/cost.h"
#include "program/plan_arch.h"
#include "program/tuned.h"

// The kind of product that a kernel computes. For a column-major d, the kernel computes the
// transpose of d from the exchanged and transposed operands. This struct describes the product as
// computed, with a row-major d.
struct cuc__gemm_kind {
    int32_t form;
    bool exchanged;
    cuc_dtype dtype, d, c, accumulator, bias, residual, aux; // 0: absent
    cuc_dtype compute;               // the type that the epilogue computes in
    bool transposed_a, transposed_b; // column-major
    bool shared_a, shared_b;         // no batch axis
    bool scaled_rows, scaled_columns, fast_acc;
    bool bias_of_rows;
    int32_t activation, precision;
    int32_t gradient; // CUC_GEMM_GRADIENT_ constant, in the kernel's terms
    cuc_dtype gradient_dtype;
    bool amax;
    int32_t a_scale_rows, b_scale_columns; // lines that share a scale by block; 0: no scales
};

enum { CUC__GEMM_SCALED_DEPTH = 128 }; // elements along the reduction that share a scale by block

// Returns true if operands have scales by block.
static inline bool cuc__gemm_scales_blocks(const struct cuc__gemm_kind *kind)
{
    return kind->a_scale_rows || kind->b_scale_columns;
}

// Returns true if the activation is a derivative, which reads aux.
static inline bool cuc__gemm_reads_aux(const struct cuc__gemm_kind *kind)
{
    return kind->activation >= CUC_GEMM_RELU_DERIVATIVE;
}

// Returns true if the epilogue loads arrays of the result's shape.
static inline bool cuc__gemm_loads_more(const struct cuc__gemm_kind *kind)
{
    return kind->c || kind->residual || cuc__gemm_reads_aux(kind);
}

// Returns the type of the partial sums of a bias's gradient: that of the values that are added.
static inline cuc_dtype cuc__gemm_sum_type(const struct cuc__gemm_kind *kind)
{
    return kind->gradient >= CUC_GEMM_GRADIENT_A ? kind->accumulator : kind->compute;
}

// Returns true if the gradient of a bias is the sum of an operand.
static inline bool cuc__gemm_sums_operand(const struct cuc__gemm_kind *kind)
{
    return kind->gradient == CUC_GEMM_GRADIENT_A || kind->gradient == CUC_GEMM_GRADIENT_B;
}

struct cuc__gemm_tile {
    enum tile_mma_path path;
    int32_t rows, columns, depth;
    int32_t stages, warps, raster; // 0 leaves the choice to the compiler
    int32_t cluster, cluster_n;    // blocks down a column and along a row of tiles; 0 means 1
    int32_t split;                 // split-K factor over the blocks of a cluster
    int32_t parts;                 // split-K factor through the workspace
    int32_t stream_k; // number of last waves whose tiles are distributed evenly over `programs`
                      // blocks; 0 for none
    int32_t programs;
    int32_t pack; // CUC_GEMM_PACK_ bits of the kernel's operands; 0 means none was asked for
};

enum { // the tile of the kernel that adds up the parts of a product
    CUC__GEMM_SUM_ROWS = 2,
    CUC__GEMM_SUM_COLUMNS = 128,
};

// Translates CUC_GEMM_PACK_ bits of the caller's operands to the kernel's, and back.
static inline int32_t cuc__gemm_exchange_pack(int32_t pack, bool exchanged)
{
    const int32_t of_a = CUC_GEMM_PACK_A | CUC_GEMM_PACK_TRANSPOSED_A;
    const int32_t of_b = CUC_GEMM_PACK_B | CUC_GEMM_PACK_TRANSPOSED_B;

    return exchanged ? (pack & of_a) << 1 | (pack & of_b) >> 1 | (pack & CUC_GEMM_PACK_NONE) : pack;
}

// Returns true for a valid combination of CUC_GEMM_PACK_ bits.
static inline bool cuc__gemm_is_pack(int32_t pack)
{
    bool a = pack & CUC_GEMM_PACK_A, b = pack & CUC_GEMM_PACK_B;

    return pack & CUC_GEMM_PACK_NONE ? pack == CUC_GEMM_PACK_NONE
                                     : (a || !(pack & CUC_GEMM_PACK_TRANSPOSED_A)) &&
                                           (b || !(pack & CUC_GEMM_PACK_TRANSPOSED_B));
}

// Returns the kind of product that the kernel computes from packed operands.
static inline struct cuc__gemm_kind cuc__gemm_packed_kind(const struct cuc__gemm_kind *kind,
                                                          const struct cuc__gemm_tile *tile)
{
    struct cuc__gemm_kind packed = *kind;

    packed.transposed_a ^= (tile->pack & CUC_GEMM_PACK_TRANSPOSED_A) != 0;
    packed.transposed_b ^= (tile->pack & CUC_GEMM_PACK_TRANSPOSED_B) != 0;
    return packed;
}

// Returns the number of blocks that share loads.
static inline int32_t cuc__gemm_cluster(const struct cuc__gemm_tile *tile)
{
    int32_t blocks = tile->cluster_n > 1 ? tile->cluster_n : tile->cluster;

    return blocks > 1 ? blocks : 1;
}

// Returns the number of neighbors down a column of tiles, or along a row if `along_row`, that share
// loads. A cluster of eight blocks has four along the axis for which the tile says 8, and two along
// the other.
static inline int32_t cuc__gemm_neighbors(const struct cuc__gemm_tile *tile, bool along_row)
{
    enum { BOTH = 8 };
    int32_t own = along_row ? tile->cluster_n : tile->cluster;

    return cuc__gemm_cluster(tile) < BOTH ? (own > 1 ? own : 1) : own == BOTH ? 4 : 2;
}

// The variants of a plan. Each has its own kernel, so that no call computes or reads more than it
// needs.
enum { CUC__GEMM_PLAIN, CUC__GEMM_SCALED, CUC__GEMM_ADDED, CUC__GEMM_VARIANTS };

struct cuc__gemm_code {
    char *text;
    cuc_object *object;
    // The product's kernel or, with split-K through the workspace, the kernel that adds up the
    // parts. NULL means not yet loaded.
    _Atomic(cuc_kernel *) kernel;
    cuc_kernel *parts; // computes the parts, and is set before `kernel`; NULL without parts
    cuc_kernel *pack;  // packs operands, and is set before `kernel`; NULL if the plan packs none
    // Adds up the partial sums of a bias's gradient, and computes those of an operand. They are set
    // before `kernel`; NULL without a gradient, or if the epilogue computes the partial sums.
    cuc_kernel *gradient, *operand_sums;
};

// The key of a plan's tuning records. It points into itself, so it must not move.
struct cuc__gemm_key {
    char kernel[64], dimensions[128], toolkit[16];
    cuc_tuned_record record;
};

struct cuc_gemm_plan {
    cuc__handle head;
    cuc_device *device;
    struct cuc__gemm_kind kind;
    struct cuc__gemm_tile tile;
    bool recalled;            // the tile comes from a tuning record
    bool plain_launch;        // launches are not programmatic
    uint32_t multiprocessors; // that the product uses; 0: all
    cuc_gemm_choice choice;
    struct cuc__gemm_key key;
    char text[CUC__TUNED_CHOICE]; // the choice in the format of tuning records
    struct cuc__gemm_code code[CUC__GEMM_VARIANTS];
    pthread_mutex_t lock; // held while code is loaded
};

// The problem size for which a tile is chosen.
struct cuc__gemm_shape {
    int64_t rows, columns, depth, batch;
    uint64_t workspace_bytes; // the most that a choice may use
    int32_t alignment;        // of addresses and pitches, in bytes; 0: that of dense arrays
};

// Defined in options.c. Translates options to the kernel's terms. Records a failure under the name
// in `function`.
struct cuc__gemm_problem {
    struct cuc__gemm_kind kind;
    struct cuc__gemm_shape shape;
    struct cuc__gemm_tile wanted;
    struct tile_machine machine;
    char arch[CUC__PLAN_ARCH];
};
cuc_status cuc__gemm_read_options(struct cuc__gemm_problem *out, const cuc_gemm_options *options,
                                  const struct cuc_device *device, const char *function);

// Defined in check.c. Checks a call and reads its shape from the arrays. The caller sets the form,
// the plan, the arguments (already read) and the scale factors.
struct cuc__gemm_call {
    cuc_gemm_plan *plan;
    const cuc_gemm_args *args;
    const char *function;
    int64_t m, n, k, batch; // `batch` is -1 for a single product
    double alpha, beta;
};
cuc_status cuc__gemm_check(struct cuc__gemm_call *call, int32_t form,
                           const struct cuc_stream *stream);

// Defined in source.c. Writes the tile program of a variant. Returns NULL if out of memory.
char *cuc__gemm_source(const struct cuc__gemm_kind *kind, const struct cuc__gemm_tile *tile,
                       int variant);

// Defined in choose.c. cuc__gemm_path() returns how the tile compiler computes a product.
// cuc__gemm_choose() chooses the tile that the model ranks best for a shape, among those that agree
// with the nonzero fields of `wanted`, and estimates its time. It returns false if no tile is
// possible.
enum tile_mma_path cuc__gemm_path(const struct cuc__gemm_kind *kind,
                                  const struct tile_machine *machine);
bool cuc__gemm_choose(struct cuc__gemm_tile *out, double *seconds,
                      const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                      const struct cuc__gemm_tile *wanted, const struct tile_machine *machine);
// Turns on stream-K for a tile that was measured without it, if the model predicts a gain.
void cuc__gemm_add_stream_k(struct cuc__gemm_tile *tile, const struct cuc__gemm_kind *kind,
                            const struct cuc__gemm_shape *shape,
                            const struct tile_machine *machine);
// Returns true if the shape's workspace is large enough for the tile.
bool cuc__gemm_workspace_fits(const struct cuc__gemm_kind *kind,
                              const struct cuc__gemm_shape *shape,
                              const struct cuc__gemm_tile *tile);
// Visits every candidate.
void cuc__gemm_visit(const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                     const struct cuc__gemm_tile *wanted, const struct tile_machine *machine,
                     void (*visit)(void *user, const struct cuc__gemm_tile *tile, double seconds),
                     void *user);
// Describes to the model how much work a tile does for a shape.
void cuc__gemm_work(struct tile_work *out, const struct cuc__gemm_kind *kind,
                    const struct cuc__gemm_shape *shape, const struct cuc__gemm_tile *tile);

// Defined in workspace.c. The workspace of a launch: packed operands, then partial sums. A matrix's
// rows are `pitch` elements apart. Packed operands keep their order in memory.
struct cuc__gemm_workspace {
    struct {
        uint64_t at; // offset in bytes
        int64_t pitch;
    } packed[2], sums; // of a and b; of parts
    uint64_t bytes;
};
// Returns false if the size exceeds 64 bits.
bool cuc__gemm_lay_out_workspace(struct cuc__gemm_workspace *out, const struct cuc__gemm_kind *kind,
                                 const struct cuc__gemm_tile *tile, int64_t rows, int64_t columns,
                                 int64_t depth);

// Return the extents of the tile of the kernel that runs the epilogue.
static inline int32_t cuc__gemm_end_rows(const struct cuc__gemm_tile *tile)
{
    return tile->parts > 1 ? CUC__GEMM_SUM_ROWS : tile->rows;
}

static inline int32_t cuc__gemm_end_columns(const struct cuc__gemm_tile *tile)
{
    return tile->parts > 1 ? CUC__GEMM_SUM_COLUMNS : tile->columns;
}

// The partial sums of a bias's gradient, at the start of the workspace: one row for each tile along
// the summed axis of a product, or for each part of an operand's sum. A batch has the rows of each
// product.
struct cuc__gemm_gradient {
    int64_t parts; // of one product
    int64_t extent, pitch;
    uint64_t bytes; // of one product
};
// Returns false if the size exceeds 64 bits. All are 0 without a gradient.
bool cuc__gemm_lay_out_gradient(struct cuc__gemm_gradient *out, const struct cuc__gemm_kind *kind,
                                const struct cuc__gemm_tile *tile, int64_t rows, int64_t columns,
                                int64_t depth);

// Defined in stream_k.c. The distribution of tiles over blocks, as the kernel receives it. The
// iterations of the last `spread` tiles are cut into ranges of `each` iterations; the first `more`
// ranges have one iteration more. Each of the first `shared` units computes the part of one tile
// that lies in one range. Each later unit computes one of the other tiles.
enum {
    CUC__GEMM_RASTER = 8,        // the default raster
    CUC__GEMM_MAX_WIDTH = 65535, // maximum number of tiles along a row in one launch
    CUC__GEMM_PACK_ROWS = 8,     // a block's part of a matrix that is packed
    CUC__GEMM_PACK_COLUMNS = 256,
    CUC__GEMM_PACK_SIDE = 64,        // rows and columns of a block's part that is transposed
    CUC__GEMM_WORKSPACE_ALIGN = 256, // alignment of the workspace, and of the partial sums after
                                     // its flags
};
struct cuc__gemm_stream_k {
    uint32_t each, more, shared, spread, units;
    // Results of cuc__gemm_inverse() for the number of iterations, for the number of tiles in a
    // band, and for the number of rows of tiles in the last band.
    uint64_t over_iterations, over_band, over_last;
};
// Returns the height of a band, in tiles.
static inline int32_t cuc__gemm_band(const struct cuc__gemm_tile *tile)
{
    return tile->raster ? tile->raster : CUC__GEMM_RASTER;
}
// Returns i such that x / y == x * i >> 40, provided that x * y <= 2^40 and x * i < 2^64.
static inline uint64_t cuc__gemm_inverse(int64_t y)
{
    return y ? ((UINT64_C(1) << 40) + (uint64_t)y - 1) / (uint64_t)y : 0;
}
void cuc__gemm_schedule_stream_k(struct cuc__gemm_stream_k *out, const struct cuc__gemm_tile *tile,
                                 int64_t rows, int64_t columns, int64_t depth);
// Returns the maximum number of tiles along a row, in a launch with this many rows, for which the
// quotients are exact. Returns 0 if there are too many rows.
int64_t cuc__gemm_stream_k_max_width(const struct cuc__gemm_tile *tile, int64_t rows);
// Return the size in bytes of the workspace, and of the flags at its start.
uint64_t cuc__gemm_stream_k_bytes(const struct cuc__gemm_kind *kind,
                                  const struct cuc__gemm_tile *tile);
uint64_t cuc__gemm_stream_k_flag_bytes(const struct cuc__gemm_tile *tile);
// Returns true if the compiler exchanges the operands of the tile's product.
bool cuc__gemm_is_exchanged(const struct cuc__gemm_tile *tile);
// Returns true if the workspace holds accumulators in the fragment order of a pipeline's threads,
// [rows / 16][columns / 8][128], and false if it holds them in row-major order, transposed if the
// operands are exchanged.
bool cuc__gemm_partials_are_fragments(const struct cuc__gemm_tile *tile);

// Defined in plan.c. Loads the kernels of a variant on first use.
cuc_status cuc__gemm_load(cuc_gemm_plan *plan, int variant, const char *function);

// tuned_tiles.c
void cuc__gemm_key(struct cuc__gemm_key *out, const struct cuc__gemm_kind *kind,
                   const struct cuc__gemm_shape *shape, const struct cuc_device *device);
void cuc__gemm_choice_text(char *text, size_t capacity, const struct cuc__gemm_tile *tile);
// Parses a choice. Returns false if it is not valid.
bool cuc__gemm_read_choice(struct cuc__gemm_tile *tile, const char *text);
// Looks for a measured tile. Returns 1 for a tile of this shape, 2 for a tile of a nearby shape, 0
// for none. Returns a negative status if the named file is invalid.
int cuc__gemm_find_tuned(struct cuc__gemm_tile *tile, const struct cuc__gemm_key *key,
                         const char *path, const char *function);

#endif
