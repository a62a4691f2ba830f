// Streams.
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

static struct stream *stream_new(struct context *context, unsigned flags, int priority)
{
    struct stream *s = fake_alloc(sizeof(*s));

    s->flags = flags;
    s->priority = priority;
    s->id = ++fake.serial;
    s->attributes[CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY].syncPolicy = CU_SYNC_POLICY_AUTO;
    s->attributes[CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP].memSyncDomainMap.remote = 1;
    fake_enlist(s, KIND_STREAM, context);
    return s;
}

static struct stream *builtin_stream(struct context *c, bool per_thread)
{
    struct stream *s = per_thread ? c->per_thread : c->legacy;

    while (s && per_thread && s->thread != fake_thread.id)
        s = s->next_per_thread;
    if (s)
        return s;
    s = stream_new(c, CU_STREAM_DEFAULT, 0);
    s->head.builtin = true;
    if (per_thread) {
        s->thread = fake_thread.id;
        s->next_per_thread = c->per_thread;
        c->per_thread = s;
    } else {
        c->legacy = s;
    }
    return s;
}

CUresult fake_stream_of(CUstream handle, struct stream **out)
{
    if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
        CUresult code = fake_current_state();
        if (code)
            return code;
        *out = builtin_stream(fake_current(), handle == CU_STREAM_PER_THREAD);
    } else {
        *out = fake_object(handle, KIND_STREAM);
        if (!*out)
            return CUDA_ERROR_INVALID_HANDLE;
        if ((*out)->head.builtin)
            return CUDA_ERROR_INVALID_HANDLE; // an inner number, that nobody was given
    }
    return (*out)->head.context->lost;
}

// Take a stream apart: queued work is dropped, work that runs is waited for.
void fake_stream_end(struct stream *stream)
{
    struct context *c = stream->head.context;
    const void *handle = (const void *)stream->head.handle;

    stream->head.gone = true;
    if (stream->ending) { // by another thread
        while (fake_object_even_gone(handle, KIND_STREAM))
            fake_wait();
        return;
    }
    stream->ending = true;
    fake_stream_drop(stream);
    fake_changed();
    while (stream->worker || stream->running)
        fake_wait();
    if (stream->capture)
        fake_capture_leave(stream);
    if (c->legacy == stream)
        c->legacy = NULL;
    for (struct stream **at = &c->per_thread; *at; at = &(*at)->next_per_thread) {
        if (*at == stream) {
            *at = stream->next_per_thread;
            break;
        }
    }
    fake_delist(stream);
    free(stream);
    fake_changed();
}

struct unfinished {
    struct context *context;
    struct stream *stream;
};

static void find_unfinished(struct object *o, void *data)
{
    struct unfinished *u = data;

    if (o->kind == KIND_STREAM && o->context == u->context && !fake_idle((struct stream *)o))
        u->stream = (struct stream *)o;
}

CUresult fake_drain_context(struct context *context)
{
    uintptr_t handle = context->head.handle;
    struct unfinished u;

    for (;;) {
        if (fake_object((const void *)handle, KIND_CONTEXT) != context)
            return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        u = (struct unfinished){ .context = context };
        fake_look(find_unfinished, &u);
        if (!u.stream || context->lost)
            break;
        fake_wait();
    }
    fake_pools_trim();
    return context->lost;
}

void fake_lose(struct context *context, CUresult code)
{
    if (!context->lost)
        context->lost = code;
    fake_changed();
}

CUresult fake_cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    if (!stream || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *stream = FAKE_HANDLE(CUstream, stream_new(fake_current(), flags, priority));
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamCreate(CUstream *stream, unsigned flags)
{
    return fake_cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult fake_cuStreamDestroy(CUstream stream)
{
    struct stream *s;

    if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = fake_stream_of(stream, &s);
    if (code)
        return code;
    // The handle is void from here on; what is queued still runs.
    s->head.gone = true;
    fake_changed();
    fake_streams_reap();
    return CUDA_SUCCESS;
}

// Destroyed streams whose work has run out are freed at the next destruction, or by a reset.
static void reap(struct object *o, void *data)
{
    struct stream *s = (struct stream *)o;

    (void)data;
    if (o->kind == KIND_STREAM && o->gone && !s->ending && fake_idle(s))
        fake_stream_end(s);
}

void fake_streams_reap(void)
{
    fake_each(reap, NULL);
}

CUresult fake_cuStreamGetPriority(CUstream stream, int *priority)
{
    struct stream *s;
    CUresult code = priority ? fake_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *priority = s->priority;
    return code;
}

CUresult fake_cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    struct stream *s;
    CUresult code = flags ? fake_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *flags = s->flags;
    return code;
}

CUresult fake_cuStreamGetId(CUstream stream, unsigned long long *id)
{
    struct stream *s;
    CUresult code = id ? fake_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *id = s->id;
    return code;
}

CUresult fake_cuStreamGetCtx(CUstream stream, CUcontext *ctx)
{
    struct stream *s;
    CUresult code = ctx ? fake_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *ctx = FAKE_HANDLE(CUcontext, s->head.context);
    return code;
}

CUresult fake_cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    struct stream *s;
    CUresult code = device ? fake_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *device = s->head.context->device;
    return code;
}

