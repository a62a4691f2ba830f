// A device: one object an ordinal, made with the first query and kept for the process.
#ifndef CUCORE_DEVICE_DEVICE_H
#define CUCORE_DEVICE_DEVICE_H

#include <cucore/device.h>

#include "failure.h"

#include "driver/driver.h"
#include "base/handle.h"

#include <pthread.h>

// What a launch is checked against, read once from the device's attributes.
struct cuc__device_limits {
    uint32_t block[3];
    uint32_t block_threads;
    uint32_t grid[3];
    uint32_t shared_bytes;       // dynamic + static without the opt-in
    uint32_t shared_bytes_optin; // with it
    uint32_t multiprocessors;
    uint32_t warp;
    uint32_t cluster_launch; // 0 or 1, as the driver's attributes are
    uint32_t cooperative_launch;
    uint32_t memory_pools;
};

struct cuc_device {
    cuc__handle head;
    int32_t ordinal;
    CUdevice handle;
    int32_t major, minor;
    struct cuc__device_limits limits;
    char name[256];
    char arch[16]; // "sm_90"
    char uuid[48]; // "GPU-..."
    uint8_t uuid_bytes[16];
    char pci_bus_id[32];

    // Guards what is made on first need; never held over a compile or a callback.
    pthread_mutex_t lock;
    _Atomic(struct cuc_context *) primary;
    struct cuc_memory_resource *memory; // the default resource, owned; set by the user or first use
    _Atomic(struct nvmlDevice_st *) nvml; // found with the first reading of a sensor
};

// How many devices were read; 0 before the first was asked for.
int cuc__device_count(void);

// What NVML says of a device, whatever driver is loaded: fills `out` with what is wanted and known.
cuc_status cuc__device_read_sensors(cuc_device_sensors *out, cuc_device *device, uint32_t wanted);

// The device of a driver's handle, for wrapping foreign objects. Records a failure.
cuc_status cuc__device_of_handle(cuc_device **out, CUdevice handle, const char *function);

#endif
