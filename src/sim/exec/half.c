// f16 and bf16 arithmetic on single values and on pairs.
//
// Operations use a wider format. They round to 16 bits once, or in a way that gives the same
// result:
// - f16 add, sub and mul use f32: 24 bits are 2 * 11 + 2, and no product of f16 is subnormal in
//   f32;
// - f16 fma uses f32: the product is exact, and the sum is rounded to odd;
// - bf16 add and sub use f32: 24 bits exceed 2 * 8 + 2, and subnormal results are exact;
// - bf16 mul and fma use double: a product has 16 bits, and the sum is rounded to odd.
//
// ex2 and tanh round the f32 result. A NaN result is 0x7fff.
#include "base/array.h"
#include "alu.h"
#include "formats.h"

enum { FTZ = 1, SAT = 2, RELU = 4, NANS = 8, XORSIGN = 16 };

#define INLINE static inline __attribute__((always_inline))

// Rounds a sum to odd: if it is inexact and its last bit is 0, takes the neighbor in the direction
// of the error.
INLINE float sum_odd32(float a, float b)
{
    float sum = a + b, part = sum - a;
    float rest = (a - (sum - part)) + (b - part);
    uint32_t bits = sim_bits32(sum);
    bool away = (rest > 0) == (sum > 0);
    uint32_t odd = bits & 1 ? bits : away ? bits + 1 : bits - 1;
    // The rest is NaN if the sum is infinite.
    return sim_float32(rest > 0 || rest < 0 ? odd : bits);
}
INLINE double sum_odd64(double a, double b)
{
    double sum = a + b, part = sum - a;
    double rest = (a - (sum - part)) + (b - part);
    uint64_t bits = sim_bits64(sum);
    bool away = (rest > 0) == (sum > 0);
    uint64_t odd = bits & 1 ? bits : away ? bits + 1 : bits - 1;
    return sim_float64(rest > 0 || rest < 0 ? odd : bits);
}

// Implements .ftz: flushes a result that is below the smallest normal f16 when rounded with an
// unbounded exponent. Rounding as a subnormal might have raised it to that number.
INLINE float flush_tiny16(float x)
{
    return fabsf(x) < 0x1p-14f - 0x1p-26f ? copysignf(0.0f, x) : x;
}

enum half { F16, BF16 };

INLINE float half_load(enum half type, uint32_t h)
{
    return type == F16 ? sim_f16_to_f32(h) : sim_bf16_to_f32(h);
}
INLINE uint32_t half_store(enum half type, float x)
{
    return type == F16 ? sim_f32_to_f16(x) : sim_f32_to_bf16(x);
}

INLINE uint32_t half_finish(enum half type, uint32_t flags, uint32_t h)
{
    const uint32_t one = type == F16 ? 0x3c00 : 0x3f80, infinity = type == F16 ? 0x7c00 : 0x7f80;
    bool nan = (h & 0x7fff) > infinity;
    if ((flags & FTZ) && type == F16)
        h = sim_flush16(h);
    if (flags & SAT)
        h = nan || h & 0x8000 ? 0 : h < one ? h : one;
    if (flags & RELU)
        h = nan ? 0x7fff : h & 0x8000 ? 0 : h;
    return h;
}

enum half_operation { ADD, SUB, MUL, FMA, EX2, TANH, NEG, ABSOLUTE, MIN, MAX };

INLINE uint32_t half_select(enum half type, bool max, uint32_t flags, uint32_t h, uint32_t k)
{
    float a = half_load(type, h), b = half_load(type, k);
    uint32_t sign = 0;
    if (flags & XORSIGN) {
        sign = (h ^ k) & 0x8000;
        h &= 0x7fff;
        k &= 0x7fff;
        a = fabsf(a);
        b = fabsf(b);
    }
    uint32_t equal = max ? h & k : h | k; // matters for zeros; other equal values have equal bits
    uint32_t d = a == b ? equal : (max ? a > b : a < b) ? h : k;
    d = b != b ? h : d;
    d = a != a ? k : d;
    bool nan = flags & NANS ? a != a || b != b : a != a && b != b;
    return nan ? 0x7fff : d | sign;
}

