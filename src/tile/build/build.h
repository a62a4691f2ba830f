// Constructs IR, with one function per construct. The parser and the C builder share these
// functions, so both create the same ops and report the same errors.
//
// Functions report errors at the position `where` and return NULL. They also return NULL, without a
// report, if an operand is NULL, so a caller can check once at the end.
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
    const char *op; // name of the op in the source, for messages; NULL: its name in the IR
};

// A value, or a constant without a dtype. Such a constant adopts the dtype of the values with which
// it is combined.
struct tile_operand {
    struct tile_value *value; // NULL for a constant without a dtype, or after an error
    bool loose, real;         // loose: a constant without a dtype; real: its value is in f,
                              // otherwise in i
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

// build.c: creates an op from operands and attributes, infers the types of its results, and checks
// every rule of the op. All ops are created here. `function`: the block of a reduction by a
// function. `wanted`: the result type, if the operands do not determine it.
struct tile_op *tile_build_op(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              struct tile_block *function, const struct tile_type *wanted);
// Returns the op's first result.
struct tile_value *tile_build(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              const struct tile_type *wanted);

// build_value.c: functions that add the language's conveniences: constants without a dtype,
// promotion and broadcasting.
//
// tile_promote() returns the dtype of x op y; CUC_DTYPE_UNKNOWN if a cast is needed.
cuc_dtype tile_promote(cuc_dtype x, cuc_dtype y);
// Returns the dtype of an integer constant that no value determines: the first of i32, i64 and u64
// that can hold it.
cuc_dtype tile_dtype_of_literal(tile_wide i);
enum { TILE_WIDE_BYTES = 24 }; // maximum size of the text that tile_wide_text() writes
// Writes a constant in decimal digits.
const char *tile_wide_text(char text[TILE_WIDE_BYTES], tile_wide i);
// Reports T103 if a constant without a dtype is out of the range of `dtype`.
bool tile_need_fit(struct tile_builder *b, cuc_dtype dtype, struct tile_operand constant);
// Builds a scalar constant; reports T103 if it is out of the dtype's range.
struct tile_value *tile_build_constant(struct tile_builder *b, cuc_dtype dtype,
                                       struct tile_operand constant);
// Builds a tile [count] of an integer dtype, with the elements 0, 1, ...
struct tile_value *tile_build_iota(struct tile_builder *b, cuc_dtype dtype, int64_t count);
// Turns an operand into a value. A constant gets a default dtype: i32, i64 or u64 depending on its
// magnitude, or f32.
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
                                      const int64_t *extent); // one extent may be -1
struct tile_value *tile_build_permute(struct tile_builder *b, struct tile_value *x, uint32_t count,
                                      const int64_t *axes);
// Broadcasts values to one shape; false after T201.
bool tile_broadcast_together(struct tile_builder *b, enum tile_op_kind kind,
                             struct tile_value **values, uint32_t count);

// build_shape.c
struct tile_value *tile_build_full(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                   const int64_t *extent, struct tile_operand x);
enum { TILE_MAX_LISTED = 256 }; // maximum number of elements of tile_build_listed()
// Builds a tile from `count` elements in row-major order. `at`: the source position of each
// element, or NULL.
struct tile_value *tile_build_listed(struct tile_builder *b, cuc_dtype dtype, uint32_t rank,
                                     const int64_t *extent, uint32_t count,
                                     const struct tile_operand *x, const struct tile_location *at);
struct tile_value *tile_build_squeeze(struct tile_builder *b, struct tile_value *x, int64_t axis);
struct tile_value *tile_build_trans(struct tile_builder *b, struct tile_value *x);
// Builds a bitcast. If the widths differ, the last axis becomes longer or shorter.
struct tile_value *tile_build_bitcast(struct tile_builder *b, struct tile_value *x,
                                      cuc_dtype dtype);
struct tile_value *tile_build_shift(struct tile_builder *b, struct tile_value *x,
                                    struct tile_value *n, int64_t axis, struct tile_operand pad);
// Builds a place. `extent`: the result's, or NULL for that of the positions.
struct tile_value *tile_build_place(struct tile_builder *b, struct tile_value *x,
                                    struct tile_value *position, const int64_t *extent,
                                    struct tile_operand pad);
struct tile_op *tile_build_philox(struct tile_builder *b, struct tile_operand seed,
                                  struct tile_operand counter); // the op has four results
// Builds inline PTX with `count` operands, at most TILE_MAX_RANK. The text is not copied.
struct tile_value *tile_build_asm(struct tile_builder *b, const char *text, cuc_dtype dtype,
                                  uint32_t count, const struct tile_operand *x);
void tile_build_print(struct tile_builder *b, const char *text, uint32_t count,
                      struct tile_value *const *x);

// build_reduce.c: builds a reduction. Without axes it reduces all axes to a scalar; otherwise the
// reduced axes stay, with extent 1.
struct tile_value *tile_build_reduce(struct tile_builder *b, enum tile_combine with,
                                     struct tile_value *x, uint32_t count, const int64_t *axes,
                                     bool nan, struct tile_rounding how);
