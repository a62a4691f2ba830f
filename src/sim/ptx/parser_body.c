#include "parser.h"

#include <string.h>

enum { MAX_SCOPES_OPEN = 256, MAX_FILES = 1 << 16 };

void sim_parser_loc(struct sim_parser *p)
{
    static const char what[] = "a number of .loc";
    struct sim_loc loc;

    sim_parser_next(p);
    loc.file = sim_parser_u32(p, what);
    loc.line = sim_parser_u32(p, what);
    loc.column = sim_parser_u32(p, what);
    while (sim_parser_accept(p, ',')) {
        struct sim_name *word = sim_parser_name(p, "function_name or inlined_at");

        if (strcmp(word->text, "function_name") == 0) {
            sim_parser_name(p, "a label");
            sim_parser_offset(p);
        } else if (strcmp(word->text, "inlined_at") == 0) {
            for (int i = 0; i < 3; i++)
                sim_parser_u32(p, what);
        } else {
            sim_parser_fail(p, "found %.60s in .loc, expected function_name or inlined_at",
                            word->text);
        }
    }
    p->loc = loc;
}

void sim_parser_pragma(struct sim_parser *p)
{
    do {
        sim_parser_next(p);
        if (p->token.kind != CUC__PTX_STRING)
            sim_parser_expected(p, "a string");
        sim_parser_next(p);
    } while (sim_parser_is(p, ','));
    sim_parser_expect(p, ';', ";");
}

void sim_parser_file(struct sim_parser *p)
{
    sim_parser_next(p);
    struct cuc__ptx_token at = p->token;
    uint32_t number = sim_parser_u32(p, "the number of a file");

    if (number >= MAX_FILES) {
        p->token = at;
        sim_parser_expected(p, "the number of a file below 65536");
    }
    if (p->token.kind != CUC__PTX_STRING)
        sim_parser_expected(p, "the name of a file");
    if (number >= p->files.count)
        sim_parser_extend(p, &p->files, number + 1);
    ((const char **)p->files.items)[number] =
        sim_parser_intern(p, p->token.at, p->token.bytes)->text;
    sim_parser_next(p);
    while (sim_parser_accept(p, ',')) // time stamp and file size
        sim_parser_integer(p, "an integer");
}

static void add_local(struct sim_parser *p, struct sim_name *name, const struct sim_variable *v)
{
    sim_parser_bind(p, name, SIM_BIND_SYMBOL);
    *(struct sim_variable *)sim_parser_push(p, &p->locals) = *v;
    *(uint32_t *)sim_parser_push(p, &p->local_scopes) = p->scope;
}

static struct sim_label *add_label(struct sim_parser *p, struct sim_name *name)
{
    struct sim_label *label;

    sim_parser_bind(p, name, SIM_BIND_SYMBOL);
    label = sim_parser_push(p, &p->labels);
    label->name = name->text;
    label->scope = p->scope;
    label->at = (uint32_t)p->statements.count;
    return label;
}

static void read_targets(struct sim_parser *p, struct sim_label *label)
{
    do {
        sim_parser_next(p);
        *(const char **)sim_parser_push(p, &p->targets) = sim_parser_name(p, "a label")->text;
    } while (sim_parser_is(p, ','));
    sim_parser_expect(p, ';', "a comma or ;");
    label->target_count = (uint32_t)p->targets.count;
    label->targets = sim_parser_keep(p, &p->targets, 0);
}

// Parses a prototype, in which _ takes the place of the name: .callprototype (results) _
// (parameters) .noreturn;
static void read_prototype(struct sim_parser *p, struct sim_label *label)
{
    struct sim_function *f = sim_parser_take(p, sizeof(*f));

    f->line = p->token.line;
    f->name = label->name;
    sim_parser_next(p);
    if (sim_parser_is(p, '('))
        f->results = sim_parser_parameters(p, &f->result_count, false);
    if (p->token.kind != CUC__PTX_NAME || strcmp(p->name->text, "_") != 0)
        sim_parser_expected(p, "_");
    sim_parser_next(p);
    if (sim_parser_is(p, '('))
        f->parameters = sim_parser_parameters(p, &f->parameter_count, false);
    while (sim_parser_function_directive(p, f))
        ;
    sim_parser_expect(p, ';', ";");
    label->prototype = f;
}

static void read_label(struct sim_parser *p)
{
    struct sim_label *label = add_label(p, p->name);

    sim_parser_next(p);
    sim_parser_next(p); // the colon
    switch ((int)sim_parser_directive(p)) {
    case SIM_AT_BRANCHTARGETS:
    case SIM_AT_CALLTARGETS:
        read_targets(p, label);
        break;
    case SIM_AT_CALLPROTOTYPE:
        read_prototype(p, label);
        break;
    default:
        break;
    }
}

static void append(struct sim_parser *p, const char *text, size_t bytes)
{
    size_t before = p->bytes.count;

    sim_parser_extend(p, &p->bytes, before + bytes);
    memcpy((char *)p->bytes.items + before, text, bytes);
}

