// Checks the arguments of a plan's call by name: arrays, their shapes, the scale.
#include "attention.h"

#include "base/array.h"
#include "base/text.h"
#include "device/device.h"
#include "device/stream.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <math.h>

enum { RANK = 4, TEXT_BYTES = 192 };

static const char *list_text(char text[TEXT_BYTES], int32_t count, const int64_t *numbers)
{
    struct cuc__text t = { .at = text, .capacity = TEXT_BYTES, .fixed = true };

    text[0] = 0;
    for (int32_t i = 0; i < count; i++)
        cuc__text_put(&t, "%s%" PRId64, i ? ", " : "", numbers[i]);
    return text;
}

// An array argument and its expected properties. An extent of -1 comes from the array.
struct expected {
    const char *name;
    const cuc_tensor *tensor;
    cuc_dtype dtype; // 0: no such array
    int32_t rank;
    int64_t shape[CUC_TENSOR_MAX_RANK];
    const char *names; // of the extents
};

static cuc_status check_array(const struct cuc__attention_call *c, const struct expected *e)
{
    const cuc_tensor *t = e->tensor;
    char got[TEXT_BYTES], wanted[TEXT_BYTES];
    bool same = true;

    if (!e->dtype && t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s is given, but the plan was made without it: leave it NULL, or make "
                         "the plan with CUC_ATTENTION_%s",
                         e->name, e->tensor == c->args->lse ? "LSE" : "SINKS");
    if (!e->dtype)
        return CUC_OK;
    if (!t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is NULL", e->name);
    if (t->dtype != e->dtype)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is of %s, expected %s",
                         e->name, cuc_dtype_name(t->dtype), cuc_dtype_name(e->dtype));
    if (t->rank != e->rank)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s has %d axes, expected %d: [%s]", e->name, t->rank, e->rank, e->names);
    for (int32_t i = 0; i < e->rank; i++) {
        if (t->shape[i] < 0 || t->shape[i] > INT32_MAX)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                             "%s is [%s], expected extents from 0 to %d: [%s]", e->name,
                             list_text(got, t->rank, t->shape), INT32_MAX, e->names);
        same &= e->shape[i] < 0 || t->shape[i] == e->shape[i];
    }
    if (same)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                     "%s is [%s], expected [%s]: the plan and the arrays before it give [%s]",
                     e->name, list_text(got, t->rank, t->shape),
                     list_text(wanted, e->rank, e->shape), e->names);
}

static cuc_status check_written(const struct cuc__attention_call *c, const char *name,
                                const cuc_tensor *t)
{
    char shape[TEXT_BYTES], strides[TEXT_BYTES];

    if (t->flags & CUC_TENSOR_READ_ONLY)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is read-only", name);
    if (!cuc__tensor_shares_addresses(t))
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                     "%s is [%s] with strides of [%s], which give several elements one address: "
                     "expected strides that keep its elements apart",
                     name, list_text(shape, t->rank, t->shape),
                     list_text(strides, t->rank, t->strides));
}

// Reads the extents from q and k.
static void read_shape(struct cuc__attention_call *c)
{
    const cuc_tensor *q = c->args->q, *k = c->args->k;
    int last = c->plan->kind.order == CUC_ATTENTION_SEQUENCE_FIRST;

    c->batch = c->heads = c->queries = c->key_heads = c->keys = -1;
    if (q && q->rank == RANK) {
        c->batch = q->shape[0];
        c->heads = q->shape[1 + last];
        c->queries = q->shape[2 - last];
    }
    if (k && k->rank == RANK) {
        c->key_heads = k->shape[1 + last];
        c->keys = k->shape[2 - last];
    }
}

static cuc_status check_sides(const struct cuc__attention_call *c)
{
    const cuc_attention_args *a = c->args;
    const struct cuc__attention_kind *k = &c->plan->kind;
    char name[CUC__ATTENTION_NAME + 16];

    if (a->side_count != k->side_count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "side_count is %u, expected %u, as in the plan's options", a->side_count,
                         k->side_count);
    if (a->side_count && !a->sides)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "sides is NULL");
    for (uint32_t i = 0; i < k->side_count; i++) {
        struct expected e = { name,
                              &a->sides[i],
                              k->sides[i].dtype,
                              k->sides[i].rank,
                              { 0 },
                              "as in the plan's options" };
        snprintf(name, sizeof(name), "sides[%u] (%s)", i, k->sides[i].name);
        memset(e.shape, -1, sizeof(e.shape));
        cuc_status st = check_array(c, &e);
        if (st < 0)
            return st;
    }
    return CUC_OK;
}

static cuc_status check_arrays(struct cuc__attention_call *c)
{
    const cuc_attention_args *a = c->args;
    const struct cuc__attention_kind *k = &c->plan->kind;
    bool last = k->order == CUC_ATTENTION_SEQUENCE_FIRST;

    read_shape(c);
#define ARRAY(heads, sequence, width)                                               \
    RANK,                                                                           \
    {                                                                               \
        c->batch, last ? (sequence) : (heads), last ? (heads) : (sequence), (width) \
    }
    const struct expected all[] = {
        { "q", a->q, k->dtype, ARRAY(c->heads, c->queries, k->width),
          last ? "batch, queries, heads, width" : "batch, heads, queries, width" },
        { "k", a->k, k->dtype, ARRAY(c->key_heads, c->keys, k->width),
          last ? "batch, keys, key heads, width" : "batch, key heads, keys, width" },
        { "v", a->v, k->dtype, ARRAY(c->key_heads, c->keys, k->value_width),
          last ? "batch, keys, key heads, value width" : "batch, key heads, keys, value width" },
        { "o", a->o, k->dtype, ARRAY(c->heads, c->queries, k->value_width),
          last ? "batch, queries, heads, value width" : "batch, heads, queries, value width" },
        { "lse",
          a->lse,
          k->lse ? CUC_F32 : 0,
          RANK - 1,
          { c->batch, c->heads, c->queries },
          "batch, heads, queries" },
        { "sinks", a->sinks, k->sinks ? CUC_F32 : 0, 1, { c->heads }, "heads" },
    };
#undef ARRAY
    for (int i = 0; i < CUC_LENGTH(all); i++) {
        cuc_status st = check_array(c, &all[i]);
        if (st < 0)
            return st;
    }
    if (c->key_heads ? c->heads % c->key_heads : c->heads)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "q has %" PRId64 " heads and k has %" PRId64
                         ", expected a number of key heads that divides the heads",
                         c->heads, c->key_heads);
    cuc_status st = check_sides(c);
    if (st >= 0)
        st = check_written(c, "o", a->o);
    return st < 0 || !k->lse ? st : check_written(c, "lse", a->lse);
}

cuc_status cuc__attention_check(struct cuc__attention_call *c, const cuc_stream *stream)
{
    if (stream->device != c->plan->device)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "the stream is of device %d, the plan of device %d", stream->ordinal,
                         c->plan->device->ordinal);
    if (!isfinite((float)c->args->scale))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "scale is %g, expected a finite f32, or 0 for 1 / sqrt(width)",
                         c->args->scale);
    return check_arrays(c);
}
