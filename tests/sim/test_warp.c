// Tests operations between lanes, atomic operations, and the device runtime's functions.
#include "base/array.h"
#include "exercise.h"
#include "tests.h"

#include <unistd.h>

static void run(const struct exercise *x, const void *in, void *out, void *shared, size_t bytes)
{
    int fault = exercise(x, in, out, shared, bytes);
    ck_assert_msg(fault == 0, "%s\n%d: %s", x->body, fault, harness_report());
}

static void fill(uint32_t *words, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = draw(&seed);
}

// shfl

static const struct {
    const char *mode;
    char kind;
} shuffles[] = { { "up", 'u' }, { "down", 'd' }, { "bfly", 'b' }, { "idx", 'i' } };

CASE("warp", .timeout = 60);

TEST_ROWS(shuffle_moves_values_as_the_isa_computes_lanes, shuffles)
{
    uint32_t in[3][32], out[2][32];
    char body[256];

    snprintf(body, sizeof body,
             "shfl.sync.%s.b32 %%o0|%%p1, %%i0, %%i1, %%i2, 0xffffffff;\n"
             "selp.b32 %%o1, 1, 0, %%p1;",
             shuffles[_i].mode);
    for (uint64_t round = 0; round < 40; round++) {
        fill(&in[0][0], 96, round * 4 + (uint64_t)_i);
        for (int lane = 0; round % 2 == 0 && lane < 32; lane++) {
            // The operands that __shfl_*_sync derives from a width: segments of 2, 4 ... 32.
            int width = 32 >> round / 2 % 5;
            in[1][lane] &= 31;
            in[2][lane] = (uint32_t)(32 - width) << 8 | (shuffles[_i].kind == 'u' ? 0 : 31);
        }
        struct exercise x = { .inputs = "bbb", .outputs = "bb", .body = body };
        run(&x, in, out, NULL, 0);
        for (int lane = 0; lane < 32; lane++) {
            int b = in[1][lane] & 31, c = in[2][lane] & 31, mask = in[2][lane] >> 8 & 31;
            int max = (lane & mask) | (c & ~mask & 31), min = lane & mask, j, p;
            switch (shuffles[_i].kind) {
            case 'u':
                j = lane - b;
                p = j >= max;
                break;
            case 'd':
                j = lane + b;
                p = j <= max;
                break;
            case 'b':
                j = lane ^ b;
                p = j <= max;
                break;
            default:
                j = min | (b & ~mask & 31);
                p = j <= max;
            }
            ck_assert_uint_eq(out[0][lane], in[0][p ? j : lane]);
            ck_assert_int_eq((int)out[1][lane], p);
        }
    }
}

TEST(lanes_outside_the_mask_are_unaffected)
{
    uint32_t in[32], out[32];
    struct exercise x = {
        .inputs = "b",
        .outputs = "b",
        .body = "mov.b32 %o0, 7;\nsetp.ge.u32 %p0, %t, 20;\n@%p0 bra SKIP;\n"
                "shfl.sync.bfly.b32 %o0, %i0, 1, 31, 0xfffff;\nSKIP:",
    };
    fill(in, 32, 1);
    run(&x, in, out, NULL, 0);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(out[lane], lane < 20 ? in[lane ^ 1] : 7);
}

TEST(lanes_that_have_exited_are_not_waited_for)
{
    uint32_t in[32], out[32] = { 0 };
    struct exercise x = {
        .inputs = "b",
        .outputs = "b",
        .body = "setp.ge.u32 %p0, %t, 20;\n@%p0 exit;\n"
                "redux.sync.add.u32 %o0, %i0, 0xffffffff;",
    };
    uint32_t sum = 0;
    fill(in, 32, 1);
    for (uint32_t lane = 0; lane < 20; lane++)
        sum += in[lane];
    run(&x, in, out, NULL, 0);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(out[lane], lane < 20 ? sum : 0);
}

// ---- Lanes that reach .sync instructions on different paths

#define CALL_FLIP                                                 \
    "{\n.param .b32 q;\n.param .b32 z;\nst.param.b32 [q], %i0;\n" \
    "call.uni (z), flip, (q);\nld.param.b32 %o0, [z];\n}\n"