// Builds argmin or argmax. If `axis` is NULL, the result is a scalar that indexes all elements in
// row-major order. `nan`: the first NaN wins, if there is one.
struct tile_value *tile_build_arg(struct tile_builder *b, enum tile_op_kind kind,
                                  struct tile_value *x, const int64_t *axis, bool nan);
struct tile_value *tile_build_scan(struct tile_builder *b, enum tile_combine with,
                                   struct tile_value *x, int64_t axis, bool reverse);
// Begins a function's block with 2 n scalar arguments. The caller builds the body into the block,
// ends it with tile_build_yield(), and creates the op with tile_build_by_function().
struct tile_block *tile_begin_function(struct tile_builder *b, uint32_t n,
                                       struct tile_value *const *x);
struct tile_op *tile_build_by_function(struct tile_builder *b, enum tile_op_kind kind, uint32_t n,
                                       struct tile_value *const *x,
                                       const struct tile_operand *identity,
                                       struct tile_block *function, int64_t axis, bool reverse);
struct tile_value *tile_build_mma(struct tile_builder *b, struct tile_value *x,
                                  struct tile_value *y, struct tile_value *acc,
                                  enum tile_precision precision, bool fast_acc);
// Builds x @ y with zeros of f32, f64 or i32 as the accumulator. Broadcasts batch axes.
struct tile_value *tile_build_product(struct tile_builder *b, struct tile_value *x,
                                      struct tile_value *y);

// build_memory.c
struct tile_access_args {
    struct tile_value *tensor;
    const struct tile_operand *index;
    uint32_t count;                 // number of indices
    const int64_t *shape;           // an extent for each of `axes` axes; -1 for `_`
    uint32_t axes;                  // length of `shape`; 0 in a store: use the tile's shape
    struct tile_value *ids;         // row numbers for load_rows and store_rows
    struct tile_value *mask;        // NULL: none
    const struct tile_operand *pad; // NULL: 0
    enum tile_order order;
    enum tile_scope scope;
    bool has_scope;
    int64_t latency; // 0: no hint
    int64_t tma;     // -1 never, 0 the compiler decides, 1 if possible
    enum tile_cache cache;
    bool inside; // the source promises that no element is outside
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

// build_gradient.c: differentiates y, a tile of floats, with respect to x, a value that y is
// computed from. Returns the sum of d * dy/dx, in x's type. The gradient `d` of y is broadcast to
// y. Reports T111 if an op between x and y has no derivative.
struct tile_value *tile_build_gradient(struct tile_builder *b, struct tile_value *y,
                                       struct tile_value *x, struct tile_operand d);
// Differentiates y with respect to the elements of a tensor that the indices select, as for a
// gather. Reports T305 if y reads other elements of the tensor. `each`: returns the contribution of
// each element of y, in y's type; their sums are the gradient.
struct tile_value *tile_build_gradient_at(struct tile_builder *b, struct tile_value *y,
                                          struct tile_value *tensor,
                                          const struct tile_operand *index, uint32_t count,
                                          struct tile_operand d, bool each);

// build_control.c: functions that build loops and ifs. The caller first creates the op, then fills
// each of its blocks by setting b->block, and ends each block with a terminator. Carried values
// keep their types; T401 reports a mismatch, with both positions.
struct tile_op *tile_build_for(struct tile_builder *b, struct tile_operand first,
                               struct tile_operand last, struct tile_operand step, uint32_t count,
                               struct tile_value *const *carried);
struct tile_op *tile_build_loop(struct tile_builder *b, uint32_t count,
                                struct tile_value *const *carried);
struct tile_op *tile_build_if(struct tile_builder *b, struct tile_value *condition);
// Adds carried values to a complete loop that was created without them. Each carried value has a
// value before the loop and a block argument. The caller then passes each of the loop's continues
// and breaks to tile_feed(), with one value per carried value.
bool tile_carry(struct tile_builder *b, struct tile_op *loop, uint32_t count,
                struct tile_value *const *before, struct tile_value *const *argument);
bool tile_feed(struct tile_builder *b, struct tile_op *terminator, uint32_t count,
               struct tile_value *const *values);
// Checks the new value of a name whose type is fixed; reports T401 with both positions and returns
// false if the types differ. `bound`: the statement that bound the name to the value; NULL: use the
// value's own position.
bool tile_need_carried(struct tile_builder *b, const char *name, const struct tile_value *now,
                       const struct tile_location *bound, const struct tile_type *before,
                       struct tile_location where_before);
// Builds a continue or break of the loop `target`. `names` and `bound` describe the carried values
// for messages; both may be NULL.
bool tile_build_leave(struct tile_builder *b, enum tile_op_kind kind, const struct tile_op *target,
                      struct tile_value *const *values, const char *const *names,
                      const struct tile_location *bound);
bool tile_build_yield(struct tile_builder *b, struct tile_value *const *values, uint32_t count);
bool tile_build_return(struct tile_builder *b);
// Creates the results of an `if` once both arms are complete. An arm that control leaves yields
// nothing. `bound`: one entry per arm; NULL as in tile_build_leave().
bool tile_finish_if(struct tile_builder *b, struct tile_op *op, const char *const *names,
                    struct tile_location *const *bound);

#endif
