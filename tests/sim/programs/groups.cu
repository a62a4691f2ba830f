// Cooperative groups: tiles of a warp, the whole grid, and clusters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void sum_groups(const int *x, int *sum, int *tiles, int n)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = cg::this_grid().thread_rank();
    int part = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
    if (tile.thread_rank() == 0)
        tiles[i / 8] = part;
    cg::coalesced_group some = cg::coalesced_threads();
    int whole = cg::reduce(some, tile.thread_rank() == 0 ? part : 0, cg::plus<int>());
    if (some.thread_rank() == 0)
        atomicAdd(sum, whole);
}

extern "C" __global__ void scan_groups(const int *x, int *out, int n)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int i = cg::this_grid().thread_rank(), v = cg::inclusive_scan(warp, i < n ? x[i] : 0);
    if (i < n)
        out[i] = v;
}

// A tile of several warps synchronizes through memory that the block reserves for it.
extern "C" __global__ void sum_wide(const int *x, int *sums, int n)
{
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    int i = cg::this_grid().thread_rank();
    int sum = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
    if (tile.thread_rank() == 0)
        sums[i / 64] = sum;
}

// Jacobi steps on a ring, with a grid barrier between the steps.
extern "C" __global__ void jacobi(double *x, double *y, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            y[i] = 0.5 * (x[(i + n - 1) % n] + x[(i + 1) % n]);
        grid.sync();
        double *t = x;
        x = y;
        y = t;
    }
}

#if __CUDA_ARCH__ >= 900
// A histogram whose bins are distributed over the shared memory of a cluster.
extern "C" __global__ void cluster_histogram(const unsigned char *x, unsigned *bins, int n)
{
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ unsigned own[64];
    unsigned per = 256 / cluster.num_blocks();
    for (int i = threadIdx.x; i < per; i += blockDim.x)
        own[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned *there = cluster.map_shared_rank(own, x[i] / per);
        atomicAdd(&there[x[i] % per], 1u);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < per; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * per + i], own[i]);
}
#endif