static const struct {
    const char *what, *body;
} meetings[] = {
    { "both sides of a branch",
      "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra EVEN;\n"
      "shfl.sync.bfly.b32 %o0, %i0, 1, 31, 0xffffffff;\nadd.u32 %r2, %r2, 1;\nbra JOIN;\n"
      "EVEN:\nadd.u32 %r3, %r3, 5;\nshfl.sync.bfly.b32 %o0, %i0, 1, 31, 0xffffffff;\nJOIN:" },
    { "loops of different lengths before",
      "mov.u32 %r1, %t;\nLOOP:\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra OUT;\nsub.u32 %r1, %r1, 1;\n"
      "bra LOOP;\nOUT:\nshfl.sync.bfly.b32 %o0, %i0, 1, 31, 0xffffffff;" },
    { "pairs with a mask of their own, in turn",
      "shr.u32 %r1, %t, 1;\nshl.b32 %r2, %r1, 1;\nmov.u32 %r3, 3;\nshl.b32 %r3, %r3, %r2;\n"
      "and.b32 %r4, %t, 1;\nLOOP:\nsetp.eq.u32 %p0, %r4, 0;\n@%p0 bra OUT;\nsub.u32 %r4, %r4, 1;\n"
      "bra LOOP;\nOUT:\nshfl.sync.bfly.b32 %o0, %i0, 1, 31, %r3;" },
    { "pairs with a mask of their own, together",
      "shr.u32 %r1, %t, 1;\nshl.b32 %r2, %r1, 1;\nmov.u32 %r3, 3;\nshl.b32 %r3, %r3, %r2;\n"
      "shfl.sync.bfly.b32 %o0, %i0, 1, 31, %r3;" },
    { "guards of both kinds", "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p0, %r1, 0;\n"
                              "@%p0 shfl.sync.bfly.b32 %o0, %i0, 1, 31, 0xffffffff;\n"
                              "@!%p0 shfl.sync.bfly.b32 %o0, %i0, 1, 31, 0xffffffff;" },
    { "a call of one function from two places",
      "and.b32 %r1, %t, 1;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra EVEN;\n" CALL_FLIP
      "bra JOIN;\nEVEN:\n" CALL_FLIP "JOIN:" },
};

TEST_ROWS(sync_operations_wait_for_every_lane_of_the_mask, meetings)
{
    uint32_t in[32], out[32];
    struct exercise x = {
        .inputs = "b",
        .outputs = "b",
        .outside = ".func (.param .b32 y) flip(.param .b32 v) {\n.reg .b32 %a;\n"
                   "ld.param.b32 %a, [v];\nshfl.sync.bfly.b32 %a, %a, 1, 31, 0xffffffff;\n"
                   "st.param.b32 [y], %a;\nret;\n}",
        .body = meetings[_i].body,
    };
    fill(in, 32, 3);
    run(&x, in, out, NULL, 0);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_msg(out[lane] == in[lane ^ 1], "%s: lane %u", meetings[_i].what, lane);
}

// ---- vote, match, redux, elect, activemask

TEST(votes_count_the_lanes_of_the_mask)
{
    uint32_t in[32], out[5][32];
    struct exercise x = {
        .inputs = "b",
        .outputs = "bbbbb",
        .body = "setp.ne.u32 %p0, %i0, 0;\n"
                "vote.sync.ballot.b32 %o0, %p0, 0xffffffff;\n"
                "vote.sync.ballot.b32 %o1, !%p0, 0xffffffff;\n"
                "vote.sync.all.pred %p1, %p0, 0xffffffff;\nselp.b32 %o2, 1, 0, %p1;\n"
                "vote.sync.any.pred %p1, %p0, 0xffffffff;\nselp.b32 %o3, 1, 0, %p1;\n"
                "vote.sync.uni.pred %p1, %p0, 0xffffffff;\nselp.b32 %o4, 1, 0, %p1;",
    };
    static const uint32_t patterns[] = { 0, UINT32_MAX, 1, 0x80000000, 0xf0f0f0f0, 0x7fffffff };
    for (int n = 0; n < CUC_LENGTH(patterns); n++) {
        for (uint32_t lane = 0; lane < 32; lane++)
            in[lane] = patterns[n] >> lane & 1;
        run(&x, in, out, NULL, 0);
        for (uint32_t lane = 0; lane < 32; lane++) {
            ck_assert_uint_eq(out[0][lane], patterns[n]);
            ck_assert_uint_eq(out[1][lane], ~patterns[n]);
            ck_assert_uint_eq(out[2][lane], patterns[n] == UINT32_MAX);
            ck_assert_uint_eq(out[3][lane], patterns[n] != 0);
            ck_assert_uint_eq(out[4][lane], patterns[n] == 0 || patterns[n] == UINT32_MAX);
        }
    }
}

TEST(match_finds_the_lanes_of_equal_value)
{
    uint32_t in[32], out[5][32];
    struct exercise x = {
        .inputs = "b",
        .outputs = "bbbbb",
        .body = "match.any.sync.b32 %o0, %i0, 0xffffffff;\n"
                "match.all.sync.b32 %o1|%p1, %i0, 0xffffffff;\nselp.b32 %o2, 1, 0, %p1;\n"
                "cvt.u64.u32 %x0, %i0;\nshl.b64 %x0, %x0, 32;\n"
                "match.any.sync.b64 %o3, %x0, 0xffffffff;\n"
                "match.all.sync.b64 %o4, %x0, 0xffffffff;",
    };
    for (uint64_t round = 0; round < 20; round++) {
        fill(in, 32, round);
        bool all = true;
        for (uint32_t lane = 0; lane < 32; lane++) {
            in[lane] = round % 4 == 0 ? 9 : in[lane] % 5;
            all = all && in[lane] == in[0];
        }
        run(&x, in, out, NULL, 0);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t equal = 0;
            for (uint32_t other = 0; other < 32; other++)
                equal |= (uint32_t)(in[other] == in[lane]) << other;
            ck_assert_uint_eq(out[0][lane], equal);
            ck_assert_uint_eq(out[1][lane], all ? UINT32_MAX : 0);
            ck_assert_uint_eq(out[2][lane], all);
            ck_assert_uint_eq(out[3][lane], equal);
            ck_assert_uint_eq(out[4][lane], all ? UINT32_MAX : 0);
        }
    }
}

