/**
 * @file
 * Virtual memory: buffers that grow without a copy.
 *
 * A resource of virtual memory reserves addresses for each buffer and puts memory behind them,
 * piece by piece. A buffer that grows keeps its memory: where more addresses were reserved than it
 * took, at its own address, and else at another one, where the same memory is mapped once more.
 *
 *     cuc_memory_virtual(&resource, device,
 *                        CUC_MEMORY_VIRTUAL_OPTIONS(.reserve_bytes = (uint64_t)64 << 30));
 *     cuc_buffer_create(&cache, resource, first_bytes, stream);
 *     cuc_buffer_grow(&more, cache, later_bytes);      // the same address, and the same contents
 */
#ifndef CUCORE_VIRTUAL_H
#define CUCORE_VIRTUAL_H

#include <cucore/base.h>
#include <cucore/buffer.h>
#include <cucore/memory.h>

CUC_BEGIN_DECLS

/** Properties of virtual memory. */
enum {
    CUC_MEMORY_VIRTUAL_READ_ONLY = 0x1,       /**< its own device only reads it */
    CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY = 0x2, /**< the peers only read it */
    CUC_MEMORY_VIRTUAL_RDMA = 0x4, /**< other devices of the bus reach it (GPUDirect RDMA) */
    CUC_MEMORY_VIRTUAL_FINE = 0x8, /**< in the least pieces that there are, not those the driver
                                        recommends */
    CUC_MEMORY_VIRTUAL_IPC = 0x10, /**< other processes can have it: cuc_buffer_export_pieces() */
};

/** Options of cuc_memory_virtual(); zero is the default of every field. */
typedef struct cuc_memory_virtual_options {
    size_t struct_size; /**< sizeof(cuc_memory_virtual_options); the initialisers set it */
    uint64_t
        reserve_bytes; /**< addresses for each allocation, to grow into; 0: as many as it takes */
    uint64_t align;    /**< of addresses, a power of two; 0: the driver's */
    cuc_device *const *peers; /**< [peer_count] other devices that reach it */
    size_t peer_count;        /**< 0: none */
    cuc_memory_location
        location;      /**< where the memory is: NONE is the device, else a place of the host */
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
 * @param caller_size sizeof(cuc_memory_virtual_options) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_memory_virtual_options_init(cuc_memory_virtual_options *options,
                                             size_t caller_size);

/**
 * A resource whose buffers can grow.
 *
 * Allocating takes whole pieces of cuc_memory_get_granularity() bytes, mostly 2 MiB, and some tens
 * of microseconds; it waits for nothing. Freeing waits for the buffer's stream first.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out     a new reference; release it
 * @param      device  whose memory it is, or which reaches it where the host has it
 * @param      options NULL: memory of the device, that it alone reaches, with no addresses to spare
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or device is NULL; align is no power of two; a peer is
 * none, or the device itself; location or flags are not known
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no virtual memory management, does not reach a
 * peer, or has no RDMA with such memory
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Virtual Memory Management": cuMemGetAllocationGranularity,
 * cuMemAddressReserve, cuMemCreate, cuMemMap, cuMemSetAccess, cuMemUnmap, cuMemRelease,
 * cuMemAddressFree
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_virtual(cuc_memory_resource **out, cuc_device *device,
                                      const cuc_memory_virtual_options *options);

/**
 * The pieces that a resource of virtual memory allocates in.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out      bytes
 * @param      resource of cuc_memory_virtual()
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the resource is another sort
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_granularity(size_t *out, cuc_memory_resource *resource);

/**
 * A buffer of another size over the memory of one that there is, which stays as it is.
 *
 * Both are of the same memory as far as both reach, and each is released by itself; the memory goes
 * with the last of them. It is at the same address where the resource has reserved so many bytes,
 * and when `bytes` is less; what had to move leaves the addresses before it to the old buffer. What
 * is new has no contents.
 *
 * @order  the memory is there at once, for every stream; no work is waited for, and none has to be
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    a new reference; release it; its stream is the buffer's
 * @param      buffer of a resource of cuc_memory_virtual(), whole and not empty
 * @param      bytes  more than 0
 * @retval CUC_OK                         created
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL, bytes is 0, the buffer is a slice,
 * empty or of another resource
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the memory is used up
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused
 * @source CUDA Driver API, "Virtual Memory Management": cuMemCreate, cuMemMap, cuMemSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_grow(cuc_buffer **out, cuc_buffer *buffer, size_t bytes);

/** A piece of virtual memory, as another process can have it. Linux alone. */
typedef struct cuc_memory_piece {
    uint64_t bytes;
    int32_t fd; /**< a file descriptor, to be closed by who has it */
    uint32_t reserved;
} cuc_memory_piece;

/**
 * The memory behind a buffer of virtual memory, for another process: a file descriptor for each of
 * its pieces, of which a buffer has one, and one more for each growth.
 *
 * They go there as those of cuc_memory_pool_export() do, with the sizes. The memory is there as
 * long as one of the processes has it.
 *
 *     cuc_buffer_export_pieces(pieces, 8, &count, buffer);                 // here
 *     ...                                                                  // pieces go there
 *     cuc_buffer_import_pieces(&buffer, resource, pieces, count, bytes, stream);
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] pieces [room] in the order of their addresses; the caller closes each file
 *                    descriptor; NULL only counts
 * @param      room   as many as there are, or more; 0 with pieces NULL
 * @param[out] count  how many there are
 * @param      buffer of a resource with CUC_MEMORY_VIRTUAL_IPC, whole and not empty
 * @retval CUC_OK                     made, or counted
 * @retval CUC_ERROR_INVALID_ARGUMENT count or buffer is NULL, there are more pieces than room, or
 * the buffer is a slice, empty or of another resource
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that was imported itself
 * @source CUDA Driver API, "Virtual Memory Management": cuMemExportToShareableHandle
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_export_pieces(cuc_memory_piece *pieces, size_t room, size_t *count,
                                            cuc_buffer *buffer);

/**
 * A buffer over the memory of another process. It grows as others of its resource do, by memory of
 * its own.
 *
 * @order  the memory is there at once; whether the other process's work on it is done is not known
 *         here
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out      a new reference; release it
 * @param      resource of cuc_memory_virtual() with the same device and flags, of this process:
 *                      whose addresses it takes, and whose devices reach it
 * @param      pieces   [count] what cuc_buffer_export_pieces() gave, with file descriptors as this
 *                      process has them; these stay the caller's, and may be closed afterwards
 * @param      count    more than 0
 * @param      bytes    of the buffer, which the other process has to tell: more than 0, and no more
 *                      than the pieces have
 * @param      stream   orders the end of the buffer here; retained; NULL: none
 * @retval CUC_OK                         imported
 * @retval CUC_ERROR_INVALID_ARGUMENT     out, resource or pieces is NULL, the resource is another
 * sort, count or bytes is 0, or the sizes of the pieces are none that they can have
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the addresses are used up
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_DRIVER               the driver refused, such as a descriptor of something else
 * @source CUDA Driver API, "Virtual Memory Management": cuMemImportFromShareableHandle, cuMemMap,
 * cuMemSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_buffer_import_pieces(cuc_buffer **out, cuc_memory_resource *resource,
                                            const cuc_memory_piece *pieces, size_t count,
                                            size_t bytes, cuc_stream *stream);

CUC_END_DECLS

#endif
