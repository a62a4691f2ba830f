// The types of operands and their test values: edge values first, then pseudorandom numbers that
// are the same in each run.
#include "base/array.h"
#include "opcodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_FLOAT \
    {            \
        0, 0     \
    }
static const struct kind kinds[] = {
    // clang-format off
    // name    register bits elements signed format  pattern
    { "pred",    'p',  1, 1, false, NO_FLOAT, PATTERN_RANDOM },
    { "u8",      'r',  8, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "s8",      'r',  8, 1, true,  NO_FLOAT, PATTERN_EDGES },
    { "u8.c",    'c',  8, 1, false, NO_FLOAT, PATTERN_EDGES }, // in an 8-bit register
    { "s8.c",    'c',  8, 1, true,  NO_FLOAT, PATTERN_EDGES },
    { "b16",     'h', 16, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "u16",     'h', 16, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "s16",     'h', 16, 1, true,  NO_FLOAT, PATTERN_EDGES },
    { "b32",     'r', 32, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "u32",     'r', 32, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "s32",     'r', 32, 1, true,  NO_FLOAT, PATTERN_EDGES },
    { "b64",     'l', 64, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "u64",     'l', 64, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "s64",     'l', 64, 1, true,  NO_FLOAT, PATTERN_EDGES },
    { "u16x2",   'r', 16, 2, false, NO_FLOAT, PATTERN_EDGES },
    { "s16x2",   'r', 16, 2, true,  NO_FLOAT, PATTERN_EDGES },
    { "f16",     'h', 16, 1, true,  { 5, 10 }, PATTERN_EDGES },
    { "bf16",    'h', 16, 1, true,  { 8, 7 }, PATTERN_EDGES },
    { "f32",     'r', 32, 1, true,  { 8, 23 }, PATTERN_EDGES },
    { "tf32",    'r', 32, 1, true,  { 8, 23 }, PATTERN_EDGES },
    { "f64",     'l', 64, 1, true,  { 11, 52 }, PATTERN_EDGES },
    { "f16x2",   'r', 16, 2, true,  { 5, 10 }, PATTERN_EDGES },
    { "bf16x2",  'r', 16, 2, true,  { 8, 7 }, PATTERN_EDGES },
    { "f32x2",   'l', 32, 2, true,  { 8, 23 }, PATTERN_EDGES },
    { "e4m3x2",  'h',  8, 2, true,  { 4, 3 }, PATTERN_RANDOM },
    { "e5m2x2",  'h',  8, 2, true,  { 5, 2 }, PATTERN_RANDOM },
    { "e2m3x2",  'h',  8, 2, true,  { 2, 3 }, PATTERN_RANDOM },
    { "e3m2x2",  'h',  8, 2, true,  { 3, 2 }, PATTERN_RANDOM },
    { "e2m1x2",  'c',  4, 2, true,  { 2, 1 }, PATTERN_RANDOM },
    { "ue8m0x2", 'h',  8, 2, false, { 8, 0 }, PATTERN_RANDOM },
    { "e4m3x4",  'r',  8, 4, true,  { 4, 3 }, PATTERN_RANDOM },
    { "e5m2x4",  'r',  8, 4, true,  { 5, 2 }, PATTERN_RANDOM },
    { "e2m3x4",  'r',  8, 4, true,  { 2, 3 }, PATTERN_RANDOM },
    { "e3m2x4",  'r',  8, 4, true,  { 3, 2 }, PATTERN_RANDOM },
    { "e2m1x4",  'h',  4, 4, true,  { 2, 1 }, PATTERN_RANDOM },
    // Types that instructions name; as operands they are packed into registers of other types.
    { "b1",      'r',  1, 1, false, NO_FLOAT, PATTERN_RANDOM },
    { "b8",      'r',  8, 1, false, NO_FLOAT, PATTERN_EDGES },
    { "b128",    'l', 64, 1, false, NO_FLOAT, PATTERN_RANDOM },
    { "u4",      'r',  4, 1, false, NO_FLOAT, PATTERN_RANDOM },
    { "s4",      'r',  4, 1, true,  NO_FLOAT, PATTERN_RANDOM },
    { "e4m3",    'r',  8, 1, true,  { 4, 3 }, PATTERN_RANDOM },
    { "e5m2",    'r',  8, 1, true,  { 5, 2 }, PATTERN_RANDOM },
    // Parts of matrices.
    { "m.f16",   'r', 16, 2, true,  { 5, 10 }, PATTERN_MATRIX },
    { "m.bf16",  'r', 16, 2, true,  { 8, 7 }, PATTERN_MATRIX },
    { "m.tf32",  'r', 32, 1, true,  { 8, 23 }, PATTERN_MATRIX },
    { "m.f32",   'r', 32, 1, true,  { 8, 23 }, PATTERN_MATRIX },
    { "m.f64",   'l', 64, 1, true,  { 11, 52 }, PATTERN_MATRIX },
    { "m.e4m3",  'r',  8, 4, true,  { 4, 3 }, PATTERN_MATRIX },
    { "m.e5m2",  'r',  8, 4, true,  { 5, 2 }, PATTERN_MATRIX },
    { "m.b32",   'r', 32, 1, false, NO_FLOAT, PATTERN_RANDOM },
    // Kinds that no instruction names.
    { "random",  'r', 32, 1, false, NO_FLOAT, PATTERN_RANDOM },
    { "random64", 'l', 64, 1, false, NO_FLOAT, PATTERN_RANDOM },
    { "below32", 'r', 32, 1, false, NO_FLOAT, PATTERN_BELOW },
    { "below16", 'r', 32, 1, false, NO_FLOAT, PATTERN_BELOW },
    { "vote",    'p',  1, 1, false, NO_FLOAT, PATTERN_VOTE },
    { "alike",   'r', 32, 1, false, NO_FLOAT, PATTERN_ALIKE },
    { "alike64", 'l', 64, 1, false, NO_FLOAT, PATTERN_ALIKE },
    { "shift",   'r', 32, 1, false, NO_FLOAT, PATTERN_SHIFT },
    // clang-format on
};