static uint32_t r_add(uint32_t a, uint32_t b)
{
    return a + b;
}
static uint32_t r_min_u(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
static uint32_t r_max_u(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}
static uint32_t r_min_s(uint32_t a, uint32_t b)
{
    return (int32_t)a < (int32_t)b ? a : b;
}
static uint32_t r_max_s(uint32_t a, uint32_t b)
{
    return (int32_t)a > (int32_t)b ? a : b;
}
static uint32_t r_and(uint32_t a, uint32_t b)
{
    return a & b;
}
static uint32_t r_or(uint32_t a, uint32_t b)
{
    return a | b;
}
static uint32_t r_xor(uint32_t a, uint32_t b)
{
    return a ^ b;
}

static const struct {
    const char *operation;
    uint32_t (*of)(uint32_t a, uint32_t b);
} reductions[] = {
    { "add.u32", r_add },   { "add.s32", r_add },   { "min.u32", r_min_u },
    { "max.u32", r_max_u }, { "min.s32", r_min_s }, { "max.s32", r_max_s },
    { "and.b32", r_and },   { "or.b32", r_or },     { "xor.b32", r_xor },
};

TEST_ROWS(redux_reduces_over_the_mask, reductions)
{
    uint32_t in[32], out[32];
    char body[256];
    // Two halves of the warp, each with its own mask.
    snprintf(body, sizeof body,
             "setp.lt.u32 %%p0, %%t, 16;\nselp.b32 %%r1, 0xffff, 0xffff0000, %%p0;\n"
             "redux.sync.%s %%o0, %%i0, %%r1;",
             reductions[_i].operation);
    struct exercise x = { .inputs = "b", .outputs = "b", .body = body };
    for (uint64_t round = 0; round < 10; round++) {
        fill(in, 32, round);
        run(&x, in, out, NULL, 0);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t from = lane & 16, all = in[from];
            for (uint32_t other = from + 1; other < from + 16; other++)
                all = reductions[_i].of(all, in[other]);
            ck_assert_uint_eq(out[lane], all);
        }
    }
}

TEST(redux_of_floats_orders_zeros_and_handles_nan)
{
    static const uint32_t none[] = { 0x80000000, 0, 0x3f800000, 0xc0000000 };
    static const uint32_t some[] = { 0x80000000, 0, 0xc0000000, 0x7fc00001 };
    uint32_t in[32], out[4][32];
    struct exercise x = {
        .inputs = "f",
        .outputs = "ffff",
        .arch = 100,
        .body = "redux.sync.min.f32 %o0, %i0, 0xffffffff;\n"
                "redux.sync.max.f32 %o1, %i0, 0xffffffff;\n"
                "redux.sync.max.abs.f32 %o2, %i0, 0xffffffff;\n"
                "redux.sync.max.NaN.f32 %o3, %i0, 0xffffffff;",
    };
    for (uint32_t lane = 0; lane < 32; lane++)
        in[lane] = none[lane % 4];
    run(&x, in, out, NULL, 0);
    ck_assert_uint_eq(out[0][5], 0xc0000000);
    ck_assert_uint_eq(out[1][5], 0x3f800000);
    ck_assert_uint_eq(out[2][5], 0x40000000);
    ck_assert_uint_eq(out[3][5], 0x3f800000);
    for (uint32_t lane = 0; lane < 32; lane++)
        in[lane] = some[lane % 4];
    run(&x, in, out, NULL, 0);
    ck_assert_uint_eq(out[0][5], 0xc0000000);
    ck_assert_uint_eq(out[1][5], 0); // +0 is greater than -0
    ck_assert_uint_eq(out[2][5], 0x40000000);
    ck_assert_uint_eq(out[3][5], 0x7fffffff);
}

