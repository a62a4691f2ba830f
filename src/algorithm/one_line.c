// Calls without a plan of the caller's. Each states the options of its plan, with "%s" for the
// types of its arrays in their order, and runs the plan that the library keeps for them.
#include "algorithm.h"

#include "device/stream.h"
#include "tile/ir/scalar.h"

#include <inttypes.h>
#include <math.h>

static cuc_status run(cuc_stream *stream, const cuc_algorithm_options *options,
                      const cuc_algorithm_args *args)
{
    cuc_algorithm *plan = NULL;
    cuc_status st = cuc__algorithm_get_kept(&plan, stream->device, options, args);

    if (st < 0)
        return st;
    st = cuc_algorithm_run(stream, plan, args);
    cuc_algorithm_release(plan);
    return st;
}

static const char *const elements[] = { "x: %s" }, *const results[] = { "y: %s" };

cuc_status cuc_reduce(cuc_stream *stream, const char *fn, const char *identity, const cuc_tensor *x,
                      const cuc_tensor *y)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(fn);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    return CUC_PASS(
        run(stream,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE, .inputs = elements,
                                  .input_count = 1, .outputs = results, .output_count = 1, .fn = fn,
                                  .identity = identity),
            CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, .outputs = y, .output_count = 1)));
}

// Returns a number of elements for which the plan of a scan is chosen: the tiles of few, and of
// many, differ.
static int64_t scanned(int64_t count)
{
    enum { FEW = 1 << 24, MANY = 1 << 27 };

    return count < FEW ? FEW / 2 : count < MANY ? FEW : MANY;
}

cuc_status cuc_scan(cuc_stream *stream, const char *fn, const char *identity, uint32_t flags,
                    const cuc_tensor *x, const cuc_tensor *y)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(fn);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    if (flags & ~(uint32_t)CUC_ALGORITHM_EXCLUSIVE)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "flags is 0x%" PRIx32 ", expected CUC_ALGORITHM_EXCLUSIVE or 0", flags);
    return CUC_PASS(
        run(stream,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SCAN, .flags = flags, .inputs = elements,
                                  .input_count = 1, .outputs = results, .output_count = 1, .fn = fn,
                                  .identity = identity, .count = scanned(cuc_tensor_elements(x))),
            CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, .outputs = y, .output_count = 1)));
}

cuc_status cuc_sort(cuc_stream *stream, uint32_t flags, const cuc_tensor *keys_in,
                    const cuc_tensor *keys_out, const cuc_tensor *values_in,
                    const cuc_tensor *values_out)
{
    char key[] = "_: 0123456789abcdef";
    const char *inputs[] = { "x: %s", values_in ? "v: %s" : "x", "i" };
    const char *outputs[] = { "y: %s", "w: %s" };
    cuc_tensor in[2], out[2];
    uint32_t in_count = 0, out_count = 0;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(keys_in);
    if (flags & ~(uint32_t)CUC_ALGORITHM_DESCENDING)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "flags is 0x%" PRIx32 ", expected CUC_ALGORITHM_DESCENDING or 0", flags);
    if (!keys_out && !values_out)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "keys_out and values_out are NULL, expected one of them");
    if (values_in && !values_out)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "values_in is given, but values_out is NULL");
    if (keys_out && keys_out->dtype != keys_in->dtype)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "keys_out is of %s, expected %s, as keys_in",
                        cuc_dtype_name(keys_out->dtype), cuc_dtype_name(keys_in->dtype));
    in[in_count++] = *keys_in;
    if (values_in)
        in[in_count++] = *values_in;
    if (keys_out)
        out[out_count++] = *keys_out;
    if (values_out)
        out[out_count++] = *values_out;
    if (!keys_out) {
        snprintf(key, sizeof(key), "_: %s", cuc_dtype_name(keys_in->dtype));
        outputs[0] = key;
    }
    return CUC_PASS(
        run(stream,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT, .flags = flags, .inputs = inputs,
                                  .input_count = !values_out ? 1
                                                 : values_in ? 2
                                                             : 3,
                                  .outputs = outputs, .output_count = values_out ? 2 : 1,
                                  .count = cuc_tensor_elements(keys_in) >> 32 ? INT64_MAX : 0),
            CUC_ALGORITHM_ARGS(.inputs = in, .input_count = in_count, .outputs = out,
                               .output_count = out_count)));
}

// Returns true if the tile language compares values of a type.
static bool is_compared(cuc_dtype dtype)
{
    return tile_is_integer(dtype) || dtype == CUC_F16 || dtype == CUC_BF16 || dtype == CUC_F32 ||
           dtype == CUC_F64;
}

