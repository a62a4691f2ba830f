#include "stream.h"

#include "base/array.h"
#include "capture_hooks.h"
#include "event.h"
#include "deferred.h"
#include "base/options.h"
#include "driver/relaxed.h"

#include <cucore/green.h>

#include <stdlib.h>

void cuc_stream_options_init(cuc_stream_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

// Creates a stream object for a handle. Retains the context.
static cuc_stream *wrap(CUstream handle, cuc_context *context, bool owned)
{
    cuc_stream *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    cuc__handle_init(s, CUC__HANDLE_STREAM);
    s->handle = handle;
    s->context = cuc_context_retain(context);
    s->device = context->device;
    s->owned = owned;
    s->ordinal = s->device->ordinal;
    s->is_default = handle == NULL || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
    s->common_grid = s->is_default ? 0 : s->device->limits.grid[0];
    return s;
}

cuc_stream *cuc__stream_of_green(CUstream handle, cuc_context *context,
                                 struct cuc_green_context *green)
{
    cuc_stream *s = wrap(handle, context, true);

    if (s)
        s->green = cuc_green_context_retain(green);
    return s;
}

static cuc_status create(cuc_stream **out, cuc_context *context, const cuc_stream_options *options,
                         const char *function)
{
    cuc_stream_options o;
    CUstream handle = NULL;
    bool pushed;

    cuc_status st = cuc__read_options(&o, sizeof(o), options, "cuc_stream_options", function);
    if (st < 0 ||
        (st = cuc__check_bits("flags", o.flags, CUC_STREAM_SYNC_LEGACY, 0,
                              "CUC_STREAM_SYNC_LEGACY (0x1) or 0", function)) < 0 ||
        (st = cuc__context_enter(context, &pushed, function)) < 0)
        return st;
    // The driver's flag is the inverse of CUC_STREAM_SYNC_LEGACY. The driver clamps the priority to
    // the device's range.
    unsigned flags = o.flags & CUC_STREAM_SYNC_LEGACY ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING;
    CUresult r = cuc__cu.cuStreamCreateWithPriority(&handle, flags, o.priority);
    if (r)
        st = cuc__fail_driver(context, r, function, "cuStreamCreateWithPriority",
                              "creating a stream of priority %d on device %d", o.priority,
                              context->device->ordinal);
    st = cuc__context_leave(context, pushed, st, function);
    cuc_stream *s = st >= 0 ? wrap(handle, context, true) : NULL;
    if (st >= 0 && !s)
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a stream");
    if (st < 0) {
        if (handle)
            CUC_CLEANUP(context, cuStreamDestroy, (void *)handle, handle);
        return st;
    }
    *out = s;
    return CUC_OK;
}

cuc_status cuc_stream_create(cuc_stream **out, cuc_device *device,
                             const cuc_stream_options *options)
{
    cuc_context *context;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    return st < 0 ? st : create(out, context, options, __func__);
}

cuc_status cuc_context_stream_create(cuc_stream **out, cuc_context *context,
                                     const cuc_stream_options *options)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(context, CONTEXT);
    return create(out, context, options, __func__);
}

static void drop_default_streams(cuc_context *context);

// Returns the object of a context's default stream, borrowed from the context. The object holds no
// reference to its context, because the cycle would keep both alive.
static cuc_status default_stream(cuc_stream **out, cuc_context *context, CUstream handle,
                                 const char *function)
{
    cuc_stream **slot = handle == CU_STREAM_PER_THREAD ? &context->per_thread : &context->legacy;

    pthread_mutex_lock(&context->lock);
    if (!*slot) {
        *slot = wrap(handle, context, false);
        if (*slot) {
            (*slot)->kept = true;
            context->drop_streams = drop_default_streams;
            cuc_context_release(context);
        }
    }
    cuc_stream *s = *slot;
    pthread_mutex_unlock(&context->lock);
    if (!s)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a stream");
    *out = s;
    return CUC_OK;
}

