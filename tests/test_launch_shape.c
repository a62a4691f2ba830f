// Tests grids, blocks and shared memory of launches, within and beyond the device's limits.
#include "base/array.h"
#include "launching.h"

#include <cucore/occupancy.h>

#include <stdio.h>

static const struct {
    uint32_t grid[3], block[3];
    const char *message;
} bad_shapes[] = {
    { { 0, 1, 1 }, { 32, 1, 1 }, "grid.x is 0, expected 1 to 2147483647" },
    { { 0, 0, 0 }, { 0, 0, 0 }, "grid.x is 0" },
    { { 1, 0, 0 }, { 0, 1, 1 }, "block.x is 0, expected 1 to 1024" },
    { { 0x80000000u, 1, 1 }, { 1, 1, 1 }, "grid.x is 2147483648, device 0 (" },
    { { 1, 65536, 1 }, { 1, 1, 1 }, "grid.y is 65536, device 0 (" },
    { { 1, 1, 65536 }, { 1, 1, 1 }, ") allows 65535" },
    { { 1, 1, 1 }, { 1025, 1, 1 }, "block.x is 1025, device 0 (" },
    { { 1, 1, 1 }, { 1, 1025, 1 }, "block.y is 1025, device 0 (" },
    { { 1, 1, 1 }, { 1, 1, 65 }, ") allows 64" },
    { { 1, 1, 1 }, { 1024, 2, 0 }, "block is 1024,2,1, that is 2048 threads for none: the device" },
    { { 1, 1, 1 }, { 32, 32, 2 }, "that is 2048 threads for none: the device allows 1024" },
    { { UINT32_MAX, 1, 1 }, { 1, 1, 1 }, "grid.x is 4294967295" },
    { { 1, 1, 1 }, { UINT32_MAX, UINT32_MAX, UINT32_MAX }, "block.x is 4294967295" },
};

CASE("launch_shape", .setup = setup, .teardown = teardown);

TEST_ROWS(a_grid_or_block_beyond_the_device_is_reported_with_the_limit, bad_shapes)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;

    memcpy(c.grid, bad_shapes[_i].grid, sizeof(c.grid));
    memcpy(c.block, bad_shapes[_i].block, sizeof(c.block));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), bad_shapes[_i].message);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}

TEST(a_block_beyond_the_kernels_own_bound_is_reported)
{
    cuc_kernel *small = kernel("small");

    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 64 }), small));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 65 }), small),
             "block is 65,1,1, that is 65 threads for small: the kernel's registers or launch "
             "bounds allow 64");
    cuc_kernel_release(small);
}

TEST(dimensions_left_out_are_one)
{
    NEED_FAKE();
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 3 }, .block = { 5 }), none));
    const CUlaunchConfig *c = seen("none");
    ck_assert_uint_eq(c->gridDimX, 3);
    ck_assert_uint_eq(c->gridDimY, 1);
    ck_assert_uint_eq(c->gridDimZ, 1);
    ck_assert_uint_eq(c->blockDimX, 5);
    ck_assert_uint_eq(c->blockDimY, 1);
    ck_assert_uint_eq(c->blockDimZ, 1);
    ck_assert_uint_eq(c->sharedMemBytes, 0);
    ck_assert_uint_eq(c->numAttrs, 0);
    ck_assert_ptr_eq(c->hStream, cuc_stream_handle(stream));
    ck_ok(CUC_LAUNCH(
        stream, CUC_LAUNCH_CONFIG(.grid = { 2, 3, 4 }, .block = { 5, 6, 7 }, .shared_bytes = 100),
        none));
    c = seen("none");
    ck_assert_uint_eq(c->gridDimX, 2);
    ck_assert_uint_eq(c->gridDimY, 3);
    ck_assert_uint_eq(c->gridDimZ, 4);
    ck_assert_uint_eq(c->blockDimX, 5);
    ck_assert_uint_eq(c->blockDimY, 6);
    ck_assert_uint_eq(c->blockDimZ, 7);
    ck_assert_uint_eq(c->sharedMemBytes, 100);
    // The same launch with attributes takes another path.
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 5 }, .shared_bytes = 8,
                                       .flags = CUC_LAUNCH_COOPERATIVE),
                     none));
    c = seen("none");
    ck_assert_uint_eq(c->gridDimX, 2);
    ck_assert_uint_eq(c->gridDimY, 1);
    ck_assert_uint_eq(c->gridDimZ, 1);
    ck_assert_uint_eq(c->blockDimY, 1);
    ck_assert_uint_eq(c->sharedMemBytes, 8);
    ck_assert_ptr_eq(c->hStream, cuc_stream_handle(stream));
}

