// Memory: one arena of addresses that are never given out twice, so that a stale one is known.
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum {
    PAGE = 4096,
    FRESH = 0xcd, // what fresh memory is full of,
};

// as far as this: huge allocations are there to fail or to be counted, and stay untouched.
static const size_t fresh_most = (size_t)64 << 20;

static struct {
    CUdeviceptr base, next, end;
} arena;

size_t fake_round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

bool fake_in_arena(CUdeviceptr ptr)
{
    return arena.base && ptr >= arena.base && ptr < arena.end;
}

// Reserve addresses, as many as the machine lets us.
static bool arena_init(void)
{
    for (size_t bytes = (size_t)256 << 30; !arena.base && bytes >= (size_t)1 << 30; bytes /= 4) {
        void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        arena.base = arena.next = (CUdeviceptr)(uintptr_t)p;
        arena.end = arena.base + bytes;
    }
    return arena.base != 0;
}

static void *pages(size_t bytes)
{
    size_t span = fake_round_up(bytes, PAGE);

    if ((!arena.base && !arena_init()) || span + PAGE > arena.end - arena.next)
        return NULL;
    void *p = (void *)(uintptr_t)arena.next;
    if (mprotect(p, span, PROT_READ | PROT_WRITE))
        return NULL;
    arena.next += span + PAGE; // and a page that faults
    memset(p, FRESH, bytes < fresh_most ? bytes : fresh_most);
    ASAN_POISON_MEMORY_REGION((unsigned char *)p + bytes, span - bytes);
    return p;
}

