// Typical templates for the compiler: block sums by shuffles, for several types and sizes.
template <typename T, int width> struct Pack {
    T at[width];
};

template <typename T, typename F, int width> struct Fold {
    static __device__ T of(const Pack<T, width> &p, F f)
    {
        T v = p.at[0];
#pragma unroll
        for (int i = 1; i < width; i++)
            v = f(v, p.at[i]);
        return v;
    }
};

template <typename T> struct Add {
    __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

template <typename T> struct Most {
    __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};

template <typename T, template <typename> class F, int threads, int width>
__global__ void reduce(const T *x, T *out, int n)
{
    __shared__ T room[threads / 32];
    F<T> f;
    T v = x[0];

    for (int i = (blockIdx.x * threads + threadIdx.x) * width; i + width <= n;
         i += gridDim.x * threads * width) {
        Pack<T, width> p;
#pragma unroll
        for (int k = 0; k < width; k++)
            p.at[k] = x[i + k];
        v = f(v, Fold<T, F<T>, width>::of(p, f));
    }
#pragma unroll
    for (int k = 16; k; k /= 2)
        v = f(v, __shfl_xor_sync(0xffffffff, v, k));
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < threads / 32; k++)
            v = f(v, room[k]);
        out[blockIdx.x] = v;
    }
}
