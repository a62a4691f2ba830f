// Parses the machine form back to IR. machine.c describes the form.
//
// Kernel heads are in the tile language. The language's parser reads them from a copy of the text
// in which blanks replace everything else, so source positions in messages stay right.
#include "machine_reader.h"

#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "base/arena.h"
#include "tile/ir/array.h"
#include "tile/ir/words.h"

#include <string.h>

enum { MAX_DEPTH = 200, MAX_ROW = 4096 };

static void settle_value(struct tile_reader *r, uint32_t number, const char *name,
                         struct tile_value *value, const struct tile_layout *layout)
{
    if (!value || r->failed) {
        r->failed = true;
        return;
    }
    if (r->value[number])
        tile_reader_expected(r, "a number that no value has yet");
    value->name = name;
    value->layout = layout;
    r->value[number] = value;
}

// Ops

static void read_attribute(struct tile_reader *r, struct tile_op *op)
{
    struct tile_attribute a = { .key = TILE_ATTRIBUTE_KEYS };
    int64_t *ints;

    for (int key = 0; key < TILE_ATTRIBUTE_KEYS; key++)
        if (tile_token_is(&r->token, tile_attribute_infos[key].name))
            a.key = (enum tile_attribute_key)key;
    if (a.key == TILE_ATTRIBUTE_KEYS) {
        tile_reader_expected(r, "an attribute");
        return;
    }
    tile_reader_next(r);
    if (!tile_reader_need(r, '='))
        return;
    switch (tile_attribute_infos[a.key].kind) {
    case TILE_INT:
        a.i = tile_reader_need_int(r);
        break;
    case TILE_WORD:
        a.i = tile_attribute_word_find((int)a.key, r->token.at, r->token.bytes);
        if (a.i < 0)
            tile_reader_expected(r, "a word of that attribute");
        tile_reader_next(r);
        break;
    case TILE_FLOAT: {
        bool negative = tile_reader_take(r, '-');
        a.f = tile_token_is(&r->token, "inf")   ? __builtin_inf()
              : tile_token_is(&r->token, "nan") ? __builtin_nan("")
                                                : r->token.real;
        if (r->token.kind != TILE_TOKEN_REAL && r->token.kind != TILE_TOKEN_NAME)
            tile_reader_expected(r, "a float");
        a.f = negative ? -a.f : a.f;
        tile_reader_next(r);
        break;
    }
    case TILE_TEXT:
        a.text = r->token.text;
        if (r->token.kind != TILE_TOKEN_TEXT || r->token.wrong)
            tile_reader_expected(r, "a string");
        tile_reader_next(r);
        break;
    case TILE_INTS:
        a.ints = ints = tile_take(r->module, TILE_MAX_RANK * sizeof(*ints));
        if (!tile_reader_need(r, '[') || !ints)
            return;
        while (!r->failed && !tile_reader_at(r, ']')) {
            if (a.count == TILE_MAX_RANK) {
                tile_reader_expected(r, "at most 8 numbers");
                return;
            }
            ints[a.count++] = tile_reader_need_int(r);
            tile_reader_take(r, ',');
        }
        tile_reader_need(r, ']');
        break;
    }
    if (!r->failed)
        tile_set(r->kernel, op, a);
}

static void read_ops(struct tile_reader *r, struct tile_block *block);

// Reads "(%i_3: i64, %x_4: f32[8] @0) { .. }", or "{ .. }" without arguments.
static struct tile_block *read_block(struct tile_reader *r, struct tile_op *op)
{
    uint32_t number[256];
    const char *name[256];
    struct tile_type type[256];
    const struct tile_layout *layout[256];
    uint32_t count = 0;

    if (tile_reader_take(r, '('))
        do {
            if (count == 256) {
                tile_reader_expected(r, "fewer arguments");
                return NULL;
            }
            number[count] = tile_read_name(r, &name[count]);
            tile_reader_need(r, ':');
            tile_read_type(r, &type[count], &layout[count]);
            count++;
        } while (tile_reader_take(r, ',') || (!r->failed && !tile_reader_need(r, ')')));
    struct tile_block *block = tile_block_create(r->kernel, op, count);
    if (!block)
        return NULL;
    for (uint32_t i = 0; i < count && !r->failed; i++)
        settle_value(r, number[i], name[i], tile_argument_create(r->kernel, block, i, &type[i]),
                     layout[i]);
    tile_reader_need(r, '{');
    if (++r->depth > MAX_DEPTH)
        tile_reader_expected(r, "blocks that are less deep");
    read_ops(r, block);
    r->depth--;
    tile_reader_need(r, '}');
    return block;
}

