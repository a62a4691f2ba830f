// Finds the values that each role of a fused pipeline needs (fused.h), and checks that their
// layouts allow it. Runs after layouts are assigned.
#include "fused.h"
#include "gather.h"

#include "tile/ir/layout.h"
#include "tile/layout/wgmma.h"
#include "tile/ir/scalar.h"

struct needs {
    struct tile_fused *p;
    bool changed;
};

static void need(struct needs *n, const struct tile_value *value)
{
    if (n->p->needed[value->id])
        return;
    n->p->needed[value->id] = true;
    n->changed = true;
}

// Marks the operands of needed ops and of ops with effects, except operands of matrix products that
// come from a feed.
static void need_operands(struct tile_op *op, void *data)
{
    struct needs *n = data;
    bool needed = !(tile_op_infos[op->kind].traits & TILE_PURE);
    uint32_t first = op->kind == TILE_MMA && op->parent == n->p->base.loop->block[0] ? 2 : 0;

    if (op->kind == TILE_LOAD)
        needed = false;
    if (tile_feed_of(n->p, op)) // the copying thread needs the operands, not warpgroups
        return;
    for (uint32_t i = 0; i < op->result_count; i++)
        needed |= n->p->needed[op->result[i]->id];
    for (uint32_t i = 0; i < n->p->products; i++)
        if (n->p->product[i].mma == op && !n->p->product[i].feed[0])
            need(n, op->operand[0]);
    for (uint32_t i = 0; i < n->p->feeds; i++)
        if (n->p->feed[i].computed)
            need(n, n->p->feed[i].computed);
    for (uint32_t i = first; needed && i < op->operand_count; i++)
        need(n, op->operand[i]);
}

struct lateness {
    const struct tile_fused *p;
    const struct tile_value *acc;
    bool late;
};

static void mark_late(struct tile_op *op, void *data)
{
    struct lateness *l = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        l->late |= op->operand[i] == l->acc || l->p->late[op->operand[i]->id];
}

static bool is_late(const struct tile_fused *p, const struct tile_op *op,
                    const struct tile_value *acc)
{
    struct lateness l = { p, acc, false };

    mark_late((struct tile_op *)(uintptr_t)op, &l);
    for (uint32_t i = 0; i < op->block_count; i++)
        tile_walk(op->block[i], mark_late, &l);
    return l.late;
}

// True if each element's offset in shared memory is the sum of a thread's part and a register's
// part.
static bool can_read(const struct tile_stream *s, const struct tile_op *reader)
{
    const struct tile_layout *layout = reader->result[0]->layout;
    uint32_t own = 0, threads = 0, bits = tile_hardware_bits(layout);

    for (uint32_t i = 0; i < bits; i++)
        *(i < layout->register_bits ? &own : &threads) |= layout->basis[i];
    return s->element <= 4 && !(own & threads);
}

struct absence {
    const struct tile_fused *p;
    bool missed; // a warpgroup would lack a value that it needs
};

// Layouts for three warpgroups include a fourth one, which does not exist. Checks that it holds
// only copies or padding of the values that are needed.
static void check_absence(struct tile_op *op, void *data)
{
    struct absence *a = data;

    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_value *value = op->result[i];
        const struct tile_layout *layout = value->layout;
        uint32_t first = layout ? layout->register_bits + TILE_LANE_BITS + 2u : 0;
        if (!a->p->needed[value->id] || !value->type.rank || value->type.tensor || !layout)
            continue;
        bool beyond = !layout->basis[first] && !layout->basis[first + 1];
        for (uint32_t axis = 0; axis < value->type.rank; axis++)
            beyond |= layout->basis[first] && layout->basis[first + 1] &&
                      tile_axis_coordinate(layout, UINT32_C(3) << first, axis) >=
                          (uint32_t)value->type.extent[axis];
        a->missed |= !beyond;
    }
}

static const struct tile_op *find_scaling(const struct tile_op *mma, const struct tile_value *acc)
{
    const struct tile_value *in = mma->operand[2];
    const struct tile_op *op = in->op;

    if (!op || op->kind != TILE_MUL || op->parent != mma->parent || in->type.dtype != CUC_F32 ||
        tile_is_rounded(op) || in->uses != 1)
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_op *wide = op->operand[1 - i]->op;
        if (op->operand[i] == acc && wide && wide->kind == TILE_BROADCAST &&
            wide->operand[0]->type.rank == 2 && wide->operand[0]->type.extent[1] == 1)
            return op;
    }
    return NULL;
}

static bool is_exchanged(const struct tile_fused *p, const struct tile_value *value)
{
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].computed == value)
            return true;
    return false;
}

// Marks a product's operand a, with the casts that lead to it, as late: running products may still
// read its registers. In a loop that overlaps, an operand that other work reads has separate
// registers.
static void mark_left(struct tile_fused *p, const struct tile_fused_product *product)
{
    const struct tile_block *body = p->base.loop->block[0];
    const struct tile_value *a = product->mma->operand[0];

    if (p->two_lefts)
        return;
    if (!product->feed[0] && a->op && tile_is_within(a->op, body) &&
        (!p->overlaps || a->uses == 1 || is_exchanged(p, a)) &&
        !(tile_op_infos[a->op->kind].traits & TILE_READS))
        p->late[a->id] = true;
    for (const struct tile_value *from = tile_fused_source_of_left(product->mma); a != from;
         a = a->op->operand[0])
        p->late[a->id] = true;
}

// True if an op acts on each element of a tile that is laid out like the product's result.
static bool is_like_result(const struct tile_op *op, const struct tile_value *result)
{
    return tile_op_infos[op->kind].traits & TILE_ELEMENTWISE && op->result_count == 1 &&
           !op->block_count && tile_layout_same(op->result[0]->layout, result->layout);
}

