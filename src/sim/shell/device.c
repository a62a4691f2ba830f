// Devices.
#include "base/array.h"
#include "shell.h"

#include <stdio.h>
#include <strings.h>

bool sim_valid_device(CUdevice device)
{
    return device >= 0 && device < sim.device_count;
}

int sim_attribute(int device, CUdevice_attribute attribute)
{
    return sim.devices[device].attributes[attribute];
}

CUresult sim_cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    if (!sim_valid_device(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetCount(int *count)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = sim.device_count;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetName(char *name, int len, CUdevice dev)
{
    SIM_NEED(name, dev);
    if (len < 1)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(name, (size_t)len, "%s", sim.devices[dev].name);
    return CUDA_SUCCESS;
}

void sim_uuid(int ordinal, CUuuid *uuid)
{
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)(0xfa + 17 * i + 3 * ordinal);
}

CUresult sim_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    SIM_NEED(uuid, dev);
    sim_uuid(sim.devices[dev].ordinal, uuid);
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
    SIM_NEED(bytes, dev);
    *bytes = sim.devices[dev].total;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice dev)
{
    SIM_NEED(value, dev);
    if (attribute < 1 || attribute >= SIM_ATTRIBUTES)
        return CUDA_ERROR_INVALID_VALUE;
    *value = sim_attribute(dev, attribute);
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetPCIBusId(char *bus_id, int len, CUdevice dev)
{
    SIM_NEED(bus_id, dev);
    if (len < 13)
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(bus_id, (size_t)len, "%04X:%02X:%02X.0",
             (unsigned)sim_attribute(dev, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) & 0xffff,
             (unsigned)sim_attribute(dev, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) & 0xff,
             (unsigned)sim_attribute(dev, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) & 0xff);
    return CUDA_SUCCESS;
}

// Parses domain:bus:device.function, domain:bus:device or bus:device.function.
CUresult sim_cuDeviceGetByPCIBusId(CUdevice *dev, const char *bus_id)
{
    unsigned domain = 0, bus, device, function;

    if (!dev || !bus_id)
        return CUDA_ERROR_INVALID_VALUE;
    if (sscanf(bus_id, "%x:%x:%x", &domain, &bus, &device) != 3) {
        domain = 0;
        if (sscanf(bus_id, "%x:%x.%x", &bus, &device, &function) != 3)
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (int i = 0; i < sim.device_count; i++) {
        if (sim_attribute(i, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) == (int)domain &&
            sim_attribute(i, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) == (int)bus &&
            sim_attribute(i, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) == (int)device) {
            *dev = i;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}

CUresult sim_cuDeviceCanAccessPeer(int *can_access, CUdevice dev, CUdevice peer)
{
    SIM_NEED(can_access, dev);
    SIM_NEED(can_access, peer);
    *can_access = dev != peer;
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice src,
                                     CUdevice dst)
{
    static const int answers[] = {
        [CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK] = 0,
        [CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED] = 1,
        [CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED] = 1,
        [CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED] = 1,
        [CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED] = 0,
    };

    SIM_NEED(value, src);
    SIM_NEED(value, dst);
    if (src == dst)
        return CUDA_ERROR_INVALID_DEVICE;
    if (attribute < 1 || attribute >= CUC_LENGTH(answers))
        return CUDA_ERROR_INVALID_VALUE;
    *value = answers[attribute];
    return CUDA_SUCCESS;
}

CUresult sim_cuDeviceGetExecAffinitySupport(int *value, CUexecAffinityType type, CUdevice dev)
{
    SIM_NEED(value, dev);
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    *value = 0; // only under MPS
    return CUDA_SUCCESS;
}

CUresult sim_cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                        CUflushGPUDirectRDMAWritesScope scope)
{
    bool known = target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX &&
                 (scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER ||
                  scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES);

    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
