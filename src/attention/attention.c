// Runs plans: makes the array views that the kernel expects, and launches the kernel. Allocates
// nothing.
#include "attention.h"

#include <cucore/launch.h>

#include "base/options.h"
#include "code/kernel_tile.h"
#include "device/stream.h"

#include <math.h>

enum {
    MOST_ACROSS = 65535, // blocks along the grid's second and third axis
    MOST_ARGUMENTS = 9 + CUC_ATTENTION_MAX_SIDES,
};

// The arrays of one launch, as [batch, heads, sequence, width].
struct views {
    cuc_tensor q, k, v, o, lse, sinks;
    int64_t first_batch, first_head;
};

static void exchange(cuc_tensor *t)
{
    int64_t extent = t->shape[1], stride = t->strides[1];

    t->shape[1] = t->shape[2];
    t->strides[1] = t->strides[2];
    t->shape[2] = extent;
    t->strides[2] = stride;
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
    for (int i = 0; i < 4 && c->plan->kind.order == CUC_ATTENTION_SEQUENCE_FIRST; i++)
        exchange(all[i]);
}

// Restricts the views to key heads, or batches, [from, from + count). Each key head has `group`
// heads.
static void narrow_all(struct views *v, int32_t axis, int64_t from, int64_t count, int64_t group)
{
    narrow(&v->q, axis, from * group, count * group);
    narrow(&v->k, axis, from, count);
    narrow(&v->v, axis, from, count);
    narrow(&v->o, axis, from * group, count * group);
    if (v->lse.rank)
        narrow(&v->lse, axis, from * group, count * group);
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
    struct views all = { .lse = { .rank = 0 } };
    cuc_status st = CUC_OK;

    if (!c->batch || !c->heads || !c->queries)
        return CUC_OK; // an empty result
    int64_t group = c->heads / c->key_heads;
    int64_t heads = group < MOST_ACROSS ? MOST_ACROSS / group : 1;
    make_views(&all, c);
    for (int64_t b = 0; b < c->batch && st >= 0; b += MOST_ACROSS)
        for (int64_t h = 0; h < c->key_heads && st >= 0; h += heads) {
            struct views v = all;
            v.first_batch = b;
            v.first_head = h * group;
            if (c->batch > MOST_ACROSS)
                narrow_all(&v, 0, b, least(c->batch - b, MOST_ACROSS), 1);
            if (c->key_heads > heads) {
                int64_t count = least(c->key_heads - h, heads);
                narrow_all(&v, 1, h, count, group);
                if (v.sinks.rank)
                    narrow(&v.sinks, 0, h * group, count * group);
            }
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
