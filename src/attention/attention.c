// Runs plans: makes the array views that the kernel expects, and launches the kernel. Allocates
// nothing.
#include "attention.h"

#include <cucore/launch.h>

#include "base/array.h"
#include "base/options.h"
#include "device/stream.h"
#include "launch/launch.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ACROSS = 65535, // blocks along the grid's second and third axis
    MOST_ARGUMENTS = 20 + 2 * CUC_ATTENTION_MAX_SIDES,
};

// The arrays of one launch, as [batch, heads, sequence, width], or without the batch axis.
struct views {
    cuc_tensor q, k, v, o, lse, sinks, query_offsets, key_offsets, page_table, key_lengths;
    cuc_tensor q_scale, k_scale, v_scale;
    cuc_tensor d_o, d_q, d_k, d_v, d_sinks, new_k, new_v;
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
    cuc_tensor *all[] = { &v->q,   &v->k,   &v->v,   &v->o,     &v->d_o,
                          &v->d_q, &v->d_k, &v->d_v, &v->new_k, &v->new_v };

    v->k = *a->k;
    v->v = *a->v;
    if (c->append) {
        v->new_k = *a->new_k;
        v->new_v = *a->new_v;
    } else {
        v->q = *a->q;
        v->o = *a->o;
    }
    if (c->plan->kind.scaled && !c->append) {
        v->q_scale = *a->q_scale;
        v->k_scale = *a->k_scale;
        v->v_scale = *a->v_scale;
    }
    if (a->lse)
        v->lse = *a->lse;
    if (a->sinks)
        v->sinks = *a->sinks;
    if (c->plan->kind.variable)
        v->query_offsets = *a->query_offsets;
    if (c->plan->kind.variable && !c->plan->kind.cached)
        v->key_offsets = *a->key_offsets;
    if (c->plan->kind.page_size)
        v->page_table = *a->page_table;
    if (c->plan->kind.cached)
        v->key_lengths = *a->key_lengths;
    if (c->backward) {
        v->d_o = *a->d_o;
        v->d_q = *a->d_q;
        v->d_k = *a->d_k;
        v->d_v = *a->d_v;
        if (a->d_sinks)
            v->d_sinks = *a->d_sinks;
    }
    for (int i = 0; i < CUC_LENGTH(all); i++)
        if (all[i]->rank && c->plan->kind.order == CUC_ATTENTION_SEQUENCE_FIRST)
            exchange(all[i]);
}

// Restricts the views to batches [from, from + count).
static void narrow_batches(struct views *v, const struct cuc__attention_kind *kind, int64_t from,
                           int64_t count)
{

    cuc_tensor *queries[] = { &v->q, &v->o, &v->lse, &v->d_o, &v->d_q, &v->new_k, &v->new_v };
    cuc_tensor *keys[] = { &v->k, &v->v, &v->d_k, &v->d_v };

    cuc_tensor *scales[] = { &v->q_scale, &v->k_scale, &v->v_scale };

    v->first_batch = from;
    for (int i = 0; i < CUC_LENGTH(scales); i++)
        if (scales[i]->rank)
            narrow(scales[i], 0, from, count);
    if (kind->variable)
        narrow(&v->query_offsets, 0, from, count + 1);
    for (int i = 0; i < CUC_LENGTH(queries) && !kind->variable; i++)
        if (queries[i]->rank)
            narrow(queries[i], 0, from, count);
    if (kind->cached)
        narrow(&v->key_lengths, 0, from, count);
    if (kind->page_size)
        narrow(&v->page_table, 0, from, count);
    if (kind->variable && !kind->cached)
        narrow(&v->key_offsets, 0, from, count + 1);
    bool sequences = kind->cached ? !kind->page_size : !kind->variable; // the first axis of keys
    for (int i = 0; i < CUC_LENGTH(keys) && sequences; i++)
        if (keys[i]->rank)
            narrow(keys[i], 0, from, count);
}

