// The machine form back to IR. See machine.c for what it looks like.
//
// Heads of kernels are the language's own: they are read by its parser, from a copy of the text in
// which all else is blank, so that places in messages are right.
#include "../diagnostic.h"
#include "../front/elaborate.h"
#include "../front/lexer.h"
#include "../layout/layout.h"
#include "arena.h"
#include "words.h"

#include <string.h>

enum { MAX_DEPTH = 200, MAX_ROW = 4096 };

struct reader {
    struct tile_lexer lexer;
    struct tile_token token;
    struct tile_module *module;
    struct tile_kernel *kernel;
    struct tile_value **value; // by number
    uint32_t value_room;
    struct tile_layout **layout;
    uint32_t layout_count, layout_room, depth;
    bool failed;
};

static void next(struct reader *r)
{
    r->token = tile_lexer_next(&r->lexer);
}

static bool expected(struct reader *r, const char *what)
{
    const struct tile_token *t = &r->token;
    bool end = t->kind == TILE_TOKEN_END, line = t->kind == TILE_TOKEN_NEWLINE;

    if (!r->failed)
        tile_error(r->module, TILE_T004, t->where, "machine form: expected %s, got %.*s", what,
                   end    ? 19
                   : line ? 19
                          : (int)(t->bytes < 40 ? t->bytes : 40),
                   end    ? "the end of the text"
                   : line ? "the end of the line"
                          : t->at);
    r->failed = true;
    return false;
}

static bool at(const struct reader *r, char sign)
{
    return r->token.kind == TILE_TOKEN_SIGN && r->token.sign == TILE_SIGN1((unsigned char)sign);
}

static bool take(struct reader *r, char sign)
{
    bool there = !r->failed && at(r, sign);

    if (there)
        next(r);
    return there;
}

static bool need(struct reader *r, char sign)
{
    const char what[2] = { sign, '\0' };

    return take(r, sign) || expected(r, what);
}

static bool need_word(struct reader *r, const char *word)
{
    if (r->failed || !tile_token_is(&r->token, word))
        return expected(r, word);
    next(r);
    return true;
}

static int64_t need_int(struct reader *r)
{
    bool negative = take(r, '-');
    int64_t i = (int64_t)r->token.value;

    if (!negative && tile_token_is(&r->token, "least"))
        i = INT64_MIN;
    else if (r->failed || r->token.kind != TILE_TOKEN_INT)
        return expected(r, "an integer");
    next(r);
    return negative ? -i : i;
}

// Grow a table of pointers so that it has place `index`.
static bool make_room(struct reader *r, void ***table, uint32_t *room, uint64_t index)
{
    if (index < *room)
        return true;
    if (index > r->module->text_bytes) // of as many characters there cannot be more
        return expected(r, "a smaller number");
    uint32_t wanted = *room ? *room : 64;
    while (wanted <= index)
        wanted *= 2;
    void **grown = tile_take(r->module, wanted * sizeof(*grown));
    if (!grown)
        return !(r->failed = true);
    if (*room)
        memcpy(grown, *table, *room * sizeof(*grown));
    *table = grown;
    *room = wanted;
    return true;
}

// Layouts

// "1,2,4": bases, behind those that are there.
static uint32_t read_bases(struct reader *r, const char *letter, uint32_t *basis, uint32_t count)
{
    uint32_t first = count;

    if (!need_word(r, letter) || !need(r, ':'))
        return 0;
    if (r->token.kind != TILE_TOKEN_INT)
        return 0;
    do {
        if (count == TILE_MAX_HARDWARE_BITS)
            return (uint32_t)expected(r, "fewer bits");
        basis[count++] = (uint32_t)need_int(r);
    } while (take(r, ','));
    return count - first;
}

static void read_layout(struct reader *r)
{
    struct tile_layout layout = { 0 };
    uint32_t lanes;

    next(r);
    if (!need(r, '@') || r->token.kind != TILE_TOKEN_INT || r->token.value != r->layout_count) {
        expected(r, "the layout's number, one after the other from 0");
        return;
    }
    next(r);
    need(r, '=');
    layout.register_bits = (uint8_t)read_bases(r, "r", layout.basis, 0);
    lanes = read_bases(r, "l", layout.basis, layout.register_bits);
    layout.warp_bits = (uint8_t)read_bases(r, "w", layout.basis, layout.register_bits + lanes);
    if (!r->failed && (lanes != TILE_LANE_BITS || layout.warp_bits > TILE_MAX_WARP_BITS))
        expected(r, "5 bases of lanes, and at most 5 of warps");
    need_word(r, "of");
    for (need(r, '['); !r->failed && !at(r, ']'); layout.rank++) {
        int64_t extent = need_int(r);
        if (layout.rank == TILE_MAX_RANK || extent < 1 || extent > TILE_MAX_ELEMENTS ||
            (extent & (extent - 1))) {
            expected(r, "at most 8 powers of two");
            return;
        }
        layout.axis_bits[layout.rank] = (uint8_t)tile_bits_of(extent);
        layout.coordinate_bits = (uint8_t)(layout.coordinate_bits + layout.axis_bits[layout.rank]);
        take(r, ',');
    }
    need(r, ']');
    if (r->failed || !make_room(r, (void ***)(void *)&r->layout, &r->layout_room, r->layout_count))
        return;
    struct tile_layout *kept = tile_take(r->module, sizeof(*kept));
    if (kept)
        *kept = layout;
    r->layout[r->layout_count++] = kept;
}

