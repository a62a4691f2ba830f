// Dead-code elimination: removes ops whose results are unused, and values that loops and ifs carry
// without a use.
//
// Marking starts at ops with effects: writes, asserts, and everything that leaves a loop or the
// kernel. A `for` loop or an `if` is live if something in it is live or one of its results is used.
// Other loops are always live, because they may not terminate. A carried value is live if its
// result or its argument is used. Only then are the operands that feed it live.
#include "pass.h"
#include "tile/ir/words.h"

#include <string.h>

struct marking {
    struct tile_kernel *kernel;
    bool *value, *repeat; // by value id; `repeat` requests another round
    bool yields_only;     // treat everything as live except the operands of yields
};

static bool has_effect(const struct tile_op *op)
{
    uint32_t traits = tile_op_infos[op->kind].traits;

    if (traits & TILE_WRITES || op->kind == TILE_RETURN || op->kind == TILE_BREAK ||
        op->kind == TILE_LOOP)
        return true;
    // An acquire orders all accesses that follow it.
    if (traits & TILE_READS && tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        return true;
    // A `continue` inside an `if` skips the rest of the body. The `continue` that ends the body
    // does not.
    if (op->kind == TILE_CONTINUE)
        return op->parent->parent->kind == TILE_IF;
    for (uint32_t i = 0; i < op->block_count; i++)
        for (const struct tile_op *inner = op->block[i]->first; inner; inner = inner->next)
            if (has_effect(inner))
                return true;
    return false;
}

// Returns the loop or `if` that receives a terminator's operands.
static struct tile_op *target_of(const struct tile_op *terminator)
{
    struct tile_op *op = terminator->parent->parent;

    if (terminator->kind == TILE_BREAK || terminator->kind == TILE_CONTINUE)
        while (op && op->kind != TILE_FOR && op->kind != TILE_LOOP)
            op = op->parent->parent;
    return op;
}

static void mark_value(struct marking *m, const struct tile_value *value)
{
    if (value && !m->value[value->id]) {
        m->value[value->id] = true;
        *m->repeat = true;
    }
}

static bool any_result(const struct marking *m, const struct tile_op *op)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        if (m->value[op->result[i]->id])
            return true;
    return false;
}

static uint32_t control_operands(const struct tile_op *op)
{
    return op->kind == TILE_FOR ? 3 : op->kind == TILE_IF ? 1 : 0;
}

static bool carries(const struct tile_op *op)
{
    return op->kind == TILE_FOR || op->kind == TILE_LOOP || op->kind == TILE_IF;
}

// True if value i that a loop carries, or an `if` yields, is used.
static bool carried_lives(const struct marking *m, const struct tile_op *op, uint32_t i)
{
    if (m->value[op->result[i]->id])
        return true;
    if (op->kind == TILE_IF || m->yields_only)
        return op->kind != TILE_IF;
    return m->value[op->block[0]->argument[i + (op->kind == TILE_FOR)]->id];
}

static bool op_lives(const struct marking *m, const struct tile_op *op)
{
    return m->yields_only || has_effect(op) || any_result(m, op);
}

static void mark_block(struct marking *m, const struct tile_block *block)
{
    for (struct tile_op *op = block->last; op; op = op->previous) {
        if (op->kind == TILE_YIELD || op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) {
            const struct tile_op *target = target_of(op);
            for (uint32_t i = 0; i < op->operand_count; i++)
                if (!carries(target) || carried_lives(m, target, i))
                    mark_value(m, op->operand[i]);
            continue;
        }
        if (!op_lives(m, op))
            continue;
        uint32_t control = carries(op) ? control_operands(op) : op->operand_count;
        for (uint32_t i = 0; i < control; i++)
            mark_value(m, op->operand[i]);
        for (uint32_t i = control; i < op->operand_count; i++)
            if (carried_lives(m, op, i - control))
                mark_value(m, op->operand[i]);
        for (uint32_t i = 0; i < op->block_count; i++)
            mark_block(m, op->block[i]);
    }
}

// Removes entry i of a list.
static void drop(void **list, uint32_t *count, uint32_t i)
{
    memmove(list + i, list + i + 1, (*count - i - 1) * sizeof(*list));
    --*count;
}

static void drop_fed(struct tile_block *block, const struct tile_op *target, uint32_t i)
{
    for (struct tile_op *op = block->first; op; op = op->next) {
        bool feeds = op->kind == TILE_YIELD || op->kind == TILE_CONTINUE || op->kind == TILE_BREAK;
        if (feeds && target_of(op) == target)
            tile_drop_operand(op, i);
        for (uint32_t n = 0; n < op->block_count; n++)
            drop_fed(op->block[n], target, i);
    }
}

static void drop_carried(struct tile_op *op, uint32_t i)
{
    for (uint32_t n = 0; n < op->block_count; n++)
        drop_fed(op->block[n], op, i);
    drop((void **)op->result, &op->result_count, i);
    for (uint32_t n = i; n < op->result_count; n++)
        op->result[n]->index = n;
    if (op->kind == TILE_IF)
        return;
    tile_drop_operand(op, i + control_operands(op));
    struct tile_block *body = op->block[0];
    uint32_t at = i + (op->kind == TILE_FOR);
    drop((void **)body->argument, &body->argument_count, at);
    for (uint32_t n = at; n < body->argument_count; n++)
        body->argument[n]->index = n;
}

static bool sweep(struct marking *m, struct tile_block *block)
{
    bool changed = false;

    for (struct tile_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if (tile_op_infos[op->kind].traits & TILE_TERMINATES)
            continue;
        if (!op_lives(m, op)) {
            tile_delete(op);
            changed = true;
            continue;
        }
        for (uint32_t i = carries(op) ? op->result_count : 0; i-- > 0;)
            if (!carried_lives(m, op, i)) {
                drop_carried(op, i);
                changed = true;
            }
        for (uint32_t i = 0; i < op->block_count; i++)
            changed |= sweep(m, op->block[i]);
    }
    return changed;
}

static bool run(struct tile_kernel *kernel, bool yields_only)
{
    bool repeat;
    struct marking m = { kernel, tile_take(kernel->module, kernel->value_count + 1), &repeat,
                         yields_only };

    if (!m.value)
        return false;
    do { // repeat until nothing new is marked, because carried values can feed themselves
        repeat = false;
        mark_block(&m, &kernel->body);
    } while (repeat);
    bool changed = sweep(&m, &kernel->body);
    if (changed)
        tile_renumber(kernel);
    return changed;
}

bool tile_drop_dead(struct tile_kernel *kernel)
{
    return run(kernel, false);
}

bool tile_drop_yields(struct tile_kernel *kernel)
{
    return run(kernel, true);
}
