// Green contexts, which are partitions of a device's multiprocessors. Counts and splits the
// multiprocessors as a driver does. Green contexts do not slow the simulation down.
#include "shell.h"

#include <stdlib.h>
#include <string.h>

// The fields in the private part of a CUdevResource.
struct inner {
    uint64_t split; // the split that produced it; 0: none
    int device;
    unsigned first; // first multiprocessor
};

struct desc {
    struct object head;
    int device;
    unsigned count;
};

struct green {
    struct object head;
    int device;
    unsigned count;
};

static struct inner *inner_of(CUdevResource *r)
{
    return (struct inner *)(void *)(r->_internal_padding + 4); // a multiple of 8
}

// Returns the granularity of group sizes on a device.
static unsigned step_of(int device, bool alone)
{
    int major = sim_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);

    return alone || major < 9 ? 2 : 8;
}

static unsigned least_of(int device, bool alone)
{
    int major = sim_attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);

    return alone ? 2 : major < 9 ? 4 : 8;
}

static CUdevResource make(int device, uint64_t split, unsigned first, unsigned count)
{
    CUdevResource r;

    memset(&r, 0, sizeof(r));
    r.type = CU_DEV_RESOURCE_TYPE_SM;
    r.sm.smCount = count;
    r.sm.minSmPartitionSize = least_of(device, false);
    r.sm.smCoscheduledAlignment = step_of(device, false);
    *inner_of(&r) = (struct inner){ .split = split, .device = device, .first = first };
    return r;
}

CUresult sim_cuDeviceGetDevResource(CUdevice dev, CUdevResource *resource, CUdevResourceType type)
{
    SIM_NEED(resource, dev);
    if (type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    *resource =
        make(dev, 0, 0, (unsigned)sim_attribute(dev, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    return CUDA_SUCCESS;
}

CUresult sim_cuDevSmResourceSplitByCount(CUdevResource *groups, unsigned *count,
                                         const CUdevResource *from, CUdevResource *rest,
                                         unsigned flags, unsigned least)
{
    if (!count || !from || flags > 3)
        return CUDA_ERROR_INVALID_VALUE;
    if (from->type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    CUdevResource whole = *from;
    const struct inner in = *inner_of(&whole);
    const bool alone = flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
    const unsigned total = from->sm.smCount, step = step_of(in.device, alone);
    if (in.split || least > total)
        return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    unsigned size = least < least_of(in.device, alone) ? least_of(in.device, alone) : least;
    size = (size + step - 1) / step * step;
    size = size < total ? size : total;
    unsigned most = total / size;
    if (!groups) {
        *count = most;
        return CUDA_SUCCESS;
    }
    if (*count > most)
        *count = most;
    const uint64_t split = ++sim.serial;
    for (unsigned i = 0; i < *count; i++)
        groups[i] = make(in.device, split, in.first + i * size, size);
    if (rest) {
        *rest = make(in.device, split, in.first + *count * size, total - *count * size);
        if (!rest->sm.smCount)
            rest->type = CU_DEV_RESOURCE_TYPE_INVALID;
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuDevResourceGenerateDesc(CUdevResourceDesc *desc, CUdevResource *resources,
                                       unsigned count)
{
    unsigned all = 0;

    if (!desc || !resources || !count)
        return CUDA_ERROR_INVALID_VALUE;
    const struct inner first = *inner_of(&resources[0]);
    for (unsigned i = 0; i < count; i++) {
        const struct inner *in = inner_of(&resources[i]);
        if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM)
            return CUDA_ERROR_INVALID_RESOURCE_TYPE;
        if (in->device != first.device || in->split != first.split)
            return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
        all += resources[i].sm.smCount;
    }
    struct desc *d = sim_alloc(sizeof(*d));
    d->device = first.device;
    d->count = all;
    sim_enlist(d, KIND_DESC, NULL);
    *desc = SIM_HANDLE(CUdevResourceDesc, d);
    return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxCreate(CUgreenCtx *ctx, CUdevResourceDesc desc, CUdevice dev, unsigned flags)
{
    const struct desc *d = sim_object(desc, KIND_DESC);
    CUcontext primary;

    SIM_NEED(ctx, dev);
    if (!d || d->device != dev || flags != CU_GREEN_CTX_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_cuDevicePrimaryCtxRetain(&primary, dev);
    if (code)
        return code;
    struct green *g = sim_alloc(sizeof(*g));
    g->device = dev;
    g->count = d->count;
    sim_enlist(g, KIND_GREEN, NULL);
    *ctx = SIM_HANDLE(CUgreenCtx, g);
    return CUDA_SUCCESS;
}

void sim_green_end(struct object *object)
{
    sim_delist(object);
    free(object);
}

CUresult sim_cuGreenCtxDestroy(CUgreenCtx ctx)
{
    struct green *g = sim_object(ctx, KIND_GREEN);

    if (!g)
        return CUDA_ERROR_INVALID_CONTEXT;
    int device = g->device;
    sim_green_end(&g->head);
    return sim_cuDevicePrimaryCtxRelease(device);
}

CUresult sim_cuGreenCtxGetDevResource(CUgreenCtx ctx, CUdevResource *resource,
                                      CUdevResourceType type)
{
    const struct green *g = sim_object(ctx, KIND_GREEN);

    if (!resource)
        return CUDA_ERROR_INVALID_VALUE;
    if (!g)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    *resource = make(g->device, 0, 0, g->count);
    return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx ctx, unsigned flags, int priority)
{
    const struct green *g = sim_object(ctx, KIND_GREEN);

    if (!stream || flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    if (!g)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult code = sim_stream_create(stream, sim.devices[g->device].primary, flags, priority);
    struct stream *s = code ? NULL : sim_object(*stream, KIND_STREAM);
    if (s)
        s->green = g->head.handle;
    return code;
}

// Returns the primary context. If a thread makes it current, the resources that the thread creates
// use all multiprocessors.
CUresult sim_cuCtxFromGreenCtx(CUcontext *ctx, CUgreenCtx green)
{
    const struct green *g = sim_object(green, KIND_GREEN);

    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    if (!g)
        return CUDA_ERROR_INVALID_CONTEXT;
    *ctx = SIM_HANDLE(CUcontext, sim.devices[g->device].primary);
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetDevResource(CUcontext ctx, CUdevResource *resource, CUdevResourceType type)
{
    const struct context *c = sim_object(ctx, KIND_CONTEXT);

    return c ? sim_cuDeviceGetDevResource(c->device, resource, type) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green)
{
    struct stream *s;
    CUresult code = green ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *green = (CUgreenCtx)s->green;
    return code;
}
