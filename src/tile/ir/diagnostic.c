// Stores diagnostics and formats them as text. See diagnostic.h.
#include "diagnostic.h"

#include "base/arena.h"
#include "base/text.h"
#include "budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1024 };

static const struct {
    const char *name, *meaning;
    int number;
} codes[TILE_CODE_COUNT] = {
#define TILE_CODE(id, number, meaning, remedy) [TILE_##id] = { #id, meaning, number },
#include "explain/tile_code.def"
#undef TILE_CODE
};

const char *tile_code_name(enum tile_code code)
{
    return codes[code].name;
}

const char *tile_code_meaning(enum tile_code code)
{
    return codes[code].meaning;
}

int tile_code_number(enum tile_code code)
{
    return codes[code].number;
}

static bool same_place(const struct tile_location *a, const struct tile_location *b)
{
    return a->line == b->line && a->column == b->column &&
           (a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0));
}

__attribute__((format(printf, 5, 0))) static void
add(struct tile_module *module, enum tile_severity severity, enum tile_code code,
    const struct tile_location *where, const char *format, va_list args)
{
    struct tile_diagnostics *d = module->diagnostics;
    char text[TEXT_BYTES];

    vsnprintf(text, sizeof(text), format, args);
    struct tile_diagnostic *new = cuc__arena_allocate(d->arena, sizeof(*new));
    char *copy = cuc__arena_copy(d->arena, text, strlen(text));
    if (!new || !copy) {
        d->out_of_memory = true;
        return;
    }
    *new = (struct tile_diagnostic){ code, severity, *where, copy, false, NULL };
    if (!new->where.inlined_at && severity == TILE_ERROR)
        new->where.inlined_at = module->call;
    if (d->last)
        d->last->next = new;
    else
        d->first = new;
    d->last = new;
}

void tile_error(struct tile_module *module, enum tile_code code, struct tile_location where,
                const char *format, ...)
{
    struct tile_diagnostics *d = module->diagnostics;
    va_list args;

    if (tile_budget_ended(module->budget)) // once the budget has ended, a missing value is not an
                                           // error of the source
        return;
    for (struct tile_diagnostic *old = d->first; old; old = old->next)
        if (old->severity == TILE_ERROR && old->code == code && same_place(&old->where, &where))
            return;
    d->silent = ++d->errors + d->earlier > TILE_MAX_ERRORS;
    if (d->silent)
        return;
    va_start(args, format);
    add(module, TILE_ERROR, code, &where, format, args);
    va_end(args);
}

void tile_broken(struct tile_check *check, const struct tile_op *op, const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (check->ok) // report only the first broken rule
        tile_error(check->kernel->module, TILE_T901, op ? op->where : check->kernel->where,
                   "compiler: after %s: %s: %s: this is an error of cucore's", check->after,
                   op ? tile_op_infos[op->kind].name : "kernel", what);
    check->ok = false;
}

bool tile_error_is_kept(const struct tile_module *module)
{
    return module->diagnostics->errors + module->diagnostics->earlier < TILE_MAX_ERRORS;
}

void tile_expect_kernel(struct tile_module *module)
{
    const struct tile_diagnostics *d = module->diagnostics;

    if (!module->first && !d->errors && !d->out_of_memory)
        tile_error(module, TILE_T008, (struct tile_location){ .file = module->file },
                   "program: expected a kernel, got none");
}

void tile_note(struct tile_module *module, struct tile_location where, const char *format, ...)
{
    va_list args;

    if (module->diagnostics->silent)
        return;
    va_start(args, format);
    add(module, TILE_NOTE, TILE_T000, &where, format, args);
    va_end(args);
}

void tile_remark(struct tile_module *module, struct tile_location where, const char *format, ...)
{
    va_list args;

    struct tile_diagnostics *d = module->diagnostics;
    char text[TEXT_BYTES];

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    // Passes copy ops, so the same remark may come from each copy.
    for (uint32_t i = 0; i < TILE_RECENT_REMARKS && d->recent[i]; i++)
        if (same_place(&d->recent[i]->where, &where) && strcmp(d->recent[i]->text, text) == 0)
            return;
    va_start(args, format);
    add(module, TILE_REMARK, TILE_T000, &where, format, args);
    va_end(args);
    d->recent[d->remarks++ % TILE_RECENT_REMARKS] = d->last;
}

