// Typical numerical kernels.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float ta[16][16], tb[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        int i = t + threadIdx.x, j = t + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0;
        tb[threadIdx.y][threadIdx.x] = j < k && col < n ? b[j * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 16; e++)
            sum += ta[threadIdx.y][e] * tb[e][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

extern "C" __global__ void bodies(const float4 *at, float3 *force, int n)
{
    __shared__ float4 near[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 own = i < n ? at[i] : make_float4(0, 0, 0, 0);
    float3 f = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += 64) {
        int k = base + threadIdx.x;
        near[threadIdx.x] = k < n ? at[k] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            float dx = near[j].x - own.x, dy = near[j].y - own.y, dz = near[j].z - own.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = near[j].w * r * r * r;
            f.x += dx * s;
            f.y += dy * s;
            f.z += dz * s;
        }
        __syncthreads();
    }
    if (i < n)
        force[i] = f;
}

__device__ float warp_all(float v, bool largest)
{
    for (int d = 16; d; d /= 2) {
        float other = __shfl_xor_sync(~0u, v, d);
        v = largest ? fmaxf(v, other) : v + other;
    }
    return v;
}

// One warp for each row.
extern "C" __global__ void softmax(const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float most = __int_as_float(0xff800000), sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        most = fmaxf(most, x[row * columns + i]);
    most = warp_all(most, true);
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += __expf(x[row * columns + i] - most);
    sum = warp_all(sum, false);
    for (int i = threadIdx.x; i < columns; i += 32)
        y[row * columns + i] = __fdividef(__expf(x[row * columns + i] - most), sum);
}

extern "C" __global__ void layer_norm(const float *x, const float *gain, const float *bias,
                                      float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += x[row * columns + i];
    float mean = warp_all(sum, false) / columns;
    for (int i = threadIdx.x; i < columns; i += 32) {
        float d = x[row * columns + i] - mean;
        squares += d * d;
    }
    float scale = rsqrtf(warp_all(squares, false) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += 32)
        y[row * columns + i] = (x[row * columns + i] - mean) * scale * gain[i] + bias[i];
}

// Radix 2, in place in shared memory; one block for each transform.
extern "C" __global__ void fft(const float2 *x, float2 *y, int bits)
{
    extern __shared__ float2 v[];
    int n = 1 << bits, base = blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        v[__brev(i) >> (32 - bits)] = x[base + i];
    __syncthreads();
    for (int half = 1; half < n; half *= 2) {
        for (int k = threadIdx.x; k < n / 2; k += blockDim.x) {
            int j = k & (half - 1), low = 2 * k - j;
            float s, c;
            sincospif(-(float)j / half, &s, &c);
            float2 a = v[low], b = v[low + half];
            float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
            v[low] = make_float2(a.x + t.x, a.y + t.y);
            v[low + half] = make_float2(a.x - t.x, a.y - t.y);
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[base + i] = v[i];
}

extern "C" __global__ void spmv(const int *start, const int *column, const double *value,
                                const double *x, double *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        double sum = 0;
        for (int k = start[row]; k < start[row + 1]; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

// One level of a breadth-first search.
extern "C" __global__ void bfs(const int *start, const int *to, int *depth, int level, int *changed,
                               int nodes)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes || depth[v] != level)
        return;
    for (int k = start[v]; k < start[v + 1]; k++)
        if (atomicCAS(&depth[to[k]], -1, level + 1) == -1)
            *changed = 1;
}
