// One thread for each element: vectors, images, integers and tables.
#include <cuda/std/cstdint>

extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy_stride(float a, const float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

extern "C" __global__ void saxpy_four(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 u = reinterpret_cast<const float4 *>(x)[i];
        float4 v = reinterpret_cast<float4 *>(y)[i];
        v.x += a * u.x;
        v.y += a * u.y;
        v.z += a * u.z;
        v.w += a * u.w;
        reinterpret_cast<float4 *>(y)[i] = v;
    } else {
        for (int k = 4 * i; k < n; k++)
            y[k] += a * x[k];
    }
}

extern "C" __global__ void mandelbrot(int *count, int width, int height, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    double cr = -2.0 + 3.0 * px / width, ci = -1.5 + 3.0 * py / height, r = 0, i = 0;
    int k = 0;
    while (k < limit && __dadd_rn(__dmul_rn(r, r), __dmul_rn(i, i)) <= 4.0) {
        double t = __dadd_rn(__dsub_rn(__dmul_rn(r, r), __dmul_rn(i, i)), cr);
        i = __dadd_rn(__dmul_rn(2 * r, i), ci);
        r = t;
        k++;
    }
    count[py * width + px] = k;
}

extern "C" __global__ void life(const unsigned char *now, unsigned char *next, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                neighbours += now[(y + dy + height) % height * width + (x + dx + width) % width];
    next[y * width + x] = neighbours == 3 || (neighbours == 2 && now[y * width + x]);
}

extern "C" __global__ void bits(const uint32_t *x, uint32_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint32_t v = x[i], w = x[(i + 1) % n];
    uint64_t d = (uint64_t)v << 32 | w;
    uint32_t *o = out + 12 * i;
    o[0] = __popc(v);
    o[1] = __clz(v);
    o[2] = __brev(v);
    o[3] = __ffs(v);
    o[4] = __byte_perm(v, w, 0x3614);
    o[5] = __funnelshift_l(v, w, w & 31);
    o[6] = __popcll(d) + 100 * __clzll(d);
    o[7] = __umulhi(v, w);
    o[8] = __mulhi((int)v, (int)w);
    o[9] = __vadd4(v, w);
    o[10] = __vcmpgtu4(v, w);
    o[11] = __dp4a((int)v, (int)w, 7);
}

extern "C" __global__ void divide(const int64_t *a, const int64_t *b, int64_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[4 * i] = a[i] / b[i];
    out[4 * i + 1] = a[i] % b[i];
    out[4 * i + 2] = (int64_t)((uint64_t)a[i] / (uint64_t)b[i]);
    out[4 * i + 3] = (int64_t)((uint64_t)a[i] % (uint64_t)b[i]);
}

__constant__ int table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
__constant__ struct {
    double c[4];
    const int *where;
} polynomial = { { 1.0, -0.5, 0.25, -0.125 }, table };

extern "C" __global__ void constants(const double *x, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0;
    for (int k = 3; k >= 0; k--)
        sum = fma(sum, x[i], polynomial.c[k]);
    out[i] = sum + table[i & 15] + polynomial.where[i % 7];
}

// Combines the double-precision functions.
extern "C" __global__ void special(const double *x, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double v = x[i], *o = out + 12 * i;
    o[0] = sin(v);
    o[1] = cos(v);
    o[2] = exp(v * 0.1);
    o[3] = log(fabs(v));
    o[4] = sqrt(fabs(v));
    o[5] = tanh(v * 0.01);
    o[6] = atan2(v, 3.0);
    o[7] = pow(fabs(v), 1.75);
    o[8] = erf(v * 0.05);
    o[9] = cbrt(v);
    o[10] = 1.0 / v;
    o[11] = fmod(v, 0.75);
}

extern "C" __global__ void special_float(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = x[i], *o = out + 8 * i;
    o[0] = sinf(v);
    o[1] = cosf(v);
    o[2] = expf(v * 0.1f);
    o[3] = logf(fabsf(v));
    o[4] = sqrtf(fabsf(v));
    o[5] = tanhf(v);
    o[6] = powf(fabsf(v), 0.75f);
    o[7] = v / 3.3f;
}

// Philox 4x32-10, a counter-based generator.
extern "C" __global__ void philox(uint32_t key0, uint32_t key1, uint4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 c = make_uint4(i, 0, 0xdecafbad, 7);
    for (int round = 0; round < 10; round++) {
        uint32_t high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
        uint32_t high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    out[i] = c;
}

template <typename T, int factor> __global__ void scale(T *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = static_cast<T>(data[i] * factor);
}
