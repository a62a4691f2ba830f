// Tests typical programs: compiles CUDA C++ with NVRTC, runs it on the simulated driver, and
// compares with the same computation on the CPU, using random data of sizes that do not divide
// evenly.
//
//     test_sim_programs [sm_XX] [--debug] [NAME...]
//
// sm_XX compiles for that architecture, --debug without optimization; names select programs.

#include <cucore/cucore.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "tests.h"

#define ck_ok(call)                                                                       \
    do {                                                                                  \
        cuc_status got_ = (call);                                                         \
        ck_assert_msg(got_ == CUC_OK, "%s gave %s: %s\n%s", #call, cuc_status_name(got_), \
                      cuc_error_message(), cuc_error_log());                              \
    } while (0)

// Source files, each compiled once before the tests run.
enum unit {
    ELEMENTWISE,
    REDUCE,
    SCAN,
    SORT,
    GRID,
    NUMERIC,
    HALF,
    TENSOR,
    TENSOR_ASYNC,
    GROUPS,
    CUB,
    ASYNC,
    LOCKS,
    CALLS,
    LINK,
    UNITS
};

static const char *arch = "sm_90";
static int32_t debug; // CUC_ON: no optimization, so that calls and local memory remain as written
static const char *const instances[] = { "scale<float, 3>", "scale<double, 5>",
                                         "scale<unsigned char, 7>" };
static struct {
    const char *file, *define, *linked; // linked with this file, both as LTO-IR
    int instances;
    cuc_object *object;
} units[UNITS] = {
    [ELEMENTWISE] = { .file = "elementwise.cu", .instances = CUC_LENGTH(instances) },
    [REDUCE] = { .file = "reduce.cu" },
    [SCAN] = { .file = "scan.cu" },
    [SORT] = { .file = "sort.cu" },
    [GRID] = { .file = "grid.cu" },
    [NUMERIC] = { .file = "numeric.cu" },
    [HALF] = { .file = "half.cu" },
    [TENSOR] = { .file = "tensor.cu" },
    [TENSOR_ASYNC] = { .file = "tensor.cu", .define = "ASYNC" },
    [GROUPS] = { .file = "groups.cu" },
    [CUB] = { .file = "cub.cu" },
    [ASYNC] = { .file = "async.cu" },
    [LOCKS] = { .file = "locks.cu" },
    [CALLS] = { .file = "calls.cu" },
    [LINK] = { .file = "link_kernel.cu", .linked = "link_op.cu" },
};

// The environment in which a program runs. Memory is managed, so kernels and the host share
// pointers.
struct run {
    cuc_stream *stream;
    cuc_object *object;
    cuc_memory_resource *managed;
    cuc_buffer *buffers[32];
    cuc_kernel *kernels[16];
    int buffer_count, kernel_count;
};

static void *room(struct run *r, size_t bytes)
{
    void *host;

    ck_assert_int_lt(r->buffer_count, CUC_LENGTH(r->buffers));
    ck_ok(cuc_buffer_create(&r->buffers[r->buffer_count], r->stream, r->managed, bytes));
    ck_ok(cuc_stream_synchronize(r->stream));
    ck_ok(cuc_buffer_get_host_pointer(&host, r->buffers[r->buffer_count++]));
    memset(host, 0, bytes);
    return host;
}
#define ROOM(type, n) ((type *)room(r, (size_t)(n) * sizeof(type)))

static cuc_kernel *kernel(struct run *r, const char *name)
{
    ck_assert_int_lt(r->kernel_count, CUC_LENGTH(r->kernels));
    ck_ok(cuc_object_get_kernel(&r->kernels[r->kernel_count], r->object, name));
    return r->kernels[r->kernel_count++];
}

// RUN("name", (.grid = { 4 }, .block = { 128 }), arguments)
#define RUN(name, config, ...)                                                                \
    do {                                                                                      \
        ck_ok(CUC_LAUNCH(r->stream, CUC_LAUNCH_CONFIG config, kernel(r, name), __VA_ARGS__)); \
        ck_ok(cuc_stream_synchronize(r->stream));                                             \
    } while (0)

static uint32_t over(int n, int size)
{
    return (uint32_t)((n + size - 1) / size);
}

// Random data that is the same in every run.
static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t random32(void)
{
    return (uint32_t)(random64() >> 32);
}

static int below(int n)
{
    return (int)(random32() % (uint32_t)n);
}

static double unit(void) // -1 to 1
{
    return (double)(int64_t)random64() * 0x1p-63;
}

static int *integers(struct run *r, int n, int limit) // -limit to limit
{
    int *x = ROOM(int, n);
    for (int i = 0; i < n; i++)
        x[i] = (int)(random32() % (2 * (uint32_t)limit + 1)) - limit;
    return x;
}

static float *floats(struct run *r, int n)
{
    float *x = ROOM(float, n);
    for (int i = 0; i < n; i++)
        x[i] = (float)unit();
    return x;
}

static double *doubles(struct run *r, int n, double scale)
{
    double *x = ROOM(double, n);
    for (int i = 0; i < n; i++)
        x[i] = unit() * scale;
    return x;
}

static unsigned char *bytes_of(struct run *r, int n)
{
    unsigned char *x = ROOM(unsigned char, n);
    for (int i = 0; i < n; i++)
        x[i] = (unsigned char)random32();
    return x;
}

#define EQUAL(got, want, i)                                                                   \
    ck_assert_msg((got) == (want), "%s at %d is %lld, not %lld", #got, (i), (long long)(got), \
                  (long long)(want))
#define CLOSE(got, want, tolerance, i)                                                         \
    ck_assert_msg(fabs((double)(got) - (want)) <= (tolerance), "%s at %d is %.17g, not %.17g", \
                  #got, (i), (double)(got), (double)(want))

static double ulps(double got, double want)
{
    if (got == want || (isnan(got) && isnan(want)))
        return 0;
    return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

static double ulps_float(float got, double want)
{
    float w = fabsf((float)want);
    return (double)got == want ? 0
                               : fabs((double)got - want) / (double)(nextafterf(w, INFINITY) - w);
}

// Elements

static void run_saxpy(struct run *r)
{
    static const char *const names[] = { "saxpy", "saxpy_stride", "saxpy_four" };
    enum { N = 10007 };
    float *x = floats(r, N), *y = floats(r, N), *z = ROOM(float, N);

    for (int k = 0; k < 3; k++) {
        memcpy(z, y, N * sizeof(*z));
        RUN(names[k], (.grid = { k == 1 ? 5 : 40 }, .block = { 256 }), 2.5f, x, z, N);
        for (int i = 0; i < N; i++)
            CLOSE(z[i], 2.5 * x[i] + y[i], 3e-7, i);
    }
}

static void run_mandelbrot(struct run *r)
{
    enum { W = 75, H = 61, LIMIT = 200 };
    int *count = ROOM(int, W *H);

    RUN("mandelbrot", (.grid = { over(W, 16), over(H, 8) }, .block = { 16, 8 }), count, W, H,
        LIMIT);
    for (int p = 0; p < W * H; p++) {
        double cr = -2.0 + 3.0 * (p % W) / W, ci = -1.5 + 3.0 * (p / W) / H, a = 0, b = 0;
        int k = 0;
        while (k < LIMIT && a * a + b * b <= 4.0) {
            double t = a * a - b * b + cr;
            b = 2 * a * b + ci;
            a = t;
            k++;
        }
        EQUAL(count[p], k, p);
    }
}

static void run_life(struct run *r)
{
    enum { W = 101, H = 67, STEPS = 6 };
    unsigned char *now = ROOM(unsigned char, W *H), *next = ROOM(unsigned char, W *H), *t;
    static unsigned char a[H][W], b[H][W];

    for (int p = 0; p < W * H; p++)
        now[p] = a[p / W][p % W] = random32() % 3 == 0;
    for (int s = 0; s < STEPS; s++) {
        RUN("life", (.grid = { over(W, 32), over(H, 4) }, .block = { 32, 4 }), now, next, W, H);
        t = now, now = next, next = t;
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                int n = -a[y][x];
                for (int d = 0; d < 9; d++)
                    n += a[(y + d / 3 - 1 + H) % H][(x + d % 3 - 1 + W) % W];
                b[y][x] = n == 3 || (n == 2 && a[y][x]);
            }
        }
        memcpy(a, b, sizeof(a));
    }
    ck_assert_mem_eq(now, a, sizeof(a));
}

