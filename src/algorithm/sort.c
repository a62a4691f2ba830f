// Stable radix sorts, by digits of up to 8 bits from the lowest on. One kernel counts all digits;
// then a pass for each digit reads and writes every element once: a block ranks its tile's elements
// by their digit, finds the elements with each digit in the tiles before by look-back, and scatters
// its tile in the order of the digit. Few elements take one kernel of one block.
//
// Between passes, keys are unsigned integers in the order of the keys, and values are bits. Passes
// alternate between the outputs and arrays in the workspace, so that the last one writes outputs.
//
// A launch takes at most 2^30 - 1 elements, the most that a word of the look-back counts. More take
// several launches a pass, each of which adds what it found to the counts of the one before.
//
// On an H200 a pass takes 29 cycles of a multiprocessor's path to shared memory and cache for 32
// keys of 32 bits. With two blocks on a multiprocessor, this path was busy for 70 % of the time.
#include "sort.h"

#include <cucore/copy.h>

#include "base/array.h"
#include "base/options.h"
#include "device/stream.h"
#include "tile/ir/scalar.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_COUNTED = (1 << 30) - 1 };                // elements of a launch
static const int64_t most_indices = INT64_C(1) << 32; // in 32 bits

static uint32_t width_of(cuc_dtype dtype)
{
    return dtype == CUC_BOOL ? 1 : cuc_dtype_bits(dtype);
}

bool cuc__sort_is_plain(const struct cuc__algorithm_kind *k)
{
    bool plain = k->input_count == k->values;

    for (uint32_t i = 0; i < k->input_count; i++)
        plain &= k->inputs[i].form == CUC__ALGORITHM_ELEMENTS &&
                 k->inputs[i].dtype == k->outputs[i].dtype;
    return plain;
}

uint32_t cuc__sort_find_digits(struct cuc__sort_digit out[CUC__SORT_MOST_DIGITS],
                               const struct cuc__algorithm_kind *k)
{
    uint32_t count = 0, offset = 0;

    for (uint32_t key = k->keys; key-- > 0;) {
        uint32_t width = width_of(k->outputs[key].dtype);
        uint32_t low = k->bit_begin > offset ? k->bit_begin - offset : 0;
        uint32_t end = k->bit_end > offset ? k->bit_end - offset : 0;
        for (end = end < width ? end : width; low < end; low += CUC__SORT_DIGIT_BITS)
            out[count++] = (struct cuc__sort_digit){
                key, low, end - low < CUC__SORT_DIGIT_BITS ? end - low : CUC__SORT_DIGIT_BITS
            };
        offset += width;
    }
    return count;
}

uint32_t cuc__sort_digit_count(const struct cuc__algorithm_kind *k)
{
    struct cuc__sort_digit digits[CUC__SORT_MOST_DIGITS];

    return cuc__sort_find_digits(digits, k);
}

cuc_dtype cuc__sort_bits_of(cuc_dtype dtype)
{
    switch (cuc_dtype_bits(dtype)) {
    case 8:
        return dtype == CUC_BOOL ? CUC_BOOL : CUC_U8;
    case 16:
        return CUC_U16;
    case 32:
        return CUC_U32;
    default:
        return CUC_U64;
    }
}

cuc_dtype cuc__sort_type_last(const struct cuc__algorithm_kind *k, uint32_t value)
{
    cuc_dtype dtype = k->outputs[value].dtype;

    return value < k->keys && dtype == CUC_BOOL ? CUC_U8 : cuc__sort_bits_of(dtype);
}

bool cuc__sort_is_index(const struct cuc__algorithm_kind *k, uint32_t value)
{
    return k->indices >> value & 1;
}

cuc_dtype cuc__sort_type_between(const struct cuc__algorithm_kind *k, uint32_t value)
{
    return cuc__sort_is_index(k, value) ? CUC_U32 : cuc__sort_type_last(k, value);
}

bool cuc__sort_lacks(const struct cuc__algorithm_kind *k, int kernel)
{
    return kernel == CUC__SORT_FIRST ? cuc__sort_is_plain(k)
                                     : kernel == CUC__SORT_NEXT && !cuc__sort_is_plain(k) &&
                                           cuc__sort_digit_count(k) == 1;
}

