/**
 * @file
 * Events: points in a stream that others can wait for, ask about and measure between.
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
    CUC_EVENT_BLOCKING_SYNC = 1 << 1, /**< a thread that waits for it sleeps and does not spin */
    CUC_EVENT_IPC = 1 << 2,           /**< other processes can have it; not with CUC_EVENT_TIMING */
};

/** How cuc_event_create() makes an event; zero is the default of every field. */
typedef struct cuc_event_options {
    size_t struct_size; /**< sizeof(cuc_event_options); the initialisers set it */
    uint32_t flags;     /**< CUC_EVENT_ bits */
    uint32_t reserved;  /**< 0 */
} cuc_event_options;

/** The starting value of a cuc_event_options variable. */
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
 * @param caller_size sizeof(cuc_event_options) where the caller was compiled
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
 * @param      options NULL: no timing, waiting spins
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a flag or an option is not known
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
 * @retval CUC_OK created; else as cuc_event_create()
 * @source CUDA Driver API, "Event Management": cuEventCreate
 * @since 0.1
 */
CUC_API cuc_status cuc_event_create_in(cuc_event **out, cuc_context *context,
                                       const cuc_event_options *options);

/**
 * Wrap an event that was made elsewhere: a CUevent, or a cudaEvent_t of the CUDA runtime.
 *
 * It is borrowed, and not destroyed with the wrapper. The driver cannot be asked what an event
 * is of, so the caller says it.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the wrapper, to be released
 * @param      handle  a CUevent
 * @param      context its context; NULL: the one that is current on the calling thread
 * @param      flags   CUC_EVENT_ bits it was made with
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out or handle is NULL, a flag is not known, or no context is
 *                                    given and none is current
 * @since 0.1
 */
CUC_API cuc_status cuc_event_from_handle(cuc_event **out, void *handle, cuc_context *context,
                                         uint32_t flags);

/**
 * The driver's own handle of an event, which is also its cudaEvent_t.
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
 * The flags that an event was made with.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_EVENT_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_event_flags(const cuc_event *event);

/**
 * Record an event: it completes when all present work of the stream is done.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same event and stream
 * @capture becomes a dependency in the graph
 * @param event  of the stream's context; what it recorded before is forgotten
 * @param stream the queue
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the two are of different contexts
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the context
 * @source CUDA Driver API, "Event Management": cuEventRecord
 * @since 0.1
 */
CUC_API cuc_status cuc_event_record(cuc_event *event, cuc_stream *stream);

/**
 * Whether an event has completed, without waiting. One that was never recorded has.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @retval CUC_OK                 complete
 * @retval CUC_NOT_READY          not yet
 * @retval CUC_ERROR_CONTEXT_LOST work before it failed
 * @retval CUC_ERROR_BUSY         it was recorded in a stream that is being captured
 * @source CUDA Driver API, "Event Management": cuEventQuery
 * @since 0.1
 */
CUC_API cuc_status cuc_event_query(cuc_event *event);

/**
 * Wait until an event has completed. One that was never recorded is not waited for.
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
 * The time between two events on the device.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] milliseconds to about half a microsecond
 * @param      start        recorded with CUC_EVENT_TIMING
 * @param      end          recorded with CUC_EVENT_TIMING, in the same context
 * @retval CUC_OK                     measured
 * @retval CUC_NOT_READY              one of them has not completed
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL; one has no timing, or was never recorded
 * @retval CUC_ERROR_CONTEXT_LOST     work before them failed
 * @source CUDA Driver API, "Event Management": cuEventElapsedTime
 * @since 0.1
 */
CUC_API cuc_status cuc_event_get_elapsed(float *milliseconds, cuc_event *start, cuc_event *end);

/**
 * A file descriptor that becomes readable when an event completes, for poll(), epoll or asyncio.
 *
 * It becomes readable also when the event never will complete because the context failed; then
 * cuc_event_query() tells. It stands for what the event has recorded by now; an event that has
 * completed, or was never recorded, is readable at once. Waiting is done by a stream of
 * cucore's own, which later calls use again.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   an eventfd, non-blocking and close-on-exec; the caller closes it, at any time
 * @param      event the event
 * @retval CUC_OK                     made
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_BUSY             the event was recorded in a stream that is being captured
 * @retval CUC_ERROR_CONTEXT_LOST     the context has failed already
 * @retval CUC_ERROR_IO               the system has no descriptor left
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent, cuStreamAddCallback
 * @since 0.1
 */
CUC_API cuc_status cuc_event_fd(int32_t *out, cuc_event *event);

/**
 * Hold an event once more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return event; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_event *cuc_event_retain(cuc_event *event);

/**
 * Let go of an event. What waits for it already goes on waiting.
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