static void run_bits(struct run *r)
{
    enum { N = 1003 };
    uint32_t *x = ROOM(uint32_t, N), *out = ROOM(uint32_t, 12 * N);

    for (int i = 0; i < N; i++)
        x[i] = i < 33 ? (i < 32 ? UINT32_C(1) << i : 0) : random32() >> below(32);
    RUN("bits", (.grid = { over(N, 128) }, .block = { 128 }), x, out, N);
    for (int i = 0; i < N; i++) {
        uint32_t v = x[i], w = x[(i + 1) % N], *o = out + 12 * i, s = w & 31, want[12] = { 0 };
        uint64_t d = (uint64_t)v << 32 | w, pair = (uint64_t)w << 32 | v;

        want[0] = (uint32_t)__builtin_popcount(v);
        want[1] = v ? (uint32_t)__builtin_clz(v) : 32;
        for (int k = 0; k < 32; k++)
            want[2] |= (v >> k & 1) << (31 - k);
        want[3] = (uint32_t)__builtin_ffs((int)v);
        for (int k = 0; k < 4; k++)
            want[4] |= (uint32_t)(pair >> 8 * (0x3614 >> 4 * k & 7) & 255) << 8 * k;
        want[5] = s ? w << s | v >> (32 - s) : w;
        want[6] = (uint32_t)__builtin_popcountll(d) + 100 * (d ? (uint32_t)__builtin_clzll(d) : 64);
        want[7] = (uint32_t)((uint64_t)v * w >> 32);
        want[8] = (uint32_t)(uint64_t)((int64_t)(int32_t)v * (int32_t)w >> 32);
        want[11] = 7;
        for (int k = 0; k < 32; k += 8) {
            uint32_t p = v >> k & 255, q = w >> k & 255;
            want[9] |= ((p + q) & 255) << k;
            want[10] |= (p > q ? UINT32_C(255) : 0) << k;
            want[11] += (uint32_t)((int8_t)p * (int8_t)q);
        }
        for (int k = 0; k < 12; k++)
            ck_assert_msg(o[k] == want[k], "result %d of %08x, %08x is %08x, not %08x", k, v, w,
                          o[k], want[k]);
    }
}

static void run_divide(struct run *r)
{
    enum { N = 999 };
    int64_t *a = ROOM(int64_t, N), *b = ROOM(int64_t, N), *out = ROOM(int64_t, 4 * N);

    for (int i = 0; i < N; i++) {
        a[i] = (int64_t)random64() >> below(63);
        do {
            b[i] = (int64_t)random64() >> below(63);
        } while (b[i] == 0 || (b[i] == -1 && a[i] == INT64_MIN));
    }
    RUN("divide", (.grid = { over(N, 64) }, .block = { 64 }), a, b, out, N);
    for (int i = 0; i < N; i++) {
        EQUAL(out[4 * i], a[i] / b[i], i);
        EQUAL(out[4 * i + 1], a[i] % b[i], i);
        EQUAL((uint64_t)out[4 * i + 2], (uint64_t)a[i] / (uint64_t)b[i], i);
        EQUAL((uint64_t)out[4 * i + 3], (uint64_t)a[i] % (uint64_t)b[i], i);
    }
}

static void run_constants(struct run *r)
{
    static const int table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
    static const double c[4] = { 1.0, -0.5, 0.25, -0.125 };
    enum { N = 777 };
    double *x = doubles(r, N, 3), *out = ROOM(double, N);

    RUN("constants", (.grid = { over(N, 96) }, .block = { 96 }), x, out, N);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 3; k >= 0; k--)
            sum = fma(sum, x[i], c[k]);
        CLOSE(out[i], sum + table[i & 15] + table[i % 7], 0.0, i);
    }
}

static void run_special(struct run *r)
{
    static const double bound[12] = { 3, 3, 2, 2, 0, 3, 3, 3, 3, 2, 0, 0 };
    static const double bound_float[8] = { 3, 3, 3, 2, 0.51, 3, 9, 0.51 };
    enum { N = 1201 };
    double *x = doubles(r, N, 30), *out = ROOM(double, 12 * N);
    float *y = ROOM(float, N), *out_float = ROOM(float, 8 * N);

    x[0] = 1e10; // beyond the simple range reduction of sin and cos
    x[1] = 1e-300;
    for (int i = 0; i < N; i++)
        y[i] = (float)x[i];
    y[1] = 0x1p-100f;
    RUN("special", (.grid = { over(N, 128) }, .block = { 128 }), x, out, N);
    RUN("special_float", (.grid = { over(N, 128) }, .block = { 128 }), y, out_float, N);
    for (int i = 0; i < N; i++) {
        double v = x[i];
        const double want[12] = { sin(v),        cos(v),         exp(v * 0.1),  log(fabs(v)),
                                  sqrt(fabs(v)), tanh(v * 0.01), atan2(v, 3.0), pow(fabs(v), 1.75),
                                  erf(v * 0.05), cbrt(v),        1.0 / v,       fmod(v, 0.75) };
        for (int k = 0; k < 12; k++)
            ck_assert_msg(ulps(out[12 * i + k], want[k]) <= bound[k],
                          "function %d of %.17g is %.17g, not %.17g", k, v, out[12 * i + k],
                          want[k]);
        float f = y[i];
        const double fine[8] = { sin((double)f),
                                 cos((double)f),
                                 exp((double)(f * 0.1f)),
                                 log(fabs((double)f)),
                                 sqrt(fabs((double)f)),
                                 tanh((double)f),
                                 pow(fabs((double)f), 0.75),
                                 (double)f / (double)3.3f };
        for (int k = 0; k < 8; k++)
            ck_assert_msg(ulps_float(out_float[8 * i + k], fine[k]) <= bound_float[k],
                          "float function %d of %.9g is %.9g, not %.9g", k, (double)f,
                          (double)out_float[8 * i + k], fine[k]);
    }
}

