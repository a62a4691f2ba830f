// Moves, comparisons and selections.
#include "compare.h"
#include "base/array.h"
#include "alu.h"
#include "formats.h"

#define SOURCE(type, k) const type *const at##k = (const type *)(const void *)(w->f + op->o[k])
#define DESTINATION(type) type *const at0 = (type *)(void *)(w->f + op->o[0])

// Moves a value between registers.
#define MOVE(name, type)                      \
    SIM_HANDLER(name)                         \
    {                                         \
        DESTINATION(type);                    \
        SOURCE(type, 1);                      \
        SIM_ALU_LANES(mask, at0[i] = at1[i]); \
        return SIM_NEXT;                      \
    }
MOVE(move_32, uint32_t)
MOVE(move_64, uint64_t)
SIM_HANDLER(move_128)
{
    DESTINATION(uint64_t);
    SOURCE(uint64_t, 1);
    SIM_ALU_LANES(mask, at0[i] = at1[i]; at0[i + SIM_WARP] = at1[i + SIM_WARP]);
    return SIM_NEXT;
}
SIM_HANDLER(move_predicate)
{
    uint32_t *d = &SIM_RP(w, op->o[0]);
    *d = (*d & ~mask) | (SIM_RP(w, op->o[1]) & mask);
    return SIM_NEXT;
}

sim_handler *sim_pick_mov(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    if (words->types != 1)
        return NULL;
    if (words->type[0] == SIM_PRED)
        return move_predicate;
    if (!sim_is_plain(words->type[0]))
        return NULL;
    switch (sim_type_bytes(words->type[0])) {
    case 16:
        return move_128;
    case 8:
        return move_64;
    case 4:
    case 2:
        return move_32;
    default:
        return NULL;
    }
}

// Moves a vector, or a vector special register such as %tid, to a vector of equal shape.
SIM_HANDLER(move_vector)
{
    const uint32_t count = op->list_count / 2;
    const bool wide = op->extra == 8;
    SIM_LANES(
        mask, lane, uint64_t value[4];
        for (uint32_t k = 0; k < count; k++) value[k] =
            wide ? SIM_R64(w, op->list[count + k])[lane] : SIM_R32(w, op->list[count + k])[lane];
        for (uint32_t k = 0; k < count; k++) {
            if (op->list[k] == SIM_NO_OPERAND)
                continue;
            if (wide)
                SIM_R64(w, op->list[k])[lane] = value[k];
            else
                SIM_R32(w, op->list[k])[lane] = (uint32_t)value[k];
        });
    return SIM_NEXT;
}

sim_handler *sim_pick_mov_vector(const struct sim_words *words, struct sim_op *op)
{
    const uint32_t count = sim_has(words, "v4") ? 4 : 2;

    if (!sim_has(words, "v2") && !sim_has(words, "v4"))
        *words->why = ""; // an ordinary mov
    if (words->types != 1 || !sim_is_plain(words->type[0]) || op->o[1] != count ||
        op->list_count != 2 * count || sim_has(words, "v2") == sim_has(words, "v4"))
        return NULL;
    op->extra = sim_type_bytes(words->type[0]);
    return op->extra < 2 || op->extra > 8 ? NULL : move_vector;
}

