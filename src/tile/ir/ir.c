// Creates, moves and copies parts of the IR. See ir.h.
#include "ir.h"

#include "budget.h"
#include "diagnostic.h"
#include "base/arena.h"

#include <string.h>

const struct tile_op_info tile_op_infos[TILE_OP_COUNT] = {
#define TILE_OP(id, name, operands, results, traits, infer, print, range, fold, layout, ...) \
    [TILE_##id] = { name, operands, results, traits, TILE_LAYOUT_##layout },
#include "ops.def"
};

const struct tile_attribute_info tile_attribute_infos[TILE_ATTRIBUTE_KEYS] = {
#define TILE_ATTRIBUTE(id, name, kind) [TILE_ATTR_##id] = { name, kind },
#include "attributes.def"
#undef TILE_ATTRIBUTE
};

enum tile_op_kind tile_op_find(const char *name, size_t length)
{
    for (int kind = 0; kind < TILE_OP_COUNT; kind++) {
        const char *row = tile_op_infos[kind].name;
        if (strncmp(row, name, length) == 0 && !row[length])
            return (enum tile_op_kind)kind;
    }
    return TILE_OP_COUNT;
}

// Modules

struct tile_module *tile_module_create(const char *file, const char *text, size_t bytes)
{
    return tile_module_create_within(NULL, file, text, bytes);
}

struct tile_module *tile_module_create_within(struct tile_budget *budget, const char *file,
                                              const char *text, size_t bytes)
{
    struct cuc__arena *arena = cuc__arena_create();
    struct tile_module *module = arena ? cuc__arena_allocate(arena, sizeof(*module)) : NULL;
    struct tile_diagnostics *diagnostics = module ? cuc__arena_allocate(arena, sizeof(*diagnostics))
                                                  : NULL;

    if (!diagnostics) {
        cuc__arena_free(arena);
        return NULL;
    }
    diagnostics->arena = arena;
    if (budget) { // until here, the arena holds only the module itself, which is small
        cuc__arena_charge(arena, &budget->memory);
        diagnostics->out_of_memory = budget->ended;
    }
    module->budget = budget;
    module->arena = arena;
    module->diagnostics = diagnostics;
    module->file = file ? cuc__arena_copy(arena, file, strlen(file)) : NULL;
    module->text = text ? cuc__arena_copy(arena, text, bytes) : NULL;
    module->text_bytes = text ? bytes : 0;
    if ((file && !module->file) || (text && !module->text))
        diagnostics->out_of_memory = true;
    return module;
}

void tile_module_free(struct tile_module *module)
{
    if (module)
        cuc__arena_free(module->arena);
}

void *tile_take(struct tile_module *module, size_t bytes)
{
    bool *out = &module->diagnostics->out_of_memory;
    tile_spend(module, 1 + bytes / 64);
    // Once a request has failed, all later ones fail too.
    void *taken = *out ? NULL : cuc__arena_allocate(module->arena, bytes);

    *out |= !taken;
    if (!taken && module->budget && module->budget->memory.refused)
        tile_budget_end(module, TILE_T803);
    return taken;
}

struct tile_kernel *tile_kernel_create(struct tile_module *module, const char *name)
{
    struct tile_kernel *kernel = tile_take(module, sizeof(*kernel));

    if (!kernel)
        return NULL;
    kernel->module = module;
    kernel->name = name;
    if (module->last)
        module->last->next = kernel;
    else
        module->first = kernel;
    module->last = kernel;
    return kernel;
}

// Ops, values and blocks

struct tile_value *tile_value_create(struct tile_kernel *kernel, const struct tile_type *type)
{
    struct tile_value *value = tile_take(kernel->module, sizeof(*value));

    if (value) {
        value->type = *type;
        value->id = kernel->value_count++;
    }
    return value;
}

static void *take_array(struct tile_module *module, uint32_t count, size_t bytes)
{
    return tile_take(module, count * bytes);
}

struct tile_op *tile_op_create(struct tile_kernel *kernel, enum tile_op_kind kind,
                               uint32_t operands, uint32_t results, uint32_t blocks)
{
    size_t pointers = (size_t)operands + results + blocks;
    struct tile_op *op = tile_take(kernel->module, sizeof(*op) + operands * sizeof(*op->use) +
                                                       pointers * sizeof(void *));

    if (!op)
        return NULL;
    op->kind = kind;
    op->operand_count = operands;
    op->result_count = results;
    op->block_count = blocks;
    op->use = (struct tile_use *)(op + 1);
    op->operand = (struct tile_value *const *)(op->use + operands);
    op->result = (struct tile_value **)(uintptr_t)(op->operand + operands);
    op->block = (struct tile_block **)(op->result + results);
    return op;
}

// Operands and uses

static void end_use(struct tile_op *op, uint32_t index)
{
    struct tile_value *value = op->operand[index];
    struct tile_use *use = &op->use[index];

    if (!value)
        return;
    if (use->previous)
        use->previous->next = use->next;
    else
        value->use = use->next;
    if (use->next)
        use->next->previous = use->previous;
    value->uses--;
}

static void begin_use(struct tile_op *op, uint32_t index)
{
    struct tile_value *value = op->operand[index];
    struct tile_use *use = &op->use[index];

    if (!value)
        return;
    *use = (struct tile_use){ .user = op, .next = value->use };
    if (value->use)
        value->use->previous = use;
    value->use = use;
    value->uses++;
}

void tile_set_operand(struct tile_op *op, uint32_t index, struct tile_value *value)
{
    end_use(op, index);
    ((struct tile_value **)(uintptr_t)op->operand)[index] = value;
    begin_use(op, index);
}

bool tile_add_operands(struct tile_kernel *kernel, struct tile_op *op, uint32_t count,
                       struct tile_value *const *operand)
{
    struct tile_op grown = *op;

    grown.operand_count += count;
    grown.operand = take_array(kernel->module, grown.operand_count, sizeof(struct tile_value *));
    grown.use = take_array(kernel->module, grown.operand_count, sizeof(*op->use));
    if (!grown.operand || !grown.use)
        return false;
    struct tile_op old = *op;
    *op = grown;
    for (uint32_t i = 0; i < grown.operand_count; i++) {
        if (i < old.operand_count)
            end_use(&old, i);
        tile_set_operand(op, i,
                         i < old.operand_count ? old.operand[i] : operand[i - old.operand_count]);
    }
    return true;
}

void tile_drop_operand(struct tile_op *op, uint32_t index)
{
    for (uint32_t i = index; i + 1 < op->operand_count; i++)
        tile_set_operand(op, i, op->operand[i + 1]);
    tile_set_operand(op, op->operand_count - 1, NULL);
    op->operand_count--;
}

void tile_replace(struct tile_value *from, struct tile_value *to, const struct tile_op *except)
{
    for (struct tile_use *use = from->use, *next; use; use = next) {
        next = use->next;
        if (use->user != except)
            tile_set_operand(use->user, (uint32_t)(use - use->user->use), to);
    }
}

struct tile_value *tile_result_create(struct tile_kernel *kernel, struct tile_op *op,
                                      uint32_t index, const struct tile_type *type)
{
    struct tile_value *value = tile_value_create(kernel, type);

    if (value) {
        value->op = op;
        value->index = index;
        op->result[index] = value;
    }
    return value;
}

struct tile_block *tile_block_create(struct tile_kernel *kernel, struct tile_op *parent,
                                     uint32_t arguments)
{
    struct tile_block *block = tile_take(kernel->module, sizeof(*block));

    if (!block)
        return NULL;
    block->parent = parent;
    block->argument_count = arguments;
    block->argument = take_array(kernel->module, arguments, sizeof(struct tile_value *));
    return block->argument ? block : NULL;
}

struct tile_value *tile_argument_create(struct tile_kernel *kernel, struct tile_block *block,
                                        uint32_t index, const struct tile_type *type)
{
    struct tile_value *value = tile_value_create(kernel, type);

    if (value) {
        value->block = block;
        value->index = index;
        block->argument[index] = value;
    }
    return value;
}

void tile_append(struct tile_block *block, struct tile_op *op)
{
    op->parent = block;
    op->previous = block->last;
    op->next = NULL;
    if (block->last)
        block->last->next = op;
    else
        block->first = op;
    block->last = op;
}

void tile_insert_before(struct tile_op *place, struct tile_op *op)
{
    struct tile_block *block = place->parent;

    op->parent = block;
    op->next = place;
    op->previous = place->previous;
    if (place->previous)
        place->previous->next = op;
    else
        block->first = op;
    place->previous = op;
}

struct tile_value *tile_make_before(struct tile_kernel *kernel, struct tile_op *place,
                                    enum tile_op_kind kind, const struct tile_type *type,
                                    uint32_t operands, struct tile_value *const *operand)
{
    for (uint32_t i = 0; i < operands; i++)
        if (!operand[i])
            return NULL;
    struct tile_op *op = tile_op_create(kernel, kind, operands, 1, 0);
    if (!op || !tile_result_create(kernel, op, 0, type))
        return NULL;
    for (uint32_t i = 0; i < operands; i++)
        tile_set_operand(op, i, operand[i]);
    op->where = place->where;
    tile_insert_before(place, op);
    return op->result[0];
}

static struct tile_value *make_constant_before(struct tile_kernel *kernel, struct tile_op *place,
                                               cuc_dtype dtype, struct tile_attribute attribute)
{
    struct tile_type type = tile_scalar(dtype);
    struct tile_value *constant = tile_make_before(kernel, place, TILE_CONSTANT, &type, 0, NULL);

    if (constant)
        tile_set(kernel, constant->op, attribute);
    return constant;
}

struct tile_value *tile_make_int_before(struct tile_kernel *kernel, struct tile_op *place,
                                        cuc_dtype dtype, int64_t value)
{
    return make_constant_before(kernel, place, dtype,
                                (struct tile_attribute){ .key = TILE_ATTR_VALUE, .i = value });
}

struct tile_value *tile_make_real_before(struct tile_kernel *kernel, struct tile_op *place,
                                         cuc_dtype dtype, double value)
{
    return make_constant_before(kernel, place, dtype,
                                (struct tile_attribute){ .key = TILE_ATTR_REAL, .f = value });
}

void tile_remove(struct tile_op *op)
{
    struct tile_block *block = op->parent;

    if (op->previous)
        op->previous->next = op->next;
    else
        block->first = op->next;
    if (op->next)
        op->next->previous = op->previous;
    else
        block->last = op->previous;
    op->parent = NULL;
    op->previous = op->next = NULL;
}

void tile_delete(struct tile_op *op)
{
    if (op->parent)
        tile_remove(op);
    for (uint32_t i = 0; i < op->operand_count; i++)
        tile_set_operand(op, i, NULL);
    for (uint32_t i = 0; i < op->block_count; i++)
        while (op->block[i] && op->block[i]->last)
            tile_delete(op->block[i]->last);
}

static void forget_uses(struct tile_value *value)
{
    value->use = NULL;
    value->uses = 0;
}

static void forget_uses_of_op(struct tile_op *op, void *data)
{
    (void)data;
    for (uint32_t i = 0; i < op->result_count; i++)
        forget_uses(op->result[i]);
    for (uint32_t i = 0; i < op->block_count; i++)
        for (uint32_t n = 0; n < op->block[i]->argument_count; n++)
            forget_uses(op->block[i]->argument[n]);
}

static void list_uses_of_op(struct tile_op *op, void *data)
{
    (void)data;
    for (uint32_t i = 0; i < op->operand_count; i++)
        begin_use(op, i);
}

void tile_list_uses(struct tile_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        forget_uses(kernel->parameter[i].value);
    tile_walk(&kernel->body, forget_uses_of_op, NULL);
    tile_walk(&kernel->body, list_uses_of_op, NULL);
}

static struct tile_value *mapped(struct tile_value **map, struct tile_value *value)
{
    return map[value->id] ? map[value->id] : value;
}

static bool clone_value(struct tile_kernel *kernel, struct tile_value *from, struct tile_value *to,
                        struct tile_value **map)
{
    if (!to)
        return false;
    to->name = from->name;
    to->layout = from->layout;
    map[from->id] = to;
    (void)kernel;
    return true;
}

struct tile_op *tile_clone(struct tile_kernel *kernel, const struct tile_op *op,
                           struct tile_value **map)
{
    struct tile_op *copy =
        tile_op_create(kernel, op->kind, op->operand_count, op->result_count, op->block_count);

    if (!copy)
        return NULL;
    copy->where = op->where;
    copy->attribute_count = op->attribute_count;
    copy->attribute = take_array(kernel->module, op->attribute_count, sizeof(*op->attribute));
    if (!copy->attribute)
        return NULL;
    if (op->attribute_count)
        memcpy(copy->attribute, op->attribute, op->attribute_count * sizeof(*op->attribute));
    for (uint32_t i = 0; i < op->operand_count; i++)
        tile_set_operand(copy, i, op->operand[i] ? mapped(map, op->operand[i]) : NULL);
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!clone_value(kernel, op->result[i],
                         tile_result_create(kernel, copy, i, &op->result[i]->type), map))
            return NULL;
    for (uint32_t i = 0; i < op->block_count; i++) {
        const struct tile_block *from = op->block[i];
        struct tile_block *to = tile_block_create(kernel, copy, from->argument_count);
        if (!to)
            return NULL;
        copy->block[i] = to;
        for (uint32_t n = 0; n < from->argument_count; n++)
            if (!clone_value(kernel, from->argument[n],
                             tile_argument_create(kernel, to, n, &from->argument[n]->type), map))
                return NULL;
        for (const struct tile_op *inner = from->first; inner; inner = inner->next) {
            struct tile_op *inner_copy = tile_clone(kernel, inner, map);
            if (!inner_copy)
                return NULL;
            tile_append(to, inner_copy);
        }
    }
    return copy;
}

