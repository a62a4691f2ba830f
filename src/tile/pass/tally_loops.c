// Keeps the counters of loops that add up histograms in shared memory:
//
//     for .. { n = n + histogram(x, N) }     becomes     tally_start(N)
//                                                        for .. { tally(x, N) }
//                                                        n = n + tallied(N)
//
// Iterations then neither clear nor read counters, and no warp waits for another.
#include "pass.h"
#include "accumulation.h"

#include "tile/ir/target.h"

enum { MOST_COUNTERS = 8192, LEAST_SHARED = 128 * 1024 };

// True if an iteration of some loop runs this one, so that its counters might be another's.
static bool is_nested(const struct tile_op *loop)
{
    for (const struct tile_op *op = loop->parent->parent; op; op = op->parent->parent)
        if (op->kind != TILE_IF)
            return true;
    return false;
}

// Returns the histogram that is added to a carried value, which has no other use; or NULL.
static struct tile_op *find_histogram(const struct tile_op *loop, uint32_t index)
{
    const struct tile_value *argument = loop->block[0]->argument[1 + index];
    const struct tile_value *next = loop->block[0]->last->operand[index];
    const struct tile_op *sum = next->op;

    if (!sum || sum->kind != TILE_ADD || sum->parent != loop->block[0] || argument->uses != 1 ||
        next->uses != 1)
        return NULL;
    const struct tile_value *counted = sum->operand[sum->operand[0] == argument];
    bool added = sum->operand[0] == argument || sum->operand[1] == argument;
    struct tile_op *op = counted->op;
    return added && op && op->kind == TILE_HISTOGRAM && op->parent == loop->block[0] &&
                   counted->uses == 1 && tile_elements(&counted->type) <= MOST_COUNTERS
               ? op
               : NULL;
}

static struct tile_op *insert(struct tile_kernel *kernel, struct tile_op *place,
                              enum tile_op_kind kind, const struct tile_op *histogram,
                              struct tile_value *x)
{
    struct tile_op *op = tile_op_create(kernel, kind, x ? 1 : 0, 0, 0);

    if (!op)
        return NULL;
    if (x)
        tile_set_operand(op, 0, x);
    op->where = histogram->where;
    tile_set(kernel, op, *tile_attribute(histogram, TILE_ATTR_COUNT));
    tile_insert_before(place, op);
    return op;
}

static void keep_counters(struct tile_kernel *kernel, struct tile_op *loop, uint32_t index,
                          struct tile_op *histogram)
{
    struct tile_value *argument = loop->block[0]->argument[1 + index], *kept = loop->result[index];
    struct tile_value *before = loop->operand[3 + index];
    struct tile_op *sum = loop->block[0]->last->operand[index]->op;
    struct tile_type type = argument->type;
    struct tile_value *nothing = tile_make_int_before(kernel, loop, type.dtype, 0);
    struct tile_value *counted = tile_make_before(kernel, loop->next, TILE_TALLIED, &type, 0, NULL);

    if (!nothing || !counted || !insert(kernel, loop, TILE_TALLY_START, histogram, NULL) ||
        !insert(kernel, histogram, TILE_TALLY, histogram, histogram->operand[0]))
        return;
    tile_set(kernel, counted->op, *tile_attribute(histogram, TILE_ATTR_COUNT));
    struct tile_value *all = tile_make_before(kernel, counted->op->next, TILE_ADD, &type, 2,
                                              (struct tile_value *[]){ before, counted });
    if (!all)
        return;
    all->name = kept->name;
    tile_replace(kept, all, NULL);
    tile_set_operand(loop, 3 + index, nothing); // a scalar takes the carried tile's place
    tile_set_operand(loop->block[0]->last, index, argument);
    argument->type = kept->type = nothing->type;
    tile_delete(sum);
    tile_delete(histogram);
}

static void visit(struct tile_op *loop, void *data)
{
    struct tile_kernel *kernel = data;

    if (loop->kind != TILE_FOR || !loop->next || !tile_ends_once(loop) || is_nested(loop))
        return;
    for (uint32_t i = 0; i < loop->result_count; i++) {
        struct tile_op *histogram = find_histogram(loop, i);
        if (!histogram)
            continue;
        keep_counters(kernel, loop, i, histogram);
        return; // the block has counters for one histogram
    }
}

void tile_tally_loops(struct tile_kernel *kernel, const struct tile_target *target)
{
    // With less shared memory, the counters might leave too little to other ops.
    if (target->shared_limit < LEAST_SHARED || tile_has_products(kernel))
        return;
    tile_walk(&kernel->body, visit, kernel);
    tile_renumber(kernel);
}