// Packs the elements of a vector into one operand, lowest first. `extra` has the size of an
// element, the size of the whole, and one bit per element that is a constant. A constant is the
// same in all lanes, so it is read from lane 0, which works for constants of any width.
enum { EXTRA_WHOLE = 8, EXTRA_CONSTANTS = 16 };
SIM_HANDLER(pack_any)
{
    const uint32_t each = op->extra & 0xff, whole = op->extra >> EXTRA_WHOLE & 0xff;
    SIM_LANES(
        mask, lane, uint64_t value[2] = { 0, 0 }; for (uint32_t k = 0; k < whole / each; k++) {
            uint32_t at = op->extra >> EXTRA_CONSTANTS >> k & 1 ? 0 : lane;
            uint32_t bit = 8 * each * k;
            uint64_t part = each == 8 ? SIM_R64(w, op->list[k])[at] : SIM_R32(w, op->list[k])[at];
            if (each < 4)
                part &= (UINT64_C(1) << 8 * each) - 1;
            value[bit / 64] |= part << (bit & 63);
        } if (whole == 16) {
            SIM_R64(w, op->o[0])[lane] = value[0];
            SIM_R64(w, op->o[0])[lane + SIM_WARP] = value[1];
        } else if (whole == 8) {
            SIM_R64(w, op->o[0])[lane] = value[0];
        } else {
            SIM_R32(w, op->o[0])[lane] = (uint32_t)value[0];
        });
    return SIM_NEXT;
}
SIM_HANDLER(pack_halves)
{
    DESTINATION(uint32_t);
    const uint32_t *low = SIM_R32(w, op->list[0]), *high = SIM_R32(w, op->list[1]);
    SIM_ALU_LANES(mask, at0[i] = (low[i] & 0xffff) | high[i] << 16);
    return SIM_NEXT;
}
SIM_HANDLER(pack_words)
{
    DESTINATION(uint64_t);
    const uint32_t *low = SIM_R32(w, op->list[0]), *high = SIM_R32(w, op->list[1]);
    SIM_ALU_LANES(mask, at0[i] = low[i] | (uint64_t)high[i] << 32);
    return SIM_NEXT;
}

// Unpacks an operand into elements. A destination may be `_` or the source's own register, but must
// not overlap the source partially.
SIM_HANDLER(unpack_any)
{
    const uint32_t each = op->extra & 0xff, whole = op->extra >> EXTRA_WHOLE & 0xff;
    SIM_LANES(
        mask, lane,
        uint64_t value[2] = { whole < 8 ? SIM_R32(w, op->o[1])[lane] : SIM_R64(w, op->o[1])[lane],
                              whole == 16 ? SIM_R64(w, op->o[1])[lane + SIM_WARP] : 0 };
        for (uint32_t k = 0; k < whole / each; k++) {
            uint32_t bit = 8 * each * k;
            uint64_t part = value[bit / 64] >> (bit & 63);
            if (op->list[k] == SIM_NO_OPERAND)
                continue;
            if (each == 8)
                SIM_R64(w, op->list[k])[lane] = part;
            else
                SIM_R32(w, op->list[k])
            [lane] = (uint32_t)(each == 4 ? part : part & ((UINT64_C(1) << 8 * each) - 1));
        });
    return SIM_NEXT;
}

static bool vector_shape(const struct sim_words *words, const struct sim_operand *vector,
                         struct sim_op *op)
{
    const uint32_t whole = words->types == 1 ? sim_type_bytes(words->type[0]) : 0;
    const uint32_t count = op->list_count;

    if (vector->kind != SIM_OP_VECTOR) {
        *words->why = ""; // an ordinary mov
        return false;
    }
    if ((count != 2 && count != 4 && count != 8) || whole < count || whole % count)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const struct sim_operand *e = &vector->list[k];
        uint32_t bytes = whole / count;
        if (e->kind == SIM_OP_REGISTER)
            bytes = sim_type_bytes(words->function->registers[e->reg].type);
        else if (e->kind == SIM_OP_SPECIAL)
            bytes = 4;
        if (bytes == whole / count)
            continue;
        *words->why = "an element of the vector is not a register of its part of the whole";
        return false;
    }
    op->extra = whole / count | whole << EXTRA_WHOLE;
    return true;
}

