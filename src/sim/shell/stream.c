// Streams.
#include "shell.h"

#include <stdlib.h>
#include <string.h>

static struct stream *stream_new(struct context *context, unsigned flags, int priority)
{
    struct stream *s = sim_alloc(sizeof(*s));

    s->flags = flags;
    s->priority = priority;
    s->id = ++sim.serial;
    s->attributes[CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY].syncPolicy = CU_SYNC_POLICY_AUTO;
    s->attributes[CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP].memSyncDomainMap.remote = 1;
    sim_enlist(s, KIND_STREAM, context);
    return s;
}

static struct stream *builtin_stream(struct context *c, bool per_thread)
{
    struct stream *s = per_thread ? c->per_thread : c->legacy;

    while (s && per_thread && s->thread != sim_thread.id)
        s = s->next_per_thread;
    if (s)
        return s;
    s = stream_new(c, CU_STREAM_DEFAULT, 0);
    s->head.builtin = true;
    if (per_thread) {
        s->thread = sim_thread.id;
        s->next_per_thread = c->per_thread;
        c->per_thread = s;
    } else {
        c->legacy = s;
    }
    return s;
}

CUresult sim_stream_of(CUstream handle, struct stream **out)
{
    if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        CUresult code = sim_current_state();
        if (code)
            return code;
        *out = builtin_stream(sim_current(), handle == CU_STREAM_PER_THREAD ||
                                                 (!handle && sim_thread.per_thread_default));
    } else {
        *out = sim_object(handle, KIND_STREAM);
        if (!*out)
            return CUDA_ERROR_INVALID_HANDLE;
        if ((*out)->head.builtin)
            return CUDA_ERROR_INVALID_HANDLE; // an internal number that was not issued to anyone
    }
    return (*out)->head.context->lost;
}

// Destroys a stream: drops its queued work, and waits for its running work.
void sim_stream_end(struct stream *stream)
{
    struct context *c = stream->head.context;
    const void *handle = (const void *)stream->head.handle;

    stream->head.gone = true;
    if (stream->ending) { // by another thread
        while (sim_object_or_destroyed(handle, KIND_STREAM))
            sim_wait_for(&stream->sleepers, SIM_END);
        return;
    }
    stream->ending = true;
    sim_stream_drop(stream);
    sim_stream_wake(stream);
    while (stream->worker || stream->running)
        sim_wait_for(&stream->sleepers, SIM_END);
    sim_capture_abandon(stream);
    if (c->legacy == stream)
        c->legacy = NULL;
    for (struct stream **at = &c->per_thread; *at; at = &(*at)->next_per_thread) {
        if (*at == stream) {
            *at = stream->next_per_thread;
            break;
        }
    }
    sim_delist(stream);
    sim_wake(&stream->sleepers, SIM_END);
    free(stream);
}

struct unfinished {
    struct context *context;
    struct stream *stream;
};

static void find_unfinished(struct object *o, void *data)
{
    struct unfinished *u = data;

    if (o->kind == KIND_STREAM && o->context == u->context && !sim_idle((struct stream *)o))
        u->stream = (struct stream *)o;
}

CUresult sim_drain_context(struct context *context)
{
    uintptr_t handle = context->head.handle;
    struct unfinished u;

    for (;;) {
        if (sim_object((const void *)handle, KIND_CONTEXT) != context)
            return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        u = (struct unfinished){ .context = context };
        sim_visit_objects(find_unfinished, &u);
        if (!u.stream || context->lost)
            break;
        sim_wait_for(&u.stream->sleepers, u.stream->submitted);
    }
    sim_pools_trim();
    return context->lost;
}

void sim_lose(struct context *context, CUresult code)
{
    if (!context->lost) {
        context->lost = code;
        sim_finding_fault(code);
    }
    sim_changed();
}

CUresult sim_stream_create(CUstream *out, struct context *context, unsigned flags, int priority)
{
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *out = SIM_HANDLE(CUstream, stream_new(context, flags, priority));
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    if (!stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    return sim_stream_create(stream, sim_current(), flags, priority);
}

CUresult sim_cuStreamCreate(CUstream *stream, unsigned flags)
{
    return sim_cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult sim_cuStreamDestroy(CUstream stream)
{
    struct stream *s;

    if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = sim_stream_of(stream, &s);
    if (code)
        return code;
    sim_capture_abandon(s);
    // From here on, the handle is invalid, but queued work still runs.
    s->head.gone = true;
    sim_stream_wake(s);
    sim_streams_reap();
    return CUDA_SUCCESS;
}

// Frees destroyed streams whose work is done. Called at the next destruction or reset.
static void reap(struct object *o, void *data)
{
    struct stream *s = (struct stream *)o;

    (void)data;
    if (o->kind == KIND_STREAM && o->gone && !s->ending && sim_idle(s))
        sim_stream_end(s);
}

void sim_streams_reap(void)
{
    sim_each(reap, NULL);
}

CUresult sim_cuStreamGetPriority(CUstream stream, int *priority)
{
    struct stream *s;
    CUresult code = priority ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *priority = s->priority;
    return code;
}

CUresult sim_cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    struct stream *s;
    CUresult code = flags ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *flags = s->flags;
    return code;
}

CUresult sim_cuStreamGetId(CUstream stream, unsigned long long *id)
{
    struct stream *s;
    CUresult code = id ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *id = s->id;
    return code;
}

CUresult sim_cuStreamGetCtx(CUstream stream, CUcontext *ctx)
{
    struct stream *s;
    CUresult code = ctx ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *ctx = SIM_HANDLE(CUcontext, s->head.context);
    return code;
}

CUresult sim_cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    struct stream *s;
    CUresult code = device ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *device = s->head.context->device;
    return code;
}

