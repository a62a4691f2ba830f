// Checks that a launch's device can access the memory of the arguments.
#include "base/array.h"
#include "launch.h"

#include "memory/buffer.h"
#include "memory/resource.h"
#include "device/peers.h"
#include "driver/relaxed.h"

#include <stdio.h>

static const cuc_memory_resource *resource_of(const cuc_buffer *b)
{
    while (b->parent)
        b = b->parent;
    return b->resource;
}

// Returns the call that gives another device access to the memory, for the remedy in a message.
static const char *opening_of(const cuc_memory_resource *resource, CUmemoryPool pool)
{
    if (resource && resource->virtual_memory)
        return "name the device in the peers of cuc_memory_virtual_create()";
    return pool ? "give it access with cuc_memory_pool_set_access()"
                : "give it access with cuc_context_enable_peer_access()";
}

// Returns true for memory of a synchronous resource, from cuMemAlloc(), that the stream's device
// cannot access. The driver has no query for this, but cucore knows which peer access it has
// enabled.
static bool is_closed(const cuc_memory_resource *resource, const cuc_stream *stream)
{
    if (!resource || resource->pool || resource->virtual_memory || !resource->device ||
        resource->kind != CUC_MEMORY_DEVICE || resource->callbacks.allocate ||
        !atomic_load(&stream->context->primary))
        return false;
    const cuc_context *owner =
        atomic_load_explicit(&resource->device->primary, memory_order_acquire);
    return owner && !cuc__context_has_peer(stream->context, owner);
}

// Refuses memory of another device that the stream's device cannot access, because a kernel that
// accesses it would destroy the context. Asks the driver through the pool for pool memory and
// through the address for virtual memory; no other query reports the access. Accepts memory that is
// unknown or accessible everywhere. The caller passes only memory of another device.
static cuc_status check_peer_access(CUdeviceptr ptr, cuc_device *memory, const cuc_buffer *buffer,
                                    const cuc_stream *stream, const char *argument)
{
    unsigned type = 0, access = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    unsigned managed = 0; // the driver writes either one byte or four
    CUmemoryPool pool = NULL;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS,
        CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
    };
    void *values[] = { &type, &access, &managed, &pool };
    bool pushed;

    cuc_status st = cuc__context_enter(stream->context, &pushed, "cuc_launch");
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuPointerGetAttributes(CUC_LENGTH(attributes), attributes, values, ptr);
    st = cuc__context_leave(stream->context, pushed, CUC_OK, "cuc_launch");
    if (st < 0 || r || managed || (type != CU_MEMORYTYPE_DEVICE && !pool))
        return st;
    if (pool) {
        CUmemLocation location = { CU_MEM_LOCATION_TYPE_DEVICE, stream->ordinal };
        CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        CUC_RELAXED(r, cuc__cu.cuMemPoolGetAccess(&flags, pool, &location));
        access = r ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE : (unsigned)flags;
    } else if (buffer && is_closed(resource_of(buffer), stream)) {
        access = 0;
    }
    if (access)
        return CUC_OK;

    const char *what = buffer ? "buffer" : "tensor";
    cuc_device *device = stream->device;
    int32_t can = 0;
    (void)cuc_device_can_access_peer(&can, device, memory);
    return cuc__fail(
        CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
        "%s is a %s of device %d (%s), which the stream's device %d (%s) cannot access: %s%s",
        argument, what, memory->ordinal, memory->name, device->ordinal, device->name,
        can ? opening_of(buffer ? resource_of(buffer) : NULL, pool) : "copy it",
        can ? ", or copy it to that device" : " to that device");
}

// Refuses memory that the driver does not know, unless the device can access such memory.
static cuc_status check_pageable(const char *what, const cuc_stream *stream, const char *argument)
{
    int32_t reaches = 0;
    cuc_status st =
        cuc_device_get_attribute(&reaches, stream->device, CUC_DEVICE_PAGEABLE_MEMORY_ACCESS);

    if (st < 0 || reaches)
        return cuc__pass(st, "cuc_launch");
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                     "%s is a %s of host memory that is neither pinned nor managed, which the "
                     "stream's device %d (%s) cannot reach",
                     argument, what, stream->ordinal, stream->device->name);
}

