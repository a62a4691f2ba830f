// Converts elements of any dtype to numbers and back, and between dtypes. See scalar.h.
#include "scalar.h"

#include <math.h>
#include <string.h>

// Floats narrower than f32

struct format {
    int exponent_bits, fraction_bits;
    bool infinity; // e4m3 has no infinity: larger values become the largest number
    uint32_t nan;
};

static const struct format *format_of(cuc_dtype dtype)
{
    static const struct format f16 = { 5, 10, true, 0x7fff }, bf16 = { 8, 7, true, 0x7fff },
                               e4m3 = { 4, 3, false, 0x7f }, e5m2 = { 5, 2, true, 0x7f };

    return dtype == CUC_F16 ? &f16 : dtype == CUC_BF16 ? &bf16 : dtype == CUC_E4M3 ? &e4m3 : &e5m2;
}

// Returns 2^n, which must be a normal double. Products with it are exact where ldexp() is, and
// fast; the interpreter spends most of its time on conversions.
static double power_of_2(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;

    memcpy(&power, &bits, sizeof(power));
    return power;
}

static double decode(const struct format *f, uint32_t bits)
{
    uint32_t fraction = bits & ((UINT32_C(1) << f->fraction_bits) - 1);
    uint32_t top = (UINT32_C(1) << f->exponent_bits) - 1;
    uint32_t exponent = bits >> f->fraction_bits & top;
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    bool negative = bits >> (f->exponent_bits + f->fraction_bits) & 1;
    double value;

    if (exponent == top && (f->infinity || fraction == 7)) {
        value = fraction || !f->infinity ? NAN : INFINITY;
    } else if (exponent) {
        uint64_t whole = (uint64_t)((int)exponent - bias + 1023) << 52 |
                         (uint64_t)fraction << (52 - f->fraction_bits);
        memcpy(&value, &whole, sizeof(value));
    } else {
        value = (double)fraction * power_of_2(1 - bias - f->fraction_bits);
    }
    return negative ? -value : value;
}

// Rounds a positive real to an integral value. `negative`: it is the magnitude of a negative
// number, which reverses directed rounding.
static double to_integral(double x, enum tile_round round, bool negative)
{
    switch (round) {
    case TILE_RZ:
        return trunc(x);
    case TILE_RM:
        return negative ? ceil(x) : floor(x);
    case TILE_RP:
        return negative ? floor(x) : ceil(x);
    default: // half to even, since the library never changes the rounding mode
        return x < 0x1p51 ? (x + 0x1p52) - 0x1p52 : nearbyint(x);
    }
}

static uint32_t encode(cuc_dtype dtype, double value, enum tile_round round)
{
    const struct format *f = format_of(dtype);
    bool negative = signbit(value), saturates = dtype == CUC_E4M3 || dtype == CUC_E5M2;
    uint32_t sign = (uint32_t)negative << (f->exponent_bits + f->fraction_bits);
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    double x = fabs(value);
    uint64_t whole;

    if (x != x)
        return f->nan;
    uint32_t infinity = ((UINT32_C(1) << f->exponent_bits) - 1) << f->fraction_bits;
    uint32_t largest = f->infinity ? infinity - 1 : 0x7e;
    if (isinf(x))
        return sign | (saturates ? largest : infinity);
    memcpy(&whole, &x, sizeof(whole));
    int exponent = (int)(whole >> 52) - 1023; // x = m * 2^exponent, m in [1, 2)
    exponent = exponent < 1 - bias ? 1 - bias : exponent;
    double scaled = x * power_of_2(f->fraction_bits - exponent);
    int64_t units = (int64_t)to_integral(scaled, round, negative);
    // The addition carries into the next exponent, and out of the denormals, as needed.
    int64_t least = INT64_C(1) << f->fraction_bits;
    int64_t bits = units < least ? units
                                 : units - least + ((int64_t)(exponent + bias) << f->fraction_bits);
    if (bits > (int64_t)largest) {
        bool inward = round == TILE_RZ || (round == TILE_RM && !negative) ||
                      (round == TILE_RP && negative);
        return sign | (saturates || inward ? largest : infinity);
    }
    return sign | (uint32_t)bits;
}

// Rounds a double to f32 in the given direction.
static float narrow(double value, enum tile_round round)
{
    float near = (float)value;

    if (round == TILE_RN || (double)near == value || value != value)
        return near;
    bool up = (double)near > value, negative = signbit(value);
    bool want_up = round == TILE_RP || (round == TILE_RZ && negative);
    if (up == want_up)
        return near;
    return nextafterf(near, want_up ? INFINITY : -INFINITY);
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return x != x ? UINT32_C(0x7fffffff) : bits;
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof(x));
    return x;
}

// Rounds to nearest, ties away from zero, as cvt.rna.tf32 does on every architecture.
static uint32_t tf32_of(float x)
{
    uint32_t bits = bits_of(x);

    if (x != x || isinf(x))
        return bits;
    return (bits + UINT32_C(0x1000)) & ~UINT32_C(0x1fff);
}

static uint64_t element_of(cuc_dtype dtype, double value, enum tile_round round)
{
    uint64_t bits;

    switch (dtype) {
    case CUC_F64:
        memcpy(&bits, &value, sizeof(bits));
        return bits;
    case CUC_F32:
        return bits_of(narrow(value, round));
    case CUC_TF32:
        return tf32_of((float)value);
    default:
        return encode(dtype, value, round);
    }
}

uint64_t tile_element_of_odd(cuc_dtype dtype, double odd, enum tile_round round)
{
    return element_of(dtype, odd, round);
}

