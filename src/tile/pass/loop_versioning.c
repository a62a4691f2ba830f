// Loop versioning (fused.h): duplicates an iteration's work. One version serves iterations that
// mask no element and scale scores by a positive factor; the other serves all other iterations. The
// first version has no masks, it multiplies once by factors that follow one another, and it takes
// the maximum before it scales, which leaves one multiply-add per element. A comparison of scalars,
// equal in all threads, selects the version.
//
// A mask compares sums of indices and scalars. Its bounds are scalars, computed from the bounds of
// its operands.
#include "loop_versioning.h"

#include "fused.h"

#include "tile/ir/scalar.h"

bool tile_is_work(const struct tile_versioning *v, const struct tile_value *value)
{
    return value->id < v->capacity && v->work[value->id];
}

// ---- Scalars

struct tile_value *tile_version_scalar(struct tile_versioning *v, enum tile_op_kind kind,
                                       cuc_dtype result, struct tile_value *x, struct tile_value *y)
{
    struct tile_type type = tile_scalar(result);

    return tile_make_before(v->kernel, v->place, kind, &type, 2, (struct tile_value *[]){ x, y });
}

static struct tile_value *number(struct tile_versioning *v, int64_t value)
{
    return tile_make_int_before(v->kernel, v->place, CUC_I64, value);
}

void tile_require(struct tile_versioning *v, struct tile_value *condition)
{
    v->holds = v->holds ? tile_version_scalar(v, TILE_AND, CUC_BOOL, v->holds, condition)
                        : condition;
}

// ---- Masks

// True for an iota along the rows of a matrix product's tile. Warp w holds the 16 rows from row 16
// w on.
static bool counts_rows(const struct tile_versioning *v, const struct tile_value *x)
{
    const struct tile_op *op = x->op;

    if (!v->rows || x->type.rank != 2 || x->type.extent[0] != v->rows || x->type.extent[1] != 1)
        return false;
    while (op && (op->kind == TILE_CAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    return op && op->kind == TILE_IOTA && op->result[0]->type.extent[0] == v->rows;
}

static struct tile_value *row_of_warp(struct tile_versioning *v, bool last)
{
    enum { ROWS_OF_WARP = 16 };
    struct tile_type type = tile_scalar(CUC_I64);
    struct tile_value *warp = tile_make_before(v->kernel, v->place, TILE_WARP, &type, 0, NULL);
    struct tile_value *first =
        tile_version_scalar(v, TILE_MUL, CUC_I64, warp, number(v, ROWS_OF_WARP));

    return last ? tile_version_scalar(v, TILE_ADD, CUC_I64, first, number(v, v->span)) : first;
}

// Returns the smallest or largest element of an i64 tile, or NULL if unknown. The i64 sums add
// indices and extents, which are far from overflow.
static struct tile_value *bound(struct tile_versioning *v, struct tile_value *x, bool most)
{
    struct tile_op *op = x->op;
    struct tile_value *left, *right;

    if (!x->type.rank)
        return x->type.dtype == CUC_I64 ? x : NULL;
    if (!op)
        return NULL;
    if (x->type.dtype == CUC_I64 && counts_rows(v, x))
        return row_of_warp(v, most);
    uint32_t traits = tile_op_infos[op->kind].traits;
    if (traits & TILE_REARRANGES)
        return bound(v, op->operand[0], most);
    if (x->type.dtype != CUC_I64)
        return NULL;
    if (traits & TILE_MONOTONIC) {
        left = bound(v, op->operand[0], most == ((traits & TILE_RISES_X) != 0));
        right = bound(v, op->operand[1], most == ((traits & TILE_RISES_Y) != 0));
        return tile_version_scalar(v, op->kind, CUC_I64, left, right);
    }
    struct tile_value *from = op->kind == TILE_CAST ? op->operand[0] : x;
    while (from->op && (from->op->kind == TILE_BROADCAST || from->op->kind == TILE_RESHAPE))
        from = from->op->operand[0];
    if (!from->op || from->op->kind != TILE_IOTA)
        return NULL;
    return number(v, most ? from->type.extent[0] - 1 : 0);
}

// Returns a scalar that is true if all elements of a mask are true, or NULL if unknown.
static struct tile_value *all_of(struct tile_versioning *v, struct tile_value *mask)
{
    struct tile_op *op = mask->op;
    struct tile_value *left, *right;

    if (!mask->type.rank)
        return mask;
    if (!op)
        return NULL;
    uint32_t traits = tile_op_infos[op->kind].traits;
    if (traits & TILE_REARRANGES)
        return all_of(v, op->operand[0]);
    if (op->kind == TILE_AND) {
        left = all_of(v, op->operand[0]);
        right = all_of(v, op->operand[1]);
        return tile_version_scalar(v, TILE_AND, CUC_BOOL, left, right);
    }
    if (!(traits & TILE_MONOTONIC))
        return NULL;
    // A comparison holds for all elements if it holds for the bounds that are hardest to satisfy.
    left = bound(v, op->operand[0], !(traits & TILE_RISES_X));
    right = bound(v, op->operand[1], !(traits & TILE_RISES_Y));
    return tile_version_scalar(v, op->kind, CUC_BOOL, left, right);
}

// ---- Arms

struct tile_value *tile_versioned(const struct tile_versioning *v, struct tile_value *value)
{
    return value->id < v->capacity && v->map[value->id] ? v->map[value->id] : value;
}

static void add_plain(struct tile_versioning *v, struct tile_block *block, const struct tile_op *op,
                      bool *simpler)
{
    if (op->kind == TILE_WHERE) {
        struct tile_value *all = all_of(v, op->operand[0]);
        if (all) {
            tile_require(v, all);
            v->map[op->result[0]->id] = tile_versioned(v, op->operand[1]);
            tile_reassociate_same(v, op->result[0], op->operand[1]);
            *simpler = true;
            return;
        }
    }
    if (tile_reassociate(v, block, op, simpler))
        return;
    struct tile_op *copy = tile_clone(v->kernel, op, v->map);
    if (copy)
        tile_append(block, copy);
    else
        v->failed = true;
}

// ---- The work to duplicate

static bool is_made_of(const struct tile_op *op, const struct tile_value *value, const bool *of)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i] == value || of[op->operand[i]->id])
            return true;
    return false;
}

