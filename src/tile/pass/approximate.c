// Finds exp, exp2 and sigmoid ops for which approximate math suffices. Every use of such an op
// either rounds the result to 16 or 8 bits, or sums so many elements that the order of summation
// may change the sum by more than the approximation does. docs/tile-math.md gives the error bounds.
//
// The analysis follows the uses of a power. Products, quotients and sums of non-negative values
// preserve its relative error. Loop-carried values are assumed to tolerate the error until a use
// says otherwise.
#include "pass.h"
#include "tile/ir/words.h"
#include "tile/ir/scalar.h"

#include <string.h>

enum { MANY = 64 }; // the order of summation may change a sum of this many elements by 64 x 2^-24

enum answer { NOT_ASKED, YES, NO };

struct approximation {
    struct tile_kernel *kernel;
    uint8_t *enough, *not_negative; // enum answer, by value id
    bool powers;
};

static bool loops(const struct tile_op *op)
{
    return op->kind == TILE_FOR || op->kind == TILE_LOOP;
}

static uint32_t lead_of(const struct tile_op *loop)
{
    return loop->kind == TILE_FOR ? 1 : 0;
}

// Returns the loop or `if` that receives a terminator's operands, or NULL for other ops.
static const struct tile_op *target_of(const struct tile_op *op)
{
    const struct tile_op *around = op->parent->parent;

    if (op->kind == TILE_YIELD)
        return around && around->kind == TILE_IF ? around : NULL;
    if (op->kind != TILE_CONTINUE && op->kind != TILE_BREAK)
        return NULL;
    while (around && !loops(around))
        around = around->parent->parent;
    return around;
}

// True for the condition of a `where`, which only selects between the other operands.
static bool chooses(const struct tile_op *op, uint32_t operand)
{
    return op->kind == TILE_WHERE && !operand;
}

// Non-negative values

static bool not_negative(struct approximation *r, const struct tile_value *value);

struct givers {
    struct approximation *r;
    const struct tile_op *target;
    uint32_t index;
    bool all;
};

static void visit_giver(struct tile_op *op, void *data)
{
    struct givers *g = data;

    if (g->all && op->operand_count > g->index && target_of(op) == g->target)
        g->all = not_negative(g->r, op->operand[g->index]);
}

// True if all values that a loop or an `if` can return as this result are non-negative.
static bool all_given(struct approximation *r, const struct tile_op *target, uint32_t index)
{
    struct givers g = { r, target, index, true };

    if (loops(target))
        g.all = not_negative(r, target->operand[index + (target->kind == TILE_FOR ? 3 : 0)]);
    for (uint32_t i = 0; i < target->block_count && g.all; i++)
        tile_walk(target->block[i], visit_giver, &g);
    return g.all;
}

static bool is_made_not_negative(struct approximation *r, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (!op) {
        const struct tile_op *loop = value->block ? value->block->parent : NULL;
        return loop && loops(loop) && value->index >= lead_of(loop) &&
               all_given(r, loop, value->index - lead_of(loop));
    }
    if (tile_op_infos[op->kind].traits & TILE_NOT_NEGATIVE)
        return true;
    if (tile_op_infos[op->kind].traits & TILE_KEEPS_SIGN) {
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (!chooses(op, i) && !not_negative(r, op->operand[i]))
                return false;
        return true;
    }
    if (tile_op_infos[op->kind].traits & TILE_FLOWS)
        return all_given(r, op, value->index);
    if (op->kind == TILE_REDUCE)
        return op->operand_count == 1 && not_negative(r, op->operand[0]);
    if (op->kind != TILE_CONSTANT)
        return false;
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    return real ? real->f >= 0 : tile_int(op, TILE_ATTR_VALUE, -1) >= 0;
}

static bool not_negative(struct approximation *r, const struct tile_value *value)
{
    uint8_t *answer = &r->not_negative[value->id];

    if (*answer == NOT_ASKED) {
        *answer = YES;
        if (!is_made_not_negative(r, value))
            *answer = NO;
    }
    return *answer == YES;
}

// Values that tolerate approximation

static bool is_enough(struct approximation *r, const struct tile_value *value);

static bool enough_for_sum(struct approximation *r, const struct tile_op *op)
{
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);

    if (with == TILE_WITH_MIN || with == TILE_WITH_MAX)
        return is_enough(r, op->result[0]);
    if (with != TILE_WITH_SUM || !not_negative(r, op->operand[0]))
        return false;
    return op->operand[0]->type.extent[tile_int(op, TILE_ATTR_AXIS, 0)] >= MANY ||
           is_enough(r, op->result[0]);
}

