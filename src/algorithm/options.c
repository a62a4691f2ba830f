// Checks a plan's options, and reads the texts of its arrays and expressions.
#include "algorithm.h"

#include "base/array.h"
#include "base/options.h"
#include "device/device.h"
#include "tile/ir/scalar.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_TILE = 65536,
    MOST_BLOCKS = 16,
    MOST_WARPS = 32,
    MOST_BINS = 1 << 30,
    MOST_K = 1 << 30,
    MOST_BITS = 64 * CUC__ALGORITHM_MAX, // of the keys of a sort
};

void cuc_algorithm_options_init(cuc_algorithm_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

void cuc_algorithm_args_init(cuc_algorithm_args *args, size_t caller_size)
{
    cuc__init_options(args, caller_size);
}

static const struct cuc__algorithm_family *const families[] = {
    [CUC_ALGORITHM_TRANSFORM] = &cuc__algorithm_transform,
    [CUC_ALGORITHM_REDUCE] = &cuc__algorithm_reduce,
    [CUC_ALGORITHM_SCAN] = &cuc__algorithm_scan,
    [CUC_ALGORITHM_SELECT] = &cuc__algorithm_select,
    [CUC_ALGORITHM_PARTITION] = &cuc__algorithm_partition,
    [CUC_ALGORITHM_UNIQUE] = &cuc__algorithm_unique,
    [CUC_ALGORITHM_HISTOGRAM] = &cuc__algorithm_histogram,
    [CUC_ALGORITHM_REDUCE_BY_KEY] = &cuc__algorithm_reduce_by_key,
    [CUC_ALGORITHM_SCAN_BY_KEY] = &cuc__algorithm_scan_by_key,
    [CUC_ALGORITHM_REDUCE_SEGMENTS] = &cuc__algorithm_reduce_segments,
    [CUC_ALGORITHM_SORT] = &cuc__algorithm_sort,
    [CUC_ALGORITHM_TOPK] = &cuc__algorithm_topk,
    [CUC_ALGORITHM_TOPK_ROWS] = &cuc__algorithm_topk_rows,
    [CUC_ALGORITHM_PARTITION3] = &cuc__algorithm_partition3,
    [CUC_ALGORITHM_MERGE] = &cuc__algorithm_merge,
    [CUC_ALGORITHM_MERGE_SORT] = &cuc__algorithm_merge_sort,
    [CUC_ALGORITHM_SORT_SEGMENTS] = &cuc__algorithm_sort_segments,
    [CUC_ALGORITHM_UNION] = &cuc__algorithm_set,
    [CUC_ALGORITHM_INTERSECTION] = &cuc__algorithm_set,
    [CUC_ALGORITHM_DIFFERENCE] = &cuc__algorithm_set,
    [CUC_ALGORITHM_SYMMETRIC_DIFFERENCE] = &cuc__algorithm_set,
};

static bool is_set_operation(int32_t kind)
{
    return kind >= CUC_ALGORITHM_UNION && kind <= CUC_ALGORITHM_SYMMETRIC_DIFFERENCE;
}

static cuc_status check_numbers(const cuc_algorithm_options *o, const char *function)
{
    const bool top = o->kind == CUC_ALGORITHM_TOPK || o->kind == CUC_ALGORITHM_TOPK_ROWS;
    const struct cuc__range rows[] = {
        { "kind", o->kind, CUC_ALGORITHM_TRANSFORM, CUC_LENGTH(families) - 1, "CUC_ALGORITHM_" },
        { "flags", o->flags, 0, (CUC_ALGORITHM_SMALLEST << 1) - 1, NULL },
        { "input_count", o->input_count, 1, CUC_ALGORITHM_MAX_ARRAYS, NULL },
        { "output_count", o->output_count, 1, CUC_ALGORITHM_MAX_ARRAYS, NULL },
        { "tile", o->tile, 0, MOST_TILE, NULL },
        { "blocks", o->blocks, 0, MOST_BLOCKS, NULL },
        { "warps", o->warps, 0, MOST_WARPS, NULL },
        { "count", o->count, 0, INT64_MAX, NULL },
        { "keys", o->keys, 0, CUC_ALGORITHM_MAX_ARRAYS, NULL },
        { "determinism", o->determinism, 0, CUC_ALGORITHM_EVERY_GPU, NULL },
        { "bins", o->bins, o->kind == CUC_ALGORITHM_HISTOGRAM,
          o->kind == CUC_ALGORITHM_HISTOGRAM ? MOST_BINS : 0, NULL },
        { "bit_begin", o->bit_begin, 0, o->kind == CUC_ALGORITHM_SORT ? MOST_BITS - 1 : 0, NULL },
        { "bit_end", o->bit_end, 0, o->kind == CUC_ALGORITHM_SORT ? MOST_BITS : 0, NULL },
        { "k", o->k, top,
          o->kind == CUC_ALGORITHM_TOPK        ? MOST_K
          : o->kind == CUC_ALGORITHM_TOPK_ROWS ? CUC__ALGORITHM_FEW
                                               : 0,
          NULL },
    };
    cuc_status st = cuc__check_ranges(rows, CUC_LENGTH(rows), function);

    if (st >= 0 && !families[o->kind])
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "kind is %" PRId32 ", expected a CUC_ALGORITHM_ constant", o->kind);
    if (st >= 0 && (o->tile & (o->tile - 1) || o->warps & (o->warps - 1)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "tile is %" PRId32 " and warps %" PRId32
                         ", expected powers of two, or 0 to leave the choice to the library",
                         o->tile, o->warps);
    return st;
}

// Checks the options that only some kinds have.
static cuc_status check_uses(const cuc_algorithm_options *o, const char *function)
{
    const bool top = o->kind == CUC_ALGORITHM_TOPK || o->kind == CUC_ALGORITHM_TOPK_ROWS;
    const bool segments = o->kind == CUC_ALGORITHM_REDUCE_SEGMENTS ||
                          o->kind == CUC_ALGORITHM_SORT_SEGMENTS;
    const struct {
        bool wrong;
        const char *what;
    } more[] = {
        { !o->inputs,
          "inputs is NULL, expected the texts of arrays and expressions, such as \"x: f32\"" },
        { !o->outputs, "outputs is NULL, expected the texts of arrays, such as \"y: f32\"" },
        { o->flags & CUC_ALGORITHM_EXCLUSIVE && o->kind != CUC_ALGORITHM_SCAN &&
              o->kind != CUC_ALGORITHM_SCAN_BY_KEY,
          "CUC_ALGORITHM_EXCLUSIVE is only for CUC_ALGORITHM_SCAN and _SCAN_BY_KEY: leave it "
          "unset" },
        { o->keys && o->kind != CUC_ALGORITHM_REDUCE_BY_KEY &&
              o->kind != CUC_ALGORITHM_SCAN_BY_KEY && o->kind != CUC_ALGORITHM_SORT &&
              o->kind != CUC_ALGORITHM_MERGE && o->kind != CUC_ALGORITHM_MERGE_SORT &&
              !is_set_operation(o->kind),
          "keys is only for CUC_ALGORITHM_REDUCE_BY_KEY, _SCAN_BY_KEY, _SORT, _MERGE, _MERGE_SORT "
          "and set operations: leave it 0" },
        { o->flags & CUC_ALGORITHM_DESCENDING && o->kind != CUC_ALGORITHM_SORT &&
              o->kind != CUC_ALGORITHM_SORT_SEGMENTS,
          "CUC_ALGORITHM_DESCENDING is only for CUC_ALGORITHM_SORT and _SORT_SEGMENTS: leave it "
          "unset" },
        { o->flags & CUC_ALGORITHM_DEVICE_COUNT &&
              (o->kind == CUC_ALGORITHM_SORT_SEGMENTS || is_set_operation(o->kind)),
          "CUC_ALGORITHM_DEVICE_COUNT is not for CUC_ALGORITHM_SORT_SEGMENTS and set operations: "
          "leave it unset" },
        { o->fn && (o->kind == CUC_ALGORITHM_SORT || o->kind == CUC_ALGORITHM_SORT_SEGMENTS),
          "fn is given, but CUC_ALGORITHM_SORT and _SORT_SEGMENTS have the natural order: leave it "
          "NULL, or use CUC_ALGORITHM_MERGE_SORT" },
        { o->flags & CUC_ALGORITHM_SMALLEST && !top,
          "CUC_ALGORITHM_SMALLEST is only for CUC_ALGORITHM_TOPK and _TOPK_ROWS: leave it unset" },
        { o->fn && top, "fn is not for CUC_ALGORITHM_TOPK and _TOPK_ROWS: leave it NULL" },
    };

    for (int i = 0; i < CUC_LENGTH(more); i++)
        if (more[i].wrong)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s", more[i].what);
    if (o->offsets && (!segments || (o->offsets != CUC_I32 && o->offsets != CUC_I64)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "offsets is %s, expected CUC_I32 or CUC_I64 for "
                         "CUC_ALGORITHM_REDUCE_SEGMENTS and _SORT_SEGMENTS, otherwise 0",
                         cuc_dtype_name(o->offsets));
    return CUC_OK;
}

// ---- Arrays and expressions

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static const char *skip(const char *text)
{
    return text + strspn(text, " \t\n");
}

// Reads a name, and returns the text behind it; NULL if there is none or if it is too long.
static const char *read_name(char out[CUC__ALGORITHM_NAME], const char *text)
{
    size_t length = strspn(text, letters);

    if (!length || length >= CUC__ALGORITHM_NAME || (*text >= '0' && *text <= '9'))
        return NULL;
    memcpy(out, text, length);
    out[length] = '\0';
    return text + length;
}

// Reads "f32" or "f32[]" to the end of the text.
static bool read_dtype(cuc_dtype *out, bool *whole, const char *text)
{
    char name[CUC__ALGORITHM_NAME];
    const char *end = read_name(name, skip(text));

    if (!end)
        return false;
    *out = cuc_dtype_from_name(name);
    end = skip(end);
    *whole = *end == '[' && *skip(end + 1) == ']';
    if (*whole)
        end = skip(skip(end + 1) + 1);
    return *out != CUC_DTYPE_UNKNOWN && *out <= CUC_E5M2 && !*end;
}

static cuc_status fail_dtype(const char *list, uint32_t i, const char *text, const char *function)
{
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%s[%u] is \"%s\", expected an element type of the tile language behind the "
                     "colon, such as \"x: f32\"",
                     list, i, text);
}

// Checks that a text is one expression, which the program can hold where it holds a value: nothing
// in it may end the statement or make a list.
static cuc_status check_expression(const char *text, uint32_t i, const char *function)
{
    int depth = 0;
    bool wrong = !*skip(text);

    for (const char *at = skip(text); *at && !wrong; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        wrong = depth < 0 || strchr("#;{}", *at) ||
                (!depth && (*at == ',' || (*at == '\n' && *skip(at))));
    }
    return wrong || depth
               ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                           "inputs[%u] has \"%s\", expected one expression: brackets in pairs, "
                           "commas and new lines only between them, and none of #, ;, { and }",
                           i, text)
               : CUC_OK;
}