const struct kind *kind_find(const char *name, size_t length)
{
    for (size_t i = 0; i < CUC_LENGTH(kinds); i++)
        if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, name, length) == 0)
            return &kinds[i];
    return NULL;
}

uint64_t kind_mask(const struct kind *kind)
{
    switch (kind->reg) {
    case 'p':
        return 1;
    case 'c':
        return 0xff;
    case 'h':
        return 0xffff;
    case 'r':
        return 0xffffffff;
    default:
        return UINT64_MAX;
    }
}

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// Edge values, the most important first: with three operands, only the first ten are crossed.
enum { MAX_EDGES = 160 };
struct edges {
    uint64_t value[MAX_EDGES];
    uint32_t count;
};

static void add_edge(struct edges *e, uint64_t value, uint32_t bits)
{
    value &= bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->value[i] == value)
            return;
    if (e->count < MAX_EDGES)
        e->value[e->count++] = value;
}

static void integer_edges(struct edges *e, uint32_t bits)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t first[] = { 0, 1, UINT64_MAX, top, top - 1, 2, top + 1, UINT64_MAX - 1, 3, 7 };

    for (uint32_t i = 0; i < CUC_LENGTH(first); i++)
        add_edge(e, first[i], bits);
    for (uint32_t k = 2; k < bits; k++) // some powers of two and their neighbors
        if (k % 8 == 0 || k == bits - 2)
            for (uint64_t d = 0; d < 3; d++)
                add_edge(e, (UINT64_C(1) << k) + d - 1, bits);
    add_edge(e, UINT64_C(0x5555555555555555), bits);
    add_edge(e, UINT64_C(0xaaaaaaaaaaaaaaaa), bits);
    add_edge(e, UINT64_C(0x123456789abcdef0), bits);
    add_edge(e, UINT64_C(0xfedcba9876543210), bits);
    add_edge(e, UINT64_C(0x80ff7f0180ff7f01), bits);
    for (uint32_t k = 2; k < bits; k++)
        add_edge(e, UINT64_C(1) << k, bits);
    for (uint32_t k = 2; k < bits; k++)
        add_edge(e, 0 - (UINT64_C(1) << k), bits);
}

// Truncates a double to a format. If the format lacks an edge value, this gives a neighbor.
static uint64_t in_format(double value, struct soft_format f)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return soft_encode(soft_decode(bits, SOFT_F64), f, SOFT_RZ);
}

