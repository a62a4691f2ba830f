// A cooperative launch: all blocks run at once, so the whole grid can synchronise inside a kernel.
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
                             "        grid.sync();\n" // every block's sums are there
                             "        if (grid.thread_rank() < half)\n"
                             "            partial[grid.thread_rank()] +=\n"
                             "                partial[grid.thread_rank() + half];\n"
                             "    }\n"
                             "}\n";

int main(void)
{
    cuc_device *device = example_device();
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    cuc_stream *stream;
    cuc_buffer *partial;
    uint32_t per_multiprocessor, grid = 1, result, expected = 0;

    check(cuc_device_get_properties(&p, device));
    skip_unless(p.cooperative_launch, "the device has no cooperative launch");
    cuc_kernel *kernel = example_kernel(device, source, "sum");

    // As many blocks as can run at once; the halving wants a power of two.
    check(cuc_occupancy_max_active_blocks(&per_multiprocessor, kernel, device, BLOCK, 0, 0));
    while (2 * grid <= per_multiprocessor * (uint32_t)p.multiprocessor_count)
        grid *= 2;

    check(cuc_stream_create(&stream, device, NULL));
    check(cuc_buffer_create(&partial, NULL, (size_t)grid * BLOCK * sizeof(uint32_t), stream));
    check(CUC_LAUNCH(
        stream,
        CUC_LAUNCH_CONFIG(.grid = { grid }, .block = { BLOCK }, .flags = CUC_LAUNCH_COOPERATIVE),
        kernel, partial, (uint32_t)N));
    check(cuc_buffer_read(stream, &result, partial, 0, sizeof(result)));
    check(cuc_stream_synchronize(stream));

    for (uint32_t i = 0; i < N; i++)
        expected += i; // modulo 2^32, as in the kernel
    printf("%u blocks of %d: sum %u, expected %u\n", grid, BLOCK, result, expected);
    cuc_buffer_release(partial);
    cuc_stream_release(stream);
    cuc_kernel_release(kernel);
    return result != expected;
}
