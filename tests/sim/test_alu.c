// Every arithmetic instruction, from PTX to result, against independent oracles: integers in 128
// bits or bit by bit, floating point by soft.h, approximations by libm in long double within the
// ISA's bounds. Each runs for all lanes, for some (the others must keep their values), and with its
// destination aliasing a source.
#include "base/array.h"
#include "exercise.h"
#include "sim/exec/formats.h"
#include "soft.h"

#include <check.h>
#include <math.h>

enum { BLOCKS = 16, THREADS = 256, COUNT = BLOCKS * THREADS, SOURCES = 4 };
#define UNTOUCHED UINT64_C(0x5a5aa5a5c3c33c3c)

__extension__ typedef __int128 s128;

// One instruction. `text` ends where its operands begin; `rest` follows them (", 0x96").
struct trial {
    const char *text, *in, *rest;
    char out;
    uint64_t (*expect)(const struct trial *t, const uint64_t *x);
    bool (*near)(const struct trial *t, const uint64_t *x, uint64_t got); // instead, for a bound
    // The parameters of a family's oracles.
    int operation, flags;
    enum soft_mode mode;
    struct soft_format format, from;
    int arch;
};

static uint64_t values[SOURCES][COUNT];

static const uint64_t edges64[] = {
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    UINT64_MAX,
    UINT64_MAX - 1,
    // f64
    0x3ff0000000000000,
    0xbff0000000000000,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000001,
    0xfff0000000000001,
    0x7fefffffffffffff,
    0x0010000000000000,
    0x000fffffffffffff,
    0x8000000000000001,
    0x3fe0000000000000,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000200000,
    0x43e0000000000000,
    0x43f0000000000000,
    0x4004000000000000,
    0x3ff8000000000000,
    0xbfe0000000000000,
    0x47efffffe0000000,
    0x47effffff0000000,
    0x36a0000000000000,
    0x3690000000000000,
    0x40effe0000000000,
};
static const uint64_t edges32[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffff,
    0xff800000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0xfffffffe,
    // f32
    0x3f800000,
    0xbf800000,
    0x7f800000,
    0x7fc00001,
    0xff800001,
    0x7f7fffff,
    0xff7fffff,
    0x00800000,
    0x007fffff,
    0x807fffff,
    0x3f000000,
    0x40200000,
    0x3fc00000,
    0xbf000000,
    0x4effffff,
    0x4f000000,
    0x4f7fffff,
    0x4f800000,
    0x477fe000,
    0x477ff000,
    0x38800000,
    0x33000000,
    0x33000001,
    0x5f000000,
    0x43e00000,
    0x43e80000,
    0x3b000000,
    0x3a800000,
    0x00400000,
    0x34000000,
    0x7f000000,
    0x3f7fffff,
    0x3f800001,
    0x0c000000,
    // two halves
    0x3c003c00,
    0x7c007bff,
    0xfbff0400,
    0x03ff8001,
    0x7e01fc01,
    0x3f803f80,
    0x80000080,
    0x12345678,
};
static const uint64_t edges16[] = {
    0,      1,      2,      15,     16,     17,     31,     255,    0x7fff, 0x8000,
    0x8001, 0xffff, 0xfffe, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfc01, 0x7bff,
    0xfbff, 0x0400, 0x03ff, 0x83ff, 0x3800, 0x3c01, 0x3bff, 0x3f80, 0xbf80, 0x7f80,
    0xff80, 0x7f7f, 0x0080, 0x007f, 0x5678, 0x7fc1, 0x7800, 0x1400,
};
#define LENGTH_OF(a) (CUC_LENGTH(a))

// Every combination of edge values that fits, then random values, half of them of similar
// magnitude, so that floats interact.
static void draw_values(const char *in)
{
    const size_t sources = strlen(in);
    uint64_t state = 7, random = 0;

    for (uint32_t n = 0; n < COUNT; n++) {
        uint64_t rest = n * UINT64_C(1);
        uint64_t common = ((uint64_t)draw(&state) << 32 | draw(&state));
        for (uint32_t k = 0; in[k]; k++) {
            const uint64_t *edges = in[k] == 'l' ? edges64 : in[k] == 'h' ? edges16 : edges32;
            uint64_t count = in[k] == 'l'   ? CUC_LENGTH(edges64)
                             : in[k] == 'h' ? CUC_LENGTH(edges16)
                                            : CUC_LENGTH(edges32);
            random = (uint64_t)draw(&state) << 32 | draw(&state);
            uint64_t like = common ^ (random & 0x001fffff003f00ff);
            uint64_t any = n & 1 ? random : like;
            bool combined = sources == 1   ? n < count
                            : sources == 2 ? n < count * count
                                           : n % 4 != 3;
            if (combined && sources > 2)
                rest = draw(&state);
            values[k][n] = combined ? edges[rest % count] : in[k] == 'l' ? any : any & 0xffffffff;
            if (in[k] == 'h')
                values[k][n] &= 0xffff;
            rest /= count;
        }
    }
}

