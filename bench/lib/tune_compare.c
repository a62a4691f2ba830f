// Compares the candidates' results and allows a few roundings of the element type, because
// summation orders differ.
#include "base/array.h"
#include "tune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct form {
    int exponent, mantissa; // bits of a float; an exponent of 0 means an integer
    bool is_signed;
} forms[] = {
    [CUC_BOOL] = { 0, 8, false }, [CUC_I8] = { 0, 8, true },    [CUC_I16] = { 0, 16, true },
    [CUC_I32] = { 0, 32, true },  [CUC_I64] = { 0, 64, true },  [CUC_U8] = { 0, 8, false },
    [CUC_U16] = { 0, 16, false }, [CUC_U32] = { 0, 32, false }, [CUC_U64] = { 0, 64, false },
    [CUC_F16] = { 5, 10, true },  [CUC_BF16] = { 8, 7, true },  [CUC_F32] = { 8, 23, true },
    [CUC_TF32] = { 8, 23, true }, [CUC_F64] = { 11, 52, true }, [CUC_E4M3] = { 4, 3, true },
    [CUC_E5M2] = { 5, 2, true },
};

static double number(const struct form *f, uint64_t bits)
{
    int width = f->exponent + f->mantissa;

    if (!f->exponent)
        return f->is_signed && width < 64 && bits >> (width - 1)
                   ? (double)(int64_t)(bits | UINT64_MAX << width)
               : f->is_signed ? (double)(int64_t)bits
                              : (double)bits;
    uint64_t most = (UINT64_C(1) << f->exponent) - 1, e = bits >> f->mantissa & most;
    uint64_t m = bits & ((UINT64_C(1) << f->mantissa) - 1);
    int bias = (1 << (f->exponent - 1)) - 1;
    double sign = bits >> width & 1 ? -1 : 1, x;
    bool e4m3 = f->exponent == 4; // no infinity, and only one NaN
    if (e == most && (!e4m3 || m == 7))
        x = e4m3 || m ? NAN : INFINITY;
    else if (e)
        x = ldexp((double)(m | UINT64_C(1) << f->mantissa), (int)e - bias - f->mantissa);
    else
        x = ldexp((double)m, 1 - bias - f->mantissa);
    return sign * x;
}

static double element(const struct form *f, const void *array, uint64_t index, size_t bytes)
{
    uint64_t bits = 0;

    memcpy(&bits, (const char *)array + index * bytes, bytes);
    return number(f, bits);
}

bool cuc__tune_same(cuc_dtype dtype, const void *expected, const void *got, uint64_t count,
                    uint64_t step, double of_size, char *why, size_t why_size)
{
    const struct form *f = dtype > 0 && (size_t)dtype < CUC_LENGTH(forms) ? &forms[dtype] : NULL;
    size_t bytes = cuc_dtype_bits(dtype) / 8;
    double squares = 0;

    if (!f || !f->mantissa) {
        snprintf(why, why_size, "elements of %s cannot be compared", cuc_dtype_name(dtype));
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        double x = element(f, expected, i * step, bytes);
        squares += isfinite(x) ? x * x : 0;
    }
    double unit = f->exponent ? ldexp(4, -f->mantissa) : 0;
    double size = f->exponent && count ? of_size * sqrt(squares / (double)count) : 0;
    for (uint64_t i = 0; i < count; i++) {
        double x = element(f, expected, i * step, bytes), y = element(f, got, i * step, bytes);
        bool finite = isfinite(x) && isfinite(y);
        if (x == y || (isnan(x) && isnan(y)) ||
            (finite && fabs(x - y) <= unit * fmax(fabs(x), fabs(y)) + size))
            continue;
        snprintf(why, why_size, "element %" PRIu64 " is %g, and %g by the first candidate",
                 i * step, y, x);
        return false;
    }
    return true;
}
