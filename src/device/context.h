// A context: the primary one of a device, or a foreign one. Each is known by one object, so
// that what destroyed it is told on every later use, by whatever handle that comes.
#ifndef CUCORE_DEVICE_CONTEXT_H
#define CUCORE_DEVICE_CONTEXT_H

#include <cucore/context.h>

#include "device.h"
#include "launch_ring.h"

// Why a context is lost: the first sticky error seen in it.
struct cuc__loss {
    struct cuc__loss *next; // they are kept for the life of the process
    int code;
    char function[64];
    char call[64];
    char launches[2048]; // those that might not be complete at that moment, latest first
    _Atomic bool told;   // with all of this; later failures refer to it
};

struct cuc_context {
    cuc__handle head;
    CUcontext handle;
    cuc_device *device;
    uint64_t id;          // the driver's, 0 without one: tells it from a later one at its address
    _Atomic bool primary; // retained for the life of the process, as its device is
    struct cuc_context *next;

    pthread_mutex_t lock;
    struct cuc_stream *legacy, *per_thread; // default streams, made on first need
    struct cuc__idle_stream *idle;          // internal streams of cuc_event_fd(), to use again
    // Release these with the context's last reference; set by their files with the first of them.
    void (*drop_streams)(struct cuc_context *context), (*drop_idle)(struct cuc_context *context);

    _Atomic(struct cuc__loss *) loss;
    struct cuc__launch_ring recent;
};

// Make a context current for a few driver calls. `*pushed` says whether it was not so already,
// and goes to cuc__context_leave(). Records a failure under `function`'s name.
cuc_status cuc__context_enter(cuc_context *context, bool *pushed, const char *function);

// Put the caller's context back. With a failure under way (status < 0) a second one becomes a
// note; else it is the failure.
cuc_status cuc__context_leave(cuc_context *context, bool pushed, cuc_status status,
                              const char *function);

#define CUC_ENTER(context, pushed) cuc__context_enter((context), (pushed), __func__)
#define CUC_LEAVE(context, pushed, status) \
    cuc__context_leave((context), (pushed), (status), __func__)

// One driver call with a context current, the common shape of what needs one:
//
//     CUC_CALL_IN(st, stream->context, cuStreamGetId, (stream->handle, &id), "reading its id");
//
// `status` comes to be CUC_OK, CUC_NOT_READY, or the failure that was recorded, the context being
// as it was before. The text and its values are what cuc__fail_driver() takes.
#define CUC_CALL_IN(status, context, call, arguments, ...) \
    CUC_CALL_IN_AS(__func__, status, context, call, arguments, __VA_ARGS__)

// The same in a helper, which fails in the name of the public function.
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

// The one object of a driver's context, retained; made when there is none.
cuc_status cuc__context_of_handle(cuc_context **out, CUcontext handle, const char *function);

// The calling thread's current context as an object, retained; *out is NULL when there is none.
cuc_status cuc__context_current(cuc_context **out, const char *function);

// The primary context of a device, borrowed: it lives as long as the process.
cuc_status cuc__device_primary(cuc_context **out, cuc_device *device, const char *function);

// NULL while the context works, or for a NULL context.
struct cuc__loss *cuc__context_loss(const cuc_context *context);

// The latest loss of any context, or NULL: what a sticky error tells of that comes from a call
// without a context, such as one about code.
struct cuc__loss *cuc__latest_loss(void);

// Mark a context as lost, the first time only. NULL is the calling thread's current one, unless a
// loss is known already.
void cuc__context_lose(cuc_context *context, int code, const char *function, const char *call);

#endif