sim_handler *sim_pick_pack(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_operand *vector = &words->statement->operand[1];

    if (!vector_shape(words, vector, op))
        return NULL;
    uint32_t constants = 0;
    for (uint32_t k = 0; k < vector->count; k++)
        if (vector->list[k].kind == SIM_OP_INTEGER || vector->list[k].kind == SIM_OP_F32 ||
            vector->list[k].kind == SIM_OP_F64 || vector->list[k].kind == SIM_OP_SINK)
            constants |= UINT32_C(1) << k;
    op->extra |= constants << EXTRA_CONSTANTS;
    if (!constants && op->list_count == 2 && sim_type_bytes(words->type[0]) == 4)
        return pack_halves;
    if (!constants && op->list_count == 2 && sim_type_bytes(words->type[0]) == 8)
        return pack_words;
    return pack_any;
}

sim_handler *sim_pick_unpack(const struct sim_words *words, struct sim_op *op)
{
    return vector_shape(words, &words->statement->operand[0], op) ? unpack_any : NULL;
}

// Comparisons return a mask with a bit for each lane. The table is indexed by relation and operand
// type.
enum how { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, ISNAN, HOWS };
enum what { U16, S16, U32, S32, U64, S64, F16, F16_FTZ, BF16, F32, F32_FTZ, F64, WHATS };

// `shift`: 16 for the upper half of a pair, otherwise 0
typedef uint32_t comparison(const struct sim_warp *w, const struct sim_op *op, uint32_t shift);

static inline uint32_t gather(const unsigned char flags[SIM_WARP])
{
    uint32_t result = 0;
    for (uint32_t k = 0; k < SIM_WARP; k += 8) {
        uint64_t eight;
        memcpy(&eight, flags + k, 8);
        // The multiplication moves byte n, which is 0 or 1, to bit 56 + n. No terms overlap.
        result |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << k;
    }
    return result;
}

static inline float compared_f16(uint32_t h)
{
    return sim_f16_to_f32(h & 0xffff);
}
static inline float compared_f16_ftz(uint32_t h)
{
    return sim_f16_to_f32(sim_flush16(h & 0xffff));
}
static inline float compared_bf16(uint32_t h)
{
    return sim_bf16_to_f32(h & 0xffff);
}
static inline float compared_f32_ftz(uint32_t x)
{
    return sim_flush32(sim_float32(x));
}

#define COMPARE(what, how, slot, value, load, condition)                                      \
    static uint32_t compare_##what##_##how(const struct sim_warp *w, const struct sim_op *op, \
                                           uint32_t shift)                                    \
    {                                                                                         \
        SOURCE(slot, 1);                                                                      \
        SOURCE(slot, 2);                                                                      \
        unsigned char flags[SIM_WARP];                                                        \
        SIM_NO_DEPENDENCE                                                                     \
        for (uint32_t i = 0; i < SIM_WARP; i++) {                                             \
            const value a = load(at1[i] >> shift), b = load(at2[i] >> shift);                 \
            flags[i] = (unsigned char)(condition);                                            \
        }                                                                                     \
        return gather(flags);                                                                 \
    }
#define COMPARE_ORDER(what, ...)           \
    COMPARE(what, EQ, __VA_ARGS__, a == b) \
    COMPARE(what, LT, __VA_ARGS__, a < b)  \
    COMPARE(what, LE, __VA_ARGS__, a <= b) \
    COMPARE(what, GT, __VA_ARGS__, a > b)  \
    COMPARE(what, GE, __VA_ARGS__, a >= b)
#define COMPARE_INTEGER(what, ...)   \
    COMPARE_ORDER(what, __VA_ARGS__) \
    COMPARE(what, NE, __VA_ARGS__, a != b)
#define COMPARE_FLOAT(what, ...)                          \
    COMPARE_ORDER(what, __VA_ARGS__)                      \
    COMPARE(what, NE, __VA_ARGS__, (a < b) | (a > b))     \
    COMPARE(what, EQU, __VA_ARGS__, !((a < b) | (a > b))) \
    COMPARE(what, NEU, __VA_ARGS__, a != b)               \
    COMPARE(what, LTU, __VA_ARGS__, !(a >= b))            \
    COMPARE(what, LEU, __VA_ARGS__, !(a > b))             \
    COMPARE(what, GTU, __VA_ARGS__, !(a <= b))            \
    COMPARE(what, GEU, __VA_ARGS__, !(a < b))             \
    COMPARE(what, NUM, __VA_ARGS__, (a == a) & (b == b))  \
    COMPARE(what, ISNAN, __VA_ARGS__, (a != a) | (b != b))