static void float_edges(struct edges *e, struct soft_format f)
{
    const uint32_t bits = format_bits(f);
    const uint64_t sign = format_sign(f), infinity = format_infinity(f);
    const uint64_t least = UINT64_C(1) << f.mantissa, one = in_format(1, f);
    const uint64_t first[] = { 0,
                               one,
                               infinity,
                               infinity | 1,
                               sign,
                               infinity - 1,
                               1,
                               sign | one,
                               infinity | least >> 1,
                               least,
                               least - 1,
                               sign | infinity,
                               one + 1,
                               one - 1,
                               sign | 1,
                               sign | least,
                               sign | (infinity - 1),
                               sign | (least - 1),
                               sign | infinity | 5,
                               infinity | (least - 1) };
    // Values at which conversions to integers and to narrower floats change their result.
    static const double numbers[] = {
        0.5,
        -0.5,
        1.5,
        2,
        2.5,
        -2.5,
        3,
        3.5,
        10,
        100,
        127,
        127.5,
        128,
        128.5,
        -128,
        -128.5,
        -129,
        255,
        255.5,
        256,
        32767,
        32767.5,
        32768,
        -32768,
        -32768.5,
        -32769,
        65504,
        65519.996,
        65520,
        65535,
        65535.5,
        65536,
        -65536,
        2147483520.0,
        2147483647.0,
        2147483648.0,
        -2147483648.0,
        -2147483904.0,
        4294967040.0,
        4294967295.0,
        4294967296.0,
        0x1.fffffep62,
        0x1p63,
        -0x1p63,
        -0x1.000002p63,
        0x1.fffffep63,
        0x1p64,
        1 + 0x1p-11,
        1 + 0x1.8p-10,
        1 + 0x1p-8,
        1 + 0x1.8p-7,
        1 + 0x1p-4,
        1 + 0x1.8p-3,
        1 + 0x1p-3,
        1 + 0x1.8p-2,
        1 + 0x1p-11 + 0x1p-23,
        1 + 0x1p-24,
        448,
        464,
        465,
        480,
        57344,
        61440,
        61441,
        7.5,
        7.75,
        28,
        30,
        6,
        5,
        0x1p-14,
        0x1.ffcp-15,
        0x1p-24,
        0x1p-25,
        0x1.8p-25,
        0x1.000002p-25,
        0x1p-9,
        0x1p-10,
        0x1.8p-10,
        0x1p-16,
        0x1p-17,
        0x1p-126,
        0x1p-133,
        0x1p-134,
        0x1p-149,
        0x1p-150,
        0x1.fffffep127,
        0x1.ffffffp127,
        0x1p128,
        0x1p126,
        0x1.8p126,
        0x1p-127,
        0x1p-128,
        3.1415926,
        1.5707963,
        -0.7853982,
        88.72284,
        126.99999,
        -126.5,
        -149.5,
        -150,
        11.9,
        0x1p-1022,
        0x1p-1074,
        0x1p1023,
    };

    for (uint32_t i = 0; i < CUC_LENGTH(first); i++)
        add_edge(e, first[i], bits);
    for (uint32_t i = 0; i < CUC_LENGTH(numbers); i++)
        add_edge(e, in_format(numbers[i], f), bits);
}

static void shift_edges(struct edges *e)
{
    static const uint32_t values[] = { 0,   1,   31,         32,         8,        63,  64,
                                       33,  255, UINT32_MAX, 2,          7,        15,  16,
                                       17,  24,  30,         62,         65,       128, 254,
                                       256, 257, 0x7fffffff, 0x80000000, 0x100001f };
    for (uint32_t i = 0; i < CUC_LENGTH(values); i++)
        add_edge(e, values[i], 32);
}

static void kind_edges(struct edges *e, const struct kind *k)
{
    e->count = 0;
    if (k->pattern == PATTERN_SHIFT)
        shift_edges(e);
    else if (k->format.exponent)
        float_edges(e, k->format);
    else
        integer_edges(e, k->bits);
    if (k->elements == 1)
        return;
    // Packed values: make neighbors distinct, so that a mix-up is noticed.
    struct edges one = *e;
    for (uint32_t i = 0; i < one.count; i++) {
        e->value[i] = 0;
        for (uint32_t at = 0; at < k->elements; at++)
            e->value[i] |= one.value[(i * (at + 1) + at * 7) % one.count] << (at * k->bits);
    }
}

// Returns an element of a warp's matrices: integers with exact sums, numbers of one magnitude or of
// many, and occasionally infinities and NaNs.
static uint64_t matrix_element(const struct kind *k, uint32_t warp, uint64_t *state)
{
    const uint64_t random = draw(state);
    const double unit = (double)(int64_t)random * 0x1p-63;
    const struct soft_format f = k->format;

    if (!f.exponent)
        return random;
    switch (warp % 8) {
    case 0:
    case 1:
        return in_format((double)(int64_t)(random % 17) - 8, f);
    case 2:
    case 3:
        return in_format(unit, f);
    case 4:
        return in_format(fabs(unit), f);
    case 7:
        if (random % 61 == 0)
            return format_infinity(f) | (random & format_sign(f));
        if (random % 127 == 0)
            return format_nan(f);
        return in_format(unit, f);
    default: // includes subnormal numbers of f16 and fp8
        return in_format(ldexp(unit, (int)(random % 25) - 12), f);
    }
}

