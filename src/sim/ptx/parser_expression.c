#include "base/array.h"
#include "parser.h"

#include <string.h>

enum { MAX_DEPTH = 64 };

// Binary operators, lowest precedence first. Result types follow "Summary of Constant Expression
// Evaluation Rules" of the PTX ISA, except where ptxas 13.0 deviates: `&`, `|` and `^` of two .s64
// give .s64, `?:` keeps the type of the chosen operand, and shifts use the low six bits of their
// distance.
static const struct infix {
    int sign;
    int level;
} infixes[] = {
    { CUC__PTX_PAIR('|', '|'), 1 },
    { CUC__PTX_PAIR('&', '&'), 2 },
    { '|', 3 },
    { '^', 4 },
    { '&', 5 },
    { CUC__PTX_PAIR('=', '='), 6 },
    { CUC__PTX_PAIR('!', '='), 6 },
    { '<', 7 },
    { '>', 7 },
    { CUC__PTX_PAIR('<', '='), 7 },
    { CUC__PTX_PAIR('>', '='), 7 },
    { CUC__PTX_PAIR('<', '<'), 8 },
    { CUC__PTX_PAIR('>', '>'), 8 },
    { '+', 9 },
    { '-', 9 },
    { '*', 10 },
    { '/', 10 },
    { '%', 10 },
};
enum { LEVEL_ADDITIVE = 9 };

static struct sim_constant conditional(struct sim_parser *p, unsigned depth);

static const struct infix *current_infix(const struct sim_parser *p)
{
    if (p->token.kind != CUC__PTX_SIGN)
        return NULL;
    for (size_t i = 0; i < CUC_LENGTH(infixes); i++) {
        if (infixes[i].sign == p->token.sign)
            return &infixes[i];
    }
    return NULL;
}

static struct sim_constant integer(enum sim_constant_kind kind, uint64_t bits)
{
    return (struct sim_constant){ kind, bits };
}

static double as_f64(struct sim_constant c)
{
    double d;

    if (c.kind == SIM_CONSTANT_S64)
        return (double)(int64_t)c.bits;
    if (c.kind == SIM_CONSTANT_U64)
        return (double)c.bits;
    memcpy(&d, &c.bits, sizeof(d));
    return d;
}

static struct sim_constant from_f64(double d)
{
    struct sim_constant c = { SIM_CONSTANT_F64, 0 };

    memcpy(&c.bits, &d, sizeof(d));
    return c;
}

static bool is_integer(struct sim_constant c)
{
    return c.kind == SIM_CONSTANT_S64 || c.kind == SIM_CONSTANT_U64;
}

static struct sim_constant primary(struct sim_parser *p, unsigned depth)
{
    struct sim_constant c = { SIM_CONSTANT_S64, p->token.value };

    switch ((int)p->token.kind) {
    case CUC__PTX_INTEGER:
        if (p->token.is_unsigned)
            c.kind = SIM_CONSTANT_U64;
        break;
    case CUC__PTX_F32:
        c.kind = SIM_CONSTANT_F32;
        break;
    case CUC__PTX_F64:
        c.kind = SIM_CONSTANT_F64;
        break;
    case CUC__PTX_NAME:
        if (p->name->special != SIM_SR_WARP_SZ + 1)
            sim_parser_expected(p, "a constant");
        c.bits = 32;
        break;
    default:
        if (!sim_parser_accept(p, '('))
            sim_parser_expected(p, "a constant");
        c = conditional(p, depth + 1);
        sim_parser_expect(p, ')', "an operator or )");
        return c;
    }
    sim_parser_next(p);
    return c;
}

static struct sim_constant unary(struct sim_parser *p, unsigned depth)
{
    struct sim_constant c;

