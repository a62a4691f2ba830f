// Moves reductions out of loops that accumulate them:
//
//     for .. { acc = acc + sum(x, 0) }     becomes     for .. { part = part + fold(x) }
//                                                      acc = acc + sum(part, 0)
//
// In each iteration, a thread then adds only its own elements. Threads exchange their sums once.
// The fold adds up the rows of x that one thread holds, so that `part` takes few registers. In the
// blocked layout, the numbers of such rows differ only in register bits. If a thread would still
// hold too many sums along the last axis, the fold adds up the neighbors of its vectors.
#include "pass.h"
#include "accumulation.h"

#include "tile/ir/scalar.h"
#include "tile/ir/words.h"

enum { MOST_EACH = 16, MOST_ALL = 48 }; // registers per thread for parts

struct mover {
    struct tile_kernel *kernel;
    uint32_t threads;
    bool contract; // products need not be rounded before they are added
    bool has_products;
    bool roles;       // for an entry with roles: also visit its loop with products
    bool *multiplied; // by value id: a product's operand is computed from it in registers
    bool changed;
};

// An accumulation whose reductions can move out of the loop: its op, the first reduction, and the
// value that the op combines with the carried one. Only the op uses the carried value, and only the
// end of the iteration uses the op's result.
struct chain {
    struct tile_op *op, *first;
    struct tile_value *last;
    uint32_t own; // which operand of `op` is the carried value
    bool extremum;
};

static bool find_chain(struct chain *c, struct tile_value *argument, struct tile_value *next)
{
    struct tile_op *op = next->op;

    if (!op || argument->uses != 1 || next->uses != 1 || tile_is_rounded(op) ||
        op->parent != argument->block)
        return false;
    c->extremum = op->kind == TILE_MINIMUM || op->kind == TILE_MAXIMUM;
    if (!c->extremum && op->kind != TILE_ADD)
        return false;
    enum tile_combine with = op->kind == TILE_ADD       ? TILE_WITH_SUM
                             : op->kind == TILE_MINIMUM ? TILE_WITH_MIN
                                                        : TILE_WITH_MAX;
    c->op = op;
    c->own = op->operand[0] != argument;
    if (op->operand[c->own] != argument)
        return false;
    c->first = NULL;
    c->last = op->operand[1 - c->own];
    for (const struct tile_value *x = c->last; x->op && x->uses == 1; x = x->op->operand[0]) {
        struct tile_op *step = x->op;
        if (!c->first && (step->kind == TILE_RESHAPE || (c->extremum && tile_is_widening(step))))
            continue; // a reshape after the reductions, or a cast of their result (widen.c)
        if (step->kind != TILE_REDUCE || step->parent != op->parent || tile_is_rounded(step) ||
            tile_int(step, TILE_ATTR_WITH, TILE_WITH_SUM) != (int64_t)with ||
            (c->extremum && tile_int(step, TILE_ATTR_NAN, 0) != tile_int(op, TILE_ATTR_NAN, 0)))
            break;
        c->first = step;
    }
    // Sums of f16 and bf16 are rounded once per iteration, so they stay in the loop.
    return c->first && (c->extremum || tile_bytes_of(argument->type.dtype) >= 4 ||
                        tile_is_integer(argument->type.dtype));
}

static void narrowest(struct tile_op *op, void *data)
{
    uint32_t *bytes = data;

    if (tile_op_infos[op->kind].traits & TILE_MOVES && op->result_count &&
        op->result[0]->type.rank && tile_bytes_of(op->result[0]->type.dtype) < *bytes)
        *bytes = tile_bytes_of(op->result[0]->type.dtype);
}

static uint32_t log2_of(int64_t x)
{
    return 63 - (uint32_t)__builtin_clzll((uint64_t)x);
}