static cuc_status check_name(const struct cuc__algorithm_kind *k, const char *name, uint32_t at,
                             const char *function)
{
    bool rows = k->kind == CUC_ALGORITHM_TOPK_ROWS;
    bool taken = strcmp(name, "i") == 0 || strcmp(name, "n") == 0 || strncmp(name, "in_", 3) == 0 ||
                 (rows && strcmp(name, "row") == 0);

    for (uint32_t i = 0; i < at; i++)
        if (strcmp(k->inputs[i].name, name) == 0)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "inputs[%u] has the name %s, as has inputs[%u]: expected another name",
                             at, name, i);
    return taken ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "inputs[%u] has the name %s: expected another than i, n%s, and names "
                             "that begin with in_",
                             at, name, rows ? ", row" : "")
                 : CUC_OK;
}

static cuc_status read_input(struct cuc__algorithm_kind *k, const char *text, uint32_t i,
                             const char *function)
{
    struct cuc__algorithm_input *in = &k->inputs[i];
    bool whole = false;

    if (!text || !*skip(text))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "inputs[%u] is %s, expected an array or an expression", i,
                         text ? "empty" : "NULL");
    const char *end = read_name(in->name, skip(text));
    const char *behind = skip(skip(text) + strspn(skip(text), letters));
    bool names = *behind == ':' || (*behind == '=' && behind[1] != '=');
    if (names && !end)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "inputs[%u] is \"%s\", expected a name of at most %d letters, digits and "
                         "_ that does not begin with a digit",
                         i, text, CUC__ALGORITHM_NAME - 1);
    if (*behind == ':') {
        if (!read_dtype(&in->dtype, &whole, behind + 1))
            return fail_dtype("inputs", i, text, function);
        in->form = whole ? CUC__ALGORITHM_WHOLE : CUC__ALGORITHM_ELEMENTS;
        return check_name(k, in->name, i, function);
    }
    in->form = names ? CUC__ALGORITHM_NAMED : CUC__ALGORITHM_VALUE;
    in->expression = names ? behind + 1 : text;
    if (!names)
        in->name[0] = '\0';
    cuc_status st = check_expression(in->expression, i, function);
    return st < 0 || !names ? st : check_name(k, in->name, i, function);
}

