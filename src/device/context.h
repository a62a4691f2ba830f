// A context: the primary one of a device, or a foreign one. Each driver context has one object, so
// that its loss is reported at every later use, whatever handle leads to it.
#ifndef CUCORE_DEVICE_CONTEXT_H
#define CUCORE_DEVICE_CONTEXT_H

#include <cucore/context.h>

#include "device.h"
#include "launch_ring.h"

// The reason why a context is lost: the first sticky error seen in it.
struct cuc__loss {
    struct cuc__loss *next; // kept for the life of the process
    int code;
    char function[64];
    char call[64];
    char launches[2048]; // launches that might be incomplete at that moment, latest first
    _Atomic bool told;   // was reported in full once; later failures refer to that report
};

struct cuc_context {
    cuc__handle head;
    CUcontext handle;
    cuc_device *device;
    uint64_t id;          // the driver's, 0 without one: distinguishes contexts that reuse an
                          // address
    _Atomic bool primary; // retained for the life of the process, like its device
    struct cuc_context *next;

    pthread_mutex_t lock;
    struct cuc_stream *legacy, *per_thread; // default streams, made at first use
    struct cuc__idle_stream *idle;          // idle internal streams of cuc_event_get_fd()
    // Release these with the context's last reference; the files that fill the lists set them.
    void (*drop_streams)(struct cuc_context *context), (*drop_idle)(struct cuc_context *context);

    _Atomic(struct cuc__loss *) loss;
    struct cuc__launch_ring recent;
};

// Makes a context current for a few driver calls. `*pushed` becomes true if it was not current
// before, and goes to cuc__context_leave(). Records a failure under `function`'s name.
cuc_status cuc__context_enter(cuc_context *context, bool *pushed, const char *function);

// Restores the caller's context. A failure becomes a note if `status` is already one; otherwise it
// is recorded and returned.
cuc_status cuc__context_leave(cuc_context *context, bool pushed, cuc_status status,
                              const char *function);

#define CUC_ENTER(context, pushed) cuc__context_enter((context), (pushed), __func__)
#define CUC_LEAVE(context, pushed, status) \
    cuc__context_leave((context), (pushed), (status), __func__)

// Makes one driver call with a context current:
//
//     CUC_CALL_IN(st, stream->context, cuStreamGetId, (stream->handle, &id), "reading its id");
//
// `status` becomes CUC_OK, CUC_NOT_READY, or the recorded failure, and the caller's context is
// restored. The text and its values are those of cuc__fail_driver().
#define CUC_CALL_IN(status, context, call, arguments, ...) \
    CUC_CALL_IN_AS(__func__, status, context, call, arguments, __VA_ARGS__)

// The same in a helper, which fails under the public function's name.
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

// Returns the one object of a driver's context, retained; makes it if necessary.
cuc_status cuc__context_of_handle(cuc_context **out, CUcontext handle, const char *function);

// The calling thread's current context as an object, retained; *out is NULL if there is none.
cuc_status cuc__context_current(cuc_context **out, const char *function);

// The primary context of a device, borrowed: it lives as long as the process.
cuc_status cuc__device_primary(cuc_context **out, cuc_device *device, const char *function);

// NULL while the context works, or for a NULL context.
struct cuc__loss *cuc__context_loss(const cuc_context *context);

// The latest loss of any context, or NULL: sticky errors report it if their call has no context,
// such as a call about code.
struct cuc__loss *cuc__latest_loss(void);

// Marks a context as lost, the first time only. NULL means the calling thread's current one, unless
// a loss is already known.
void cuc__context_lose(cuc_context *context, int code, const char *function, const char *call);

#endif
