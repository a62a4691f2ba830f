// Makes random expressions. A maker returns an expression of the given dtype and shape as text, or
// NULL if it has none; random_value() draws makers until one returns a text.
#include "base/array.h"
#include "random_program.h"

#include <string.h>

static const char *paren(struct generator *g, const char *x)
{
    return say(g, "(%s)", x);
}

static struct shape scalar(void)
{
    return (struct shape){ 0 };
}

// Leaves

static const char *make_name(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    struct name *name = random_name(g, d, &s, false);

    (void)depth;
    return name ? name->text : NULL;
}

// Derives a value from a name of another shape: reshapes it, broadcasts it along new axes, or takes
// a part of it.
static const char *make_derived(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    (void)depth;
    if (!g->names || !s.rank)
        return NULL;
    for (int tries = 0; tries < 8; tries++) {
        const struct name *name = &g->name[random_below(g, (uint32_t)g->names)];
        const struct shape *have = &name->shape;
        const char *x = name->text, *axes = "";
        int next = 0;
        if (name->dtype != d)
            x = say(g, "cast(%s, %s)", x, cuc_dtype_name(d));
        if (have->rank && count_of(have) == count_of(&s))
            return say(g, "reshape(%s, [%s])", x, say_shape(g, &s));
        for (int i = 0; i < s.rank; i++) { // align its axes, in order, with equal extents
            bool here = next < have->rank && have->extent[next] == s.extent[i];
            axes = say(g, "%s%s%s", axes, i ? ", " : "", here ? ":" : "None");
            next += here;
        }
        if (have->rank && next == have->rank && next < s.rank)
            return say(g, "broadcast(%s[%s], [%s])", x, axes, say_shape(g, &s));
        struct shape kept = *have;
        int axis = have->rank ? (int)random_below(g, (uint32_t)have->rank) : 0;
        kept.extent[axis] = 1;
        if (have->rank == s.rank &&
            memcmp(kept.extent, s.extent, sizeof(int) * (size_t)s.rank) == 0)
            return d == CUC_BOOL      ? say(g, "any(%s, %d)", x, axis)
                   : is_restricted(d) ? NULL
                                      : say(g, "max(%s, %d)", x, axis);
    }
    return NULL;
}

static const char *make_constant(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const reals[] = { "0.5", "-1.5", "3", "0.0", "inf", "-2", "1e4", "0.1" };
    static const char *const wholes[] = { "0", "1", "2", "3", "7", "100" };
    const char *x = d == CUC_BOOL                         ? random_chance(g, 2) ? "true" : "false"
                    : d == CUC_U64 && random_chance(g, 6) ? "0xfedcba9876543210"
                    : is_whole(d)                         ? wholes[random_below(g, 6)]
                                                          : reals[random_below(g, 8)];

    (void)depth;
    if (s.rank && count_of(&s) <= 8 && !is_restricted(d) && random_chance(g, 4)) {
        const char *list = x;
        for (int64_t i = 1; i < count_of(&s); i++)
            list = say(g, "%s, %s", list,
                       d == CUC_BOOL ? random_chance(g, 2) ? "true" : "false"
                                     : wholes[random_below(g, 6)]);
        return say(g, "full(%s, [%s], [%s])", cuc_dtype_name(d), say_shape(g, &s), list);
    }
    if (is_restricted(d) || !s.rank)
        return is_restricted(d) && s.rank
                   ? say(g, "cast(full(f32, [%s], %s), %s)", say_shape(g, &s), x, cuc_dtype_name(d))
                   : say(g, "cast(%s, %s)", x, cuc_dtype_name(d));
    return say(g, "full(%s, [%s], %s)", cuc_dtype_name(d), say_shape(g, &s), x);
}

static const char *make_iota(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    (void)depth;
    if (s.rank != 1 || d == CUC_BOOL || is_restricted(d))
        return NULL;
    return is_whole(d) && (cuc_dtype_bits(d) > 8 || s.extent[0] <= 128)
               ? say(g, "iota(%s, %d)", cuc_dtype_name(d), s.extent[0])
               : say(g, "cast(iota(i32, %d), %s)", s.extent[0], cuc_dtype_name(d));
}

static const char *make_load(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    return random_load(g, d, s, depth);
}

// Elementwise expressions

