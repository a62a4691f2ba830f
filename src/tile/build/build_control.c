// Loops, ifs and their terminators.
#include "build.h"

#include "infer.h"
#include "tile/ir/scalar.h"

#include <string.h>

// Adds carried values: block arguments after the first `lead` ones, and one result each.
static bool carry(struct tile_builder *b, struct tile_op *op, uint32_t lead, uint32_t count,
                  struct tile_value *const *carried)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!carried[i])
            return false;
        tile_set_operand(op, op->operand_count - count + i, carried[i]);
        struct tile_value *argument =
            tile_argument_create(b->kernel, op->block[0], lead + i, &carried[i]->type);
        struct tile_value *result = tile_result_create(b->kernel, op, i, &carried[i]->type);
        if (!argument || !result)
            return false;
        argument->name = result->name = carried[i]->name;
    }
    return true;
}

static struct tile_op *begin(struct tile_builder *b, enum tile_op_kind kind, uint32_t operands,
                             uint32_t arguments, uint32_t results)
{
    struct tile_op *op = tile_op_create(b->kernel, kind, operands, results, 1);

    if (!op || !(op->block[0] = tile_block_create(b->kernel, op, arguments)))
        return NULL;
    op->where = b->where;
    return op;
}

struct tile_op *tile_build_for(struct tile_builder *b, struct tile_operand first,
                               struct tile_operand last, struct tile_operand step, uint32_t count,
                               struct tile_value *const *carried)
{
    static const char *const names[] = { "first", "last" };
    struct tile_operand bounds[] = { first, last };
    cuc_dtype dtype = CUC_DTYPE_UNKNOWN;

    for (uint32_t i = 0; i < 2; i++) {
        if (bounds[i].loose
                ? bounds[i].real
                : bounds[i].value && (bounds[i].value->type.tensor || bounds[i].value->type.rank ||
                                      !tile_is_integer(bounds[i].value->type.dtype))) {
            const char *got = bounds[i].loose
                                  ? "a float"
                                  : tile_type_text(b->module->arena, &bounds[i].value->type);
            tile_error(b->module, TILE_T107, b->where,
                       "for: operand %s: expected an integer scalar, got %s", names[i],
                       got ? got : "?");
            return NULL;
        }
        if (!bounds[i].loose && !bounds[i].value)
            return NULL;
    }
    if (!step.loose || step.real || step.i < 1) {
        if (step.loose && !step.real)
            tile_error(b->module, TILE_T403, b->where,
                       "for: step: expected a positive constant, got %lld", (long long)step.i);
        else
            tile_error(b->module, TILE_T403, b->where,
                       "for: step: expected a positive constant, got %s",
                       step.loose ? "a float" : "a value that is known when the kernel runs");
        return NULL;
    }
    for (uint32_t i = 0; i < 2; i++)
        if (!bounds[i].loose) {
            cuc_dtype own = bounds[i].value->type.dtype;
            cuc_dtype both = dtype == CUC_DTYPE_UNKNOWN ? own : tile_promote(dtype, own);
            if (both == CUC_DTYPE_UNKNOWN) {
                tile_error(b->module, TILE_T102, b->where,
                           "for: bounds of %s and %s have no common dtype: cast one",
                           cuc_dtype_name(dtype), cuc_dtype_name(own));
                return NULL;
            }
            dtype = both;
        }
    if (dtype == CUC_DTYPE_UNKNOWN)
        dtype = tile_dtype_of_literal(
            tile_dtype_of_literal(first.i) > tile_dtype_of_literal(last.i) ? first.i : last.i);
    struct tile_op *op = begin(b, TILE_FOR, 3 + count, 1 + count, count);
    struct tile_type type = tile_scalar(dtype);
    if (!op)
        return NULL;
    for (uint32_t i = 0; i < 2; i++)
        tile_set_operand(op, i,
                         bounds[i].loose ? tile_build_constant(b, dtype, bounds[i])
                                         : tile_build_cast(b, bounds[i], dtype, TILE_RN));
    tile_set_operand(op, 2, tile_build_constant(b, dtype, step));
    if (!op->operand[0] || !op->operand[1] || !op->operand[2] ||
        !tile_argument_create(b->kernel, op->block[0], 0, &type) ||
        !carry(b, op, 1, count, carried))
        return NULL;
    tile_append(b->block, op);
    return op;
}

