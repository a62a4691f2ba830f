#include <cucore/green.h>

#include "context.h"
#include "base/options.h"
#include "driver/relaxed.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

// A green context. cucore attributes its streams to the device's primary context and never makes
// the green context current. (A green context can be current on only one thread at a time.)
struct cuc_green_context {
    cuc__handle head;
    CUgreenCtx handle;
    cuc_device *device;
    cuc_context *context; // the primary context, which lives as long as the process
};

_Static_assert(sizeof(((cuc_sms *)0)->driver) == sizeof(CUdevResource),
               "a cuc_sms holds the driver's struct");

static void describe(cuc_sms *out, const CUdevResource *r)
{
    memset(out, 0, sizeof(*out));
    if (r->type != CU_DEV_RESOURCE_TYPE_SM)
        return;
    out->count = r->sm.smCount;
    out->least = r->sm.minSmPartitionSize;
    out->alignment = r->sm.smCoscheduledAlignment;
    memcpy(out->driver, r, sizeof(*r));
}

static cuc_status read(CUdevResource *out, const cuc_sms *sms, const char *name, size_t index,
                       const char *function)
{
    memcpy(out, sms->driver, sizeof(*out));
    if (out->type == CU_DEV_RESOURCE_TYPE_SM && sms->count)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%s[%zu] has no multiprocessors: expected a result of cuc_device_get_sms() or "
                     "cuc_sms_split() with a count above 0",
                     name, index);
}

cuc_status cuc_device_get_sms(cuc_sms *out, cuc_device *device)
{
    CUdevResource r = { 0 };

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUresult code = cuc__cu.cuDeviceGetDevResource(device->handle, &r, CU_DEV_RESOURCE_TYPE_SM);
    if (code)
        return CUC_FAIL_CU(NULL, code, "cuDeviceGetDevResource",
                           "asking for the multiprocessors of device %d", device->ordinal);
    describe(out, &r);
    return CUC_OK;
}

cuc_status cuc_sms_split(cuc_sms *groups, uint32_t *count, cuc_sms *rest, const cuc_sms *from,
                         uint32_t least, uint32_t flags)
{
    CUdevResource whole, left = { 0 }, *parts = NULL;
    unsigned n;

    CUC_CHECK_NOT_NULL(count);
    CUC_CHECK_NOT_NULL(from);
    cuc_status st = cuc__check_bits("flags", flags, CUC_SMS_ANY | CUC_SMS_MAX_CLUSTER, 0,
                                    "CUC_SMS_ bits (0x3)", __func__);
    if (st < 0 || (st = read(&whole, from, "from", 0, __func__)) < 0)
        return st;
    if (least > from->count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "least is %u, and there are %u multiprocessors to split", least,
                        from->count);
    // There cannot be more groups than multiprocessors.
    n = groups && *count > from->count ? from->count : *count;
    if (groups && !n)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "*count is 0, expected the number of groups");
    if (groups && !(parts = calloc(n, sizeof(*parts))))
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %u groups", n);
    CUresult code =
        cuc__cu.cuDevSmResourceSplitByCount(parts, &n, &whole, rest ? &left : NULL, flags, least);
    if (code)
        st = CUC_FAIL_CU(NULL, code, "cuDevSmResourceSplitByCount",
                         "splitting %u multiprocessors into groups of at least %u (a group or rest "
                         "of another split cannot be split)",
                         from->count, least);
    for (unsigned i = 0; i < n && parts && st >= 0; i++)
        describe(&groups[i], &parts[i]);
    if (st >= 0 && rest)
        describe(rest, &left);
    if (st >= 0)
        *count = n;
    free(parts);
    return st;
}

