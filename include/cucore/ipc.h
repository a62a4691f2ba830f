/**
 * @file
 * Memory and events shared between processes of one machine. Linux only.
 *
 * One process creates a pool with CUC_MEMORY_POOL_IPC and passes its file descriptor to the other,
 * over a Unix socket (SCM_RIGHTS) or through fork() before the driver is initialized. The other
 * process imports the pool once. From then on, the first process can pass a buffer of the pool as
 * the 64 bytes of a cuc_ipc_handle, by any means. An event with CUC_EVENT_IPC needs only a
 * cuc_ipc_handle.
 *
 *     cuc_memory_pool_export(&fd, pool);        // in this process
 *     cuc_buffer_export(&handle, buffer);
 *     ...                                       // send fd and handle
 *     cuc_memory_pool_from_fd(&pool, device, fd);
 *     cuc_buffer_from_ipc_handle(&buffer, stream, pool, &handle, bytes);
 *
 * The memory lives until the process that created it releases its buffer; the other process must
 * release its own buffer first. The two processes must order their work themselves, with an event,
 * or with a message sent after waiting for a stream.
 */
#ifndef CUCORE_IPC_H
#define CUCORE_IPC_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/event.h>
#include <cucore/memory.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/** Identifies a buffer or an event to another process. The bytes can be copied freely. */
typedef struct cuc_ipc_handle {
    uint8_t bytes[64]; /**< the driver's handle */
} cuc_ipc_handle;

/**
 * Export a pool as a file descriptor, with which another process imports the pool.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out  the caller closes it; the driver determines whether it is close-on-exec
 * @param      pool created with CUC_MEMORY_POOL_IPC
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the resource is not a pool
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a pool without
 *                                    CUC_MEMORY_POOL_IPC
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolExportToShareableHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_export(int32_t *out, cuc_memory_resource *pool);

/**
 * Import another process's pool. The pool cannot allocate; pass it to cuc_buffer_from_ipc_handle().
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    a new reference; release it
 * @param      device the device that owns the memory
 * @param      fd     from cuc_memory_pool_export(), valid in this process; the caller keeps it and
 *                    may close it after the call
 * @retval CUC_OK                     imported
 * @retval CUC_ERROR_INVALID_ARGUMENT out or device is NULL, or fd is negative
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a descriptor of something else
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolImportFromShareableHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_from_fd(cuc_memory_resource **out, cuc_device *device,
                                           int32_t fd);

/**
 * Export a buffer to a process that has imported its pool.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    the handle
 * @param      buffer from a pool with CUC_MEMORY_POOL_IPC, not a slice
 * @retval CUC_OK                     exported
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the buffer is a slice
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory of another kind of pool
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolExportPointer
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_export(cuc_ipc_handle *out, const cuc_buffer *buffer);

/**
 * Import another process's buffer. Importing a buffer again yields the same address. The memory
 * stays mapped until the last of these buffers in this process is released.
 *
 * @order  the memory is available at once; this process cannot tell whether the other process's
 *         work on it is complete
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    retained; release it before the other process releases its own
 * @param      stream orders the release of the buffer; retained
 * @param      pool   from cuc_memory_pool_from_fd() of the buffer's pool; retained
 * @param      handle from cuc_buffer_export()
 * @param      bytes  size of the buffer, which the other process must send; a smaller size
 *                    imports its beginning
 * @retval CUC_OK                     imported
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, the resource is not a pool, or bytes
 *                                    exceeds the buffer's size; bytes is unchecked if the driver
 *                                    does not report the size
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for a buffer of another pool
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolImportPointer
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_from_ipc_handle(cuc_buffer **out, cuc_stream *stream,
                                              cuc_memory_resource *pool,
                                              const cuc_ipc_handle *handle, size_t bytes);

/**
 * Export an event to another process.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out   the handle
 * @param      event created with CUC_EVENT_IPC; it must outlive its use in other processes
 * @retval CUC_OK                     exported
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the event has no CUC_EVENT_IPC
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuIpcGetEventHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_event_export(cuc_ipc_handle *out, cuc_event *event);

/**
 * Import another process's event, to wait for its recording.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    the event, to be released
 * @param      device the device that the event belongs to
 * @param      handle from cuc_event_export()
 * @retval CUC_OK                     imported
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for an event that is destroyed or
 *                                    belongs to this process; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuIpcOpenEventHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_event_from_ipc_handle(cuc_event **out, cuc_device *device,
                                             const cuc_ipc_handle *handle);

CUC_END_DECLS

#endif