cuc_status cuc_search(cuc_stream *stream, uint32_t flags, const cuc_tensor *sorted,
                      const cuc_tensor *values, const cuc_tensor *at)
{
    static const char *const inputs[][3] = {
        { "sorted: %s[]", "v: %s", "lower_bound(sorted, v)" },
        { "sorted: %s[]", "v: %s", "upper_bound(sorted, v)" },
    };
    static const char *const outputs[] = { "at: %s" };

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(sorted);
    CUC_CHECK_NOT_NULL(values);
    CUC_CHECK_NOT_NULL(at);
    if (flags & ~(uint32_t)CUC_SEARCH_UPPER)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "flags is 0x%" PRIx32 ", expected CUC_SEARCH_UPPER or 0", flags);
    if (!is_compared(sorted->dtype))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "sorted is of %s, expected an integer, f16, bf16, f32 or f64",
                        cuc_dtype_name(sorted->dtype));
    if (sorted->dtype != values->dtype)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "values is of %s, expected %s, the type of sorted",
                        cuc_dtype_name(values->dtype), cuc_dtype_name(sorted->dtype));
    if (!tile_is_integer(at->dtype) || cuc_dtype_bits(at->dtype) < 32)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "at is of %s, expected i32, u32, i64 or u64 for positions",
                        cuc_dtype_name(at->dtype));
    const cuc_tensor arrays[] = { *sorted, *values };
    return CUC_PASS(run(
        stream,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM,
                              .inputs = inputs[flags & CUC_SEARCH_UPPER], .input_count = 3,
                              .outputs = outputs, .output_count = 1),
        CUC_ALGORITHM_ARGS(.inputs = arrays, .input_count = 2, .outputs = at, .output_count = 1)));
}

// Histograms and selections have a plan for fewer than MANY elements, made for FEW, and one for
// more.
enum { FEW = 1 << 20, MANY = 1 << 21 };

// Returns a number of elements to choose a plan for: few different ones.
static int64_t rounded(int64_t count)
{
    enum { LARGE = 8192 };
    int64_t most = 1;

    while (most < count && most < LARGE)
        most *= 2;
    return count > most ? 0 : most;
}

cuc_status cuc_topk(cuc_stream *stream, int64_t k, uint32_t flags, const cuc_tensor *x,
                    const cuc_tensor *values, const cuc_tensor *indices)
{
    char dropped[CUC__ALGORITHM_NAME];
    const char *inputs[] = { "x: %s", "x", "i" };
    const char *outputs[] = { values ? "y: %s" : dropped, indices ? "at: %s" : "_: i64" };
    cuc_tensor found[2];
    uint32_t count = 0;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(x);
    if (flags & ~(uint32_t)CUC_ALGORITHM_SMALLEST)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "flags is 0x%" PRIx32 ", expected CUC_ALGORITHM_SMALLEST or 0", flags);
    if (!values && !indices)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "values and indices are NULL, expected one of them or both");
    if (values && values->dtype != x->dtype)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "values is of %s, expected %s, the type of x",
                        cuc_dtype_name(values->dtype), cuc_dtype_name(x->dtype));
    if (indices && (!tile_is_integer(indices->dtype) || cuc_dtype_bits(indices->dtype) < 32))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "indices is of %s, expected i32, u32, i64 or u64",
                        cuc_dtype_name(indices->dtype));
    snprintf(dropped, sizeof(dropped), "_: %s", cuc_dtype_name(x->dtype));
    if (values)
        found[count++] = *values;
    if (indices)
        found[count++] = *indices;
    bool rows = x->rank > 1;
    return CUC_PASS(
        run(stream,
            CUC_ALGORITHM_OPTIONS(.kind = rows ? CUC_ALGORITHM_TOPK_ROWS : CUC_ALGORITHM_TOPK,
                                  .flags = flags, .inputs = inputs, .input_count = 3,
                                  .outputs = outputs, .output_count = 2, .k = k,
                                  .count = rounded(x->rank ? x->shape[x->rank - 1] : 1)),
            CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, .outputs = found,
                               .output_count = count)));
}

// True if a range of integers contains every value of a type of at most 16 bits.
static bool holds_all(cuc_dtype dtype, double low, double high)
{
    double count = exp2((double)cuc_dtype_bits(dtype));
    double least = tile_is_signed(dtype) ? -count / 2 : 0;

    return cuc_dtype_bits(dtype) <= 16 && low <= least && least + count <= high;
}

