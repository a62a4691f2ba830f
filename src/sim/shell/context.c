// Contexts: the primary context of each device, and contexts that a program creates.
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_defaults(struct context *c)
{
    memset(c->limits, 0, sizeof(c->limits));
    c->limits[CU_LIMIT_STACK_SIZE] = 1024;
    c->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 7340032;
    c->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8388608;
    c->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    c->limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    c->cache = CU_FUNC_CACHE_PREFER_NONE;
    memset(c->peers, 0, sizeof(c->peers));
    c->lost = CUDA_SUCCESS;
}

static struct context *context_new(int device, bool primary, unsigned flags)
{
    struct context *c = sim_alloc(sizeof(*c));

    c->device = device;
    c->primary = primary;
    c->flags = flags;
    c->id = ++sim.serial;
    set_defaults(c);
    sim_enlist(c, KIND_CONTEXT, NULL);
    return c;
}

static void end_of_context(struct object *o, void *data)
{
    if (o->context != data)
        return;
    switch (o->kind) {
    case KIND_STREAM:
        sim_stream_end((struct stream *)o);
        break;
    case KIND_EVENT:
        sim_event_end((struct event *)o);
        break;
    case KIND_FUNCTION:
        sim_function_end((struct function *)o);
        break;
    case KIND_LINK:
        sim_link_end(o);
        break;
    case KIND_MODULE:
        sim_module_end((struct module *)o);
        break;
    default:
        break;
    }
}

static void leave_libraries(struct object *o, void *data)
{
    if (o->kind == KIND_LIBRARY)
        sim_code_leave((struct library *)o, data);
}

void sim_context_clean(struct context *context)
{
    sim_each(end_of_context, context);
    sim_each(leave_libraries, context);
    sim_memory_of_context_end(context);
    sim_code_context_end(context);
    set_defaults(context);
}

void sim_context_end(struct context *context)
{
    context->head.gone = true;
    sim_context_clean(context);
    sim_delist(context);
    free(context);
}

// Primary contexts.

