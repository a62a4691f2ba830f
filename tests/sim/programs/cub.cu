// CUB's block primitives, from the toolkit's own headers.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

extern "C" __global__ void cub_reduce(const int *x, int *out, int n)
{
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage room;
    int i = blockIdx.x * 128 + threadIdx.x;
    int sum = Reduce(room).Sum(i < n ? x[i] : 0);
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

extern "C" __global__ void cub_scan(const int *x, int *out, int n)
{
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage room;
    int v[4], base = (blockIdx.x * 128 + threadIdx.x) * 4;
    for (int k = 0; k < 4; k++)
        v[k] = base + k < n ? x[base + k] : 0;
    Scan(room).InclusiveSum(v, v);
    for (int k = 0; k < 4; k++)
        if (base + k < n)
            out[base + k] = v[k];
}

extern "C" __global__ void cub_sort(int *x, int n)
{
    using Sort = cub::BlockRadixSort<int, 128, 4>;
    __shared__ typename Sort::TempStorage room;
    int key[4], base = threadIdx.x * 4;
    for (int k = 0; k < 4; k++)
        key[k] = base + k < n ? x[base + k] : 0x7fffffff;
    Sort(room).Sort(key);
    for (int k = 0; k < 4; k++)
        if (base + k < n)
            x[base + k] = key[k];
}
