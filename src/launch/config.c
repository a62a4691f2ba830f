// Computes the grid and block for launches with one thread per element.
#include <cucore/occupancy.h>

#include "code/kernel.h"
#include "launch.h"
#include "code/object.h"
#include "base/options.h"
#include "code/ptx_signature.h"

#include <inttypes.h>
#include <string.h>

// Finds the block size that a kernel requires, or writes zeros if it requires none. The driver has
// no attribute for it; only the kernel's PTX has it.
static cuc_status find_required_block(uint32_t block[3], const cuc_kernel *kernel,
                                      const char *function)
{
    struct cuc__ptx at;

    memset(block, 0, 3 * sizeof(*block));
    const enum cuc__ptx_found found =
        kernel->object ? cuc__object_ptx_entry(&at, kernel->object, kernel->symbol) : CUC__PTX_NONE;
    if (found == CUC__PTX_NO_MEMORY)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the kernel %s",
                         kernel->name);
    if (found == CUC__PTX_FOUND &&
        !cuc__ptx_required_block(at.at, (size_t)(at.end - at.at), kernel->symbol, block))
        memset(block, 0, 3 * sizeof(*block));
    return CUC_OK;
}

static bool has_one_dimension(const uint32_t block[3])
{
    return block[1] <= 1 && block[2] <= 1;
}

static cuc_status check_block(const uint32_t block[3], cuc_kernel *kernel, cuc_device *device,
                              const char *whose, const char *function)
{
    if (!has_one_dimension(block))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is %u,%u,%u for %s, expected one of one dimension: elements are "
                         "counted along x. Give the grid and the block yourself",
                         whose, block[0], block[1], block[2], kernel->name);
    cuc_status st = cuc__kernel_prepare(kernel, device, function);
    if (st < 0)
        return st;
    uint32_t most = kernel->limits[device->ordinal].block_threads;
    if (block[0] > most)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is %u threads, %s runs 1 to %u on device %d (%s)", whose, block[0],
                         kernel->name, most, device->ordinal, device->name);
    return CUC_OK;
}

static cuc_status choose_block(cuc_launch_config *c, cuc_kernel *kernel, cuc_device *device,
                               const char *function)
{
    uint32_t required[3], grid, block;
    cuc_status st;

    if ((st = find_required_block(required, kernel, function)) < 0)
        return st;
    if (required[0]) {
        if (c->block[0] && (c->block[0] != required[0] || !has_one_dimension(c->block)))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "config.block is %u,%u,%u, %s requires %u,%u,%u: leave it 0",
                             c->block[0], c->block[1], c->block[2], kernel->name, required[0],
                             required[1], required[2]);
        memcpy(c->block, required, sizeof(required));
        return check_block(c->block, kernel, device, "the required block", function);
    }
    if (c->block[0])
        return check_block(c->block, kernel, device, "config.block", function);

    st = cuc_occupancy_max_potential_block_size(
        &grid, &block, kernel, device, CUC_OCCUPANCY_OPTIONS(.shared_bytes = c->shared_bytes));
    if (st < 0)
        return cuc__pass(st, function);
    if (!block)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "no block of %s with %u bytes of dynamic shared memory fits on device %d "
                         "(%s): request less",
                         kernel->name, c->shared_bytes, device->ordinal, device->name);
    c->block[0] = block;
    c->block[1] = c->block[2] = 1;
    return CUC_OK;
}

// Returns the extent of the launch's cluster along x, in blocks.
static cuc_status cluster_width(uint32_t *out, const cuc_launch_config *c, cuc_kernel *kernel,
                                cuc_device *device, const char *function)
{
    int32_t required = 0;

    *out = 1;
    if (c->cluster[0]) {
        *out = c->cluster[0];
    } else if (device->limits.cluster_launch) {
        cuc_status st =
            cuc_kernel_get_attribute(&required, kernel, device, CUC_KERNEL_REQUIRED_CLUSTER_WIDTH);
        if (st < 0)
            return cuc__pass(st, function);
        if (required > 1)
            *out = (uint32_t)required;
    }
    return CUC_OK;
}

cuc_status cuc_launch_config_for(cuc_launch_config *config, cuc_kernel *kernel, cuc_device *device,
                                 uint64_t n)
{
    cuc_launch_config c;
    uint32_t width;
    cuc_status st;

    CUC_CHECK_NOT_NULL(config);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if ((st = CUC_READ_OPTIONS(&c, config, cuc_launch_config)) < 0)
        return st;
    if (kernel->tile)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "the kernel %s is of a tile program, which has its own block and a grid of "
                        "blocks of elements: launch it with a NULL config, or with only a grid",
                        kernel->name);
    if ((st = choose_block(&c, kernel, device, __func__)) < 0 ||
        (st = cluster_width(&width, &c, kernel, device, __func__)) < 0)
        return st;

    const uint64_t most = device->limits.grid[0] / width * (uint64_t)width;
    uint64_t blocks = n / c.block[0] + (n % c.block[0] != 0);
    if (blocks > most)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "n is %" PRIu64 ", device %d (%s) runs %" PRIu64
                        " blocks of %u threads, for %" PRIu64
                        " elements: launch the kernel for parts of them, or let each thread loop",
                        n, device->ordinal, device->name, most, c.block[0], most * c.block[0]);
    if (!blocks)
        blocks = 1;
    c.grid[0] = (uint32_t)((blocks + width - 1) / width * width);
    c.grid[1] = c.grid[2] = 1;
    return CUC_WRITE_STRUCT(config, &c, cuc_launch_config);
}
