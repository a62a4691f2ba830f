// Constant folding and identities: computes constant ops at compile time, removes ops without
// effect, and simplifies control flow whose direction is known.
//
// scalar.c computes folded elements exactly as kernels do. A tile whose elements all equal one
// constant is folded as a broadcast of that constant. A float identity must hold for every operand:
// x + 0 is not x for -0.
#include "pass.h"
#include "tile/ir/scalar.h"

#include <math.h>
#include <string.h>

struct folding {
    struct tile_kernel *kernel;
    bool changed;
};

// Finds the constant that all elements of a value equal.
static bool splat(const struct tile_value *value, uint64_t *element)
{
    const struct tile_op *op = value->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    if (!op || op->kind != TILE_CONSTANT)
        return false;
    cuc_dtype dtype = value->type.dtype;
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    *element = real ? tile_element_of_real(dtype, real->f)
                    : tile_element_of_int(dtype, tile_int(op, TILE_ATTR_VALUE, 0));
    return true;
}

static bool splat_int(const struct tile_value *value, int64_t expected)
{
    uint64_t element;

    return (tile_is_integer(value->type.dtype) || value->type.dtype == CUC_BOOL) &&
           splat(value, &element) && element == tile_element_of_int(value->type.dtype, expected);
}

static bool splat_one(const struct tile_value *value)
{
    uint64_t element;
    cuc_dtype dtype = value->type.dtype;

    return splat(value, &element) &&
           element == (tile_is_float(dtype) ? tile_element_of_real(dtype, 1.0)
                                            : tile_element_of_int(dtype, 1));
}

// Creates a constant before `place` and broadcasts it to a type.
static struct tile_value *make_splat(struct folding *f, struct tile_op *place,
                                     const struct tile_type *type, uint64_t element)
{
    struct tile_value *value =
        tile_is_integer(type->dtype) || type->dtype == CUC_BOOL
            ? tile_make_int_before(f->kernel, place, type->dtype, (int64_t)element)
            : tile_make_real_before(f->kernel, place, type->dtype,
                                    tile_element_real(type->dtype, element));

    return type->rank ? tile_make_before(f->kernel, place, TILE_BROADCAST, type, 1, &value) : value;
}

// False for a NaN, because constants of the language cannot represent every NaN.
static bool can_be_constant(cuc_dtype dtype, uint64_t element)
{
    double real = tile_is_integer(dtype) || dtype == CUC_BOOL ? 0
                                                              : tile_element_real(dtype, element);

    return real == real;
}

// A folding rule. It returns the value that replaces an op's only result, or NULL.
typedef struct tile_value *rule(struct folding *f, struct tile_op *op);

static struct tile_value *compute(struct folding *f, struct tile_op *op)
{
    uint64_t x[3], out;
    const struct tile_type *type = &op->result[0]->type;
    cuc_dtype dtype = op->operand[op->kind == TILE_WHERE]->type.dtype;

    if (op->operand_count > 3)
        return NULL;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!splat(op->operand[i], &x[i]))
            return NULL;
    if (tile_is_rounded(op) && (op->kind != TILE_CAST || tile_rounding_of(op).ftz))
        return NULL;
    if (op->kind == TILE_CAST)
        out = tile_element_cast(type->dtype, dtype, x[0],
                                (enum tile_round)tile_int(op, TILE_ATTR_ROUND, TILE_RN));
    else if (!tile_element_compute(op->kind, dtype, tile_int(op, TILE_ATTR_NAN, 0), x, &out))
        return NULL;
    return can_be_constant(type->dtype, out) ? make_splat(f, op, type, out) : NULL;
}

static struct tile_value *fold_add(struct folding *f, struct tile_op *op)
{
    (void)f;
    return splat_int(op->operand[1], 0)   ? op->operand[0]
           : splat_int(op->operand[0], 0) ? op->operand[1]
                                          : NULL;
}

// Turns the integer forms 0 - x and x * -1 into `neg`, whose emission avoids a ptxas bug
// (emit/element.c).
static struct tile_value *as_negated(struct folding *f, struct tile_op *op, struct tile_value *x)
{
    return tile_make_before(f->kernel, op, TILE_NEG, &op->result[0]->type, 1, &x);
}

static struct tile_value *fold_sub(struct folding *f, struct tile_op *op)
{
    const struct tile_type *type = &op->result[0]->type;

    if (splat_int(op->operand[1], 0))
        return op->operand[0];
    if (splat_int(op->operand[0], 0) && tile_is_signed(type->dtype))
        return as_negated(f, op, op->operand[1]);
    return op->operand[0] == op->operand[1] && tile_is_integer(type->dtype)
               ? make_splat(f, op, type, 0)
               : NULL;
}

