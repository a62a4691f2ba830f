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

// Runs a selection, whose outputs are the elements that are kept, and their number.
static cuc_status run_selection(cuc_stream *stream, int32_t kind, const char *fn,
                                const cuc_tensor *x, const cuc_tensor *y, const cuc_tensor *count)
{
    static const char *const kept[] = { "y: %s", "count: %s" };
    const cuc_tensor outputs[] = { *y, *count };

    return run(
        stream,
        CUC_ALGORITHM_OPTIONS(.kind = kind, .inputs = elements, .input_count = 1, .outputs = kept,
                              .output_count = 2, .fn = fn),
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
