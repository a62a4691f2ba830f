// Reductions: sums, histograms, compaction.
__device__ int warp_sum(int v)
{
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    return v;
}

// One sum for each block; a second launch with one block adds these sums.
extern "C" __global__ void sum_shared(const int *x, int *out, int n)
{
    extern __shared__ int part[];
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        own += x[i];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

extern "C" __global__ void sum_shuffle(const int *x, int *out, int n)
{
    __shared__ int part[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int v = warp_sum(i < n ? x[i] : 0);
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < blockDim.x / 32 ? part[lane] : 0);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

extern "C" __global__ void sum_atomic(const float *x, double *sum, int *most, unsigned *warps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, (double)x[i]);
        atomicMax(most, __float_as_int(fabsf(x[i])));
    }
    unsigned in = __ballot_sync(~0u, i < n);
    if (threadIdx.x % 32 == 0)
        atomicAdd(warps, __popc(in));
}

// The last block to finish adds the sums of all blocks.
extern "C" __global__ void sum_last_block(const int *x, volatile int *partial, unsigned *tickets,
                                          int *out, int n)
{
    __shared__ int total;
    __shared__ bool last;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&total, i < n ? x[i] : 0);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = total;
        __threadfence();
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    int own = 0;
    for (int k = threadIdx.x; k < gridDim.x; k += blockDim.x)
        own += partial[k];
    own = __reduce_add_sync(~0u, own);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, own);
}

extern "C" __global__ void histogram(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    if (own[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// Compacts positive values, in order within a warp: one atomic per warp reserves their places.
extern "C" __global__ void compact(const int *x, int *out, unsigned *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && x[i] > 0;
    unsigned who = __ballot_sync(~0u, keep), lane = threadIdx.x % 32, at = 0;
    if (lane == 0)
        at = atomicAdd(count, __popc(who));
    at = __shfl_sync(~0u, at, 0) + __popc(who & ((1u << lane) - 1));
    if (keep)
        out[at] = x[i];
}

// Lanes with the same key find each other, and the first of them adds for all.
extern "C" __global__ void match_count(const int *key, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned same = __match_any_sync(__activemask(), key[i]);
        if (__ffs(same) - 1 == threadIdx.x % 32)
            atomicAdd(&bins[key[i]], __popc(same));
    }
}