// Finds the values that are indices of 64 bits, which take half of the memory between passes.
static void find_indices(struct cuc__algorithm_problem *p)
{
    struct cuc__algorithm_kind *k = &p->kind;
    uint32_t value = 0;

    if (p->count > most_indices || cuc__sort_digit_count(k) == 1)
        return;
    for (uint32_t i = 0; i < k->input_count; i++) {
        if (k->inputs[i].form != CUC__ALGORITHM_VALUE)
            continue;
        const char *text = k->inputs[i].expression + strspn(k->inputs[i].expression, " \t\n");
        const struct cuc__algorithm_output *out = &k->outputs[value];
        if (value >= k->keys && !out->dropped && tile_is_integer(out->dtype) &&
            cuc_dtype_bits(out->dtype) == 64 && text[0] == 'i' &&
            !text[1 + strspn(text + 1, " \t\n")])
            k->indices |= UINT32_C(1) << value;
        value++;
    }
}

static cuc_status check(struct cuc__algorithm_problem *p, const cuc_algorithm_options *o,
                        const char *function)
{
    struct cuc__algorithm_kind *k = &p->kind;
    uint32_t all = 0, stored = 0;

    for (uint32_t i = 0; i < k->values; i++) {
        all += i < k->keys ? width_of(k->outputs[i].dtype) : 0;
        stored += !k->outputs[i].dropped;
    }
    if (!stored)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "all outputs have the name _, expected one that is stored");
    for (uint32_t i = 0; i < k->keys && (o->bit_begin || o->bit_end); i++)
        if (!tile_is_integer(k->outputs[i].dtype))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "bit_begin is %" PRId32 " and bit_end %" PRId32
                             ", but outputs[%u], a key, is of %s: leave them 0, or sort integers",
                             o->bit_begin, o->bit_end, i, cuc_dtype_name(k->outputs[i].dtype));
    k->bit_begin = (uint32_t)o->bit_begin;
    k->bit_end = o->bit_end ? (uint32_t)o->bit_end : all;
    if (k->bit_begin >= k->bit_end || k->bit_end > all)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the keys have %u bits, and bits %u to %u - 1 are sorted: expected one or "
                         "more of them",
                         all, k->bit_begin, k->bit_end);
    find_indices(p);
    return CUC_OK;
}

// A thread holds 32 keys, and with keys of 64 bits and values 16: with 32 it has not enough
// registers. On an H200, 2^27 keys of 64 bits with indices take 12.2 ms, and 14.1 ms with 32. Few
// take a wave of blocks less with 32: 1222538 take 211 us, and 260 us with 16.
static void choose(struct cuc__algorithm_problem *p)
{
    enum { TILE_BYTES = 65536, WORD = 8, LEAST = 1024, WARPS = 8, BLOCKS = 8 };
    const bool pairs = p->kind.values > p->kind.keys;
    const int64_t few = 1 << 21;
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < p->kind.keys; i++)
        bytes += cuc_dtype_bits(p->kind.outputs[i].dtype) / 8;
    if (!p->tile.elements)
        p->tile.elements = cuc__algorithm_fit(TILE_BYTES, bytes < WORD ? WORD : bytes, LEAST);
    if (!p->tile.warps)
        p->tile.warps = bytes >= WORD && pairs && (!p->count || p->count > few) ? 2 * WARPS : WARPS;
    if (!p->tile.blocks)
        p->tile.blocks = BLOCKS;
    p->tile.launch = MOST_COUNTED;
}

bool cuc__sort_has_arrays(const struct cuc__algorithm_kind *k)
{
    bool found = false;

    for (uint32_t i = 0; i < k->input_count; i++)
        found |= k->inputs[i].form == CUC__ALGORITHM_ELEMENTS;
    return found;
}

// ---- Calls

// The parts of a call, and of its workspace.
struct parts {
    uint32_t digits;
    int64_t tiles;         // of a launch
    int64_t parts;         // launches of a pass
    uint64_t totals, told; // bytes, from the workspace's start: what a call clears
    uint64_t carry;        // bytes
};

static bool is_small(const cuc_algorithm *plan, int64_t count)
{
    return count <= plan->tile.elements;
}

static struct parts find_parts(const cuc_algorithm *plan, int64_t count)
{
    int64_t tiles = cuc__ceil_div(count, plan->tile.elements);
    struct parts a = { .digits = cuc__sort_digit_count(&plan->kind) };

