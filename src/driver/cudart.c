#include "cudart.h"

#include "base/array.h"

// Codes that cudart_abi.h does not name have their values from driver_types.h.
static const cuc__toolkit_status statuses[] = {
    { cudaErrorInvalidValue, CUC_ERROR_INVALID_ARGUMENT },
    { cudaErrorMemoryAllocation, CUC_ERROR_OUT_OF_DEVICE_MEMORY },
    { 35 /* cudaErrorInsufficientDriver */, CUC_ERROR_DRIVER_TOO_OLD },
    { cudaErrorInvalidDeviceFunction, CUC_ERROR_NOT_FOUND },
    { cudaErrorNoDevice, CUC_ERROR_NO_DEVICE },
    { 801 /* cudaErrorNotSupported */, CUC_ERROR_NOT_SUPPORTED },
};

static int library_version(void)
{
    int v = 0;

    return cuc__cudart.cudaRuntimeGetVersion(&v) ? 0 : v;
}

static const cuc__toolkit_function functions[] = {
#define CUDART(name, version, params, args) { #name, version },
#include "cudart.def"
#undef CUDART
};

const cuc__toolkit cuc__cudart_toolkit = {
    .name = "cudart",
    .title = "the CUDA runtime",
    .library = CUC_LIBRARY_RUNTIME,
    .version = library_version,
    .functions = functions,
    .function_count = CUC_LENGTH(functions),
    .statuses = statuses,
    .status_count = CUC_LENGTH(statuses),
};

#define CUDART(name, version, params, args) \
    CUC__TOOLKIT_STUB(cuc__cudart_toolkit, cuc__cudart, cudaError_t, name, params, args)
#include "cudart.def"
#undef CUDART

struct cuc__cudart_table cuc__cudart = {
#define CUDART(name, version, params, args) .name = stub_##name,
#include "cudart.def"
#undef CUDART
};
