// Merges tiles that a fused loop loads several times in an iteration. The loop stores nothing, so
// equal loads give equal results. An operand that several matrix products share is loaded once,
// into one ring. So is a tile that elementwise work reads.
#include "fused.h"
#include "pass.h"

bool tile_only_products_use(const struct tile_op *loop, const struct tile_value *value,
                            uint32_t which)
{
    uint32_t uses = 0;

    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next)
        uses += op->kind == TILE_MMA && op->operand[which] == value;
    return uses == value->uses;
}

// Deletes the ops of an operand that is no longer used.
static void drop(struct tile_value *value)
{
    struct tile_op *op = value->op;

    if (value->uses || !op)
        return;
    struct tile_value *from = op->operand_count ? op->operand[0] : NULL;
    bool is_load = tile_is_tile_load(op);
    tile_delete(op);
    if (!is_load)
        drop(from);
}

// True if two products take equal boxes, with equal axis orders, as operand `which`.
static bool is_same_operand(const struct tile_op *loop, const struct tile_op *x,
                            const struct tile_op *y, uint32_t which)
{
    const struct tile_value *a = x->operand[which], *b = y->operand[which];
    bool transposed[2] = { false, false };
    const struct tile_op *load[2] = { tile_streamed_box(a, a->uses, &transposed[0]),
                                      tile_streamed_box(b, 1, &transposed[1]) };

    return a != b && load[0] && load[1] && load[0] != load[1] &&
           load[0]->parent == loop->block[0] && load[1]->parent == loop->block[0] &&
           transposed[0] == transposed[1] && tile_type_same(&a->type, &b->type) &&
           tile_same_op(load[0], load[1]) && tile_pads_zeros(load[0]) &&
           tile_only_products_use(loop, a, which);
}

// True for a load that only products use as an operand.
static bool is_operand(const struct tile_op *loop, const struct tile_op *load)
{
    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next)
        for (uint32_t which = 0; op->kind == TILE_MMA && which < 2; which++) {
            const struct tile_value *own = op->operand[which];
            bool transposed = false;
            if (tile_streamed_box(own, own->uses, &transposed) == load &&
                tile_only_products_use(loop, own, which))
                return true;
        }
    return false;
}

// Merges equal loads whose results the loop uses for work other than products.
static void share_loads(const struct tile_op *loop)
{
    for (struct tile_op *op = loop->block[0]->first, *next; op; op = next) {
        struct tile_op *other = loop->block[0]->first;
        next = op->next;
        if (!tile_is_tile_load(op) || !tile_pads_zeros(op) || is_operand(loop, op))
            continue;
        while (other != op && (!tile_same_op(other, op) || is_operand(loop, other)))
            other = other->next;
        if (other == op)
            continue;
        tile_replace(op->result[0], other->result[0], NULL);
        tile_delete(op);
    }
}

void tile_share_operands(const struct tile_op *loop)
{
    share_loads(loop);
    for (struct tile_op *op = loop->block[0]->first; op; op = op->next)
        for (struct tile_op *other = loop->block[0]->first; op->kind == TILE_MMA && other != op;
             other = other->next)
            for (uint32_t which = 0; other->kind == TILE_MMA && which < 2; which++)
                if (is_same_operand(loop, other, op, which)) {
                    struct tile_value *own = op->operand[which];
                    tile_set_operand(op, which, other->operand[which]);
                    drop(own);
                }
}

const struct tile_feed *tile_feed_of(const struct tile_fused *p, const struct tile_op *load)
{
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].stream.load == load || p->feed[i].reader == load || p->feed[i].other == load)
            return &p->feed[i];
    return NULL;
}

bool tile_is_multiplied(const struct tile_fused *p, const struct tile_feed *feed)
{
    for (uint32_t i = 0; i < p->products; i++)
        if (p->product[i].feed[0] == feed || p->product[i].feed[1] == feed)
            return true;
    return false;
}

bool tile_is_last_use(const struct tile_fused *p, uint32_t number, uint32_t which)
{
    const struct tile_feed *feed = p->product[number].feed[which];

    for (uint32_t i = 2 * number + which + 1; i < 2 * p->products; i++)
        if (p->product[i / 2].feed[i % 2] == feed)
            return false;
    return true;
}
