// Prefixes over tiles in one pass (decoupled look-back). Each block publishes what its tile adds,
// and waits for the tiles before it.
//
// W - 1 tiles are a group. Place 0 of a group's W places is the prefix of all groups before it, and
// place 1 + j is what tile j of the group adds. A block combines the places before its own, in this
// order, and the last one of a group thereby publishes the next group's prefix. So all prefixes are
// the same in every run, unlike those of a look-back that takes any prefix it finds. A group's
// prefix takes about a microsecond longer than that of the group before, and a group of tiles takes
// longer to read.
//
// A value of at most 63 bits is published in one word, with a bit that says so. Others lie in
// arrays of their own, and their flags are released and acquired.
#include "algorithm.h"

#include <cucore/copy.h>

enum { W = 64 };

static bool is_word(const struct cuc__algorithm_sums *s)
{
    return s->count == 1 && (s->counts || cuc_dtype_bits(s->dtypes[0]) <= 32);
}

static int64_t places_of(int64_t tiles)
{
    return (cuc__ceil_div(tiles, W - 1) + 1) * W;
}

uint64_t cuc__algorithm_look_back_bytes(const struct cuc__algorithm_sums *s, int64_t tiles)
{
    uint64_t places = (uint64_t)places_of(tiles);
    uint64_t bytes = cuc__algorithm_aligned(places * (is_word(s) ? 8 : 4));

    for (uint32_t i = 0; i < s->count && !is_word(s); i++)
        bytes += cuc__algorithm_aligned(places * (cuc_dtype_bits(s->dtypes[i]) / 8));
    return bytes;
}

void cuc__algorithm_put_look_back_functions(struct cuc__text *t,
                                            const struct cuc__algorithm_sums *s)
{
    const char *dtype = cuc_dtype_name(s->dtypes[0]);

    if (!is_word(s))
        return;
    cuc__text_put(t, "\nfn word_of(x) { return ");
    if (s->counts || s->dtypes[0] == CUC_BOOL)
        cuc__text_put(t,
                      "(cast(x, u64) << 1) | 1 }\n"
                      "fn sum_of(word) { return cast(word >> 1, %s) }\n",
                      dtype);
    else
        cuc__text_put(t,
                      "(cast(bitcast(x, u32), u64) << 1) | 1 }\n"
                      "fn sum_of(word) { return bitcast(cast(word >> 1, u32), %s) }\n",
                      dtype);
}

static void put_parameters(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    cuc__text_put(t, "told: %s[S]", is_word(s) ? "u64" : "i32");
    for (uint32_t i = 0; i < s->count && !is_word(s); i++)
        cuc__text_put(t, ", sum_%u: %s[S]", i, cuc_dtype_name(s->dtypes[i]));
}

static void put_facts(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    const char *before = "    where ";

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE) {
            cuc__text_put(t, "%snoalias(in_%s, told)", before, k->inputs[i].name);
            before = ", ";
        }
    for (uint32_t i = 0; i < k->output_count; i++)
        if (!k->outputs[i].dropped) {
            cuc__text_put(t, "%snoalias(out_%s, told)", before, k->outputs[i].name);
            before = ", ";
        }
    cuc__text_put(t, *before == ',' ? "\n" : "");
}

void cuc__algorithm_put_look_back_head(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                                       const struct cuc__algorithm_sums *s)
{
    put_parameters(t, s);
    cuc__text_put(t, ")\n    const BN = %d, W = %d\n", p->tile.elements, W);
    put_facts(t, &p->kind);
}

// Writes the stores of the values named by `format` to a place.
static void put_publish(struct cuc__text *t, const struct cuc__algorithm_sums *s,
                        const char *indent, const char *place, const char *name)
{
    if (is_word(s)) {
        cuc__text_put(t, "%sstore(told, [%s], word_of(%s0), shape=[_], order=relaxed)\n", indent,
                      place, name);
        return;
    }
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "%sstore(sum_%u, [%s], %s%u, shape=[_])\n", indent, i, place, name, i);
    cuc__text_put(t, "%sstore(told, [%s], 1, shape=[_], order=release)\n", indent, place);
}

void cuc__algorithm_put_publish(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    cuc__text_put(t, "    g, j = t // (W - 1), t %% (W - 1)\n");
    put_publish(t, s, "    ", "g * W + 1 + j", "m");
}

void cuc__algorithm_put_sum_identities(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "%s%s", i ? ", " : "[", s->identity[i]);
    cuc__text_put(t, "]");
}

void cuc__algorithm_put_look_back(struct cuc__text *t, const struct cuc__algorithm_sums *s)
{
    bool word = is_word(s);

    cuc__text_put(t,
                  "    k = iota(i64, W)\n"
                  "    within = (k <= j) & ((k > 0) | (g > 0))\n"
                  "    seen = cast(~within, %s)\n"
                  "    while any(seen == 0) {\n"
                  "        seen = gather(told, [g * W + k], mask=within, pad=1, order=acquire)\n"
                  "    }\n    ",
                  word ? "u64" : "i32");
    cuc__algorithm_put_each(t, s->count, "b%u");
    cuc__text_put(t, " = scan(%s, [", s->combine);
    for (uint32_t i = 0; i < s->count; i++)
        if (word)
            cuc__text_put(t, "where(within, sum_of(seen), %s)", s->identity[i]);
        else
            cuc__text_put(t, "%sgather(sum_%u, [g * W + k], mask=within, pad=%s)", i ? ", " : "", i,
                          s->identity[i]);
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_sum_identities(t, s);
    cuc__text_put(t, ")\n");
    for (uint32_t i = 0; i < s->count; i++)
        cuc__text_put(t, "    b%u = reshape(extract(b%u, [W - 1], [1]), [])\n", i, i);
    cuc__text_put(t, "    if j == W - 2 {\n        ");
    cuc__algorithm_put_combined(t, s->count, "p%u", s->combine, "b%u", "m%u");
    put_publish(t, s, "        ", "(g + 1) * W", "p");
    cuc__text_put(t, "    }\n");
}

cuc_status cuc__algorithm_run_look_back(const struct cuc__algorithm_call *c,
                                        const struct cuc__algorithm_sums *s, int64_t tiles)
{
    int64_t places = places_of(tiles);
    cuc_tensor told, sums[CUC__ALGORITHM_MAX + 1];
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);
    cuc_device_ptr at =
        cuc__algorithm_scratch(&told, c, c->workspace, is_word(s) ? CUC_U64 : CUC_I32, places);

    count = cuc__algorithm_add_outputs(args, count, c);
    args[count++] = CUC_ARG(&told);
    for (uint32_t i = 0; i < s->count && !is_word(s); i++) {
        at = cuc__algorithm_scratch(&sums[i], c, at, s->dtypes[i], places);
        args[count++] = CUC_ARG(&sums[i]);
    }
    cuc_status st =
        cuc_fill(c->stream, told.data, 0, sizeof(uint32_t), (size_t)places * (is_word(s) ? 2 : 1));
    return st < 0 ? st : cuc__algorithm_launch(c, 0, args, count);
}
