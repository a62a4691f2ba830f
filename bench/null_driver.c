// A driver that does nothing: every function of cu.def returns 0 at once, and the few that must
// give something back give the same each time. What a program then spends is its own and cucore's.
#include "driver/cuda_abi.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cucoreSimulatedDriver = 1; // takes PTX
EXPORT CUresult cuDriverGetVersion(int *version);
EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                                    int *status);

static char thing[8]; // what every handle points to
static char kernels[3];

// Functions that must give something back; the rest come from the list at the end.
#define GIVES(name, params, ...)       \
    static CUresult null_##name params \
    {                                  \
        __VA_ARGS__;                   \
        return 0;                      \
    }
#define HANDLE(type) ((type)(void *)thing)

GIVES(cuDeviceGetCount, (int *count), *count = 1)
GIVES(cuDeviceGet, (CUdevice * device, int ordinal), *device = ordinal)
GIVES(cuDeviceGetName, (char *name, int size, CUdevice device), (void)device,
      snprintf(name, (size_t)size, "a driver that does nothing"))
GIVES(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), (void)device, memset(uuid, 1, 16))
GIVES(cuDeviceGetPCIBusId, (char *id, int size, CUdevice device), (void)device,
      snprintf(id, (size_t)size, "0000:00:00.0"))
GIVES(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device),
      (void)device,
      *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
               : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                           : 1024)
GIVES(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device), (void)device,
      *context = HANDLE(CUcontext))
GIVES(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active), (void)device,
      *flags = 0, *active = 1)
GIVES(cuCtxGetCurrent, (CUcontext * context), *context = HANDLE(CUcontext))
GIVES(cuCtxGetDevice, (CUdevice * device), *device = 0)
GIVES(cuCtxPopCurrent, (CUcontext * context), *context = HANDLE(CUcontext))
GIVES(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority), (void)flags,
      (void)priority, *stream = HANDLE(CUstream))
GIVES(cuEventCreate, (CUevent * event, unsigned flags), (void)flags, *event = HANDLE(CUevent))
GIVES(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device), (void)device,
      *pool = HANDLE(CUmemoryPool))
GIVES(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), (void)device,
      *pool = HANDLE(CUmemoryPool))
GIVES(cuMemAllocFromPoolAsync,
      (CUdeviceptr * ptr, size_t bytes, CUmemoryPool pool, CUstream stream), (void)bytes,
      (void)pool, (void)stream, *ptr = 4096)

static CUresult null_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options,
                                       void **values, unsigned count, CUlibraryOption *more,
                                       void **more_values, unsigned more_count)
{
    (void)code, (void)options, (void)values, (void)count, (void)more, (void)more_values;
    (void)more_count;
    *library = HANDLE(CUlibrary);
    return 0;
}

// empty0, empty3 and empty16 of runtime_cases.c, told apart by their handle.
static CUresult null_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    (void)library;
    size_t at = strcmp(name, "empty0") == 0 ? 0 : strcmp(name, "empty3") == 0 ? 1 : 2;
    *kernel = (CUkernel)(void *)&kernels[at];
    return 0;
}

static CUresult null_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                                          size_t *bytes)
{
    static const char *const sizes[] = { "", "484", "8888888844444444" };
    static const char *const offsets[] = {
        "", "\0\10\20", "\0\10\20\30\40\50\60\70\100\104\110\114\120\124\130\134"
    };
    const char *which = (const char *)kernel;
    size_t at = which == &kernels[0] ? 0 : which == &kernels[1] ? 1 : 2;

    if (index >= strlen(sizes[at]))
        return CUDA_ERROR_INVALID_VALUE;
    *offset = (size_t)offsets[at][index];
    *bytes = (size_t)(sizes[at][index] - '0');
    return 0;
}

static CUresult null_cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                                          CUkernel kernel, CUdevice device)
{
    (void)kernel, (void)device;
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return 0;
}

static CUresult nothing(void)
{
    return 0;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

#define ROW(name)                          \
    {                                      \
#name, (void (*)(void))null_##name \
    }
static const struct {
    const char *name;
    void (*fn)(void);
} table[] = {
    ROW(cuDeviceGetCount),
    ROW(cuDeviceGet),
    ROW(cuDeviceGetName),
    ROW(cuDeviceGetUuid),
    ROW(cuDeviceGetPCIBusId),
    ROW(cuDeviceGetAttribute),
    ROW(cuDevicePrimaryCtxRetain),
    ROW(cuDevicePrimaryCtxGetState),
    ROW(cuCtxGetCurrent),
    ROW(cuCtxGetDevice),
    ROW(cuCtxPopCurrent),
    ROW(cuStreamCreateWithPriority),
    ROW(cuEventCreate),
    ROW(cuDeviceGetDefaultMemPool),
    ROW(cuDeviceGetMemPool),
    ROW(cuMemAllocFromPoolAsync),
    ROW(cuLibraryLoadData),
    ROW(cuLibraryGetKernel),
    ROW(cuKernelGetParamInfo),
    ROW(cuKernelGetAttribute),
};

CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                             int *status)
{
    // A call with more arguments than the function has is well defined in every C ABI we run on:
    // the caller keeps them.
    void (*fn)(void) = (void (*)(void))nothing;

    (void)version, (void)flags, (void)status;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (strcmp(table[i].name, symbol) == 0)
            fn = table[i].fn;
    memcpy(out, &fn, sizeof(fn));
    return 0;
}
