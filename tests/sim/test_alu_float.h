// The floating-point part of test_alu.c: arithmetic, conversions, comparisons and approximations.

#include "base/array.h"

enum { T_FTZ = 1, T_SAT = 2, T_RELU = 4, T_SATFINITE = 8, T_NAN = 16, T_XORSIGN = 32, T_ALL = 64 };
static const char *const flag_words[] = { ".ftz",       ".sat", ".relu",
                                          ".satfinite", ".NaN", ".xorsign.abs" };
static const char *const mode_words[] = { ".rn", ".rz", ".rm", ".rp", ".rna" };
static const char *const integral_words[] = { ".rni", ".rzi", ".rmi", ".rpi" };

// A type as instructions name it.
struct kind {
    const char *name;
    char letter;
    uint32_t bits;
    bool is_signed;            // integers
    struct soft_format format; // floats; exponent 0: an integer
};
static const struct kind kinds[] = {
    { "f16", 'h', 16, false, { 5, 10 } }, { "bf16", 'h', 16, false, { 8, 7 } },
    { "f32", 'b', 32, false, { 8, 23 } }, { "f64", 'l', 64, false, { 11, 52 } },
    { "u8", 'h', 8, false, { 0, 0 } },    { "s8", 'h', 8, true, { 0, 0 } },
    { "u16", 'h', 16, false, { 0, 0 } },  { "s16", 'h', 16, true, { 0, 0 } },
    { "u32", 'b', 32, false, { 0, 0 } },  { "s32", 'b', 32, true, { 0, 0 } },
    { "u64", 'l', 64, false, { 0, 0 } },  { "s64", 'l', 64, true, { 0, 0 } },
};
enum { KINDS = CUC_LENGTH(kinds), FLOATS = 4 };

static uint32_t float_bits(struct soft_format f)
{
    return (uint32_t)(1 + f.exponent + f.mantissa);
}
static uint64_t sign_of(struct soft_format f)
{
    return UINT64_C(1) << (float_bits(f) - 1);
}
static uint64_t infinity_of(struct soft_format f)
{
    return (uint64_t)((1 << f.exponent) - 1) << f.mantissa;
}
static bool is_nan(uint64_t x, struct soft_format f)
{
    return (x & (sign_of(f) - 1)) > infinity_of(f);
}
static uint64_t flushed(uint64_t x, struct soft_format f)
{
    return x & infinity_of(f) ? x : x & sign_of(f);
}

// Applies the flags after rounding, and the type's own NaN.
static uint64_t finished(uint64_t d, struct soft_format f, int flags)
{
    uint64_t one = (uint64_t)((1 << (f.exponent - 1)) - 1) << f.mantissa;
    bool nan = is_nan(d, f);
    if (flags & T_FTZ)
        d = flushed(d, f);
    if (flags & T_SAT)
        return nan || d & sign_of(f) ? 0 : d < one ? d : one;
    if (nan)
        return f.exponent == 11 ? d : sign_of(f) - 1;
    return flags & T_RELU && d & sign_of(f) ? 0 : d;
}

static const char *const arithmetic[] = { "add", "sub", "mul", "fma", "div", "rcp", "sqrt" };

static uint64_t expect_arithmetic(const struct trial *t, const uint64_t *given)
{
    const struct soft_format f = t->format;
    uint64_t in[3];
    struct soft x[3], d;
    for (int k = 0; k < 3; k++) {
        in[k] = t->flags & T_FTZ ? flushed(given[k], f) : given[k];
        x[k] = soft_decode(in[k], f);
    }
    switch (t->operation) {
    case 0:
    case 1:
        x[1].negative = x[1].negative != (t->operation == 1);
        d = soft_add(x[0], x[1], t->mode);
        break;
    case 2:
        d = soft_multiply(x[0], x[1]);
        break;
    case 3:
        d = soft_add(soft_multiply(x[0], x[1]), x[2], t->mode);
        break;
    case 4:
        d = soft_divide(x[0], x[1]);
        break;
    case 5:
        d = soft_divide((struct soft){ .kind = SOFT_FINITE, .m = 1 }, x[0]);
        break;
    default:
        d = soft_root(x[0]);
    }
    if (d.kind == SOFT_NAN && f.exponent == 11) {
        // The NaN that results, as on an H200, by operation.
        static const char *const order[] = { "10", "10", "10", "120", "01", "0", "0" };
        for (const char *k = order[t->operation]; *k; k++)
            if (is_nan(in[*k - '0'], f))
                return in[*k - '0'] | UINT64_C(1) << 51;
        return UINT64_C(0xfff8000000000000);
    }
    // .ftz tests the result for subnormality as if the exponent range were unlimited.
    const struct soft_format wide = { f.exponent + 2, f.mantissa };
    const uint64_t least = (uint64_t)((1 << (wide.exponent - 1)) + 1 - (1 << (f.exponent - 1)))
                           << f.mantissa;
    const bool tiny = t->flags & T_FTZ && f.exponent < 11 && d.kind == SOFT_FINITE &&
                      (soft_encode(d, wide, t->mode) & (sign_of(wide) - 1)) < least;
    return finished(soft_encode(d, f, t->mode) & (tiny ? sign_of(f) : UINT64_MAX), f, t->flags);
}

static uint64_t expect_pair(const struct trial *t, const uint64_t *x)
{
    const uint32_t bits = float_bits(t->format);
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    struct trial one = *t;
    uint64_t d = 0;
    one.expect = t->operation >= 20 ? NULL : expect_arithmetic;
    for (uint32_t at = 0; at < 2 * bits; at += bits) {
        uint64_t half[SOURCES] = { x[0] >> at & mask, x[1] >> at & mask, x[2] >> at & mask };
        d |= expect_arithmetic(&one, half) << at;
    }
    return d;
}

static void attempt_arithmetic(const char *type, char letter, struct soft_format f, int operation,
                               int mode, int flags, bool pair)
{
    char text[64] = "", in[4] = "";
    const int sources = operation == 3 ? 3 : operation > 4 ? 1 : 2;
    say(text, sizeof(text), "%s%s", arithmetic[operation], mode_words[mode]);
    for (int k = 0; k < 6; k++)
        say(text, sizeof(text), "%s", flags >> k & 1 ? flag_words[k] : "");
    say(text, sizeof(text), ".%s", type);
    memset(in, letter, (size_t)sources);
    struct trial t = { .text = text,
                       .in = in,
                       .out = letter,
                       .operation = operation,
                       .mode = (enum soft_mode)mode,
                       .flags = flags,
                       .format = f,
                       .expect = pair ? expect_pair : expect_arithmetic,
                       .arch = 100 };
    attempt(&t);
}

START_TEST(f32_and_f64_round_once_in_every_direction)
{
    for (int mode = 0; mode < 4; mode++) {
        for (int flags = 0; flags < 4; flags++)
            if (_i < 4 || !(flags & T_SAT))
                attempt_arithmetic("f32", 'b', SOFT_F32, _i, mode, flags, false);
        attempt_arithmetic("f64", 'l', SOFT_F64, _i, mode, 0, false);
        for (int flags = 0; flags < 2 && _i < 4; flags++)
            attempt_arithmetic("f32x2", 'l', SOFT_F32, _i, mode, flags, true);
    }
}
END_TEST

