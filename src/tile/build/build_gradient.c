// Differentiates a computation in reverse: walks back from a result over the ops that compute it,
// and builds ops that pass the gradient on to their operands. The new ops are ordinary ones, so no
// later pass, printer or interpreter knows gradients.
//
// Ids of values rise in the order of creation, so falling ids visit each value after all its users.
#include "build.h"

#include "infer.h"
#include "tile/ir/budget.h"
#include "tile/pass/pass.h"

// A differentiation: d result / d wanted, or with respect to the elements of a tensor that `index`
// selects.
struct chain {
    struct tile_builder *b;
    struct tile_value **value;    // by id: the values that the result depends on, or NULL
    struct tile_value **gradient; // by id: the gradient of a value so far, or NULL
    bool *on_path;                // by id: depends on what is wanted
    struct tile_value *wanted;
    struct tile_value *tensor, *const *index; // NULL: a value is wanted
    bool each;    // gradients keep the dtype and the shape of the result, and are not summed
    bool nothing; // the last derivative passes nothing
};

// ---- Derivatives

// Shorthand for the expressions in derivatives.def. `b` is the builder.
#define real(number) tile_of_real(number)
#define call(kind, x) tile_of(tile_build_unary(b, kind, x))
#define binary(kind, x, y) tile_of(tile_build_binary(b, kind, x, y, false))
#define neg(x) call(TILE_NEG, x)
#define add(x, y) binary(TILE_ADD, x, y)
#define sub(x, y) binary(TILE_SUB, x, y)
#define mul(x, y) binary(TILE_MUL, x, y)
#define divide(x, y) binary(TILE_DIV, x, y)
#define gt(x, y) binary(TILE_GT, x, y)
#define equal(x, y) binary(TILE_EQ, x, y)
#define where(c, x, y) tile_of(tile_build_where(b, (c).value, x, y))
#define sign(x) \
    binary(TILE_COPYSIGN, tile_of(tile_build_cast(b, real(1), (x).value->type.dtype, TILE_RN)), x)
#define cast(d, x) (c->each ? d : tile_of(tile_build_cast(b, d, (x).value->type.dtype, TILE_RN)))
#define summed(d, x) (c->each ? d : tile_of(sum_to(b, (d).value, &(x).value->type)))
#define reshaped(d, x) (c->each ? d : tile_of(reshape_to(b, (d).value, &(x).value->type)))
#define permuted(d, op) tile_of(permute_back(b, (d).value, op))
#define NO (c->nothing = true, tile_of(NULL))

static struct tile_value *reshape_to(struct tile_builder *b, struct tile_value *d,
                                     const struct tile_type *type)
{
    int64_t extent[TILE_MAX_RANK];

    for (uint32_t i = 0; i < type->rank; i++)
        extent[i] = type->extent[i];
    return tile_build_reshape(b, d, type->rank, extent);
}

// Adds up the elements of `d` that a broadcast copied from one element of `type`.
static struct tile_value *sum_to(struct tile_builder *b, struct tile_value *d,
                                 const struct tile_type *type)
{
    int64_t axes[TILE_MAX_RANK];
    uint32_t count = 0;

    if (!d)
        return NULL;
    for (uint32_t i = 0; i < d->type.rank; i++) {
        uint32_t from_last = d->type.rank - i;
        if (d->type.extent[i] > 1 &&
            (from_last > type->rank || type->extent[type->rank - from_last] == 1))
            axes[count++] = i;
    }
    if (count)
        d = tile_build_reduce(b, TILE_WITH_SUM, d, count, axes, false,
                              (struct tile_rounding){ TILE_RN, false });
    return reshape_to(b, d, type);
}

static struct tile_value *permute_back(struct tile_builder *b, struct tile_value *d,
                                       const struct tile_op *op)
{
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    int64_t inverse[TILE_MAX_RANK];

    for (uint32_t i = 0; i < axes->count; i++)
        inverse[axes->ints[i]] = i;
    return tile_build_permute(b, d, axes->count, inverse);
}

