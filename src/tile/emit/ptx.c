// Registers, instructions and constants.
#include "emit.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char prefixes[TILE_REGISTER_CLASSES][4] = { "p", "h", "r", "d" };

enum tile_register_class tile_class_of(cuc_dtype dtype)
{
    switch (tile_register_bits(dtype)) {
    case 1:
        return TILE_PRED;
    case 16:
        return TILE_R16;
    case 64:
        return TILE_R64;
    default:
        return TILE_R32;
    }
}

tile_register tile_new(struct tile_emitter *e, enum tile_register_class class)
{
    return (uint32_t) class << 28 | ++e->next[class];
}

static size_t put_register(char *to, tile_register r)
{
    char digits[10];
    uint32_t number = r & 0xfffffff;
    size_t n = 0, at = 0;

    assert(number); // TILE_NO_REGISTER would name a register that is never written
    to[at++] = '%';
    to[at++] = prefixes[r >> 28][0];
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10));
    while (n)
        to[at++] = digits[--n];
    return at;
}

const char *tile_name(tile_register r)
{
    static _Thread_local char names[16][16];
    static _Thread_local uint32_t next;
    char *name = names[next++ % 16];

    name[put_register(name, r)] = '\0';
    return name;
}

const char *tile_register_list(struct tile_emitter *e, const tile_register *r, uint32_t count)
{
    enum { NAME_BYTES = 14 }; // including the separator
    char *text = tile_take(e->module, (size_t)count * NAME_BYTES + 3), *at = text;

    if (!text)
        return "";
    for (uint32_t i = 0; i < count; i++) {
        at = stpcpy(at, i ? ", " : "{");
        at += put_register(at, r[i]);
    }
    strcpy(at, "}");
    return text;
}

// Writes an instruction. %R is a register, %s a string, %d an int, %u an unsigned, %l an int64_t,
// %x a uint64_t in hexadecimal, and %% a percent sign. This is a custom formatter because half of
// the compiler's time is spent here.
static void put_instruction(struct tile_emitter *e, tile_register first, const char *format,
                            va_list args)
{
    char line[512];
    size_t at = 0;

    line[at++] = '\t';
    for (const char *c = format; *c && at < sizeof(line) - 80; c++) {
        if (*c != '%') {
            line[at++] = *c;
            continue;
        }
        switch (*++c) {
        case 'R':
            at += put_register(line + at, first ? first : va_arg(args, tile_register));
            first = TILE_NO_REGISTER;
            break;
        case 's': {
            const char *s = va_arg(args, const char *);
            size_t n = strlen(s);
            n = n > sizeof(line) - 80 - at ? sizeof(line) - 80 - at : n;
            memcpy(line + at, s, n);
            at += n;
            break;
        }
        case 'd':
            at += (size_t)snprintf(line + at, 16, "%d", va_arg(args, int));
            break;
        case 'u':
            at += (size_t)snprintf(line + at, 16, "%u", va_arg(args, unsigned));
            break;
        case 'l':
            at += (size_t)snprintf(line + at, 24, "%lld", (long long)va_arg(args, int64_t));
            break;
        case 'x':
            at +=
                (size_t)snprintf(line + at, 24, "%llX", (unsigned long long)va_arg(args, uint64_t));
            break;
        default:
            line[at++] = *c;
        }
    }
    line[at++] = ';';
    line[at++] = '\n';
    line[at] = '\0';
    tile_put_string(e->text, line);
    e->instructions++;
}

void tile_ins(struct tile_emitter *e, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_instruction(e, TILE_NO_REGISTER, format, args);
    va_end(args);
}

tile_register tile_make(struct tile_emitter *e, enum tile_register_class class, const char *format,
                        ...)
{
    tile_register r = tile_new(e, class);
    va_list args;

    va_start(args, format);
    put_instruction(e, r, format, args);
    va_end(args);
    return r;
}

uint32_t tile_label(struct tile_emitter *e)
{
    return ++e->next_label;
}

void tile_put_label(struct tile_emitter *e, uint32_t label)
{
    tile_put(e->text, "$L%u:\n", label);
}

void tile_branch(struct tile_emitter *e, tile_register predicate, bool negated, uint32_t label)
{
    if (predicate)
        tile_put(e->text, "\t@%s%s bra $L%u;\n", negated ? "!" : "", tile_name(predicate), label);
    else
        tile_put(e->text, "\tbra.uni $L%u;\n", label);
}

void tile_move(struct tile_emitter *e, tile_register to, tile_register from)
{
    static const char *const moves[] = { "mov.pred", "mov.b16", "mov.b32", "mov.b64" };

    if (to != from)
        tile_ins(e, "%s %R, %R", moves[to >> 28], to, from);
}

// Constants

tile_register tile_number32(struct tile_emitter *e, int32_t value)
{
    return tile_make(e, TILE_R32, "mov.b32 %R, %d", value);
}

tile_register tile_number64(struct tile_emitter *e, int64_t value)
{
    return tile_make(e, TILE_R64, "mov.b64 %R, %l", value);
}

tile_register tile_constant_register(struct tile_emitter *e, cuc_dtype dtype, uint64_t element)
{
    switch (tile_class_of(dtype)) {
    case TILE_PRED:
        return tile_make(e, TILE_PRED, element ? "setp.eq.s32 %R, 0, 0" : "setp.ne.s32 %R, 0, 0");
    case TILE_R16:
        return tile_make(e, TILE_R16, "mov.b16 %R, 0x%x", element & 0xffff);
    case TILE_R32:
        return tile_make(e, TILE_R32, "mov.b32 %R, 0x%x", element & 0xffffffff);
    default:
        return tile_make(e, TILE_R64, "mov.b64 %R, 0x%x", element);
    }
}

struct tile_text *tile_into_prologue(struct tile_emitter *e)
{
    struct tile_text *before = e->text;

    e->text = &e->prologue;
    return before;
}

bool tile_cannot(struct tile_emitter *e, const struct tile_op *op, const char *why)
{
    tile_error(e->module, TILE_T601, op->where, "%s: %s", tile_op_infos[op->kind].name, why);
    e->failed = true;
    return false;
}
