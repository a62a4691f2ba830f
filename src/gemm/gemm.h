// Plans of matrix products: their kind, the chosen tile, compiled kernels.
#ifndef CUCORE_GEMM_GEMM_H
#define CUCORE_GEMM_GEMM_H

#include <cucore/gemm.h>
#include <cucore/kernel.h>

#include <pthread.h>

#include "base/handle.h"
#include "tile/compile/cost.h"
#include "program/tuned.h"

// The kind of product that kernels are written for. A column-major d is computed as its transpose,
// from the exchanged and transposed operands. This struct describes the product that is computed,
// whose d is row-major.
struct cuc__gemm_kind {
    int32_t form;
    bool exchanged;
    cuc_dtype dtype, d, c, accumulator, bias, residual; // 0: absent
    cuc_dtype compute;                                  // the type of the epilogue
    bool transposed_a, transposed_b;                    // column-major
    bool shared_a, shared_b;                            // no batch axis
    bool scaled_rows, scaled_columns, fast_acc;
    bool bias_of_rows;
    int32_t activation, precision;
};

struct cuc__gemm_tile {
    enum tile_mma_path path;
    int32_t rows, columns, depth;
    int32_t stages, warps, raster; // 0: the compiler's choice
    int32_t cluster, cluster_n;    // down a column and along a row of tiles; 0: 1
    int32_t split;                 // split-K over the blocks of a cluster
    int32_t parts;                 // split-K through the workspace
    int32_t stream_k; // number of last waves whose tiles are distributed evenly over `programs`
                      // blocks; 0: none
    int32_t programs;
};

// Returns the number of blocks that share loads.
static inline int32_t cuc__gemm_cluster(const struct cuc__gemm_tile *tile)
{
    int32_t blocks = tile->cluster_n > 1 ? tile->cluster_n : tile->cluster;

    return blocks > 1 ? blocks : 1;
}

// The variants of a plan. Each has a kernel, so that a call computes and reads nothing unnecessary.
enum { CUC__GEMM_PLAIN, CUC__GEMM_SCALED, CUC__GEMM_ADDED, CUC__GEMM_VARIANTS };

struct cuc__gemm_code {
    char *text;
    cuc_object *object;
    // The kernel for the product or, with split-K through the workspace, the kernel that adds up
    // the parts; NULL: not yet loaded.
    _Atomic(cuc_kernel *) kernel;
    cuc_kernel *parts; // computes the parts, set before `kernel`; NULL: no parts
};

// The key of a plan's records. It holds pointers to itself, so it must not move.
struct cuc__gemm_key {
    char kernel[64], dimensions[128], toolkit[16];
    cuc_tuned_record record;
};

struct cuc_gemm_plan {
    cuc__handle head;
    cuc_device *device;
    struct cuc__gemm_kind kind;
    struct cuc__gemm_tile tile;
    bool recalled; // from a record
    cuc_gemm_choice choice;
    struct cuc__gemm_key key;
    char text[CUC__TUNED_CHOICE]; // the choice in the format of records
    struct cuc__gemm_code code[CUC__GEMM_VARIANTS];
    pthread_mutex_t lock; // guards the loading of code
};

// The problem for which tiles are chosen.
struct cuc__gemm_shape {
    int64_t rows, columns, depth, batch;
    uint64_t workspace_bytes; // available for split-K and stream-K
};

// options.c: translates options to the kernel's terms. A failure is recorded under `function`'s
// name.
struct cuc__gemm_problem {
    struct cuc__gemm_kind kind;
    struct cuc__gemm_shape shape;
    struct cuc__gemm_tile wanted;
    struct tile_machine machine;
    char arch[16];
};
cuc_status cuc__gemm_read_options(struct cuc__gemm_problem *out, const cuc_gemm_options *options,
                                  const struct cuc_device *device, const char *function);

// check.c: checks a call and reads its shape from the arrays. The form of the plan, the plan, the
// arguments (already read) and the scale factors are given.
struct cuc__gemm_call {
    cuc_gemm_plan *plan;
    const cuc_gemm_args *args;
    const char *function;
    int64_t m, n, k, batch; // batch: -1 for a single product
    double alpha, beta;
};
cuc_status cuc__gemm_check(struct cuc__gemm_call *call, int32_t form,
                           const struct cuc_stream *stream);

// source.c: writes the tile program of a variant; NULL if out of memory.
char *cuc__gemm_source(const struct cuc__gemm_kind *kind, const struct cuc__gemm_tile *tile,
                       int variant);

// choose.c: returns the path of the product; chooses the tile that the model ranks best for a
// shape, among those that agree with the nonzero fields of `wanted`, and estimates its time. False:
// no tile is possible.
enum tile_mma_path cuc__gemm_path(const struct cuc__gemm_kind *kind,
                                  const struct tile_machine *machine, bool specific);
