// Checks a plan's options, singly and together, and translates them to the kernel's terms.
#include "attention.h"

#include "base/array.h"
#include "base/options.h"
#include "device/device.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_WIDTH = 256,
    MOST_TILE = 256,
    TILE_STEP = 16,
    MOST_STAGES = 24,
    MOST_WARPS = 32,
    MOST_PAGE = 65536,
    MOST_PARTS = 64,
    MOST_FEW = 16
};

void cuc_attention_options_init(cuc_attention_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

void cuc_attention_args_init(cuc_attention_args *args, size_t caller_size)
{
    cuc__init_options(args, caller_size);
}

static cuc_status check_fields(const cuc_attention_options *o, const char *function)
{
    const struct cuc__range rows[] = {
        { "flags", o->flags, 0, (CUC_ATTENTION_FAST_ACC << 1) - 1, NULL },
        { "width", o->width, 1, MOST_WIDTH, NULL },
        { "value_width", o->value_width, 0, MOST_WIDTH, NULL },
        { "mask", o->mask, CUC_ATTENTION_FULL, CUC_ATTENTION_CAUSAL, NULL },
        { "align", o->align, CUC_ATTENTION_TOP_LEFT, CUC_ATTENTION_BOTTOM_RIGHT, NULL },
        { "order", o->order, CUC_ATTENTION_HEADS_FIRST, CUC_ATTENTION_SEQUENCE_FIRST, NULL },
        { "window_left", o->window_left, 0, INT32_MAX, NULL },
        { "window_right", o->window_right, 0, INT32_MAX, NULL },
        { "tile_q", o->tile_q, 0, MOST_TILE, NULL },
        { "tile_k", o->tile_k, 0, MOST_TILE, NULL },
        { "stages", o->stages, 0, MOST_STAGES, NULL },
        { "warps", o->warps, 0, MOST_WARPS, NULL },
        { "batch", o->batch, 0, INT32_MAX, NULL },
        { "heads", o->heads, 0, INT32_MAX, NULL },
        { "key_heads", o->key_heads, 0, INT32_MAX, NULL },
        { "queries", o->queries, 0, INT32_MAX, NULL },
        { "keys", o->keys, 0, INT32_MAX, NULL },
        { "side_count", o->side_count, 0, CUC_ATTENTION_MAX_SIDES, NULL },
        { "reserved", o->reserved, 0, 0, NULL },
        { "page_size", o->page_size, 0, MOST_PAGE, NULL },
        { "parts", o->parts, 0, MOST_PARTS, NULL },
    };

    return cuc__check_ranges(rows, CUC_LENGTH(rows), function);
}

// Few queries take a kernel of their own.
static bool is_few(const cuc_attention_options *o)
{
    return o->queries && o->queries <= MOST_FEW && !(o->flags & CUC_ATTENTION_VARIABLE) &&
           !(o->flags & CUC_ATTENTION_BACKWARD) && !o->tile_q;
}

static cuc_status check_together(const cuc_attention_options *o, const char *function)
{
    const struct {
        bool wrong;
        const char *what;
    } rows[] = {
        { o->window_right && o->mask == CUC_ATTENTION_CAUSAL,
          "window_right is given, but a causal mask hides all keys after the diagonal: leave it "
          "0" },
        { o->align && !o->mask && !o->window_left && !o->window_right,
          "align is CUC_ATTENTION_BOTTOM_RIGHT, but there is no mask or window to align: leave it "
          "0" },
        { o->heads && o->key_heads && o->heads % o->key_heads,
          "key_heads does not divide heads: each key head serves the same number of heads" },
        { o->tile_q % TILE_STEP || o->tile_k % TILE_STEP,
          "tile_q and tile_k are multiples of 16, or 0" },
        { o->warps & (o->warps - 1), "warps is a power of two, or 0" },
        { o->stages == 1, "stages is 2 to 24, or 0" },
        { o->flags & CUC_ATTENTION_BACKWARD &&
              (o->page_size || o->flags & CUC_ATTENTION_KEY_LENGTHS),
          "CUC_ATTENTION_BACKWARD does not combine with pages and CUC_ATTENTION_KEY_LENGTHS: leave "
          "it unset" },
        { o->flags & CUC_ATTENTION_BACKWARD && o->dtype == CUC_E4M3,
          "CUC_ATTENTION_BACKWARD does not combine with e4m3: leave it unset" },
        { o->flags & CUC_ATTENTION_FAST_ACC && o->dtype != CUC_E4M3,
          "CUC_ATTENTION_FAST_ACC is only for e4m3: leave it unset" },
        { o->flags & CUC_ATTENTION_FAST_ACC &&
              (o->page_size || o->flags & CUC_ATTENTION_KEY_LENGTHS),
          "CUC_ATTENTION_FAST_ACC does not combine with pages and CUC_ATTENTION_KEY_LENGTHS, whose "
          "kernels have no faster sums: leave it unset" },
        { o->page_size % TILE_STEP, "page_size is a multiple of 16, or 0" },
        { o->page_size && o->tile_k && o->page_size % o->tile_k,
          "tile_k does not divide page_size" },
        { o->parts > 1 && !is_few(o), "parts is for 1 to 16 queries in each sequence, without "
                                      "CUC_ATTENTION_VARIABLE, _BACKWARD and tile_q: "
                                      "set queries, or leave it 0" },
        { o->side_count && !o->sides, "sides is NULL, but side_count is not 0" },
        { o->side_count && !o->score,
          "sides are given, but there is no score function to read them" },
    };

    if (o->dtype != CUC_F16 && o->dtype != CUC_BF16 && o->dtype != CUC_E4M3)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "dtype is %s, expected f16, bf16 or e4m3", cuc_dtype_name(o->dtype));
    if (o->o_dtype && (o->dtype != CUC_E4M3 || (o->o_dtype != CUC_F16 && o->o_dtype != CUC_BF16)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "o_dtype is %s, expected f16 or bf16 if dtype is e4m3, otherwise 0",
                         cuc_dtype_name(o->o_dtype));
    for (int i = 0; i < CUC_LENGTH(rows); i++)
        if (rows[i].wrong)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s", rows[i].what);
    return CUC_OK;
}

static cuc_status read_target(struct cuc__attention_problem *q, const cuc_attention_options *o,
                              const cuc_device *device, const char *function)
{
    int sm;
    cuc_status st = cuc__plan_arch(q->arch, &sm, o->arch, device, function);

    if (st < 0)
        return st;
    if (o->dtype == CUC_E4M3 && sm < 89)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "dtype is e4m3, which needs sm_89 or later, and the target is %s",
                         q->arch);
    q->pipelined = sm == 90 && strchr(q->arch, 'a');
    q->multiprocessors = device->limits.multiprocessors;
    return CUC_OK;
}

