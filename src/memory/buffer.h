#ifndef CUCORE_MEMORY_BUFFER_H
#define CUCORE_MEMORY_BUFFER_H

#include <cucore/buffer.h>

#include "device/context.h"

// The fields of a buffer that kernel arguments and copies read.
struct cuc_buffer {
    cuc__handle head;
    cuc_device_ptr ptr;
    size_t bytes;
    cuc_device *device;                   // NULL for memory of no device (pinned, foreign host)
    struct cuc_memory_resource *resource; // retained; NULL for a foreign pointer
    struct cuc_stream *stream;            // retained; orders the free; NULL frees at once
    uint32_t access;                      // CUC_MEMORY_ACCESS_ bits
    void *owner;                          // of a foreign pointer
    void (*drop_owner)(void *owner);
    struct cuc_buffer *parent; // retained; the whole buffer of a slice
};

#endif
