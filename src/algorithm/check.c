// Checks a call's arrays, and reads the number of elements from them.
#include "algorithm.h"

#include "base/array.h"
#include "device/device.h"
#include "device/stream.h"
#include "tile/ir/host.h"

#include <inttypes.h>
#include <stdlib.h>

// Makes an array of one axis. A contiguous array of other axes counts as one of its elements.
static cuc_status flatten(cuc_tensor *out, const cuc_tensor *from, const char *list, uint32_t i,
                          const char *name, cuc_dtype dtype, const char *function)
{
    if (from->dtype != dtype)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s[%u], %s, is of %s, expected %s",
                         list, i, name, cuc_dtype_name(from->dtype), cuc_dtype_name(dtype));
    cuc_status st = cuc_tensor_check(from);
    if (st < 0)
        return cuc__pass(st, function);
    if (from->rank != 1 && !cuc_tensor_is_contiguous(from))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s[%u], %s, has %d axes and is not contiguous: expected one axis, or a "
                         "contiguous array",
                         list, i, name, from->rank);
    *out = *from;
    if (from->rank == 1)
        return CUC_OK;
    *out = (cuc_tensor){ .data = from->data,
                         .dtype = dtype,
                         .rank = 1,
                         .device = from->device,
                         .flags = from->flags,
                         .shape = { cuc_tensor_elements(from) },
                         .strides = { 1 } };
    return CUC_OK;
}

// Makes an array of two axes, the rows and their elements. The axes before the last one of a
// contiguous array count as one; an array of one axis is a row.
static cuc_status flatten_rows(cuc_tensor *out, const cuc_tensor *from, const char *list,
                               uint32_t i, const char *name, cuc_dtype dtype, const char *function)
{
    cuc_status st;

    if (from->rank != 2 || from->dtype != dtype) {
        if ((st = flatten(out, from, list, i, name, dtype, function)) < 0)
            return st;
        int64_t columns = from->rank ? from->shape[from->rank - 1] : 1;
        out->rank = 2;
        out->shape[0] = !columns ? 0 : out->shape[0] / columns;
        out->shape[1] = columns;
        out->strides[1] = out->strides[0];
        out->strides[0] *= columns;
        return CUC_OK;
    }
    if ((st = cuc_tensor_check(from)) < 0)
        return cuc__pass(st, function);
    *out = *from;
    return CUC_OK;
}

// Finds the number of rows, in which all arrays agree.
static cuc_status find_rows(struct cuc__algorithm_call *c, const cuc_tensor *array, bool *first,
                            const char *list, uint32_t i, const char *name)
{
    if (!*first && array->shape[0] != c->rows)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s[%u], %s, has %" PRId64 " rows, expected %" PRId64 ", as those before",
                         list, i, name, array->shape[0], c->rows);
    *first = false;
    c->rows = array->shape[0];
    return CUC_OK;
}

// Finds the number of elements: `count`, or that of the arrays, which must then agree.
static cuc_status find_count(struct cuc__algorithm_call *c, const cuc_tensor *array, bool *first,
                             const char *list, uint32_t i, const char *name)
{
    int64_t elements = array->shape[c->plan->family->by_row];

    if (c->args->count && elements < c->args->count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s[%u], %s, has %" PRId64 " elements, but count is %" PRId64, list, i,
                         name, elements, c->args->count);
    if (!c->args->count && !*first && elements != c->count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "%s[%u], %s, has %" PRId64 " elements, expected %" PRId64
                         ", as those before: give count",
                         list, i, name, elements, c->count);
    *first = false;
    c->count = c->args->count ? c->args->count : elements;
    return CUC_OK;
}

// Checks the number of elements of an output that has none for each element.
static cuc_status check_length(const struct cuc__algorithm_call *c, const cuc_tensor *array,
                               uint32_t i, const char *name)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    int64_t expected = k->bins                   ? k->bins
                       : k->offsets              ? c->segments
                       : k->k                    ? k->k
                       : c->plan->family->counts ? c->plan->family->counts
                                                 : 1;
    int64_t elements = array->shape[c->plan->family->by_row];

    if (elements != expected)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "outputs[%u], %s, has %" PRId64 " elements, expected %" PRId64, i, name,
                         elements, expected);
    if (k->bins > 1 && array->strides[0] != 1)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "outputs[%u], %s, has the stride %" PRId64 ", expected 1", i, name,
                         array->strides[0]);
    return CUC_OK;
}

// Returns the number of elements of a row.
static int64_t last_extent(const cuc_tensor *array)
{
    return array->rank > 0 ? array->shape[array->rank - 1] : 1;
}

// Numbers of elements and of rows that no array has given so far: the next one sets them.
struct reading {
    bool no_count, no_rows;
};

