// Video instructions: arithmetic on words, halves and bytes with 33-bit intermediate results. They
// are scalar (vadd ... vset, vshl, vmad) or act on all halves or bytes of two registers (vadd2 ...
// vset4).
//
// GPUs since sm_30 do not implement them, so ptxas emulates them (PTX ISA, "Video Instructions").
// Some forms differ from the ISA. This file does what ptxas 13.0 does, as observed on an H200.
// Comments mark the differences.
#include "base/array.h"
#include "alu.h"

enum operation { ADD, SUB, ABSDIFF, AVRG, MIN, MAX, SHL, SHR, EQ, NE, LT, LE, GT, GE, NONE };
// Fields of `extra` above the operation.
enum {
    OPERATION = 0xf,
    SIGNED_D = 1 << 4,
    SIGNED_A = 1 << 5,
    SIGNED_B = 1 << 6,
    SAT = 1 << 7,
    WRAP = 1 << 8,     // shifts: wrap the distance instead of clamping it to 32
    SECOND_SHIFT = 12, // enum operation: what to do with the last operand
    // vmad
    NEGATE = 1 << 9, // negates the product
    NEGATE_C = 1 << 10,
    PLUS_ONE = 1 << 11,
    SCALE_SHIFT = 16, // 0, 7 or 15
};

static inline int64_t clamped(sim_s128 x, uint32_t bits, bool is_signed)
{
    const sim_s128 low = is_signed ? -((sim_s128)1 << (bits - 1)) : 0;
    const sim_s128 high = ((sim_s128)1 << (bits - is_signed)) - 1;
    return (int64_t)(x < low ? low : x > high ? high : x);
}

static inline int64_t extended(uint32_t x, uint32_t at, uint32_t bits, bool is_signed)
{
    const uint32_t top = x << (32 - at - bits);
    return is_signed ? (int32_t)top >> (32 - bits) : (int64_t)(top >> (32 - bits));
}

static sim_s128 apply(uint32_t extra, int64_t a, int64_t b)
{
    switch ((enum operation)(extra & OPERATION)) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case ABSDIFF:
        return a < b ? b - a : a - b;
    case AVRG: // rounds away from zero
        return (a + b + (a + b >= 0)) >> 1;
    case MIN:
        return a < b ? a : b;
    case MAX:
        return a > b ? a : b;
    case SHL: // 34 bits, of which the top one is the sign
        return (sim_s128)(int64_t)((uint64_t)a << (extra & WRAP ? b & 31
                                                   : b < 32     ? b
                                                                : 32)
                                               << 30) >>
               30;
    case SHR:
        return a >> (extra & WRAP ? b & 31 : b < 32 ? b : 32);
    case EQ:
        return a == b;
    case NE:
        return a != b;
    case LT:
        return a < b;
    case LE:
        return a <= b;
    case GT:
        return a > b;
    case GE:
        return a >= b;
    case NONE:
        break;
    }
    return 0;
}

// Scalar forms. A part is one byte or one half.
struct part {
    uint32_t at, bits;
};
static struct part part_of(const struct sim_operand *o)
{
    const uint32_t bits = SIM_PARTS_KIND(o->parts) == 'b' ? 8 : 16;
    return o->parts ? (struct part){ SIM_PARTS_DIGIT(o->parts, 0) * bits, bits }
                    : (struct part){ 0, 32 };
}

// Saturates a result. Shifts saturate to 32 bits, whatever the type is. In other operations, a
// negative value saturates to the largest value of a part, and an unsigned word has no upper limit.
static int64_t saturated(uint32_t operation, int64_t x, uint32_t bits, bool is_signed)
{
    if (operation == SHL || operation == SHR)
        return clamped(x, 32, is_signed);
    if (bits < 32)
        return x < 0 ? (int64_t)(UINT32_MAX >> (32 - bits + is_signed))
                     : clamped(x, bits, is_signed);
    return is_signed ? clamped(x, 32, true) : x < 0 ? 0 : x;
}

// Applies the second operation. With .sat, max or min after an unsigned sum or difference drops the
// bits above 32, and treats a result with the top bit set as greater than the operand.
static int64_t combined(uint32_t extra, enum operation second, int64_t x, int64_t c)
{
    const uint32_t first = extra & OPERATION;
    bool more = x > c;

    if (second == ADD || second == NONE)
        return second == ADD ? x + c : x;
    if ((first == ADD || first == SUB) && extra & SAT && !(extra & SIGNED_D)) {
        x = (uint32_t)x;
        more = x >> 31 || x > c;
    }
    return more == (second == MAX) ? x : c;
}