    if (depth > MAX_DEPTH)
        sim_parser_expected(p, "a constant that is less deeply nested");
    if (sim_parser_accept(p, '+'))
        return unary(p, depth + 1);
    if (sim_parser_accept(p, '-')) {
        c = unary(p, depth + 1);
        if (is_integer(c))
            c.bits = 0 - c.bits;
        else
            c.bits ^= c.kind == SIM_CONSTANT_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
        return c;
    }
    if (sim_parser_is(p, '!') || sim_parser_is(p, '~')) {
        bool bits = sim_parser_is(p, '~');

        sim_parser_next(p);
        c = unary(p, depth + 1);
        if (!is_integer(c))
            sim_parser_fail(p, "found a floating-point constant after %c, expected an integer",
                            bits ? '~' : '!');
        return bits ? integer(SIM_CONSTANT_U64, ~c.bits) : integer(SIM_CONSTANT_S64, !c.bits);
    }
    if (sim_parser_is(p, '(') && cuc__ptx_lexer_peek(&p->lexer, NULL) == '.') {
        sim_parser_next(p);
        enum sim_type type = p->token.kind == CUC__PTX_DIRECTIVE ? p->name->type : SIM_NONE;
        if (type != SIM_S64 && type != SIM_U64)
            sim_parser_expected(p, ".s64 or .u64");
        sim_parser_next(p);
        sim_parser_expect(p, ')', ")");
        c = unary(p, depth + 1);
        if (!is_integer(c))
            sim_parser_fail(p, "found a floating-point constant after a cast, expected an integer");
        return integer(type == SIM_S64 ? SIM_CONSTANT_S64 : SIM_CONSTANT_U64, c.bits);
    }
    return primary(p, depth);
}

static struct sim_constant apply_f64(struct sim_parser *p, const struct infix *op, double a,
                                     double b)
{
    bool truth = false;

    switch (op->sign) {
    case '+':
        return from_f64(a + b);
    case '-':
        return from_f64(a - b);
    case '*':
        return from_f64(a * b);
    case '/':
        return from_f64(a / b);
    case '<':
        truth = a < b;
        break;
    case '>':
        truth = a > b;
        break;
    case CUC__PTX_PAIR('<', '='):
        truth = a <= b;
        break;
    case CUC__PTX_PAIR('>', '='):
        truth = a >= b;
        break;
    case CUC__PTX_PAIR('=', '='):
        truth = a == b;
        break;
    case CUC__PTX_PAIR('!', '='):
        truth = a != b;
        break;
    default:
        sim_parser_fail(p, "found a floating-point constant, expected integers with this operator");
    }
    return integer(SIM_CONSTANT_S64, truth);
}

