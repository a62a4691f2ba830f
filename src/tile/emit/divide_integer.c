// Integer floordiv, cdiv and mod: the general case, plus cheaper code that avoids the division or
// divides in 32 bits where known facts allow it.
#include "element.h"

// Divides with truncation, then corrects the quotient to a floor quotient if the remainder is not 0
// and the signs differ.
tile_register tile_divide_integers(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                   tile_register x, tile_register y)
{
    const char *type = tile_integer_type(dtype), *bits = tile_bits_type(dtype);
    enum tile_register_class c = tile_class_of(dtype);

    if (!tile_is_signed(dtype)) {
        tile_register q = tile_new(e, c);
        if (kind == TILE_MOD) {
            tile_ins(e, "rem.%s %R, %R, %R", type, q, x, y);
            return q;
        }
        tile_ins(e, "div.%s %R, %R, %R", type, q, x, y);
        if (kind == TILE_FLOORDIV)
            return q;
        tile_register back = tile_new(e, c), p = tile_new(e, TILE_PRED), up = tile_new(e, c);
        tile_ins(e, "mul.lo.%s %R, %R, %R", type, back, q, y);
        tile_ins(e, "setp.ne.%s %R, %R, %R", type, p, back, x);
        tile_ins(e, "selp.%s %R, 1, 0, %R", bits, up, p);
        tile_register out = tile_new(e, c);
        tile_ins(e, "add.%s %R, %R, %R", type, out, q, up);
        return out;
    }
    tile_register q = tile_new(e, c), back = tile_new(e, c), rest = tile_new(e, c);
    tile_register mixed = tile_new(e, c), p = tile_new(e, TILE_PRED),
                  apart = tile_new(e, TILE_PRED);
    tile_register out = tile_new(e, c), by = tile_new(e, c);
    tile_ins(e, "div.%s %R, %R, %R", type, q, x, y);
    tile_ins(e, "mul.lo.%s %R, %R, %R", type, back, q, y);
    tile_ins(e, "sub.%s %R, %R, %R", type, rest, x, back);
    tile_ins(e, "xor.%s %R, %R, %R", bits, mixed, x, y);
    tile_ins(e, "setp.ne.%s %R, %R, 0", type, p, rest);
    tile_ins(e, "setp.%s.and.%s %R, %R, 0, %R", kind == TILE_CDIV ? "ge" : "lt", type, apart, mixed,
             p);
    if (kind == TILE_MOD) {
        tile_ins(e, "selp.%s %R, %R, 0, %R", bits, by, y, apart);
        tile_ins(e, "add.%s %R, %R, %R", type, out, rest, by);
    } else {
        tile_ins(e, "selp.%s %R, %d, 0, %R", bits, by, kind == TILE_CDIV ? 1 : -1, apart);
        tile_ins(e, "add.%s %R, %R, %R", type, out, q, by);
    }
    return out;
}

// Returns the positive constant that a divisor is known to equal, or 0.
static uint64_t known_divisor(const struct tile_value *divisor)
{
    const struct tile_op *op = divisor->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    int64_t value = op && op->kind == TILE_CONSTANT ? tile_int(op, TILE_ATTR_VALUE, 0) : 0;
    return value > 0 ? (uint64_t)value : 0;
}

static tile_register divide_by_power(struct tile_emitter *e, enum tile_op_kind kind,
                                     cuc_dtype dtype, tile_register x, uint64_t power)
{
    const char *bits = tile_bits_type(dtype);
    enum tile_register_class c = tile_class_of(dtype);
    tile_register q = tile_new(e, c), rest = tile_new(e, c), up = tile_new(e, c);
    tile_register p = tile_new(e, TILE_PRED);

    if (kind != TILE_FLOORDIV)
        tile_ins(e, "and.%s %R, %R, 0x%x", bits, rest, x, power - 1);
    if (kind == TILE_MOD)
        return rest;
    tile_ins(e, "shr.%s %R, %R, %u", tile_integer_type(dtype), q, x,
             (unsigned)__builtin_ctzll(power));
    if (kind == TILE_FLOORDIV)
        return q;
    tile_ins(e, "setp.ne.%s %R, %R, 0", bits, p, rest);
    tile_ins(e, "selp.%s %R, 1, 0, %R", bits, up, p);
    return tile_make(e, c, c == TILE_R64 ? "add.s64 %R, %R, %R" : "add.s32 %R, %R, %R", q, up);
}

// Divides 64-bit numbers that are non-negative and below 2^31.
static tile_register divide_words(struct tile_emitter *e, enum tile_op_kind kind, tile_register x,
                                  tile_register y)
{
    tile_register a = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
    tile_register b = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", y);

    if (kind == TILE_CDIV) { // the sum may exceed 2^31 but not 2^32
        tile_register more = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", b);
        a = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", a, more);
    }
    tile_register q = tile_make(
        e, TILE_R32, kind == TILE_MOD ? "rem.u32 %R, %R, %R" : "div.u32 %R, %R, %R", a, b);
    return tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", q);
}

// True for a scalar that is non-negative and below 2^31.
static bool fits_word(const struct tile_emitter *e, const struct tile_value *value)
{
    struct tile_range range = tile_range_of(e->ranges, value);
    const struct tile_op *op = value->op;

    if (value->type.rank)
        return false;
    if (range.low >= 0 && range.low <= range.high && range.high <= INT32_MAX)
        return true;
    switch (op ? op->kind : TILE_CONSTANT) {
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
        return true;
    case TILE_FLOORDIV:
    case TILE_MOD:
        return fits_word(e, op->operand[0]) && fits_word(e, op->operand[1]);
    default:
        return false;
    }
}

tile_register tile_divide_as_known(struct tile_emitter *e, const struct tile_op *op,
                                   cuc_dtype dtype, tile_register x, tile_register y)
{
    uint64_t divisor = tile_is_integer(dtype) ? known_divisor(op->operand[1]) : 0;

    if (divisor && !(divisor & (divisor - 1)))
        return divide_by_power(e, op->kind, dtype, x, divisor);
    if (dtype == CUC_I64 && e->ring && fits_word(e, op->operand[0]) && fits_word(e, op->operand[1]))
        return divide_words(e, op->kind, x, y);
    if (dtype == CUC_I32 && e->ring && op->kind != TILE_CDIV && fits_word(e, op->operand[0]) &&
        fits_word(e, op->operand[1]))
        return tile_make(e, TILE_R32,
                         op->kind == TILE_MOD ? "rem.u32 %R, %R, %R" : "div.u32 %R, %R, %R", x, y);
    if (dtype == CUC_I64 && divisor)
        return tile_divide_by_constant(e, op->kind, x, divisor);
    return TILE_NO_REGISTER;
}
