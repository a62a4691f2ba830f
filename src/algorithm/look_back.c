// Prefixes over tiles in one pass (decoupled look-back). Each block publishes what its tile adds,
// and waits for the tiles before it.
//
// *In any order*: a block looks at 32 predecessors at once, from the nearest back, until it finds
// one that has published the prefix up to it, and then publishes its own prefix. It takes the
// prefix that it finds first, so the order of the operations differs from run to run. This is for
// operations without rounding, and if the caller allows it.
//
// *In order*: W - 1 tiles are a group. Place 0 of a group's W places is the prefix of all groups
// before it, and place 1 + j is what tile j of the group adds. A block combines the places before
// its own, in this order, and the last one of a group thereby publishes the next group's prefix. So
// all prefixes are the same in every run. A group's prefix takes about a microsecond longer than
// that of the group before, and a group of tiles takes longer to read.
//
// A place has words of 64 bits, one for a value of at most 62 bits, and two for others. The low two
// bits of each word tell its state, so that words need no order among each other: 0 is nothing, 1
// is what the tile adds (or, in order, the place's value), 2 is a prefix.
#include "algorithm.h"

#include <cucore/copy.h>

enum {
    W = 64,
    // Tiles that a block looks at in any order. On an H200 a selection of 2^28 f32 took 626 us with
    // 32, 664 with 64 and 702 with 128: blocks that wait read the same words.
    NEAREST = 32,
};

static uint32_t words_of(const struct cuc__algorithm_sums *s, uint32_t sum)
{
    return sum < s->counts || cuc_dtype_bits(s->dtypes[sum]) <= 32 ? 1 : 2;
}

static uint32_t words_before(const struct cuc__algorithm_sums *s, uint32_t sum)
{
    uint32_t words = 0;

    for (uint32_t i = 0; i < sum; i++)
        words += words_of(s, i);
    return words;
}

static int64_t places_of(const struct cuc__algorithm_sums *s, int64_t tiles)
{
    return s->reduce ? tiles : (cuc__ceil_div(tiles, W - 1) + 1) * W;
}

static int64_t words_in_all(const struct cuc__algorithm_sums *s, int64_t tiles)
{
    return places_of(s, tiles) * words_before(s, s->count);
}

uint64_t cuc__algorithm_look_back_bytes(const struct cuc__algorithm_sums *s, int64_t tiles)
{
    return cuc__algorithm_aligned((uint64_t)words_in_all(s, tiles) * sizeof(uint64_t));
}

void cuc__algorithm_put_look_back_functions(struct cuc__text *t,
                                            const struct cuc__algorithm_sums *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const char *dtype = cuc_dtype_name(s->dtypes[i]);
        if (i < s->counts || s->dtypes[i] == CUC_BOOL)
            cuc__text_put(t,
                          "\nfn words_of_%u(x, state) { return cast(x, u64) << 2 | state }\n"
                          "fn sum_of_%u(word) { return cast(word >> 2, %s) }\n",
                          i, i, dtype);
        else if (words_of(s, i) == 1)
            cuc__text_put(t,
                          "\nfn words_of_%u(x, state) { return cast(bitcast(x, u32), u64) << 2 | "
                          "state }\n"
                          "fn sum_of_%u(word) { return bitcast(cast(word >> 2, u32), %s) }\n",
                          i, i, dtype);
        else
            cuc__text_put(t,
                          "\nfn words_of_%u(x, state) {\n"
                          "    bits = bitcast(x, u64)\n"
                          "    return (bits & 0xffffffff) << 2 | state, bits >> 32 << 2 | state\n"
                          "}\n"
                          "fn sum_of_%u(low, high) { return bitcast(low >> 2 | high >> 2 << 32, "
                          "%s) }\n",
                          i, i, dtype);
    }
}

void cuc__algorithm_put_look_back_head(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                       const struct cuc__algorithm_sums *s)
{
    cuc__text_put(t, "told: u64[S])\n    const BN = %d, W = %d\n", p->tile.elements,
                  s->reduce ? NEAREST : W);
    cuc__algorithm_put_apart(t, &p->kind, "told", 1, true);
}

// Writes the names of a sum's words, as a list.
static void put_words(struct cuc__text *t, const struct cuc__algorithm_sums *s, uint32_t sum,
                      const char *name)
{
    uint32_t first = words_before(s, sum);

    for (uint32_t w = 0; w < words_of(s, sum); w++)
        cuc__text_put(t, "%s%s_%u", w ? ", " : "", name, first + w);
}

// Writes the index of a word of a place.
static void put_index(struct cuc__text *t, const struct cuc__algorithm_sums *s, const char *place,
                      uint32_t word)
{
    uint32_t words = words_before(s, s->count);

    if (words > 1)
        cuc__text_put(t, "(%s) * %u + %u", place, words, word);
    else
        cuc__text_put(t, "%s", place);
}

// Writes the stores of the values that begin with `letter` to a place.
static void put_publish(struct cuc__text *t, const struct cuc__algorithm_sums *s,
                        const char *indent, const char *place, char letter, const char *state)
{
    const char name[] = { letter, '_', 'w', 'o', 'r', 'd', '\0' };
    uint32_t words = words_before(s, s->count);

    for (uint32_t i = 0; i < s->count; i++) {
        cuc__text_put(t, "%s", indent);
        put_words(t, s, i, name);
        cuc__text_put(t, " = words_of_%u(%c%u, %s)\n", i, letter, i, state);
    }
    for (uint32_t w = 0; w < words; w++)
        cuc__text_put(t, "%sstore(told, [(%s) * %u + %u], %s_%u, shape=[_], order=relaxed)\n",
                      indent, place, words, w, name, w);
}

