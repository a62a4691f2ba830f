// Operators on constants that have no dtype yet: integers from -2^63 to 2^64 - 1, doubles and
// bools.
#include "elaborate.h"

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

static tile_wide floor_divide(tile_wide x, tile_wide y)
{
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static struct tile_meaning fold_ints(struct tile_elaborator *e, enum tile_op_kind op, tile_wide x,
                                     tile_wide y)
{
    tile_wide out = 0;
    bool overflow = false;

    switch (op) {
    case TILE_ADD:
        overflow = __builtin_add_overflow(x, y, &out);
        break;
    case TILE_SUB:
        overflow = __builtin_sub_overflow(x, y, &out);
        break;
    case TILE_MUL:
        overflow = __builtin_mul_overflow(x, y, &out);
        break;
    case TILE_FLOORDIV:
    case TILE_MOD:
    case TILE_CDIV:
        if (!y)
            return no_result(e, "a division by zero");
        out = op == TILE_FLOORDIV ? floor_divide(x, y)
              : op == TILE_CDIV   ? floor_divide(x, y) + (x % y != 0)
                                  : x - floor_divide(x, y) * y;
        break;
    case TILE_POW:
        if (y < 0 && !x)
            return no_result(e, "a division by zero");
        if (y < 0)
            return tile_meaning_of_real(pow((double)x, (double)y));
        out = 1;
        for (tile_wide i = 0; i < y && !overflow; i++) {
            overflow = __builtin_mul_overflow(out, x, &out);
            if (x == 0 || x == 1 || (x == -1 && i > (y & 1)))
                break;
        }
        if (x == -1)
            out = y & 1 ? -1 : 1;
        break;
    case TILE_AND:
        out = x & y;
        break;
    case TILE_OR:
        out = x | y;
        break;
    case TILE_XOR:
        out = x ^ y;
        break;
    case TILE_SHL:
    case TILE_SHR:
        if (y < 0 || y > 63)
            return no_result(e, "a shift by less than 0 or more than 63");
        out = op == TILE_SHL ? x * ((tile_wide)1 << y) : x >> y;
        break;
    case TILE_MINIMUM:
        out = x < y ? x : y;
        break;
    case TILE_MAXIMUM:
        out = x > y ? x : y;
        break;
    default:
        return no_result(e, "this operator is not for integers");
    }
    return whole(e, out, overflow);
}

static struct tile_meaning fold_reals(struct tile_elaborator *e, enum tile_op_kind op, double x,
                                      double y)
{
    switch (op) {
    case TILE_ADD:
        return tile_meaning_of_real(x + y);
    case TILE_SUB:
        return tile_meaning_of_real(x - y);
    case TILE_MUL:
        return tile_meaning_of_real(x * y);
    case TILE_DIV:
        return tile_meaning_of_real(x / y);
    case TILE_FLOORDIV:
        return tile_meaning_of_real(floor(x / y));
    case TILE_MOD:
        return tile_meaning_of_real(x - floor(x / y) * y);
    case TILE_POW:
        return tile_meaning_of_real(pow(x, y));
    case TILE_MINIMUM:
        return tile_meaning_of_real(fmin(x, y));
    case TILE_MAXIMUM:
        return tile_meaning_of_real(fmax(x, y));
    default:
        return no_result(e, "this operator is not for floats");
    }
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
