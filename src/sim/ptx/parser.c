#include "parser.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum sim_directive directive;
} directives[] = {
#define ROW(tag, word) { word, SIM_AT_##tag },
    SIM_DIRECTIVES(ROW)
#undef ROW
};

void sim_parser_fail(struct sim_parser *p, const char *fmt, ...)
{
    int n = p->log_bytes ? snprintf(p->log, p->log_bytes, "line %u: ", p->token.line) : -1;
    va_list args;

    va_start(args, fmt);
    if (n >= 0 && (size_t)n < p->log_bytes)
        vsnprintf(p->log + n, p->log_bytes - (size_t)n, fmt, args);
    va_end(args);
    longjmp(p->failed, 1);
}

// Quotes a token for a message. Truncates it, and writes unprintable characters as \xNN.
static void describe(const struct cuc__ptx_token *t, char *to, size_t bytes)
{
    enum { SHOWN = 40 };
    size_t n = 0, shown = t->bytes < SHOWN ? t->bytes : SHOWN;
    const char *before = t->kind == CUC__PTX_DIRECTIVE ? "."
                         : t->kind == CUC__PTX_STRING  ? "\""
                                                       : "";

    if (t->kind == CUC__PTX_END) {
        snprintf(to, bytes, "the end of the text");
        return;
    }
    n += (size_t)snprintf(to, bytes, "%s", before);
    for (size_t i = 0; i < shown && n + 5 < bytes; i++) {
        unsigned char c = (unsigned char)t->at[i];

        n += (size_t)snprintf(to + n, bytes - n, c < ' ' || c > '~' ? "\\x%02x" : "%c", c);
    }
    snprintf(to + n, bytes - n, "%s%s", shown < t->bytes ? "..." : "",
             t->kind == CUC__PTX_STRING ? "\"" : "");
}

void sim_parser_expected(struct sim_parser *p, const char *what)
{
    char found[256];

    describe(&p->token, found, sizeof(found));
    sim_parser_fail(p, "found %s, expected %s", found, what);
}

void sim_parser_next(struct sim_parser *p)
{
    p->token = cuc__ptx_lexer_next(&p->lexer);
    if (p->token.kind == CUC__PTX_NAME || p->token.kind == CUC__PTX_DIRECTIVE)
        p->name = sim_parser_intern(p, p->token.at, p->token.bytes);
    else if (p->token.kind == CUC__PTX_BAD)
        sim_parser_expected(p, p->token.problem);
}

bool sim_parser_is(const struct sim_parser *p, int sign)
{
    return p->token.kind == CUC__PTX_SIGN && p->token.sign == sign;
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

enum sim_directive sim_parser_directive(const struct sim_parser *p)
{
    return p->token.kind == CUC__PTX_DIRECTIVE ? (enum sim_directive)p->name->directive
                                               : SIM_AT_NONE;
}

struct sim_name *sim_parser_name(struct sim_parser *p, const char *what)
{
    struct sim_name *name = p->name;

    if (p->token.kind != CUC__PTX_NAME)
        sim_parser_expected(p, what);
    sim_parser_next(p);
    return name;
}

uint32_t sim_parser_u32(struct sim_parser *p, const char *what)
{
    struct cuc__ptx_token at = p->token;
    uint64_t value = sim_parser_integer(p, what);

    if (value > UINT32_MAX) {
        p->token = at;
        sim_parser_expected(p, what);
    }
    return (uint32_t)value;
}

void *sim_parser_take(struct sim_parser *p, size_t bytes)
{
    void *m = cuc__arena_allocate(p->arena, bytes);

    if (!m)
        sim_parser_fail(p, "no memory for %zu bytes", bytes);
    return m;
}

void sim_parser_extend(struct sim_parser *p, struct sim_grow *g, size_t count)
{
    if (!cuc__array_reserve(&g->items, &g->capacity, count, g->size))
        sim_parser_fail(p, "no memory for %zu items of %zu bytes", count, g->size);
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

struct sim_module *sim_ptx_parse(const char *text, size_t bytes, char *log, size_t log_bytes)
{
    struct sim_parser *p = calloc(1, sizeof(*p));
    struct sim_module *module = NULL;

    if (log_bytes)
        log[0] = '\0';
    if (!p || !(p->arena = cuc__arena_create())) {
        if (log_bytes)
            snprintf(log, log_bytes, "no memory for the parser");
        free(p);
        return NULL;
    }
    while (bytes && text[bytes - 1] == '\0')
        bytes--;
    p->log = log;
    p->log_bytes = log_bytes;
    p->lexer = (struct cuc__ptx_lexer){ text, text + bytes, 1 };
    p->token.line = 1;
    p->ranges = 1;

    struct {
        struct sim_grow *grow;
        size_t size;
    } grows[] = {
        { &p->functions, sizeof(struct sim_function) },
        { &p->variables, sizeof(struct sim_variable) },
        { &p->files, sizeof(const char *) },
        { &p->aliases, sizeof(struct sim_alias) },
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
    enum { GROWS = CUC_LENGTH(grows) };
    for (size_t i = 0; i < GROWS; i++)
        grows[i].grow->size = grows[i].size;

    if (setjmp(p->failed) == 0) {
        p->module = sim_parser_take(p, sizeof(*p->module));
        p->module->arena = p->arena;
        sim_parser_intern_known(p);
        for (size_t i = 0; i < CUC_LENGTH(directives); i++)
            sim_parser_intern(p, directives[i].word, strlen(directives[i].word))->directive =
                (uint16_t)directives[i].directive;
        sim_parser_module(p);
    } else {
        cuc__arena_free(p->arena);
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
        cuc__arena_free(module->arena);
}