static cuc_status read_inputs(struct cuc__algorithm_call *c, struct reading *r)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    uint32_t next = 0;
    cuc_status st = CUC_OK;

    for (uint32_t i = 0; i < k->input_count && st >= 0; i++) {
        const struct cuc__algorithm_input *in = &k->inputs[i];
        if (c->plan->family->pairs && i == k->second) {
            c->first = c->count;
            r->no_count = true;
        }
        if (in->form > CUC__ALGORITHM_WHOLE)
            continue;
        bool whole = in->form == CUC__ALGORITHM_WHOLE, rows = c->plan->family->by_row && !whole;
        st = (rows ? flatten_rows : flatten)(&c->inputs[i], &c->args->inputs[next], "inputs", next,
                                             in->name, in->dtype, c->function);
        if (r->no_count && !whole)
            c->length = last_extent(&c->args->inputs[next]);
        if (st >= 0 && rows)
            st = find_rows(c, &c->inputs[i], &r->no_rows, "inputs", next, in->name);
        if (st >= 0 && !whole)
            st = find_count(c, &c->inputs[i], &r->no_count, "inputs", next, in->name);
        next++;
    }
    c->count += c->first;
    return st;
}

static cuc_status read_outputs(struct cuc__algorithm_call *c, struct reading *r)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    const bool rows = c->plan->family->by_row;
    uint32_t next = 0;
    cuc_status st = CUC_OK;

    for (uint32_t i = 0; i < k->output_count && st >= 0; i++) {
        const struct cuc__algorithm_output *out = &k->outputs[i];
        if (out->dropped)
            continue;
        st = (rows ? flatten_rows : flatten)(&c->outputs[i], &c->args->outputs[next], "outputs",
                                             next, out->name, out->dtype, c->function);
        if (r->no_count && st >= 0)
            c->length = last_extent(&c->args->outputs[next]);
        if (st >= 0 && rows)
            st = find_rows(c, &c->outputs[i], &r->no_rows, "outputs", next, out->name);
        if (st >= 0 && c->plan->family->by_element)
            st = find_count(c, &c->outputs[i], &r->no_count, "outputs", next, out->name);
        else if (st >= 0 && (!c->plan->family->counts || i + 1 == k->output_count))
            st = check_length(c, &c->outputs[i], next, out->name);
        next++;
    }
    return st;
}

static cuc_status read_arrays(struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    struct reading r = { .no_count = true, .no_rows = true };
    cuc_status st;

    if (c->args->count &&
        (c->plan->family->pairs || (k->kind == CUC_ALGORITHM_SORT_SEGMENTS && !k->offsets)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "count is %" PRId64 ", expected 0: %s are whole", c->args->count,
                         c->plan->family->pairs ? "two sequences" : "rows");
    if ((st = read_inputs(c, &r)) >= 0)
        st = read_outputs(c, &r);
    if (r.no_count)
        c->count = c->args->count;
    if (c->plan->family->by_row)
        c->length = c->count;
    else
        c->rows = c->length ? c->count / c->length : 0;
    return st;
}

// Arrays that are accessed by element end behind the last one.
static void narrow(struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;

    for (uint32_t i = 0; i < k->input_count && !c->plan->family->pairs; i++)
        if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS)
            c->inputs[i].shape[c->plan->family->by_row] = c->count;
    for (uint32_t i = 0; i < k->output_count && c->plan->family->by_element; i++)
        c->outputs[i].shape[0] = c->count;
}

static cuc_status check_lists(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    uint32_t inputs = 0, outputs = 0;

    for (uint32_t i = 0; i < k->input_count; i++)
        inputs += k->inputs[i].form <= CUC__ALGORITHM_WHOLE;
    for (uint32_t i = 0; i < k->output_count; i++)
        outputs += !k->outputs[i].dropped;
    const struct {
        const char *name;
        const cuc_tensor *list;
        uint32_t count, expected;
    } rows[] = { { "inputs", c->args->inputs, c->args->input_count, inputs },
                 { "outputs", c->args->outputs, c->args->output_count, outputs } };
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        if (rows[i].count != rows[i].expected)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                             "the call has %u %s, expected %u, the arrays of the plan",
                             rows[i].count, rows[i].name, rows[i].expected);
        if (rows[i].count && !rows[i].list)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                             "%s is NULL, expected %u arrays", rows[i].name, rows[i].expected);
    }
    return CUC_OK;
}

static cuc_status read_device_count(struct cuc__algorithm_call *c)
{
    const cuc_tensor *t = c->args->device_count;

    if (!c->plan->kind.device_count != !t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         t ? "device_count is given, but the plan has no "
                             "CUC_ALGORITHM_DEVICE_COUNT: leave it NULL"
                           : "device_count is NULL, but the plan has CUC_ALGORITHM_DEVICE_COUNT: "
                             "pass an i64 on the device");
    int64_t expected = c->plan->family->pairs ? 2 : 1;
    if (t && (t->dtype != CUC_I64 || cuc_tensor_elements(t) != expected))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "device_count has %" PRId64 " elements of %s, expected %s of i64",
                         cuc_tensor_elements(t), cuc_dtype_name(t->dtype),
                         expected == 1 ? "one" : "2");
    return t ? flatten(&c->device_count, t, "device_count", 0, "count", CUC_I64, c->function)
             : CUC_OK;
}

