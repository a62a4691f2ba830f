// Prefix sums.
extern "C" __global__ void scan_hillis(const int *x, int *out, int n)
{
    extern __shared__ int two[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, from = 0;
    two[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int to = blockDim.x - from;
        two[to + t] = two[from + t] + (t >= d ? two[from + t - d] : 0);
        from = to;
        __syncthreads();
    }
    if (i < n)
        out[i] = two[from + t];
}

// An exclusive scan of two elements per thread, by up-sweep and down-sweep.
extern "C" __global__ void scan_blelloch(const int *x, int *out, int n)
{
    extern __shared__ int tree[];
    int t = threadIdx.x, size = 2 * blockDim.x, base = blockIdx.x * size, step = 1;
    tree[2 * t] = base + 2 * t < n ? x[base + 2 * t] : 0;
    tree[2 * t + 1] = base + 2 * t + 1 < n ? x[base + 2 * t + 1] : 0;
    for (int d = size / 2; d; d /= 2) {
        __syncthreads();
        if (t < d)
            tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0)
        tree[size - 1] = 0;
    for (int d = 1; d < size; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1, v = tree[left];
            tree[left] = tree[right];
            tree[right] += v;
        }
    }
    __syncthreads();
    for (int k = 2 * t; k < 2 * t + 2; k++)
        if (base + k < n)
            out[base + k] = tree[k];
}

__device__ int scan_warp(int v)
{
    for (int d = 1; d < 32; d *= 2) {
        int below = __shfl_up_sync(~0u, v, d);
        if (threadIdx.x % 32 >= d)
            v += below;
    }
    return v;
}

__device__ int scan_block(int v)
{
    __shared__ int sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = scan_warp(v);
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0)
        sums[lane] = scan_warp(lane < blockDim.x / 32 ? sums[lane] : 0);
    __syncthreads();
    return v + (warp ? sums[warp - 1] : 0);
}

extern "C" __global__ void scan_shuffle(const int *x, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = scan_block(i < n ? x[i] : 0);
    if (i < n)
        out[i] = v;
}

// Scans the whole array in one pass with decoupled look-back: a block reads the states of its
// predecessors, which may still be running. The upper half of a state is its kind: 1 for the
// block's own sum, 2 for the inclusive prefix.
extern "C" __global__ void scan_look_back(const int *x, int *out, unsigned long long *state,
                                          unsigned *tickets, int n)
{
    __shared__ unsigned block;
    __shared__ int before;
    if (threadIdx.x == 0)
        block = atomicAdd(tickets, 1);
    __syncthreads();
    int i = block * blockDim.x + threadIdx.x, v = scan_block(i < n ? x[i] : 0);
    if (threadIdx.x == blockDim.x - 1) {
        int sum = 0;
        atomicExch(&state[block], (block ? 1ull : 2ull) << 32 | (unsigned)v);
        for (int k = (int)block - 1; k >= 0; k--) {
            unsigned long long seen;
            while (((seen = *(volatile unsigned long long *)&state[k]) >> 32) == 0) { }
            sum += (int)(unsigned)seen;
            if (seen >> 32 == 2)
                break;
        }
        before = sum;
        __threadfence();
        atomicExch(&state[block], 2ull << 32 | (unsigned)(sum + v));
    }
    __syncthreads();
    if (i < n)
        out[i] = before + v;
}
