// Calls that allocate, free and register memory.
#include "shell.h"

// Device memory.

CUresult sim_cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    const struct device *d = &sim.devices[sim_current()->device];

    if (!free_bytes || !total_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    *free_bytes = d->total > d->used ? d->total - d->used : 0;
    *total_bytes = d->total;
    return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *out, size_t bytes, enum memory memory, unsigned flags)
{
    struct context *c = sim_current();

    if (!out || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *a = sim_allocate(bytes, memory, c->device);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    a->context = c;
    a->flags = flags;
    if (memory == MEMORY_DEVICE)
        sim_note_allocated(a->base, bytes);
    *out = a->base;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemAlloc(CUdeviceptr *ptr, size_t bytes)
{
    return allocate(ptr, bytes, MEMORY_DEVICE, 0);
}

CUresult sim_cuMemAllocPitch(CUdeviceptr *ptr, size_t *pitch, size_t width_bytes, size_t height,
                             unsigned element_bytes)
{
    size_t row = sim_round_up(width_bytes, 512);

    if (!ptr || !pitch || !width_bytes || !height || row < width_bytes ||
        (element_bytes != 4 && element_bytes != 8 && element_bytes != 16))
        return CUDA_ERROR_INVALID_VALUE;
    if (row > SIZE_MAX / height)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult code = allocate(ptr, row * height, MEMORY_DEVICE, 0);
    if (!code)
        *pitch = row;
    return code;
}

CUresult sim_cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned flags)
{
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (!sim_attribute(sim_current()->device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;
    return allocate(ptr, bytes, MEMORY_MANAGED, flags);
}

// Frees memory after waiting for the device's work, as the driver does. Tests may rely on the wait.
static CUresult free_now(CUdeviceptr ptr, const char *by)
{
    CUresult code = sim_drain_context(sim_current());

    if (code)
        return code;
    struct allocation *a = sim_find(ptr);
    if (!a || a->base != ptr || a->freeing || (a->graph && !a->graph->launched))
        return CUDA_ERROR_INVALID_VALUE;
    if (a->graph) { // graph memory that the last launch left allocated
        a->graph->launched = false;
        sim_graph_memory_sleep(a, by);
        sim_graph_memory_retain(a);
        sim_graph_memory_drop(a);
    } else {
        sim_free(a, by);
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuMemFree(CUdeviceptr ptr)
{
    const struct allocation *a = sim_find(ptr);

    if (!ptr)
        return CUDA_SUCCESS;
    if (!a || a->base != ptr || a->freeing || a->virtual ||
        (a->memory != MEMORY_DEVICE && a->memory != MEMORY_MANAGED && a->memory != MEMORY_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    return free_now(ptr, "cuMemFree");
}

CUresult sim_cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr ptr)
{
    const struct allocation *a = sim_find(ptr);

    if (!a || a->freeing)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = a->base;
    if (size)
        *size = a->bytes;
    return CUDA_SUCCESS;
}

// Host memory.

CUresult sim_cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                           CU_MEMHOSTALLOC_WRITECOMBINED;
    CUdeviceptr p;

    if (!host || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = allocate(&p, bytes, MEMORY_HOST, flags);
    if (!code)
        *host = (void *)(uintptr_t)p;
    return code;
}

CUresult sim_cuMemAllocHost(void **host, size_t bytes)
{
    return sim_cuMemHostAlloc(host, bytes, 0);
}

static struct allocation *host_memory(const void *host)
{
    struct allocation *a = sim_find((CUdeviceptr)(uintptr_t)host);

    return a && (a->memory == MEMORY_HOST || a->memory == MEMORY_REGISTERED) ? a : NULL;
}

CUresult sim_cuMemFreeHost(void *host)
{
    const struct allocation *a = host_memory(host);

    if (!host)
        return CUDA_SUCCESS;
    if (!a || a->memory != MEMORY_HOST || a->virtual || a->base != (CUdeviceptr)(uintptr_t)host)
        return CUDA_ERROR_INVALID_VALUE;
    return free_now(a->base, "cuMemFreeHost");
}

CUresult sim_cuMemHostGetDevicePointer(CUdeviceptr *ptr, void *host, unsigned flags)
{
    if (!ptr || flags || !host_memory(host))
        return CUDA_ERROR_INVALID_VALUE;
    *ptr = (CUdeviceptr)(uintptr_t)host;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemHostGetFlags(unsigned *flags, void *host)
{
    const struct allocation *a = host_memory(host);

    if (!flags || !a)
        return CUDA_ERROR_INVALID_VALUE;
    // With unified addressing, all host memory is portable and mapped.
    *flags = a->flags | CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemHostRegister(void *host, size_t bytes, unsigned flags)
{
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                           CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    CUdeviceptr base = (CUdeviceptr)(uintptr_t)host;
    struct context *c = sim_current();

    if (!host || !bytes || flags & ~known || base + bytes < base)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_MEMHOSTREGISTER_READ_ONLY &&
        !sim_attribute(c->device, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (sim_in_arena(base) || !sim_mapped(base, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *a = sim_note_registered(base, bytes, c->device);
    if (!a)
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    a->context = c;
    a->flags = flags;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemHostUnregister(void *host)
{
    struct allocation *a = host_memory(host);

    if (!host)
        return CUDA_ERROR_INVALID_VALUE;
    if (!a || a->memory != MEMORY_REGISTERED || a->base != (CUdeviceptr)(uintptr_t)host)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    sim_free(a, "cuMemHostUnregister");
    return CUDA_SUCCESS;
}
