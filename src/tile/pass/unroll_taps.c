// Unrolls short loops over the taps of a filter, whose loads move along the last axis of a tensor:
//
//     for k in 0 .. 3 { acc += w[k] * load_at(x, [r, n * BN + k - 1], [1, BN]) }
//
// With k a constant, funnel.c replaces loads that begin between two vectors.
#include "pass.h"

#include "tile/ir/words.h"
#include "tile/signature/entry.h"

enum { MOST_TURNS = 16, MOST_WORK = 2048 };

struct taps {
    struct tile_kernel *kernel;
    int64_t threads;
    bool changed, failed;
};

// True if the index is the loop's variable, or a sum or difference that contains it.
static bool follows(const struct tile_value *index, const struct tile_value *variable)
{
    const struct tile_op *op = index->op;

    if (index == variable)
        return true;
    if (!op || (op->kind != TILE_ADD && op->kind != TILE_SUB && op->kind != TILE_CAST))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (follows(op->operand[i], variable))
            return true;
    return false;
}

// True for a load of vectors that moves along the last axis by the loop's variable.
static bool is_tap(const struct tile_op *op, const struct tile_value *variable)
{
    const struct tile_type *type = op->kind == TILE_LOAD_AT ? &op->result[0]->type : NULL;
    uint32_t last = type ? tile_attribute(op, TILE_ATTR_SHAPE)->count : 0;

    return last && type->rank && !(tile_int(op, TILE_ATTR_DROPPED, 0) >> (last - 1) & 1) &&
           type->extent[type->rank - 1] * (int64_t)tile_bytes_of(type->dtype) % TILE_VECTOR_BYTES ==
               0 &&
           follows(op->operand[last], variable);
}

// Returns the elements that a thread computes in one iteration; 0 if the loop is not over taps.
static int64_t work_of(const struct taps *t, const struct tile_op *loop)
{
    const struct tile_value *variable = loop->block[0]->argument[0];
    bool taps = false;
    int64_t work = 0;

    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next) {
        if ((op->block_count && op->kind != TILE_REDUCE) || op->kind == TILE_MMA ||
            op->kind == TILE_SCAN || op->kind == TILE_SORT || op->kind == TILE_TOPK)
            return 0;
        taps |= is_tap(op, variable);
        for (uint32_t i = 0; i < op->result_count; i++)
            if (op->result[i]->type.rank)
                work += (tile_elements(&op->result[i]->type) + t->threads - 1) / t->threads;
    }
    return taps ? work : 0;
}

static void unroll(struct taps *t, struct tile_op *loop, int64_t first, int64_t step, int64_t turns)
{
    struct tile_block *body = loop->block[0];
    size_t size = (t->kernel->value_count + 1) * sizeof(struct tile_value *);
    struct tile_value **map = NULL, **carried = tile_take(t->kernel->module, size);

    t->failed |= !carried;
    for (uint32_t i = 0; i < loop->result_count && carried; i++)
        carried[i] = loop->operand[3 + i];
    for (int64_t turn = 0; turn < turns && !t->failed; turn++) {
        struct tile_value *at = tile_make_int_before(t->kernel, loop, loop->operand[0]->type.dtype,
                                                     first + turn * step);
        map = tile_take(t->kernel->module, size);
        if (!map || !at) {
            t->failed = true;
            return;
        }
        map[body->argument[0]->id] = at;
        for (uint32_t i = 0; i < loop->result_count; i++)
            map[body->argument[1 + i]->id] = carried[i];
        for (const struct tile_op *op = body->first; op != body->last; op = op->next) {
            struct tile_op *copy = tile_clone(t->kernel, op, map);
            if (!copy) {
                t->failed = true;
                return;
            }
            tile_insert_before(loop, copy);
        }
        for (uint32_t i = 0; i < loop->result_count; i++) {
            struct tile_value *next = body->last->operand[i];
            carried[i] = map[next->id] ? map[next->id] : next;
        }
    }
    for (uint32_t i = 0; i < loop->result_count && !t->failed; i++)
        tile_replace(loop->result[i], carried[i], NULL);
    tile_delete(loop);
    t->changed = true;
}

static void visit_loop(struct taps *t, struct tile_op *loop)
{
    int64_t bound[3];

    if (loop->kind != TILE_FOR || loop->block[0]->last->kind != TILE_CONTINUE)
        return;
    for (uint32_t i = 0; i < 3; i++) {
        const struct tile_op *op = loop->operand[i]->op;
        if (!op || op->kind != TILE_CONSTANT)
            return;
        bound[i] = tile_int(op, TILE_ATTR_VALUE, 0);
    }
    if (bound[1] <= bound[0] || bound[2] < 1 || bound[0] < -INT32_MAX || bound[1] > INT32_MAX)
        return;
    int64_t turns = (bound[1] - bound[0] - 1) / bound[2] + 1, work = work_of(t, loop);
    if (work && turns <= MOST_TURNS && work * turns <= MOST_WORK)
        unroll(t, loop, bound[0], bound[2], turns);
}

// Visits inner loops first.
static void visit_block(struct taps *t, struct tile_block *block)
{
    for (struct tile_op *op = block->first, *next; op && !t->failed; op = next) {
        next = op->next;
        for (uint32_t i = 0; i < op->block_count; i++)
            visit_block(t, op->block[i]);
        visit_loop(t, op);
    }
}

bool tile_unroll_taps(struct tile_kernel *kernel, uint32_t warps)
{
    struct taps t = { .kernel = kernel, .threads = 32 * (int64_t)warps };

    visit_block(&t, &kernel->body);
    if (!t.changed || t.failed)
        return false;
    tile_renumber(kernel);
    tile_simplify(kernel);
    return true;
}