static uint64_t divide(struct sim_parser *p, bool is_signed, uint64_t a, uint64_t b)
{
    if (b == 0)
        sim_parser_fail(p, "found a division by zero, expected a constant");
    if (!is_signed)
        return a / b;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift(bool left, bool is_signed, uint64_t a, uint64_t by)
{
    by &= 63;
    if (left)
        return a << by;
    return a >> by | (is_signed && a >> 63 && by ? UINT64_MAX << (64 - by) : 0);
}

static struct sim_constant apply(struct sim_parser *p, const struct infix *op,
                                 struct sim_constant a, struct sim_constant b)
{
    if (a.kind == SIM_CONSTANT_F32 || b.kind == SIM_CONSTANT_F32)
        sim_parser_fail(p, "found a constant 0f..., expected one that expressions may have");
    if (!is_integer(a) || !is_integer(b))
        return apply_f64(p, op, as_f64(a), as_f64(b));

    bool is_signed = a.kind == SIM_CONSTANT_S64 && b.kind == SIM_CONSTANT_S64;
    enum sim_constant_kind usual = is_signed ? SIM_CONSTANT_S64 : SIM_CONSTANT_U64;
    // To compare signed values, add 2^63 to both and compare them as unsigned.
    uint64_t flip = is_signed ? UINT64_C(1) << 63 : 0;
    uint64_t x = a.bits ^ flip, y = b.bits ^ flip;

    switch (op->sign) {
    case '+':
        return integer(usual, a.bits + b.bits);
    case '-':
        return integer(usual, a.bits - b.bits);
    case '*':
        return integer(usual, a.bits * b.bits);
    case '/':
        return integer(usual, divide(p, is_signed, a.bits, b.bits));
    case '%':
        return integer(SIM_CONSTANT_S64, a.bits - b.bits * divide(p, false, a.bits, b.bits));
    case '|':
        return integer(usual, a.bits | b.bits);
    case '^':
        return integer(usual, a.bits ^ b.bits);
    case '&':
        return integer(usual, a.bits & b.bits);
    case '<':
        return integer(SIM_CONSTANT_S64, x < y);
    case '>':
        return integer(SIM_CONSTANT_S64, x > y);
    case CUC__PTX_PAIR('<', '='):
        return integer(SIM_CONSTANT_S64, x <= y);
    case CUC__PTX_PAIR('>', '='):
        return integer(SIM_CONSTANT_S64, x >= y);
    case CUC__PTX_PAIR('=', '='):
        return integer(SIM_CONSTANT_S64, x == y);
    case CUC__PTX_PAIR('!', '='):
        return integer(SIM_CONSTANT_S64, x != y);
    case CUC__PTX_PAIR('&', '&'):
        return integer(SIM_CONSTANT_S64, a.bits && b.bits);
    case CUC__PTX_PAIR('|', '|'):
        return integer(SIM_CONSTANT_S64, a.bits || b.bits);
    default: // << and >>
        return integer(a.kind, shift(op->sign == CUC__PTX_PAIR('<', '<'),
                                     a.kind == SIM_CONSTANT_S64, a.bits, b.bits));
    }
}

// Parses operators of the given level and of higher precedence.
static struct sim_constant binary(struct sim_parser *p, int level, unsigned depth)
{
    struct sim_constant c = unary(p, depth);
    const struct infix *op;

    while ((op = current_infix(p)) && op->level >= level) {
        sim_parser_next(p);
        c = apply(p, op, c, binary(p, op->level + 1, depth + 1));
    }
    return c;
}

static struct sim_constant conditional(struct sim_parser *p, unsigned depth)
{
    struct sim_constant c = binary(p, 1, depth);

    if (!sim_parser_accept(p, '?'))
        return c;
    if (!is_integer(c))
        sim_parser_fail(p, "found a floating-point constant before ?, expected an integer");
    struct sim_constant yes = conditional(p, depth + 1);
    sim_parser_expect(p, ':', ":");
    struct sim_constant no = conditional(p, depth + 1);
    return c.bits ? yes : no;
}

struct sim_constant sim_parser_constant(struct sim_parser *p)
{
    return conditional(p, 0);
}

uint64_t sim_parser_integer(struct sim_parser *p, const char *what)
{
    struct cuc__ptx_token first = p->token;
    struct sim_constant c = { SIM_CONSTANT_S64, 0 };

    if (first.kind == CUC__PTX_INTEGER || first.kind == CUC__PTX_SIGN ||
        first.kind == CUC__PTX_NAME)
        c = conditional(p, 0);
    else
        sim_parser_expected(p, what);
    if (!is_integer(c))
        sim_parser_fail(p, "found a floating-point constant, expected %s", what);
    return c.bits;
}

int64_t sim_parser_offset(struct sim_parser *p)
{
    uint64_t sum = 0;

    while (sim_parser_is(p, '+') || sim_parser_is(p, '-')) {
        bool minus = sim_parser_is(p, '-');

        sim_parser_next(p);
        struct sim_constant c = binary(p, LEVEL_ADDITIVE + 1, 0);
        if (!is_integer(c))
            sim_parser_fail(p, "found a floating-point offset, expected an integer");
        sum = minus ? sum - c.bits : sum + c.bits;
    }
    return (int64_t)sum;
}
