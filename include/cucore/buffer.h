/**
 * @file
 * Buffers: ranges of memory that know their resource and how to free themselves.
 */
#ifndef CUCORE_BUFFER_H
#define CUCORE_BUFFER_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/memory.h>

CUC_BEGIN_DECLS

/**
 * A range of memory. It retains its resource and the stream that will free it, so the caller may
 * release all three in any order.
 *
 * Releasing the last reference enqueues the free on the buffer's stream. If other streams also work
 * on the buffer, order their work before the free with cuc_stream_wait_stream(), or hand the buffer
 * to the last of them with cuc_buffer_set_stream().
 *
 * Threads: any thread; cuc_buffer_set_stream() while nothing else uses the buffer.
 */
typedef struct cuc_buffer cuc_buffer;

/**
 * Allocate a buffer.
 *
 * @order  work enqueued on the stream after this call may use the memory, and so may work on
 *         streams that wait for it; the memory is not cleared
 * @thread any thread
 * @capture an allocation from a pool becomes a node of the graph; from a synchronous resource, it
 *          is safe: asks the driver in relaxed mode; from a user-defined one, it depends on the
 *          callbacks
 * @param[out] out      a new reference; release it
 * @param      stream   retained; it will free the buffer; NULL only for a resource that is not a
 *                      pool
 * @param      resource retained; NULL: the default resource of the stream's device
 * @param      bytes    0 creates an empty buffer with address 0, without calling the resource
 * @retval CUC_OK                         allocated
 * @retval CUC_ERROR_INVALID_ARGUMENT     out is NULL, stream is NULL although the resource is a
 *                                        pool, or the stream and the resource belong to different
 *                                        devices
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the memory is exhausted
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemAllocFromPoolAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_create(cuc_buffer **out, cuc_stream *stream,
                                     cuc_memory_resource *resource, size_t bytes);

/** Description of memory for cuc_buffer_from_pointer(). Zero selects the default of every field. */
typedef struct cuc_buffer_options {
    size_t struct_size; /**< sizeof(cuc_buffer_options); the initializers set it */
    cuc_device *device; /**< the owning device; NULL: the resource's, or else the one that the
                             driver reports */
    cuc_memory_resource *resource;   /**< retained; frees the memory; NULL: nothing frees it */
    cuc_stream *stream;              /**< retained; orders the free; needs a resource */
    void *owner;                     /**< passed to drop_owner; not together with a resource */
    void (*drop_owner)(void *owner); /**< called once, after the buffer is destroyed, on any
                                          thread */
    uint32_t access;                 /**< CUC_MEMORY_ACCESS_ bits; 0: query the driver */
    uint32_t reserved;               /**< 0 */
} cuc_buffer_options;

/** Initial value of a cuc_buffer_options variable. */
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
 * @param caller_size    sizeof(cuc_buffer_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_buffer_options_init(cuc_buffer_options *options, size_t caller_size);

/**
 * Create a buffer over existing memory: from cuMemAlloc(), cudaMalloc(), another library, or the
 * host.
 *
 * With a resource, the buffer takes ownership of the memory and frees it through the resource. With
 * an owner, it passes the owner to drop_owner instead. With neither, it borrows the memory, which
 * must outlive the buffer. A call that fails takes no ownership: it frees and drops nothing.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     a new reference; release it
 * @param      ptr     may be 0 only when bytes is 0
 * @param      bytes   length of the range; not checked against the allocation
 * @param      options NULL selects all defaults: borrowed memory, with the access that the driver
 *                     reports
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, ptr is 0 while bytes is not, both a resource and
 *                                    an owner are given, a stream is given without a resource, or
 *                                    the range extends past the end of the address space
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused to describe the address
 * @source CUDA Driver API, "Unified Addressing": cuPointerGetAttributes
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_from_pointer(cuc_buffer **out, cuc_device_ptr ptr, size_t bytes,
                                           const cuc_buffer_options *options);

/**
 * Create a buffer over a part of another, which it retains.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    a new reference; release it
 * @param      parent retained
 * @param      offset bytes from the start of the parent
 * @param      bytes  length of the part; 0 is allowed
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the part extends past the end of the
 *                                    parent
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_slice(cuc_buffer **out, cuc_buffer *parent, size_t offset,
                                    size_t bytes);

/**
 * Add a reference to a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param buffer NULL gives NULL
 * @return buffer
 * @since 0.1
 */
CUC_API cuc_buffer *cuc_buffer_retain(cuc_buffer *buffer);

/**
 * Release a buffer; the last release frees the memory.
 *
 * @order  a pool frees the memory when the buffer's stream reaches the free; a synchronous resource
 *         first waits for the buffer's stream. A captured stream can free only memory of the same
 *         capture: other memory leaks, and the handler from cuc_set_failure_handler() is called
 * @thread any thread
 * @capture freeing a pool's memory becomes a node of the graph; for a synchronous resource, it is
 *          safe: asks the driver in relaxed mode; for a user-defined one, it depends on the
 *          callbacks
 * @param buffer NULL does nothing
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemFreeAsync
 * @since 0.1
 */
CUC_API void cuc_buffer_release(cuc_buffer *buffer);

/**
 * Set the stream that will free a buffer.
 *
 * @order  enqueues nothing: the caller must make the new stream wait for the allocation and for all
 *         other streams' work on the buffer
 * @thread while no other thread uses the buffer
 * @capture safe: not restricted by the driver
 * @param buffer a buffer with a resource; slices and buffers that do not free their memory have
 *               none
 * @param stream retained; NULL only for a resource that is not a pool; the free then waits for
 *               nothing
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT buffer is NULL or has no resource, stream is NULL for a pool,
 *                                    or the stream and the resource belong to different devices;
 *                                    the buffer is unchanged
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
 * The length of a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return bytes; 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_buffer_bytes(const cuc_buffer *buffer);

/**
 * The device that owns a buffer's memory.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for memory of no device, and for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_buffer_device(const cuc_buffer *buffer);

/**
 * The resource that will free a buffer.
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
 * The parties that can access a buffer.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_MEMORY_ACCESS_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_buffer_access(const cuc_buffer *buffer);

/**
 * The owner that was passed to cuc_buffer_from_pointer().
 *
 * @thread any thread
 * @capture makes no driver call
 * @return NULL when there is none
 * @since 0.1
 */
CUC_API void *cuc_buffer_owner(const cuc_buffer *buffer);

/**
 * The buffer that a slice belongs to.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed from the slice; NULL for a buffer that is not a slice, and for NULL
 * @since 0.1
 */
CUC_API cuc_buffer *cuc_buffer_parent(const cuc_buffer *buffer);

/**
 * The CPU address of a buffer of pinned, managed or host memory.
 *
 * @order  does not wait: work that writes the buffer must be complete before it is read
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    valid as long as the buffer; NULL for an empty one
 * @param      buffer the buffer
 * @retval CUC_OK                     the CPU can reach it
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the CPU cannot access the memory
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_get_host_pointer(void **out, cuc_buffer *buffer);

CUC_END_DECLS

#endif
