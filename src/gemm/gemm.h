// Plans of products of matrices: what kind they are, the tile that was chosen, compiled kernels.
#ifndef CUCORE_GEMM_GEMM_H
#define CUCORE_GEMM_GEMM_H

#include <cucore/gemm.h>
#include <cucore/kernel.h>

#include <pthread.h>

#include "base/handle.h"
#include "tile/compile/cost.h"
#include "program/tuned.h"

// What kernels are written for. Where d lies column by column its transpose is computed, of the
// operands' transposes, exchanged: everything here is of that product, whose d lies row by row.
struct cuc__gemm_kind {
    int32_t form;
    bool exchanged;
    cuc_dtype dtype, d, c, accumulator, bias, residual; // 0: there is none of it
    cuc_dtype compute;                                  // what follows the sum is done in it
    bool turned_a, turned_b;                            // columns lie side by side
    bool shared_a, shared_b;                            // no axis of batches
    bool scaled_rows, scaled_columns, fast_acc;
    bool bias_of_rows;
    int32_t activation, precision;
};

struct cuc__gemm_tile {
    enum tile_mma_path path;
    int32_t rows, columns, depth;
    int32_t stages, cluster, warps, raster; // 0: the compiler's
    int32_t split;                          // blocks that do a sum together
    int32_t parts;                          // of a sum, in the workspace
    int32_t stream_k; // last waves of tiles that are dealt evenly, to `programs` blocks; 0: none
    int32_t programs;
};

// A plan has kernels for what callers ask for, so that nothing is computed or read in vain.
enum { CUC__GEMM_PLAIN, CUC__GEMM_SCALED, CUC__GEMM_ADDED, CUC__GEMM_VARIANTS };

struct cuc__gemm_code {
    char *text;
    cuc_object *object;
    // The product, or where sums are split what puts them together; NULL: the code is not loaded
    // yet.
    _Atomic(cuc_kernel *) kernel;
    cuc_kernel *parts; // the parts of sums, there before `kernel`; NULL: they are not split
};

// What records of a plan's kind and shape are kept under; not moved once it is made.
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
    char text[CUC__TUNED_CHOICE]; // of the choice, as records have it
    struct cuc__gemm_code code[CUC__GEMM_VARIANTS];
    pthread_mutex_t lock; // of loading code
};

// What tiles are chosen for.
struct cuc__gemm_shape {
    int64_t rows, columns, depth, batch;
    uint64_t workspace_bytes; // that parts of sums may take
};

// gemm_options.c: what is asked for, as the kernel has it; a failure is of `function`.
struct cuc__gemm_question {
    struct cuc__gemm_kind kind;
    struct cuc__gemm_shape shape;
    struct cuc__gemm_tile wanted;
    struct tile_machine machine;
    char arch[16];
};
cuc_status cuc__gemm_ask(struct cuc__gemm_question *out, const cuc_gemm_options *options,
                         const struct cuc_device *device, const char *function);

// gemm_check.c: a call whose plan, arguments (read) and factors are given, for a plan of that form;
// its shape is read off the arrays.
struct cuc__gemm_call {
    cuc_gemm_plan *plan;
    const cuc_gemm_args *args;
    const char *function;
    int64_t m, n, k, batch; // batch: -1 of a single product
    double alpha, beta;
};
cuc_status cuc__gemm_check(struct cuc__gemm_call *call, int32_t form,
                           const struct cuc_stream *stream);

// gemm_source.c: the tile program of a variant; NULL when there is no memory.
char *cuc__gemm_source(const struct cuc__gemm_kind *kind, const struct cuc__gemm_tile *tile,
                       int variant);

// gemm_choose.c: the path that the products take, and for a shape of the kernel's product the tile
// that the model likes best of those that leave what `wanted` has other than 0 as it is; how long
// it thinks that takes. False: none of them can be.
enum tile_mma_path cuc__gemm_path(const struct cuc__gemm_kind *kind,
                                  const struct tile_machine *machine, bool specific);
bool cuc__gemm_choose(struct cuc__gemm_tile *out, double *seconds,
                      const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                      const struct cuc__gemm_tile *wanted, const struct tile_machine *machine);
