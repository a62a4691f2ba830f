// Computes one element of an op with explicit rounding. See scalar.h.
//
// First rounds the value to odd in 53 bits: toward zero, with the last bit set if any bit was lost.
// A second rounding to at most 51 bits, in any direction, then gives the same result as a single
// rounding. For f64, the processor itself rounds in the given direction, and its mode and flags are
// restored.
#include "scalar.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

// Operands and result are volatile, so that the compiler keeps the computation between setting and
// restoring the mode.
static double in_mode(enum tile_op_kind kind, int mode, const double *x, bool *inexact)
{
    volatile double a = x[0], b = x[1], c = x[2];
    double out = 0;
    fenv_t before;

    feholdexcept(&before);
    fesetround(mode);
    const double operand[] = { a, b, c };
    tile_real_compute(kind, operand, true, false, &out);
    volatile double kept = out;
    *inexact = fetestexcept(FE_INEXACT) != 0;
    fesetenv(&before);
    return kept;
}

static double to_odd(enum tile_op_kind kind, const double *x)
{
    bool inexact;
    double out = in_mode(kind, FE_TOWARDZERO, x, &inexact);
    uint64_t bits;

    memcpy(&bits, &out, sizeof(bits));
    bits |= inexact && isfinite(out);
    memcpy(&out, &bits, sizeof(out));
    return out;
}

// The sum of two opposite values is -0 when rounding down, except for +0 + +0.
static bool is_minus_zero(enum tile_op_kind kind, enum tile_round round, const double *x)
{
    bool product = kind == TILE_FMA;
    double a = product ? x[0] * x[1] : x[0], b = product ? x[2] : x[1];

    return round == TILE_RM && (kind == TILE_ADD || kind == TILE_SUB || product) &&
           (signbit(a) || (kind == TILE_SUB ? !signbit(b) : signbit(b)));
}

// True if the value is below the smallest normal number even after rounding to the same precision
// with an unbounded exponent. The GPU then flushes it to 0.
static bool is_tiny(double odd, enum tile_round round)
{
    double up = fabs(odd) < 1 ? odd * 0x1p64 : 1;

    return fabs(tile_element_real(CUC_F32, tile_element_of_odd(CUC_F32, up, round))) < 0x1p-62;
}

uint64_t tile_element_flush(cuc_dtype dtype, uint64_t element)
{
    return dtype == CUC_F32 && !(element & 0x7f800000) ? element & 0x80000000 : element;
}

static bool is_arithmetic(enum tile_op_kind kind)
{
    return kind == TILE_ADD || kind == TILE_SUB || kind == TILE_MUL || kind == TILE_DIV ||
           kind == TILE_FMA || kind == TILE_SQRT;
}

bool tile_element_rounded(enum tile_op_kind kind, cuc_dtype dtype, struct tile_rounding how,
                          bool nan, const uint64_t *x, uint64_t *out)
{
    static const int modes[] = { [TILE_RN] = FE_TONEAREST,
                                 [TILE_RZ] = FE_TOWARDZERO,
                                 [TILE_RM] = FE_DOWNWARD,
                                 [TILE_RP] = FE_UPWARD };
    uint64_t kept[3] = { x[0], 0, 0 };
    double real[3], value;
    bool inexact;

    for (uint32_t i = 1; i < 3; i++)
        kept[i] = kind == TILE_FMA || (i == 1 && kind != TILE_SQRT) ? x[i] : x[0];
    for (uint32_t i = 0; i < 3; i++) {
        if (how.ftz)
            kept[i] = tile_element_flush(dtype, kept[i]);
        real[i] = tile_element_real(dtype, kept[i]);
    }
    if (!is_arithmetic(kind) || how.round > TILE_RP) {
        if (!tile_element_compute(kind, dtype, nan, kept, out))
            return false;
    } else if (dtype == CUC_F64) {
        value = in_mode(kind, modes[how.round], real, &inexact);
        *out = tile_element_of_odd(dtype, value, TILE_RN);
    } else {
        value = to_odd(kind, real);
        if (value == 0 && is_minus_zero(kind, how.round, real))
            value = -0.0;
        *out = tile_element_of_odd(dtype, value, how.round);
        if (how.ftz && value == value && is_tiny(value, how.round))
            *out = tile_element_of_odd(dtype, copysign(0.0, value), TILE_RN);
    }
    if (how.ftz && tile_is_float(dtype))
        *out = tile_element_flush(dtype, *out);
    return true;
}
