// Launches clusters of blocks that read each other's shared memory.
#include "example.h"

enum { CLUSTER = 4, CLUSTERS = 16, BLOCK = 128 };

static const char source[] =
    "#include <cooperative_groups.h>\n"
    "namespace cg = cooperative_groups;\n"
    "extern \"C\" __global__ void rotate(int *out)\n"
    "{\n"
    "    extern __shared__ int own[];\n"
    "    cg::cluster_group cluster = cg::this_cluster();\n"
    "    own[threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    cluster.sync();\n" // every block has begun and written
    "    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();\n"
    "    int value = cluster.map_shared_rank(own, next)[threadIdx.x];\n"
    "    cluster.sync();\n" // no block exits while its memory is being read
    "    out[blockIdx.x * blockDim.x + threadIdx.x] = value;\n"
    "}\n";

int main(void)
{
    static int32_t out[CLUSTERS * CLUSTER * BLOCK];
    cuc_device *device = example_device();
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_buffer, buffer);
    int32_t has_clusters;
    uint32_t at_once;
    int wrong = 0;

    CUC_MUST(cuc_device_get_attribute(&has_clusters, device, CUC_DEVICE_CLUSTER_LAUNCH));
    skip_unless(has_clusters, "the device has no clusters: they came with compute capability 9.0");

    CUC_SCOPED(cuc_kernel, kernel);
    const cuc_launch_config *config = CUC_LAUNCH_CONFIG(.grid = { CLUSTERS * CLUSTER },
                                                        .block = { BLOCK }, .cluster = { CLUSTER },
                                                        .shared_bytes = BLOCK * sizeof(int32_t));

    CUC_MUST(cuc_kernel_from_source(&kernel, CUC_SOURCE_CUDA, source, 0, "rotate", NULL));
    CUC_MUST(cuc_occupancy_max_active_clusters(&at_once, kernel, device, config));
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_buffer_create(&buffer, stream, NULL, sizeof(out)));
    CUC_MUST(CUC_LAUNCH(stream, config, kernel, buffer));
    CUC_MUST(cuc_buffer_read_async(stream, out, buffer, 0, sizeof(out)));
    CUC_MUST(cuc_stream_synchronize(stream));

    for (int block = 0; block < CLUSTERS * CLUSTER; block++) {
        int from = block / CLUSTER * CLUSTER + (block + 1) % CLUSTER;
        for (int t = 0; t < BLOCK; t++)
            wrong += out[block * BLOCK + t] != from * BLOCK + t;
    }
    printf("%d clusters of %d blocks, %u fit at once: %d wrong\n", CLUSTERS, CLUSTER, at_once,
           wrong);
    return wrong != 0;
}