SIM_HANDLER(run_scalar)
{
    const struct sim_operand *operand = ((const struct sim_statement *)op->data)->operand;
    const struct part to = part_of(&operand[0]), pa = part_of(&operand[1]),
                      pb = part_of(&operand[2]);
    const uint32_t field = to.bits == 32 ? UINT32_MAX : (UINT32_C(1) << to.bits) - 1;
    const enum operation second = (enum operation)(op->extra >> SECOND_SHIFT & OPERATION);
    const bool is_signed = op->extra & SIGNED_D;
    // A destination in the upper half gets the upper half of the result.
    const uint32_t shift = to.bits == 16 ? 0 : to.at, place = field << to.at;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = op->o[3] == SIM_NO_OPERAND ? NULL : SIM_R32(w, op->o[3]);
    SIM_LANES(mask, i, int64_t a = extended(at1[i], pa.at, pa.bits, op->extra & SIGNED_A);
              int64_t b = extended(at2[i], pb.at, pb.bits, op->extra & SIGNED_B);
              uint32_t last = at3 ? at3[i] : 0; int64_t c = extended(last, 0, 32, is_signed);
              int64_t x = (int64_t)apply(op->extra, a, b);
              // Without .sat, keep 33 bits, of which the top one is the sign.
              x = op->extra & SAT ? saturated(op->extra & OPERATION, x, to.bits, is_signed)
                                  : (int64_t)((uint64_t)x << 31) >> 31;
              x = combined(op->extra, second, x, c);
              d[i] = ((uint32_t)x << shift & place) | (last & ~place));
    return SIM_NEXT;
}

// Words count as signed, whatever the type is. The scale shifts a 64-bit value, which is unsigned
// if no operand is signed.
SIM_HANDLER(run_vmad)
{
    const struct sim_operand *operand = ((const struct sim_statement *)op->data)->operand;
    const struct part pa = part_of(&operand[1]), pb = part_of(&operand[2]);
    const uint32_t extra = op->extra;
    const bool is_signed = extra & (SIGNED_A | SIGNED_B | NEGATE | NEGATE_C);
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[3]);
    const bool whole_a = pa.bits == 32 || extra & SIGNED_A,
               whole_b = pb.bits == 32 || extra & SIGNED_B;
    const uint32_t scale = extra >> SCALE_SHIFT;
    SIM_LANES(
        mask, i, sim_s128 x = extended(at1[i], pa.at, pa.bits, whole_a);
        x *= extended(at2[i], pb.at, pb.bits, whole_b); sim_s128 c = extended(at3[i], 0, 32, true);
        x = (extra & NEGATE ? -x : x) + (extra & NEGATE_C ? -c : c) + (extra & PLUS_ONE ? 1 : 0);
        x = is_signed || !scale ? x >> scale : (sim_s128)((uint64_t)x >> scale);
        d[i] = (uint32_t)(extra & SAT ? clamped(x, 32, is_signed) : (int64_t)x));
    return SIM_NEXT;
}

// Forms on all parts. A selector lists a part number for each part of the operand; that of the
// lowest part is last. The parts of a have the first numbers, and those of b follow.
struct parts {
    uint32_t from[4];
};
static struct parts parts_of(const struct sim_operand *o, uint32_t count, uint32_t first)
{
    struct parts p;
    for (uint32_t k = 0; k < 4; k++)
        p.from[k] = o->parts && k < count ? SIM_PARTS_DIGIT(o->parts, k) : first + k;
    return p;
}

