// Conversions between packed formats (cvt): two values of f16 or bf16, and two or four values of at
// most 8 bits. Also cvt.pack, which clamps integers and packs them.
//
// A table lists the pairs of types with the permitted roundings and flags. The operand written
// first goes to the highest bits. The last operand of stochastic rounding has the random bits: 13
// for each f16 and 16 for each bf16, those for the first value in the upper half. If there are four
// values, each takes 8 bits, as the ISA's text says (its figures allow other readings).
#include "base/array.h"
#include "alu.h"
#include "convert.h"

enum { RELU = SIM_CVT_RELU, SATFINITE = SIM_CVT_SATFINITE };

// Implements .relu: values below zero and -0 become zero. NaN is unchanged.
static inline float clip(float x, uint32_t extra)
{
    return extra & RELU && x <= 0 ? 0.0f : x;
}
static inline uint32_t clip16(uint32_t h, uint32_t extra, uint32_t infinity)
{
    return extra & RELU && h & 0x8000 && (h & 0x7fff) <= infinity ? 0 : h;
}

// A conversion, which either encodes an f32 or decodes a code.
struct packing {
    enum sim_type to, from;
    uint32_t sources;
    const char *roundings;                 // permitted roundings, one of which is required
    uint32_t needs, may;                   // flags that are required; flags that are permitted
    uint32_t bits;                         // width of one value in its packed register
    const struct sim_small_format *format; // format of the small type; NULL for f16, bf16 and ue8m0
    sim_handler *run;
};

static inline enum sim_rounding mode_of(const struct sim_op *op)
{
    return (enum sim_rounding)(op->extra >> SIM_CVT_MODE & 15);
}

static uint32_t narrow(const struct packing *p, const struct sim_op *op, float x)
{
    const bool satfinite = op->extra & SATFINITE;

    x = clip(x, op->extra);
    if (p->format)
        return sim_f32_to_small(p->format, x, mode_of(op));
    switch (p->to) {
    case SIM_F16X2:
        return sim_f32_to_f16_mode(x, mode_of(op), satfinite);
    case SIM_BF16X2:
        return sim_f32_to_bf16_mode(x, mode_of(op), satfinite);
    default:
        return sim_f32_to_ue8m0(x, mode_of(op), satfinite);
    }
}

// Rounds stochastically to f16 or bf16.
static uint32_t narrow16(const struct packing *p, const struct sim_op *op, float x, uint32_t random)
{
    const bool f16 = p->to == SIM_F16X2;
    const uint32_t infinity = f16 ? 0x7c00 : 0x7f80;

    x = clip(x, op->extra);
    if (x != x)
        return f16 ? SIM_F16_NAN : SIM_BF16_NAN;
    uint32_t code = isinf(x) ? infinity
                    : f16    ? sim_f32_round_random(x, 5, 10, random & 0x1fff, 13)
                             : sim_f32_round_random(x, 8, 7, random & 0xffff, 16);
    if (code >= infinity)
        code = infinity - (op->extra & SATFINITE ? 1 : 0);
    return code | (sim_bits32(x) >> 16 & 0x8000);
}

