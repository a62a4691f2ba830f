#include "event.h"

#include "base/file.h"
#include "driver/relaxed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// An internal stream that waits for one event at a time. An idle stream is in its context's list.
// The driver's callback returns it to the list rather than destroying it, because a callback must
// not call the driver.
struct cuc__idle_stream {
    struct cuc__idle_stream *next;
    cuc_context *context; // retained during the wait, because the callback needs the list
    CUstream handle;
    int fd; // a duplicate, because the caller may close its descriptor at any time
};

static void make_readable(int fd)
{
    uint64_t one = 1;
    ssize_t n;

    CUC_RETRY(n, write(fd, &one, sizeof(one)));
}

static void drop_idle(cuc_context *context);

static void put_back(struct cuc__idle_stream *s)
{
    pthread_mutex_lock(&s->context->lock);
    s->next = s->context->idle;
    s->context->idle = s;
    s->context->drop_idle = drop_idle;
    pthread_mutex_unlock(&s->context->lock);
}

static void drop(struct cuc__idle_stream *s)
{
    CUC_CLEANUP(s->context, cuStreamDestroy, (void *)s->handle, s->handle);
    free(s);
}

// Runs on one of the driver's threads. Unlike a cuLaunchHostFunc callback, it also runs after
// errors.
static void event_done(CUstream stream, CUresult code, void *data)
{
    struct cuc__idle_stream *s = data;
    int fd = s->fd;
    cuc_context *context = s->context;

    (void)stream;
    (void)code;
    // Return the stream to the list first: a woken caller may request the next descriptor at once.
    put_back(s);
    make_readable(fd);
    close(fd);
    cuc__handle_drop_shared(context);
}

// Returns one of the context's idle streams, or a new one. The context must be current.
static cuc_status take(struct cuc__idle_stream **out, cuc_context *context, const char *function)
{
    struct cuc__idle_stream *s;

    pthread_mutex_lock(&context->lock);
    s = context->idle;
    if (s)
        context->idle = s->next;
    pthread_mutex_unlock(&context->lock);
    if (!s) {
        s = calloc(1, sizeof(*s));
        if (!s)
            return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a waiter");
        CUresult r = cuc__cu.cuStreamCreate(&s->handle, CU_STREAM_NON_BLOCKING);
        if (r) {
            free(s);
            return cuc__fail_driver(context, r, function, "cuStreamCreate",
                                    "making a stream that waits for the event");
        }
        s->context = context;
    }
    *out = s;
    return CUC_OK;
}

// Enqueues the wait for the event, and the callback. The context must be current.
static cuc_status wait_on(cuc_context *context, CUevent event, int fd, const char *function)
{
    struct cuc__idle_stream *s = NULL;
    const char *call = "cuStreamWaitEvent";
    cuc_status st = take(&s, context, function);

    if (st < 0)
        return st;
    s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (s->fd < 0) {
        st = cuc__fail(CUC_ERROR_IO, function, "no file descriptor left: %s", strerror(errno));
        put_back(s);
        return st;
    }
    CUresult r = cuc__cu.cuStreamWaitEvent(s->handle, event, CU_EVENT_WAIT_DEFAULT);
    bool waits = !r;
    if (!r) {
        call = "cuStreamAddCallback";
        cuc_context_retain(context);
        r = cuc__cu.cuStreamAddCallback(s->handle, event_done, s, 0);
        if (r)
            cuc_context_release(context);
    }
    if (r) {
        st = cuc__fail_driver(context, r, function, call, "waiting for an event");
        close(s->fd);
        if (waits)
            drop(s); // the stream cannot be reused, because later work on it would wait for this
                     // event too
        else
            put_back(s);
    }
    return st;
}

cuc_status cuc_event_get_fd(int32_t *out, cuc_event *event)
{
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(event, EVENT);
    cuc_context *context = event->context;
    cuc_status st = CUC_ENTER(context, &pushed);
    if (st < 0)
        return st;

    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd < 0)
        return CUC_LEAVE(context, pushed,
                         CUC_FAIL(CUC_ERROR_IO, "no eventfd: %s", strerror(errno)));

    // Relaxed mode keeps the internal stream from invalidating a capture elsewhere in the program.
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuEventQuery(event->handle);
    if (r == CUDA_SUCCESS)
        make_readable(fd);
    else if (r == CUDA_ERROR_NOT_READY)
        st = wait_on(context, event->handle, fd, __func__);
    else
        st = CUC_FAIL_CU(context, r, "cuEventQuery", "asking whether an event is complete");
    cuc__leave_relaxed_mode(mode);

    st = CUC_LEAVE(context, pushed, st);
    if (st < 0) {
        close(fd);
        return st;
    }
    *out = fd;
    return CUC_OK;
}

static void drop_idle(cuc_context *context)
{
    while (context->idle) {
        struct cuc__idle_stream *s = context->idle;
        context->idle = s->next;
        drop(s);
    }
}
