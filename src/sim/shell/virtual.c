// Virtual memory: reserved addresses, physical memory, and mappings between them. Physical memory
// is a file, so it can be mapped at several addresses at once.
//
// The table of allocations contains memory that is mapped and accessible. Adjacent mappings are one
// entry, so that copies and kernels can cross from one physical allocation to the next, as on a
// GPU.
#include "shell.h"

#include "sim/machine/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t grain = (size_t)2 << 20;

#define MEMORY_NAME "cucore-sim-memory" // followed by the device's number, or -1 for the host

// Physical memory. It exists while its handle is held or it is mapped.
struct chunk {
    struct chunk *next;
    CUmemGenericAllocationHandle handle;
    size_t bytes;
    int file;
    int device;               // -1: host
    bool shareable, imported; // imported memory counts in its creator's process
    unsigned refs, maps;
};

struct mapping {
    struct mapping *next; // sorted by address
    CUdeviceptr base;
    struct chunk *chunk;
    CUmemAccess_flags access[SIM_DEVICES + 1]; // last entry: host
};

struct reservation {
    struct reservation *next;
    CUdeviceptr base;
    size_t bytes;
    struct mapping *first;
};

static struct chunk *chunks;
static struct reservation *reservations;

static struct reservation *reservation_of(CUdeviceptr ptr)
{
    struct reservation *r = reservations;

    while (r && ptr - r->base >= r->bytes)
        r = r->next;
    return r;
}

bool sim_reserved(CUdeviceptr ptr)
{
    return reservation_of(ptr) != NULL;
}

static struct mapping *mapping_of(CUdeviceptr ptr)
{
    const struct reservation *r = reservation_of(ptr);
    struct mapping *m = r ? r->first : NULL;

    while (m && ptr - m->base >= m->chunk->bytes)
        m = m->next;
    return m;
}

static struct chunk *chunk_of(CUmemGenericAllocationHandle handle)
{
    struct chunk *c = chunks;

    while (c && (c->handle != handle || !c->refs))
        c = c->next;
    return c;
}

static void drop(struct chunk *c)
{
    struct chunk **at = &chunks;

    if (c->refs || c->maps)
        return;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    if (c->device >= 0 && !c->imported)
        sim.devices[c->device].used -= c->bytes;
    close(c->file);
    free(c);
}

// Returns the index in `access` of a location; -1 if the location is invalid.
static int place(CUmemLocation location)
{
    switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return sim_valid_device(location.id) ? location.id : -1;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return SIM_DEVICES;
    default:
        return -1;
    }
}

// Returns the device that can access a mapping; -2 if none can, SIM_ANY_DEVICE if several or the
// host can.
static int reached_by(const struct mapping *m)
{
    int found = -2;

    for (int i = 0; i <= SIM_DEVICES; i++)
        if (m->access[i])
            found = found == -2 && i < SIM_DEVICES ? i : SIM_ANY_DEVICE;
    return found;
}

// Registers the accessible memory of a reservation again.
static void reregister(const struct reservation *r, const char *by)
{
    for (size_t i = sim.allocation_count; i-- > 0;)
        if (sim.allocations[i]->virtual && sim.allocations[i]->base - r->base < r->bytes)
            sim_free(sim.allocations[i], by);
    for (const struct mapping *m = r->first; m;) {
        const struct mapping *last = m, *next = m->next;
        int device = reached_by(m);
        size_t bytes = m->chunk->bytes;
        while (next && next->base == last->base + last->chunk->bytes &&
               reached_by(next) == device && next->chunk->device == m->chunk->device) {
            bytes += next->chunk->bytes;
            last = next;
            next = next->next;
        }
        if (device != -2)
            sim_note_virtual(m->base, bytes, m->chunk->device < 0 ? MEMORY_HOST : MEMORY_DEVICE,
                             device);
        m = next;
    }
}

