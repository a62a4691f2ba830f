// Conversions between floating-point formats that are not worth a line in every caller.
#include "formats.h"

// value >> shift, rounded; `shift` is at most 63.
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
    // Both steps are exact: at most 2^53 after rounding, and a power of two.
    double value = (double)shift_round(magnitude, shift, negative, mode) *
                   (double)(UINT64_C(1) << shift);
    return negative ? -value : value;
}

uint32_t sim_f32_round(float x, uint32_t exponent, uint32_t mantissa, enum sim_rounding mode)
{
    uint32_t bits = sim_bits32(x), field = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    if (field)
        fraction |= 0x800000;
    else
        field = 1;
    // The value is fraction * 2^(field - 150); `place` is the exponent field in the target.
    int32_t place = (int32_t)field - 127 + (1 << (exponent - 1)) - 1;
    uint32_t shift = 23 - mantissa, base = 0;
    if (place >= 1)
        base = (uint32_t)(place - 1) << mantissa; // the leading one of `fraction` adds the last 1
    else
        shift += (uint32_t)(1 - place);
    if (shift > 26)
        shift = 26; // all is lost, and less than half a step
    return base + (uint32_t)shift_round(fraction, shift, bits >> 31, mode);
}

// To 16 bits: `limit` is infinity, one past the largest finite code.
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
    uint32_t sign = sim_bits32(x) & 0x80000000;
    if (x != x)
        return SIM_F32_NAN;
    uint32_t code = isinf(x) ? 0xff << 10 : sim_f32_round(x, 8, 10, mode);
    if (satfinite && code >= 0xff << 10)
        code = (0xff << 10) - 1;
    return code << 13 | sign;
}

uint32_t sim_f32_to_e4m3(float x)
{
    uint32_t sign = sim_bits32(x) >> 24 & 0x80;
    if (x != x)
        return 0x7f;
    uint32_t code = isinf(x) ? 0x7e : sim_f32_round(x, 4, 3, SIM_RN);
    return (code < 0x7e ? code : 0x7e) | sign;
}

uint32_t sim_f32_to_e5m2(float x)
{
    uint32_t sign = sim_bits32(x) >> 24 & 0x80;
    if (x != x)
        return 0x7f;
    uint32_t code = isinf(x) ? 0x7b : sim_f32_round(x, 5, 2, SIM_RN);
    return (code < 0x7b ? code : 0x7b) | sign;
}

uint32_t sim_e4m3_to_f16(uint32_t code)
{
    uint32_t sign = (code & 0x80) << 8, magnitude = code & 0x7f;
    if (magnitude == 0x7f)
        return SIM_F16_NAN;
    if (magnitude >= 8)
        return sign | ((magnitude << 7) + (8u << 10)); // the biases are 7 and 15
    return sign | sim_f32_to_f16((float)magnitude * 0x1p-9f);
}

uint32_t sim_e5m2_to_f16(uint32_t code)
{
    return (code & 0x7f) > 0x7c ? SIM_F16_NAN : (code & 0xff) << 8;
}
