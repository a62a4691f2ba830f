/**
 * @file
 * Buffers: a range of memory that knows where it came from and how it goes back.
 */
#ifndef CUCORE_BUFFER_H
#define CUCORE_BUFFER_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/memory.h>

CUC_BEGIN_DECLS

/**
 * A range of memory. It holds its resource and the stream that will free it, so that they may be
 * released in any order.
 *
 * The free is enqueued on the buffer's stream when the last reference goes: work that other
 * streams do with the buffer must be ordered before that (cuc_stream_wait_stream()), or the
 * buffer given to the last of them by cuc_buffer_set_stream().
 *
 * Threads: any thread; cuc_buffer_set_stream() while nothing else uses the buffer.
 */
typedef struct cuc_buffer cuc_buffer;

/**
 * Allocate a buffer.
 *
 * @order  the memory may be used by work enqueued on the stream after this call, and by other
 *         streams that wait for it; it is not cleared
 * @thread any thread
 * @capture a pool's memory becomes a node of the graph; a synchronous resource is safe: asks the
 *          driver in relaxed mode; a user-defined one is as its callbacks are
 * @param[out] out      retained, to be released
 * @param      resource retained; NULL: the default one of the stream's device
 * @param      bytes    0 makes an empty buffer, whose address is 0, without asking the resource
 * @param      stream   retained: it will free the buffer; NULL only for a resource that is no pool
 * @retval CUC_OK                         allocated
 * @retval CUC_ERROR_INVALID_ARGUMENT     out is NULL, stream is NULL where it is needed, or the
 *                                        stream is of another device than the resource
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the memory is used up
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemAllocFromPoolAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_create(cuc_buffer **out, cuc_memory_resource *resource, size_t bytes,
                                     cuc_stream *stream);

/** What cuc_buffer_from_pointer() is told about memory; zero is the default of every field. */
typedef struct cuc_buffer_options {
    size_t struct_size; /**< sizeof(cuc_buffer_options); the initialisers set it */
    cuc_device *device; /**< whose memory it is; NULL: the resource's, or as the driver says */
    cuc_memory_resource *resource; /**< retained; frees the memory in the end. NULL: nothing does */
    cuc_stream *stream;            /**< retained; orders the free; needs resource */
    void *owner;                   /**< handed to drop_owner; not with resource */
    void (*drop_owner)(void *owner); /**< called once the buffer is gone, on any thread */
    uint32_t access;                 /**< CUC_MEMORY_ACCESS_ bits; 0: the driver is asked */
    uint32_t reserved;               /**< 0 */
} cuc_buffer_options;