static void run_philox(struct run *r)
{
    enum { N = 501 };
    uint32_t *out = ROOM(uint32_t, 4 * N);

    RUN("philox", (.grid = { over(N, 64) }, .block = { 64 }), UINT32_C(0x12345678),
        UINT32_C(0x9abcdef0), out, N);
    for (int i = 0; i < N; i++) {
        uint32_t c[4] = { (uint32_t)i, 0, 0xdecafbad, 7 }, k0 = 0x12345678, k1 = 0x9abcdef0;
        for (int round = 0; round < 10; round++) {
            uint64_t p = UINT64_C(0xd2511f53) * c[0], q = UINT64_C(0xcd9e8d57) * c[2];
            uint32_t x = (uint32_t)(q >> 32) ^ c[1] ^ k0, z = (uint32_t)(p >> 32) ^ c[3] ^ k1;
            c[0] = x, c[1] = (uint32_t)q, c[2] = z, c[3] = (uint32_t)p;
            k0 += 0x9e3779b9;
            k1 += 0xbb67ae85;
        }
        ck_assert_mem_eq(out + 4 * i, c, sizeof(c));
    }
}

static void run_templates(struct run *r)
{
    enum { N = 333 };
    float *f = floats(r, N), *f0 = ROOM(float, N);
    double *d = doubles(r, N, 1), *d0 = ROOM(double, N);
    unsigned char *b = bytes_of(r, N), *b0 = ROOM(unsigned char, N);

    memcpy(f0, f, N * sizeof(*f));
    memcpy(d0, d, N * sizeof(*d));
    memcpy(b0, b, N);
    RUN(instances[0], (.grid = { over(N, 32) }, .block = { 32 }), f, N);
    RUN(instances[1], (.grid = { over(N, 32) }, .block = { 32 }), d, N);
    RUN(instances[2], (.grid = { over(N, 32) }, .block = { 32 }), b, N);
    for (int i = 0; i < N; i++) {
        CLOSE(f[i], (double)(3 * f0[i]), 0.0, i);
        CLOSE(d[i], 5 * d0[i], 0.0, i);
        EQUAL(b[i], (unsigned char)(7 * b0[i]), i);
    }
}

// Reductions

static void run_sum_shared(struct run *r)
{
    enum { N = 50021, BLOCKS = 13 };
    int *x = integers(r, N, 1000), *part = ROOM(int, BLOCKS), *sum = ROOM(int, 1), want = 0;

    for (int i = 0; i < N; i++)
        want += x[i];
    RUN("sum_shared", (.grid = { BLOCKS }, .block = { 128 }, .shared_bytes = 512), x, part, N);
    RUN("sum_shared", (.grid = { 1 }, .block = { 32 }, .shared_bytes = 128), part, sum, BLOCKS);
    EQUAL(*sum, want, 0);
}

static void run_sum_shuffle(struct run *r)
{
    enum { N = 30011 };
    int *x = integers(r, N, 1000), *sum = ROOM(int, 1), want = 0;

    for (int i = 0; i < N; i++)
        want += x[i];
    RUN("sum_shuffle", (.grid = { over(N, 256) }, .block = { 256 }), x, sum, N);
    EQUAL(*sum, want, 0);
}

static void run_sum_atomic(struct run *r)
{
    enum { N = 10007 };
    float *x = floats(r, N), most = 0, *got_most = ROOM(float, 1);
    double *sum = ROOM(double, 1), want = 0;
    unsigned *in = ROOM(unsigned, 1);

    for (int i = 0; i < N; i++) {
        want += (double)x[i];
        most = fmaxf(most, fabsf(x[i]));
    }
    RUN("sum_atomic", (.grid = { over(N, 96) }, .block = { 96 }), x, sum, got_most, in, N);
    CLOSE(*sum, want, 1e-9, 0);
    CLOSE(*got_most, (double)most, 0.0, 0);
    EQUAL(*in, N, 0);
}

static void run_sum_last_block(struct run *r)
{
    enum { N = 20011, BLOCK = 64 };
    int *x = integers(r, N, 1000), *partial = ROOM(int, over(N, BLOCK)), *sum = ROOM(int, 1);
    unsigned *tickets = ROOM(unsigned, 1);
    int want = 0;

    for (int i = 0; i < N; i++)
        want += x[i];
    RUN("sum_last_block", (.grid = { over(N, BLOCK) }, .block = { BLOCK }), x, partial, tickets,
        sum, N);
    EQUAL(*sum, want, 0);
    EQUAL(*tickets, 0, 0);
}

static void run_histogram(struct run *r)
{
    enum { N = 40009 };
    unsigned char *x = bytes_of(r, N);
    unsigned *bins = ROOM(unsigned, 256), want[256] = { 0 };

    for (int i = 0; i < N; i++)
        want[x[i]]++;
    RUN("histogram", (.grid = { 7 }, .block = { 256 }), x, bins, N);
    ck_assert_mem_eq(bins, want, sizeof(want));
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_value_unsigned(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void run_compact(struct run *r)
{
    enum { N = 10009 };
    int *x = integers(r, N, 1 << 20), *out = ROOM(int, N);
    unsigned *count = ROOM(unsigned, 1), kept = 0;
    static int want[N];

    for (int i = 0; i < N; i++)
        if (x[i] > 0)
            want[kept++] = x[i];
    RUN("compact", (.grid = { over(N, 160) }, .block = { 160 }), x, out, count, N);
    EQUAL(*count, kept, 0);
    qsort(want, kept, sizeof(*want), by_value);
    qsort(out, kept, sizeof(*out), by_value);
    ck_assert_mem_eq(out, want, kept * sizeof(*want));
}

static void run_match(struct run *r)
{
    enum { N = 5003, BINS = 11 };
    int *x = ROOM(int, N);
    unsigned *bins = ROOM(unsigned, BINS), want[BINS] = { 0 };

    for (int i = 0; i < N; i++)
        want[x[i] = below(BINS)]++;
    RUN("match_count", (.grid = { over(N, 96) }, .block = { 96 }), x, bins, N);
    ck_assert_mem_eq(bins, want, sizeof(want));
}

// Scans

// Checks a scan of segments with `part` elements each; 0 means one scan over everything.
static void check_scan(const int *x, const int *out, int n, int part, int inclusive)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (part && i % part == 0)
            sum = 0;
        if (inclusive)
            sum += x[i];
        EQUAL(out[i], sum, i);
        if (!inclusive)
            sum += x[i];
    }
}

static void run_scan_hillis(struct run *r)
{
    enum { N = 5003 };
    int *x = integers(r, N, 100), *out = ROOM(int, N);
    RUN("scan_hillis", (.grid = { over(N, 256) }, .block = { 256 }, .shared_bytes = 2048), x, out,
        N);
    check_scan(x, out, N, 256, 1);
}

