// Sixteen-bit arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_axpy(__half a, const __half2 *x, __half2 *y, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        y[i] = __hfma2(__half2half2(a), x[i], y[i]);
}

extern "C" __global__ void half_mix(const __half *x, const __half *y, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __half *o = out + 6 * i;
    o[0] = x[i] + y[i];
    o[1] = x[i] * y[i];
    o[2] = __hmax(x[i], y[i]);
    o[3] = x[i] - y[i];
    o[4] = __hlt(x[i], y[i]) ? -x[i] : __habs(y[i]);
    o[5] = __float2half_rn(__half2float(x[i]) * 3.0f);
}

extern "C" __global__ void bf16_mix(const __nv_bfloat16 *x, const __nv_bfloat16 *y,
                                    __nv_bfloat16 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    __nv_bfloat16 *o = out + 4 * i;
    o[0] = x[i] + y[i];
    o[1] = x[i] * y[i];
    o[2] = __hfma(x[i], y[i], x[i]);
    o[3] = __float2bfloat16_rn(__bfloat162float(x[i]) / 3.0f);
}