INLINE uint32_t half_apply(enum half type, enum half_operation operation, uint32_t flags,
                           uint32_t ha, uint32_t hb, uint32_t hc)
{
    if ((flags & FTZ) && type == F16) {
        ha = sim_flush16(ha);
        hb = sim_flush16(hb);
        hc = sim_flush16(hc);
    }
    const float a = half_load(type, ha), b = half_load(type, hb), c = half_load(type, hc);
    uint32_t d = 0;
    float wide;
    switch (operation) {
    case ADD:
        d = half_store(type, a + b);
        break;
    case SUB:
        d = half_store(type, a - b);
        break;
    case MUL:
        wide = type == F16 ? a * b : sim_f64_to_f32_odd((double)a * (double)b);
        d = half_store(type, flags & FTZ ? flush_tiny16(wide) : wide);
        break;
    case FMA:
        wide = type == F16 ? sum_odd32(a * b, c)
                           : sim_f64_to_f32_odd(sum_odd64((double)a * (double)b, (double)c));
        d = half_store(type, flags & FTZ ? flush_tiny16(wide) : wide);
        break;
    case EX2:
        d = half_store(type, flags & FTZ ? sim_flush32(exp2f(sim_flush32(a))) : exp2f(a));
        break;
    case TANH:
        d = half_store(type, tanhf(a));
        break;
    case NEG:
        d = a != a ? 0x7fff : ha ^ 0x8000;
        break;
    case ABSOLUTE:
        d = a != a ? 0x7fff : ha & 0x7fff;
        break;
    case MIN:
    case MAX:
        return half_select(type, operation == MAX, flags, ha, hb);
    }
    return half_finish(type, flags, d);
}