// ---- The score function

static bool is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return length && length < CUC__ATTENTION_NAME && !name[length] &&
           !(*name >= '0' && *name <= '9');
}

// Reads the indices of an array that trains.
static cuc_status read_gradient(struct cuc__attention_side *out, const cuc_attention_side *s,
                                uint32_t i, bool backward, const char *function)
{
    static const char *const names[CUC__ATTENTION_INDICES] = { "batch", "head", "row", "column" };
    const char *at = s->gradient + strspn(s->gradient, " ");
    int32_t count = 0;

    if (!backward)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "sides[%u].gradient is given, but the plan has no backward pass: leave it "
                         "NULL, or set CUC_ATTENTION_BACKWARD",
                         i);
    if (s->dtype != CUC_F16 && s->dtype != CUC_BF16 && s->dtype != CUC_F32 && s->dtype != CUC_F64)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "sides[%u] trains and is of %s, expected f16, bf16, f32 or f64", i,
                         cuc_dtype_name(s->dtype));
    while (*at) {
        size_t length = strcspn(at, ", ");
        int index = 0;
        bool twice = false;
        while (index < CUC__ATTENTION_INDICES &&
               (strlen(names[index]) != length || strncmp(names[index], at, length) != 0))
            index++;
        for (int32_t axis = 0; axis < count; axis++)
            twice |= out->index[axis] == index;
        if (index == CUC__ATTENTION_INDICES || twice)
            return cuc__fail(
                CUC_ERROR_INVALID_ARGUMENT, function,
                "sides[%u].gradient is \"%s\", expected batch, head, row or column for "
                "each axis, each at most once",
                i, s->gradient);
        out->index[count++] = (uint8_t)index;
        at += length + strspn(at + length, " ");
        at += *at == ',' ? 1 + strspn(at + 1, " ") : 0;
    }
    if (count != s->rank)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "sides[%u].gradient is \"%s\", expected an index for each of %d axes", i,
                         s->gradient, s->rank);
    out->trains = true;
    return CUC_OK;
}

