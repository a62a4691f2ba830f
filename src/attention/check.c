// Checks the arguments of a plan's call by name: arrays, their shapes, the scale.
#include "attention.h"

#include "base/array.h"
#include "base/text.h"
#include "device/device.h"
#include "device/stream.h"
#include "tensor/tensor.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 192, NO_WIDTH = -2 };

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
    const char *with;  // an option that gives a plan the array, or NULL
    const char *why;   // the plan has no such array; NULL: because of its options
};

static cuc_status check_array(const struct cuc__attention_call *c, const struct expected *e)
{
    const cuc_tensor *t = e->tensor;
    char got[TEXT_BYTES], wanted[TEXT_BYTES];
    bool same = true;
    // Options could give the plan an array that this call takes.
    bool offers = !c->append || strcmp(e->name, "page_table") == 0;

    if (!e->dtype && t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s is given, but %s: leave it NULL%s%s", e->name,
                         strncmp(e->name, "d_", 2) == 0 && !c->backward
                             ? "only cuc_attention_backward() takes it"
                         : strncmp(e->name, "new_", 4) == 0 ? "only cuc_attention_append() takes it"
                         : e->why                           ? e->why
                         : !offers ? "cuc_attention_append() does not use it"
                                   : "the plan was made without it",
                         e->with && offers ? ", or make the plan with " : "",
                         e->with && offers ? e->with : "");
    if (!e->dtype)
        return CUC_OK;
    if (!t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is NULL, expected %s [%s]",
                         e->name, cuc_dtype_name(e->dtype), e->names);
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

// Reads the extents from q or new_k and from k, and the number of sequences from their offsets.
static void read_shape(struct cuc__attention_call *c)
{
    const cuc_tensor *q = c->append ? c->args->new_k : c->args->q;
    const cuc_tensor *k = c->args->k, *offsets = c->args->query_offsets;
    bool variable = c->plan->kind.variable;
    int last = c->plan->kind.order == CUC_ATTENTION_SEQUENCE_FIRST, first = variable ? 0 : 1;

    c->batch = c->heads = c->queries = c->key_heads = c->keys = -1;
    if (q && q->rank == first + 3) {
        c->batch = q->shape[0];
        c->heads = q->shape[first + last];
        c->queries = q->shape[first + 1 - last];
    }
    if (c->plan->kind.cached)
        first = 1;
    if (k && k->rank == first + 3) {
        c->pages = k->shape[0];
        c->key_heads = k->shape[first + last];
        c->keys = c->plan->kind.page_size ? c->plan->kind.page_size : k->shape[first + 1 - last];
    }
    if (variable)
        c->batch = offsets && offsets->rank == 1 ? offsets->shape[0] - 1 : -1;
}

// Describes q, k, v, o or lse: the extents between a batch axis, if there is one, and the width.
static struct expected describe(const struct cuc__attention_call *c, const char *name,
                                const cuc_tensor *tensor, cuc_dtype dtype, int64_t heads,
                                int64_t sequence, int64_t width, bool cached,
                                const char *const names[2])
{
    bool last = c->plan->kind.order == CUC_ATTENTION_SEQUENCE_FIRST && width != NO_WIDTH;
    struct expected e = { .name = name,
                          .tensor = tensor,
                          .dtype = dtype,
                          .names = names[last],
                          .with = strcmp(name, "lse") == 0 ? "CUC_ATTENTION_LSE" : NULL };

    if (cached)
        e.shape[e.rank++] = c->plan->kind.page_size ? c->pages : c->batch;
    else if (c->plan->kind.variable)
        e.names += strlen("batch, ");
    else
        e.shape[e.rank++] = c->batch;
    e.shape[e.rank++] = last ? sequence : heads;
    e.shape[e.rank++] = last ? heads : sequence;
    if (width != NO_WIDTH)
        e.shape[e.rank++] = width;
    return e;
}

// Checks the length of the longest sequence, of an array with `rows` for all sequences. Of length
// 0, it would leave results unwritten.
static cuc_status check_most(const struct cuc__attention_call *c, const char *name, int64_t most,
                             bool used, const char *array, int64_t rows)
{
    if (used && !most && rows > 0 && c->batch > 0 && !c->append)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s is 0, but %s has %" PRId64
                         " rows: expected at least the length of the "
                         "longest sequence, such as %" PRId64,
                         name, array, rows, rows);
    if (used ? most >= 0 && most <= INT32_MAX : !most)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "%s is %" PRId64 ", expected %s",
                     name, most,
                     used                     ? "0 to 2147483647"
                     : c->plan->kind.variable ? "0, as only cuc_attention_backward(), and plans "
                                                "of e4m3 that have no cache, take it"
                                              : "0, as the plan was made without "
                                                "CUC_ATTENTION_VARIABLE");
}