// Restricts the views to key heads [from, from + count). Each of them has `group` heads.
static void narrow_heads(struct views *v, const struct cuc__attention_kind *kind, int64_t from,
                         int64_t count, int64_t group)
{
    int32_t axis = kind->variable ? 0 : 1, of_keys = kind->cached ? 1 : axis;

    // Calls with new keys have as many heads as key heads.
    cuc_tensor *queries[] = { &v->q, &v->o, &v->lse, &v->d_o, &v->d_q, &v->new_k, &v->new_v };
    cuc_tensor *keys[] = { &v->k, &v->v, &v->d_k, &v->d_v };

    v->first_head = from * group;
    for (int i = 0; i < CUC_LENGTH(queries); i++)
        if (queries[i]->rank)
            narrow(queries[i], axis, from * group, count * group);
    for (int i = 0; i < CUC_LENGTH(keys); i++)
        if (keys[i]->rank)
            narrow(keys[i], of_keys, from, count);
    if (v->q_scale.rank) {
        narrow(&v->q_scale, 1, from * group, count * group);
        narrow(&v->k_scale, 1, from, count);
        narrow(&v->v_scale, 1, from, count);
    }
    if (v->sinks.rank)
        narrow(&v->sinks, 0, from * group, count * group);
    if (v->d_sinks.rank)
        narrow(&v->d_sinks, 0, from * group, count * group);
}

// Splits the axis of heads into key heads and the heads of each.
static void split_heads(cuc_tensor *t, int32_t axis, int64_t group)
{
    if (!t->rank)
        return;
    for (int32_t i = t->rank++; i > axis; i--) {
        t->shape[i] = t->shape[i - 1];
        t->strides[i] = t->strides[i - 1];
    }
    t->shape[axis] /= group;
    t->strides[axis] *= group;
    t->shape[axis + 1] = group;
}

// Lays out the results of parts in the workspace: f32 [parts, batch, key heads, group, queries,
// value width], or without the last axis.
static cuc_tensor part_view(const cuc_tensor *o, int32_t parts, bool width, cuc_device_ptr at)
{
    cuc_tensor t = { .data = at, .dtype = CUC_F32, .rank = width ? 6 : 5, .device = o->device };
    int64_t stride = 1;

    t.shape[0] = parts;
    for (int32_t i = 1; i < t.rank; i++)
        t.shape[i] = o->shape[i - 1];
    for (int32_t i = t.rank - 1; i >= 0; i--) {
        t.strides[i] = stride;
        stride *= t.shape[i];
    }
    return t;
}

// A kernel whose code waits for the stream's preceding kernel begins before that kernel has ended.
static cuc_status launch_join(const cuc_attention_plan *p, cuc_stream *stream,
                              const struct views *v, const cuc_tensor part[2])
{
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;

    args[count++] = CUC_ARG(&part[0]);
    args[count++] = CUC_ARG(&part[1]);
    args[count++] = CUC_ARG(&v->o);
    if (p->kind.lse)
        args[count++] = CUC_ARG(&v->lse);
    if (p->kind.sinks)
        args[count++] = CUC_ARG(&v->sinks);
    return cuc__launch_plan_kernel(stream, p->join, args, count, p->plain_launch);
}

// Launches the kernel of cuc__attention_put_pack(). `packed` becomes the transposed v in the
// workspace, with columns for the keys.
static cuc_status launch_pack(const struct cuc__attention_call *c, cuc_stream *stream,
                              const struct views *v, cuc_tensor *packed)
{
    const cuc_attention_plan *p = c->plan;
    int32_t keys = v->v.rank - 2, width = v->v.rank - 1;
    cuc_arg args[MOST_ARGUMENTS] = { CUC_ARG(&v->v), CUC_ARG(packed) };
    size_t count = 2;

    *packed = v->v;
    packed->data = c->args->workspace;
    packed->flags = 0;
    packed->shape[keys] = v->v.shape[width];
    packed->shape[width] = cuc__attention_columns(&p->kind, c->batch, v->v.shape[keys]);
    int64_t stride = 1;
    for (int32_t i = packed->rank - 1; i >= 0; i--) {
        packed->strides[i] = stride;
        stride *= packed->shape[i];
    }
    if (p->kind.variable) {
        args[count++] = CUC_ARG(&v->key_offsets);
        args[count++] = CUC_ARG(c->args->most_keys);
    }
    return cuc__launch_plan_kernel(stream, p->pack, args, count, p->plain_launch);
}

