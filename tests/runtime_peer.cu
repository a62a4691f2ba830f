// Uses cucore and the CUDA runtime in one program on a GPU: cucore launches a kernel that nvcc
// compiled and wraps memory from cudaMalloc in a buffer, and each side uses the other's streams and
// events. Exits 77 without a GPU.
#include <cucore/cucore.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static int failures;

#define CHECK(condition)                                                                        \
    do {                                                                                        \
        if (!(condition)) {                                                                     \
            std::printf("%s:%d: %s; cucore: %s; runtime: %s\n", __FILE__, __LINE__, #condition, \
                        cuc_error_message(), cudaGetErrorString(cudaPeekAtLastError()));        \
            failures++;                                                                         \
        }                                                                                       \
    } while (0)

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

struct data {
    std::vector<float> x, y;
    float *dx = nullptr, *dy = nullptr;
    int n;
};

static cuc_arg scalar_f32(float v)
{
    cuc_arg a{};
    a.type = CUC_F32;
    a.bytes = 4;
    a.value.f32 = v;
    return a;
}

static cuc_arg scalar_i32(int v)
{
    cuc_arg a{};
    a.type = CUC_I32;
    a.bytes = 4;
    a.value.i64 = v;
    return a;
}

static cuc_arg of_buffer(const cuc_buffer *b)
{
    cuc_arg a{};
    a.type = CUC_ARG_BUFFER;
    a.bytes = 8;
    a.value.pointer = b;
    return a;
}

// Launch with cucore on a stream, and compare with the host in double precision.
static void run(const char *what, cuc_stream *stream, cuc_kernel *kernel, data &d)
{
    cuc_buffer *bx = nullptr, *by = nullptr;
    std::vector<float> got(d.x.size(), NAN);

    CHECK(cudaMemcpy(d.dx, d.x.data(), d.n * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(d.dy, d.y.data(), d.n * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cuc_buffer_from_pointer(&bx, (cuc_device_ptr)d.dx, d.n * sizeof(float), nullptr) >= 0);
    CHECK(cuc_buffer_from_pointer(&by, (cuc_device_ptr)d.dy, d.n * sizeof(float), nullptr) >= 0);

    cuc_launch_config config = CUC_LAUNCH_CONFIG_INIT;
    config.grid[0] = (d.n + 255) / 256;
    config.block[0] = 256;
    cuc_arg args[] = { scalar_f32(2.5f), of_buffer(bx), of_buffer(by), scalar_i32(d.n) };
    CHECK(cuc_launch(stream, &config, kernel, args, 4) >= 0);
    CHECK(cuc_launch(stream, &config, kernel, args, 3) == CUC_ERROR_INVALID_ARGUMENT);
    CHECK(cudaMemcpyAsync(got.data(), d.dy, d.n * sizeof(float), cudaMemcpyDeviceToHost,
                          (cudaStream_t)cuc_stream_handle(stream)) == cudaSuccess);
    CHECK(cuc_stream_synchronize(stream) >= 0);
    double worst = 0;
    for (int i = 0; i < d.n; i++) {
        double want = 2.5 * (double)d.x[i] + (double)d.y[i];
        double error = std::fabs(got[i] - want);
        worst = error > worst || error != error ? error : worst;
    }
    // One fused multiply-add is off by half a unit in the last place of a result below 4.
    CHECK(worst <= 2.4e-7);
    std::printf("%-44s n %d, largest error %g\n", what, d.n, worst);
    cuc_buffer_release(bx);
    cuc_buffer_release(by);
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("skipped: no GPU");
        return 77;
    }

    data d;
    d.n = 100003;
    for (int i = 0; i < d.n; i++) {
        d.x.push_back((float)std::rand() / (float)RAND_MAX);
        d.y.push_back((float)std::rand() / (float)RAND_MAX);
    }
    CHECK(cudaMalloc(&d.dx, d.n * sizeof(float)) == cudaSuccess);
    CHECK(cudaMalloc(&d.dy, d.n * sizeof(float)) == cudaSuccess);

    cuc_kernel *kernel = nullptr;
    CHECK(cuc_kernel_from_symbol(&kernel, (const void *)saxpy) >= 0);
    CHECK(cuc_kernel_from_symbol(&kernel, &d) == CUC_ERROR_INVALID_ARGUMENT);
    CHECK(cudaPeekAtLastError() == cudaSuccess);

    // cucore uses a stream of the runtime.
    cudaStream_t theirs = nullptr;
    cuc_stream *wrapped = nullptr;
    CHECK(cudaStreamCreateWithFlags(&theirs, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cuc_stream_from_handle(&wrapped, theirs, nullptr, nullptr) >= 0);
    run("kernel of nvcc on a stream of the runtime", wrapped, kernel, d);

    // The runtime uses a stream of cucore too: run() copies with it.
    cuc_device *device = nullptr;
    cuc_stream *ours = nullptr;
    CHECK(cuc_device_get(&device, 0) >= 0);
    CHECK(cuc_stream_create(&ours, device, nullptr) >= 0);
    run("kernel of nvcc on a stream of cucore", ours, kernel, d);

    // The legacy default stream has two names.
    cuc_stream *legacy = nullptr, *null_stream = nullptr;
    CHECK(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY) >= 0);
    run("kernel of nvcc on the legacy stream", legacy, kernel, d);
    CHECK(cuc_stream_from_handle(&null_stream, nullptr, nullptr, nullptr) >= 0);
    run("kernel of nvcc on stream 0", null_stream, kernel, d);

    // Events both ways.
    cudaEvent_t event = nullptr;
    cuc_event *wrapped_event = nullptr, *our_event = nullptr;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess);
    CHECK(cuc_event_from_handle(&wrapped_event, event, nullptr, 0) >= 0);
    CHECK(cuc_event_record(ours, wrapped_event) >= 0);
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
    CHECK(cuc_event_create(&our_event, device, nullptr) >= 0);
    CHECK(cudaEventRecord((cudaEvent_t)cuc_event_handle(our_event), theirs) == cudaSuccess);
    CHECK(cuc_event_synchronize(our_event) == CUC_OK);

    // The runtime uses memory of cucore.
    cuc_buffer *buffer = nullptr;
    std::vector<float> back(16, 0);
    CHECK(cuc_buffer_create(&buffer, ours, nullptr, 64) >= 0);
    CHECK(cudaMemsetAsync((void *)cuc_buffer_ptr(buffer), 0, 64,
                          (cudaStream_t)cuc_stream_handle(ours)) == cudaSuccess);
    CHECK(cuc_buffer_read_async(ours, back.data(), buffer, 0, 64) >= 0);
    CHECK(cuc_stream_synchronize(ours) >= 0);

    cuc_buffer_release(buffer);
    cuc_event_release(our_event);
    cuc_event_release(wrapped_event);
    cuc_stream_release(null_stream);
    cuc_stream_release(ours);
    cuc_stream_release(wrapped);
    cuc_kernel_release(kernel);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaStreamDestroy(theirs) == cudaSuccess);
    CHECK(cudaFree(d.dx) == cudaSuccess);
    CHECK(cudaFree(d.dy) == cudaSuccess);
    std::printf("%s\n", failures ? "FAILED" : "ok");
    return failures ? 1 : 0;
}