// Reads the opcode whose first word is the current token. Blanks before a dot are permitted but
// rare.
static const struct sim_opcode *read_opcode(struct sim_parser *p)
{
    const char *at = p->token.at, *tail;
    size_t bytes = p->token.bytes;

    if (p->lexer.at == at + bytes)
        bytes += cuc__ptx_lexer_opcode_tail(&p->lexer, &tail);
    if (cuc__ptx_lexer_peek(&p->lexer, NULL) != '.')
        return sim_parser_opcode(p, at, bytes);
    p->bytes.count = 0;
    append(p, at, bytes);
    while (cuc__ptx_lexer_peek(&p->lexer, NULL) == '.' &&
           (bytes = cuc__ptx_lexer_opcode_tail(&p->lexer, &at)) != 0)
        append(p, at, bytes);
    return sim_parser_opcode(p, p->bytes.items, p->bytes.count);
}

static void read_instruction(struct sim_parser *p)
{
    struct sim_statement s = { .guard = SIM_NO_GUARD, .line = p->token.line, .loc = p->loc };

    if (sim_parser_accept(p, '@')) {
        s.guard_negated = sim_parser_accept(p, '!');
        s.guard = sim_parser_guard(p);
    }
    if (p->token.kind != CUC__PTX_NAME || p->token.at[0] == '%')
        sim_parser_expected(p, "an instruction");
    s.line = p->token.line;
    const struct sim_opcode *o = read_opcode(p);
    memcpy(s.word, o->word, sizeof(s.word));
    s.words = o->words;
    sim_parser_next(p);
    p->operands.count = 0;
    if (!sim_parser_is(p, ';')) {
        do {
            struct sim_operand operand;

            if (s.operands++ == SIM_MAX_OPERANDS)
                sim_parser_expected(p, "at most 12 operands");
            sim_parser_operand(p, &operand, o->is_call);
            *(struct sim_operand *)sim_parser_push(p, &p->operands) = operand;
        } while (sim_parser_accept(p, ','));
    }
    sim_parser_expect(p, ';', "a comma or ;");
    s.operand = sim_parser_keep(p, &p->operands, 0);
    *(struct sim_statement *)sim_parser_push(p, &p->statements) = s;
}

// Parses one item of a body: a directive, label or instruction, or { or }.
static void read_body_item(struct sim_parser *p)
{
    const struct sim_variable none = { .name = NULL };
    char second;

    if (p->token.kind == CUC__PTX_NAME && cuc__ptx_lexer_peek(&p->lexer, &second) == ':' &&
        second != ':') {
        read_label(p);
        return;
    }
    if (p->token.kind == CUC__PTX_NAME || sim_parser_is(p, '@')) {
        read_instruction(p);
        return;
    }
    if (sim_parser_is(p, '{')) {
        if (p->open.count == MAX_SCOPES_OPEN)
            sim_parser_expected(p, "{ } that is less deeply nested");
        sim_parser_scope_open(p);
        sim_parser_next(p);
        return;
    }
    if (sim_parser_is(p, '}')) {
        sim_parser_scope_close(p);
        sim_parser_next(p);
        return;
    }
    if (sim_parser_accept(p, ';')) // inline assembly often has a superfluous semicolon
        return;
    switch ((int)sim_parser_directive(p)) {
    case SIM_AT_REG:
        sim_parser_registers(p);
        break;
    case SIM_AT_LOCAL:
    case SIM_AT_SHARED:
    case SIM_AT_PARAM:
    case SIM_AT_CONST:
    case SIM_AT_GLOBAL:
        sim_parser_variables(p, &none, add_local);
        break;
    case SIM_AT_LOC:
        sim_parser_loc(p);
        break;
    case SIM_AT_PRAGMA:
        sim_parser_pragma(p);
        break;
    case SIM_AT_FILE:
        sim_parser_file(p);
        break;
    default:
        sim_parser_expected(p, "an instruction, a label, a declaration or }");
    }
}

void sim_parser_body(struct sim_parser *p, struct sim_function *f)
{
    sim_parser_expect(p, '{', "{ or ;");
    while (p->open.count) {
        if (p->token.kind == CUC__PTX_END)
            sim_parser_expected(p, "the } of a function");
        read_body_item(p);
    }
    f->is_defined = true;
    f->register_count = p->registers.count;
    f->registers = sim_parser_keep(p, &p->registers, 0);
    f->variable_count = p->locals.count;
    f->variables = sim_parser_keep(p, &p->locals, 0);
    f->variable_scopes = sim_parser_keep(p, &p->local_scopes, 0);
    f->label_count = p->labels.count;
    f->labels = sim_parser_keep(p, &p->labels, 0);
    f->scope_count = p->scopes.count;
    f->scope_parents = sim_parser_keep(p, &p->scopes, 0);
    f->statement_count = p->statements.count;
    f->statements = sim_parser_keep(p, &p->statements, 0);
}
