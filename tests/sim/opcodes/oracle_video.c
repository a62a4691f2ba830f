// Video instructions, computed in at least 64 bits by the ISA's pseudocode. An H200 lacks these
// instructions, so ptxas 13.0 generates other code for them. Where this code differs from the ISA,
// the oracle follows the code, and a comment says so.
#include "oracles.h"

#include <string.h>

__extension__ typedef __int128 s128;

// Reads the selector of an operand: "b0" in "%i0.b0"; "" if there is none.
static void selector_of(const struct call *c, const char *operand, char *selector, size_t room)
{
    const char *at = strstr(c->x->text, operand);

    selector[0] = 0;
    if (at && at[strlen(operand)] == '.')
        snprintf(selector, room, "%.*s", (int)strcspn(at + strlen(operand) + 1, ", ;"),
                 at + strlen(operand) + 1);
}

static bool is_signed(const struct call *c, uint32_t type)
{
    return c->x->type[type]->is_signed;
}

static int64_t extended(uint64_t bits, uint32_t width, bool sign)
{
    bits &= (UINT64_C(1) << width) - 1;
    return sign ? sign_extended(bits, width) : (int64_t)bits;
}

// Finds the selected part of a source: its offset and width.
static void part_of(const char *selector, uint32_t *at, uint32_t *width)
{
    *width = selector[0] == 'b' ? 8 : selector[0] == 'h' ? 16 : 32;
    *at = selector[0] ? (uint32_t)(selector[1] - '0') * *width : 0;
}

static int64_t source(const struct call *c, uint32_t k, bool sign)
{
    static const char *const names[] = { "%i0", "%i1" };
    char selector[8];
    uint32_t at, width;

    selector_of(c, names[k], selector, sizeof(selector));
    part_of(selector, &at, &width);
    return extended(c->in[k] >> at, width, sign);
}

static int64_t clamped(s128 x, uint32_t width, bool sign)
{
    const int64_t high = (INT64_C(1) << (width - sign)) - 1, low = sign ? -high - 1 : 0;
    return x < low ? low : x > high ? high : (int64_t)x;
}

// Differs from the ISA: shifts always saturate to 32 bits. In other operations, a negative result
// saturates to the maximum if it is a part of a word, and an unsigned word has no upper bound.
static s128 saturated(const struct call *c, s128 d, uint32_t width, bool sign)
{
    if (strncmp(c->x->name, "vsh", 3) == 0)
        return clamped(d, 32, sign);
    if (width < 32)
        return d < 0 ? clamped(1000000, width, sign) : clamped(d, width, sign);
    return sign ? clamped(d, width, sign) : d < 0 ? 0 : d;
}

// Applies the second operation. Differs from the ISA for saturated unsigned sums and differences:
// bits above the 32nd are dropped first, and a result whose top bit is set counts as greater than
// any third source.
static s128 combined(const struct call *c, s128 d, bool sign)
{
    const int64_t other = extended(c->in[2], 32, sign);
    const bool least = has(c->x, "min"),
               sums = strncmp(c->x->name, "vadd", 4) == 0 || strncmp(c->x->name, "vsub", 4) == 0;

    if (has(c->x, "add"))
        return d + other;
    if (sums && !sign && c->x->words & WORD_SAT) {
        d &= 0xffffffff;
        return least == (!(d >> 31) && d < other) ? d : other;
    }
    return least == (d < other) ? d : other;
}

// Saturates, applies the second operation, or merges with the third source. Differs from the ISA:
// the upper half receives the upper half of the result.
static struct answer finished(const struct call *c, s128 d, bool sign)
{
    char selector[8];
    uint32_t at, width;

    selector_of(c, "%d0", selector, sizeof(selector));
    part_of(selector, &at, &width);
    if (c->x->words & WORD_SAT)
        d = saturated(c, d, width, sign);
    if (selector[0]) {
        const uint64_t mask = ((UINT64_C(1) << width) - 1) << at;
        const uint64_t moved = width == 16 ? (uint64_t)d : (uint64_t)d << at;
        return exactly((moved & mask) | (c->in[2] & ~mask));
    }
    if (c->x->ins > 2)
        d = combined(c, d, sign);
    return exactly((uint64_t)d & 0xffffffff);
}

static int64_t operated(const char *name, int64_t a, int64_t b)
{
    if (strncmp(name, "vadd", 4) == 0)
        return a + b;
    if (strncmp(name, "vsub", 4) == 0)
        return a - b;
    if (strncmp(name, "vabsdiff", 8) == 0)
        return a < b ? b - a : a - b;
    if (strncmp(name, "vavrg", 5) == 0) // rounds halves away from zero
        return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    return (strncmp(name, "vmin", 4) == 0) == (a < b) ? a : b;
}

