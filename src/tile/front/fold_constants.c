// Applies operators to constants that have no dtype yet: integers from -2^63 to 2^64 - 1, doubles
// and bools.
#include "elaborate.h"

#include "tile/ir/print.h"
#include "tile/ir/scalar.h"

#include <math.h>

static struct tile_meaning no_result(struct tile_elaborator *e, const char *what)
{
    tile_error(e->module, TILE_T509, e->b.where, "constant: %s", what);
    return (struct tile_meaning){ 0 };
}

static struct tile_meaning whole(struct tile_elaborator *e, tile_wide i, bool overflow)
{
    return overflow || !tile_wide_fits_any(i)
               ? no_result(e, "the result is out of the range of 64 bits")
               : tile_meaning_of_int(i);
}

static double real_of(const struct tile_meaning *x)
{
    return x->kind == TILE_OPERAND && x->operand.real ? x->operand.f : (double)x->operand.i;
}

static bool is_real(const struct tile_meaning *x)
{
    return x->kind == TILE_OPERAND && x->operand.real;
}

struct tile_meaning tile_fold_unary(struct tile_elaborator *e, enum tile_op_kind op,
                                    const struct tile_meaning *x)
{
    if (op == TILE_NOT)
        return is_real(x)              ? no_result(e, "~ of a float")
               : x->kind == TILE_TRUTH ? tile_meaning_of_truth(!x->operand.i)
                                       : tile_meaning_of_int(~x->operand.i);
    if (x->kind == TILE_TRUTH)
        return no_result(e, "this operator is not for bools");
    if (is_real(x))
        return tile_meaning_of_real(-x->operand.f);
    return whole(e, -x->operand.i, false);
}

// Computes a power. Only constants have integer powers; elements do not.
static struct tile_meaning fold_power(struct tile_elaborator *e, tile_wide x, tile_wide y)
{
    tile_wide out = 1;
    bool overflow = false;

    if (y < 0 && !x)
        return no_result(e, "a division by zero");
    if (y < 0)
        return tile_meaning_of_real(pow((double)x, (double)y));
    if (x == 0 || x == 1 || x == -1)
        return tile_meaning_of_int(!y ? 1 : x == -1 && !(y & 1) ? 1 : x);
    for (tile_wide i = 0; i < y && !overflow; i++)
        overflow = __builtin_mul_overflow(out, x, &out);
    return whole(e, out, overflow);
}

static struct tile_meaning fold_ints(struct tile_elaborator *e, enum tile_op_kind op, tile_wide x,
                                     tile_wide y)
{
    const tile_wide operand[3] = { x, y, 0 };
    tile_wide out = 0;
    bool overflow = op == TILE_MUL && __builtin_mul_overflow(x, y, &out);

    if (op == TILE_POW)
        return fold_power(e, x, y);
    switch (tile_int_compute(op, operand, 64, &out)) {
    case TILE_EXACT:
        return whole(e, out, overflow);
    case TILE_UNDEFINED:
        return no_result(e, op == TILE_SHL || op == TILE_SHR
                                ? "a shift by less than 0 or more than 63"
                                : "a division by zero");
    default:
        return no_result(e, "this operator is not for integers");
    }
}

static struct tile_meaning fold_reals(struct tile_elaborator *e, enum tile_op_kind op, double x,
                                      double y)
{
    const uint64_t operand[3] = { tile_element_of_real(CUC_F64, x),
                                  tile_element_of_real(CUC_F64, y), 0 };
    uint64_t out;

    return tile_element_compute(op, CUC_F64, false, operand, &out)
               ? tile_meaning_of_real(tile_element_real(CUC_F64, out))
               : no_result(e, "this operator is not for floats");
}

bool tile_folds_binary(enum tile_op_kind op)
{
    return tile_op_sign(op) || !(tile_op_infos[op].traits & TILE_FLOAT_ONLY);
}

struct tile_meaning tile_fold_binary(struct tile_elaborator *e, enum tile_op_kind op,
                                     const struct tile_meaning *x, const struct tile_meaning *y)
{
    bool truth;

    if (x->kind == TILE_TRUTH && y->kind == TILE_TRUTH) {
        tile_wide a = x->operand.i, b = y->operand.i;
        if (tile_compare(op, a<b, a == b, a> b, &truth) && (op == TILE_EQ || op == TILE_NE))
            return tile_meaning_of_truth(truth);
        if (op == TILE_AND || op == TILE_OR || op == TILE_XOR)
            return tile_meaning_of_truth(op == TILE_AND ? a && b : op == TILE_OR ? a || b : a != b);
        return no_result(e, "this operator is not for bools");
    }
    bool bitwise = op == TILE_AND || op == TILE_OR || op == TILE_XOR;
    bool compares = tile_compare(op, false, true, false, &truth);
    if ((x->kind == TILE_TRUTH || y->kind == TILE_TRUTH) && !bitwise && !compares)
        return no_result(e, "this operator is not for bools");
    if (is_real(x) || is_real(y) || op == TILE_DIV) {
        double a = real_of(x), b = real_of(y);
        if (tile_compare(op, a<b, a == b, a> b, &truth))
            return tile_meaning_of_truth(truth);
        return fold_reals(e, op, a, b);
    }
    tile_wide a = x->operand.i, b = y->operand.i;
    if (tile_compare(op, a<b, a == b, a> b, &truth))
        return tile_meaning_of_truth(truth);
    return fold_ints(e, op, a, b);
}
