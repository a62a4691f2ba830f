// Calls without a plan of the caller's. Each states the options of its plan, with "%s" for the
// types of its arrays in their order, and runs the plan that the library keeps for them.
#include "algorithm.h"

#include "device/stream.h"
#include "tile/ir/scalar.h"

#include <inttypes.h>

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
                                  .identity = identity),
            CUC_ALGORITHM_ARGS(.inputs = x, .input_count = 1, .outputs = y, .output_count = 1)));
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