// Reads a list of names up to `close`. Allocates *list in the module's arena.
static uint32_t read_row(struct tile_reader *r, char close, uint32_t **list, const char ***names)
{
    uint32_t count = 0, capacity = 0, name_capacity = 0;

    *list = NULL;
    *names = NULL;
    while (!r->failed && !tile_reader_at(r, close)) {
        if (count >= MAX_ROW || !TILE_RESERVE(r->module, *list, capacity, count + 1, 4) ||
            !TILE_RESERVE(r->module, *names, name_capacity, count + 1, 4))
            return (uint32_t)tile_reader_expected(r, "fewer values");
        (*list)[count] = tile_read_name(r, &(*names)[count]);
        count++;
        if (!tile_reader_take(r, ','))
            break;
    }
    return count;
}

static void read_op(struct tile_reader *r, struct tile_block *block)
{
    struct tile_location where = r->token.where;
    uint32_t *result = NULL, *operand, results = 0, operands;
    const char **result_name = NULL, **operand_name;
    struct tile_block *blocks[2];
    uint32_t block_count = 0;

    if (tile_reader_at(r, '%')) {
        results = read_row(r, '=', &result, &result_name);
        tile_reader_need(r, '=');
    }
    enum tile_op_kind kind = r->token.kind == TILE_TOKEN_NAME && !r->failed
                                 ? tile_op_find(r->token.at, r->token.bytes)
                                 : TILE_OP_COUNT;
    if (kind == TILE_OP_COUNT) {
        tile_reader_expected(r, "an op");
        return;
    }
    tile_reader_next(r);
    tile_reader_need(r, '(');
    operands = read_row(r, ')', &operand, &operand_name);
    tile_reader_need(r, ')');
    struct tile_op *op = r->failed ? NULL : tile_op_create(r->kernel, kind, operands, results, 2);
    if (!op) {
        r->failed = true;
        return;
    }
    op->where = where;
    op->block_count = 0;
    for (uint32_t i = 0; i < operands; i++) {
        tile_set_operand(op, i, r->value[operand[i]]);
        if (!op->operand[i]) {
            tile_error(r->module, TILE_T501, where, "machine form: nothing makes %%%u", operand[i]);
            r->failed = true;
            return;
        }
    }
    struct tile_reader before = *r;
    if (tile_reader_take(r, '{')) {
        bool attributes = r->token.kind == TILE_TOKEN_NAME;
        if (attributes) { // if false, the brace opens the first op's block
            struct tile_reader lookahead = *r;
            tile_reader_next(&lookahead);
            attributes = tile_reader_at(&lookahead, '=');
        }
        if (!attributes)
            *r = before;
        while (attributes) {
            read_attribute(r, op);
            attributes = tile_reader_take(r, ',');
            if (!attributes)
                tile_reader_need(r, '}');
        }
    }
    for (uint32_t i = 0; i < results && !r->failed; i++) {
        struct tile_type type;
        const struct tile_layout *layout;
        tile_reader_need(r, i ? ',' : ':');
        tile_read_type(r, &type, &layout);
        if (!r->failed)
            settle_value(r, result[i], result_name[i], tile_result_create(r->kernel, op, i, &type),
                         layout);
    }
    tile_append(block, op);
    while (!r->failed && (tile_reader_at(r, '(') || tile_reader_at(r, '{'))) {
        if (block_count == 2) {
            tile_reader_expected(r, "at most two blocks");
            return;
        }
        blocks[block_count++] = read_block(r, op);
    }
    for (uint32_t i = 0; i < block_count; i++)
        op->block[i] = blocks[i];
    op->block_count = block_count;
}

static void read_ops(struct tile_reader *r, struct tile_block *block)
{
    while (!r->failed && r->token.kind != TILE_TOKEN_END && !tile_reader_at(r, '}')) {
        if (r->token.kind == TILE_TOKEN_NEWLINE)
            tile_reader_next(r);
        else
            read_op(r, block);
    }
}