START_TEST(halves_round_once)
{
    static const int of_f16[] = { 0, T_FTZ, T_SAT, T_FTZ | T_SAT, T_RELU, T_FTZ | T_RELU };
    for (int k = 0; k < (_i == 3 ? 6 : 4); k++) {
        attempt_arithmetic("f16", 'h', SOFT_F16, _i, 0, of_f16[k], false);
        attempt_arithmetic("f16x2", 'b', SOFT_F16, _i, 0, of_f16[k], true);
    }
    for (int flags = 0; flags <= (_i == 3 ? T_RELU : 0); flags += T_RELU) {
        attempt_arithmetic("bf16", 'h', SOFT_BF16, _i, 0, flags, false);
        attempt_arithmetic("bf16x2", 'b', SOFT_BF16, _i, 0, flags, true);
    }
}
END_TEST

// Minimum and maximum, by ordering the codes.
static int64_t order(uint64_t x, struct soft_format f)
{
    int64_t magnitude = (int64_t)(x & (sign_of(f) - 1));
    return x & sign_of(f) ? -1 - magnitude : magnitude;
}
static uint64_t selected(const struct trial *t, uint64_t a, uint64_t b)
{
    const struct soft_format f = t->format;
    uint64_t sign = t->flags & T_XORSIGN ? (a ^ b) & sign_of(f) : 0;
    if (t->flags & T_FTZ) {
        a = flushed(a, f);
        b = flushed(b, f);
    }
    if (t->flags & T_XORSIGN) {
        a &= sign_of(f) - 1;
        b &= sign_of(f) - 1;
    }
    if (is_nan(a, f) && is_nan(b, f))
        return f.exponent == 11 ? b | UINT64_C(1) << 51 : sign_of(f) - 1;
    if (is_nan(a, f) || is_nan(b, f))
        return t->flags & T_NAN ? sign_of(f) - 1 : (is_nan(a, f) ? b : a) | sign;
    return ((order(a, f) < order(b, f)) == (t->operation == 0) ? a : b) | sign;
}
static uint64_t expect_select(const struct trial *t, const uint64_t *x)
{
    const uint32_t bits = float_bits(t->format), whole = t->out == 'h'   ? 16
                                                         : t->out == 'l' ? 64
                                                                         : 32;
    uint64_t d = 0, mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (uint32_t at = 0; at < whole; at += bits)
        d |= selected(t, x[0] >> at & mask, x[1] >> at & mask) << at;
    return d;
}
START_TEST(min_and_max_order_zeros_and_mind_nan)
{
    static const struct {
        const char *type;
        char letter;
        struct soft_format format;
        int flags;
    } types[] = { { "f32", 'b', { 8, 23 }, T_FTZ | T_NAN | T_XORSIGN },
                  { "f16", 'h', { 5, 10 }, T_FTZ | T_NAN | T_XORSIGN },
                  { "f16x2", 'b', { 5, 10 }, T_FTZ | T_NAN | T_XORSIGN },
                  { "bf16", 'h', { 8, 7 }, T_NAN | T_XORSIGN },
                  { "bf16x2", 'b', { 8, 7 }, T_NAN | T_XORSIGN },
                  { "f64", 'l', { 11, 52 }, 0 } };
    for (int flags = 0; flags < T_ALL; flags++) {
        for (int max = 0; max < 2; max++) {
            char text[64] = "", in[3] = { types[_i].letter, types[_i].letter, 0 };
            if (flags & ~types[_i].flags)
                continue;
            say(text, sizeof(text), "%s%s%s%s.%s", max ? "max" : "min", flags & T_FTZ ? ".ftz" : "",
                flags & T_NAN ? ".NaN" : "", flags & T_XORSIGN ? ".xorsign.abs" : "",
                types[_i].type);
            struct trial t = { .text = text,
                               .in = in,
                               .out = types[_i].letter,
                               .operation = max,
                               .flags = flags,
                               .format = types[_i].format,
                               .expect = expect_select };
            attempt(&t);
        }
    }
}
END_TEST

// Conversions.
struct conversion {
    const struct kind *to, *from;
    bool integral;
};
static struct conversion converted;

static struct soft integral_of(struct soft x, enum soft_mode mode)
{
    if (x.kind != SOFT_FINITE)
        return x;
    // 2 * 2^120 has an ulp of 1 in a format with enough bits.
    bool sticky = false, half = false;
    for (; x.e < 0; x.e++) {
        sticky = sticky || half;
        half = x.m & 1;
        x.m >>= 1;
    }
    bool up = mode == SOFT_RN   ? half && (sticky || (x.m & 1))
              : mode == SOFT_RM ? x.negative && (half || sticky)
              : mode == SOFT_RP ? !x.negative && (half || sticky)
                                : false;
    x.m += up;
    x.kind = x.m ? SOFT_FINITE : SOFT_ZERO;
    return x;
}

static uint64_t expect_cvt(const struct trial *t, const uint64_t *given)
{
    const struct kind *to = converted.to, *from = converted.from;
    const bool ftz = t->flags & T_FTZ;
    uint64_t in = given[0] & (from->bits == 64 ? UINT64_MAX : (UINT64_C(1) << from->bits) - 1);
    struct soft x;

    if (from->format.exponent) {
        // .ftz has no effect on results of f16.
        if (ftz && from->bits >= 16 && from->format.exponent == 8 && to->format.exponent != 5)
            in = flushed(in, from->format);
        x = soft_decode(in, from->format);
    } else {
        bool negative = from->is_signed && in >> (from->bits - 1);
        uint64_t magnitude =
            negative ? 0 - (from->bits == 64 ? in : in | ~UINT64_C(0) << from->bits) : in;
        x = soft_integer(negative, magnitude);
    }
    if (to->format.exponent) {
        // As on an H200: NaNs among f32 and bf16 keep their bits; to and from f64 they keep sign
        // and fraction and become quiet; all others become the canonical NaN.
        const bool wide = to->bits == 64, was_wide = from->bits == 64;
        if (x.kind == SOFT_NAN && !t->flags && to->bits == 32 && !was_wide && !converted.integral &&
            from->format.exponent == 8)
            return from->bits == 32 ? in : in << 16;
        if (x.kind == SOFT_NAN && ftz && wide && from->bits == 32 && !(t->flags & T_SAT))
            return UINT64_C(0x7fffffffe0000000);
        if (x.kind == SOFT_NAN && (wide || was_wide) && !(t->flags & (T_SAT | T_RELU))) {
            const int room = to->format.mantissa, had = from->format.mantissa;
            const uint64_t fraction = in & ((UINT64_C(1) << had) - 1);
            return (in >> (from->bits - 1) & 1) << (to->bits - 1) | infinity_of(to->format) |
                   UINT64_C(1) << (room - 1) |
                   (room > had ? fraction << (room - had) : fraction >> (had - room));
        }
        if (converted.integral)
            x = integral_of(x, t->mode);
        if (t->flags & T_RELU && x.negative && x.kind != SOFT_NAN)
            x = (struct soft){ .kind = SOFT_ZERO };
        uint64_t d =
            soft_round(x, to->format, t->mode, infinity_of(to->format), t->flags & T_SATFINITE);
        return finished(d, to->format, (t->flags & T_SAT) | (ftz && to->bits == 32 ? T_FTZ : 0));
    }
    bool from_float = from->format.exponent != 0;
    if (from_float)
        x = integral_of(x, t->mode);
    s128 value = 0;
    if (x.kind == SOFT_NAN)
        value = from->bits == 64 || to->bits == 64 ? (s128)1 << (to->bits - 1) : 0;
    else if (x.kind == SOFT_INFINITE ||
             (x.kind == SOFT_FINITE && x.e > 0 && soft_top(x.m) + x.e > 70))
        value = (s128)1 << 100;
    else if (x.kind == SOFT_FINITE)
        value = (s128)(x.m << x.e);
    if (x.negative)
        value = -value;
    if (x.kind != SOFT_NAN && (from_float || t->flags & T_SAT)) {
        s128 high = ((s128)1 << (to->bits - to->is_signed)) - 1;
        s128 low = to->is_signed ? -high - 1 : 0;
        value = clamped(value, low, high);
    }
    // An 8-bit value occupies a 16-bit register, extended.
    uint64_t d = (uint64_t)value;
    if (to->bits == 8)
        d = to->is_signed ? (uint64_t)(int64_t)(int8_t)d : d & 0xff;
    return d;
}

