// Arithmetic on one element of any dtype. See scalar.h.
//
// f16 and bf16 are computed in wider formats and rounded once. f32 has more than twice their bits,
// so the second rounding of + - * / and the square root changes nothing.
#include "scalar.h"

#include <math.h>
#include <string.h>

static bool compute_int(enum tile_op_kind kind, cuc_dtype dtype, const uint64_t *x, uint64_t *out)
{
    bool is_signed = tile_is_signed(dtype);
    uint32_t bits = dtype == CUC_BOOL ? 1 : cuc_dtype_bits(dtype);
    uint64_t a = x[0], b = x[1], result;
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    bool less = is_signed ? sa < sb : a < b;

    switch (kind) {
    case TILE_NEG:
        result = 0 - a;
        break;
    case TILE_NOT:
        result = dtype == CUC_BOOL ? !a : ~a;
        break;
    case TILE_ABS:
        result = is_signed && sa < 0 ? 0 - a : a;
        break;
    case TILE_ASSUME:
        result = a;
        break;
    case TILE_ADD:
        result = a + b;
        break;
    case TILE_SUB:
        result = a - b;
        break;
    case TILE_MUL:
        result = a * b;
        break;
    case TILE_FLOORDIV:
    case TILE_CDIV:
    case TILE_MOD: {
        if (!b)
            return false; // undefined
        uint64_t quotient = !is_signed ? a / b
                            : sb == -1 ? 0 - a // wraps, unlike C's division
                                       : (uint64_t)(sa / sb);
        uint64_t rest = a - quotient * b;
        bool apart = is_signed && rest && (sa < 0) != (sb < 0);
        result = kind == TILE_FLOORDIV ? quotient - apart
                 : kind == TILE_CDIV   ? quotient + (rest && !apart)
                                       : rest + (apart ? b : 0);
        break;
    }
    case TILE_MINIMUM:
        result = less ? a : b;
        break;
    case TILE_MAXIMUM:
        result = less ? b : a;
        break;
    case TILE_AND:
        result = a & b;
        break;
    case TILE_OR:
        result = a | b;
        break;
    case TILE_XOR:
        result = a ^ b;
        break;
    case TILE_SHL:
    case TILE_SHR:
        if (b >= bits)
            return false; // undefined
        result = kind == TILE_SHL ? a << b : is_signed ? (uint64_t)(sa >> b) : a >> b;
        break;
    default:
        return false;
    }
    *out = tile_element_of_int(dtype, (int64_t)result);
    return true;
}

bool tile_compare(enum tile_op_kind kind, bool less, bool equal, bool greater, bool *out)
{
    switch (kind) {
    case TILE_EQ:
        *out = equal;
        return true;
    case TILE_NE:
        *out = !equal;
        return true;
    case TILE_LT:
        *out = less;
        return true;
    case TILE_LE:
        *out = less || equal;
        return true;
    case TILE_GT:
        *out = greater;
        return true;
    case TILE_GE:
        *out = greater || equal;
        return true;
    default:
        return false;
    }
}

