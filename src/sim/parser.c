#include "parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCOPES_OPEN = 256, MAX_FILES = 1 << 16 };

// Directives: of the module, of a body, between a function's name and its body.
#define DIRECTIVES(X)                               \
    X(ADDRESS_SIZE, "address_size")                 \
    X(ALIAS, "alias")                               \
    X(COMMON, "common")                             \
    X(CONST, "const")                               \
    X(ENTRY, "entry")                               \
    X(EXTERN, "extern")                             \
    X(FILE, "file")                                 \
    X(FUNC, "func")                                 \
    X(GLOBAL, "global")                             \
    X(LOC, "loc")                                   \
    X(LOCAL, "local")                               \
    X(PARAM, "param")                               \
    X(PRAGMA, "pragma")                             \
    X(REG, "reg")                                   \
    X(SECTION, "section")                           \
    X(SHARED, "shared")                             \
    X(TARGET, "target")                             \
    X(VERSION, "version")                           \
    X(VISIBLE, "visible")                           \
    X(WEAK, "weak")                                 \
    X(BRANCHTARGETS, "branchtargets")               \
    X(CALLTARGETS, "calltargets")                   \
    X(CALLPROTOTYPE, "callprototype")               \
    X(MAXNTID, "maxntid")                           \
    X(REQNTID, "reqntid")                           \
    X(REQNCTAPERCLUSTER, "reqnctapercluster")       \
    X(MINNCTAPERSM, "minnctapersm")                 \
    X(MAXNCTAPERSM, "maxnctapersm")                 \
    X(MAXNREG, "maxnreg")                           \
    X(MAXCLUSTERRANK, "maxclusterrank")             \
    X(EXPLICITCLUSTER, "explicitcluster")           \
    X(BLOCKSARECLUSTERS, "blocksareclusters")       \
    X(NORETURN, "noreturn")                         \
    X(ABI_PRESERVE, "abi_preserve")                 \
    X(ABI_PRESERVE_CONTROL, "abi_preserve_control") \
    X(ATTRIBUTE, "attribute")

enum directive {
    NO_DIRECTIVE,
#define ROW(tag, word) AT_##tag,
    DIRECTIVES(ROW)
#undef ROW
};

static const struct {
    const char *word;
    enum directive directive;
} directives[] = {
#define ROW(tag, word) { word, AT_##tag },
    DIRECTIVES(ROW)
#undef ROW
};

struct alias {
    struct sim_name *name, *of;
    uint32_t line;
};

// --- tokens and failures

static _Noreturn void fail_at(struct sim_parser *p, uint32_t line, const char *fmt, va_list args)
{
    int n = p->log_bytes ? snprintf(p->log, p->log_bytes, "line %u: ", line) : -1;

    if (n >= 0 && (size_t)n < p->log_bytes)
        vsnprintf(p->log + n, p->log_bytes - (size_t)n, fmt, args);
    longjmp(p->failed, 1);
}

void sim_parser_fail(struct sim_parser *p, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fail_at(p, p->token.line, fmt, args);
}