// Gives the extents of a side array that trains.
static void expect_extents(const struct cuc__attention_call *c,
                           const struct cuc__attention_side *side, int64_t *shape)
{
    bool variable = c->plan->kind.variable;
    const int64_t extents[CUC__ATTENTION_INDICES] = { c->batch, c->heads,
                                                      variable ? c->args->most_queries : c->queries,
                                                      variable ? c->args->most_keys : c->keys };

    for (int32_t i = 0; i < side->rank; i++)
        shape[i] = extents[side->index[i]];
}

// Lists the names of the first side arrays.
static const char *side_names(char text[TEXT_BYTES], const struct cuc__attention_kind *k,
                              uint32_t count)
{
    struct cuc__text t = { .at = text, .capacity = TEXT_BYTES, .fixed = true };

    text[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        cuc__text_put(&t, "%s%s", i ? ", " : "", k->sides[i].name);
    return text;
}

static cuc_status check_sides(const struct cuc__attention_call *c)
{
    const cuc_attention_args *a = c->args;
    const struct cuc__attention_kind *k = &c->plan->kind;
    uint32_t count = c->append ? 0 : k->side_count;
    char name[CUC__ATTENTION_NAME + 16], names[TEXT_BYTES];

    if (a->side_count != count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "side_count is %u, expected %u%s%s", a->side_count, count,
                         c->append ? ": cuc_attention_append() takes no side arrays"
                         : count   ? ", as in the plan's options: "
                                 : ": the plan has no side arrays. Leave it 0, or give them in the "
                                   "plan's options",
                         side_names(names, k, count));
    if (a->side_count && !a->sides)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "sides is NULL, expected the side arrays of the plan's options: %s",
                         side_names(names, k, count));
    if (!a->side_count && a->sides)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, c->function, "sides is given, but %s: leave it NULL",
            c->append ? "cuc_attention_append() does not use it" : "the plan has no side arrays");
    if (a->reserved)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "reserved is %u, expected 0",
                         a->reserved);
    bool trains = false;
    for (uint32_t i = 0; i < count; i++)
        trains |= k->sides[i].trains;
    if (c->backward && trains ? !a->d_sides : a->d_sides != NULL)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function, "d_sides is %s",
                         !a->d_sides   ? "NULL, but a side array trains"
                         : c->backward ? "given, but no side array trains: leave it NULL"
                                       : "given, but only cuc_attention_backward() takes it: leave "
                                         "it NULL");
    const cuc_tensor *d_side = a->d_sides;
    for (uint32_t i = 0; i < count; i++) {
        struct expected e = { name,
                              &a->sides[i],
                              k->sides[i].dtype,
                              k->sides[i].rank,
                              { 0 },
                              "as in the plan's options",
                              NULL,
                              NULL };
        snprintf(name, sizeof(name), "sides[%u] (%s)", i, k->sides[i].name);
        memset(e.shape, -1, sizeof(e.shape));
        if (c->backward && k->sides[i].trains)
            expect_extents(c, &k->sides[i], e.shape);
        cuc_status st = check_array(c, &e);
        if (st < 0)
            return st;
        if (!c->backward || !k->sides[i].trains)
            continue;
        snprintf(name, sizeof(name), "d_sides[%d] (%s)", (int)(d_side - a->d_sides),
                 k->sides[i].name);
        e.tensor = d_side;
        if ((st = check_array(c, &e)) < 0 || (st = check_written(c, name, d_side++)) < 0)
            return st;
    }
    return CUC_OK;
}

