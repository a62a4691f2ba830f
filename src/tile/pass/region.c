// Finds matrix products that add to one accumulator from nested loops, from several consecutive
// loops, or under conditions. An example is a convolution, which loops over the taps of its filter.
//
// The region is the range of the kernel body's ops from the first to the last that contains such
// products. Both roles run its loops and branches, which must depend only on scalars: at each
// product, the copying thread copies the operands and warpgroups multiply. Everything else in a
// region is scalar, or computes operands.
#include "pipeline.h"

#include "tile/ir/scalar.h"
#include "tile/ir/words.h"

struct region {
    struct tile_pipeline *p;
    uint32_t found;  // number of products so far
    bool again;      // products are already known; only mark scalars
    const char *why; // reason why there is no region
};

static const char different_sums[] = "products add to different accumulators",
                  different_shapes[] = "products have different shapes",
                  other_carried[] = "a loop around it carries another tile besides its accumulator";

bool tile_is_no_region(const char *why)
{
    return why == different_sums || why == different_shapes || why == other_carried;
}

// ---- Scalars

static bool mark(struct tile_pipeline *p, bool *marks, const struct tile_value *value);

// Marks a scalar that a loop carries, given by its index among the carried values.
static bool mark_carried(struct tile_pipeline *p, bool *marks, const struct tile_op *loop,
                         uint32_t index)
{
    const struct tile_value *argument = loop->block[0]->argument[1 + index];

    if (loop->kind != TILE_FOR || !tile_holds_products(p, loop))
        return false;
    return mark(p, marks, loop->result[index]) && mark(p, marks, argument) &&
           mark(p, marks, loop->operand[3 + index]) &&
           mark(p, marks, loop->block[0]->last->operand[index]);
}

static bool mark_result(struct tile_pipeline *p, bool *marks, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (op->block_count && op->kind == TILE_FOR)
        return mark_carried(p, marks, op, value->index);
    if (op->block_count)
        return op->kind == TILE_IF && tile_holds_products(p, op) &&
               mark(p, marks, op->block[0]->last->operand[value->index]) &&
               mark(p, marks, op->block[1]->last->operand[value->index]);
    if (!(tile_op_infos[op->kind].traits & TILE_PURE) && !tile_is_of_scalars(op))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!mark(p, marks, op->operand[i]))
            return false;
    return true;
}

// Marks everything on which a scalar depends. False if that includes anything but scalars.
static bool mark(struct tile_pipeline *p, bool *marks, const struct tile_value *value)
{
    if (value->type.rank || value->type.tensor)
        return value->type.tensor && !value->op;
    if ((!value->op && !value->block) || marks[value->id])
        return true;
    if (p->before && p->known[value->id])
        return true; // computed before the region
    marks[value->id] = true;
    if (value->op)
        return mark_result(p, marks, value);
    const struct tile_op *loop = value->block->parent;
    return loop->kind == TILE_FOR &&
           (!value->index || mark_carried(p, marks, loop, value->index - 1));
}

bool tile_want(struct tile_pipeline *p, const struct tile_value *value)
{
    return mark(p, p->wanted, value);
}

// Marks a scalar that both roles need, because the region's control flow depends on it.
static bool steer(struct region *r, const struct tile_value *value)
{
    if (mark(r->p, r->p->wanted, value) && mark(r->p, r->p->steers, value))
        return true;
    r->why = "a loop or a condition around it depends on more than scalars";
    return false;
}

// ---- The accumulator

static const struct tile_value *add_up(struct region *r, const struct tile_op *first,
                                       const struct tile_op *end, const struct tile_value *sum);

static const struct tile_value *add_product(struct region *r, const struct tile_op *mma,
                                            const struct tile_value *sum)
{
    struct tile_pipeline *p = r->p;
    struct tile_added_product *product = &p->product[r->found++];

    if (mma->operand[2] != sum) {
        r->why = different_sums;
        return NULL;
    }
    product->mma = mma;
    for (uint32_t i = 0; i < 2 && !r->why; i++)
        if (r->again)
            (void)tile_want_place(p, &product->stream[i]);
        else
            r->why = tile_find_stream(p, mma, i, &product->stream[i]);
    p->sums[mma->result[0]->id] = true;
    return r->why ? NULL : mma->result[0];
}