static void run_scan_blelloch(struct run *r)
{
    enum { N = 5003 };
    int *x = integers(r, N, 100), *out = ROOM(int, N);
    RUN("scan_blelloch", (.grid = { over(N, 256) }, .block = { 128 }, .shared_bytes = 1024), x, out,
        N);
    check_scan(x, out, N, 256, 0);
}

static void run_scan_shuffle(struct run *r)
{
    enum { N = 7001 };
    int *x = integers(r, N, 100), *out = ROOM(int, N);
    RUN("scan_shuffle", (.grid = { over(N, 512) }, .block = { 512 }), x, out, N);
    check_scan(x, out, N, 512, 1);
}

static void run_scan_look_back(struct run *r)
{
    enum { N = 30011, BLOCK = 128 };
    int *x = integers(r, N, 100), *out = ROOM(int, N);
    uint64_t *states = ROOM(uint64_t, over(N, BLOCK));
    unsigned *tickets = ROOM(unsigned, 1);
    RUN("scan_look_back", (.grid = { over(N, BLOCK) }, .block = { BLOCK }), x, out, states, tickets,
        N);
    check_scan(x, out, N, 0, 1);
}

// Sorts

static void run_sort_bitonic(struct run *r)
{
    enum { N = 997 };
    unsigned *x = ROOM(unsigned, N), want[N];

    for (int i = 0; i < N; i++)
        want[i] = x[i] = random32();
    RUN("sort_bitonic", (.grid = { 1 }, .block = { 512 }, .shared_bytes = 4096), x, N);
    qsort(want, N, sizeof(*want), by_value_unsigned);
    ck_assert_mem_eq(x, want, sizeof(want));
}

static void run_sort_odd_even(struct run *r)
{
    enum { N = 301 };
    int *x = integers(r, N, 1 << 30), want[N];

    memcpy(want, x, sizeof(want));
    RUN("sort_odd_even", (.grid = { 1 }, .block = { 128 }), x, N);
    qsort(want, N, sizeof(*want), by_value);
    ck_assert_mem_eq(x, want, sizeof(want));
}

static void run_select(struct run *r)
{
    enum { PART = 97, THREADS = 96, K = 31 };
    int *x = integers(r, PART * THREADS, 1000), *out = ROOM(int, THREADS), *failed = ROOM(int, 1);

    RUN("select", (.grid = { 3 }, .block = { THREADS / 3 }), x, out, failed, PART, K);
    EQUAL(*failed, 0, 0);
    for (int t = 0; t < THREADS; t++) {
        qsort(x + t * PART, PART, sizeof(*x), by_value);
        EQUAL(out[t], x[t * PART + K], t);
    }
}

// Stencils and tiles

static void run_stencil_line(struct run *r)
{
    enum { N = 5003 };
    float *x = floats(r, N), *y = ROOM(float, N);

    RUN("stencil_line", (.grid = { over(N, 128) }, .block = { 128 }), x, y, N);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = i < 3 ? 0 : i - 3; k <= i + 3 && k < N; k++)
            sum += (double)x[k];
        CLOSE(y[i], sum / 7, 1e-6, i);
    }
}

static void run_stencil_plane(struct run *r)
{
    enum { W = 101, H = 77 };
    float *x = floats(r, W * H), *y = ROOM(float, W *H);

    RUN("stencil_plane", (.grid = { over(W, 16), over(H, 16) }, .block = { 16, 16 }), x, y, W, H);
    for (int p = 0; p < W * H; p++) {
        double sum = -4.0 * x[p];
        sum += p / W > 0 ? (double)x[p - W] : 0;
        sum += p / W < H - 1 ? (double)x[p + W] : 0;
        sum += p % W > 0 ? (double)x[p - 1] : 0;
        sum += p % W < W - 1 ? (double)x[p + 1] : 0;
        CLOSE(y[p], sum, 2e-6, p);
    }
}

static void run_stencil_volume(struct run *r)
{
    enum { W = 33, H = 21, D = 17, N = W * H * D };
    double *x = doubles(r, N, 1), *y = ROOM(double, N);
    struct {
        int x, y, z;
    } size = { W, H, D };

    RUN("stencil_volume", (.grid = { over(W, 8), over(H, 4), over(D, 4) }, .block = { 8, 4, 4 }), x,
        y, size);
    for (int p = 0; p < N; p++) {
        int i = p % W, j = p / W % H, k = p / W / H;
        double want = x[p];
        if (i && j && k && i < W - 1 && j < H - 1 && k < D - 1)
            want = (x[p - 1] + x[p + 1] + x[p - W] + x[p + W] + x[p - W * H] + x[p + W * H]) / 6;
        CLOSE(y[p], want, 0.0, p);
    }
}

static void run_transpose(struct run *r)
{
    enum { W = 131, H = 75 };
    float *x = floats(r, W * H), *y = ROOM(float, W *H);

    RUN("transpose", (.grid = { over(W, 32), over(H, 32) }, .block = { 32, 8 }), x, y, W, H);
    for (int p = 0; p < W * H; p++)
        CLOSE(y[p % W * H + p / W], (double)x[p], 0.0, p);
}

static void run_big_shared(struct run *r)
{
    enum { ROWS = 200 }; // 100 KiB
    int *x = integers(r, ROWS * 128, 1000), *sums = ROOM(int, 128);

    RUN("big_shared", (.grid = { 1 }, .block = { 256 }, .shared_bytes = ROWS * 512), x, sums, ROWS);
    for (int c = 0; c < 128; c++) {
        int sum = 0;
        for (int k = 0; k < ROWS; k++)
            sum += x[k * 128 + c] * (k + 1);
        EQUAL(sums[c], sum, c);
    }
}

// Numerics

static void run_matmul(struct run *r)
{
    enum { M = 67, N = 45, K = 83 };
    float *a = floats(r, M * K), *b = floats(r, K * N), *c = ROOM(float, M *N);

    RUN("matmul", (.grid = { over(N, 16), over(M, 16) }, .block = { 16, 16 }), a, b, c, M, N, K);
    for (int p = 0; p < M * N; p++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += (double)a[p / N * K + k] * (double)b[k * N + p % N];
        CLOSE(c[p], sum, 1e-5, p);
    }
}

static void run_bodies(struct run *r)
{
    enum { N = 203 };
    float *at = floats(r, 4 * N), *force = ROOM(float, 3 * N);

    RUN("bodies", (.grid = { over(N, 64) }, .block = { 64 }), at, force, N);
    for (int i = 0; i < N; i++) {
        double f[3] = { 0 }, scale = 0;
        for (int j = 0; j < N; j++) {
            double d[3], square = 0.01f;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)at[4 * j + k] - (double)at[4 * i + k];
                square += d[k] * d[k];
            }
            double s = (double)at[4 * j + 3] / (square * sqrt(square));
            for (int k = 0; k < 3; k++) {
                f[k] += d[k] * s;
                scale += fabs(d[k] * s);
            }
        }
        for (int k = 0; k < 3; k++)
            CLOSE(force[3 * i + k], f[k], 1e-5 * (1 + scale), i);
    }
}