static float scale_of(const struct cuc__attention_call *c)
{
    double scale = c->args->scale;

    return (float)(scale != 0 ? scale : 1 / sqrt((double)c->plan->kind.width));
}

// Adds the parameters of cuc__attention_put_sides(); returns the number of arguments.
static size_t add_score_arguments(cuc_arg *args, size_t count, const struct cuc__attention_call *c,
                                  const struct views *v)
{
    const struct cuc__attention_kind *k = &c->plan->kind;

    for (uint32_t i = 0; i < k->side_count; i++)
        args[count++] = CUC_ARG(&c->args->sides[i]);
    if (k->scored) {
        args[count++] = CUC_ARG(v->first_batch);
        args[count++] = CUC_ARG(v->first_head);
    }
    return count;
}

// Adds the arrays that the kernels of gradients read, but for those of d_v.
static size_t add_backward_arguments(cuc_arg *args, const struct cuc__attention_call *c,
                                     const struct views *v, const cuc_tensor *sums)
{
    size_t count = 0;

    args[count++] = CUC_ARG(&v->q);
    args[count++] = CUC_ARG(&v->k);
    args[count++] = CUC_ARG(&v->d_o);
    args[count++] = CUC_ARG(&v->lse);
    if (sums) {
        args[count++] = CUC_ARG(&v->v);
        args[count++] = CUC_ARG(sums);
    }
    if (c->plan->kind.variable) {
        args[count++] = CUC_ARG(&v->query_offsets);
        args[count++] = CUC_ARG(&v->key_offsets);
    }
    return count;
}

// Makes a contiguous array of f32 in the workspace.
static cuc_tensor scratch(const cuc_tensor *like, cuc_device_ptr at, int32_t rank,
                          const int64_t *shape)
{
    cuc_tensor t = { .data = at, .dtype = CUC_F32, .rank = rank, .device = like->device };
    int64_t stride = 1;

    for (int32_t i = rank - 1; i >= 0; i--) {
        t.shape[i] = shape[i];
        t.strides[i] = stride;
        stride *= shape[i];
    }
    return t;
}

static cuc_status launch_sinks(const struct cuc__attention_call *c, cuc_stream *stream,
                               const struct views *v, const cuc_tensor *sums)
{
    const int32_t again = v->first_batch > 0;
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;

    args[count++] = CUC_ARG(&v->lse);
    args[count++] = CUC_ARG(sums);
    args[count++] = CUC_ARG(&v->sinks);
    if (c->plan->kind.variable)
        args[count++] = CUC_ARG(&v->query_offsets);
    args[count++] = CUC_ARG(&v->d_sinks);
    args[count++] = CUC_ARG(again);
    return cuc__launch_plan_kernel(stream, c->plan->backward[CUC__ATTENTION_D_SINKS], args, count,
                                   c->plan->plain_launch);
}

// Returns the numbers for each row or column that the gradient of side array i adds up. They lie in
// the workspace behind the sums of d_o o.
static cuc_tensor part_of(const struct cuc__attention_call *c, const struct views *v,
                          const cuc_tensor *sums, uint32_t i)
{
    const struct cuc__attention_side *sides = c->plan->kind.sides;
    cuc_tensor part = *sums;

    for (uint32_t j = 0; j <= i; j++) {
        enum cuc__attention_summands summands = cuc__attention_summands(&sides[j]);
        if (summands != CUC__ATTENTION_OF_ROWS && summands != CUC__ATTENTION_OF_COLUMNS)
            continue;
        int64_t shape[CUC_TENSOR_MAX_RANK];
        uint64_t bytes = (uint64_t)part.strides[0] * (uint64_t)part.shape[0] * sizeof(float);
        memcpy(shape, sums->shape, sizeof(shape));
        if (summands == CUC__ATTENTION_OF_COLUMNS)
            shape[sums->rank - 1] = v->k.shape[v->k.rank - 2];
        part = scratch(sums, part.data + cuc__attention_aligned(bytes), sums->rank, shape);
    }
    return part;
}