// Values

// "%acc_12": its number; *name is that without it, or NULL.
static uint32_t read_name(struct reader *r, const char **name)
{
    uint64_t number = 0, scale = 1;

    if (!need(r, '%'))
        return 0;
    const char *text = r->token.at;
    size_t bytes = r->token.bytes, digits = bytes;
    while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9' && scale < 1000000000) {
        number += scale * (uint64_t)(text[--digits] - '0');
        scale *= 10;
    }
    bool named = r->token.kind == TILE_TOKEN_NAME && digits > 1 && text[digits - 1] == '_';
    if (digits == bytes || (!named && (r->token.kind != TILE_TOKEN_INT || digits)))
        return (uint32_t)expected(r, "a value's name and number");
    *name = named ? cuc__arena_copy(r->module->arena, text, digits - 1) : NULL;
    next(r);
    return make_room(r, (void ***)(void *)&r->value, &r->value_room, number) ? (uint32_t)number : 0;
}

static const struct tile_layout *layout_numbered(struct reader *r, const struct tile_type *type)
{
    int64_t number = need_int(r);

    if (r->failed || number < 0 || number >= r->layout_count) {
        expected(r, "a layout that is there");
        return NULL;
    }
    const struct tile_layout *layout = r->layout[number];
    bool fits = layout && layout->rank == type->rank;
    for (uint32_t i = 0; fits && i < type->rank; i++)
        fits = layout->axis_bits[i] == tile_bits_of(type->extent[i]);
    if (!fits)
        expected(r, "a layout of that shape");
    return layout;
}

static void read_type(struct reader *r, struct tile_type *type, const struct tile_layout **layout)
{
    char name[16] = "";

    *type = (struct tile_type){ 0 };
    *layout = NULL;
    if (r->token.kind == TILE_TOKEN_NAME && r->token.bytes < sizeof(name))
        memcpy(name, r->token.at, r->token.bytes);
    type->dtype = cuc_dtype_from_name(name);
    if (type->dtype == CUC_DTYPE_UNKNOWN) {
        expected(r, "a dtype");
        return;
    }
    next(r);
    if (tile_token_is(&r->token, "tensor")) {
        next(r);
        int64_t rank = need_int(r);
        if (rank < 0 || rank > TILE_MAX_RANK)
            expected(r, "at most 8 axes");
        else
            *type = tile_tensor(type->dtype, (uint32_t)rank);
        return;
    }
    if (take(r, '[')) {
        do {
            int64_t extent = need_int(r);
            if (type->rank == TILE_MAX_RANK || extent < 1 || extent > TILE_MAX_ELEMENTS) {
                expected(r, "at most 8 extents from 1 to 2^24");
                return;
            }
            type->extent[type->rank++] = (int32_t)extent;
        } while (take(r, ','));
        need(r, ']');
    }
    if (!take(r, '@'))
        return;
    *layout = layout_numbered(r, type);
}

static void settle_value(struct reader *r, uint32_t number, const char *name,
                         struct tile_value *value, const struct tile_layout *layout)
{
    if (!value || r->failed) {
        r->failed = true;
        return;
    }
    if (r->value[number])
        expected(r, "a number that no value has yet");
    value->name = name;
    value->layout = layout;
    r->value[number] = value;
}

// Ops

