// Defines a kernel for runtime_interop.c, which nvcc compiles into the program.
__global__ void scale(float *data, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= by;
}

// Returns the address by which the runtime knows the kernel; C cannot express it.
extern "C" const void *scale_symbol(void)
{
    return (const void *)scale;
}
