/**
 * @file
 * Streams: queues of work that run in order.
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
    /** The stream and the legacy default stream wait for each other, as CUDA's plain streams do. */
    CUC_STREAM_SYNC_LEGACY = 1 << 0,
};

/** How cuc_stream_create() makes a stream; zero is the default of every field. */
typedef struct cuc_stream_options {
    size_t struct_size; /**< sizeof(cuc_stream_options); the initialisers set it */
    int32_t priority; /**< lower runs first; 0 is the lowest; outside the device's range: clamped */
    uint32_t flags;   /**< CUC_STREAM_ bits */
} cuc_stream_options;

/** The starting value of a cuc_stream_options variable. */
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
 * @param caller_size sizeof(cuc_stream_options) where the caller was compiled
 * @since 0.1
 */
CUC_API void cuc_stream_options_init(cuc_stream_options *options, size_t caller_size);

/**
 * Create a stream in a device's primary context.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     the stream, to be released
 * @param      device  where it runs
 * @param      options NULL: lowest priority, not in step with the legacy default stream
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a flag or an option is not known
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
 * @retval CUC_OK created; else as cuc_stream_create()
 * @source CUDA Driver API, "Stream Management": cuStreamCreateWithPriority
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_create_in(cuc_stream **out, cuc_context *context,
                                        const cuc_stream_options *options);

/** The two streams that every context has. */
enum {
    CUC_STREAM_LEGACY = 0,     /**< waits for, and holds up, every CUC_STREAM_SYNC_LEGACY stream */
    CUC_STREAM_PER_THREAD = 1, /**< another queue for each thread that uses it */
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
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or which is neither
 * @source CUDA Driver API, "Stream synchronization behavior": CU_STREAM_LEGACY
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_default(cuc_stream **out, cuc_device *device, int32_t which);

/**
 * Wrap a stream that was made elsewhere: a CUstream, or a cudaStream_t of the CUDA runtime.
 *
 * It is borrowed, and not destroyed with the wrapper. The default streams (NULL, 1, 2) mean
 * those of the context that is current on the calling thread.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out        the wrapper, to be released
 * @param      handle     a CUstream
 * @param      owner      kept until the wrapper is released; may be NULL
 * @param      drop_owner called with owner then; NULL: nothing is called
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or a default stream without a current context
 * @retval CUC_ERROR_DRIVER           the driver does not know the handle
 * @source CUDA Driver API, "Stream Management": cuStreamGetCtx
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_from_handle(cuc_stream **out, void *handle, void *owner,
                                          void (*drop_owner)(void *owner));

/**
 * The driver's own handle of a stream, which is also its cudaStream_t.
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
 * The priority that a stream came to have.
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
 * A number that no other stream of the process has or will have.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    the number
 * @param      stream the stream
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Management": cuStreamGetId
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_get_id(uint64_t *out, cuc_stream *stream);

/**
 * Whether all work of a stream is done, without waiting.
 *
 * @thread any thread
 * @capture refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on; on another
 *          stream it may spoil a capture in global mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_NOT_READY          something is not
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message says what may have caused it
 * @retval CUC_ERROR_BUSY         the stream is being captured, and goes on being so
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing, cuStreamQuery
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_query(cuc_stream *stream);

/**
 * Wait until all work of a stream is done.
 *
 * @order  blocks the calling thread
 * @thread any thread
 * @capture refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on; on another
 *          stream it may spoil a capture in global mode
 * @retval CUC_OK                 everything is done
 * @retval CUC_ERROR_CONTEXT_LOST work failed; the message says what may have caused it
 * @retval CUC_ERROR_BUSY         the stream is being captured, and goes on being so
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing, cuStreamSynchronize
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_synchronize(cuc_stream *stream);

/**
 * Let later work of a stream wait for an event.
 *
 * An event that was never recorded is not waited for. The event may be of another device.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a dependency in the graph
 * @param stream the queue that waits
 * @param event  as recorded by now; recording it again changes nothing here
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed the stream's context
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_event(cuc_stream *stream, cuc_event *event);

/**
 * Let later work of a stream wait for all present work of another.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same streams
 * @capture becomes a dependency in the graph
 * @param stream the queue that waits
 * @param other  the queue that is waited for; the same one does nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     an earlier failure destroyed a context
 * @source CUDA Driver API, "Stream Management": cuStreamWaitEvent; "Event Management":
 * cuEventRecord
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_wait_stream(cuc_stream *stream, cuc_stream *other);

/**
 * Called by cuc_stream_add_callback() when the stream comes to it.
 *
 * @param status       CUC_OK, or CUC_ERROR_CONTEXT_LOST when work before it failed
 * @param library_code the CUresult behind it, 0 for none
 * @param user         as given
 */
typedef void (*cuc_stream_callback)(cuc_status status, int32_t library_code, void *user);

/**
 * Call a function on the host when the stream comes to it, also when work before it failed.
 *
 * It runs on a thread of the driver and may not call CUDA or cucore. Cheaper without the
 * promise to be called on errors: cuc_launch_host() (launch.h), which can be captured too.
 *
 * @order  enqueues and returns; work behind it waits for the function
 * @thread any thread; one call at a time on the same stream
 * @capture refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on
 * @param stream   the queue
 * @param callback the function
 * @param user     handed to it
 * @retval CUC_OK                         enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL
 * @retval CUC_ERROR_BUSY                 the stream is being captured, and goes on being so
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory for its record
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing, cuStreamAddCallback
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_add_callback(cuc_stream *stream, cuc_stream_callback callback,
                                           void *user);

/** How cuc_stream_wait_value() compares memory with its value. */
enum {
    CUC_WAIT_GEQ = 0, /**< (int)(memory - value) >= 0, cyclically */
    CUC_WAIT_EQ = 1,  /**< memory == value */
    CUC_WAIT_AND = 2, /**< (memory & value) != 0 */
    CUC_WAIT_NOR = 3, /**< ~(memory | value) != 0; a device attribute says where it works */
    /** or'ed in: flush outstanding remote writes after the wait; a device attribute again */
    CUC_WAIT_FLUSH = 1 << 30,
};

/** Flags of cuc_stream_write_value(). */
enum {
    CUC_WRITE_NO_MEMORY_BARRIER = 1, /**< earlier writes of the stream need not be seen before it */
};

/**
 * Let later work of a stream wait until a word of memory has a value.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream  the queue that waits
 * @param address aligned to `bytes`; device memory that is not of a pool
 *                (cuc_memory_synchronous()), or host memory that is mapped
 * @param value   the upper half is not used for 4 bytes
 * @param bytes   4 or 8
 * @param compare a CUC_WAIT_ constant, with or without CUC_WAIT_FLUSH
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT address is 0 or misaligned, bytes is neither 4 nor 8, compare
 *                                    is not known
 * @retval CUC_ERROR_NOT_SUPPORTED    the device cannot wait for memory this way
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
 * @param address aligned to `bytes`; device memory that is not of a pool
 *                (cuc_memory_synchronous()), or host memory that is mapped
 * @param value   the upper half is not used for 4 bytes
 * @param bytes   4 or 8
 * @param flags   0 or CUC_WRITE_NO_MEMORY_BARRIER
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT address is 0 or misaligned, bytes is neither 4 nor 8, flags
 *                                    are not known
 * @retval CUC_ERROR_NOT_SUPPORTED    the device cannot write memory this way
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Memory Operations": cuStreamWriteValue32, cuStreamWriteValue64
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_write_value(cuc_stream *stream, cuc_device_ptr address,
                                          uint64_t value, uint32_t bytes, uint32_t flags);

/**
 * Whether work put on a stream is being captured into a graph instead of run.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    1 while captured, also when the capture has been spoilt; else 0
 * @param      stream the stream
 * @retval CUC_OK         asked
 * @retval CUC_ERROR_BUSY another thread's capture forbids to ask about the legacy stream
 * @source CUDA Driver API, "Stream Management": cuStreamIsCapturing
 * @since 0.1
 */
CUC_API cuc_status cuc_stream_is_capturing(int32_t *out, cuc_stream *stream);

/**
 * Hold a stream once more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return stream; NULL for NULL
 * @since 0.1
 */
CUC_API cuc_stream *cuc_stream_retain(cuc_stream *stream);

/**
 * Let go of a stream. With the last reference it is destroyed once its work is done; the call
 * does not wait for that. Buffers that are freed on it keep it alive.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver; keep the last reference of a captured stream until
 *          its capture has ended. Else that is cancelled, and the process-wide handler is told; the
 *          driver's stream stays where it is captured for good (see graph.h)
 * @param stream NULL does nothing, and so does a default stream
 * @source CUDA Driver API, "Stream Management": cuStreamDestroy
 * @since 0.1
 */
CUC_API void cuc_stream_release(cuc_stream *stream);

CUC_END_DECLS

#endif
