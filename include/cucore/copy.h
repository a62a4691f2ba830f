/**
 * @file
 * Copies and fills, in stream order.
 *
 * With unified addressing an address says whose memory it is, so one function copies in every
 * direction, and across devices. A host address becomes one by cuc_host_address().
 *
 * None of these allocates host memory, and none waits for work, except that a copy of pageable
 * host memory may wait until the memory has been read. On a stream that is being captured they
 * become nodes of the graph, and run when it is launched.
 */
#ifndef CUCORE_COPY_H
#define CUCORE_COPY_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/device.h>
#include <cucore/memory.h>

CUC_BEGIN_DECLS

/* GCC would warn that fresh memory is read. */
#if defined(__GNUC__) && __GNUC__ >= 11 && !defined(__clang__)
#define CUC__ONLY_ADDRESS __attribute__((access(none, 1)))
#else
#define CUC__ONLY_ADDRESS
#endif

/**
 * A host address in the form that copies take: `(cuc_device_ptr)(uintptr_t)host`.
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
 * @param stream the queue; both ranges must stay valid until the copy is done
 * @param dst    where to; a device's memory or the host's
 * @param src    where from; the two must not overlap
 * @param bytes  0 copies nothing
 * @retval CUC_OK                     enqueued; a fault while copying shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, or with bytes: an address is 0, a range passes
 *                                    the end of the address space, or the two overlap
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy(cuc_stream *stream, cuc_device_ptr dst, cuc_device_ptr src,
                            size_t bytes);

/**
 * Copy bytes of the host to a device, in stream order.
 *
 * @order  enqueues and returns; pageable memory may be changed again once it has returned, pinned
 *         memory only when the copy is done
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue
 * @param dst    where to
 * @param src    [bytes] of the host
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
 * Copy bytes of a device to the host, in stream order.
 *
 * @order  enqueues and returns: wait for the stream before the bytes are read
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param      stream the queue
 * @param[out] dst    [bytes] of the host; to stay allocated until the copy is done
 * @param      src    where from
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
 * Copy bytes from one device to another, in stream order, with both devices named.
 *
 * cuc_copy() does the same by the addresses alone; this serves where they do not tell.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream     the queue, of either device
 * @param dst        where to
 * @param dst_device its device
 * @param src        where from
 * @param src_device its device
 * @param bytes      0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or a device is NULL; else as for cuc_copy()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyPeerAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_peer(cuc_stream *stream, cuc_device_ptr dst, cuc_device *dst_device,
                                 cuc_device_ptr src, cuc_device *src_device, size_t bytes);

/* ---- Buffers ---------------------------------------------------------------------------- */

/**
 * Copy bytes of the host into a buffer, in stream order.
 *
 * @order  as cuc_copy_to_device()
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue; of any device
 * @param buffer where to; it is not retained, but its free is ordered by its own stream
 * @param offset bytes from its start
 * @param src    [bytes] of the host
 * @param bytes  0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or buffer is NULL, src is NULL with bytes, or the range
 *                                    passes the end of the buffer
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_write(cuc_stream *stream, cuc_buffer *buffer, size_t offset,
                                    const void *src, size_t bytes);

/**
 * Copy bytes of a buffer to the host, in stream order.
 *
 * @order  as cuc_copy_to_host(): wait for the stream before the bytes are read
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param      stream the queue; of any device
 * @param[out] dst    [bytes] of the host; to stay allocated until the copy is done
 * @param      buffer where from
 * @param      offset bytes from its start
 * @param      bytes  0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or buffer is NULL, dst is NULL with bytes, or the range
 *                                    passes the end of the buffer
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_read(cuc_stream *stream, void *dst, const cuc_buffer *buffer,
                                   size_t offset, size_t bytes);

/**
 * Copy bytes of one buffer into another, in stream order; also across devices, and within one
 * buffer where the ranges do not overlap.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream     the queue; of any device
 * @param dst        where to
 * @param dst_offset bytes from its start
 * @param src        where from
 * @param src_offset bytes from its start
 * @param bytes      0 copies nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle is NULL, a range passes the end of its buffer, or the
 *                                    two overlap
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpyAsync, and cuMemcpyPeerAsync where both are
 *         memory of devices and one is not the stream's
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_copy(cuc_stream *stream, cuc_buffer *dst, size_t dst_offset,
                                   const cuc_buffer *src, size_t src_offset, size_t bytes);

/* ---- Rectangles and boxes --------------------------------------------------------------- */