static cuc_status read_sides(struct cuc__attention_kind *k, const cuc_attention_options *o,
                             const char *function)
{
    static const char *const taken[] = { "score", "batch", "head", "row", "column" };

    for (uint32_t i = 0; i < o->side_count; i++) {
        const cuc_attention_side *s = &o->sides[i];
        bool twice = false;
        if (!s->name || !is_name(s->name))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "sides[%u].name is %s, expected at most %d letters, digits and _", i,
                             s->name ? s->name : "NULL", CUC__ATTENTION_NAME - 1);
        for (int j = 0; j < CUC_LENGTH(taken); j++)
            twice |= strcmp(taken[j], s->name) == 0;
        for (uint32_t j = 0; j < i; j++)
            twice |= strcmp(o->sides[j].name, s->name) == 0;
        if (twice)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "sides[%u].name is %s, as is another parameter of the score function",
                             i, s->name);
        if (!cuc_dtype_bits(s->dtype))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "sides[%u].dtype is %s, expected an element type", i,
                             cuc_dtype_name(s->dtype));
        if (s->rank < 1 || s->rank > CUC_TENSOR_MAX_RANK)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "sides[%u].rank is %d, expected 1 to %d", i, s->rank,
                             CUC_TENSOR_MAX_RANK);
        snprintf(k->sides[i].name, sizeof(k->sides[i].name), "%s", s->name);
        k->sides[i].dtype = s->dtype;
        k->sides[i].rank = s->rank;
        cuc_status st = s->gradient ? read_gradient(&k->sides[i], s, i, k->backward, function)
                                    : CUC_OK;
        if (st < 0)
            return st;
    }
    k->side_count = o->side_count;
    return CUC_OK;
}

cuc_status cuc__attention_read_options(struct cuc__attention_problem *q,
                                       const cuc_attention_options *o, const cuc_device *device,
                                       const char *function)
{
    cuc_status st;

    memset(q, 0, sizeof(*q));
    if ((st = check_fields(o, function)) < 0 || (st = check_together(o, function)) < 0 ||
        (st = read_target(q, o, device, function)) < 0)
        return st;
    q->kind = (struct cuc__attention_kind){
        .dtype = o->dtype,
        .o_dtype = o->dtype != CUC_E4M3 ? o->dtype
                   : o->o_dtype         ? o->o_dtype
                                        : CUC_BF16,
        .scaled = o->dtype == CUC_E4M3,
        .fast_acc = o->flags & CUC_ATTENTION_FAST_ACC,
        .width = o->width,
        .value_width = o->value_width ? o->value_width : o->width,
        .mask = o->mask,
        .align = o->align,
        .order = o->order,
        .left = o->window_left,
        .right = o->window_right,
        .lse = o->flags & (CUC_ATTENTION_LSE | CUC_ATTENTION_BACKWARD),
        .backward = o->flags & CUC_ATTENTION_BACKWARD,
        .sinks = o->flags & CUC_ATTENTION_SINKS,
        .scored = o->score,
        .page_size = o->page_size,
        .cached = o->page_size || o->flags & CUC_ATTENTION_KEY_LENGTHS,
        .few = is_few(o),
        .variable = o->flags & CUC_ATTENTION_VARIABLE,
    };
    q->shape = (struct cuc__attention_shape){ o->batch, o->heads,
                                              o->key_heads ? o->key_heads : o->heads, o->queries,
                                              o->keys ? o->keys : o->queries };
    q->wanted =
        (struct cuc__attention_tile){ o->tile_q, o->tile_k, o->stages, o->warps, 0, o->parts };
    q->kind.packs = q->kind.scaled && !q->kind.few && !q->kind.cached;
    if (q->kind.few || (q->kind.scaled && !cuc__attention_has_pipeline(&q->kind)))
        q->pipelined = false;
    q->score = o->score;
    return read_sides(&q->kind, o, function);
}
