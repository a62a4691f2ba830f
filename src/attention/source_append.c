// Writes the kernel of cuc_attention_append(): a block copies the keys and values of a token, for
// several heads, to their place in the cache.
#include "attention.h"

#include "base/array.h"
#include "base/text.h"

static void put_parameters(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    const char *axes = k->variable ? "HK, NEW" : "B, HK, NEW";

    cuc__text_put(t, "\nkernel append(new_k: T[%s, D], new_v: T[%s, DV], ", axes, axes);
    cuc__attention_put_keys(t, k, 'k');
    cuc__attention_put_keys(t, k, 'v');
    cuc__text_put(t, "key_lengths: i32[TABLES]%s%s)\n",
                  k->page_size ? ", page_table: i32[TABLES, TABLE]" : "",
                  k->variable ? ", query_offsets: i32[OFFSETS]" : "");
}

// Writes the facts: a launch refuses a cache that overlaps numbers that the kernel's control flow
// depends on.
static void put_facts(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    const struct {
        bool has;
        const char *name;
    } read[] = { { true, "key_lengths" },
                 { k->page_size, "page_table" },
                 { k->variable, "query_offsets" } };

    cuc__text_put(t, "    where ");
    for (int i = 0; i < CUC_LENGTH(read); i++)
        if (read[i].has)
            cuc__text_put(t, "%snoalias(k, %s), noalias(v, %s)", i ? ", " : "", read[i].name,
                          read[i].name);
    cuc__text_put(t, "\n");
}

// Writes the token's sequence b and its key `at`. A token of a variable sequence is in the sequence
// before which that many others end.
static void put_place(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    if (!k->variable) {
        cuc__text_put(t, "    grid NEW, cdiv(HK, HEADS), B\n{\n"
                         "    grid_dependency_launch()\n"
                         "    i, g, b = block(0), block(1), block(2)\n"
                         "    at = cast(key_lengths[b], i64) - NEW + i\n");
        return;
    }
    cuc__text_put(t, "    grid NEW, cdiv(HK, HEADS)\n{\n"
                     "    grid_dependency_launch()\n"
                     "    i, g, b = block(0), block(1), 0\n"
                     "    for n in 0 .. cdiv(OFFSETS - 1, ENDS) {\n"
                     "        ends = load_at(query_offsets, [n * ENDS + 1], [ENDS], "
                     "pad=0x7fffffff)\n"
                     "        b += sum(cast(cast(ends, i64) <= i, i32))\n"
                     "    }\n"
                     "    if b >= OFFSETS - 1 or query_offsets[0] > i { return }\n"
                     "    at = cast(key_lengths[b], i64) - query_offsets[b + 1] + i\n");
}

void cuc__attention_put_append(struct cuc__text *t, const struct cuc__attention_problem *q)
{
    enum { MOST_HEADS = 8, ENDS = 512 };
    const struct cuc__attention_kind *k = &q->kind;
    const char *to = k->page_size ? "page, g, at % PAGE" : "b, g, at";
    const char *drop = k->variable ? "" : "_, ";
    int32_t heads = 1;

    while (heads < MOST_HEADS && (!q->shape.key_heads || heads < q->shape.key_heads))
        heads *= 2;
    put_parameters(t, k);
    cuc__text_put(t, "    const T = %s, D = %d, DV = %d, W = %d, WV = %d, HEADS = %d",
                  cuc_dtype_name(k->dtype), k->width, k->value_width,
                  cuc__attention_padded(k->width), cuc__attention_padded(k->value_width), heads);
    if (k->page_size)
        cuc__text_put(t, ", PAGE = %d", k->page_size);
    if (k->variable)
        cuc__text_put(t, ", ENDS = %d", ENDS);
    cuc__text_put(t, "\n");
    put_facts(t, k);
    put_place(t, k);
    cuc__text_put(t, "    if at < 0 or at >= %s { return }\n",
                  k->page_size ? "TABLE * PAGE" : "ROOM");
    if (k->page_size)
        cuc__text_put(t, "    page = cast(page_table[b, at // PAGE], i64)\n");
    for (int i = 0; i < 2; i++)
        cuc__text_put(t,
                      "    store(%c, [%s, 0], load(new_%c, [%sg, i, 0], [%sHEADS, _, %s]), "
                      "shape=[_, HEADS, _, %s])\n",
                      "kv"[i], to, "kv"[i], k -> variable ? "" : "b, ", drop, i ? "WV" : "W",
                      i ? "WV" : "W");
    cuc__text_put(t, "}\n");
}