// The token as it stands in the text, cut, and with what is not printable as \xNN.
static void describe(const struct sim_token *t, char *to, size_t bytes)
{
    enum { SHOWN = 40 };
    size_t n = 0, shown = t->bytes < SHOWN ? t->bytes : SHOWN;
    const char *before = t->kind == SIM_TOKEN_DIRECTIVE ? "."
                         : t->kind == SIM_TOKEN_STRING  ? "\""
                                                        : "";

    if (t->kind == SIM_TOKEN_END) {
        snprintf(to, bytes, "the end of the text");
        return;
    }
    n += (size_t)snprintf(to, bytes, "%s", before);
    for (size_t i = 0; i < shown && n + 5 < bytes; i++) {
        unsigned char c = (unsigned char)t->at[i];

        n += (size_t)snprintf(to + n, bytes - n, c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    snprintf(to + n, bytes - n, "%s%s", shown < t->bytes ? "..." : "",
             t->kind == SIM_TOKEN_STRING ? "\"" : "");
}

void sim_parser_expected(struct sim_parser *p, const char *what)
{
    char found[256];

    describe(&p->token, found, sizeof(found));
    sim_parser_fail(p, "found %s, expected %s", found, what);
}

void sim_parser_next(struct sim_parser *p)
{
    p->token = sim_lexer_next(&p->lexer);
    if (p->token.kind == SIM_TOKEN_NAME || p->token.kind == SIM_TOKEN_DIRECTIVE)
        p->name = sim_parser_intern(p, p->token.at, p->token.bytes);
    else if (p->token.kind == SIM_TOKEN_BAD)
        sim_parser_expected(p, p->token.problem);
}

bool sim_parser_is(const struct sim_parser *p, int sign)
{
    return p->token.kind == SIM_TOKEN_SIGN && p->token.sign == sign;
}

bool sim_parser_accept(struct sim_parser *p, int sign)
{
    if (!sim_parser_is(p, sign))
        return false;
    sim_parser_next(p);
    return true;
}

void sim_parser_expect(struct sim_parser *p, int sign, const char *what)
{
    if (!sim_parser_accept(p, sign))
        sim_parser_expected(p, what);
}

static enum directive current_directive(const struct sim_parser *p)
{
    return p->token.kind == SIM_TOKEN_DIRECTIVE ? (enum directive)p->name->directive : NO_DIRECTIVE;
}

static struct sim_name *expect_name(struct sim_parser *p, const char *what)
{
    struct sim_name *name = p->name;

    if (p->token.kind != SIM_TOKEN_NAME)
        sim_parser_expected(p, what);
    sim_parser_next(p);
    return name;
}

static uint32_t expect_u32(struct sim_parser *p, const char *what)
{
    struct sim_token at = p->token;
    uint64_t value = sim_parser_integer(p, what);

    if (value > UINT32_MAX) {
        p->token = at;
        sim_parser_expected(p, what);
    }
    return (uint32_t)value;
}

// --- memory

void *sim_parser_take(struct sim_parser *p, size_t bytes)
{
    void *m = sim_arena_take(p->arena, bytes);

    if (!m)
        sim_parser_fail(p, "no memory for %zu bytes", bytes);
    return m;
}

void sim_parser_extend(struct sim_parser *p, struct sim_grow *g, size_t count)
{
    if (count > g->capacity) {
        size_t capacity = g->capacity ? g->capacity * 2 : 64;

        if (capacity < count)
            capacity = count;
        void *items = capacity > SIZE_MAX / g->size ? NULL : realloc(g->items, capacity * g->size);
        if (!items)
            sim_parser_fail(p, "no memory for %zu items of %zu bytes", capacity, g->size);
        g->items = items;
        g->capacity = capacity;
    }
    if (count > g->count)
        memset((char *)g->items + g->count * g->size, 0, (count - g->count) * g->size);
    g->count = count;
}

void *sim_parser_push(struct sim_parser *p, struct sim_grow *g)
{
    sim_parser_extend(p, g, g->count + 1);
    return (char *)g->items + (g->count - 1) * g->size;
}

void *sim_parser_keep(struct sim_parser *p, struct sim_grow *g, size_t from)
{
    size_t bytes = (g->count - from) * g->size;

    if (!bytes)
        return NULL;
    void *kept = sim_parser_take(p, bytes);
    memcpy(kept, (char *)g->items + from * g->size, bytes);
    g->count = from;
    return kept;
}

// --- directives that stand anywhere

static void read_loc(struct sim_parser *p)
{
    static const char what[] = "a number of .loc";
    struct sim_loc loc;

    sim_parser_next(p);
    loc.file = expect_u32(p, what);
    loc.line = expect_u32(p, what);
    loc.column = expect_u32(p, what);
    while (sim_parser_accept(p, ',')) {
        struct sim_name *word = expect_name(p, "function_name or inlined_at");

        if (strcmp(word->text, "function_name") == 0) {
            expect_name(p, "a label");
            sim_parser_offset(p);
        } else if (strcmp(word->text, "inlined_at") == 0) {
            for (int i = 0; i < 3; i++)
                expect_u32(p, what);
        } else {
            sim_parser_fail(p, "found %.60s in .loc, expected function_name or inlined_at",
                            word->text);
        }
    }
    p->loc = loc;
}

static void read_pragma(struct sim_parser *p)
{
    do {
        sim_parser_next(p);
        if (p->token.kind != SIM_TOKEN_STRING)
            sim_parser_expected(p, "a string");
        sim_parser_next(p);
    } while (sim_parser_is(p, ','));
    sim_parser_expect(p, ';', ";");
}

static void read_file(struct sim_parser *p)
{
    sim_parser_next(p);
    struct sim_token at = p->token;
    uint32_t number = expect_u32(p, "the number of a file");

    if (number >= MAX_FILES) {
        p->token = at;
        sim_parser_expected(p, "the number of a file below 65536");
    }
    if (p->token.kind != SIM_TOKEN_STRING)
        sim_parser_expected(p, "the name of a file");
    if (number >= p->files.count)
        sim_parser_extend(p, &p->files, number + 1);
    ((const char **)p->files.items)[number] =
        sim_parser_intern(p, p->token.at, p->token.bytes)->text;
    sim_parser_next(p);
    while (sim_parser_accept(p, ',')) // its time and size
        sim_parser_integer(p, "an integer");
}

// Debugging information: nothing here runs by it.
static void skip_section(struct sim_parser *p)
{
    sim_parser_next(p);
    if (p->token.kind != SIM_TOKEN_DIRECTIVE && p->token.kind != SIM_TOKEN_NAME)
        sim_parser_expected(p, "the name of a section");
    sim_parser_next(p);
    sim_parser_expect(p, '{', "{");
    for (size_t depth = 1; depth; sim_parser_next(p)) {
        if (p->token.kind == SIM_TOKEN_END)
            sim_parser_expected(p, "the } of a .section");
        if (sim_parser_is(p, '{'))
            depth++;
        else if (sim_parser_is(p, '}'))
            depth--;
    }
}

// --- bodies

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
        *(const char **)sim_parser_push(p, &p->targets) = expect_name(p, "a label")->text;
    } while (sim_parser_is(p, ','));
    sim_parser_expect(p, ';', "a comma or ;");
    label->target_count = (uint32_t)p->targets.count;
    label->targets = sim_parser_keep(p, &p->targets, 0);
}