static bool is_bf16(const struct kind *k)
{
    return k->bits == 16 && k->format.exponent == 8;
}

START_TEST(every_type_converts_to_every_other)
{
    const struct kind *to = &kinds[_i / KINDS], *from = &kinds[_i % KINDS];
    const bool tf = to->format.exponent, ff = from->format.exponent, same = to == from;
    const bool integral = ff && (!tf || same);
    const bool exact = same || (tf && ff && to->bits > from->bits) || (!tf && !ff);
    char in[2] = { from->letter, 0 };

    for (int mode = exact && !integral ? -1 : 0; mode < (exact && !integral ? 0 : 4); mode++) {
        for (int flags = 0; flags < 16; flags++) {
            char text[64] = "cvt";
            bool f32 = to->bits == 32 && tf, from32 = from->bits == 32 && ff;
            if (((flags & T_FTZ) && !f32 && !from32) || ((flags & T_FTZ) && !ff) ||
                ((flags & T_SAT) && ff && !tf) ||
                ((flags & T_SAT) && (is_bf16(to) || is_bf16(from))) ||
                ((flags & (T_RELU | T_SATFINITE)) &&
                 (flags & (T_SAT | T_FTZ) || to->bits != 16 || !tf || !from32 || mode > 1)))
                continue;
            if (mode >= 0)
                say(text, sizeof(text), "%s", integral ? integral_words[mode] : mode_words[mode]);
            for (int k = 0; k < 6; k++)
                say(text, sizeof(text), "%s", flags >> k & 1 ? flag_words[k] : "");
            say(text, sizeof(text), ".%s.%s", to->name, from->name);
            struct trial t = { .text = text,
                               .in = in,
                               .out = to->letter,
                               .expect = expect_cvt,
                               .mode = mode < 0 ? SOFT_RN : (enum soft_mode)mode,
                               .flags = flags };
            converted = (struct conversion){ to, from, integral && tf };
            attempt(&t);
        }
    }
    if (same && tf) {
        struct trial t = { .in = in, .out = to->letter, .expect = expect_cvt };
        char text[64] = "";
        say(text, sizeof(text), "cvt.%s.%s", to->name, from->name);
        t.text = text;
        converted = (struct conversion){ to, from, false };
        if (to->bits != 64)
            attempt(&t);
    }
}
END_TEST