TEST(elect_names_one_lane_and_activemask_those_that_run)
{
    uint32_t in[32] = { 0 }, out[3][32];
    struct exercise x = {
        .inputs = "b",
        .outputs = "bbb",
        .body = "mov.b32 %o0, 99;\nmov.b32 %o1, 99;\nmov.b32 %o2, 0;\n"
                "setp.lt.u32 %p0, %t, 4;\n@%p0 bra SKIP;\n"
                "elect.sync %o0|%p1, 0xfffffff0;\nselp.b32 %o1, 1, 0, %p1;\n"
                "elect.sync _|%p2, 0xfffffff0;\n@%p2 add.u32 %o1, %o1, 1;\n"
                "activemask.b32 %o2;\nSKIP:",
    };
    run(&x, in, out, NULL, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        ck_assert_uint_eq(out[0][lane], lane < 4 ? 99 : 4);
        ck_assert_uint_eq(out[1][lane], lane < 4 ? 99 : 2 * (lane == 4));
        ck_assert_uint_eq(out[2][lane], lane < 4 ? 0 : 0xfffffff0);
    }
}

// ---- Atomics: each row's oracle takes the old value and the operands, and returns the new value.

static uint64_t f32_add(uint64_t old, uint64_t b, uint64_t c)
{
    float x, y;
    uint32_t lo = (uint32_t)old, lb = (uint32_t)b;
    (void)c;
    memcpy(&x, &lo, 4);
    memcpy(&y, &lb, 4);
    x += y;
    memcpy(&lo, &x, 4);
    return x != x ? 0x7fffffff : lo;
}
static uint64_t f64_add(uint64_t old, uint64_t b, uint64_t c)
{
    double x, y;
    (void)c;
    memcpy(&x, &old, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&old, &x, 8);
    return old;
}
#define ORACLE(name, expression)                               \
    static uint64_t name(uint64_t old, uint64_t b, uint64_t c) \
    {                                                          \
        (void)old, (void)b, (void)c;                           \
        return expression;                                     \
    }
ORACLE(a_add, old + b)
ORACLE(a_min_u, old < b ? old : b)
ORACLE(a_max_u, old > b ? old : b)
ORACLE(a_min_s32, (int32_t)(uint32_t)old < (int32_t)(uint32_t)b ? old : b)
ORACLE(a_max_s32, (int32_t)(uint32_t)old > (int32_t)(uint32_t)b ? old : b)
ORACLE(a_min_s64, (int64_t)old < (int64_t)b ? old : b)
ORACLE(a_max_s64, (int64_t)old > (int64_t)b ? old : b)
ORACLE(a_inc, old >= b ? 0 : old + 1)
ORACLE(a_dec, old == 0 || old > b ? b : old - 1)
ORACLE(a_and, old &b)
ORACLE(a_or, old | b)
ORACLE(a_xor, old ^ b)
ORACLE(a_exch, b)
ORACLE(a_cas, old == b ? c : old)

static const struct {
    const char *operation;
    char letter; // letter of the type
    uint64_t (*of)(uint64_t old, uint64_t b, uint64_t c);
    uint32_t range; // limit of the operands; 0: any value
    bool cas, no_red;
} atomics[] = {
    { "add.u32", 'b', a_add, 0, false, false },     { "add.s32", 'b', a_add, 0, false, false },
    { "add.u64", 'l', a_add, 0, false, false },     { "add.f32", 'f', f32_add, 0, false, false },
    { "add.f64", 'd', f64_add, 0, false, false },   { "min.u32", 'b', a_min_u, 0, false, false },
    { "max.u32", 'b', a_max_u, 0, false, false },   { "min.s32", 'b', a_min_s32, 0, false, false },
    { "max.s32", 'b', a_max_s32, 0, false, false }, { "min.u64", 'l', a_min_u, 0, false, false },
    { "max.u64", 'l', a_max_u, 0, false, false },   { "min.s64", 'l', a_min_s64, 0, false, false },
    { "max.s64", 'l', a_max_s64, 0, false, false }, { "inc.u32", 'b', a_inc, 6, false, false },
    { "dec.u32", 'b', a_dec, 6, false, false },     { "and.b32", 'b', a_and, 0, false, false },
    { "and.b64", 'l', a_and, 0, false, false },     { "or.b32", 'b', a_or, 0, false, false },
    { "or.b64", 'l', a_or, 0, false, false },       { "xor.b32", 'b', a_xor, 0, false, false },
    { "xor.b64", 'l', a_xor, 0, false, false },     { "exch.b32", 'b', a_exch, 0, false, true },
    { "exch.b64", 'l', a_exch, 0, false, true },    { "cas.b16", 'h', a_cas, 3, true, true },
    { "cas.b32", 'b', a_cas, 3, true, true },       { "cas.b64", 'l', a_cas, 3, true, true },
};

static uint64_t value_at(const void *array, char letter, uint32_t i)
{
    uint32_t bytes = letter_bytes(letter);
    uint64_t value = 0;
    memcpy(&value, (const char *)array + i * bytes, bytes);
    return value;
}

