// Variants of other calls: older signatures, and synchronous forms.
#include "base/array.h"
#include "shell.h"

#include <string.h>

// Launches.

CUresult sim_cuLaunchKernel(CUfunction func, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, CUstream stream, void **params, void **extra)
{
    const CUlaunchConfig config = { .gridDimX = grid_x,
                                    .gridDimY = grid_y,
                                    .gridDimZ = grid_z,
                                    .blockDimX = block_x,
                                    .blockDimY = block_y,
                                    .blockDimZ = block_z,
                                    .sharedMemBytes = shared_bytes,
                                    .hStream = stream };

    return sim_cuLaunchKernelEx(&config, func, params, extra);
}

CUresult sim_cuLaunchCooperativeKernel(CUfunction func, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned shared_bytes, CUstream stream,
                                       void **params)
{
    CUlaunchAttribute cooperative = { .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                      .value = { .cooperative = 1 } };
    const CUlaunchConfig config = { .gridDimX = grid_x,
                                    .gridDimY = grid_y,
                                    .gridDimZ = grid_z,
                                    .blockDimX = block_x,
                                    .blockDimY = block_y,
                                    .blockDimZ = block_z,
                                    .sharedMemBytes = shared_bytes,
                                    .hStream = stream,
                                    .attrs = &cooperative,
                                    .numAttrs = 1 };

    return sim_cuLaunchKernelEx(&config, func, params, NULL);
}

// Copies whose signature says that one end is on the device. They check this.

static CUresult device_end(CUdeviceptr ptr)
{
    return !ptr || sim_in_arena(ptr) || sim_find(ptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult sim_cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
    CUresult code = device_end(dst);

    return code ? code : sim_cuMemcpy(dst, (CUdeviceptr)(uintptr_t)src, bytes);
}

CUresult sim_cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
    CUresult code = device_end(src);

    return code ? code : sim_cuMemcpy((CUdeviceptr)(uintptr_t)dst, src, bytes);
}

CUresult sim_cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    CUresult code = device_end(dst);

    if (!code)
        code = device_end(src);
    return code ? code : sim_cuMemcpy(dst, src, bytes);
}

CUresult sim_cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
    CUresult code = device_end(dst);

    return code ? code : sim_cuMemcpyAsync(dst, (CUdeviceptr)(uintptr_t)src, bytes, stream);
}

CUresult sim_cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CUresult code = device_end(src);

    return code ? code : sim_cuMemcpyAsync((CUdeviceptr)(uintptr_t)dst, src, bytes, stream);
}

CUresult sim_cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    CUresult code = device_end(dst);

    if (!code)
        code = device_end(src);
    return code ? code : sim_cuMemcpyAsync(dst, src, bytes, stream);
}

// Waits until the submitted work is complete.
static CUresult wait_for(CUresult code)
{
    return code ? code : sim_cuStreamSynchronize(NULL);
}

CUresult sim_cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx,
                          size_t bytes)
{
    return wait_for(sim_cuMemcpyPeerAsync(dst, dst_ctx, src, src_ctx, bytes, NULL));
}

CUresult sim_cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
    return wait_for(sim_cuMemcpy2DAsync(copy, NULL));
}

CUresult sim_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
    return wait_for(sim_cuMemcpy2DAsync(copy, NULL));
}

CUresult sim_cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
    return wait_for(sim_cuMemcpy3DAsync(copy, NULL));
}

CUresult sim_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
    return wait_for(sim_cuMemcpy3DPeerAsync(copy, NULL));
}

// Fills.

CUresult sim_cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t count)
{
    return wait_for(sim_cuMemsetD8Async(dst, value, count, NULL));
}

CUresult sim_cuMemsetD16_v2(CUdeviceptr dst, unsigned short value, size_t count)
{
    return wait_for(sim_cuMemsetD16Async(dst, value, count, NULL));
}

CUresult sim_cuMemsetD32_v2(CUdeviceptr dst, unsigned value, size_t count)
{
    return wait_for(sim_cuMemsetD32Async(dst, value, count, NULL));
}

CUresult sim_cuMemsetD2D8_v2(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                             size_t height)
{
    return wait_for(sim_cuMemsetD2D8Async(dst, pitch, value, width, height, NULL));
}

CUresult sim_cuMemsetD2D16_v2(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                              size_t height)
{
    return wait_for(sim_cuMemsetD2D16Async(dst, pitch, value, width, height, NULL));
}

CUresult sim_cuMemsetD2D32_v2(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                              size_t height)
{
    return wait_for(sim_cuMemsetD2D32Async(dst, pitch, value, width, height, NULL));
}

// Calls for managed memory that take a device instead of a location

static CUmemLocation location_of(CUdevice device)
{
    return device == CU_DEVICE_CPU
               ? (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_HOST }
               : (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device };
}

CUresult sim_cuMemPrefetchAsync_v1(CUdeviceptr ptr, size_t bytes, CUdevice device, CUstream stream)
{
    return sim_cuMemPrefetchAsync(ptr, bytes, location_of(device), 0, stream);
}

CUresult sim_cuMemAdvise_v1(CUdeviceptr ptr, size_t bytes, CUmem_advise advice, CUdevice device)
{
    return sim_cuMemAdvise(ptr, bytes, advice, location_of(device));
}

// Devices and streams.

// Returns the two export tables that NVRTC requests from libcuda.so.1 and uses without checks. A
// table begins with its size in bytes, and NVRTC ignores a table that contains nothing else. Other
// tables, such as those of the CUDA runtime, do not exist here.
CUresult sim_cuGetExportTable(const void **table, const CUuuid *id)
{
    static const uint64_t empty[1] = { sizeof(uint64_t) };
    static const unsigned char known[][16] = {
        { 0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41, 0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3,
          0x28 },
        { 0x17, 0x34, 0xdc, 0x26, 0x80, 0x0d, 0x47, 0x45, 0x87, 0x26, 0xc0, 0xf1, 0xe7, 0xdd, 0x8b,
          0xca },
    };

    if (!table || !id)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    for (size_t i = 0; i < CUC_LENGTH(known); i++)
        if (memcmp(id, known[i], sizeof(known[i])) == 0)
            *table = empty;
    return *table ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult sim_cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    SIM_NEED(major && minor, dev);
    *major = sim_attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = sim_attribute(dev, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCtx_v2(CUstream stream, CUcontext *ctx, CUgreenCtx *green)
{
    CUresult code = green ? sim_cuStreamGetCtx(stream, ctx) : CUDA_ERROR_INVALID_VALUE;

    return code ? code : sim_cuStreamGetGreenCtx(stream, green);
}

CUresult sim_cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id,
                                       CUgraph *graph, const CUgraphNode **dependencies,
                                       size_t *dependency_count)
{
    return sim_cuStreamGetCaptureInfo(stream, status, id, graph, dependencies, NULL,
                                      dependency_count);
}

CUresult sim_cuStreamUpdateCaptureDependencies_v1(CUstream stream, CUgraphNode *dependencies,
                                                  size_t dependency_count, unsigned flags)
{
    return sim_cuStreamUpdateCaptureDependencies(stream, dependencies, NULL, dependency_count,
                                                 flags);
}

CUresult sim_cuProfilerStart(void)
{
    return CUDA_SUCCESS;
}

CUresult sim_cuProfilerStop(void)
{
    return CUDA_SUCCESS;
}
