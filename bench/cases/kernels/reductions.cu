// Reference kernels for the tile programs of the suite reductions; each thread reads sixteen bytes
// per step.
#include "elements.cuh"

#if defined(OP_max)
#define OP most
#define NOTHING LEAST
#else
#define OP add
#define NOTHING 0.0f
#endif

__device__ inline float of_lanes(Vector v)
{
    float x[LANES];
    unpack(x, v);
#pragma unroll
    for (int k = 1; k < LANES; k++)
        x[0] = OP(x[0], x[k]);
    return x[0];
}

// `to` starts at 0, so a maximum below 0 stays 0. The bits of nonnegative floats are ordered like
// the floats.
__device__ inline void join(float *to, float x)
{
#if defined(OP_max)
    atomicMax((int *)to, __float_as_int(x));
#else
    atomicAdd(to, x);
#endif
}

// Reduce this thread's vectors, `step` apart, with four loads in flight.
__device__ inline float walk(const Vector *x, long long from, long long count, long long step)
{
    float r[4] = { NOTHING, NOTHING, NOTHING, NOTHING };
    long long i = from;

    for (; i + 3 * step < count; i += 4 * step) {
        Vector v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = x[i + k * step];
#pragma unroll
        for (int k = 0; k < 4; k++)
            r[k] = OP(r[k], of_lanes(v[k]));
    }
    for (; i < count; i += step)
        r[0] = OP(r[0], of_lanes(x[i]));
    return OP(OP(r[0], r[1]), OP(r[2], r[3]));
}

// y must hold 0.
extern "C" __global__ void __launch_bounds__(256)
    all(const Vector *__restrict__ x, float *__restrict__ y, long long count)
{
    float r = walk(x, (long long)blockIdx.x * 256 + threadIdx.x, count, (long long)gridDim.x * 256);
    r = reduce<OP>(r, NOTHING);
    if (threadIdx.x == 0)
        join(y, r);
}

extern "C" __global__ void __launch_bounds__(256)
    rows(const Vector *__restrict__ x, float *__restrict__ y, long long columns)
{
    float r = walk(x + blockIdx.x * columns, threadIdx.x, columns, 256);
    r = reduce<OP>(r, NOTHING);
    if (threadIdx.x == 0)
        y[blockIdx.x] = r;
}

// A block covers 32 vectors side by side and `rows_each` rows, 8 rows at a time. y is as in `all`.
extern "C" __global__ void __launch_bounds__(256)
    columns(const Vector *__restrict__ x, float *__restrict__ y, int rows, int vectors,
            int rows_each)
{
    __shared__ float part[8][32 * LANES];
    int c = blockIdx.x * 32 + threadIdx.x % 32, top = threadIdx.x / 32;
    int end = min(rows, (int)(blockIdx.y + 1) * rows_each);
    float r[LANES];

#pragma unroll
    for (int k = 0; k < LANES; k++)
        r[k] = NOTHING;
#pragma unroll 4
    for (int i = blockIdx.y * rows_each + top; i < end; i += 8)
        if (c < vectors) {
            float v[LANES];
            unpack(v, x[(long long)i * vectors + c]);
#pragma unroll
            for (int k = 0; k < LANES; k++)
                r[k] = OP(r[k], v[k]);
        }
#pragma unroll
    for (int k = 0; k < LANES; k++)
        part[top][threadIdx.x % 32 * LANES + k] = r[k];
    __syncthreads();
    for (int k = threadIdx.x; k < 32 * LANES; k += 256) {
        float all = part[0][k];
        for (int i = 1; i < 8; i++)
            all = OP(all, part[i][k]);
        if (blockIdx.x * 32 * LANES + k < vectors * LANES)
            join(y + blockIdx.x * 32 * LANES + k, all);
    }
}

// Computes log(sum of exp(x)) - x[target] of each row in one pass.
extern "C" __global__ void __launch_bounds__(256)
    cross_entropy(const Vector *__restrict__ x, const long long *__restrict__ target,
                  float *__restrict__ loss, float *__restrict__ lse, int vectors)
{
    const Vector *row = x + (long long)blockIdx.x * vectors;
    float top = LEAST, sum = 0;

#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += 256) {
        float v[LANES], high = top;
        unpack(v, row[i]);
#pragma unroll
        for (int k = 0; k < LANES; k++)
            high = fmaxf(high, v[k]);
        sum *= __expf(top - high);
#pragma unroll
        for (int k = 0; k < LANES; k++)
            sum += __expf(v[k] - high);
        top = high;
    }
    float all = reduce<most>(top, LEAST);
    sum = reduce<add>(top == LEAST ? 0 : sum * __expf(top - all), 0);
    if (threadIdx.x == 0) {
        float log_sum = all + __logf(sum);
        const Element *elements = (const Element *)row;
        loss[blockIdx.x] = log_sum - to_float(elements[target[blockIdx.x]]);
        lse[blockIdx.x] = log_sum;
    }
}