// Runs one warp whose lanes alternate between two addresses; operations apply in the order of the
// lanes.
static void apply(int row, const char *space, const char *words)
{
    char letter = atomics[row].letter, body[1024] = "", inputs[3] = { letter, letter, 0 };
    char output[2] = { letter, 0 };
    uint32_t bytes = letter_bytes(letter);
    uint64_t in[2][32], out[32], there[2],
        mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    bool shared = strstr(space, "shared") != NULL;
    const char *type = letter_type(letter);

    if (shared)
        say(body, sizeof body,
            "mov.u64 %%x1, box;\nand.b32 %%r1, %%t, 1;\nmad.wide.u32 %%x1, %%r1, %u, %%x1;\n"
            "mad.wide.u32 %%x2, %%r1, %u, %%g;\nsetp.lt.u32 %%p0, %%t, 2;\n"
            "@%%p0 ld.global.%s %%o0, [%%x2];\n@%%p0 st.shared.%s [%%x1], %%o0;\nbar.sync 0;\n",
            bytes, bytes, type, type);
    else
        say(body, sizeof body, "and.b32 %%r1, %%t, 1;\nmad.wide.u32 %%x1, %%r1, %u, %%g;\n", bytes);
    say(body, sizeof body, "atom%s%s.%s %%o0, [%%x1], %%i0%s;\n", words, space,
        atomics[row].operation, atomics[row].cas ? ", %i1" : "");
    if (shared)
        say(body, sizeof body,
            "bar.sync 0;\n@%%p0 ld.shared.%s %%i0, [%%x1];\n@%%p0 st.global.%s [%%x2], %%i0;\n",
            type, type);
    struct exercise x = { .inputs = inputs, .outputs = output, .body = body };
    if (shared)
        x.outside = ".shared .align 16 .b8 box[64];";
    for (uint64_t round = 0; round < 6; round++) {
        fill((uint32_t *)in, 128, round * 64 + (uint64_t)row);
        fill((uint32_t *)there, 4, round * 77 + (uint64_t)row);
        // The arrays hold values of `bytes` bytes; floats get small exponents.
        for (uint32_t i = 0; i < 64; i++) {
            uint64_t v = value_at(in, letter, i);
            if (atomics[row].range)
                v %= atomics[row].range;
            if (letter == 'f') {
                float f = (float)(int32_t)v * 0x1p-20f;
                memcpy(&v, &f, 4);
            } else if (letter == 'd') {
                double d = (double)(int64_t)v * 0x1p-40;
                memcpy(&v, &d, 8);
            }
            memcpy((char *)in + i * bytes, &v, bytes);
        }
        for (uint32_t i = 0; i < 2; i++) {
            uint64_t v = atomics[row].range               ? i
                         : letter == 'f' || letter == 'd' ? 0
                                                          : there[i] & mask;
            memcpy((char *)there + i * bytes, &v, bytes);
        }
        uint64_t expect[2] = { value_at(there, letter, 0), value_at(there, letter, 1) };
        run(&x, in, out, there, sizeof there);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t *at = &expect[lane & 1];
            ck_assert_msg(value_at(out, letter, lane) == *at, "%s%s lane %u: %llx, not %llx", space,
                          atomics[row].operation, lane,
                          (unsigned long long)value_at(out, letter, lane), (unsigned long long)*at);
            *at =
                atomics[row].of(*at, value_at(in, letter, lane), value_at(in, letter, 32 + lane)) &
                mask;
        }
        ck_assert_uint_eq(value_at(there, letter, 0), expect[0]);
        ck_assert_uint_eq(value_at(there, letter, 1), expect[1]);
    }
}

TEST_ROWS(atom_returns_old_values_lane_by_lane, atomics)
{
    apply(_i, ".global", "");
    apply(_i, "", ".acq_rel.gpu");
    apply(_i, ".shared", ".relaxed.cta");
    apply(_i, ".shared::cta", "");
}

// Many blocks update one address: the total must be exact, so no update is lost.
static const struct {
    const char *what, *body;
    uint64_t total; // from 64 blocks of 128 threads
} contended[] = {
    { "red.add.u32", "red.global.add.u32 [%g], %t;", UINT64_C(8192) * 8191 / 2 },
    { "red.add.u64", "cvt.u64.u32 %x0, %t;\nred.global.add.u64 [%g], %x0;",
      UINT64_C(8192) * 8191 / 2 },
    { "atom.inc", "atom.global.inc.u32 %r1, [%g], 0xffffffff;", 8192 },
    { "red.max", "red.global.max.u32 [%g], %t;", 8191 },
    { "red.add.f32", "red.global.add.f32 [%g], 0f3F800000;", 0x46000000 },
    { "red.add.f64", "mov.f64 %d0, 0d3FF0000000000000;\nred.global.add.f64 [%g], %d0;",
      UINT64_C(0x40c0000000000000) },
    { "a lock by cas",
      "LOCK:\natom.global.acquire.cas.b32 %r1, [%g+8], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n"
      "@%p0 bra LOCK;\nld.volatile.global.u32 %r2, [%g];\nadd.u32 %r2, %r2, 1;\n"
      "st.volatile.global.u32 [%g], %r2;\nfence.acq_rel.gpu;\natom.global.release.exch.b32 %r1, "
      "[%g+8], 0;",
      8192 },
    { "cas of 128 bits",
      "mov.b64 %x1, 0;\nmov.b64 %x2, 0;\nAGAIN:\nadd.u64 %x3, %x1, 1;\nadd.u64 %x4, %x2, 2;\n"
      "mov.b128 %q1, {%x1, %x2};\nmov.b128 %q2, {%x3, %x4};\n"
      "atom.global.cas.b128 %q0, [%g], %q1, %q2;\nmov.b128 {%x5, %x6}, %q0;\n"
      "setp.eq.u64 %p0, %x5, %x1;\nsetp.eq.u64 %p1, %x6, %x2;\nand.pred %p0, %p0, %p1;\n"
      "mov.b64 %x1, %x5;\nmov.b64 %x2, %x6;\n@!%p0 bra AGAIN;",
      8192 },
};

