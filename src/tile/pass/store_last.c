// Moves the store of the largest tile behind the other stores at the end of a kernel with roles. A
// pipeline stores the last tile through shared memory and by TMA, because nothing waits for it. The
// stores go to different tensors, and the launch checks that these do not overlap (select.c).
#include "pass.h"

#include "tile/ir/words.h"

static bool is_plain_store(const struct tile_op *op)
{
    return (op->kind == TILE_STORE || op->kind == TILE_STORE_AT) &&
           tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_WEAK;
}

// True if an op can follow the moved store.
static bool can_precede(const struct tile_op *op)
{
    return op->kind == TILE_RETURN || is_plain_store(op) ||
           (!op->block_count && !(tile_op_infos[op->kind].traits & (TILE_READS | TILE_WRITES)));
}

static const struct tile_value *tensor_of(const struct tile_op *store)
{
    const struct tile_value *tensor = store->operand[0];

    while (tensor->op)
        tensor = tensor->op->operand[0];
    return tensor;
}

static int64_t bytes_of(const struct tile_op *store)
{
    const struct tile_type *type = &store->operand[store->operand_count - 1]->type;

    return tile_elements(type) * tile_bytes_of(type->dtype);
}

void tile_store_largest_last(struct tile_kernel *kernel)
{
    struct tile_op *largest = NULL, *last = NULL;

    for (struct tile_op *op = kernel->body.last; op && can_precede(op); op = op->previous) {
        if (!is_plain_store(op))
            continue;
        if (!last)
            last = op;
        if (!largest || bytes_of(op) > bytes_of(largest))
            largest = op;
    }
    for (const struct tile_op *op = largest; op && op != last;) {
        op = op->next;
        if (is_plain_store(op) && tensor_of(op) == tensor_of(largest))
            return;
    }
    if (largest == last)
        return;
    struct tile_op *place = last->next;
    tile_remove(largest);
    if (place)
        tile_insert_before(place, largest);
    else
        tile_append(&kernel->body, largest);
}
