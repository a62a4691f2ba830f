// Output of a kernel: print with vprintf, and assert with __assertfail.
//
// The first thread of a block prints. It reads tiles from shared memory, so they must fit there.
// The output of one vprintf call is not interrupted. A print of up to MOST_ARGUMENTS scalars is one
// call. A print of a tile is one call per element, and the output of other blocks may come between
// them.
#include "emit.h"

#include "tile/ir/print_format.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ARGUMENTS = 24 }; // arguments per call

// Returns the generic address of a string.
static tile_register string_of(struct tile_emitter *e, const char *text, size_t length)
{
    uint32_t number = ++e->next_global;
    const char *entry = tile_entry_name(e->module, e->kernel, e->variant);

    if (!entry) {
        e->failed = true;
        return TILE_NO_REGISTER;
    }
    tile_put(&e->globals, ".global .align 1 .b8 %s$text%u[%zu] = {", entry, number, length + 1);
    for (size_t i = 0; i < length; i++)
        tile_put(&e->globals, "%u, ", (unsigned char)text[i]);
    tile_put_string(&e->globals, "0};\n");
    tile_register address = tile_new(e, TILE_R64);
    tile_put(e->text, "\tmov.u64 %s, %s$text%u;\n", tile_name(address), entry, number);
    return tile_make(e, TILE_R64, "cvta.global.u64 %R, %R", address);
}

// print

// A call under construction: its format and its 64-bit arguments.
struct line {
    struct tile_emitter *e;
    char *format;
    size_t length, capacity;
    tile_register argument[MOST_ARGUMENTS];
    uint32_t arguments;
};

static void append(struct line *line, const char *text, size_t length)
{
    for (size_t i = 0; i < length && line->length + 2 < line->capacity; i++)
        line->format[line->length++] = text[i];
}

static void append_text(struct line *line, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        append(line, text[i] == '%' ? "%%" : text + i, text[i] == '%' ? 2 : 1);
}

// Calls vprintf with a frame of 64-bit arguments in local memory.
static void call_printf(struct tile_emitter *e, tile_register format, const tile_register *argument,
                        uint32_t arguments)
{
    tile_register frame = tile_make(e, TILE_R64, "mov.u64 %R, frame"), generic;

    if (e->frame_bytes < 8 * (arguments ? arguments : 1))
        e->frame_bytes = 8 * (arguments ? arguments : 1);
    e->wants_printf = true;
    generic = tile_make(e, TILE_R64, "cvta.local.u64 %R, %R", frame);
    for (uint32_t i = 0; i < arguments; i++)
        tile_ins(e, "st.local.b64 [%R+%u], %R", frame, 8 * i, argument[i]);
    tile_put_string(e->text, "\t{\n\t.param .b64 format;\n\t.param .b64 values;\n"
                             "\t.param .b32 count;\n");
    tile_ins(e, "st.param.b64 [format], %R", format);
    tile_ins(e, "st.param.b64 [values], %R", generic);
    tile_put_string(e->text, "\tcall (count), vprintf, (format, values);\n\t}\n");
}

static void flush(struct line *line)
{
    if (line->length)
        call_printf(line->e, string_of(line->e, line->format, line->length), line->argument,
                    line->arguments);
    line->length = line->arguments = 0;
}

static tile_register argument_of(struct tile_emitter *e, const struct tile_mark *mark,
                                 cuc_dtype dtype, tile_register x)
{
    cuc_dtype shown = tile_mark_dtype(mark, dtype);

    if (dtype == CUC_BOOL) {
        tile_register yes = string_of(e, "true", 4), no = string_of(e, "false", 5);
        return tile_select(e, x, yes, no);
    }
    if (!tile_is_integer(dtype))
        return tile_emit_cast(e, CUC_F64, dtype, TILE_RN, x);
    x = tile_emit_cast(e, shown, dtype, TILE_RN, x);
    return tile_emit_cast(e, tile_is_signed(shown) ? CUC_I64 : CUC_U64, shown, TILE_RN, x);
}

static void add_scalar(struct line *line, const struct tile_mark *mark, cuc_dtype dtype,
                       tile_register x)
{
    char format[TILE_FORMAT_BYTES];

    if (line->arguments == MOST_ARGUMENTS)
        flush(line);
    tile_mark_format(mark, dtype, format);
    append(line, format, strlen(format));
    line->argument[line->arguments++] = argument_of(line->e, mark, dtype, x);
}

// Returns the text between two elements, followed by the second element's format. `ends` is the
// number of axes that end with the first element.
static tile_register string_between(struct tile_emitter *e, const struct tile_mark *mark,
                                    uint32_t ends, const char *form)
{
    char text[TILE_BRACKET_BYTES + TILE_FORMAT_BYTES], between[TILE_BRACKET_BYTES];
    int length = snprintf(text, sizeof(text), "%s%s", tile_mark_between(mark, ends, between), form);

    return string_of(e, text, (size_t)length);
}