static bool read_function_directive(struct sim_parser *p, struct sim_function *f);

// _ stands for the name: .callprototype (results) _ (parameters) .noreturn;
static void read_prototype(struct sim_parser *p, struct sim_label *label)
{
    struct sim_function *f = sim_parser_take(p, sizeof(*f));

    f->line = p->token.line;
    f->name = label->name;
    sim_parser_next(p);
    if (sim_parser_is(p, '('))
        f->results = sim_parser_parameters(p, &f->result_count, false);
    if (p->token.kind != SIM_TOKEN_NAME || strcmp(p->name->text, "_") != 0)
        sim_parser_expected(p, "_");
    sim_parser_next(p);
    if (sim_parser_is(p, '('))
        f->parameters = sim_parser_parameters(p, &f->parameter_count, false);
    while (read_function_directive(p, f))
        ;
    sim_parser_expect(p, ';', ";");
    label->prototype = f;
}

static void read_label(struct sim_parser *p)
{
    struct sim_label *label = add_label(p, p->name);

    sim_parser_next(p);
    sim_parser_next(p); // the colon
    switch ((int)current_directive(p)) {
    case AT_BRANCHTARGETS:
    case AT_CALLTARGETS:
        read_targets(p, label);
        break;
    case AT_CALLPROTOTYPE:
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

// The current token is an opcode's first word. Blanks before a dot are rare, but allowed.
static const struct sim_opcode *read_opcode(struct sim_parser *p)
{
    const char *at = p->token.at, *tail;
    size_t bytes = p->token.bytes;

    if (p->lexer.at == at + bytes)
        bytes += sim_lexer_opcode_tail(&p->lexer, &tail);
    if (sim_lexer_peek(&p->lexer, NULL) != '.')
        return sim_parser_opcode(p, at, bytes);
    p->bytes.count = 0;
    append(p, at, bytes);
    while (sim_lexer_peek(&p->lexer, NULL) == '.' &&
           (bytes = sim_lexer_opcode_tail(&p->lexer, &at)) != 0)
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
    if (p->token.kind != SIM_TOKEN_NAME || p->token.at[0] == '%')
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

// One directive, label, instruction, { or } of a body.
static void read_body_item(struct sim_parser *p)
{
    const struct sim_variable none = { .name = NULL };
    char second;

    if (p->token.kind == SIM_TOKEN_NAME && sim_lexer_peek(&p->lexer, &second) == ':' &&
        second != ':') {
        read_label(p);
        return;
    }
    if (p->token.kind == SIM_TOKEN_NAME || sim_parser_is(p, '@')) {
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
    if (sim_parser_accept(p, ';')) // inline assembly often has one too many
        return;
    switch ((int)current_directive(p)) {
    case AT_REG:
        sim_parser_registers(p);
        break;
    case AT_LOCAL:
    case AT_SHARED:
    case AT_PARAM:
    case AT_CONST:
    case AT_GLOBAL:
        sim_parser_variables(p, &none, add_local);
        break;
    case AT_LOC:
        read_loc(p);
        break;
    case AT_PRAGMA:
        read_pragma(p);
        break;
    case AT_FILE:
        read_file(p);
        break;
    default:
        sim_parser_expected(p, "an instruction, a label, a declaration or }");
    }
}

static void read_body(struct sim_parser *p, struct sim_function *f)
{
    sim_parser_expect(p, '{', "{ or ;");
    while (p->open.count) {
        if (p->token.kind == SIM_TOKEN_END)
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

// --- functions

static void read_three(struct sim_parser *p, uint32_t out[3])
{
    int n = 0;

    out[0] = out[1] = out[2] = 1;
    do {
        if (n == 3)
            sim_parser_expected(p, "at most three numbers");
        out[n] = expect_u32(p, "a number of threads or blocks");
        if (!out[n++])
            sim_parser_fail(p, "found 0, expected a number of threads or blocks");
    } while (sim_parser_accept(p, ','));
}

// What stands after a function's parameters; false when it is no directive of those.
static bool read_function_directive(struct sim_parser *p, struct sim_function *f)
{
    enum directive d = current_directive(p);
    uint32_t ignored;

    if (p->token.kind != SIM_TOKEN_DIRECTIVE)
        return false;
    if (d == AT_PRAGMA) {
        read_pragma(p);
        return true;
    }
    if (d < AT_MAXNTID || d > AT_ABI_PRESERVE_CONTROL)
        sim_parser_expected(p, "a directive of functions, { or ;");
    sim_parser_next(p);
    switch ((int)d) {
    case AT_MAXNTID:
        read_three(p, f->max_threads);
        break;
    case AT_REQNTID:
        read_three(p, f->required_threads);
        break;
    case AT_REQNCTAPERCLUSTER:
        read_three(p, f->required_cluster);
        break;
    case AT_MINNCTAPERSM:
        f->min_blocks = expect_u32(p, "a number of blocks");
        break;
    case AT_MAXNREG:
        f->max_registers = expect_u32(p, "a number of registers");
        break;
    case AT_MAXCLUSTERRANK:
        f->max_cluster = expect_u32(p, "a number of blocks");
        break;
    case AT_EXPLICITCLUSTER:
        f->explicit_cluster = true;
        break;
    case AT_BLOCKSARECLUSTERS:
        f->blocks_are_clusters = true;
        break;
    case AT_NORETURN:
        f->no_return = true;
        break;
    default: // hints to who assigns registers
        ignored = expect_u32(p, "a number");
        (void)ignored;
        break;
    }
    return true;
}

// A function is one, however often it is declared: the definition's parameters count, else those of
// the last declaration.
static void add_function(struct sim_parser *p, struct sim_name *name, const struct sim_function *f)
{
    struct sim_function *all = p->functions.items, *old;

    if (name->variable)
        sim_parser_fail(p, "found %.60s as a function, expected the variable that it was declared",
                        name->text);
    if (!name->function) {
        *(struct sim_function *)sim_parser_push(p, &p->functions) = *f;
        name->function = (uint32_t)p->functions.count;
        return;
    }
    old = &all[name->function - 1];
    struct sim_function merged = old->is_defined ? *old : *f;
    merged.is_visible = old->is_visible || f->is_visible;
    merged.is_weak = old->is_weak || f->is_weak;
    merged.is_extern = old->is_extern && f->is_extern;
    merged.no_return = old->no_return || f->no_return;
    *old = merged;
}

static void check_new(struct sim_parser *p, const struct sim_name *name,
                      const struct sim_function *f)
{
    const struct sim_function *all = p->functions.items, *old;

    if (!name->function)
        return;
    old = &all[name->function - 1];
    if (old->is_entry != f->is_entry)
        sim_parser_fail(p, "found %.60s as %s, expected %s as on line %u", name->text,
                        f->is_entry ? ".entry" : ".func", old->is_entry ? ".entry" : ".func",
                        old->line);
    if (old->is_defined && sim_parser_is(p, '{'))
        sim_parser_fail(p, "found a second body of %.60s, expected that of line %u alone",
                        name->text, old->line);
}

static void read_function(struct sim_parser *p, const struct sim_variable *linking)
{
    struct sim_function f = {
        .is_entry = current_directive(p) == AT_ENTRY,
        .is_extern = linking->is_extern,
        .is_visible = linking->is_visible,
        .is_weak = linking->is_weak,
        .line = p->token.line,
    };

    if (linking->is_common)
        sim_parser_expected(p, "a variable after .common");
    p->loc = (struct sim_loc){ 0, 0, 0 };
    p->scope = 0;
    p->registers.count = p->locals.count = p->local_scopes.count = p->labels.count = 0;
    p->scopes.count = p->statements.count = 0;
    sim_parser_scope_open(p); // of parameters in .reg too
    sim_parser_next(p);
    while (current_directive(p) == AT_ATTRIBUTE) { // .attribute(.unified(1, 2))
        sim_parser_next(p);
        sim_parser_expect(p, '(', "(");
        for (size_t depth = 1; depth; sim_parser_next(p)) {
            depth += sim_parser_is(p, '(');
            depth -= sim_parser_is(p, ')');
            if (p->token.kind == SIM_TOKEN_END)
                sim_parser_expected(p, ")");
        }
    }
    if (!f.is_entry && sim_parser_is(p, '('))
        f.results = sim_parser_parameters(p, &f.result_count, true);
    struct sim_name *name = expect_name(p, "the name of a function");
    f.name = name->text;
    if (sim_parser_is(p, '('))
        f.parameters = sim_parser_parameters(p, &f.parameter_count, true);
    while (read_function_directive(p, &f))
        ;
    check_new(p, name, &f);
    if (sim_parser_is(p, ';')) {
        sim_parser_scope_close(p);
        sim_parser_next(p);
    } else {
        if (f.is_extern)
            sim_parser_expected(p, "; after an .extern function");
        read_body(p, &f);
    }
    add_function(p, name, &f);
}

// --- the module

static void add_variable(struct sim_parser *p, struct sim_name *name, const struct sim_variable *v)
{
    struct sim_variable *all = p->variables.items, *old;

    if (name->function)
        sim_parser_fail(p, "found %.60s as a variable, expected the function that it was declared",
                        name->text);
    if (!name->variable) {
        *(struct sim_variable *)sim_parser_push(p, &p->variables) = *v;
        name->variable = (uint32_t)p->variables.count;
        return;
    }
    // The definition takes the place of what .extern declared; an .extern after it adds nothing.
    old = &all[name->variable - 1];
    if (old->space != v->space)
        sim_parser_fail(p, "found %.60s in another state space, expected that of line %u",
                        name->text, old->line);
    if (old->is_extern)
        *old = *v;
    else if (!v->is_extern && !(old->is_weak && v->is_weak) && !(old->is_common && v->is_common))
        sim_parser_fail(p, "found a second %.60s, expected that of line %u alone", name->text,
                        old->line);
}

static void read_version(struct sim_parser *p)
{
    sim_parser_next(p);
    // The lexer takes it for a decimal number.
    const char *at = p->token.at;
    bool good = p->token.kind == SIM_TOKEN_F64 && p->token.bytes == 3 && at[0] >= '0' &&
                at[0] <= '9' && at[1] == '.' && at[2] >= '0' && at[2] <= '9';

    if (!good)
        sim_parser_expected(p, "a version such as 9.0");
    p->module->version = (at[0] - '0') * 10 + (at[2] - '0');
    sim_parser_next(p);
}

// sm_90a, sm_100f, compute_80: the architecture; other words say how textures and floats are meant.
static void read_target_word(struct sim_parser *p)
{
    static const char *const options[] = { "texmode_unified", "texmode_independent", "debug",
                                           "map_f64_to_f32" };
    const char *word = p->name->text;
    int arch = 0;

    if (p->token.kind != SIM_TOKEN_NAME)
        sim_parser_expected(p, "a target such as sm_90");
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        if (strcmp(word, options[i]) == 0) {
            sim_parser_next(p);
            return;
        }
    }
    if (strncmp(word, "sm_", 3) != 0 && strncmp(word, "compute_", 8) != 0)
        sim_parser_expected(p, "a target such as sm_90");
    word = strchr(word, '_') + 1;
    while (*word >= '0' && *word <= '9' && arch < 100000)
        arch = arch * 10 + (*word++ - '0');
    if (arch == 0 || (*word && ((*word != 'a' && *word != 'f') || word[1])))
        sim_parser_expected(p, "a target such as sm_90");
    if (arch > p->module->target) {
        p->module->target = arch;
        p->module->target_suffix = *word;
    }
    sim_parser_next(p);
}

static void read_address_size(struct sim_parser *p)
{
    sim_parser_next(p);
    if (p->token.kind != SIM_TOKEN_INTEGER || p->token.value != 64)
        sim_parser_expected(p, "64");
    sim_parser_next(p);
}

static void read_alias(struct sim_parser *p)
{
    struct alias *a = sim_parser_push(p, &p->aliases);

    a->line = p->token.line;
    sim_parser_next(p);
    a->name = expect_name(p, "a name");
    sim_parser_expect(p, ',', "a comma");
    a->of = expect_name(p, "the name of a function");
    sim_parser_expect(p, ';', ";");
}

static void read_linked(struct sim_parser *p)
{
    struct sim_variable linking = { .name = NULL };

    for (;; sim_parser_next(p)) {
        switch ((int)current_directive(p)) {
        case AT_EXTERN:
            linking.is_extern = true;
            continue;
        case AT_VISIBLE:
            linking.is_visible = true;
            continue;
        case AT_WEAK:
            linking.is_weak = true;
            continue;
        case AT_COMMON:
            linking.is_common = true;
            continue;
        case AT_ENTRY:
        case AT_FUNC:
            read_function(p, &linking);
            return;
        case AT_CONST:
        case AT_GLOBAL:
        case AT_SHARED:
        case AT_LOCAL:
        case AT_PARAM:
            sim_parser_variables(p, &linking, add_variable);
            return;
        default:
            sim_parser_expected(p, "a function, a variable, or another directive of modules");
        }
    }
}

static void read_module(struct sim_parser *p)
{
    sim_parser_next(p);
    if (current_directive(p) != AT_VERSION)
        sim_parser_expected(p, ".version");
    read_version(p);
    if (current_directive(p) != AT_TARGET)
        sim_parser_expected(p, ".target");
    while (p->token.kind != SIM_TOKEN_END) {
        switch ((int)current_directive(p)) {
        case AT_TARGET:
            do {
                sim_parser_next(p);
                read_target_word(p);
            } while (sim_parser_is(p, ','));
            break;
        case AT_ADDRESS_SIZE:
            read_address_size(p);
            break;
        case AT_FILE:
            read_file(p);
            break;
        case AT_SECTION:
            skip_section(p);
            break;
        case AT_LOC:
            read_loc(p);
            break;
        case AT_PRAGMA:
            read_pragma(p);
            break;
        case AT_ALIAS:
            read_alias(p);
            break;
        default:
            if (!sim_parser_accept(p, ';'))
                read_linked(p);
        }
    }
}

// An alias is its function under another name.
static void resolve_aliases(struct sim_parser *p)
{
    for (size_t i = 0; i < p->aliases.count; i++) {
        const struct alias *a = (const struct alias *)p->aliases.items + i;
        struct sim_function *all = p->functions.items;

        p->token.line = a->line;
        if (!a->of->function || !all[a->of->function - 1].is_defined)
            sim_parser_fail(p, "found .alias of %.60s, expected a function that has a body",
                            a->of->text);
        struct sim_function f = all[a->of->function - 1];
        if (a->name->function && all[a->name->function - 1].is_defined)
            sim_parser_fail(p, "found .alias %.60s, expected a function without a body",
                            a->name->text);
        f.name = a->name->text;
        f.line = a->line;
        if (a->name->function) // now its body
            all[a->name->function - 1].is_extern = false;
        add_function(p, a->name, &f);
    }
}

static void finish(struct sim_parser *p)
{
    struct sim_module *m = p->module;

    resolve_aliases(p);
    m->file_count = p->files.count;
    m->files = sim_parser_keep(p, &p->files, 0);
    m->variable_count = p->variables.count;
    m->variables = sim_parser_keep(p, &p->variables, 0);
    m->function_count = p->functions.count;
    m->functions = sim_parser_keep(p, &p->functions, 0);
}

struct sim_module *sim_ptx_parse(const char *text, size_t bytes, char *log, size_t log_bytes)
{
    struct sim_parser *p = calloc(1, sizeof(*p));
    struct sim_module *module = NULL;

    if (log_bytes)
        log[0] = '\0';
    if (!p || !(p->arena = sim_arena_create())) {
        if (log_bytes)
            snprintf(log, log_bytes, "no memory for the parser");
        free(p);
        return NULL;
    }
    while (bytes && text[bytes - 1] == '\0')
        bytes--;
    p->log = log;
    p->log_bytes = log_bytes;
    p->lexer = (struct sim_lexer){ text, text + bytes, 1 };
    p->token.line = 1;
    p->ranges = 1;

    struct {
        struct sim_grow *grow;
        size_t size;
    } grows[] = {
        { &p->functions, sizeof(struct sim_function) },
        { &p->variables, sizeof(struct sim_variable) },
        { &p->files, sizeof(const char *) },
        { &p->aliases, sizeof(struct alias) },
        { &p->statements, sizeof(struct sim_statement) },
        { &p->registers, sizeof(struct sim_register) },
        { &p->locals, sizeof(struct sim_variable) },
        { &p->local_scopes, sizeof(uint32_t) },
        { &p->labels, sizeof(struct sim_label) },
        { &p->scopes, sizeof(uint32_t) },
        { &p->open, sizeof(struct sim_binding *) },
        { &p->operands, sizeof(struct sim_operand) },
        { &p->parameters, sizeof(struct sim_variable) },
        { &p->targets, sizeof(const char *) },
        { &p->bytes, 1 },
        { &p->relocations, sizeof(struct sim_relocation) },
    };
    enum { GROWS = sizeof(grows) / sizeof(grows[0]) };
    for (size_t i = 0; i < GROWS; i++)
        grows[i].grow->size = grows[i].size;

    if (setjmp(p->failed) == 0) {
        p->module = sim_parser_take(p, sizeof(*p->module));
        p->module->arena = p->arena;
        sim_parser_intern_known(p);
        for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
            sim_parser_intern(p, directives[i].word, strlen(directives[i].word))->directive =
                (uint16_t)directives[i].directive;
        read_module(p);
        finish(p);
    } else {
        sim_arena_free(p->arena);
        p->module = NULL;
    }
    module = p->module;
    for (size_t i = 0; i < GROWS; i++)
        free(grows[i].grow->items);
    free(p);
    return module;
}

void sim_ptx_free(struct sim_module *module)
{
    if (module)
        sim_arena_free(module->arena);
}
