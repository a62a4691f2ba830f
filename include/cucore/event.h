/**
 * @file
 * Events: points in a stream that others can wait for, query, and measure time between.
 */
#ifndef CUCORE_EVENT_H
#define CUCORE_EVENT_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A point in a stream; it keeps its context alive.
 *
 * Threads: any thread; one call at a time on an event that is being recorded.
 */
typedef struct cuc_event cuc_event;

/** Flags of cuc_event_options. */
enum {
    CUC_EVENT_TIMING = 1 << 0,        /**< cuc_event_get_elapsed() can measure with it */
    CUC_EVENT_BLOCKING_SYNC = 1 << 1, /**< a thread that waits for the event sleeps instead of
                                           spinning */
    CUC_EVENT_IPC = 1 << 2,           /**< other processes can open it; excludes CUC_EVENT_TIMING */
};

/** Options of cuc_event_create(). Zero selects the default of every field. */
typedef struct cuc_event_options {
    size_t struct_size; /**< sizeof(cuc_event_options); the initializers set it */
    uint32_t flags;     /**< CUC_EVENT_ bits */
    uint32_t reserved;  /**< 0 */
} cuc_event_options;

/** Initial value of a cuc_event_options variable. */
#define CUC_EVENT_OPTIONS_INIT          \
    {                                   \
        sizeof(cuc_event_options), 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site: CUC_EVENT_OPTIONS(.flags = CUC_EVENT_TIMING). */
#define CUC_EVENT_OPTIONS(...) \
    (&(cuc_event_options){ .struct_size = sizeof(cuc_event_options), __VA_ARGS__ })
#endif

/**
 * Zero options and write their size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     the caller's struct
 * @param caller_size sizeof(cuc_event_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_event_options_init(cuc_event_options *options, size_t caller_size);

/**
 * Create an event in a device's primary context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the event, to be released
 * @param      device  the device whose streams will record it
 * @param      options NULL: no timing, and waiting threads spin
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a flag or an option is unknown
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the context
 * @source CUDA Driver API, "Event Management": cuEventCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_event_create(cuc_event **out, cuc_device *device,
                                    const cuc_event_options *options);

/**
 * Create an event in any context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the event, to be released
 * @param      context retained by the event
 * @param      options as for cuc_event_create()
 * @retval CUC_OK created; otherwise as for cuc_event_create()
 * @source CUDA Driver API, "Event Management": cuEventCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_context_event_create(cuc_event **out, cuc_context *context,
                                            const cuc_event_options *options);

/**
 * Wrap an event that was created elsewhere: a CUevent, or a cudaEvent_t of the CUDA runtime.
 *
 * The event is borrowed; releasing the wrapper does not destroy it. The driver cannot report an
 * event's context and flags, so the caller supplies them.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the wrapper, to be released
 * @param      handle  a CUevent
 * @param      context its context; NULL: the one that is current on the calling thread
 * @param      flags   the CUC_EVENT_ bits it was created with
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out or handle is NULL, a flag is unknown, or context is NULL
 *                                    and none is current
 * @since 0.1
 */
CUC_API cuc_status cuc_event_from_handle(cuc_event **out, void *handle, cuc_context *context,
                                         uint32_t flags);

/**
 * The driver's handle of an event, which is also its cudaEvent_t.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUevent; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_event_handle(const cuc_event *event);

/**
 * The device of an event.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_event_device(const cuc_event *event);

/**
 * The context of an event.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed, as long as the event lives; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_context *cuc_event_context(const cuc_event *event);

/**
 * The flags that an event was created with.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_EVENT_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_event_flags(const cuc_event *event);

/**
 * Record an event. It completes when all work that is now on the stream is complete.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same event and stream
 * @capture becomes a dependency in the graph
 * @param stream the queue
 * @param event  of the stream's context; replaces its previous recording
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the two belong to different contexts
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the context
 * @source CUDA Driver API, "Event Management": cuEventRecord
 * @since 0.1
 */
CUC_API cuc_status cuc_event_record(cuc_stream *stream, cuc_event *event);

/**
 * Check whether an event has completed, without waiting. A never recorded event counts as complete.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @retval CUC_OK                 complete
 * @retval CUC_NOT_READY          pending
 * @retval CUC_ERROR_CONTEXT_LOST work before it failed
 * @retval CUC_ERROR_BUSY         it was recorded in a stream that is being captured
 * @source CUDA Driver API, "Event Management": cuEventQuery
 * @since 0.1
 */
CUC_API cuc_status cuc_event_query(cuc_event *event);

/**
 * Wait until an event has completed. A never recorded event causes no wait.
 *
 * @order  blocks the calling thread
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @retval CUC_OK                 complete
 * @retval CUC_ERROR_CONTEXT_LOST work before it failed
 * @retval CUC_ERROR_BUSY         it was recorded in a stream that is being captured
 * @source CUDA Driver API, "Event Management": cuEventSynchronize
 * @since 0.1
 */
CUC_API cuc_status cuc_event_synchronize(cuc_event *event);

/**
 * The time between two events, measured on the device.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] milliseconds resolution about half a microsecond
 * @param      start        recorded with CUC_EVENT_TIMING
 * @param      end          recorded with CUC_EVENT_TIMING, in the same context
 * @retval CUC_OK                     measured
 * @retval CUC_NOT_READY              one of them has not completed
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or an event has no timing or was never
 *                                    recorded
 * @retval CUC_ERROR_CONTEXT_LOST     work before them failed
 * @source CUDA Driver API, "Event Management": cuEventElapsedTime
 * @since 0.1
 */
CUC_API cuc_status cuc_event_get_elapsed(float *milliseconds, cuc_event *start, cuc_event *end);

/**
 * Create a file descriptor for poll(), epoll or asyncio. It becomes readable when an event
 * completes.
 *
 * The descriptor refers to the event's latest recording at the time of the call. It is readable at
 * once if the event has completed or was never recorded. It also becomes readable if the event can
 * never complete because its context failed; cuc_event_query() then reports the failure. An
 * internal stream does the waiting; later calls reuse it.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   an eventfd, non-blocking and close-on-exec; the caller closes it, at any time
 * @param      event the event
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_BUSY             the event was recorded in a stream that is being captured
 * @retval CUC_ERROR_CONTEXT_LOST     the context has failed already
 * @retval CUC_ERROR_IO               the system has no file descriptors left
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent, cuStreamAddCallback
 * @since 0.1
 */
CUC_API cuc_status cuc_event_get_fd(int32_t *out, cuc_event *event);

/**
 * Add a reference to an event.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return event; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_event *cuc_event_retain(cuc_event *event);

/**
 * Release an event. Waits already enqueued for it stay in effect.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param event NULL does nothing
 * @source CUDA Driver API, "Event Management": cuEventDestroy
 * @since 0.1
 */
CUC_API void cuc_event_release(cuc_event *event);

CUC_END_DECLS

#endif