SIM_HANDLER(run_pair)
{
    const struct packing *p = op->data;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const float *a = SIM_RF32(w, op->o[1]), *b = SIM_RF32(w, op->o[2]);
    SIM_LANES(mask, i, d[i] = narrow(p, op, a[i]) << p->bits | narrow(p, op, b[i]));
    return SIM_NEXT;
}
SIM_HANDLER(run_pair_random)
{
    const struct packing *p = op->data;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const float *a = SIM_RF32(w, op->o[1]), *b = SIM_RF32(w, op->o[2]);
    const uint32_t *random = SIM_R32(w, op->o[3]);
    SIM_LANES(mask, i,
              d[i] = narrow16(p, op, a[i], random[i] >> 16) << 16 |
                     narrow16(p, op, b[i], random[i]));
    return SIM_NEXT;
}
#define PAIR_QUICK(type, convert)                                           \
    SIM_HANDLER(quick_##type##X2)                                           \
    {                                                                       \
        uint32_t *d = SIM_R32(w, op->o[0]);                                 \
        const float *a = SIM_RF32(w, op->o[1]), *b = SIM_RF32(w, op->o[2]); \
        SIM_ALU_LANES(mask, d[i] = convert(a[i]) << 16 | convert(b[i]));    \
        return SIM_NEXT;                                                    \
    }
PAIR_QUICK(F16, sim_f32_to_f16)
PAIR_QUICK(BF16, sim_f32_to_bf16)

SIM_HANDLER(run_four)
{
    // e2m1 uses the random bytes in another order: two results form a byte, and take one random
    // byte from each half.
    static const uint32_t bytes[2][4] = { { 24, 16, 8, 0 }, { 24, 8, 16, 0 } };
    const struct packing *p = op->data;
    const uint32_t *at = bytes[p->bits == 4], *random = SIM_R32(w, op->o[2]);
    uint32_t *d = SIM_R32(w, op->o[0]);
    SIM_LANES(
        mask, i, uint32_t all = 0; for (uint32_t k = 0; k < 4; k++) {
            float x = clip(SIM_RF32(w, op->list[k])[i], op->extra);
            all = all << p->bits | sim_f32_to_small_random(p->format, x, random[i] >> at[k] & 0xff);
        } d[i] = all);
    return SIM_NEXT;
}

SIM_HANDLER(run_from_halves)
{
    const struct packing *p = op->data;
    const bool bf16 = p->from == SIM_BF16X2;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]);
    SIM_LANES(mask, i, uint32_t high = at1[i] >> 16; uint32_t low = at1[i] & 0xffff;
              float a = bf16 ? sim_bf16_to_f32(high) : sim_f16_to_f32(high);
              float b = bf16 ? sim_bf16_to_f32(low) : sim_f16_to_f32(low);
              d[i] = narrow(p, op, a) << p->bits | narrow(p, op, b));
    return SIM_NEXT;
}
SIM_HANDLER(run_to_halves)
{
    const struct packing *p = op->data;
    const uint32_t code = (UINT32_C(1) << p->bits) - 1;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]);
    SIM_LANES(
        mask, i, uint32_t all = 0; for (uint32_t k = 0; k < 2; k++) {
            uint32_t x = at1[i] >> k * p->bits & code;
            x = p->format ? clip16(sim_small_to_f16(p->format, x), op->extra, 0x7c00)
                          : sim_ue8m0_to_bf16(x);
            all |= x << 16 * k;
        } d[i] = all);
    return SIM_NEXT;
}

static const struct packing packings[] = {
    { SIM_F16X2, SIM_F32, 2, "rn rz", 0, RELU | SATFINITE, 16, NULL, run_pair },
    { SIM_F16X2, SIM_F32, 3, "rs", 0, RELU | SATFINITE, 16, NULL, run_pair_random },
    { SIM_BF16X2, SIM_F32, 2, "rn rz", 0, RELU | SATFINITE, 16, NULL, run_pair },
    { SIM_BF16X2, SIM_F32, 3, "rs", 0, RELU | SATFINITE, 16, NULL, run_pair_random },
    { SIM_E4M3X2, SIM_F32, 2, "rn", SATFINITE, RELU, 8, &sim_e4m3, run_pair },
    { SIM_E5M2X2, SIM_F32, 2, "rn", SATFINITE, RELU, 8, &sim_e5m2, run_pair },
    { SIM_E2M3X2, SIM_F32, 2, "rn", SATFINITE, RELU, 8, &sim_e2m3, run_pair },
    { SIM_E3M2X2, SIM_F32, 2, "rn", SATFINITE, RELU, 8, &sim_e3m2, run_pair },
    { SIM_E2M1X2, SIM_F32, 2, "rn", SATFINITE, RELU, 4, &sim_e2m1, run_pair },
    { SIM_UE8M0X2, SIM_F32, 2, "rz rp", 0, SATFINITE, 8, NULL, run_pair },
    { SIM_E4M3X4, SIM_F32, 4, "rs", SATFINITE, RELU, 8, &sim_e4m3, run_four },
    { SIM_E5M2X4, SIM_F32, 4, "rs", SATFINITE, RELU, 8, &sim_e5m2, run_four },
    { SIM_E2M3X4, SIM_F32, 4, "rs", SATFINITE, RELU, 8, &sim_e2m3, run_four },
    { SIM_E3M2X4, SIM_F32, 4, "rs", SATFINITE, RELU, 8, &sim_e3m2, run_four },
    { SIM_E2M1X4, SIM_F32, 4, "rs", SATFINITE, RELU, 4, &sim_e2m1, run_four },
    { SIM_E4M3X2, SIM_F16X2, 1, "rn", SATFINITE, RELU, 8, &sim_e4m3, run_from_halves },
    { SIM_E5M2X2, SIM_F16X2, 1, "rn", SATFINITE, RELU, 8, &sim_e5m2, run_from_halves },
    { SIM_E2M1X2, SIM_F16X2, 1, "rn", SATFINITE, RELU, 4, &sim_e2m1, run_from_halves },
    { SIM_UE8M0X2, SIM_BF16X2, 1, "rz rp", 0, SATFINITE, 8, NULL, run_from_halves },
    { SIM_F16X2, SIM_E4M3X2, 1, "rn", 0, RELU, 8, &sim_e4m3, run_to_halves },
    { SIM_F16X2, SIM_E5M2X2, 1, "rn", 0, RELU, 8, &sim_e5m2, run_to_halves },
    { SIM_F16X2, SIM_E2M3X2, 1, "rn", 0, RELU, 8, &sim_e2m3, run_to_halves },
    { SIM_F16X2, SIM_E3M2X2, 1, "rn", 0, RELU, 8, &sim_e3m2, run_to_halves },
    { SIM_F16X2, SIM_E2M1X2, 1, "rn", 0, RELU, 4, &sim_e2m1, run_to_halves },
    { SIM_BF16X2, SIM_UE8M0X2, 1, "rn", 0, 0, 8, NULL, run_to_halves },
};