void cuc__algorithm_put_publish(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    if (s->reduce) {
        put_publish(t, s, "    ", "t", 'm', "where(t == 0, cast(2, u64), 1)");
        return;
    }
    cuc__text_put(t, "    g, j = t // (W - 1), t %% (W - 1)\n");
    put_publish(t, s, "    ", "g * W + 1 + j", 'm', "1");
}

void cuc__algorithm_put_sum_identities(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "%s%s", i ? ", " : "[", s->identity[i]);
    cuc__text_put(t, "]");
}

static void put_look_back_in_any_order(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    uint32_t words = words_before(s, s->count);

    cuc__text_put(t, "    k = iota(i32, W)\n    at = t - 1\n");
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "    b%u = cast(%s, %s)\n", i, s->identity[i],
                      cuc_dtype_name(s->dtypes[i]));
    cuc__text_put(t, "    while at >= 0 {\n");
    for (uint32_t w = 0; w < words; w++) {
        cuc__text_put(t, "        word_%u = gather(told, [", w);
        put_index(t, s, "at - k", w);
        cuc__text_put(t, "], pad=2, order=relaxed)\n");
    }
    cuc__text_put(t, "        state = word_0 & 3\n");
    for (uint32_t w = 1; w < words; w++)
        cuc__text_put(t, "        state = where(word_%u & 3 == state, state, 0)\n", w);
    cuc__text_put(t,
                  "        # twice the number of tiles before the first prefix; plus 1 if a tile "
                  "without words comes first\n"
                  "        end = min(where(state == 1, 2 * W, 2 * k + cast(state == 0, i32)), "
                  "0)\n"
                  "        there = (2 * k <= end) & (state > 0)\n");
    for (uint32_t i = 0; i < s->count; i++) {
        cuc__text_put(t, "        b%u = %s(b%u, reshape(%s(where(there, sum_of_%u(", i, s->combine,
                      i, s->reduce, i);
        put_words(t, s, i, "word");
        cuc__text_put(t, "), %s), 0), []))\n", s->identity[i]);
    }
    cuc__text_put(t, "        stop = reshape(end, [])\n"
                     "        at = where((stop < 2 * W) & (stop %% 2 == 0), cast(-1, i64), at - "
                     "stop // 2)\n"
                     "    }\n"
                     "    if t > 0 {\n        ");
    cuc__algorithm_put_each(t, s->count, "p%u");
    cuc__text_put(t, " = ");
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "%s%s(b%u, m%u)", i ? ", " : "", s->combine, i, i);
    cuc__text_put(t, "\n");
    put_publish(t, s, "        ", "t", 'p', "2");
    cuc__text_put(t, "    }\n");
}

static void put_look_back_in_order(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    uint32_t words = words_before(s, s->count);

    cuc__text_put(t, "    k = iota(i64, W)\n"
                     "    within = (k <= j) & ((k > 0) | (g > 0))\n    ");
    cuc__algorithm_put_each(t, words, "word_%u");
    cuc__text_put(t, " = ");
    cuc__algorithm_put_each(t, words, "cast(~within, u64)");
    cuc__text_put(t, "\n    while any(");
    for (uint32_t w = 0; w < words; w++)
        cuc__text_put(t, "%s(word_%u == 0)", w ? " | " : "", w);
    cuc__text_put(t, ") {\n");
    for (uint32_t w = 0; w < words; w++) {
        cuc__text_put(t, "        word_%u = gather(told, [", w);
        put_index(t, s, "g * W + k", w);
        cuc__text_put(t, "], mask=within, pad=1, order=relaxed)\n");
    }
    cuc__text_put(t, "    }\n    ");
    cuc__algorithm_put_each(t, s->count, "b%u");
    cuc__text_put(t, " = scan(%s, [", s->combine);
    for (uint32_t i = 0; i < s->count; i++) {
        cuc__text_put(t, "%swhere(within, sum_of_%u(", i ? ", " : "", i);
        put_words(t, s, i, "word");
        cuc__text_put(t, "), %s)", s->identity[i]);
    }
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_sum_identities(t, s);
    cuc__text_put(t, ")\n");
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "    b%u = reshape(extract(b%u, [W - 1], [1]), [])\n", i, i);
    cuc__text_put(t, "    if j == W - 2 {\n        ");
    cuc__algorithm_put_combined(t, s->count, "p%u", s->combine, "b%u", "m%u");
    put_publish(t, s, "        ", "(g + 1) * W", 'p', "1");
    cuc__text_put(t, "    }\n");
}

void cuc__algorithm_put_look_back(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    (s->reduce ? put_look_back_in_any_order : put_look_back_in_order)(t, s);
}

cuc_status cuc__algorithm_run_look_back(const struct cuc__algorithm_call *c,
                                        const struct cuc__algorithm_sums *s, int64_t tiles)
{
    int64_t words = words_in_all(s, tiles);
    cuc_tensor told;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_outputs(args, cuc__algorithm_add_inputs(args, 0, c), c);

    cuc__algorithm_scratch(&told, c, c->workspace, CUC_U64, words);
    args[count++] = CUC_ARG(&told);
    cuc_status st = cuc_fill(c->stream, told.data, 0, sizeof(uint32_t), 2 * (size_t)words);
    return st < 0 ? st : cuc__algorithm_launch(c, 0, args, count);
}
