// Prints the IR in machine form: one op per line, with its attributes, types and layouts.
//
//     tile 1 machine
//
//     layout @0 = r:1,2 l:4,8,16,32,64 w:128,256 of [512]
//
//     kernel double(a: f32[N])
//         grid cdiv(N, 512)
//     {
//         %i_1 = block() {index = 0} : i64
//         %x_2 = load(%a_0, %i_1) {shape = [512]} : f32[512] @0
//         ...
//     }
//
// A value is written as its source name, if it has one, and a number. A parameter's number is its
// index. The blocks of an op follow its types, each with its arguments. Layouts are numbered and
// precede the kernels; tile_layout_text() describes their syntax. Kernel heads are in the tile
// language; `%n_1 @0` gives the layout of a scalar parameter. The form omits source positions.
// Values that are read back get positions in this text.
#include "tile/ir/diagnostic.h"
#include "tile/ir/array.h"
#include "tile/ir/layout.h"
#include "tile/ir/text.h"
#include "base/arena.h"
#include "tile/ir/ir.h"
#include "tile/ir/words.h"

#include <string.h>

struct printer {
    struct tile_text *text, *layouts;
    struct tile_module *module;
    uint32_t *number; // by value id
    uint32_t numbered;
    const struct tile_layout **layout; // already numbered
    uint32_t layout_count, layout_capacity;
};

static void put_block(struct printer *p, const struct tile_block *block, uint32_t depth);

static void put_name(struct printer *p, const struct tile_value *value)
{
    uint32_t number = p->number[value->id];

    tile_put(p->text, "%%%s%s%u", value->name ? value->name : "", value->name ? "_" : "", number);
}

static uint32_t layout_number(struct printer *p, const struct tile_layout *layout)
{
    for (uint32_t i = 0; i < p->layout_count; i++)
        if (tile_layout_same(p->layout[i], layout))
            return i;
    if (!TILE_RESERVE(p->module, p->layout, p->layout_capacity, p->layout_count + 1, 16))
        return 0;
    const char *text = tile_layout_text(p->module->arena, layout);
    tile_put(p->layouts, "layout @%u = %s\n", p->layout_count, text ? text : "?");
    p->layout[p->layout_count] = layout;
    return p->layout_count++;
}

static void put_type(struct printer *p, const struct tile_value *value)
{
    const struct tile_type *type = &value->type;

    tile_put_string(p->text, cuc_dtype_name(type->dtype));
    if (type->tensor)
        tile_put(p->text, " tensor %d", type->rank);
    for (uint32_t i = 0; i < type->rank && !type->tensor; i++)
        tile_put(p->text, "%s%d%s", i ? ", " : "[", type->extent[i],
                 i + 1 == type->rank ? "]" : "");
    if (value->layout)
        tile_put(p->text, " @%u", layout_number(p, value->layout));
}

static void put_int(struct tile_text *text, int64_t i)
{
    if (i == INT64_MIN) // the lexer cannot read its absolute value
        tile_put_string(text, "least");
    else
        tile_put(text, "%lld", (long long)i);
}

static void put_attributes(struct printer *p, const struct tile_op *op)
{
    struct tile_text *t = p->text;

    for (uint32_t i = 0; i < op->attribute_count; i++) {
        const struct tile_attribute *a = &op->attribute[i];
        const char *word;
        tile_put(t, "%s%s = ", i ? ", " : " {", tile_attribute_infos[a->key].name);
        switch (tile_attribute_infos[a->key].kind) {
        case TILE_INT:
            put_int(t, a->i);
            break;
        case TILE_WORD:
            word = tile_word_text((int)a->key, a->i);
            tile_put_string(t, word ? word : "?");
            break;
        case TILE_FLOAT:
            tile_put_real(t, a->f);
            break;
        case TILE_TEXT:
            tile_put_quoted(t, a->text);
            break;
        case TILE_INTS:
            tile_put_string(t, "[");
            for (uint32_t n = 0; n < a->count; n++) {
                tile_put_string(t, n ? ", " : "");
                put_int(t, a->ints[n]);
            }
            tile_put_string(t, "]");
            break;
        }
    }
    tile_put_string(t, op->attribute_count ? "}" : "");
}

static void put_op(struct printer *p, const struct tile_op *op, uint32_t depth)
{
    struct tile_text *t = p->text;

    tile_put_indent(t, depth);
    for (uint32_t i = 0; i < op->result_count; i++) {
        p->number[op->result[i]->id] = p->numbered++;
        tile_put_string(t, i ? ", " : "");
        put_name(p, op->result[i]);
    }
    tile_put(t, "%s%s(", op->result_count ? " = " : "", tile_op_infos[op->kind].name);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        tile_put_string(t, i ? ", " : "");
        put_name(p, op->operand[i]);
    }
    tile_put_string(t, ")");
    put_attributes(p, op);
    for (uint32_t i = 0; i < op->result_count; i++) {
        tile_put_string(t, i ? ", " : " : ");
        put_type(p, op->result[i]);
    }
    for (uint32_t i = 0; i < op->block_count; i++) {
        const struct tile_block *block = op->block[i];
        for (uint32_t n = 0; n < block->argument_count; n++) {
            p->number[block->argument[n]->id] = p->numbered++;
            tile_put_string(t, n ? ", " : " (");
            put_name(p, block->argument[n]);
            tile_put_string(t, ": ");
            put_type(p, block->argument[n]);
        }
        tile_put_string(t, block->argument_count ? ") {\n" : " {\n");
        put_block(p, block, depth + 1);
        tile_put_indent(t, depth);
        tile_put_string(t, "}");
    }
    tile_put_string(t, "\n");
}

static void put_block(struct printer *p, const struct tile_block *block, uint32_t depth)
{
    for (const struct tile_op *op = block->first; op; op = op->next)
        put_op(p, op, depth);
}

const char *tile_print_machine(struct tile_module *module)
{
    struct tile_text kernels = { .module = module }, layouts = { .module = module };
    struct printer p = { .text = &kernels, .layouts = &layouts, .module = module };

    for (struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next) {
        p.number = tile_take(module, (kernel->value_count + 1) * sizeof(*p.number));
        if (!p.number)
            break;
        p.numbered = 0;
        for (uint32_t i = 0; i < kernel->parameter_count; i++)
            p.number[kernel->parameter[i].value->id] = p.numbered++;
        tile_put_string(&kernels, "\n");
        tile_put_header(&kernels, kernel);
        for (uint32_t i = 0; i < kernel->parameter_count; i++) { // only scalars have a layout
            const struct tile_value *value = kernel->parameter[i].value;
            if (!value->layout)
                continue;
            tile_put_indent(&kernels, 1);
            put_name(&p, value);
            tile_put(&kernels, " @%u\n", layout_number(&p, value->layout));
        }
        put_block(&p, &kernel->body, 1);
        tile_put_string(&kernels, "}\n");
    }
    const char *text = cuc__arena_print(module->arena, "tile 1 machine\n%s%s%s",
                                        layouts.at ? "\n" : "", layouts.at ? layouts.at : "",
                                        kernels.at ? kernels.at : "");
    module->diagnostics->out_of_memory |= !text;
    return text ? text : "";
}
