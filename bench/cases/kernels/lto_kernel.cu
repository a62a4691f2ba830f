// One half of a linked program; the other is lto_op.cu.
extern __device__ float combine(float a, float x, float y);

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = combine(a, x[i], y[i]);
}
