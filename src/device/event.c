#include "event.h"

#include "base/options.h"
#include "driver/relaxed.h"
#include "stream.h"

#include <stdlib.h>

void cuc_event_options_init(cuc_event_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

static const uint32_t known_flags = CUC_EVENT_TIMING | CUC_EVENT_BLOCKING_SYNC | CUC_EVENT_IPC;

static cuc_status check_flags(uint32_t flags, uint32_t reserved, const char *function)
{
    cuc_status st = cuc__check_bits(
        "flags", flags, known_flags, reserved,
        "CUC_EVENT_TIMING (0x1), CUC_EVENT_BLOCKING_SYNC (0x2) and CUC_EVENT_IPC (0x4)", function);

    if (st < 0)
        return st;
    if (flags & CUC_EVENT_TIMING && flags & CUC_EVENT_IPC)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "flags is 0x%x: an event for other processes (CUC_EVENT_IPC) has no "
                         "timing (CUC_EVENT_TIMING)",
                         flags);
    return CUC_OK;
}

cuc_event *cuc__event_wrap(CUevent handle, cuc_context *context, uint32_t flags, bool owned)
{
    cuc_event *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    cuc__handle_init(e, CUC__HANDLE_EVENT);
    e->handle = handle;
    e->context = cuc_context_retain(context);
    e->flags = flags;
    e->owned = owned;
    atomic_init(&e->recorded, !owned); // a foreign event may have been recorded
    return e;
}

static cuc_status create(cuc_event **out, cuc_context *context, const cuc_event_options *options,
                         const char *function)
{
    cuc_event_options o;
    CUevent handle = NULL;
    bool pushed;

    cuc_status st = cuc__read_options(&o, sizeof(o), options, "cuc_event_options", function);
    if (st >= 0)
        st = check_flags(o.flags, o.reserved, function);
    if (st >= 0)
        st = cuc__context_enter(context, &pushed, function);
    if (st < 0)
        return st;
    unsigned flags = o.flags & CUC_EVENT_TIMING ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
    if (o.flags & CUC_EVENT_BLOCKING_SYNC)
        flags |= CU_EVENT_BLOCKING_SYNC;
    if (o.flags & CUC_EVENT_IPC)
        flags |= CU_EVENT_INTERPROCESS;
    CUresult r = cuc__cu.cuEventCreate(&handle, flags);
    if (r)
        st = cuc__fail_driver(context, r, function, "cuEventCreate",
                              "creating an event on device %d", context->device->ordinal);
    st = cuc__context_leave(context, pushed, st, function);
    cuc_event *e = st >= 0 ? cuc__event_wrap(handle, context, o.flags, true) : NULL;
    if (st >= 0 && !e)
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for an event");
    if (st < 0) {
        if (handle)
            CUC_CLEANUP(context, cuEventDestroy, (void *)handle, handle);
        return st;
    }
    *out = e;
    return CUC_OK;
}

cuc_status cuc_event_create(cuc_event **out, cuc_device *device, const cuc_event_options *options)
{
    cuc_context *context;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    return st < 0 ? st : create(out, context, options, __func__);
}

cuc_status cuc_context_event_create(cuc_event **out, cuc_context *context,
                                    const cuc_event_options *options)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(context, CONTEXT);
    return create(out, context, options, __func__);
}

cuc_status cuc_event_from_handle(cuc_event **out, void *handle, cuc_context *context,
                                 uint32_t flags)
{
    cuc_context *current = NULL;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(handle);
    cuc_status st = check_flags(flags, 0, __func__);
    if (st >= 0)
        st = cuc__driver_init(__func__);
    if (st < 0)
        return st;
    if (context) {
        CUC_CHECK(context, CONTEXT);
    } else {
        if ((st = cuc__context_current(&current, __func__)) < 0)
            return st;
        if (!current)
            return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                            "context is NULL, and no context is current on this thread: pass the "
                            "event's context");
    }
    cuc_event *e = cuc__event_wrap(handle, context ? context : current, flags, false);
    cuc_context_release(current);
    if (!e)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for an event");
    *out = e;
    return CUC_OK;
}

void *cuc_event_handle(const cuc_event *event)
{
    return event ? event->handle : NULL;
}

cuc_device *cuc_event_device(const cuc_event *event)
{
    return event ? event->context->device : NULL;
}

cuc_context *cuc_event_context(const cuc_event *event)
{
    return event ? event->context : NULL;
}

uint32_t cuc_event_flags(const cuc_event *event)
{
    return event ? event->flags : 0;
}

// Refuses an event of another device, or of another context of the stream's device.
static cuc_status __attribute__((cold, noinline))
refuse_context(const cuc_stream *stream, const cuc_event *event, const char *function)
{
    cuc_status st = cuc__stream_check_device(stream, event->context->device, "event", function);

    return st < 0 ? st
                  : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                              "the event is of context %p, the stream of context %p",
                              (void *)event->context->handle, (void *)stream->context->handle);
}

// Records an event on a default stream, which needs its context current.
static cuc_status __attribute__((noinline))
record_on_default(const cuc_stream *stream, const cuc_event *event, const char *function)
{
    cuc_status st;

    CUC_CALL_IN_AS(function, st, stream->context, cuEventRecord, (event->handle, stream->handle),
                   "recording an event");
    return st;
}

