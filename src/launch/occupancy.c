#include <cucore/occupancy.h>

#include "device/context.h"
#include "code/kernel.h"
#include "launch.h"
#include "code/object.h"
#include "base/options.h"
#include "driver/relaxed.h"

#include <string.h>

// The options of the current query. The driver's callback has no parameter for user data, so it
// reads this variable. The driver calls it on the querying thread before the query returns.
static _Thread_local const cuc_occupancy_options *asking;

static size_t shared_of_block(int block_threads)
{
    return asking->shared_of_block((int32_t)block_threads, asking->user);
}

static cuc_status check_block(uint32_t threads, const char *what, const cuc_device *device,
                              const char *function)
{
    if (threads && threads <= device->limits.block_threads)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is %u, device %d (%s) runs 1 to %u",
                     what, threads, device->ordinal, device->name, device->limits.block_threads);
}

static cuc_status check_flags(uint32_t flags, const char *function)
{
    return cuc__check_bits("flags", flags, CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE, 0,
                           "CUC_OCCUPANCY_DISABLE_CACHING_OVERRIDE (0x1) or 0", function);
}

// Ends a query in the device's primary context. (Queries pass the CUkernel as a CUfunction, which
// the driver accepts.)
static cuc_status leave(cuc_context *context, bool pushed, CUresult r, const char *call,
                        const cuc_kernel *kernel, const char *function)
{
    cuc_status st = CUC_OK;

    if (r)
        st = cuc__fail_driver(context, r, function, call,
                              "asking for the occupancy of the kernel %s on device %d (%s)",
                              kernel->name, context->device->ordinal, context->device->name);
    return cuc__context_leave(context, pushed, st, function);
}

cuc_status cuc_occupancy_max_active_blocks(uint32_t *out, cuc_kernel *kernel, cuc_device *device,
                                           uint32_t block_threads, uint32_t shared_bytes,
                                           uint32_t flags)
{
    cuc_context *context = NULL;
    bool pushed = false;
    int blocks = 0;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if ((st = check_flags(flags, __func__)) < 0 ||
        (st = check_block(block_threads, "block_threads", device, __func__)) < 0 ||
        (st = cuc__kernel_allow_shared(kernel, device, shared_bytes, __func__)) < 0 ||
        (st = cuc__device_enter(&context, &pushed, device, __func__)) < 0)
        return st;
    CUresult r = cuc__cu.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (CUfunction)kernel->handle, (int)block_threads, shared_bytes, flags);
    st = leave(context, pushed, r, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", kernel,
               __func__);
    if (st < 0)
        return st;
    *out = (uint32_t)blocks;
    return CUC_OK;
}

void cuc_occupancy_options_init(cuc_occupancy_options *options, size_t struct_size)
{
    cuc__init_options(options, struct_size);
}

cuc_status cuc_occupancy_max_potential_block_size(uint32_t *grid, uint32_t *block,
                                                  cuc_kernel *kernel, cuc_device *device,
                                                  const cuc_occupancy_options *options)
{
    cuc_occupancy_options o;
    cuc_context *context = NULL;
    bool pushed = false;
    int blocks = 0, threads = 0;
    cuc_status st;

    CUC_CHECK_NOT_NULL(grid);
    CUC_CHECK_NOT_NULL(block);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_occupancy_options)) < 0 ||
        (st = check_flags(o.flags, __func__)) < 0 ||
        (o.block_limit &&
         (st = check_block(o.block_limit, "options.block_limit", device, __func__)) < 0) ||
        (st = cuc__check_reserved("options.reserved", o.reserved, __func__)) < 0)
        return st;
    if (o.shared_of_block && o.shared_bytes)
        return CUC_FAIL(
            CUC_ERROR_INVALID_ARGUMENT,
            "options.shared_bytes is %u, but shared_of_block is also given: give one of them",
            o.shared_bytes);

    // The callback's results are not known yet, so allow the maximum.
    if ((st = cuc__kernel_prepare(kernel, device, __func__)) < 0)
        return st;
    uint32_t shared = o.shared_of_block ? cuc__kernel_shared_limit(kernel, device) : o.shared_bytes;
    if ((st = cuc__kernel_allow_shared(kernel, device, shared, __func__)) < 0 ||
        (st = cuc__device_enter(&context, &pushed, device, __func__)) < 0)
        return st;

    const cuc_occupancy_options *outer = asking;
    asking = &o;
    CUresult r = cuc__cu.cuOccupancyMaxPotentialBlockSizeWithFlags(
        &blocks, &threads, (CUfunction)kernel->handle, o.shared_of_block ? shared_of_block : NULL,
        o.shared_bytes, (int)o.block_limit, o.flags);
    asking = outer;
    st = leave(context, pushed, r, "cuOccupancyMaxPotentialBlockSizeWithFlags", kernel, __func__);
    if (st < 0)
        return st;
    *grid = (uint32_t)blocks;
    *block = (uint32_t)threads;
    return CUC_OK;
}