// Prints the elements of a tile in shared memory, one after another.
static void print_elements(struct tile_emitter *e, const struct tile_mark *mark,
                           const struct tile_value *x, tile_register shared)
{
    cuc_dtype dtype = x->type.dtype;
    uint32_t bytes = tile_bytes_of(dtype), top = tile_label(e), innermost = 0;
    int64_t count = tile_elements(&x->type);
    char form[TILE_FORMAT_BYTES];
    tile_register later[TILE_MAX_RANK];

    tile_mark_format(mark, dtype, form);
    tile_register first = string_of(e, form, strlen(form));
    later[0] = string_between(e, mark, 0, form);
    if (mark->lists)
        while (++innermost < x->type.rank)
            later[innermost] = string_between(e, mark, innermost, form);
    tile_register at = tile_make(e, TILE_R32, "mov.b32 %R, %R", shared), more;
    tile_register end =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", shared, (unsigned)(count * bytes));
    tile_register format = tile_make(e, TILE_R64, "mov.b64 %R, %R", first);
    tile_register element = tile_new(e, tile_class_of(dtype));
    tile_put_label(e, top);
    tile_emit_load(e, "", "shared", dtype, &element, 1, at, 0, TILE_NO_REGISTER);
    tile_register argument = argument_of(e, mark, dtype, element);
    call_printf(e, format, &argument, 1);
    tile_move(e, format, later[0]);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, bytes);
    uint32_t step = bytes;
    for (uint32_t ends = 1; ends < innermost; ends++) {
        step *= (uint32_t)x->type.extent[x->type.rank - ends];
        tile_register into = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", at, shared);
        tile_register rest = tile_make(e, TILE_R32, "rem.u32 %R, %R, %u", into, (unsigned)step);
        tile_register over = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", rest);
        tile_move(e, format, tile_select(e, over, later[ends], format));
    }
    more = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", at, end);
    tile_branch(e, more, false, top);
}

bool tile_emit_print(struct tile_emitter *e, const struct tile_op *op)
{
    const char *at = tile_attribute(op, TILE_ATTR_TEXT)->text;
    struct line line = { .e = e, .capacity = 2 * strlen(at) + 32 * (op->operand_count + 1) };
    tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->tid);
    uint32_t done = tile_label(e);
    char bracket[TILE_BRACKET_BYTES];

    line.format = tile_take(e->module, line.capacity);
    if (!line.format)
        return false;
    tile_branch(e, first, true, done);
    for (uint32_t i = 0; i <= op->operand_count; i++) {
        struct tile_mark mark = { .at = at + strlen(at) };
        if (i < op->operand_count)
            tile_find_mark(at, &mark);
        append_text(&line, at, (size_t)(mark.at - at));
        if (i == op->operand_count)
            break;
        at = mark.end;
        const struct tile_value *x = op->operand[i];
        if (!x->type.rank) {
            add_scalar(&line, &mark, x->type.dtype, tile_registers(e, x)[0]);
            continue;
        }
        // All threads write the tile to shared memory; then only the first thread continues.
        tile_mark_bracket(&mark, &x->type, '[', bracket);
        append(&line, bracket, strlen(bracket));
        flush(&line);
        tile_put_label(e, done);
        if (!tile_shared_fits(e, op, tile_shared_bytes(x)))
            return false;
        tile_register shared = tile_scratch(e, tile_shared_bytes(x));
        tile_write_shared(e, x, tile_registers(e, x), shared, 0, NULL);
        tile_scratch_written(e);
        done = tile_label(e);
        tile_branch(e, first, true, done);
        print_elements(e, &mark, x, shared);
        tile_mark_bracket(&mark, &x->type, ']', bracket);
        append(&line, bracket, strlen(bracket));
    }
    append(&line, "\n", 1);
    flush(&line);
    tile_put_label(e, done);
    return !e->failed;
}

// assert

bool tile_emit_assert(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *c = op->operand[0];
    const char *text = tile_attribute(op, TILE_ATTR_TEXT)->text;
    const char *file = op->where.file ? op->where.file : "program.tile";
    const tile_register *reg = tile_registers(e, c);
    tile_register all = TILE_NO_REGISTER;
    uint32_t done = tile_label(e);

    for (uint32_t r = 0; reg && r < tile_register_count(c); r++) {
        bool none;
        tile_register inside = tile_inside_tile(e, c, r, &none), holds = reg[r];
        if (none)
            continue;
        if (inside) {
            tile_register outside = tile_make(e, TILE_PRED, "not.pred %R, %R", inside);
            holds = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", holds, outside);
        }
        all = tile_both(e, all, holds);
    }
    tile_branch(e, all, false, done);
    const char *const strings[] = { text, file, e->kernel->name };
    tile_register argument[3];
    for (uint32_t i = 0; i < 3; i++)
        argument[i] = string_of(e, strings[i], strlen(strings[i]));
    e->wants_assert = true;
    tile_put_string(e->text, "\t{\n\t.param .b64 message;\n\t.param .b64 file;\n"
                             "\t.param .b32 line;\n\t.param .b64 function;\n"
                             "\t.param .b64 size;\n");
    tile_ins(e, "st.param.b64 [message], %R", argument[0]);
    tile_ins(e, "st.param.b64 [file], %R", argument[1]);
    tile_ins(e, "st.param.b32 [line], %u", op->where.line);
    tile_ins(e, "st.param.b64 [function], %R", argument[2]);
    tile_ins(e, "st.param.b64 [size], 1");
    tile_put_string(e->text, "\tcall __assertfail, (message, file, line, function, size);\n\t}\n");
    tile_put_label(e, done);
    return reg && !e->failed;
}
