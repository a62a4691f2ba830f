// A do-nothing driver: every function returns 0 at once, and the few that must return something
// give a constant or a new handle. A program's time is then its own plus the time of the library
// above the driver. cuda.core can run on it too, through a link libcuda.so.1.
#include "base/array.h"
#include "driver/cuda_abi.h"

#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int cucoreSimulatedDriver = 1; // accepts PTX
EXPORT CUresult cuDriverGetVersion(int *version);
EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                                    int *status);

static char thing[8]; // target of every handle
static char kernels[6];
static CUstreamCaptureStatus capturing;
static uintptr_t last = 0x100000; // last handle or address: distinct objects get distinct numbers

// Functions that must return a value; the list at the end of the file defines all others.
#define GIVES(name, params, ...)       \
    static CUresult null_##name params \
    {                                  \
        __VA_ARGS__;                   \
        return 0;                      \
    }
#define HANDLE(type) ((type)(void *)thing)
#define NEW(type) ((type)(last += 0x1000))

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
      (void)priority, *stream = NEW(CUstream))
GIVES(cuStreamGetCtx, (CUstream stream, CUcontext *context), (void)stream,
      *context = HANDLE(CUcontext))
GIVES(cuStreamGetPriority, (CUstream stream, int *priority), (void)stream, *priority = 0)
GIVES(cuStreamGetFlags, (CUstream stream, unsigned *flags), (void)stream, *flags = 1)
GIVES(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus *status), (void)stream,
      *status = capturing)
GIVES(cuStreamBeginCapture, (CUstream stream, CUstreamCaptureMode mode), (void)stream, (void)mode,
      capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE)
GIVES(cuStreamEndCapture, (CUstream stream, CUgraph *graph), (void)stream, *graph = NEW(CUgraph),
      capturing = CU_STREAM_CAPTURE_STATUS_NONE)
GIVES(cuGraphCreate, (CUgraph * graph, unsigned flags), (void)flags, *graph = NEW(CUgraph))
GIVES(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
      (void)graph, (void)flags, *exec = NEW(CUgraphExec))
GIVES(cuGraphInstantiateWithParams,
      (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params), (void)graph,
      params->result_out = 0, *exec = NEW(CUgraphExec))
GIVES(cuGraphGetNodes, (CUgraph graph, CUgraphNode *nodes, size_t *count), (void)graph, (void)nodes,
      *count = 0)
GIVES(cuEventCreate, (CUevent * event, unsigned flags), (void)flags, *event = NEW(CUevent))
GIVES(cuEventElapsedTime, (float *ms, CUevent start, CUevent end), (void)start, (void)end, *ms = 1)
GIVES(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device), (void)device,
      *pool = HANDLE(CUmemoryPool))
GIVES(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device), (void)device,
      *pool = HANDLE(CUmemoryPool))
GIVES(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *props), (void)props,
      *pool = NEW(CUmemoryPool))
GIVES(cuMemAllocFromPoolAsync,
      (CUdeviceptr * ptr, size_t bytes, CUmemoryPool pool, CUstream stream), (void)bytes,
      (void)pool, (void)stream, *ptr = NEW(CUdeviceptr))
GIVES(cuMemAllocHost, (void **host, size_t bytes), (void)bytes, *host = NEW(void *))
GIVES(cuMemHostAlloc, (void **host, size_t bytes, unsigned flags), (void)bytes, (void)flags,
      *host = NEW(void *))
GIVES(cuPointerGetAttributes,
      (unsigned count, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr), (void)ptr;
      for (unsigned i = 0; i < count; i++) if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) *
          (unsigned *)data[i] = CU_MEMORYTYPE_DEVICE)

static CUresult null_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *options,
                                       void **values, unsigned count, CUlibraryOption *more,
                                       void **more_values, unsigned more_count)
{
    (void)code, (void)options, (void)values, (void)count, (void)more, (void)more_values;
    (void)more_count;
    *library = HANDLE(CUlibrary);
    return 0;
}

// Parameter sizes of the kernels empty0, empty3 and empty16 in runtime_cases.c and of the kernels
// in bindings.py, selected by handle.
static const struct {
    const char *name, *sizes;
} known[] = {
    { "empty0", "" }, { "empty3", "484" }, { "empty16", "8888888844444444" },
    { "k0", "" },     { "k3", "884" },     { "k10", "8888444444" },
};

static CUresult null_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    (void)library;
    for (size_t i = 0; i < CUC_LENGTH(known); i++)
        if (strcmp(known[i].name, name) == 0) {
            *kernel = (CUkernel)(void *)&kernels[i];
            return 0;
        }
    return CUDA_ERROR_NOT_FOUND;
}

static CUresult null_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                                          size_t *bytes)
{
    const char *sizes = known[(const char *)kernel - kernels].sizes;
    size_t at = 0;

    if (index >= strlen(sizes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i <= index; i++) {
        *bytes = (size_t)(sizes[i] - '0');
        *offset = at = (at + *bytes - 1) / *bytes * *bytes;
        at += *bytes;
    }
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
    ROW(cuStreamGetCtx),
    ROW(cuStreamGetPriority),
    ROW(cuStreamGetFlags),
    ROW(cuStreamIsCapturing),
    ROW(cuStreamBeginCapture),
    ROW(cuStreamEndCapture),
    ROW(cuGraphCreate),
    ROW(cuGraphInstantiateWithFlags),
    ROW(cuGraphInstantiateWithParams),
    ROW(cuGraphGetNodes),
    ROW(cuEventCreate),
    ROW(cuEventElapsedTime),
    ROW(cuDeviceGetDefaultMemPool),
    ROW(cuDeviceGetMemPool),
    ROW(cuMemPoolCreate),
    ROW(cuMemAllocFromPoolAsync),
    ROW(cuMemAllocHost),
    ROW(cuMemHostAlloc),
    ROW(cuPointerGetAttributes),
    ROW(cuLibraryLoadData),
    ROW(cuLibraryGetKernel),
    ROW(cuKernelGetParamInfo),
    ROW(cuKernelGetAttribute),
};

CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                             int *status)
{
    // In every C ABI that we support, calling a function with more arguments than it takes is safe,
    // because the caller owns the arguments.
    void (*fn)(void) = (void (*)(void))nothing;

    (void)version, (void)flags, (void)status;
    for (size_t i = 0; i < CUC_LENGTH(table); i++)
        if (strcmp(table[i].name, symbol) == 0)
            fn = table[i].fn;
    memcpy(out, &fn, sizeof(fn));
    return 0;
}