// Returns a dtype that promotes to d next to an operand of dtype d.
static cuc_dtype narrower(struct generator *g, cuc_dtype d)
{
    static const struct {
        cuc_dtype to, from;
    } pairs[] = {
        { CUC_I16, CUC_I8 },  { CUC_I32, CUC_I8 },   { CUC_I32, CUC_I16 }, { CUC_I64, CUC_I32 },
        { CUC_U16, CUC_U8 },  { CUC_U32, CUC_U16 },  { CUC_U64, CUC_U8 },  { CUC_F16, CUC_I64 },
        { CUC_BF16, CUC_U8 }, { CUC_F32, CUC_F16 },  { CUC_F32, CUC_I32 }, { CUC_F64, CUC_F32 },
        { CUC_F64, CUC_U32 }, { CUC_F32, CUC_BF16 },
    };
    uint32_t i = random_below(g, CUC_LENGTH(pairs));

    return pairs[i].to == d ? pairs[i].from : d;
}

struct shape random_thinner(struct generator *g, struct shape s)
{
    if (!random_chance(g, 3))
        return s;
    while (s.rank && random_chance(g, 3)) {
        s.rank--;
        memmove(s.extent, s.extent + 1, (size_t)s.rank * sizeof(*s.extent));
    }
    for (int i = 0; i < s.rank; i++)
        if (random_chance(g, 3))
            s.extent[i] = 1;
    return s;
}

// Returns a second operand, sometimes of another dtype or shape, or a literal.
static const char *other(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (d != CUC_BOOL && random_chance(g, 6))
        return is_whole(d) ? "3" : "1.5";
    return random_value(g, narrower(g, d), random_thinner(g, s), depth);
}

static const char *make_arithmetic(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (!is_whole(d) && !is_real(d))
        return NULL;
    const char *x = random_value(g, d, s, depth), *y = other(g, d, s, depth);
    bool swap = random_chance(g, 4);
    switch (random_below(g, 8)) {
    case 0:
    case 1:
        return say(g, "(%s + %s)", swap ? y : x, swap ? x : y);
    case 2:
        return say(g, "(%s - %s)", swap ? y : x, swap ? x : y);
    case 3:
        return say(g, "(%s * %s)", swap ? y : x, swap ? x : y);
    case 4:
        return say(g, "minimum(%s, %s%s)", x, y,
                   is_real(d) && random_chance(g, 3) ? ", nan=true" : "");
    case 5:
        return say(g, "maximum(%s, %s%s)", x, y,
                   is_real(d) && random_chance(g, 3) ? ", nan=true" : "");
    case 6:
        return say(g, "(-%s)", x);
    default:
        return say(g, "abs(%s)", x);
    }
}

// Makes integer operations that never divide by 0 or -1 and never shift by the width or more.
static const char *make_integer(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const bits[] = { "&", "|", "^" };

    if (!is_whole(d))
        return NULL;
    const char *x = random_value(g, d, s, depth);
    const char *y = random_chance(g, 2) ? "5" : random_value(g, d, random_thinner(g, s), depth);
    const char *divisor = random_chance(g, 2) ? "3" : say(g, "((%s & 7) + 1)", y);
    switch (random_below(g, 8)) {
    case 0:
        return say(g, "(%s // %s)", x, divisor);
    case 1:
        return say(g, "(%s %% %s)", x, divisor);
    case 2:
        return say(g, "cdiv(%s, %s)", x, divisor);
    case 3:
        return say(g, "(~%s)", x);
    case 4:
        return say(g, "(%s << (%s & 7))", x, y);
    case 5:
        return say(g, "(%s >> (%s & 7))", x, y);
    default:
        return say(g, "(%s %s %s)", x, bits[random_below(g, 3)], y);
    }
}

// Makes arithmetic with an explicit rounding mode, or a minimum or maximum. Its result is fully
// determined, so the driver and the interpreter must agree.
static const char *make_rounded(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const rounds[] = { "rn", "rz", "rm", "rp" };
    static const char *const two[] = { "add", "sub", "mul", "div" };

    if (!is_real(d))
        return NULL;
    const char *x = random_value(g, d, s, depth), *y = other(g, d, s, depth);
    const char *ftz = d == CUC_F32 && random_chance(g, 2) ? ", ftz=true" : "";
    const char *round = rounds[random_below(g, 4)];
    // Operands of a sum may differ in dtype, but not with ftz.
    if (d == CUC_F32 && *ftz)
        y = say(g, "cast(%s, f32)", y);
    switch (random_below(g, 6)) {
    case 0:
        return say(g, "sqrt(%s, round=%s%s)", x, round, ftz);
    case 1: {
        const char *z = other(g, d, s, depth);
        return say(g, "fma(%s, %s, %s, round=%s%s)", x, y, z, round, ftz);
    }
    case 2:
        return say(g, "%s(%s, %s%s)", random_chance(g, 2) ? "minimum" : "maximum", x, y, ftz);
    default:
        return say(g, "%s(%s, %s, round=%s%s)", two[random_below(g, 4)], x, y, round, ftz);
    }
}