static void run_softmax(struct run *r)
{
    enum { ROWS = 37, COLUMNS = 101 };
    float *x = floats(r, ROWS * COLUMNS), *y = ROOM(float, ROWS *COLUMNS);

    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] *= 10;
    RUN("softmax", (.grid = { over(ROWS, 4) }, .block = { 32, 4 }), x, y, ROWS, COLUMNS);
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int i = 0; i < COLUMNS; i++)
            sum += exp((double)x[row * COLUMNS + i]);
        for (int i = 0; i < COLUMNS; i++)
            CLOSE(y[row * COLUMNS + i], exp((double)x[row * COLUMNS + i]) / sum, 1e-5, i);
    }
}

static void run_layer_norm(struct run *r)
{
    enum { ROWS = 29, C = 133 };
    float *x = floats(r, ROWS * C), *gain = floats(r, C), *bias = floats(r, C);
    float *y = ROOM(float, ROWS *C);

    RUN("layer_norm", (.grid = { over(ROWS, 2) }, .block = { 32, 2 }), x, gain, bias, y, ROWS, C);
    for (int row = 0; row < ROWS; row++) {
        double mean = 0, square = 0;
        for (int i = 0; i < C; i++)
            mean += (double)x[row * C + i] / C;
        for (int i = 0; i < C; i++)
            square += pow((double)x[row * C + i] - mean, 2) / C;
        for (int i = 0; i < C; i++)
            CLOSE(y[row * C + i],
                  ((double)x[row * C + i] - mean) / sqrt(square + 1e-5) * (double)gain[i] +
                      (double)bias[i],
                  1e-5, i);
    }
}

static void run_fft(struct run *r)
{
    enum { BITS = 7, N = 1 << BITS, BATCH = 3 };
    float *x = floats(r, 2 * N * BATCH), *y = ROOM(float, 2 * N * BATCH);

    RUN("fft", (.grid = { BATCH }, .block = { 48 }, .shared_bytes = 8 * N), x, y, BITS);
    for (int p = 0; p < N * BATCH; p++) {
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double angle = -2 * 3.14159265358979323846 * ((p % N) * i % N) / N;
            double a = (double)x[2 * (p / N * N + i)], b = (double)x[2 * (p / N * N + i) + 1];
            re += a * cos(angle) - b * sin(angle);
            im += a * sin(angle) + b * cos(angle);
        }
        CLOSE(y[2 * p], re, 2e-5, p);
        CLOSE(y[2 * p + 1], im, 2e-5, p);
    }
}

static int *rows_of(struct run *r, int rows, int most)
{
    int *start = ROOM(int, rows + 1);
    for (int i = 0; i < rows; i++)
        start[i + 1] = start[i] + (i ? below(most + 1) : most);
    return start;
}

static void run_spmv(struct run *r)
{
    enum { ROWS = 1009 };
    int *start = rows_of(r, ROWS, 12), n = start[ROWS], *column = ROOM(int, n);
    double *value = doubles(r, n, 1), *x = doubles(r, ROWS, 1), *y = ROOM(double, ROWS);

    for (int i = 0; i < n; i++)
        column[i] = below(ROWS);
    RUN("spmv", (.grid = { over(ROWS, 128) }, .block = { 128 }), start, column, value, x, y, ROWS);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            sum += value[k] * x[column[k]];
        CLOSE(y[i], sum, 1e-14, i);
    }
}

static void run_bfs(struct run *r)
{
    enum { NODES = 2003 };
    int *start = rows_of(r, NODES, 4), n = start[NODES], *to = ROOM(int, n);
    int *depth = ROOM(int, NODES), *changed = ROOM(int, 1), levels = 0;
    static int want[NODES], queue[NODES];

    for (int i = 0; i < n; i++)
        to[i] = below(NODES);
    for (int i = 0; i < NODES; i++)
        depth[i] = want[i] = i ? -1 : 0;
    cuc_kernel *k = kernel(r, "bfs");
    do {
        *changed = 0;
        ck_ok(CUC_LAUNCH(r->stream, CUC_LAUNCH_CONFIG(.grid = { over(NODES, 96) }, .block = { 96 }),
                         k, start, to, depth, levels, changed, NODES));
        ck_ok(cuc_stream_synchronize(r->stream));
        levels++;
    } while (*changed && levels < NODES);
    for (int head = 0, tail = 1; head < tail; head++) {
        for (int e = start[queue[head]]; e < start[queue[head] + 1]; e++) {
            if (want[to[e]] < 0) {
                want[to[e]] = want[queue[head]] + 1;
                queue[tail++] = to[e];
            }
        }
    }
    ck_assert_int_gt(levels, 3);
    ck_assert_mem_eq(depth, want, sizeof(want));
}

// Sixteen bits

// Returns the nearest value with that many mantissa bits and that smallest exponent, ties to even.
static double nearest(double v, int bits, int least)
{
    if (v == 0 || !isfinite(v))
        return v;
    int e = ilogb(v) < least ? least : ilogb(v);
    return ldexp(rint(ldexp(v, bits - e)), e - bits);
}

static double to_half(double v)
{
    return nearest(v, 10, -14);
}

static double to_bf16(double v)
{
    return nearest(v, 7, -126);
}

static uint16_t half_bits(double v) // v is a normal number
{
    int e;
    double m = frexp(fabs(v), &e);
    if (v == 0)
        return 0;
    return (uint16_t)((signbit(v) ? 0x8000 : 0) | (e + 14) << 10 | ((int)(m * 2048) & 1023));
}

static double half_value(uint16_t b)
{
    int e = b >> 10 & 31, m = b & 1023;
    double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return b & 0x8000 ? -v : v;
}

static double bf16_value(uint16_t b)
{
    uint32_t u = (uint32_t)b << 16;
    float f;
    memcpy(&f, &u, sizeof(f));
    return (double)f;
}

static uint16_t bf16_bits(double v)
{
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, sizeof(u));
    return (uint16_t)(u >> 16);
}

static double some_half(void) // at least 2^-10, so that it is normal
{
    double v = to_half(unit() * 8);
    return fabs(v) < 0x1p-10 ? 1 : v;
}

static void run_half(struct run *r)
{
    enum { N = 2002 };
    uint16_t *x = ROOM(uint16_t, N), *y = ROOM(uint16_t, N), *z = ROOM(uint16_t, N);
    uint16_t *out = ROOM(uint16_t, 6 * N);
    struct {
        uint16_t bits;
    } a = { half_bits(1.5) };

    for (int i = 0; i < N; i++) {
        x[i] = half_bits(some_half());
        y[i] = z[i] = half_bits(some_half());
    }
    RUN("half_axpy", (.grid = { over(N / 2, 128) }, .block = { 128 }), a, x, z, N / 2);
    RUN("half_mix", (.grid = { over(N, 128) }, .block = { 128 }), x, y, out, N);
    for (int i = 0; i < N; i++) {
        double u = half_value(x[i]), v = half_value(y[i]);
        const double want[6] = { to_half(u + v), to_half(u * v),       fmax(u, v),
                                 to_half(u - v), u < v ? -u : fabs(v), to_half(u * 3) };
        CLOSE(half_value(z[i]), to_half(1.5 * u + v), 0.0, i);
        for (int k = 0; k < 6; k++)
            CLOSE(half_value(out[6 * i + k]), want[k], 0.0, 10 * i + k);
    }
}

