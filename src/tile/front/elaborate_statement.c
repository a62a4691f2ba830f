// Elaborates statements in order: binds and rebinds names, and inlines functions.
//
// Bindings form a stack. The end of a block removes its bindings.
#include "control.h"
#include "tile/ir/array.h"

#include <string.h>

struct tile_binding *tile_lookup(struct tile_elaborator *e, const char *name)
{
    uint32_t known = name ? tile_names_find(&e->names, name) : UINT32_MAX;
    uint32_t latest = known == UINT32_MAX ? 0 : e->names.name[known].number;

    return latest > e->frame ? &e->binding[latest - 1] : NULL;
}

void tile_unbind(struct tile_elaborator *e, uint32_t count)
{
    while (e->count > count) {
        const struct tile_binding *last = &e->binding[--e->count];
        e->names.name[last->known].number = last->outer;
    }
}

void tile_push_binding(struct tile_elaborator *e, const char *name, struct tile_meaning what,
                       struct tile_location where, bool fixed)
{
    if (!name)
        return;
    static char dtype[] = "dtype";
    uint32_t before = e->names.count, known = tile_names_add(&e->names, e->module, name);
    if (known == UINT32_MAX)
        return;
    if (known == before) // look each name up only once
        e->names.name[known].value = cuc_dtype_from_name(name) != CUC_DTYPE_UNKNOWN ? dtype : NULL;
    if (e->names.name[known].value)
        tile_error(e->module, TILE_T502, where, "name: %s is a dtype of the language", name);
    if (!TILE_RESERVE(e->module, e->binding, e->capacity, e->count + 1, 64))
        return;
    uint32_t outer = e->names.name[known].number;
    e->binding[e->count++] = (struct tile_binding){ name, what, where, fixed, known, outer };
    e->names.name[known].number = e->count;
}

void tile_bind(struct tile_elaborator *e, const char *name, struct tile_meaning what,
               struct tile_location where)
{
    struct tile_binding *binding = tile_lookup(e, name);

    if (what.kind == TILE_OPERAND && what.operand.value && !what.operand.value->name)
        what.operand.value->name = name;
    if (!binding) {
        tile_push_binding(e, name, what, where, false);
        return;
    }
    if (binding->fixed) {
        tile_error(e->module, TILE_T502, where, "name: %s cannot be bound again", name);
        tile_note(e->module, binding->where, "it is bound here");
        return;
    }
    binding->what = what;
    binding->where = where;
}

