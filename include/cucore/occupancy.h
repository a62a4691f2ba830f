/**
 * @file
 * Occupancy: how many blocks and clusters of a kernel a device runs concurrently.
 *
 * Results hold for launches by cuc_launch(), which opts in to large dynamic shared memory. These
 * queries do the same.
 */
#ifndef CUCORE_OCCUPANCY_H
#define CUCORE_OCCUPANCY_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/kernel.h>
#include <cucore/launch.h>

CUC_BEGIN_DECLS

/** Flags of the queries below. */
enum {
    /** Ignore the occupancy cost of caching global memory in L1. */
    CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1 << 0,
};

/**
 * The number of blocks of a kernel that one multiprocessor can run concurrently.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out           blocks; 0 if not even one block fits
 * @param kernel        any kernel
 * @param device        the device to run on
 * @param block_threads threads of a block
 * @param shared_bytes  dynamic shared memory of a block
 * @param flags         CUC_OCCUPANCY_ bits
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, block_threads is 0 or exceeds the
 *                                    device's limit, shared_bytes exceeds the kernel's limit on the
 *                                    device, or a flag is unknown
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for code that does not run on the
 *                                    device
 * @source CUDA Driver API, "Occupancy": cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
 * @since 0.1
 */
CUC_API cuc_status cuc_occupancy_max_active_blocks(uint32_t *out, cuc_kernel *kernel,
                                                   cuc_device *device, uint32_t block_threads,
                                                   uint32_t shared_bytes, uint32_t flags);

/** Limits for cuc_occupancy_max_potential_block_size(). Zero selects the default of every field. */
typedef struct cuc_occupancy_options {
    size_t struct_size;    /**< sizeof(cuc_occupancy_options); the initializers set it */
    uint32_t shared_bytes; /**< dynamic shared memory of a block of any size; not together with
                                shared_of_block */
    uint32_t block_limit;  /**< maximum threads of a block; 0: the limit of kernel and device */
    uint32_t flags;        /**< CUC_OCCUPANCY_ bits */
    uint32_t reserved;     /**< 0 */
    /** Returns the dynamic shared memory of a block of `block_threads` threads, in bytes. Called on
     * the calling thread before the query returns. Must not call cucore. NULL: shared_bytes. */
    size_t (*shared_of_block)(int32_t block_threads, void *user);
    void *user; /**< passed to shared_of_block */
} cuc_occupancy_options;

#define CUC_OCCUPANCY_OPTIONS_INIT                      \
    {                                                   \
        sizeof(cuc_occupancy_options), 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_OCCUPANCY_OPTIONS(.shared_bytes = 4096). */
#define CUC_OCCUPANCY_OPTIONS(...) \
    (&(cuc_occupancy_options){ .struct_size = sizeof(cuc_occupancy_options), __VA_ARGS__ })
#endif

/**
 * Set options to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     zeroed, and its size set; NULL does nothing
 * @param caller_size sizeof(cuc_occupancy_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_occupancy_options_init(cuc_occupancy_options *options, size_t caller_size);

/**
 * The block size with the highest occupancy of a kernel on a device.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param grid    blocks that fill the device once; a smaller grid leaves part of it idle
 * @param block   threads of a block
 * @param kernel  any kernel
 * @param device  the device to run on
 * @param options NULL for defaults
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, an option is wrong, or shared_bytes
 *                                    exceeds the kernel's limit on the device
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for code that does not run on the
 *                                    device
 * @source CUDA Driver API, "Occupancy": cuOccupancyMaxPotentialBlockSizeWithFlags
 * @since 0.1
 */
CUC_API cuc_status cuc_occupancy_max_potential_block_size(uint32_t *grid, uint32_t *block,
                                                          cuc_kernel *kernel, cuc_device *device,
                                                          const cuc_occupancy_options *options);

/**
 * The dynamic shared memory available to each block when `blocks` blocks run on one multiprocessor.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out           bytes per block
 * @param kernel        any kernel
 * @param device        the device to run on
 * @param blocks        blocks to run concurrently
 * @param block_threads threads of a block
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or blocks or block_threads is 0 or
 *                                    exceeds the device's limit
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for more blocks than fit at all
 * @source CUDA Driver API, "Occupancy": cuOccupancyAvailableDynamicSMemPerBlock
 * @since 0.1
 */
CUC_API cuc_status cuc_occupancy_available_dynamic_shared(size_t *out, cuc_kernel *kernel,
                                                          cuc_device *device, uint32_t blocks,
                                                          uint32_t block_threads);

/**
 * The largest cluster that a launch with a config can have.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    blocks of a cluster
 * @param kernel any kernel
 * @param device the device to run on
 * @param config block, shared memory and attributes; its cluster is ignored, and a grid of 0 means
 *               any grid
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the config is wrong, as for
 *                                    cuc_launch()
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no clusters
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Occupancy": cuOccupancyMaxPotentialClusterSize
 * @since 0.1
 */
CUC_API cuc_status cuc_occupancy_max_potential_cluster_size(uint32_t *out, cuc_kernel *kernel,
                                                            cuc_device *device,
                                                            const cuc_launch_config *config);

/**
 * The number of clusters of a launch that the device runs concurrently.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    clusters
 * @param kernel any kernel
 * @param device the device to run on
 * @param config with a cluster, unless the kernel was compiled for one; a grid of 0 means any grid
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or the config is wrong, as for
 *                                    cuc_launch()
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no clusters
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Occupancy": cuOccupancyMaxActiveClusters
 * @since 0.1
 */
CUC_API cuc_status cuc_occupancy_max_active_clusters(uint32_t *out, cuc_kernel *kernel,
                                                     cuc_device *device,
                                                     const cuc_launch_config *config);

CUC_END_DECLS

#endif
