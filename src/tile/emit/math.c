// Dispatches to the math functions, and provides the building blocks that they share.
#include "math.h"

#include <string.h>

// Instructions

static char *put_hexadecimal(char *to, uint64_t bits, int digits)
{
    for (int i = digits - 1; i >= 0; i--)
        *to++ = "0123456789ABCDEF"[bits >> 4 * i & 15];
    return to;
}

static char *put_operand(char *to, const struct tile_math *m, struct tile_num x)
{
    if (x.reg) {
        const char *name = tile_name(x.reg);
        size_t n = strlen(name);
        memcpy(to, name, n);
        return to + n;
    }
    *to++ = '0';
    if (m->wide) {
        uint64_t bits;
        memcpy(&bits, &x.constant, sizeof(bits));
        *to++ = 'd';
        return put_hexadecimal(to, bits, 16);
    }
    float narrow = (float)x.constant;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    *to++ = 'f';
    return put_hexadecimal(to, bits, 8);
}

// Writes `, a, b, c`.
static void put_operands(char *to, const struct tile_math *m, uint32_t count,
                         const struct tile_num *operand)
{
    for (uint32_t i = 0; i < count; i++) {
        *to++ = ',';
        *to++ = ' ';
        to = put_operand(to, m, operand[i]);
    }
    *to = '\0';
}

static const char *type_of(const struct tile_math *m)
{
    return m->wide ? "f64" : "f32";
}

static struct tile_num fresh(struct tile_math *m)
{
    return (struct tile_num){ tile_new(m->e, m->wide ? TILE_R64 : TILE_R32), 0 };
}

struct tile_num tile_num_op(struct tile_math *m, const char *op, uint32_t count,
                            const struct tile_num *operand)
{
    struct tile_num out = fresh(m);
    char operands[96];

    put_operands(operands, m, count, operand);
    tile_ins(m->e, "%s.%s %R%s", op, type_of(m), out.reg, operands);
    return out;
}

tile_register tile_num_compare(struct tile_math *m, const char *how, struct tile_num a,
                               struct tile_num b)
{
    tile_register p = tile_new(m->e, TILE_PRED);
    char operands[96];

    put_operands(operands, m, 2, (const struct tile_num[]){ a, b });
    tile_ins(m->e, "setp.%s.%s %R%s", how, type_of(m), p, operands);
    return p;
}

struct tile_num tile_num_select(struct tile_math *m, tile_register predicate, struct tile_num yes,
                                struct tile_num no)
{
    struct tile_num out = fresh(m);
    char operands[96];

    put_operands(operands, m, 2, (const struct tile_num[]){ yes, no });
    tile_ins(m->e, "selp.%s %R%s, %R", type_of(m), out.reg, operands, predicate);
    return out;
}

struct tile_num tile_num_clamp(struct tile_math *m, struct tile_num x, double low, double high)
{
    if (m->wide) { // min and max of f64 lack .NaN
        x = tile_num_select(m, tile_num_compare(m, "lt", x, tile_k(low)), tile_k(low), x);
        return tile_num_select(m, tile_num_compare(m, "gt", x, tile_k(high)), tile_k(high), x);
    }
    x = tile_num_op(m, "max.NaN", 2, (const struct tile_num[]){ x, tile_k(low) });
    return tile_num_op(m, "min.NaN", 2, (const struct tile_num[]){ x, tile_k(high) });
}

struct tile_num tile_num_horner(struct tile_math *m, const struct tile_polynomial *p,
                                struct tile_num x)
{
    struct tile_num sum = tile_k(p->c[p->count - 1]);

    for (uint32_t i = p->count - 1; i-- > 0;)
        sum = tile_fma(m, sum, x, tile_k(p->c[i]));
    return sum;
}

// Computes x + x z p(z). If x is zero, z p(z) may be -0. Adding 0 turns it into +0, so that the
// result has the sign of x.
struct tile_num tile_num_odd(struct tile_math *m, const struct tile_polynomial *p,
                             struct tile_num x, struct tile_num z)
{
    return tile_fma(m, x, tile_fma(m, z, tile_num_horner(m, p, z), tile_k(0)), x);
}

// Refines the approximate reciprocal. It is accurate to all bits but one for f32, and to 20 bits
// for f64, because rcp.approx then reads only 20 bits of d.
struct tile_num tile_num_quotient(struct tile_math *m, struct tile_num n, struct tile_num d)
{
    struct tile_num r = tile_num_op(m, "rcp.approx.ftz", 1, &d), minus = tile_neg(m, d);

    if (m->wide) {
        struct tile_num error = tile_fma(m, minus, r, tile_k(1));
        r = tile_fma(m, r, tile_fma(m, error, error, error), r);
    }
    struct tile_num q = tile_mul(m, n, r);
    return tile_fma(m, tile_fma(m, minus, q, n), r, q);
}

// Bits

tile_register tile_upper_word(struct tile_math *m, struct tile_num x, tile_register *low)
{
    if (!m->wide)
        return x.reg;
    tile_register lower = tile_new(m->e, TILE_R32), upper = tile_new(m->e, TILE_R32);
    tile_ins(m->e, "mov.b64 {%R, %R}, %R", lower, upper, x.reg);
    if (low)
        *low = lower;
    return upper;
}

