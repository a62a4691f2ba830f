// Calls without a plan of the caller's. Each states the options of its plan, with "%s" for the
// types of its arrays in their order, and runs the plan that the library keeps for them.
#include "algorithm.h"

#include "device/stream.h"

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
