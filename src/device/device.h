// Devices: one object for each ordinal, created at the first query and kept until the process ends.
#ifndef CUCORE_DEVICE_DEVICE_H
#define CUCORE_DEVICE_DEVICE_H

#include <cucore/device.h>

#include "failure.h"

#include "driver/driver.h"
#include "base/handle.h"

#include <pthread.h>

// The limits that launches check, read once from the device's attributes.
struct cuc__device_limits {
    uint32_t block[3];
    uint32_t block_threads;
    uint32_t grid[3];
    uint32_t shared_bytes;       // dynamic plus static, without the opt-in
    uint32_t shared_bytes_optin; // with the opt-in
    uint32_t multiprocessors;
    uint32_t warp;
    uint32_t cluster_launch; // 0 or 1, like the driver's attribute
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

    // Guards the lazily created members. No thread holds it during a compilation or a callback.
    pthread_mutex_t lock;
    _Atomic(struct cuc_context *) primary;
    struct cuc_memory_resource *memory;   // the default resource, owned; set by the user or on
                                          // first use
    _Atomic(struct nvmlDevice_st *) nvml; // found when a sensor is first read
};

// Returns the number of devices, or 0 before the first request.
int cuc__device_count(void);

// Reads sensors through NVML, whichever driver is loaded. Fills in the requested readings that are
// available.
cuc_status cuc__device_read_sensors(cuc_device_sensors *out, cuc_device *device, uint32_t wanted);

// Finds the device of a driver's handle, so that foreign objects can be wrapped. Records a failure.
cuc_status cuc__device_of_handle(cuc_device **out, CUdevice handle, const char *function);

#endif