static bool has_derivative(enum tile_op_kind kind)
{
    switch (kind) {
#define DERIVATIVE(id, ...) case TILE_##id:
#include "derivatives.def"
        return true;
    default:
        return false;
    }
}

// Builds the gradient that operand i of `op` gets from the gradient `of_result`. Returns NULL if
// nothing passes, or after an error.
static struct tile_value *differentiate(struct chain *c, const struct tile_op *op, uint32_t i,
                                        struct tile_value *of_result)
{
    struct tile_builder *b = c->b;
    const struct tile_operand x = tile_of(op->operand[0]), r = tile_of(op->result[0]),
                              d = tile_of(of_result);
    const struct tile_operand y = tile_of(op->operand_count > 1 ? op->operand[1] : NULL);

    switch (op->kind) {
#define DERIVATIVE(id, of_x, of_y, of_z) \
    case TILE_##id:                      \
        return (i == 0 ? (of_x) : i == 1 ? (of_y) : (of_z)).value;
#include "derivatives.def"
    default:
        return NULL;
    }
}

// ---- Reads of a tensor

// Strips what changes the shape or the width of an index, but not its value.
static struct tile_value *plain_index(struct tile_value *x)
{
    while (x->op) {
        struct tile_value *from = x->op->operand_count ? x->op->operand[0] : NULL;
        bool wider = x->op->kind == TILE_CAST && tile_is_integer(from->type.dtype) &&
                     tile_bytes_of(x->type.dtype) >= tile_bytes_of(from->type.dtype);
        bool one = x->op->kind == TILE_RESHAPE && tile_elements(&x->type) == 1;
        if (!wider && !one && x->op->kind != TILE_BROADCAST)
            break;
        x = from;
    }
    return x;
}

static bool same_index(struct tile_value *x, struct tile_value *y)
{
    const struct tile_value *a = plain_index(x), *z = plain_index(y);

    return a == z || (a->op && z->op && tile_op_infos[a->op->kind].traits & TILE_PURE &&
                      tile_same_op(a->op, z->op));
}

// Returns the tensor of which x is a part.
static const struct tile_value *whole(const struct tile_value *x)
{
    while (x->op && x->op->kind == TILE_SLICE)
        x = x->op->operand[0];
    return x;
}

// True if an op reads exactly the elements that the chain's indices select.
static bool reads_wanted(const struct chain *c, const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    bool element = op->kind == TILE_GATHER;

    if (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT) {
        element = true;
        for (uint32_t i = 0; i < shape->count; i++)
            element &= shape->ints[i] == 1;
    }
    for (uint32_t i = 0; element && i < c->tensor->type.rank; i++)
        element = same_index(op->operand[1 + i], c->index[i]);
    return element && op->operand[0] == c->tensor;
}

// Adds the gradient of a read to that of the elements, which the mask's other elements do not get.
static struct tile_value *of_elements(struct chain *c, const struct tile_op *op,
                                      struct tile_value *d)
{
    if (tile_int(op, TILE_ATTR_MASKED, 0))
        d = tile_build_where(c->b, op->operand[1 + c->tensor->type.rank], tile_of(d),
                             tile_of_real(0));
    return c->each ? d : sum_to(c->b, d, &c->wanted->type);
}

// ---- The walk

static bool is_float_tile(const struct tile_value *x)
{
    return !x->type.tensor && tile_is_float(x->type.dtype);
}

// Gradients that keep the result's shape pass only ops that keep the axes.
static bool is_differentiable(const struct chain *c, const struct tile_op *op)
{
    bool moves = op->kind == TILE_PERMUTE ||
                 (op->kind == TILE_RESHAPE && tile_elements(&op->result[0]->type) > 1);

    return has_derivative(op->kind) && !(c->each && moves);
}

static bool refuse(struct chain *c, const struct tile_location *where, const char *what)
{
    tile_error(c->b->module, TILE_T111, *where, "%s: %s has no derivative",
               c->b->op ? c->b->op : "gradient", what);
    return false;
}