// Launches the kernel of the gradient of side array i. If its axes do not tell apart the batches or
// heads of pieces, later pieces add to it.
static cuc_status launch_side(const struct cuc__attention_call *c, cuc_stream *stream,
                              const struct views *v, const cuc_tensor *sums, uint32_t i,
                              const cuc_tensor *result)
{
    const cuc_attention_plan *p = c->plan;
    const struct cuc__attention_side *side = &p->kind.sides[i];
    bool batch = cuc__attention_axis(side, CUC__ATTENTION_BATCH) >= 0;
    bool head = cuc__attention_axis(side, CUC__ATTENTION_HEAD) >= 0;
    enum cuc__attention_summands summands = cuc__attention_summands(side);
    const cuc_tensor part = part_of(c, v, sums, i);
    const int32_t again = (v->first_batch && !batch) || (v->first_head && !head);
    const float scale = scale_of(c);
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;

    if (summands == CUC__ATTENTION_OF_SCORES) {
        count = add_backward_arguments(args, c, v, sums);
        if (p->kind.variable)
            args[count++] = CUC_ARG(c->args->most_queries);
        count = add_score_arguments(args, count, c, v);
        if (p->kind.variable)
            args[count++] = CUC_ARG(c->args->most_keys);
        args[count++] = CUC_ARG(result);
        args[count++] = CUC_ARG(again);
        args[count++] = CUC_ARG(scale);
    } else {
        bool rows = summands == CUC__ATTENTION_OF_ROWS;
        args[count++] = CUC_ARG(&part);
        if (p->kind.variable) {
            args[count++] = CUC_ARG(rows ? &v->query_offsets : &v->key_offsets);
            args[count++] = CUC_ARG(rows ? c->args->most_queries : c->args->most_keys);
        }
        args[count++] = CUC_ARG(result);
        args[count++] = CUC_ARG(v->first_batch);
        args[count++] = CUC_ARG(v->first_head);
        args[count++] = CUC_ARG(again);
    }
    return cuc__launch_plan_kernel(stream, p->backward[CUC__ATTENTION_D_SIDE + i], args, count,
                                   p->plain_launch);
}

// Launches the kernel of d_q, d_k, d_v, or that of sums of columns, which has no other result.
static cuc_status launch_gradient(const struct cuc__attention_call *c, cuc_stream *stream,
                                  const struct views *v, const cuc_tensor *sums, int step,
                                  const cuc_tensor *const *results)
{
    const cuc_attention_plan *p = c->plan;
    const float scale = scale_of(c);
    cuc_tensor part[CUC_ATTENTION_MAX_SIDES];
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = add_backward_arguments(args, c, v, step == CUC__ATTENTION_D_V ? NULL : sums);

    if (p->kind.variable)
        args[count++] =
            CUC_ARG(step == CUC__ATTENTION_D_Q ? c->args->most_queries : c->args->most_keys);
    count = add_score_arguments(args, count, c, v);
    for (; results && *results; results++)
        args[count++] = CUC_ARG(*results);
    for (uint32_t i = 0; i < p->kind.side_count; i++) {
        enum cuc__attention_summands summands = cuc__attention_summands(&p->kind.sides[i]);
        if ((step == CUC__ATTENTION_D_Q && summands == CUC__ATTENTION_OF_ROWS) ||
            (step == CUC__ATTENTION_COLUMNS && summands == CUC__ATTENTION_OF_COLUMNS)) {
            part[i] = part_of(c, v, sums, i);
            args[count++] = CUC_ARG(&part[i]);
        }
    }
    args[count++] = CUC_ARG(scale);
    return cuc__launch_plan_kernel(stream, p->backward[step], args, count, p->plain_launch);
}