static uint64_t value_mask(char letter)
{
    return letter == 'l' ? UINT64_MAX : letter == 'h' ? 0xffff : 0xffffffff;
}

// Runs a trial three ways: with all lanes, with some, and with the first source as destination if
// the widths match.
static void attempt(const struct trial *t)
{
    static unsigned char in[SOURCES * COUNT * 8], out[3 * COUNT * 8];
    const uint32_t sources = (uint32_t)strlen(t->in), bytes = letter_bytes(t->out);
    const bool aliased = t->in[0] == t->out;
    char operands[128] = "", aliased_operands[128] = "", body[1024] = "";
    char outputs[4] = { t->out, t->out, t->out, 0 };
    const char *type = letter_type(t->out);
    size_t at = 0;

    draw_values(t->in);
    for (uint32_t k = 0; k < sources; k++) {
        uint32_t each = letter_bytes(t->in[k]);
        for (uint32_t n = 0; n < COUNT; n++, at += each)
            memcpy(in + at, &values[k][n], each);
        say(operands, sizeof(operands), ", %%i%u", k);
        say(aliased_operands, sizeof(aliased_operands), k ? ", %%i%u" : ", %%o2", k);
    }
    say(body, sizeof(body), "%s %%o0%s%s;\n", t->text, operands, t->rest ? t->rest : "");
    say(body, sizeof(body),
        "mov.%s %%o1, 0x%llx;\nand.b32 %%r1, %%t, 5;\nsetp.ne.u32 %%p1, %%r1, 0;\n", type,
        (unsigned long long)(UNTOUCHED & value_mask(t->out)));
    say(body, sizeof(body), "@%%p1 %s %%o1%s%s;\n", t->text, operands, t->rest ? t->rest : "");
    if (aliased)
        say(body, sizeof(body), "mov.%s %%o2, %%i0;\n%s %%o2%s%s;\n", type, t->text,
            aliased_operands, t->rest ? t->rest : "");
    struct exercise x = { .inputs = t->in,
                          .outputs = outputs,
                          .body = body,
                          .blocks = BLOCKS,
                          .threads = THREADS,
                          .arch = t->arch };
    ck_assert_msg(exercise(&x, in, out, NULL, 0) == 0, "%s: %s", t->text, harness_report());

    for (uint32_t n = 0; n < COUNT; n++) {
        uint64_t source[SOURCES] = { 0 }, got[3] = { 0 };
        for (uint32_t k = 0; k < sources; k++)
            source[k] = values[k][n];
        for (uint32_t k = 0; k < 3; k++)
            memcpy(&got[k], out + ((size_t)k * COUNT + n) * bytes, bytes);
        uint64_t want = t->expect ? t->expect(t, source) & value_mask(t->out) : got[0];
        bool right = t->near ? t->near(t, source, got[0]) : got[0] == want;
        ck_assert_msg(right, "%s%s of %llx %llx %llx %llx is %llx, not %llx", t->text,
                      t->rest ? t->rest : "", (unsigned long long)source[0],
                      (unsigned long long)source[1], (unsigned long long)source[2],
                      (unsigned long long)source[3], (unsigned long long)got[0],
                      (unsigned long long)want);
        uint64_t partial = n & 5 ? want : UNTOUCHED & value_mask(t->out);
        ck_assert_msg(got[1] == partial, "%s under a guard: thread %u has %llx, not %llx", t->text,
                      n, (unsigned long long)got[1], (unsigned long long)partial);
        ck_assert_msg(!aliased || got[2] == want, "%s onto its source: %llx, not %llx", t->text,
                      (unsigned long long)got[2], (unsigned long long)want);
    }
}

// Integers. In an oracle a, b, c, d are the sources, converted to their types.

