#ifndef CUCORE_DEVICE_STREAM_H
#define CUCORE_DEVICE_STREAM_H

#include <cucore/stream.h>

#include "context.h"

struct cuc_stream {
    cuc__handle head;
    CUstream handle;
    cuc_context *context; // retained
    cuc_device *device;   // from the context
    int32_t ordinal;      // from the device
    uint32_t common_grid; // the device's limit of grid.x, or 0 if launches need more checks
    bool owned;           // destroying the object destroys the driver's stream
    bool kept;            // belongs to its context, and so is never released
    bool is_default; // CU_STREAM_LEGACY or CU_STREAM_PER_THREAD: the handle means a stream of this
                     // context only while the context is current
    _Atomic uint32_t settled; // a position in the context's launches; all of this stream's launches
                              // before it are complete
    _Atomic(CUevent) marker;  // the event that cuc_stream_wait_stream() records, created on first
                              // use
    struct cuc_green_context *green; // the green context of the stream, retained; NULL for an
                                     // ordinary stream
    void *owner;                     // the owner of a foreign stream; destroying the object passes
                                     // it to drop_owner()
    void (*drop_owner)(void *owner);
};

// Some driver calls take the context from the stream. A default stream has none, so its context
// must be current: use CUC_ENTER(stream->context, ...) for such calls.
//
// CUC_CALL_ON() is CUC_CALL_IN() for a call on a stream. It enters the context only for a default
// stream, because the driver accepts other streams without a current context.
#define CUC_CALL_ON(function, status, stream_, call, arguments, ...)                           \
    do {                                                                                       \
        const cuc_stream *cuc__on = (stream_);                                                 \
        if (__builtin_expect(cuc__on->is_default, 0)) {                                        \
            CUC_CALL_IN_AS(function, status, cuc__on->context, call, arguments, __VA_ARGS__);  \
            break;                                                                             \
        }                                                                                      \
        CUresult cuc__on_code = cuc__cu.call arguments;                                        \
        (status) = cuc__on_code ? cuc__fail_driver(cuc__on->context, cuc__on_code, (function), \
                                                   #call, __VA_ARGS__)                         \
                                : CUC_OK;                                                      \
    } while (0)

// Marks a stream's launches before `mark` as complete. Call it after a successful wait for the
// stream.
static inline void cuc__stream_mark_complete(cuc_stream *s, uint32_t mark)
{
    if (atomic_load_explicit(&s->settled, memory_order_relaxed) == mark)
        return; // all launches before the mark are already known to be complete
    atomic_store_explicit(&s->settled, mark, memory_order_relaxed);
    cuc__ring_mark_complete(&s->context->recent, s->handle, mark);
}

// Destroys a stream whose last reference is gone.
void cuc__stream_end(cuc_stream *stream);

// Creates the object of a green context's stream. It retains the green context. Defined in green.c.
cuc_stream *cuc__stream_of_green(CUstream handle, cuc_context *context,
                                 struct cuc_green_context *green);

// Refuses an object of another device; the message names both devices. `what` is the kind of
// object, such as "event".
cuc_status cuc__stream_check_device(const cuc_stream *stream, const cuc_device *device,
                                    const char *what, const char *function);

#endif
