#include "scalar.h"

#include "base/array.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Sources: IEEE 754 for binary16 and binary32; the PTX ISA, "Alternate Floating-Point Data
// Formats", for bf16 and tf32; the Open Compute Project's 8-bit floating point specification for
// E4M3 and E5M2.
typedef struct float_format {
    cuc_dtype dtype;
    int exponent_bits;
    int mantissa_bits;
    int unused_bits; // below the mantissa
    bool ieee;       // the largest exponent is reserved for infinities and NaNs
} float_format;

static const float_format formats[] = {
    { CUC_F16, 5, 10, 0, true },   { CUC_BF16, 8, 7, 0, true }, { CUC_F32, 8, 23, 0, true },
    { CUC_TF32, 8, 10, 13, true }, { CUC_E5M2, 5, 2, 0, true }, { CUC_E4M3, 4, 3, 0, false },
};

static const float_format *format_of(cuc_dtype dtype)
{
    for (size_t i = 0; i < CUC_LENGTH(formats); i++)
        if (formats[i].dtype == dtype)
            return &formats[i];
    return NULL;
}

// Round to nearest with ties to even, whatever the process's rounding mode. `value` is not
// negative.
static uint64_t round_to_even(double value)
{
    double whole = floor(value);
    double rest = value - whole; // exact
    uint64_t n = (uint64_t)whole;

    return n + (rest > 0.5 || (rest == 0.5 && (n & 1)));
}

bool scalar_round(uint32_t *out, cuc_dtype dtype, double value)
{
    const float_format *f = format_of(dtype);
    if (!f)
        return false;

    int bias = (1 << (f->exponent_bits - 1)) - 1;
    uint64_t top = (1ull << f->exponent_bits) - 1;
    uint64_t sign = signbit(value) ? 1 : 0;
    uint64_t infinity = top << f->mantissa_bits;
    uint64_t bits;

    if (isnan(value)) {
        bits = f->ieee ? infinity | 1ull << (f->mantissa_bits - 1)
                       : infinity | ((1ull << f->mantissa_bits) - 1);
    } else if (isinf(value)) {
        if (!f->ieee)
            return false;
        bits = infinity;
    } else {
        int exponent = 0;
        double magnitude = fabs(value);
        frexp(magnitude, &exponent); // magnitude = [0.5, 1) * 2^exponent
        exponent--;
        if (magnitude == 0 || exponent < 1 - bias)
            exponent = 1 - bias; // subnormals have the exponent of the smallest normal number
        // In units of the last place. A carry out of the mantissa correctly increments the
        // exponent.
        uint64_t mantissa = round_to_even(ldexp(magnitude, f->mantissa_bits - exponent));
        uint64_t hidden = 1ull << f->mantissa_bits;
        bits = mantissa < hidden
                   ? mantissa
                   : ((uint64_t)(exponent + bias) << f->mantissa_bits) + (mantissa - hidden);
        uint64_t largest = f->ieee ? infinity - 1 : (infinity | (hidden - 1)) - 1;
        if (bits > largest)
            return false;
    }
    bits |= sign << (f->exponent_bits + f->mantissa_bits);
    *out = (uint32_t)(bits << f->unused_bits);
    return true;
}

static double float_value(const float_format *f, uint32_t bits)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    uint32_t top = (1u << f->exponent_bits) - 1;
    bits >>= f->unused_bits;
    uint32_t mantissa = bits & ((1u << f->mantissa_bits) - 1);
    uint32_t exponent = bits >> f->mantissa_bits & top;
    double sign = bits >> (f->exponent_bits + f->mantissa_bits) & 1 ? -1 : 1;

    if (exponent == top && f->ieee)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == top && mantissa == (1u << f->mantissa_bits) - 1)
        return (double)NAN;
    double fraction = mantissa + (exponent ? ldexp(1, f->mantissa_bits) : 0);
    return sign * ldexp(fraction, (exponent ? (int)exponent : 1) - bias - f->mantissa_bits);
}

