// Conversions between floating-point formats that are too long to inline.
#include "formats.h"

// Returns value >> shift, rounded. `shift` must be at most 63.
static uint64_t shift_round(uint64_t value, uint32_t shift, bool negative, enum sim_rounding mode)
{
    if (!shift)
        return value;
    uint64_t kept = value >> shift, lost = value & ((UINT64_C(1) << shift) - 1);
    uint64_t half = UINT64_C(1) << (shift - 1);
    switch (mode) {
    case SIM_RN:
        return kept + (lost > half || (lost == half && (kept & 1)));
    case SIM_RNA:
        return kept + (lost >= half);
    case SIM_RM:
        return kept + (negative && lost);
    case SIM_RP:
        return kept + (!negative && lost);
    case SIM_ODD:
        return kept | (lost != 0);
    case SIM_RZ:
        break;
    }
    return kept;
}

double sim_u64_to_f64(uint64_t magnitude, bool negative, enum sim_rounding mode)
{
    uint32_t shift = 0;
    if (magnitude >> 53)
        shift = 11 - (uint32_t)__builtin_clzll(magnitude);
    // Both steps are exact: the rounded integer is at most 2^53, and the factor is a power of two.
    double value = (double)shift_round(magnitude, shift, negative, mode) *
                   (double)(UINT64_C(1) << shift);
    return negative ? -value : value;
}

// |x| prepared for the target format: its fraction, a right shift, and a value to add after the
// shift. In `base`, the exponent field is one too small, because the fraction's leading one adds 1
// to it.
struct fitted {
    uint32_t fraction, shift, base;
};
static struct fitted fit(float x, uint32_t exponent, uint32_t mantissa)
{
    uint32_t bits = sim_bits32(x), field = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    if (field)
        fraction |= 0x800000;
    else
        field = 1;
    // The value is fraction * 2^(field - 150). `place` is the exponent field in the target format.
    int32_t place = (int32_t)field - 127 + (1 << (exponent - 1)) - 1;
    struct fitted f = { fraction, 23 - mantissa, 0 };
    if (place >= 1)
        f.base = (uint32_t)(place - 1) << mantissa;
    else
        f.shift += (uint32_t)(1 - place);
    return f;
}

uint32_t sim_f32_round(float x, uint32_t exponent, uint32_t mantissa, enum sim_rounding mode)
{
    struct fitted f = fit(x, exponent, mantissa);
    if (f.shift > 26)
        f.shift = 26; // every bit is shifted out: the value is below half a step
    return f.base + (uint32_t)shift_round(f.fraction, f.shift, sim_bits32(x) >> 31, mode);
}

uint32_t sim_f32_round_random(float x, uint32_t exponent, uint32_t mantissa, uint32_t random,
                              uint32_t bits)
{
    struct fitted f = fit(x, exponent, mantissa);
    if (f.shift > 48)
        return f.base; // whatever the random bits are
    uint64_t added = f.shift < bits ? random >> (bits - f.shift)
                                    : (uint64_t)random << (f.shift - bits);
    return f.base + (uint32_t)((f.fraction + added) >> f.shift);
}

// Rounds to 16 bits. `limit` is the code of infinity, which follows that of the largest finite
// value.
static uint32_t to_16(float x, uint32_t exponent, uint32_t mantissa, uint32_t limit, uint32_t nan,
                      enum sim_rounding mode, bool satfinite)
{
    uint32_t sign = sim_bits32(x) >> 16 & 0x8000;
    if (x != x)
        return nan;
    uint32_t code = isinf(x) ? limit : sim_f32_round(x, exponent, mantissa, mode);
    if (code >= limit) {
        bool inward = !isinf(x) &&
                      (mode == SIM_RZ || mode == SIM_ODD || mode == (sign ? SIM_RP : SIM_RM));
        code = satfinite || inward ? limit - 1 : limit;
    }
    return code | sign;
}

uint32_t sim_f32_to_f16_mode(float x, enum sim_rounding mode, bool satfinite)
{
    return to_16(x, 5, 10, 0x7c00, SIM_F16_NAN, mode, satfinite);
}