static cuc_status read_inputs(struct cuc__algorithm_kind *k, const cuc_algorithm_options *o,
                              const char *function)
{
    uint32_t named = 0;

    k->input_count = k->second = o->input_count;
    for (uint32_t i = 0; i < o->input_count; i++) {
        cuc_status st = read_input(k, o->inputs[i], i, function);
        if (st < 0)
            return st;
        k->values += k->inputs[i].form == CUC__ALGORITHM_VALUE;
        named += k->inputs[i].form == CUC__ALGORITHM_ELEMENTS ||
                 k->inputs[i].form == CUC__ALGORITHM_NAMED;
    }
    if (!k->values)
        k->values = named;
    return k->values ? CUC_OK
                     : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                 "inputs have arrays that only expressions read, but no "
                                 "expression: add one, such as \"x[i]\"");
}

static cuc_status read_outputs(struct cuc__algorithm_kind *k, const cuc_algorithm_options *o,
                               const char *function)
{
    bool whole = false;

    k->output_count = o->output_count;
    for (uint32_t i = 0; i < o->output_count; i++) {
        struct cuc__algorithm_output *out = &k->outputs[i];
        const char *text = o->outputs[i], *end = text ? read_name(out->name, skip(text)) : NULL;
        if (!end || *skip(end) != ':')
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "outputs[%u] is %s, expected a name and a type, such as \"y: f32\"", i,
                             text ? text : "NULL");
        if (!read_dtype(&out->dtype, &whole, skip(end) + 1) || whole)
            return fail_dtype("outputs", i, text, function);
        out->dropped = strcmp(out->name, "_") == 0;
        for (uint32_t j = 0; j < i && !out->dropped; j++)
            if (strcmp(out->name, k->outputs[j].name) == 0)
                return cuc__fail(
                    CUC_ERROR_INVALID_ARGUMENT, function,
                    "outputs[%u] has the name %s, as has outputs[%u]: expected another "
                    "name, or _",
                    i, out->name, j);
    }
    return CUC_OK;
}