cuc_status cuc_stream_get_default(cuc_stream **out, cuc_device *device, int32_t which)
{
    cuc_context *context;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    if (which != CUC_STREAM_LEGACY && which != CUC_STREAM_PER_THREAD)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "which is %d, expected CUC_STREAM_LEGACY (0) or CUC_STREAM_PER_THREAD (1)",
                        which);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st < 0)
        return st;
    return default_stream(out, context,
                          which == CUC_STREAM_LEGACY ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD,
                          __func__);
}

// Returns the context of a foreign stream, retained.
static cuc_status context_of(cuc_context **out, CUstream handle, const char *function)
{
    CUcontext cu_context = NULL;

    if (handle && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) {
        CUresult r = cuc__cu.cuStreamGetCtx(handle, &cu_context);
        if (r)
            return cuc__fail_driver(NULL, r, function, "cuStreamGetCtx",
                                    "%p is not a live CUstream", (void *)handle);
        return cuc__context_of_handle(out, cu_context, function);
    }
    cuc_context *context;
    cuc_status st = cuc__context_current(&context, function);
    if (st >= 0 && !context)
        st = cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                       "handle %p is a default stream, but no context is current on this thread: "
                       "call cuc_device_set_current() first, or use cuc_stream_get_default()",
                       (void *)handle);
    if (st >= 0)
        *out = context;
    return st;
}

cuc_status cuc_stream_from_handle(cuc_stream **out, void *handle, void *owner,
                                  void (*drop_owner)(void *owner))
{
    cuc_context *context;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__driver_init(__func__);
    if (st >= 0)
        st = context_of(&context, handle, __func__);
    if (st < 0)
        return st;
    // NULL means the legacy stream. Its explicit handle means the same stream even in a program
    // compiled for per-thread default streams.
    cuc_stream *s = wrap(handle ? handle : CU_STREAM_LEGACY, context, false);
    cuc_context_release(context);
    if (!s)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a stream");
    s->owner = owner;
    s->drop_owner = drop_owner;
    *out = s;
    return CUC_OK;
}

void *cuc_stream_handle(const cuc_stream *stream)
{
    return stream ? stream->handle : NULL;
}

cuc_device *cuc_stream_device(const cuc_stream *stream)
{
    return stream ? stream->device : NULL;
}

cuc_context *cuc_stream_context(const cuc_stream *stream)
{
    return stream ? stream->context : NULL;
}

cuc_stream *cuc_stream_retain(cuc_stream *stream)
{
    return cuc__handle_retain(stream);
}

_Atomic(const struct cuc__capture_hooks *) cuc__capture_hooks;

// The result of finish(): everything is gone; everything but the driver's stream is gone; nothing
// is gone.
enum gone { GONE, GONE_BUT_STREAM, STAYS };

static enum gone finish(cuc_stream *s)
{
    CUevent marker = atomic_load(&s->marker);

    const struct cuc__capture_hooks *captures = atomic_load(&cuc__capture_hooks);
    if (captures && cuc__capturing() && !captures->abandon(s))
        return STAYS;
    const bool stuck = captures && captures->was_stuck(s);
    if (marker)
        CUC_CLEANUP(s->context, cuEventDestroy, (void *)marker, marker);
    if (s->owned && !stuck)
        CUC_CLEANUP(s->context, cuStreamDestroy, (void *)s->handle, s->handle);
    if (s->drop_owner && !stuck) // dropping the owner could destroy the driver's stream
        s->drop_owner(s->owner);
    cuc__handle_free(s);
    return stuck ? GONE_BUT_STREAM : GONE;
}

void cuc__stream_end(cuc_stream *stream)
{
    cuc_context *context = stream->context;
    cuc_green_context *green = stream->green;
    if (finish(stream) != GONE) // destroying the context would also destroy the driver's stream
        return;
    cuc_green_context_release(green); // after its streams
    cuc_context_release(context);
}

void cuc_stream_release(cuc_stream *stream)
{
    if (cuc__handle_is_valid(stream, CUC__HANDLE_STREAM) && stream->kept)
        return;
    if (cuc__handle_drop(stream, CUC__HANDLE_STREAM))
        cuc__stream_end(stream);
}

static void drop_default_streams(cuc_context *context)
{
    cuc_stream *kept[] = { context->legacy, context->per_thread };

    for (size_t i = 0; i < CUC_LENGTH(kept); i++)
        if (cuc__handle_drop(kept[i], CUC__HANDLE_STREAM))
            (void)finish(kept[i]);
}

