// Runs plans: makes the array views that the kernel expects, and launches the kernel. Allocates
// nothing.
#include "attention.h"

#include <cucore/launch.h>

#include "base/array.h"
#include "base/options.h"
#include "code/kernel_tile.h"
#include "device/stream.h"

#include <math.h>

enum {
    MOST_ACROSS = 65535, // blocks along the grid's second and third axis
    MOST_ARGUMENTS = 12 + CUC_ATTENTION_MAX_SIDES,
};

// The arrays of one launch, as [batch, heads, sequence, width], or without the batch axis.
struct views {
    cuc_tensor q, k, v, o, lse, sinks, query_offsets, key_offsets;
    int64_t first_batch, first_head;
};

// Exchanges the axes of heads and of the sequence, before the width.
static void exchange(cuc_tensor *t)
{
    int32_t x = t->rank - 3, y = t->rank - 2;
    int64_t extent = t->shape[x], stride = t->strides[x];

    t->shape[x] = t->shape[y];
    t->strides[x] = t->strides[y];
    t->shape[y] = extent;
    t->strides[y] = stride;
}

static void narrow(cuc_tensor *t, int32_t axis, int64_t from, int64_t count)
{
    t->data += (uint64_t)from * (uint64_t)t->strides[axis] * (cuc_dtype_bits(t->dtype) / 8);
    t->shape[axis] = count;
}

static void make_views(struct views *v, const struct cuc__attention_call *c)
{
    const cuc_attention_args *a = c->args;
    cuc_tensor *all[] = { &v->q, &v->k, &v->v, &v->o };

    v->q = *a->q;
    v->k = *a->k;
    v->v = *a->v;
    v->o = *a->o;
    if (a->lse)
        v->lse = *a->lse;
    if (a->sinks)
        v->sinks = *a->sinks;
    if (c->plan->kind.variable) {
        v->query_offsets = *a->query_offsets;
        v->key_offsets = *a->key_offsets;
    }
    for (int i = 0; i < 4 && c->plan->kind.order == CUC_ATTENTION_SEQUENCE_FIRST; i++)
        exchange(all[i]);
}

// Restricts the views to batches [from, from + count).
static void narrow_batches(struct views *v, bool variable, int64_t from, int64_t count)
{
    cuc_tensor *all[] = { &v->q, &v->k, &v->v, &v->o, &v->lse };

    v->first_batch = from;
    if (variable) {
        narrow(&v->query_offsets, 0, from, count + 1);
        narrow(&v->key_offsets, 0, from, count + 1);
        return;
    }
    for (int i = 0; i < CUC_LENGTH(all); i++)
        if (all[i]->rank)
            narrow(all[i], 0, from, count);
}

// Restricts the views to key heads [from, from + count). Each of them has `group` heads.
static void narrow_heads(struct views *v, bool variable, int64_t from, int64_t count, int64_t group)
{
    int32_t axis = variable ? 0 : 1;

    v->first_head = from * group;
    narrow(&v->q, axis, from * group, count * group);
    narrow(&v->k, axis, from, count);
    narrow(&v->v, axis, from, count);
    narrow(&v->o, axis, from * group, count * group);
    if (v->lse.rank)
        narrow(&v->lse, axis, from * group, count * group);
    if (v->sinks.rank)
        narrow(&v->sinks, 0, from * group, count * group);
}

// Passes the parameters in the order of cuc__attention_source() to the kernel and launches it. A
// kernel whose code waits for the stream's preceding kernel begins before that kernel has ended.
static cuc_status launch(const struct cuc__attention_call *c, cuc_stream *stream,
                         const struct views *v)
{
    const cuc_attention_plan *p = c->plan;
    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;
    double scale = c->args->scale != 0 ? c->args->scale : 1 / sqrt((double)p->kind.width);
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;

    args[count++] = CUC_ARG(&v->q);
    args[count++] = CUC_ARG(&v->k);
    args[count++] = CUC_ARG(&v->v);
    args[count++] = CUC_ARG(&v->o);
    if (p->kind.lse)
        args[count++] = CUC_ARG(&v->lse);
    if (p->kind.sinks)
        args[count++] = CUC_ARG(&v->sinks);
    if (p->kind.variable) {
        args[count++] = CUC_ARG(&v->query_offsets);
        args[count++] = CUC_ARG(&v->key_offsets);
        args[count++] = CUC_ARG(c->args->most_queries);
    }
    for (uint32_t i = 0; i < p->kind.side_count; i++)
        args[count++] = CUC_ARG(&c->args->sides[i]);
    if (p->kind.scored) {
        args[count++] = CUC_ARG(v->first_batch);
        args[count++] = CUC_ARG(v->first_head);
    }
    args[count++] = CUC_ARG((float)scale);
    if (p->kernel->tile->code->signature->kernel->waits_for_grids && !p->plain_launch)
        config.flags = CUC_LAUNCH_PROGRAMMATIC;
    return cuc_launch(stream, &config, p->kernel, args, count);
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

// Launches in pieces of at most MOST_ACROSS heads and batches.
static cuc_status launch_all(const struct cuc__attention_call *c, cuc_stream *stream)
{
    struct views all = { .first_batch = 0 };
    bool variable = c->plan->kind.variable;
    cuc_status st = CUC_OK;

    if (!c->batch || !c->heads || !c->queries || (variable && !c->args->most_queries))
        return CUC_OK; // an empty result
    int64_t group = c->heads / c->key_heads;
    int64_t heads = group < MOST_ACROSS ? MOST_ACROSS / group : 1;
    make_views(&all, c);
    for (int64_t b = 0; b < c->batch && st >= 0; b += MOST_ACROSS)
        for (int64_t h = 0; h < c->key_heads && st >= 0; h += heads) {
            struct views v = all;
            if (c->batch > MOST_ACROSS)
                narrow_batches(&v, variable, b, least(c->batch - b, MOST_ACROSS));
            if (c->key_heads > heads)
                narrow_heads(&v, variable, h, least(c->key_heads - h, heads), group);
            st = launch(c, stream, &v);
        }
    return st;
}

cuc_status cuc_attention(cuc_stream *stream, cuc_attention_plan *plan,
                         const cuc_attention_args *args)
{
    cuc_attention_args given;
    struct cuc__attention_call c = { .plan = plan, .args = &given, .function = __func__ };
    cuc_status st;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, ATTENTION_PLAN);
    CUC_CHECK_NOT_NULL(args);
    if ((st = CUC_READ_OPTIONS(&given, args, cuc_attention_args)) < 0 ||
        (st = cuc__attention_check(&c, stream)) < 0)
        return st;
    return CUC_PASS(launch_all(&c, stream));
}