TEST(a_config_of_another_size_is_read_up_to_its_size)
{
    struct {
        cuc_launch_config known;
        uint64_t more;
    } newer = { CUC_LAUNCH_CONFIG_INIT, 0 };
    cuc_launch_config older = CUC_LAUNCH_CONFIG_INIT;

    newer.known.struct_size = sizeof(newer);
    newer.known.grid[0] = newer.known.block[0] = 2;
    ck_ok(CUC_LAUNCH(stream, &newer.known, none));
    newer.more = 1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &newer.known, none),
             "cuc_launch_config sets a field at byte");
    older.struct_size = offsetof(cuc_launch_config, shared_bytes);
    older.grid[0] = older.block[0] = 2;
    older.shared_bytes = UINT32_MAX; // beyond the end of the caller's struct
    ck_ok(CUC_LAUNCH(stream, &older, none));
    older.struct_size = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &older, none), "struct_size is 0",
             "sizeof(cuc_launch_config)");
}

// Shared memory.

TEST(large_dynamic_shared_memory_is_opted_into_once)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;

    ck_ok(cuc_device_get_properties(&p, device));
    uint32_t most = (uint32_t)p.max_shared_memory_per_block_optin;
    for (int i = 0; i < 3; i++)
        ck_ok(CUC_LAUNCH(
            stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 49152), none));
    if (fake_available())
        ck_assert_int_eq(fake_calls("cuKernelSetAttribute"), 0);
    for (int i = 0; i < 3; i++)
        ck_ok(CUC_LAUNCH(
            stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 65536), none));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most),
                     none));
    if (fake_available()) {
        ck_assert_int_eq(fake_calls("cuKernelSetAttribute"), 1);
        ck_assert_uint_eq(seen("none")->sharedMemBytes, most);
    }
}

TEST(shared_memory_beyond_the_opt_in_limit_is_reported_with_the_limit)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    cuc_kernel *fixed = kernel("fixed");
    char asked[64], limit[96];

    ck_ok(cuc_device_get_properties(&p, device));
    uint32_t most = (uint32_t)p.max_shared_memory_per_block_optin;
    snprintf(asked, sizeof(asked), "shared_bytes is %u, the kernel none can have at most %u",
             most + 1, most);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most + 1),
                        none),
             asked);
    snprintf(asked, sizeof(asked), "the kernel fixed can have at most %u", most - 1024);
    snprintf(limit, sizeof(limit), "%u bytes per block, less 1024", most);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most),
                        fixed),
             asked, limit);
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most - 1024),
                     fixed));
    cuc_kernel_release(fixed);
}

TEST(a_launch_that_the_driver_refuses_names_the_kernel_and_its_shape)
{
    NEED_FAKE();
    fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ck_fails(CUC_ERROR_DRIVER,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 7, 2 }, .block = { 64 }, .shared_bytes = 128),
                        none),
             "launching none, grid 7,2,1 block 64,1,1 with 128 bytes of dynamic shared memory on "
             "device 0",
             "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    static const char *const calls[] = { "cuKernelGetAttribute", "cuKernelSetAttribute" };
    cuc_kernel *fresh = kernel("fixed");
    for (int i = 0; i < CUC_LENGTH(calls); i++) { // the first launch's query; the opt-in
        fake_fail(calls[i], 1, CUDA_ERROR_UNKNOWN);
        ck_fails(
            CUC_ERROR_DRIVER,
            CUC_LAUNCH(stream,
                       CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 100000),
                       fresh),
            calls[i], "the kernel fixed");
    }
    ck_ok(CUC_LAUNCH(
        stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 100000), fresh));
    cuc_kernel_release(fresh);
}

// Makes a kernel in its own object, with a block size that .reqntid fixes.
static cuc_kernel *exact_kernel(const char *reqntid)
{
    char ptx[512];
    cuc_object *own;
    cuc_kernel *exact;

    snprintf(ptx, sizeof(ptx),
             ".version 7.8\n.target sm_80\n.address_size 64\n"
             ".visible .entry other()\n.reqntid 7\n{\n ret;\n}\n"
             ".visible .entry exact(.param .u64 exact_x)\n.reqntid %s\n{\n ret;\n}\n",
             reqntid);
    ck_ok(cuc_object_create(&own, CUC_CODE_PTX, ptx, strlen(ptx), NULL));
    ck_ok(cuc_object_get_kernel(&exact, own, "exact"));
    cuc_object_release(own);
    return exact;
}