COMPARE_INTEGER(U16, uint32_t, uint16_t, (uint16_t))
COMPARE_INTEGER(S16, uint32_t, int16_t, (int16_t))
COMPARE_INTEGER(U32, uint32_t, uint32_t, (uint32_t))
COMPARE_INTEGER(S32, uint32_t, int32_t, (int32_t))
COMPARE_INTEGER(U64, uint64_t, uint64_t, (uint64_t))
COMPARE_INTEGER(S64, uint64_t, int64_t, (int64_t))
COMPARE_FLOAT(F16, uint32_t, float, compared_f16)
COMPARE_FLOAT(F16_FTZ, uint32_t, float, compared_f16_ftz)
COMPARE_FLOAT(BF16, uint32_t, float, compared_bf16)
COMPARE_FLOAT(F32, uint32_t, float, sim_float32)
COMPARE_FLOAT(F32_FTZ, uint32_t, float, compared_f32_ftz)
COMPARE_FLOAT(F64, uint64_t, double, sim_float64)

#define INTEGER_ROW(what)                                                                   \
    [what] = {                                                                              \
        [EQ] = compare_##what##_EQ, [NE] = compare_##what##_NE, [LT] = compare_##what##_LT, \
        [LE] = compare_##what##_LE, [GT] = compare_##what##_GT, [GE] = compare_##what##_GE  \
    }
