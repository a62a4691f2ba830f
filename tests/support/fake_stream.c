// Streams and events: queues of work, each with a thread of its own once something has to wait.
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

// Marks: counted, so that an event may be destroyed while a stream still waits for its record.

struct mark *fake_mark_new(void)
{
    struct mark *m = fake.free_marks;

    if (m)
        fake.free_marks = m->next_free;
    else
        m = fake_alloc(sizeof(*m));
    *m = (struct mark){ .refs = 1 };
    return m;
}

struct mark *fake_mark_retain(struct mark *mark)
{
    mark->refs++;
    return mark;
}

void fake_mark_drop(struct mark *mark)
{
    if (!mark || --mark->refs)
        return;
    mark->next_free = fake.free_marks;
    fake.free_marks = mark;
}

// Operations. `ready` says whether one at the head of a queue can run; nothing waits in a context
// that is lost. `run` does it, and is told of the loss; `drop` lets go of what it holds.

static uint64_t read_word(const struct work *w)
{
    const void *at = (const void *)(uintptr_t)w->word.address;
    uint32_t v32;
    uint64_t v64;

    if (w->word.bytes == 4) {
        __atomic_load((const uint32_t *)at, &v32, __ATOMIC_ACQUIRE);
        return v32;
    }
    __atomic_load((const uint64_t *)at, &v64, __ATOMIC_ACQUIRE);
    return v64;
}

static bool word_ready(struct work *w)
{
    uint64_t now = read_word(w), value = w->word.value;

    switch (w->word.flags & 3) {
    case CU_STREAM_WAIT_VALUE_GEQ: // cyclic, as counters wrap
        return w->word.bytes == 4 ? (int32_t)((uint32_t)now - (uint32_t)value) >= 0
                                  : (int64_t)(now - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return now == value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (now & value) != 0;
    default:
        value = ~(now | value);
        return (w->word.bytes == 4 ? (uint32_t)value : value) != 0;
    }
}

static bool mark_ready(struct work *w)
{
    return w->mark->done;
}

static bool order_ready(struct work *w)
{
    const struct stream *s = fake_object_even_gone((const void *)w->order.stream, KIND_STREAM);

    return !s || s->done >= w->order.until;
}

static void run_mark(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    clock_gettime(CLOCK_MONOTONIC, &w->mark->when);
    w->mark->done = true;
}

static void drop_mark(struct work *w)
{
    w->mark->done = true; // whoever waits for work that was dropped waits no longer
    fake_mark_drop(w->mark);
}

static void drop_wait(struct work *w)
{
    fake_mark_drop(w->mark);
}

static void run_write(struct work *w, struct stream *stream, CUresult lost)
{
    void *at = (void *)(uintptr_t)w->word.address;
    uint32_t v32 = (uint32_t)w->word.value;

    (void)stream;
    if (lost)
        return;
    if (w->word.bytes == 4)
        __atomic_store((uint32_t *)at, &v32, __ATOMIC_RELEASE);
    else
        __atomic_store((uint64_t *)at, &w->word.value, __ATOMIC_RELEASE);
}

static void run_copy(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    if (!lost)
        fake_run_copy(&w->copy);
}

static void run_fill(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    if (!lost)
        fake_run_fill(&w->fill);
}

static void run_host(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    if (lost)
        return;
    fake_thread.in_callback = true;
    fake_unlock();
    w->host.fn(w->host.user);
    fake_lock();
    fake_thread.in_callback = false;
}

static void run_callback(struct work *w, struct stream *stream, CUresult lost)
{
    struct context *c = stream->head.context;
    CUstream handle = !stream->head.builtin ? FAKE_HANDLE(CUstream, stream)
                      : stream == c->legacy ? CU_STREAM_LEGACY
                                            : CU_STREAM_PER_THREAD;

    fake_thread.in_callback = true;
    fake_unlock();
    w->callback.fn(handle, lost, w->callback.user);
    fake_lock();
    fake_thread.in_callback = false;
}

static void run_kernel(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    if (lost)
        return;
    fake_thread.in_callback = true;
    fake_run_launch(w->launch);
    fake_thread.in_callback = false;
}

static void drop_kernel(struct work *w)
{
    fake_launch_drop(w->launch);
}

static void run_free(struct work *w, struct stream *stream, CUresult lost)
{
    (void)stream;
    (void)lost;
    fake_free(w->allocation);
    w->allocation = NULL;
}

static void drop_free(struct work *w)
{
    if (w->allocation) // never run: a context that ends, a reset
        fake_free(w->allocation);
}

static const struct {
    bool (*ready)(struct work *work);
    void (*run)(struct work *work, struct stream *stream, CUresult lost);
    void (*drop)(struct work *work);
    bool own_thread; // never done within the call that submits it
} ops[] = {
    [OP_NOTHING] = { 0 },
    [OP_MARK] = { .run = run_mark, .drop = drop_mark },
    [OP_WAIT_MARK] = { .ready = mark_ready, .drop = drop_wait },
    [OP_WAIT_STREAM] = { .ready = order_ready },
    [OP_WAIT_VALUE] = { .ready = word_ready },
    [OP_WRITE_VALUE] = { .run = run_write },
    [OP_COPY] = { .run = run_copy },
    [OP_FILL] = { .run = run_fill },
    [OP_HOST] = { .run = run_host, .own_thread = true },
    [OP_CALLBACK] = { .run = run_callback, .own_thread = true },
    [OP_KERNEL] = { .run = run_kernel, .drop = drop_kernel },
    [OP_FREE] = { .run = run_free, .drop = drop_free },
};

static void finish(struct stream *s, struct work *w)
{
    if (ops[w->op].drop)
        ops[w->op].drop(w);
    s->done++;
    fake_changed();
}

static void perform(struct stream *s, struct work *w)
{
    s->running = true;
    if (ops[w->op].run)
        ops[w->op].run(w, s, s->head.context->lost);
    s->running = false;
    finish(s, w);
}

static bool runnable(struct stream *s, struct work *w)
{
    if (s->running)
        return false;
    if (s->head.context->lost)
        return true;
    return !s->held && (!ops[w->op].ready || ops[w->op].ready(w));
}

static struct work *take(struct stream *s)
{
    struct work *w = s->first;

    s->first = w->next;
    if (!s->first)
        s->last = NULL;
    return w;
}

static void recycle(struct work *w)
{
    w->next = fake.free_work;
    fake.free_work = w;
}

// Values in memory change without a word to us, so they are looked at every so often.
static void wait_a_little(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&fake.changed, &fake.lock, &until);
}

