// A kernel as nvcc compiles it into a program, for runtime_interop.c.
__global__ void scale(float *data, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= by;
}

// The address that the runtime knows the kernel by, which C cannot write.
extern "C" const void *scale_symbol(void)
{
    return (const void *)scale;
}
