// Occupancy: the tightest of the limits that a device's attributes set on a multiprocessor's
// threads, blocks, shared memory and registers.
#include "base/array.h"
#include "shell.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Returns the shared memory carveout of a multiprocessor. If a kernel prefers L1, it is the
// smallest choice in which a block fits, as on an H200.
static size_t carveout(const struct kernel *k, int device, size_t block)
{
    static const size_t choices[] = { 8, 16, 32, 64, 100, 132, 164, 196, 228 }; // KiB
    const size_t all =
        (size_t)sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    size_t i = 0;

    if (k->cache[device] != CU_FUNC_CACHE_PREFER_L1)
        return all;
    while (i < CUC_LENGTH(choices) && choices[i] * 1024 < block)
        i++;
    return i < CUC_LENGTH(choices) && choices[i] * 1024 < all ? choices[i] * 1024 : all;
}

int sim_blocks_per_sm(const struct kernel *k, int device, int threads, size_t dynamic)
{
    const int *a = k->attributes[device];
    int warp = sim_attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    int rounded = (threads + warp - 1) / warp * warp;
    size_t reserved =
        (size_t)sim_attribute(device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    size_t shared = (size_t)a[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] + dynamic + reserved;
    size_t all = carveout(k, device, shared);
    int registers = a[CU_FUNC_ATTRIBUTE_NUM_REGS] * rounded;

    if (threads < 1 || threads > a[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] || shared > all)
        return 0;
    int n = sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    n = least(n,
              sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / rounded);
    n = least(n, (int)(all / shared));
    return least(n, sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) /
                        registers);
}

// Returns the kernel of a call, and its device: that of the function's context or, for a CUkernel,
// of the current context.
static CUresult kernel_on(CUfunction func, struct kernel **kernel, int *device)
{
    struct context *c;
    CUresult code = sim_kernel_on(func, kernel, &c);

    if (code)
        return code;
    *device = c->device;
    return c->lost;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction func,
                                                                  int block_size, size_t smem_bytes,
                                                                  unsigned flags)
{
    struct kernel *k;
    int device;
    CUresult code = kernel_on(func, &k, &device);

    if (code)
        return code;
    if (!blocks || block_size < 1 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = sim_blocks_per_sm(k, device, block_size, smem_bytes);
    return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction func,
                                                         int block_size, size_t smem_bytes)
{
    return sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, func, block_size,
                                                                    smem_bytes, 0);
}

CUresult sim_cuOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block_size,
                                                       CUfunction func,
                                                       CUoccupancyB2DSize smem_of_block,
                                                       size_t smem_bytes, int block_size_limit,
                                                       unsigned flags)
{
    struct kernel *k;
    int device, best = 0, best_size = 0, best_blocks = 0;
    CUresult code = kernel_on(func, &k, &device);

    if (code)
        return code;
    if (!min_grid || !block_size || block_size_limit < 0 ||
        flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return CUDA_ERROR_INVALID_VALUE;
    int warp = sim_attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    int most = k->attributes[device][CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
    if (block_size_limit && block_size_limit < most)
        most = block_size_limit;
    for (int size = most; size > 0; size = (size - 1) / warp * warp) {
        if (smem_of_block) {
            sim_unlock();
            smem_bytes = smem_of_block(size);
            sim_lock();
            if (sim_kernel_of(func, &(struct context *){ NULL }) != k)
                return CUDA_ERROR_INVALID_HANDLE; // unloaded meanwhile
        }
        int blocks = sim_blocks_per_sm(k, device, size, smem_bytes);
        if (blocks * size > best) {
            best = blocks * size;
            best_size = size;
            best_blocks = blocks;
        }
    }
    *block_size = best_size;
    *min_grid = best_blocks * sim_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size, CUfunction func,
                                              CUoccupancyB2DSize smem_of_block, size_t smem_bytes,
                                              int block_size_limit)
{
    return sim_cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid, block_size, func, smem_of_block,
                                                         smem_bytes, block_size_limit, 0);
}

CUresult sim_cuOccupancyAvailableDynamicSMemPerBlock(size_t *smem_bytes, CUfunction func,
                                                     int blocks, int block_size)
{
    struct kernel *k;
    int device;
    CUresult code = kernel_on(func, &k, &device);

    if (code)
        return code;
    if (!smem_bytes || blocks < 1 || block_size < 1 ||
        sim_blocks_per_sm(k, device, block_size, 0) < blocks)
        return CUDA_ERROR_INVALID_VALUE;
    int each = sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) /
                   blocks -
               sim_attribute(device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    each =
        least(each, sim_attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    each -= k->attributes[device][CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES];
    each = least(each, k->attributes[device][CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES]);
    *smem_bytes = (size_t)each;
    return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxPotentialClusterSize(int *cluster_size, CUfunction func,
                                                const CUlaunchConfig *config)
{
    struct kernel *k;
    int device;
    CUresult code = kernel_on(func, &k, &device);

    if (code)
        return code;
    if (!cluster_size || !config)
        return CUDA_ERROR_INVALID_VALUE;
    if (!sim_attribute(device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH))
        return CUDA_ERROR_NOT_SUPPORTED;
    *cluster_size = k->attributes[device][CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] ? 16
                                                                                               : 8;
    return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveClusters(int *clusters, CUfunction func,
                                          const CUlaunchConfig *config)
{
    struct kernel *k;
    int device, size = 1;
    CUresult code = kernel_on(func, &k, &device);

    if (code)
        return code;
    if (!clusters || !config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    if (!sim_attribute(device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH))
        return CUDA_ERROR_NOT_SUPPORTED;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            size = (int)(config->attrs[i].value.clusterDim.x * config->attrs[i].value.clusterDim.y *
                         config->attrs[i].value.clusterDim.z);
    if (size < 1 || size > 16)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    int threads = (int)(config->blockDimX * config->blockDimY * config->blockDimZ);
    *clusters = sim_blocks_per_sm(k, device, threads, config->sharedMemBytes) *
                sim_attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) / size;
    return CUDA_SUCCESS;
}
