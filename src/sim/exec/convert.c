// Conversions between types (cvt) of single values. Each pair of types has a generic handler, which
// takes the rounding and flags from `extra`. Common pairs also have a fast one.
//
// The ISA defines these cases: a float outside an integer's range becomes the nearest value in the
// range, and NaN becomes 0. If the conversion is from .f64 or to 64 bits, NaN becomes the integer
// with only the top bit set instead.
#include "base/array.h"
#include "alu.h"
#include "compare.h"
#include "convert.h"

enum {
    FTZ = SIM_CVT_FTZ,
    SAT = SIM_CVT_SAT,
    RELU = SIM_CVT_RELU,
    SATFINITE = SIM_CVT_SATFINITE,
    FLAG_BITS = SIM_CVT_MODE,
};
#define MODE(extra) ((enum sim_rounding)((extra) >> FLAG_BITS & 15))

#define EACH_INTEGER(X, ...) \
    X(U8, __VA_ARGS__)       \
    X(S8, __VA_ARGS__)       \
    X(U16, __VA_ARGS__)      \
    X(S16, __VA_ARGS__)      \
    X(U32, __VA_ARGS__) X(S32, __VA_ARGS__) X(U64, __VA_ARGS__) X(S64, __VA_ARGS__)
#define EACH_SOURCE(X, ...) \
    X(U8, __VA_ARGS__)      \
    X(S8, __VA_ARGS__)      \
    X(U16, __VA_ARGS__)     \
    X(S16, __VA_ARGS__)     \
    X(U32, __VA_ARGS__) X(S32, __VA_ARGS__) X(U64, __VA_ARGS__) X(S64, __VA_ARGS__)
#define EACH_FLOAT(X, ...) \
    X(F16, __VA_ARGS__) X(BF16, __VA_ARGS__) X(F32, __VA_ARGS__) X(F64, __VA_ARGS__)
#define EACH_FLOAT_SOURCE(X, ...) \
    X(F16, __VA_ARGS__) X(BF16, __VA_ARGS__) X(F32, __VA_ARGS__) X(F64, __VA_ARGS__)

#define SLOT_U8 uint32_t
#define SLOT_S8 uint32_t
#define SLOT_U16 uint32_t
#define SLOT_S16 uint32_t
#define SLOT_U32 uint32_t
#define SLOT_S32 uint32_t
#define SLOT_U64 uint64_t
#define SLOT_S64 uint64_t
#define SLOT_F16 uint32_t
#define SLOT_BF16 uint32_t
#define SLOT_F32 uint32_t
#define SLOT_F64 uint64_t
#define VALUE_U8 uint8_t
#define VALUE_S8 int8_t
#define VALUE_U16 uint16_t
#define VALUE_S16 int16_t
#define VALUE_U32 uint32_t
#define VALUE_S32 int32_t
#define VALUE_U64 uint64_t
#define VALUE_S64 int64_t
#define LOWEST_U8 0
#define LOWEST_S8 INT8_MIN
#define LOWEST_U16 0
#define LOWEST_S16 INT16_MIN
#define LOWEST_U32 0
#define LOWEST_S32 INT32_MIN
#define LOWEST_U64 0
#define LOWEST_S64 INT64_MIN
#define HIGHEST_U8 UINT8_MAX
#define HIGHEST_S8 INT8_MAX
#define HIGHEST_U16 UINT16_MAX
#define HIGHEST_S16 INT16_MAX
#define HIGHEST_U32 UINT32_MAX
#define HIGHEST_S32 INT32_MAX
#define HIGHEST_U64 UINT64_MAX
#define HIGHEST_S64 INT64_MAX

#define CVT_OPERANDS(to, from)                               \
    SLOT_##to *at0 = (SLOT_##to *)(void *)(w->f + op->o[0]); \
    const SLOT_##from *at1 = (const SLOT_##from *)(const void *)(w->f + op->o[1])