static cuc_status read_offsets(struct cuc__algorithm_call *c)
{
    const cuc_tensor *t = c->args->offsets;
    cuc_status st;

    if (!c->plan->kind.offsets != !t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         t ? "offsets is given, but the plan has no segments: leave it NULL"
                           : "offsets is NULL, expected the offsets of segments, of %s",
                         cuc_dtype_name(c->plan->kind.offsets));
    if (!t)
        return CUC_OK;
    if ((st = flatten(&c->offsets, t, "offsets", 0, "offsets", c->plan->kind.offsets,
                      c->function)) < 0)
        return st;
    c->segments = c->offsets.shape[0] - 1;
    return c->segments >= 0
               ? CUC_OK
               : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                           "offsets has 0 elements, expected one more than there are segments");
}

// Returns true if two arrays share no byte: their bytes lie apart, or their elements alternate, as
// those of two columns of a matrix do.
static bool are_apart(const cuc_tensor *x, const cuc_tensor *y)
{
    uint64_t size = cuc_dtype_bits(x->dtype) / 8, other = cuc_dtype_bits(y->dtype) / 8;
    uint64_t step = (uint64_t)llabs(x->strides[0]) * size;

    if (tile_tensors_disjoint(x, y))
        return true;
    if (!step || step != (uint64_t)llabs(y->strides[0]) * other)
        return false;
    uint64_t x_at = x->data % step, y_at = y->data % step;
    uint64_t behind = (y_at + step - x_at) % step; // of an element of x comes one of y
    return behind >= size && step - behind >= other;
}

// Checks that the outputs of elements that are kept overlap no array: blocks store them while
// others still read.
static cuc_status check_overlaps(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    struct {
        const cuc_tensor *array;
        const char *list, *name;
        uint32_t at;
    } rows[2 * CUC__ALGORITHM_MAX + 1];
    uint32_t count = 0, inputs = 0, outputs = 0;

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE) {
            rows[count].array = &c->inputs[i];
            rows[count].list = "inputs";
            rows[count].name = k->inputs[i].name;
            rows[count++].at = inputs++;
        }
    if (k->device_count) {
        rows[count].array = &c->device_count;
        rows[count].list = "device_count";
        rows[count].name = "count";
        rows[count++].at = 0;
    }
    for (uint32_t i = 0; i < k->output_count; i++) {
        if (k->outputs[i].dropped)
            continue;
        for (uint32_t j = 0; j < count; j++)
            if (!are_apart(&c->outputs[i], rows[j].array))
                return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                                 "outputs[%u], %s, overlaps %s[%u], %s: expected outputs that "
                                 "share no byte with any other array",
                                 outputs, k->outputs[i].name, rows[j].list, rows[j].at,
                                 rows[j].name);
        rows[count].array = &c->outputs[i];
        rows[count].list = "outputs";
        rows[count].name = k->outputs[i].name;
        rows[count++].at = outputs++;
    }
    return CUC_OK;
}

uint64_t cuc__algorithm_needs(const struct cuc__algorithm_call *c)
{
    return c->plan->family->needs ? c->plan->family->needs(c)
                                  : cuc_algorithm_workspace_bytes(c->plan, c->count);
}

static cuc_status check_workspace(const struct cuc__algorithm_call *c)
{
    uint64_t need = cuc__algorithm_needs(c);

    if (!c->args->workspace)
        return CUC_OK;
    if (c->args->workspace % CUC__ALGORITHM_ALIGN)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace is 0x%" PRIx64 ", expected a multiple of %d",
                         c->args->workspace, CUC__ALGORITHM_ALIGN);
    if (c->args->workspace_bytes < need)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "workspace_bytes is %" PRIu64 ", expected at least %" PRIu64
                         " for %" PRId64 " elements",
                         c->args->workspace_bytes, need, c->count);
    return CUC_OK;
}

cuc_status cuc__algorithm_check(struct cuc__algorithm_call *c)
{
    cuc_status st;

    if (c->stream->device != c->plan->device)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, c->function,
            "the stream is of device %d, the plan of device %d: expected a plan of the "
            "stream's device",
            c->stream->ordinal, c->plan->device->ordinal);
    if (c->args->count < 0)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "count is %" PRId64 ", expected 0 or more", c->args->count);
    if ((st = check_lists(c)) < 0 || (st = read_device_count(c)) < 0 ||
        (st = read_offsets(c)) < 0 || (st = read_arrays(c)) < 0 || (st = check_workspace(c)) < 0)
        return st;
    narrow(c);
    return c->plan->family->counts ? check_overlaps(c) : CUC_OK;
}