cuc_status cuc_green_context_create(cuc_green_context **out, cuc_device *device, const cuc_sms *sms,
                                    size_t count)
{
    CUdevResourceDesc desc = NULL;
    cuc_context *context;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(sms);
    if (!count || count > UINT32_MAX)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "count is %zu, expected 1 or more", count);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st < 0)
        return st;
    cuc_green_context *g = calloc(1, sizeof(*g));
    CUdevResource *parts = calloc(count, sizeof(*parts));
    if (!g || !parts) {
        free(g);
        free(parts);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a green context");
    }
    cuc__handle_init(g, CUC__HANDLE_GREEN_CONTEXT);
    g->device = device;
    g->context = context;
    for (size_t i = 0; i < count && st >= 0; i++)
        st = read(&parts[i], &sms[i], "sms", i, __func__);
    if (st >= 0) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        const char *call = "cuDevResourceGenerateDesc";
        CUresult code = cuc__cu.cuDevResourceGenerateDesc(&desc, parts, (unsigned)count);
        if (!code) {
            call = "cuGreenCtxCreate";
            code = cuc__cu.cuGreenCtxCreate(&g->handle, desc, device->handle,
                                            CU_GREEN_CTX_DEFAULT_STREAM);
        }
        cuc__leave_relaxed_mode(mode);
        if (code) {
            g->handle = NULL;
            st = CUC_FAIL_CU(context, code, call,
                             "making a green context of device %d with %zu parts, the first of %u "
                             "multiprocessors",
                             device->ordinal, count, sms[0].count);
        }
    }
    free(parts);
    if (st < 0) {
        cuc_green_context_release(g);
        return st;
    }
    *out = g;
    return CUC_OK;
}

cuc_status cuc_green_context_get_sms(cuc_sms *out, cuc_green_context *context)
{
    CUdevResource r = { 0 };

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(context, GREEN_CONTEXT);
    CUresult code = cuc__cu.cuGreenCtxGetDevResource(context->handle, &r, CU_DEV_RESOURCE_TYPE_SM);
    if (code)
        return CUC_FAIL_CU(context->context, code, "cuGreenCtxGetDevResource",
                           "asking for the multiprocessors of green context %p",
                           (void *)context->handle);
    describe(out, &r);
    return CUC_OK;
}

void *cuc_green_context_handle(const cuc_green_context *context)
{
    return context ? context->handle : NULL;
}

cuc_device *cuc_green_context_device(const cuc_green_context *context)
{
    return context ? context->device : NULL;
}

cuc_green_context *cuc_green_context_retain(cuc_green_context *context)
{
    return cuc__handle_retain(context);
}

void cuc_green_context_release(cuc_green_context *context)
{
    if (!cuc__handle_drop(context, CUC__HANDLE_GREEN_CONTEXT))
        return;
    if (context->handle) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        CUC_CLEANUP(context->context, cuGreenCtxDestroy, (void *)context->handle, context->handle);
        cuc__leave_relaxed_mode(mode);
    }
    cuc__handle_free(context);
}

cuc_status cuc_green_context_stream_create(cuc_stream **out, cuc_green_context *context,
                                           const cuc_stream_options *options)
{
    cuc_stream_options o;
    CUstream handle = NULL;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(context, GREEN_CONTEXT);
    cuc_status st = CUC_READ_OPTIONS(&o, options, cuc_stream_options);
    if (st < 0)
        return st;
    if (o.flags)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "flags is 0x%x, expected 0 for a stream of a green context, which never "
                        "synchronizes with the legacy default stream",
                        o.flags);
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult code = cuc__cu.cuGreenCtxStreamCreate(&handle, context->handle, CU_STREAM_NON_BLOCKING,
                                                   o.priority);
    cuc__leave_relaxed_mode(mode);
    if (code)
        return CUC_FAIL_CU(context->context, code, "cuGreenCtxStreamCreate",
                           "creating a stream of priority %d in green context %p", o.priority,
                           (void *)context->handle);
    cuc_stream *s = cuc__stream_of_green(handle, context->context, context);
    if (!s) {
        CUC_CLEANUP(context->context, cuStreamDestroy, (void *)handle, handle);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a stream");
    }
    *out = s;
    return CUC_OK;
}