// Returns the type in which values for an output are combined.
static cuc_dtype accumulator(cuc_dtype dtype)
{
    switch (dtype) {
    case CUC_F16:
    case CUC_BF16:
    case CUC_TF32:
    case CUC_E4M3:
    case CUC_E5M2:
        return CUC_F32;
    case CUC_I8:
    case CUC_I16:
        return CUC_I32;
    case CUC_U8:
    case CUC_U16:
        return CUC_U32;
    default:
        return dtype;
    }
}

// Returns the type in which values for an output are compared: the same, unless the language
// compares no values of this type.
static cuc_dtype compared(cuc_dtype dtype)
{
    switch (dtype) {
    case CUC_TF32:
    case CUC_E4M3:
    case CUC_E5M2:
        return CUC_F32;
    case CUC_BOOL:
        return CUC_U8;
    default:
        return dtype;
    }
}

// Returns the number of values of a part of the inputs, and through `arrays` that of the arrays
// that are read by element.
static uint32_t values_of(const struct cuc__algorithm_kind *k, uint32_t from, uint32_t end,
                          uint32_t *arrays)
{
    uint32_t values = 0, named = 0;

    *arrays = 0;
    for (uint32_t i = from; i < end; i++) {
        values += k->inputs[i].form == CUC__ALGORITHM_VALUE;
        named += k->inputs[i].form == CUC__ALGORITHM_NAMED;
        *arrays += k->inputs[i].form == CUC__ALGORITHM_ELEMENTS;
    }
    return values ? values : named + *arrays;
}