// Writes the type in which the bins of elements are computed, and the number of the bin of v, an
// i32, or -1 if it has none. Elements of integer types are counted exactly if all bins begin at
// integers.
static void put_bin(struct cuc__text *type, struct cuc__text *bin, cuc_dtype dtype, double low,
                    double high, int64_t bins)
{
    double width = (high - low) / (double)bins, most = fabs(low) > fabs(high) ? low : high;
    bool integer = tile_is_integer(dtype) || dtype == CUC_BOOL;
    bool whole = floor(low) == low && floor(width) == width && width * (double)bins == high - low;

    if (integer && whole && fabs(most) < 0x1p53) {
        bool narrow = cuc_dtype_bits(dtype) <= 16 && fabs(most) < 0x1p30;
        cuc__text_put(type, "v = cast(x, %s)", narrow ? "i32" : "i64");
        if (narrow && width == 1 && holds_all(dtype, low, high)) { // no element is outside
            cuc__text_put(bin, "cast(v - (%.0f), i32)", low);
            return;
        }
        cuc__text_put(bin, "cast(where((v >= %.0f) & (v < %.0f)%s, (v - (%.0f)) // %.0f, -1), i32)",
                      low, high, dtype == CUC_U64 ? " & (x <= 0x7fffffffffffffff)" : "", low,
                      width);
        return;
    }
    cuc__text_put(type, "v = cast(x, %s)",
                  cuc_dtype_bits(dtype) <= 16 || dtype == CUC_F32 ? "f32" : "f64");
    cuc__text_put(bin,
                  "cast(where((v >= %.17e) & (v < %.17e), minimum((v - (%.17e)) * %.17e, %.1f), "
                  "-1.0), i32)",
                  low, high, low, (double)bins / (high - low), (double)(bins - 1));
}

cuc_status cuc_histogram(cuc_stream *stream, double low, double high, const cuc_tensor *x,
                         const cuc_tensor *counts)
{
    char type[32], bin[256];
    struct cuc__text type_text = CUC_TEXT_IN(type), bin_text = CUC_TEXT_IN(bin);
    const char *inputs[] = { "x: %s", type, bin }, *outputs[] = { "counts: %s" };

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(counts);
    if (!(low < high) || !isfinite(high - low))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "low is %g and high %g, expected finite numbers, low below high", low,
                        high);
    int64_t bins = cuc_tensor_elements(counts);
    if (bins < 1 || bins > 1 << 30)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "counts has %" PRId64 " elements, expected 1 to 2^30, one for each bin",
                        bins);
    put_bin(&type_text, &bin_text, x->dtype, low, high, bins);
    // The numbers of the bins are the elements.
    bool plain = low == 0 && high == (double)bins && holds_all(x->dtype, low, high);
    return CUC_PASS(run(
        stream,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_HISTOGRAM, .inputs = inputs,
                              .input_count = plain ? 1 : 3, .outputs = outputs, .output_count = 1,
                              .bins = (int32_t)bins,
                              .count = cuc_tensor_elements(x) < MANY ? FEW : 0),
        CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, .outputs = counts, .output_count = 1)));
}

// Runs a selection, whose outputs are the elements that are kept, and their number.
static cuc_status run_selection(cuc_stream *stream, int32_t kind, const char *fn,
                                const cuc_tensor *x, const cuc_tensor *y, const cuc_tensor *count)
{
    static const char *const kept[] = { "y: %s", "count: %s" };
    const cuc_tensor outputs[] = { *y, *count };

    return run(
        stream,
        CUC_ALGORITHM_OPTIONS(.kind = kind, .inputs = elements, .input_count = 1, .outputs = kept,
                              .output_count = 2, .fn = fn,
                              .count = cuc_tensor_elements(x) < MANY ? FEW : 0),
        CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, .outputs = outputs, .output_count = 2));
}

cuc_status cuc_select(cuc_stream *stream, const char *fn, const cuc_tensor *x, const cuc_tensor *y,
                      const cuc_tensor *count)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(fn);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    CUC_CHECK_NOT_NULL(count);
    return CUC_PASS(run_selection(stream, CUC_ALGORITHM_SELECT, fn, x, y, count));
}

cuc_status cuc_unique(cuc_stream *stream, const cuc_tensor *x, const cuc_tensor *y,
                      const cuc_tensor *count)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    CUC_CHECK_NOT_NULL(count);
    return CUC_PASS(run_selection(stream, CUC_ALGORITHM_UNIQUE, NULL, x, y, count));
}

cuc_status cuc_merge(cuc_stream *stream, const cuc_tensor *x, const cuc_tensor *y,
                     const cuc_tensor *z)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(x);
    CUC_CHECK_NOT_NULL(y);
    CUC_CHECK_NOT_NULL(z);
    static const char *const sequences[] = { "x: %s", "y: %s" }, *const merged[] = { "z: %s" };
    const cuc_tensor inputs[] = { *x, *y };
    return CUC_PASS(run(
        stream,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_MERGE, .inputs = sequences, .input_count = 2,
                              .outputs = merged, .output_count = 1),
        CUC_ALGORITHM_ARGS(.inputs = inputs, .input_count = 2, .outputs = z, .output_count = 1)));
}