TEST_ROWS(contended_atomics_lose_nothing, contended)
{
    uint32_t *in = calloc(8192, 4), *out = calloc(8192, 4);
    _Alignas(16) uint64_t shared[4] = { 0 };
    struct exercise x = { .inputs = "", .outputs = "", .blocks = 64, .threads = 128 };
    x.body = contended[_i].body;
    run(&x, in, out, shared, sizeof shared);
    ck_assert_msg(shared[0] == contended[_i].total, "%s: %llu", contended[_i].what,
                  (unsigned long long)shared[0]);
    free(in);
    free(out);
}

TEST(vector_and_packed_adds_apply_to_every_element)
{
    // 1.5 and 0.25 as f16, then as bf16.
    uint32_t in[32] = { 0 }, out[4][32];
    _Alignas(16) uint32_t shared[16] = { 0x3e003400, 0x3e003400, 0x3fc03e80, 0x3fc03e80, 0x3f800000,
                                         0x40000000, 0x40400000, 0x40800000, 0x34003e00 };
    struct exercise x = {
        .inputs = "b",
        .outputs = "bbbb",
        .body = "setp.eq.u32 %p0, %t, 0;\nmov.b32 %r1, 0x34003e00;\nmov.b32 %r2, 0x3e803fc0;\n"
                "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40000000;\n"
                "@%p0 atom.global.v2.f16x2.add.noftz {%o0, %o1}, [%g], {%r1, %r1};\n"
                "@%p0 red.global.add.noftz.bf16x2 [%g+8], %r2;\n"
                "@%p0 red.global.add.noftz.v2.bf16 [%g+12], {%h1, %h2};\n"
                "@%p0 red.global.add.v4.f32 [%g+16], {%f1, %f2, %f1, %f2};\n"
                "@%p0 atom.global.add.v2.f32 _, [%g+48], {%f2, %f1};\n"
                "mov.b32 {%h1, %h2}, %r1;\n"
                "@%p0 atom.global.max.noftz.v2.f16 {%h3, %h4}, [%g+32], {%h2, %h1};\n"
                "mov.b32 %o2, {%h3, %h4};\nmov.b32 %o3, 0;",
    };
    run(&x, in, out, shared, sizeof shared);
    ck_assert_uint_eq(out[0][0], 0x3e003400);
    ck_assert_uint_eq(out[1][0], 0x3e003400);
    ck_assert_uint_eq(shared[0], 0x3f003f00); // 1.75
    ck_assert_uint_eq(shared[1], 0x3f003f00);
    ck_assert_uint_eq(shared[2], 0x3fe03fe0);
    ck_assert_uint_eq(shared[3], 0x3fc03e80); // zeros were added
    ck_assert_uint_eq(shared[4], 0x40000000);
    ck_assert_uint_eq(shared[5], 0x40800000);
    ck_assert_uint_eq(shared[6], 0x40800000);
    ck_assert_uint_eq(shared[7], 0x40c00000);
    ck_assert_uint_eq(shared[12], 0x40000000);
    ck_assert_uint_eq(shared[13], 0x3f800000);
    ck_assert_uint_eq(out[2][0], 0x34003e00);
    ck_assert_uint_eq(shared[8], 0x3e003e00 & 0x3e003e00);
}

TEST(add_f32_flushes_subnormals_only_in_global_memory)
{
    uint32_t in[32] = { 0 }, out[2][32], shared[4] = { 0x00000001, 0x80000003 };
    struct exercise x = {
        .inputs = "b",
        .outputs = "ff",
        .outside = ".shared .align 4 .b8 box[4];",
        .body = "setp.eq.u32 %p0, %t, 0;\nmov.b32 %f1, 0x00000002;\nmov.b32 %r1, 3;\n"
                "@%p0 st.shared.b32 [box], %r1;\n@%p0 red.shared.add.f32 [box], %f1;\n"
                "ld.shared.f32 %o0, [box];\n@%p0 atom.global.add.f32 %o1, [%g], %f1;\n"
                "mov.b32 %f2, 0x80000001;\n@%p0 red.global.add.f32 [%g+4], %f2;",
    };
    run(&x, in, out, shared, sizeof shared);
    ck_assert_uint_eq(out[0][0], 5);
    ck_assert_uint_eq(out[1][0], 1);
    ck_assert_uint_eq(shared[0], 0);
    ck_assert_uint_eq(shared[1], 0x80000000);
}

