// Approximates divisions in and after a loop over matrix products of operands of 8 or 16 bits if
// the quotients are then rounded to floats of so few bits, because correct rounding of the
// quotients themselves gains nothing. Inverts a divisor that is broadcast along an axis only once,
// before the loop if possible, and multiplies by the inverse.
#include "pass.h"
#include "fused.h"

#include "tile/ir/scalar.h"

// Integers are excluded: truncation may turn a small error into 1.
static bool is_narrow_float(cuc_dtype dtype)
{
    return (tile_is_float(dtype) || tile_is_restricted(dtype)) && cuc_dtype_bits(dtype) <= 16;
}

// True if every use of a value rounds it to a float of 8 or 16 bits.
static bool is_only_cut(const struct tile_value *value)
{
    for (const struct tile_use *use = value->use; use; use = use->next) {
        const struct tile_op *op = use->user;
        if (!(op->kind == TILE_CAST && is_narrow_float(op->result[0]->type.dtype)) &&
            !(op->kind == TILE_WHERE && use != op->use && is_only_cut(op->result[0])))
            return false;
    }
    return true;
}

struct making {
    struct tile_kernel *kernel;
    struct tile_op *place; // new ops go before this one
};

static struct tile_value *one(struct making *m, enum tile_op_kind kind,
                              const struct tile_type *type, struct tile_value *x)
{
    return tile_make_before(m->kernel, m->place, kind, type, 1, &x);
}

static struct tile_value *two(struct making *m, enum tile_op_kind kind,
                              const struct tile_type *type, struct tile_value *x,
                              struct tile_value *y)
{
    return tile_make_before(m->kernel, m->place, kind, type, 2, (struct tile_value *[]){ x, y });
}

static struct tile_value *number(struct making *m, const struct tile_type *type, double real)
{
    return one(m, TILE_BROADCAST, type, tile_make_real_before(m->kernel, m->place, CUC_F32, real));
}

static struct tile_value *either(struct making *m, struct tile_value *condition, double yes,
                                 struct tile_value *no)
{
    return tile_make_before(m->kernel, m->place, TILE_WHERE, &no->type, 3,
                            (struct tile_value *[]){ condition, number(m, &no->type, yes), no });
}

// Computes x / d as (x s) (1 / (d s)), where the scale s keeps the inverse of every d in range. The
// quotient goes to the place of `m`, and the scale and the inverse to `place`.
static struct tile_value *by_inverse(struct making *m, struct tile_op *place, struct tile_value *x,
                                     struct tile_value *d)
{
    static const double far = 0x1p64;
    const struct tile_type *line = &d->type, *all = &x->type;
    struct tile_type mask = *line;
    struct making early = { m->kernel, place };
    struct tile_value *size = one(&early, TILE_ABS, line, d), *unit = number(&early, line, 1);

    mask.dtype = CUC_BOOL;
    struct tile_value *small = two(&early, TILE_LT, &mask, size, number(&early, line, 1 / far));
    struct tile_value *large = two(&early, TILE_GT, &mask, size, number(&early, line, far));
    if (!small || !large || !unit)
        return NULL;
    struct tile_value *scale = either(&early, small, far, unit);
    scale = scale ? either(&early, large, 1 / far, scale) : NULL;
    struct tile_value *inverse =
        two(&early, TILE_DIV, line, unit, two(&early, TILE_MUL, line, d, scale));
    if (inverse)
        tile_set(m->kernel, inverse->op,
                 (struct tile_attribute){ .key = TILE_ATTR_APPROXIMATE, .i = 1 });
    x = two(m, TILE_MUL, all, x, one(m, TILE_BROADCAST, all, scale));
    return two(m, TILE_MUL, all, x, one(m, TILE_BROADCAST, all, inverse));
}

// Returns the loop if a value of its body does not depend on it, else `op`.
static struct tile_op *place_of_inverse(struct tile_op *loop, struct tile_op *op,
                                        const struct tile_value *d)
{
    const struct tile_block *in = d->op ? d->op->parent : d->block;

    return op->parent == loop->block[0] && in != op->parent ? loop : op;
}

static bool approximate_block(struct tile_kernel *kernel, struct tile_op *loop, struct tile_op *op)
{
    bool changed = false;

    for (struct tile_op *next; op; op = next) {
        next = op->next;
        if (op->kind != TILE_DIV || op->result[0]->type.dtype != CUC_F32 ||
            !op->result[0]->type.rank || tile_is_rounded(op) || !is_only_cut(op->result[0]))
            continue;
        const struct tile_op *wide = op->operand[1]->op;
        struct making m = { kernel, op };
        struct tile_value *quotient = NULL;
        if (wide && wide->kind == TILE_BROADCAST && wide->operand[0]->type.rank)
            quotient = by_inverse(&m, place_of_inverse(loop, op, wide->operand[0]), op->operand[0],
                                  wide->operand[0]);
        if (!quotient) {
            tile_set(kernel, op, (struct tile_attribute){ .key = TILE_ATTR_APPROXIMATE, .i = 1 });
            continue;
        }
        tile_replace(op->result[0], quotient, NULL);
        tile_delete(op);
        changed = true;
    }
    return changed;
}

void tile_approximate_divisions(struct tile_kernel *kernel, const struct tile_fused *p)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->base.loop;
    bool before = approximate_block(kernel, loop, loop->block[0]->first);

    if (!approximate_block(kernel, loop, loop->next) && !before)
        return;
    tile_renumber(kernel);
    tile_simplify(kernel);
}