struct tile_op *tile_build_loop(struct tile_builder *b, uint32_t count,
                                struct tile_value *const *carried)
{
    struct tile_op *op = begin(b, TILE_LOOP, count, count, count);

    if (!op || !carry(b, op, 0, count, carried))
        return NULL;
    tile_append(b->block, op);
    return op;
}

bool tile_feed(struct tile_builder *b, struct tile_op *op, uint32_t count,
               struct tile_value *const *values)
{
    return tile_add_operands(b->kernel, op, count, values);
}

bool tile_carry(struct tile_builder *b, struct tile_op *loop, uint32_t count,
                struct tile_value *const *before, struct tile_value *const *argument)
{
    struct tile_block *body = loop->block[0];
    uint32_t lead = body->argument_count;
    struct tile_value **arguments =
        tile_take(b->module, (lead + count) * sizeof(struct tile_value *));

    loop->result = tile_take(b->module, (count + 1) * sizeof(struct tile_value *));
    if (!arguments || !loop->result || !tile_feed(b, loop, count, before))
        return false;
    if (lead)
        memcpy(arguments, body->argument, lead * sizeof(struct tile_value *));
    for (uint32_t i = 0; i < count; i++) {
        arguments[lead + i] = argument[i];
        argument[i]->block = body;
        argument[i]->index = lead + i;
        struct tile_value *result = tile_result_create(b->kernel, loop, i, &argument[i]->type);
        if (!result)
            return false;
        result->name = argument[i]->name;
        loop->result_count = i + 1;
    }
    body->argument = arguments;
    body->argument_count = lead + count;
    return true;
}

struct tile_op *tile_build_if(struct tile_builder *b, struct tile_value *condition)
{
    if (!condition)
        return NULL;
    const struct tile_type *type = &condition->type;
    if (type->tensor || type->rank || type->dtype != CUC_BOOL) {
        const char *text = tile_type_text(b->module->arena, type);
        bool tile = !type->tensor && type->rank && type->dtype == CUC_BOOL;
        tile_error(b->module, TILE_T106, b->where,
                   "%s: condition: expected a bool scalar, got %s%s", b->op ? b->op : "if",
                   text ? text : "?",
                   tile ? ": where() selects elements; any() and all() give one bool" : "");
        return NULL;
    }
    struct tile_op *op = tile_op_create(b->kernel, TILE_IF, 1, 0, 2);
    if (!op)
        return NULL;
    op->where = b->where;
    tile_set_operand(op, 0, condition);
    for (uint32_t i = 0; i < 2; i++)
        if (!(op->block[i] = tile_block_create(b->kernel, op, 0)))
            return NULL;
    tile_append(b->block, op);
    return op;
}

static bool end(struct tile_builder *b, enum tile_op_kind kind, struct tile_value *const *values,
                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!values[i])
            return false;
    struct tile_op *op = tile_op_create(b->kernel, kind, count, 0, 0);
    if (!op)
        return false;
    op->where = b->where;
    for (uint32_t i = 0; i < count; i++)
        tile_set_operand(op, i, values[i]);
    tile_append(b->block, op);
    return true;
}

// Returns the position at which a name got its value: the position of the value's definition if it
// is on the same line as the binding statement, otherwise that of the statement.
static struct tile_location where_bound(const struct tile_builder *b, const struct tile_value *now,
                                        const struct tile_location *bound)
{
    const struct tile_location *made = now->op ? &now->op->where : bound ? bound : &b->where;

    return bound && (made->line != bound->line || made->inlined_at || bound->inlined_at) ? *bound
                                                                                         : *made;
}