static void run_bf16(struct run *r)
{
    enum { N = 2001 };
    uint16_t *x = ROOM(uint16_t, N), *y = ROOM(uint16_t, N), *out = ROOM(uint16_t, 4 * N);

    for (int i = 0; i < N; i++) {
        x[i] = bf16_bits(to_bf16(unit() * 100));
        y[i] = bf16_bits(to_bf16(unit() * 10));
    }
    RUN("bf16_mix", (.grid = { over(N, 128) }, .block = { 128 }), x, y, out, N);
    for (int i = 0; i < N; i++) {
        double u = bf16_value(x[i]), v = bf16_value(y[i]);
        const double want[4] = { to_bf16(u + v), to_bf16(u * v), to_bf16(fma(u, v, u)),
                                 to_bf16((double)((float)u / 3.0f)) };
        for (int k = 0; k < 4; k++)
            CLOSE(bf16_value(out[4 * i + k]), want[k], 0.0, 10 * i + k);
    }
}

// Tensor cores

static uint16_t *halves(struct run *r, int n)
{
    uint16_t *x = ROOM(uint16_t, n);
    for (int i = 0; i < n; i++)
        x[i] = half_bits(some_half());
    return x;
}

static void check_product(const uint16_t *a, const uint16_t *b, const float *c, int m, int n, int k)
{
    for (int p = 0; p < m * n; p++) {
        double sum = 0;
        for (int i = 0; i < k; i++)
            sum += half_value(a[p / n * k + i]) * half_value(b[i * n + p % n]);
        CLOSE(c[p], sum, 1e-3, p);
    }
}

static void run_wmma(struct run *r)
{
    enum { M = 48, N = 80, K = 64 };
    uint16_t *a = halves(r, M * K), *b = halves(r, K * N);
    float *c = ROOM(float, M *N);

    RUN("matmul_wmma", (.grid = { over(N, 32), M / 16 }, .block = { 32, 2 }), a, b, c, M, N, K);
    check_product(a, b, c, M, N, K);
}

static void product(struct run *r, const char *name)
{
    enum { M = 48, N = 40, K = 80 };
    uint16_t *a = halves(r, M * K), *b = halves(r, K * N);
    float *c = ROOM(float, M *N);

    RUN(name, (.grid = { N / 8, M / 16 }, .block = { 32 }), a, b, c, N, K);
    check_product(a, b, c, M, N, K);
}

static void run_ldmatrix(struct run *r)
{
    product(r, "matmul_ldmatrix");
}

static void run_matmul_async(struct run *r)
{
    product(r, "matmul_async");
}

// Cooperative groups

static void run_groups(struct run *r)
{
    enum { N = 3001, THREADS = 3072 };
    int *x = integers(r, N, 1000), *sum = ROOM(int, 1), *tiles = ROOM(int, THREADS / 8);
    int *scanned = ROOM(int, N), want = 0;

    RUN("sum_groups", (.grid = { THREADS / 128 }, .block = { 128 }), x, sum, tiles, N);
    RUN("scan_groups", (.grid = { THREADS / 128 }, .block = { 128 }), x, scanned, N);
    for (int t = 0; t < THREADS / 8; t++) {
        int part = 0;
        for (int i = 8 * t; i < 8 * t + 8 && i < N; i++)
            part += x[i];
        EQUAL(tiles[t], part, t);
        want += part;
    }
    EQUAL(*sum, want, 0);
    check_scan(x, scanned, N, 32, 1);
}

static void run_wide(struct run *r)
{
    enum { N = 3001, THREADS = 3072 };
    int *x = integers(r, N, 1000), *sums = ROOM(int, THREADS / 64);

    RUN("sum_wide", (.grid = { THREADS / 256 }, .block = { 256 }), x, sums, N);
    for (int t = 0; t < THREADS / 64; t++) {
        int sum = 0;
        for (int i = 64 * t; i < 64 * t + 64 && i < N; i++)
            sum += x[i];
        EQUAL(sums[t], sum, t);
    }
}

static void run_jacobi(struct run *r)
{
    enum { N = 1501, STEPS = 20 };
    double *x = doubles(r, N, 1), *y = ROOM(double, N);
    static double a[N], b[N];

    memcpy(a, x, sizeof(a));
    RUN("jacobi", (.grid = { 11 }, .block = { 64 }, .flags = CUC_LAUNCH_COOPERATIVE), x, y, N,
        STEPS);
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < N; i++)
            b[i] = 0.5 * (a[(i + N - 1) % N] + a[(i + 1) % N]);
        memcpy(a, b, sizeof(a));
    }
    for (int i = 0; i < N; i++)
        CLOSE(x[i], a[i], 0.0, i);
}

static void run_cluster(struct run *r)
{
    enum { N = 20011 };
    unsigned char *x = bytes_of(r, N);
    unsigned *bins = ROOM(unsigned, 256), want[256] = { 0 };

    if (strcmp(arch, "sm_80") == 0) {
        printf("skipped: clusters came with sm_90\n");
        return;
    }
    for (int i = 0; i < N; i++)
        want[x[i]]++;
    RUN("cluster_histogram", (.grid = { 12 }, .block = { 96 }, .cluster = { 4 }), x, bins, N);
    ck_assert_mem_eq(bins, want, sizeof(want));
}

// CUB

static void run_cub_reduce(struct run *r)
{
    enum { N = 5003 };
    int *x = integers(r, N, 1000), *sum = ROOM(int, 1), want = 0;

    for (int i = 0; i < N; i++)
        want += x[i];
    RUN("cub_reduce", (.grid = { over(N, 128) }, .block = { 128 }), x, sum, N);
    EQUAL(*sum, want, 0);
}

static void run_cub_scan(struct run *r)
{
    enum { N = 5003 };
    int *x = integers(r, N, 1000), *out = ROOM(int, N);

    RUN("cub_scan", (.grid = { over(N, 512) }, .block = { 128 }), x, out, N);
    check_scan(x, out, N, 512, 1);
}

static void run_cub_sort(struct run *r)
{
    enum { N = 499 };
    int *x = integers(r, N, 1 << 30), want[N];

    memcpy(want, x, sizeof(want));
    RUN("cub_sort", (.grid = { 1 }, .block = { 128 }), x, N);
    qsort(want, N, sizeof(*want), by_value);
    ck_assert_mem_eq(x, want, sizeof(want));
}

// Barriers, pipelines, locks

