/**
 * @file
 * Copies and fills, in stream order.
 *
 * With unified addressing, an address identifies its device or the host, so one function copies in
 * every direction, even between devices. cuc_host_address() converts a host address.
 *
 * None of these functions allocates host memory. None waits for work, except that a copy of
 * pageable host memory may wait until the memory has been read. On a captured stream they become
 * nodes of the graph and run when the graph is launched.
 */
#ifndef CUCORE_COPY_H
#define CUCORE_COPY_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/device.h>
#include <cucore/memory.h>

CUC_BEGIN_DECLS

/* Silences a GCC warning that the call reads uninitialized memory. */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__)
#define CUC__ONLY_ADDRESS __attribute__((access(none, 1)))
#else
#define CUC__ONLY_ADDRESS
#endif

/**
 * Convert a host address to the form that copies take: `(cuc_device_ptr)(uintptr_t)host`.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param host any address
 * @return the same 64 bits; 0 for NULL
 * @since 0.1
 */
CUC__ONLY_ADDRESS CUC_API cuc_device_ptr cuc_host_address(const void *host);

/**
 * Copy bytes in any direction, in stream order.
 *
 * @order  enqueues and returns; with pageable host memory it may wait for the copy
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue; both ranges must stay valid until the copy completes
 * @param dst    destination, in device or host memory
 * @param src    source; the two ranges must not overlap
 * @param bytes  0 copies nothing
 * @retval CUC_OK                     enqueued; a fault while copying shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL; or, with bytes above 0, an address is 0, a
 *                                    range extends past the end of the address space, or the two
 *                                    overlap
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy(cuc_stream *stream, cuc_device_ptr dst, cuc_device_ptr src,
                            size_t bytes);

/**
 * Copy bytes from the host to a device, in stream order.
 *
 * @order  enqueues and returns; the caller may change pageable memory after the call returns,
 *         pinned memory only after the copy completes
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue
 * @param dst    destination
 * @param src    [bytes] in host memory
 * @param bytes  0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_copy()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_to_device(cuc_stream *stream, cuc_device_ptr dst, const void *src,
                                      size_t bytes);

/**
 * Copy bytes from a device to the host, in stream order.
 *
 * @order  enqueues and returns; wait for the stream before reading the bytes
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param      stream the queue
 * @param[out] dst    [bytes] in host memory; must stay allocated until the copy completes
 * @param      src    source
 * @param      bytes  0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_copy()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_to_host(cuc_stream *stream, void *dst, cuc_device_ptr src,
                                    size_t bytes);

/**
 * Copy bytes from one device to another, in stream order, naming both devices.
 *
 * cuc_copy() needs only the addresses. Use this function if the addresses do not identify the
 * devices.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream     the queue, of either device
 * @param dst        destination
 * @param dst_device its device
 * @param src        source
 * @param src_device its device
 * @param bytes      0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or a device is NULL; otherwise as for cuc_copy()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyPeerAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_peer(cuc_stream *stream, cuc_device_ptr dst, cuc_device *dst_device,
                                 cuc_device_ptr src, cuc_device *src_device, size_t bytes);

/* ---- Buffers ---------------------------------------------------------------------------- */

/**
 * Copy bytes from the host into a buffer, in stream order.
 *
 * @order  as cuc_copy_to_device()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue; of any device
 * @param buffer destination; not retained; the buffer's own stream orders its free
 * @param offset in bytes, from the start of the buffer
 * @param src    [bytes] in host memory
 * @param bytes  0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or buffer is NULL, src is NULL while bytes is not 0, or
 *                                    the range extends past the end of the buffer
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_write_async(cuc_stream *stream, cuc_buffer *buffer, size_t offset,
                                          const void *src, size_t bytes);

/**
 * Copy bytes from a buffer to the host, in stream order.
 *
 * @order  as cuc_copy_to_host(): wait for the stream before reading the bytes
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param      stream the queue; of any device
 * @param[out] dst    [bytes] in host memory; must stay allocated until the copy completes
 * @param      buffer source
 * @param      offset in bytes, from the start of the buffer
 * @param      bytes  0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or buffer is NULL, dst is NULL while bytes is not 0, or
 *                                    the range extends past the end of the buffer
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_read_async(cuc_stream *stream, void *dst, const cuc_buffer *buffer,
                                         size_t offset, size_t bytes);

/**
 * Copy bytes from one buffer into another, in stream order. The buffers may be on different
 * devices, or be the same buffer if the ranges do not overlap.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream     the queue; of any device
 * @param dst        destination
 * @param dst_offset in bytes, from its start
 * @param src        source
 * @param src_offset in bytes, from its start
 * @param bytes      0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle is NULL, a range extends past the end of its buffer,
 *                                    or the two overlap
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync, and cuMemcpyPeerAsync if both are
 *         device memory and one is not on the stream's device
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_copy(cuc_stream *stream, cuc_buffer *dst, size_t dst_offset,
                                   const cuc_buffer *src, size_t src_offset, size_t bytes);

/* ---- Rectangles and boxes --------------------------------------------------------------- */

