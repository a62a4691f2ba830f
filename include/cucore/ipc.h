/**
 * @file
 * Memory and events for other processes of the same machine. Linux alone.
 *
 * One process makes a pool with CUC_MEMORY_POOL_IPC, and gives its file descriptor to the other,
 * over a Unix socket (SCM_RIGHTS) or through fork() before the driver is initialised. The other
 * imports the pool, once; from then on buffers of it go by the 64 bytes of a cuc_ipc_handle, in any
 * way. Events with CUC_EVENT_IPC go by such bytes alone.
 *
 *     cuc_memory_pool_export(&fd, pool);        // here
 *     cuc_buffer_export(&handle, buffer);
 *     ...                                       // fd and handle go there
 *     cuc_memory_pool_import(&pool, device, fd);
 *     cuc_buffer_import(&buffer, pool, &handle, bytes, stream);
 *
 * The memory is there as long as the process that made it keeps its buffer: the other releases its
 * own one first. Order between the two is theirs to make, by an event or by a message once a stream
 * has been waited for.
 */
#ifndef CUCORE_IPC_H
#define CUCORE_IPC_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/event.h>
#include <cucore/memory.h>
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/** What names a buffer or an event to another process: bytes to be copied. */
typedef struct cuc_ipc_handle {
    uint8_t bytes[64]; /**< the driver's own */
} cuc_ipc_handle;

/**
 * A file descriptor for a pool, by which another process imports it.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out  the caller closes it; close-on-exec is the driver's to choose
 * @param      pool made with CUC_MEMORY_POOL_IPC
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the resource is no pool
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a pool that is not for other
 *                                    processes
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolExportToShareableHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_export(int32_t *out, cuc_memory_resource *pool);

/**
 * Have another process's pool. Nothing can be allocated from it: it is what cuc_buffer_import()
 * takes.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    a new reference; release it
 * @param      device the device that the memory is of
 * @param      fd     what cuc_memory_pool_export() gave, as this process has it; it stays the
 *                    caller's, and may be closed afterwards
 * @retval CUC_OK                     imported
 * @retval CUC_ERROR_INVALID_ARGUMENT out or device is NULL, or fd is negative
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a descriptor of something else
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolImportFromShareableHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_import(cuc_memory_resource **out, cuc_device *device,
                                          int32_t fd);

/**
 * What names a buffer to a process that has imported its pool.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    its bytes
 * @param      buffer a whole one of a pool with CUC_MEMORY_POOL_IPC
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the buffer is a slice
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is of no such pool
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolExportPointer
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_export(cuc_ipc_handle *out, const cuc_buffer *buffer);

/**
 * Have another process's buffer. Imported again it is at the same address, and there until the last
 * of its buffers here is released.
 *
 * @order  the memory is there at once; whether the other process's work on it is done is not known
 *         here
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    retained; released before the other process releases its own
 * @param      pool   what cuc_memory_pool_import() gave of its pool; retained
 * @param      handle what cuc_buffer_export() gave
 * @param      bytes  its size, which the other process has to tell
 * @param      stream orders the end of the buffer here; retained
 * @retval CUC_OK                     imported
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the resource is no pool
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as a buffer of another pool
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolImportPointer
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_import(cuc_buffer **out, cuc_memory_resource *pool,
                                     const cuc_ipc_handle *handle, size_t bytes,
                                     cuc_stream *stream);

/**
 * What names an event to another process.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out   its bytes
 * @param      event made with CUC_EVENT_IPC, to outlive its use elsewhere
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the event is not for other processes
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuIpcGetEventHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_event_export(cuc_ipc_handle *out, cuc_event *event);

/**
 * Have another process's event, to wait for what it has recorded.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    the event, to be released
 * @param      device the device that it is of
 * @param      handle what cuc_event_export() gave
 * @retval CUC_OK                     imported
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as an event that is gone, or one of
 * this process; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Memory Management": cuIpcOpenEventHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_event_import(cuc_event **out, cuc_device *device,
                                    const cuc_ipc_handle *handle);

CUC_END_DECLS

#endif