static void run_produce_consume(struct run *r)
{
    enum { ROUNDS = 9 };
    int *x = integers(r, ROUNDS * 64, 1000), *out = ROOM(int, ROUNDS * 64);

    RUN("produce_consume", (.grid = { 1 }, .block = { 128 }), x, out, ROUNDS);
    for (int i = 0; i < ROUNDS * 64; i++)
        EQUAL(out[i], 3 * x[i / 64 * 64 + 63 - i % 64] + 1, i);
}

static void run_pipelined(struct run *r)
{
    enum { ROUNDS = 7 };
    int *x = integers(r, ROUNDS * 128, 1000), *out = ROOM(int, 128);

    RUN("pipelined", (.grid = { 1 }, .block = { 128 }), x, out, ROUNDS);
    for (int t = 0; t < 128; t++) {
        int sum = 0;
        for (int k = 0; k < ROUNDS; k++)
            sum += x[k * 128 + 127 - t] * (k + 1);
        EQUAL(out[t], sum, t);
    }
}

static void run_spin_lock(struct run *r)
{
    int *lock = ROOM(int, 1), *count = ROOM(int, 1);

    RUN("spin_lock", (.grid = { 3 }, .block = { 48 }), lock, count, 5);
    EQUAL(*count, 3 * 48 * 5, 0);
}

static void run_ticket_lock(struct run *r)
{
    enum { N = 4 * 40 };
    unsigned *next = ROOM(unsigned, 1), *serving = ROOM(unsigned, 1);
    int *order = ROOM(int, N), *count = ROOM(int, 1);

    RUN("ticket_lock", (.grid = { 4 }, .block = { 40 }), next, serving, order, count);
    EQUAL(*count, N, 0);
    for (int i = 0; i < N; i++)
        EQUAL(order[i], i, i);
}

// Calls

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void run_recursion(struct run *r)
{
    int *out = ROOM(int, 32);

    RUN("recursion", (.grid = { 1 }, .block = { 32 }), out);
    for (int i = 0; i < 32; i++)
        EQUAL(out[i], ackermann(2, i % 7), i);
}

static void run_pointers(struct run *r)
{
    enum { N = 501 };
    int *which = ROOM(int, N);
    double *a = doubles(r, N, 1), *b = doubles(r, N, 1), *out = ROOM(double, N);

    for (int i = 0; i < N; i++)
        which[i] = below(3);
    RUN("pointers", (.grid = { over(N, 64) }, .block = { 64 }), which, a, b, out, N);
    for (int i = 0; i < N; i++)
        CLOSE(out[i],
              which[i] == 0   ? a[i] + b[i]
              : which[i] == 1 ? a[i] - b[i]
                              : a[i] * b[i],
              0.0, i);
}

static void run_virtuals(struct run *r)
{
    enum { N = 301 };
    double *size = doubles(r, N, 4), *out = ROOM(double, N);

    RUN("virtuals", (.grid = { over(N, 64) }, .block = { 64 }), size, out, N);
    for (int i = 0; i < N; i++)
        CLOSE(out[i], i % 3 ? size[i] * size[i] : 3.0 * size[i] * size[i], 1e-14, i);
}

// Sorts lines, because threads run in no specified order.
static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void run_printf(struct run *r)
{
    enum { N = 5, WIDTH = 128 };
    char got[N + 1][WIDTH] = { { 0 } }, want[N][WIDTH], *word = ROOM(char, 8);
    FILE *file = tmpfile();
    int before, lines = 0;

    ck_assert_ptr_nonnull(file);
    strcpy(word, "hello");
    fflush(stdout);
    before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    RUN("says", (.grid = { 1 }, .block = { 40 }), N, word);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    while (lines <= N && fgets(got[lines], WIDTH, file))
        lines++;
    fclose(file);
    EQUAL(lines, N, 0);
    for (int i = 0; i < N; i++)
        snprintf(want[i], WIDTH, "thread %d of 40 says hello: %.3f %5x %lld %c%%\n", i, i * 0.5,
                 (unsigned)i * 255, 1LL << (i + 32), 'a' + i);
    qsort(got, N, WIDTH, by_text);
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(got[i], want[i]);
}

static void run_assert(struct run *r)
{
    enum { N = 100 };
    int *x = ROOM(int, N);

    RUN("asserts", (.grid = { 2 }, .block = { 64 }), x, N);
    x[77] = -1;
    ck_ok(CUC_LAUNCH(r->stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 64 }),
                     kernel(r, "asserts"), x, N));
    ck_assert_int_ne(cuc_stream_synchronize(r->stream), CUC_OK);
    EQUAL(cuc_error_library_code(), 710, 0); // CUDA_ERROR_ASSERT
}

static void run_link(struct run *r)
{
    enum { N = 501 };
    double *x = doubles(r, N, 8), *y = ROOM(double, N);

    memcpy(y, x, N * sizeof(*x));
    RUN("apply", (.grid = { over(N, 64) }, .block = { 64 }), y, 0.25, N);
    for (int i = 0; i < N; i++)
        CLOSE(y[i], fma(x[i], x[i], 0.25), 1e-13, i);
}

