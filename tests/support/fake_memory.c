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
static const size_t pool_chunk = (size_t)32 << 20;

static struct {
    CUdeviceptr base, next, end;
} arena;

static size_t round_up(size_t bytes, size_t to)
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
    size_t span = round_up(bytes, PAGE);

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
    size_t span = round_up(bytes, PAGE);

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

static void pool_give_back(struct pool *pool, size_t bytes);

void fake_free(struct allocation *a)
{
    size_t at = position(a->base) - 1;

    fake.allocation_count--;
    memmove(fake.allocations + at, fake.allocations + at + 1,
            (fake.allocation_count - at) * sizeof(*fake.allocations));
    if (on_device(a->memory))
        fake.devices[a->device].used -= a->bytes;
    if (a->pool)
        pool_give_back(a->pool, a->bytes);
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

    return msync((void *)first, PAGE, MS_ASYNC) == 0 && msync((void *)last, PAGE, MS_ASYNC) == 0;
}

CUresult fake_check_range(CUdeviceptr ptr, size_t bytes)
{
    if (!bytes)
        return CUDA_SUCCESS;
    const struct allocation *a = fake_find(ptr);
    bool good = a ? !a->freeing && bytes <= a->base + a->bytes - ptr
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
    size_t row = round_up(width_bytes, 512);

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

// Pools. Reserved memory comes in chunks, stays after a free, and goes at a synchronisation down
// to the release threshold.

static void reserve(struct pool *pool, uint64_t bytes)
{
    struct device *d = &fake.devices[pool->device];

    if (pool->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        d->used = d->used - pool->reserved + bytes;
    pool->reserved = bytes;
    if (bytes > pool->reserved_high)
        pool->reserved_high = bytes;
}

static void trim(struct pool *pool, uint64_t keep)
{
    uint64_t least = round_up(pool->used, pool_chunk), want = round_up(keep, pool_chunk);

    if (want < least)
        want = least;
    if (pool->reserved > want)
        reserve(pool, want);
}

static void trim_pool(struct object *o, void *data)
{
    struct pool *pool = (struct pool *)o;

    (void)data;
    if (o->kind == KIND_POOL && pool->reserved > pool->threshold)
        trim(pool, pool->threshold);
}

void fake_pools_trim(void)
{
    if (fake.pools)
        fake_look(trim_pool, NULL);
}

static void pool_free(struct pool *pool)
{
    reserve(pool, 0);
    fake.pools--;
    fake_delist(pool);
    free(pool);
}

static void pool_give_back(struct pool *pool, size_t bytes)
{
    pool->used -= round_up(bytes, 512);
    pool->allocations--;
    if (pool->head.gone && !pool->allocations)
        pool_free(pool);
}

void fake_pool_end(struct pool *pool)
{
    for (int i = 0; i < FAKE_DEVICES; i++) {
        struct device *d = &fake.devices[i];
        for (size_t type = 0; type < 2; type++)
            if (d->default_pool[type] == pool)
                d->default_pool[type] = NULL;
        if (d->pool == pool)
            d->pool = NULL;
    }
    if (fake.host_pool == pool)
        fake.host_pool = NULL;
    pool->head.gone = true;
    if (!pool->allocations)
        pool_free(pool);
}

static struct pool *pool_new(const CUmemPoolProps *props)
{
    struct pool *p = fake_alloc(sizeof(*p));

    p->props = *props;
    p->device = props->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? props->location.id : 0;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    if (props->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        p->access[p->device] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    else
        for (int i = 0; i < FAKE_DEVICES; i++)
            p->access[i] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    fake.pools++;
    fake_enlist(p, KIND_POOL, NULL);
    return p;
}

static struct pool *builtin_pool(struct pool **slot, CUmemAllocationType type,
                                 CUmemLocation location)
{
    if (!*slot) {
        *slot = pool_new(&(CUmemPoolProps){ .allocType = type, .location = location });
        (*slot)->head.builtin = true;
    }
    return *slot;
}

static struct pool *default_pool(int device, CUmemAllocationType type)
{
    return builtin_pool(&fake.devices[device].default_pool[type == CU_MEM_ALLOCATION_TYPE_MANAGED],
                        type, (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device });
}

static struct pool *current_pool(int device)
{
    struct device *d = &fake.devices[device];

    return d->pool ? d->pool : default_pool(device, CU_MEM_ALLOCATION_TYPE_PINNED);
}

static CUresult pools_of_device(CUdevice dev)
{
    if (!fake_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    return fake_attribute(dev, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult fake_cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CUresult code = pool ? pools_of_device(dev) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *pool = FAKE_HANDLE(CUmemoryPool, default_pool(dev, CU_MEM_ALLOCATION_TYPE_PINNED));
    return code;
}

CUresult fake_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CUresult code = pool ? pools_of_device(dev) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *pool = FAKE_HANDLE(CUmemoryPool, current_pool(dev));
    return code;
}

CUresult fake_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    struct pool *p = fake_object(pool, KIND_POOL);
    CUresult code = pools_of_device(dev);

    if (code)
        return code;
    if (!p || p->props.location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->device != dev)
        return CUDA_ERROR_INVALID_VALUE;
    fake.devices[dev].pool = p;
    return CUDA_SUCCESS;
}

// The pool of a place: a device's, or the host's.
static CUresult pool_of(CUmemoryPool *pool, const CUmemLocation *location, CUmemAllocationType type,
                        bool current)
{
    struct pool *p;

    if (!pool || !location)
        return CUDA_ERROR_INVALID_VALUE;
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE) {
        CUresult code = pools_of_device(location->id);
        if (code)
            return code;
        if (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
        p = current && type == CU_MEM_ALLOCATION_TYPE_PINNED ? current_pool(location->id)
                                                             : default_pool(location->id, type);
    } else if (location->type == CU_MEM_LOCATION_TYPE_HOST &&
               type == CU_MEM_ALLOCATION_TYPE_PINNED) {
        p = builtin_pool(&fake.host_pool, type, *location);
    } else if (location->type == CU_MEM_LOCATION_TYPE_NONE &&
               type == CU_MEM_ALLOCATION_TYPE_MANAGED) {
        p = default_pool(0, type); // managed memory may have no preferred place
    } else {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pool = FAKE_HANDLE(CUmemoryPool, p);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                     CUmemAllocationType type)
{
    return pool_of(pool, location, type, false);
}

CUresult fake_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    return pool_of(pool, location, type, true);
}

CUresult fake_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    return fake_cuDeviceSetMemPool(location->id, pool);
}

CUresult fake_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    if (!pool || !props)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof(props->reserved); i++)
        if (props->reserved[i])
            return CUDA_ERROR_INVALID_VALUE;
    if (props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED &&
        props->allocType != CU_MEM_ALLOCATION_TYPE_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    switch (props->location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE: {
        CUresult code = pools_of_device(props->location.id);
        if (code)
            return code == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_INVALID_VALUE : code;
        unsigned handles = (unsigned)fake_attribute(
            props->location.id, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES);
        if (props->handleTypes & ~handles)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (props->maxSize > fake.devices[props->location.id].total)
            return CUDA_ERROR_OUT_OF_MEMORY;
        break;
    }
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        break;
    case CU_MEM_LOCATION_TYPE_NONE: // managed memory may have no preferred place
        if (props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
            break;
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pool = FAKE_HANDLE(CUmemoryPool, pool_new(props));
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolDestroy(CUmemoryPool pool)
{
    struct pool *p = fake_object(pool, KIND_POOL);

    if (!p || p->head.builtin)
        return CUDA_ERROR_INVALID_VALUE;
    fake_pool_end(p);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes)
{
    struct pool *p = fake_object(pool, KIND_POOL);

    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    trim(p, keep_bytes);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct pool *p = fake_object(pool, KIND_POOL);

    if (!p || !value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(&p->reuse[attribute - 1], value, sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        memcpy(&p->threshold, value, sizeof(uint64_t));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
        uint64_t zero;
        memcpy(&zero, value, sizeof(zero));
        if (zero)
            return CUDA_ERROR_INVALID_VALUE; // a reset is all there is
        if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
            p->used_high = p->used;
        else
            p->reserved_high = p->reserved;
        return CUDA_SUCCESS;
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult fake_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    const struct pool *p = fake_object(pool, KIND_POOL);

    if (!p || !value || attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
        return CUDA_ERROR_INVALID_VALUE;
    const uint64_t *const wide[] = {
        [CU_MEMPOOL_ATTR_RELEASE_THRESHOLD] = &p->threshold,
        [CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT] = &p->reserved,
        [CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH] = &p->reserved_high,
        [CU_MEMPOOL_ATTR_USED_MEM_CURRENT] = &p->used,
        [CU_MEMPOOL_ATTR_USED_MEM_HIGH] = &p->used_high,
    };
    if (wide[attribute])
        memcpy(value, wide[attribute], sizeof(uint64_t));
    else
        memcpy(value, &p->reuse[attribute - 1], sizeof(int));
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    struct pool *p = fake_object(pool, KIND_POOL);

    if (!p || (count && !access))
        return CUDA_ERROR_INVALID_VALUE;
    for (int pass = 0; pass < 2; pass++) { // all are looked at before one takes effect
        for (size_t i = 0; i < count; i++) {
            const CUmemAccessDesc *d = &access[i];
            if (d->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
                (d->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
                 d->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
                return CUDA_ERROR_INVALID_VALUE;
            if (!fake_valid_device(d->location.id))
                return CUDA_ERROR_INVALID_DEVICE;
            if (d->location.id == p->device && !d->flags &&
                p->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
                return CUDA_ERROR_INVALID_VALUE; // a device keeps its own memory
            if (pass)
                p->access[d->location.id] = d->flags;
        }
    }
    return CUDA_SUCCESS;
}

CUresult fake_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
                                 CUmemLocation *location)
{
    const struct pool *p = fake_object(pool, KIND_POOL);

    if (!p || !flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !fake_valid_device(location->id))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = p->access[location->id];
    return CUDA_SUCCESS;
}

// Memory in stream order.

static CUresult allocate_from(CUdeviceptr *out, size_t bytes, struct pool *pool,
                              struct stream *stream)
{
    struct device *d = &fake.devices[pool->device];
    uint64_t used = pool->used + round_up(bytes, 512);
    uint64_t reserved = round_up(used, pool_chunk);

    if (!out || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture && stream->capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (pool->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        if (bytes > d->total)
            return CUDA_ERROR_OUT_OF_MEMORY;
        // A last chunk that does not fit is a smaller one.
        uint64_t most = d->total - (d->used - pool->reserved);
        if (reserved > most)
            reserved = most;
        if (used > most)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (pool->props.maxSize && used > pool->props.maxSize)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation *a = fake_allocate(bytes, MEMORY_POOL, pool->device);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    a->pool = pool;
    pool->allocations++;
    pool->used = used;
    if (used > pool->used_high)
        pool->used_high = used;
    if (reserved > pool->reserved)
        reserve(pool, reserved);
    if (stream->capture) {
        a->graph = stream->capture->graph;
        fake_submit(stream, &(struct work){ .op = OP_NOTHING });
    }
    *out = a->base;
    return CUDA_SUCCESS;
}

CUresult fake_cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (!code)
        code = pools_of_device(s->head.context->device);
    return code ? code : allocate_from(ptr, bytes, current_pool(s->head.context->device), s);
}

CUresult fake_cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool,
                                      CUstream stream)
{
    struct pool *p = fake_object(pool, KIND_POOL);
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (!code && (!p || !p->access[s->head.context->device]))
        code = CUDA_ERROR_INVALID_VALUE;
    return code ? code : allocate_from(ptr, bytes, p, s);
}

CUresult fake_cuMemFreeAsync(CUdeviceptr ptr, CUstream stream)
{
    struct allocation *a = fake_find(ptr);
    struct stream *s;
    CUresult code = fake_stream_of(stream, &s);

    if (code || !ptr)
        return code;
    if (!a || a->base != ptr || a->freeing || a->memory != MEMORY_POOL)
        return CUDA_ERROR_INVALID_VALUE;
    if (s->capture)
        return fake_submit(s, &(struct work){ .op = OP_NOTHING });
    a->freeing = true;
    return fake_submit(s, &(struct work){ .op = OP_FREE, .allocation = a });
}