// Returns the number of parts along the reduced axis that lie in one thread's registers; 1 means no
// split.
static int32_t fold_of(const struct mover *m, const struct chain *c, uint32_t vector)
{
    const struct tile_type *type = &c->first->operand[0]->type;
    uint32_t axis = (uint32_t)tile_int(c->first, TILE_ATTR_AXIS, 0), low = 0;

    if (type->rank == TILE_MAX_RANK)
        return 1;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->extent[i] & (type->extent[i] - 1))
            return 1; // a reshape would move elements between threads
    for (uint32_t i = axis + 1; i < type->rank; i++)
        low += log2_of(type->extent[i]);
    uint32_t high = low + log2_of(type->extent[axis]);
    // In the blocked layout, the lowest coordinate bits belong to the threads and their vectors.
    uint32_t held = log2_of((int64_t)m->threads * vector);
    if (low < held)
        low = held;
    return low < high ? INT32_C(1) << (high - low) : 1;
}

// True if vectors of so many neighbors lie along the reduced axis.
static bool folds_neighbors(const struct chain *c, int32_t vector)
{
    const struct tile_type *type = &c->first->operand[0]->type;
    uint32_t axis = (uint32_t)tile_int(c->first, TILE_ATTR_AXIS, 0);

    for (uint32_t i = 0; i < type->rank; i++)
        if (type->extent[i] & (type->extent[i] - 1))
            return false;
    return type->rank < TILE_MAX_RANK && axis + 1 == type->rank && type->extent[axis] > vector;
}

// Returns the number of registers in which a thread would carry the elements that a chain reduces.
static int64_t held_of(const struct mover *m, const struct chain *c)
{
    const struct tile_type *type = &c->first->operand[0]->type;
    int64_t each = (tile_elements(type) + m->threads - 1) / m->threads;

    return each * (tile_bytes_of(c->op->result[0]->type.dtype) > 4 ? 2 : 1);
}

static struct tile_value *reshaped(struct mover *m, struct tile_op *place, struct tile_value *x,
                                   const struct tile_type *type)
{
    return tile_make_before(m->kernel, place, TILE_RESHAPE, type, 1, &x);
}

// Returns the product that is added up, if it may be added without rounding. NULL for anything
// else.
static struct tile_op *product_of(const struct mover *m, const struct chain *c)
{
    struct tile_op *op = c->first->operand[0]->op;
    cuc_dtype dtype = c->first->operand[0]->type.dtype;

    return m->contract && !c->extremum && op && op->kind == TILE_MUL && !tile_is_rounded(op) &&
                   (dtype == CUC_F32 || dtype == CUC_F64)
               ? op
               : NULL;
}

// Casts the folded tile if the loop carries a wider type than it reduces.
static struct tile_value *widened(struct mover *m, const struct chain *c, struct tile_value *x,
                                  const struct tile_type *to)
{
    return x && x->type.dtype != to->dtype
               ? tile_make_before(m->kernel, c->op, TILE_CAST, to, 1, &x)
               : x;
}

// A division of the reduced axis into `parts` parts of consecutive elements, or into groups
// of `neighbors` elements. The fold reduces the parts to one, or each group to one element.
struct fold {
    int32_t parts, neighbors; // one of them is 1
};

// Folds a tile along an axis, to the type `to`.
static struct tile_value *folded(struct mover *m, const struct chain *c, struct fold f,
                                 const struct tile_type *to)
{
    struct tile_value *x = c->first->operand[0];
    struct tile_type narrow = *to, split, one;
    uint32_t axis = (uint32_t)tile_int(c->first, TILE_ATTR_AXIS, 0);
    uint32_t reduced = f.neighbors > 1 ? axis + 1 : axis;

    narrow.dtype = x->type.dtype;
    split = narrow;
    if (f.parts == 1 && f.neighbors == 1)
        return widened(m, c, x, to);
    for (uint32_t i = split.rank; i > reduced; i--)
        split.extent[i] = split.extent[i - 1];
    split.rank++;
    split.extent[reduced] = f.parts * f.neighbors;
    one = split;
    one.extent[reduced] = 1;
    const struct tile_op *product = product_of(m, c);
    if (product) { // keep the product as the reduction's operand
        struct tile_value *factor[2];
        for (uint32_t i = 0; i < 2; i++)
            factor[i] = reshaped(m, c->op, product->operand[i], &split);
        x = tile_make_before(m->kernel, c->op, TILE_MUL, &split, 2, factor);
    } else {
        x = reshaped(m, c->op, x, &split);
    }
    x = tile_make_before(m->kernel, c->op, TILE_REDUCE, &one, 1, &x);
    if (!x)
        return NULL;
    for (uint32_t i = 0; i < c->first->attribute_count; i++) {
        struct tile_attribute attribute = c->first->attribute[i];
        if (attribute.key == TILE_ATTR_AXIS)
            attribute.i = reduced;
        tile_set(m->kernel, x->op, attribute);
    }
    return widened(m, c, reshaped(m, c->op, x, &narrow), to);
}