cuc_status cuc_occupancy_available_dynamic_shared(size_t *out, cuc_kernel *kernel,
                                                  cuc_device *device, uint32_t blocks,
                                                  uint32_t block_threads)
{
    cuc_context *context = NULL;
    bool pushed = false;
    size_t bytes = 0;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if (!blocks || blocks > INT32_MAX)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "blocks is %u, expected 1 or more", blocks);
    if ((st = check_block(block_threads, "block_threads", device, __func__)) < 0 ||
        (st = cuc__device_enter(&context, &pushed, device, __func__)) < 0)
        return st;
    CUresult r; // the query may load the kernel's code
    CUC_RELAXED(r, cuc__cu.cuOccupancyAvailableDynamicSMemPerBlock(
                       &bytes, (CUfunction)kernel->handle, (int)blocks, (int)block_threads));
    st = leave(context, pushed, r, "cuOccupancyAvailableDynamicSMemPerBlock", kernel, __func__);
    if (st < 0)
        return st;
    *out = bytes;
    return CUC_OK;
}

static cuc_status check_config_block(const CUlaunchConfig *c, const cuc_device *device,
                                     const char *function)
{
    uint64_t threads = (uint64_t)c->blockDimX * c->blockDimY;

    threads = threads > UINT32_MAX ? UINT32_MAX : threads * c->blockDimZ;
    return check_block(threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads,
                       "config.block, its three sides multiplied,", device, function);
}

typedef CUresult (*cluster_question)(int *out, CUfunction function, const CUlaunchConfig *config);

// Runs a query about clusters. Both such queries take a launch config.
static cuc_status query_clusters(uint32_t *out, cuc_kernel *kernel, cuc_device *device,
                                 const cuc_launch_config *given, bool any_cluster,
                                 cluster_question question, const char *call, const char *function)
{
    CUlaunchAttribute attributes[CUC__MAX_LAUNCH_ATTRIBUTES];
    CUlaunchConfig c;
    cuc_launch_config config;
    cuc_context *context = NULL;
    bool pushed = false;
    int answer = 0;
    cuc_status st;

    if (!device->limits.cluster_launch)
        return cuc__fail(
            CUC_ERROR_NOT_SUPPORTED, function,
            "device %d (%s, %s) has no thread block clusters, which need compute capability 9.0",
            device->ordinal, device->name, device->arch);
    if ((st = cuc__read_options(&config, sizeof(config), given, "cuc_launch_config", function)) < 0)
        return st;
    if (any_cluster)
        memset(config.cluster, 0, sizeof(config.cluster));
    if (!config.grid[0])
        for (size_t i = 0; i < 3; i++) // one cluster, or one block
            config.grid[i] = config.cluster[i] ? config.cluster[i] : 1;
    if ((st = cuc__launch_config_fill(&c, attributes, &config, device, function)) < 0 ||
        (st = check_config_block(&c, device, function)) < 0 ||
        (st = cuc__kernel_allow_shared(kernel, device, config.shared_bytes, function)) < 0 ||
        (st = cuc__device_enter(&context, &pushed, device, function)) < 0)
        return st;
    CUresult r = question(&answer, (CUfunction)kernel->handle, &c);
    if ((st = leave(context, pushed, r, call, kernel, function)) < 0)
        return st;
    *out = (uint32_t)answer;
    return CUC_OK;
}

cuc_status cuc_occupancy_max_potential_cluster_size(uint32_t *out, cuc_kernel *kernel,
                                                    cuc_device *device,
                                                    const cuc_launch_config *config)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(config);
    return query_clusters(out, kernel, device, config, true,
                          cuc__cu.cuOccupancyMaxPotentialClusterSize,
                          "cuOccupancyMaxPotentialClusterSize", __func__);
}

cuc_status cuc_occupancy_max_active_clusters(uint32_t *out, cuc_kernel *kernel, cuc_device *device,
                                             const cuc_launch_config *config)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(config);
    return query_clusters(out, kernel, device, config, false, cuc__cu.cuOccupancyMaxActiveClusters,
                          "cuOccupancyMaxActiveClusters", __func__);
}
