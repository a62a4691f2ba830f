// Construction of IR, with one function for each construct. The parser and the C builder share it,
// so that both create the same ops and report the same errors.
//
// A function reports an error at the position `where` and returns NULL. If an operand is NULL, it
// returns NULL without a report, so callers can check once at the end.
#ifndef CUCORE_TILE_BUILD_BUILD_H
#define CUCORE_TILE_BUILD_BUILD_H

#include "tile/ir/diagnostic.h"
#include "tile/ir/ir.h"
#include "tile/ir/words.h"
#include "tile/ir/scalar.h"

struct tile_builder {
    struct tile_module *module;
    struct tile_kernel *kernel;
    struct tile_block *block; // ops are appended here
    struct tile_location where;
    const char *op; // the source's name for the op under construction, for messages; NULL: the IR's
                    // name
};

// A value, or a constant without a dtype, which takes the dtype of the values it is combined with.
struct tile_operand {
    struct tile_value *value; // NULL if loose; otherwise NULL after an error
    bool loose, real;         // real: the constant is in f, otherwise in i
    tile_wide i;
    double f;
};
static inline struct tile_operand tile_of(struct tile_value *value)
{
    return (struct tile_operand){ .value = value };
}
static inline struct tile_operand tile_of_int(tile_wide i)
{
    return (struct tile_operand){ .loose = true, .i = i };
}
static inline struct tile_operand tile_of_real(double f)
{
    return (struct tile_operand){ .loose = true, .real = true, .f = f };
}

// build.c: creates an op from its operands and attributes as given, infers the types of its
// results, and checks every rule of the op. No other function creates ops. `function`: the block,
// for a reduction by a function. `wanted`: the type, if the operands do not determine it.
struct tile_op *tile_build_op(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              struct tile_block *function, const struct tile_type *wanted);
// Returns the op's first result.
struct tile_value *tile_build(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              const struct tile_type *wanted);

// build_value.c: adds the language's conveniences: constants without a dtype, promotion and
// broadcasting.
//
// tile_promote() returns the dtype of x op y; CUC_DTYPE_UNKNOWN if a cast is needed.
cuc_dtype tile_promote(cuc_dtype x, cuc_dtype y);
// Returns the dtype of an integer constant that stands alone: i32 if it fits, otherwise i64,
// otherwise u64.
cuc_dtype tile_dtype_of_literal(tile_wide i);
enum { TILE_WIDE_BYTES = 24 }; // maximum size of the text that tile_wide_text() writes
// Writes a constant in decimal digits.
const char *tile_wide_text(char text[TILE_WIDE_BYTES], tile_wide i);
// Reports T103 if a constant without a dtype is out of the range of this dtype.
bool tile_need_fit(struct tile_builder *b, cuc_dtype dtype, struct tile_operand constant);
// Builds a scalar constant; reports T103 if it is out of the dtype's range.
struct tile_value *tile_build_constant(struct tile_builder *b, cuc_dtype dtype,
                                       struct tile_operand constant);
// Builds [count] of an integer dtype: 0, 1, ...
struct tile_value *tile_build_iota(struct tile_builder *b, cuc_dtype dtype, int64_t count);
// Turns an operand into a value. A constant that stands alone becomes i32, i64 or u64, depending on
// its magnitude, or f32.
struct tile_value *tile_build_value(struct tile_builder *b, struct tile_operand x);
struct tile_value *tile_build_unary(struct tile_builder *b, enum tile_op_kind kind,
                                    struct tile_operand x);
struct tile_value *tile_build_binary(struct tile_builder *b, enum tile_op_kind kind,
                                     struct tile_operand x, struct tile_operand y, bool nan);
struct tile_value *tile_build_fma(struct tile_builder *b, struct tile_operand x,
                                  struct tile_operand y, struct tile_operand z);
struct tile_value *tile_build_where(struct tile_builder *b, struct tile_value *c,
                                    struct tile_operand x, struct tile_operand y);
// Builds an op with explicit rounding: unary, binary or fma.
struct tile_value *tile_build_rounded(struct tile_builder *b, enum tile_op_kind kind,
                                      const struct tile_operand *x, uint32_t count,
                                      struct tile_rounding how, bool nan);