// True if an operand may carry the bits of floats to an op's result: as a float, or in an integer
// or an 8-bit float, which mark() refuses. A cast to an integer has no gradient.
static bool may_carry(const struct tile_op *op, const struct tile_value *operand)
{
    const struct tile_value *result = op->result_count ? op->result[0] : operand;

    if (!is_float_tile(operand))
        return !operand->type.tensor && operand->type.dtype != CUC_BOOL;
    return is_float_tile(result) || tile_is_restricted(result->type.dtype) ||
           op->kind == TILE_BITCAST || op->block_count;
}

// Collects the values on which the result depends. Memory carries no gradient.
static void collect(struct chain *c, struct tile_value *result)
{
    c->value[result->id] = result;
    for (uint32_t id = result->id + 1; id-- > 0;) {
        const struct tile_op *op = c->value[id] ? c->value[id]->op : NULL;
        if (c->value[id] == c->wanted)
            continue;
        for (uint32_t i = 0; op && i < op->operand_count; i++)
            if (may_carry(op, op->operand[i]))
                c->value[op->operand[i]->id] = op->operand[i];
    }
}

// True for a value of which it is unknown whether it depends on what is wanted: one that a loop
// carries, and the result of a loop or of an if.
static bool is_unclear(const struct chain *c, const struct tile_value *x)
{
    const struct tile_value *w = c->tensor ? NULL : c->wanted;

    if (x->op)
        return x->op->block_count && x->op->kind != TILE_REDUCE && x->op->kind != TILE_SCAN &&
               !(w && w->id > x->id);
    return x->block && !(w && w->op && tile_is_within(w->op, x->block)) &&
           !(w && w->block == x->block);
}

// Marks the values that lie between what is wanted and the result.
static bool mark(struct chain *c, uint32_t count)
{
    for (uint32_t id = 0; id < count; id++) {
        const struct tile_value *x = c->value[id];
        if (!x)
            continue;
        if (x == c->wanted) {
            c->on_path[id] = true;
            continue;
        }
        const struct tile_op *op = x->op;
        if (is_float_tile(x) && is_unclear(c, x))
            return refuse(c, op ? &op->where : &c->b->where,
                          op ? tile_op_word(op) : "a value that a loop carries");
        if (!op)
            continue;
        bool reads = c->tensor && (tile_op_infos[op->kind].traits & TILE_READS) &&
                     whole(op->operand[0]) == whole(c->tensor);
        if (reads && !reads_wanted(c, op)) {
            tile_error(
                c->b->module, TILE_T305, op->where,
                "%s: %s reads other elements of the tensor than the given indices select: give "
                "the indices at which it reads, or read the others from another parameter",
                c->b->op, tile_op_word(op));
            return false;
        }
        c->on_path[id] = reads;
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (is_float_tile(op->operand[i]) && c->on_path[op->operand[i]->id]) {
                if (!is_differentiable(c, op))
                    return refuse(c, &op->where, tile_op_word(op));
                if (tile_is_restricted(x->type.dtype))
                    return refuse(c, &op->where, "a cast to a float of 8 bits or tf32");
                c->on_path[id] = true;
            }
    }
    return true;
}

static bool add_to(struct chain *c, const struct tile_value *x, struct tile_value *d)
{
    struct tile_value **sum = &c->gradient[x->id];

    if (d)
        *sum = *sum ? tile_build_binary(c->b, TILE_ADD, tile_of(*sum), tile_of(d), false) : d;
    return d && *sum;
}

static bool walk(struct chain *c, uint32_t count)
{
    for (uint32_t id = count; id-- > 0;) {
        const struct tile_value *x = c->value[id];
        if (!x || !c->on_path[id] || !c->gradient[id] || x == c->wanted)
            continue;
        const struct tile_op *op = x->op;
        if (!has_derivative(op->kind)) { // a read
            if (!add_to(c, c->wanted, of_elements(c, op, c->gradient[id])))
                return false;
            continue;
        }
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const struct tile_value *operand = op->operand[i];
            if (!is_float_tile(operand) || !c->on_path[operand->id])
                continue;
            c->nothing = false;
            struct tile_value *d = differentiate(c, op, i, c->gradient[id]);
            if (!c->nothing && !add_to(c, operand, d))
                return false;
        }
    }
    return true;
}

