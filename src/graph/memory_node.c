#include <cucore/graph.h>

#include "device/device.h"

static const char *const names[] = { "used", "used_high", "reserved", "reserved_high" };

static cuc_status check(cuc_device *device, int32_t which, bool high, const char *function)
{
    if (!cuc__handle_is_valid(device, CUC__HANDLE_DEVICE))
        return cuc__fail_handle(device, CUC__HANDLE_DEVICE, function, "device");
    if (which < CUC_GRAPH_MEMORY_USED || which > CUC_GRAPH_MEMORY_RESERVED_HIGH ||
        (high && which != CUC_GRAPH_MEMORY_USED_HIGH && which != CUC_GRAPH_MEMORY_RESERVED_HIGH))
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function, "which is %d, expected %s", which,
            high ? "CUC_GRAPH_MEMORY_USED_HIGH (1) or CUC_GRAPH_MEMORY_RESERVED_HIGH (3)"
                 : "a CUC_GRAPH_MEMORY_ constant, 0 to 3");
    return CUC_OK;
}

cuc_status cuc_device_get_graph_memory(uint64_t *out, cuc_device *device, int32_t which)
{
    uint64_t bytes = 0;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = check(device, which, false, __func__);
    if (st < 0)
        return st;
    CUresult r =
        cuc__cu.cuDeviceGetGraphMemAttribute(device->handle, (CUgraphMem_attribute)which, &bytes);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuDeviceGetGraphMemAttribute",
                           "asking for the graph memory of device %d: %s", device->ordinal,
                           names[which]);
    *out = bytes;
    return CUC_OK;
}

cuc_status cuc_device_reset_graph_memory(cuc_device *device, int32_t which)
{
    uint64_t zero = 0;
    cuc_status st = check(device, which, true, __func__);

    if (st < 0)
        return st;
    CUresult r =
        cuc__cu.cuDeviceSetGraphMemAttribute(device->handle, (CUgraphMem_attribute)which, &zero);
    return !r ? CUC_OK
              : CUC_FAIL_CU(NULL, r, "cuDeviceSetGraphMemAttribute",
                            "resetting the graph memory statistics of device %d: %s",
                            device->ordinal, names[which]);
}

cuc_status cuc_device_trim_graph_memory(cuc_device *device)
{
    CUC_CHECK(device, DEVICE);
    CUresult r = cuc__cu.cuDeviceGraphMemTrim(device->handle);
    return !r ? CUC_OK
              : CUC_FAIL_CU(NULL, r, "cuDeviceGraphMemTrim",
                            "trimming the graph memory of device %d", device->ordinal);
}
