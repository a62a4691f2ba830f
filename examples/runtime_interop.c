// Uses the CUDA runtime and cucore in one program: a kernel from nvcc, memory from cudaMalloc, and
// each side's streams and events on the other side. Both use the device's primary context, so
// nothing is copied.
#include <cuda_runtime_api.h>

#include "example.h"

enum { N = 1 << 16, BYTES = N * (int)sizeof(float) };

extern const void *scale_symbol(void);

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "CUDA runtime: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void free_cuda(void *memory)
{
    check_cuda(cudaFree(memory));
}

int main(void)
{
    static float data[N];
    cuc_device *device = example_device();
    cuc_stream *theirs, *ours;
    cuc_event *event;
    cuc_kernel *kernel;
    cuc_buffer *buffer;
    cudaStream_t runtime_stream;
    cudaEvent_t runtime_event;
    void *memory;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    // On the runtime's side: memory, a stream, and an event after a copy.
    check_cuda(cudaSetDevice(cuc_device_ordinal(device)));
    check_cuda(cudaMalloc(&memory, BYTES));
    check_cuda(cudaStreamCreate(&runtime_stream));
    check_cuda(cudaEventCreateWithFlags(&runtime_event, cudaEventDisableTiming));
    check_cuda(cudaMemcpyAsync(memory, data, BYTES, cudaMemcpyHostToDevice, runtime_stream));
    check_cuda(cudaEventRecord(runtime_event, runtime_stream));

    // Import into cucore. The buffer is released with cudaFree; everything else is borrowed, in the
    // current context.
    CUC_MUST(cuc_buffer_from_pointer(&buffer, (cuc_device_ptr)(uintptr_t)memory, BYTES,
                                     CUC_BUFFER_OPTIONS(.owner = memory, .drop_owner = free_cuda)));
    CUC_MUST(cuc_stream_from_handle(&theirs, runtime_stream, NULL, NULL));
    CUC_MUST(cuc_event_from_handle(&event, runtime_event, NULL, 0));
    CUC_MUST(cuc_kernel_from_symbol(&kernel, scale_symbol()));

    const cuc_launch_config *config = CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 });
    CUC_MUST(cuc_stream_create(&ours, device, NULL));
    CUC_MUST(cuc_stream_wait_event(ours, event)); // waits for the runtime's copy
    CUC_MUST(CUC_LAUNCH(ours, config, kernel, buffer, 3.0f, N));
    CUC_MUST(cuc_stream_wait_stream(theirs, ours));
    CUC_MUST(CUC_LAUNCH(theirs, config, kernel, buffer, 2.0f, N));

    // Use cucore's stream directly in the runtime.
    CUC_MUST(cuc_stream_wait_stream(ours, theirs));
    check_cuda(cudaMemcpyAsync(data, (void *)(uintptr_t)cuc_buffer_ptr(buffer), BYTES,
                               cudaMemcpyDeviceToHost, (cudaStream_t)cuc_stream_handle(ours)));
    check_cuda(cudaStreamSynchronize((cudaStream_t)cuc_stream_handle(ours)));
    for (int i = 0; i < N; i++)
        wrong += data[i] != 6.0f * (float)i;
    printf("%s, compiled by nvcc, launched by cucore: %d wrong\n", cuc_kernel_symbol(kernel),
           wrong);

    cuc_kernel_release(kernel);
    cuc_buffer_release(buffer);
    cuc_event_release(event);
    cuc_stream_release(theirs);
    cuc_stream_release(ours);
    check_cuda(cudaEventDestroy(runtime_event));
    check_cuda(cudaStreamDestroy(runtime_stream));
    return wrong != 0;
}