// Checks the inputs of a merge: in each half, arrays and expressions of one sequence.
static cuc_status read_halves(struct cuc__algorithm_kind *k, const char *function)
{
    uint32_t arrays[2], values;

    if (k->input_count % 2)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "input_count is %u, expected an even number: the inputs of the first "
                         "sequence, and then those of the second",
                         k->input_count);
    k->second = k->input_count / 2;
    k->values = values_of(k, 0, k->second, &arrays[0]);
    values = values_of(k, k->second, k->input_count, &arrays[1]);
    for (uint32_t i = 0; i < 2; i++)
        if (!arrays[i])
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "inputs[%u] to inputs[%u], those of one sequence, have no array that "
                             "is read by element: expected one, such as \"x: f32\"",
                             i * k->second, (i + 1) * k->second - 1);
    return values == k->values
               ? CUC_OK
               : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                           "the inputs of the first sequence have %u values, those of the second "
                           "%u: expected as many",
                           k->values, values);
}

// Checks two sequences: arrays for the values of the first one, and then for those of the second.
// An intersection or difference keeps no values of the second, which may have only keys.
static cuc_status read_sequences(struct cuc__algorithm_kind *k, const char *function)
{
    if (k->kind == CUC_ALGORITHM_MERGE)
        return read_halves(k, function);
    bool only_keys = k->kind == CUC_ALGORITHM_INTERSECTION || k->kind == CUC_ALGORITHM_DIFFERENCE;

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form != CUC__ALGORITHM_ELEMENTS)
            return cuc__fail(
                CUC_ERROR_INVALID_ARGUMENT, function,
                "inputs[%u] is no array that is read by element, expected one, such as "
                "\"x: f32\": two sequences are arrays, without expressions",
                i);
    only_keys &= k->output_count + k->keys == k->input_count + 1;
    if (k->input_count % 2 && !only_keys)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "input_count is %u, expected an even number: the arrays of the first "
                         "sequence, and then those of the second",
                         k->input_count);
    k->values = k->second = only_keys ? k->input_count - k->keys : k->values / 2;
    return CUC_OK;
}

// Checks the number of outputs.
static cuc_status check_outputs(const struct cuc__algorithm_problem *p,
                                const cuc_algorithm_options *o, const char *function)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    uint32_t each = p->family->outputs_of_value;
    uint32_t expected = (each ? each : !o->fn) * k->values + (p->family->counts > 0);

    if (p->family->by_element && p->family->by_key)
        expected -= expected ? k->keys : 0;
    if (p->family->by_key && k->values <= k->keys)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the inputs have %u value%s, and %u of them keys: expected more values",
                         k->values, k->values == 1 ? "" : "s", k->keys);
    if (p->family->ordered && k->keys > k->values)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "keys is %u, expected at most %u, the number of values", k->keys,
                         k->values);
    if (p->family->outputs &&
        (k->output_count != p->family->outputs || (!o->fn && k->values != p->family->outputs)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "there are %u outputs and %u values, expected %u of each, or fn, which "
                         "computes a value from several",
                         k->output_count, k->values, p->family->outputs);
    if (expected && !p->family->outputs && k->output_count != expected)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the inputs have %u value%s, but there %s %u output%s: expected %s%s",
                         k->values, k->values == 1 ? "" : "s", k->output_count == 1 ? "is" : "are",
                         k->output_count, k->output_count == 1 ? "" : "s",
                         each > 2   ? "three for each value"
                         : each > 1 ? "two for each value"
                                    : "one for each value",
                         p->family->counts ? ", and the count" : "");
    if (p->family->outputs && k->outputs[0].dropped)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "outputs[0] has the name _, but it is the only output: expected another");
    if (k->bins &&
        (!tile_is_integer(k->outputs[0].dtype) || cuc_dtype_bits(k->outputs[0].dtype) < 32))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "outputs[0] is of %s, expected i32, u32, i64 or u64 for counts",
                         cuc_dtype_name(k->outputs[0].dtype));
    if (p->family->counts && !tile_is_integer(k->outputs[k->output_count - 1].dtype))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "outputs[%u], the count, is of %s, expected an integer, such as i64",
                         k->output_count - 1,
                         cuc_dtype_name(k->outputs[k->output_count - 1].dtype));
    return CUC_OK;
}

