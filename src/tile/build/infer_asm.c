// Rules of inline PTX: every placeholder must exist, every operand must be used, and common
// instructions must get registers of the right width. The assembler and the interpreter find other
// errors.
#include "infer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Register kinds by width, as in tile_register_bits().
enum register_kind { ANY = 0, PREDICATE = 1, BITS16 = 16, BITS32 = 32, BITS64 = 64 };

static const char *kind_text(enum register_kind kind)
{
    switch (kind) {
    case PREDICATE:
        return ".pred";
    case BITS16:
        return ".b16";
    case BITS32:
        return ".b32";
    case BITS64:
        return ".b64";
    case ANY:
        break;
    }
    return "";
}

// Looks a word up in a list separated by spaces.
static bool is_among(const char *at, size_t bytes, const char *words)
{
    for (; *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        if (length == bytes && memcmp(words, at, bytes) == 0)
            return true;
        words += length;
    }
    return false;
}

// Returns the register kind of an instruction's type suffix; ANY if the word is not a known type.
static enum register_kind type_of(const char *at, size_t bytes)
{
    static const struct {
        const char *names;
        enum register_kind kind;
    } types[] = {
        { "pred", PREDICATE },
        { "f16 bf16 b16 u16 s16 e4m3x2 e5m2x2", BITS16 },
        { "f32 b32 u32 s32 f16x2 bf16x2 tf32", BITS32 },
        { "f64 b64 u64 s64 f32x2", BITS64 },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (is_among(at, bytes, types[i].names))
            return types[i].kind;
    return ANY;
}

// One letter per operand: t has the instruction's first type, u its second; w is twice as wide as
// the first if the instruction has .wide; d is 32 bits; p is a predicate. `wider`: registers may be
// wider than their types.
static const struct instruction {
    const char *names, *operands;
    bool wider;
} instructions[] = {
    { "add sub div rem min max and or xor copysign", "ttt", false },
    { "mul", "wtt", false },
    { "mad", "wttw", false },
    { "fma lop3 prmt sad", "tttt", false },
    { "neg abs not cnot sqrt rsqrt rcp ex2 lg2 sin cos tanh brev mov", "tt", false },
    { "selp", "tttp", false },
    { "shl shr", "ttd", false },
    { "popc clz bfind", "dt", false },
    { "bfe", "ttdd", false },
    { "bfi", "tttdd", false },
    { "setp", "ptt", false },
    { "cvt", "tu", true },
};

static const struct instruction *find_instruction(const char *at, size_t bytes)
{
    for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++)
        if (is_among(at, bytes, instructions[i].names))
            return &instructions[i];
    return NULL;
}

// One instruction of the text, and its parsed words.
struct statement {
    const char *at, *end;       // after the guard
    const char *name_end;       // the end of the first word
    enum register_kind type[2]; // the first and second type
    uint32_t types;
    bool wide;
};

static struct statement read_words(const char *at, const char *end)
{
    struct statement s = { .end = end };

    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at < end && *at == '@') { // @p or @!p
        while (at < end && !isspace((unsigned char)*at))
            at++;
        while (at < end && isspace((unsigned char)*at))
            at++;
    }
    s.at = at;
    while (at < end && !isspace((unsigned char)*at))
        at++;
    s.name_end = at;
    for (const char *word = s.at; word < s.name_end;) {
        const char *next = memchr(word, '.', (size_t)(s.name_end - word));
        size_t bytes = (size_t)((next ? next : s.name_end) - word);
        enum register_kind kind = type_of(word, bytes);
        s.wide |= is_among(word, bytes, "wide");
        if (kind != ANY && s.types++ < 2)
            s.type[s.types - 1] = kind;
        word += bytes + 1;
    }
    return s;
}

static enum register_kind expected(const struct statement *s, char letter)
{
    switch (letter) {
    case 't':
        return s->type[0];
    case 'u':
        return s->type[1];
    case 'w':
        return !s->wide               ? s->type[0]
               : s->type[0] == BITS16 ? BITS32
               : s->type[0] == BITS32 ? BITS64
                                      : ANY;
    case 'p':
        return PREDICATE;
    default:
        return BITS32;
    }
}