void tile_show_with_errors(struct tile_module *module)
{
    if (module->diagnostics->last)
        module->diagnostics->last->explains = true;
}

// As text

// Writes the source line of a position, with a caret under its column.
static void put_line(struct cuc__text *w, const struct tile_module *module,
                     const struct tile_location *where)
{
    const char *at = module->text;
    const char *end = at ? at + module->text_bytes : NULL;
    bool ours = !module->file || (where->file && strcmp(module->file, where->file) == 0);

    if (!at || !where->line || !ours)
        return;
    for (uint32_t line = 1; line < where->line; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at++)
            return;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    int length = (int)((stop ? stop : end) - at);
    cuc__text_put(w, "    %.*s\n", length, at);
    if (!where->column)
        return;
    cuc__text_put(w, "    ");
    stop = at + length;
    // Copy tabs, so that the caret lines up. Columns count characters.
    for (uint32_t i = 1; i < where->column; i++) {
        cuc__text_put(w, "%c", at < stop && *at == '\t' ? '\t' : ' ');
        at += at < stop;
        while (at < stop && (*at & 0xc0) == 0x80)
            at++;
    }
    cuc__text_put(w, "^\n");
}

static void put_place(struct cuc__text *w, const struct tile_location *where)
{
    cuc__text_put(w, "%s", where->file ? where->file : "program.tile");
    if (where->line)
        cuc__text_put(w, ":%u", where->line);
    if (where->line && where->column)
        cuc__text_put(w, ":%u", where->column);
}

static void put(struct cuc__text *w, const struct tile_module *module,
                const struct tile_diagnostic *one, enum tile_severity severity)
{
    static const char *const words[] = {
        [TILE_ERROR] = "error", [TILE_REMARK] = "remark", [TILE_NOTE] = "note"
    };

    put_place(w, &one->where);
    cuc__text_put(w, ": %s", words[severity]);
    if (severity == TILE_ERROR)
        cuc__text_put(w, " %s", codes[one->code].name);
    cuc__text_put(w, ": %s\n", one->text);
    put_line(w, module, &one->where);
    for (const struct tile_location *call = one->where.inlined_at; call; call = call->inlined_at) {
        put_place(w, call);
        cuc__text_put(w, ": note: called from here\n");
    }
}

static uint32_t line_in_kernel(const struct tile_diagnostic *one)
{
    const struct tile_location *where = &one->where;

    while (where->inlined_at)
        where = where->inlined_at;
    return where->line;
}

// True if the remark explains a kernel that has an error: it is the last such remark before the
// error in the text.
static bool explains_error(const struct tile_diagnostics *d, const struct tile_diagnostic *remark)
{
    for (const struct tile_diagnostic *error = d->first; error; error = error->next) {
        uint32_t line = line_in_kernel(error);
        bool nearest = error->severity == TILE_ERROR && remark->where.line <= line;
        for (const struct tile_diagnostic *one = d->first; one && nearest; one = one->next)
            nearest = !one->explains || one->where.line > line ||
                      one->where.line <= remark->where.line;
        if (nearest)
            return true;
    }
    return false;
}

static void put_all(struct cuc__text *w, const struct tile_module *module, bool remarks)
{
    const struct tile_diagnostics *d = module->diagnostics;

    for (const struct tile_diagnostic *one = d->first; one; one = one->next)
        if (one->severity != TILE_REMARK || remarks)
            put(w, module, one, one->severity);
    for (const struct tile_diagnostic *one = d->first; one && !remarks; one = one->next)
        if (one->explains && explains_error(d, one))
            put(w, module, one, TILE_NOTE);
    if (d->errors > TILE_MAX_ERRORS)
        cuc__text_put(w, "%u more errors\n", d->errors - TILE_MAX_ERRORS);
}

const char *tile_diagnostics_text(struct tile_module *module, bool remarks)
{
    struct cuc__text w = { 0 };

    put_all(&w, module, remarks);
    const char *text = w.lost ? NULL : cuc__arena_copy(module->arena, w.at, w.length);
    free(w.at);
    return text ? text : "no memory for the diagnostics\n";
}