static void *stream_thread(void *data)
{
    struct stream *s = data;

    fake_lock();
    while (s->first || !s->head.gone) {
        if (s->first && runnable(s, s->first)) {
            struct work *w = take(s);
            perform(s, w);
            recycle(w);
        } else if (s->first && s->first->op == OP_WAIT_VALUE && !s->held) {
            wait_a_little();
        } else {
            fake_wait();
        }
    }
    s->worker = false;
    fake.workers--;
    fake_changed();
    fake_unlock();
    return NULL;
}

static void need_thread(struct stream *s)
{
    pthread_attr_t detached;
    pthread_t thread;

    if (s->worker)
        return;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &detached, stream_thread, s))
        fake_bug("no thread", "for a stream");
    pthread_attr_destroy(&detached);
    s->worker = true;
    fake.workers++;
}

static void enqueue(struct stream *s, const struct work *work)
{
    struct work *w = fake.free_work;

    if (w)
        fake.free_work = w->next;
    else
        w = fake_alloc(sizeof(*w));
    *w = *work;
    w->next = NULL;
    if (s->last)
        s->last->next = w;
    else
        s->first = w;
    s->last = w;
    s->submitted++;
    need_thread(s);
    fake_changed();
}

static bool idle(const struct stream *s)
{
    return s->done == s->submitted;
}

// What the legacy default stream means: its work begins after all work of the context's blocking
// streams, and theirs after its.
static void order_after(struct stream *s, struct stream *other)
{
    if (other && other != s && !idle(other))
        enqueue(s, &(struct work){
                       .op = OP_WAIT_STREAM,
                       .order = { .stream = other->head.handle, .until = other->submitted } });
}

static void order_visit(struct object *o, void *data)
{
    struct stream *s = data, *other = (struct stream *)o;

    if (o->kind == KIND_STREAM && o->context == s->head.context &&
        !(other->flags & CU_STREAM_NON_BLOCKING))
        order_after(s, other);
}

static void order(struct stream *s)
{
    struct context *c = s->head.context;

    if (s == c->legacy)
        fake_look(order_visit, s);
    else if (!(s->flags & CU_STREAM_NON_BLOCKING))
        order_after(s, c->legacy);
}