static sim_handler *pick_packed(const struct sim_words *words, struct sim_op *op)
{
    struct sim_manner m;
    const bool random = sim_has(words, "rs");

    if (words->types != 2 || !sim_manner_of(words, &m) || m.rounds == random)
        return NULL;
    const uint32_t sources = op->list_count ? op->list_count : words->statement->operands - 1;
    op->extra = m.flags | (uint32_t)m.mode << SIM_CVT_MODE;
    for (uint32_t k = 0; k < CUC_LENGTH(packings); k++) {
        const struct packing *p = &packings[k];
        bool rounding = false;
        if (p->to != words->type[0] || p->from != words->type[1] || p->sources != sources)
            continue;
        for (uint32_t i = 1; i < words->statement->words; i++)
            rounding = rounding || (words->statement->word[i][0] == 'r' &&
                                    strlen(words->statement->word[i]) == 2 &&
                                    strstr(p->roundings, words->statement->word[i]));
        if (!rounding || (m.flags & p->needs) != p->needs || (m.flags & ~(p->needs | p->may)))
            return NULL;
        op->data = p;
        if (p->run == run_pair && !m.flags && m.mode == SIM_RN)
            return p->to == SIM_F16X2 ? quick_F16X2 : p->to == SIM_BF16X2 ? quick_BF16X2 : run_pair;
        return p->run;
    }
    return NULL;
}

// Clamps a and b to 16, 8, 4 or 2 bits and packs them into the low bits. The bits above hold as
// much of c as fits.
SIM_HANDLER(run_clamped)
{
    const uint32_t bits = op->extra >> 1;
    const bool is_signed = op->extra & 1;
    const int64_t low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    const int64_t high = (INT64_C(1) << (bits - is_signed)) - 1;
    const uint32_t field = (UINT32_C(1) << bits) - 1;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const int32_t *at1 = SIM_RS32(w, op->o[1]), *at2 = SIM_RS32(w, op->o[2]);
    const uint32_t *at3 = op->o[3] == SIM_NO_OPERAND ? NULL : SIM_R32(w, op->o[3]);
    SIM_LANES(mask, i,
              int64_t a = at1[i] < low    ? low
                          : at1[i] > high ? high
                                          : at1[i];
              int64_t b = at2[i] < low    ? low
                          : at2[i] > high ? high
                                          : at2[i];
              uint32_t pair = ((uint32_t)a & field) << bits | ((uint32_t)b & field);
              d[i] = at3 ? at3[i] << 2 * bits | pair : pair);
    return SIM_NEXT;
}

static sim_handler *pick_clamped(const struct sim_words *words, struct sim_op *op)
{
    static const struct {
        enum sim_type type;
        uint32_t bits;
    } parts[] = { { SIM_U16, 16 }, { SIM_S16, 16 }, { SIM_U8, 8 }, { SIM_S8, 8 },
                  { SIM_U4, 4 },   { SIM_S4, 4 },   { SIM_U2, 2 }, { SIM_S2, 2 } };
    const bool third = op->o[3] != SIM_NO_OPERAND;

    if (!sim_has(words, "pack") || !sim_has(words, "sat") || words->type[1] != SIM_S32 ||
        words->types != (third ? 3u : 2u) || (third && words->type[2] != SIM_B32))
        return NULL;
    for (uint32_t k = 0; k < CUC_LENGTH(parts); k++) {
        if (words->type[0] != parts[k].type || (parts[k].bits == 16) == third)
            continue;
        op->extra = parts[k].bits << 1 | (sim_type_class(parts[k].type) == 's');
        return run_clamped;
    }
    return NULL;
}

const struct sim_instruction sim_packed_instructions[] = {
    // clang-format off
    { "cvt", "rn satfinite relu rz rp", "da1", pick_packed },
    { "cvt", "rn rz rp satfinite relu", "da1>a1>", pick_packed },
    { "cvt", "rs satfinite relu", "da1>a1>aw", pick_packed },
    { "cvt", "rs satfinite relu", "dV1>aw", pick_packed },
    { "cvt", "pack sat", "dw>a1>a1>", pick_clamped },
    { "cvt", "pack sat", "dw>a1>a1>a2>", pick_clamped },
    { NULL, NULL, NULL, NULL },
    // clang-format on
};
