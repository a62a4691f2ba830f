// The other way round: c' = b' a' in place of c = a b. wgmma makes 64 rows at a time, but columns
// by 8, so that a result of few rows is better made of few columns. What comes behind the loop sees
// it turned back.
#include "pipeline.h"

struct turning {
    struct tile_kernel *kernel;
    const struct tile_value *from;
    struct tile_value *to;
    const struct tile_op *except;
    bool failed;
};

static struct tile_value *turned(struct turning *t, struct tile_op *place, struct tile_value *x)
{
    static const int64_t exchanged[] = { 1, 0 };
    const struct tile_type *own = &x->type;
    struct tile_type type =
        tile_shaped(own->dtype, 2, (int32_t[]){ (int32_t)own->extent[1], (int32_t)own->extent[0] });
    struct tile_op *op = tile_op_create(t->kernel, TILE_PERMUTE, 1, 1, 0);
    struct tile_value *result = op ? tile_result_create(t->kernel, op, 0, &type) : NULL;

    if (!result) {
        t->failed = true;
        return x;
    }
    tile_set(t->kernel, op,
             (struct tile_attribute){ .key = TILE_ATTR_AXES, .count = 2, .ints = exchanged });
    op->where = place->where;
    op->operand[0] = x;
    tile_insert_before(place, op);
    return result;
}

static void replace(struct tile_op *op, void *data)
{
    const struct turning *t = data;

    for (uint32_t i = 0; i < op->operand_count && op != t->except; i++)
        if (op->operand[i] == t->from)
            op->operand[i] = t->to;
}

bool tile_swap_product(struct tile_kernel *kernel, const struct tile_pipeline *p)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->loop;
    struct tile_op *mma = (struct tile_op *)(uintptr_t)p->mma;
    struct turning t = { .kernel = kernel };
    struct tile_value *carried[] = { loop->result[0], loop->block[0]->argument[1], mma->result[0] };
    struct tile_value *a = mma->operand[0];

    if (!loop->next) // nothing is made of it
        return false;
    mma->operand[0] = turned(&t, mma, mma->operand[1]);
    mma->operand[1] = turned(&t, mma, a);
    loop->operand[3] = turned(&t, loop, loop->operand[3]);
    for (uint32_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
        carried[i]->type = loop->operand[3]->type;
    t.to = turned(&t, loop->next, loop->result[0]);
    t.from = loop->result[0];
    t.except = t.to->op;
    tile_walk(&kernel->body, replace, &t);
    tile_settle(kernel);
    tile_simplify(kernel);
    return !t.failed;
}
