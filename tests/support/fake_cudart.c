// A minimal CUDA runtime for tests on machines without one. One kernel can be found by one host
// symbol, devices 0 and 1 can be selected, memory comes from the fake driver, and the last error is
// kept as in the runtime.
#include "driver/cudart_abi.h"

#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

static const void *known_symbol;
static cudaKernel_t known_kernel;
static cudaError_t last_error;
static int current_device = -1;

EXPORT void fake_cudart_set_kernel(const void *symbol, void *kernel);
EXPORT int fake_cudart_device(void);
EXPORT int fake_cudart_last_error(void);
EXPORT cudaError_t cudaRuntimeGetVersion(int *version);
EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol);
EXPORT cudaError_t cudaGetLastError(void);
EXPORT cudaError_t cudaSetDevice(int device);

void fake_cudart_set_kernel(const void *symbol, void *kernel)
{
    known_symbol = symbol;
    known_kernel = kernel;
}

int fake_cudart_device(void)
{
    return current_device;
}

int fake_cudart_last_error(void)
{
    return last_error;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    if (symbol != known_symbol)
        return last_error = cudaErrorInvalidDeviceFunction;
    *kernel = known_kernel;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = last_error;

    last_error = cudaSuccess;
    return e;
}

cudaError_t cudaSetDevice(int device)
{
    if (device > 1)
        return last_error = 101; // cudaErrorInvalidDevice
    current_device = device;
    return cudaSuccess;
}