struct tile_value *tile_build_cast_rounded(struct tile_builder *b, struct tile_operand x,
                                           cuc_dtype dtype, struct tile_rounding how);
// Builds a cast. A value that already has the dtype is returned unchanged.
struct tile_value *tile_build_cast(struct tile_builder *b, struct tile_operand x, cuc_dtype dtype,
                                   enum tile_round round);
struct tile_value *tile_build_broadcast(struct tile_builder *b, struct tile_value *x, uint32_t rank,
                                        const int64_t *extent);
struct tile_value *tile_build_reshape(struct tile_builder *b, struct tile_value *x, uint32_t rank,
                                      const int64_t *extent); // one may be -1
struct tile_value *tile_build_permute(struct tile_builder *b, struct tile_value *x, uint32_t count,
                                      const int64_t *axes);
// Broadcasts values to one shape; false after T201.
bool tile_broadcast_together(struct tile_builder *b, enum tile_op_kind kind,
                             struct tile_value **values, uint32_t count);

// build_shape.c
struct tile_value *tile_build_full(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                   const int64_t *extent, struct tile_operand x);
enum { TILE_MAX_LISTED = 256 }; // maximum number of elements of tile_build_listed()
// Builds a tile from `count` elements in row-major order. `at`, if not NULL: the source position of
// each element.
struct tile_value *tile_build_listed(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                     const int64_t *extent, uint32_t count,
                                     const struct tile_operand *x, const struct tile_location *at);
struct tile_value *tile_build_squeeze(struct tile_builder *b, struct tile_value *x, int64_t axis);
struct tile_value *tile_build_trans(struct tile_builder *b, struct tile_value *x);
// Builds a bitcast. If the widths differ, the last axis grows or shrinks.
struct tile_value *tile_build_bitcast(struct tile_builder *b, struct tile_value *x,
                                      cuc_dtype dtype);
struct tile_value *tile_build_shift(struct tile_builder *b, struct tile_value *x,
                                    struct tile_value *n, int64_t axis, struct tile_operand pad);
struct tile_op *tile_build_philox(struct tile_builder *b, struct tile_operand seed,
                                  struct tile_operand counter); // four results
// Builds inline PTX. `count`: at most TILE_MAX_RANK; the text is not copied.
struct tile_value *tile_build_asm(struct tile_builder *b, const char *text, cuc_dtype dtype,
                                  uint32_t count, const struct tile_operand *x);
void tile_build_print(struct tile_builder *b, const char *text, uint32_t count,
                      struct tile_value *const *x);

// build_reduce.c: builds a reduction. Without axes it reduces all axes to rank 0; otherwise the
// axes stay, with extent 1.
struct tile_value *tile_build_reduce(struct tile_builder *b, enum tile_combine with,
                                     struct tile_value *x, uint32_t count, const int64_t *axes,
                                     bool nan, struct tile_rounding how);
// Builds argmin or argmax. Without an axis (NULL), the index is over all elements in row-major
// order, and the result is a scalar. `nan`: the first NaN, if any, wins.
struct tile_value *tile_build_arg(struct tile_builder *b, enum tile_op_kind kind,
                                  struct tile_value *x, const int64_t *axis, bool nan);
struct tile_value *tile_build_scan(struct tile_builder *b, enum tile_combine with,
                                   struct tile_value *x, int64_t axis, bool reverse);
// Begins a function's block with 2 n scalar arguments. The caller builds the function's body into
// the block. tile_build_yield() ends the block, and tile_build_by_function() creates the op.
struct tile_block *tile_begin_function(struct tile_builder *b, uint32_t n,
                                       struct tile_value *const *x);
struct tile_op *tile_build_by_function(struct tile_builder *b, enum tile_op_kind kind, uint32_t n,
                                       struct tile_value *const *x,
                                       const struct tile_operand *identity,
                                       struct tile_block *function, int64_t axis, bool reverse);