    a.parts = cuc__ceil_div(tiles, plan->tile.launch / plan->tile.elements);
    a.tiles = cuc__ceil_div(tiles, a.parts);
    a.totals = (uint64_t)a.digits * CUC__SORT_RADIX * sizeof(int64_t);
    a.told = (uint64_t)a.tiles * CUC__SORT_RADIX * sizeof(uint32_t);
    a.carry = (uint64_t)a.parts * a.totals;
    return a;
}

// Returns true if an array needs a second place between passes: its output cannot hold it.
static bool has_second(const struct cuc__algorithm_kind *k, uint32_t digits, uint32_t value)
{
    return k->outputs[value].dropped && digits > 2;
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_kind *k = &plan->kind;

    if (is_small(plan, count))
        return 0;
    struct parts a = find_parts(plan, count);
    uint64_t bytes = a.totals + a.told + a.carry;
    for (uint32_t i = 0; i < k->values && a.digits > 1; i++)
        bytes += cuc__algorithm_aligned((uint64_t)count *
                                        (cuc_dtype_bits(cuc__sort_type_between(k, i)) / 8)) *
                 (has_second(k, a.digits, i) ? 2 : 1);
    return bytes;
}

// The arrays of a call: a place for each value in every second pass, and in the others, which
// include the last.
struct places {
    cuc_tensor of[2][CUC__ALGORITHM_MAX];
};

static void find_places(struct places *out, const struct cuc__algorithm_call *c,
                        const struct parts *a, cuc_device_ptr at)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;

    for (uint32_t i = 0; i < k->values; i++) {
        cuc_dtype dtype = cuc__sort_type_between(k, i);
        out->of[0][i] = c->outputs[i];
        out->of[0][i].dtype = dtype;
        if (cuc__sort_is_index(k, i) && c->outputs[i].strides[0] != 1)
            out->of[0][i].strides[0] *= 2; // in elements of half the size
        if (a->digits > 1)
            at = cuc__algorithm_scratch(&out->of[1][i], c, at, dtype, c->count);
        if (has_second(k, a->digits, i))
            at = cuc__algorithm_scratch(&out->of[0][i], c, at, dtype, c->count);
    }
}

static cuc_status run_pass(const struct cuc__algorithm_call *c, const struct parts *a,
                           const struct places *places, const struct cuc__sort_digit *digit,
                           uint32_t pass, const cuc_tensor scratch[3])
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    const cuc_tensor *src = places->of[(a->digits - pass) % 2],
                     *dst = places->of[(a->digits - pass - 1) % 2];
    bool last = pass + 1 == a->digits, plain = cuc__sort_is_plain(k);
    cuc_tensor none = { .device = c->stream->ordinal, .rank = 1, .strides = { 1 } };
    cuc_tensor in[CUC__ALGORITHM_MAX], dropped[CUC__ALGORITHM_MAX], final[CUC__ALGORITHM_MAX];
    cuc_status st = CUC_OK;

    for (int64_t part = 0; part < a->parts && st >= 0; part++) {
        cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
        bool next = pass || plain;
        size_t count = next ? 0 : cuc__algorithm_add_inputs(args, 0, c);
        for (uint32_t i = 0; i < k->values && next; i++) {
            in[i] = pass ? src[i] : c->inputs[i];
            in[i].dtype = cuc__sort_type_between(k, i);
            args[count++] = CUC_ARG(&in[i]);
        }
        if (next && k->device_count)
            args[count++] = CUC_ARG(&c->device_count);
        for (uint32_t i = 0; i < k->values; i++) {
            bool index = next && cuc__sort_is_index(k, i);
            dropped[i] = none;
            dropped[i].dtype = dst[i].dtype;
            if (!last || (!k->outputs[i].dropped && !index))
                args[count++] = CUC_ARG(&dst[i]);
            else if (next)
                args[count++] = CUC_ARG(&dropped[i]);
        }
        for (uint32_t i = 0; i < k->values && next; i++) {
            if (!cuc__sort_is_index(k, i))
                continue;
            final[i] = last ? c->outputs[i] : none;
            final[i].dtype = cuc__sort_type_last(k, i);
            args[count++] = CUC_ARG(&final[i]);
        }
        for (int i = 0; i < 3; i++)
            args[count++] = CUC_ARG(&scratch[i]);
        args[count++] = CUC_ARG(part * a->tiles);
        args[count++] = CUC_ARG(a->tiles);
        args[count++] = CUC_ARG((int32_t)part);
        args[count++] = CUC_ARG((int32_t)a->parts);
        args[count++] = CUC_ARG((int32_t)pass);
        args[count++] = CUC_ARG((int32_t)digit->key);
        args[count++] = CUC_ARG((int32_t)digit->low);
        args[count++] = CUC_ARG((int32_t)(1 << digit->bits) - 1);
        args[count++] = CUC_ARG((uint32_t)((pass * a->parts + part) % 2) << 31);
        args[count++] = CUC_ARG((int32_t)(pass == 0));
        args[count++] = CUC_ARG((int32_t)last);
        st = cuc__algorithm_launch(c, next ? CUC__SORT_NEXT : CUC__SORT_FIRST, args, count);
    }
    return st;
}

