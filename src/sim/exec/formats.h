// Floating-point formats: conversions of f16, bf16, tf32 and formats of at most 8 bits to and from
// f32, and the rounding modes of conversions and arithmetic.
//
// Every function rounds the exact value once, in the given direction. SIM_ODD makes double rounding
// safe: a value that was rounded to odd can be rounded again, in any direction, to a format with at
// least two bits less, and the result is correct. NaN results are the canonical ones of PTX:
// 0x7fffffff for f32, 0x7fff for f16 and bf16.
#ifndef CUCORE_SIM_EXEC_FORMATS_H
#define CUCORE_SIM_EXEC_FORMATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum sim_rounding {
    SIM_RN,  // to nearest, ties to even
    SIM_RZ,  // toward zero
    SIM_RM,  // toward minus infinity
    SIM_RP,  // toward plus infinity
    SIM_RNA, // to nearest, ties away from zero
    SIM_ODD, // toward zero, with the last bit set if the result is inexact
};

#define SIM_F32_NAN UINT32_C(0x7fffffff)
#define SIM_F32_INFINITY UINT32_C(0x7f800000)
// The NaN that fma.oob treats as out of bounds, in f16 and bf16, with either sign. On an H200, only
// these two of all 65536 codes have that effect.
#define SIM_OUTSIDE_16 UINT32_C(0x7ff7)
#define SIM_F16_NAN UINT32_C(0x7fff)
#define SIM_BF16_NAN UINT32_C(0x7fff)
#define SIM_F64_NAN UINT64_C(0xfff8000000000000) // NaN result if no operand is NaN
#define SIM_F64_QUIET UINT64_C(0x0008000000000000)

static inline uint32_t sim_bits32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}
static inline float sim_float32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}
static inline uint64_t sim_bits64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}
static inline double sim_float64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

// Returns the bits of an f32. A NaN becomes canonical.
static inline uint32_t sim_canonical32(float x)
{
    return x != x ? SIM_F32_NAN : sim_bits32(x);
}

// Flushes a subnormal to zero, with its sign, for .ftz.
static inline float sim_flush32(float x)
{
    uint32_t bits = sim_bits32(x);
    return sim_float32((bits & 0x7f800000) ? bits : bits & 0x80000000);
}
static inline uint32_t sim_flush16(uint32_t h)
{
    return (h & 0x7c00) ? h : h & 0x8000;
}

