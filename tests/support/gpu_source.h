// CUDA C++ for test_gpu.c. It includes nothing, so a driver and NVRTC suffice. It is written as
// code, which the preprocessor turns into a string; preprocessor directives are between the parts.
#ifndef CUCORE_TESTS_SUPPORT_GPU_SOURCE_H
#define CUCORE_TESTS_SUPPORT_GPU_SOURCE_H

#define SOURCE(...) #__VA_ARGS__
#define SINCE_90(...) "\n#if __CUDA_ARCH__ >= 900\n" #__VA_ARGS__ "\n#endif\n"

// clang-format off

static const char gpu_source[] = SOURCE(
extern "C" {

__device__ int counter;
__constant__ float table[4];

__global__ void saxpy(float a, const float *x, float *y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

struct affine_parameters {
    double scale;
    int offset;
    float shift;
    const float *in;
    float *out;
    unsigned n;
};

__global__ void affine(affine_parameters p)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.out[i] = (float)(p.scale * p.in[i + p.offset]) + p.shift;
}

__global__ void where(unsigned *out)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned width = gridDim.x * blockDim.x;
    unsigned height = gridDim.y * blockDim.y;
    out[((unsigned long long)z * height + y) * width + x] = x | y << 10 | z << 20;
}

__global__ void reverse(int *data, unsigned n)
{
    extern __shared__ int tile[];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        tile[i] = data[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = tile[n - 1 - i];
}

// Each block sums its share, waits for all the others, and adds all the sums.
__global__ void grid_sum(const unsigned *in, volatile unsigned *part, unsigned *barrier,
                         unsigned *out, unsigned n)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        __threadfence();
        atomicAdd(barrier, 1u);
        while (atomicAdd(barrier, 0u) < gridDim.x)
            ;
        __threadfence();
        sum = 0;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        atomicAdd(&sum, part[i]);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// Each block writes a number to its shared memory and reads the number of the next block in its
// cluster.
__global__ void cluster_neighbours(unsigned *out)
{
    __shared__ unsigned mine;
    unsigned rank = 0;
    unsigned size = 1;
    unsigned there = 0;
    if (threadIdx.x == 0)
        mine = 1000 + blockIdx.x;
    __syncthreads();
)
SINCE_90(
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    unsigned address = (unsigned)__cvta_generic_to_shared(&mine);
    asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"((rank + 1) % size));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(there) : "r"(address) : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
)
SOURCE(
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = rank | size << 16;
        out[2 * blockIdx.x + 1] = there;
    }
}

__device__ unsigned long long now()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void spin(unsigned long long ns)
{
    unsigned long long start = now();
    while (now() - start < ns)
        ;
}

// Lets the dependent kernel begin at once, and then writes the numbers slowly.
__global__ void slow_fill(unsigned *out, unsigned factor)
{
)
SINCE_90(
    asm volatile("griddepcontrol.launch_dependents;");
)
SOURCE(
    unsigned long long start = now();
    while (now() - start < 200000)
        ;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i * factor;
}

__global__ void dependent(const unsigned *in, unsigned *out)
{
)
SINCE_90(
    asm volatile("griddepcontrol.wait;" ::: "memory");
)
SOURCE(
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

__global__ void use_variables(float *out)
{
    out[threadIdx.x] = table[threadIdx.x] * 2;
    atomicAdd(&counter, 1);
}

__global__ void illegal(int *p)
{
    *p = 1;
}

}

template <typename T> __global__ void twice(T *x, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] + x[i];
}
);

static const char lto_kernel_source[] = SOURCE(
extern "C" __device__ int square(int x);
extern "C" __global__ void apply(int *x)
{
    x[threadIdx.x] = square(x[threadIdx.x]) + 1;
}
);

static const char lto_function_source[] = SOURCE(
extern "C" __device__ int square(int x)
{
    return x * x;
}
);
// clang-format on

#endif