// Attributes

const struct tile_attribute *tile_attribute(const struct tile_op *op, enum tile_attribute_key key)
{
    for (uint32_t i = 0; i < op->attribute_count && op->attribute[i].key <= key; i++)
        if (op->attribute[i].key == key)
            return &op->attribute[i];
    return NULL;
}

int64_t tile_int(const struct tile_op *op, enum tile_attribute_key key, int64_t otherwise)
{
    const struct tile_attribute *attribute = tile_attribute(op, key);

    return attribute ? attribute->i : otherwise;
}

void tile_set(struct tile_kernel *kernel, struct tile_op *op, struct tile_attribute attribute)
{
    uint32_t at = 0;

    while (at < op->attribute_count && op->attribute[at].key < attribute.key)
        at++;
    if (at < op->attribute_count && op->attribute[at].key == attribute.key) {
        op->attribute[at] = attribute;
        return;
    }
    struct tile_attribute *grown =
        take_array(kernel->module, op->attribute_count + 1, sizeof(attribute));
    if (!grown)
        return;
    if (at)
        memcpy(grown, op->attribute, at * sizeof(attribute));
    grown[at] = attribute;
    if (at < op->attribute_count)
        memcpy(grown + at + 1, op->attribute + at, (op->attribute_count - at) * sizeof(attribute));
    op->attribute = grown;
    op->attribute_count++;
}
