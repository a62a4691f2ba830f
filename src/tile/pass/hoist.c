// Loop-invariant code motion: moves a pure op before a loop if its operands come from outside the
// loop. If the loop has no effects, also moves a load of a scalar, such as the factor of a head,
// from a tensor that no written one overlaps: elsewhere, a later store would have to wait for the
// load.
//
// No pure op can trap, nor can a load that checks its bounds, so executing one that the loop would
// not have reached costs only time. To avoid that cost, ops inside an `if` stay there. Values that
// cost nothing to recompute also stay, because they would only occupy registers.
#include "pass.h"

#include "tile/ir/host.h"
#include "tile/ir/words.h"
#include "tile/signature/signature.h"

static const struct tile_block *home(const struct tile_value *value)
{
    return value->op ? value->op->parent : value->block;
}

// True if a value is defined inside an op. Parameters belong to no block.
static bool inside(const struct tile_value *value, const struct tile_op *op)
{
    const struct tile_block *block = home(value);

    while (block && block->parent) {
        if (block->parent == op)
            return true;
        block = block->parent->parent;
    }
    return false;
}

static bool only_reads(const struct tile_op *op)
{
    return (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT) &&
           tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_WEAK;
}

static void find_effect(struct tile_op *op, void *has)
{
    const uint32_t harmless = TILE_PURE | TILE_FLOWS | TILE_TERMINATES;

    *(bool *)has |= !(tile_op_infos[op->kind].traits & harmless) && !only_reads(op);
}

// True if facts of the kernel state that what it writes does not overlap the tensor of a load.
static bool is_apart(const struct tile_kernel *kernel, const struct tile_value *tensor)
{
    enum { MOST = 64 };
    uint64_t written = tile_written_parameters(kernel);

    if (tensor->op || kernel->parameter_count > MOST)
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (written >> i & 1 && !tile_parameters_apart(kernel, i, tensor->index))
            return false;
    return true;
}

static bool may_move(const struct tile_kernel *kernel, const struct tile_op *op,
                     const struct tile_op *loop, bool effects)
{
    uint32_t traits = tile_op_infos[op->kind].traits;
    bool scalar = !effects && only_reads(op) && !op->result[0]->type.rank &&
                  !tile_int(op, TILE_ATTR_INSIDE, 0) && is_apart(kernel, op->operand[0]);

    if ((!(traits & TILE_PURE) && !scalar) || traits & TILE_LEAF || op->block_count)
        return false;
    // A tile that only repeats its operand costs nothing to recompute.
    if (op->kind == TILE_BROADCAST || op->kind == TILE_SLICE)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_value *value = op->operand[i];
        bool leaf = value->op && tile_op_infos[value->op->kind].traits & TILE_LEAF;
        if (inside(value, loop) && !(leaf && value->op->operand_count == 0))
            return false;
    }
    return true;
}

// Moves an op before the loop, together with the leaf ops that it needs.
static void move(struct tile_op *op, struct tile_op *loop)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        struct tile_op *leaf = op->operand[i]->op;
        if (leaf && inside(op->operand[i], loop)) {
            tile_remove(leaf);
            tile_insert_before(loop, leaf);
        }
    }
    tile_remove(op);
    tile_insert_before(loop, op);
}

static bool visit_block(const struct tile_kernel *kernel, struct tile_block *block)
{
    bool changed = false;

    for (struct tile_op *op = block->first; op; op = op->next) {
        for (uint32_t i = 0; i < op->block_count; i++)
            changed |= visit_block(kernel, op->block[i]);
        if (op->kind != TILE_FOR && op->kind != TILE_LOOP)
            continue;
        bool effects = false;
        tile_walk(op->block[0], find_effect, &effects);
        for (struct tile_op *inner = op->block[0]->first, *next; inner; inner = next) {
            next = inner->next;
            if (may_move(kernel, inner, op, effects)) {
                move(inner, op);
                changed = true;
            }
        }
    }
    return changed;
}

bool tile_hoist(struct tile_kernel *kernel)
{
    bool changed = visit_block(kernel, &kernel->body);

    if (changed)
        tile_renumber(kernel);
    return changed;
}
