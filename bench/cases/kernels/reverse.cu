// Each block reverses its 256 elements 16 times through shared memory, ending with y = x.
extern "C" __global__ void __launch_bounds__(256) reverse(const float *x, float *y)
{
    __shared__ float room[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = x[i];

#pragma unroll
    for (int k = 0; k < 16; k++) {
        room[threadIdx.x] = v;
        __syncthreads();
        v = room[255 - threadIdx.x];
        __syncthreads();
    }
    y[i] = v;
}