static cuc_status check_workspace(const struct cuc__attention_call *c)
{
    const cuc_attention_args *a = c->args;
    bool uses = c->backward || ((c->plan->tile.parts > 1 || c->plan->kind.packs) && !c->append);
    uint64_t needed = uses ? cuc_attention_plan_workspace_bytes(c->plan, c->batch, c->heads,
                                                                c->queries, c->key_heads, c->keys)
                           : 0;

    if (a->workspace % CUC__ATTENTION_WORKSPACE_ALIGN)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace is 0x%" PRIx64 ", expected a multiple of %d", a->workspace,
                         CUC__ATTENTION_WORKSPACE_ALIGN);
    if (needed && (!a->workspace || a->workspace_bytes < needed))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace has %" PRIu64 " bytes, expected %" PRIu64
                         ", as cuc_attention_plan_workspace_bytes() says",
                         a->workspace ? a->workspace_bytes : 0, needed);
    return CUC_OK;
}

static cuc_status check_arrays(struct cuc__attention_call *c)
{
    const cuc_attention_args *a = c->args;
    const struct cuc__attention_kind *k = &c->plan->kind;
    static const char *const names[][2] = {
        { "batch, heads, queries, width", "batch, queries, heads, width" },
        { "batch, key heads, keys, width", "batch, keys, key heads, width" },
        { "batch, key heads, keys, value width", "batch, keys, key heads, value width" },
        { "batch, heads, queries, value width", "batch, queries, heads, value width" },
        { "batch, heads, queries", "batch, heads, queries" },
        { NULL, NULL },
        { "pages, key heads, page size, width", "pages, page size, key heads, width" },
        { "pages, key heads, page size, value width", "pages, page size, key heads, value width" },
        { "batch, key heads, new keys, width", "batch, new keys, key heads, width" },
        { "batch, key heads, new keys, value width", "batch, new keys, key heads, value width" },
    };
    bool paged = k->page_size, cached = k->cached;
    cuc_dtype offsets = k->variable ? CUC_I32 : 0, gradients = c->backward ? k->dtype : 0;
    cuc_dtype scales = k->scaled && !c->append ? CUC_F32 : 0;
    cuc_dtype attends = c->append ? 0 : k->dtype, appended = c->append ? k->dtype : 0;

    read_shape(c);
    const struct expected all[] = {
        describe(c, "q", a->q, attends, c->heads, c->queries, k->width, false, names[0]),
        describe(c, "k", a->k, k->dtype, c->key_heads, c->keys, k->width, cached,
                 names[1 + 5 * paged]),
        describe(c, "v", a->v, k->dtype, c->key_heads, c->keys, k->value_width, cached,
                 names[2 + 5 * paged]),
        describe(c, "new_k", a->new_k, appended, c->key_heads, c->queries, k->width, false,
                 names[8]),
        describe(c, "new_v", a->new_v, appended, c->key_heads, c->queries, k->value_width, false,
                 names[9]),
        describe(c, "o", a->o, c->append ? 0 : k->o_dtype, c->heads, c->queries, k->value_width,
                 false, names[3]),
        describe(c, "lse", a->lse, k->lse && !c->append ? CUC_F32 : 0, c->heads, c->queries,
                 NO_WIDTH, false, names[4]),
        describe(c, "d_o", a->d_o, gradients, c->heads, c->queries, k->value_width, false,
                 names[3]),
        describe(c, "d_q", a->d_q, gradients, c->heads, c->queries, k->width, false, names[0]),
        describe(c, "d_k", a->d_k, gradients, c->key_heads, c->keys, k->width, false, names[1]),
        describe(c, "d_v", a->d_v, gradients, c->key_heads, c->keys, k->value_width, false,
                 names[2]),
        { "q_scale",
          a->q_scale,
          scales,
          2,
          { c->batch, c->heads },
          "batch, heads",
          "the dtype e4m3",
          NULL },
        { "k_scale",
          a->k_scale,
          scales,
          2,
          { c->batch, c->key_heads },
          "batch, key heads",
          "the dtype e4m3",
          NULL },
        { "v_scale",
          a->v_scale,
          scales,
          2,
          { c->batch, c->key_heads },
          "batch, key heads",
          "the dtype e4m3",
          NULL },
        { "sinks",
          a->sinks,
          k->sinks && !c->append ? CUC_F32 : 0,
          1,
          { c->heads },
          "heads",
          "CUC_ATTENTION_SINKS",
          NULL },
        { "d_sinks",
          a->d_sinks,
          c->backward && k->sinks && a->d_sinks ? CUC_F32 : 0,
          1,
          { c->heads },
          "heads",
          c->backward ? "CUC_ATTENTION_SINKS" : NULL,
          NULL },
        { "query_offsets",
          a->query_offsets,
          offsets,
          1,
          { c->batch + 1 },
          "batch + 1",
          "CUC_ATTENTION_VARIABLE",
          NULL },
        { "key_offsets",
          a->key_offsets,
          cached ? 0 : offsets,
          1,
          { c->batch + 1 },
          "batch + 1",
          cached ? NULL : "CUC_ATTENTION_VARIABLE",
          cached && !c->append ? "the plan's key_lengths take its place" : NULL },
        { "page_table",
          a->page_table,
          paged ? CUC_I32 : 0,
          2,
          { c->batch, -1 },
          "batch, pages of a sequence",
          "a page_size",
          NULL },
        { "key_lengths",
          a->key_lengths,
          cached ? CUC_I32 : 0,
          1,
          { c->batch },
          "batch",
          "CUC_ATTENTION_KEY_LENGTHS",
          NULL },
    };
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
    if (c->backward && !c->heads && c->key_heads)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "q has 0 heads and k has %" PRId64 ", expected at least one for each",
                         c->key_heads);
    if (k->variable && c->batch < 0)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "query_offsets has no element, expected batch + 1");
    cuc_status st = check_most(c, "most_queries", a->most_queries, k->variable, "q", c->queries);
    if (st >= 0)
        st = check_most(c, "most_keys", a->most_keys, k->variable && (c->backward || k->packs), "k",
                        c->keys);
    if (st >= 0)
        st = check_sides(c);
    if (st >= 0)
        st = check_workspace(c);
    const struct {
        const char *name;
        const cuc_tensor *tensor;
        bool written;
    } written[] = { { "o", a->o, !c->backward && !c->append },
                    { "lse", a->lse, k->lse && !c->backward && !c->append },
                    { "k", a->k, c->append },
                    { "v", a->v, c->append },
                    { "d_q", a->d_q, c->backward },
                    { "d_k", a->d_k, c->backward },
                    { "d_v", a->d_v, c->backward },
                    { "d_sinks", a->d_sinks, c->backward && a->d_sinks } };
    for (int i = 0; i < CUC_LENGTH(written) && st >= 0; i++)
        if (written[i].written)
            st = check_written(c, written[i].name, written[i].tensor);
    return st;
}

cuc_status cuc__attention_check(struct cuc__attention_call *c, const cuc_stream *stream)
{
    if (stream->device != c->plan->device)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "the stream is of device %d, the plan of device %d", stream->ordinal,
                         c->plan->device->ordinal);
    if (c->backward && !c->plan->kind.backward)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "the plan has no backward pass: make it with CUC_ATTENTION_BACKWARD");
    if (c->append && !c->plan->kind.cached)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "the plan has no cache to append to: make it with a page_size or "
                         "CUC_ATTENTION_KEY_LENGTHS");
    if (!isfinite((float)c->args->scale))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "scale is %g, expected a finite f32, or 0 for 1 / sqrt(width)",
                         c->args->scale);
    return check_arrays(c);
}