cuc_status cuc__launch_check_buffer(const cuc_buffer *b, const cuc_stream *stream, size_t i)
{
    cuc_status st = cuc__buffer_describe(b, "cuc_launch");
    if (st < 0)
        return st;
    const uint32_t access = cuc__buffer_access(b);
    const bool pageable = !(access & CUC_MEMORY_ACCESS_DEVICE) && access;
    const cuc_memory_resource *resource = resource_of(b);
    // A pool of pinned memory is accessible to the device that it was created for.
    cuc_device *device = cuc__buffer_device(b);
    if (!device && resource && resource->pool)
        device = resource->device;

    // Accept a null pointer, managed memory, and memory that belongs to no device or to the
    // stream's device.
    if (!b->ptr || access & CUC_MEMORY_ACCESS_MANAGED ||
        (!pageable && (!device || device == stream->device)))
        return CUC_OK;
    char argument[32];
    snprintf(argument, sizeof(argument), "argument %zu", i);
    return pageable ? check_pageable("buffer", stream, argument)
                    : check_peer_access(b->ptr, device, b, stream, argument);
}

// Returns true if every device can access a tensor's memory.
static bool is_everywhere(const cuc_tensor *t)
{
    return t->flags & CUC_TENSOR_MANAGED || (t->flags & CUC_TENSOR_PINNED && t->device < 0);
}

static cuc_status check_tensor_of_device(const cuc_tensor *t, const cuc_stream *stream,
                                         const char *argument)
{
    cuc_device *memory;

    if (cuc_device_get(&memory, t->device) < 0)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
                         "%s is a tensor of device %d, which does not exist", argument, t->device);
    return check_peer_access(t->data, memory, NULL, stream, argument);
}

cuc_status cuc__launch_check_device(const cuc_tensor *t, const cuc_stream *stream,
                                    const char *argument)
{
    if (!t->data || is_everywhere(t))
        return CUC_OK; // no elements, or accessible everywhere
    return t->device >= 0 ? check_tensor_of_device(t, stream, argument)
                          : check_pageable("tensor", stream, argument);
}

cuc_status cuc__launch_check_tensor(const cuc_tensor *t, const cuc_stream *stream, size_t i)
{
    if (is_everywhere(t)) // tested first, because building the name takes longer
        return CUC_OK;
    char argument[32];
    snprintf(argument, sizeof(argument), "argument %zu", i);
    return cuc__launch_check_device(t, stream, argument);
}

// Tests whether the driver knows an address. For an unknown address the query succeeds with a
// memory type of 0.
static cuc_status is_known(bool *known, CUdeviceptr address, const cuc_stream *stream)
{
    CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    unsigned type = 0;
    void *value = &type;
    bool pushed;

    cuc_status st = cuc__context_enter(stream->context, &pushed, "cuc_launch");
    if (st < 0)
        return st;
    *known = !cuc__cu.cuPointerGetAttributes(1, &attribute, &value, address) && type;
    return cuc__context_leave(stream->context, pushed, CUC_OK, "cuc_launch");
}

cuc_status cuc__launch_check_address(const cuc_kernel *kernel, cuc_device_ptr address,
                                     const cuc_stream *stream, size_t i)
{
    int32_t reaches = 0;
    bool known;
    cuc_status st;

    if (!address || (st = is_known(&known, address, stream)) < 0)
        return address ? st : CUC_OK;
    if (!known &&
        (st = is_known(&known, address - 1, stream)) < 0) // the address may be the end of an array
        return st;
    if (known)
        return CUC_OK;
    st = cuc_device_get_attribute(&reaches, stream->device, CUC_DEVICE_PAGEABLE_MEMORY_ACCESS);
    if (st < 0 || reaches)
        return cuc__pass(st, "cuc_launch");
    return cuc__fail(
        CUC_ERROR_INVALID_ARGUMENT, "cuc_launch",
        "%s: argument %zu: 0x%llx is not a device address: the driver does not know it, and device "
        "%d (%s) cannot access pageable host memory, such as the stack or the heap. Pass a "
        "cuc_buffer, or copy the data to one with cuc_buffer_write_async(); pass a value that is "
        "not an "
        "address as uint64_t (CUCORE_CHECK_HANDLES)",
        kernel->name, i, (unsigned long long)address, stream->ordinal, stream->device->name);
}
