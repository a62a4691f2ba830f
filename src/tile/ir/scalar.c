// Computes with single elements of any dtype. See scalar.h.
//
// f16 and bf16 are computed in wider formats and rounded once. f32 is computed in f64, which has
// more than twice as many bits, so for + - * / and square roots rounding twice gives the same
// result as rounding once.
#include "scalar.h"

#include <math.h>
#include <string.h>

// Integers, computed exactly in 128 bits

__extension__ typedef unsigned __int128 wide_bits;

static tile_wide floored(tile_wide a, tile_wide b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Returns the product of two 64-bit integers. Only the product of two u64 can exceed 127 bits; it
// then wraps.
static tile_wide product(tile_wide a, tile_wide b)
{
    return (tile_wide)((wide_bits)a * (wide_bits)b);
}

static tile_wide shifted(tile_wide a, tile_wide b)
{
    return (tile_wide)((wide_bits)a << b);
}

#define UNUSED __attribute__((unused))
#define INT(value)  \
    *out = (value); \
    return true
#define REAL(value) \
    *out = (value); \
    return true
#define NO return false

typedef bool int_function(tile_wide a, tile_wide b, tile_wide c, tile_wide *out);
// clang-format off
#define TILE_ELEMENT(id, name, operands, sign, infer, print, range, fold, int_value, ...)         \
    static bool int_##id(UNUSED tile_wide a, UNUSED tile_wide b, UNUSED tile_wide c,              \
                         UNUSED tile_wide *out)                                                   \
    {                                                                                             \
        int_value;                                                                                \
    }
#include "ops.def"
static int_function *const int_functions[TILE_OP_COUNT] = {
#define TILE_ELEMENT(id, ...) [TILE_##id] = int_##id,
#include "ops.def"
};
// clang-format on

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t comparisons[TILE_OP_COUNT] = {
    [TILE_EQ] = EQUAL,   [TILE_NE] = LESS | GREATER | UNORDERED,
    [TILE_LT] = LESS,    [TILE_LE] = LESS | EQUAL,
    [TILE_GT] = GREATER, [TILE_GE] = GREATER | EQUAL,
};

bool tile_compare(enum tile_op_kind kind, bool less, bool equal, bool greater, bool *out)
{
    int order = less ? LESS : equal ? EQUAL : greater ? GREATER : UNORDERED;

    if (!comparisons[kind])
        return false;
    *out = (comparisons[kind] & order) != 0;
    return true;
}

enum tile_exact tile_int_compute(enum tile_op_kind kind, const tile_wide *x, uint32_t bits,
                                 tile_wide *out)
{
    bool divides = tile_is_floored_division(kind);
    bool shifts = kind == TILE_SHL || kind == TILE_SHR;
    bool holds;

    if ((divides && !x[1]) || (shifts && (x[1] < 0 || x[1] >= bits)))
        return TILE_UNDEFINED;
    if (tile_compare(kind, x[0]<x[1], x[0] == x[1], x[0]> x[1], &holds)) {
        *out = holds;
        return TILE_EXACT;
    }
    return int_functions[kind] && int_functions[kind](x[0], x[1], x[2], out) ? TILE_EXACT
                                                                             : TILE_NOT_INTEGER;
}

static tile_wide wide_of(cuc_dtype dtype, uint64_t element)
{
    return tile_is_signed(dtype) ? (tile_wide)(int64_t)element : (tile_wide)element;
}

static bool compute_int(enum tile_op_kind kind, cuc_dtype dtype, const uint64_t *x, uint64_t *out)
{
    uint32_t bits = dtype == CUC_BOOL ? 1 : cuc_dtype_bits(dtype);
    tile_wide wide[3] = { wide_of(dtype, x[0]), wide_of(dtype, x[1]), wide_of(dtype, x[2]) };
    tile_wide result;

    if (kind == TILE_NOT && dtype == CUC_BOOL) {
        *out = !x[0];
        return true;
    }
    if (tile_int_compute(kind, wide, bits, &result) != TILE_EXACT)
        return false;
    *out = comparisons[kind] ? (uint64_t)result : tile_element_of_int(dtype, (int64_t)result);
    return true;
}

// Floats, computed in double. For f64 this is the result; narrower dtypes round it once more.

// Returns the sum of two doubles, rounded to odd. A second rounding to half as many bits then gives
// the correctly rounded sum.
static double odd_sum(double x, double y)
{
    double sum = x + y, part = sum - x, lost = (x - (sum - part)) + (y - part);
    uint64_t bits;

    if (!isfinite(sum) || lost == 0)
        return sum;
    memcpy(&bits, &sum, sizeof(bits));
    if (!(bits & 1)) // take the neighbor of `sum` in the direction of the error
        sum = nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
    return sum;
}

