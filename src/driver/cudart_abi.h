// The binary interface of the CUDA runtime, what it takes to meet a program that uses it: its
// streams, events and kernels are the driver's under other names. How these declarations are made
// and checked is said in cuda_abi.h.
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

// The numbers are the runtime's own; some agree with CUresult, most do not.
typedef int cudaError_t;
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorNotReady = 600,
};

// A real enumeration: the runtime's header has no name without `enum` for it in C.
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
