// A device's default memory resource.
#include "pool.h"
#include "resource.h"

cuc_status cuc__memory_default(cuc_memory_resource **out, cuc_device *device, const char *function)
{
    cuc_status st = CUC_OK;

    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuDeviceGetMemPool", "-");
    // Neither constructor enters the device's context, which would take this lock again.
    pthread_mutex_lock(&device->lock);
    if (!device->memory) {
        cuc_memory_resource *made = NULL;
        if (device->limits.memory_pools)
            st = cuc__memory_pool_of_driver(&made, device, CUC_MEMORY_DEVICE, true, function);
        else
            st = cuc__memory_synchronous_create(&made, device, CUC_MEMORY_DEVICE, function);
        if (st >= 0)
            device->memory = made;
    }
    if (st >= 0)
        *out = cuc__handle_retain(device->memory);
    pthread_mutex_unlock(&device->lock);
    return st;
}

cuc_status cuc_device_get_memory_resource(cuc_memory_resource **out, cuc_device *device)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    return cuc__memory_default(out, device, __func__);
}

cuc_status cuc_device_set_memory_resource(cuc_device *device, cuc_memory_resource *resource)
{
    CUC_CHECK(device, DEVICE);
    if (resource) {
        CUC_CHECK(resource, MEMORY_RESOURCE);
        if (resource->of_device && resource->device != device)
            return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                            "the memory resource is of device %d, so it cannot be the default of "
                            "device %d",
                            resource->device->ordinal, device->ordinal);
    }
    pthread_mutex_lock(&device->lock);
    cuc_memory_resource *old = device->memory;
    device->memory = cuc__handle_retain(resource);
    pthread_mutex_unlock(&device->lock);
    cuc_memory_resource_release(old); // may call the user's destroy function
    return CUC_OK;
}
