#include "base/array.h"
#include "resource.h"
#include "base/options.h"
#include "driver/relaxed.h"

#include <inttypes.h>

// The number of attributes, at the start of the list, for the memory's kind, device and access.
enum { ATTRIBUTES_OF_KIND = 5 };

static cuc_status ask(cuc_pointer_info *out, CUdeviceptr ptr, bool kind_alone, const char *function)
{
    CUmemorytype type = 0;
    unsigned managed = 0, mapped = 0; // the driver writes either one byte or four
    int device = -1;
    CUdeviceptr device_pointer = 0, base = 0;
    void *host = NULL;
    size_t bytes = 0;
    unsigned long long id = 0;
    CUmemoryPool pool = NULL;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,   CU_POINTER_ATTRIBUTE_HOST_POINTER,
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,   CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        CU_POINTER_ATTRIBUTE_BUFFER_ID,        CU_POINTER_ATTRIBUTE_MAPPED,
    };
    void *values[] = {
        &type, &managed, &device, &host, &pool, &device_pointer, &base, &bytes, &id, &mapped,
    };

    cuc_status st = cuc__driver_init(function);
    if (st < 0)
        return st;
    const unsigned count = kind_alone ? ATTRIBUTES_OF_KIND : CUC_LENGTH(attributes);
    int code = cuc__cu.cuPointerGetAttributes(count, attributes, values, ptr);
    if (!code && type && !device_pointer && !kind_alone &&
        device >= 0) { // the device pointer depends on the current context, and there is none
        cuc_device *owner;
        cuc_context *context;
        if ((st = cuc_device_get(&owner, device)) < 0 ||
            (st = cuc__device_primary(&context, owner, function)) < 0)
            return st;
        CUC_CALL_IN_AS(function, st, context, cuPointerGetAttributes,
                       (count, attributes, values, ptr), "asking what 0x%" PRIx64 " is", ptr);
        if (st < 0)
            return st;
    }
    if (code)
        return cuc__fail_driver(NULL, code, function, "cuPointerGetAttributes",
                                "asking what 0x%" PRIx64 " is", ptr);

    if (!type) { // plain host memory, which the driver does not know
        out->kind = CUC_MEMORY_UNREGISTERED;
        out->device = -1;
        out->access = CUC_MEMORY_ACCESS_HOST;
        out->host_pointer = (void *)(uintptr_t)ptr;
        return CUC_OK;
    }
    // Some drivers do not report a pool's memory as managed. Only managed memory has both a device
    // and a host address.
    managed |= type == CU_MEMORYTYPE_DEVICE && pool && host;
    out->kind = managed                      ? CUC_MEMORY_MANAGED
                : type == CU_MEMORYTYPE_HOST ? CUC_MEMORY_PINNED
                                             : CUC_MEMORY_DEVICE;
    out->access = CUC_MEMORY_ACCESS_DEVICE | (host ? CUC_MEMORY_ACCESS_HOST : 0u);
    if (out->kind != CUC_MEMORY_DEVICE)
        out->access |= CUC_MEMORY_ACCESS_HOST;
    if (managed)
        out->access |= CUC_MEMORY_ACCESS_MANAGED;
    out->base = base;
    out->bytes = bytes;
    out->device_pointer = device_pointer;
    out->host_pointer = host;
    out->pool = pool;
    out->buffer_id = id;
    out->device = device < 0 ? -1 : device;
    out->mapped = mapped != 0;
    return CUC_OK;
}

cuc_status cuc__memory_pointer_kind(cuc_pointer_info *out, CUdeviceptr ptr, const char *function)
{
    return ask(out, ptr, true, function);
}

cuc_status cuc_memory_get_pointer_info(cuc_pointer_info *out, cuc_device_ptr ptr)
{
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;

    CUC_CHECK_NOT_NULL(out);
    if (!ptr)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "ptr is 0, expected an address");
    cuc_status st = ask(&info, ptr, false, __func__);
    return st < 0 ? st : CUC_WRITE_STRUCT(out, &info, cuc_pointer_info);
}

cuc_status cuc_host_register(cuc_device *device, void *host, size_t bytes, uint32_t flags)
{
    const uint32_t known = CUC_HOST_PORTABLE | CUC_HOST_MAPPED | CUC_HOST_IO_MEMORY |
                           CUC_HOST_READ_ONLY;
    cuc_context *context;
    bool pushed;

    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(host);
    if (!bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "bytes is 0, expected a range");
    cuc_status st = cuc__check_bits("flags", flags, known, 0, "CUC_HOST_ bits (0xf)", __func__);
    if (st < 0 || (st = cuc__memory_check_range((uintptr_t)host, bytes, "host", __func__)) < 0 ||
        (st = cuc__device_primary(&context, device, __func__)) < 0 ||
        (st = CUC_ENTER(context, &pushed)) < 0)
        return st;
    int code;
    CUC_RELAXED(code, cuc__cu.cuMemHostRegister(host, bytes, flags));
    if (code)
        st = CUC_FAIL_CU(context, code, "cuMemHostRegister",
                         "registering %zu bytes of host memory at %p with device %d, flags 0x%x",
                         bytes, host, device->ordinal, flags);
    return CUC_LEAVE(context, pushed, st);
}

cuc_status cuc_host_unregister(cuc_device *device, void *host)
{
    cuc_context *context;
    bool pushed;

    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(host);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st < 0 || (st = CUC_ENTER(context, &pushed)) < 0)
        return st;
    int code;
    CUC_RELAXED(code, cuc__cu.cuMemHostUnregister(host));
    if (code)
        st = CUC_FAIL_CU(context, code, "cuMemHostUnregister",
                         "unregistering the host memory at %p from device %d", host,
                         device->ordinal);
    return CUC_LEAVE(context, pushed, st);
}

cuc_status cuc_host_get_device_pointer(cuc_device_ptr *out, cuc_device *device, void *host)
{
    cuc_context *context;
    CUdeviceptr ptr = 0;
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(host);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st < 0 || (st = CUC_ENTER(context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemHostGetDevicePointer(&ptr, host, 0);
    if (code)
        st = CUC_FAIL_CU(context, code, "cuMemHostGetDevicePointer",
                         "asking for device %d's address of the host memory at %p, which must be "
                         "page-locked",
                         device->ordinal, host);
    st = CUC_LEAVE(context, pushed, st);
    if (st >= 0)
        *out = ptr;
    return st;
}