static const struct tile_value *add_in_loop(struct region *r, const struct tile_op *op,
                                            const struct tile_value *sum)
{
    const struct tile_block *body = op->block[0];
    uint32_t own = UINT32_MAX;

    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->operand[3 + i] == sum && own == UINT32_MAX)
            own = i;
        else if (op->result[i]->type.rank || op->result[i]->type.tensor)
            r->why = other_carried;
    if (r->why || own == UINT32_MAX || body->last->kind != TILE_CONTINUE) {
        r->why = r->why ? r->why : "a loop around it does not carry its accumulator";
        return NULL;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (!steer(r, op->operand[i]))
            return NULL;
    r->p->sums[body->argument[1 + own]->id] = r->p->sums[op->result[own]->id] = true;
    const struct tile_value *after = add_up(r, body->first, body->last, body->argument[1 + own]);
    if (after && after != body->last->operand[own])
        r->why = "a loop around it does not carry its accumulator";
    return r->why ? NULL : op->result[own];
}

static const struct tile_value *add_in_branch(struct region *r, const struct tile_op *op,
                                              const struct tile_value *sum)
{
    const struct tile_value *arm[2] = { NULL, NULL };

    if (!steer(r, op->operand[0]))
        return NULL;
    for (uint32_t n = 0; n < 2; n++) {
        const struct tile_block *block = op->block[n];
        if (block->last->kind != TILE_YIELD) {
            r->why = "a branch around it leaves the loop";
            return NULL;
        }
        if (!(arm[n] = add_up(r, block->first, block->last, sum)))
            return NULL;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (op->block[0]->last->operand[i] == arm[0] && op->block[1]->last->operand[i] == arm[1]) {
            r->p->sums[op->result[i]->id] = true;
            return op->result[i];
        }
    }
    r->why = "a branch around it has another result besides its accumulator";
    return NULL;
}

// True for an op of a region that neither is nor contains a product.
static bool is_beside(const struct tile_op *op)
{
    const struct tile_type *type = op->result_count == 1 ? &op->result[0]->type : NULL;

    if (tile_is_of_scalars(op) || op->kind == TILE_PERMUTE || op->kind == TILE_RESHAPE ||
        op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT || op->kind == TILE_LOAD_ROWS ||
        op->kind == TILE_GATHER || (op->kind == TILE_SLICE && !op->operand[0]->op))
        return true;
    // Row numbers can only become operands of products through a gather.
    return type && !type->tensor && tile_is_recomputable(op) &&
           (tile_is_integer(type->dtype) || type->dtype == CUC_BOOL);
}

// Follows the accumulator through ops. Returns its final value, or NULL with a reason.
static const struct tile_value *add_up(struct region *r, const struct tile_op *first,
                                       const struct tile_op *end, const struct tile_value *sum)
{
    for (const struct tile_op *op = first; op != end && sum; op = op->next) {
        if (op->kind == TILE_MMA) {
            sum = add_product(r, op, sum);
        } else if (tile_holds_products(r->p, op)) {
            if (op->kind != TILE_FOR && op->kind != TILE_IF)
                r->why = "it is in a while loop";
            sum = r->why                 ? NULL
                  : op->kind == TILE_FOR ? add_in_loop(r, op, sum)
                                         : add_in_branch(r, op, sum);
        } else if (!is_beside(op) || op->block_count) {
            r->why = "its loops compute more than products and scalars";
            sum = NULL;
        }
    }
    return sum;
}

// ---- The region

bool tile_holds_products(const struct tile_pipeline *p, const struct tile_op *op)
{
    for (uint32_t i = 0; i < p->products && op->block_count; i++)
        for (uint32_t n = 0; n < op->block_count; n++)
            if (tile_is_within(p->product[i].mma, op->block[n]))
                return true;
    return false;
}

static void collect(struct tile_op *op, void *data)
{
    struct tile_pipeline *p = data;

    if (op->kind == TILE_MMA && p->products < TILE_MOST_ADDED)
        p->product[p->products++].mma = op;
}

static const struct tile_op *in_body(const struct tile_op *op)
{
    while (op->parent->parent)
        op = op->parent->parent;
    return op;
}

// Returns the tile to which the first product, or the loop around it, adds.
static const struct tile_value *start_of(const struct tile_pipeline *p)
{
    const struct tile_value *sum = p->mma->operand[2];

    for (const struct tile_op *op = p->mma; op != p->first; op = op->parent->parent) {
        const struct tile_op *around = op->parent->parent;
        if (around->kind == TILE_FOR && sum->block == around->block[0] && sum->index)
            sum = around->operand[2 + sum->index];
    }
    return sum;
}

