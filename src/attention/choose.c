// Chooses the tile of a plan by rules that were measured on an H200.
#include "attention.h"

// A pipeline's tile has 64 queries for each warpgroup. Three warpgroups are fastest, but above a
// width of 64, and with a score function, the registers suffice only for two. One warpgroup is used
// for few queries, and if larger tiles would leave multiprocessors idle. Above a width of 128, a
// step of 128 keys does not fit in shared memory or in the registers.
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
    if (!t->queries)
        t->queries = few ? WARPGROUP : widest > 64 || k->scored || !q->pipelined ? TWO : THREE;
    if (!t->keys)
        t->keys = q->pipelined ? widest > 128 ? 64 : 128 : widest > 128 ? 32 : 64;
}