uint64_t tile_element_of_real(cuc_dtype dtype, double value)
{
    if (dtype == CUC_BOOL)
        return value != 0;
    if (tile_is_integer(dtype))
        return tile_element_of_int(dtype, (int64_t)value);
    return element_of(dtype, value, TILE_RN);
}

double tile_element_real(cuc_dtype dtype, uint64_t element)
{
    double value;

    switch (dtype) {
    case CUC_F64:
        memcpy(&value, &element, sizeof(value));
        return value;
    case CUC_F32:
    case CUC_TF32:
        return (double)float_of(element);
    case CUC_F16:
    case CUC_BF16:
    case CUC_E4M3:
    case CUC_E5M2:
        return decode(format_of(dtype), (uint32_t)element);
    default:
        return tile_is_signed(dtype) ? (double)(int64_t)element : (double)element;
    }
}

// Integers

uint64_t tile_element_of_int(cuc_dtype dtype, int64_t value)
{
    uint32_t bits = cuc_dtype_bits(dtype);

    if (dtype == CUC_BOOL)
        return value != 0;
    if (!tile_is_integer(dtype))
        return tile_element_cast(dtype, CUC_I64, (uint64_t)value, TILE_RN);
    if (bits == 64)
        return (uint64_t)value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    if (tile_is_signed(dtype) && low >> (bits - 1))
        low |= ~((UINT64_C(1) << bits) - 1);
    return low;
}

bool tile_int_fits(cuc_dtype dtype, tile_wide value)
{
    uint32_t bits = cuc_dtype_bits(dtype) - (uint32_t)tile_is_signed(dtype);

    return value >= (tile_is_signed(dtype) ? -((tile_wide)1 << bits) : 0) && value < (tile_wide)1
                                                                                         << bits;
}

bool tile_real_fits(cuc_dtype dtype, double value)
{
    const struct format *f = format_of(dtype);

    if (dtype == CUC_F64)
        return true;
    if (dtype == CUC_F32 || dtype == CUC_TF32)
        return isfinite((float)value);
    if (dtype == CUC_E4M3 || dtype == CUC_E5M2) // a conversion would saturate to the largest number
        return fabs(value) <= decode(f, f->infinity ? 0x7b : 0x7e);
    return isfinite(decode(f, encode(dtype, value, TILE_RN)));
}

// Rounds an integer to a double, to odd. Compared with any rounding boundary of a narrower format,
// the result has the same order as the integer.
static double odd_double(uint64_t magnitude)
{
    uint32_t lost = magnitude >> 53 ? 11 - (uint32_t)__builtin_clzll(magnitude) : 0;
    uint64_t kept = magnitude >> lost;

    if (kept << lost != magnitude)
        kept |= 1;
    return ldexp((double)kept, (int)lost);
}

static uint64_t saturate(cuc_dtype to, cuc_dtype from, double value, enum tile_round round)
{
    uint32_t bits = cuc_dtype_bits(to);
    double least = tile_is_signed(to) ? -ldexp(1.0, (int)bits - 1) : 0.0;
    double beyond = ldexp(1.0, tile_is_signed(to) ? (int)bits - 1 : (int)bits);
    double whole = signbit(value) ? -to_integral(-value, round, true)
                                  : to_integral(value, round, false);

    if (value != value) // as in cvt: only the top bit set if either type has 64 bits, otherwise 0
        return bits == 64 || from == CUC_F64
                   ? tile_element_of_int(to, (int64_t)(UINT64_C(1) << (bits - 1)))
                   : 0;
    if (whole < least)
        whole = least;
    if (whole >= beyond)
        return tile_is_signed(to) ? (UINT64_C(1) << (bits - 1)) - 1
               : bits == 64       ? UINT64_MAX
                                  : (UINT64_C(1) << bits) - 1;
    return tile_is_signed(to) ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

uint64_t tile_element_cast(cuc_dtype to, cuc_dtype from, uint64_t element, enum tile_round round)
{
    bool from_int = tile_is_integer(from) || from == CUC_BOOL;

    if (to == from)
        return element;
    if (to == CUC_BOOL)
        return from_int ? element != 0 : tile_element_real(from, element) != 0;
    if (from_int && tile_is_integer(to))
        return tile_element_of_int(to, (int64_t)element);
    if (from_int) {
        bool negative = tile_is_signed(from) && (int64_t)element < 0;
        uint64_t magnitude = negative ? 0 - element : element;
        if (to == CUC_F64 && magnitude >> 53) {
            uint32_t lost = 11 - (uint32_t)__builtin_clzll(magnitude);
            // Two bits encode the discarded part: zero, below one half, one half, or above.
            uint64_t rest = magnitude & ((UINT64_C(1) << lost) - 1), half = UINT64_C(1)
                                                                            << (lost - 1);
            double kept = (double)(magnitude >> lost);
            double past = !rest ? 0 : rest < half ? 0.25 : rest == half ? 0.5 : 0.75;
            double down = to_integral(past, round, negative);
            bool tie_up = round == TILE_RN && past == 0.5 && (magnitude >> lost & 1);
            double value = ldexp(kept + (tie_up ? 1.0 : down), (int)lost);
            return element_of(to, negative ? -value : value, TILE_RN);
        }
        double value = odd_double(magnitude);
        return element_of(to, negative ? -value : value, round);
    }
    double value = tile_element_real(from, element);
    if (tile_is_integer(to)) // toward zero by default
        return saturate(to, from, value, round == TILE_RN ? TILE_RZ : round);
    return element_of(to, value, round);
}