// Returns true for attributes that streams support.
static bool stream_attribute(CUstreamAttrID attribute)
{
    return attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
           attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
           attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY ||
           attribute == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
           attribute == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

CUresult sim_cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    struct stream *d, *s;
    CUresult code = sim_stream_of(dst, &d);

    if (!code)
        code = sim_stream_of(src, &s);
    if (!code)
        memcpy(d->attributes, s->attributes, sizeof(d->attributes));
    return code;
}

CUresult sim_cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute,
                                  CUstreamAttrValue *value)
{
    struct stream *s;

    if (!value || !stream_attribute(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_stream_of(stream, &s);
    if (!code) {
        *value = s->attributes[attribute];
        if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
            value->priority = s->priority;
    }
    return code;
}

CUresult sim_cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                                  const CUstreamAttrValue *value)
{
    struct stream *s;

    if (!value || !stream_attribute(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_stream_of(stream, &s);
    if (!code) {
        s->attributes[attribute] = *value;
        if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
            s->priority = value->priority;
    }
    return code;
}

// Orders a wait. The legacy stream is complete once all blocking streams are.
static CUresult order_for_wait(struct stream *s)
{
    CUresult code = sim_capture_implicit(s);

    return !code && s == s->head.context->legacy ? sim_order(s) : code;
}

CUresult sim_cuStreamQuery(CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && s->capture)
        code = sim_capture_spoil(s);
    if (!code)
        code = order_for_wait(s);
    if (code)
        return code;
    if (!sim_idle(s))
        return CUDA_ERROR_NOT_READY;
    sim_pools_trim();
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamSynchronize(CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && s->capture)
        code = sim_capture_spoil(s);
    if (!code)
        code = order_for_wait(s);
    if (code)
        return code;
    struct context *c = s->head.context;
    uintptr_t context = c->head.handle, handle = s->head.handle;
    uint64_t until = s->submitted;
    // Meanwhile, another thread may destroy the stream or its context.
    while (sim_object_or_destroyed((const void *)handle, KIND_STREAM) && s->done < until &&
           !(sim_object((const void *)context, KIND_CONTEXT) && c->lost))
        sim_wait_for(&s->sleepers, until);
    sim_pools_trim();
    return sim_object((const void *)context, KIND_CONTEXT) ? c->lost
                                                           : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult sim_cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user,
                                 unsigned flags)
{
    struct stream *s;

    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_stream_of(stream, &s);
    if (!code && s->capture)
        code = sim_capture_spoil(s);
    if (code)
        return code;
    return sim_submit(
        s, &(struct work){ .op = OP_CALLBACK, .callback = { .fn = callback, .user = user } });
}

CUresult sim_cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *user)
{
    struct stream *s;

    if (!fn)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_stream_of(stream, &s);
    if (code)
        return code;
    return sim_submit(s, &(struct work){ .op = OP_HOST, .host = { .fn = fn, .user = user } });
}

CUresult sim_cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t length, unsigned flags)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);
    const struct allocation *a = sim_find(ptr);

    if (!code && s->capture)
        code = sim_capture_spoil(s);
    if (code)
        return code;
    if (!a || a->memory != MEMORY_MANAGED || (length && length != a->bytes) ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
         flags != CU_MEM_ATTACH_SINGLE))
        return CUDA_ERROR_INVALID_VALUE;
    return sim_submit(s, &(struct work){ .op = OP_NOTHING });
}

// Finds a stream by its handle, even if it has been destroyed but has work left.
struct stream *sim_stream_or_destroyed(CUstream handle)
{
    struct stream *s = sim_object_or_destroyed(handle, KIND_STREAM);

    if (s)
        return s;
    if (!sim_thread.id)
        sim_thread.id = (unsigned)++sim.threads;
    (void)sim_stream_of(handle, &s);
    if (!s)
        sim_bug("no such stream, or no context is current", "sim.h");
    return s;
}