// Pairs and the small formats.
static uint64_t small(uint64_t bits, struct soft_format from, int operation, int flags,
                      enum soft_mode mode)
{
    struct soft x = soft_decode(bits, from);
    if (flags & T_RELU && x.negative && x.kind != SOFT_NAN)
        x = (struct soft){ .kind = SOFT_ZERO };
    bool clamp = flags & T_SATFINITE;
    x.negative = x.negative && x.kind != SOFT_NAN;
    switch (operation) {
    case 0:
        return soft_round(x, SOFT_F16, mode, 0x7c00, clamp);
    case 1:
        return soft_round(x, SOFT_BF16, mode, 0x7f80, clamp);
    case 2: // the code of 480 is NaN's
        return soft_round(x, (struct soft_format){ 4, 3 }, mode, 0x7f, clamp);
    case 3:
        return soft_round(x, (struct soft_format){ 5, 2 }, mode, 0x7c, clamp);
    default:
        return soft_round(x, SOFT_TF32, mode, 0xff << 10, clamp) << 13;
    }
}
static uint64_t expect_small(const struct trial *t, const uint64_t *x)
{
    if (t->operation == 4 && t->mode == SOFT_RNA && is_nan(x[0], SOFT_F32)) {
        // Rounded as if the code were a number, but no further than the largest NaN code; with
        // .satfinite one less.
        const uint64_t sign = x[0] & 0x80000000, up = (x[0] & 0x7fffffff) + 0x1000;
        return sign | ((up > 0x7fffe000 ? 0x7fffe000 : up & 0x7fffe000) -
                       (t->flags & T_SATFINITE ? 0x2000 : 0));
    }
    if (t->operation == 4)
        return small(x[0], SOFT_F32, 4, t->flags, t->mode);
    uint32_t by = t->operation < 2 ? 16 : 8;
    return small(x[0], SOFT_F32, t->operation, t->flags, t->mode) << by |
           small(x[1], SOFT_F32, t->operation, t->flags, t->mode);
}
static uint64_t expect_from_halves(const struct trial *t, const uint64_t *x)
{
    return small(x[0] >> 16, SOFT_F16, t->operation, t->flags, t->mode) << 8 |
           small(x[0] & 0xffff, SOFT_F16, t->operation, t->flags, t->mode);
}
static uint64_t expect_to_halves(const struct trial *t, const uint64_t *x)
{
    uint64_t d = 0;
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t code = x[0] >> (8 * k) & 0xff;
        struct soft_format f = t->operation == 2 ? (struct soft_format){ 4, 3 }
                                                 : (struct soft_format){ 5, 2 };
        struct soft v = soft_decode(code, f);
        // e4m3 has no infinity: its highest exponent encodes numbers, except for the last code.
        if (t->operation == 2 && (code & 0x78) == 0x78)
            v = (code & 0x7f) == 0x7f
                    ? (struct soft){ .kind = SOFT_NAN }
                    : (struct soft){
                          .kind = SOFT_FINITE, .negative = code >> 7, .m = 8 | (code & 7), .e = 5
                      };
        v.negative = v.negative && v.kind != SOFT_NAN;
        if (t->flags & T_RELU && v.negative)
            v = (struct soft){ .kind = SOFT_ZERO };
        d |= soft_encode(v, SOFT_F16, SOFT_RN) << (16 * k);
    }
    return d;
}
static const struct trial smalls[] = {
    { "cvt.rn.f16x2.f32",
      "bb",
      NULL,
      'b',
      expect_small,
      NULL,
      0,
      0,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rz.f16x2.f32",
      "bb",
      NULL,
      'b',
      expect_small,
      NULL,
      0,
      0,
      SOFT_RZ,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.relu.f16x2.f32",
      "bb",
      NULL,
      'b',
      expect_small,
      NULL,
      0,
      T_RELU,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.satfinite.f16x2.f32",
      "bb",
      NULL,
      'b',
      expect_small,
      NULL,
      0,
      T_SATFINITE,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.bf16x2.f32",
      "bb",
      NULL,
      'b',
      expect_small,
      NULL,
      1,
      0,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rz.relu.bf16x2.f32",
      "bb",
      NULL,
      'b',
      expect_small,
      NULL,
      1,
      T_RELU,
      SOFT_RZ,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.satfinite.e4m3x2.f32",
      "bb",
      NULL,
      'h',
      expect_small,
      NULL,
      2,
      T_SATFINITE,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.satfinite.relu.e4m3x2.f32",
      "bb",
      NULL,
      'h',
      expect_small,
      NULL,
      2,
      T_SATFINITE | T_RELU,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.satfinite.e5m2x2.f32",
      "bb",
      NULL,
      'h',
      expect_small,
      NULL,
      3,
      T_SATFINITE,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.satfinite.e4m3x2.f16x2",
      "b",
      NULL,
      'h',
      expect_from_halves,
      NULL,
      2,
      T_SATFINITE,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.satfinite.relu.e5m2x2.f16x2",
      "b",
      NULL,
      'h',
      expect_from_halves,
      NULL,
      3,
      T_SATFINITE | T_RELU,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.f16x2.e4m3x2",
      "h",
      NULL,
      'b',
      expect_to_halves,
      NULL,
      2,
      0,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.relu.f16x2.e4m3x2",
      "h",
      NULL,
      'b',
      expect_to_halves,
      NULL,
      2,
      T_RELU,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.f16x2.e5m2x2",
      "h",
      NULL,
      'b',
      expect_to_halves,
      NULL,
      3,
      0,
      SOFT_RN,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rna.tf32.f32",
      "b",
      NULL,
      'b',
      expect_small,
      NULL,
      4,
      0,
      SOFT_RNA,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rn.tf32.f32", "b", NULL, 'b', expect_small, NULL, 4, 0, SOFT_RN, { 0, 0 }, { 0, 0 }, 0 },
    { "cvt.rz.relu.tf32.f32",
      "b",
      NULL,
      'b',
      expect_small,
      NULL,
      4,
      T_RELU,
      SOFT_RZ,
      { 0, 0 },
      { 0, 0 },
      0 },
    { "cvt.rna.satfinite.tf32.f32",
      "b",
      NULL,
      'b',
      expect_small,
      NULL,
      4,
      T_SATFINITE,
      SOFT_RNA,
      { 0, 0 },
      { 0, 0 },
      0 },
};
START_TEST(small_formats_round_as_told)
{
    attempt(&smalls[_i]);
}
END_TEST

// Comparisons: setp with both destinations and a third predicate, and set.
static const char *const hows[] = { "eq",  "ne",  "lt",  "le",  "gt",  "ge", "equ", "neu", "ltu",
                                    "leu", "gtu", "geu", "num", "nan", "lo", "ls",  "hi",  "hs" };
static const char *const joins[] = { "", ".and", ".or", ".xor" };
static bool compared(const struct kind *k, bool ftz, int how, uint64_t a, uint64_t b)
{
    bool unordered = false, less, equal;
    if (k->format.exponent) {
        a = ftz ? flushed(a, k->format) : a;
        b = ftz ? flushed(b, k->format) : b;
        unordered = is_nan(a, k->format) || is_nan(b, k->format);
        equal = a == b || ((a | b) & (sign_of(k->format) - 1)) == 0;
        less = !equal && order(a, k->format) < order(b, k->format);
    } else {
        uint64_t flip = k->is_signed ? UINT64_C(1) << (k->bits - 1) : 0;
        equal = a == b;
        less = (a ^ flip) < (b ^ flip);
    }
    if (how >= 14)
        how = (int[]){ 2, 3, 4, 5 }[how - 14];
    if (how >= 12)
        return unordered == (how == 13);
    if (unordered)
        return how >= 6;
    bool results[] = { equal, !equal, less, less || equal, !less && !equal, !less };
    return results[how % 6];
}
static const struct {
    const char *name;
    struct kind kind;
    int first, last; // indices in hows; from 14 on for unsigned types
    bool ftz;
} compared_types[] = {
    { "b16", { "", 'h', 16, false, { 0, 0 } }, 0, 1, false },
    { "b64", { "", 'l', 64, false, { 0, 0 } }, 0, 1, false },
    { "u16", { "", 'h', 16, false, { 0, 0 } }, 0, 5, false },
    { "s16", { "", 'h', 16, true, { 0, 0 } }, 0, 5, false },
    { "u32", { "", 'b', 32, false, { 0, 0 } }, 0, 5, false },
    { "s32", { "", 'b', 32, true, { 0, 0 } }, 0, 5, false },
    { "u64", { "", 'l', 64, false, { 0, 0 } }, 0, 5, false },
    { "s64", { "", 'l', 64, true, { 0, 0 } }, 0, 5, false },
    { "f16", { "", 'h', 16, false, { 5, 10 } }, 0, 13, true },
    { "bf16", { "", 'h', 16, false, { 8, 7 } }, 0, 13, false },
    { "f32", { "", 'b', 32, false, { 8, 23 } }, 0, 13, true },
    { "f64", { "", 'l', 64, false, { 11, 52 } }, 0, 13, false },
};

// Runs a body over drawn values; `out` has 32 bits a thread.
static void run_body(const char *in, const char *body, uint32_t *out)
{
    static unsigned char bytes[SOURCES * COUNT * 8];
    size_t at = 0;
    draw_values(in);
    for (uint32_t k = 0; in[k]; k++) {
        uint32_t each = letter_bytes(in[k]);
        for (uint32_t n = 0; n < COUNT; n++, at += each)
            memcpy(bytes + at, &values[k][n], each);
    }
    struct exercise x = {
        .inputs = in, .outputs = "b", .body = body, .blocks = BLOCKS, .threads = THREADS
    };
    ck_assert_msg(exercise(&x, bytes, out, NULL, 0) == 0, "%s: %s", body, harness_report());
}

START_TEST(comparisons_order_and_join)
{
    static uint32_t out[COUNT];
    const struct kind *k = &compared_types[_i].kind;
    const char *name = compared_types[_i].name;
    const char in[3] = { k->letter, k->letter, 0 };
    for (int how = 0; how < LENGTH_OF(hows); how++) {
        if (how > compared_types[_i].last && (how < 14 || name[0] != 'u'))
            continue;
        const int join = how % 4, ftz = compared_types[_i].ftz && how & 1;
        // Comparisons of halves have no second predicate, and a numeric result has the halves' own
        // format.
        const bool half = k->bits == 16 && k->format.exponent;
        char body[1024] = "";
        say(body, sizeof(body),
            "and.b32 %%r1, %%t, 3;\nsetp.eq.u32 %%p3, %%r1, 1;\nsetp.ne.u32 %%p4, %%r1, 0;\n"
            "setp.ne.u32 %%p1, 0, 0;\nsetp.ne.u32 %%p2, 0, 0;\n"
            "@%%p4 setp.%s%s%s.%s %%p1%s, %%i0, %%i1%s;\n"
            "selp.b32 %%o0, 1, 0, %%p1;\n@%%p2 or.b32 %%o0, %%o0, 2;\n"
            "set.%s%s%s.u32.%s %%r2, %%i0, %%i1%s;\nand.b32 %%r2, %%r2, 4;\nor.b32 %%o0, %%o0, "
            "%%r2;\n"
            "set.%s%s.%s.%s %s, %%i0, %%i1;\nsetp.eq.%s;\n@%%p5 or.b32 %%o0, %%o0, 8;\n",
            hows[how], joins[join], ftz ? ".ftz" : "", name, half ? "" : "|%p2",
            join ? ", !%p3" : "", hows[how], joins[join], ftz ? ".ftz" : "", name,
            join ? ", %p3" : "", hows[how], ftz ? ".ftz" : "", half ? name : "f32", name,
            half ? "%h1" : "%f1",
            !half                     ? "f32 %p5, %f1, 0f3f800000"
            : k->format.exponent == 5 ? "b16 %p5, %h1, 0x3c00"
                                      : "b16 %p5, %h1, 0x3f80");
        run_body(in, body, out);
        for (uint32_t n = 0; n < COUNT; n++) {
            bool t = compared(k, ftz, how, values[0][n], values[1][n]), c = (n & 3) == 1;
            bool p[3] = { t, !t, t }, with[3] = { !c, !c, c };
            uint32_t want = t ? 8 : 0;
            for (int i = 0; i < 3; i++) {
                bool r = join == 1   ? p[i] && with[i]
                         : join == 2 ? p[i] || with[i]
                         : join == 3 ? p[i] != with[i]
                                     : p[i];
                if (r && (i == 2 || n & 3) && (i != 1 || !half))
                    want |= 1u << i;
            }
            ck_assert_msg(out[n] == want, "%s.%s of %llx %llx in thread %u: %x, not %x", hows[how],
                          name, (unsigned long long)values[0][n], (unsigned long long)values[1][n],
                          n, out[n], want);
        }
    }
}
END_TEST

START_TEST(pairs_compare_half_by_half)
{
    static uint32_t out[COUNT];
    const struct kind half = { "", 'h', 16, false, { _i ? 8 : 5, _i ? 7 : 10 } };
    const char *name = _i ? "bf16x2" : "f16x2";
    for (int how = 0; how < 14; how++) {
        char body[512] = "";
        say(body, sizeof(body),
            "setp.%s.%s %%p1|%%p2, %%i0, %%i1;\nselp.b32 %%o0, 1, 0, %%p1;\n"
            "@%%p2 or.b32 %%o0, %%o0, 2;\nset.%s.%s.%s %%r1, %%i0, %%i1;\n"
            "and.b32 %%r1, %%r1, 0x10001000;\nset.%s.u32.%s %%r2, %%i0, %%i1;\n"
            "and.b32 %%r2, %%r2, 0x40004;\nor.b32 %%o0, %%o0, %%r1;\nor.b32 %%o0, %%o0, %%r2;\n",
            hows[how], name, hows[how], name, name, hows[how], name);
        run_body("bb", body, out);
        for (uint32_t n = 0; n < COUNT; n++) {
            bool low = compared(&half, false, how, values[0][n] & 0xffff, values[1][n] & 0xffff);
            bool high = compared(&half, false, how, values[0][n] >> 16, values[1][n] >> 16);
            const uint32_t one = (_i ? 0x3f80 : 0x3c00) & 0x1000;
            ck_assert_uint_eq(out[n],
                              (low ? 1 | one | 4 : 0) | (high ? 2 | one << 16 | 0x40000 : 0));
        }
    }
}
END_TEST

START_TEST(testp_knows_classes)
{
    static uint32_t out[COUNT];
    for (int f64 = 0; f64 < 2; f64++) {
        const struct soft_format f = f64 ? SOFT_F64 : SOFT_F32;
        char body[1024] = "mov.u32 %o0, 0;\n";
        static const char *const names[] = { "finite",     "infinite", "number",
                                             "notanumber", "normal",   "subnormal" };
        for (int k = 0; k < 6; k++)
            say(body, sizeof(body), "testp.%s.f%d %%p1, %%i0;\n@%%p1 or.b32 %%o0, %%o0, %d;\n",
                names[k], f64 ? 64 : 32, 1 << k);
        run_body(f64 ? "l" : "b", body, out);
        for (uint32_t n = 0; n < COUNT; n++) {
            uint64_t code = values[0][n];
            struct soft x = soft_decode(code, f);
            bool small_one = x.kind == SOFT_FINITE && !(code & infinity_of(f));
            bool finite = x.kind == SOFT_FINITE || x.kind == SOFT_ZERO;
            bool is[] = { finite,
                          x.kind == SOFT_INFINITE,
                          x.kind != SOFT_NAN,
                          x.kind == SOFT_NAN,
                          finite && !small_one,
                          small_one };
            uint32_t want = 0;
            for (int k = 0; k < 6; k++)
                want |= (uint32_t)is[k] << k;
            ck_assert_uint_eq(out[n], want);
        }
    }
}
END_TEST

// Several instructions that belong together; the oracle gives 32 bits.
static uint32_t chain_sum(uint64_t a, uint64_t b, uint64_t c)
{
    soft_big x = (soft_big)b << 64 | a, y = (soft_big)a << 64 | c;
    soft_big sum = x + y, difference = x - y;
    return (uint32_t)((sum >> 96) ^ (sum >> 32) ^ (sum < x)) ^ (uint32_t)(difference >> 96);
}
static uint32_t chain_product(uint64_t a, uint64_t b, uint64_t c)
{
    soft_big product = (soft_big)a * b + c;
    return (uint32_t)(product ^ product >> 32 ^ product >> 64 ^ product >> 96);
}
static uint32_t chain_vectors(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return (uint32_t)(a >> 48 ^ (a >> 16 & 0xffff) ^ b >> 32 ^ (b & 0xff) << 24) ^ 7;
}
static uint32_t chain_wide(uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return (uint32_t)((int64_t)(int8_t)a >> 32) ^ (uint32_t)(uint16_t)b;
}
static const struct {
    const char *body;
    uint32_t (*expect)(uint64_t a, uint64_t b, uint64_t c);
} chains[] = {
    { "add.cc.u64 %x0, %i0, %i2;\naddc.cc.u64 %x1, %i1, %i0;\naddc.u32 %r1, 0, 0;\n"
      "sub.cc.u64 %x2, %i0, %i2;\nsubc.u64 %x3, %i1, %i0;\n"
      "mov.b64 {%r2, %r3}, %x0;\nmov.b64 {%r4, %r5}, %x1;\nmov.b64 {_, %r6}, %x3;\n"
      "xor.b32 %o0, %r5, %r3;\nxor.b32 %o0, %o0, %r1;\nxor.b32 %o0, %o0, %r6;",
      chain_sum },
    { "mad.lo.cc.u64 %x0, %i0, %i1, %i2;\nmadc.hi.u64 %x1, %i0, %i1, 0;\n"
      "mov.b64 {%r2, %r3}, %x0;\nmov.b64 {%r4, %r5}, %x1;\nxor.b32 %o0, %r2, %r3;\n"
      "xor.b32 %o0, %o0, %r4;\nxor.b32 %o0, %o0, %r5;",
      chain_product },
    { "mov.b64 {%r1, %r2}, %i0;\nmov.b64 {%r3, %r4}, %i1;\nmov.b64 {%r7, %r8}, %i2;\n"
      "mul.lo.u32 %r5, %r1, %r3;\nmul.hi.u32 %r6, %r1, %r3;\nadd.cc.u32 %r5, %r5, %r7;\n"
      "addc.cc.u32 %r6, %r6, %r8;\naddc.u32 %r9, 0, 0;\n"
      "mad.lo.cc.u32 %r6, %r2, %r3, %r6;\nmadc.hi.cc.u32 %r9, %r2, %r3, %r9;\naddc.u32 %r10, 0, "
      "0;\n"
      "mad.lo.cc.u32 %r6, %r1, %r4, %r6;\nmadc.hi.cc.u32 %r9, %r1, %r4, %r9;\naddc.u32 %r10, %r10, "
      "0;\n"
      "mad.lo.cc.u32 %r9, %r2, %r4, %r9;\nmadc.hi.u32 %r10, %r2, %r4, %r10;\n"
      "xor.b32 %o0, %r5, %r6;\nxor.b32 %o0, %o0, %r9;\nxor.b32 %o0, %o0, %r10;",
      chain_product },
    { "mov.b64 {%h0, %h1, %h2, %h3}, %i0;\nmov.b32 %r1, {%h3, 0};\nmov.b128 %q0, {%i0, %i1};\n"
      "mov.b128 %q1, %q0;\nmov.b128 {_, %x1}, %q1;\nmov.b64 {%r2, %r3}, %x1;\n"
      "mov.b64 %x2, {%r2, 7};\nmov.b64 {%r4, %r5}, %x2;\ncvt.u32.u16 %r6, %h1;\n"
      "shl.b32 %r4, %r4, 24;\nxor.b32 %o0, %r1, %r6;\nxor.b32 %o0, %o0, %r3;\n"
      "xor.b32 %o0, %o0, %r4;\nxor.b32 %o0, %o0, %r5;",
      chain_vectors },
    { "cvt.s64.s8 %x0, %i0;\nmov.b64 {_, %r1}, %x0;\ncvt.u16.u64 %r2, %i1;\nxor.b32 %o0, %r1, %r2;",
      chain_wide },
    { "setp.ne.s64 %p1, %i0, %i1;\nsetp.lt.u64 %p2, %i1, %i2;\nand.pred %p3, %p1, %p2;\n"
      "xor.pred %p4, %p1, %p2;\nnot.pred %p5, %p3;\nor.pred %p6, %p4, %p3;\nmov.pred %p7, %p6;\n"
      "mov.pred %p6, 1;\nselp.b32 %o0, 1, 0, %p3;\n@%p4 add.u32 %o0, %o0, 2;\n"
      "@%p5 add.u32 %o0, %o0, 4;\n@%p7 add.u32 %o0, %o0, 8;\n@!%p6 add.u32 %o0, %o0, 16;",
      NULL },
};
START_TEST(instructions_that_belong_together)
{
    static uint32_t out[COUNT];
    run_body("lll", chains[_i].body, out);
    for (uint32_t n = 0; n < COUNT; n++) {
        uint64_t a = values[0][n], b = values[1][n], c = values[2][n];
        bool p = a != b, q = b < c;
        uint32_t want = chains[_i].expect
                            ? chains[_i].expect(a, b, c)
                            : (p && q) + 2u * (p != q) + 4u * !(p && q) + 8u * (p || q);
        ck_assert_msg(out[n] == want, "%s of %llx %llx %llx is %x, not %x", chains[_i].body,
                      (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, out[n],
                      want);
    }
}
END_TEST

// Approximations, against long double: within the ISA's bound, and exact where the ISA has a table.
static long double wide(uint64_t bits, char letter)
{
    uint32_t word = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &word, 4);
    memcpy(&d, &bits, 8);
    return letter == 'l' ? (long double)d : (long double)f;
}
static long double half_value(uint64_t h, struct soft_format f)
{
    struct soft x = soft_decode(h, f);
    long double v = x.kind == SOFT_NAN        ? (long double)NAN
                    : x.kind == SOFT_INFINITE ? (long double)INFINITY
                    : x.kind == SOFT_ZERO     ? 0.0L
                                              : ldexpl((long double)x.m, x.e);
    return x.negative ? -v : v;
}
enum { A_EX2, A_LG2, A_SIN, A_COS, A_TANH, A_RSQRT, A_RCP, A_SQRT, A_DIV };
static bool within(const struct trial *t, const uint64_t *x, uint64_t got)
{
    const int what = t->operation;
    const bool half = t->format.exponent != 0, f64 = t->out == 'l', ftz = t->flags & T_FTZ;
    // Only the upper word of an f64 counts, so a NaN with its bits in the lower word is an
    // infinity.
    const uint64_t first = f64 ? x[0] >> 32 << 32 : x[0];
    long double a = half ? half_value(x[0], t->format) : wide(first, t->out);
    long double b = wide(x[1], t->out), least = f64 ? 0x1p-1022L : 0x1p-126L;
    long double d = half ? half_value(got, t->format) : wide(got, t->out), want = 0;
    if ((ftz || f64) && !half) {
        a = fabsl(a) < least ? copysignl(0, a) : a;
        b = fabsl(b) < least ? copysignl(0, b) : b;
    }
    switch (what) {
    case A_EX2:
        want = exp2l(a);
        break;
    case A_LG2:
        want = log2l(a);
        break;
    case A_SIN:
        want = sinl(a);
        break;
    case A_COS:
        want = cosl(a);
        break;
    case A_TANH:
        want = tanhl(a);
        break;
    case A_RSQRT:
        want = 1 / sqrtl(a);
        break;
    case A_RCP:
        want = 1 / a;
        break;
    case A_SQRT:
        want = sqrtl(a);
        break;
    default:
        want = a / b;
    }
    if (what == A_DIV && fabsl(b) > 0x1p126L && fabsl(b) < INFINITY && t->flags & T_NAN)
        want = isinf(a) || isnan(a) ? (long double)NAN : copysignl(0, a) * copysignl(1, b);
    if (isnan(want))
        return half ? got == 0x7fff : f64 ? isnan(d) : got == 0x7fffffff;
    long double size = fabsl(want), bound;
    if (half)
        bound = size * (t->format.exponent == 5 ? what == A_EX2 ? 0x1p-9L : 0x1p-10L : 0x1p-7L) +
                (t->format.exponent == 5 ? 0x1p-25L : 0x1p-134L);
    else if (f64)
        bound = size * 0x1p-20L + 0x1p-1022L;
    else if (what == A_SIN || what == A_COS)
        bound = 0x1p-20L;
    else if (what == A_LG2)
        bound = a >= 0.5L && a <= 2 ? 0x1p-22L : size * 0x1p-22L;
    else
        bound = size * (what == A_TANH ? 0x1p-11L : 0x1p-22L) + 0x1p-149L;
    if (ftz)
        bound += least;
    long double largest = half  ? half_value(infinity_of(t->format) - 1, t->format)
                          : f64 ? 0x1.fffffffffffffp1023L
                                : 0x1.fffffep127L;
    if (isinf(d) || isinf(want) || size > largest)
        return d == want || (isinf(d) && size > largest && signbit(d) == signbit(want)) ||
               (isinf(want) && d == want);
    return fabsl(d - want) <= bound && (want != 0 || signbit(d) == signbit(want));
}
static const struct {
    const char *text, *in;
    char out;
    int what, flags;
    struct soft_format format;
} approximations[] = {
    { "ex2.approx.f32", "b", 'b', A_EX2, 0, { 0, 0 } },
    { "ex2.approx.ftz.f32", "b", 'b', A_EX2, T_FTZ, { 0, 0 } },
    { "lg2.approx.f32", "b", 'b', A_LG2, 0, { 0, 0 } },
    { "lg2.approx.ftz.f32", "b", 'b', A_LG2, T_FTZ, { 0, 0 } },
    { "sin.approx.f32", "b", 'b', A_SIN, 0, { 0, 0 } },
    { "cos.approx.ftz.f32", "b", 'b', A_COS, T_FTZ, { 0, 0 } },
    { "tanh.approx.f32", "b", 'b', A_TANH, 0, { 0, 0 } },
    { "rsqrt.approx.f32", "b", 'b', A_RSQRT, 0, { 0, 0 } },
    { "rsqrt.approx.ftz.f32", "b", 'b', A_RSQRT, T_FTZ, { 0, 0 } },
    { "rcp.approx.ftz.f32", "b", 'b', A_RCP, T_FTZ, { 0, 0 } },
    { "sqrt.approx.f32", "b", 'b', A_SQRT, 0, { 0, 0 } },
    { "div.approx.f32", "bb", 'b', A_DIV, T_NAN, { 0, 0 } },
    { "div.full.ftz.f32", "bb", 'b', A_DIV, T_FTZ, { 0, 0 } },
    { "rcp.approx.ftz.f64", "l", 'l', A_RCP, T_FTZ, { 0, 0 } },
    { "rsqrt.approx.ftz.f64", "l", 'l', A_RSQRT, T_FTZ, { 0, 0 } },
    { "ex2.approx.f16", "h", 'h', A_EX2, 0, { 5, 10 } },
    { "tanh.approx.f16", "h", 'h', A_TANH, 0, { 5, 10 } },
    { "ex2.approx.ftz.bf16", "h", 'h', A_EX2, T_FTZ, { 8, 7 } },
    { "tanh.approx.bf16", "h", 'h', A_TANH, 0, { 8, 7 } },
};
START_TEST(approximations_are_within_their_bounds)
{
    struct trial t = { .text = approximations[_i].text,
                       .in = approximations[_i].in,
                       .out = approximations[_i].out,
                       .near = within,
                       .operation = approximations[_i].what,
                       .flags = approximations[_i].flags,
                       .format = approximations[_i].format };
    attempt(&t);
}
END_TEST

// f32 with a narrow operand.
static uint64_t expect_mixed(const struct trial *t, const uint64_t *x)
{
    struct soft a = soft_decode(x[0], t->from),
                last = soft_decode(x[t->operation == 3 ? 2 : 1], SOFT_F32);
    if (t->operation == 3)
        a = soft_multiply(a, soft_decode(x[1], t->from));
    last.negative = last.negative != (t->operation == 1);
    return finished(soft_encode(soft_add(a, last, t->mode), SOFT_F32, t->mode), SOFT_F32, t->flags);
}
static const struct trial narrow[] = {
    { "add.rn.f32.f16",
      "hb",
      NULL,
      'b',
      expect_mixed,
      NULL,
      0,
      0,
      SOFT_RN,
      { 0, 0 },
      { 5, 10 },
      100 },
    { "add.rz.sat.f32.bf16",
      "hb",
      NULL,
      'b',
      expect_mixed,
      NULL,
      0,
      T_SAT,
      SOFT_RZ,
      { 0, 0 },
      { 8, 7 },
      100 },
    { "sub.rm.f32.bf16",
      "hb",
      NULL,
      'b',
      expect_mixed,
      NULL,
      1,
      0,
      SOFT_RM,
      { 0, 0 },
      { 8, 7 },
      100 },
    { "fma.rn.f32.bf16",
      "hhb",
      NULL,
      'b',
      expect_mixed,
      NULL,
      3,
      0,
      SOFT_RN,
      { 0, 0 },
      { 8, 7 },
      100 },
    { "fma.rp.f32.f16",
      "hhb",
      NULL,
      'b',
      expect_mixed,
      NULL,
      3,
      0,
      SOFT_RP,
      { 0, 0 },
      { 5, 10 },
      100 },
};
START_TEST(f32_takes_narrow_operands)
{
    attempt(&narrow[_i]);
}
END_TEST

// Conversions that other parts of the simulator call: every code, and both sides of every rounding
// boundary.
static uint64_t soft_code(uint32_t f32, struct soft_format f, enum soft_mode mode, uint64_t limit,
                          bool clamp, uint64_t nan)
{
    struct soft x = soft_decode(f32, SOFT_F32);
    return x.kind == SOFT_NAN ? nan : soft_round(x, f, mode, limit, clamp);
}
// Check's assertions are too slow for ten million of these.
#define SAME(got, want)                                                                \
    do {                                                                               \
        uint64_t same_got = (got), same_want = (want);                                 \
        if (same_got != same_want)                                                     \
            ck_abort_msg("%s of code %x is %llx, not %llx", #got, code,                \
                         (unsigned long long)same_got, (unsigned long long)same_want); \
    } while (0)
START_TEST(formats_are_exact_for_every_code)
{
    const struct soft_format e4m3 = { 4, 3 }, e5m2 = { 5, 2 };
    for (uint32_t code = 0; code < 0x10000; code++) {
        uint32_t f16 = sim_bits32(sim_f16_to_f32(code)), bf16 = sim_bits32(sim_bf16_to_f32(code));
        SAME(f16, soft_encode(soft_decode(code, SOFT_F16), SOFT_F32, SOFT_RN) &
                      (is_nan(code, SOFT_F16) ? 0x7fffffff : UINT32_MAX));
        SAME(bf16, is_nan(code, SOFT_BF16) ? 0x7fffffff : code << 16);
        if ((code & 0x7f) < 0x7c && code < 256)
            SAME(sim_bits32(sim_e5m2_to_f32(code)),
                 soft_encode(soft_decode(code, e5m2), SOFT_F32, SOFT_RN));
        if ((code & 0x7f) < 0x78 && code < 256)
            SAME(sim_bits32(sim_e4m3_to_f32(code)),
                 soft_encode(soft_decode(code, e4m3), SOFT_F32, SOFT_RN));
        // At a value, half way to the next, and at the neighbours of both.
        const uint32_t steps[] = { 0x1000, 0x8000 }, at[] = { f16, bf16 };
        for (uint32_t k = 0; k < 12; k++) {
            uint32_t bits = at[k & 1] + (k & 2 ? steps[k & 1] : 0) + k / 4 - 1;
            float x = sim_float32(bits);
            SAME(sim_f32_to_f16(x), soft_code(bits, SOFT_F16, SOFT_RN, 0x7c00, 0, 0x7fff));
            SAME(sim_f32_to_bf16(x), soft_code(bits, SOFT_BF16, SOFT_RN, 0x7f80, 0, 0x7fff));
            SAME(sim_f32_to_e4m3(x), soft_code(bits, e4m3, SOFT_RN, 0x7f, 1, 0x7f));
            SAME(sim_f32_to_e5m2(x), soft_code(bits, e5m2, SOFT_RN, 0x7c, 1, 0x7f));
            for (int mode = 0; mode < 5; mode++) {
                const enum sim_rounding ours = (enum sim_rounding)mode;
                const enum soft_mode soft = (enum soft_mode)mode;
                SAME(sim_f32_to_f16_mode(x, ours, code & 1),
                     soft_code(bits, SOFT_F16, soft, 0x7c00, code & 1, 0x7fff));
                SAME(sim_f32_to_bf16_mode(x, ours, code & 1),
                     soft_code(bits, SOFT_BF16, soft, 0x7f80, code & 1, 0x7fff));
                uint64_t tf32 = soft_code(bits, SOFT_TF32, soft, 0xff << 10, code & 1, 0);
                if (!is_nan(bits, SOFT_F32) || ours != SIM_RNA)
                    SAME(sim_f32_to_tf32(x, ours, code & 1),
                         is_nan(bits, SOFT_F32) ? 0x7fffe000 : tf32 << 13);
            }
        }
    }
}
END_TEST

// Invalid instructions are refused at load.
static const char *const refused[] = {
    "add.sat.u32 %r1, %r2, %r3;",
    "mul.u32 %r1, %r2, %r3;",
    "add.rn.rz.f32 %f1, %f2, %f3;",
    "fma.f32 %f1, %f2, %f3, %f1;",
    "cvt.s32.f32 %r1, %f1;",
    "cvt.rn.s32.f32 %r1, %f1;",
    "cvt.f32.f64 %f1, %d1;",
    "cvt.rs.bf16.f32 %h1, %f1, %r3;",
    "setp.lt.b32 %p1, %r1, %r2;",
    "setp.lo.s32 %p1, %r1, %r2;",
    "setp.lt.and.s32 %p1, %r1, %r2;",
    "vadd.s32.s32.s32 %r1, %r2.b4, %r3;",
    "vadd.s32.s32.s32 %r1.b0, %r2, %r3;",
    "vadd2.s32.s32.s32.sat.add %r1, %r2, %r3, %r1;",
    "vadd4.s32.s32.s32 %r1.b01, %r2, %r3, %r1;",
    "vadd4.s32.s32.s32 %r1, %r2.b321, %r3, %r1;",
    "vmad.s32.s32.s32 %r1, -%r2, %r3, -%r1;",
    "vmad.s32.s32.s32.po %r1, -%r2, %r3, %r1;",
    "vshl.s32.s32.u32 %r1, %r2, %r3;",
    "lop3.xor.b32 %r1|%p1, %r1, %r2, %r3, 0x80, %p2;",
    "lop3.or.b32 %r1, %r1, %r2, %r3, 0x80, %p2;",
    "fma.rz.f16 %h1, %h2, %h3, %h1;",
    "fma.rz.bf16 %h1, %h2, %h3, %h1;",
    "fma.rp.relu.bf16x2 %r1, %r2, %r3, %r1;",
    "fma.rn.ftz.oob.f16 %h1, %h2, %h3, %h1;",
    "ex2.approx.bf16 %h1, %h2;",
    "cvt.rm.satfinite.f16.f32 %h1, %f1;",
    "cvt.rn.ftz.relu.f16.f32 %h1, %f1;",
    "cvt.rn.sat.bf16.f32 %h1, %f1;",
    "setp.lt.f16 %p1|%p2, %h1, %h2;",
    "set.lt.f32.f16 %f1, %h1, %h2;",
    "set.lt.u16.f32 %h1, %f1, %f2;",
    "mov.f16 %h1, %h2;",
    "selp.bf16x2 %r1, %r2, %r3, %p1;",
    "add.f16 %h1, %h2, 0x3c00;",
    "add.u32 %r1, %r2.b0, %r3;",
    "add.rn.ftz.f64 %d1, %d2, %d3;",
    "max.xorsign.f32 %f1, %f2, %f3;",
    "popc.u32 %r1, %r2;",
    "shl.u32 %r1, %r2, %r3;",
    "ex2.f32 %f1, %f2;",
    "div.f32 %f1, %f2, %f3;",
    "bfe.b32 %r1, %r2, 1, 1;",
    "add.u32 _, %r1, %r2;",
    "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
};
START_TEST(forms_that_do_not_exist_are_refused)
{
    char ptx[512];
    snprintf(ptx, sizeof(ptx),
             HARNESS_HEADER
             ".visible .entry k()\n{\n.reg .b32 %%r<4>;\n.reg .b16 %%h<4>;\n"
             ".reg .f32 %%f<4>;\n.reg .f64 %%d<4>;\n.reg .pred %%p<4>;\n%s\nret;\n}\n",
             refused[_i]);
    ck_assert_ptr_nonnull(strstr(harness_refused(ptx), "line 11: "));
}
END_TEST

static void add_float_tests(Suite *suite)
{
    TCase *c = tcase_create("float");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, f32_and_f64_round_once_in_every_direction, 0, 7);
    tcase_add_loop_test(c, halves_round_once, 0, 4);
    tcase_add_loop_test(c, min_and_max_order_zeros_and_mind_nan, 0, 6);
    tcase_add_loop_test(c, every_type_converts_to_every_other, 0, KINDS * KINDS);
    tcase_add_loop_test(c, small_formats_round_as_told, 0, LENGTH_OF(smalls));
    tcase_add_test(c, formats_are_exact_for_every_code);
    tcase_add_loop_test(c, comparisons_order_and_join, 0, LENGTH_OF(compared_types));
    tcase_add_loop_test(c, pairs_compare_half_by_half, 0, 2);
    tcase_add_test(c, testp_knows_classes);
    tcase_add_loop_test(c, instructions_that_belong_together, 0, LENGTH_OF(chains));
    tcase_add_loop_test(c, approximations_are_within_their_bounds, 0, LENGTH_OF(approximations));
    tcase_add_loop_test(c, f32_takes_narrow_operands, 0, LENGTH_OF(narrow));
    tcase_add_loop_test(c, forms_that_do_not_exist_are_refused, 0, LENGTH_OF(refused));
    suite_add_tcase(suite, c);
}