// Define handlers for a single value and for a pair. `flags` is a constant, or op->extra for rare
// combinations.
#define HALF_LANES(name, sources, type, operation, flags)                                         \
    SIM_HANDLER(name)                                                                             \
    {                                                                                             \
        uint32_t *d = SIM_R32(w, op->o[0]);                                                       \
        const uint32_t *a = SIM_R32(w, op->o[1]);                                                 \
        const uint32_t *b = (sources) > 1 ? SIM_R32(w, op->o[2]) : a;                             \
        const uint32_t *c = (sources) > 2 ? SIM_R32(w, op->o[3]) : a;                             \
        SIM_ALU_LANES(mask, d[i] = half_apply(type, operation, flags, a[i] & 0xffff,              \
                                              b[i] & 0xffff, c[i] & 0xffff));                     \
        return SIM_NEXT;                                                                          \
    }                                                                                             \
    SIM_HANDLER(name##_pair)                                                                      \
    {                                                                                             \
        uint32_t *d = SIM_R32(w, op->o[0]);                                                       \
        const uint32_t *a = SIM_R32(w, op->o[1]);                                                 \
        const uint32_t *b = (sources) > 1 ? SIM_R32(w, op->o[2]) : a;                             \
        const uint32_t *c = (sources) > 2 ? SIM_R32(w, op->o[3]) : a;                             \
        SIM_ALU_LANES(mask, uint32_t low = half_apply(type, operation, flags, a[i] & 0xffff,      \
                                                      b[i] & 0xffff, c[i] & 0xffff);              \
                      uint32_t high =                                                             \
                          half_apply(type, operation, flags, a[i] >> 16, b[i] >> 16, c[i] >> 16); \
                      d[i] = high << 16 | low);                                                   \
        return SIM_NEXT;                                                                          \
    }
#define HALF_HANDLERS(name, sources, operation)                      \
    HALF_LANES(f16_##name, sources, F16, operation, 0)               \
    HALF_LANES(bf16_##name, sources, BF16, operation, 0)             \
    HALF_LANES(f16_##name##_any, sources, F16, operation, op->extra) \
    HALF_LANES(bf16_##name##_any, sources, BF16, operation, op->extra)
HALF_HANDLERS(add, 2, ADD)
HALF_HANDLERS(sub, 2, SUB)
HALF_HANDLERS(mul, 2, MUL)
HALF_HANDLERS(fma, 3, FMA)
HALF_HANDLERS(ex2, 1, EX2)
HALF_HANDLERS(tanh, 1, TANH)
HALF_HANDLERS(neg, 1, NEG)
HALF_HANDLERS(abs, 1, ABSOLUTE)
HALF_HANDLERS(min, 2, MIN)
HALF_HANDLERS(max, 2, MAX)

// Computes fma with .oob: the result is 0 if a or b is the NaN that tensor copies write for
// out-of-bounds elements. `extra`: the flags, followed by these bits.
enum { EXTRA_BF16 = 1 << 16, EXTRA_PAIR = 1 << 17 };
static uint32_t fma_oob(uint32_t extra, uint32_t a, uint32_t b, uint32_t c)
{
    if ((a & 0x7fff) == SIM_OUTSIDE_16 || (b & 0x7fff) == SIM_OUTSIDE_16)
        return 0;
    return half_apply(extra & EXTRA_BF16 ? BF16 : F16, FMA, extra & 0xff, a, b, c);
}
SIM_HANDLER(run_fma_oob)
{
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *a = SIM_R32(w, op->o[1]), *b = SIM_R32(w, op->o[2]), *c = SIM_R32(w, op->o[3]);
    SIM_LANES(mask, i, uint32_t r = fma_oob(op->extra, a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff);
              if (op->extra & EXTRA_PAIR)
                  r |= fma_oob(op->extra, a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
              d[i] = r);
    return SIM_NEXT;
}

// Describes an operation: a required word, the flags permitted in f16 and in bf16, the flags
// required in bf16, and handlers by type, pair and presence of flags.
#define HANDLERS(name)                                                                      \
    {                                                                                       \
        { { f16_##name, f16_##name##_any }, { f16_##name##_pair, f16_##name##_any_pair } }, \
        {                                                                                   \
            { bf16_##name, bf16_##name##_any },                                             \
            {                                                                               \
                bf16_##name##_pair, bf16_##name##_any_pair                                  \
            }                                                                               \
        }                                                                                   \
    }
static const struct {
    const char *name, *word;
    uint32_t f16, bf16, bf16_needs;
    sim_handler *run[2][2][2];
} operations[] = {
    { "add", NULL, FTZ | SAT, 0, 0, HANDLERS(add) },
    { "sub", NULL, FTZ | SAT, 0, 0, HANDLERS(sub) },
    { "mul", NULL, FTZ | SAT, 0, 0, HANDLERS(mul) },
    { "fma", "rn", FTZ | SAT | RELU, RELU, 0, HANDLERS(fma) },
    { "ex2", "approx", 0, FTZ, FTZ, HANDLERS(ex2) },
    { "tanh", "approx", 0, 0, 0, HANDLERS(tanh) },
    { "neg", NULL, FTZ, 0, 0, HANDLERS(neg) },
    { "abs", NULL, FTZ, 0, 0, HANDLERS(abs) },
    { "min", NULL, FTZ | NANS | XORSIGN, NANS | XORSIGN, 0, HANDLERS(min) },
    { "max", NULL, FTZ | NANS | XORSIGN, NANS | XORSIGN, 0, HANDLERS(max) },
};

static sim_handler *pick_half(const struct sim_words *words, struct sim_op *op)
{
    const enum sim_type type = words->type[0];
    const bool pair = type == SIM_F16X2 || type == SIM_BF16X2;
    const bool bf16 = type == SIM_BF16 || type == SIM_BF16X2;
    const uint32_t flags = (sim_has(words, "ftz") ? FTZ : 0) | (sim_has(words, "sat") ? SAT : 0) |
                           (sim_has(words, "relu") ? RELU : 0) |
                           (sim_has(words, "NaN") ? NANS : 0) |
                           (sim_has(words, "xorsign") ? XORSIGN : 0);

    if (words->types != 1 || (!pair && !bf16 && type != SIM_F16) ||
        sim_has(words, "xorsign") != sim_has(words, "abs"))
        return NULL;
    op->extra = flags;
    if (sim_has(words, "oob")) {
        if (!sim_has(words, "rn") || flags & FTZ ||
            (bf16 ? flags & SAT : flags & SAT && flags & RELU))
            return NULL;
        op->extra |= (bf16 ? EXTRA_BF16 : 0) | (pair ? EXTRA_PAIR : 0);
        return run_fma_oob;
    }
    for (uint32_t k = 0; k < CUC_LENGTH(operations); k++) {
        if (strcmp(words->statement->word[0], operations[k].name) != 0)
            continue;
        if ((flags & ~(bf16 ? operations[k].bf16 : operations[k].f16)) ||
            (flags & SAT && flags & RELU) ||
            (operations[k].word && !sim_has(words, operations[k].word)) ||
            (bf16 && (flags & operations[k].bf16_needs) != operations[k].bf16_needs))
            return NULL;
        return operations[k].run[bf16][pair][flags != 0];
    }
    return NULL;
}

const struct sim_instruction sim_half_instructions[] = {
    // clang-format off
    { "add", "rn ftz sat", "daa", pick_half },
    { "sub", "rn ftz sat", "daa", pick_half },
    { "mul", "rn ftz sat", "daa", pick_half },
    { "fma", "rn ftz sat relu oob", "daaa", pick_half },
    { "ex2", "approx ftz", "da", pick_half },
    { "tanh", "approx", "da", pick_half },
    { "neg", "ftz", "da", pick_half },
    { "abs", "ftz", "da", pick_half },
    { "min", "ftz NaN xorsign abs", "daa", pick_half },
    { "max", "ftz NaN xorsign abs", "daa", pick_half },
    { NULL, NULL, NULL, NULL },
    // clang-format on
};