static void unmap(CUdeviceptr base, size_t bytes)
{
    void *p = (void *)(uintptr_t)base;
    size_t span = fake_round_up(bytes, PAGE);

    // The addresses stay ours, the memory goes.
    if (mmap(p, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        fake_bug("memory cannot be given back", "mmap");
}

// The table of allocations, by address.

static size_t position(CUdeviceptr base)
{
    size_t low = 0, high = fake.allocation_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (fake.allocations[middle]->base <= base)
            low = middle + 1;
        else
            high = middle;
    }
    return low; // of the first one above
}

struct allocation *fake_find(CUdeviceptr ptr)
{
    size_t at = position(ptr);
    struct allocation *a = at ? fake.allocations[at - 1] : NULL;

    return a && ptr - a->base < a->bytes ? a : NULL;
}

static struct allocation *enter(CUdeviceptr base, size_t bytes, enum memory memory, int device)
{
    struct allocation *a = fake_alloc(sizeof(*a));
    size_t at = position(base);

    a->base = base;
    a->bytes = bytes;
    a->memory = memory;
    a->device = device;
    a->id = ++fake.serial;
    a->preferred.type = a->prefetched.type = CU_MEM_LOCATION_TYPE_INVALID;
    if (fake.allocation_count == fake.allocation_room) {
        size_t room = fake.allocation_room ? 2 * fake.allocation_room : 64;
        struct allocation **grown = fake_alloc(room * sizeof(struct allocation *));
        if (fake.allocation_count)
            memcpy(grown, fake.allocations, fake.allocation_count * sizeof(*grown));
        free(fake.allocations);
        fake.allocations = grown;
        fake.allocation_room = room;
    }
    memmove(fake.allocations + at + 1, fake.allocations + at,
            (fake.allocation_count - at) * sizeof(*fake.allocations));
    fake.allocations[at] = a;
    fake.allocation_count++;
    return a;
}

// What counts against a device's memory outside of pools.
static bool on_device(enum memory memory)
{
    return memory == MEMORY_DEVICE || memory == MEMORY_MANAGED || memory == MEMORY_VARIABLE;
}

struct allocation *fake_allocate(size_t bytes, enum memory memory, int device)
{
    struct device *d = &fake.devices[device];

    if (on_device(memory) && (bytes > d->total || d->used > d->total - bytes))
        return NULL;
    void *p = pages(bytes);
    if (!p)
        return NULL;
    if (on_device(memory))
        d->used += bytes;
    return enter((CUdeviceptr)(uintptr_t)p, bytes, memory, device);
}

void fake_free(struct allocation *a)
{
    size_t at = position(a->base) - 1;

    fake.allocation_count--;
    memmove(fake.allocations + at, fake.allocations + at + 1,
            (fake.allocation_count - at) * sizeof(*fake.allocations));
    if (on_device(a->memory))
        fake.devices[a->device].used -= a->bytes;
    if (a->pool)
        fake_pool_give_back(a->pool, a->bytes);
    if (a->memory != MEMORY_REGISTERED)
        unmap(a->base, a->bytes);
    free(a);
}

void fake_memory_of_context_end(struct context *context)
{
    size_t i = fake.allocation_count;

    while (i--)
        if (fake.allocations[i]->context == context)
            fake_free(fake.allocations[i]);
}

// Host addresses of this process that nobody mapped must not crash the test, but fail as a GPU
// does.
static bool mapped(CUdeviceptr ptr, size_t bytes)
{
    uintptr_t first = (uintptr_t)ptr & ~(uintptr_t)(PAGE - 1);
    uintptr_t last = ((uintptr_t)ptr + bytes - 1) & ~(uintptr_t)(PAGE - 1);

    unsigned char resident;

    return mincore((void *)first, PAGE, &resident) == 0 &&
           mincore((void *)last, PAGE, &resident) == 0;
}

CUresult fake_check_range(CUdeviceptr ptr, size_t bytes, bool in_turn)
{
    if (!bytes)
        return CUDA_SUCCESS;
    const struct allocation *a = fake_find(ptr);
    bool good = a ? (in_turn || !a->freeing) && bytes <= a->base + a->bytes - ptr
                  : !fake_in_arena(ptr) && mapped(ptr, bytes);
    // Host memory of which a part is registered is host memory all the same.
    if (a && a->memory == MEMORY_REGISTERED && !good)
        good = mapped(ptr, bytes);
    return good ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

int ctl_allocated(CUdeviceptr ptr)
{
    fake_lock();
    const struct allocation *a = fake_find(ptr);
    bool yes = a && !a->freeing && a->memory != MEMORY_REGISTERED;
    fake_unlock();
    return yes;
}

// Device memory.

CUresult fake_cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    const struct device *d = &fake.devices[fake_current()->device];

    if (!free_bytes || !total_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    *free_bytes = d->total > d->used ? d->total - d->used : 0;
    *total_bytes = d->total;
    return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *out, size_t bytes, enum memory memory, unsigned flags)
{
    struct context *c = fake_current();

    if (!out || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *a = fake_allocate(bytes, memory, c->device);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    a->context = c;
    a->flags = flags;
    *out = a->base;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemAlloc(CUdeviceptr *ptr, size_t bytes)
{
    return allocate(ptr, bytes, MEMORY_DEVICE, 0);
}

CUresult fake_cuMemAllocPitch(CUdeviceptr *ptr, size_t *pitch, size_t width_bytes, size_t height,
                              unsigned element_bytes)
{
    size_t row = fake_round_up(width_bytes, 512);

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

CUresult fake_cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned flags)
{
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (!fake_attribute(fake_current()->device, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY))
        return CUDA_ERROR_NOT_SUPPORTED;
    return allocate(ptr, bytes, MEMORY_MANAGED, flags);
}

// A free waits for the work of the device: so it is with the driver, and tests may rely on it.
static CUresult free_now(CUdeviceptr ptr)
{
    CUresult code = fake_drain_context(fake_current());

    if (code)
        return code;
    struct allocation *a = fake_find(ptr);
    if (!a || a->base != ptr || a->freeing)
        return CUDA_ERROR_INVALID_VALUE;
    fake_free(a);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemFree(CUdeviceptr ptr)
{
    const struct allocation *a = fake_find(ptr);

    if (!ptr)
        return CUDA_SUCCESS;
    if (!a || a->base != ptr || a->freeing ||
        (a->memory != MEMORY_DEVICE && a->memory != MEMORY_MANAGED && a->memory != MEMORY_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    return free_now(ptr);
}

CUresult fake_cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr ptr)
{
    const struct allocation *a = fake_find(ptr);

    if (!a || a->freeing)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = a->base;
    if (size)
        *size = a->bytes;
    return CUDA_SUCCESS;
}

// Host memory.

CUresult fake_cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
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

CUresult fake_cuMemAllocHost(void **host, size_t bytes)
{
    return fake_cuMemHostAlloc(host, bytes, 0);
}

static struct allocation *host_memory(const void *host)
{
    struct allocation *a = fake_find((CUdeviceptr)(uintptr_t)host);

    return a && (a->memory == MEMORY_HOST || a->memory == MEMORY_REGISTERED) ? a : NULL;
}

CUresult fake_cuMemFreeHost(void *host)
{
    const struct allocation *a = host_memory(host);

    if (!host)
        return CUDA_SUCCESS;
    if (!a || a->memory != MEMORY_HOST || a->base != (CUdeviceptr)(uintptr_t)host)
        return CUDA_ERROR_INVALID_VALUE;
    return free_now(a->base);
}

CUresult fake_cuMemHostGetDevicePointer(CUdeviceptr *ptr, void *host, unsigned flags)
{
    if (!ptr || flags || !host_memory(host))
        return CUDA_ERROR_INVALID_VALUE;
    *ptr = (CUdeviceptr)(uintptr_t)host;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemHostGetFlags(unsigned *flags, void *host)
{
    const struct allocation *a = host_memory(host);

    if (!flags || !a)
        return CUDA_ERROR_INVALID_VALUE;
    // With unified addresses all host memory is portable and mapped.
    *flags = a->flags | CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemHostRegister(void *host, size_t bytes, unsigned flags)
{
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                           CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    CUdeviceptr base = (CUdeviceptr)(uintptr_t)host;
    struct context *c = fake_current();

    if (!host || !bytes || flags & ~known || base + bytes < base)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_MEMHOSTREGISTER_READ_ONLY &&
        !fake_attribute(c->device, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (fake_in_arena(base) || !mapped(base, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    size_t above = position(base);
    if (fake_find(base) ||
        (above < fake.allocation_count && fake.allocations[above]->base < base + bytes))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    struct allocation *a = enter(base, bytes, MEMORY_REGISTERED, c->device);
    a->context = c;
    a->flags = flags;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemHostUnregister(void *host)
{
    struct allocation *a = host_memory(host);

    if (!host)
        return CUDA_ERROR_INVALID_VALUE;
    if (!a || a->memory != MEMORY_REGISTERED || a->base != (CUdeviceptr)(uintptr_t)host)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    fake_free(a);
    return CUDA_SUCCESS;
}