static double smaller(double a, double b, bool nan)
{
    if (a != a || b != b)
        return nan ? NAN : a != a ? b : a;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

static double larger(double a, double b, bool nan)
{
    if (a != a || b != b)
        return nan ? NAN : a != a ? b : a;
    if (a == b)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

static double sum(double a, double b, bool wide)
{
    return wide ? a + b : odd_sum(a, b);
}

// Returns a * b + c, rounded once to f64 if `wide`. Otherwise rounds it to odd, for narrower
// dtypes; their products are exact in f64.
static double fused(double a, double b, double c, bool wide)
{
    return wide ? fma(a, b, c) : odd_sum(a * b, c);
}

static double whole_quotient(double a, double b, bool wide)
{
    return floor(wide ? a / b : (double)(float)(a / b));
}

// Returns the remainder of floored division, which has the divisor's sign. Like the emitted code,
// rounds each step to f64 (`wide`) or f32. If rounding made the quotient too large, adds the
// divisor once.
static double remainder_of(double a, double b, bool wide)
{
    double whole = whole_quotient(a, b, wide);
    double rest = whole == 0 ? a : fused(-whole, b, a, wide); // also correct if b is infinite

    rest = wide ? rest : (double)(float)rest;
    if (rest != 0 && signbit(rest) != signbit(b))
        rest = wide ? rest + b : (double)(float)sum(rest, b, wide);
    return rest != rest ? rest : copysign(rest, b);
}

typedef bool real_function(double a, double b, double c, bool wide, bool nan, double *out);
// clang-format off
#define TILE_ELEMENT(id, name, operands, sign, infer, print, range, fold, int_value, real, ...)   \
    static bool real_##id(UNUSED double a, UNUSED double b, UNUSED double c, UNUSED bool wide,    \
                          UNUSED bool nan, UNUSED double *out)                                    \
    {                                                                                             \
        real;                                                                                     \
    }
#include "ops.def"
static real_function *const real_functions[TILE_OP_COUNT] = {
#define TILE_ELEMENT(id, ...) [TILE_##id] = real_##id,
#include "ops.def"
};
// clang-format on

bool tile_real_compute(enum tile_op_kind kind, const double *x, bool wide, bool nan, double *out)
{
    return real_functions[kind] && real_functions[kind](x[0], x[1], x[2], wide, nan, out);
}

bool tile_element_compute(enum tile_op_kind kind, cuc_dtype dtype, bool nan, const uint64_t *x,
                          uint64_t *out)
{
    const char *operands = tile_op_infos[kind].operands;
    bool two = strchr(operands, ' ') != NULL, three = kind == TILE_FMA;
    uint64_t filled[3] = { x[0], two || three ? x[1] : 0, three ? x[2] : 0 };
    bool holds;

    if (kind == TILE_WHERE) {
        *out = x[0] ? x[1] : x[2];
        return true;
    }
    if (tile_is_integer(dtype) || dtype == CUC_BOOL)
        return compute_int(kind, dtype, filled, out);
    if (!tile_is_float(dtype))
        return false;
    double real[3], result;
    for (uint32_t i = 0; i < 3; i++)
        real[i] = tile_element_real(dtype, filled[i]);
    double a = real[0], b = real[1];
    if (tile_compare(kind, a<b, a == b, a> b, &holds)) {
        *out = holds;
        return true;
    }
    if (kind == TILE_ISNAN || kind == TILE_ISINF) {
        *out = kind == TILE_ISNAN ? a != a : isinf(a) != 0;
        return true;
    }
    if (!tile_real_compute(kind, real, dtype == CUC_F64, nan, &result))
        return false;
    *out = tile_element_of_real(dtype, result);
    return true;
}

enum tile_op_kind tile_combine_op(enum tile_combine with)
{
    static const enum tile_op_kind ops[] = {
#define TILE_COMBINE(id, word, access, ptx, op, ...) TILE_##op,
#include "combine.def"
    };

    return ops[with];
}

bool tile_element_combine(enum tile_combine with, cuc_dtype dtype, bool nan, uint64_t x, uint64_t y,
                          uint64_t *out)
{
    const uint64_t both[] = { x, y, 0 };
    enum tile_op_kind op = tile_combine_op(with);

    return op != TILE_OP_COUNT && tile_element_compute(op, dtype, nan, both, out);
}

static uint64_t identity_zero(cuc_dtype dtype)
{
    (void)dtype;
    return 0;
}

static uint64_t identity_minus_zero(cuc_dtype dtype) // keeps -0 unchanged
{
    return tile_is_float(dtype) ? tile_element_of_real(dtype, -0.0) : 0;
}

static uint64_t identity_one(cuc_dtype dtype)
{
    return tile_is_integer(dtype) ? 1 : tile_element_of_real(dtype, 1.0);
}

static uint64_t identity_ones(cuc_dtype dtype)
{
    return dtype == CUC_BOOL ? 1 : tile_element_of_int(dtype, -1);
}

static uint64_t identity_greatest(cuc_dtype dtype)
{
    if (!tile_is_integer(dtype))
        return tile_element_of_real(dtype, INFINITY);
    return UINT64_MAX >> (64 - cuc_dtype_bits(dtype)) >> tile_is_signed(dtype);
}

static uint64_t identity_least(cuc_dtype dtype)
{
    if (!tile_is_integer(dtype))
        return tile_element_of_real(dtype, -INFINITY);
    return tile_is_signed(dtype)
               ? tile_element_of_int(dtype, (int64_t)(UINT64_C(1) << (cuc_dtype_bits(dtype) - 1)))
               : 0;
}

uint64_t tile_element_identity(enum tile_combine with, cuc_dtype dtype)
{
    static uint64_t (*const identities[])(cuc_dtype) = {
#define TILE_COMBINE(id, word, access, ptx, op, identity) identity_##identity,
#include "combine.def"
    };

    return identities[with](dtype);
}