// The attributes that a stream has.
static bool stream_attribute(CUstreamAttrID attribute)
{
    return attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
           attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
           attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY ||
           attribute == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
           attribute == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

CUresult fake_cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    struct stream *d, *s;
    CUresult code = fake_stream_of(dst, &d);

    if (!code)
        code = fake_stream_of(src, &s);
    if (!code)
        memcpy(d->attributes, s->attributes, sizeof(d->attributes));
    return code;
}

CUresult fake_cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute,
                                   CUstreamAttrValue *value)
{
    struct stream *s;

    if (!value || !stream_attribute(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = fake_stream_of(stream, &s);
    if (!code) {
        *value = s->attributes[attribute];
        if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
            value->priority = s->priority;
    }
    return code;
}

CUresult fake_cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                                   const CUstreamAttrValue *value)
{
    struct stream *s;

    if (!value || !stream_attribute(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = fake_stream_of(stream, &s);
    if (!code) {
        s->attributes[attribute] = *value;
        if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
            s->priority = value->priority;
    }
    return code;
}

// The legacy stream is done when the blocking ones are.
static CUresult order_for_wait(struct stream *s)
{
    CUresult code = fake_capture_implicit(s);

    if (!code && s == s->head.context->legacy)
        fake_order(s);
    return code;
}

CUresult fake_cuStreamQuery(CUstream stream)
{
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (!code && s->capture)
        code = fake_capture_spoil(s);
    if (!code)
        code = order_for_wait(s);
    if (code)
        return code;
    if (!fake_idle(s))
        return CUDA_ERROR_NOT_READY;
    fake_pools_trim();
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamSynchronize(CUstream stream)
{
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (!code && s->capture)
        code = fake_capture_spoil(s);
    if (!code)
        code = order_for_wait(s);
    if (code)
        return code;
    struct context *c = s->head.context;
    uintptr_t context = c->head.handle, handle = s->head.handle;
    uint64_t until = s->submitted;
    // Either may be destroyed by another thread meanwhile.
    while (fake_object_even_gone((const void *)handle, KIND_STREAM) && s->done < until)
        fake_wait();
    fake_pools_trim();
    return fake_object((const void *)context, KIND_CONTEXT) ? c->lost
                                                            : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult fake_cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user,
                                  unsigned flags)
{
    struct stream *s;

    if (!callback || flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = fake_stream_of(stream, &s);
    if (!code && s->capture)
        code = fake_capture_spoil(s);
    if (code)
        return code;
    return fake_submit(
        s, &(struct work){ .op = OP_CALLBACK, .callback = { .fn = callback, .user = user } });
}

CUresult fake_cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *user)
{
    struct stream *s;

    if (!fn)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = fake_stream_of(stream, &s);
    if (code)
        return code;
    return fake_submit(s, &(struct work){ .op = OP_HOST, .host = { .fn = fn, .user = user } });
}

CUresult fake_cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t length,
                                     unsigned flags)
{
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);
    const struct allocation *a = fake_find(ptr);

    if (code)
        return code;
    if (!a || a->memory != MEMORY_MANAGED || (length && length != a->bytes) ||
        (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
         flags != CU_MEM_ATTACH_SINGLE))
        return CUDA_ERROR_INVALID_VALUE;
    return fake_submit(s, &(struct work){ .op = OP_NOTHING });
}

// Control.

// A stream by handle, also one that is destroyed and still has work.
struct stream *fake_stream_even_gone(CUstream handle)
{
    struct stream *s = fake_object_even_gone(handle, KIND_STREAM);

    if (s)
        return s;
    if (!fake_thread.id)
        fake_thread.id = (unsigned)++fake.threads;
    (void)fake_stream_of(handle, &s);
    if (!s)
        fake_bug("no such stream, or no context is current", "fake.h");
    return s;
}

static void set_held(CUstream stream, bool held)
{
    fake_lock();
    fake_stream_even_gone(stream)->held = held;
    fake_changed();
    fake_unlock();
}

void ctl_hold(CUstream stream)
{
    set_held(stream, true);
}

void ctl_resume(CUstream stream)
{
    set_held(stream, false);
}

int ctl_pending(CUstream stream)
{
    fake_lock();
    const struct stream *s = fake_stream_even_gone(stream);
    int n = (int)(s->submitted - s->done);
    fake_unlock();
    return n;
}

int ctl_captured(CUstream stream)
{
    fake_lock();
    int n = fake_stream_even_gone(stream)->captured;
    fake_unlock();
    return n;
}

void ctl_poison(void *context_or_stream, int code)
{
    fake_lock();
    struct context *c = fake_object(context_or_stream, KIND_CONTEXT);
    fake_lose(c ? c : fake_stream_even_gone(context_or_stream)->head.context, code);
    fake_unlock();
}
