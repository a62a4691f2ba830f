// Memory: a single arena of addresses. No address is reused until all have been used, so stale
// pointers are detected.
#include "shell.h"

#include "sim/machine/machine.h"

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
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

enum {
    PAGE = 4096,
    FRESH = 0xcd, // fill byte of fresh memory
};

// Unless `guard` is set, all memory below `open` is accessible. `open` grows in large steps: each
// boundary between access rights takes one of the system's mappings, whose number is limited.
static const size_t open_step = (size_t)64 << 20;

static struct {
    CUdeviceptr base, next, open, end;
} arena;

bool sim_in_arena(CUdeviceptr ptr)
{
    return arena.base && ptr >= arena.base && ptr < arena.end;
}

// Reserves as much address space as the machine permits, up to 8 TiB.
static bool arena_init(void)
{
    for (size_t bytes = (size_t)8 << 40; !arena.base && bytes >= (size_t)1 << 30; bytes /= 4) {
        void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED)
            continue;
        arena.base = arena.next = arena.open = (CUdeviceptr)(uintptr_t)p;
        arena.end = arena.base + bytes;
    }
    return arena.base != 0;
}

// The table of allocations, sorted by address

static size_t position(CUdeviceptr base)
{
    size_t low = 0, high = sim.allocation_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sim.allocations[middle]->base <= base)
            low = middle + 1;
        else
            high = middle;
    }
    return low; // index of the first allocation at a higher address
}

// Finds `span` free addresses that are followed by a free page: the next ones or, once the end of
// the arena has been reached, the next gap.
static CUdeviceptr place(size_t span)
{
    for (int round = 0; round < 2; round++) {
        for (size_t at = position(arena.next);; at++) {
            const struct allocation *before = at ? sim.allocations[at - 1] : NULL;
            const struct allocation *after = at < sim.allocation_count ? sim.allocations[at] : NULL;
            CUdeviceptr end = after && after->base < arena.end ? after->base : arena.end;
            if (before && sim_in_arena(before->base)) {
                CUdeviceptr free = before->base + sim_round_up(before->bytes, PAGE) + PAGE;
                arena.next = arena.next < free ? free : arena.next;
            }
            if (arena.next < end && span + PAGE <= end - arena.next)
                return arena.next;
            if (end == arena.end)
                break;
            arena.next = end;
        }
        arena.next = arena.base;
    }
    return 0;
}

// Makes pages accessible.
static bool open_pages(CUdeviceptr at, size_t span)
{
    const int access = PROT_READ | PROT_WRITE;

    if (sim.guard)
        return mprotect((void *)(uintptr_t)at, span, access) == 0;
    if (at + span <= arena.open)
        return true;
    size_t more = sim_round_up(at + span - arena.open, open_step);
    if (more > arena.end - arena.open)
        more = arena.end - arena.open;
    if (mprotect((void *)(uintptr_t)arena.open, more, access))
        return false;
    arena.open += more;
    return true;
}

static void fresh(void *at, size_t bytes)
{
    memset(at, FRESH, bytes < sim.fresh_most ? bytes : sim.fresh_most);
    ASAN_POISON_MEMORY_REGION((unsigned char *)at + bytes, sim_round_up(bytes, PAGE) - bytes);
}

static void *pages(size_t bytes)
{
    size_t span = sim_round_up(bytes, PAGE);

    if (span < bytes || (!arena.base && !arena_init()))
        return NULL;
    CUdeviceptr at = place(span);
    if (!at || !open_pages(at, span))
        return NULL;
    void *p = (void *)(uintptr_t)at;
    arena.next = at + span + PAGE;
    fresh(p, bytes);
    return p;
}

static void unmap(CUdeviceptr base, size_t bytes, bool shared)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    void *p = (void *)(uintptr_t)base;
    size_t span = sim_round_up(bytes, PAGE);

    // Free the memory, but keep the addresses reserved.
    ASAN_UNPOISON_MEMORY_REGION((unsigned char *)p + bytes, span - bytes);
    if (!sim.guard && !shared)
        (void)madvise(p, span, MADV_DONTNEED);
    else if (mmap(p, span, sim.guard ? PROT_NONE : PROT_READ | PROT_WRITE, flags, -1, 0) ==
             MAP_FAILED)
        sim_bug("memory cannot be given back", "mmap");
}

// Returns the device that owns memory, so that kernels on other devices need peer access to it.
// SIM_ANY_DEVICE if they need none.
static int owner_of(enum memory memory, int device)
{
    return memory == MEMORY_DEVICE || memory == MEMORY_POOL ? device : SIM_ANY_DEVICE;
}

// Free and reallocate graph memory, which keeps its addresses.

void sim_pages_sleep(struct allocation *a, const char *by)
{
    sim_memory_remove(a->base, by);
    sim_note_freed(a->base, a->bytes);
    unmap(a->base, a->bytes, false);
}

void sim_pages_wake(struct allocation *a)
{
    if (!open_pages(a->base, sim_round_up(a->bytes, PAGE)))
        sim_bug("memory cannot be had again", "mprotect");
    fresh((void *)(uintptr_t)a->base, a->bytes);
    sim_memory_add(a->base, a->bytes, owner_of(a->memory, a->device));
    sim_note_allocated(a->base, a->bytes);
}

bool sim_asleep(const struct allocation *a)
{
    return a->graph && !a->graph->awake;
}

