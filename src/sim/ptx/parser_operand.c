#include "parser.h"

#include <string.h>

enum { MAX_DEPTH = 8 };

static void element(struct sim_parser *p, struct sim_operand *out, unsigned depth, bool in_call);

// Reads the component x of ".x"; false if no component follows.
static bool read_component(struct sim_parser *p, uint32_t *component)
{
    static const char letters[] = "xyzwrgba";
    const char *at;

    if (p->token.kind != CUC__PTX_DIRECTIVE)
        return false;
    if (p->name->bytes != 1 || !(at = strchr(letters, p->name->text[0])))
        sim_parser_expected(p, "a component such as .x");
    *component = (uint32_t)(at - letters) & 3;
    sim_parser_next(p);
    return true;
}

// Reads a selector such as .b3 or .h10, which names the parts of a register that a video
// instruction uses. False if there is none.
static bool read_parts(struct sim_parser *p, uint32_t *parts)
{
    const char *text = p->token.kind == CUC__PTX_DIRECTIVE ? p->name->text : "";
    uint32_t count = 0, digits = 0;

    if ((text[0] != 'b' && text[0] != 'h') || !text[1])
        return false;
    for (; text[count + 1] >= '0' && text[count + 1] <= '7' && count < 4; count++)
        digits = digits << 4 | (uint32_t)(text[count + 1] - '0');
    if (text[count + 1])
        return false;
    *parts = SIM_PARTS(text[0], count, digits);
    sim_parser_next(p);
    return true;
}

static struct sim_operand plain(enum sim_operand_kind kind)
{
    return (struct sim_operand){ .kind = kind, .pair = SIM_NO_PAIR };
}

// Expands a vector register to the vector of its components.
static void vector_register(struct sim_parser *p, struct sim_operand *out, uint32_t reg,
                            uint32_t count)
{
    *out = plain(SIM_OP_VECTOR);
    out->count = count;
    out->list = sim_parser_take(p, count * sizeof(*out->list));
    for (uint32_t i = 0; i < count; i++) {
        out->list[i] = plain(SIM_OP_REGISTER);
        out->list[i].reg = reg;
        out->list[i].component = i;
    }
}

static void register_operand(struct sim_parser *p, struct sim_operand *out, struct sim_binding *b)
{
    uint32_t reg = sim_parser_register(p, b);

    sim_parser_next(p);
    *out = plain(SIM_OP_REGISTER);
    out->reg = reg;
    if (b->vector == 1 && read_parts(p, &out->parts))
        return;
    bool has = read_component(p, &out->component);
    if (has && b->vector > 1 && out->component >= b->vector)
        sim_parser_fail(p, "found component %u of %.60s, expected one of %u", out->component,
                        b->name->text, b->vector);
    if (has && b->vector == 1)
        sim_parser_fail(p, "found a component of %.60s, expected a vector register", b->name->text);
    if (!has && b->vector > 1)
        vector_register(p, out, reg, b->vector);
}

// Parses %tid.x, or %tid as a vector whose fourth component is unused and zero (PTX ISA, "Special
// Registers").
static void special_operand(struct sim_parser *p, struct sim_operand *out)
{
    static const char suffix[3][3] = { ".x", ".y", ".z" };
    struct sim_name *base = p->name;
    struct sim_operand c[4];
    uint32_t component = 0;

    if (base->special) {
        *out = plain(SIM_OP_SPECIAL);
        out->value.u = base->special - 1u;
        sim_parser_next(p);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        char text[64];

        if (base->bytes + 3 > sizeof(text))
            sim_parser_expected(p, "a special register");
        memcpy(text, base->text, base->bytes);
        memcpy(text + base->bytes, suffix[i], 2);
        c[i] = plain(SIM_OP_SPECIAL);
        c[i].value.u = sim_parser_intern(p, text, base->bytes + 2)->special - 1u;
        c[i].component = i;
    }
    c[3] = plain(SIM_OP_INTEGER);
    sim_parser_next(p);
    if (read_component(p, &component)) {
        *out = c[component];
        return;
    }
    *out = plain(SIM_OP_VECTOR);
    out->count = 4;
    out->list = sim_parser_take(p, sizeof(c));
    memcpy(out->list, c, sizeof(c));
}

static void constant_operand(struct sim_parser *p, struct sim_operand *out)
{
    struct sim_constant c = sim_parser_constant(p);

    *out = plain(c.kind == SIM_CONSTANT_F32   ? SIM_OP_F32
                 : c.kind == SIM_CONSTANT_F64 ? SIM_OP_F64
                                              : SIM_OP_INTEGER);
    out->value.u = c.bits;
}

// Parses a name, which is a register, a special register, a symbol or the sink.
static void name_operand(struct sim_parser *p, struct sim_operand *out)
{
    struct sim_name *name = p->name;
    struct sim_binding *b = sim_parser_lookup(p, name);

    if (b && b->kind == SIM_BIND_REGISTER) {
        register_operand(p, out, b);
        return;
    }
    if (!b && (name->special || name->special_vector)) {
        if (name->special == SIM_SR_WARP_SZ + 1) {
            // WARP_SZ by itself stays a special register. In an expression it is a constant.
            char second, first = cuc__ptx_lexer_peek(&p->lexer, &second);

            if (first && strchr("+-*/%&|^<>=!?", first)) {
                constant_operand(p, out);
                return;
            }
        }
        special_operand(p, out);
        return;
    }
    if (!b && name->bytes == 1 && name->text[0] == '_') {
        *out = plain(SIM_OP_SINK);
        sim_parser_next(p);
        return;
    }
    if (!b && name->text[0] == '%')
        sim_parser_expected(p, "a register that is declared, or a special one that is known");
    *out = plain(SIM_OP_SYMBOL);
    out->symbol = name->text;
    out->scope = p->scope;
    sim_parser_next(p);
}