static cuc_status run_small(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);
    cuc_tensor out[CUC__ALGORITHM_MAX];

    for (uint32_t i = 0; i < k->values; i++) {
        out[i] = c->outputs[i];
        out[i].dtype = cuc__sort_type_last(k, i);
        if (!k->outputs[i].dropped)
            args[count++] = CUC_ARG(&out[i]);
    }
    return cuc__algorithm_launch(c, CUC__SORT_SMALL, args, count);
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    struct cuc__sort_digit digits[CUC__SORT_MOST_DIGITS];
    cuc_tensor scratch[3]; // totals, carry, told
    struct places places;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    cuc_status st;

    if (!c->count)
        return CUC_OK;
    if (is_small(c->plan, c->count))
        return run_small(c);
    if (k->indices && c->count > most_indices)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, c->function,
                         "count is %" PRId64 ", but the plan has indices for at most 2^32 "
                         "elements: create it with the option count above that",
                         c->count);
    struct parts a = find_parts(c->plan, c->count);
    cuc_device_ptr at = cuc__algorithm_scratch(&scratch[0], c, c->workspace, CUC_I64,
                                               (int64_t)a.digits * CUC__SORT_RADIX);
    at = cuc__algorithm_scratch(&scratch[2], c, at, CUC_U32, a.tiles * CUC__SORT_RADIX);
    at = cuc__algorithm_scratch(&scratch[1], c, at, CUC_I64, a.digits * a.parts * CUC__SORT_RADIX);
    for (int i = 0; i < 2; i++) {
        scratch[i].rank = 2;
        scratch[i].shape[0] /= CUC__SORT_RADIX;
        scratch[i].shape[1] = scratch[i].strides[0] = CUC__SORT_RADIX;
        scratch[i].strides[1] = 1;
    }
    find_places(&places, c, &a, at);
    cuc__sort_find_digits(digits, k);
    if ((st = cuc_fill(c->stream, c->workspace, 0, sizeof(uint32_t),
                       (size_t)(a.totals + a.told) / sizeof(uint32_t))) < 0)
        return st;
    int64_t tiles = cuc__ceil_div(c->count, cuc__sort_counted(&c->plan->tile));
    int64_t blocks = (int64_t)c->plan->tile.blocks * c->plan->multiprocessors;
    size_t count = cuc__algorithm_add_inputs(args, 0, c);
    if (!cuc__sort_has_arrays(k))
        args[count++] = CUC_ARG(c->count);
    args[count++] = CUC_ARG(&scratch[0]);
    args[count++] = CUC_ARG(tiles < blocks ? tiles : blocks);
    st = cuc__algorithm_launch(c, CUC__SORT_COUNT, args, count);
    for (uint32_t pass = 0; pass < a.digits && st >= 0; pass++)
        st = run_pass(c, &a, &places, &digits[pass], pass, scratch);
    return st;
}

const struct cuc__algorithm_family cuc__algorithm_sort = {
    .kernels = { "sort_count", "sort_first", "sort_next", "sort_small" },
    .ordered = true,
    .by_element = true,
    .outputs_of_value = 1,
    .check = check,
    .lacks = cuc__sort_lacks,
    .choose = choose,
    .put = cuc__sort_put,
    .workspace = workspace,
    .run = run,
};