static bool is_used_behind(const struct tile_pipeline *p, const struct tile_value *value)
{
    for (const struct tile_use *use = value->use; use; use = use->next) {
        const struct tile_op *user = in_body(use->user), *op = p->first;
        while (op != p->loop->next && op != user)
            op = op->next;
        if (op == p->loop->next)
            return true;
    }
    return false;
}

// Makes warpgroups also compute the region's scalars that later ops use. Later ops cannot use the
// region's tiles.
static void steer_outside(struct region *r)
{
    for (const struct tile_op *op = r->p->first; op != r->p->loop->next && !r->why; op = op->next)
        for (uint32_t i = 0; i < op->result_count && !r->why; i++) {
            const struct tile_value *x = op->result[i];
            if (r->p->sums[x->id] || !is_used_behind(r->p, x))
                continue;
            if (x->type.rank || x->type.tensor)
                r->why = "a tile from between its loops is used behind them";
            else
                (void)steer(r, x);
        }
}

// True if the only reader of an accumulator value is the op that adds to it, or one op in each arm
// of a branch.
static bool is_consumed_once(const struct tile_value *sum)
{
    const struct tile_use *first = sum->use, *second = first ? first->next : NULL;

    if (sum->uses <= 1)
        return true;
    if (sum->uses > 2)
        return false;
    for (const struct tile_op *x = first->user; x; x = x->parent->parent)
        for (const struct tile_op *y = second->user; y; y = y->parent->parent)
            if (x->parent->parent == y->parent->parent && x->parent != y->parent)
                return true;
    return false;
}

struct check {
    const struct tile_pipeline *p;
    bool fails;
};

static void check_sums(struct tile_op *op, void *data)
{
    struct check *c = data;

    for (uint32_t i = 0; i < op->result_count; i++)
        c->fails |= c->p->sums[op->result[i]->id] && op->result[i] != c->p->end &&
                    !is_consumed_once(op->result[i]);
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++)
            c->fails |= c->p->sums[op->block[n]->argument[i]->id] &&
                        !is_consumed_once(op->block[n]->argument[i]);
}

static const char *find(struct tile_kernel *kernel, struct region *r)
{
    struct tile_pipeline *p = r->p;
    const struct tile_value *sum = start_of(p), *end;

    end = add_up(r, p->first, p->loop->next, sum);
    if (!r->why && (!end || r->found != p->products))
        r->why = "they do not add to one accumulator";
    p->from_zero = tile_is_zero(sum);
    p->start = sum;
    p->end = end;
    if (r->why)
        return r->why;
    struct check check = { .p = p };
    tile_walk(&kernel->body, check_sums, &check);
    if (check.fails)
        return "its accumulator is read between the products";
    steer_outside(r);
    return r->why;
}

static bool take_marks(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    size_t bytes = (kernel->value_count + 1) * sizeof(*p->wanted);

    p->steers = tile_take(kernel->module, bytes);
    p->sums = tile_take(kernel->module, bytes);
    return tile_take_marks(kernel, p) && p->steers && p->sums;
}

const char *tile_find_region(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    struct region r = { .p = p };

    p->kernel = kernel;
    p->product = tile_take(kernel->module, TILE_MOST_ADDED * sizeof(*p->product));
    if (!p->product || !take_marks(kernel, p))
        return "";
    tile_walk(&kernel->body, collect, p);
    if (!p->products)
        return "";
    if (p->products == TILE_MOST_ADDED)
        return "the kernel has more than 63 products";
    p->mma = p->product[0].mma;
    p->first = in_body(p->mma);
    p->loop = in_body(p->product[p->products - 1].mma);
    for (uint32_t i = 1; i < p->products; i++)
        for (uint32_t n = 0; n < 3; n++)
            if (!tile_type_same(&p->product[i].mma->operand[n]->type, &p->mma->operand[n]->type))
                return different_shapes;
    const char *why = tile_check_before(kernel, p, p->first, false);
    return why ? why : find(kernel, &r);
}

void tile_settle_region(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    struct region r = { .p = p, .again = true };

    if (!take_marks(kernel, p))
        return;
    for (const struct tile_op *op = kernel->body.first; op != p->first; op = op->next)
        (void)tile_can_know(p, op);
    (void)find(kernel, &r);
}