static void pair_operand(struct sim_parser *p, struct sim_operand *out)
{
    struct sim_operand second;

    if (out->kind != SIM_OP_REGISTER && out->kind != SIM_OP_SINK)
        sim_parser_expected(p, "a register before |");
    sim_parser_next(p);
    if (p->token.kind != CUC__PTX_NAME)
        sim_parser_expected(p, "the second register of a pair");
    name_operand(p, &second);
    if (second.kind == SIM_OP_REGISTER)
        out->pair = second.reg;
    else if (second.kind != SIM_OP_SINK)
        sim_parser_fail(p, "found a pair whose second is not a register, expected p|q");
}

// Parses elements up to the closing sign, and consumes it. Elements that were parsed before are on
// the operand stack from `mark` on.
static void close_list(struct sim_parser *p, struct sim_operand *out, enum sim_operand_kind kind,
                       size_t mark, int closing, unsigned depth, bool in_call)
{
    bool first = p->operands.count == mark;

    while (!(first && kind == SIM_OP_LIST && sim_parser_is(p, closing))) {
        struct sim_operand e;

        if (!first && !sim_parser_accept(p, ','))
            break;
        element(p, &e, depth + 1, in_call);
        *(struct sim_operand *)sim_parser_push(p, &p->operands) = e;
        first = false;
    }
    sim_parser_expect(p, closing,
                      closing == '}'   ? "a comma or }"
                      : closing == ')' ? "a comma or )"
                                       : "a comma or ]");
    *out = plain(kind);
    out->count = (uint32_t)(p->operands.count - mark);
    out->list = sim_parser_keep(p, &p->operands, mark);
}

static void address(struct sim_parser *p, struct sim_operand *out, unsigned depth)
{
    size_t mark = p->operands.count;
    struct sim_operand base;
    int64_t offset = 0;

    if (p->token.kind == CUC__PTX_NAME)
        name_operand(p, &base);
    else
        constant_operand(p, &base);
    if (base.kind != SIM_OP_REGISTER && base.kind != SIM_OP_SYMBOL && base.kind != SIM_OP_INTEGER)
        sim_parser_fail(p,
                        "found something else in [ ], expected a register, a symbol or an integer");
    if (base.kind != SIM_OP_INTEGER)
        offset = sim_parser_offset(p);
    if (sim_parser_accept(p, ']')) {
        *out = plain(SIM_OP_ADDRESS);
        out->offset = offset;
        out->count = 1;
        *(struct sim_operand *)sim_parser_push(p, &p->operands) = base;
        out->list = sim_parser_keep(p, &p->operands, mark);
        return;
    }
    if (!sim_parser_is(p, ','))
        sim_parser_expected(p, "+, a comma or ]");
    base.offset = offset;
    *(struct sim_operand *)sim_parser_push(p, &p->operands) = base;
    close_list(p, out, SIM_OP_TUPLE, mark, ']', depth, false);
}

// Parses -x or !x for a register, or a constant expression that starts with such a sign.
static void signed_operand(struct sim_parser *p, struct sim_operand *out)
{
    struct cuc__ptx_lexer lexer = p->lexer;
    struct cuc__ptx_token token = p->token;

    sim_parser_next(p);
    if (p->token.kind == CUC__PTX_NAME && p->name->special != SIM_SR_WARP_SZ + 1) {
        name_operand(p, out);
        if (out->kind != SIM_OP_REGISTER)
            sim_parser_fail(p, "found %c before a name, expected a register after it", token.sign);
        out->negated = true;
        return;
    }
    p->lexer = lexer;
    p->token = token;
    constant_operand(p, out);
}

static void element(struct sim_parser *p, struct sim_operand *out, unsigned depth, bool in_call)
{
    if (depth > MAX_DEPTH)
        sim_parser_expected(p, "an operand that is less deeply nested");
    if (p->token.kind == CUC__PTX_NAME) {
        name_operand(p, out);
        if (sim_parser_is(p, '|'))
            pair_operand(p, out);
        else if (out->kind == SIM_OP_SYMBOL)
            out->offset = sim_parser_offset(p);
    } else if (sim_parser_accept(p, '[')) {
        address(p, out, depth);
    } else if (sim_parser_accept(p, '{')) {
        close_list(p, out, SIM_OP_VECTOR, p->operands.count, '}', depth, in_call);
    } else if (in_call && sim_parser_accept(p, '(')) {
        close_list(p, out, SIM_OP_LIST, p->operands.count, ')', depth, in_call);
    } else if (sim_parser_is(p, '!') || sim_parser_is(p, '-')) {
        signed_operand(p, out);
    } else if (p->token.kind == CUC__PTX_INTEGER || p->token.kind == CUC__PTX_F32 ||
               p->token.kind == CUC__PTX_F64 || sim_parser_is(p, '(') || sim_parser_is(p, '+') ||
               sim_parser_is(p, '~')) {
        constant_operand(p, out);
    } else {
        sim_parser_expected(p, "an operand");
    }
}

void sim_parser_operand(struct sim_parser *p, struct sim_operand *out, bool in_call)
{
    element(p, out, 0, in_call);
}

uint32_t sim_parser_guard(struct sim_parser *p)
{
    struct sim_binding *b;

    if (p->token.kind != CUC__PTX_NAME)
        sim_parser_expected(p, "a predicate");
    b = sim_parser_lookup(p, p->name);
    if (!b || b->kind != SIM_BIND_REGISTER || b->type != SIM_PRED || b->vector != 1)
        sim_parser_expected(p, "a predicate that is declared");
    uint32_t reg = sim_parser_register(p, b);
    sim_parser_next(p);
    return reg;
}