struct tile_num tile_of_words(struct tile_math *m, tile_register upper, tile_register low)
{
    if (!m->wide)
        return (struct tile_num){ upper, 0 };
    struct tile_num out = fresh(m);
    tile_ins(m->e, "mov.b64 %R, {%R, %R}", out.reg, low, upper);
    return out;
}

tile_register tile_num_whole(struct tile_math *m, struct tile_num rounded)
{
    tile_register low = rounded.reg;

    if (m->wide) { // the sum's lower word is the integer
        tile_upper_word(m, rounded, &low);
        return low;
    }
    return tile_make(m->e, TILE_R32, "sub.s32 %R, %R, 0x4B400000", low);
}

struct tile_num tile_num_power(struct tile_math *m, tile_register n)
{
    uint32_t shift = tile_exponent_shift(m), one = m->wide ? 0x3ff00000 : 0x3f800000;
    tile_register up = tile_make(m->e, TILE_R32, "shl.b32 %R, %R, %u", n, shift);
    tile_register upper = tile_make(m->e, TILE_R32, "add.s32 %R, %R, %u", up, one);

    return tile_of_words(m, upper, m->wide ? tile_number32(m->e, 0) : TILE_NO_REGISTER);
}

struct tile_num tile_num_scale(struct tile_math *m, struct tile_num x, tile_register n)
{
    tile_register half = tile_make(m->e, TILE_R32, "shr.s32 %R, %R, 1", n);
    tile_register rest = tile_make(m->e, TILE_R32, "sub.s32 %R, %R, %R", n, half);

    x = tile_mul(m, x, tile_num_power(m, half));
    return tile_mul(m, x, tile_num_power(m, rest));
}

// Pairs

struct tile_pair tile_pair_of_sum(struct tile_math *m, struct tile_num a, struct tile_num b)
{
    struct tile_num sum = tile_add(m, a, b);

    return (struct tile_pair){ sum, tile_add(m, tile_sub(m, a, sum), b) };
}

struct tile_pair tile_pair_of_product(struct tile_math *m, struct tile_num a, struct tile_num b)
{
    struct tile_num product = tile_mul(m, a, b);

    return (struct tile_pair){ product, tile_fma(m, a, b, tile_neg(m, product)) };
}

struct tile_pair tile_pair_mul(struct tile_math *m, struct tile_pair a, struct tile_pair b)
{
    struct tile_pair p = tile_pair_of_product(m, a.high, b.high);

    p.low = tile_fma(m, a.low, b.high, tile_fma(m, a.high, b.low, p.low));
    return p;
}

// Functions

// For f32 the relative error is 2^-22.9, at most 2 ulp, and subnormals are kept.
static struct tile_num tile_emit_rsqrt(struct tile_math *m, struct tile_num x)
{
    if (!m->wide)
        return tile_num_op(m, "rsqrt.approx", 1, &x);
    struct tile_num root = tile_num_op(m, "sqrt.rn", 1, &x);
    return tile_num_op(m, "rcp.rn", 1, &root);
}

static struct tile_num tile_emit_copysign(struct tile_math *m, struct tile_num x, struct tile_num y)
{
    return tile_copysign(m, x, y);
}

// PTX for math ops, as an instruction or a function: the `ptx` column of ops.def.
struct recipe {
    const char *instruction; // without the type
    const char *rounding;    // rounding mode of a cvt to an integer
    tile_function *one;
    tile_function2 *two;
};

#define INS(text)           \
    {                       \
        .instruction = text \
    }
#define CVT(text)        \
    {                    \
        .rounding = text \
    }
#define ONE(name)               \
    {                           \
        .one = tile_emit_##name \
    }
#define TWO(name)               \
    {                           \
        .two = tile_emit_##name \
    }
#define NO                  \
    {                       \
        .instruction = NULL \
    }
static const struct recipe recipes[TILE_OP_COUNT] = {
#define TILE_ELEMENT(id, name, operands, sign, infer, print, range, fold, int_value, real, \
                     element, integer, ptx, traits)                                        \
    [TILE_##id] = ptx,
#include "tile/ir/ops.def"
};

tile_register tile_emit_math(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                             tile_register x, tile_register y)
{
    const struct recipe *how = &recipes[kind];
    bool wide = dtype == CUC_F64;
    struct tile_math m = { e, wide, &tile_math_tables[wide] };
    const struct tile_num operand[] = { { x, 0 }, { y, 0 } };
    const char *type = type_of(&m);

    if (how->instruction)
        return tile_num_op(&m, how->instruction, y ? 2 : 1, operand).reg;
    if (how->rounding)
        return tile_make(e, wide ? TILE_R64 : TILE_R32, "cvt.%s.%s.%s %R, %R", how->rounding, type,
                         type, x);
    if (how->one)
        return how->one(&m, operand[0]).reg;
    return how->two ? how->two(&m, operand[0], operand[1]).reg : TILE_NO_REGISTER;
}