static struct tile_value *fold_mul(struct folding *f, struct tile_op *op)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (splat_one(op->operand[i]))
            return op->operand[1 - i];
        if (splat_int(op->operand[i], -1) && tile_is_signed(op->result[0]->type.dtype))
            return as_negated(f, op, op->operand[1 - i]);
        if (splat_int(op->operand[i], 0))
            return op->operand[i];
    }
    return NULL;
}

// Turns a division by a power of two into a multiplication, which gives the same result.
static struct tile_value *as_product(struct folding *f, struct tile_op *op)
{
    const struct tile_type *type = &op->result[0]->type;
    uint64_t element;
    int exponent;

    if (op->kind != TILE_DIV || (type->dtype != CUC_F32 && type->dtype != CUC_F64) ||
        !splat(op->operand[1], &element))
        return NULL;
    double by = tile_element_real(type->dtype, element);
    if (!(by > 0x1p-100 && by < 0x1p100) || frexp(by, &exponent) != 0.5)
        return NULL;
    struct tile_value *factor =
        make_splat(f, op, &op->operand[1]->type, tile_element_of_real(type->dtype, 1 / by));
    return tile_make_before(f->kernel, op, TILE_MUL, type, 2,
                            (struct tile_value *[]){ op->operand[0], factor });
}

static struct tile_value *fold_div(struct folding *f, struct tile_op *op)
{
    return splat_one(op->operand[1]) ? op->operand[0] : as_product(f, op);
}

static struct tile_value *fold_shift(struct folding *f, struct tile_op *op)
{
    (void)f;
    return splat_int(op->operand[1], 0) ? op->operand[0] : NULL;
}

static struct tile_value *fold_bits(struct folding *f, struct tile_op *op)
{
    int64_t ones = op->result[0]->type.dtype == CUC_BOOL ? 1 : -1;
    int64_t neutral = op->kind == TILE_AND ? ones : 0, absorbing = op->kind == TILE_AND ? 0 : ones;

    (void)f;
    if (op->operand[0] == op->operand[1])
        return op->operand[0];
    for (uint32_t i = 0; i < 2; i++) {
        if (splat_int(op->operand[i], neutral))
            return op->operand[1 - i];
        if (splat_int(op->operand[i], absorbing))
            return op->operand[i];
    }
    return NULL;
}

// Folds the minimum or maximum of two equal operands.
static struct tile_value *fold_same(struct folding *f, struct tile_op *op)
{
    (void)f;
    return op->operand[0] == op->operand[1] ? op->operand[0] : NULL;
}

static struct tile_value *fold_where(struct folding *f, struct tile_op *op)
{
    uint64_t c;

    (void)f;
    if (op->operand[1] == op->operand[2])
        return op->operand[1];
    return splat(op->operand[0], &c) ? op->operand[c ? 1 : 2] : NULL;
}

static struct tile_value *fold_cast(struct folding *f, struct tile_op *op)
{
    (void)f;
    return op->operand[0]->type.dtype == op->result[0]->type.dtype ? op->operand[0] : NULL;
}

// Merges two consecutive shape changes of the same kind.
static struct tile_value *fold_shape(struct folding *f, struct tile_op *op)
{
    struct tile_op *before = op->operand[0]->op;

    if (tile_type_same(&op->operand[0]->type, &op->result[0]->type))
        return op->operand[0];
    if (before && before->kind == op->kind) {
        tile_set_operand(op, 0, before->operand[0]);
        f->changed = true;
    }
    return NULL;
}

static struct tile_value *fold_permute(struct folding *f, struct tile_op *op)
{
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    struct tile_op *before = op->operand[0]->op;
    bool stays = true;

    for (uint32_t i = 0; i < axes->count; i++)
        stays &= axes->ints[i] == i;
    if (stays)
        return op->operand[0];
    uint64_t element;
    if (splat(op->operand[0], &element) && can_be_constant(op->result[0]->type.dtype, element))
        return make_splat(f, op, &op->result[0]->type, element);
    if (before && before->kind == TILE_PERMUTE) {
        const struct tile_attribute *first = tile_attribute(before, TILE_ATTR_AXES);
        int64_t *both = tile_take(f->kernel->module, axes->count * sizeof(*both));
        if (!both)
            return NULL;
        for (uint32_t i = 0; i < axes->count; i++)
            both[i] = first->ints[axes->ints[i]];
        tile_set(
            f->kernel, op,
            (struct tile_attribute){ .key = TILE_ATTR_AXES, .count = axes->count, .ints = both });
        tile_set_operand(op, 0, before->operand[0]);
        f->changed = true;
    }
    return NULL;
}

