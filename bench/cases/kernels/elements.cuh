// Converts sixteen bytes of elements to floats and back, rounding to nearest even. Define the
// element type as T_f32, T_f16 or T_bf16.
#ifndef ELEMENTS_CUH
#define ELEMENTS_CUH

#define LEAST __int_as_float(0xFF800000) // -infinity

struct __align__(16) Vector {
    unsigned word[4];
};

#if defined(T_f32)
enum { LANES = 4 };
typedef float Element;
__device__ inline float to_float(Element x) { return x; }
__device__ inline Element to_element(float x) { return x; }
__device__ inline void unpack(float *x, Vector v)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        x[i] = __uint_as_float(v.word[i]);
}
__device__ inline Vector pack(const float *x)
{
    Vector v;
#pragma unroll
    for (int i = 0; i < 4; i++)
        v.word[i] = __float_as_uint(x[i]);
    return v;
}
#else
enum { LANES = 8 };
typedef unsigned short Element;
#if defined(T_f16)
__device__ inline float to_float(Element x)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x));
    return f;
}
__device__ inline unsigned pair(float low, float high)
{
    unsigned w;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
    return w;
}
#else
__device__ inline float to_float(Element x) { return __uint_as_float((unsigned)x << 16); }
__device__ inline unsigned pair(float low, float high)
{
    unsigned w;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(high), "f"(low));
    return w;
}
#endif
__device__ inline Element to_element(float x) { return (Element)pair(x, x); }
__device__ inline void unpack(float *x, Vector v)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        x[2 * i] = to_float((Element)v.word[i]);
        x[2 * i + 1] = to_float((Element)(v.word[i] >> 16));
    }
}
__device__ inline Vector pack(const float *x)
{
    Vector v;
#pragma unroll
    for (int i = 0; i < 4; i++)
        v.word[i] = pair(x[2 * i], x[2 * i + 1]);
    return v;
}
#endif

__device__ inline float add(float a, float b) { return a + b; }
__device__ inline float most(float a, float b) { return fmaxf(a, b); }

// Reduce over all threads of a block that consists of whole warps.
template <float (*OP)(float, float)>
__device__ inline float reduce(float x, float nothing)
{
    __shared__ float of_warp[32];
    for (int i = 16; i; i /= 2)
        x = OP(x, __shfl_xor_sync(~0u, x, i));
    if (blockDim.x == 32)
        return x;
    __syncthreads(); // of_warp may still be in use
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x % 32 < blockDim.x / 32 ? of_warp[threadIdx.x % 32] : nothing;
    for (int i = 16; i; i /= 2)
        x = OP(x, __shfl_xor_sync(~0u, x, i));
    return x;
}

#endif
