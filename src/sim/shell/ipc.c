// Shares memory and events between processes: pools by file descriptors, memory in a pool by its
// offset in the file, and events by a page of a file. Files are opened through /proc, which works
// while their creator lives.
#include "shell.h"

#include "sim/machine/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

static const uint64_t pool_magic = UINT64_C(0x6c6f6f706d697363);
static const uint64_t event_magic = UINT64_C(0x746e65766d697363);

// The first page of a pool's file, which precedes its memory.
struct pool_head {
    uint64_t magic;
    int64_t device; // 64 bits wide: padding would pass uninitialized bytes to other processes, here
                    // and in the exports below
};

// The state of an event, which all processes that have opened the event share.
struct sim_shared_event {
    _Atomic uint64_t recorded, done; // numbers of records; the event is complete if they are equal
};

struct pool_export {
    uint64_t magic, pool, offset, bytes; // `pool` is the pool's file, as with an H200's driver
};

struct event_export {
    uint64_t magic;
    int32_t pid, fd;
    uint64_t flags;
};

// ---- pools --------------------------------------------------------------------------------------

bool sim_pool_share(struct pool *pool)
{
    struct pool_head head = { pool_magic, pool->device };
    int fd = memfd_create("cucore-sim-pool", MFD_CLOEXEC);

    if (fd < 0)
        return false;
    if (ftruncate(fd, PAGE) || pwrite(fd, &head, sizeof(head), 0) != sizeof(head)) {
        close(fd);
        return false;
    }
    pool->file = fd;
    pool->file_end = PAGE;
    return true;
}

static bool map(CUdeviceptr base, size_t span, int fd, uint64_t offset)
{
    return mmap((void *)(uintptr_t)base, span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                (off_t)offset) != MAP_FAILED;
}

bool sim_pool_back(struct pool *pool, struct allocation *a)
{
    size_t span = sim_round_up(a->bytes, PAGE);

    if (ftruncate(pool->file, (off_t)(pool->file_end + span)) ||
        !map(a->base, span, pool->file, pool->file_end))
        return false;
    a->shared = true;
    a->file_offset = pool->file_end;
    pool->file_end += span; // like addresses, offsets are not reused
    return true;
}