// Returns the number of the placeholder if it is the whole operand; otherwise -1.
static long sign_of(const char *at, const char *end)
{
    char *behind;

    while (at < end && (isspace((unsigned char)*at) || *at == '-' || *at == '!'))
        at++;
    if (end - at < 2 || *at != '$' || !isdigit((unsigned char)at[1]))
        return -1;
    long number = strtol(at + 1, &behind, 10);
    while (behind < end && isspace((unsigned char)*behind))
        behind++;
    return behind == end ? number : -1;
}

static bool need_registers(struct tile_builder *b, const struct tile_op *op, cuc_dtype result,
                           const char *at, const char *end)
{
    struct statement s = read_words(at, end);
    const char *dot = memchr(s.at, '.', (size_t)(s.name_end - s.at));
    const struct instruction *row =
        find_instruction(s.at, (size_t)((dot ? dot : s.name_end) - s.at));

    // A form with more types than the row lists is a different instruction.
    if (!row || s.types != (row->wider ? 2u : 1u))
        return true;
    at = s.name_end;
    for (const char *letter = row->operands; *letter && at < end; letter++) {
        const char *comma = at;
        while (comma < end && *comma != ',' && *comma != '{')
            comma++;
        if (comma < end && *comma == '{') // a vector, which consists of several registers
            return true;
        long number = sign_of(at, comma);
        enum register_kind want = expected(&s, *letter);
        cuc_dtype dtype = number > 0 ? op->operand[number - 1]->type.dtype : result;
        enum register_kind got = (enum register_kind)tile_register_bits(dtype);
        if (number >= 0 && want != ANY &&
            (row->wider && want != PREDICATE && got != PREDICATE ? got < want : got != want))
            return tile_wrong(b, op, TILE_T101,
                              "operand $%ld: expected a %s register for %.*s, got %s, which is %s",
                              number, kind_text(want), (int)(s.name_end - s.at), s.at,
                              cuc_dtype_name(dtype), kind_text(got));
        at = comma < end ? comma + 1 : end;
    }
    return true;
}

// Checks the placeholders: $0 is the result, and $1 and up are the operands.
static bool need_signs(struct tile_builder *b, const struct tile_op *op, const char *text)
{
    uint64_t used = 0;

    for (const char *at = text; (at = strchr(at, '$')); at++) {
        unsigned long number = strtoul(at + 1, NULL, 10);
        if (!isdigit((unsigned char)at[1]))
            continue;
        if (number > op->operand_count)
            return tile_wrong(b, op, TILE_T504,
                              "$%lu: expected $0, the result, to $%u, the last operand", number,
                              op->operand_count);
        used |= UINT64_C(1) << number;
    }
    for (uint32_t i = 0; i <= op->operand_count; i++)
        if (!(used >> i & 1))
            return tile_wrong(b, op, TILE_T504, "$%u: the text does not have it, which is %s", i,
                              i ? "an operand: use it, or leave it out"
                                : "the result: write to it");
    return true;
}

bool tile_infer_asm(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    const struct tile_attribute *attribute = tile_attribute(op, TILE_ATTR_TEXT);
    struct tile_type type = op->operand_count ? op->operand[0]->type : tile_scalar(wanted->dtype);
    const char *text = attribute ? attribute->text : "";

    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tile_need_tile(b, op, i) || !tile_need_same_shape(b, op, i, &op->operand[0]->type))
            return false;
    if (!need_signs(b, op, text))
        return false;
    for (const char *at = text; *at;) {
        const char *end = at + strcspn(at, ";\n");
        if (!need_registers(b, op, wanted->dtype, at, end))
            return false;
        at = *end ? end + 1 : end;
    }
    type.dtype = wanted->dtype;
    return tile_set_result(b, op, 0, &type);
}
