// Arithmetic on one element of any dtype, exactly as kernels compute it, for constant folding, the
// front end's constants and the interpreter.
//
// An element is stored in 64 bits: a bool is 0 or 1, an integer is sign- or zero-extended, a float
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
// Returns the bits of the register that holds an element: 1 (a predicate), 16, 32 or 64.
static inline uint32_t tile_register_bits(cuc_dtype dtype)
{
    return dtype == CUC_BOOL                       ? 1
           : dtype == CUC_F16 || dtype == CUC_BF16 ? 16
           : cuc_dtype_bits(dtype) == 64           ? 64
                                                   : 32;
}
static inline bool tile_is_float(cuc_dtype dtype) // with arithmetic
{
    return dtype == CUC_F16 || dtype == CUC_BF16 || dtype == CUC_F32 || dtype == CUC_F64;
}
static inline bool tile_is_restricted(cuc_dtype dtype) // cast, bitcast, memory and mma only
{
    return dtype == CUC_TF32 || dtype == CUC_E4M3 || dtype == CUC_E5M2;
}

// scalar_format.c: wraps an integer to the dtype; rounds a float to it, half to even.
uint64_t tile_element_of_int(cuc_dtype dtype, int64_t value);
uint64_t tile_element_of_real(cuc_dtype dtype, double value);
// Returns the element's value, which is exact except for 64-bit integers.
double tile_element_real(cuc_dtype dtype, uint64_t element);
// True if an integer is in the dtype's range, or a float is finite after rounding.
bool tile_int_fits(cuc_dtype dtype, tile_wide value);
bool tile_real_fits(cuc_dtype dtype, double value);

// Explicit rounding of an op.
struct tile_rounding {
    enum tile_round round;
    bool ftz; // for f32: subnormal operands and results become a zero of the same sign
};
static inline struct tile_rounding tile_rounding_of(const struct tile_op *op)
{
    return (struct tile_rounding){ (enum tile_round)tile_int(op, TILE_ATTR_ROUND, TILE_RN),
                                   tile_int(op, TILE_ATTR_FTZ, 0) != 0 };
}
// True if an op has explicit rounding. The passes' rules for sums, products and so on do not apply
// to such an op.
static inline bool tile_is_rounded(const struct tile_op *op)
{
    return tile_attribute(op, TILE_ATTR_ROUND) || tile_attribute(op, TILE_ATTR_FTZ);
}

// scalar_format.c
uint64_t tile_element_cast(cuc_dtype to, cuc_dtype from, uint64_t element, enum tile_round round);
// Rounds a double that was rounded to odd to the dtype, in the given direction.
uint64_t tile_element_of_odd(cuc_dtype dtype, double odd, enum tile_round round);

// scalar.c: returns the result of a comparison, given if the first operand is less, equal or
// greater; all three are false for NaN. Returns false if the op is not a comparison.
bool tile_compare(enum tile_op_kind kind, bool less, bool equal, bool greater, bool *out);
// True for ops that are undefined on integers if the divisor is 0.
static inline bool tile_is_floored_division(enum tile_op_kind kind)
{
    return kind == TILE_FLOORDIV || kind == TILE_CDIV || kind == TILE_MOD;
}

// Computes an elementwise op on exact integers. Kernels' elements, the host's expressions and the
// front end's constants all use it. Operands are in the range of i64 or u64; the product of two u64
// may wrap. Shifts by `bits` or more are undefined, like divisions by zero.
enum tile_exact { TILE_EXACT, TILE_UNDEFINED, TILE_NOT_INTEGER };
enum tile_exact tile_int_compute(enum tile_op_kind kind, const tile_wide *x, uint32_t bits,
                                 tile_wide *out);
// Computes an elementwise op on three doubles, by the column `real` of ops.def. `wide`: the dtype
// is f64. False if the op has none.
bool tile_real_compute(enum tile_op_kind kind, const double *x, bool wide, bool nan, double *out);
// Computes an elementwise op on elements of a dtype (for where, that of x and y). Integer and IEEE
// results are exact; the others are those of libm in double, rounded once. `nan`: minimum and
// maximum propagate NaN. False for other ops.
bool tile_element_compute(enum tile_op_kind kind, cuc_dtype dtype, bool nan, const uint64_t *x,
                          uint64_t *out);

// scalar_round.c: the same with explicit rounding. Results are exact except for `approx` and
// `full`, which are as accurate as libm.
bool tile_element_rounded(enum tile_op_kind kind, cuc_dtype dtype, struct tile_rounding how,
                          bool nan, const uint64_t *x, uint64_t *out);
// Flushes a subnormal f32 to the zero of its sign.
uint64_t tile_element_flush(cuc_dtype dtype, uint64_t element);

// scalar.c: returns the elementwise op that combines two elements; TILE_OP_COUNT: none.
enum tile_op_kind tile_combine_op(enum tile_combine with);
// Computes a + b, or another combination of a reduction or scan.
bool tile_element_combine(enum tile_combine with, cuc_dtype dtype, bool nan, uint64_t x, uint64_t y,
                          uint64_t *out);
// Returns the identity element: 0 for sum, the least value for max.
uint64_t tile_element_identity(enum tile_combine with, cuc_dtype dtype);

#endif
