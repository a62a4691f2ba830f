#include <cucore/runtime.h>

#include "device/failure.h"
#include "driver/cudart.h"
#include "driver/driver.h"
#include "base/handle.h"
#include "driver/relaxed.h"

cuc_status cuc_kernel_from_symbol(cuc_kernel **out, const void *symbol)
{
    cudaKernel_t kernel = NULL;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(symbol);
    cuc_status st = cuc__driver_init(__func__);
    if (st < 0)
        return st;
    cudaError_t e; // if this call starts the runtime, the runtime may load its modules
    CUC_RELAXED(e, cuc__cudart.cudaGetKernel(&kernel, symbol));
    if (e == cudaErrorInvalidDeviceFunction || e == cudaErrorInvalidValue) {
        // Clear the runtime's last error, or the program would find it later.
        (void)cuc__cudart.cudaGetLastError();
        return CUC_FAIL(
            CUC_ERROR_INVALID_ARGUMENT,
            "symbol %p is not a kernel of this process's CUDA runtime: pass the address of a "
            "__global__ function, and link the program with the shared runtime (nvcc -cudart "
            "shared), or call cudaGetKernel() yourself and use cuc_kernel_from_handle()",
            symbol);
    }
    if (e)
        return cuc__fail_runtime(e, __func__, "cudaGetKernel", NULL,
                                 "looking for the kernel of host symbol %p", symbol);
    return CUC_PASS(cuc_kernel_from_handle(out, kernel, NULL));
}

cuc_status cuc_runtime_set_device(cuc_device *device)
{
    CUC_CHECK(device, DEVICE);
    cudaError_t e;
    CUC_RELAXED(e, cuc__cudart.cudaSetDevice(cuc_device_ordinal(device)));
    if (e)
        return cuc__fail_runtime(e, __func__, "cudaSetDevice", NULL, "choosing device %d",
                                 cuc_device_ordinal(device));
    return CUC_OK;
}