static const char *make_real(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const functions[] = { "floor", "ceil", "round", "trunc" };

    if (!is_real(d))
        return NULL;
    const char *x = random_value(g, d, s, depth);
    switch (random_below(g, 6)) {
    case 0:
        return say(g, "(%s / %s)", x, other(g, d, s, depth));
    case 1:
        return say(g, "sqrt(%s)", x);
    case 2: {
        const char *y = other(g, d, s, depth), *z = other(g, d, s, depth);
        return say(g, "fma(%s, %s, %s)", x, y, z);
    }
    default:
        return say(g, "%s(%s)", functions[random_below(g, 4)], x);
    }
}

static const char *make_logic(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const compares[] = { "==", "!=", "<", "<=", ">", ">=" };
    static const char *const bits[] = { "&", "|", "^", "==", "!=" };

    if (d != CUC_BOOL)
        return NULL;
    if (random_chance(g, 4)) {
        const char *x = random_value(g, CUC_BOOL, s, depth);
        if (random_chance(g, 3))
            return say(g, "(~%s)", x);
        return say(g, "(%s %s %s)", x, bits[random_below(g, 5)],
                   random_value(g, CUC_BOOL, random_thinner(g, s), depth));
    }
    cuc_dtype of = random_number(g);
    const char *x = random_value(g, of, s, depth);
    if (is_real(of) && random_chance(g, 4))
        return say(g, "%s(%s)", random_chance(g, 2) ? "isnan" : "isinf", x);
    return say(g, "(%s %s %s)", x, compares[random_below(g, 6)], other(g, of, s, depth));
}

static const char *make_where(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (is_restricted(d))
        return NULL;
    const char *c = random_value(g, CUC_BOOL, random_thinner(g, s), depth);
    const char *x = random_value(g, d, s, depth),
               *y = random_value(g, d, random_thinner(g, s), depth);
    return random_chance(g, 2) ? say(g, "where(%s, %s, %s)", c, x, y)
                               : say(g, "where(%s, %s, %s)", c, y, x);
}

static const char *make_cast(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const char *const rounds[] = { "rn", "rz", "rm", "rp" };
    static const cuc_dtype restricted[] = { CUC_TF32, CUC_E4M3, CUC_E5M2 };
    cuc_dtype from = random_chance(g, 5) ? restricted[random_below(g, 3)] : random_dtype(g);
    bool rounded = !is_restricted(d) && d != CUC_BOOL && !(is_whole(d) && is_whole(from)) &&
                   from != CUC_BOOL && random_chance(g, 3);
    const char *x = random_value(g, from, s, depth);

    return rounded
               ? say(g, "cast(%s, %s, round=%s)", x, cuc_dtype_name(d), rounds[random_below(g, 4)])
               : say(g, "cast(%s, %s)", x, cuc_dtype_name(d));
}

// Makes bitcasts, but not of NaNs, whose bits are unspecified.
static const char *make_bits(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    cuc_dtype from = random_number(g);

    if (d == CUC_BOOL || cuc_dtype_bits(from) != cuc_dtype_bits(d))
        return NULL;
    const char *x = random_value(g, from, s, depth);
    return is_whole(from)
               ? say(g, "bitcast(%s, %s)", x, cuc_dtype_name(d))
               : say(g, "bitcast(where(isnan(%s), %s, 1), %s)", random_value(g, from, s, 0),
                     random_small(g, from, s, depth), cuc_dtype_name(d));
}

// Makes bitcasts to another width, where the last axis shrinks or grows.
static const char *make_bytes(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const cuc_dtype wholes[] = { CUC_U8, CUC_I16, CUC_U32, CUC_I64 };
    cuc_dtype from = wholes[random_below(g, 4)];
    int have = (int)cuc_dtype_bits(from), want = (int)cuc_dtype_bits(d);

    if (d == CUC_BOOL || have == want || !s.rank)
        return NULL;
    int *last = &s.extent[s.rank - 1], times = have > want ? have / want : want / have;
    if (have > want ? *last % times != 0 : count_of(&s) * times > g->most_elements)
        return NULL;
    *last = have > want ? *last / times : *last * times;
    return say(g, "bitcast(%s, %s)", random_value(g, from, s, depth), cuc_dtype_name(d));
}