// Returns true if an operator of the library has the same result in any order, and that is as fast.
// On an H200, 5 * 2^20 i64 are scanned in 54 us, and in their order in 61 us; 2^27 in 713 and 696.
static bool are_exact(const struct cuc__algorithm_problem *p)
{
    const int64_t many = 1 << 27; // of 8 bytes
    bool exact = true;

    for (uint32_t i = p->kind.keys; i < p->kind.values; i++)
        exact &= tile_is_integer(p->kind.accumulators[i]) &&
                 (p->count < many || cuc_dtype_bits(p->kind.accumulators[i]) == 32);
    return exact;
}

cuc_status cuc__algorithm_read_options(struct cuc__algorithm_problem *p,
                                       const cuc_algorithm_options *o, const cuc_device *device,
                                       const char *function)
{
    struct cuc__algorithm_kind *k = &p->kind;
    cuc_status st;
    int sm;

    memset(p, 0, sizeof(*p));
    if ((st = check_numbers(o, function)) < 0 || (st = check_uses(o, function)) < 0 ||
        (st = cuc__plan_arch(p->arch, &sm, o->arch, device, function)) < 0)
        return st;
    k->kind = o->kind;
    k->device_count = o->flags & CUC_ALGORITHM_DEVICE_COUNT;
    k->plain_launch = o->flags & CUC_ALGORITHM_PLAIN_LAUNCH;
    k->every_gpu = o->determinism == CUC_ALGORITHM_EVERY_GPU;
    k->bins = o->bins;
    p->family = o->k > CUC__ALGORITHM_FEW                               ? &cuc__algorithm_topk_large
                : o->kind == CUC_ALGORITHM_SORT_SEGMENTS && !o->offsets ? &cuc__algorithm_sort_rows
                                                                        : families[o->kind];
    p->inputs = o->inputs;
    k->k = o->k;
    k->smallest = o->flags & CUC_ALGORITHM_SMALLEST;
    k->offsets = p->family->by_segment && !o->offsets ? CUC_I64 : o->offsets;
    if (p->family->by_key || p->family->ordered)
        k->keys = o->keys ? (uint32_t)o->keys : 1;
    k->exclusive = o->flags & CUC_ALGORITHM_EXCLUSIVE;
    k->descending = o->flags & CUC_ALGORITHM_DESCENDING;
    p->tile =
        (struct cuc__algorithm_tile){ .elements = o->tile, .blocks = o->blocks, .warps = o->warps };
    p->count = o->count;
    p->multiprocessors = device->limits.multiprocessors;
    if ((st = read_inputs(k, o, function)) < 0 || (st = read_outputs(k, o, function)) < 0 ||
        (p->family->pairs && (st = read_sequences(k, function)) < 0))
        return st;
    for (uint32_t i = k->keys; i < k->values && p->family->has_identity; i++)
        k->accumulators[i] = accumulator(k->outputs[p->family->by_element ? i - k->keys : i].dtype);
    for (uint32_t i = 0; i < k->output_count && p->family->ordered; i++)
        k->accumulators[i] = compared(k->outputs[i].dtype);
    if ((st = check_outputs(p, o, function)) < 0 ||
        (st = cuc__algorithm_read_operator(p, o, function)) < 0 ||
        (p->family->check && (st = p->family->check(p, o, function)) < 0))
        return st;
    if (p->named && (o->determinism == CUC_ALGORITHM_ANY_ORDER || are_exact(p)))
        k->reduce = p->named;
    p->family->choose(p);
    return CUC_OK;
}
