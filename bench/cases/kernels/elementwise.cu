// Reference kernels for the tile programs of the suite elementwise; each thread handles sixteen
// bytes.
#include "elements.cuh"

extern "C" __global__ void __launch_bounds__(256)
    vadd(const Vector *__restrict__ a, const Vector *__restrict__ b, Vector *__restrict__ c,
         long long count)
{
    long long i = (long long)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        float x[LANES], y[LANES];
        unpack(x, a[i]);
        unpack(y, b[i]);
#pragma unroll
        for (int k = 0; k < LANES; k++)
            x[k] += y[k];
        c[i] = pack(x);
    }
}

extern "C" __global__ void __launch_bounds__(256)
    swiglu(const Vector *__restrict__ gate, const Vector *__restrict__ up, Vector *__restrict__ y,
           long long count)
{
    long long i = (long long)blockIdx.x * 256 + threadIdx.x;
    if (i < count) {
        float g[LANES], u[LANES];
        unpack(g, gate[i]);
        unpack(u, up[i]);
#pragma unroll
        for (int k = 0; k < LANES; k++)
            u[k] *= __fdividef(g[k], 1.0f + __expf(-g[k]));
        y[i] = pack(u);
    }
}

// Transposes through shared memory, 64 x 64 elements per block of 256 threads; padding puts the
// elements of a column in different banks.
extern "C" __global__ void __launch_bounds__(256)
    transpose(const Element *__restrict__ x, Element *__restrict__ y, int rows, int columns)
{
    __shared__ Element tile[64][64 + 4 / sizeof(Element)];
    int left = threadIdx.x % 64, top = threadIdx.x / 64;

    for (int i = top; i < 64; i += 4) {
        int r = blockIdx.y * 64 + i, c = blockIdx.x * 64 + left;
        if (r < rows && c < columns)
            tile[i][left] = x[(long long)r * columns + c];
    }
    __syncthreads();
    for (int i = top; i < 64; i += 4) {
        int r = blockIdx.x * 64 + i, c = blockIdx.y * 64 + left;
        if (r < columns && c < rows)
            y[(long long)r * rows + c] = tile[left][i];
    }
}