bool cuc__gemm_choose(struct cuc__gemm_tile *out, double *seconds,
                      const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                      const struct cuc__gemm_tile *wanted, const struct tile_machine *machine);
// Turns on stream-K for a tile that was measured without it, if the model predicts a gain.
void cuc__gemm_add_stream_k(struct cuc__gemm_tile *tile, const struct cuc__gemm_kind *kind,
                            const struct cuc__gemm_shape *shape,
                            const struct tile_machine *machine);
// True if the shape's workspace is large enough.
bool cuc__gemm_workspace_fits(const struct cuc__gemm_kind *kind,
                              const struct cuc__gemm_shape *shape,
                              const struct cuc__gemm_tile *tile);
// Visits every candidate.
void cuc__gemm_visit(const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                     const struct cuc__gemm_tile *wanted, const struct tile_machine *machine,
                     void (*visit)(void *user, const struct cuc__gemm_tile *tile, double seconds),
                     void *user);
// Describes a tile's work on a shape for the model.
void cuc__gemm_work(struct tile_work *out, const struct cuc__gemm_kind *kind,
                    const struct cuc__gemm_shape *shape, const struct cuc__gemm_tile *tile);

static inline int64_t cuc__gemm_cdiv(int64_t x, int64_t y)
{
    return x / y + (x % y != 0);
}

// stream_k.c: the distribution of tiles over blocks, as passed to the kernel. The `spread` tiles to
// distribute are cut into ranges of `each` iterations; the first `more` ranges have one iteration
// more. Each of the first `shared` units computes the part of one tile that lies in a range. Each
// other tile has one unit, after these.
enum {
    CUC__GEMM_RASTER = 8,            // the default raster
    CUC__GEMM_MAX_WIDTH = 65535,     // maximum number of tiles along a row in a launch
    CUC__GEMM_WORKSPACE_ALIGN = 256, // alignment of its address, and of the partial sums after the
                                     // flags
};
struct cuc__gemm_stream_k {
    uint32_t each, more, shared, spread, units;
    // Inverses of the number of iterations, of tiles in a band of rows, and of rows in the last
    // band.
    uint64_t over_iterations, over_band, over_last;
};
// Returns the number of rows of tiles in a band.
static inline int32_t cuc__gemm_band(const struct cuc__gemm_tile *tile)
{
    return tile->raster ? tile->raster : CUC__GEMM_RASTER;
}
// Returns i such that x / y is x * i >> 40, provided that x * y is at most 2^40 and x * i is below
// 2^64.
static inline uint64_t cuc__gemm_inverse(int64_t y)
{
    return y ? ((UINT64_C(1) << 40) + (uint64_t)y - 1) / (uint64_t)y : 0;
}
void cuc__gemm_schedule_stream_k(struct cuc__gemm_stream_k *out, const struct cuc__gemm_tile *tile,
                                 int64_t rows, int64_t columns, int64_t depth);
// Returns the maximum number of tiles along a row in a launch with this many rows for which the
// quotients are exact. 0: too many rows.
int64_t cuc__gemm_stream_k_max_width(const struct cuc__gemm_tile *tile, int64_t rows);
// Return the bytes of the workspace, and of the flags at its start.
uint64_t cuc__gemm_stream_k_bytes(const struct cuc__gemm_kind *kind,
                                  const struct cuc__gemm_tile *tile);
uint64_t cuc__gemm_stream_k_flag_bytes(const struct cuc__gemm_tile *tile);
// True if the workspace holds accumulators in the fragment order of a pipeline's threads, [rows /
// 16][columns / 8][128]; false for row-major order.
bool cuc__gemm_partials_are_fragments(const struct cuc__gemm_tile *tile);

// plan.c: loads the kernels of a variant on first use.
cuc_status cuc__gemm_load(cuc_gemm_plan *plan, int variant, const char *function);

// tuned_tiles.c
void cuc__gemm_key(struct cuc__gemm_key *out, const struct cuc__gemm_kind *kind,
                   const struct cuc__gemm_shape *shape, const struct cuc_device *device);
void cuc__gemm_choice_text(char *text, size_t capacity, const struct cuc__gemm_tile *tile);
// Reads a choice. False if it is not valid.
bool cuc__gemm_read_choice(struct cuc__gemm_tile *tile, const char *text);
// Looks for a measured tile. Returns 1 for a tile of this shape, 2 for one of a nearby shape, 0 if
// there is none; negative if the named file is invalid.
int cuc__gemm_find_tuned(struct cuc__gemm_tile *tile, const struct cuc__gemm_key *key,
                         const char *path, const char *function);

#endif