CUresult sim_cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool,
                                              CUmemAllocationHandleType type,
                                              unsigned long long flags)
{
    struct pool *p = sim_object(pool, KIND_POOL);

    if (!handle || !p || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        !(p->props.handleTypes & type) || p->imported)
        return CUDA_ERROR_INVALID_VALUE;
    int fd = fcntl(p->file, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    p->exported = true;
    memcpy(handle, &fd, sizeof(fd));
    return CUDA_SUCCESS;
}

// A search for a pool that was imported from the same file.
struct search {
    struct stat file;
    struct pool *found;
};

static void find_import(struct object *o, void *data)
{
    struct search *s = data;
    struct pool *p = (struct pool *)o;
    struct stat file;

    if (o->kind == KIND_POOL && p->imported && !o->gone && !fstat(p->file, &file) &&
        file.st_ino == s->file.st_ino && file.st_dev == s->file.st_dev)
        s->found = p;
}

CUresult sim_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle,
                                                CUmemAllocationHandleType type,
                                                unsigned long long flags)
{
    int given = (int)(intptr_t)handle;
    struct pool_head head;

    if (!pool || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    if (pread(given, &head, sizeof(head), 0) != sizeof(head) || head.magic != pool_magic ||
        !sim_valid_device((CUdevice)head.device))
        return CUDA_ERROR_INVALID_VALUE;
    struct search same = { .found = NULL };
    if (!fstat(given, &same.file))
        sim_visit_objects(find_import, &same);
    if (same.found) {
        same.found->imports++;
        *pool = SIM_HANDLE(CUmemoryPool, same.found);
        return CUDA_SUCCESS;
    }
    int fd = fcntl(given, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    struct pool *p = sim_pool_new(&(CUmemPoolProps){
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
        .handleTypes = type,
        .location = { CU_MEM_LOCATION_TYPE_DEVICE, (int)head.device },
    });
    p->file = fd;
    p->imported = true;
    p->imports = 1;
    *pool = SIM_HANDLE(CUmemoryPool, p);
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr ptr)
{
    const struct allocation *a = sim_find(ptr);

    if (!data || !a || a->base != ptr || a->freeing || !a->shared || !a->pool->exported)
        return CUDA_ERROR_INVALID_VALUE;
    struct stat file;
    if (fstat(a->pool->file, &file))
        return CUDA_ERROR_OPERATING_SYSTEM;
    struct pool_export out = { pool_magic, (uint64_t)file.st_ino, a->file_offset, a->bytes };
    memset(data, 0, sizeof(*data));
    memcpy(data, &out, sizeof(out));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolImportPointer(CUdeviceptr *ptr, CUmemoryPool pool,
                                    CUmemPoolPtrExportData *data)
{
    struct pool *p = sim_object(pool, KIND_POOL);
    struct pool_export in;
    struct stat file;

    if (!ptr || !data || !p || !p->imported)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&in, data, sizeof(in));
    if (in.magic != pool_magic || fstat(p->file, &file) || in.pool != (uint64_t)file.st_ino ||
        in.offset % PAGE || !in.bytes || in.bytes > (uint64_t)file.st_size ||
        in.offset > (uint64_t)file.st_size - in.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *a = sim_allocate(in.bytes, MEMORY_POOL, p->device);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    a->pool = p;
    p->allocations++;
    p->used += sim_round_up(in.bytes, 512);
    a->shared = true;
    a->file_offset = in.offset;
    if (!map(a->base, sim_round_up(in.bytes, PAGE), p->file, in.offset)) {
        sim_free(a, "a mapping that failed");
        return CUDA_ERROR_MAP_FAILED;
    }
    *ptr = a->base;
    return CUDA_SUCCESS;
}

// ---- events -------------------------------------------------------------------------------------

// Maps the page of an event's file. Gives the file to the event, or closes the file on failure.
static bool take_page(struct event *event, int fd)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (page == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    event->shared = page;
    event->file = fd;
    return true;
}

bool sim_event_share(struct event *event)
{
    int fd = memfd_create("cucore-sim-event", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, PAGE)) {
        close(fd);
        fd = -1;
    }
    return take_page(event, fd);
}

// Closes the event's file. The page stays, since queued work may still write to it. The file is
// freed with its last mapping.
void sim_event_unshare(struct event *event)
{
    if (event->shared)
        close(event->file);
}

struct work sim_shared_record(struct event *event)
{
    uint64_t count = atomic_fetch_add(&event->shared->recorded, 1) + 1;

    return (struct work){
        .op = OP_WRITE_VALUE,
        .word = { .address = (uintptr_t)&event->shared->done, .value = count, .bytes = 8 }
    };
}

struct work sim_shared_wait(const struct event *event)
{
    return (struct work){ .op = OP_WAIT_VALUE,
                          .word = { .address = (uintptr_t)&event->shared->done,
                                    .value = atomic_load(&event->shared->recorded),
                                    .flags = CU_STREAM_WAIT_VALUE_GEQ,
                                    .bytes = 8 } };
}

bool sim_shared_done(const struct event *event)
{
    return atomic_load(&event->shared->done) >= atomic_load(&event->shared->recorded);
}

CUresult sim_cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
    const struct event *e = sim_object(event, KIND_EVENT);

    if (!e)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!handle || !e->shared || e->imported)
        return CUDA_ERROR_INVALID_VALUE;
    struct event_export out = { event_magic, (int32_t)getpid(), e->file, e->flags };
    memset(handle, 0, sizeof(*handle));
    memcpy(handle, &out, sizeof(out));
    return CUDA_SUCCESS;
}

CUresult sim_cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
    struct event_export in;
    char path[64];

    memcpy(&in, &handle, sizeof(in));
    if (!event || in.magic != event_magic)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)in.pid, (int)in.fd);
    struct event *e = sim_alloc(sizeof(*e));
    if (!take_page(e, open(path, O_RDWR | O_CLOEXEC))) {
        free(e);
        return CUDA_ERROR_MAP_FAILED;
    }
    e->flags = (unsigned)in.flags;
    e->imported = true;
    sim_enlist(e, KIND_EVENT, sim_current());
    *event = SIM_HANDLE(CUevent, e);
    return CUDA_SUCCESS;
}
