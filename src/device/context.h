// Contexts: a device's primary context, or a foreign one. Each driver context has a single object,
// so that every handle reports the loss of the context.
#ifndef CUCORE_DEVICE_CONTEXT_H
#define CUCORE_DEVICE_CONTEXT_H

#include <cucore/context.h>

#include "device.h"
#include "launch_ring.h"

// The reason why a context is lost: the first sticky error seen in it.
struct cuc__loss {
    struct cuc__loss *next; // never freed
    int code;
    char function[64];
    char call[64];
    char launches[2048];   // launches that may have been incomplete at that moment, latest first
    _Atomic bool reported; // reported in full once; later failures refer to that report
};

struct cuc_context {
    cuc__handle head;
    CUcontext handle;
    cuc_device *device;
    uint64_t id;          // the driver's ID, or 0 if it has none; distinguishes contexts that reuse
                          // an address
    _Atomic bool primary; // retained for the life of the process, like its device
    struct cuc_context *next;

    pthread_mutex_t lock;
    struct cuc_stream *legacy, *per_thread; // default streams, created on first use
    struct cuc__idle_stream *idle;          // idle internal streams of cuc_event_get_fd()
    // Release the default streams and the idle streams together with the context's last reference.
    // Set by the files that create these streams.
    void (*drop_streams)(struct cuc_context *context), (*drop_idle)(struct cuc_context *context);

    _Atomic(struct cuc__loss *) loss;
    struct cuc__launch_ring recent;
};

// Makes a context current for a few driver calls. `*pushed` becomes true if it was not current
// before; pass it to cuc__context_leave(). Records a failure under the name in `function`.
cuc_status cuc__context_enter(cuc_context *context, bool *pushed, const char *function);

// Restores the caller's context. If restoring fails and `status` is already a failure, the new
// failure becomes a note; otherwise it is recorded and returned.
cuc_status cuc__context_leave(cuc_context *context, bool pushed, cuc_status status,
                              const char *function);

#define CUC_ENTER(context, pushed) cuc__context_enter((context), (pushed), __func__)
#define CUC_LEAVE(context, pushed, status) \
    cuc__context_leave((context), (pushed), (status), __func__)

// Makes one driver call with a context current:
//
// CUC_CALL_IN(st, stream->context, cuStreamGetId, (stream->handle, &id), "reading its id");
//
// `status` becomes CUC_OK, CUC_NOT_READY or the recorded failure. The macro restores the caller's
// context. The last arguments are the format and values for cuc__fail_driver().
#define CUC_CALL_IN(status, context, call, arguments, ...) \
    CUC_CALL_IN_AS(__func__, status, context, call, arguments, __VA_ARGS__)

// Does the same in a helper, which reports failures under the public function's name.
#define CUC_CALL_IN_AS(function, status, context_, call, arguments, ...)                          \
    do {                                                                                          \
        cuc_context *cuc__context = (context_);                                                   \
        bool cuc__pushed;                                                                         \
        (status) = cuc__context_enter(cuc__context, &cuc__pushed, (function));                    \
        if ((status) < 0)                                                                         \
            break;                                                                                \
        CUresult cuc__code = cuc__cu.call arguments;                                              \
        if (cuc__code == CUDA_ERROR_NOT_READY)                                                    \
            (status) = CUC_NOT_READY;                                                             \
        else if (cuc__code)                                                                       \
            (status) = cuc__fail_driver(cuc__context, cuc__code, (function), #call, __VA_ARGS__); \
        (status) = cuc__context_leave(cuc__context, cuc__pushed, (status), (function));           \
    } while (0)

// Returns the object of a driver's context, retained, and creates it if necessary.
cuc_status cuc__context_of_handle(cuc_context **out, CUcontext handle, const char *function);

// Returns the calling thread's current context as an object, retained; *out is NULL if there is
// none.
cuc_status cuc__context_current(cuc_context **out, const char *function);

// Returns the primary context of a device, borrowed; it lives as long as the process.
cuc_status cuc__device_primary(cuc_context **out, cuc_device *device, const char *function);

// Returns the record of a context's loss, or NULL if the context works or is NULL.
struct cuc__loss *cuc__context_loss(const cuc_context *context);

// Returns the latest loss of any context, or NULL. A call without a context, such as one that loads
// code, reports this loss for a sticky error.
struct cuc__loss *cuc__latest_loss(void);

// Marks a context as lost, once. If `context` is NULL, marks the calling thread's current context,
// unless a loss is already known.
void cuc__context_lose(cuc_context *context, int code, const char *function, const char *call);

#endif
