#include "text.h"

#include "budget.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Makes room for `more` bytes and the terminator; false if out of memory.
static bool grow(struct tile_text *t, size_t more)
{
    size_t need = t->length + more + 1, capacity = t->capacity ? t->capacity : 4096;

    const struct tile_budget *budget = t->module->budget;

    tile_spend(t->module, 1);
    if (need <= t->capacity)
        return true;
    if (budget && need > budget->limits.ptx_bytes)
        tile_budget_end(t->module, TILE_T802);
    if (t->module->diagnostics->out_of_memory)
        return false;
    while (capacity < need)
        capacity *= 2;
    char *grown = cuc__arena_resize(t->module->arena, t->at, capacity);
    if (!grown) {
        t->module->diagnostics->out_of_memory = true;
        if (budget && budget->memory.refused)
            tile_budget_end(t->module, TILE_T803);
        return false;
    }
    t->at = grown;
    t->capacity = capacity;
    return true;
}

void tile_put(struct tile_text *t, const char *format, ...)
{
    va_list args;

    if (!grow(t, 127))
        return;
    va_start(args, format);
    int n = vsnprintf(t->at + t->length, t->capacity - t->length, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n >= t->capacity - t->length) {
        if (!grow(t, (size_t)n))
            return;
        va_start(args, format);
        vsnprintf(t->at + t->length, t->capacity - t->length, format, args);
        va_end(args);
    }
    t->length += (size_t)n;
}

void tile_put_string(struct tile_text *t, const char *string)
{
    size_t n = strlen(string);

    if (!grow(t, n))
        return;
    memcpy(t->at + t->length, string, n + 1);
    t->length += n;
}

char *tile_text_room(struct tile_text *t, size_t bytes)
{
    return grow(t, bytes) ? t->at + t->length : NULL;
}

void tile_text_wrote(struct tile_text *t, size_t bytes)
{
    t->length += bytes;
    t->at[t->length] = '\0';
}

char *tile_write_number(char *to, uint64_t value, unsigned base)
{
    char digits[20];
    size_t n = 0;

    do
        digits[n++] = "0123456789ABCDEF"[value % base];
    while ((value /= base));
    while (n)
        *to++ = digits[--n];
    return to;
}

void tile_put_number(struct tile_text *t, uint64_t value)
{
    char *at = tile_text_room(t, 20);

    if (at)
        tile_text_wrote(t, (size_t)(tile_write_number(at, value, 10) - at));
}

void tile_put_text(struct tile_text *t, struct tile_text *from)
{
    if (from->at)
        tile_put_string(t, from->at);
    cuc__arena_resize(from->module->arena, from->at, 0);
    *from = (struct tile_text){ .module = from->module };
}

void tile_put_indent(struct tile_text *t, uint32_t depth)
{
    for (; depth; depth--)
        tile_put_string(t, "    ");
}

void tile_put_quoted(struct tile_text *t, const char *string)
{
    tile_put_string(t, "\"");
    for (; *string; string++) {
        const char *escape = *string == '\n'   ? "\\n"
                             : *string == '\t' ? "\\t"
                             : *string == '\r' ? "\\r"
                             : *string == '"'  ? "\\\""
                             : *string == '\\' ? "\\\\"
                                               : NULL;
        tile_put(t, "%.*s", escape ? 2 : 1, escape ? escape : string);
    }
    tile_put_string(t, "\"");
}

void tile_put_real(struct tile_text *t, double value)
{
    char digits[40];

    if (value != value || isinf(value)) {
        tile_put_string(t, value != value ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(digits, sizeof(digits), "%.17g", value);
    tile_put(t, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}
