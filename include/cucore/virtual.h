/**
 * @file
 * Virtual memory: buffers that grow without a copy.
 *
 * A virtual-memory resource reserves an address range for each buffer and maps physical memory to
 * it, piece by piece. A buffer that grows keeps its memory. It also keeps its address if enough
 * addresses were reserved; otherwise the same memory is mapped again at another address.
 *
 *     cuc_memory_virtual_create(&resource, device,
 *                        CUC_MEMORY_VIRTUAL_OPTIONS(.reserve_bytes = (uint64_t)64 << 30));
 *     cuc_buffer_create(&cache, stream, resource, first_bytes);
 *     cuc_buffer_grow(&more, cache, later_bytes);      // same address, same contents
 */
#ifndef CUCORE_VIRTUAL_H
#define CUCORE_VIRTUAL_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/memory.h>

CUC_BEGIN_DECLS

/** Properties of virtual memory. */
enum {
    CUC_MEMORY_VIRTUAL_READ_ONLY = 0x1,       /**< the memory's own device can only read it */
    CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY = 0x2, /**< peers can only read it */
    CUC_MEMORY_VIRTUAL_RDMA = 0x4, /**< other devices on the bus can access it (GPUDirect RDMA) */
    CUC_MEMORY_VIRTUAL_FINE = 0x8, /**< use the smallest pieces possible, not the size that the
                                        driver recommends */
    CUC_MEMORY_VIRTUAL_IPC = 0x10, /**< other processes can import it: cuc_buffer_export_pieces() */
};

/** Options of cuc_memory_virtual_create(). Zero selects the default of every field. */
typedef struct cuc_memory_virtual_options {
    size_t struct_size;       /**< sizeof(cuc_memory_virtual_options); the initializers set it */
    uint64_t reserve_bytes;   /**< bytes reserved for each allocation to grow into; 0: its own
                                   size */
    uint64_t align;           /**< alignment of addresses, a power of two; 0: the driver's */
    cuc_device *const *peers; /**< [peer_count] other devices that can access it */
    size_t peer_count;        /**< 0: none */
    cuc_memory_location
        location;      /**< NONE: the memory is on the device; otherwise a location on the host */
    uint32_t flags;    /**< CUC_MEMORY_VIRTUAL_ bits */
    uint32_t reserved; /**< 0 */
} cuc_memory_virtual_options;

