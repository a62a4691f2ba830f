// Kernels that only stream memory, with four elements per thread.
#define STREAM(name, value)                                                                     \
    extern "C" __global__ void __launch_bounds__(256)                                           \
        name(float4 *__restrict__ c, const float4 *__restrict__ a,                              \
             const float4 *__restrict__ b, float s, unsigned long long count)                   \
    {                                                                                           \
        unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;              \
        if (i < count)                                                                          \
            c[i] = make_float4(value(x), value(y), value(z), value(w));                         \
    }

#define COPY(x) a[i].x
#define SCALE(x) s *a[i].x
#define ADD(x) a[i].x + b[i].x
#define TRIAD(x) fmaf(s, b[i].x, a[i].x)

STREAM(copy, COPY)
STREAM(scale, SCALE)
STREAM(add, ADD)
STREAM(triad, TRIAD)