static const struct {
    uint64_t n;
    uint32_t block, expected_block, expected_grid;
} counts[] = {
    { 0, 128, 128, 1 }, // one block, for no elements
    { 1, 128, 128, 1 },
    { 128, 128, 128, 1 },
    { 129, 128, 128, 2 },
    { 1000000, 256, 256, 3907 },
    { UINT64_C(0x7fffffff) * 1024, 1024, 1024, 0x7fffffff }, // the largest grid
};

TEST_ROWS(a_config_for_n_elements_covers_them_with_the_given_block, counts)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;

    c.block[0] = counts[_i].block;
    c.shared_bytes = 64;
    ck_ok(cuc_launch_config_for(&c, none, device, counts[_i].n));
    ck_assert_uint_eq(c.grid[0], counts[_i].expected_grid);
    ck_assert_uint_eq(c.block[0], counts[_i].expected_block);
    ck_assert_uint_eq(c.shared_bytes, 64);
    ck_assert_uint_eq(c.struct_size, sizeof(c));
}

TEST(a_config_without_a_block_gets_the_block_of_highest_occupancy)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;
    cuc_kernel *small = kernel("small");
    uint32_t grid, block;

    ck_ok(cuc_occupancy_max_potential_block_size(&grid, &block, none, device, NULL));
    ck_ok(cuc_launch_config_for(&c, none, device, 100000));
    ck_assert_uint_eq(c.block[0], block);
    ck_assert_uint_eq(c.grid[0], (100000 + block - 1) / block);
    ck_ok(CUC_LAUNCH(stream, &c, none));

    cuc_launch_config bounded = CUC_LAUNCH_CONFIG_INIT;
    ck_ok(cuc_launch_config_for(&bounded, small, device, 100000));
    ck_assert_uint_le(bounded.block[0], 64); // limited by its launch bounds
    ck_ok(CUC_LAUNCH(stream, &bounded, small));
    cuc_kernel_release(small);
}

TEST(a_config_takes_the_block_that_a_kernel_requires)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;
    cuc_kernel *exact = exact_kernel("96, 1, 1"), *flat = exact_kernel("16, 16");
    void *nothing = NULL;

    ck_ok(cuc_launch_config_for(&c, exact, device, 1000));
    ck_assert_uint_eq(c.block[0], 96);
    ck_assert_uint_eq(c.grid[0], 11);
    ck_ok(CUC_LAUNCH(stream, &c, exact, nothing));
    c.block[0] = 64;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, exact, device, 1000),
             "config.block is 64,1,1, exact requires 96,1,1");
    c.block[0] = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, flat, device, 1000),
             "the required block is 16,16,1 for exact");
    ck_assert_uint_eq(c.block[0], 0); // unchanged
    cuc_kernel_release(exact);
    cuc_kernel_release(flat);
}

TEST(a_config_for_clusters_has_whole_clusters)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;

    c.block[0] = 32;
    c.cluster[0] = 4;
    ck_ok(cuc_launch_config_for(&c, none, device, 32 * 9));
    ck_assert_uint_eq(c.grid[0], 12);
    ck_ok(cuc_launch_config_for(&c, none, device, 0));
    ck_assert_uint_eq(c.grid[0], 4);
}

TEST(an_impossible_config_is_refused_and_unchanged)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;
    const cuc_launch_config before = { .struct_size = sizeof(c), .block = { 1024 } };
    const uint64_t most = UINT64_C(0x7fffffff) * 1024;

    c.block[0] = 1024;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, none, device, most + 1),
             "n is 2199023254529,", "2147483647 blocks of 1024 threads, for 2199023254528");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, none, device, UINT64_MAX),
             "n is 18446744073709551615,");
    ck_assert_mem_eq(&c, &before, sizeof(c));
    c.block[0] = 1025;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, none, device, 1),
             "config.block is 1025 threads, none runs 1 to 1024");
    c.block[0] = 16, c.block[1] = 2;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, none, device, 1),
             "config.block is 16,2,0 for none, expected one of one dimension");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(NULL, none, device, 1),
             "config is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, NULL, device, 1), "kernel");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, none, NULL, 1), "device");
    c.struct_size = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_config_for(&c, none, device, 1),
             "cuc_launch_config.struct_size is 0");
}

int main(void)
{
    return run_device_tests("launch_shape");
}