cuc_status cuc__stream_check_device(const cuc_stream *stream, const cuc_device *device,
                                    const char *what, const char *function)
{
    if (stream->device == device)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "the stream is of device %d (%s), the %s of device %d (%s)",
                     stream->device->ordinal, stream->device->name, what, device->ordinal,
                     device->name);
}

cuc_status cuc_stream_get_priority(int32_t *out, cuc_stream *stream)
{
    int priority = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_status st;
    CUC_CALL_IN(st, stream->context, cuStreamGetPriority, (stream->handle, &priority),
                "reading a stream's priority");
    if (st >= 0)
        *out = priority;
    return st;
}

cuc_status cuc_stream_get_flags(uint32_t *out, cuc_stream *stream)
{
    unsigned flags = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_status st;
    CUC_CALL_IN(st, stream->context, cuStreamGetFlags, (stream->handle, &flags),
                "reading a stream's flags");
    if (st >= 0)
        *out = flags & CU_STREAM_NON_BLOCKING ? 0 : CUC_STREAM_SYNC_LEGACY;
    return st;
}

cuc_status cuc_stream_get_id(uint64_t *out, cuc_stream *stream)
{
    unsigned long long id = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_status st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUC_CALL_IN(st, stream->context, cuStreamGetId, (stream->handle, &id), "reading a stream's id");
    cuc__leave_relaxed_mode(mode);
    if (st >= 0)
        *out = id;
    return st;
}

cuc_status cuc_stream_copy_attributes(cuc_stream *stream, cuc_stream *from)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(from, STREAM);
    if (stream == from)
        return CUC_OK;
    cuc_status st = cuc__stream_check_device(stream, from->device, "other one", __func__);
    if (st < 0)
        return st;
    CUC_CALL_IN(st, stream->context, cuStreamCopyAttributes, (stream->handle, from->handle),
                "copying a stream's attributes");
    return st;
}

// Makes the context current for a default stream, whose handle means a stream of the current
// context. For any other stream, the driver finds the context itself.
static cuc_status enter(const cuc_stream *s, bool *pushed, const char *function)
{
    *pushed = false;
    return s->is_default ? cuc__context_enter(s->context, pushed, function) : CUC_OK;
}

// Refuses a call that the driver would refuse on a capturing stream, because the driver would also
// invalidate the capture. The context of a default stream must be current.
static cuc_status check_not_captured(const cuc_stream *s, const char *what, const char *function)
{
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult r = cuc__cu.cuStreamIsCapturing(s->handle, &capture);

    if (r)
        return cuc__fail_driver(s->context, r, function, "cuStreamIsCapturing", "%s", what);
    if (capture == CU_STREAM_CAPTURE_STATUS_NONE)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_BUSY, function,
                     "%s: stream %p is being captured, so its work runs only when the graph is "
                     "launched: call this before or after the capture",
                     what, (void *)s->handle);
}

cuc_status cuc_stream_query(cuc_stream *stream)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = enter(stream, &pushed, __func__);
    if (st < 0)
        return st;
    static const char what[] = "asking whether a stream is done";
    const uint32_t mark = cuc__ring_mark(&stream->context->recent);
    CUresult r = 0;
    if ((st = check_not_captured(stream, what, __func__)) == CUC_OK)
        CUC_RELAXED(r, cuc__cu.cuStreamQuery(stream->handle));
    if (r == CUDA_ERROR_NOT_READY)
        st = CUC_NOT_READY;
    else if (r)
        st = CUC_FAIL_CU(stream->context, r, "cuStreamQuery", what);
    else if (st == CUC_OK)
        cuc__stream_mark_complete(stream, mark);
    return CUC_LEAVE(stream->context, pushed, st);
}