struct tile_value *tile_build_mma(struct tile_builder *b, struct tile_value *x,
                                  struct tile_value *y, struct tile_value *acc,
                                  enum tile_precision precision, bool fast_acc);
// Builds x @ y, starting from zeros of f32, f64 or i32. Batch axes are broadcast.
struct tile_value *tile_build_product(struct tile_builder *b, struct tile_value *x,
                                      struct tile_value *y);

// build_memory.c
struct tile_access_args {
    struct tile_value *tensor;
    const struct tile_operand *index;
    uint32_t count;                 // number of indices
    const int64_t *shape;           // [axes]; -1: `_`
    uint32_t axes;                  // length of `shape`; 0 in a store: the tile's shape
    struct tile_value *ids;         // row numbers of load_rows, store_rows
    struct tile_value *mask;        // NULL: none
    const struct tile_operand *pad; // NULL: 0
    enum tile_order order;
    enum tile_scope scope;
    bool has_scope;
    int64_t latency; // 0: no hint
    int64_t tma;     // -1 never, 0 the compiler decides, 1 if possible
    enum tile_cache cache;
    bool inside; // a promise
};
struct tile_value *tile_build_load(struct tile_builder *b, enum tile_op_kind kind,
                                   const struct tile_access_args *access);
bool tile_build_store(struct tile_builder *b, enum tile_op_kind kind,
                      const struct tile_access_args *access, struct tile_operand x,
                      enum tile_combine with);
struct tile_value *tile_build_gather(struct tile_builder *b, const struct tile_access_args *access);
bool tile_build_scatter(struct tile_builder *b, const struct tile_access_args *access,
                        struct tile_operand x);
struct tile_value *tile_build_atomic(struct tile_builder *b, const struct tile_access_args *access,
                                     enum tile_combine with, const struct tile_operand *x,
                                     uint32_t values);
struct tile_value *tile_build_slice(struct tile_builder *b, struct tile_value *tensor, int64_t axis,
                                    struct tile_operand start, struct tile_operand stop);

// build_control.c. The caller first creates a construct's op, then fills its blocks by setting
// b->block, and ends each block with a terminator. Carried values keep their types; T401 reports
// both positions.
struct tile_op *tile_build_for(struct tile_builder *b, struct tile_operand first,
                               struct tile_operand last, struct tile_operand step, uint32_t count,
                               struct tile_value *const *carried);
struct tile_op *tile_build_loop(struct tile_builder *b, uint32_t count,
                                struct tile_value *const *carried);
struct tile_op *tile_build_if(struct tile_builder *b, struct tile_value *condition);
// Adds carried values to a loop that was created without them, once its body is complete. Each
// carried value has a value before the loop and a block argument. Each continue and break of the
// loop gets its values by tile_feed(), one per carried value.
bool tile_carry(struct tile_builder *b, struct tile_op *loop, uint32_t count,
                struct tile_value *const *before, struct tile_value *const *argument);
bool tile_feed(struct tile_builder *b, struct tile_op *terminator, uint32_t count,
               struct tile_value *const *values);
// Checks the new value of a name that already has a type; false after T401, which shows both
// positions. `bound`: the statement that bound the name to the value; NULL: use the value's own
// position.
bool tile_need_carried(struct tile_builder *b, const char *name, const struct tile_value *now,
                       const struct tile_location *bound, const struct tile_type *before,
                       struct tile_location where_before);
// Builds a continue or break of the loop `target`. `names` and `bound` describe the carried values
// in messages, or are NULL.
bool tile_build_leave(struct tile_builder *b, enum tile_op_kind kind, const struct tile_op *target,
                      struct tile_value *const *values, const char *const *names,
                      const struct tile_location *bound);
bool tile_build_yield(struct tile_builder *b, struct tile_value *const *values, uint32_t count);
bool tile_build_return(struct tile_builder *b);
// Gives an `if` its results once both arms are complete. An arm that leaves yields nothing.
// `bound`: one per arm; NULL as in tile_build_leave().
bool tile_finish_if(struct tile_builder *b, struct tile_op *op, const char *const *names,
                    struct tile_location *const *bound);

#endif