// Converts integers to integers. A result that is narrower than its register is sign- or
// zero-extended.
#define CVT_INTEGER(from, to)                                                                      \
    SIM_HANDLER(cvt_##to##_##from)                                                                 \
    {                                                                                              \
        CVT_OPERANDS(to, from);                                                                    \
        SIM_ALU_LANES(mask, at0[i] = (SLOT_##to)(VALUE_##to)(VALUE_##from)at1[i]);                 \
        return SIM_NEXT;                                                                           \
    }                                                                                              \
    SIM_HANDLER(cvt_sat_##to##_##from)                                                             \
    {                                                                                              \
        CVT_OPERANDS(to, from);                                                                    \
        SIM_LANES(mask, i, sim_s128 x = (VALUE_##from)at1[i]; x = x > HIGHEST_##to  ? HIGHEST_##to \
                                                                  : x < LOWEST_##to ? LOWEST_##to  \
                                                                                    : x;           \
                  at0[i] = (SLOT_##to)(VALUE_##to)x);                                              \
        return SIM_NEXT;                                                                           \
    }
#define CVT_INTEGERS(to, unused) EACH_SOURCE(CVT_INTEGER, to)
EACH_INTEGER(CVT_INTEGERS, )

// Load a value of a float type as a double, which can represent every such value.
static inline double load_F16(uint32_t bits, uint32_t flags)
{
    (void)flags; // an f16 subnormal is normal in f32
    return (double)sim_f16_to_f32(bits & 0xffff);
}
static inline double load_BF16(uint32_t bits, uint32_t flags)
{
    float x = sim_bf16_to_f32(bits & 0xffff);
    return (double)(flags & FTZ ? sim_flush32(x) : x);
}
static inline double load_F32(uint32_t bits, uint32_t flags)
{
    float x = sim_float32(bits);
    return (double)(flags & FTZ ? sim_flush32(x) : x);
}
static inline double load_F64(uint64_t bits, uint32_t flags)
{
    (void)flags;
    return sim_float64(bits);
}

static double clip(double x, uint32_t flags)
{
    if (flags & RELU)
        x = x < 0 || x == 0 ? 0.0 : x;
    return x;
}
static uint32_t saturate16(uint32_t h, uint32_t one, uint32_t infinity)
{
    if ((h & 0x7fff) > infinity || h & 0x8000)
        return 0;
    return h < one ? h : one;
}

// Round a double to a float type, only once.
static uint32_t store_F16(double x, uint32_t extra)
{
    uint32_t h =
        sim_f32_to_f16_mode(sim_f64_to_f32_odd(clip(x, extra)), MODE(extra), extra & SATFINITE);
    return extra & SAT ? saturate16(h, 0x3c00, 0x7c00) : h;
}
static uint32_t store_BF16(double x, uint32_t extra)
{
    uint32_t h =
        sim_f32_to_bf16_mode(sim_f64_to_f32_odd(clip(x, extra)), MODE(extra), extra & SATFINITE);
    return extra & SAT ? saturate16(h, 0x3f80, 0x7f80) : h;
}
static uint32_t store_F32(double x, uint32_t extra)
{
    float f = sim_f64_to_f32(x, MODE(extra));
    f = extra & FTZ ? sim_flush32(f) : f;
    return sim_canonical32(extra & SAT ? sim_saturate32(f) : f);
}
static uint64_t store_F64(double x, uint32_t extra)
{
    if (extra & SAT)
        x = sim_saturate64(x);
    return x != x ? sim_bits64(x) | SIM_F64_QUIET : sim_bits64(x);
}

// Converts integers to floats. For f64 there is one rounding. For other types, the value is rounded
// to odd in 53 bits first, so that the second rounding is correct.
#define TO_F16 SIM_ODD
#define TO_BF16 SIM_ODD
#define TO_F32 SIM_ODD
#define TO_F64 MODE(op->extra)
#define CVT_TO_FLOAT(from, to)                                                               \
    SIM_HANDLER(cvt_##to##_##from)                                                           \
    {                                                                                        \
        CVT_OPERANDS(to, from);                                                              \
        SIM_LANES(mask, i, sim_s128 x = (VALUE_##from)at1[i];                                \
                  double value = sim_u64_to_f64((uint64_t)(x < 0 ? -x : x), x < 0, TO_##to); \
                  at0[i] = store_##to(value, op->extra));                                    \
        return SIM_NEXT;                                                                     \
    }
#define CVT_TO_FLOATS(to, unused) EACH_SOURCE(CVT_TO_FLOAT, to)
EACH_FLOAT(CVT_TO_FLOATS, )

static double integral(double x, enum sim_rounding mode)
{
    switch (mode) {
    case SIM_RZ:
        return trunc(x);
    case SIM_RM:
        return floor(x);
    case SIM_RP:
        return ceil(x);
    default:
        return rint(x);
    }
}

// Float to integer.
#define NAN_F16(bits) ((bits) == 64)
#define NAN_BF16(bits) ((bits) == 64)
#define NAN_F32(bits) ((bits) == 64)
#define NAN_F64(bits) 1
#define CVT_TO_INTEGER(from, to)                                                                 \
    SIM_HANDLER(cvt_##to##_##from)                                                               \
    {                                                                                            \
        enum { BITS = sizeof(VALUE_##to) * 8 };                                                  \
        const double low = (double)LOWEST_##to, end = 2.0 * (double)(HIGHEST_##to / 2 + 1);      \
        const VALUE_##to nan = NAN_##from(BITS) ? (VALUE_##to)(UINT64_C(1) << (BITS - 1)) : 0;   \
        CVT_OPERANDS(to, from);                                                                  \
        SIM_LANES(mask, i, double x = integral(load_##from(at1[i], op->extra), MODE(op->extra)); \
                  VALUE_##to value = x != x     ? nan                                            \
                                     : x < low  ? LOWEST_##to                                    \
                                     : x >= end ? HIGHEST_##to                                   \
                                                : (VALUE_##to)x;                                 \
                  at0[i] = (SLOT_##to)value);                                                    \
        return SIM_NEXT;                                                                         \
    }
#define CVT_TO_INTEGERS(to, unused) EACH_FLOAT_SOURCE(CVT_TO_INTEGER, to)
EACH_INTEGER(CVT_TO_INTEGERS, )

// Converts a NaN, if one of the types is f64. It keeps its sign and as many bits of its fraction as
// fit, and becomes quiet, as on an H200. With .sat it becomes zero.
static bool keeps_nan(uint32_t from, uint32_t to, uint64_t bits, uint32_t extra, uint64_t *out)
{
    static const struct {
        uint32_t width, fraction;
    } formats[] = { [0] = { 16, 10 }, [1] = { 16, 7 }, [2] = { 32, 23 }, [3] = { 64, 52 } };
    const uint32_t fraction = formats[from].fraction, capacity = formats[to].fraction;
    const uint32_t width = formats[from].width;
    const uint64_t magnitude = bits & ((UINT64_C(1) << (width - 1)) - 1);
    const uint64_t infinity = (UINT64_C(1) << (width - 1)) - (UINT64_C(1) << fraction);

    if ((from != 3) == (to != 3) || magnitude <= infinity || extra & (SAT | RELU | SATFINITE))
        return false;
    if (from == 2 && extra & FTZ) { // .ftz makes the NaN canonical first
        *out = UINT64_C(0x7fffffffe0000000);
        return true;
    }
    const uint64_t kept = magnitude - infinity;
    *out = (bits >> (width - 1) & 1) << (formats[to].width - 1) |
           ((UINT64_C(1) << (formats[to].width - 1)) - (UINT64_C(1) << capacity)) |
           UINT64_C(1) << (capacity - 1) |
           (capacity > fraction ? kept << (capacity - fraction) : kept >> (fraction - capacity));
    return true;
}

// Converts floats to floats, and floats to integral values of the same type.
#define INDEX_F16 0
#define INDEX_BF16 1
#define INDEX_F32 2
#define INDEX_F64 3
#define CVT_FLOAT(from, to)                                                           \
    SIM_HANDLER(cvt_##to##_##from)                                                    \
    {                                                                                 \
        CVT_OPERANDS(to, from);                                                       \
        SIM_LANES(mask, i, uint64_t nan; SLOT_##from bits = at1[i];                   \
                  if (keeps_nan(INDEX_##from, INDEX_##to, bits, op->extra, &nan))     \
                      at0[i] = (SLOT_##to)nan;                                        \
                  else at0[i] = store_##to(load_##from(bits, op->extra), op->extra)); \
        return SIM_NEXT;                                                              \
    }
#define CVT_FLOATS(to, unused) EACH_FLOAT_SOURCE(CVT_FLOAT, to)
EACH_FLOAT(CVT_FLOATS, )
#define CVT_INTEGRAL(type, unused)                                                                 \
    SIM_HANDLER(cvt_integral_##type)                                                               \
    {                                                                                              \
        CVT_OPERANDS(type, type);                                                                  \
        SIM_LANES(mask, i,                                                                         \
                  at0[i] = store_##type(integral(load_##type(at1[i], op->extra), MODE(op->extra)), \
                                        op->extra));                                               \
        return SIM_NEXT;                                                                           \
    }
EACH_FLOAT(CVT_INTEGRAL, )

// Defines a fast handler, which rounds to nearest or toward zero and has no flags.
#define CVT_QUICK(name, to, from, ...)                                            \
    SIM_HANDLER(name)                                                             \
    {                                                                             \
        CVT_OPERANDS(to, from);                                                   \
        SIM_ALU_LANES(mask, VALUE_##from##_QUICK x = LOAD_##from##_QUICK(at1[i]); \
                      at0[i] = __VA_ARGS__);                                      \
        return SIM_NEXT;                                                          \
    }
#define VALUE_U32_QUICK uint32_t
#define VALUE_S32_QUICK int32_t
#define VALUE_F16_QUICK float
#define VALUE_BF16_QUICK float
#define VALUE_F32_QUICK float
#define VALUE_F64_QUICK double
#define LOAD_U32_QUICK(x) x
#define LOAD_S32_QUICK(x) (int32_t) x
#define LOAD_F16_QUICK(x) sim_f16_to_f32(x & 0xffff)
#define LOAD_BF16_QUICK(x) sim_bf16_to_f32(x & 0xffff)
#define LOAD_F32_QUICK sim_float32
#define LOAD_F64_QUICK sim_float64
CVT_QUICK(quick_F32_S32, F32, S32, sim_bits32((float)x))
CVT_QUICK(quick_F32_U32, F32, U32, sim_bits32((float)x))
CVT_QUICK(quick_F64_S32, F64, S32, sim_bits64((double)x))
CVT_QUICK(quick_F64_U32, F64, U32, sim_bits64((double)x))
CVT_QUICK(quick_F32_F16, F32, F16, sim_bits32(x))
CVT_QUICK(quick_F32_BF16, F32, U32, x << 16) // keeps NaN bits
CVT_QUICK(quick_F32_F32, F32, U32, x)
CVT_QUICK(quick_F16_F32, F16, F32, sim_f32_to_f16(x))
CVT_QUICK(quick_BF16_F32, BF16, F32, sim_f32_to_bf16(x))
CVT_QUICK(quick_F32_F64, F32, F64, sim_bits32((float)x))  // makes NaN quiet
CVT_QUICK(quick_F64_F32, F64, F32, sim_bits64((double)x)) // makes NaN quiet
CVT_QUICK(quick_S32_F32, S32, F32,
          x >= 0x1p31f   ? INT32_MAX
          : x < -0x1p31f ? 0x80000000
                         : (uint32_t)(int32_t)(x == x ? x : 0))

static const struct {
    enum sim_type to, from;
    enum sim_rounding mode;
    sim_handler *run;
} quick[] = {
    { SIM_F32, SIM_S32, SIM_RN, quick_F32_S32 }, { SIM_F32, SIM_U32, SIM_RN, quick_F32_U32 },
    { SIM_F64, SIM_S32, SIM_RN, quick_F64_S32 }, { SIM_F64, SIM_U32, SIM_RN, quick_F64_U32 },
    { SIM_F32, SIM_F16, SIM_RN, quick_F32_F16 }, { SIM_F32, SIM_BF16, SIM_RN, quick_F32_BF16 },
    { SIM_F16, SIM_F32, SIM_RN, quick_F16_F32 }, { SIM_BF16, SIM_F32, SIM_RN, quick_BF16_F32 },
    { SIM_F32, SIM_F64, SIM_RN, quick_F32_F64 }, { SIM_F64, SIM_F32, SIM_RN, quick_F64_F32 },
    { SIM_S32, SIM_F32, SIM_RZ, quick_S32_F32 },
};

#define CVT_ENTRY(from, to) [SIM_##to][SIM_##from] = cvt_##to##_##from,
#define CVT_SAT_ENTRY(from, to) [SIM_##to][SIM_##from] = cvt_sat_##to##_##from,
#define CVT_INTEGER_ROW(to, unused) EACH_SOURCE(CVT_ENTRY, to) EACH_FLOAT_SOURCE(CVT_ENTRY, to)
#define CVT_SAT_ROW(to, unused) EACH_SOURCE(CVT_SAT_ENTRY, to)
#define CVT_INTEGRAL_ENTRY(type, unused) [SIM_##type] = cvt_integral_##type,
static sim_handler *const conversions[SIM_TYPES][SIM_TYPES] = { EACH_INTEGER(CVT_INTEGER_ROW, )
                                                                    EACH_FLOAT(CVT_INTEGER_ROW, ) };
static sim_handler *const saturating[SIM_TYPES][SIM_TYPES] = { EACH_INTEGER(CVT_SAT_ROW, ) };
static sim_handler *const integrals[SIM_TYPES] = { EACH_FLOAT(CVT_INTEGRAL_ENTRY, ) };

// A tf32 is an f32 whose last 13 bits are zero.
SIM_HANDLER(cvt_TF32_F32)
{
    CVT_OPERANDS(F32, F32);
    SIM_LANES(mask, i, uint32_t bits = at1[i]; // keeps NaN bits
              float x = op->extra & RELU ? (float)clip((double)sim_float32(bits), op->extra)
                                         : sim_float32(bits);
              at0[i] = sim_f32_to_tf32(x, MODE(op->extra), op->extra & SATFINITE));
    return SIM_NEXT;
}

static const struct {
    const char *word;
    enum sim_rounding mode;
    bool integral;
} roundings[] = {
    { "rn", SIM_RN, false }, { "rz", SIM_RZ, false },   { "rm", SIM_RM, false },
    { "rp", SIM_RP, false }, { "rna", SIM_RNA, false }, { "rni", SIM_RN, true },
    { "rzi", SIM_RZ, true }, { "rmi", SIM_RM, true },   { "rpi", SIM_RP, true },
};

bool sim_manner_of(const struct sim_words *words, struct sim_manner *m)
{
    *m = (struct sim_manner){ .mode = SIM_RN };
    for (uint32_t k = 0; k < CUC_LENGTH(roundings); k++) {
        if (!sim_has(words, roundings[k].word))
            continue;
        if (m->rounds)
            return false;
        m->mode = roundings[k].mode;
        m->rounds = true;
        m->integral = roundings[k].integral;
    }
    m->flags = (sim_has(words, "ftz") ? SIM_CVT_FTZ : 0) |
               (sim_has(words, "sat") ? SIM_CVT_SAT : 0) |
               (sim_has(words, "relu") ? SIM_CVT_RELU : 0) |
               (sim_has(words, "satfinite") ? SIM_CVT_SATFINITE : 0);
    return true;
}

static bool is_integer(enum sim_type type)
{
    char c = sim_type_class(type);
    return c == 'u' || c == 's';
}

static sim_handler *pick_cvt(const struct sim_words *words, struct sim_op *op)
{
    const enum sim_type to = words->type[0], from = words->type[1];
    struct sim_manner m;

    if (words->types != 2 || !sim_manner_of(words, &m))
        return NULL;
    op->extra = m.flags | (uint32_t)m.mode << FLAG_BITS;
    if (to == SIM_TF32)
        return from == SIM_F32 && m.rounds && !m.integral && !(m.flags & (FTZ | SAT)) ? cvt_TF32_F32
                                                                                      : NULL;
    if (m.mode == SIM_RNA && m.rounds)
        return NULL;
    if (!conversions[to][from])
        return NULL;
    const bool to16 = to == SIM_F16 || to == SIM_BF16;
    if ((m.flags & (RELU | SATFINITE)) && (!to16 || from != SIM_F32 || (m.flags & (SAT | FTZ)) ||
                                           m.mode == SIM_RM || m.mode == SIM_RP))
        return NULL;
    if ((to == SIM_BF16 || from == SIM_BF16) &&
        (m.flags & SAT || (m.flags & FTZ && to != SIM_F32 && from != SIM_F32)))
        return NULL;
    if (is_integer(to) && is_integer(from)) {
        if (m.rounds || (m.flags & FTZ))
            return NULL;
        return m.flags & SAT ? saturating[to][from] : conversions[to][from];
    }
    if ((m.flags & FTZ) && to != SIM_F32 && from != SIM_F32 && from != SIM_BF16 && to != SIM_BF16)
        return NULL;
    if (is_integer(to)) {
        if (!m.rounds || !m.integral)
            return NULL;
    } else if (to == from) {
        if (m.rounds && !m.integral)
            return NULL;
        if (m.rounds)
            op->extra = m.flags | (uint32_t)m.mode << FLAG_BITS;
        if (to == SIM_F32 && !m.rounds && !m.flags)
            return quick_F32_F32;
        return m.rounds ? integrals[to] : conversions[to][from];
    } else {
        // A conversion to a type with at least the same precision and range is exact, and takes no
        // rounding.
        bool exact = !is_integer(from) && sim_type_bytes(to) > sim_type_bytes(from);
        // The conversions of bf16 are newer, and may omit the rounding. Conversions to f16 then
        // round to nearest.
        bool either = (from == SIM_BF16 && exact) || (from == SIM_BF16 && to == SIM_F16) ||
                      (from == SIM_F16 && to == SIM_BF16);
        if (m.integral || (m.rounds == exact && !either))
            return NULL;
    }
    if (to == SIM_F16) { // on an H200, .ftz has no effect here
        m.flags &= ~(uint32_t)FTZ;
        op->extra &= ~(uint32_t)FTZ;
    }
    for (uint32_t k = 0; m.flags == 0 && k < CUC_LENGTH(quick); k++)
        if (quick[k].to == to && quick[k].from == from && quick[k].mode == m.mode)
            return quick[k].run;
    return conversions[to][from];
}

const struct sim_instruction sim_convert_instructions[] = {
    // clang-format off
    { "cvt", "rn rz rm rp rna rni rzi rmi rpi ftz sat satfinite relu", "d>a1>", pick_cvt },
    { "mov", "", "da", sim_pick_mov },
    { "mov", "", "dV_", sim_pick_pack },
    { "mov", "", "va", sim_pick_unpack },
    { "mov", "v2 v4", "v>V>", sim_pick_mov_vector },
    { "setp", SIM_COMPARE_WORDS, "P_|aap?", sim_pick_setp },
    { "set", SIM_COMPARE_WORDS, "da1a1p?", sim_pick_set },
    { "selp", "", "daap", sim_pick_selp },
    { "slct", "ftz", "daaa1", sim_pick_slct },
    { "testp", SIM_TESTP_WORDS, "Pa", sim_pick_testp },
    { NULL, NULL, NULL, NULL },
    // clang-format on
};
