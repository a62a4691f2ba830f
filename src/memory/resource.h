// A memory resource: one struct for every sort, with a table of what differs.
#ifndef CUCORE_MEMORY_RESOURCE_H
#define CUCORE_MEMORY_RESOURCE_H

#include <cucore/memory.h>

#include "device/stream.h"

// `function` is the public function that fails. NULL is a release, where a failure goes to the
// process-wide handler and the memory is leaked. CUC_ERROR_BUSY says that the stream is being
// captured, which the caller of a release has to tell.
struct cuc__memory_ops {
    cuc_status (*allocate)(cuc_memory_resource *resource, CUdeviceptr *out, size_t bytes,
                           cuc_stream *stream, const char *function);
    cuc_status (*deallocate)(cuc_memory_resource *resource, CUdeviceptr ptr, size_t bytes,
                             cuc_stream *stream, const char *function);
    void (*destroy)(cuc_memory_resource *resource);
    bool needs_stream;
};

struct cuc_memory_resource {
    cuc__handle head;
    const struct cuc__memory_ops *ops;
    cuc_device *device; // whose context serves it; NULL for a user-defined one of no device
    int32_t kind;
    uint32_t access;
    bool of_device; // only streams of `device` may allocate from it

    // A pool.
    CUmemoryPool pool;
    CUmemLocation location; // by which the driver knows it
    bool imported;          // by cuc_memory_pool_import()
    bool owned;
    atomic_bool used;     // it has held memory, as far as can be told without asking the driver
    atomic_bool changed;  // others have a hold on it, or it is open to them: not to be used again
    CUmemPoolProps props; // of an owned one that was made here
    void *owner;
    void (*drop_owner)(void *owner);

    // A user-defined one.
    cuc_memory_callbacks callbacks;

    // One of virtual memory: memory_virtual.h.
    struct cuc__virtual *virtual_memory;
};

// A resource with one reference; NULL when there is no host memory, which is recorded.
cuc_memory_resource *cuc__memory_resource_new(const struct cuc__memory_ops *ops, cuc_device *device,
                                              int32_t kind, const char *function);

// The default resource of a device, retained.
cuc_status cuc__memory_default(cuc_memory_resource **out, cuc_device *device, const char *function);

// A resource for a pool of the driver's; NULL when there is no host memory, which is recorded.
cuc_memory_resource *cuc__memory_pool_wrap(CUmemoryPool pool, cuc_device *device, int32_t kind,
                                           CUmemLocation location, const char *function);

// The driver's pool of a kind on a device.
cuc_status cuc__memory_pool_of_driver(cuc_memory_resource **out, cuc_device *device, int32_t kind,
                                      bool current, const char *function);

cuc_status cuc__memory_synchronous(cuc_memory_resource **out, cuc_device *device, int32_t kind,
                                   const char *function);

// Refuse a stream that a resource cannot work with: none, or another device's.
cuc_status cuc__memory_check_stream(const cuc_memory_resource *resource, const cuc_stream *stream,
                                    const char *function);

// Wait until a stream is done with memory that is about to go, in relaxed mode (relaxed.h).
cuc_status cuc__memory_wait(const cuc_stream *stream, CUdeviceptr ptr, const char *function);

// Refuse a kind that a resource of the driver's cannot have.
cuc_status cuc__memory_check_kind(int32_t kind, const char *function);

// As CUC_ENTER and CUC_LEAVE, and with no `function` without touching the thread's last error.
cuc_status cuc__memory_enter(cuc_context *context, bool *pushed, const char *function);
cuc_status cuc__memory_leave(cuc_context *context, bool pushed, cuc_status status,
                             const char *function);

// A call that frees failed.
cuc_status cuc__memory_free_failed(cuc_context *context, int code, const char *call,
                                   CUdeviceptr ptr, size_t bytes, const char *function);

// Free a buffer of an imported pool, in a stream's order and with what is current that it needs; a
// code of the driver's. ipc.c.
int cuc__ipc_free(CUdeviceptr ptr, const cuc_stream *stream);

// Ask for an address's kind, device, access and host_pointer alone, which costs less than all that
// the driver knows of it; `out` starts zeroed. memory_host.c.
cuc_status cuc__memory_pointer_kind(cuc_pointer_info *out, CUdeviceptr ptr, const char *function);

// Whether a range passes the end of the address space. Its last byte may be the space's last.
static inline bool cuc__range_wraps(uint64_t start, uint64_t bytes)
{
    return bytes && start + (bytes - 1) < start;
}

// Refuse a range that cannot be one: at 0, or past the end of the address space.
cuc_status cuc__memory_check_range(CUdeviceptr ptr, size_t bytes, const char *what,
                                   const char *function);

#endif
