// Checks functions that no kernel calls, as far as possible without dtypes and shapes. Finds names
// that are unbound or must not be bound; calls with wrong arguments, recursive calls and calls of
// unknown functions; and misplaced break, continue and return.
//
// After an `if`, a name counts as bound if either arm binds it, since a constant condition may
// select that arm.
#include "calls.h"
#include "control.h"

static void check_statements(struct tile_elaborator *e, const struct tile_statement *s);
static void check_function(struct tile_elaborator *e, struct tile_function_ast *fn);

// The meaning of a name of which nothing else is known.
static const struct tile_meaning something = { .kind = TILE_OPERAND };

static void check_expression(struct tile_elaborator *e, const struct tile_ast *ast);

static void check_call(struct tile_elaborator *e, const struct tile_ast *ast)
{
    const struct tile_ast *argument[TILE_MAX_FN_PARAMETERS];
    struct tile_function_ast *fn = tile_find_function(e, ast->text);
    uint32_t count = 0;

    if (!fn) {
        if (!tile_match_call(e, ast, argument, &count))
            return;
    } else if (fn->running) {
        tile_error(e->module, TILE_T507, ast->where, "%s: it calls itself", fn->name);
    } else if (tile_match_function(e, fn, ast, argument)) {
        count = fn->parameters;
        if (!fn->read && e->inlined < TILE_MAX_INLINING)
            check_function(e, fn);
    }
    for (uint32_t i = 0; i < count; i++)
        check_expression(e, argument[i]);
}

static void check_expression(struct tile_elaborator *e, const struct tile_ast *ast)
{
    if (!ast || !tile_elaborate_enter(e, ast->where))
        return;
    if (ast->kind == TILE_AST_CALL) {
        check_call(e, ast);
    } else if (ast->kind == TILE_AST_NAME) {
        if (!tile_lookup(e, ast->text))
            tile_report_unbound(e, ast);
    } else {
        for (uint32_t i = 0; i < ast->count; i++)
            check_expression(e, ast->child[i]);
    }
    e->depth--;
}

static void check_loop(struct tile_elaborator *e, const struct tile_statement *s)
{
    struct tile_open_loop loop = { .wrong = s->kind != TILE_STATEMENT_STATIC_FOR,
                                   .outer = e->loop };
    uint32_t outside = e->count;

    if (s->names)
        tile_push_binding(e, s->name[0], something, s->where, true);
    e->loop = &loop;
    check_statements(e, s->body);
    e->loop = loop.outer;
    tile_unbind(e, outside);
}

static void check_if(struct tile_elaborator *e, const struct tile_statement *s)
{
    const struct tile_ast *condition = s->value[0];
    const struct tile_statement *arm[] = { s->body, s->otherwise };
    uint32_t outside = e->count;

    if (condition && condition->kind == TILE_AST_BOOL) { // elaboration would skip the other arm
        check_statements(e, arm[!condition->i]);
        return;
    }
    check_statements(e, arm[0]);
    // Hide the first arm's names in the second arm, and show them again after the `if`.
    uint32_t first = e->count - outside;
    struct tile_binding *kept = tile_take(e->module, (first + 1) * sizeof(*kept));
    for (uint32_t i = 0; kept && i < first; i++)
        kept[i] = e->binding[outside + i];
    tile_unbind(e, outside);
    check_statements(e, arm[1]);
    for (uint32_t i = 0; kept && i < first; i++)
        if (!tile_lookup(e, kept[i].name))
            tile_push_binding(e, kept[i].name, something, kept[i].where, false);
}

static void check_names(struct tile_elaborator *e, const struct tile_statement *s)
{
    for (uint32_t i = 0; i < s->names; i++)
        if (s->name[i])
            tile_bind(e, s->name[i], something, s->where);
}

static void check_binding(struct tile_elaborator *e, const struct tile_statement *s)
{
    bool calls = false; // some value is a call, which may return several values

    for (uint32_t i = 0; i < s->values; i++)
        calls |= !s->value[i] || s->value[i]->kind == TILE_AST_CALL;
    if (!calls && s->names != s->values)
        tile_error(e->module, TILE_T508, s->where, "binding: %u name%s for %u value%s", s->names,
                   TILE_S(s->names), s->values, TILE_S(s->values));
    check_names(e, s);
}

static void check_leaving(struct tile_elaborator *e, const struct tile_statement *s)
{
    tile_elaborate_leaving(e, s);
}

static void check_return(struct tile_elaborator *e, const struct tile_statement *s)
{
    if (e->loop)
        tile_report_return(e, s);
}

static void check_nothing(struct tile_elaborator *e, const struct tile_statement *s)
{
    (void)e;
    (void)s;
}

static void check_statement(struct tile_elaborator *e, const struct tile_statement *s)
{
    static void (*const kinds[])(struct tile_elaborator *, const struct tile_statement *) = {
#define TILE_STATEMENT(id, elaborate, check) check_##check,
#include "ast.def"
    };

    if (s->kind == TILE_STATEMENT_UPDATE && !tile_lookup(e, s->name[0])) {
        struct tile_ast name = { .kind = TILE_AST_NAME, .where = s->where, .text = s->name[0] };
        check_expression(e, &name);
    }
    for (uint32_t i = 0; i < s->values; i++)
        check_expression(e, s->value[i]);
    kinds[s->kind](e, s);
}

static void check_statements(struct tile_elaborator *e, const struct tile_statement *s)
{
    if (!s || !tile_elaborate_enter(e, s->where))
        return;
    for (; s && !e->exhausted; s = s->next)
        check_statement(e, s);
    e->depth--;
}

static void check_function(struct tile_elaborator *e, struct tile_function_ast *fn)
{
    uint32_t frame = e->frame;
    struct tile_open_loop *loop = e->loop;

    fn->read = fn->running = true;
    e->frame = e->count;
    e->loop = NULL;
    e->inlined++;
    for (uint32_t i = 0; i < fn->parameters; i++)
        tile_push_binding(e, fn->parameter[i], something, fn->where, false);
    check_statements(e, fn->body);
    e->inlined--;
    e->loop = loop;
    tile_unbind(e, e->frame);
    e->frame = frame;
    fn->running = false;
}

void tile_check_uncalled(struct tile_elaborator *e)
{
    tile_unbind(e, 0);
    e->frame = e->depth = e->inlined = 0;
    e->lost = NULL;
    e->loop = NULL;
    for (struct tile_function_ast *fn = e->file->function; fn && !e->exhausted; fn = fn->next)
        if (!fn->read)
            check_function(e, fn);
}
