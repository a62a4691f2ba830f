// Integer floordiv, cdiv and mod: the general case, plus cheaper code that avoids the division or
// divides in 32 bits where known facts allow it.
#include "element.h"

#include "tile/ir/array.h"

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

// Returns the scalar that a divisor broadcasts.
static const struct tile_value *scalar_of(const struct tile_value *divisor)
{
    while (divisor->op &&
           (divisor->op->kind == TILE_BROADCAST || divisor->op->kind == TILE_RESHAPE))
        divisor = divisor->op->operand[0];
    return divisor;
}

// Returns the positive constant that a divisor is known to equal, or 0.
static uint64_t known_divisor(const struct tile_value *divisor)
{
    const struct tile_op *op = scalar_of(divisor)->op;
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

// True for integers that are non-negative and below 2^31.
static bool fits_word(const struct tile_emitter *e, const struct tile_value *value)
{
    struct tile_range range = tile_range_of(e->ranges, value);
    const struct tile_op *op = value->op;

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

// ---- Divisors that many divisions share

// Both the value and its register must match. Several values may share a register: a cast and its
// operand, whose signs differ, or the extents in two arms of an `if`, of which only one computes
// its inverse. A value that is emitted again may get another register.
static struct tile_inverse *find_inverse(const struct tile_emitter *e,
                                         const struct tile_value *divisor, tile_register reg)
{
    for (uint32_t i = 0; i < e->inverses; i++)
        if (e->inverse[i].value == divisor && e->inverse[i].divisor == reg)
            return &e->inverse[i];
    return NULL;
}

// True if divisions by `value`, of `block`, run so often that they should share an inverse: in a
// loop that computes no new divisor, or for many elements per thread.
static bool is_shared_divisor(const struct tile_value *value, const struct tile_block *block,
                              uint32_t *divisions)
{
    enum { MANY = 3 };

    for (const struct tile_use *use = value->use; use; use = use->next) {
        const struct tile_op *user = use->user;
        if (user->kind == TILE_BROADCAST || user->kind == TILE_RESHAPE) {
            if (is_shared_divisor(user->result[0], block, divisions))
                return true;
            continue;
        }
        if ((user->kind != TILE_FLOORDIV && user->kind != TILE_MOD) || user->operand[1] != value)
            continue;
        *divisions += user->result[0]->type.rank ? tile_register_count(user->result[0]) : 1;
        const struct tile_op *loop = tile_loop_around(user);
        if (*divisions >= MANY || (loop && tile_is_within(loop, block)))
            return true;
    }
    return false;
}

void tile_prepare_divisor(struct tile_emitter *e, const struct tile_value *value)
{
    cuc_dtype dtype = value->type.dtype;
    bool word = dtype == CUC_I32 || dtype == CUC_U32;
    uint32_t divisions = 0;

    if (value->type.rank || value->type.tensor || !(word || dtype == CUC_I64) ||
        known_divisor(value) ||
        !is_shared_divisor(value, value->op ? value->op->parent : &e->kernel->body, &divisions) ||
        !(dtype == CUC_U32 || fits_word(e, value)))
        return;
    const tile_register *reg = tile_registers(e, value);
    if (!reg)
        return;
    struct tile_inverse *inverse = find_inverse(e, value, reg[0]);
    if (!inverse) {
        if (!TILE_RESERVE(e->module, e->inverse, e->inverse_capacity, e->inverses + 1, 8))
            return;
        inverse = &e->inverse[e->inverses++];
        *inverse = (struct tile_inverse){ .value = value,
                                          .divisor = reg[0],
                                          .word = word ? reg[0] : tile_new(e, TILE_R32),
                                          .by = tile_new(e, TILE_R32) };
    }
    // Each role and each path that computes the value again must also compute its inverse again.
    if (!word)
        tile_ins(e, "cvt.u32.u64 %R, %R", inverse->word, inverse->divisor);
    tile_ins(e, "div.u32 %R, %R, %R", inverse->by, tile_number32(e, -1), inverse->word);
}

// Divides 32-bit numbers. The quotient is first estimated as the upper half of the product with the
// inverse, (2^32 - 1) / d rounded down, and is then right or one too low. A negative x is
// complemented, which turns the quotient rounded down into its complement.
static tile_register multiply_inverse(struct tile_emitter *e, enum tile_op_kind kind,
                                      const struct tile_inverse *inverse, tile_register x,
                                      bool negative)
{
    tile_register d = inverse->word, sign = TILE_NO_REGISTER, at = x;

    if (negative) {
        sign = tile_make(e, TILE_R32, "shr.s32 %R, %R, 31", x);
        at = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", x, sign);
    }
    tile_register q = tile_make(e, TILE_R32, "mul.hi.u32 %R, %R, %R", at, inverse->by);
    tile_register back = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", q, d);
    tile_register rest = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", at, back);
    tile_register low = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %R", rest, d);
    if (kind == TILE_MOD && !negative) {
        tile_register less = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", d, low);
        return tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", rest, less);
    }
    tile_register more = tile_make(e, TILE_R32, "selp.b32 %R, 1, 0, %R", low);
    q = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", q, more);
    if (negative)
        q = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", q, sign);
    if (kind == TILE_FLOORDIV)
        return q;
    back = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", q, d);
    return tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", x, back);
}

// Returns TILE_NO_REGISTER if the divisor has no inverse, or if x may exceed 32 bits.
static tile_register divide_by_shared(struct tile_emitter *e, const struct tile_op *op,
                                      cuc_dtype dtype, tile_register x, tile_register y)
{
    const struct tile_inverse *inverse =
        op->kind != TILE_CDIV ? find_inverse(e, scalar_of(op->operand[1]), y) : NULL;

    if (!inverse)
        return TILE_NO_REGISTER;
    if (dtype != CUC_I64)
        return multiply_inverse(e, op->kind, inverse, x,
                                dtype == CUC_I32 &&
                                    tile_range_of(e->ranges, op->operand[0]).low < 0);
    if (!fits_word(e, op->operand[0]))
        return TILE_NO_REGISTER;
    x = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
    return tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R",
                     multiply_inverse(e, op->kind, inverse, x, false));
}

tile_register tile_divide_as_known(struct tile_emitter *e, const struct tile_op *op,
                                   cuc_dtype dtype, tile_register x, tile_register y)
{
    uint64_t divisor = tile_is_integer(dtype) ? known_divisor(op->operand[1]) : 0;

    if (divisor && !(divisor & (divisor - 1)))
        return divide_by_power(e, op->kind, dtype, x, divisor);
    tile_register shared = divide_by_shared(e, op, dtype, x, y);
    if (shared)
        return shared;
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