// Returns the initial value of the parts. For an extremum, all parts start with the accumulator's
// initial value, which may be counted several times. For a sum, they start with zero: -0 for
// floats, because x + -0 is x.
static struct tile_value *initial(struct mover *m, const struct chain *c, struct tile_op *loop,
                                  struct tile_value *from, const struct tile_type *to)
{
    struct tile_type kept = *to;

    if (!c->extremum)
        from = tile_is_float(to->dtype) ? tile_make_real_before(m->kernel, loop, to->dtype, -0.0)
                                        : tile_make_int_before(m->kernel, loop, to->dtype, 0);
    else if (from->type.rank) { // reshape to the shape that the reductions leave
        const struct tile_value *x = c->last;
        while (x->op->kind != TILE_REDUCE)
            x = x->op->operand[0];
        kept = x->type;
        kept.dtype = to->dtype;
        from = reshaped(m, loop, from, &kept);
    }
    return tile_make_before(m->kernel, loop, TILE_BROADCAST, to, 1, &from);
}

// Applies the reductions of a chain, and the reshapes after them, to the parts, in the parts'
// dtype.
static struct tile_value *finished(struct mover *m, const struct chain *c, struct tile_op *place,
                                   struct tile_value *x, const struct tile_value *last)
{
    const struct tile_op *from = last->op;
    struct tile_value *in = from == c->first ? x : finished(m, c, place, x, from->operand[0]);
    struct tile_type type = last->type;

    if (from->kind == TILE_CAST)
        return in;
    type.dtype = x->type.dtype;
    struct tile_value *out = tile_make_before(m->kernel, place, from->kind, &type, 1, &in);
    for (uint32_t i = 0; out && i < from->attribute_count; i++)
        tile_set(m->kernel, out->op, from->attribute[i]);
    if (out)
        out->op->where = from->where;
    return out;
}

static void move_out(struct mover *m, struct tile_op *loop, uint32_t index, const struct chain *c,
                     struct fold f)
{
    struct tile_value *argument = loop->block[0]->argument[1 + index], *kept = loop->result[index];
    struct tile_value *before = loop->operand[3 + index];
    struct tile_type part = c->first->operand[0]->type, type = argument->type;

    part.dtype = argument->type.dtype;
    part.extent[tile_int(c->first, TILE_ATTR_AXIS, 0)] /= f.parts * f.neighbors;
    struct tile_value *start = initial(m, c, loop, before, &part);
    struct tile_value *fold = folded(m, c, f, &part);
    const struct tile_op *product = f.parts * f.neighbors == 1 ? product_of(m, c) : NULL;
    struct tile_value *next =
        product ? tile_make_before(
                      m->kernel, c->op, TILE_FMA, &part, 3,
                      (struct tile_value *[]){ product->operand[0], product->operand[1], argument })
                : tile_make_before(m->kernel, c->op, c->op->kind, &part, 2,
                                   (struct tile_value *[]){ argument, fold });
    struct tile_value *sum = finished(m, c, loop->next, kept, c->last);
    if (start && next && sum && !c->extremum)
        sum = tile_make_before(m->kernel, sum->op->next, c->op->kind, &type, 2,
                               (struct tile_value *[]){ before, sum });
    if (!start || !next || !sum)
        return;
    for (uint32_t i = 0; i < c->op->attribute_count; i++)
        tile_set(m->kernel, next->op, c->op->attribute[i]);
    sum->name = kept->name;
    tile_replace(kept, sum, loop->next); // the first of the new reductions still reads `kept`
    tile_set_operand(loop, 3 + index, start);
    tile_set_operand(loop->block[0]->last, index, next);
    argument->type = kept->type = part;
    tile_delete(c->op);
    for (struct tile_op *op = c->last->op, *before_it; op && !op->result[0]->uses; op = before_it) {
        before_it = op == c->first ? NULL : op->operand[0]->op;
        tile_delete(op);
    }
    m->changed = true;
}

