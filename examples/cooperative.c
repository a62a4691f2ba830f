// Launches a cooperative kernel: all blocks run concurrently, so the grid can synchronize inside
// the kernel.
#include "example.h"

enum { N = 1 << 22, BLOCK = 256 };

static const char source[] = "#include <cooperative_groups.h>\n"
                             "namespace cg = cooperative_groups;\n"
                             "extern \"C\" __global__ void sum(unsigned *partial, unsigned n)\n"
                             "{\n"
                             "    cg::grid_group grid = cg::this_grid();\n"
                             "    unsigned own = 0;\n"
                             "    for (unsigned i = grid.thread_rank(); i < n; i += grid.size())\n"
                             "        own += i;\n"
                             "    partial[grid.thread_rank()] = own;\n"
                             "    for (unsigned half = grid.size() / 2; half; half /= 2) {\n"
                             "        grid.sync();\n" // all blocks have stored their sums
                             "        if (grid.thread_rank() < half)\n"
                             "            partial[grid.thread_rank()] +=\n"
                             "                partial[grid.thread_rank() + half];\n"
                             "    }\n"
                             "}\n";

int main(void)
{
    cuc_device *device = example_device();
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_buffer, partial);
    uint32_t per_multiprocessor, grid = 1, result, expected = 0;

    CUC_MUST(cuc_device_get_properties(&p, device));
    skip_unless(p.cooperative_launch, "the device has no cooperative launch");
    CUC_SCOPED(cuc_kernel, kernel);

    CUC_MUST(cuc_kernel_from_source(&kernel, CUC_SOURCE_CUDA, source, 0, "sum", NULL));
    // Use as many blocks as can run concurrently; halving needs a power of two.
    CUC_MUST(cuc_occupancy_max_active_blocks(&per_multiprocessor, kernel, device, BLOCK, 0, 0));
    while (2 * grid <= per_multiprocessor * (uint32_t)p.multiprocessor_count)
        grid *= 2;

    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_buffer_create(&partial, stream, NULL, (size_t)grid * BLOCK * sizeof(uint32_t)));
    CUC_MUST(CUC_LAUNCH(
        stream,
        CUC_LAUNCH_CONFIG(.grid = { grid }, .block = { BLOCK }, .flags = CUC_LAUNCH_COOPERATIVE),
        kernel, partial, (uint32_t)N));
    CUC_MUST(cuc_buffer_read_async(stream, &result, partial, 0, sizeof(result)));
    CUC_MUST(cuc_stream_synchronize(stream));

    for (uint32_t i = 0; i < N; i++)
        expected += i; // modulo 2^32, as in the kernel
    printf("%u blocks of %d: sum %u, expected %u\n", grid, BLOCK, result, expected);
    return result != expected;
}