bool tile_need_carried(struct tile_builder *b, const char *name, const struct tile_value *now,
                       const struct tile_location *bound, const struct tile_type *before,
                       struct tile_location where_before)
{
    if (!now)
        return false;
    if (tile_type_same(&now->type, before))
        return true;
    const char *x = tile_type_text(b->module->arena, before);
    const char *y = tile_type_text(b->module->arena, &now->type);
    bool shape = !before->tensor && tile_shape_same(before, &now->type);
    bool ones = !before->tensor && !now->type.tensor && before->dtype == now->type.dtype &&
                tile_elements(before) == tile_elements(&now->type);
    bool more = !before->tensor && !now->type.tensor && before->rank &&
                now->type.rank > before->rank;
    tile_error(b->module, TILE_T401, where_bound(b, now, bound),
               "%s: expected %s on every path, got %s%s%s%s", name ? name : "a carried value",
               x ? x : "?", y ? y : "?",
               shape  ? ": write cast(.., "
               : ones ? ": write reshape or squeeze"
               : more ? ": a reduction keeps its axis, with extent 1: squeeze() it"
                      : "",
               shape ? cuc_dtype_name(before->dtype) : "", shape ? ")" : "");
    tile_note(b->module, where_before, "it is %s here%s%s%s", x ? x : "?",
              shape ? ": or begin with cast(.., " : "",
              shape ? cuc_dtype_name(now->type.dtype) : "", shape ? ")" : "");
    return false;
}

bool tile_build_leave(struct tile_builder *b, enum tile_op_kind kind, const struct tile_op *target,
                      struct tile_value *const *values, const char *const *names,
                      const struct tile_location *bound)
{
    uint32_t lead = target->kind == TILE_FOR ? 3 : 0;
    bool ok = true;

    for (uint32_t i = 0; i < target->result_count; i++) {
        const struct tile_value *before = target->operand[lead + i];
        ok &= tile_need_carried(b, names ? names[i] : NULL, values[i], bound ? &bound[i] : NULL,
                                &before->type, before->op ? before->op->where : target->where);
    }
    return ok && end(b, kind, values, target->result_count);
}

bool tile_build_yield(struct tile_builder *b, struct tile_value *const *values, uint32_t count)
{
    return end(b, TILE_YIELD, values, count);
}

bool tile_build_return(struct tile_builder *b)
{
    return end(b, TILE_RETURN, NULL, 0);
}

// True if the value is defined in one of the op's blocks.
static bool is_inside(const struct tile_value *value, const struct tile_op *op)
{
    const struct tile_block *block = value->op ? value->op->parent : value->block;

    while (block && block->parent != op)
        block = block->parent ? block->parent->parent : NULL;
    return block != NULL;
}

// Returns the older of the arms' final values: a value from outside the `if`, otherwise the one
// that comes first in the text.
static const struct tile_value *earlier(const struct tile_value *x, const struct tile_value *y,
                                        const struct tile_op *op)
{
    bool x_inside = is_inside(x, op), y_inside = is_inside(y, op);
    const struct tile_location *a = &(x->op ? x->op : op)->where;
    const struct tile_location *b = &(y->op ? y->op : op)->where;

    if (x_inside != y_inside)
        return x_inside ? y : x;
    while (a->inlined_at)
        a = a->inlined_at;
    while (b->inlined_at)
        b = b->inlined_at;
    return b->line < a->line || (b->line == a->line && b->column < a->column) ? y : x;
}

bool tile_finish_if(struct tile_builder *b, struct tile_op *op, const char *const *names,
                    struct tile_location *const *bound)
{
    const struct tile_op *yield[2] = { op->block[0]->last, op->block[1]->last };
    const struct tile_op *first = NULL;

    for (uint32_t i = 0; i < 2; i++)
        if (!yield[i])
            return false; // after an error
        else if (yield[i]->kind == TILE_YIELD && !first)
            first = yield[i];
    if (!first || !first->operand_count)
        return true;
    op->result = tile_take(b->module, first->operand_count * sizeof(struct tile_value *));
    if (!op->result)
        return false;
    for (uint32_t i = 0; i < first->operand_count; i++) {
        const struct tile_type *type = &first->operand[i]->type;
        const char *name = names ? names[i] : NULL;
        if (yield[1] != first && yield[1]->kind == TILE_YIELD) {
            const struct tile_value *x = yield[0]->operand[i], *y = yield[1]->operand[i];
            const struct tile_value *before = earlier(x, y, op);
            uint32_t arm = before == x;
            if (!tile_need_carried(b, name, arm ? y : x, bound ? &bound[arm][i] : NULL,
                                   &before->type, before->op ? before->op->where : op->where))
                return false;
        }
        op->result_count = i + 1;
        struct tile_value *result = tile_result_create(b->kernel, op, i, type);
        if (!result)
            return false;
        result->name = name;
    }
    return true;
}