// Launches the kernels of cuc__attention_backward_source(): each waits for the one before.
static cuc_status launch_backward(const struct cuc__attention_call *c, cuc_stream *stream,
                                  const struct views *v)
{
    const cuc_attention_plan *p = c->plan;
    const cuc_tensor sums = scratch(&v->lse, c->args->workspace, v->lse.rank, v->lse.shape);
    const cuc_arg of_rows[] = { CUC_ARG(&v->o), CUC_ARG(&v->d_o), CUC_ARG(&sums) };
    const cuc_tensor *const results[][3] = {
        [CUC__ATTENTION_D_Q] = { &v->d_q },
        [CUC__ATTENTION_D_KV] = { &v->d_k, &v->d_v },
        [CUC__ATTENTION_D_K] = { &v->d_k },
        [CUC__ATTENTION_D_V] = { &v->d_v },
    };
    const cuc_tensor *d_side = c->args->d_sides;
    cuc_status st = CUC_OK;

    if (c->heads)
        st = cuc__launch_plan_kernel(stream, p->backward[CUC__ATTENTION_SUMS], of_rows,
                                     CUC_LENGTH(of_rows), p->plain_launch);
    for (int i = CUC__ATTENTION_D_Q; i <= CUC__ATTENTION_D_V && c->heads && st >= 0; i++)
        if (p->backward[i])
            st = launch_gradient(c, stream, v, &sums, i, results[i]);
    if (p->backward[CUC__ATTENTION_COLUMNS] && c->heads && st >= 0)
        st = launch_gradient(c, stream, v, &sums, CUC__ATTENTION_COLUMNS, NULL);
    if (v->d_sinks.rank && st >= 0)
        st = launch_sinks(c, stream, v, &sums);
    for (uint32_t i = 0; i < p->kind.side_count && st >= 0; i++)
        if (p->kind.sides[i].trains)
            st = launch_side(c, stream, v, &sums, i, d_side++);
    return st;
}

// Passes the parameters in the order of cuc__attention_source() to the kernel and launches it.
static cuc_status launch(const struct cuc__attention_call *c, cuc_stream *stream, struct views *v,
                         int64_t group)
{
    const cuc_attention_plan *p = c->plan;
    const struct cuc__attention_kind *k = &p->kind;
    cuc_tensor part[2], packed;
    cuc_arg args[MOST_ARGUMENTS];
    size_t count = 0;
    cuc_status st = k->packs ? launch_pack(c, stream, v, &packed) : CUC_OK;

    if (st < 0)
        return st;
    if (k->few) {
        split_heads(&v->q, 1, group);
        split_heads(&v->o, 1, group);
        split_heads(&v->lse, 1, group);
        split_heads(&v->q_scale, 1, group);
        split_heads(&v->sinks, 0, group);
    }
    args[count++] = CUC_ARG(&v->q);
    args[count++] = CUC_ARG(&v->k);
    args[count++] = CUC_ARG(k->packs ? &packed : &v->v);
    if (k->scaled) {
        args[count++] = CUC_ARG(&v->q_scale);
        args[count++] = CUC_ARG(&v->k_scale);
        args[count++] = CUC_ARG(&v->v_scale);
    }
    if (p->join) {
        part[0] = part_view(&v->o, p->tile.parts, true, c->args->workspace);
        part[1] = part_view(&v->o, p->tile.parts, false,
                            c->args->workspace + (uint64_t)part[0].strides[0] *
                                                     (uint64_t)p->tile.parts * sizeof(float));
        args[count++] = CUC_ARG(&part[0]);
        args[count++] = CUC_ARG(&part[1]);
    } else {
        args[count++] = CUC_ARG(&v->o);
        if (k->lse)
            args[count++] = CUC_ARG(&v->lse);
        if (k->sinks)
            args[count++] = CUC_ARG(&v->sinks);
    }
    if (k->variable)
        args[count++] = CUC_ARG(&v->query_offsets);
    if (k->variable && !k->cached)
        args[count++] = CUC_ARG(&v->key_offsets);
    if (k->page_size)
        args[count++] = CUC_ARG(&v->page_table);
    if (k->cached)
        args[count++] = CUC_ARG(&v->key_lengths);
    if (k->variable)
        args[count++] = CUC_ARG(c->args->most_queries);
    count = add_score_arguments(args, count, c, v);
    args[count++] = CUC_ARG(scale_of(c));
    st = cuc__launch_plan_kernel(stream, p->kernel, args, count, p->plain_launch);
    return st < 0 || !p->join ? st : launch_join(p, stream, v, part);
}