static void read_attribute(struct reader *r, struct tile_op *op)
{
    struct tile_attribute a = { .key = TILE_ATTRIBUTE_KEYS };
    int64_t *ints;

    for (int key = 0; key < TILE_ATTRIBUTE_KEYS; key++)
        if (tile_token_is(&r->token, tile_attribute_infos[key].name))
            a.key = (enum tile_attribute_key)key;
    if (a.key == TILE_ATTRIBUTE_KEYS) {
        expected(r, "an attribute");
        return;
    }
    next(r);
    if (!need(r, '='))
        return;
    switch (tile_attribute_infos[a.key].kind) {
    case TILE_INT:
        a.i = need_int(r);
        break;
    case TILE_WORD:
        a.i = tile_attribute_word_find((int)a.key, r->token.at, r->token.bytes);
        if (a.i < 0)
            expected(r, "a word of that attribute");
        next(r);
        break;
    case TILE_FLOAT: {
        bool negative = take(r, '-');
        a.f = tile_token_is(&r->token, "inf")   ? __builtin_inf()
              : tile_token_is(&r->token, "nan") ? __builtin_nan("")
                                                : r->token.real;
        if (r->token.kind != TILE_TOKEN_REAL && r->token.kind != TILE_TOKEN_NAME)
            expected(r, "a float");
        a.f = negative ? -a.f : a.f;
        next(r);
        break;
    }
    case TILE_TEXT:
        a.text = r->token.text;
        if (r->token.kind != TILE_TOKEN_TEXT || r->token.wrong)
            expected(r, "a string");
        next(r);
        break;
    case TILE_INTS:
        a.ints = ints = tile_take(r->module, TILE_MAX_RANK * sizeof(*ints));
        if (!need(r, '[') || !ints)
            return;
        while (!r->failed && !at(r, ']')) {
            if (a.count == TILE_MAX_RANK) {
                expected(r, "at most 8 numbers");
                return;
            }
            ints[a.count++] = need_int(r);
            take(r, ',');
        }
        need(r, ']');
        break;
    }
    if (!r->failed)
        tile_set(r->kernel, op, a);
}

static void read_ops(struct reader *r, struct tile_block *block);

// "(%i_3: i64, %x_4: f32[8] @0) { .. }", without arguments "{ .. }".
static struct tile_block *read_block(struct reader *r, struct tile_op *op)
{
    uint32_t number[256];
    const char *name[256];
    struct tile_type type[256];
    const struct tile_layout *layout[256];
    uint32_t count = 0;

    if (take(r, '('))
        do {
            if (count == 256) {
                expected(r, "fewer arguments");
                return NULL;
            }
            number[count] = read_name(r, &name[count]);
            need(r, ':');
            read_type(r, &type[count], &layout[count]);
            count++;
        } while (take(r, ',') || (!r->failed && !need(r, ')')));
    struct tile_block *block = tile_block_create(r->kernel, op, count);
    if (!block)
        return NULL;
    for (uint32_t i = 0; i < count && !r->failed; i++)
        settle_value(r, number[i], name[i], tile_argument_create(r->kernel, block, i, &type[i]),
                     layout[i]);
    need(r, '{');
    if (++r->depth > MAX_DEPTH)
        expected(r, "blocks that are less deep");
    read_ops(r, block);
    r->depth--;
    need(r, '}');
    return block;
}

// Names in a row before a sign; *list is of the reader's arena.
static uint32_t read_row(struct reader *r, char close, uint32_t **list, const char ***names)
{
    uint32_t count = 0;

    *list = NULL;
    *names = NULL;
    while (!r->failed && !at(r, close)) {
        if (!(count & (count - 1))) { // room is doubled at powers of two
            size_t room = count ? 2 * (size_t)count : 1;
            uint32_t *grown = tile_take(r->module, room * sizeof(*grown));
            const char **texts = tile_take(r->module, room * sizeof(*texts));
            if (!grown || !texts || count >= MAX_ROW)
                return (uint32_t)expected(r, "fewer values");
            if (count) {
                memcpy(grown, *list, count * sizeof(*grown));
                memcpy(texts, *names, count * sizeof(*texts));
            }
            *list = grown;
            *names = texts;
        }
        (*list)[count] = read_name(r, &(*names)[count]);
        count++;
        if (!take(r, ','))
            break;
    }
    return count;
}

