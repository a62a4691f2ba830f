// sin, cos, tan.
//
// x = q pi/2 + r, with |r| at most slightly above pi/4. For |x| up to 2^17 (f32) or 2^30 (f64), r
// is x - q c1 - q c2 - q c3, where c1 + c2 + c3 is pi/2 and the first difference is exact. Larger
// arguments are multiplied by only those bits of 2/pi that matter (Payne and Hanek). Threads with
// small arguments branch around that code.
#include "math.h"

struct reduced {
    tile_register q; // only the two lowest bits matter
    struct tile_num r;
};

// Returns `a` shifted left by `by`, which is below 32, with bits of `b` shifted in.
static tile_register funnel(struct tile_emitter *e, tile_register a, tile_register b,
                            tile_register by)
{
    return tile_make(e, TILE_R32, "shf.l.wrap.b32 %R, %R, %R, %R", b, a, by);
}

// x = M 2^(E - 158), where M is the significand as a 32-bit integer and E the biased exponent. x
// 2/pi matters only up to multiples of 4, so all bits of 2/pi whose product with x is a multiple of
// 4 can be dropped. The 96 bits of 2/pi that start at bit E - 128 suffice, counted with 32 zeros in
// front. Their product with M has 2 integer bits.
static struct reduced far_f32(struct tile_math *m, struct tile_num x)
{
    struct tile_emitter *e = m->e;
    tile_register word[7], w[3], at, mantissa;

    word[0] = tile_number32(e, 0);
    for (uint32_t i = 1; i < 7; i++) {
        uint64_t pair = tile_two_over_pi[(i + 1) / 2];
        word[i] = tile_number32(e, (int32_t)(uint32_t)(i % 2 ? pair >> 32 : pair));
    }
    at = tile_make(e, TILE_R32, "bfe.u32 %R, %R, 23, 8", x.reg);
    at = tile_make(e, TILE_R32, "sub.s32 %R, %R, 128", at);
    // Select the four words that start at word at / 32, first in steps of two words, then of one.
    for (uint32_t step = 2, count = 5; step; step--, count--) {
        tile_register bit = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", at, 32 * step);
        tile_register p = tile_make(e, TILE_PRED, "setp.ne.s32 %R, %R, 0", bit);
        for (uint32_t i = 0; i < count; i++)
            word[i] = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", word[i + step], word[i], p);
    }
    for (uint32_t i = 0; i < 3; i++)
        w[i] = funnel(e, word[i], word[i + 1], at); // uses the lowest 5 bits of the shift amount
    mantissa = tile_make(e, TILE_R32, "shl.b32 %R, %R, 8", x.reg);
    mantissa = tile_make(e, TILE_R32, "or.b32 %R, %R, 0x80000000", mantissa);

    // Compute the upper 64 of the product's lower 96 bits.
    tile_register low = tile_make(e, TILE_R32, "mul.hi.u32 %R, %R, %R", mantissa, w[2]);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", low);
    wide = tile_make(e, TILE_R64, "mad.wide.u32 %R, %R, %R, %R", mantissa, w[1], wide);
    tile_register p1 = tile_new(e, TILE_R32), carry = tile_new(e, TILE_R32);
    tile_ins(e, "mov.b64 {%R, %R}, %R", p1, carry, wide);
    tile_register p2 = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %R, %R", mantissa, w[0], carry);

    // Round to the nearest quarter turn, which leaves a signed 64-bit fraction.
    tile_register q = tile_make(e, TILE_R32, "add.u32 %R, %R, 0x20000000", p2);
    q = tile_make(e, TILE_R32, "shr.u32 %R, %R, 30", q);
    tile_register fraction = tile_make(e, TILE_R64, "mov.b64 %R, {%R, %R}", p1, p2);
    fraction = tile_make(e, TILE_R64, "shl.b64 %R, %R, 2", fraction);
    tile_register r = tile_make(e, TILE_R64, "cvt.rn.f64.s64 %R, %R", fraction);
    r = tile_make(e, TILE_R64, "mul.rn.f64 %R, %R, 0d3BF921FB54442D18", r); // pi/2 / 2^64
    return (struct reduced){ q, { tile_make(e, TILE_R32, "cvt.rn.f32.f64 %R, %R", r), 0 } };
}

// Returns the address of the table, which is a variable of the entry created on first use.
static tile_register table(struct tile_emitter *e)
{
    if (!e->has_two_over_pi) {
        tile_put(&e->globals, ".global .align 8 .b64 %s$%u$two_over_pi[%u] = {", e->kernel->name,
                 (unsigned)e->variant, (unsigned)TILE_TWO_OVER_PI_WORDS);
        for (uint32_t i = 0; i < TILE_TWO_OVER_PI_WORDS; i++)
            tile_put(&e->globals, "%s0x%llx", i ? ", " : " ",
                     (unsigned long long)tile_two_over_pi[i]);
        tile_put(&e->globals, " };\n");
        e->has_two_over_pi = true;
    }
    tile_register at = tile_new(e, TILE_R64);
    tile_put(e->text, "\tmov.u64 %s, %s$%u$two_over_pi;\n", tile_name(at), e->kernel->name,
             (unsigned)e->variant);
    return at;
}