// Returns a value that the lanes of a warp vote on or compare.
static uint64_t warp_value(enum pattern pattern, uint32_t n, uint64_t *state)
{
    const uint32_t warp = n / WARP, lane = n % WARP, choice = warp % 4;
    const uint64_t random = draw(state);

    if (pattern == PATTERN_VOTE)
        return choice == 0   ? 0
               : choice == 1 ? 1
               : choice == 2 ? lane == warp / 4 % WARP
                             : random & 1;
    return choice == 0   ? warp * UINT64_C(0x9e3779b97f4a7c15)
           : choice == 1 ? (uint64_t)(random % 5 == 0) << 31
           : choice == 2 ? random % 7 * UINT64_C(0x100000001)
                         : lane * UINT64_C(0x8000000080000001);
}

static uint64_t random_value(const struct kind *k, uint64_t common, uint64_t *state)
{
    uint64_t any = draw(state);

    switch (k->pattern) {
    case PATTERN_BELOW:
        return k->name[5] == '1' ? any >> 8 & 15 : any % 37 == 0 ? any >> 32 : any >> 8 & 31;
    case PATTERN_SHIFT:
        return any & 1 ? any >> 8 & 63 : any >> 32;
    default:
        // Give half of them a similar magnitude, so that sums cancel.
        return any & 1 ? any >> 1 | any << 63
                       : common ^ (any & (k->bits == 64   ? UINT64_C(0x801fffffffffffff)
                                          : k->bits == 16 ? UINT64_C(0x81ff81ff)
                                                          : UINT64_C(0x80ffffff80ffffff)));
    }
}

void kind_values(uint64_t **column, const struct kind *const *list, uint32_t count, uint32_t cases)
{
    static struct edges edges[MAX_IN];
    uint64_t state = cases, core = 1, crossed = 1;

    for (uint32_t k = 0; k < count; k++) {
        kind_edges(&edges[k], list[k]);
        for (const char *at = list[k]->name; *at; at++)
            state = state * 31 + (unsigned char)*at;
    }
    if (cases == CASES_ALL) { // use every possible value
        for (uint32_t n = 0; n < cases; n++)
            column[0][n] = n;
        return;
    }
    // Combine the first `core` edge values of each operand with all edge values of the others.
    for (uint32_t next = 1; count && count <= 4; next++) {
        uint64_t size = 1;
        for (uint32_t k = 0; k < count; k++)
            size *= next < edges[k].count ? next : edges[k].count;
        if (size > cases / 2 || next > MAX_EDGES)
            break;
        core = next;
        crossed = size;
    }
    for (uint32_t n = 0; n < cases; n++) {
        uint64_t rest = n, common = draw(&state);
        for (uint32_t k = 0; k < count; k++) {
            const struct edges *e = &edges[k];
            uint64_t used = core < e->count ? core : e->count, value;
            if (list[k]->pattern == PATTERN_MATRIX) {
                value = 0;
                for (uint32_t at = 0; at < list[k]->elements; at++)
                    value |= matrix_element(list[k], n / WARP, &state) << (at * list[k]->bits);
            } else if (list[k]->pattern == PATTERN_VOTE || list[k]->pattern == PATTERN_ALIKE) {
                value = warp_value(list[k]->pattern, n, &state);
            } else if (list[k]->pattern == PATTERN_RANDOM) {
                value = draw(&state);
            } else if (n < crossed && count <= 4 && list[k]->pattern != PATTERN_BELOW) {
                value = e->value[rest % used];
                rest /= used;
            } else if (n < cases / 4 * 3 && list[k]->pattern != PATTERN_BELOW) {
                value = e->value[draw(&state) % e->count];
            } else {
                value = random_value(list[k], common, &state);
            }
            // tf32 ignores the bits below these.
            if (strcmp(list[k]->name, "m.tf32") == 0)
                value &= UINT64_C(0xffffe000);
            // The bits above an 8-bit value in its register are ignored.
            column[k][n] = value & kind_mask(list[k]);
        }
    }
}