cuc_status cuc_event_record(cuc_stream *stream, cuc_event *event)
{
    CUC_CHECK(event, EVENT);
    CUC_CHECK(stream, STREAM);
    if (__builtin_expect(event->context != stream->context, 0))
        return refuse_context(stream, event, __func__);
    const uint32_t mark = cuc__ring_mark(&stream->context->recent);
    if (__builtin_expect(stream->is_default, 0)) {
        cuc_status st = record_on_default(stream, event, __func__);
        if (st < 0)
            return st;
    } else {
        CUresult code = cuc__cu.cuEventRecord(event->handle, stream->handle);
        if (code)
            return CUC_FAIL_CU(stream->context, code, "cuEventRecord", "recording an event");
    }
    atomic_store_explicit(&event->recorded, true, memory_order_relaxed);
    atomic_store_explicit(&event->mark, mark, memory_order_relaxed);
    atomic_store_explicit(&event->recorded_on, stream->handle, memory_order_relaxed);
    return CUC_OK;
}

// Evaluates to the status of a call on an event. Takes the context from the event, not from the
// thread.
#define STATUS(event_, code, call, ...)               \
    (!(code)                          ? CUC_OK        \
     : (code) == CUDA_ERROR_NOT_READY ? CUC_NOT_READY \
                                      : CUC_FAIL_CU((event_)->context, code, call, __VA_ARGS__))

// Makes one driver call on an event in relaxed mode, so that a polling thread does not invalidate
// another thread's capture.
#define CALL_RELAXED(status, event_, call, arguments, ...)    \
    do {                                                      \
        CUresult code_;                                       \
        CUC_RELAXED(code_, cuc__cu.call arguments);           \
        (status) = STATUS(event_, code_, #call, __VA_ARGS__); \
    } while (0)

cuc_status cuc_event_query(cuc_event *event)
{
    cuc_status st;

    CUC_CHECK(event, EVENT);
    const CUstream on = atomic_load_explicit(&event->recorded_on, memory_order_relaxed);
    const uint32_t mark = atomic_load_explicit(&event->mark, memory_order_relaxed);
    CALL_RELAXED(st, event, cuEventQuery, (event->handle), "asking whether an event is complete");
    if (st == CUC_OK)
        cuc__event_mark_complete(event, on, mark);
    return st;
}

cuc_status cuc_event_synchronize(cuc_event *event)
{
    cuc_status st;

    CUC_CHECK(event, EVENT);
    const CUstream on = atomic_load_explicit(&event->recorded_on, memory_order_relaxed);
    const uint32_t mark = atomic_load_explicit(&event->mark, memory_order_relaxed);
    CALL_RELAXED(st, event, cuEventSynchronize, (event->handle), "waiting for an event");
    if (st == CUC_OK)
        cuc__event_mark_complete(event, on, mark);
    return st;
}

static bool can_measure(const cuc_event *start, const cuc_event *end)
{
    return start->flags & end->flags & CUC_EVENT_TIMING && start->context == end->context &&
           atomic_load_explicit(&start->recorded, memory_order_relaxed) &&
           atomic_load_explicit(&end->recorded, memory_order_relaxed);
}

// Reports a failed cuEventElapsedTime(). The driver returns the same code for three different
// mistakes; this function gives each its own message.
static cuc_status explain_elapsed(const cuc_event *start, const cuc_event *end,
                                  const char *function)
{
    const struct {
        const char *name;
        const cuc_event *event;
    } both[] = { { "start", start }, { "end", end } };

    for (size_t i = 0; i < 2; i++) {
        if (!(both[i].event->flags & CUC_EVENT_TIMING))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s has no timing: create it with CUC_EVENT_TIMING", both[i].name);
        if (!atomic_load(&both[i].event->recorded))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s was never recorded: call cuc_event_record() first", both[i].name);
    }
    if (start->context != end->context)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "start is of device %d, end of device %d or of another context: expected "
                         "two events of one context",
                         start->context->device->ordinal, end->context->device->ordinal);
    return CUC_OK;
}

cuc_status cuc_event_get_elapsed(float *milliseconds, cuc_event *start, cuc_event *end)
{
    float ms = 0;

    CUC_CHECK_NOT_NULL(milliseconds);
    CUC_CHECK(start, EVENT);
    CUC_CHECK(end, EVENT);
    cuc_status st = can_measure(start, end) ? CUC_OK : explain_elapsed(start, end, __func__);
    if (st < 0)
        return st;
    // Captures allow this call, because it neither waits nor queries the device.
    CUresult code = cuc__cu.cuEventElapsedTime(&ms, start->handle, end->handle);
    st = STATUS(start, code, "cuEventElapsedTime", "measuring between two events");
    if (st == CUC_OK)
        *milliseconds = ms;
    return st;
}

cuc_event *cuc_event_retain(cuc_event *event)
{
    return cuc__handle_retain(event);
}

void cuc_event_release(cuc_event *event)
{
    if (!cuc__handle_drop(event, CUC__HANDLE_EVENT))
        return;
    cuc_context *context = event->context;
    if (event->owned)
        CUC_CLEANUP(context, cuEventDestroy, (void *)event->handle, event->handle);
    cuc__handle_free(event);
    cuc_context_release(context);
}
