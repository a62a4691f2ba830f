// Inline PTX, emitted element by element: $0 stands for the result, $1 and so on for the operands.
// Register types: a predicate for bool; .b32 for integers up to 32 bits, f32, tf32 and 8-bit
// floats; .b16 for f16 and bf16; .b64 for all others. Semicolons or newlines separate instructions.
// Braces enclose each asm, so it may declare registers.
#include "emit.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Emits the instruction between `at` and `end`, with registers in place of placeholders. reg[0] is
// the result.
static bool put_instruction(struct tile_emitter *e, const char *at, const char *end,
                            const tile_register *reg)
{
    bool brace;

    while (at < end && is_blank(*at))
        at++;
    while (end > at && is_blank(end[-1]))
        end--;
    if (at == end)
        return true;
    brace = end - at == 1 && (*at == '{' || *at == '}');
    brace |= end[-1] == ':'; // the colon ends a label
    tile_put_string(e->text, "\t");
    while (at < end) {
        if (*at == '$' && at + 1 < end && is_digit(at[1])) {
            uint32_t number = 0;
            for (at++; at < end && is_digit(*at); at++)
                // Type inference has checked this number.
                number = 10 * number + (uint32_t)(*at - '0');
            tile_put_string(e->text, tile_name(reg[number]));
            continue;
        }
        const char *next = at + 1;
        while (next < end && *next != '$')
            next++;
        tile_put(e->text, "%.*s", (int)(next - at), at);
        at = next;
    }
    tile_put_string(e->text, brace ? "\n" : ";\n");
    return true;
}

bool tile_emit_asm(struct tile_emitter *e, const struct tile_op *op)
{
    const char *text = tile_attribute(op, TILE_ATTR_TEXT)->text;
    const struct tile_value *result = op->result[0];
    uint32_t count = tile_register_count(result);
    tile_register *out = tile_take(e->module, count * sizeof(*out));
    cuc_dtype dtype = result->type.dtype;

    if (!out)
        return false;
    for (uint32_t r = 0; r < count; r++) {
        tile_register reg[TILE_MAX_RANK + 1];
        reg[0] = tile_new(e, tile_class_of(dtype));
        // Copy operands, because the inline code may write to them.
        for (uint32_t i = 0; i < op->operand_count; i++) {
            tile_register operand = tile_registers(e, op->operand[i])[r];
            reg[1 + i] = tile_new(e, TILE_REGISTER_CLASS(operand));
            tile_move(e, reg[1 + i], operand);
        }
        tile_put_string(e->text, "\t{\n");
        for (const char *at = text; *at;) {
            const char *end = at + strcspn(at, ";\n");
            if (!put_instruction(e, at, end, reg))
                return false;
            at = *end ? end + 1 : end;
        }
        tile_put_string(e->text, "\t}\n");
        // Sign- or zero-extend small results. The inline code then need not know how registers hold
        // small dtypes.
        if (tile_is_integer(dtype) && cuc_dtype_bits(dtype) < 32)
            reg[0] = tile_emit_cast(e, dtype, CUC_I32, TILE_RN, reg[0]);
        else if (cuc_dtype_bits(dtype) == 8 && dtype != CUC_BOOL)
            reg[0] = tile_make(e, TILE_R32, "and.b32 %R, %R, 255", reg[0]);
        out[r] = reg[0];
    }
    e->value[result->id] = out;
    return !e->failed;
}