/** A rectangle of bytes to copy. Zero selects the default of every field except dst and src. */
typedef struct cuc_copy_2d_params {
    size_t struct_size; /**< sizeof(cuc_copy_2d_params); the initializers set it */
    cuc_device_ptr dst; /**< start of the destination array, on a device or the host */
    cuc_device_ptr src; /**< start of the source array, on a device or the host */
    size_t dst_pitch;   /**< bytes between rows of dst; 0: dst_x_bytes + row_bytes */
    size_t src_pitch;   /**< bytes between rows of src; 0: src_x_bytes + row_bytes */
    size_t row_bytes;   /**< bytes of a row to copy; 0 copies nothing */
    size_t rows;        /**< rows to copy; 0 copies nothing */
    size_t dst_x_bytes; /**< offset within a row of dst */
    size_t dst_y;       /**< first row in dst */
    size_t src_x_bytes; /**< offset within a row of src */
    size_t src_y;       /**< first row in src */
} cuc_copy_2d_params;

/** Initial value of a cuc_copy_2d_params variable. */
#define CUC_COPY_2D_PARAMS_INIT                                  \
    {                                                            \
        sizeof(cuc_copy_2d_params), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Parameters written at the call site, in C. */
#define CUC_COPY_2D_PARAMS(...) \
    (&(cuc_copy_2d_params){ .struct_size = sizeof(cuc_copy_2d_params), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_copy_2d_params and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param params NULL does nothing
 * @param caller_size   sizeof(cuc_copy_2d_params) in the calling code
 * @since 0.1
 */
CUC_API void cuc_copy_2d_params_init(cuc_copy_2d_params *params, size_t caller_size);

/**
 * Copy a rectangle of bytes in any direction, in stream order.
 *
 * @shape  `dst` and `src`: [rows][row_bytes] bytes, one pitch apart; they must not overlap
 * @order  enqueues and returns; with pageable host memory it may wait for the copy
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue; both arrays must stay valid until the copy completes
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued; a fault while copying shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an address is 0, a nonzero pitch is below
 *                                    its x_bytes + row_bytes, or an array extends past the end of
 *                                    the address space
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a pitch above the device's
 *                                    maximum; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpy2DAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_2d(cuc_stream *stream, const cuc_copy_2d_params *params);

/** A box of bytes to copy. Zero selects the default of every field except dst and src. */
typedef struct cuc_copy_3d_params {
    size_t struct_size;    /**< sizeof(cuc_copy_3d_params); the initializers set it */
    cuc_device_ptr dst;    /**< start of the destination array, on a device or the host */
    cuc_device_ptr src;    /**< start of the source array, on a device or the host */
    size_t dst_pitch;      /**< bytes between rows of dst; 0: dst_x_bytes + row_bytes */
    size_t src_pitch;      /**< bytes between rows of src; 0: src_x_bytes + row_bytes */
    size_t dst_slice_rows; /**< rows between slices of dst; 0: dst_y + rows */
    size_t src_slice_rows; /**< rows between slices of src; 0: src_y + rows */
    size_t row_bytes;      /**< bytes of a row to copy; 0 copies nothing */
    size_t rows;           /**< rows of a slice to copy; 0 copies nothing */
    size_t slices;         /**< slices to copy; 0 copies nothing */
    size_t dst_x_bytes;    /**< offset within a row of dst */
    size_t dst_y;          /**< first row of each slice in dst */
    size_t dst_z;          /**< first slice in dst */
    size_t src_x_bytes;    /**< offset within a row of src */
    size_t src_y;          /**< first row of each slice in src */
    size_t src_z;          /**< first slice in src */
} cuc_copy_3d_params;

/** Initial value of a cuc_copy_3d_params variable. */
#define CUC_COPY_3D_PARAMS_INIT                                                 \
    {                                                                           \
        sizeof(cuc_copy_3d_params), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Parameters written at the call site, in C. */
#define CUC_COPY_3D_PARAMS(...) \
    (&(cuc_copy_3d_params){ .struct_size = sizeof(cuc_copy_3d_params), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_copy_3d_params and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param params NULL does nothing
 * @param caller_size   sizeof(cuc_copy_3d_params) in the calling code
 * @since 0.1
 */
CUC_API void cuc_copy_3d_params_init(cuc_copy_3d_params *params, size_t caller_size);

/**
 * Copy a box of bytes in any direction, in stream order.
 *
 * @shape  `dst` and `src`: [slices][rows][row_bytes] bytes; they must not overlap
 * @order  enqueues and returns; with pageable host memory it may wait for the copy
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue; both arrays must stay valid until the copy completes
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued; a fault while copying shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an address is 0, a nonzero pitch is below
 *                                    its x_bytes + row_bytes, a nonzero slice_rows is below its y +
 *                                    rows, or an array extends past the end of the address space
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a pitch above the device's
 *                                    maximum; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpy3DAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_3d(cuc_stream *stream, const cuc_copy_3d_params *params);

/* ---- Batches ---------------------------------------------------------------------------- */

/** When the copies of a batch read their source. */
enum {
    CUC_COPY_SOURCE_STREAM = 0,      /**< in stream order, like any copy */
    CUC_COPY_SOURCE_DURING_CALL = 1, /**< before the call returns, so the source may be on the
                                          stack */
    CUC_COPY_SOURCE_ANY = 2,         /**< at any time: the source already has its contents and keeps
                                          them */
};

/** Hints for running the copies of a batch. */
enum {
    CUC_COPY_OVERLAP_COMPUTE = 0x1, /**< a hint to prefer overlap with kernels over the copy's own
                                         speed */
};

/** Attributes of one copy in a batch. Zero selects the default of every field. */
typedef struct cuc_copy_attributes {
    int32_t source_order;         /**< a CUC_COPY_SOURCE_ constant */
    uint32_t flags;               /**< CUC_COPY_OVERLAP_COMPUTE */
    cuc_memory_location src_hint; /**< location of a managed or pageable source; NONE:
                                       unspecified */
    cuc_memory_location dst_hint; /**< location of a managed or pageable destination; NONE:
                                       unspecified */
} cuc_copy_attributes;

/** A batch of copies that one call enqueues. */
typedef struct cuc_copy_batch_params {
    size_t struct_size;        /**< sizeof(cuc_copy_batch_params); the initializers set it */
    const cuc_device_ptr *dst; /**< [count] destinations */
    const cuc_device_ptr *src; /**< [count] sources */
    const size_t *bytes;       /**< [count] sizes; an entry of 0 copies nothing */
    size_t count;              /**< 0 copies nothing */
    const cuc_copy_attributes *attributes; /**< [attribute_count]; NULL: every default */
    size_t attribute_count;                /**< 0, or 1 if all copies share one, or else equal to
                                                count */
} cuc_copy_batch_params;

/** Initial value of a cuc_copy_batch_params variable. */
#define CUC_COPY_BATCH_PARAMS_INIT                      \
    {                                                   \
        sizeof(cuc_copy_batch_params), 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Parameters written at the call site, in C. */
#define CUC_COPY_BATCH_PARAMS(...) \
    (&(cuc_copy_batch_params){ .struct_size = sizeof(cuc_copy_batch_params), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_copy_batch_params and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param params NULL does nothing
 * @param caller_size   sizeof(cuc_copy_batch_params) in the calling code
 * @since 0.1
 */
CUC_API void cuc_copy_batch_params_init(cuc_copy_batch_params *params, size_t caller_size);

/**
 * Enqueue several copies at once, in any directions.
 *
 * If the driver does not support batches here (before CUDA 13.0, on the legacy default stream, or
 * on a captured stream) the copies are enqueued one by one.
 *
 * @order  after earlier work on the stream and before later work. The copies themselves run in any
 *         order, so no copy may touch memory that another one writes
 * @thread any thread; one call at a time on the same stream
 * @capture each copy becomes a node of the graph
 * @param stream the queue
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an address is 0, a range extends past the
 *                                    end of the address space, or an attribute has an unlisted
 *                                    value; the message has the index, and nothing was enqueued
 * @retval CUC_ERROR_NOT_SUPPORTED    CUC_COPY_SOURCE_DURING_CALL, but the driver takes no batch
 *                                    here
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST. Earlier
 *                                    copies may have been enqueued
 * @source CUDA Driver API, "Memory Management": cuMemcpyBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_batch(cuc_stream *stream, const cuc_copy_batch_params *params);

/* ---- Fills ------------------------------------------------------------------------------ */

/**
 * Fill device memory with a pattern, in stream order.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream        the queue
 * @param ptr           aligned to pattern_bytes
 * @param pattern       the value to repeat, in the low bytes; the other bytes must be 0
 * @param pattern_bytes 1, 2 or 4
 * @param count         number of repetitions; 0 fills nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, pattern_bytes is not one of the three, pattern
 *                                    does not fit in pattern_bytes, ptr is 0 or misaligned, or the
 *                                    range extends past the end of the address space
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemsetD8Async, cuMemsetD16Async, cuMemsetD32Async
 * @since 0.1
 */
CUC_API cuc_status cuc_fill(cuc_stream *stream, cuc_device_ptr ptr, uint32_t pattern,
                            uint32_t pattern_bytes, size_t count);

/**
 * Fill a part of a buffer with a pattern, in stream order.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream        the queue
 * @param buffer        the buffer to fill
 * @param offset        in bytes, from the start of the buffer
 * @param pattern       the value to repeat, in the low bytes; the other bytes must be 0
 * @param pattern_bytes 1, 2 or 4
 * @param bytes         bytes to fill, a multiple of pattern_bytes; 0 fills nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle is NULL, the range extends past the end of the
 *                                    buffer, or bytes is not a multiple of pattern_bytes; otherwise
 *                                    as for cuc_fill()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemsetD8Async, cuMemsetD16Async, cuMemsetD32Async
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_fill(cuc_stream *stream, cuc_buffer *buffer, size_t offset,
                                   uint32_t pattern, uint32_t pattern_bytes, size_t bytes);

/** A rectangle to fill. */
typedef struct cuc_fill_2d_params {
    size_t struct_size;     /**< sizeof(cuc_fill_2d_params); the initializers set it */
    cuc_device_ptr dst;     /**< the first pattern of the first row; aligned to pattern_bytes */
    size_t pitch;           /**< bytes between rows, a multiple of pattern_bytes; 0: no gap */
    size_t row_count;       /**< patterns in a row; 0 fills nothing */
    size_t rows;            /**< 0 fills nothing */
    uint32_t pattern;       /**< the value to repeat, in the low bytes; the other bytes must be 0 */
    uint32_t pattern_bytes; /**< 1, 2 or 4 */
} cuc_fill_2d_params;

/** Initial value of a cuc_fill_2d_params variable. */
#define CUC_FILL_2D_PARAMS_INIT                      \
    {                                                \
        sizeof(cuc_fill_2d_params), 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Parameters written at the call site, in C. */
#define CUC_FILL_2D_PARAMS(...) \
    (&(cuc_fill_2d_params){ .struct_size = sizeof(cuc_fill_2d_params), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_fill_2d_params and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param params NULL does nothing
 * @param caller_size   sizeof(cuc_fill_2d_params) in the calling code
 * @since 0.1
 */
CUC_API void cuc_fill_2d_params_init(cuc_fill_2d_params *params, size_t caller_size);

/**
 * Fill a rectangle of a device's memory with a pattern, in stream order.
 *
 * @shape  `dst`: [rows][row_count] patterns, rows one pitch apart in bytes
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or a nonzero pitch is below the length of
 *                                    a row or not a multiple of pattern_bytes; otherwise as for
 *                                    cuc_fill()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemsetD2D8Async, cuMemsetD2D16Async,
 *         cuMemsetD2D32Async
 * @since 0.1
 */
CUC_API cuc_status cuc_fill_2d(cuc_stream *stream, const cuc_fill_2d_params *params);

CUC_END_DECLS

#endif
