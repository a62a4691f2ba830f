// Contexts: the primary context of each device, contexts that a test creates, and each thread's
// stack of them.
#include "shell.h"

#include "sim/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The thread's stack of contexts. It stores handles, since a context may be destroyed while it is
// on a stack.

static uintptr_t *slot(struct sim_thread *t, unsigned index)
{
    return index < SIM_STACK ? &t->stack[index] : &t->deep[index - SIM_STACK];
}

static void set_depth(struct sim_thread *t, unsigned depth)
{
    t->depth = depth;
    if (depth > SIM_STACK || !t->deep)
        return;
    free(t->deep);
    t->deep = NULL;
    t->deep_room = 0;
}

static struct sim_thread *self(void)
{
    struct sim_thread *t = &sim_thread;

    if (t->generation != sim.generation) {
        t->generation = sim.generation;
        set_depth(t, 0);
        t->capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    }
    return t;
}

static struct context *context_of(uintptr_t handle)
{
    return sim_object((const void *)handle, KIND_CONTEXT);
}

struct context *sim_current(void)
{
    struct sim_thread *t = self();

    return t->depth ? context_of(*slot(t, t->depth - 1)) : NULL;
}

CUresult sim_current_state(void)
{
    struct sim_thread *t = self();

    if (!t->depth || !*slot(t, t->depth - 1))
        return CUDA_ERROR_INVALID_CONTEXT;
    return context_of(*slot(t, t->depth - 1)) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

// Returns the error for a handle that is not a context.
static CUresult bad_context(CUcontext handle)
{
    return sim_was_handle(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult push(CUcontext ctx)
{
    struct sim_thread *t = self();

    if (t->depth == SIM_STACK + t->deep_room) {
        unsigned room = 2 * t->deep_room + SIM_STACK;
        uintptr_t *more = realloc(t->deep, room * sizeof(*more));
        if (!more)
            return CUDA_ERROR_OUT_OF_MEMORY;
        t->deep = more;
        t->deep_room = room;
    }
    *slot(t, t->depth++) = (uintptr_t)ctx;
    return CUDA_SUCCESS;
}

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

CUresult sim_cuCtxGetCurrent(CUcontext *ctx)
{
    if (!ctx)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_thread *t = self();
    *ctx = t->depth ? (CUcontext)*slot(t, t->depth - 1) : NULL;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxSetCurrent(CUcontext ctx)
{
    struct sim_thread *t = self();

    if (ctx && !context_of((uintptr_t)ctx))
        return bad_context(ctx);
    if (ctx && t->depth) {
        *slot(t, t->depth - 1) = (uintptr_t)ctx;
        return CUDA_SUCCESS;
    }
    if (ctx)
        return push(ctx);
    if (t->depth)
        set_depth(t, t->depth - 1);
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxPushCurrent(CUcontext ctx)
{
    if (!context_of((uintptr_t)ctx))
        return bad_context(ctx);
    return push(ctx);
}

CUresult sim_cuCtxPopCurrent(CUcontext *ctx)
{
    struct sim_thread *t = self();

    if (!t->depth)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (ctx)
        *ctx = (CUcontext)*slot(t, t->depth - 1);
    set_depth(t, t->depth - 1);
    return CUDA_SUCCESS;
}

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

// Resolves a context argument, in which NULL is the current one.
static CUresult context_or_current(CUcontext handle, struct context **out)
{
    if (!handle) {
        CUresult code = sim_current_state();
        *out = code ? NULL : sim_current();
        return code;
    }
    *out = context_of((uintptr_t)handle);
    return *out ? CUDA_SUCCESS : bad_context(handle);
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

// Shared-memory banks have had one width for many generations.
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

enum { MOST_STACK = 512 << 10 }; // local memory of one thread

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
        sim_tell("cuCtxSetLimit: CU_LIMIT_STACK_SIZE of %zu bytes, a thread has %d at most", value,
                 MOST_STACK);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE && c->heap) {
        sim_tell(
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
    struct context *c = sim_current(), *p = context_of((uintptr_t)peer);
    uintptr_t *room = NULL;

    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!p)
        return bad_context(peer);
    if (p == c)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (p->device == c->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        if (c->peers[i] == p->head.handle)
            return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
        if (!c->peers[i])
            room = &c->peers[i];
    }
    if (!room)
        return CUDA_ERROR_TOO_MANY_PEERS;
    *room = p->head.handle;
    return CUDA_SUCCESS;
}

CUresult sim_cuCtxDisablePeerAccess(CUcontext peer)
{
    struct context *c = sim_current();

    if (!context_of((uintptr_t)peer))
        return bad_context(peer);
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        if (c->peers[i] == (uintptr_t)peer) {
            c->peers[i] = 0;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

static bool has_peer(const struct context *c, const struct allocation *a)
{
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        const struct context *peer = c->peers[i] ? context_of(c->peers[i]) : NULL;
        if (peer && (a->context ? peer == a->context : peer->device == a->device))
            return true;
    }
    return false;
}

CUmemAccess_flags sim_access(const struct context *c, int device, const struct allocation *a,
                             CUdeviceptr ptr)
{
    const CUmemAccess_flags all = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

    if (a->virtual)
        return sim_virtual_access(ptr, device);
    if (a->pool && a->pool->props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED)
        return a->pool->access[device];
    switch (a->memory) {
    case MEMORY_MANAGED:
    case MEMORY_HOST:
    case MEMORY_REGISTERED:
        return all;
    default:
        return a->managed || (a->pool && a->device < 0) || a->device == device ||
                       (c && has_peer(c, a))
                   ? all
                   : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    }
}

// Kernels ask about other devices' memory without holding the lock.
bool sim_memory_peer(const struct sim_grid *grid, const struct sim_range *range, char *why,
                     size_t why_bytes)
{
    sim_lock();
    const struct allocation *a = sim_find(range->base);
    const struct context *c = context_of(grid->context);
    const bool allowed = a && sim_access(c, grid->device, a, range->base);
    if (a && a->pool)
        snprintf(why, why_bytes,
                 "its pool gives device %d no access, cuMemPoolSetAccess would do that",
                 grid->device);
    else if (a && a->virtual)
        snprintf(why, why_bytes, "cuMemSetAccess gave device %d none", grid->device);
    else
        snprintf(why, why_bytes,
                 "cuCtxEnablePeerAccess was not called for its context in the kernel's, which is "
                 "of device %d",
                 grid->device);
    sim_unlock();
    return allowed;
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
    CUresult code = push(SIM_HANDLE(CUcontext, c));
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
    struct context *c = context_of((uintptr_t)ctx);
    struct sim_thread *t = self();

    if (!c)
        return bad_context(ctx);
    if (c->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (t->depth && *slot(t, t->depth - 1) == (uintptr_t)ctx)
        set_depth(t, t->depth - 1);
    sim_context_end(c);
    return CUDA_SUCCESS;
}