bool tile_only_acts(const struct tile_ast *ast)
{
    static const char *const names[] = { "store", "scatter", "assert", "print", "grid_dependency" };

    for (size_t i = 0; ast && ast->kind == TILE_AST_CALL && i < 5; i++)
        if (strncmp(ast->text, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// noinline keeps the large array out of the frames of the recursion over nested blocks.
__attribute__((noinline)) static bool elaborate_binding(struct tile_elaborator *e,
                                                        const struct tile_statement *s)
{
    struct tile_meaning values[64 + TILE_MAX_VALUES];
    uint32_t count = 0;
    uint32_t errors = e->module->diagnostics->errors;

    // Elaborate all values before binding any name, as `a, b = b, a` requires.
    for (uint32_t i = 0; i < s->values && count < 64; i++) {
        uint32_t got = tile_elaborate_values(e, s->value[i], values + count);
        if (!got && s->values == 1) { // after an error, give every name an erroneous meaning
            memset(values, 0, sizeof(values));
            got = s->names < 64 ? s->names : 64;
            // The function may lack a return. After another error, however, values may be missing
            // because of that error.
            if (!e->module->diagnostics->errors ||
                (e->module->diagnostics->errors == errors && tile_only_acts(s->value[i])))
                tile_error(e->module, TILE_T508, s->where, "binding: this call gives no value");
        } else if (!got) {
            values[count] = (struct tile_meaning){ 0 };
            got = 1;
        }
        count += got;
    }
    if (count != s->names)
        tile_error(e->module, TILE_T508, s->where, "binding: %u name%s for %u value%s", s->names,
                   TILE_S(s->names), count, TILE_S(count));
    for (uint32_t i = 0; i < s->names; i++)
        if (s->name[i])
            tile_bind(e, s->name[i], i < count ? values[i] : (struct tile_meaning){ 0 }, s->where);
    return false;
}

__attribute__((noinline)) static bool elaborate_effect(struct tile_elaborator *e,
                                                       const struct tile_statement *s)
{
    struct tile_meaning dropped[TILE_MAX_VALUES];

    tile_elaborate_values(e, s->value[0], dropped);
    return false;
}

static bool elaborate_update(struct tile_elaborator *e, const struct tile_statement *s)
{
    struct tile_ast name = { .kind = TILE_AST_NAME, .where = s->where, .text = s->name[0] };
    struct tile_ast *children[] = { &name, s->value[0] };
    struct tile_ast binary = {
        .kind = TILE_AST_BINARY, .op = s->op, .where = s->where, .child = children, .count = 2
    };

    tile_bind(e, s->name[0], tile_elaborate_expression(e, &binary), s->where);
    return false;
}

bool tile_elaborate_leaving(struct tile_elaborator *e, const struct tile_statement *s)
{
    const char *word = s->kind == TILE_STATEMENT_BREAK ? "break" : "continue";

    if (e->loop && e->loop->wrong)
        return true;
    if (!e->loop || !e->loop->op) {
        tile_error(e->module, TILE_T402, s->where,
                   e->loop ? "%s: it cannot leave a static for" : "%s: it stands in no loop", word);
        return false; // an error; check the following statements too
    }
    tile_leave_loop(e, s->kind == TILE_STATEMENT_BREAK ? TILE_BREAK : TILE_CONTINUE, e->loop);
    return true;
}

void tile_report_return(struct tile_elaborator *e, const struct tile_statement *s)
{
    tile_error(e->module, TILE_T402, s->where,
               "return: a fn returns at its end, or in an if of a constant");
}

static bool elaborate_return(struct tile_elaborator *e, const struct tile_statement *s)
{
    if (!e->in_function) {
        if (s->values)
            tile_error(e->module, TILE_T402, s->where, "return: a kernel gives no values");
        tile_build_return(&e->b);
        return true;
    }
    if (e->loop || e->b.block != e->function_block) {
        tile_report_return(e, s);
        return true;
    }
    for (uint32_t i = 0; i < s->values && e->results < TILE_MAX_VALUES; i++)
        e->result[e->results++] = tile_elaborate_expression(e, s->value[i]);
    e->returned = true;
    return true;
}

static bool elaborate_loop(struct tile_elaborator *e, const struct tile_statement *s)
{
    tile_elaborate_loop(e, s);
    return false;
}

static bool elaborate_unreadable(struct tile_elaborator *e, const struct tile_statement *s)
{
    for (uint32_t i = 0; i < s->names; i++)
        if (s->name[i])
            tile_bind(e, s->name[i], (struct tile_meaning){ 0 }, s->where);
    return false;
}

// These are in elaborate_control.c.
#define elaborate_static_for tile_elaborate_static_for
#define elaborate_if tile_elaborate_if
#define elaborate_leaving tile_elaborate_leaving

// Elaborates one statement; true if control leaves its block there.
static bool elaborate_statement(struct tile_elaborator *e, const struct tile_statement *s)
{
    static bool (*const kinds[])(struct tile_elaborator *, const struct tile_statement *) = {
#define TILE_STATEMENT(id, elaborate, ...) elaborate_##elaborate,
#include "ast.def"
    };

    e->b.where = s->where;
    return kinds[s->kind](e, s);
}

bool tile_elaborate_statements(struct tile_elaborator *e, const struct tile_statement *s)
{
    struct tile_saved_state before;
    bool left = false, detached = false;

    // A block counts as several levels, since passes recurse into nested blocks too.
    enum { LEVELS = 3 };

    if (!tile_elaborate_enter(e, s ? s->where : e->b.where))
        return false;
    e->depth += LEVELS - 1;
    for (; s && !e->exhausted; s = s->next) {
        left |= elaborate_statement(e, s);
        if (!left || detached || !s->next)
            continue;
        detached = true;
        if (!tile_enter_detached(e, &before))
            break;
    }
    if (detached)
        tile_leave_detached(e, &before);
    e->depth -= LEVELS;
    return left;
}

uint32_t tile_elaborate_function(struct tile_elaborator *e, struct tile_function_ast *fn,
                                 const struct tile_meaning *argument, struct tile_location call,
                                 struct tile_meaning *out)
{
    struct tile_elaborator outer = *e;

    fn->read = true;
    if (fn->running) {
        tile_error(e->module, TILE_T507, call, "%s: it calls itself", fn->name);
        return 0;
    }
    if (e->inlined >= TILE_MAX_INLINING) {
        tile_error(e->module, TILE_T006, call, "%s: more than %d calls one in another", fn->name,
                   TILE_MAX_INLINING);
        return 0;
    }
    fn->running = true;
    e->b.op = NULL;
    e->lost = NULL;
    e->frame = e->count;
    e->inlined++;
    e->loop = NULL;
    e->result = out;
    e->results = 0;
    e->in_function = true;
    e->returned = false;
    e->function_block = e->b.block;
    struct tile_location *chain = tile_take(e->module, sizeof(*chain));
    if (chain) {
        *chain = call;
        chain->inlined_at = outer.module->call;
        e->module->call = chain;
    }
    const struct tile_location *before = chain ? chain->inlined_at : e->module->call;
    for (uint32_t i = 0; i < fn->parameters; i++)
        tile_push_binding(e, fn->parameter[i], argument[i], fn->where, false);
    tile_elaborate_statements(e, fn->body);
    fn->running = false;
    e->b.op = outer.b.op;
    e->lost = outer.lost;
    e->module->call = before;
    uint32_t results = e->results;
    tile_unbind(e, e->frame);
    e->frame = outer.frame;
    e->inlined = outer.inlined;
    e->loop = outer.loop;
    e->result = outer.result;
    e->results = outer.results;
    e->in_function = outer.in_function;
    e->returned = outer.returned;
    e->function_block = outer.function_block;
    for (uint32_t i = 0; i < results; i++)
        if (out[i].kind == TILE_NOTHING)
            return 0;
    return results;
}
