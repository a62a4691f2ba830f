#ifndef CUCORE_MEMORY_BUFFER_H
#define CUCORE_MEMORY_BUFFER_H

#include <cucore/buffer.h>

#include "device/context.h"

#include <stdatomic.h>
#include <stdbool.h>

// The fields of a buffer that kernel arguments and copies read.
struct cuc_buffer {
    cuc__handle head;
    cuc_device_ptr ptr;
    size_t bytes;
    _Atomic(cuc_device *) device;         // NULL if the memory belongs to no device, such as pinned
                                          // or foreign host memory
    struct cuc_memory_resource *resource; // retained; NULL for a foreign pointer and for a slice
    struct cuc_stream *stream;            // the stream that orders the free, retained; NULL to free
                                          // at once
    _Atomic uint32_t access;              // CUC_MEMORY_ACCESS_ bits; 0 if not known yet
    void *owner;                          // the owner of a foreign pointer
    void (*drop_owner)(void *owner);
    struct cuc_buffer
        *parent; // for a slice, the buffer that was sliced, which may be a slice too; retained
};

// Works like cuc_buffer_from_pointer(), but queries the driver about the memory only when its
// device or access is needed. Code that reads either one must first call cuc__buffer_describe().
cuc_status cuc__buffer_from_pointer(cuc_buffer **out, cuc_device_ptr ptr, size_t bytes,
                                    const cuc_buffer_options *options);

// Queries the driver about the memory of a buffer that has not been described yet.
cuc_status cuc__buffer_query(const cuc_buffer *buffer, const char *function);

static inline uint32_t cuc__buffer_access(const cuc_buffer *b)
{
    return atomic_load_explicit(&b->access, memory_order_acquire); // the writer stores the access
                                                                   // after the device
}

static inline cuc_device *cuc__buffer_device(const cuc_buffer *b)
{
    return atomic_load_explicit(&b->device, memory_order_relaxed);
}

static inline bool cuc__buffer_is_described(const cuc_buffer *b)
{
    return __builtin_expect(cuc__buffer_access(b) || !b->ptr, 1);
}

// Makes a buffer's device and access known, with a query if necessary.
static inline cuc_status cuc__buffer_describe(const cuc_buffer *b, const char *function)
{
    return cuc__buffer_is_described(b) ? CUC_OK : cuc__buffer_query(b, function);
}

#endif
