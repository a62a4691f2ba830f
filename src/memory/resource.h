// Memory resources: one struct for all kinds, with a table of operations.
#ifndef CUCORE_MEMORY_RESOURCE_H
#define CUCORE_MEMORY_RESOURCE_H

#include <cucore/memory.h>

#include "device/stream.h"

// In these operations `function` is the name of the public function for failures. NULL means a
// release: a failure goes to the process-wide handler and the memory leaks. CUC_ERROR_BUSY means
// that the stream is capturing; the caller of a release must report this.
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
    cuc_device *device; // its context serves the resource; NULL for a user-defined resource without
                        // a device
    int32_t kind;
    uint32_t access;
    bool of_device; // only streams of `device` may allocate from it

    // Members of a pool
    CUmemoryPool pool;
    CUmemLocation location; // in the form that the driver uses
    bool imported;          // imported by cuc_memory_pool_from_fd()
    bool owned;
    atomic_bool used;     // the pool has held memory, as far as is known without a query
    atomic_bool changed;  // the pool is not reusable, because it is shared or other devices or
                          // processes may access it
    CUmemPoolProps props; // for an owned pool made here
    void *owner;
    void (*drop_owner)(void *owner);

    // Members of a user-defined resource
    cuc_memory_callbacks callbacks;

    // Members of a resource of virtual memory: virtual.h
    struct cuc__virtual *virtual_memory;
};

// Makes a resource with one reference; NULL if out of host memory, which is recorded.
cuc_memory_resource *cuc__memory_resource_new(const struct cuc__memory_ops *ops, cuc_device *device,
                                              int32_t kind, const char *function);

// Returns the default resource of a device, retained.
cuc_status cuc__memory_default(cuc_memory_resource **out, cuc_device *device, const char *function);

// Makes a resource for a driver's pool; NULL if out of host memory, which is recorded.
cuc_memory_resource *cuc__memory_pool_wrap(CUmemoryPool pool, cuc_device *device, int32_t kind,
                                           CUmemLocation location, const char *function);

// Returns the driver's own pool of a kind on a device.
cuc_status cuc__memory_pool_of_driver(cuc_memory_resource **out, cuc_device *device, int32_t kind,
                                      bool current, const char *function);

cuc_status cuc__memory_synchronous_create(cuc_memory_resource **out, cuc_device *device,
                                          int32_t kind, const char *function);

// Refuses a stream that a resource cannot use: NULL, or a stream of another device.
cuc_status cuc__memory_check_stream(const cuc_memory_resource *resource, const cuc_stream *stream,
                                    const char *function);

// Waits, in relaxed mode (relaxed.h), until a stream has finished with memory that is about to be
// freed.
cuc_status cuc__memory_wait(const cuc_stream *stream, CUdeviceptr ptr, const char *function);

// Refuses a kind of memory that the driver does not allocate, such as CUC_MEMORY_CUSTOM.
cuc_status cuc__memory_check_kind(int32_t kind, const char *function);

// Like CUC_ENTER and CUC_LEAVE; without a `function`, they preserve the thread's last error.
cuc_status cuc__memory_enter(cuc_context *context, bool *pushed, const char *function);
cuc_status cuc__memory_leave(cuc_context *context, bool pushed, cuc_status status,
                             const char *function);

// Reports the failure of a call that frees.
cuc_status cuc__memory_free_failed(cuc_context *context, int code, const char *call,
                                   CUdeviceptr ptr, size_t bytes, const char *function);

// Frees a buffer of an imported pool in stream order. The right context must be current. Returns a
// driver's code. ipc.c.
int cuc__ipc_free(CUdeviceptr ptr, const cuc_stream *stream);

// Queries only an address's kind, device, access and host_pointer, which is cheaper than a full
// query. `out` must be zeroed. host.c.
cuc_status cuc__memory_pointer_kind(cuc_pointer_info *out, CUdeviceptr ptr, const char *function);

// True if a range extends past the end of the address space. A range may end with the last byte of
// the space.
static inline bool cuc__range_wraps(uint64_t start, uint64_t bytes)
{
    return bytes && start + (bytes - 1) < start;
}

// Refuses an invalid range: one at address 0, or past the end of the address space.
cuc_status cuc__memory_check_range(CUdeviceptr ptr, size_t bytes, const char *what,
                                   const char *function);

#endif
