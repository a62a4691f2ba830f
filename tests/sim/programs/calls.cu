// Calls that a compiler cannot inline, and printf from a kernel.
__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int *out)
{
    out[threadIdx.x] = ackermann(2, threadIdx.x % 7);
}

__device__ double add(double a, double b) { return a + b; }
__device__ double sub(double a, double b) { return a - b; }
__device__ double mul(double a, double b) { return a * b; }
__device__ double (*const operations[])(double, double) = { add, sub, mul };

extern "C" __global__ void pointers(const int *which, const double *a, const double *b, double *out,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = operations[which[i]](a[i], b[i]);
}

struct shape {
    __device__ virtual double area() const = 0;
    __device__ virtual ~shape() { }
};
struct square : shape {
    double side;
    __device__ square(double s) : side(s) { }
    __device__ double area() const override { return side * side; }
};
struct disc : shape {
    double radius;
    __device__ disc(double r) : radius(r) { }
    __device__ double area() const override { return 3.0 * radius * radius; }
};

extern "C" __global__ void virtuals(const double *size, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    shape *s = i % 3 ? static_cast<shape *>(new square(size[i])) : new disc(size[i]);
    out[i] = s ? s->area() : -1;
    delete s;
}

extern "C" __global__ void says(int n, const char *word)
{
    if (threadIdx.x < n)
        printf("thread %d of %u says %s: %.3f %5x %lld %c%%\n", threadIdx.x, blockDim.x, word,
               threadIdx.x * 0.5, threadIdx.x * 255, 1ll << (threadIdx.x + 32), 'a' + threadIdx.x);
}

extern "C" __global__ void asserts(const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        assert(x[i] >= 0 && "no negative element");
}