CUresult fake_submit(struct stream *stream, const struct work *work)
{
    struct work now = *work;

    CUresult code = fake_capture_implicit(stream);

    if (stream->capture && stream->capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream->capture || code) {
        if (!code) {
            stream->capture->graph->nodes++;
            stream->captured++;
            stream->unjoined = stream != stream->capture->origin;
        }
        if (ops[work->op].drop)
            ops[work->op].drop(&now);
        return code;
    }
    order(stream);
    if (idle(stream) && !fake.async && !ops[work->op].own_thread && runnable(stream, &now)) {
        stream->submitted++;
        perform(stream, &now);
    } else {
        enqueue(stream, work);
    }
    return CUDA_SUCCESS;
}

// Streams.

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

void fake_stream_drop(struct stream *stream)
{
    while (stream->first) {
        struct work *w = take(stream);
        finish(stream, w);
        recycle(w);
    }
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

void fake_drain(struct stream *stream)
{
    uint64_t until = stream->submitted;

    while (stream->done < until)
        fake_wait();
}

struct unfinished {
    struct context *context;
    struct stream *stream;
};

static void find_unfinished(struct object *o, void *data)
{
    struct unfinished *u = data;

    if (o->kind == KIND_STREAM && o->context == u->context && !idle((struct stream *)o))
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
    fake_reap();
    return CUDA_SUCCESS;
}

// Destroyed streams whose work has run out are freed at the next destruction, or by a reset.
static void reap(struct object *o, void *data)
{
    struct stream *s = (struct stream *)o;

    (void)data;
    if (o->kind == KIND_STREAM && o->gone && !s->ending && idle(s))
        fake_stream_end(s);
}

void fake_reap(void)
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
        order(s);
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
    if (!idle(s))
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

// Waits and writes of one word.

static CUresult word(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags,
                     unsigned bytes, enum op op)
{
    unsigned known = op == OP_WAIT_VALUE ? 3u | (unsigned)CU_STREAM_WAIT_VALUE_FLUSH
                                         : (unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (code)
        return code;
    if (flags & ~known || address % bytes)
        return CUDA_ERROR_INVALID_VALUE;
    const struct allocation *a = fake_find(address);
    if (!a || a->freeing || address + bytes > a->base + a->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (op == OP_WAIT_VALUE && flags & (unsigned)CU_STREAM_WAIT_VALUE_FLUSH &&
        !fake_attribute(s->head.context->device, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES))
        return CUDA_ERROR_NOT_SUPPORTED;
    return fake_submit(
        s, &(struct work){
               .op = op,
               .word = { .address = address, .value = value, .flags = flags, .bytes = bytes } });
}

CUresult fake_cuStreamWaitValue32(CUstream stream, CUdeviceptr address, uint32_t value,
                                  unsigned flags)
{
    return word(stream, address, value, flags, 4, OP_WAIT_VALUE);
}

CUresult fake_cuStreamWaitValue64(CUstream stream, CUdeviceptr address, uint64_t value,
                                  unsigned flags)
{
    return word(stream, address, value, flags, 8, OP_WAIT_VALUE);
}

CUresult fake_cuStreamWriteValue32(CUstream stream, CUdeviceptr address, uint32_t value,
                                   unsigned flags)
{
    return word(stream, address, value, flags, 4, OP_WRITE_VALUE);
}

CUresult fake_cuStreamWriteValue64(CUstream stream, CUdeviceptr address, uint64_t value,
                                   unsigned flags)
{
    return word(stream, address, value, flags, 8, OP_WRITE_VALUE);
}

CUresult fake_cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams *batch,
                                 unsigned flags)
{
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (!code && (!batch || !count || count > 256 || flags))
        code = CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && !code; i++) {
        const CUstreamBatchMemOpParams *p = &batch[i];
        switch (p->operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            code = word(stream, p->waitValue.address, p->waitValue.value, p->waitValue.flags, 4,
                        OP_WAIT_VALUE);
            break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            code = word(stream, p->waitValue.address, p->waitValue.value64, p->waitValue.flags, 8,
                        OP_WAIT_VALUE);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            code = word(stream, p->writeValue.address, p->writeValue.value, p->writeValue.flags, 4,
                        OP_WRITE_VALUE);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            code = word(stream, p->writeValue.address, p->writeValue.value64, p->writeValue.flags,
                        8, OP_WRITE_VALUE);
            break;
        case CU_STREAM_MEM_OP_BARRIER:
            code = fake_submit(s, &(struct work){ .op = OP_NOTHING });
            break;
        default:
            code = CUDA_ERROR_INVALID_VALUE;
        }
    }
    return code;
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
