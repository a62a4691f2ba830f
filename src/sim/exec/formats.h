// Floating-point formats: f16, bf16, tf32 and those of 8 bits and less to and from f32, and the
// rounding that conversions and arithmetic share.
//
// Every function is exact: one rounding, in the direction that it is told, from the value it is
// given. SIM_ODD makes two roundings as good as one: a value that is rounded to odd first may be
// rounded again to a format of at least two bits less, in any direction, with the right result.
// NaN results are the canonical ones of PTX: 0x7fffffff for f32, 0x7fff for f16 and bf16.
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
    SIM_ODD, // toward zero, and the last bit set when anything was lost
};

#define SIM_F32_NAN UINT32_C(0x7fffffff)
#define SIM_F32_INFINITY UINT32_C(0x7f800000)
// What fma.oob takes for an element out of bounds, f16 and bf16, whatever its sign: an H200 does so
// of these two of all 65536.
#define SIM_OUTSIDE_16 UINT32_C(0x7ff7)
#define SIM_F16_NAN UINT32_C(0x7fff)
#define SIM_BF16_NAN UINT32_C(0x7fff)
#define SIM_F64_NAN UINT64_C(0xfff8000000000000) // of an f64 operation without a NaN operand
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

// The f32 with a NaN made canonical.
static inline uint32_t sim_canonical32(float x)
{
    return x != x ? SIM_F32_NAN : sim_bits32(x);
}

// Subnormals to zeros of the same sign, for .ftz.
static inline float sim_flush32(float x)
{
    uint32_t bits = sim_bits32(x);
    return sim_float32((bits & 0x7f800000) ? bits : bits & 0x80000000);
}
static inline uint32_t sim_flush16(uint32_t h)
{
    return (h & 0x7c00) ? h : h & 0x8000;
}

// To 0..1 for .sat: NaN and -0 become +0.
static inline float sim_saturate32(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
static inline double sim_saturate64(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

// What f16 and bf16 stand for; NaN gives the canonical f32.
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

// To nearest even, for arithmetic and the common conversions.
static inline uint32_t sim_f32_to_f16(float x)
{
    uint32_t bits = sim_bits32(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    // Below 2^-14 the sum with 0.5 has the step of a subnormal f16: the addition rounds.
    uint32_t small = sim_bits32(sim_float32(magnitude < 0x38800000 ? magnitude : 0) + 0.5f) -
                     0x3f000000;
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
    uint32_t h = magnitude < 0x38800000 ? small : normal;
    h = magnitude < 0x47800000 ? h : 0x7c00; // 65536 and above; what rounds up to it is 0x7c00 too
    return magnitude > 0x7f800000 ? SIM_F16_NAN : h | sign;
}
static inline uint32_t sim_f32_to_bf16(float x)
{
    uint32_t bits = sim_bits32(x);
    uint32_t h = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffff) > 0x7f800000 ? SIM_BF16_NAN : h;
}

// A double to f32, rounded as told; NaN becomes the canonical one. SIM_RNA is not known here.
static inline float sim_f64_to_f32(double x, enum sim_rounding mode)
{
    float nearest = (float)x;
    if (x != x)
        return sim_float32(SIM_F32_NAN);
    if (mode == SIM_RN || (double)nearest == x)
        return nearest;
    uint32_t bits = sim_bits32(nearest);
    bool negative = bits >> 31, beyond = fabs((double)nearest) > fabs(x);
    uint32_t toward = beyond ? bits - 1 : bits; // toward zero; the next one is away from it
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
// The same for every lane at once: no branches.
static inline float sim_f64_to_f32_odd(double x)
{
    float nearest = (float)x;
    uint32_t bits = sim_bits32(nearest);
    uint32_t odd = (bits - (fabs((double)nearest) > fabs(x))) | 1;
    bits = (double)nearest == x ? bits : odd;
    return sim_float32(x != x ? SIM_F32_NAN : bits);
}

// A magnitude and its sign to f64, rounded as told (not SIM_RNA).
double sim_u64_to_f64(uint64_t magnitude, bool negative, enum sim_rounding mode);

// f32 to a format of `exponent` and `mantissa` bits with IEEE subnormals, rounded as told: the code
// without its sign. Past the largest finite value it goes on counting as if there were no infinity;
// the value must not be an infinity or a NaN.
uint32_t sim_f32_round(float x, uint32_t exponent, uint32_t mantissa, enum sim_rounding mode);

// f32 to f16 and bf16 rounded as told; with `satfinite` what would be infinite is the largest
// finite value (NaN stays NaN).
uint32_t sim_f32_to_f16_mode(float x, enum sim_rounding mode, bool satfinite);
uint32_t sim_f32_to_bf16_mode(float x, enum sim_rounding mode, bool satfinite);
// f32 to tf32: its bits, the low 13 of them zero.
uint32_t sim_f32_to_tf32(float x, enum sim_rounding mode, bool satfinite);

// Stochastic rounding: the fraction that is lost, plus `bits` random bits as high up as it is,
// carries or is dropped. The code is sim_f32_round()'s.
uint32_t sim_f32_round_random(float x, uint32_t exponent, uint32_t mantissa, uint32_t random,
                              uint32_t bits);

// Formats of at most 8 bits: a sign, and codes up to `largest`, the largest finite value. `nan` is
// what a NaN becomes: the largest value where there is none.
struct sim_small_format {
    uint32_t exponent, mantissa, largest, nan;
};
extern const struct sim_small_format sim_e4m3, sim_e5m2, sim_e2m3, sim_e3m2, sim_e2m1;
// f32 to one of them, rounded as told or with 8 random bits, and at most the largest finite value
// (.satfinite).
uint32_t sim_f32_to_small(const struct sim_small_format *format, float x, enum sim_rounding mode);
uint32_t sim_f32_to_small_random(const struct sim_small_format *format, float x, uint32_t random);
// What a code stands for, as f16 (exact); NaN gives 0x7fff.
uint32_t sim_small_to_f16(const struct sim_small_format *format, uint32_t code);
uint32_t sim_e4m3_to_f16(uint32_t code);
uint32_t sim_e5m2_to_f16(uint32_t code);
// A power of two in 8 bits, the exponent of f32; 0xff is NaN. Its sign is lost, and what is too
// small becomes 2^-127. Only SIM_RZ and SIM_RP; with `satfinite` no number becomes NaN.
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
