// Arithmetic on one element of any dtype, exactly as kernels compute it. Constant folding, the
// front end and the interpreter use it.
//
// An element is stored in 64 bits. A bool is 0 or 1, an integer is sign- or zero-extended, a float
// has the bits of its own format, and a tf32 has the bits of an f32.
#ifndef CUCORE_TILE_IR_SCALAR_H
#define CUCORE_TILE_IR_SCALAR_H

#include "ir.h"
#include "words.h"

static inline bool tile_is_integer(cuc_dtype dtype)
{
    return dtype >= CUC_I8 && dtype <= CUC_U64;
}
static inline bool tile_is_signed(cuc_dtype dtype)
{
    return dtype >= CUC_I8 && dtype <= CUC_I64;
}
// Returns the width of the register that holds an element: 1 (a predicate), 16, 32 or 64 bits.
static inline uint32_t tile_register_bits(cuc_dtype dtype)
{
    return dtype == CUC_BOOL                       ? 1
           : dtype == CUC_F16 || dtype == CUC_BF16 ? 16
           : cuc_dtype_bits(dtype) == 64           ? 64
                                                   : 32;
}
static inline bool tile_is_float(cuc_dtype dtype) // the floats that have arithmetic
{
    return dtype == CUC_F16 || dtype == CUC_BF16 || dtype == CUC_F32 || dtype == CUC_F64;
}
static inline bool tile_is_restricted(cuc_dtype dtype) // used only by cast, bitcast, memory and mma
{
    return dtype == CUC_TF32 || dtype == CUC_E4M3 || dtype == CUC_E5M2;
}

// scalar_format.c: wrap an integer to the dtype, and round a float to it, half to even.
uint64_t tile_element_of_int(cuc_dtype dtype, int64_t value);
uint64_t tile_element_of_real(cuc_dtype dtype, double value);
// Returns the element's value, which is exact except for 64-bit integers.
double tile_element_real(cuc_dtype dtype, uint64_t element);
// True if an integer is in the range of the dtype; true if a float is finite after rounding.
bool tile_int_fits(cuc_dtype dtype, tile_wide value);
bool tile_real_fits(cuc_dtype dtype, double value);

// Explicit rounding of an op.
struct tile_rounding {
    enum tile_round round;
    bool ftz; // f32: subnormal operands and results become zero, with their sign
};
static inline struct tile_rounding tile_rounding_of(const struct tile_op *op)
{
    return (struct tile_rounding){ (enum tile_round)tile_int(op, TILE_ATTR_ROUND, TILE_RN),
                                   tile_int(op, TILE_ATTR_FTZ, 0) != 0 };
}
// True if an op has explicit rounding. The passes must not apply their rules for sums, products and
// so on to such an op.
static inline bool tile_is_rounded(const struct tile_op *op)
{
    return tile_attribute(op, TILE_ATTR_ROUND) || tile_attribute(op, TILE_ATTR_FTZ);
}

// scalar_format.c
uint64_t tile_element_cast(cuc_dtype to, cuc_dtype from, uint64_t element, enum tile_round round);
// Rounds to the dtype in the given direction. `odd` must be a double that was rounded to odd.
uint64_t tile_element_of_odd(cuc_dtype dtype, double odd, enum tile_round round);

// scalar.c: computes a comparison from the relation of its operands. For NaN, `less`, `equal` and
// `greater` are all false. Returns false if the op is not a comparison.
bool tile_compare(enum tile_op_kind kind, bool less, bool equal, bool greater, bool *out);
// True for ops on integers that are undefined if the divisor is 0.
static inline bool tile_is_floored_division(enum tile_op_kind kind)
{
    return kind == TILE_FLOORDIV || kind == TILE_CDIV || kind == TILE_MOD;
}

// Computes an elementwise op on exact integers, for elements in kernels, host expressions and
// constants in the front end. Operands must be in the range of i64 or u64, and the product of two
// u64 may wrap. Shifts by `bits` or more are undefined, and so are divisions by zero.
enum tile_exact { TILE_EXACT, TILE_UNDEFINED, TILE_NOT_INTEGER };
enum tile_exact tile_int_compute(enum tile_op_kind kind, const tile_wide *x, uint32_t bits,
                                 tile_wide *out);
// Computes an elementwise op on three doubles, as defined by the column `real` of ops.def. `wide`:
// the dtype is f64. Returns false if the op has no such definition.
bool tile_real_compute(enum tile_op_kind kind, const double *x, bool wide, bool nan, double *out);
// Computes an elementwise op on elements of a dtype (for `where`, the dtype of x and y). Integer
// and IEEE results are exact. The others are computed by libm in double and rounded once. `nan`:
// minimum and maximum propagate NaN. Returns false for other ops.
bool tile_element_compute(enum tile_op_kind kind, cuc_dtype dtype, bool nan, const uint64_t *x,
                          uint64_t *out);

// scalar_round.c: does the same with explicit rounding. Results are exact, except that `approx` and
// `full` are only as accurate as libm.
bool tile_element_rounded(enum tile_op_kind kind, cuc_dtype dtype, struct tile_rounding how,
                          bool nan, const uint64_t *x, uint64_t *out);
// Flushes a subnormal f32 to zero, with its sign.
uint64_t tile_element_flush(cuc_dtype dtype, uint64_t element);

// scalar.c: returns the elementwise op that combines two elements; TILE_OP_COUNT: none.
enum tile_op_kind tile_combine_op(enum tile_combine with);
// Combines two elements as a reduction or scan does, such as a + b.
bool tile_element_combine(enum tile_combine with, cuc_dtype dtype, bool nan, uint64_t x, uint64_t y,
                          uint64_t *out);
// Returns the identity element: 0 for sum, the least value for max.
uint64_t tile_element_identity(enum tile_combine with, cuc_dtype dtype);

#endif