#define FLOAT_ROW(what)                                                           \
    [what] = { compare_##what##_EQ,  compare_##what##_NE,   compare_##what##_LT,  \
               compare_##what##_LE,  compare_##what##_GT,   compare_##what##_GE,  \
               compare_##what##_EQU, compare_##what##_NEU,  compare_##what##_LTU, \
               compare_##what##_LEU, compare_##what##_GTU,  compare_##what##_GEU, \
               compare_##what##_NUM, compare_##what##_ISNAN }
static comparison *const comparisons[WHATS][HOWS] = {
    INTEGER_ROW(U16), INTEGER_ROW(S16), INTEGER_ROW(U32),   INTEGER_ROW(S32),
    INTEGER_ROW(U64), INTEGER_ROW(S64), FLOAT_ROW(F16),     FLOAT_ROW(F16_FTZ),
    FLOAT_ROW(BF16),  FLOAT_ROW(F32),   FLOAT_ROW(F32_FTZ), FLOAT_ROW(F64),
};

static const struct {
    const char *word;
    enum how how;
    bool is_unsigned; // for unsigned integers only
} hows[] = {
    { "eq", EQ, false },   { "ne", NE, false },     { "lt", LT, false },   { "le", LE, false },
    { "gt", GT, false },   { "ge", GE, false },     { "lo", LT, true },    { "ls", LE, true },
    { "hi", GT, true },    { "hs", GE, true },      { "equ", EQU, false }, { "neu", NEU, false },
    { "ltu", LTU, false }, { "leu", LEU, false },   { "gtu", GTU, false }, { "geu", GEU, false },
    { "num", NUM, false }, { "nan", ISNAN, false },
};
static const struct {
    enum sim_type type;
    enum what what, ftz;
    char kind; // b: only equality; u: unsigned; x: a pair
} whats[] = {
    { SIM_B16, U16, WHATS, 'b' },     { SIM_B32, U32, WHATS, 'b' },
    { SIM_B64, U64, WHATS, 'b' },     { SIM_U16, U16, WHATS, 'u' },
    { SIM_U32, U32, WHATS, 'u' },     { SIM_U64, U64, WHATS, 'u' },
    { SIM_S16, S16, WHATS, 's' },     { SIM_S32, S32, WHATS, 's' },
    { SIM_S64, S64, WHATS, 's' },     { SIM_F16, F16, F16_FTZ, 'f' },
    { SIM_BF16, BF16, WHATS, 'f' },   { SIM_F32, F32, F32_FTZ, 'f' },
    { SIM_F64, F64, WHATS, 'f' },     { SIM_F16X2, F16, F16_FTZ, 'x' },
    { SIM_BF16X2, BF16, WHATS, 'x' },
};

// Fields of `extra`: the comparison, how to combine it with the predicate operand, a flag for
// pairs, and the result type of `set`.
enum { JOIN_NONE, JOIN_AND, JOIN_OR, JOIN_XOR };
enum { EXTRA_JOIN = 8, EXTRA_PAIR = 10, EXTRA_TRUE = 12 };

static uint32_t compare(const struct sim_warp *w, const struct sim_op *op, uint32_t shift)
{
    const uint32_t which = op->extra & 0xff;
    return comparisons[which / HOWS][which % HOWS](w, op, shift);
}

static uint32_t join(const struct sim_warp *w, const struct sim_op *op, uint32_t t)
{
    const uint32_t c = op->o[3] == SIM_NO_OPERAND ? 0 : SIM_RP(w, op->o[3]);
    switch (op->extra >> EXTRA_JOIN & 3) {
    case JOIN_AND:
        return t & c;
    case JOIN_OR:
        return t | c;
    case JOIN_XOR:
        return t ^ c;
    default:
        return t;
    }
}

static void put_predicate(struct sim_warp *w, uint32_t at, uint32_t value, uint32_t mask)
{
    if (at != SIM_NO_OPERAND)
        SIM_RP(w, at) = (SIM_RP(w, at) & ~mask) | (value & mask);
}

SIM_HANDLER(run_setp)
{
    const uint32_t t = compare(w, op, 0);
    const uint32_t other = op->extra >> EXTRA_PAIR & 1 ? compare(w, op, 16) : ~t;
    const uint32_t p = join(w, op, t), q = join(w, op, other);
    put_predicate(w, op->o[0], p, mask);
    put_predicate(w, op->o[5], q, mask);
    return SIM_NEXT;
}

// The value that represents true in each result type.
static const struct {
    enum sim_type type;
    uint32_t value;
} truths[] = {
    { SIM_U32, UINT32_MAX }, { SIM_S32, UINT32_MAX }, { SIM_U16, 0xffff },
    { SIM_S16, UINT32_MAX }, { SIM_F32, 0x3f800000 }, { SIM_F16, 0x3c00 },
    { SIM_BF16, 0x3f80 },    { SIM_F16X2, 0x3c00 },   { SIM_BF16X2, 0x3f80 },
};
SIM_HANDLER(run_set)
{
    const uint32_t yes = truths[op->extra >> EXTRA_TRUE].value;
    const uint32_t low = join(w, op, compare(w, op, 0));
    const bool pair = op->extra >> EXTRA_PAIR & 1;
    const uint32_t high = pair ? join(w, op, compare(w, op, 16)) : 0;
    DESTINATION(uint32_t);
    SIM_ALU_LANES(mask, uint32_t d = low >> i & 1 ? yes : 0;
                  at0[i] = high >> i & 1 ? d | yes << 16 : d);
    return SIM_NEXT;
}

static bool pick_comparison(const struct sim_words *words, enum sim_type type, struct sim_op *op,
                            char *kind)
{
    const bool ftz = sim_has(words, "ftz");
    const uint32_t joins = (uint32_t)sim_has(words, "and") + sim_has(words, "or") +
                           sim_has(words, "xor");
    uint32_t h = 0, found = 0, t = 0;

    for (uint32_t k = 0; k < CUC_LENGTH(hows); k++) {
        if (sim_has(words, hows[k].word)) {
            h = k;
            found++;
        }
    }
    while (t < CUC_LENGTH(whats) && whats[t].type != type)
        t++;
    if (found != 1 || t == CUC_LENGTH(whats) || joins > 1 || joins != (op->o[3] != SIM_NO_OPERAND))
        return false;
    enum what what = ftz ? whats[t].ftz : whats[t].what;
    *kind = whats[t].kind;
    if (what == WHATS || !comparisons[what][hows[h].how] || (hows[h].is_unsigned && *kind != 'u') ||
        (*kind == 'b' && hows[h].how > NE))
        return false;
    op->extra = (uint32_t)what * HOWS + (uint32_t)hows[h].how;
    op->extra |= (uint32_t)(sim_has(words, "and")  ? JOIN_AND
                            : sim_has(words, "or") ? JOIN_OR
                            : joins                ? JOIN_XOR
                                                   : JOIN_NONE)
                 << EXTRA_JOIN;
    op->extra |= (uint32_t)(*kind == 'x') << EXTRA_PAIR;
    return true;
}

sim_handler *sim_pick_setp(const struct sim_words *words, struct sim_op *op)
{
    char kind;

    if (words->types != 1 || !pick_comparison(words, words->type[0], op, &kind))
        return NULL;
    // In comparisons of pairs, the second predicate is that of the upper half. Single halves have
    // no second predicate.
    if (op->o[5] != SIM_NO_OPERAND && (words->type[0] == SIM_F16 || words->type[0] == SIM_BF16))
        return NULL;
    return run_setp;
}

sim_handler *sim_pick_set(const struct sim_words *words, struct sim_op *op)
{
    char kind;

    if (words->types != 2 || !pick_comparison(words, words->type[1], op, &kind))
        return NULL;
    // For a pair, each half has its own result. The two results form another pair or are the halves
    // of an integer.
    const bool pair = kind == 'x';
    enum sim_type type = words->type[0], from = words->type[1];
    const bool half = from == SIM_F16 || from == SIM_BF16;
    // Only comparisons of halves have 16-bit integer results. They have no float results of more
    // than 16 bits.
    if ((!half && (type == SIM_U16 || type == SIM_S16)) || (half && type == SIM_F32) ||
        (from == SIM_BF16 && type == SIM_F16) || (sim_has(words, "ftz") && type == SIM_BF16))
        return NULL;
    if (pair && (type == SIM_U32 || type == SIM_S32))
        type = SIM_U16;
    else if (pair ? type != words->type[1] : type == SIM_F16X2 || type == SIM_BF16X2)
        return NULL;
    for (uint32_t k = 0; k < CUC_LENGTH(truths); k++) {
        if (type == truths[k].type) {
            op->extra |= k << EXTRA_TRUE;
            return run_set;
        }
    }
    return NULL;
}

// Selections.
#define SELECT(bits)                                                      \
    SIM_HANDLER(select_##bits)                                            \
    {                                                                     \
        DESTINATION(uint##bits##_t);                                      \
        SOURCE(uint##bits##_t, 1);                                        \
        SOURCE(uint##bits##_t, 2);                                        \
        const uint32_t p = SIM_RP(w, op->o[3]);                           \
        SIM_ALU_LANES(mask, at0[i] = p >> i & 1 ? at1[i] : at2[i]);       \
        return SIM_NEXT;                                                  \
    }                                                                     \
    SIM_HANDLER(select_sign_##bits)                                       \
    {                                                                     \
        DESTINATION(uint##bits##_t);                                      \
        SOURCE(uint##bits##_t, 1);                                        \
        SOURCE(uint##bits##_t, 2);                                        \
        SOURCE(int32_t, 3);                                               \
        SIM_ALU_LANES(mask, at0[i] = at3[i] >= 0 ? at1[i] : at2[i]);      \
        return SIM_NEXT;                                                  \
    }                                                                     \
    SIM_HANDLER(select_float_##bits)                                      \
    {                                                                     \
        DESTINATION(uint##bits##_t);                                      \
        SOURCE(uint##bits##_t, 1);                                        \
        SOURCE(uint##bits##_t, 2);                                        \
        SOURCE(float, 3);                                                 \
        const bool ftz = op->extra;                                       \
        SIM_ALU_LANES(mask, float c = ftz ? sim_flush32(at3[i]) : at3[i]; \
                      at0[i] = c >= 0 ? at1[i] : at2[i]);                 \
        return SIM_NEXT;                                                  \
    }
SELECT(32)
SELECT(64)

static uint32_t selected_bytes(enum sim_type type)
{
    const uint32_t bytes = sim_type_bytes(type);
    return !sim_is_plain(type) || bytes < 2 || bytes > 8 ? 0 : bytes;
}

sim_handler *sim_pick_selp(const struct sim_words *words, struct sim_op *op)
{
    const uint32_t bytes = words->types == 1 ? selected_bytes(words->type[0]) : 0;

    (void)op;
    if (!bytes)
        return NULL;
    return bytes == 8 ? select_64 : select_32;
}

sim_handler *sim_pick_slct(const struct sim_words *words, struct sim_op *op)
{
    const uint32_t bytes = words->types == 2 ? selected_bytes(words->type[0]) : 0;

    op->extra = sim_has(words, "ftz");
    if (!bytes)
        return NULL;
    if (words->type[1] == SIM_S32 && !op->extra)
        return bytes == 8 ? select_sign_64 : select_sign_32;
    if (words->type[1] == SIM_F32)
        return bytes == 8 ? select_float_64 : select_float_32;
    return NULL;
}

// testp treats zero as normal.
enum { FINITE, INFINITE, NUMBER, NOTANUMBER, NORMAL, SUBNORMAL };
static bool test(uint64_t magnitude, uint64_t infinity, uint64_t smallest, uint32_t which)
{
    switch (which) {
    case FINITE:
        return magnitude < infinity;
    case INFINITE:
        return magnitude == infinity;
    case NUMBER:
        return magnitude <= infinity;
    case NOTANUMBER:
        return magnitude > infinity;
    case NORMAL:
        return magnitude < infinity && (magnitude >= smallest || magnitude == 0);
    default:
        return magnitude < smallest && magnitude != 0;
    }
}
SIM_HANDLER(run_testp_32)
{
    const uint32_t *a = SIM_R32(w, op->o[1]);
    uint32_t result = 0;
    SIM_LANES(mask, i, uint64_t magnitude = a[i] & 0x7fffffff;
              result |= (uint32_t)test(magnitude, 0x7f800000, 0x800000, op->extra) << i);
    put_predicate(w, op->o[0], result, mask);
    return SIM_NEXT;
}
SIM_HANDLER(run_testp_64)
{
    const uint64_t *a = SIM_R64(w, op->o[1]);
    uint32_t result = 0;
    SIM_LANES(mask, i, uint64_t magnitude = a[i] & 0x7fffffffffffffff;
              result |= (uint32_t)test(magnitude, 0x7ff0000000000000, 0x10000000000000, op->extra)
                        << i);
    put_predicate(w, op->o[0], result, mask);
    return SIM_NEXT;
}

sim_handler *sim_pick_testp(const struct sim_words *words, struct sim_op *op)
{
    static const char *const tests[] = { "finite",     "infinite", "number",
                                         "notanumber", "normal",   "subnormal" };
    uint32_t found = 0;

    for (uint32_t k = 0; k < CUC_LENGTH(tests); k++) {
        if (sim_has(words, tests[k])) {
            op->extra = k;
            found++;
        }
    }
    if (words->types != 1 || found != 1 || op->o[5] != SIM_NO_OPERAND)
        return NULL;
    return words->type[0] == SIM_F32   ? run_testp_32
           : words->type[0] == SIM_F64 ? run_testp_64
                                       : NULL;
}