// Builds the gradient that the result begins with: `d`, in the result's type.
static struct tile_value *seed(struct tile_builder *b, struct tile_value *result,
                               struct tile_operand d)
{
    int64_t extent[TILE_MAX_RANK];
    cuc_dtype dtype = result->type.dtype;

    if (!d.loose && d.value &&
        (d.value->type.tensor || tile_promote(d.value->type.dtype, dtype) != dtype)) {
        const char *got = tile_type_text(b->module->arena, &d.value->type);
        tile_error(b->module, TILE_T101, b->where, "%s: operand d: expected %s, got %s", b->op,
                   cuc_dtype_name(dtype), got ? got : "?");
        return NULL;
    }
    for (uint32_t i = 0; i < result->type.rank; i++)
        extent[i] = result->type.extent[i];
    return tile_build_broadcast(b, tile_build_cast(b, d, dtype, TILE_RN), result->type.rank,
                                extent);
}

static struct tile_value *zeros_like(struct tile_builder *b, const struct tile_value *x)
{
    int64_t extent[TILE_MAX_RANK];

    for (uint32_t i = 0; i < x->type.rank; i++)
        extent[i] = x->type.extent[i];
    return tile_build_full(b, x->type.dtype, x->type.rank, extent, tile_of_int(0));
}

static bool need_floats(struct tile_builder *b, const char *operand, const struct tile_value *x)
{
    if (is_float_tile(x) && !tile_is_restricted(x->type.dtype))
        return true;
    const char *got = tile_type_text(b->module->arena, &x->type);
    tile_error(b->module, x->type.tensor ? TILE_T302 : TILE_T101, b->where,
               "%s: operand %s: expected a tile of floats, got %s", b->op, operand,
               got ? got : "?");
    return false;
}

static struct tile_value *build(struct chain *c, struct tile_value *result, struct tile_operand d)
{
    struct tile_builder *b = c->b;
    uint32_t count = b->kernel->value_count;
    struct tile_value *first;

    if (!need_floats(b, "y", result) || !need_floats(b, "x", c->wanted) ||
        !(first = seed(b, result, d)))
        return NULL;
    tile_spend(b->module, count);
    c->value = tile_take(b->module, count * sizeof(*c->value));
    c->gradient = tile_take(b->module, count * sizeof(*c->gradient));
    c->on_path = tile_take(b->module, count * sizeof(*c->on_path));
    if (!c->value || !c->gradient || !c->on_path)
        return NULL;
    collect(c, result);
    c->gradient[result->id] = first;
    if (!mark(c, count) || !walk(c, count))
        return NULL;
    struct tile_value *sum = c->gradient[c->wanted->id];
    if (!sum || (!c->tensor && !c->on_path[c->wanted->id]))
        return zeros_like(b, c->each ? result : c->wanted);
    return c->each ? tile_build_cast(b, tile_of(sum), result->type.dtype, TILE_RN) : sum;
}

struct tile_value *tile_build_gradient(struct tile_builder *b, struct tile_value *y,
                                       struct tile_value *x, struct tile_operand d)
{
    struct chain c = { .b = b, .wanted = x };

    return x && y ? build(&c, y, d) : NULL;
}

struct tile_value *tile_build_gradient_at(struct tile_builder *b, struct tile_value *y,
                                          struct tile_value *tensor,
                                          const struct tile_operand *index, uint32_t count,
                                          struct tile_operand d, bool each)
{
    struct tile_operand plain[TILE_MAX_RANK];
    const struct tile_access_args access = { .tensor = tensor, .index = plain, .count = count };

    for (uint32_t i = 0; i < count; i++)
        plain[i] = index[i].value ? tile_of(plain_index(index[i].value)) : index[i];
    // A read of the elements has the gradient's type. Nothing uses it, so it is dead code.
    struct tile_value *read = tensor ? tile_build_gather(b, &access) : NULL;
    if (!y || !read)
        return NULL;
    struct chain c = {
        .b = b, .wanted = read, .tensor = tensor, .index = read->op->operand + 1, .each = each
    };
    return build(&c, y, d);
}
