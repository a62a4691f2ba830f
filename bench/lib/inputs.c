#include "inputs.h"

#include "base/array.h"
#include "philox.h"

#include <cucore/copy.h>
#include <cucore/launch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SETS = 32,
    SET_ALIGNMENT = 512, // alignment of device allocations; tensor maps need 128
};

// An element type to generate: numbers per element, and their form in memory. `low` and `high`
// apply only to integers.
static const struct form {
    int store, numbers;
    bool known, is_float;
    double low, high;
} forms[] = {
    [CUC_BOOL] = { PHILOX_U8, 1, true, false, 0, 1 },
    [CUC_I8] = { PHILOX_U8, 1, true, false, -128, 127 },
    [CUC_I16] = { PHILOX_U16, 1, true, false, -32768, 32767 },
    [CUC_I32] = { PHILOX_U32, 1, true, false, -0x1p31, 0x1p31 - 1 },
    [CUC_I64] = { PHILOX_U64, 1, true, false, -0x1p63, 0x1p63 },
    [CUC_U8] = { PHILOX_U8, 1, true, false, 0, 255 },
    [CUC_U16] = { PHILOX_U16, 1, true, false, 0, 65535 },
    [CUC_U32] = { PHILOX_U32, 1, true, false, 0, 0x1p32 - 1 },
    [CUC_U64] = { PHILOX_U64, 1, true, false, 0, 0x1p64 },
    [CUC_F16] = { PHILOX_F16, 1, true, true, 0, 0 },
    [CUC_BF16] = { PHILOX_BF16, 1, true, true, 0, 0 },
    [CUC_F32] = { PHILOX_F32, 1, true, true, 0, 0 },
    [CUC_TF32] = { PHILOX_TF32, 1, true, true, 0, 0 },
    [CUC_F64] = { PHILOX_F64, 1, true, true, 0, 0 },
    [CUC_E4M3] = { PHILOX_E4M3, 1, true, true, 0, 0 },
    [CUC_E5M2] = { PHILOX_E5M2, 1, true, true, 0, 0 },
    [CUC_C64] = { PHILOX_F32, 2, true, true, 0, 0 },
    [CUC_C128] = { PHILOX_F64, 2, true, true, 0, 0 },
};

static const char *fill_name(int32_t fill)
{
#define ROW(constant, value, text) [value] = (text),
    static const char *const names[] = { CUC_BENCH_FILL_LIST(ROW) };
#undef ROW

    return fill >= 0 && (size_t)fill < CUC_LENGTH(names) ? names[fill] : NULL;
}

// Make a recipe for whole numbers from `first` to `last`.
static cuc_status whole_numbers(struct philox_recipe *r, const struct form *form, double first,
                                double last, const char *type, const char *function)
{
    if (floor(first) != first || floor(last) != last || first > last || last - first >= 0x1p32 ||
        fabs(first) > 0x1p52)
        return cuc__bench_fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "from %g to %g: expected whole numbers, in order, and less than 2^32 "
            "of them",
            first, last);
    if (!form->is_float && (first < form->low || last > form->high))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "from %g to %g: %s is from %g to %g", first, last, type, form->low,
                               form->high);
    r->make = PHILOX_INTEGER;
    r->first = (long long)first;
    r->span = (unsigned long long)(last - first) + 1;
    return CUC_OK;
}

// Choose the recipe of an input; `numbers` is the count per element, 0 if nothing is random.
static cuc_status read_recipe(struct philox_recipe *r, int *numbers,
                              const cuc_bench_input_options *o, const char *function)
{
    const char *type = cuc_dtype_name(o->dtype);
    const struct form *form =
        o->dtype > 0 && (size_t)o->dtype < CUC_LENGTH(forms) ? &forms[o->dtype] : &forms[0];
    bool given = o->low != 0 || o->high != 0;
    double low = o->low, high = o->high;

    if (!fill_name(o->fill))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "fill is %d, expected CUC_BENCH_UNIFORM and the like", o->fill);
    if (!isfinite(low) || !isfinite(high))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "low is %g and high %g, expected two finite numbers", low, high);
    *r = (struct philox_recipe){ .store = form->store };
    *numbers = 0;
    if (o->fill == CUC_BENCH_ZEROS || o->fill == CUC_BENCH_NONE)
        return CUC_OK;
    if (!form->known || (o->fill == CUC_BENCH_NORMAL && !form->is_float))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "%s elements cannot be filled with %s numbers", type,
                               fill_name(o->fill));
    *numbers = form->numbers;
    switch (o->fill) {
    case CUC_BENCH_INTEGERS:
        if (!given) {
            low = form->is_float || form->low < 0 ? -4 : 0;
            high = form->high == 1 ? 1 : form->is_float || form->low < 0 ? 4 : 8;
        }
        return whole_numbers(r, form, low, high, type, function);
    case CUC_BENCH_NORMAL:
        r->make = PHILOX_NORMAL;
        r->low = low;
        r->scale = given ? high : 1;
        return CUC_OK;
    default:
        break;
    }
    if (form->is_float) {
        r->make = PHILOX_UNIFORM;
        r->low = given ? low : -1;
        r->scale = given ? high - low : 2;
        return CUC_OK;
    }
    if (o->dtype == CUC_BOOL && !given)
        return whole_numbers(r, form, 0, 1, type, function);
    if (given)
        return whole_numbers(r, form, low, high - 1, type, function);
    r->make = PHILOX_BITS;
    return CUC_OK;
}