// Marks what an iteration computes a product's operands from.
static void mark_multiplied(struct mover *m, const struct tile_op *loop, const struct tile_value *x)
{
    if (!x->op || !tile_is_within(x->op, loop->block[0]) || !x->type.rank || m->multiplied[x->id])
        return;
    m->multiplied[x->id] = true;
    for (uint32_t i = 0; i < x->op->operand_count; i++)
        mark_multiplied(m, loop, x->op->operand[i]);
}

static bool find_multiplied(struct mover *m, const struct tile_op *loop)
{
    m->multiplied = tile_take(m->kernel->module, m->kernel->value_count + 1);
    for (const struct tile_op *op = loop->block[0]->first; m->multiplied && op; op = op->next)
        for (uint32_t i = 0; i < 2 && op->kind == TILE_MMA; i++)
            mark_multiplied(m, loop, op->operand[i]);
    return m->multiplied;
}

// True for a value that an iteration computes from loads, element by element, which products do not
// use. Operands in registers, and accumulators, lie in other layouts, in which a fold would
// exchange elements.
static bool is_of_loads(const struct mover *m, const struct tile_op *loop,
                        const struct tile_value *x)
{
    const struct tile_op *op = x->op;

    if (!op || !tile_is_within(op, loop->block[0]) || !x->type.rank)
        return true;
    if (tile_op_infos[op->kind].traits & TILE_READS)
        return op->parent == loop->block[0] && !m->multiplied[x->id];
    if (!(tile_op_infos[op->kind].traits & TILE_ELEMENTWISE) && op->kind != TILE_BROADCAST &&
        op->kind != TILE_RESHAPE)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_of_loads(m, loop, op->operand[i]))
            return false;
    return true;
}

static void visit(struct tile_op *loop, void *data)
{
    struct mover *m = data;
    uint32_t bytes = 16, all = 0;
    bool multiplies = m->has_products && tile_is_beside_product(loop);

    if (loop->kind != TILE_FOR || !loop->next || !loop->result_count || !tile_loads(loop) ||
        !tile_ends_once(loop) || (multiplies && (!m->roles || !find_multiplied(m, loop))))
        return;
    tile_walk(loop->block[0], narrowest, &bytes);
    for (uint32_t i = 0; i < loop->result_count; i++) {
        struct chain c;
        if (!find_chain(&c, loop->block[0]->argument[1 + i], loop->block[0]->last->operand[i]) ||
            (multiplies && !is_of_loads(m, loop, c.first->operand[0])))
            continue;
        int32_t vector = bytes < 16 ? 16 / (int32_t)bytes : 1;
        struct fold f = { fold_of(m, &c, (uint32_t)vector), 1 };
        int64_t each = held_of(m, &c) / f.parts;
        if (each > MOST_EACH && f.parts == 1 && folds_neighbors(&c, vector)) {
            f.neighbors = vector;
            each /= vector;
        }
        if (each > MOST_EACH || all + each > MOST_ALL)
            continue;
        all += (uint32_t)each;
        move_out(m, loop, i, &c, f);
    }
}

bool tile_reduce_after_loops(struct tile_kernel *kernel, uint32_t warps, bool contract, bool roles)
{
    struct mover m = { .kernel = kernel,
                       .threads = 32 * warps,
                       .contract = contract,
                       .has_products = tile_has_products(kernel),
                       .roles = roles };

    tile_walk(&kernel->body, visit, &m);
    if (!m.changed)
        return false;
    tile_renumber(kernel);
    tile_simplify(kernel);
    return true;
}