static bool is_enough_here(struct approximation *r, const struct tile_op *op, uint32_t operand)
{
    const struct tile_op *target = target_of(op);

    if (target && operand < target->result_count)
        return is_enough(r, target->result[operand]) &&
               (!loops(target) ||
                is_enough(r, target->block[0]->argument[operand + lead_of(target)]));
    // The op's rounding mode is explicit.
    if (tile_is_rounded(op) && op->kind != TILE_CAST)
        return false;
    if (tile_op_infos[op->kind].traits & TILE_KEEPS_ERROR)
        return !chooses(op, operand) && is_enough(r, op->result[0]);
    if (loops(op)) {
        uint32_t first = op->kind == TILE_FOR ? 3 : 0;
        return operand >= first && is_enough(r, op->result[operand - first]) &&
               is_enough(r, op->block[0]->argument[operand - first + lead_of(op)]);
    }
    cuc_dtype to = op->kind == TILE_CAST ? op->result[0]->type.dtype : 0;
    if (op->kind == TILE_CAST)
        return (tile_is_float(to) || tile_is_restricted(to)) &&
               (cuc_dtype_bits(to) <= 16 || is_enough(r, op->result[0]));
    if (op->kind == TILE_REDUCE)
        return enough_for_sum(r, op);
    return op->kind == TILE_ADD && not_negative(r, op->operand[0]) &&
           not_negative(r, op->operand[1]) && is_enough(r, op->result[0]);
}

static bool is_enough(struct approximation *r, const struct tile_value *value)
{
    uint8_t *answer = &r->enough[value->id];

    if (*answer != NOT_ASKED)
        return *answer == YES;
    *answer = YES;
    for (const struct tile_use *use = value->use; use; use = use->next)
        if (!is_enough_here(r, use->user, (uint32_t)(use - use->user->use))) {
            *answer = NO;
            return false;
        }
    return true;
}

static bool is_power(const struct tile_op *op)
{
    return (op->kind == TILE_EXP || op->kind == TILE_EXP2 || op->kind == TILE_SIGMOID) &&
           op->result[0]->type.dtype == CUC_F32 && !tile_is_rounded(op);
}

static void find_power(struct tile_op *op, void *data)
{
    struct approximation *r = data;

    r->powers |= is_power(op);
}

// True if a value depends on an approximate power. The rounding of such a value may be approximate,
// too.
static bool comes_from_approximate(const struct tile_value *value, uint32_t depth)
{
    const struct tile_op *op = value->op;

    if (!op || depth > 8)
        return false;
    if (tile_int(op, TILE_ATTR_APPROXIMATE, 0))
        return true;
    if (!(tile_op_infos[op->kind].traits & TILE_REARRANGES) && op->kind != TILE_REDUCE &&
        op->kind != TILE_ADD && op->kind != TILE_MUL)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (comes_from_approximate(op->operand[i], depth + 1))
            return true;
    return false;
}

// Marks an op if approximate math suffices. Answers assumed during earlier searches may be wrong,
// so each search starts from scratch.
static void mark_if_enough(struct approximation *r, struct tile_op *op)
{
    memset(r->enough, NOT_ASKED, r->kernel->value_count + 1);
    memset(r->not_negative, NOT_ASKED, r->kernel->value_count + 1);
    if (is_enough(r, op->result[0]))
        tile_set(r->kernel, op, (struct tile_attribute){ .key = TILE_ATTR_APPROXIMATE, .i = 1 });
}

static void mark_power(struct tile_op *op, void *data)
{
    if (is_power(op))
        mark_if_enough(data, op);
}

static void mark_quotient(struct tile_op *op, void *data)
{
    if (op->kind == TILE_DIV && op->result[0]->type.dtype == CUC_F32 && !tile_is_rounded(op) &&
        (comes_from_approximate(op->operand[0], 0) || comes_from_approximate(op->operand[1], 0)))
        mark_if_enough(data, op);
}

void tile_mark_approximate(struct tile_kernel *kernel)
{
    struct approximation r = { .kernel = kernel };
    size_t values = kernel->value_count + 1;

    tile_walk(&kernel->body, find_power, &r);
    if (!r.powers)
        return;
    r.enough = tile_take(kernel->module, values);
    r.not_negative = tile_take(kernel->module, values);
    if (!r.enough || !r.not_negative)
        return;
    tile_walk(&kernel->body, mark_power, &r);
    tile_walk(&kernel->body, mark_quotient, &r);
}