// Makes inline instructions.
static const char *make_asm(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    static const struct {
        cuc_dtype dtype;
        const char *text;
    } rows[] = {
        { CUC_I32, "lop3.b32 $0, $1, $2, $1, 0x96;" },
        { CUC_I32, ".reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, $2, $1, p" },
        { CUC_U32, "prmt.b32 $0, $1, $2, 0x3715" },
        { CUC_I64, "mul.lo.s64 $1, $1, 3; xor.b64 $0, $1, $2" },
        { CUC_F32, "sub.rn.f32 $0, $2, $1" },
        { CUC_F64, "fma.rn.f64 $0, $1, $2, $1;" },
        { CUC_I16, "sub.s32 $0, $1, $2" },
        { CUC_BOOL, "and.pred $0, $1, !$2;" },
    };
    uint32_t row = random_below(g, CUC_LENGTH(rows));

    if (rows[row].dtype != d)
        return NULL;
    const char *x = random_value(g, d, s, depth), *y = random_value(g, d, s, depth);
    return say(g, "asm(\"%s\", %s, [%s, %s])", rows[row].text, cuc_dtype_name(d), x, y);
}

static const char *make_call(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    if (!is_whole(d) && !is_real(d))
        return NULL;
    const char *x = random_value(g, d, s, depth), *y = random_value(g, d, s, depth);
    return random_chance(g, 2) ? say(g, "span(%s, %s)", x, y) : say(g, "mixed(y=%s, x=%s)", y, x);
}

static const char *make_promise(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    return is_whole(d) ? say(g, "assume((%s * 8) %% 8 == 0)", random_value(g, d, s, depth)) : NULL;
}

// All makers; common ones appear several times.
static maker *const inner[] = {
    make_arithmetic, make_arithmetic, make_arithmetic, make_integer, make_integer,   make_real,
    make_logic,      make_logic,      make_where,      make_cast,    make_cast,      make_bits,
    make_rounded,    make_rounded,    make_bytes,      make_asm,     make_asm,       make_call,
    make_promise,    make_reshape,    make_squeeze,    make_permute, make_broadcast, make_cat,
    make_extract,    make_insert,     make_take,       make_shift,   make_reduce,    make_reduce,
    make_reduce,     make_arg,        make_scan,       make_scan,    make_sort,      make_histogram,
    make_mma,        make_mma,        make_load,       make_name,    make_derived,   make_name,
    make_derived,
};
static maker *const leaves[] = { make_name, make_name, make_derived, make_derived,
                                 make_load, make_load, make_iota };
enum { INNER = CUC_LENGTH(inner), LEAVES = CUC_LENGTH(leaves) };

const char *random_value(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    const char *x = NULL;

    g->budget--;
    for (int tries = 0; tries < 4 && !x && depth > 0 && g->budget > 0; tries++)
        x = inner[random_below(g, INNER)](g, d, s, depth - 1);
    for (int tries = 0; tries < 3 && !x; tries++)
        x = leaves[random_below(g, LEAVES)](g, d, s, 0);
    return x ? x : make_constant(g, d, s, 0);
}

const char *random_small(struct generator *g, cuc_dtype d, struct shape s, int depth)
{
    return say(g, "cast(cast(minimum(maximum(%s, -4), 4), i32), %s)",
               random_value(g, random_chance(g, 2) ? d : CUC_F32, s, depth), cuc_dtype_name(d));
}

const char *random_scalar(struct generator *g, cuc_dtype d, int depth)
{
    return paren(g, random_value(g, d, scalar(), depth));
}

const char *random_approximate(struct generator *g, cuc_dtype d, struct shape s)
{
    static const char *const functions[] = { "exp",  "exp2", "expm1", "sin", "cos",
                                             "sinh", "cosh", "tanh",  "erf", "sigmoid" };
    static const char *const positive[] = { "log", "log2", "log1p", "rsqrt" };

    if (random_chance(g, 3))
        return say(g, "%s(abs(%s) + 1)", positive[random_below(g, 4)], random_small(g, d, s, 2));
    return say(g, "%s(%s)", functions[random_below(g, 10)], random_small(g, d, s, 2));
}