void video_scalar(const struct call *c, struct answer *out)
{
    *out = finished(
        c, operated(c->x->name, source(c, 0, is_signed(c, 1)), source(c, 1, is_signed(c, 2))),
        is_signed(c, 0));
}

void video_shift(const struct call *c, struct answer *out)
{
    const int64_t a = source(c, 0, is_signed(c, 1));
    int64_t by = source(c, 1, false);

    by = c->x->words & WORD_CLAMP ? (by > 32 ? 32 : by) : by & 31;
    if (strcmp(c->x->name, "vshr") == 0)
        *out = finished(c, a >> by, is_signed(c, 0));
    else // keeps 34 bits until saturation
        *out = finished(c, sign_extended((uint64_t)(a * ((s128)1 << by)), 34), is_signed(c, 0));
}

// Differs from the ISA: words are always signed, and scaling shifts 64 bits, which are unsigned if
// no operand is signed.
void video_mad(const struct call *c, struct answer *out)
{
    const bool minus_a = strstr(c->x->text, "-%i0"), minus_c = strstr(c->x->text, "-%i2");
    const bool sign = is_signed(c, 1) || is_signed(c, 2) || minus_a || minus_c;
    const int shift = has(c->x, "shr7") ? 7 : has(c->x, "shr15") ? 15 : 0;
    s128 factor[2], d;

    for (uint32_t k = 0; k < 2; k++) {
        factor[k] = source(c, k, is_signed(c, k + 1));
        if (factor[k] > INT32_MAX)
            factor[k] -= (s128)1 << 32;
    }
    d = factor[0] * factor[1];
    s128 other = extended(c->in[2], 32, true);

    d = (minus_a ? -d : d) + (minus_c ? -other : other) + (has(c->x, "po") ? 1 : 0);
    if (shift)
        d = sign ? d >> shift : (s128)((uint64_t)d >> shift);
    if (c->x->words & WORD_SAT) {
        const s128 high = sign ? INT32_MAX : UINT32_MAX, low = sign ? INT32_MIN : 0;
        d = d < low ? low : d > high ? high : d;
    }
    *out = exactly((uint64_t)d & 0xffffffff);
}

static bool compared(const struct call *c, int64_t a, int64_t b)
{
    return has(c->x, "eq")   ? a == b
           : has(c->x, "ne") ? a != b
           : has(c->x, "lt") ? a < b
           : has(c->x, "le") ? a <= b
           : has(c->x, "gt") ? a > b
                             : a >= b;
}

// The result counts as a number of the first type; the ISA says that it is unsigned.
void video_set(const struct call *c, struct answer *out)
{
    *out = finished(c, compared(c, source(c, 0, is_signed(c, 0)), source(c, 1, is_signed(c, 1))),
                    is_signed(c, 0));
}

// Returns one of the elements that a selector such as "h32" picks from both sources; the last one
// picked is the lowest.
static int64_t element(const struct call *c, const char *selector, uint32_t i, uint32_t count,
                       bool sign)
{
    const uint64_t both = c->in[1] << 32 | c->in[0];
    const uint32_t width = 32 / count, which = (uint32_t)(selector[count - i] - '0');
    return extended(both >> (which * width), width, sign);
}

static void simd(const struct call *c, struct answer *out, bool set)
{
    const uint32_t count = strchr(c->x->name, '4') ? 4 : 2, width = 32 / count;
    const uint32_t first = set ? 0 : 1; // index of the sources' types
    char a[8], b[8], mask[8];
    uint64_t d = 0, sum = c->in[2];

    selector_of(c, "%i0", a, sizeof(a));
    selector_of(c, "%i1", b, sizeof(b));
    selector_of(c, "%d0", mask, sizeof(mask));
    for (uint32_t i = 0; i < count; i++) {
        const int64_t x = element(c,
                                  *a           ? a
                                  : count == 2 ? "h10"
                                               : "b3210",
                                  i, count, is_signed(c, first));
        const int64_t y = element(c,
                                  *b           ? b
                                  : count == 2 ? "h32"
                                               : "b7654",
                                  i, count, is_signed(c, first + 1));
        const uint64_t lane = ((UINT64_C(1) << width) - 1) << (i * width);
        int64_t t = set ? compared(c, x, y) : operated(c->x->name, x, y);
        const bool taken = !*mask || strchr(mask + 1, (int)('0' + i));
        if (c->x->words & WORD_SAT)
            t = clamped(t, width, is_signed(c, 0));
        d |= taken ? (uint64_t)t << (i * width) & lane : c->in[2] & lane;
        sum += taken ? (uint64_t)t : 0;
    }
    *out = exactly((has(c->x, "add") ? sum : d) & 0xffffffff);
}

void video_simd(const struct call *c, struct answer *out)
{
    simd(c, out, false);
}

void video_simd_set(const struct call *c, struct answer *out)
{
    simd(c, out, true);
}