/** The starting value of a cuc_buffer_options variable. */
#define CUC_BUFFER_OPTIONS_INIT                         \
    {                                                   \
        sizeof(cuc_buffer_options), 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_BUFFER_OPTIONS(.owner = x, .drop_owner = free). */
#define CUC_BUFFER_OPTIONS(...) \
    (&(cuc_buffer_options){ .struct_size = sizeof(cuc_buffer_options), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_buffer_options and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options NULL does nothing
 * @param caller_size    sizeof(cuc_buffer_options), as the caller's header has it
 * @since 0.1
 */
CUC_API void cuc_buffer_options_init(cuc_buffer_options *options, size_t caller_size);

/**
 * Make a buffer of memory that exists already: from cuMemAlloc(), cudaMalloc(), another library,
 * or the host.
 *
 * With a resource the buffer takes the memory over and frees it there; with an owner it hands
 * the owner to drop_owner instead; with neither it borrows, and the memory must outlive it.
 * When the call fails nothing is taken over: neither freed nor dropped.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     retained, to be released
 * @param      ptr     0 only with 0 bytes
 * @param      bytes   how long it is; not checked against the allocation
 * @param      options NULL is every default: borrowed, the driver is asked who can reach it
 * @retval CUC_OK                     made
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, ptr is 0 with bytes, both a resource and an owner
 *                                    are given, a stream without a resource, or the range passes
 *                                    the end of the address space
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused to tell about the address
 * @source CUDA Driver API, "Unified Addressing": cuPointerGetAttributes
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_from_pointer(cuc_buffer **out, cuc_device_ptr ptr, size_t bytes,
                                           const cuc_buffer_options *options);

/**
 * A part of a buffer as a buffer; it holds the whole one.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    retained, to be released
 * @param      parent retained
 * @param      offset bytes from its start
 * @param      bytes  how long the part is; 0 is allowed
 * @retval CUC_OK                     made
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the part passes the end of the parent
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_slice(cuc_buffer **out, cuc_buffer *parent, size_t offset,
                                    size_t bytes);

/**
 * Hold a buffer once more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param buffer NULL gives NULL
 * @return buffer
 * @since 0.1
 */
CUC_API cuc_buffer *cuc_buffer_retain(cuc_buffer *buffer);

/**
 * Let go of a buffer; the last reference frees the memory.
 *
 * @order  a pool frees it when the buffer's stream gets there; a synchronous resource waits for
 *         the buffer's stream first. On a stream that is being captured only memory of the same
 *         capture can be freed: other memory is leaked, and cuc_set_failure_handler() told
 * @thread any thread
 * @capture the free of a pool's memory becomes a node of the graph; a synchronous resource is safe:
 *          asks the driver in relaxed mode; a user-defined one is as its callbacks are
 * @param buffer NULL does nothing
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemFreeAsync
 * @since 0.1
 */
CUC_API void cuc_buffer_release(cuc_buffer *buffer);

/**
 * Set the stream that will free a buffer.
 *
 * @order  nothing is enqueued: that the new stream has waited for the allocation, and for other
 *         streams' uses, is up to the caller
 * @thread while no other thread uses the buffer
 * @capture safe: not restricted by the driver
 * @param buffer of a resource: a slice, and memory that the buffer does not free, have no stream
 * @param stream retained; NULL only for a resource that is no pool: nothing is waited for
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT buffer is NULL or not of a resource, stream is NULL for a
 * pool, or the stream is of another device than the resource; the buffer is as it was
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_set_stream(cuc_buffer *buffer, cuc_stream *stream);

/**
 * The address of a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for an empty buffer and for NULL
 * @since 0.1
 */
CUC_API cuc_device_ptr cuc_buffer_ptr(const cuc_buffer *buffer);

/**
 * How long a buffer is.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return bytes; 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_buffer_bytes(const cuc_buffer *buffer);

/**
 * The device that a buffer's memory is of.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for memory of no device, and for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_buffer_device(const cuc_buffer *buffer);

/**
 * The resource that a buffer goes back to.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed from the buffer; NULL for memory that cucore does not free, for a slice, and for
 *         NULL
 * @since 0.1
 */
CUC_API cuc_memory_resource *cuc_buffer_memory_resource(const cuc_buffer *buffer);

/**
 * The stream that will free a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed from the buffer; NULL when there is none, and for NULL
 * @since 0.1
 */
CUC_API cuc_stream *cuc_buffer_stream(const cuc_buffer *buffer);

/**
 * Who can reach a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_MEMORY_ACCESS_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_buffer_access(const cuc_buffer *buffer);

/**
 * The owner that cuc_buffer_from_pointer() was given.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return NULL when there is none
 * @since 0.1
 */
CUC_API void *cuc_buffer_owner(const cuc_buffer *buffer);

/**
 * The buffer that a slice is a part of.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed from the slice; NULL for a buffer that is no slice, and for NULL
 * @since 0.1
 */
CUC_API cuc_buffer *cuc_buffer_parent(const cuc_buffer *buffer);

/**
 * The address by which the CPU reaches a buffer of pinned, managed or host memory.
 *
 * @order  nothing is waited for: work that writes the buffer must be done before it is read
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    valid as long as the buffer; NULL for an empty one
 * @param      buffer the buffer
 * @retval CUC_OK                     the CPU can reach it
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the CPU cannot reach the memory
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_get_host_pointer(void **out, cuc_buffer *buffer);

CUC_END_DECLS

#endif