// Atomics check addresses as ld and st do.
static const struct {
    const char *body;
    int fault;
} bad_addresses[] = {
    { "atom.global.add.u32 %r1, [%g+64], 1;", 700 },
    { "atom.global.add.u32 %r1, [%g+2], 1;", 716 },
    { "red.global.add.v2.f32 [%g+4], {%f1, %f2};", 716 },
    { "mov.b32 %r2, 0x40000;\natom.shared.add.u32 %r1, [%r2], 1;", 700 },
};

TEST_ROWS(atomics_check_their_address, bad_addresses)
{
    _Alignas(16) uint32_t shared[16] = { 0 };
    struct exercise x = { .inputs = "", .outputs = "", .body = bad_addresses[_i].body };
    int fault = exercise(&x, NULL, NULL, shared, sizeof shared);
    ck_assert_msg(fault == bad_addresses[_i].fault, "%s: %d %s", x.body, fault, harness_report());
}

// Forms that are refused at load, with their line numbers.
static const char *const refused[] = {
    "vote.any.pred %p1, %p0;",
    "vote.sync.any.b32 %r1, %p0, -1;",
    "shfl.up.b32 %r1, %r2, 1, 0;",
    "shfl.sync.up.down.b32 %r1, %r2, 1, 0, -1;",
    "redux.sync.add.b32 %r1, %r2, -1;",
    "redux.sync.and.u32 %r1, %r2, -1;",
    "atom.global.add.f16 %h1, [%g], %h2;",
    "atom.global.exch.u32 %r1, [%g], %r2;",
    "atom.global.add.s64 %x1, [%g], %x2;",
    "atom.shared.add.v2.f32 {%f1, %f2}, [%g], {%f1, %f2};",
    "atom.global.add.v2.f32 {%f1, %f2}, [%g], {%f1, %f2, %f3, %f4};",
    "atom.local.add.u32 %r1, [%g], 1;",
    "atom.shared.L2::cache_hint.add.u32 %r1, [%r2], 1, %x1;",
    "red.acq_rel.gpu.global.add.u32 [%g], 1;",
    "red.global.exch.b32 [%g], %r1;",
    "red.global.cas.b32 [%g], %r1, %r2;",
    "red.async.global.add.u32 [%g], %r1;",
};

TEST_ROWS(forms_that_do_not_exist_are_refused_at_load, refused)
{
    struct exercise x = { .inputs = "", .outputs = "", .body = refused[_i] };
    char *ptx = exercise_ptx(&x);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strncmp(log, "line ", 5) == 0, "%s: %s", refused[_i], log);
    free(ptx);
}

// The device runtime

#define RUNTIME                                                                \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"   \
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, " \
    ".param .b64 n, .param .b64 s);\n"                                         \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                   \
    ".extern .func free(.param .b64 p);\n"