static bool is_valid_prop(const CUmemAllocationProp *p)
{
    return p && p->type == CU_MEM_ALLOCATION_TYPE_PINNED && place(p->location) >= 0 &&
           !(p->requestedHandleTypes & ~(unsigned)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

CUresult sim_cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                           CUmemAllocationGranularity_flags option)
{
    if (!bytes || !is_valid_prop(prop) || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    *bytes = grain;
    return CUDA_SUCCESS;
}

// Reserves address space, which is inaccessible.
static void *reserve(size_t bytes, size_t alignment, CUdeviceptr hint)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const size_t more = bytes + alignment;

    if (hint) {
        void *p = mmap((void *)(uintptr_t)hint, bytes, PROT_NONE, flags, -1, 0);
        if (p != MAP_FAILED && (uintptr_t)p % alignment == 0)
            return p;
        if (p != MAP_FAILED)
            munmap(p, bytes);
    }
    unsigned char *p = more > bytes ? mmap(NULL, more, PROT_NONE, flags, -1, 0) : MAP_FAILED;
    if (p == MAP_FAILED)
        return NULL;
    size_t skip = (alignment - (uintptr_t)p % alignment) % alignment;
    if (skip)
        munmap(p, skip);
    munmap(p + skip + bytes, more - skip - bytes);
    return p + skip;
}

CUresult sim_cuMemAddressReserve(CUdeviceptr *ptr, size_t bytes, size_t alignment, CUdeviceptr hint,
                                 unsigned long long flags)
{
    if (!ptr || !bytes || bytes % grain || flags || hint % grain ||
        (alignment & (alignment - 1)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    void *p = reserve(bytes, alignment > grain ? alignment : grain, hint);
    if (!p)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct reservation *r = sim_alloc(sizeof(*r));
    r->base = (CUdeviceptr)(uintptr_t)p;
    r->bytes = bytes;
    r->next = reservations;
    reservations = r;
    *ptr = r->base;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemAddressFree(CUdeviceptr ptr, size_t bytes)
{
    struct reservation **at = &reservations;

    while (*at && (*at)->base != ptr)
        at = &(*at)->next;
    struct reservation *r = *at;
    if (!r || r->bytes != bytes || r->first)
        return CUDA_ERROR_INVALID_VALUE;
    *at = r->next;
    munmap((void *)(uintptr_t)ptr, bytes);
    free(r);
    return CUDA_SUCCESS;
}

// Fills fresh memory, so that nobody relies on zeros.
static void fill(int file, size_t bytes)
{
    unsigned char page[4096];

    memset(page, 0xcd, sizeof(page));
    for (size_t at = 0; at < bytes && at < sim.fresh_most; at += sizeof(page))
        if (pwrite(file, page, sizeof(page), (off_t)at) < 0)
            return;
}

CUresult sim_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                         const CUmemAllocationProp *prop, unsigned long long flags)
{
    if (!handle || !bytes || bytes % grain || !is_valid_prop(prop) || flags)
        return CUDA_ERROR_INVALID_VALUE;
    int device = place(prop->location) < SIM_DEVICES ? prop->location.id : -1;
    struct device *d = device < 0 ? NULL : &sim.devices[device];
    if (d && (bytes > d->total || d->used > d->total - bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    char name[32];
    snprintf(name, sizeof(name), MEMORY_NAME "%d", device);
    int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes)) {
        if (file >= 0)
            close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    fill(file, bytes);
    struct chunk *c = sim_alloc(sizeof(*c));
    *c = (struct chunk){ .next = chunks,
                         .handle = ++sim.serial,
                         .bytes = bytes,
                         .file = file,
                         .device = device,
                         .shareable = prop->requestedHandleTypes != 0,
                         .refs = 1 };
    chunks = c;
    if (d)
        d->used += bytes;
    *handle = c->handle;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                                          CUmemAllocationHandleType type, unsigned long long flags)
{
    const struct chunk *c = chunk_of(handle);

    if (!out || !c || !c->shareable || c->imported || flags ||
        type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = fcntl(c->file, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    memcpy(out, &fd, sizeof(fd));
    return CUDA_SUCCESS;
}

// Finds out from a file's name if the file is physical memory, and of which device.
static bool find_place(int *device, int fd)
{
    char path[32], name[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, name, sizeof(name) - 1);
    if (length < 0)
        return false;
    name[length] = '\0';
    return sscanf(name, "/memfd:" MEMORY_NAME "%d", device) == 1 &&
           (*device < 0 || sim_valid_device(*device));
}

CUresult sim_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *given,
                                            CUmemAllocationHandleType type)
{
    const int fd = (int)(intptr_t)given;
    struct stat file;
    int device;

    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !find_place(&device, fd) ||
        fstat(fd, &file))
        return CUDA_ERROR_INVALID_VALUE;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    struct chunk *c = sim_alloc(sizeof(*c));
    *c = (struct chunk){ .next = chunks,
                         .handle = ++sim.serial,
                         .bytes = (size_t)file.st_size,
                         .file = own,
                         .device = device,
                         .imported = true,
                         .refs = 1 };
    chunks = c;
    *handle = c->handle;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemRelease(CUmemGenericAllocationHandle handle)
{
    struct chunk *c = chunk_of(handle);

    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    c->refs--;
    drop(c);
    return CUDA_SUCCESS;
}

CUresult sim_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
    const struct mapping *m = mapping_of((CUdeviceptr)(uintptr_t)address);

    if (!handle || !m)
        return CUDA_ERROR_INVALID_VALUE;
    m->chunk->refs++;
    *handle = m->chunk->handle;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemMap(CUdeviceptr ptr, size_t bytes, size_t offset,
                      CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    struct reservation *r = reservation_of(ptr);
    struct chunk *c = chunk_of(handle);

    if (!r || !c || !bytes || flags || ptr % grain || bytes % grain)
        return CUDA_ERROR_INVALID_VALUE;
    if (offset || bytes != c->bytes)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (bytes > r->base + r->bytes - ptr)
        return CUDA_ERROR_INVALID_VALUE;
    struct mapping **at = &r->first;
    while (*at && (*at)->base + (*at)->chunk->bytes <= ptr)
        at = &(*at)->next;
    if (*at && (*at)->base < ptr + bytes)
        return CUDA_ERROR_INVALID_VALUE; // something is already mapped there
    if (mmap((void *)(uintptr_t)ptr, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, c->file, 0) ==
        MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct mapping *m = sim_alloc(sizeof(*m));
    m->base = ptr;
    m->chunk = c;
    m->next = *at;
    *at = m;
    c->maps++;
    return CUDA_SUCCESS;
}

// Returns true if mappings cover a range of addresses without gaps.
static bool covered(const struct reservation *r, CUdeviceptr ptr, size_t bytes)
{
    const struct mapping *m = r ? r->first : NULL;
    CUdeviceptr at = ptr;

    while (m && m->base < ptr)
        m = m->next;
    for (; m && m->base == at && at - ptr < bytes; m = m->next)
        at += m->chunk->bytes;
    return at - ptr == bytes;
}

CUresult sim_cuMemUnmap(CUdeviceptr ptr, size_t bytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    struct reservation *r = reservation_of(ptr);

    if (!r || !bytes || bytes > r->base + r->bytes - ptr ||
        (mapping_of(ptr) && !covered(r, ptr, bytes)))
        return CUDA_ERROR_INVALID_VALUE;
    for (struct mapping **at = &r->first; *at;) {
        struct mapping *m = *at;
        if (m->base - ptr >= bytes) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        if (mmap((void *)(uintptr_t)m->base, m->chunk->bytes, PROT_NONE, flags, -1, 0) ==
            MAP_FAILED)
            sim_bug("memory cannot be given back", "mmap");
        sim_note_freed(m->base, m->chunk->bytes);
        m->chunk->maps--;
        drop(m->chunk);
        free(m);
    }
    reregister(r, "cuMemUnmap");
    return CUDA_SUCCESS;
}

CUresult sim_cuMemSetAccess(CUdeviceptr ptr, size_t bytes, const CUmemAccessDesc *access,
                            size_t count)
{
    const struct reservation *r = reservation_of(ptr);

    if (!access || !count || !bytes || !covered(r, ptr, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (place(access[i].location) < 0 || access[i].flags > CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
            access[i].flags == 2)
            return CUDA_ERROR_INVALID_VALUE;
    for (struct mapping *m = r->first; m; m = m->next) {
        if (m->base - ptr >= bytes)
            continue;
        for (size_t i = 0; i < count; i++)
            m->access[place(access[i].location)] = access[i].flags;
        // This driver copies on the host, so the host needs access too.
        const int how = reached_by(m) != -2 ? PROT_READ | PROT_WRITE : PROT_NONE;
        if (mprotect((void *)(uintptr_t)m->base, m->chunk->bytes, how))
            return CUDA_ERROR_OPERATING_SYSTEM;
    }
    reregister(r, "cuMemSetAccess");
    return CUDA_SUCCESS;
}

CUresult sim_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                            CUdeviceptr ptr)
{
    const struct mapping *m = mapping_of(ptr);

    if (!flags || !location || place(*location) < 0 || !m)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = m->access[place(*location)];
    return CUDA_SUCCESS;
}

CUmemAccess_flags sim_virtual_access(CUdeviceptr ptr, int device)
{
    const struct mapping *m = mapping_of(ptr);

    return m ? m->access[device] : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

int sim_virtual_count(void)
{
    int n = 0;

    for (const struct chunk *c = chunks; c; c = c->next)
        n++;
    for (const struct reservation *r = reservations; r; r = r->next)
        n++;
    return n;
}

void sim_virtual_end(void)
{
    while (reservations) {
        struct reservation *r = reservations;
        while (r->first)
            (void)sim_cuMemUnmap(r->first->base, r->first->chunk->bytes);
        (void)sim_cuMemAddressFree(r->base, r->bytes);
    }
    while (chunks) {
        chunks->refs = 0;
        drop(chunks);
    }
}