// Finds the work on a lone product's result. If all of it is elementwise, a warpgroup with several
// blocks of 64 rows need not hold the results of all of them at once.
static void find_work_by_blocks(struct tile_fused *p)
{
    const struct tile_fused_product *product = &p->product[0];
    const struct tile_value *result = product->mma->result[0];
    const struct tile_block *body = p->base.loop->block[0];

    p->by_blocks = !p->overlaps && !p->doubles && !p->chains && p->products == 1 &&
                   p->base.blocks > 1 && product->from_zero && product->feed[0] &&
                   !product->feed[0]->computed && !product->feed[1]->computed;
    for (uint32_t i = 0; i < body->last->operand_count; i++)
        p->by_blocks &= body->last->operand[i] != result;
    for (const struct tile_op *op = body->first; op != body->last && p->by_blocks; op = op->next) {
        bool uses = op->block_count; // an `if` may use the result
        for (uint32_t i = 0; i < op->operand_count; i++)
            uses |= op->operand[i] == result || p->behind[op->operand[i]->id];
        if (!uses)
            continue;
        p->by_blocks = is_like_result(op, result);
        if (p->by_blocks)
            p->behind[op->result[0]->id] = true;
    }
}

const char *tile_settle_fused(struct tile_kernel *kernel, struct tile_fused *p,
                              const struct tile_target *target)
{
    const struct tile_fused_product *last = &p->product[p->products - 1];
    const struct tile_block *body = p->base.loop->block[0];
    size_t bytes = (kernel->value_count + 1) * sizeof(bool);
    struct needs n = { .p = p, .changed = true };

    p->late = tile_take(kernel->module, bytes);
    p->needed = tile_take(kernel->module, bytes);
    p->behind = tile_take(kernel->module, bytes);
    if (!tile_take_marks(kernel, &p->base) || !p->late || !p->needed || !p->behind)
        return "";
    for (const struct tile_op *op = kernel->body.first; op != p->base.loop; op = op->next)
        (void)tile_can_know(&p->base, op);
    for (uint32_t i = 0; i < 3; i++)
        (void)tile_fused_need(p, p->base.loop->operand[i]);
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].stream.gather) {
            const char *not_found = tile_find_gather(&p->base, &p->feed[i].stream);
            if (not_found)
                return not_found;
        } else if (!p->feed[i].computed) {
            (void)tile_fused_need_place(p, p->feed[i].stream.load);
        }
    tile_mark_only_streamed(kernel, &p->base);
    find_work_by_blocks(p);
    tile_find_small_feeds(kernel, p, target);
    while (n.changed) {
        n.changed = false;
        tile_walk(&kernel->body, need_operands, &n);
    }
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].reader && !can_read(&p->feed[i].stream, p->feed[i].reader))
            return "a tile's layout in shared memory does not suit the work that reads it";
    for (uint32_t i = 0; i < p->products; i++) {
        const struct tile_value *a = p->product[i].mma->operand[0];
        struct tile_layout layout;
        if (!p->product[i].feed[0] &&
            (!tile_layout_wgmma_left(&layout, &a->type, tile_bits_of(tile_fused_warps(p))) ||
             !a->layout || !tile_layout_same(a->layout, &layout)))
            return "a left operand's layout does not suit wgmma";
    }
    for (uint32_t i = 0; i < p->feeds; i++) {
        const struct tile_value *tile = p->feed[i].computed;
        struct tile_layout layout;
        if (tile && (!tile_lay_out_computed(p, &p->feed[i], &layout) || !tile->layout ||
                     !tile_layout_same(tile->layout, &layout)))
            return "a computed operand's layout does not suit wgmma";
    }
    struct absence absence = { p, false };
    if (p->base.groups == 3)
        tile_walk(&kernel->body, check_absence, &absence);
    if (absence.missed)
        return "work that is not split by rows would need a fourth warpgroup";
    const char *why = tile_settle_fused_split(p);
    if (!why && p->overlaps)
        why = tile_settle_deferred_reductions(kernel);
    if (why)
        return why;
    if (!p->overlaps || p->products - p->early > 1) {
        for (uint32_t i = p->early; i < p->products; i++)
            p->overlaps &= tile_only_adds(p, i);
        for (uint32_t i = 0; i < p->products; i++)
            mark_left(p, &p->product[i]);
        for (uint32_t i = 0; i < p->feeds && p->overlaps; i++)
            if (p->feed[i].computed)
                p->late[p->feed[i].computed->id] = true;
        return NULL;
    }
    // Mark the values that must wait for the last product: all values that depend on its
    // accumulator, and its operand a with the casts and permutations that lead to it, because the
    // product still reads their registers. If a is loaded, or if other work reads it, it has
    // separate registers and need not wait.
    const struct tile_value *acc = tile_fused_carried_in(p->base.loop, last->mma);
    for (const struct tile_op *op = body->first; acc && op; op = op->next)
        if (op != last->mma && is_late(p, op, acc)) {
            if (op->block_count || tile_op_infos[op->kind].traits & TILE_TERMINATES)
                p->overlaps &= op ==
                               body->last; // only passes the accumulator to the next iteration
            for (uint32_t i = 0; i < op->result_count; i++)
                p->late[op->result[i]->id] = true;
        }
    p->two_lefts &= !p->late[last->mma->operand[0]->id];
    mark_left(p, last);
    p->overlaps &= acc != NULL;
    if (last->promotes && !p->overlaps)
        return "an accumulator of 8-bit floats has another use in the loop";
    p->scaling = p->overlaps ? find_scaling(last->mma, acc) : NULL;
    return NULL;
}
