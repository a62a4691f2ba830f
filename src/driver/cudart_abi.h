// The parts of the CUDA runtime's binary interface that programs using it need. The runtime's
// streams, events and kernels are the driver's under other names. cuda_abi.h explains where such
// declarations come from and which test checks them.
#ifndef CUCORE_DRIVER_CUDART_ABI_H
#define CUCORE_DRIVER_CUDART_ABI_H

#ifdef CUDART_VERSION
#error "cuda_runtime_api.h and cudart_abi.h declare the same names: include one of them"
#endif

#include "cuda_abi.h"

typedef CUstream cudaStream_t;
typedef CUevent cudaEvent_t;
typedef CUfunction cudaFunction_t;
typedef CUkernel cudaKernel_t;

// The runtime's own values; a few agree with CUresult, most do not.
typedef int cudaError_t;
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorNotReady = 600,
};

// A real enumeration, because C code can name this type of the runtime's header only with `enum`.
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4,
};

enum {
    cudaStreamDefault = 0x0,
    cudaStreamNonBlocking = 0x1,
};

enum {
    cudaEventDefault = 0x0,
    cudaEventBlockingSync = 0x1,
    cudaEventDisableTiming = 0x2,
};

#endif