// Like far_f32(), with 64 bits instead of 32: x = M 2^(E - 1086), and the 192 bits of 2/pi start at
// E - 1024. Before the multiplication, the remainder is normalized to the 64 bits after its leading
// zeros, so that it is rounded once.
static struct reduced far_f64(struct tile_math *m, struct tile_num x)
{
    struct tile_emitter *e = m->e;
    tile_register word[4], w[3];
    tile_register upper = tile_upper_word(m, x, NULL);
    tile_register at = tile_make(e, TILE_R32, "bfe.u32 %R, %R, 20, 11", upper);
    at = tile_make(e, TILE_R32, "sub.s32 %R, %R, 1024", at);
    tile_register index = tile_make(e, TILE_R32, "shr.u32 %R, %R, 6", at);
    tile_register from = tile_make(e, TILE_R64, "mad.wide.u32 %R, %R, 8, %R", index, table(e));
    for (uint32_t i = 0; i < 4; i++)
        word[i] = tile_make(e, TILE_R64, "ld.global.b64 %R, [%R+%u]", from, 8 * i);
    at = tile_make(e, TILE_R32, "and.b32 %R, %R, 63", at);
    tile_register rest = tile_make(e, TILE_R32, "sub.s32 %R, 64, %R", at);
    for (uint32_t i = 0; i < 3; i++) { // a shift by 64 gives 0
        tile_register a = tile_make(e, TILE_R64, "shl.b64 %R, %R, %R", word[i], at);
        tile_register b = tile_make(e, TILE_R64, "shr.u64 %R, %R, %R", word[i + 1], rest);
        w[i] = tile_make(e, TILE_R64, "or.b64 %R, %R, %R", a, b);
    }
    tile_register mantissa = tile_make(e, TILE_R64, "shl.b64 %R, %R, 11", x.reg);
    mantissa = tile_make(e, TILE_R64, "or.b64 %R, %R, 0x8000000000000000", mantissa);

    tile_register h0 = tile_make(e, TILE_R64, "mul.hi.u64 %R, %R, %R", mantissa, w[2]);
    tile_register l1 = tile_make(e, TILE_R64, "mul.lo.u64 %R, %R, %R", mantissa, w[1]);
    tile_register h1 = tile_make(e, TILE_R64, "mul.hi.u64 %R, %R, %R", mantissa, w[1]);
    tile_register l2 = tile_make(e, TILE_R64, "mul.lo.u64 %R, %R, %R", mantissa, w[0]);
    tile_register p1 = tile_make(e, TILE_R64, "add.u64 %R, %R, %R", l1, h0);
    tile_register carried = tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %R", p1, h0);
    tile_register carry = tile_make(e, TILE_R64, "selp.b64 %R, 1, 0, %R", carried);
    tile_register p2 = tile_make(e, TILE_R64, "add.u64 %R, %R, %R", l2, h1);
    p2 = tile_make(e, TILE_R64, "add.u64 %R, %R, %R", p2, carry);

    tile_register quarter = tile_make(e, TILE_R64, "add.u64 %R, %R, 0x2000000000000000", p2);
    quarter = tile_make(e, TILE_R64, "shr.u64 %R, %R, 62", quarter);
    tile_register q = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", quarter);
    // Take the two words without the two integer bits, and make them positive. NOT differs from
    // negation only in the last bit.
    tile_register high = tile_make(e, TILE_R64, "shl.b64 %R, %R, 2", p2);
    tile_register in = tile_make(e, TILE_R64, "shr.u64 %R, %R, 62", p1);
    high = tile_make(e, TILE_R64, "or.b64 %R, %R, %R", high, in);
    tile_register low = tile_make(e, TILE_R64, "shl.b64 %R, %R, 2", p1);
    tile_register sign = tile_make(e, TILE_R64, "shr.s64 %R, %R, 63", high);
    high = tile_make(e, TILE_R64, "xor.b64 %R, %R, %R", high, sign);
    low = tile_make(e, TILE_R64, "xor.b64 %R, %R, %R", low, sign);
    tile_register zeros = tile_make(e, TILE_R32, "clz.b64 %R, %R", high);
    rest = tile_make(e, TILE_R32, "sub.s32 %R, 64, %R", zeros);
    high = tile_make(e, TILE_R64, "shl.b64 %R, %R, %R", high, zeros);
    low = tile_make(e, TILE_R64, "shr.u64 %R, %R, %R", low, rest);
    high = tile_make(e, TILE_R64, "or.b64 %R, %R, %R", high, low);
    high = tile_make(e, TILE_R64, "mul.hi.u64 %R, %R, 0xc90fdaa22168c235", high); // pi/2 2^63
    tile_register r = tile_make(e, TILE_R64, "cvt.rn.f64.u64 %R, %R", high);
    tile_register minus = tile_make(e, TILE_R32, "neg.s32 %R, %R", zeros);
    minus = tile_make(e, TILE_R32, "sub.s32 %R, %R, 63", minus);
    struct tile_num out = tile_mul(m, (struct tile_num){ r, 0 }, tile_num_power(m, minus));
    return (struct reduced){ q, tile_copysign(m, out, (struct tile_num){ sign, 0 }) };
}