struct allocation *sim_find(CUdeviceptr ptr)
{
    size_t at = position(ptr);
    struct allocation *a = at ? sim.allocations[at - 1] : NULL;

    return a && ptr - a->base < a->bytes ? a : NULL;
}

static struct allocation *enter(CUdeviceptr base, size_t bytes, enum memory memory, int device)
{
    struct allocation *a = sim_alloc(sizeof(*a));
    size_t at = position(base);

    a->base = base;
    a->bytes = bytes;
    a->memory = memory;
    a->device = device;
    a->id = ++sim.serial;
    a->preferred.type = a->prefetched.type = CU_MEM_LOCATION_TYPE_INVALID;
    SIM_RESERVE(sim.allocations, sim.allocation_capacity, sim.allocation_count + 1, 64);
    memmove(sim.allocations + at + 1, sim.allocations + at,
            (sim.allocation_count - at) * sizeof(*sim.allocations));
    sim.allocations[at] = a;
    sim.allocation_count++;
    return a;
}

// Returns true for memory outside of pools that counts against the device's total.
static bool on_device(enum memory memory)
{
    return memory == MEMORY_DEVICE || memory == MEMORY_MANAGED || memory == MEMORY_VARIABLE;
}

// Registers a variable, which stays where its library has placed it.
struct allocation *sim_note_variable(CUdeviceptr base, size_t bytes, struct context *context)
{
    struct allocation *a = sim_find(base);

    if (!a) {
        a = enter(base, bytes ? bytes : 1, MEMORY_VARIABLE, context->device);
        a->foreign = true;
    }
    a->context = context;
    return a;
}

struct allocation *sim_note_virtual(CUdeviceptr base, size_t bytes, enum memory memory, int device)
{
    struct allocation *a = enter(base, bytes, memory, device == SIM_ANY_DEVICE ? 0 : device);

    a->virtual = true;
    sim_memory_add(base, bytes, memory == MEMORY_HOST ? SIM_ANY_DEVICE : device);
    return a;
}

struct allocation *sim_allocate(size_t bytes, enum memory memory, int device)
{
    struct device *d = &sim.devices[device];

    if (on_device(memory) && (bytes > d->total || d->used > d->total - bytes))
        return NULL;
    void *p = pages(bytes);
    if (!p)
        return NULL;
    if (on_device(memory))
        d->used += bytes;
    sim_memory_add((uintptr_t)p, bytes, owner_of(memory, device));
    return enter((CUdeviceptr)(uintptr_t)p, bytes, memory, device);
}

void sim_free(struct allocation *a, const char *by)
{
    size_t at = position(a->base) - 1;

    sim.allocation_count--;
    memmove(sim.allocations + at, sim.allocations + at + 1,
            (sim.allocation_count - at) * sizeof(*sim.allocations));
    if (on_device(a->memory) && !a->foreign && !a->virtual)
        sim.devices[a->device].used -= a->bytes;
    if (a->shared && a->pool)
        sim_pool_forget(a->pool, a);
    if (a->pool)
        sim_pool_return(a->pool, a->bytes);
    if (!a->foreign)
        sim_memory_remove(a->base, by);
    if (!a->foreign && !a->virtual)
        sim_note_freed(a->base, a->bytes);
    if (a->memory != MEMORY_REGISTERED && !a->foreign && !a->virtual)
        unmap(a->base, a->bytes, a->shared);
    free(a->graph);
    free(a);
}

struct allocation *sim_note_registered(CUdeviceptr base, size_t bytes, int device)
{
    size_t above = position(base);

    if (sim_find(base) ||
        (above < sim.allocation_count && sim.allocations[above]->base < base + bytes))
        return NULL;
    sim_memory_add(base, bytes, SIM_ANY_DEVICE);
    return enter(base, bytes, MEMORY_REGISTERED, device);
}

void sim_memory_of_context_end(struct context *context)
{
    size_t i = sim.allocation_count;

    while (i--)
        if (sim.allocations[i]->context == context)
            sim_free(sim.allocations[i], "the end of their context");
}

// Checks that host addresses are mapped. A call with an unmapped address must fail, as on a GPU,
// rather than crash the process.
bool sim_mapped(CUdeviceptr ptr, size_t bytes)
{
    uintptr_t first = (uintptr_t)ptr & ~(uintptr_t)(PAGE - 1);
    uintptr_t last = ((uintptr_t)ptr + bytes - 1) & ~(uintptr_t)(PAGE - 1);

    unsigned char resident;

    return mincore((void *)first, PAGE, &resident) == 0 &&
           mincore((void *)last, PAGE, &resident) == 0;
}

CUresult sim_check_range(CUdeviceptr ptr, size_t bytes, bool in_turn)
{
    if (!bytes)
        return CUDA_SUCCESS;
    const struct allocation *a = sim_find(ptr);
    bool there = a && (in_turn || !a->freeing);
    if (there && a->graph)
        there = in_turn ? a->graph->awake : a->graph->launched;
    bool good = a ? there && bytes <= a->base + a->bytes - ptr
                  : !sim_in_arena(ptr) && !sim_reserved(ptr) && sim_mapped(ptr, bytes);
    // If only part of an allocation of host memory is registered, the rest is still host memory.
    if (a && a->memory == MEMORY_REGISTERED && !good)
        good = sim_mapped(ptr, bytes);
    return good ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}