static const struct {
    const char *name;
    enum unit unit;
    void (*run)(struct run *r);
    int faults; // leaves the context with an error
} programs[] = {
    { "saxpy: one each, strided, four at a time", ELEMENTWISE, run_saxpy, 0 },
    { "mandelbrot", ELEMENTWISE, run_mandelbrot, 0 },
    { "game of life", ELEMENTWISE, run_life, 0 },
    { "bit tricks", ELEMENTWISE, run_bits, 0 },
    { "64-bit division", ELEMENTWISE, run_divide, 0 },
    { "constant tables", ELEMENTWISE, run_constants, 0 },
    { "special functions", ELEMENTWISE, run_special, 0 },
    { "philox", ELEMENTWISE, run_philox, 0 },
    { "templates", ELEMENTWISE, run_templates, 0 },
    { "sum: shared memory, two passes", REDUCE, run_sum_shared, 0 },
    { "sum: shuffles", REDUCE, run_sum_shuffle, 0 },
    { "sum: atomics", REDUCE, run_sum_atomic, 0 },
    { "sum: last block", REDUCE, run_sum_last_block, 0 },
    { "histogram", REDUCE, run_histogram, 0 },
    { "compaction", REDUCE, run_compact, 0 },
    { "match", REDUCE, run_match, 0 },
    { "scan: Hillis-Steele", SCAN, run_scan_hillis, 0 },
    { "scan: Blelloch", SCAN, run_scan_blelloch, 0 },
    { "scan: shuffles", SCAN, run_scan_shuffle, 0 },
    { "scan: look-back", SCAN, run_scan_look_back, 0 },
    { "sort: bitonic", SORT, run_sort_bitonic, 0 },
    { "sort: odd-even", SORT, run_sort_odd_even, 0 },
    { "quickselect on the kernel's heap", SORT, run_select, 0 },
    { "stencil: line", GRID, run_stencil_line, 0 },
    { "stencil: plane", GRID, run_stencil_plane, 0 },
    { "stencil: volume", GRID, run_stencil_volume, 0 },
    { "transpose", GRID, run_transpose, 0 },
    { "100 KiB of shared memory", GRID, run_big_shared, 0 },
    { "matrix product: shared memory", NUMERIC, run_matmul, 0 },
    { "n-body", NUMERIC, run_bodies, 0 },
    { "softmax", NUMERIC, run_softmax, 0 },
    { "layer norm", NUMERIC, run_layer_norm, 0 },
    { "FFT", NUMERIC, run_fft, 0 },
    { "sparse matrix", NUMERIC, run_spmv, 0 },
    { "breadth-first search", NUMERIC, run_bfs, 0 },
    { "f16", HALF, run_half, 0 },
    { "bf16", HALF, run_bf16, 0 },
    { "matrix product: wmma", TENSOR, run_wmma, 0 },
    { "matrix product: ldmatrix, mma.sync", TENSOR, run_ldmatrix, 0 },
    { "matrix product: cp.async", TENSOR_ASYNC, run_matmul_async, 0 },
    { "cooperative groups: reduce, scan", GROUPS, run_groups, 0 },
    { "cooperative groups: tiles of two warps", GROUPS, run_wide, 0 },
    { "cooperative groups: grid", GROUPS, run_jacobi, 0 },
    { "cooperative groups: cluster", GROUPS, run_cluster, 0 },
    { "cub: BlockReduce", CUB, run_cub_reduce, 0 },
    { "cub: BlockScan", CUB, run_cub_scan, 0 },
    { "cub: BlockRadixSort", CUB, run_cub_sort, 0 },
    { "cuda::barrier", ASYNC, run_produce_consume, 0 },
    { "cuda::pipeline", ASYNC, run_pipelined, 0 },
    { "spin lock", LOCKS, run_spin_lock, 0 },
    { "ticket lock", LOCKS, run_ticket_lock, 0 },
    { "recursion", CALLS, run_recursion, 0 },
    { "function pointers", CALLS, run_pointers, 0 },
    { "virtual functions", CALLS, run_virtuals, 0 },
    { "printf", CALLS, run_printf, 0 },
    { "assert", CALLS, run_assert, 1 },
    { "linked by LTO", LINK, run_link, 0 },
};

static int chosen[CUC_LENGTH(programs)], chosen_count;

CASE("programs", .timeout = 60);

TEST_RANGE(a_program_computes_what_the_cpu_does, 0, chosen_count)
{
    const int p = chosen[_i];
    struct run run = { .object = units[programs[p].unit].object }, *r = &run;
    cuc_device *device;
    cuc_status status;

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&run.stream, device, NULL));
    ck_ok(cuc_memory_synchronous_create(&run.managed, device, CUC_MEMORY_MANAGED));
    programs[p].run(r);
    for (int i = 0; i < run.kernel_count; i++)
        cuc_kernel_release(run.kernels[i]);
    status = cuc_stream_synchronize(run.stream);
    ck_assert_msg((status != CUC_OK) == programs[p].faults, "%s", cuc_error_message());
    for (int i = 0; i < run.buffer_count; i++)
        cuc_buffer_release(run.buffers[i]);
    cuc_memory_resource_release(run.managed);
    cuc_stream_release(run.stream);
}

static char *text_of(const char *file)
{
    char path[1024], *text;
    FILE *f;
    long bytes;

    snprintf(path, sizeof(path), "%s/%s", PROGRAMS, file);
    f = fopen(path, "r");
    if (!f || fseek(f, 0, SEEK_END) != 0 || (bytes = ftell(f)) < 0 ||
        !(text = calloc(1, (size_t)bytes + 1))) {
        perror(path);
        exit(1);
    }
    rewind(f);
    if (fread(text, 1, (size_t)bytes, f) != (size_t)bytes)
        exit(1);
    fclose(f);
    return text;
}

// Compiles a file; returns NULL if there is no compiler.
static cuc_object *compiled(const char *file, const char *define, int expressions, int32_t kind)
{
    char *text = text_of(file);
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;
    cuc_object *object = NULL;

    o.name = file;
    o.arch = arch;
    o.debug = debug;
    o.relocatable_device_code = kind == CUC_CODE_LTOIR ? CUC_ON : CUC_DEFAULT;
    o.define_macros = define ? &define : NULL;
    o.define_macro_count = define != NULL;
    o.name_expressions = instances;
    o.name_expression_count = (size_t)expressions;
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_CUDA, text, 0, &o);
    if (st == CUC_OK) {
        st = cuc_program_compile(&object, program, kind);
        if (st != CUC_OK)
            fprintf(stderr, "%s: %s\n%s\n", file, cuc_error_message(), cuc_error_log());
        cuc_program_release(program);
    }
    free(text);
    if (st == CUC_ERROR_NOT_FOUND) {
        printf("skipped: %s\n", cuc_error_message());
        exit(77);
    }
    if (st != CUC_OK)
        exit(1);
    return object;
}

static void compile_unit(enum unit u)
{
    cuc_linker *linker;

    if (units[u].object)
        return;
    if (!units[u].linked) {
        units[u].object =
            compiled(units[u].file, units[u].define, units[u].instances, CUC_CODE_PTX);
        return;
    }
    cuc_object *parts[] = { compiled(units[u].file, NULL, 0, CUC_CODE_LTOIR),
                            compiled(units[u].linked, NULL, 0, CUC_CODE_LTOIR) };
    if (cuc_linker_create(&linker, CUC_LINKER_OPTIONS(.arch = arch)) != CUC_OK ||
        cuc_linker_add(linker, parts[0]) != CUC_OK || cuc_linker_add(linker, parts[1]) != CUC_OK ||
        cuc_linker_link(&units[u].object, linker, CUC_CODE_CUBIN) != CUC_OK) {
        fprintf(stderr, "%s: %s\n%s\n", units[u].file, cuc_error_message(), cuc_error_log());
        exit(1);
    }
    cuc_linker_release(linker);
    cuc_object_release(parts[0]);
    cuc_object_release(parts[1]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strncmp(argv[1], "sm_", 3) == 0) {
        arch = argv[1];
        argc--;
        argv++;
    }
    if (argc > 1 && strcmp(argv[1], "--debug") == 0) {
        debug = CUC_ON;
        argc--;
        argv++;
    }
    // Tests that lose the context run last, because on a GPU the process does not get a second one.
    for (int i = 0; i < 2 * CUC_LENGTH(programs); i++) {
        int p = i % CUC_LENGTH(programs);
        int wanted = argc < 2;
        for (int k = 1; k < argc; k++)
            wanted |= strstr(programs[p].name, argv[k]) != NULL;
        if (wanted && programs[p].faults == (i >= CUC_LENGTH(programs))) {
            compile_unit(programs[p].unit);
            chosen[chosen_count++] = p;
        }
    }
    // A child of this process could not use a real driver.
    int status = run_tests_as("sim programs",
                              cuc_driver_is_simulated() ? CK_FORK_GETENV : CK_NOFORK, CK_ENV);
    for (int u = 0; u < UNITS; u++)
        cuc_object_release(units[u].object);
    return status;
}
