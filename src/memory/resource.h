// Memory resources: one struct for all kinds, with a table of operations.
#ifndef CUCORE_MEMORY_RESOURCE_H
#define CUCORE_MEMORY_RESOURCE_H

#include <cucore/memory.h>

#include "device/stream.h"

// In these operations, `function` is the public function's name for failures. A release passes
// NULL; a failure then goes to the process-wide handler, and the memory leaks. CUC_ERROR_BUSY means
// that the stream is capturing; a releasing caller must report it.
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
    bool of_device; // only streams of `device` may allocate from the resource

    // Members of a pool
    CUmemoryPool pool;
    CUmemLocation location; // in the driver's form
    bool imported;          // imported by cuc_memory_pool_from_fd()
    bool owned;
    atomic_bool used;     // the pool is known, without a query, to have held memory
    atomic_bool changed;  // the pool cannot be reused, because it is shared or because other
                          // devices or processes may access it
    CUmemPoolProps props; // for a pool that cucore created
    void *owner;
    void (*drop_owner)(void *owner);

    // Members of a user-defined resource
    cuc_memory_callbacks callbacks;

    // Members of a resource of virtual memory: virtual.h
    struct cuc__virtual *virtual_memory;
};

// Creates a resource with one reference. If out of host memory, returns NULL and records the
// failure.
cuc_memory_resource *cuc__memory_resource_new(const struct cuc__memory_ops *ops, cuc_device *device,
                                              int32_t kind, const char *function);

// Returns the default resource of a device, retained.
cuc_status cuc__memory_default(cuc_memory_resource **out, cuc_device *device, const char *function);

// Creates a resource for a driver's pool. If out of host memory, returns NULL and records the
// failure.
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

// Waits, in relaxed mode (relaxed.h), until a stream has finished with memory that the caller is
// about to free.
cuc_status cuc__memory_wait(const cuc_stream *stream, CUdeviceptr ptr, const char *function);

// Refuses a kind of memory that the driver does not allocate, such as CUC_MEMORY_CUSTOM.
cuc_status cuc__memory_check_kind(int32_t kind, const char *function);

// Work like CUC_ENTER and CUC_LEAVE. If `function` is NULL, they preserve the thread's last error.
cuc_status cuc__memory_enter(cuc_context *context, bool *pushed, const char *function);
cuc_status cuc__memory_leave(cuc_context *context, bool pushed, cuc_status status,
                             const char *function);

// Reports that a call that frees memory failed.
cuc_status cuc__memory_free_failed(cuc_context *context, int code, const char *call,
                                   CUdeviceptr ptr, size_t bytes, const char *function);

// Frees an imported pool's buffer in stream order. The caller makes the right context current.
// Returns a driver code. Defined in ipc.c.
int cuc__ipc_free(CUdeviceptr ptr, const cuc_stream *stream);

// Queries only an address's kind, device, access and host_pointer, which is cheaper than a full
// query. `out` must be zeroed. Defined in host.c.
cuc_status cuc__memory_pointer_kind(cuc_pointer_info *out, CUdeviceptr ptr, const char *function);

// Returns true if a range extends past the end of the address space. A range may include the last
// byte.
static inline bool cuc__range_wraps(uint64_t start, uint64_t bytes)
{
    return bytes && start + (bytes - 1) < start;
}

// Refuses a range that starts at address 0 or extends past the end of the address space.
cuc_status cuc__memory_check_range(CUdeviceptr ptr, size_t bytes, const char *what,
                                   const char *function);

#endif