// Clamps to 0..1, for .sat. NaN and -0 become +0.
static inline float sim_saturate32(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
static inline double sim_saturate64(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

// Convert f16 and bf16 to f32. A NaN becomes canonical.
static inline float sim_f16_to_f32(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, magnitude = h & 0x7fff;
    uint32_t normal = (magnitude << 13) + (112u << 23);
    uint32_t small = sim_bits32((float)(int32_t)magnitude * 0x1p-24f);
    uint32_t large = magnitude == 0x7c00 ? 0x7f800000 : SIM_F32_NAN;
    uint32_t bits = magnitude < 0x400 ? small : normal;
    bits = magnitude < 0x7c00 ? bits : large;
    return sim_float32(magnitude > 0x7c00 ? SIM_F32_NAN : bits | sign);
}
static inline float sim_bf16_to_f32(uint32_t h)
{
    return sim_float32((h & 0x7fff) > 0x7f80 ? SIM_F32_NAN : h << 16);
}

// Round an f32 to nearest even, as arithmetic and the common conversions do.
static inline uint32_t sim_f32_to_f16(float x)
{
    uint32_t bits = sim_bits32(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    // Below 2^-14, the sum with 0.5 has the step of a subnormal f16, so the addition does the
    // rounding.
    uint32_t small = sim_bits32(sim_float32(magnitude < 0x38800000 ? magnitude : 0) + 0.5f) -
                     0x3f000000;
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t h = magnitude < 0x38800000 ? small : normal;
    h = magnitude < 0x47800000 ? h : 0x7c00; // 65536 and above; smaller values may also have
                                             // rounded up to 0x7c00
    return magnitude > 0x7f800000 ? SIM_F16_NAN : h | sign;
}
static inline uint32_t sim_f32_to_bf16(float x)
{
    uint32_t bits = sim_bits32(x);
    uint32_t h = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffff) > 0x7f800000 ? SIM_BF16_NAN : h;
}

// Rounds a double to f32 in the given direction, which must not be SIM_RNA. A NaN becomes
// canonical.
static inline float sim_f64_to_f32(double x, enum sim_rounding mode)
{
    float nearest = (float)x;
    if (x != x)
        return sim_float32(SIM_F32_NAN);
    if (mode == SIM_RN || (double)nearest == x)
        return nearest;
    uint32_t bits = sim_bits32(nearest);
    bool negative = bits >> 31, beyond = fabs((double)nearest) > fabs(x);
    uint32_t toward = beyond ? bits - 1 : bits; // nearest value toward zero; the next value is away
                                                // from zero
    switch (mode) {
    case SIM_RM:
        return sim_float32(toward + negative);
    case SIM_RP:
        return sim_float32(toward + !negative);
    case SIM_ODD:
        return sim_float32(toward | 1);
    default:
        return sim_float32(toward);
    }
}
// Rounds to odd. Has no branches, so that the compiler can vectorize over lanes.
static inline float sim_f64_to_f32_odd(double x)
{
    float nearest = (float)x;
    uint32_t bits = sim_bits32(nearest);
    uint32_t odd = (bits - (fabs((double)nearest) > fabs(x))) | 1;
    bits = (double)nearest == x ? bits : odd;
    return sim_float32(x != x ? SIM_F32_NAN : bits);
}

// Rounds a magnitude with a sign to f64. SIM_RNA is not supported.
double sim_u64_to_f64(uint64_t magnitude, bool negative, enum sim_rounding mode);

// Rounds an f32 to a format with `exponent` and `mantissa` bits and IEEE subnormals, and returns
// the code without its sign. Above the largest finite value, codes continue as if there were no
// infinity. `x` must not be an infinity or a NaN.
uint32_t sim_f32_round(float x, uint32_t exponent, uint32_t mantissa, enum sim_rounding mode);

// Round an f32 to f16 and to bf16. `satfinite`: the largest finite value replaces an infinite
// result, while NaN stays NaN.
uint32_t sim_f32_to_f16_mode(float x, enum sim_rounding mode, bool satfinite);
uint32_t sim_f32_to_bf16_mode(float x, enum sim_rounding mode, bool satfinite);
// Rounds an f32 to tf32, which is an f32 whose low 13 bits are zero.
uint32_t sim_f32_to_tf32(float x, enum sim_rounding mode, bool satfinite);

// Rounds stochastically: aligns `bits` random bits with the top of the discarded fraction, adds
// them, and truncates. Returns a code like sim_f32_round().
uint32_t sim_f32_round_random(float x, uint32_t exponent, uint32_t mantissa, uint32_t random,
                              uint32_t bits);

// A format of at most 8 bits, including a sign. `largest` is the code of the largest finite value.
// `nan` is the code of NaN; in a format without NaN, it equals `largest`.
struct sim_small_format {
    uint32_t exponent, mantissa, largest, nan;
};
extern const struct sim_small_format sim_e4m3, sim_e5m2, sim_e2m3, sim_e3m2, sim_e2m1;
// Convert an f32 to a small format, in the given direction or with 8 random bits. Results saturate
// at the largest finite value (.satfinite).
uint32_t sim_f32_to_small(const struct sim_small_format *format, float x, enum sim_rounding mode);
uint32_t sim_f32_to_small_random(const struct sim_small_format *format, float x, uint32_t random);
// Convert a code to f16, exactly. NaN becomes 0x7fff.
uint32_t sim_small_to_f16(const struct sim_small_format *format, uint32_t code);
uint32_t sim_e4m3_to_f16(uint32_t code);
uint32_t sim_e5m2_to_f16(uint32_t code);
// ue8m0 is a power of two in 8 bits, the exponent field of an f32; 0xff is NaN. Conversion drops
// the sign, and values that are too small become 2^-127. Only SIM_RZ and SIM_RP are supported.
// `satfinite`: no number becomes NaN.
uint32_t sim_f32_to_ue8m0(float x, enum sim_rounding mode, bool satfinite);
uint32_t sim_ue8m0_to_bf16(uint32_t code);
static inline uint32_t sim_f32_to_e4m3(float x)
{
    return sim_f32_to_small(&sim_e4m3, x, SIM_RN);
}
static inline uint32_t sim_f32_to_e5m2(float x)
{
    return sim_f32_to_small(&sim_e5m2, x, SIM_RN);
}
static inline float sim_e4m3_to_f32(uint32_t code)
{
    return sim_f16_to_f32(sim_e4m3_to_f16(code));
}
static inline float sim_e5m2_to_f32(uint32_t code)
{
    return sim_f16_to_f32(sim_e5m2_to_f16(code));
}

#endif
