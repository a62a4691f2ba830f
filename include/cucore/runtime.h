/**
 * @file
 * Interoperation with the CUDA runtime (cudart) in the same process.
 *
 * Both share a device's primary context, so most objects can be passed directly. Pass a
 * cudaStream_t through cuc_stream_from_handle(), a cudaEvent_t through cuc_event_from_handle(), and
 * a pointer from cudaMalloc() through cuc_buffer_from_pointer() or straight into cuc_launch(). In
 * the other direction, use cuc_stream_handle(), cuc_event_handle() and cuc_buffer_ptr(). This
 * header has the rest. cucore itself never needs the runtime.
 */
#ifndef CUCORE_RUNTIME_H
#define CUCORE_RUNTIME_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/kernel.h>

CUC_BEGIN_DECLS

/**
 * Find a kernel that nvcc compiled into the program, by its host symbol.
 *
 * The lookup asks the runtime that the program is linked with, which must be the shared libcudart
 * (nvcc -cudart shared). The static library hides its functions: a program linked with it calls
 * cudaGetKernel() itself and passes the result to cuc_kernel_from_handle().
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    the kernel, to be released; its code is borrowed from the program
 * @param      symbol the __global__ function's address, as cudaLaunchKernel() takes it
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or symbol is not a kernel of that runtime
 * @retval CUC_ERROR_NOT_FOUND        no CUDA runtime can be found
 * @retval CUC_ERROR_NOT_SUPPORTED    the runtime is older than CUDA 12.1
 * @retval CUC_ERROR_NO_DRIVER        no driver; also CUC_ERROR_DRIVER_TOO_OLD, CUC_ERROR_FORKED
 * @source CUDA Runtime API, "Execution Control": cudaGetKernel
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_from_symbol(cuc_kernel **out, const void *symbol);

/**
 * Make a device the runtime's current device on the calling thread, like cudaSetDevice().
 *
 * The runtime and the driver share the current context, so cuc_device_set_current() serves both.
 * This function is for a program in which the runtime itself must create the primary context and
 * has not done so yet.
 *
 * @thread changes the calling thread
 * @capture safe: asks the driver in relaxed mode
 * @param device the device
 * @retval CUC_OK                  current
 * @retval CUC_ERROR_NOT_FOUND     no CUDA runtime can be found
 * @retval CUC_ERROR_TOOLKIT       the runtime refused
 * @source CUDA Runtime API, "Device Management": cudaSetDevice
 * @since 0.1
 */
CUC_API cuc_status cuc_runtime_set_device(cuc_device *device);

CUC_END_DECLS

#endif
