// Math functions on one element: the internal interface of the files math*.c.
//
// A function takes a few dozen instructions. f32 and f64 share code if one algorithm suits both.
// ptxas must not contract anything here, so each fma is explicit and every other operation has .rn.
// At most one argument of a call emits instructions, so that the order of instructions does not
// depend on the C compiler. scripts/tile_math.py generates the constants and polynomials;
// docs/tile-math.md lists bounds and methods.
#ifndef CUCORE_TILE_EMIT_MATH_H
#define CUCORE_TILE_EMIT_MATH_H

#include "emit.h"

// sum c[i] x^i
struct tile_polynomial {
    uint32_t count;
    double c[20];
};

// A constant that needs more precision is the sum of an array of two or three values, the largest
// first. An f32 is stored as the double of equal value.
struct tile_math_table {
    double magic; // 1.5 times a power of two whose ulp is 1: adding it rounds to an integer
    double log2e[2], ln2[2], two_over_ln2[2], third[2];
    double two_over_pi, half_pi[3], pi[2];
    struct tile_polynomial exp2, expm1, log, log2, atanh, atanh_tail;
    struct tile_polynomial sin, cos, tanh, sinh, atan, erf, erf_tail;
};
extern const struct tile_math_table tile_math_tables[2]; // f32, f64

// 2/pi, 64 bits per word. The first word holds the integer part.
enum { TILE_TWO_OVER_PI_WORDS = 19 };
extern const uint64_t tile_two_over_pi[TILE_TWO_OVER_PI_WORDS];

struct tile_math {
    struct tile_emitter *e;
    bool wide; // f64
    const struct tile_math_table *t;
};

// A number: a register, or a constant if `reg` is TILE_NO_REGISTER.
struct tile_num {
    tile_register reg;
    double constant;
};
static inline struct tile_num tile_k(double constant)
{
    return (struct tile_num){ TILE_NO_REGISTER, constant };
}

// Emits the PTX instruction `op`, given without its type, such as "add.rn" or "sqrt.rn". Returns a
// new register.
struct tile_num tile_num_op(struct tile_math *m, const char *op, uint32_t count,
                            const struct tile_num *operand);
static inline struct tile_num tile_fma(struct tile_math *m, struct tile_num a, struct tile_num b,
                                       struct tile_num c)
{
    return tile_num_op(m, "fma.rn", 3, (const struct tile_num[]){ a, b, c });
}
static inline struct tile_num tile_mul(struct tile_math *m, struct tile_num a, struct tile_num b)
{
    return tile_num_op(m, "mul.rn", 2, (const struct tile_num[]){ a, b });
}
static inline struct tile_num tile_add(struct tile_math *m, struct tile_num a, struct tile_num b)
{
    return tile_num_op(m, "add.rn", 2, (const struct tile_num[]){ a, b });
}
static inline struct tile_num tile_sub(struct tile_math *m, struct tile_num a, struct tile_num b)
{
    return tile_num_op(m, "sub.rn", 2, (const struct tile_num[]){ a, b });
}
static inline struct tile_num tile_neg(struct tile_math *m, struct tile_num a)
{
    return tile_num_op(m, "neg", 1, &a);
}
static inline struct tile_num tile_abs(struct tile_math *m, struct tile_num a)
{
    return tile_num_op(m, "abs", 1, &a);
}
// Returns the magnitude of one number with the sign of another.
static inline struct tile_num tile_copysign(struct tile_math *m, struct tile_num magnitude,
                                            struct tile_num sign)
{
    return tile_num_op(m, "copysign", 2, (const struct tile_num[]){ sign, magnitude });
}
// Compares two numbers. `how` is a setp comparison, such as "lt". With a NaN, the result is false
// except for "nan" and comparisons that end in u.
tile_register tile_num_compare(struct tile_math *m, const char *how, struct tile_num a,
                               struct tile_num b);
struct tile_num tile_num_select(struct tile_math *m, tile_register predicate, struct tile_num yes,
                                struct tile_num no);
// Clamps to two constants. A NaN stays unchanged.
struct tile_num tile_num_clamp(struct tile_math *m, struct tile_num x, double low, double high);
struct tile_num tile_num_horner(struct tile_math *m, const struct tile_polynomial *p,
                                struct tile_num x);
// Returns x + x z p(z), where z = x^2. A zero keeps its sign.
struct tile_num tile_num_odd(struct tile_math *m, const struct tile_polynomial *p,
                             struct tile_num x, struct tile_num z);
// Returns n / d within 0.51 ulp. The numbers must be so large that no intermediate result is
// subnormal. A zero loses its sign.
struct tile_num tile_num_quotient(struct tile_math *m, struct tile_num n, struct tile_num d);

// tile_upper_word() returns the word with the sign, the exponent and the upper fraction bits.
// `low`, which may be NULL, receives the other word of an f64. tile_of_words() is the inverse.
tile_register tile_upper_word(struct tile_math *m, struct tile_num x, tile_register *low);
struct tile_num tile_of_words(struct tile_math *m, tile_register upper, tile_register low);
// Returns the position of the exponent in the upper word.
static inline uint32_t tile_exponent_shift(const struct tile_math *m)
{
    return m->wide ? 20 : 23;
}

// Returns the integer nearest to x as .s32, given rounded = x + magic.
tile_register tile_num_whole(struct tile_math *m, struct tile_num rounded);
// Returns 2^n for an .s32 n. The result must be normal.
struct tile_num tile_num_power(struct tile_math *m, tile_register n);
// Returns x 2^n, rounded once. x is from 1/2 to 2, and n at most twice the dtype's exponent range.
struct tile_num tile_num_scale(struct tile_math *m, struct tile_num x, tile_register n);

// An unevaluated sum of two numbers, the second below an ulp of the first.
struct tile_pair {
    struct tile_num high, low;
};
// Returns a + b, for |a| >= |b| or a = 0.
struct tile_pair tile_pair_of_sum(struct tile_math *m, struct tile_num a, struct tile_num b);
// Returns a b.
struct tile_pair tile_pair_of_product(struct tile_math *m, struct tile_num a, struct tile_num b);
struct tile_pair tile_pair_mul(struct tile_math *m, struct tile_pair a, struct tile_pair b);

typedef struct tile_num tile_function(struct tile_math *m, struct tile_num x);
typedef struct tile_num tile_function2(struct tile_math *m, struct tile_num x, struct tile_num y);
tile_function tile_emit_exp, tile_emit_exp2, tile_emit_expm1, tile_emit_sigmoid; // math_exp.c
tile_function tile_emit_sinh, tile_emit_cosh, tile_emit_tanh; // math_hyperbolic.c
tile_function tile_emit_log, tile_emit_log2, tile_emit_log1p; // math_log.c
tile_function tile_emit_sin, tile_emit_cos, tile_emit_tan;    // math_trig.c
tile_function tile_emit_erf;                                  // math_erf.c
tile_function2 tile_emit_atan2;                               // math_atan.c
tile_function2 tile_emit_pow;                                 // math_pow.c

// Returns e^x / 2, which is finite wherever sinh and cosh are finite.
struct tile_num tile_num_half_exp(struct tile_math *m, struct tile_num x);
// Returns 2^(high + low). `low` is below an ulp of `high`, or the constant 0. |high| is at most 160
// for f32 and 1100 for f64.
struct tile_num tile_num_exp2(struct tile_math *m, struct tile_num high, struct tile_num low);

#endif
