// Registers, instructions and constants.
#include "emit.h"
#include "tile/ir/array.h"

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
    uint32_t number = r & 0xfffffff;
    size_t at = 0;

    assert(number); // TILE_NO_REGISTER would name a register that is never written
    to[at++] = '%';
    to[at++] = prefixes[r >> 28][0];
    return (size_t)(tile_write_number(to + at, number, 10) - to);
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

static char *put_signed(char *to, int64_t value)
{
    if (value < 0)
        *to++ = '-';
    return tile_write_number(to, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

enum { LINE = 512, LONGEST = 24 }; // bytes of a line; of a number or register and the line's end

// Formats at `at`, before `end`. %R is a register, %s a string, %d an int, %u an unsigned, %l an
// int64_t, %x a uint64_t in hexadecimal, and %% a percent sign. This is a custom formatter because
// half of the compiler's time is spent here.
static char *put_words(char *at, const char *end, tile_register first, const char *format,
                       va_list args)
{
    for (const char *c = format; *c && at < end; c++) {
        if (*c != '%') {
            *at++ = *c;
            continue;
        }
        switch (*++c) {
        case 'R':
            at += put_register(at, first ? first : va_arg(args, tile_register));
            first = TILE_NO_REGISTER;
            break;
        case 's':
            for (const char *s = va_arg(args, const char *); *s && at < end; s++)
                *at++ = *s;
            break;
        case 'd':
            at = put_signed(at, va_arg(args, int));
            break;
        case 'u':
            at = tile_write_number(at, va_arg(args, unsigned), 10);
            break;
        case 'l':
            at = put_signed(at, va_arg(args, int64_t));
            break;
        case 'x':
            at = tile_write_number(at, va_arg(args, uint64_t), 16);
            break;
        default:
            *at++ = *c;
        }
    }
    return at;
}

static void put_instruction(struct tile_emitter *e, tile_register first, const char *format,
                            va_list args)
{
    char *line = tile_text_room(e->text, LINE), *at = line;

    if (!line)
        return;
    *at++ = '\t';
    at = put_words(at, line + LINE - LONGEST, first, format, args);
    *at++ = ';';
    *at++ = '\n';
    tile_text_wrote(e->text, (size_t)(at - line));
    e->instructions++;
}

void tile_ins_part(struct tile_emitter *e, const char *format, ...)
{
    char *part = tile_text_room(e->text, LINE);
    va_list args;

    if (!part)
        return;
    va_start(args, format);
    char *end = put_words(part, part + LINE - LONGEST, TILE_NO_REGISTER, format, args);
    va_end(args);
    tile_text_wrote(e->text, (size_t)(end - part));
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
    tile_ins_part(e, "$L%u:\n", label);
}

void tile_branch(struct tile_emitter *e, tile_register predicate, bool negated, uint32_t label)
{
    if (predicate)
        tile_ins_part(e, "\t@%s%R bra $L%u;\n", negated ? "!" : "", predicate, label);
    else
        tile_ins_part(e, "\tbra.uni $L%u;\n", label);
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
    tile_register r = tile_make(e, TILE_R64, "mov.b64 %R, %l", value);
    uint32_t number = r & 0xfffffff;

    if (!TILE_RESERVE(e->module, e->number, e->number_capacity, number + 1, 64)) {
        e->failed = true;
        return r;
    }
    e->number[number] = (struct tile_number){ true, value };
    return r;
}

bool tile_is_number64(const struct tile_emitter *e, tile_register r, int64_t *value)
{
    uint32_t number = r & 0xfffffff;

    if (TILE_REGISTER_CLASS(r) != TILE_R64 || number >= e->number_capacity ||
        !e->number[number].is_known)
        return false;
    *value = e->number[number].value;
    return true;
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