cuc_status cuc_stream_synchronize(cuc_stream *stream)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = enter(stream, &pushed, __func__);
    if (st < 0)
        return st;
    static const char what[] = "waiting for a stream";
    const uint32_t mark = cuc__ring_mark(&stream->context->recent);
    CUresult r = 0;
    if ((st = check_not_captured(stream, what, __func__)) == CUC_OK)
        CUC_RELAXED(r, cuc__cu.cuStreamSynchronize(stream->handle));
    if (r)
        st = CUC_FAIL_CU(stream->context, r, "cuStreamSynchronize", what);
    else if (st == CUC_OK)
        cuc__stream_mark_complete(stream, mark);
    st = CUC_LEAVE(stream->context, pushed, st);
    cuc__deferred_poll();
    return st;
}

cuc_status cuc_stream_is_capturing(int32_t *out, cuc_stream *stream)
{
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_status st;
    CUC_CALL_IN(st, stream->context, cuStreamIsCapturing, (stream->handle, &capture),
                "asking whether a stream is captured");
    if (st >= 0)
        *out = capture != CU_STREAM_CAPTURE_STATUS_NONE;
    return st;
}

static cuc_status wait_event(cuc_stream *stream, CUevent event, const char *function)
{
    cuc_status st;

    CUC_CALL_ON(function, st, stream, cuStreamWaitEvent,
                (stream->handle, event, CU_EVENT_WAIT_DEFAULT),
                "making a stream of device %d wait for an event", stream->device->ordinal);
    return st;
}

cuc_status cuc_stream_wait_event(cuc_stream *stream, cuc_event *event)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(event, EVENT);
    return wait_event(stream, event->handle, __func__);
}

// Records the stream's own marker event, and creates it on first use. The stream's context must be
// current.
static cuc_status record_marker(CUevent *out, cuc_stream *s, const char *function)
{
    CUevent marker = atomic_load_explicit(&s->marker, memory_order_acquire);
    CUresult r = 0;

    if (!marker) {
        CUevent none = NULL;
        r = cuc__cu.cuEventCreate(&marker, CU_EVENT_DISABLE_TIMING);
        if (r)
            return cuc__fail_driver(s->context, r, function, "cuEventCreate",
                                    "making a stream's marker");
        if (!atomic_compare_exchange_strong(&s->marker, &none, marker)) {
            CUC_CLEANUP(s->context, cuEventDestroy, (void *)marker, marker);
            marker = none; // another thread created the marker first
        }
    }
    r = cuc__cu.cuEventRecord(marker, s->handle);
    if (r)
        return cuc__fail_driver(s->context, r, function, "cuEventRecord",
                                "recording an event on the stream to wait for");
    *out = marker;
    return CUC_OK;
}

cuc_status cuc_stream_wait_stream(cuc_stream *stream, cuc_stream *other)
{
    CUevent marker = NULL;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK(other, STREAM);
    if (stream == other)
        return CUC_OK;
    cuc_status st = CUC_ENTER(other->context, &pushed);
    if (st < 0)
        return st;
    st = record_marker(&marker, other, __func__);
    st = CUC_LEAVE(other->context, pushed, st);
    return st < 0 ? st : wait_event(stream, marker, __func__);
}

// The argument of a driver callback. The driver calls exactly once, even after errors, and the
// callback frees the struct.
struct callback {
    cuc_stream_callback fn;
    void *user;
};

static void call_back(CUstream stream, CUresult code, void *data)
{
    struct callback call = *(struct callback *)data;

    (void)stream;
    free(data);
    call.fn(code ? CUC_ERROR_CONTEXT_LOST : CUC_OK, code, call.user);
}

cuc_status cuc_stream_add_callback(cuc_stream *stream, cuc_stream_callback callback, void *user)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(callback);
    cuc_status st = CUC_ENTER(stream->context, &pushed);
    if (st < 0)
        return st;
    st = check_not_captured(stream, "adding a callback", __func__);
    struct callback *record = st == CUC_OK ? malloc(sizeof(*record)) : NULL;
    if (record) {
        *record = (struct callback){ callback, user };
        CUresult r = cuc__cu.cuStreamAddCallback(stream->handle, call_back, record, 0);
        if (r) {
            free(record);
            st = CUC_FAIL_CU(stream->context, r, "cuStreamAddCallback", "adding a callback");
        }
    } else if (st == CUC_OK) {
        st = CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a callback");
    }
    return CUC_LEAVE(stream->context, pushed, st);
}