cuc_status cuc_bench_generate(void *to, const cuc_bench_input_options *options, uint64_t seed,
                              uint32_t index, uint32_t set)
{
    cuc_bench_input_options o;
    struct philox_recipe r;
    int numbers;
    cuc_status st;

    BENCH_CHECK_NOT_NULL(to);
    BENCH_CHECK_NOT_NULL(options);
    if ((st = BENCH_READ(&o, options, cuc_bench_input_options)) < 0 ||
        (st = read_recipe(&r, &numbers, &o, __func__)) < 0)
        return st;
    r.seed = seed;
    r.set = set;
    r.index = index;
    for (uint64_t i = 0; i < o.count * (uint64_t)numbers; i++)
        philox_element(to, i, &r);
    if (o.fill == CUC_BENCH_ZEROS)
        memset(to, 0, o.count * cuc_dtype_bits(o.dtype) / 8);
    return CUC_OK;
}

static cuc_status fill_on_device(cuc_bench_input *input, const cuc_bench_input_options *o,
                                 const struct philox_recipe *recipe, uint64_t numbers)
{
    struct cuc__bench_gpu *g = input->gpu;
    struct philox_recipe r = *recipe;
    cuc_status st = CUC_OK;

    if (o->fill == CUC_BENCH_ZEROS)
        return cuc_buffer_fill(g->stream, input->buffer, 0, 0, 1, cuc_buffer_bytes(input->buffer));
    if (!numbers || (st = cuc__bench_gpu_kernels(g)) < 0)
        return st;
    uint32_t grid = cuc__bench_grid(g, numbers, 256);
    for (uint64_t set = 0; set < input->sets && st >= 0; set++) {
        r.set = (uint32_t)set;
        st = CUC_LAUNCH(g->stream, CUC_LAUNCH_CONFIG(.grid = { grid }, .block = { 256 }), g->fill,
                        cuc_bench_input_ptr(input, set), numbers, CUC_ARG_STRUCT(r));
    }
    return st;
}

// Return enough sets to exceed twice the size of L2, so that a set has been evicted before it is
// used again.
static uint64_t automatic_sets(const struct cuc__bench_gpu *g, uint64_t stride, uint64_t most)
{
    uint64_t free_bytes = 0, sets = 2 * g->l2_bytes / stride + 1;

    if (g->simulated)
        return 2; // there is no cache, and each set costs time; two sets reveal failures that a
                  // single set hides
    if (!most && cuc_device_get_memory_info(&free_bytes, NULL, g->device) >= 0)
        most = free_bytes / 8;
    if (sets > MAX_SETS)
        sets = MAX_SETS;
    if (sets > most / stride)
        sets = most / stride;
    return sets ? sets : 1;
}

static cuc_status make_on_device(cuc_bench_input *input, const cuc_bench_input_options *o,
                                 const struct philox_recipe *recipe, uint64_t numbers,
                                 uint64_t max_set_bytes)
{
    struct cuc__bench_gpu *g = input->gpu;
    cuc_status st;

    input->stride = (input->bytes + SET_ALIGNMENT - 1) / SET_ALIGNMENT * SET_ALIGNMENT;
    input->sets = o->sets ? o->sets : automatic_sets(g, input->stride, max_set_bytes);
    for (;;) {
        st = cuc_buffer_create(&input->buffer, g->stream, NULL, input->stride * input->sets);
        if (st != CUC_ERROR_OUT_OF_DEVICE_MEMORY || o->sets || input->sets == 1)
            break;
        input->sets /= 2;
    }
    return st < 0 ? st : fill_on_device(input, o, recipe, numbers);
}