static const struct tile_value *carried_by(const struct tile_op *loop, const struct tile_op *mma)
{
    const struct tile_op *end = loop->block[0]->last;

    for (uint32_t i = 0; i < end->operand_count; i++)
        if (end->operand[i] == mma->result[0])
            return loop->block[0]->argument[1 + i];
    return NULL;
}

static bool is_fed(const struct tile_fused *p, const struct tile_op *op)
{
    while (op->kind == TILE_PERMUTE && op->operand[0]->op)
        op = op->operand[0]->op;
    return tile_feed_of(p, op);
}

// Marks the values from which all products but the last are computed, including their initial
// accumulators. They must be computed before the work (see find_work()).
static void find_early(const struct tile_fused *p, bool *early)
{
    const struct tile_op *last = p->product[p->products - 1].mma;

    for (const struct tile_op *op = last->parent->last; op; op = op->previous) {
        bool is_early = op->kind == TILE_MMA && op != last;
        for (uint32_t i = 0; i < op->result_count; i++)
            is_early |= early[op->result[i]->id];
        for (uint32_t i = 0; is_early && i < op->operand_count; i++)
            early[op->operand[i]->id] = true;
    }
}

// Finds the work: tiles computed from the first products and from carried values. Excludes the last
// product's accumulator and values that only form the last product's operand a.
static uint32_t find_work(struct tile_versioning *v, const struct tile_fused *p, bool *late,
                          const bool *early)
{
    const struct tile_op *last = p->product[p->products - 1].mma, *loop = p->base.loop;
    const struct tile_value *acc = carried_by(loop, last);
    uint32_t count = 0;

    for (const struct tile_op *op = loop->block[0]->first; op != loop->block[0]->last;
         op = op->next) {
        if (op->result_count != 1 || op->kind == TILE_MMA || is_fed(p, op) ||
            early[op->result[0]->id] || p->base.rows[op->result[0]->id])
            continue;
        if (acc && is_made_of(op, acc, late)) {
            late[op->result[0]->id] = true;
            continue;
        }
        if (!op->result[0]->type.rank || op->block_count ||
            !(tile_op_infos[op->kind].traits & TILE_PURE) || tile_fused_forms_left(last, op))
            continue;
        v->work[op->result[0]->id] = true;
        count++;
    }
    return count;
}

static bool is_used_outside(const struct tile_versioning *v, const struct tile_value *value)
{
    for (const struct tile_use *use = value->use; use; use = use->next)
        if (use->user->result_count != 1 || !tile_is_work(v, use->user->result[0]))
            return true;
    return false;
}

static struct tile_op *end_arm(struct tile_versioning *v, struct tile_block *block, uint32_t count)
{
    struct tile_op *yield = tile_op_create(v->kernel, TILE_YIELD, count, 0, 0);

