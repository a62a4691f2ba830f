// Reference kernels for the tile programs of the suite norms. A block of THREADS threads keeps its
// row in registers. COLUMNS is a multiple of the vector length.
#include "elements.cuh"

enum { VECTORS = COLUMNS / LANES, EACH = (VECTORS + THREADS - 1) / THREADS };

struct Row {
    float x[EACH][LANES];
};

__device__ inline int at(int i)
{
    return i * THREADS + threadIdx.x;
}

__device__ inline Row read(const Vector *from, float beyond)
{
    Row r;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (at(i) < VECTORS)
            unpack(r.x[i], from[at(i)]);
        else
#pragma unroll
            for (int k = 0; k < LANES; k++)
                r.x[i][k] = beyond;
    }
    return r;
}

__device__ inline const Vector *row_of(const Vector *x)
{
    return x + (long long)blockIdx.x * VECTORS;
}

__device__ inline Vector *row_of(Vector *x)
{
    return x + (long long)blockIdx.x * VECTORS;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    softmax(const Vector *__restrict__ x, Vector *__restrict__ y)
{
    Row r = read(row_of(x), LEAST);
    float top = LEAST, sum = 0;

#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int k = 0; k < LANES; k++)
            top = fmaxf(top, r.x[i][k]);
    top = reduce<most>(top, LEAST);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int k = 0; k < LANES; k++)
            sum += r.x[i][k] = __expf(r.x[i][k] - top);
    float scale = 1 / reduce<add>(sum, 0);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int k = 0; k < LANES; k++)
            r.x[i][k] *= scale;
        if (at(i) < VECTORS)
            row_of(y)[at(i)] = pack(r.x[i]);
    }
}

// Computes (row - mean) * scale * w, plus b if present.
__device__ inline void finish(Vector *y, const Row &r, float mean, float scale, const Vector *w,
                              const Vector *b)
{
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (at(i) >= VECTORS)
            continue;
        float factor[LANES], more[LANES] = {}, out[LANES];
        unpack(factor, w[at(i)]);
        if (b)
            unpack(more, b[at(i)]);
#pragma unroll
        for (int k = 0; k < LANES; k++)
            out[k] = (r.x[i][k] - mean) * scale * factor[k] + more[k];
        y[at(i)] = pack(out);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    layer_norm(const Vector *__restrict__ x, const Vector *__restrict__ w,
               const Vector *__restrict__ b, Vector *__restrict__ y, float *__restrict__ mean,
               float *__restrict__ rstd, float eps)
{
    Row r = read(row_of(x), 0);
    float sum = 0, squares = 0;

#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int k = 0; k < LANES; k++)
            sum += r.x[i][k];
    float middle = reduce<add>(sum, 0) / COLUMNS;
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int k = 0; k < LANES; k++)
            squares += at(i) < VECTORS ? (r.x[i][k] - middle) * (r.x[i][k] - middle) : 0;
    float scale = rsqrtf(reduce<add>(squares, 0) / COLUMNS + eps);
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = middle;
        rstd[blockIdx.x] = scale;
    }
    finish(row_of(y), r, middle, scale, w, b);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    rms_norm(const Vector *__restrict__ x, const Vector *__restrict__ w, Vector *__restrict__ y,
             float eps)
{
    Row r = read(row_of(x), 0);
    float squares = 0;

#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int k = 0; k < LANES; k++)
            squares += r.x[i][k] * r.x[i][k];
    finish(row_of(y), r, 0, rsqrtf(reduce<add>(squares, 0) / COLUMNS + eps), w, nullptr);
}