static cuc_status make_on_host(cuc_bench_input *input, const cuc_bench_input_options *o,
                               const struct philox_recipe *recipe, uint64_t numbers)
{
    struct philox_recipe r = *recipe;

    input->stride = (input->bytes + 63) / 64 * 64;
    input->sets = o->sets ? o->sets : 1;
    input->host = aligned_alloc(64, input->stride * input->sets);
    if (!input->host)
        return BENCH_NO_MEMORY("an input of the host");
    for (uint64_t set = 0; set < input->sets; set++) {
        void *to = cuc_bench_input_host(input, set);
        r.set = (uint32_t)set;
        for (uint64_t i = 0; i < numbers; i++)
            philox_element(to, i, &r);
        if (o->fill == CUC_BENCH_ZEROS)
            memset(to, 0, input->bytes);
    }
    return CUC_OK;
}

cuc_status cuc__bench_input_create(cuc_bench_input **out, struct cuc__bench_gpu *gpu,
                                   const cuc_bench_input_options *options, uint64_t seed,
                                   uint32_t index, uint64_t max_set_bytes)
{
    static const char function[] = "cuc_bench_state_add_input";
    const cuc_bench_input_options *o = options;
    bool on_host = o->flags & CUC_BENCH_INPUT_HOST;
    struct philox_recipe r;
    int numbers;
    uint32_t bits = cuc_dtype_bits(o->dtype);

    if (!bits || !o->count || o->count > UINT64_MAX / 64 / bits)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "%llu elements of dtype %d (%s): expected one or more, of a known "
                               "type",
                               (unsigned long long)o->count, o->dtype, cuc_dtype_name(o->dtype));
    if (o->flags & ~(uint32_t)(CUC_BENCH_INPUT_HOST | CUC_BENCH_INPUT_RESULT))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "flags is 0x%x, only bits 0 and 1 are known", o->flags);
    cuc_status st = read_recipe(&r, &numbers, o, function);
    if (st < 0)
        return st;
    if (!gpu && !on_host)
        return cuc__bench_fail(CUC_ERROR_NOT_SUPPORTED, function,
                               "there is no device to make the input on: set "
                               "CUC_BENCH_INPUT_HOST for one of the host");
    cuc_bench_input *input = calloc(1, sizeof(*input));
    if (!input)
        return BENCH_NO_MEMORY("an input");
    input->gpu = gpu;
    input->bytes = o->count * (bits / 8);
    input->result = o->flags & CUC_BENCH_INPUT_RESULT;
    r.seed = seed;
    r.index = index;
    uint64_t all = o->count * (uint64_t)numbers;
    st = on_host ? make_on_host(input, o, &r, all)
                 : make_on_device(input, o, &r, all, max_set_bytes);
    if (st < 0)
        cuc__bench_input_release(input);
    else
        *out = input;
    return st;
}

void cuc__bench_input_release(cuc_bench_input *input)
{
    if (!input)
        return;
    cuc_buffer_release(input->buffer);
    free(input->host);
    free(input);
}

cuc_status cuc__bench_input_spoil(cuc_bench_input *input)
{
    if (input->host)
        memset(input->host, 0xFF, input->bytes);
    return input->host
               ? CUC_OK
               : cuc_fill(input->gpu->stream, cuc_bench_input_ptr(input, 0), 0xFF, 1, input->bytes);
}

uint64_t cuc_bench_input_sets(const cuc_bench_input *input)
{
    return input ? input->sets : 0;
}

uint64_t cuc_bench_input_bytes(const cuc_bench_input *input)
{
    return input ? input->bytes : 0;
}

cuc_device_ptr cuc_bench_input_ptr(const cuc_bench_input *input, uint64_t set)
{
    return input && input->buffer
               ? cuc_buffer_ptr(input->buffer) + set % input->sets * input->stride
               : 0;
}

void *cuc_bench_input_host(const cuc_bench_input *input, uint64_t set)
{
    return input && input->host ? (char *)input->host + set % input->sets * input->stride : NULL;
}

cuc_status cuc_bench_input_read(void *to, const cuc_bench_input *input, uint64_t set)
{
    cuc_status st;

    BENCH_CHECK_NOT_NULL(to);
    BENCH_CHECK_NOT_NULL(input);
    if (input->host) {
        memcpy(to, cuc_bench_input_host(input, set), input->bytes);
        return CUC_OK;
    }
    cuc_stream *stream = input->gpu->stream;
    st = cuc_copy_to_host(stream, to, cuc_bench_input_ptr(input, set), input->bytes);
    return st < 0 ? st : cuc_stream_synchronize(stream);
}
