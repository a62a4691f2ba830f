// Chooses the tile of a plan by rules that were measured on an H200.
#include "attention.h"

#include "base/array.h"
#include "base/divide.h"

#include <math.h>

enum { FEW_WARPS = 4 }; // of a block for few queries

// Estimates the time of blocks with `steps` steps each, in eighths of a step. A multiprocessor runs
// up to 3 blocks at once, which share its bandwidth; a lone one does not quite use it. A block
// takes the time of two more steps to start.
static double estimate_blocks(double blocks, int64_t steps, double multiprocessors)
{
    enum { STEP = 8, LONE = 9, START = 2 * STEP, MOST_BESIDE = 3 };
    double full = floor(blocks / (MOST_BESIDE * multiprocessors));
    double rest = blocks - full * MOST_BESIDE * multiprocessors;
    double beside = full * MOST_BESIDE + ceil(rest / multiprocessors);

    return beside * (double)steps * (beside == 1 ? LONE : STEP) + (full + (rest > 0)) * START;
}

// Chooses the parts of the keys of few queries. To join parts takes the time of about three steps,
// and a quarter more for each part.
static int32_t choose_parts(const struct cuc__attention_problem *q,
                            const struct cuc__attention_tile *t)
{
    enum { MOST_PARTS = 64, JOIN = 3 * 8, JOIN_PART = 2 };
    const struct cuc__attention_shape *s = &q->shape;
    int64_t best = 1;
    double least = INFINITY;

    if (!s->batch || !s->heads || !s->keys)
        return 1;
    double tiles = (double)s->batch * (double)s->key_heads *
                   (double)cuc__ceil_div(s->heads / s->key_heads, t->heads) *
                   (double)cuc__ceil_div(s->queries, t->queries);
    int64_t steps = cuc__ceil_div(s->keys, t->keys);
    for (int64_t parts = 1; parts <= MOST_PARTS && parts <= steps; parts++) {
        double time = estimate_blocks(tiles * (double)parts, cuc__ceil_div(steps, parts),
                                      q->multiprocessors ? q->multiprocessors : 1);
        if (parts > 1)
            time += JOIN + JOIN_PART * (double)parts;
        if (time < least) {
            least = time;
            best = parts;
        }
    }
    return (int32_t)best;
}

// Few queries: a tile of 16 rows has those of several heads that share keys, unless a score
// function needs to know the head.
static void choose_few(struct cuc__attention_tile *t, const struct cuc__attention_problem *q)
{
    enum { ROWS = 16 };
    const struct cuc__attention_shape *s = &q->shape;
    int64_t group = s->heads ? s->heads / s->key_heads : 1;

    t->heads = 1;
    while (!q->kind.scored && t->heads < group && t->heads * s->queries * 2 <= ROWS)
        t->heads *= 2;
    t->queries = ROWS / t->heads;
    if (!t->warps)
        t->warps = FEW_WARPS;
    if (!t->parts)
        t->parts = choose_parts(q, t);
}

// Returns the keys of a pipeline's step if elements have 8 bits. Three warpgroups have registers
// for 96 keys beside two sets of accumulators. A single set leaves room for more keys.
static int32_t keys_of_8_bits(const struct cuc__attention_kind *k, int32_t widest, bool few)
{
    if (widest > 64 && widest <= 128 && k->fast_acc && !k->scored)
        return 192;
    if (widest <= 64 && !k->fast_acc && !k->scored && !few)
        return 96;
    return widest > 192 ? 64 : 128;
}

// Returns true if the step of few queries may have several pages. Threads copy them ahead if a row
// is a power of two times 16 bytes, and a page has a multiple of the rows that are copied at once
// (tile/pass/prefetch.c).
static bool may_join_pages(const struct cuc__attention_problem *q)
{
    const int32_t widths[] = { q->kind.width, q->kind.value_width };
    int32_t bytes = 16 * 32 * (q->wanted.warps ? q->wanted.warps : FEW_WARPS);
    bool may = q->kind.few && !q->kind.scaled;

    for (int i = 0; i < CUC_LENGTH(widths); i++)
        may = may && widths[i] >= 16 && !(widths[i] & (widths[i] - 1)) &&
              2 * widths[i] * q->kind.page_size % bytes == 0;
    return may;
}

// True for fast sums of 8 bits without a mask, whose registers suffice for three warpgroups and 96
// keys. With a mask, fewer and longer steps are as fast.
static bool sums_fast(const struct cuc__attention_kind *k, int32_t widest)
{
    return k->fast_acc && k->packs && !k->scored && widest > 64 && widest <= 128 && !k->mask &&
           !k->left && !k->right;
}

// A pipeline's tile has 64 queries for each warpgroup. Three warpgroups are fastest, but above a
// width of 64 the registers suffice only for two, but for fast sums of 8 bits. One warpgroup is
// used for few queries, and if larger tiles would leave multiprocessors idle. Above a width of 128,
// a step of 128 keys does not fit in shared memory or in the registers.
void cuc__attention_choose(struct cuc__attention_tile *t, const struct cuc__attention_problem *q)
{
    enum { WARPGROUP = 64, TWO = 128, THREE = 192 };
    const struct cuc__attention_kind *k = &q->kind;
    const struct cuc__attention_shape *s = &q->shape;
    int32_t widest = k->width > k->value_width ? k->width : k->value_width;
    bool few = s->queries && s->queries <= WARPGROUP;

    if (s->batch && s->heads && s->queries) {
        double tiles = (double)s->batch * (double)s->heads * (double)((s->queries + TWO - 1) / TWO);
        few = few || tiles < q->multiprocessors;
    }
    *t = q->wanted;
    bool three = q->pipelined && !q->slow && !few && widest <= 64 &&
                 !(k->scored && (k->scaled || k->page_size));
    if (q->pipelined && sums_fast(k, widest) && !few && !t->queries && !t->keys) {
        t->queries = THREE;
        t->keys = 96;
    }
    if (!t->keys && q->pipelined && k->scaled)
        t->keys = keys_of_8_bits(k, widest, few);
    if (!t->keys)
        t->keys = q->pipelined ? widest > 128 ? 64 : 128 : widest > 128 ? 32 : 64;
    bool joins = may_join_pages(q);
    if (joins && !q->wanted.keys && k->page_size <= 32 && widest <= 64)
        t->keys = 128; // a step of 64 keys would wait more than it reads
    while (k->page_size % t->keys && !(joins && t->keys % k->page_size == 0)) // ends at 16 at last
        t->keys = t->keys > 32 && t->keys % 32 == 0 ? t->keys / 2 : 16;
    if (k->few) {
        choose_few(t, q);
        return;
    }
    t->heads = t->parts = 1;
    if (!t->queries)
        t->queries = few ? WARPGROUP : three ? THREE : TWO;
}