// Launches the kernel of cuc__attention_put_append().
static cuc_status launch_append(const struct cuc__attention_call *c, cuc_stream *stream,
                                const struct views *v)
{
    const struct cuc__attention_kind *k = &c->plan->kind;
    cuc_arg args[MOST_ARGUMENTS] = { CUC_ARG(&v->new_k), CUC_ARG(&v->new_v), CUC_ARG(&v->k),
                                     CUC_ARG(&v->v), CUC_ARG(&v->key_lengths) };
    size_t count = 5;

    if (k->page_size)
        args[count++] = CUC_ARG(&v->page_table);
    if (k->variable)
        args[count++] = CUC_ARG(&v->query_offsets);
    return cuc__launch_plan_kernel(stream, c->plan->append, args, count, c->plan->plain_launch);
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

// Launches in pieces of at most MOST_ACROSS heads and batches.
static cuc_status launch_all(const struct cuc__attention_call *c, cuc_stream *stream)
{
    struct views all = { .first_batch = 0 };
    const struct cuc__attention_kind *kind = &c->plan->kind;
    cuc_status st = CUC_OK;

    bool keys = c->backward && c->keys && c->key_heads; // d_k and d_v of no query are 0
    bool sums = c->backward && (c->args->d_sinks || c->args->d_sides); // and so are these
    if (!sums && (!c->batch || !c->heads || (!c->queries && !keys) ||
                  (kind->variable && !c->append && !c->args->most_queries && !c->args->most_keys)))
        return CUC_OK; // an empty result
    int64_t group = c->key_heads ? c->heads / c->key_heads : 1;
    int64_t heads = group < MOST_ACROSS ? MOST_ACROSS / group : 1;
    make_views(&all, c);
    for (int64_t b = 0; (b < c->batch || !b) && st >= 0; b += MOST_ACROSS)
        for (int64_t h = 0; (h < c->key_heads || !h) && st >= 0; h += heads) {
            struct views v = all;
            if (c->batch > MOST_ACROSS)
                narrow_batches(&v, kind, b, least(c->batch - b, MOST_ACROSS));
            if (c->key_heads > heads)
                narrow_heads(&v, kind, h, least(c->key_heads - h, heads), group);
            st = c->append     ? launch_append(c, stream, &v)
                 : c->backward ? launch_backward(c, stream, &v)
                               : launch(c, stream, &v, group);
        }
    return st;
}

static cuc_status run(struct cuc__attention_call c, cuc_stream *stream,
                      const cuc_attention_args *args, const char *function)
{
    cuc_attention_args given;
    cuc_status st;

    c.args = &given;
    c.function = function;

    if (!args)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "args is NULL");
    if ((st = cuc__read_options(&given, sizeof(given), args, "cuc_attention_args", function)) < 0 ||
        (st = cuc__attention_check(&c, stream)) < 0)
        return st;
    return cuc__pass(launch_all(&c, stream), function);
}

cuc_status cuc_attention(cuc_stream *stream, cuc_attention_plan *plan,
                         const cuc_attention_args *args)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, ATTENTION_PLAN);
    return run((struct cuc__attention_call){ .plan = plan }, stream, args, __func__);
}

cuc_status cuc_attention_backward(cuc_stream *stream, cuc_attention_plan *plan,
                                  const cuc_attention_args *args)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, ATTENTION_PLAN);
    return run((struct cuc__attention_call){ .plan = plan, .backward = true }, stream, args,
               __func__);
}

cuc_status cuc_attention_append(cuc_stream *stream, cuc_attention_plan *plan,
                                const cuc_attention_args *args)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(plan, ATTENTION_PLAN);
    return run((struct cuc__attention_call){ .plan = plan, .append = true }, stream, args,
               __func__);
}
