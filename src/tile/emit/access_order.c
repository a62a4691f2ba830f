// Emits barriers so that a block sees its own, possibly overlapping accesses in program order.
#include "ring.h"

#include "tile/ir/host.h"

#include <string.h>

const char *tile_order_words(const struct tile_op *op)
{
    static const char *const words[3][5] = {
        [TILE_SCOPE_DEVICE] = { "", ".relaxed.gpu", ".acquire.gpu", ".release.gpu",
                                ".acq_rel.gpu" },
        [TILE_SCOPE_BLOCK] = { "", ".relaxed.cta", ".acquire.cta", ".release.cta", ".acq_rel.cta" },
        [TILE_SCOPE_SYSTEM] = { "", ".relaxed.sys", ".acquire.sys", ".release.sys",
                                ".acq_rel.sys" },
    };

    return words[tile_int(op, TILE_ATTR_SCOPE, TILE_SCOPE_DEVICE)]
                [tile_int(op, TILE_ATTR_ORDER, TILE_WEAK)];
}

// Returns the parameter from which a tensor or slice derives.
static uint32_t parameter_of(const struct tile_value *tensor)
{
    while (tensor->op)
        tensor = tensor->op->operand[0];
    return tensor->index;
}

bool tile_touches_tensor(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & (TILE_READS | TILE_WRITES) && op->operand_count &&
           op->operand[0]->type.tensor;
}

// The accesses to each parameter. A tile that is loaded or stored by its number always has the same
// elements, so accesses with one shape and one layout access an element in one thread.
struct owners {
    const struct tile_op *access[64]; // one of them
    uint64_t read, shared;            // parameters of loads, and of accesses in different threads
};

static bool is_same_shape(const struct tile_op *a, const struct tile_op *b)
{
    const struct tile_attribute *x = tile_attribute(a, TILE_ATTR_SHAPE),
                                *y = tile_attribute(b, TILE_ATTR_SHAPE);

    return x->count == y->count && memcmp(x->ints, y->ints, x->count * sizeof(*x->ints)) == 0;
}

static const struct tile_layout *layout_of_access(const struct tile_op *op)
{
    return (op->result_count ? op->result[0] : op->operand[op->operand_count - 1])->layout;
}

static void find_owner(struct tile_op *op, void *data)
{
    struct owners *o = data;

    if (!tile_touches_tensor(op))
        return;
    uint32_t parameter = parameter_of(op->operand[0]) & 63;
    uint64_t bit = UINT64_C(1) << parameter;
    const struct tile_op *known = o->access[parameter];
    o->access[parameter] = op;
    o->read |= op->kind == TILE_LOAD ? bit : 0;
    if ((op->kind != TILE_LOAD && op->kind != TILE_STORE) || op->operand[0]->op ||
        tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK ||
        (known && (o->shared & bit || !is_same_shape(op, known) ||
                   !tile_layout_same(layout_of_access(op), layout_of_access(known)))))
        o->shared |= bit;
}

void tile_find_owned(struct tile_emitter *e)
{
    struct owners o = { .read = 0 };

    tile_walk((struct tile_block *)(uintptr_t)&e->kernel->body, find_owner, &o);
    for (uint32_t i = 0; i < e->kernel->parameter_count; i++)
        // All threads with copies of an element load it, and one of them stores it.
        if (o.access[i] && !(o.shared >> i & 1) &&
            !(o.read >> i & 1 && tile_copies(layout_of_access(o.access[i]))))
            e->owned |= UINT64_C(1) << i;
}

static bool may_overlap(struct tile_emitter *e, uint64_t touched, uint32_t parameter)
{
    bool others = false;

    for (; touched; touched &= touched - 1) {
        uint32_t other = (uint32_t)__builtin_ctzll(touched);
        if (other == parameter && !(e->owned >> parameter & 1))
            return true;
        others |= other == parameter || !tile_parameters_apart(e->kernel, other, parameter);
    }
    // If a warp-specialized entry stores more than one tensor, the launch checks that its tensors
    // do not overlap (select.c).
    if (others && e->ring && e->stored & (e->stored - 1))
        return false;
    // Launches take this variant only if no byte belongs to several tensors, or to several elements
    // of a stored one. Other launches take TILE_OVERLAP_32.
    if (others && e->variant == TILE_ALIGNED_32 && (e->loop || !e->target->orders_all)) {
        e->assumes_no_overlap = true;
        return false;
    }
    return others;
}

bool tile_is_after_stores(struct tile_emitter *e, const struct tile_op *op)
{
    return may_overlap(e, e->written, parameter_of(op->operand[0]));
}

void tile_order_access(struct tile_emitter *e, const struct tile_op *op)
{
    uint32_t traits = tile_op_infos[op->kind].traits, parameter = parameter_of(op->operand[0]);
    int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);
    bool writes = traits & TILE_WRITES, releases = order >= TILE_RELEASE;
    uint64_t bit = UINT64_C(1) << (parameter & 63);

    // A release publishes all earlier writes of the block.
    if (may_overlap(e, e->written, parameter) || (writes && may_overlap(e, e->read, parameter)) ||
        releases) {
        tile_barrier(e);
        e->read = e->written = 0;
        e->shared_busy = false;
    }
    if (traits & TILE_READS)
        e->read |= bit;
    if (writes)
        e->written |= bit;
}
