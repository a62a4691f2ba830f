// Approximates divisions after a loop over matrix products of 16-bit operands if the quotients are
// then rounded to 16 bits, because correct rounding of the quotients themselves gains nothing.
// Inverts a divisor that is broadcast along an axis only once, and multiplies by the inverse.
#include "pass.h"
#include "fused.h"

#include "tile/ir/scalar.h"

// True if every use of a value rounds it to 16 bits.
static bool is_only_cut(const struct tile_value *value)
{
    for (const struct tile_use *use = value->use; use; use = use->next) {
        const struct tile_op *op = use->user;
        if (!(op->kind == TILE_CAST && cuc_dtype_bits(op->result[0]->type.dtype) == 16) &&
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

// Computes x / d as (x s) (1 / (d s)), where the scale s keeps the inverse of every d in range.
static struct tile_value *by_inverse(struct making *m, struct tile_value *x, struct tile_value *d)
{
    static const double far = 0x1p64;
    const struct tile_type *line = &d->type, *all = &x->type;
    struct tile_type mask = *line;
    struct tile_value *size = one(m, TILE_ABS, line, d), *unit = number(m, line, 1);

    mask.dtype = CUC_BOOL;
    struct tile_value *small = two(m, TILE_LT, &mask, size, number(m, line, 1 / far));
    struct tile_value *large = two(m, TILE_GT, &mask, size, number(m, line, far));
    if (!small || !large || !unit)
        return NULL;
    struct tile_value *scale = either(m, small, far, unit);
    scale = scale ? either(m, large, 1 / far, scale) : NULL;
    struct tile_value *inverse = two(m, TILE_DIV, line, unit, two(m, TILE_MUL, line, d, scale));
    if (inverse)
        tile_set(m->kernel, inverse->op,
                 (struct tile_attribute){ .key = TILE_ATTR_APPROXIMATE, .i = 1 });
    x = two(m, TILE_MUL, all, x, one(m, TILE_BROADCAST, all, scale));
    return two(m, TILE_MUL, all, x, one(m, TILE_BROADCAST, all, inverse));
}

void tile_approximate_divisions(struct tile_kernel *kernel, const struct tile_fused *p)
{
    bool changed = false;

    for (struct tile_op *op = p->base.loop->next, *next; op; op = next) {
        next = op->next;
        if (op->kind != TILE_DIV || op->result[0]->type.dtype != CUC_F32 ||
            !op->result[0]->type.rank || tile_is_rounded(op) || !is_only_cut(op->result[0]))
            continue;
        const struct tile_op *wide = op->operand[1]->op;
        struct making m = { kernel, op };
        struct tile_value *quotient = wide && wide->kind == TILE_BROADCAST &&
                                              wide->operand[0]->type.rank
                                          ? by_inverse(&m, op->operand[0], wide->operand[0])
                                          : NULL;
        if (!quotient) {
            tile_set(kernel, op, (struct tile_attribute){ .key = TILE_ATTR_APPROXIMATE, .i = 1 });
            continue;
        }
        tile_replace(op->result[0], quotient, NULL);
        tile_delete(op);
        changed = true;
    }
    if (!changed)
        return;
    tile_renumber(kernel);
    tile_simplify(kernel);
}