/** Initial value of a cuc_memory_virtual_options variable. */
#define CUC_MEMORY_VIRTUAL_OPTIONS_INIT                                \
    {                                                                  \
        sizeof(cuc_memory_virtual_options), 0, 0, 0, 0, { 0, 0 }, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site: CUC_MEMORY_VIRTUAL_OPTIONS(.reserve_bytes = 1 << 30). */
#define CUC_MEMORY_VIRTUAL_OPTIONS(...)                                                \
    (&(cuc_memory_virtual_options){ .struct_size = sizeof(cuc_memory_virtual_options), \
                                    __VA_ARGS__ })
#endif

/**
 * Zero options and write their size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     the caller's struct
 * @param caller_size sizeof(cuc_memory_virtual_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_memory_virtual_options_init(cuc_memory_virtual_options *options,
                                             size_t caller_size);

/**
 * Create a resource whose buffers can grow.
 *
 * An allocation consists of whole pieces of cuc_memory_get_granularity() bytes, usually 2 MiB. It
 * takes a few tens of microseconds and does not wait. Freeing first waits for the buffer's stream.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     a new reference; release it
 * @param      device  the device that owns the memory or, for memory on the host, accesses it
 * @param      options NULL: device memory that only the device accesses, with no spare addresses
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or device is NULL; align is not a power of two; a peer is
 *                                    NULL or the device itself; location or flags are unknown
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no virtual memory management, cannot access a
 *                                    peer, or does not support RDMA with such memory
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Virtual Memory Management": cuMemGetAllocationGranularity,
 * cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess, cuMemUnmap, cuMemRelease,
 * cuMemAddressFree
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_virtual_create(cuc_memory_resource **out, cuc_device *device,
                                             const cuc_memory_virtual_options *options);

/**
 * The size of the pieces that a virtual-memory resource allocates.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out      bytes
 * @param      resource created by cuc_memory_virtual_create()
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the resource is not a virtual-memory
 *                                    resource
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_granularity(size_t *out, cuc_memory_resource *resource);

/**
 * Create a buffer of another size over the memory of an existing buffer, which stays unchanged.
 *
 * The buffers share the memory that both cover. Release each one separately; the last release frees
 * the memory. The new buffer has the same address if `bytes` is smaller or fits the resource's
 * reservation. Otherwise it is mapped at new addresses, and the old buffer keeps the old ones.
 * Added memory is uninitialized.
 *
 * @order  the memory is available to every stream at once; the call does not wait
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    a new reference; release it; its stream is the buffer's
 * @param      buffer from a resource of cuc_memory_virtual_create(), not a slice and not empty
 * @param      bytes  more than 0
 * @retval CUC_OK                         created
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL, bytes is 0, or the buffer is a slice,
 *                                        empty or not virtual memory
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the memory is exhausted
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused
 * @source CUDA Driver API, "Virtual Memory Management": cuMemCreate, cuMemMap, cuMemSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_grow(cuc_buffer **out, cuc_buffer *buffer, size_t bytes);

/** One piece of virtual memory in the form that another process can import. Linux only. */
typedef struct cuc_memory_piece {
    uint64_t bytes;
    int32_t fd; /**< a file descriptor; the process that holds it closes it */
    uint32_t reserved;
} cuc_memory_piece;

/**
 * Export the memory of a virtual-memory buffer to another process, as one file descriptor per
 * piece. A buffer has one piece, plus one for each growth.
 *
 * Pass the descriptors to the other process like those of cuc_memory_pool_export(), together with
 * the sizes. The memory lives until the last of the processes has released it.
 *
 *     cuc_buffer_export_pieces(pieces, 8, &count, buffer);                 // in this process
 *     ...                                                                  // send the pieces
 *     cuc_buffer_from_pieces(&buffer, stream, resource, pieces, count, bytes);
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] pieces   [capacity] in address order; the caller closes each file descriptor; NULL
 *                      only counts
 * @param      capacity length of pieces, at least the number of pieces; 0 when pieces
 *                      is NULL
 * @param[out] count    the number of pieces
 * @param      buffer   from a resource with CUC_MEMORY_VIRTUAL_IPC, not a slice and not empty
 * @retval CUC_OK                     exported, or counted
 * @retval CUC_ERROR_INVALID_ARGUMENT count or buffer is NULL, capacity is below the number of
 *                                    pieces, or the buffer is a slice, empty or not virtual memory
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that was itself
 *                                    imported
 * @source CUDA Driver API, "Virtual Memory Management": cuMemExportToShareableHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_export_pieces(cuc_memory_piece *pieces, size_t capacity,
                                            size_t *count, cuc_buffer *buffer);

/**
 * Create a buffer over memory of another process. It grows like other buffers of its resource, with
 * new memory from this process.
 *
 * @order  the memory is available at once; this process cannot tell whether the other process's
 *         work on it is complete
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out      a new reference; release it
 * @param      stream   orders the release of the buffer; retained; NULL: none
 * @param      resource of this process, from cuc_memory_virtual_create() with the same device and
 *                      flags; it supplies the addresses and the devices with access
 * @param      pieces   [count] from cuc_buffer_export_pieces(), with this process's file
 *                      descriptors; the caller keeps these and may close them after the call
 * @param      count    more than 0
 * @param      bytes    size of the buffer, which the other process must send: more than 0, and at
 *                      most the size of all pieces
 * @retval CUC_OK                         imported
 * @retval CUC_ERROR_INVALID_ARGUMENT     out, resource or pieces is NULL, the resource is not a
 *                                        virtual-memory resource, count or bytes is 0, or the sizes
 *                                        of the pieces are impossible
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the addresses are exhausted
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused, such as for a descriptor of something
 *                                        else
 * @source CUDA Driver API, "Virtual Memory Management": cuMemImportFromShareableHandle, cuMemMap,
 * cuMemSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_from_pieces(cuc_buffer **out, cuc_stream *stream,
                                          cuc_memory_resource *resource,
                                          const cuc_memory_piece *pieces, size_t count,
                                          size_t bytes);

CUC_END_DECLS

#endif