SIM_HANDLER(run_parts)
{
    const struct sim_statement *s = op->data;
    const uint32_t bits = strchr(s->word[0], '4') ? 8 : 16, count = 32 / bits;
    const struct parts pa = parts_of(&s->operand[1], count, 0);
    const struct parts pb = parts_of(&s->operand[2], count, count);
    const uint32_t field = (UINT32_C(1) << bits) - 1;
    const bool sums = (op->extra >> SECOND_SHIFT & OPERATION) == ADD,
               is_signed = op->extra & SIGNED_D;
    const uint32_t written = s->operand[0].parts;
    uint32_t chosen = written ? 0 : 15;
    for (uint32_t k = 0; k < SIM_PARTS_COUNT(written); k++)
        chosen |= UINT32_C(1) << SIM_PARTS_DIGIT(written, k);
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[3]);
    SIM_LANES(
        mask, i, uint32_t two[2] = { at1[i], at2[i] }; uint32_t result = at3[i];
        for (uint32_t k = 0; k < count; k++) {
            if (!(chosen >> k & 1))
                continue;
            uint32_t na = pa.from[k], nb = pb.from[k];
            int64_t a = extended(two[na / count], na % count * bits, bits, op->extra & SIGNED_A);
            int64_t b = extended(two[nb / count], nb % count * bits, bits, op->extra & SIGNED_B);
            int64_t x = (int64_t)apply(op->extra, a, b);
            x = op->extra & SAT ? clamped(x, bits, is_signed) : x;
            result = sums ? result + (uint32_t)x
                          : (result & ~(field << k * bits)) | ((uint32_t)x & field) << k * bits;
        } d[i] = result);
    return SIM_NEXT;
}

static const struct {
    const char *word;
    enum operation operation;
} comparisons[] = { { "eq", EQ }, { "ne", NE }, { "lt", LT },
                    { "le", LE }, { "gt", GT }, { "ge", GE } },
  names[] = { { "vadd", ADD }, { "vsub", SUB }, { "vabsdiff", ABSDIFF }, { "vavrg", AVRG },
              { "vmin", MIN }, { "vmax", MAX }, { "vshl", SHL },         { "vshr", SHR } };
enum { COMPARISONS = CUC_LENGTH(comparisons), NAMES = CUC_LENGTH(names) };

// Encodes the name, types and words in `extra`. False if the combination is invalid.
static bool describe(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_statement *s = words->statement;
    const bool compares = strncmp(s->word[0], "vset", 4) == 0;
    const uint32_t types = compares ? 2 : 3;
    const uint32_t seconds = (uint32_t)sim_has(words, "add") + sim_has(words, "min") +
                             sim_has(words, "max");
    uint32_t operation = NONE;

    if (words->types != types || seconds > 1)
        return false;
    for (uint32_t k = 0; k < types; k++)
        if (words->type[k] != SIM_U32 && words->type[k] != SIM_S32)
            return false;
    for (uint32_t k = 0; compares && k < COMPARISONS; k++)
        if (sim_has(words, comparisons[k].word))
            operation = comparisons[k].operation;
    for (uint32_t k = 0; !compares && k < NAMES; k++)
        if (strncmp(s->word[0], names[k].word, strlen(names[k].word)) == 0)
            operation = names[k].operation;
    const enum sim_type *source = words->type + types - 2;
    // The result of a comparison has the first type (in the ISA it is unsigned).
    op->extra = operation | (words->type[0] == SIM_S32 ? SIGNED_D : 0) |
                (source[0] == SIM_S32 ? SIGNED_A : 0) | (source[1] == SIM_S32 ? SIGNED_B : 0) |
                (sim_has(words, "sat") ? SAT : 0) |
                (uint32_t)(sim_has(words, "add")   ? ADD
                           : sim_has(words, "min") ? MIN
                           : seconds               ? MAX
                                                   : NONE)
                    << SECOND_SHIFT;
    op->data = s;
    return operation != NONE;
}

// Returns true if an operand selects one byte or half, or has no selector.
static bool is_part(const struct sim_operand *o)
{
    return !o->parts ||
           (SIM_PARTS_COUNT(o->parts) == 1 &&
            SIM_PARTS_DIGIT(o->parts, 0) < (SIM_PARTS_KIND(o->parts) == 'b' ? 4u : 2u));
}

static sim_handler *pick_scalar(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_statement *s = words->statement;
    const bool shifts = sim_has(words, "clamp") || sim_has(words, "wrap");
    const bool merges = s->operand[0].parts, second = s->operands == 4;

    if (!describe(words, op) || !is_part(&s->operand[0]) || !is_part(&s->operand[1]) ||
        !is_part(&s->operand[2]) || (s->operands == 4 && s->operand[3].parts))
        return NULL;
    const uint32_t operation = op->extra & OPERATION;
    const bool combines = (op->extra >> SECOND_SHIFT & OPERATION) != NONE;
    // The last operand is either the value into which a part is merged or the operand of a second
    // operation.
    if ((!second && (merges || combines)) || (merges && combines) ||
        shifts != (operation == SHL || operation == SHR))
        return NULL;
    if (shifts && (words->type[2] != SIM_U32 || sim_has(words, "clamp") == sim_has(words, "wrap")))
        return NULL;
    op->extra |= sim_has(words, "wrap") ? WRAP : 0;
    return run_scalar;
}