/** A rectangle of bytes to copy; zero is the default of every field except dst and src. */
typedef struct cuc_copy_2d_params {
    size_t struct_size; /**< sizeof(cuc_copy_2d_params); the initialisers set it */
    cuc_device_ptr dst; /**< start of the array written; of a device or the host */
    cuc_device_ptr src; /**< start of the array read; of a device or the host */
    size_t dst_pitch;   /**< bytes from one row of it to the next; 0: dst_x_bytes + row_bytes */
    size_t src_pitch;   /**< the same of src; 0: src_x_bytes + row_bytes */
    size_t row_bytes;   /**< bytes of a row to copy; 0 copies nothing */
    size_t rows;        /**< rows to copy; 0 copies nothing */
    size_t dst_x_bytes; /**< where in its rows to start */
    size_t dst_y;       /**< in which row to start */
    size_t src_x_bytes; /**< the same of src */
    size_t src_y;       /**< the same of src */
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
 * @param caller_size   sizeof(cuc_copy_2d_params) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_copy_2d_params_init(cuc_copy_2d_params *params, size_t caller_size);

/**
 * Copy a rectangle of bytes in any direction, in stream order.
 *
 * @shape  `dst` and `src`: [rows][row_bytes] bytes, a pitch apart; they must not overlap
 * @order  enqueues and returns; with pageable host memory it may wait for the copy
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue; both arrays must stay valid until the copy is done
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued; a fault while copying shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an address is 0, a nonzero pitch is below
 *                                    its x_bytes + row_bytes, or an array passes the end of the
 *                                    address space
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a pitch above the device's
 * maximum; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpy2DAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_2d(cuc_stream *stream, const cuc_copy_2d_params *params);

/** A box of bytes to copy; zero is the default of every field except dst and src. */
typedef struct cuc_copy_3d_params {
    size_t struct_size;    /**< sizeof(cuc_copy_3d_params); the initialisers set it */
    cuc_device_ptr dst;    /**< start of the array written; of a device or the host */
    cuc_device_ptr src;    /**< start of the array read; of a device or the host */
    size_t dst_pitch;      /**< bytes from one row of it to the next; 0: dst_x_bytes + row_bytes */
    size_t src_pitch;      /**< the same of src; 0: src_x_bytes + row_bytes */
    size_t dst_slice_rows; /**< rows from one slice of it to the next; 0: dst_y + rows */
    size_t src_slice_rows; /**< the same of src; 0: src_y + rows */
    size_t row_bytes;      /**< bytes of a row to copy; 0 copies nothing */
    size_t rows;           /**< rows of a slice to copy; 0 copies nothing */
    size_t slices;         /**< slices to copy; 0 copies nothing */
    size_t dst_x_bytes;    /**< where in its rows to start */
    size_t dst_y;          /**< in which row of a slice to start */
    size_t dst_z;          /**< in which slice to start */
    size_t src_x_bytes;    /**< the same of src */
    size_t src_y;          /**< the same of src */
    size_t src_z;          /**< the same of src */
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
 * @param caller_size   sizeof(cuc_copy_3d_params) in the code that calls
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
 * @param stream the queue; both arrays must stay valid until the copy is done
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued; a fault while copying shows in a later call
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an address is 0, a nonzero pitch is below
 *                                    its x_bytes + row_bytes, a nonzero slice_rows below its
 *                                    y + rows, or an array passes the end of the address space
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a pitch above the device's
 * maximum; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemcpy3DAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_3d(cuc_stream *stream, const cuc_copy_3d_params *params);

/* ---- Batches ---------------------------------------------------------------------------- */

/** When the copies of a batch read their source. */
enum {
    CUC_COPY_SOURCE_STREAM = 0,      /**< in stream order, as any copy */
    CUC_COPY_SOURCE_DURING_CALL = 1, /**< before the call returns: it may be on the stack */
    CUC_COPY_SOURCE_ANY = 2,         /**< whenever: it holds its contents already, and keeps them */
};

/** How the copies of a batch may run. */
enum {
    CUC_COPY_OVERLAP_COMPUTE = 0x1, /**< rather beside kernels than as fast as possible; a hint */
};

/** How one copy of a batch is done; zero is the default of every field. */
typedef struct cuc_copy_attributes {
    int32_t source_order;         /**< a CUC_COPY_SOURCE_ constant */
    uint32_t flags;               /**< CUC_COPY_OVERLAP_COMPUTE */
    cuc_memory_location src_hint; /**< where managed or pageable memory is; NONE: not said */
    cuc_memory_location dst_hint; /**< the same of the target */
} cuc_copy_attributes;

/** Copies to be enqueued by one call. */
typedef struct cuc_copy_batch_params {
    size_t struct_size;        /**< sizeof(cuc_copy_batch_params); the initialisers set it */
    const cuc_device_ptr *dst; /**< [count] where to */
    const cuc_device_ptr *src; /**< [count] where from */
    const size_t *bytes;       /**< [count] how much; an entry of 0 copies nothing */
    size_t count;              /**< 0 copies nothing */
    const cuc_copy_attributes *attributes; /**< [attribute_count]; NULL: every default */
    size_t attribute_count;                /**< 0; 1: the same for all; else equal to count */
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
 * @param caller_size   sizeof(cuc_copy_batch_params) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_copy_batch_params_init(cuc_copy_batch_params *params, size_t caller_size);

/**
 * Enqueue several copies at once, in any directions.
 *
 * Where the driver cannot take a batch (before CUDA 13.0, on the legacy default stream, on a
 * stream that is being captured) they are enqueued one by one.
 *
 * @order  after the work enqueued before, and before the work enqueued later; among themselves in
 *         any order, so that no copy may touch what another one writes
 * @thread any thread; one call at a time on the same stream
 * @capture each copy becomes a node of the graph
 * @param stream the queue
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an address is 0, a range passes the end
 * of the address space, or an attribute is not one of those listed; the message has the index, and
 * nothing was enqueued
 * @retval CUC_ERROR_NOT_SUPPORTED    CUC_COPY_SOURCE_DURING_CALL where the driver takes no batch
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST. Copies before
 *                                    it may have been enqueued
 * @source CUDA Driver API, "Memory Management": cuMemcpyBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_copy_batch(cuc_stream *stream, const cuc_copy_batch_params *params);

/* ---- Fills ------------------------------------------------------------------------------ */

/**
 * Fill memory of a device with a pattern, in stream order.
 *
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream        the queue
 * @param ptr           aligned to pattern_bytes
 * @param pattern       the value to repeat, in its low bytes; the others must be 0
 * @param pattern_bytes 1, 2 or 4
 * @param count         how often, in patterns; 0 fills nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, pattern_bytes is not one of the three, pattern
 * does not fit in them, ptr is 0 or not aligned, or the range extends past the end of the address space
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
 * @param buffer        what to fill
 * @param offset        bytes from its start
 * @param pattern       the value to repeat, in its low bytes; the others must be 0
 * @param pattern_bytes 1, 2 or 4
 * @param bytes         how many bytes, a multiple of pattern_bytes; 0 fills nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT a handle is NULL, the range passes the end of the buffer,
 * bytes is no multiple of pattern_bytes; else as for cuc_fill()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemsetD8Async, cuMemsetD16Async, cuMemsetD32Async
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_fill(cuc_stream *stream, cuc_buffer *buffer, size_t offset,
                                   uint32_t pattern, uint32_t pattern_bytes, size_t bytes);

/** A rectangle to fill. */
typedef struct cuc_fill_2d_params {
    size_t struct_size;     /**< sizeof(cuc_fill_2d_params); the initialisers set it */
    cuc_device_ptr dst;     /**< the first pattern of the first row; aligned to pattern_bytes */
    size_t pitch;           /**< bytes from row to row, a multiple of pattern_bytes; 0: no gap */
    size_t row_count;       /**< patterns in a row; 0 fills nothing */
    size_t rows;            /**< 0 fills nothing */
    uint32_t pattern;       /**< the value to repeat, in its low bytes; the others must be 0 */
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
 * @param caller_size   sizeof(cuc_fill_2d_params) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_fill_2d_params_init(cuc_fill_2d_params *params, size_t caller_size);

/**
 * Fill a rectangle of a device's memory with a pattern, in stream order.
 *
 * @shape  `dst`: [rows][row_count] patterns, a pitch of bytes apart
 * @order  enqueues and returns
 * @thread any thread; one call at a time on the same stream
 * @capture becomes a node of the graph
 * @param stream the queue
 * @param params read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or a nonzero pitch is below a row or no
 *                                    multiple of pattern_bytes; else as for cuc_fill()
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuMemsetD2D8Async, cuMemsetD2D16Async,
 *         cuMemsetD2D32Async
 * @since 0.1
 */
CUC_API cuc_status cuc_fill_2d(cuc_stream *stream, const cuc_fill_2d_params *params);

CUC_END_DECLS

#endif
