// Walks over the IR, and answers queries about values and ops. See ir.h.
#include "ir.h"

#include "words.h"

void tile_walk(struct tile_block *block, void (*visit)(struct tile_op *op, void *data), void *data)
{
    for (struct tile_op *op = block->first, *next; op; op = next) {
        next = op->next;
        visit(op, data);
        if (op->parent == block) // visit() did not remove it
            for (uint32_t i = 0; i < op->block_count; i++)
                tile_walk(op->block[i], visit, data);
    }
}

bool tile_is_used_outside(const struct tile_value *value, const struct tile_block *block)
{
    for (const struct tile_use *use = value->use; use; use = use->next)
        if (use->user->parent != block)
            return true;
    return false;
}

bool tile_is_zero(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    while (op && tile_op_infos[op->kind].traits & TILE_REARRANGES)
        op = op->operand[0]->op;
    if (!op || op->kind != TILE_CONSTANT)
        return false;
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    return real ? real->f == 0 : tile_int(op, TILE_ATTR_VALUE, 1) == 0;
}

bool tile_is_recomputable(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & TILE_PURE && !op->block_count && op->result_count == 1;
}

bool tile_is_network(const struct tile_op *op)
{
    return op->kind == TILE_SORT || op->kind == TILE_TOPK || op->kind == TILE_SCAN ||
           op->kind == TILE_HISTOGRAM || op->kind == TILE_RANK;
}

const struct tile_op *tile_loop_around(const struct tile_op *op)
{
    const struct tile_op *around = op->parent->parent;

    while (around && around->kind != TILE_FOR && around->kind != TILE_LOOP)
        around = around->parent ? around->parent->parent : NULL;
    return around;
}

const struct tile_op *tile_ended_by(const struct tile_op *terminator)
{
    return terminator->kind == TILE_YIELD ? terminator->parent->parent
                                          : tile_loop_around(terminator);
}

bool tile_is_within(const struct tile_op *op, const struct tile_block *block)
{
    for (const struct tile_block *b = op->parent; b; b = b->parent ? b->parent->parent : NULL)
        if (b == block)
            return true;
    return false;
}

static const struct tile_value *strip_transposes(const struct tile_value *value, uint32_t uses,
                                                 bool *transposed)
{
    while (value->op && value->op->kind == TILE_PERMUTE && value->uses == uses) {
        *transposed ^= tile_attribute(value->op, TILE_ATTR_AXES)->ints[0] == 1;
        value = value->op->operand[0];
        uses = 1;
    }
    return value;
}

const struct tile_value *tile_strip_transposes(const struct tile_value *value, bool *transposed)
{
    return strip_transposes(value, 1, transposed);
}

// Returns the op that produces a matrix, possibly as a box whose leading axes are joined to the
// matrix's rows.
static const struct tile_op *box_of(const struct tile_value *value, uint32_t uses, bool *transposed)
{
    if (value->uses != uses)
        return NULL;
    const struct tile_value *inner = strip_transposes(value, uses, transposed);
    const struct tile_op *op = inner->op;

    uses = inner == value ? uses : 1;
    if (op && op->kind == TILE_RESHAPE && op->result[0]->uses == uses && op->operand[0]->op) {
        const struct tile_type *box = &op->operand[0]->type, *matrix = &op->result[0]->type;
        if (box->rank > 2 && matrix->rank == 2 && box->extent[box->rank - 1] == matrix->extent[1]) {
            op = op->operand[0]->op;
            uses = 1;
        }
    }
    return op && op->result_count && op->result[0]->uses == uses ? op : NULL;
}

const struct tile_op *tile_shared_box(const struct tile_value *value, uint32_t uses,
                                      bool *transposed)
{
    const struct tile_op *op = box_of(value, uses, transposed);

    return op && (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT) ? op : NULL;
}

const struct tile_op *tile_loaded_box(const struct tile_value *value, bool *transposed)
{
    return tile_shared_box(value, 1, transposed);
}

bool tile_is_gather(const struct tile_op *op)
{
    return op->kind == TILE_GATHER || op->kind == TILE_LOAD_ROWS;
}

bool tile_is_tile_load(const struct tile_op *op)
{
    return op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT || tile_is_gather(op);
}

const struct tile_op *tile_gathered_box(const struct tile_value *value, bool *transposed)
{
    const struct tile_op *op = box_of(value, 1, transposed);

    return op && tile_is_gather(op) ? op : NULL;
}

const struct tile_op *tile_streamed_box(const struct tile_value *value, uint32_t uses,
                                        bool *transposed)
{
    const struct tile_op *op = box_of(value, uses, transposed);

    return op && tile_is_tile_load(op) ? op : NULL;
}

bool tile_pads_zeros(const struct tile_op *op)
{
    return tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_WEAK &&
           (!tile_int(op, TILE_ATTR_PADDED, 0) || tile_is_zero(op->operand[op->operand_count - 1]));
}

bool tile_is_plain_load(const struct tile_op *op)
{
    return (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT) && tile_pads_zeros(op);
}

uint32_t tile_other_axis(const struct tile_op *access)
{
    int64_t dropped = tile_int(access, TILE_ATTR_DROPPED, 0);
    uint32_t other = tile_attribute(access, TILE_ATTR_SHAPE)->count - 1u;

    while (other-- > 0 && dropped >> other & 1)
        ;
    return other;
}

static void number_op(struct tile_op *op, void *data)
{
    uint32_t *next = data;

    for (uint32_t i = 0; i < op->result_count; i++)
        op->result[i]->id = (*next)++;
    for (uint32_t i = 0; i < op->block_count; i++)
        for (uint32_t n = 0; n < op->block[i]->argument_count; n++)
            op->block[i]->argument[n]->id = (*next)++;
}

void tile_renumber(struct tile_kernel *kernel)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        kernel->parameter[i].value->id = next++;
    tile_walk(&kernel->body, number_op, &next);
    kernel->value_count = next;
}
