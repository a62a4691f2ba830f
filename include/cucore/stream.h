/**
 * @file
 * Streams: in-order queues of work.
 */
#ifndef CUCORE_STREAM_H
#define CUCORE_STREAM_H

#include <cucore/base.h>
#include <cucore/device.h>

CUC_BEGIN_DECLS

/**
 * An in-order queue of work on one device; it keeps its context alive.
 *
 * Threads: any thread; one call at a time on the same stream.
 */
typedef struct cuc_stream cuc_stream;
typedef struct cuc_event cuc_event;

/** Flags of cuc_stream_options. */
enum {
    /**
     * The stream and the legacy default stream wait for each other, like CUDA's blocking streams.
     */
    CUC_STREAM_SYNC_LEGACY = 1 << 0,
};

/** Options of cuc_stream_create(). Zero selects the default of every field. */
typedef struct cuc_stream_options {
    size_t struct_size; /**< sizeof(cuc_stream_options); the initializers set it */
    int32_t priority;   /**< lower runs first; 0 is the lowest priority; clamped to the device's
                             range */
    uint32_t flags;     /**< CUC_STREAM_ bits */
} cuc_stream_options;

/** Initial value of a cuc_stream_options variable. */
#define CUC_STREAM_OPTIONS_INIT          \
    {                                    \
        sizeof(cuc_stream_options), 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site: CUC_STREAM_OPTIONS(.priority = -1). */
#define CUC_STREAM_OPTIONS(...) \
    (&(cuc_stream_options){ .struct_size = sizeof(cuc_stream_options), __VA_ARGS__ })
#endif

/**
 * Zero options and write their size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     the caller's struct
 * @param caller_size sizeof(cuc_stream_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_stream_options_init(cuc_stream_options *options, size_t caller_size);

/**
 * Create a stream in a device's primary context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the stream, to be released
 * @param      device  the device to run on
 * @param      options NULL: lowest priority, no synchronization with the legacy default stream
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a flag or an option is unknown
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the context
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Management": cuStreamCreateWithPriority
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_create(cuc_stream **out, cuc_device *device,
                                     const cuc_stream_options *options);

/**
 * Create a stream in any context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the stream, to be released
 * @param      context retained by the stream
 * @param      options as for cuc_stream_create()
 * @retval CUC_OK created; otherwise as for cuc_stream_create()
 * @source CUDA Driver API, "Stream Management": cuStreamCreateWithPriority
 * @since 0.1
 */
CUC_API cuc_status cuc_context_stream_create(cuc_stream **out, cuc_context *context,
                                             const cuc_stream_options *options);

/** The two default streams of every context. */
enum {
    CUC_STREAM_LEGACY = 0,     /**< synchronizes in both directions with every
                                    CUC_STREAM_SYNC_LEGACY stream */
    CUC_STREAM_PER_THREAD = 1, /**< a separate queue for each thread that uses it */
};

/**
 * A default stream of a device's primary context.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    borrowed for the life of the process
 * @param      device the device
 * @param      which  CUC_STREAM_LEGACY or CUC_STREAM_PER_THREAD
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or `which` is neither of the two
 * @source CUDA Driver API, "Stream synchronization behavior": CU_STREAM_LEGACY
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_default(cuc_stream **out, cuc_device *device, int32_t which);

/**
 * Wrap a stream that was created elsewhere: a CUstream, or a cudaStream_t of the CUDA runtime.
 *
 * The stream is borrowed; releasing the wrapper does not destroy it. The handles of the default
 * streams (NULL, 1, 2) mean the default streams of the calling thread's current context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out        the wrapper, to be released
 * @param      handle     a CUstream
 * @param      owner      kept until the wrapper is released; may be NULL
 * @param      drop_owner called with owner at that time; NULL: nothing is called
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or handle is a default stream and no context is
 *                                    current
 * @retval CUC_ERROR_DRIVER           the driver does not know the handle
 * @source CUDA Driver API, "Stream Management": cuStreamGetCtx
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_from_handle(cuc_stream **out, void *handle, void *owner,
                                          void (*drop_owner)(void *owner));

/**
 * The driver's handle of a stream, which is also its cudaStream_t.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUstream; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_stream_handle(const cuc_stream *stream);

/**
 * The device that a stream runs on.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_stream_device(const cuc_stream *stream);

/**
 * The context of a stream.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed, as long as the stream lives; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_context *cuc_stream_context(const cuc_stream *stream);

/**
 * The actual priority of a stream.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    lower runs first
 * @param      stream the stream
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetPriority
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_priority(int32_t *out, cuc_stream *stream);

/**
 * The flags of a stream.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    CUC_STREAM_ bits
 * @param      stream the stream
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetFlags
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_flags(uint32_t *out, cuc_stream *stream);

/**
 * An identifier that is unique among all streams the process ever has.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    the identifier
 * @param      stream the stream
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetId
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_id(uint64_t *out, cuc_stream *stream);

/**
 * Check whether all work on a stream is complete, without waiting.
 *
 * @thread any thread
 * @capture refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on; on another
 *          stream it may spoil a capture in global mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_NOT_READY          some work is pending
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message lists likely causes
 * @retval CUC_ERROR_BUSY         the stream is being captured; its capture continues
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing, cuStreamQuery
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_query(cuc_stream *stream);

/**
 * Wait until all work on a stream is complete.
 *
 * @order  blocks the calling thread
 * @thread any thread
 * @capture refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on; on another
 *          stream it may spoil a capture in global mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message lists likely causes
 * @retval CUC_ERROR_BUSY         the stream is being captured; its capture continues
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing, cuStreamSynchronize
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_synchronize(cuc_stream *stream);

/**
 * Make later work on a stream wait for an event.
 *
 * An event that was never recorded causes no wait. The event may belong to another device.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a dependency in the graph
 * @param stream the queue that waits
 * @param event  in its current recording; a later recording does not affect this wait
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_event(cuc_stream *stream, cuc_event *event);

/**
 * Make later work on a stream wait for all work now on another stream.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same streams
 * @capture becomes a dependency in the graph
 * @param stream the queue that waits
 * @param other  the queue to wait for; passing the same one does nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed a context
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent; "Event Management":
 * cuEventRecord
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_stream(cuc_stream *stream, cuc_stream *other);

/**
 * Give a stream the attributes of another stream, such as its priority and its L2 access policy
 * window.
 *
 * @order  changes the attributes of later work; waits for nothing
 * @thread any thread; one call at a time on the same streams
 * @capture safe: not restricted by the driver
 * @param stream the stream to change
 * @param from   the stream to copy from, of the same device; passing the same one does nothing
 * @retval CUC_OK                     copied
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the streams belong to different
 *                                    devices
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 11.0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Management": cuStreamCopyAttributes
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_copy_attributes(cuc_stream *stream, cuc_stream *from);

/**
 * Callback of cuc_stream_add_callback(), called when the stream reaches it.
 *
 * @param status       CUC_OK, or CUC_ERROR_CONTEXT_LOST when work before it failed
 * @param library_code the CUresult behind the status, 0 for none
 * @param user         the caller's pointer
 */
typedef void (*cuc_stream_callback)(cuc_status status, int32_t library_code, void *user);

/**
 * Call a function on the host when the stream reaches it, even if earlier work failed.
 *
 * The function runs on a driver thread and must not call CUDA or cucore. cuc_launch_host()
 * (launch.h) is cheaper and can be captured, but its function is not called after an error.
 *
 * @order  enqueues and returns; later work on the stream waits for the function
 * @thread any thread; one call at a time on the same stream
 * @capture refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on
 * @param stream   the queue
 * @param callback the function
 * @param user     passed to it
 * @retval CUC_OK                         enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL
 * @retval CUC_ERROR_BUSY                 the stream is being captured; its capture continues
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory for the callback's record
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing, cuStreamAddCallback
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_add_callback(cuc_stream *stream, cuc_stream_callback callback,
                                           void *user);

/** Comparisons of memory with the value of cuc_stream_wait_value(). */
enum {
    CUC_WAIT_GEQ = 0, /**< (int)(memory - value) >= 0, in wrap-around arithmetic */
    CUC_WAIT_EQ = 1,  /**< memory == value */
    CUC_WAIT_AND = 2, /**< (memory & value) != 0 */
    CUC_WAIT_NOR = 3, /**< ~(memory | value) != 0; a device attribute reports support */
    /** Add it to flush outstanding remote writes after the wait; a device attribute reports
     * support. */
    CUC_WAIT_FLUSH = 1 << 30,
};

/** Flags of cuc_stream_write_value(). */
enum {
    CUC_WRITE_NO_MEMORY_BARRIER = 1, /**< does not order the stream's earlier writes before this
                                          one */
};

/**
 * Make later work on a stream wait until a word of memory satisfies a comparison.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream  the queue that waits
 * @param address aligned to `bytes`; mapped host memory, or device memory outside pools
 *                (cuc_memory_synchronous_create())
 * @param value   only the lower half is used for 4 bytes
 * @param bytes   4 or 8
 * @param compare a CUC_WAIT_ constant, with or without CUC_WAIT_FLUSH
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT address is 0 or misaligned, bytes is neither 4 nor 8, or
 *                                    compare is unknown
 * @retval CUC_ERROR_NOT_SUPPORTED    the device does not support this wait
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Memory Operations": cuStreamWaitValue32, cuStreamWaitValue64
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_value(cuc_stream *stream, cuc_device_ptr address, uint64_t value,
                                         uint32_t bytes, uint32_t compare);

/**
 * Write a word of memory in stream order.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream  the queue
 * @param address aligned to `bytes`; mapped host memory, or device memory outside pools
 *                (cuc_memory_synchronous_create())
 * @param value   only the lower half is used for 4 bytes
 * @param bytes   4 or 8
 * @param flags   0 or CUC_WRITE_NO_MEMORY_BARRIER
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT address is 0 or misaligned, bytes is neither 4 nor 8, or flags
 *                                    are unknown
 * @retval CUC_ERROR_NOT_SUPPORTED    the device does not support this write
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Memory Operations": cuStreamWriteValue32, cuStreamWriteValue64
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_write_value(cuc_stream *stream, cuc_device_ptr address,
                                          uint64_t value, uint32_t bytes, uint32_t flags);

/**
 * Check whether work enqueued on a stream is being captured into a graph instead of executed.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    1 during a capture, including a spoilt one; else 0
 * @param      stream the stream
 * @retval CUC_OK         written
 * @retval CUC_ERROR_BUSY another thread's capture forbids querying the legacy stream
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_is_capturing(int32_t *out, cuc_stream *stream);

/**
 * Add a reference to a stream.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return stream; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_stream *cuc_stream_retain(cuc_stream *stream);

/**
 * Release a stream. After the last release, the stream is destroyed once its work is complete; the
 * call does not wait. Buffers that will be freed on the stream keep it alive.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver; keep the last reference of a captured stream until
 *          its capture has ended. Otherwise the capture is cancelled and the process-wide failure
 *          handler is called; if the capture can never end (see graph.h), the driver's stream
 *          remains
 * @param stream NULL or a default stream does nothing
 * @source CUDA Driver API, "Stream Management": cuStreamDestroy
 * @since 0.1
 */
CUC_API void cuc_stream_release(cuc_stream *stream);

CUC_END_DECLS

#endif
