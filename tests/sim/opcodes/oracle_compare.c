// Compares by value: integers in 64 bits, floats as long doubles, which represent all formats
// exactly.
#include "base/array.h"
#include "oracles.h"

#include <math.h>
#include <string.h>

enum relation { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static enum relation relation_of(uint64_t a, uint64_t b, const struct kind *kind, bool ftz)
{
    if (kind->format.exponent) {
        const long double x = float_value(ftz ? format_flush(a, kind->format) : a, kind->format);
        const long double y = float_value(ftz ? format_flush(b, kind->format) : b, kind->format);
        return isnan(x) || isnan(y) ? UNORDERED : x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    if (kind->is_signed) {
        const int64_t x = sign_extended(a, kind->bits), y = sign_extended(b, kind->bits);
        return x < y ? LESS : x > y ? GREATER : EQUAL;
    }
    return a < b ? LESS : a > b ? GREATER : EQUAL;
}

// Represents each comparison as the set of relations for which it holds.
static bool compared(const struct call *c, uint64_t a, uint64_t b, const struct kind *kind)
{
    static const struct {
        const char *word;
        unsigned holds;
    } comparisons[] = {
        { "eq", EQUAL },
        { "ne", LESS | GREATER },
        { "lt", LESS },
        { "le", LESS | EQUAL },
        { "gt", GREATER },
        { "ge", GREATER | EQUAL },
        { "lo", LESS },
        { "ls", LESS | EQUAL },
        { "hi", GREATER },
        { "hs", GREATER | EQUAL },
        { "equ", EQUAL | UNORDERED },
        { "neu", LESS | GREATER | UNORDERED },
        { "ltu", LESS | UNORDERED },
        { "leu", LESS | EQUAL | UNORDERED },
        { "gtu", GREATER | UNORDERED },
        { "geu", GREATER | EQUAL | UNORDERED },
        { "num", LESS | EQUAL | GREATER },
        { "nan", UNORDERED },
    };
    // The first modifier names the comparison.
    const char *word = c->x->main + strlen(c->x->name) + 1;
    const size_t length = strcspn(word, ".");

    for (size_t i = 0; i < CUC_LENGTH(comparisons); i++)
        if (strlen(comparisons[i].word) == length && memcmp(comparisons[i].word, word, length) == 0)
            return comparisons[i].holds & relation_of(a, b, kind, c->x->words & WORD_FTZ);
    return false;
}

// Combines the result with the third predicate, if any.
static bool joined(const struct call *c, bool holds)
{
    if (c->x->ins < 3)
        return holds;
    const bool other = (c->in[2] != 0) != (strchr(c->x->text, '!') != NULL);
    return has(c->x, "and") ? holds && other : has(c->x, "or") ? holds || other : holds != other;
}

// The second predicate is the opposite comparison, combined in the same way. For packed halves,
// each predicate is the comparison of one half.
void compare_setp(const struct call *c, struct answer *out)
{
    const struct kind *kind = c->x->in[0];

    if (kind->elements == 2) {
        for (uint32_t e = 0; e < 2; e++)
            out[e] = exactly(joined(c, compared(c, c->in[0] >> (e * kind->bits) & 0xffff,
                                                c->in[1] >> (e * kind->bits) & 0xffff, kind)));
        return;
    }
    const bool holds = compared(c, c->in[0], c->in[1], kind);
    out[0] = exactly(joined(c, holds));
    out[1] = exactly(joined(c, !holds));
}

void compare_set(const struct call *c, struct answer *out)
{
    const struct kind *to = c->x->type[0];
    const bool holds = joined(c, compared(c, c->in[0], c->in[1], c->x->in[0]));
    const uint64_t one = (uint64_t)((1 << (to->format.exponent ? to->format.exponent - 1 : 0)) - 1)
                         << to->format.mantissa;

    *out = exactly(!holds ? 0 : to->format.exponent ? one : to->bits == 16 ? 0xffff : 0xffffffff);
}

void compare_selp(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[2] ? c->in[0] : c->in[1]);
}

// Selects the first source if the third is not negative; minus zero counts as zero, and NaN selects
// the second.
void compare_slct(const struct call *c, struct answer *out)
{
    const enum relation relation = relation_of(c->in[2], 0, c->x->in[2], c->x->words & WORD_FTZ);
    *out = exactly(relation & (EQUAL | GREATER) ? c->in[0] : c->in[1]);
}
