// Emits barriers so that a block sees its own, possibly overlapping accesses in program order.
#include "ring.h"

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

// True if a fact of the kernel states that two parameters do not overlap.
static bool apart(const struct tile_kernel *k, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < k->fact_count; i++) {
        const struct tile_host_expression *x = k->fact[i].holds;
        if (x->kind == TILE_HOST_NOALIAS && ((x->index == a && (uint32_t)x->value == b) ||
                                             (x->index == b && (uint32_t)x->value == a)))
            return true;
    }
    return false;
}

static bool may_overlap(struct tile_emitter *e, uint64_t touched, uint32_t parameter)
{
    bool others = false;

    for (; touched; touched &= touched - 1) {
        uint32_t other = (uint32_t)__builtin_ctzll(touched);
        if (other == parameter)
            return true;
        others |= !apart(e->kernel, other, parameter);
    }
    // If a warp-specialized entry stores more than one tensor, the launch checks that its tensors
    // do not overlap (select.c).
    if (others && e->ring && e->stored & (e->stored - 1))
        return false;
    // Launches take this variant only if the tensors do not overlap. Other launches take
    // TILE_OVERLAP_32.
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
