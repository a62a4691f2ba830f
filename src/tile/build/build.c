// Creates ops from operands and attributes: checks the op's rules and infers its results. See
// build.h.
#include "build.h"

#include "base/arena.h"
#include "infer.h"

#include <stdio.h>
#include <string.h>

#define tile_infer_nothing NULL // build_control.c makes these ops
static tile_infer *const infer[TILE_OP_COUNT] = {
#define TILE_OP(id, name, operands, results, traits, infer, ...) [TILE_##id] = tile_infer_##infer,
#include "tile/ir/ops.def"
};

struct tile_op *tile_build_op(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              struct tile_block *function, const struct tile_type *wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (!operands[i])
            return NULL;
    uint32_t results = function ? count / 2 : tile_op_infos[kind].results;
    struct tile_op *op = tile_op_create(b->kernel, kind, count, results, function != NULL);
    if (!op)
        return NULL;
    op->where = b->where;
    op->where.inlined_at = b->module->call;
    for (uint32_t i = 0; i < count; i++)
        tile_set_operand(op, i, operands[i]);
    for (uint32_t i = 0; i < attribute_count; i++)
        tile_set(b->kernel, op, attributes[i]);
    if (function) {
        op->block[0] = function;
        function->parent = op;
    }
    if (b->module->diagnostics->out_of_memory || !infer[kind](b, op, wanted))
        return NULL;
    tile_append(b->block, op);
    return op;
}

struct tile_value *tile_build(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              const struct tile_type *wanted)
{
    struct tile_op *op =
        tile_build_op(b, kind, operands, count, attributes, attribute_count, NULL, wanted);

    return op && op->result_count ? op->result[0] : NULL;
}

// Diagnostics

bool tile_wrong(struct tile_builder *b, const struct tile_op *op, enum tile_code code,
                const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tile_error(b->module, code, b->where, "%s: %s", b->op ? b->op : tile_op_word(op), text);
    return false;
}

const char *tile_operand_name(struct tile_builder *b, const struct tile_op *op, uint32_t operand)
{
    const char *at = tile_op_infos[op->kind].operands;

    if (op->kind == TILE_ASM) // numbered as in the instructions
        return cuc__arena_print(b->module->arena, "$%u", operand + 1);
    if (tile_int(op, TILE_ATTR_PADDED, 0) && operand + 1 == op->operand_count)
        return "pad";
    for (uint32_t i = 0;; i++) {
        size_t length = strcspn(at, " ");
        bool row = length > 3 && strncmp(at + length - 3, "...", 3) == 0;
        // A list (NAME...) takes the operands that remain after the other names. Only the caller
        // knows how many, so assume here that the list extends to the end.
        if (row && op->operand_count == i + 1) // a list of one has no number
            return cuc__arena_copy(b->module->arena, at, length - 3);
        if (row)
            return cuc__arena_print(b->module->arena, "%.*s %u", (int)length - 3, at, operand - i);
        if (i == operand)
            return cuc__arena_copy(b->module->arena, at, length);
        if (!at[length])
            return cuc__arena_print(b->module->arena, "%u", operand);
        at += length + 1;
    }
}

bool tile_wrong_operand_but(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                            enum tile_code code, const char *expected, const char *cure)
{
    const char *name = tile_operand_name(b, op, operand);
    const char *type = tile_type_text(b->module->arena, &op->operand[operand]->type);

    return tile_wrong(b, op, code, "operand %s: expected %s, got %s%s%s", name ? name : "?",
                      expected, type ? type : "?", cure ? ": " : "", cure ? cure : "");
}

bool tile_wrong_operand(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                        enum tile_code code, const char *expected)
{
    return tile_wrong_operand_but(b, op, operand, code, expected, NULL);
}

// Checks

bool tile_need_tile(struct tile_builder *b, const struct tile_op *op, uint32_t operand)
{
    return !op->operand[operand]->type.tensor ||
           tile_wrong_operand(b, op, operand, TILE_T302, "a tile (load from the tensor first)");
}

bool tile_need_tensor(struct tile_builder *b, const struct tile_op *op, uint32_t operand)
{
    return op->operand[operand]->type.tensor ||
           tile_wrong_operand(b, op, operand, TILE_T302, "a tensor");
}

bool tile_need_axis(struct tile_builder *b, const struct tile_op *op, const struct tile_type *type,
                    uint32_t *axis)
{
    int64_t i = tile_int(op, TILE_ATTR_AXIS, 0);

    if (!type->rank)
        return tile_wrong(b, op, TILE_T204, "axis: a scalar has none, got %lld", (long long)i);
    if (i < 0 || i >= type->rank)
        return tile_wrong(b, op, TILE_T204, "axis: expected 0 to %d, got %lld", type->rank - 1,
                          (long long)i);
    *axis = (uint32_t)i;
    return true;
}

bool tile_need_integer_scalar(struct tile_builder *b, const struct tile_op *op, uint32_t operand)
{
    const struct tile_type *type = &op->operand[operand]->type;

    if (type->tensor || type->rank)
        return tile_wrong_operand(b, op, operand, TILE_T209, "an integer scalar");
    return (type->dtype >= CUC_I8 && type->dtype <= CUC_U64) ||
           tile_wrong_operand(b, op, operand, TILE_T107, "an integer scalar");
}

bool tile_need_same_shape(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                          const struct tile_type *type)
{
    struct tile_type expected = *type;

    expected.dtype = op->operand[operand]->type.dtype;
    if (tile_shape_same(&op->operand[operand]->type, type))
        return true;
    const char *text = tile_type_text(b->module->arena, &expected);
    return tile_wrong_operand(b, op, operand, TILE_T202, text ? text : "another shape");
}

// "4096 x 8192"
static const char *shape_text(struct tile_builder *b, int64_t rank, const int64_t *extent)
{
    const char *text = "";

    for (int64_t i = 0; i < rank && text; i++)
        text = cuc__arena_print(b->module->arena, "%s%s%lld", text, i ? " x " : "",
                                (long long)extent[i]);
    return text ? text : "more";
}

bool tile_need_shape(struct tile_builder *b, const struct tile_op *op, int64_t rank,
                     const int64_t *extent, struct tile_type *type)
{
    int64_t elements = 1;

    if (rank > TILE_MAX_RANK)
        return tile_wrong(b, op, TILE_T207, "a tile has at most %d axes, got %lld", TILE_MAX_RANK,
                          (long long)rank);
    type->rank = (uint8_t)rank;
    type->tensor = false;
    memset(type->extent, 0, sizeof(type->extent));
    for (int64_t i = 0; i < rank; i++) {
        if (extent[i] < 1 || extent[i] > TILE_MAX_ELEMENTS)
            return tile_wrong(b, op, TILE_T206, "extent %lld: expected 1 to 2^24, got %lld",
                              (long long)i, (long long)extent[i]);
        type->extent[i] = (int32_t)extent[i];
    }
    for (int64_t i = 0; i < rank; i++) {
        elements *= extent[i];
        if (elements > TILE_MAX_ELEMENTS)
            return tile_wrong(b, op, TILE_T206, "expected at most 2^24 elements, got %s",
                              shape_text(b, rank, extent));
    }
    return true;
}

bool tile_set_result(struct tile_builder *b, struct tile_op *op, uint32_t index,
                     const struct tile_type *type)
{
    return tile_result_create(b->kernel, op, index, type) != NULL;
}