static s128 clamped(s128 x, s128 low, s128 high)
{
    return x < low ? low : x > high ? high : x;
}
static uint64_t bit_of(uint64_t x, uint64_t at)
{
    return at < 64 ? x >> at & 1 : 0;
}
// The significant bits of a position or a length: an H200 uses all of them for 64-bit instructions.
static uint64_t place_bits(uint32_t bits)
{
    return bits == 64 ? UINT32_MAX : 255;
}
static uint64_t extracted(uint64_t a, uint64_t at, uint64_t length, uint32_t bits, bool is_signed)
{
    uint64_t d = 0;
    at &= place_bits(bits);
    length &= place_bits(bits);
    uint64_t last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
    uint64_t fill = is_signed && length ? bit_of(a, last) : 0;
    for (uint64_t i = 0; i < bits; i++)
        d |= (i < length && at + i < bits ? bit_of(a, at + i) : fill) << i;
    return d;
}
static uint64_t inserted(uint64_t a, uint64_t b, uint64_t at, uint64_t length, uint32_t bits)
{
    at &= place_bits(bits);
    length &= place_bits(bits);
    for (uint64_t i = 0; i < length && at + i < bits; i++)
        b = (b & ~(UINT64_C(1) << (at + i))) | bit_of(a, i) << (at + i);
    return b;
}
static uint64_t counted(uint64_t x)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < 64; i++)
        n += bit_of(x, i);
    return n;
}
static uint64_t highest(uint64_t x)
{
    uint64_t found = UINT32_MAX;
    for (uint64_t i = 0; i < 64; i++)
        found = bit_of(x, i) ? i : found;
    return found;
}
static uint64_t reversed(uint64_t x, uint32_t bits)
{
    uint64_t d = 0;
    for (uint32_t i = 0; i < bits; i++)
        d |= bit_of(x, i) << (bits - 1 - i);
    return d;
}
static uint64_t permuted(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t s = c >> (i / 8 * 4) & 15;
        uint64_t from = s & 8 ? (s & 7) * 8 + 7 : (s & 7) * 8 + i % 8;
        d |= bit_of(b << 32 | a, from) << i;
    }
    return d;
}
static uint64_t moded(uint64_t a, uint64_t b, uint64_t c, const char *mode)
{
    static const struct {
        const char *mode;
        uint32_t selectors[4];
    } modes[] = { { "f4e", { 0x3210, 0x4321, 0x5432, 0x6543 } },
                  { "b4e", { 0x5670, 0x6701, 0x7012, 0x0123 } },
                  { "rc8", { 0x0000, 0x1111, 0x2222, 0x3333 } },
                  { "ecl", { 0x3210, 0x3211, 0x3222, 0x3333 } },
                  { "ecr", { 0x0000, 0x1110, 0x2210, 0x3210 } },
                  { "rc16", { 0x1010, 0x3232, 0x1010, 0x3232 } } };
    for (uint32_t k = 0; k < 6; k++)
        if (strcmp(modes[k].mode, mode) == 0)
            return permuted(a, b, modes[k].selectors[c & 3]);
    return 0;
}
static uint64_t looked_up(uint64_t a, uint64_t b, uint64_t c, uint32_t table)
{
    uint64_t d = 0;
    for (uint32_t i = 0; i < 32; i++)
        d |= (uint64_t)(table >> (bit_of(a, i) * 4 + bit_of(b, i) * 2 + bit_of(c, i)) & 1) << i;
    return d;
}
static uint64_t nth(uint64_t mask, uint64_t base, int32_t offset)
{
    int64_t at = (int64_t)base, left = offset < 0 ? -(int64_t)offset : offset;
    if (offset == INT32_MIN)
        return 0;
    if (base > 31 || offset == 0)
        return base <= 31 && bit_of(mask, base) ? base : UINT32_MAX;
    for (; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
        if (bit_of(mask, (uint64_t)at) && --left == 0)
            return (uint64_t)at;
    return UINT32_MAX;
}
static uint64_t negated_bf16(uint64_t h)
{
    return (h & 0x7fff) > 0x7f80 ? 0x7fff : h ^ 0x8000;
}
static uint64_t masked(uint64_t a, uint64_t b, bool clamp)
{
    uint64_t d = 0;
    if (clamp ? a > 31 : false)
        return 0;
    uint64_t from = a & 31, end = from + (clamp && b > 31 ? 32 : b & 31);
    for (uint64_t i = from; i < end && i < 32; i++)
        d |= UINT64_C(1) << i;
    return d;
}
static uint64_t extended(uint64_t a, uint64_t b, bool clamp, bool is_signed)
{
    uint64_t bits = clamp && b > 31 ? 32 : b & 31, d = 0;
    for (uint64_t i = 0; i < 32; i++)
        d |= (i < bits                         ? bit_of(a, i)
              : is_signed && bits && bits < 32 ? bit_of(a, bits - 1)
                                               : 0)
             << i;
    return d;
}
static uint64_t funnel(uint64_t a, uint64_t b, uint64_t c, bool left, bool clamp)
{
    uint64_t by = clamp ? (c > 32 ? 32 : c) : c & 31, d = 0;
    for (uint64_t i = 0; i < 32; i++)
        d |= bit_of(b << 32 | a, left ? i + 32 - by : i + by) << i;
    return d;
}
static s128 part_of(uint64_t x, uint32_t at, uint32_t bits, bool is_signed)
{
    s128 v = (s128)(x >> at & ((1u << bits) - 1));
    return is_signed && v >> (bits - 1) ? v - ((s128)1 << bits) : v;
}
static s128 dot(uint64_t a, uint64_t b, uint32_t parts, uint32_t from, bool sa, bool sb)
{
    s128 sum = 0;
    for (uint32_t k = 0; k < parts; k++)
        sum += part_of(a, k * 32 / parts, 32 / parts, sa) * part_of(b, from + k * 8, 8, sb);
    return sum;
}
static uint64_t halves(uint64_t a, uint64_t b, int what, bool is_signed, bool relu)
{
    uint64_t d = 0;
    for (uint32_t k = 0; k < 32; k += 16) {
        s128 x = part_of(a, k, 16, is_signed), y = part_of(b, k, 16, is_signed);
        s128 r = what == 0 ? x + y : (x < y) == (what == 1) ? x : y;
        d |= (uint64_t)((relu && r < 0 ? 0 : r) & 0xffff) << k;
    }
    return d;
}
#define LOW24(x) ((s128)((x)&0xffffff))
#define LOW24S(x) part_of((uint64_t)(x), 0, 24, true)

// TYPE(suffix, letter, signed type, wide letter): one row for each type of an operation.
#define ALL_TYPES(ROW, ...)                       \
    ROW(u16, 'h', "h", uint16_t, 16, __VA_ARGS__) \
    ROW(s16, 'h', "h", int16_t, 16, __VA_ARGS__)  \
    ROW(u32, 'b', "b", uint32_t, 32, __VA_ARGS__) \
    ROW(s32, 'b', "b", int32_t, 32, __VA_ARGS__)  \
    ROW(u64, 'l', "l", uint64_t, 64, __VA_ARGS__) ROW(s64, 'l', "l", int64_t, 64, __VA_ARGS__)
#define SIGNED_TYPES(ROW, ...)                   \
    ROW(s16, 'h', "h", int16_t, 16, __VA_ARGS__) \
    ROW(s32, 'b', "b", int32_t, 32, __VA_ARGS__) ROW(s64, 'l', "l", int64_t, 64, __VA_ARGS__)
#define LONG_TYPES(ROW, ...)                      \
    ROW(u32, 'b', "b", uint32_t, 32, __VA_ARGS__) \
    ROW(s32, 'b', "b", int32_t, 32, __VA_ARGS__)  \
    ROW(u64, 'l', "l", uint64_t, 64, __VA_ARGS__) ROW(s64, 'l', "l", int64_t, 64, __VA_ARGS__)
#define BIT_TYPES(ROW, ...)                       \
    ROW(b16, 'h', "h", uint16_t, 16, __VA_ARGS__) \
    ROW(b32, 'b', "b", uint32_t, 32, __VA_ARGS__) ROW(b64, 'l', "l", uint64_t, 64, __VA_ARGS__)
#define LONG_BIT_TYPES(ROW, ...) \
    ROW(b32, 'b', "b", uint32_t, 32, __VA_ARGS__) ROW(b64, 'l', "l", uint64_t, 64, __VA_ARGS__)
#define WORD_TYPES(ROW, ...) \
    ROW(u32, 'b', "b", uint32_t, 32, __VA_ARGS__) ROW(s32, 'b', "b", int32_t, 32, __VA_ARGS__)
#define S32_TYPE(ROW, ...) ROW(s32, 'b', "b", int32_t, 32, __VA_ARGS__)
#define U32_TYPE(ROW, ...) ROW(u32, 'b', "b", uint32_t, 32, __VA_ARGS__)
#define B32_TYPE(ROW, ...) ROW(b32, 'b', "b", uint32_t, 32, __VA_ARGS__)
#define U16_TYPE(ROW, ...) ROW(u16, 'h', "h", uint16_t, 16, __VA_ARGS__)
#define S16_TYPE(ROW, ...) ROW(s16, 'h', "h", int16_t, 16, __VA_ARGS__)
#define PAIR_TYPES_U(ROW, ...) ROW(u16x2, 'b', "b", uint32_t, 32, __VA_ARGS__)
#define PAIR_TYPES_S(ROW, ...) ROW(s16x2, 'b', "b", uint32_t, 32, __VA_ARGS__)

// An operation: a name of its own, the instruction, letters of sources (S: of the type; else their
// own), the letter of the destination (0: of the type), types, and the oracle.
#define S128_MIN32 (-(s128)INT32_MAX - 1)
// clang-format off
#define INTEGERS(OP)                                                                               \
    OP(add, "add", "SS", 0, ALL_TYPES, a + b)                                                      \
    OP(add_sat, "add.sat", "SS", 0, S32_TYPE, clamped(a + b, S128_MIN32, INT32_MAX))               \
    OP(sub, "sub", "SS", 0, ALL_TYPES, a - b)                                                      \
    OP(sub_sat, "sub.sat", "SS", 0, S32_TYPE, clamped(a - b, S128_MIN32, INT32_MAX))               \
    OP(mul_lo, "mul.lo", "SS", 0, ALL_TYPES, (soft_big)a * (soft_big)b)                            \
    OP(mul_hi, "mul.hi", "SS", 0, ALL_TYPES, BITS == 64 && (T)-1 > 0 ? (s128)((soft_big)a * (soft_big)b >> 64) : a * b >> BITS) \
    OP(mad_lo, "mad.lo", "SSS", 0, ALL_TYPES, (soft_big)a * (soft_big)b + (soft_big)c)             \
    OP(mad_hi, "mad.hi", "SSS", 0, ALL_TYPES, (BITS == 64 && (T)-1 > 0 ? (s128)((soft_big)a * (soft_big)b >> 64) : a * b >> BITS) + c) \
    OP(mad_hi_sat, "mad.hi.sat", "SSS", 0, S32_TYPE, clamped((a * b >> 32) + c, S128_MIN32, INT32_MAX)) \
    OP(mul_wide, "mul.wide", "SS", 'l', WORD_TYPES, a * b)                                         \
    OP(mul_wide16, "mul.wide", "SS", 'b', U16_TYPE, a * b)                                         \
    OP(mul_wides16, "mul.wide", "SS", 'b', S16_TYPE, a * b)                                        \
    OP(mad_wide, "mad.wide", "SSl", 'l', WORD_TYPES, (soft_big)(a * b) + x[2])                     \
    OP(mad_wide16, "mad.wide", "SSb", 'b', S16_TYPE, a * b + (int32_t)x[2])                        \
    OP(mul24_lo, "mul24.lo", "SS", 0, U32_TYPE, LOW24(a) * LOW24(b))                               \
    OP(mul24_los, "mul24.lo", "SS", 0, S32_TYPE, LOW24S(a) * LOW24S(b))                            \
    OP(mul24_hi, "mul24.hi", "SS", 0, U32_TYPE, LOW24(a) * LOW24(b) >> 16)                         \
    OP(mul24_his, "mul24.hi", "SS", 0, S32_TYPE, LOW24S(a) * LOW24S(b) >> 16)                      \
    OP(mad24_lo, "mad24.lo", "SSS", 0, U32_TYPE, LOW24(a) * LOW24(b) + c)                          \
    OP(mad24_hi, "mad24.hi", "SSS", 0, S32_TYPE, (LOW24S(a) * LOW24S(b) >> 16) + c)                \
    OP(mad24_sat, "mad24.hi.sat", "SSS", 0, S32_TYPE, clamped((LOW24S(a) * LOW24S(b) >> 16) + c, S128_MIN32, INT32_MAX)) \
    OP(sad, "sad", "SSS", 0, ALL_TYPES, c + (a < b ? b - a : a - b))                               \
    OP(div, "div", "SS", 0, ALL_TYPES, b ? a / b : -1)                                             \
    OP(rem, "rem", "SS", 0, ALL_TYPES, b ? a % b : -1)                                             \
    OP(abs, "abs", "S", 0, SIGNED_TYPES, a < 0 ? -a : a)                                           \
    OP(neg, "neg", "S", 0, SIGNED_TYPES, -a)                                                       \
    OP(min, "min", "SS", 0, ALL_TYPES, a < b ? a : b)                                              \
    OP(max, "max", "SS", 0, ALL_TYPES, a > b ? a : b)                                              \
    OP(min_relu, "min.relu", "SS", 0, S32_TYPE, clamped(a < b ? a : b, 0, INT32_MAX))              \
    OP(max_relu, "max.relu", "SS", 0, S32_TYPE, clamped(a > b ? a : b, 0, INT32_MAX))              \
    OP(popc, "popc", "S", 'b', LONG_BIT_TYPES, counted((uint64_t)a))                               \
    OP(clz, "clz", "S", 'b', LONG_BIT_TYPES, a ? BITS - 1 - (s128)highest((uint64_t)a) : BITS)     \
    OP(bfind, "bfind", "S", 'b', LONG_TYPES, highest((uint64_t)(a < 0 ? ~a : a)))                  \
    OP(bfind_shift, "bfind.shiftamt", "S", 'b', LONG_TYPES, a == 0 || a == -1 ? -1 : BITS - 1 - (s128)highest((uint64_t)(a < 0 ? ~a : a))) \
    OP(brev, "brev", "S", 0, LONG_BIT_TYPES, reversed((uint64_t)a, BITS))                          \
    OP(bfe, "bfe", "Sbb", 0, LONG_TYPES, extracted((uint64_t)a, x[1], x[2], BITS, (T)-1 < 0))      \
    OP(bfi, "bfi", "SSbb", 0, LONG_BIT_TYPES, inserted((uint64_t)a, (uint64_t)b, x[2], x[3], BITS)) \
    OP(bmsk_clamp, "bmsk.clamp", "SS", 0, B32_TYPE, masked(x[0], x[1], true))                      \
    OP(bmsk_wrap, "bmsk.wrap", "SS", 0, B32_TYPE, masked(x[0], x[1], false))                       \
    OP(szext_clamp, "szext.clamp", "Sb", 0, WORD_TYPES, extended(x[0], x[1], true, (T)-1 < 0))     \
    OP(szext_wrap, "szext.wrap", "Sb", 0, WORD_TYPES, extended(x[0], x[1], false, (T)-1 < 0))      \
    OP(and, "and", "SS", 0, BIT_TYPES, (s128)(x[0] & x[1]))                                        \
    OP(or, "or", "SS", 0, BIT_TYPES, (s128)(x[0] | x[1]))                                          \
    OP(xor, "xor", "SS", 0, BIT_TYPES, (s128)(x[0] ^ x[1]))                                        \
    OP(not, "not", "S", 0, BIT_TYPES, -1 - a)                                                      \
    OP(cnot, "cnot", "S", 0, BIT_TYPES, a == 0)                                                    \
    OP(shl, "shl", "Sb", 0, BIT_TYPES, x[1] < BITS ? (soft_big)a << x[1] : 0)                      \
    OP(shrb, "shr", "Sb", 0, BIT_TYPES, x[1] < BITS ? a >> x[1] : 0)                               \
    OP(shr, "shr", "Sb", 0, ALL_TYPES, a >> (x[1] < 100 ? x[1] : 100))                             \
    OP(shf_lc, "shf.l.clamp", "SSb", 0, B32_TYPE, funnel(x[0], x[1], x[2], true, true))            \
    OP(shf_lw, "shf.l.wrap", "SSb", 0, B32_TYPE, funnel(x[0], x[1], x[2], true, false))            \
    OP(shf_rc, "shf.r.clamp", "SSb", 0, B32_TYPE, funnel(x[0], x[1], x[2], false, true))           \
    OP(shf_rw, "shf.r.wrap", "SSb", 0, B32_TYPE, funnel(x[0], x[1], x[2], false, false))           \
    OP(fns, "fns", "SSS", 0, B32_TYPE, x[1] < 32 ? nth(x[0], x[1], (int32_t)x[2]) : UINT32_MAX)    \
    OP(mov, "mov", "S", 0, BIT_TYPES, a)                                                           \
    OP(add_u2, "add", "SS", 0, PAIR_TYPES_U, halves(x[0], x[1], 0, false, false))                  \
    OP(add_s2, "add", "SS", 0, PAIR_TYPES_S, halves(x[0], x[1], 0, true, false))                   \
    OP(min_u2, "min", "SS", 0, PAIR_TYPES_U, halves(x[0], x[1], 1, false, false))                  \
    OP(max_u2, "max", "SS", 0, PAIR_TYPES_U, halves(x[0], x[1], 2, false, false))                  \
    OP(min_s2, "min", "SS", 0, PAIR_TYPES_S, halves(x[0], x[1], 1, true, false))                   \
    OP(max_s2, "max", "SS", 0, PAIR_TYPES_S, halves(x[0], x[1], 2, true, false))                   \
    OP(min_r2, "min.relu", "SS", 0, PAIR_TYPES_S, halves(x[0], x[1], 1, true, true))               \
    OP(max_r2, "max.relu", "SS", 0, PAIR_TYPES_S, halves(x[0], x[1], 2, true, true))

// Operations whose text does not end in one type: text, sources, destination, rest, oracle.
#define MIXED(OP)                                                                                  \
    OP(prmt, "prmt.b32", "bbb", 'b', NULL, permuted(x[0], x[1], x[2]))                             \
    OP(prmt_f4e, "prmt.b32.f4e", "bbb", 'b', NULL, moded(x[0], x[1], x[2], "f4e"))                 \
    OP(prmt_b4e, "prmt.b32.b4e", "bbb", 'b', NULL, moded(x[0], x[1], x[2], "b4e"))                 \
    OP(prmt_rc8, "prmt.b32.rc8", "bbb", 'b', NULL, moded(x[0], x[1], x[2], "rc8"))                 \
    OP(prmt_ecl, "prmt.b32.ecl", "bbb", 'b', NULL, moded(x[0], x[1], x[2], "ecl"))                 \
    OP(prmt_ecr, "prmt.b32.ecr", "bbb", 'b', NULL, moded(x[0], x[1], x[2], "ecr"))                 \
    OP(prmt_rc16, "prmt.b32.rc16", "bbb", 'b', NULL, moded(x[0], x[1], x[2], "rc16"))              \
    OP(prmt_constant, "prmt.b32", "bb", 'b', ", 0x5410", permuted(x[0], x[1], 0x5410))             \
    OP(lop3_96, "lop3.b32", "bbb", 'b', ", 0x96", looked_up(x[0], x[1], x[2], 0x96))               \
    OP(lop3_e2, "lop3.b32", "bbb", 'b', ", 0xe2", looked_up(x[0], x[1], x[2], 0xe2))               \
    OP(lop3_1b, "lop3.b32", "bbb", 'b', ", 27", looked_up(x[0], x[1], x[2], 27))                   \
    OP(dp4a_uu, "dp4a.u32.u32", "bbb", 'b', NULL, dot(x[0], x[1], 4, 0, false, false) + (s128)x[2]) \
    OP(dp4a_su, "dp4a.s32.u32", "bbb", 'b', NULL, dot(x[0], x[1], 4, 0, true, false) + (s128)x[2]) \
    OP(dp4a_ss, "dp4a.s32.s32", "bbb", 'b', NULL, dot(x[0], x[1], 4, 0, true, true) + (s128)x[2])  \
    OP(dp2a_lo, "dp2a.lo.s32.s32", "bbb", 'b', NULL, dot(x[0], x[1], 2, 0, true, true) + (s128)x[2]) \
    OP(dp2a_hi, "dp2a.hi.u32.s32", "bbb", 'b', NULL, dot(x[0], x[1], 2, 16, false, true) + (s128)x[2]) \
    OP(pack_s8, "cvt.pack.sat.s8.s32.b32", "bbb", 'b', NULL, (clamped((int32_t)x[0], -128, 127) & 255) << 8 | (clamped((int32_t)x[1], -128, 127) & 255) | (s128)x[2] << 16) \
    OP(pack_u4, "cvt.pack.sat.u4.s32.b32", "bbb", 'b', NULL, clamped((int32_t)x[0], 0, 15) << 4 | clamped((int32_t)x[1], 0, 15) | (s128)x[2] << 8) \
    OP(pack_u16, "cvt.pack.sat.u16.s32", "bb", 'b', NULL, clamped((int32_t)x[0], 0, 65535) << 16 | clamped((int32_t)x[1], 0, 65535)) \
    OP(slct, "slct.b64.s32", "llb", 'l', NULL, (int32_t)x[2] >= 0 ? x[0] : x[1])                   \
    OP(slct_f, "slct.u32.f32", "bbb", 'b', NULL, x[2] <= 0x7f800000 || x[2] == 0x80000000 ? x[0] : x[1]) \
    OP(slct_ftz, "slct.ftz.u32.f32", "bbb", 'b', NULL, x[2] <= 0x7f800000 || (x[2] >= 0x80000000 && x[2] < 0x80800000) ? x[0] : x[1]) \
    OP(copysign32, "copysign.f32", "bb", 'b', NULL, (x[0] & 0x80000000) | (x[1] & 0x7fffffff))     \
    OP(copysign64, "copysign.f64", "ll", 'l', NULL, (x[0] >> 63 << 63) | (x[1] << 1 >> 1))         \
    OP(abs32, "abs.f32", "b", 'b', NULL, (x[0] & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : x[0] & 0x7fffffff) \
    OP(neg64, "neg.f64", "l", 'l', NULL, x[0] << 1 > UINT64_C(0x7ff) << 53 ? x[0] | UINT64_C(1) << 51 : x[0] ^ UINT64_C(1) << 63) \
    OP(neg16, "neg.bf16x2", "b", 'b', NULL, negated_bf16(x[0] & 0xffff) | negated_bf16(x[0] >> 16 & 0xffff) << 16) \
    OP(abs16, "abs.f16", "h", 'h', NULL, (x[0] & 0x7fff) > 0x7c00 ? 0x7fff : x[0] & 0x7fff)
// clang-format on

#define ORACLE(suffix, letter, letters, type, bits, name, text, in, out, ...)          \
    static uint64_t oracle_##name##_##suffix(const struct trial *t, const uint64_t *x) \
    {                                                                                  \
        typedef type T __attribute__((unused));                                        \
        enum { BITS __attribute__((unused)) = bits };                                  \
        const s128 a = (T)x[0], b = (T)x[1], c = (T)x[2];                              \
        (void)t, (void)a, (void)b, (void)c;                                            \
        return (uint64_t)(__VA_ARGS__);                                                \
    }
#define TRIAL(suffix, letter, letters, type, bits, name, text, in, out, ...) \
    { text "." #suffix,                                                      \
      in,                                                                    \
      letters,                                                               \
      (out) ? (out) : (letter),                                              \
      oracle_##name##_##suffix,                                              \
      NULL,                                                                  \
      0,                                                                     \
      0,                                                                     \
      SOFT_RN,                                                               \
      { 0, 0 },                                                              \
      { 0, 0 },                                                              \
      0 },
#define ORACLES(name, text, in, out, types, ...) types(ORACLE, name, text, in, out, __VA_ARGS__)
#define TRIALS(name, text, in, out, types, ...) types(TRIAL, name, text, in, out, __VA_ARGS__)
#define MIXED_ORACLE(name, text, in, out, rest, ...)                        \
    static uint64_t oracle_##name(const struct trial *t, const uint64_t *x) \
    {                                                                       \
        (void)t;                                                            \
        return (uint64_t)(__VA_ARGS__);                                     \
    }
#define MIXED_TRIAL(name, text, in, out, rest, ...) \
    { text, in, rest, out, oracle_##name, NULL, 0, 0, SOFT_RN, { 0, 0 }, { 0, 0 }, 0 },

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
INTEGERS(ORACLES)
MIXED(MIXED_ORACLE)
#pragma GCC diagnostic pop

static const struct trial integers[] = { INTEGERS(TRIALS) };
static const struct trial mixed[] = { MIXED(MIXED_TRIAL) };

START_TEST(integers_are_as_in_128_bits)
{
    // In a row with a type of its own, `rest` has the letter that S stands for.
    struct trial t = integers[_i];
    char in[SOURCES + 1] = "";
    for (uint32_t k = 0; t.in[k]; k++)
        in[k] = t.in[k] == 'S' ? t.rest[0] : t.in[k];
    t.in = in;
    t.rest = NULL;
    attempt(&t);
}
END_TEST

START_TEST(what_mixes_types_is_as_its_definition)
{
    attempt(&mixed[_i]);
}
END_TEST

#include "test_alu_float.h"

int main(void)
{
    Suite *suite = suite_create("alu");
    TCase *c = tcase_create("integer");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, integers_are_as_in_128_bits, 0, LENGTH_OF(integers));
    tcase_add_loop_test(c, what_mixes_types_is_as_its_definition, 0, LENGTH_OF(mixed));
    suite_add_tcase(suite, c);
    add_float_tests(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