// The sum of two doubles, rounded to odd: another rounding to half the bits is then exact.
static double odd_sum(double x, double y)
{
    double sum = x + y, part = sum - x, lost = (x - (sum - part)) + (y - part);
    uint64_t bits;

    if (!isfinite(sum) || lost == 0)
        return sum;
    memcpy(&bits, &sum, sizeof(bits));
    if (!(bits & 1)) // take the neighbour of sum on the side of the lost part
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

// The remainder of the floored quotient, with the divisor's sign. As the emitted code does, it
// rounds each step to f64 (`wide`) or f32, and adds the divisor once where the quotient was rounded
// up.
static double floored_remainder(bool wide, double x, double y)
{
    double whole = floor(wide ? x / y : (double)(float)(x / y));
    double rest = whole == 0 ? x // also where y is infinite
                  : wide     ? fma(-whole, y, x)
                             : (double)(float)odd_sum(-whole * y, x);

    if (rest != 0 && signbit(rest) != signbit(y))
        rest = wide ? rest + y : (double)(float)odd_sum(rest, y);
    return rest != rest ? rest : copysign(rest, y);
}

// Computes in double: the result for f64; other dtypes round it once more.
static bool compute_real(enum tile_op_kind kind, cuc_dtype dtype, bool nan, double a, double b,
                         double c, double *out)
{
    bool wide = dtype == CUC_F64;

    switch (kind) {
    case TILE_NEG:
        *out = -a;
        break;
    case TILE_ABS:
        *out = fabs(a);
        break;
    case TILE_ADD:
        *out = wide ? a + b : odd_sum(a, b);
        break;
    case TILE_SUB:
        *out = wide ? a - b : odd_sum(a, -b);
        break;
    case TILE_MUL:
        *out = a * b;
        break;
    case TILE_DIV:
        *out = a / b;
        break;
    case TILE_FLOORDIV:
        *out = floor(wide ? a / b : (double)(float)(a / b));
        break;
    case TILE_MOD:
        *out = floored_remainder(wide, a, b);
        break;
    case TILE_FMA: // the product of narrower dtypes is exact
        *out = wide ? fma(a, b, c) : odd_sum(a * b, c);
        break;
    case TILE_MINIMUM:
        *out = smaller(a, b, nan);
        break;
    case TILE_MAXIMUM:
        *out = larger(a, b, nan);
        break;
    case TILE_POW:
        *out = pow(a, b);
        break;
    case TILE_ATAN2:
        *out = atan2(a, b);
        break;
    case TILE_FLOOR:
        *out = floor(a);
        break;
    case TILE_CEIL:
        *out = ceil(a);
        break;
    case TILE_ROUND:
        *out = nearbyint(a);
        break;
    case TILE_TRUNC:
        *out = trunc(a);
        break;
    case TILE_SQRT:
        *out = sqrt(a);
        break;
    case TILE_RSQRT:
        *out = 1.0 / sqrt(a);
        break;
    case TILE_EXP:
        *out = exp(a);
        break;
    case TILE_EXP2:
        *out = exp2(a);
        break;
    case TILE_EXPM1:
        *out = expm1(a);
        break;
    case TILE_LOG:
        *out = log(a);
        break;
    case TILE_LOG2:
        *out = log2(a);
        break;
    case TILE_LOG1P:
        *out = log1p(a);
        break;
    case TILE_SIN:
        *out = sin(a);
        break;
    case TILE_COS:
        *out = cos(a);
        break;
    case TILE_TAN:
        *out = tan(a);
        break;
    case TILE_SINH:
        *out = sinh(a);
        break;
    case TILE_COSH:
        *out = cosh(a);
        break;
    case TILE_TANH:
        *out = tanh(a);
        break;
    case TILE_ERF:
        *out = erf(a);
        break;
    case TILE_SIGMOID:
        *out = 1.0 / (1.0 + exp(-a));
        break;
    default:
        return false;
    }
    return true;
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
    if (tile_is_integer(dtype) || dtype == CUC_BOOL) {
        int64_t a = (int64_t)filled[0], b = (int64_t)filled[1];
        bool less = tile_is_signed(dtype) ? a < b : filled[0] < filled[1];
        if (!tile_compare(kind, less, a == b, !less && a != b, &holds))
            return compute_int(kind, dtype, filled, out);
        *out = holds;
        return true;
    }
    if (!tile_is_float(dtype))
        return false;
    double a = tile_element_real(dtype, filled[0]), b = tile_element_real(dtype, filled[1]);
    double c = tile_element_real(dtype, filled[2]), result;
    if (tile_compare(kind, a<b, a == b, a> b, &holds)) {
        *out = holds;
        return true;
    }
    if (kind == TILE_ISNAN || kind == TILE_ISINF) {
        *out = kind == TILE_ISNAN ? a != a : isinf(a) != 0;
        return true;
    }
    if (!compute_real(kind, dtype, nan, a, b, c, &result))
        return false;
    *out = tile_element_of_real(dtype, result);
    return true;
}

bool tile_element_combine(enum tile_combine with, cuc_dtype dtype, bool nan, uint64_t x, uint64_t y,
                          uint64_t *out)
{
    static const enum tile_op_kind ops[] = {
        [TILE_WITH_SUM] = TILE_ADD,     [TILE_WITH_PROD] = TILE_MUL, [TILE_WITH_MIN] = TILE_MINIMUM,
        [TILE_WITH_MAX] = TILE_MAXIMUM, [TILE_WITH_ANY] = TILE_OR,   [TILE_WITH_ALL] = TILE_AND,
        [TILE_WITH_AND] = TILE_AND,     [TILE_WITH_OR] = TILE_OR,    [TILE_WITH_XOR] = TILE_XOR,
    };
    const uint64_t both[] = { x, y, 0 };

    return with <= TILE_WITH_XOR && tile_element_compute(ops[with], dtype, nan, both, out);
}

uint64_t tile_element_identity(enum tile_combine with, cuc_dtype dtype)
{
    bool is_signed = tile_is_signed(dtype), integer = tile_is_integer(dtype);
    uint32_t bits = dtype == CUC_BOOL ? 1 : cuc_dtype_bits(dtype);
    uint64_t top = integer ? UINT64_MAX >> (64 - bits) : 1;

    switch (with) {
    case TILE_WITH_PROD:
        return integer ? 1 : tile_element_of_real(dtype, 1.0);
    case TILE_WITH_MIN:
        return !integer ? tile_element_of_real(dtype, INFINITY) : is_signed ? top >> 1 : top;
    case TILE_WITH_MAX:
        return !integer ? tile_element_of_real(dtype, -INFINITY)
                        : tile_element_of_int(dtype, is_signed ? (int64_t)(top ^ top >> 1) : 0);
    case TILE_WITH_ALL:
    case TILE_WITH_AND:
        return dtype == CUC_BOOL ? 1 : tile_element_of_int(dtype, -1);
    case TILE_WITH_SUM: // -0 keeps -0 unchanged
        return tile_is_float(dtype) ? tile_element_of_real(dtype, -0.0) : 0;
    default:
        return 0;
    }
}