// Kernels

// Returns a copy of the text that keeps only the kernel heads, with empty bodies.
static char *heads_of(struct tile_module *module)
{
    struct tile_reader r = { .module = module };
    char *heads = cuc__arena_copy(module->arena, module->text, module->text_bytes);
    uint32_t depth = 0;
    bool head = false;

    for (size_t i = 0; heads && i < module->text_bytes; i++)
        if (heads[i] != '\n')
            heads[i] = ' ';
    tile_lexer_start(&r.lexer, module);
    for (tile_reader_next(&r); heads && r.token.kind != TILE_TOKEN_END; tile_reader_next(&r)) {
        depth += tile_reader_at(&r, '{');
        head |= !depth && tile_token_is(&r.token, "kernel");
        if (head || (tile_reader_at(&r, '}') && depth == 1))
            memcpy(heads + (r.token.at - module->text), r.token.at, r.token.bytes);
        head &= !tile_reader_at(&r, '{');
        depth -= tile_reader_at(&r, '}') && depth;
    }
    return heads;
}

// Reads "%n_1 @0": layouts of scalar parameters.
static void read_parameters(struct tile_reader *r)
{
    while (!r->failed && tile_reader_at(r, '%')) {
        struct tile_reader before = *r;
        const char *name;
        uint32_t number = tile_read_name(r, &name);
        if (!tile_reader_take(r, '@')) { // an op's result
            before.value = r->value;
            before.value_capacity = r->value_capacity;
            *r = before;
            return;
        }
        if (number >= r->kernel->parameter_count)
            tile_reader_expected(r, "a parameter");
        else
            r->value[number]->layout = tile_read_layout_number(r, &r->value[number]->type);
        if (r->token.kind == TILE_TOKEN_NEWLINE)
            tile_reader_next(r);
    }
}

static void read_kernel(struct tile_reader *r, struct tile_kernel *kernel)
{
    r->kernel = kernel;
    r->value = NULL;
    r->value_capacity = 0;
    // Drop the ops of the empty body: dimension ops and the terminator.
    kernel->body.first = kernel->body.last = NULL;
    if (!tile_reader_reserve(r, (void ***)(void *)&r->value, &r->value_capacity,
                             kernel->parameter_count))
        return;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        r->value[i] = kernel->parameter[i].value;
    // Skip the head, which has already been parsed.
    while (r->token.kind != TILE_TOKEN_END && !tile_reader_at(r, '{'))
        tile_reader_next(r);
    tile_reader_need(r, '{');
    read_parameters(r);
    read_ops(r, &kernel->body);
    tile_reader_need(r, '}');
    if (!r->failed)
        tile_renumber(kernel);
}

struct tile_module *tile_parse_machine(const char *file, const char *text, size_t bytes)
{
    struct tile_module *module = tile_module_create(file, text, bytes);
    struct tile_reader r = { 0 };

    if (!module)
        return NULL;
    char *heads = heads_of(module);
    if (module->diagnostics->errors || !heads)
        return module;
    struct tile_module *made = tile_parse(file, heads, bytes, NULL, 0);
    tile_module_free(module);
    if (!made || made->diagnostics->errors)
        return made;
    made->text = cuc__arena_copy(made->arena, text, bytes);
    if (!made->text) {
        made->diagnostics->out_of_memory = true;
        return made;
    }
    r.module = made;
    tile_lexer_start(&r.lexer, made);
    tile_reader_next(&r);
    struct tile_token version = r.token;
    if (tile_reader_need_word(&r, "tile") && (version = r.token, tile_reader_need_int(&r) != 1))
        tile_error(made, TILE_T005, version.where, "tile: this library reads version 1");
    tile_reader_need_word(&r, "machine");
    struct tile_kernel *kernel = made->first;
    while (!r.failed && r.token.kind != TILE_TOKEN_END) {
        if (r.token.kind == TILE_TOKEN_NEWLINE)
            tile_reader_next(&r);
        else if (tile_token_is(&r.token, "layout"))
            tile_read_layout(&r);
        else if (tile_token_is(&r.token, "kernel") && kernel) {
            read_kernel(&r, kernel);
            kernel = kernel->next;
        } else
            tile_reader_expected(&r, "layout or kernel");
    }
    return made;
}