static void read_op(struct reader *r, struct tile_block *block)
{
    struct tile_location where = r->token.where;
    uint32_t *result = NULL, *operand, results = 0, operands;
    const char **result_name = NULL, **operand_name;
    struct tile_block *blocks[2];
    uint32_t block_count = 0;

    if (at(r, '%')) {
        results = read_row(r, '=', &result, &result_name);
        need(r, '=');
    }
    enum tile_op_kind kind = r->token.kind == TILE_TOKEN_NAME && !r->failed
                                 ? tile_op_find(r->token.at, r->token.bytes)
                                 : TILE_OP_COUNT;
    if (kind == TILE_OP_COUNT) {
        expected(r, "an op");
        return;
    }
    next(r);
    need(r, '(');
    operands = read_row(r, ')', &operand, &operand_name);
    need(r, ')');
    struct tile_op *op = r->failed ? NULL : tile_op_create(r->kernel, kind, operands, results, 2);
    if (!op) {
        r->failed = true;
        return;
    }
    op->where = where;
    op->block_count = 0;
    for (uint32_t i = 0; i < operands; i++)
        if (!(op->operand[i] = r->value[operand[i]])) {
            tile_error(r->module, TILE_T501, where, "machine form: nothing makes %%%u", operand[i]);
            r->failed = true;
            return;
        }
    struct reader before = *r;
    if (take(r, '{')) {
        bool attributes = r->token.kind == TILE_TOKEN_NAME;
        if (attributes) { // or the first op of a block
            struct reader ahead = *r;
            next(&ahead);
            attributes = at(&ahead, '=');
        }
        if (!attributes)
            *r = before;
        while (attributes) {
            read_attribute(r, op);
            attributes = take(r, ',');
            if (!attributes)
                need(r, '}');
        }
    }
    for (uint32_t i = 0; i < results && !r->failed; i++) {
        struct tile_type type;
        const struct tile_layout *layout;
        need(r, i ? ',' : ':');
        read_type(r, &type, &layout);
        if (!r->failed)
            settle_value(r, result[i], result_name[i], tile_result_create(r->kernel, op, i, &type),
                         layout);
    }
    tile_append(block, op);
    while (!r->failed && (at(r, '(') || at(r, '{'))) {
        if (block_count == 2) {
            expected(r, "at most two blocks");
            return;
        }
        blocks[block_count++] = read_block(r, op);
    }
    for (uint32_t i = 0; i < block_count; i++)
        op->block[i] = blocks[i];
    op->block_count = block_count;
}

static void read_ops(struct reader *r, struct tile_block *block)
{
    while (!r->failed && r->token.kind != TILE_TOKEN_END && !at(r, '}')) {
        if (r->token.kind == TILE_TOKEN_NEWLINE)
            next(r);
        else
            read_op(r, block);
    }
}

// Kernels

// All but the heads blank, and the bodies empty.
static char *heads_of(struct tile_module *module)
{
    struct reader r = { .module = module };
    char *heads = cuc__arena_copy(module->arena, module->text, module->text_bytes);
    uint32_t depth = 0;
    bool head = false;

    for (size_t i = 0; heads && i < module->text_bytes; i++)
        if (heads[i] != '\n')
            heads[i] = ' ';
    tile_lexer_start(&r.lexer, module);
    for (next(&r); heads && r.token.kind != TILE_TOKEN_END; next(&r)) {
        depth += at(&r, '{');
        head |= !depth && tile_token_is(&r.token, "kernel");
        if (head || (at(&r, '}') && depth == 1))
            memcpy(heads + (r.token.at - module->text), r.token.at, r.token.bytes);
        head &= !at(&r, '{');
        depth -= at(&r, '}') && depth;
    }
    return heads;
}

// "%n_1 @0": layouts of scalar parameters.
static void read_parameters(struct reader *r)
{
    while (!r->failed && at(r, '%')) {
        struct reader before = *r;
        const char *name;
        uint32_t number = read_name(r, &name);
        if (!take(r, '@')) { // it is an op's result
            before.value = r->value;
            before.value_room = r->value_room;
            *r = before;
            return;
        }
        if (number >= r->kernel->parameter_count)
            expected(r, "a parameter");
        else
            r->value[number]->layout = layout_numbered(r, &r->value[number]->type);
        if (r->token.kind == TILE_TOKEN_NEWLINE)
            next(r);
    }
}

static void read_kernel(struct reader *r, struct tile_kernel *kernel)
{
    r->kernel = kernel;
    r->value = NULL;
    r->value_room = 0;
    kernel->body.first = kernel->body.last = NULL; // of the empty body: dimensions and the end
    if (!make_room(r, (void ***)(void *)&r->value, &r->value_room, kernel->parameter_count))
        return;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        r->value[i] = kernel->parameter[i].value;
    while (r->token.kind != TILE_TOKEN_END && !at(r, '{')) // it is read
        next(r);
    need(r, '{');
    read_parameters(r);
    read_ops(r, &kernel->body);
    need(r, '}');
    if (!r->failed)
        tile_settle(kernel);
}

struct tile_module *tile_parse_machine(const char *file, const char *text, size_t bytes)
{
    struct tile_module *module = tile_module_create(file, text, bytes);
    struct reader r = { 0 };

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
    next(&r);
    struct tile_token version = r.token;
    if (need_word(&r, "tile") && (version = r.token, need_int(&r) != 1))
        tile_error(made, TILE_T005, version.where, "tile: this library reads version 1");
    need_word(&r, "machine");
    struct tile_kernel *kernel = made->first;
    while (!r.failed && r.token.kind != TILE_TOKEN_END) {
        if (r.token.kind == TILE_TOKEN_NEWLINE)
            next(&r);
        else if (tile_token_is(&r.token, "layout"))
            read_layout(&r);
        else if (tile_token_is(&r.token, "kernel") && kernel) {
            read_kernel(&r, kernel);
            kernel = kernel->next;
        } else
            expected(&r, "layout or kernel");
    }
    return made;
}