bool scalar_value(double *out, cuc_dtype dtype, const void *element)
{
    const float_format *f = format_of(dtype);
    unsigned bytes = cuc_dtype_bits(dtype) / 8;
    uint64_t bits = 0;

    if (bytes > sizeof(bits))
        return false;
    memcpy(&bits, element, bytes); // all supported platforms are little endian
    uint64_t top = bytes ? UINT64_C(1) << (8 * bytes - 1) : 0;
    switch (dtype) {
    case CUC_F64:
        memcpy(out, &bits, sizeof(*out));
        return true;
    case CUC_E8M0:
        *out = bits == 0xFF ? (double)NAN : ldexp(1, (int)bits - 127);
        return true;
    case CUC_BOOL:
    case CUC_U8:
    case CUC_U16:
    case CUC_U32:
    case CUC_U64:
        *out = (double)bits;
        return true;
    case CUC_I8:
    case CUC_I16:
    case CUC_I32:
    case CUC_I64:
        *out = (double)(int64_t)((bits ^ top) - top);
        return true;
    default:
        if (f)
            *out = float_value(f, (uint32_t)bits);
        return f != NULL;
    }
}

// Return the largest finite number of a format.
static double largest_of(const float_format *f)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    double mantissa = 2 - ldexp(f->ieee ? 1 : 2, -f->mantissa_bits);

    return ldexp(mantissa, (1 << f->exponent_bits) - (f->ieee ? 2 : 1) - bias);
}

// Parse the whole text as a number; `out` becomes the nearest double.
static bool take_double(double *out, const char *text, char **end)
{
    if (!*text || (*text >= '\t' && *text <= '\r') || *text == ' ')
        return false;
    *out = strtod(text, end);
    return *end != text;
}

static bool parse_float(uint8_t *out, cuc_dtype dtype, const char *text, cli_why *why)
{
    const float_format *f = format_of(dtype);
    const char *name = cuc_dtype_name(dtype);
    double value;
    char *end;
    uint32_t bits;

    if (!take_double(&value, text, &end) || *end)
        return cli_because(why, "'%s' is not a number of type %s", text, name);
    bool infinite = isinf(value);
    bool said_so = infinite && strpbrk(text, "iI");
    if (dtype == CUC_F64) {
        if (infinite && !said_so)
            return cli_because(why, "%s is beyond the largest f64, %g", text, DBL_MAX);
        memcpy(out, &value, sizeof(value));
        return true;
    }
    if (infinite && !said_so)
        return cli_because(why, "%s is beyond the largest %s, %g", text, name, largest_of(f));
    // Convert the text directly, because going through a double could round twice.
    if (dtype == CUC_F32) {
        float single = strtof(text, NULL);
        if (isinf(single) && !said_so)
            return cli_because(why, "%s is beyond the largest f32, %g", text, (double)FLT_MAX);
        memcpy(out, &single, sizeof(single));
        return true;
    }
    if (!scalar_round(&bits, dtype, value))
        return infinite
                   ? cli_because(why, "%s has no infinity", name)
                   : cli_because(why, "%s is beyond the largest %s, %g", text, name, largest_of(f));
    memcpy(out, &bits, cuc_dtype_bits(dtype) / 8);
    return true;
}

// 1.5, 2j, 1.5+2j, 1.5-2j
static bool parse_complex(uint8_t *out, cuc_dtype dtype, const char *text, cli_why *why)
{
    double part[2] = { 0, 0 };
    double value;
    char *end;

    if (!take_double(&value, text, &end))
        goto wrong;
    if (*end == 'j' && !end[1]) {
        part[1] = value;
    } else {
        part[0] = value;
        if (*end) {
            if ((*end != '+' && *end != '-') || !take_double(&part[1], end, &end) || *end != 'j' ||
                end[1])
                goto wrong;
        }
    }
    if (dtype == CUC_C128) {
        memcpy(out, part, sizeof(part));
        return true;
    }
    for (int i = 0; i < 2; i++) {
        uint32_t bits;
        if (!scalar_round(&bits, CUC_F32, part[i]))
            return cli_because(why, "%s is beyond the largest c64, %g", text, (double)FLT_MAX);
        memcpy(out + 4 * i, &bits, sizeof(bits));
    }
    return true;

wrong:
    return cli_because(why, "'%s' is not a complex number: 1.5, 2j or 1.5+2j", text);
}