// A tile that was measured as a whole, with its last waves dealt evenly where the model thinks that
// this gains something.
void cuc__gemm_deal_last(struct cuc__gemm_tile *tile, const struct cuc__gemm_kind *kind,
                         const struct cuc__gemm_shape *shape, const struct tile_machine *machine);
// The workspace that the shape allows is enough.
bool cuc__gemm_has_room(const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                        const struct cuc__gemm_tile *tile);
// All of them.
void cuc__gemm_visit(const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                     const struct cuc__gemm_tile *wanted, const struct tile_machine *machine,
                     void (*visit)(void *user, const struct cuc__gemm_tile *tile, double seconds),
                     void *user);
// What a tile makes of a shape, for the model.
void cuc__gemm_work(struct tile_work *out, const struct cuc__gemm_kind *kind,
                    const struct cuc__gemm_shape *shape, const struct cuc__gemm_tile *tile);

static inline int64_t cuc__gemm_cdiv(int64_t x, int64_t y)
{
    return x / y + (x % y != 0);
}

// gemm_stream.c: how the blocks of a product go through its tiles, as its kernel is told. First
// come `shared` units, one for each tile that a range goes through; ranges have `each` turns of the
// `spread` tiles that are dealt, the first `more` of them one more. Then a unit for each other
// tile.
enum {
    CUC__GEMM_RASTER = 8,            // that is usual
    CUC__GEMM_ACROSS = 65535,        // tiles side by side that a launch may have
    CUC__GEMM_WORKSPACE_ALIGN = 256, // of its address, and of what comes behind flags there
};
struct cuc__gemm_dealt {
    uint32_t each, more, shared, spread, units;
    // Of turns; of tiles in a band of rows of them, and of rows in the last band.
    uint64_t over_turns, over_band, over_last;
};
// Rows of tiles that are gone through together.
static inline int32_t cuc__gemm_band(const struct cuc__gemm_tile *tile)
{
    return tile->raster ? tile->raster : CUC__GEMM_RASTER;
}
// By which x / y is the product's upper bits, from the 40th on: where x y is at most 2^40, and x
// times this below 2^64.
static inline uint64_t cuc__gemm_inverse(int64_t y)
{
    return y ? ((UINT64_C(1) << 40) + (uint64_t)y - 1) / (uint64_t)y : 0;
}
void cuc__gemm_deal(struct cuc__gemm_dealt *out, const struct cuc__gemm_tile *tile, int64_t rows,
                    int64_t columns, int64_t depth);
// Tiles side by side that a launch may have, with so many rows above one another: quotients are
// exact then. 0: there are too many rows.
int64_t cuc__gemm_stream_across(const struct cuc__gemm_tile *tile, int64_t rows);
// The workspace, and what of it flags take, which come first.
uint64_t cuc__gemm_stream_bytes(const struct cuc__gemm_kind *kind,
                                const struct cuc__gemm_tile *tile);
uint64_t cuc__gemm_stream_flag_bytes(const struct cuc__gemm_tile *tile);
// Whether sums lie there as threads of a pipeline have them, [rows / 16][columns / 8][128], and not
// row by row.
bool cuc__gemm_puts_aside(const struct cuc__gemm_tile *tile);

// gemm_plan.c: with the kernels of a variant, which are loaded when they are first needed.
cuc_status cuc__gemm_load(cuc_gemm_plan *plan, int variant, const char *function);

// gemm_tuned.c
void cuc__gemm_key(struct cuc__gemm_key *out, const struct cuc__gemm_kind *kind,
                   const struct cuc__gemm_shape *shape, const struct cuc_device *device);
void cuc__gemm_choice_text(char *text, size_t room, const struct cuc__gemm_tile *tile);
// False: it is not such a text.
bool cuc__gemm_read_choice(struct cuc__gemm_tile *tile, const char *text);
// 1: the tile as it was measured; 2: of a shape that is near; 0: it was not; negative: the file
// that was named is no such file.
int cuc__gemm_recall(struct cuc__gemm_tile *tile, const struct cuc__gemm_key *key, const char *path,
                     const char *function);

#endif