    if (!yield) {
        v->failed = true;
        return NULL;
    }
    yield->where = v->place->where;
    tile_append(block, yield);
    return yield;
}

// True if an op, or an op in one of its blocks, uses a result of the work.
static bool uses_work(const struct tile_versioning *v, const struct tile_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (tile_is_work(v, op->operand[i]))
            return true;
    for (uint32_t i = 0; i < op->block_count; i++)
        for (const struct tile_op *own = op->block[i]->first; own; own = own->next)
            if (uses_work(v, own))
                return true;
    return false;
}

// Finds the op before which all the work can be placed: the first op outside the work that uses one
// of its results. Later ops no longer count as work.
static struct tile_op *find_place(const struct tile_versioning *v, const struct tile_block *body)
{
    struct tile_op *place = body->first;

    while (place != body->last && (!uses_work(v, place) ||
                                   (place->result_count == 1 && tile_is_work(v, place->result[0]))))
        place = place->next;
    for (const struct tile_op *op = place; op; op = op->next)
        if (op->result_count == 1)
            v->work[op->result[0]->id] = false;
    return place;
}

void tile_version_loop(struct tile_kernel *kernel, const struct tile_fused *p, bool by_warps)
{
    enum { MOST_YIELDED = 16 };
    size_t capacity = kernel->value_count + 1;
    struct tile_block *body = p->base.loop->block[0];
    bool *late = tile_take(kernel->module, capacity * sizeof(*late));
    bool *early = tile_take(kernel->module, capacity * sizeof(*early));
    struct tile_versioning v = { .kernel = kernel,
                                 .map = tile_take(kernel->module,
                                                  capacity * sizeof(struct tile_value *)),
                                 .work = tile_take(kernel->module, capacity * sizeof(bool)),
                                 .capacity = (uint32_t)capacity,
                                 .rows = by_warps ? p->base.mma->result[0]->type.extent[0] : 0,
                                 .span = (int64_t)p->base.groups * 64 * (p->base.blocks - 1) + 15 };
    struct tile_value **with_masks = tile_take(kernel->module, capacity * sizeof(*with_masks));
    struct tile_value *yielded[MOST_YIELDED];
    uint32_t count = 0;
    bool simpler = false;

    if (!p->overlaps || p->products - p->early > 1 || !late || !early || !v.map || !v.work ||
        !tile_take_forms(&v) || !with_masks)
        return;
    find_early(p, early);
    if (!find_work(&v, p, late, early) || !(v.place = find_place(&v, body)))
        return;
    for (struct tile_op *op = body->first; op != v.place; op = op->next)
        if (op->result_count == 1 && tile_is_work(&v, op->result[0]) &&
            is_used_outside(&v, op->result[0])) {
            if (count == MOST_YIELDED)
                return;
            yielded[count++] = op->result[0];
        }
    struct tile_op *choice = tile_op_create(kernel, TILE_IF, 1, count, 2);
    for (uint32_t i = 0; choice && i < 2; i++)
        if (!(choice->block[i] = tile_block_create(kernel, choice, 0)))
            choice = NULL;
    if (!choice)
        return;
    choice->where = v.place->where;
    for (const struct tile_op *op = body->first; op != v.place; op = op->next) {
        if (op->result_count != 1 || !tile_is_work(&v, op->result[0]))
            continue;
        struct tile_op *copy = tile_clone(kernel, op, with_masks);
        if (!copy)
            return;
        tile_append(choice->block[1], copy);
        add_plain(&v, choice->block[0], op, &simpler);
    }
    struct tile_op *ends[2];
    for (uint32_t i = 0; i < 2; i++)
        ends[i] = end_arm(&v, choice->block[i], count);
    if (!simpler || v.failed || !v.holds) {
        tile_delete(choice);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        tile_set_operand(ends[0], i, tile_versioned(&v, yielded[i]));
        tile_set_operand(ends[1], i, with_masks[yielded[i]->id]);
        struct tile_value *result = tile_result_create(kernel, choice, i, &yielded[i]->type);
        if (!result)
            return;
        result->name = yielded[i]->name;
        tile_replace(yielded[i], result, NULL);
    }
    tile_set_operand(choice, 0, v.holds);
    tile_insert_before(v.place, choice);
    for (struct tile_op *op = body->first, *next; op != choice; op = next) {
        next = op->next;
        if (op->result_count == 1 && tile_is_work(&v, op->result[0]))
            tile_delete(op);
    }
    tile_renumber(kernel);
    tile_simplify(kernel);
}