uint32_t sim_f32_to_bf16_mode(float x, enum sim_rounding mode, bool satfinite)
{
    return to_16(x, 8, 7, 0x7f80, SIM_BF16_NAN, mode, satfinite);
}

uint32_t sim_f32_to_tf32(float x, enum sim_rounding mode, bool satfinite)
{
    const uint32_t sign = sim_bits32(x) & 0x80000000, bits = sim_bits32(x) & 0x7fffffff;
    if (mode == SIM_RNA) { // two steps that ignore NaN, as on an H200
        uint32_t half_up = bits < 0x7fffe000 ? (bits + 0x1000) & 0x7fffe000 : 0x7fffe000;
        return sign | (satfinite && half_up >= SIM_F32_INFINITY ? half_up - 0x2000 : half_up);
    }
    if (x != x)
        return SIM_F32_NAN & 0xffffe000;
    uint32_t code = isinf(x) ? 0xff << 10 : sim_f32_round(x, 8, 10, mode);
    if (satfinite && code >= 0xff << 10)
        code = (0xff << 10) - 1;
    return code << 13 | sign;
}

const struct sim_small_format sim_e4m3 = { 4, 3, 0x7e, 0x7f };
const struct sim_small_format sim_e5m2 = { 5, 2, 0x7b, 0x7f };
const struct sim_small_format sim_e2m3 = { 2, 3, 0x1f, 0x1f };
const struct sim_small_format sim_e3m2 = { 3, 2, 0x1f, 0x1f };
const struct sim_small_format sim_e2m1 = { 2, 1, 0x07, 0x07 };

static uint32_t small_code(const struct sim_small_format *f, float x, uint32_t code)
{
    if (x != x)
        return f->nan;
    if (isinf(x) || code > f->largest)
        code = f->largest;
    return code | sim_bits32(x) >> 31 << (f->exponent + f->mantissa);
}

uint32_t sim_f32_to_small(const struct sim_small_format *f, float x, enum sim_rounding mode)
{
    return small_code(f, x, sim_f32_round(x, f->exponent, f->mantissa, mode));
}

uint32_t sim_f32_to_small_random(const struct sim_small_format *f, float x, uint32_t random)
{
    return small_code(f, x, sim_f32_round_random(x, f->exponent, f->mantissa, random, 8));
}

uint32_t sim_small_to_f16(const struct sim_small_format *f, uint32_t code)
{
    uint32_t bits = f->exponent + f->mantissa;
    uint32_t sign = (code >> bits & 1) << 15, magnitude = code & ((UINT32_C(1) << bits) - 1);
    uint32_t bias = (UINT32_C(1) << (f->exponent - 1)) - 1, one = UINT32_C(1) << f->mantissa;
    if (magnitude > f->largest) // e5m2 has an infinity below NaN
        return f->exponent == 5 && magnitude == f->largest + 1 ? sign | 0x7c00 : SIM_F16_NAN;
    if (magnitude >= one)
        return sign | ((magnitude << (10 - f->mantissa)) + ((15 - bias) << 10));
    return sign | sim_f32_to_f16(ldexpf((float)magnitude, 1 - (int)bias - (int)f->mantissa));
}

uint32_t sim_e4m3_to_f16(uint32_t code)
{
    return sim_small_to_f16(&sim_e4m3, code);
}

uint32_t sim_e5m2_to_f16(uint32_t code)
{
    return (code & 0x7f) > 0x7c ? SIM_F16_NAN : (code & 0xff) << 8;
}

uint32_t sim_f32_to_ue8m0(float x, enum sim_rounding mode, bool satfinite)
{
    uint32_t bits = sim_bits32(x) & 0x7fffffff, code = bits >> 23;
    if (bits > 0x7f800000)
        return 0xff;
    // 0x00400000 is 2^-127 as an f32.
    if (mode == SIM_RP && bits < 0x7f800000 && bits & 0x7fffff && bits > 0x400000)
        code++;
    return satfinite && code == 0xff ? 0xfe : code;
}

uint32_t sim_ue8m0_to_bf16(uint32_t code)
{
    return code == 0xff ? SIM_BF16_NAN : code ? code << 7 : 0x40;
}