// Runs `x` and returns its output to a stream of this process.
static int listen(const struct exercise *x, FILE *stream, char *text, size_t room, uint32_t *out)
{
    FILE *file = tmpfile();
    int kept = dup(fileno(stream));
    fflush(stream);
    dup2(fileno(file), fileno(stream));
    int fault = exercise(x, NULL, out, NULL, 0);
    fflush(stream);
    dup2(kept, fileno(stream));
    close(kept);
    rewind(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    return fault;
}

TEST(printf_reads_arguments_by_their_layout)
{
    char text[1024];
    uint32_t out[32];
    struct exercise x = {
        .inputs = "",
        .outputs = "b",
        .outside = RUNTIME
        ".global .align 1 .b8 fmt[] = {37,100,32,37,46,51,102,32,37,108,108,120,32,37,115,32,37,99,"
        "32,37,42,100,37,37,10,0};\n" // "%d %.3f %llx %s %c %*d%%\n"
        ".global .align 1 .b8 word[] = {119,97,114,112,0};\n",
        .body = "mov.b32 %o0, 0;\nsetp.ne.u32 %p0, %t, 1;\n@%p0 bra SKIP;\n"
                "{\n.local .align 8 .b8 list[48];\n.reg .b64 %l, %w;\n"
                "mov.u64 %l, list;\n"
                "mov.b32 %r1, -7;\nst.local.u32 [%l], %r1;\n"
                "mov.f64 %d1, 0d3FF8000000000000;\nst.local.f64 [%l+8], %d1;\n"
                "mov.b64 %x1, 0x123456789abcdef0;\nst.local.u64 [%l+16], %x1;\n"
                "mov.u64 %w, word;\ncvta.global.u64 %w, %w;\nst.local.u64 [%l+24], %w;\n"
                "mov.b32 %r2, 65;\nst.local.u32 [%l+32], %r2;\n"
                "mov.b32 %r2, 5;\nst.local.u32 [%l+36], %r2;\n"
                "mov.b32 %r2, 42;\nst.local.u32 [%l+40], %r2;\n"
                "cvta.local.u64 %l, %l;\nmov.u64 %w, fmt;\ncvta.global.u64 %w, %w;\n"
                "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\n"
                "st.param.b64 [f], %w;\nst.param.b64 [a], %l;\n"
                "call.uni (r), vprintf, (f, a);\nld.param.b32 %o0, [r];\n}\n}\nSKIP:",
    };
    ck_assert_int_eq(listen(&x, stdout, text, sizeof text, out), 0);
    ck_assert_str_eq(text, "-7 1.500 123456789abcdef0 warp A    42%\n");
    ck_assert_uint_eq(out[1], 7);
}

TEST(assert_says_where_and_ends_the_grid)
{
    char text[8192];
    struct exercise x = {
        .inputs = "",
        .outputs = "",
        .outside = RUNTIME
        ".global .align 1 .b8 m[] = {120,62,48,0};\n.global .align 1 .b8 f[] = {97,46,99,117,0};\n"
        ".global .align 1 .b8 n[] = {107,0};\n",
        .body = "setp.ne.u32 %p0, %t, 33;\n@%p0 bra SKIP;\n"
                "mov.u64 %x1, m;\ncvta.global.u64 %x1, %x1;\nmov.u64 %x2, f;\n"
                "cvta.global.u64 %x2, %x2;\nmov.u64 %x3, n;\ncvta.global.u64 %x3, %x3;\n"
                "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\n.param .b64 p3;\n"
                ".param .b64 p4;\nst.param.b64 [p0], %x1;\nst.param.b64 [p1], %x2;\n"
                "mov.b32 %r1, 12;\nst.param.b32 [p2], %r1;\nst.param.b64 [p3], %x3;\n"
                "mov.b64 %x4, 1;\nst.param.b64 [p4], %x4;\n"
                "call.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nSKIP:",
        .threads = 64,
    };
    ck_assert_int_eq(listen(&x, stderr, text, sizeof text, NULL), 710);
    ck_assert_str_eq(text,
                     "a.cu:12: k: block: [0,0,0], thread: [33,0,0] Assertion `x>0` failed.\n");
}

TEST(malloc_gives_memory_that_kernels_reach_until_it_is_freed)
{
    uint32_t out[2][32];
    struct exercise x = {
        .inputs = "",
        .outputs = "bb",
        .outside = RUNTIME,
        .body = "{\n.param .b64 n;\n.param .b64 r;\nmov.b64 %x1, 64;\nst.param.b64 [n], %x1;\n"
                "call.uni (r), malloc, (n);\nld.param.b64 %x2, [r];\n}\n"
                "st.u32 [%x2+60], %t;\nld.u32 %o0, [%x2+60];\n"
                "{\n.param .b64 p;\nst.param.b64 [p], %x2;\ncall.uni free, (p);\n}\n"
                "{\n.param .b64 n;\n.param .b64 r;\nmov.b64 %x1, 0x7fffffffffff;\n"
                "st.param.b64 [n], %x1;\ncall.uni (r), malloc, (n);\nld.param.b64 %x3, [r];\n}\n"
                "cvt.u32.u64 %o1, %x3;\n",
    };
    run(&x, NULL, out, NULL, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        ck_assert_uint_eq(out[0][lane], lane);
        ck_assert_uint_eq(out[1][lane], 0); // more than is left in the heap
    }
    x.outputs = "";
    x.body = "{\n.param .b64 p;\nmov.b64 %x2, 64;\nst.param.b64 [p], %x2;\n"
             "call.uni free, (p);\n}\n";
    ck_assert_int_eq(exercise(&x, NULL, NULL, NULL, 0), 719);
}

TEST(fences_of_every_kind_are_known)
{
    uint32_t shared[64] = { 0 };
    struct exercise x = {
        .inputs = "",
        .outputs = "",
        .body = "membar.cta;\nmembar.gl;\nmembar.sys;\nfence.acq_rel.gpu;\nfence.sc.cta;\n"
                "fence.acq_rel.cluster;\nfence.acquire.sys;\nfence.release.gpu;\n"
                "fence.proxy.alias;\nfence.proxy.async;\nfence.proxy.async.global;\n"
                "fence.proxy.async.shared::cta;\nfence.mbarrier_init.release.cluster;\n"
                "fence.proxy.tensormap::generic.release.gpu;\n"
                "fence.acquire.sync_restrict::shared::cluster.cluster;",
    };
    run(&x, NULL, NULL, shared, sizeof shared);
}

int main(void)
{
    return run_tests("warp");
}
