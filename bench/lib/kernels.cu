// Kernels of the harness: random inputs, the L2 flush, and stream blocking.
#include "philox.h"

extern "C" __global__ void cucore_bench_fill(void *to, unsigned long long count,
                                             struct philox_recipe recipe)
{
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;

    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
         i < count; i += step)
        philox_element(to, i, &recipe);
}

// Reads the whole buffer, so that L2 holds nothing else. Reads, unlike a fill, leave no dirty cache
// lines to write back during the sample. `never` is never set, but the compiler does not know that.
extern "C" __global__ void cucore_bench_flush(const uint4 *from, unsigned long long count,
                                              unsigned *never)
{
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    unsigned seen = 0;

    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
         i < count; i += step) {
        uint4 v = from[i];
        seen |= v.x | v.y | v.z | v.w;
    }
    if (seen == 0xFFFFFFFF && count == 0)
        *never = seen;
}

static __device__ unsigned long long now_ns()
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// Waits until the host sets words[0]. After timeout_ns it sets words[1] and returns, so that a host
// waiting for the stream is released.
extern "C" __global__ void cucore_bench_block(volatile unsigned *words,
                                              unsigned long long timeout_ns)
{
    unsigned long long start = now_ns();

    while (!words[0]) {
        if (now_ns() - start > timeout_ns) {
            words[1] = 1;
            __threadfence_system();
            return;
        }
#if __CUDA_ARCH__ >= 700
        __nanosleep(200);
#endif
    }
}