CUresult sim_cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
    SIM_NEED(ctx, dev);
    struct device *d = &sim.devices[dev];
    if (!d->primary)
        d->primary = context_new(dev, true, d->primary_flags);
    d->primary_refs++;
    *ctx = SIM_HANDLE(CUcontext, d->primary);
    return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxRelease(CUdevice dev)
{
    if (!sim_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    struct device *d = &sim.devices[dev];
    if (!d->primary_refs)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--d->primary_refs == 0) {
        struct context *c = d->primary;
        d->primary = NULL;
        sim_context_end(c);
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    if (!sim_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (sim.devices[dev].primary)
        sim_context_clean(sim.devices[dev].primary);
    return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags)
{
    if (!sim_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    struct device *d = &sim.devices[dev];
    d->primary_flags = flags;
    if (d->primary)
        d->primary->flags = flags;
    return CUDA_SUCCESS;
}

CUresult sim_cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active)
{
    SIM_NEED(flags && active, dev);
    *flags = sim.devices[dev].primary_flags;
    *active = sim.devices[dev].primary != NULL;
    return CUDA_SUCCESS;
}

// Contexts.

CUresult sim_cuCtxGetDevice(CUdevice *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = sim_current()->device;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetFlags(unsigned *flags)
{
    if (!flags)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = sim_current()->flags;
    return CUDA_SUCCESS;
}

// Resolves a context argument. NULL stands for the current context.
static CUresult context_or_current(CUcontext handle, struct context **out)
{
    if (!handle) {
        CUresult code = sim_current_state();
        *out = code ? NULL : sim_current();
        return code;
    }
    *out = sim_context_of((uintptr_t)handle);
    return *out ? CUDA_SUCCESS : sim_bad_context(handle);
}

CUresult sim_cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
    struct context *c;
    CUresult code = id ? context_or_current(ctx, &c) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *id = c->id;
    return code;
}

CUresult sim_cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    struct context *c;
    CUresult code = device ? context_or_current(ctx, &c) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *device = c->device;
    return code;
}

CUresult sim_cuCtxSetFlags(unsigned flags)
{
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    sim_current()->flags = flags;
    return CUDA_SUCCESS;
}

// Returns the width of shared memory banks, which has been the same for many generations.
CUresult sim_cuCtxGetSharedMemConfig(unsigned *config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = 1;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetSharedMemConfig(unsigned config)
{
    return config <= 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuCtxGetApiVersion(CUcontext ctx, unsigned *version)
{
    struct context *c;
    CUresult code = version ? context_or_current(ctx, &c) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *version = 3020;
    return code;
}

CUresult sim_cuCtxSynchronize(void)
{
    CUresult code = sim_capture_spoil_all(sim_current());

    return code ? code : sim_drain_context(sim_current());
}

CUresult sim_cuCtxSynchronize_v2(CUcontext ctx)
{
    struct context *c;
    CUresult code = context_or_current(ctx, &c);

    if (!code && sim_capture_forbids())
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (!code)
        code = sim_capture_spoil_all(c);
    return code ? code : sim_drain_context(c);
}

enum { MOST_STACK = 512 << 10 }; // maximum local memory of a thread

static bool known_limit(CUlimit limit)
{
    return limit == CU_LIMIT_STACK_SIZE || limit == CU_LIMIT_PRINTF_FIFO_SIZE ||
           limit == CU_LIMIT_MALLOC_HEAP_SIZE ||
           limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT ||
           limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY || limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE;
}

CUresult sim_cuCtxSetLimit(CUlimit limit, size_t value)
{
    if (!known_limit(limit))
        return limit < SIM_LIMITS ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
    struct context *c = sim_current();
    size_t most =
        (size_t)sim_attribute(c->device, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value > most)
        value = most;
    if (limit == CU_LIMIT_STACK_SIZE && value > MOST_STACK) {
        sim_warn("cuCtxSetLimit: CU_LIMIT_STACK_SIZE of %zu bytes, a thread has %d at most", value,
                 MOST_STACK);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && c->heap) {
        sim_warn(
            "cuCtxSetLimit: CU_LIMIT_MALLOC_HEAP_SIZE has to be set before the context's first "
            "kernel that calls malloc() or free()");
        return CUDA_ERROR_INVALID_VALUE;
    }
    c->limits[limit] = value;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetLimit(size_t *value, CUlimit limit)
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (!known_limit(limit))
        return limit < SIM_LIMITS ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
    *value = sim_current()->limits[limit];
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetCacheConfig(CUfunc_cache *config)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    *config = sim_current()->cache;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCacheConfig(CUfunc_cache config)
{
    if (config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    sim_current()->cache = config;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxResetPersistingL2Cache(void)
{
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    struct context *c = sim_current(), *p = sim_context_of((uintptr_t)peer);
    uintptr_t *free_slot = NULL;

    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!p)
        return sim_bad_context(peer);
    if (p == c)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (p->device == c->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        if (c->peers[i] == p->head.handle)
            return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
        if (!c->peers[i])
            free_slot = &c->peers[i];
    }
    if (!free_slot)
        return CUDA_ERROR_TOO_MANY_PEERS;
    *free_slot = p->head.handle;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxDisablePeerAccess(CUcontext peer)
{
    struct context *c = sim_current();

    if (!sim_context_of((uintptr_t)peer))
        return sim_bad_context(peer);
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        if (c->peers[i] == (uintptr_t)peer) {
            c->peers[i] = 0;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult sim_cuCtxCreate(CUcontext *ctx, CUctxCreateParams *params, unsigned flags, CUdevice dev)
{
    SIM_NEED(ctx, dev);
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    if (params && params->numExecAffinityParams)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    if (params && params->cigParams)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct context *c = context_new(dev, false, flags);
    CUresult code = sim_context_push(SIM_HANDLE(CUcontext, c));
    if (code)
        sim_context_end(c);
    else
        *ctx = SIM_HANDLE(CUcontext, c);
    return code;
}

CUresult sim_cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev)
{
    return sim_cuCtxCreate(ctx, NULL, flags, dev);
}

CUresult sim_cuCtxCreate_v3(CUcontext *ctx, void *affinity, int affinity_count, unsigned flags,
                            CUdevice dev)
{
    (void)affinity;
    return affinity_count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
                          : sim_cuCtxCreate(ctx, NULL, flags, dev);
}

CUresult sim_cuCtxDestroy(CUcontext ctx)
{
    struct context *c = sim_context_of((uintptr_t)ctx);

    if (!c)
        return sim_bad_context(ctx);
    if (c->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    sim_context_leave(ctx);
    sim_context_end(c);
    return CUDA_SUCCESS;
}
