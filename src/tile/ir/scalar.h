// Arithmetic on one element of any dtype, exactly as kernels do it: what folding, the front end's
// constants and the interpreter share.
//
// An element is 64 bits: a bool 0 or 1, an integer extended by its sign or by zeros, a float the
// bits of its own format, tf32 those of the f32.
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
// Bits of the register that holds an element: 1, a predicate, 16, 32 or 64.
static inline uint32_t tile_register_bits(cuc_dtype dtype)
{
    return dtype == CUC_BOOL                       ? 1
           : dtype == CUC_F16 || dtype == CUC_BF16 ? 16
           : cuc_dtype_bits(dtype) == 64           ? 64
                                                   : 32;
}
static inline bool tile_is_float(cuc_dtype dtype) // that arithmetic is done on
{
    return dtype == CUC_F16 || dtype == CUC_BF16 || dtype == CUC_F32 || dtype == CUC_F64;
}
static inline bool tile_is_restricted(cuc_dtype dtype) // cast, bitcast, memory and mma only
{
    return dtype == CUC_TF32 || dtype == CUC_E4M3 || dtype == CUC_E5M2;
}

// scalar_format.c: the integer wrapped to the dtype; the float rounded to it, half to even.
uint64_t tile_element_of_int(cuc_dtype dtype, int64_t value);
uint64_t tile_element_of_real(cuc_dtype dtype, double value);
// Exact, but for 64-bit integers.
double tile_element_real(cuc_dtype dtype, uint64_t element);
// An integer is of the dtype's range; a float is finite after rounding.
bool tile_int_fits(cuc_dtype dtype, tile_wide value);
bool tile_real_fits(cuc_dtype dtype, double value);

// How an op rounds when it says so.
struct tile_rounding {
    enum tile_round round;
    bool ftz; // of f32: what is subnormal is a zero of its sign, in operands and in the result
};
static inline struct tile_rounding tile_rounding_of(const struct tile_op *op)
{
    return (struct tile_rounding){ (enum tile_round)tile_int(op, TILE_ATTR_ROUND, TILE_RN),
                                   tile_int(op, TILE_ATTR_FTZ, 0) != 0 };
}
// Whether it is not the sum, product and so on that passes know rules for.
static inline bool tile_is_rounded(const struct tile_op *op)
{
    return tile_attribute(op, TILE_ATTR_ROUND) || tile_attribute(op, TILE_ATTR_FTZ);
}

// scalar_format.c
uint64_t tile_element_cast(cuc_dtype to, cuc_dtype from, uint64_t element, enum tile_round round);
// A double that was rounded to odd, to the dtype by a direction.
uint64_t tile_element_of_odd(cuc_dtype dtype, double odd, enum tile_round round);

// scalar.c: what a comparison says of two of which the first is less, equal or greater; NaN is none
// of these. False when the op is none.
bool tile_compare(enum tile_op_kind kind, bool less, bool equal, bool greater, bool *out);
// An elementwise op on elements of a dtype (of where, that of x and y). Integer and IEEE results
// are exact; the others are those of libm in double, rounded once. `nan`: minimum and maximum keep
// it. False when the op is not one of these.
bool tile_element_compute(enum tile_op_kind kind, cuc_dtype dtype, bool nan, const uint64_t *x,
                          uint64_t *out);

// scalar_round.c: the same with a rounding: exact in all but approx and full, which are as near as
// libm is.
bool tile_element_rounded(enum tile_op_kind kind, cuc_dtype dtype, struct tile_rounding how,
                          bool nan, const uint64_t *x, uint64_t *out);
// A subnormal f32 as the zero of its sign.
uint64_t tile_element_flush(cuc_dtype dtype, uint64_t element);

// scalar.c: a + b and the like of a reduction or scan.
bool tile_element_combine(enum tile_combine with, cuc_dtype dtype, bool nan, uint64_t x, uint64_t y,
                          uint64_t *out);
// What changes nothing: 0 of sum, the least of max.
uint64_t tile_element_identity(enum tile_combine with, cuc_dtype dtype);

#endif