static struct reduced reduce(struct tile_math *m, struct tile_num x)
{
    const struct tile_math_table *t = m->t;
    struct tile_emitter *e = m->e;
    struct tile_num u = tile_fma(m, x, tile_k(t->two_over_pi), tile_k(t->magic));
    struct tile_num n = tile_sub(m, u, tile_k(t->magic)), r = x;

    for (uint32_t i = 0; i < 3; i++)
        r = tile_fma(m, n, tile_k(-t->half_pi[i]), r);
    // n is in the last bits of u.
    struct reduced out = { m->wide ? tile_num_whole(m, u) : u.reg, r };
    tile_register far =
        tile_num_compare(m, "ge", tile_abs(m, x), tile_k(m->wide ? 0x1p30 : 0x1p17));
    uint32_t near = tile_label(e);
    tile_branch(e, far, true, near);
    struct reduced large = m->wide ? far_f64(m, x) : far_f32(m, x);
    // The code above handles |x|; the functions are odd. The product of inf and 0 makes the result
    // NaN.
    tile_register below = tile_num_compare(m, "lt", x, tile_k(0));
    large.r = tile_fma(m, x, tile_k(0), large.r);
    tile_move(e, out.r.reg, tile_num_select(m, below, tile_neg(m, large.r), large.r).reg);
    tile_register minus = tile_make(e, TILE_R32, "neg.s32 %R, %R", large.q);
    tile_ins(e, "selp.b32 %R, %R, %R, %R", out.q, minus, large.q, below);
    tile_put_label(e, near);
    return out;
}

static tile_register bit_of(struct tile_math *m, tile_register q, uint32_t bit)
{
    tile_register masked = tile_make(m->e, TILE_R32, "and.b32 %R, %R, %u", q, bit);

    return tile_make(m->e, TILE_PRED, "setp.ne.s32 %R, %R, 0", masked);
}

// Computes the sine and cosine of the reduced argument.
static void waves(struct tile_math *m, struct tile_num r, struct tile_num *s, struct tile_num *c)
{
    struct tile_num z = tile_mul(m, r, r);
    struct tile_num p = tile_fma(m, tile_num_horner(m, &m->t->cos, z), z, tile_k(-0.5));

    *s = tile_num_odd(m, &m->t->sin, r, z);
    *c = tile_fma(m, p, z, tile_k(1));
}

// Returns sin(x + turn pi/2).
static struct tile_num wave(struct tile_math *m, struct tile_num x, uint32_t turn)
{
    struct reduced a = reduce(m, x);
    struct tile_num s, c;
    waves(m, a.r, &s, &c);
    tile_register q = turn ? tile_make(m->e, TILE_R32, "add.s32 %R, %R, %u", a.q, turn) : a.q;
    struct tile_num out = tile_num_select(m, bit_of(m, q, 1), c, s);
    struct tile_num minus = tile_neg(m, out);

    return tile_num_select(m, bit_of(m, q, 2), minus, out);
}

struct tile_num tile_emit_sin(struct tile_math *m, struct tile_num x)
{
    return wave(m, x, 0);
}

struct tile_num tile_emit_cos(struct tile_math *m, struct tile_num x)
{
    return wave(m, x, 1);
}

// Returns s/c, or -c/s in odd quarters.
struct tile_num tile_emit_tan(struct tile_math *m, struct tile_num x)
{
    struct reduced a = reduce(m, x);
    struct tile_num s, c;
    waves(m, a.r, &s, &c);
    tile_register odd = bit_of(m, a.q, 1);
    struct tile_num n = tile_num_select(m, odd, tile_neg(m, c), s),
                    d = tile_num_select(m, odd, s, c);

    if (m->wide)
        return tile_num_op(m, "div.rn", 2, (const struct tile_num[]){ n, d });
    // Refine the reciprocal instead of the quotient, which may be a signed zero.
    struct tile_num r = tile_num_op(m, "rcp.approx.ftz", 1, &d);
    r = tile_fma(m, tile_fma(m, tile_neg(m, d), r, tile_k(1)), r, r);
    return tile_mul(m, n, r);
}