// Folds an extent of a tensor parameter to a dimension or a constant.
static struct tile_value *fold_dim(struct folding *f, struct tile_op *op)
{
    const struct tile_value *tensor = op->operand[0];
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0);

    if (tensor->op || tensor->block)
        return NULL;
    const struct tile_extent *extent = &f->kernel->parameter[tensor->index].extent[axis];
    if (extent->kind == TILE_EXTENT_STATIC)
        return make_splat(f, op, &op->result[0]->type, (uint64_t)extent->value);
    if (extent->kind != TILE_EXTENT_NAMED)
        return NULL;
    struct tile_value *named =
        tile_make_before(f->kernel, op, TILE_DIMENSION, &op->result[0]->type, 0, NULL);
    if (named)
        tile_set(f->kernel, named->op,
                 (struct tile_attribute){ .key = TILE_ATTR_INDEX, .i = extent->dimension });
    return named;
}

#define fold_nothing NULL
static rule *const rules[TILE_OP_COUNT] = {
#define TILE_OP(id, name, operands, results, traits, infer, print, range, fold, ...) \
    [TILE_##id] = fold_##fold,
#include "tile/ir/ops.def"
};

// False for ops that the rules do not cover: ops with an explicit rounding mode, and floored
// division of floats, because x // 1 is not x.
static bool rule_holds(const struct tile_op *op)
{
    if (tile_is_rounded(op) && op->kind != TILE_CAST)
        return false;
    return op->kind != TILE_FLOORDIV || tile_is_integer(op->result[0]->type.dtype);
}

// Control flow

// Moves the ops of a block, except its terminator, before `place`. Returns the terminator.
static struct tile_op *splice(struct tile_block *block, struct tile_op *place)
{
    struct tile_op *end = block->last;

    while (block->first != end) {
        struct tile_op *op = block->first;
        tile_remove(op);
        tile_insert_before(place, op);
    }
    return end;
}

static bool fold_if(struct folding *f, struct tile_op *op)
{
    uint64_t c;

    if (!splat(op->operand[0], &c))
        return false;
    // Do not fold an arm that leaves the block, because the code after the `if` would become
    // unreachable.
    struct tile_block *arm = op->block[c ? 0 : 1];
    if (arm->last->kind != TILE_YIELD)
        return false;
    struct tile_op *end = splice(arm, op);
    for (uint32_t i = 0; i < op->result_count; i++)
        tile_replace(op->result[i], end->operand[i], NULL);
    tile_delete(op);
    f->changed = true;
    return true;
}

// Removes a loop that never runs an iteration.
static bool fold_for(struct folding *f, struct tile_op *op)
{
    const struct tile_value *first = op->operand[0], *last = op->operand[1];
    uint64_t from, to;
    bool never = first == last ||
                 (splat(first, &from) && splat(last, &to) &&
                  (tile_is_signed(first->type.dtype) ? (int64_t)from >= (int64_t)to : from >= to));

    if (!never)
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        tile_replace(op->result[i], op->operand[3 + i], NULL);
    tile_delete(op);
    f->changed = true;
    return true;
}

static void visit_block(struct folding *f, struct tile_block *block)
{
    for (struct tile_op *op = block->first, *next; op; op = next) {
        next = op->next;
        if ((op->kind == TILE_IF && fold_if(f, op)) || (op->kind == TILE_FOR && fold_for(f, op))) {
            continue; // the replacement is visited in the next round
        }
        for (uint32_t i = 0; i < op->block_count; i++)
            visit_block(f, op->block[i]);
        if (!(tile_op_infos[op->kind].traits & TILE_PURE) || op->result_count != 1)
            continue;
        struct tile_value *value = rules[op->kind] && rule_holds(op) ? rules[op->kind](f, op)
                                                                     : NULL;
        if (!value && tile_op_infos[op->kind].traits & TILE_ELEMENTWISE && op->operand_count)
            value = compute(f, op);
        if (value && value != op->result[0]) {
            tile_replace(op->result[0], value, NULL);
            tile_delete(op);
            f->changed = true;
        }
    }
}

bool tile_fold(struct tile_kernel *kernel)
{
    struct folding f = { .kernel = kernel };

    visit_block(&f, &kernel->body);
    if (f.changed)
        tile_renumber(kernel);
    return f.changed;
}