static sim_handler *pick_vmad(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_operand *o = words->statement->operand;
    const bool product = o[1].negated != o[2].negated;

    if (words->types != 3 || (product && o[3].negated) || !is_part(&o[1]) || !is_part(&o[2]))
        return NULL;
    for (uint32_t k = 0; k < 3; k++)
        if (words->type[k] != SIM_U32 && words->type[k] != SIM_S32)
            return NULL;
    if (sim_has(words, "po") && (product || o[3].negated))
        return NULL;
    op->extra = (words->type[1] == SIM_S32 ? SIGNED_A : 0) |
                (words->type[2] == SIM_S32 ? SIGNED_B : 0) | (product ? NEGATE : 0) |
                (o[3].negated ? NEGATE_C : 0) | (sim_has(words, "po") ? PLUS_ONE : 0) |
                (sim_has(words, "sat") ? SAT : 0) |
                (sim_has(words, "shr7")    ? UINT32_C(7)
                 : sim_has(words, "shr15") ? UINT32_C(15)
                                           : 0)
                    << SCALE_SHIFT;
    op->data = words->statement;
    return sim_has(words, "shr7") && sim_has(words, "shr15") ? NULL : run_vmad;
}

static sim_handler *pick_parts(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_operand *o = words->statement->operand;
    const bool bytes = strchr(words->statement->word[0], '4') != NULL;
    const uint32_t count = bytes ? 4 : 2, kind = bytes ? 'b' : 'h';

    if (!describe(words, op) || (op->extra & SAT && sim_has(words, "add")) || o[3].parts)
        return NULL;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t parts = o[k].parts, digits = SIM_PARTS_COUNT(parts);
        if (o[k].kind != SIM_OP_REGISTER)
            return NULL;
        if (!parts)
            continue;
        if (SIM_PARTS_KIND(parts) != kind || digits > count || (k && digits != count))
            return NULL;
        for (uint32_t i = 0; i < digits; i++)
            if (SIM_PARTS_DIGIT(parts, i) >= (k ? 2 * count : count) ||
                (k == 0 && i && SIM_PARTS_DIGIT(parts, i) <= SIM_PARTS_DIGIT(parts, i - 1)))
                return NULL;
    }
    return run_parts;
}

#define COMPARED "eq ne lt le gt ge "
#define SIMD(name)                               \
    {                                            \
        name, "sat add", "d.a1.a2.a", pick_parts \
    }
const struct sim_instruction sim_video_instructions[] = {
    { "vadd", "sat add min max", "d.a1.a2.a?", pick_scalar },
    { "vsub", "sat add min max", "d.a1.a2.a?", pick_scalar },
    { "vabsdiff", "sat add min max", "d.a1.a2.a?", pick_scalar },
    { "vmin", "sat add min max", "d.a1.a2.a?", pick_scalar },
    { "vmax", "sat add min max", "d.a1.a2.a?", pick_scalar },
    { "vshl", "sat clamp wrap add min max", "d.a1.a2.a?", pick_scalar },
    { "vshr", "sat clamp wrap add min max", "d.a1.a2.a?", pick_scalar },
    { "vset", COMPARED "add min max", "d.a.a1.a?", pick_scalar },
    { "vmad", "po sat shr7 shr15", "da1-.a2-.a-", pick_vmad },
    SIMD("vadd2"),
    SIMD("vsub2"),
    SIMD("vavrg2"),
    SIMD("vabsdiff2"),
    SIMD("vmin2"),
    SIMD("vmax2"),
    SIMD("vadd4"),
    SIMD("vsub4"),
    SIMD("vavrg4"),
    SIMD("vabsdiff4"),
    SIMD("vmin4"),
    SIMD("vmax4"),
    { "vset2", COMPARED "add", "d.a.a1.a", pick_parts },
    { "vset4", COMPARED "add", "d.a.a1.a", pick_parts },
    { NULL, NULL, NULL, NULL },
};