static bool parse_integer(uint8_t *out, cuc_dtype dtype, const char *text, cli_why *why)
{
    unsigned bits = cuc_dtype_bits(dtype);
    bool is_signed = dtype == CUC_I8 || dtype == CUC_I16 || dtype == CUC_I32 || dtype == CUC_I64;
    uint64_t largest = is_signed ? (1ull << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    uint64_t below = is_signed ? largest + 1 : 0; // magnitude of the smallest value
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    // Do not use base 0, in which a leading zero means octal.
    int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    char *end;

    const char *first = base == 16 ? digits + 2 : digits;
    if (!((*first >= '0' && *first <= '9') ||
          (base == 16 && ((*first >= 'a' && *first <= 'f') || (*first >= 'A' && *first <= 'F')))))
        return cli_because(why, "'%s' is not a whole number for type %s", text,
                           cuc_dtype_name(dtype));
    errno = 0;
    unsigned long long value = strtoull(first, &end, base);
    if (*end)
        return cli_because(why, "'%s' is not a whole number for type %s", text,
                           cuc_dtype_name(dtype));
    if (errno || value > (negative ? below : largest))
        return cli_because(why, "%s is out of the range of %s, %s%llu to %llu", text,
                           cuc_dtype_name(dtype), below ? "-" : "", (unsigned long long)below,
                           (unsigned long long)largest);
    uint64_t two = negative ? 0 - (uint64_t)value : (uint64_t)value;
    memcpy(out, &two, bits / 8);
    return true;
}

static bool parse_bool(uint8_t *out, const char *text, cli_why *why)
{
    static const char *const names[] = { "0", "1", "false", "true", "False", "True" };

    for (size_t i = 0; i < CUC_LENGTH(names); i++)
        if (strcmp(names[i], text) == 0) {
            out[0] = i & 1;
            return true;
        }
    return cli_because(why, "'%s' is not a bool: true, false, 1 or 0", text);
}

// Parse a number of an exponent-only format: powers of two, without sign or zero.
static bool parse_exponent(uint8_t *out, const char *text, cli_why *why)
{
    double value;
    char *end;
    int exponent;

    if (!take_double(&value, text, &end) || *end)
        return cli_because(why, "'%s' is not a number of type e8m0", text);
    if (isnan(value)) {
        out[0] = 0xFF;
        return true;
    }
    if (frexp(value, &exponent) != 0.5 || exponent < -126 || exponent > 128)
        return cli_because(why, "%s is not a power of two from 2^-127 to 2^127, as e8m0 holds them",
                           text);
    out[0] = (uint8_t)(exponent - 1 + 127);
    return true;
}

bool scalar_parse(uint8_t out[SCALAR_MAX_BYTES], cuc_dtype dtype, const char *text, cli_why *why)
{
    uint8_t bytes[SCALAR_MAX_BYTES] = { 0 };
    bool ok;

    switch (dtype) {
    case CUC_BOOL:
        ok = parse_bool(bytes, text, why);
        break;
    case CUC_C64:
    case CUC_C128:
        ok = parse_complex(bytes, dtype, text, why);
        break;
    case CUC_E8M0:
        ok = parse_exponent(bytes, text, why);
        break;
    default:
        ok = dtype == CUC_F64 || format_of(dtype) ? parse_float(bytes, dtype, text, why)
                                                  : parse_integer(bytes, dtype, text, why);
    }
    if (ok)
        memcpy(out, bytes, sizeof(bytes));
    return ok;
}
