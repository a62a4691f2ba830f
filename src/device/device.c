#include "device.h"

#include "base/array.h"
#include "context.h"
#include "base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All devices. The first request creates them together, because ordinals never change within a
// process.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(cuc_device *) devices;
static int device_count;

// The attributes that launches check, and their fields. Even the oldest supported driver has all of
// them.
static const struct {
    int attribute;
    size_t offset;
} limit_table[] = {
#define LIMIT(attribute, field)                                                     \
    {                                                                               \
        CU_DEVICE_ATTRIBUTE_##attribute, offsetof(struct cuc__device_limits, field) \
    }
    LIMIT(MAX_BLOCK_DIM_X, block[0]),
    LIMIT(MAX_BLOCK_DIM_Y, block[1]),
    LIMIT(MAX_BLOCK_DIM_Z, block[2]),
    LIMIT(MAX_THREADS_PER_BLOCK, block_threads),
    LIMIT(MAX_GRID_DIM_X, grid[0]),
    LIMIT(MAX_GRID_DIM_Y, grid[1]),
    LIMIT(MAX_GRID_DIM_Z, grid[2]),
    LIMIT(MAX_SHARED_MEMORY_PER_BLOCK, shared_bytes),
    LIMIT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_bytes_optin),
    LIMIT(MULTIPROCESSOR_COUNT, multiprocessors),
    LIMIT(WARP_SIZE, warp),
    LIMIT(CLUSTER_LAUNCH, cluster_launch),
    LIMIT(COOPERATIVE_LAUNCH, cooperative_launch),
    LIMIT(MEMORY_POOLS_SUPPORTED, memory_pools),
#undef LIMIT
};

static void format_uuid(cuc_device *d)
{
    const uint8_t *b = d->uuid_bytes;

    snprintf(d->uuid, sizeof(d->uuid),
             "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             strstr(d->name, " MIG ") ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6],
             b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static cuc_status read_device(cuc_device *d, int ordinal, const char *function)
{
    const char *call = "cuDeviceGet";
    CUuuid uuid;
    CUresult r;

    d->ordinal = ordinal;
    r = cuc__cu.cuDeviceGet(&d->handle, ordinal);
    if (!r) {
        call = "cuDeviceGetName";
        r = cuc__cu.cuDeviceGetName(d->name, (int)sizeof(d->name), d->handle);
    }
    if (!r) {
        call = "cuDeviceGetUuid";
        r = cuc__cu.cuDeviceGetUuid(&uuid, d->handle);
    }
    if (!r) {
        call = "cuDeviceGetPCIBusId";
        r = cuc__cu.cuDeviceGetPCIBusId(d->pci_bus_id, (int)sizeof(d->pci_bus_id), d->handle);
    }
    if (!r) {
        call = "cuDeviceGetAttribute";
        r = cuc__cu.cuDeviceGetAttribute(&d->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                         d->handle);
    }
    if (!r)
        r = cuc__cu.cuDeviceGetAttribute(&d->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                                         d->handle);
    for (size_t i = 0; !r && i < CUC_LENGTH(limit_table); i++) {
        int value = 0;
        r = cuc__cu.cuDeviceGetAttribute(&value, (CUdevice_attribute)limit_table[i].attribute,
                                         d->handle);
        memcpy((char *)&d->limits + limit_table[i].offset, &value, sizeof(value));
    }
    if (r)
        return cuc__fail_driver(NULL, r, function, call, "reading device %d", ordinal);
    memcpy(d->uuid_bytes, &uuid, sizeof(d->uuid_bytes));
    format_uuid(d);
    snprintf(d->arch, sizeof(d->arch), "sm_%d%d", d->major, d->minor);
    return CUC_OK;
}

// Creates the objects of all devices. The caller holds the lock.
static cuc_status read_devices(const char *function)
{
    cuc_status st = CUC_OK;
    cuc_device *made;
    int count;

    CUresult r = cuc__cu.cuDeviceGetCount(&count);
    if (r == CUDA_ERROR_NO_DEVICE) {
        r = 0;
        count = 0;
    }
    if (r)
        return cuc__fail_driver(NULL, r, function, "cuDeviceGetCount", "counting the devices");
    made = calloc((size_t)count + 1, sizeof(*made));
    if (!made)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for %d devices", count);
    for (int i = 0; st >= 0 && i < count; i++)
        st = read_device(&made[i], i, function);
    if (st < 0) {
        free(made);
        return st;
    }
    for (int i = 0; i < count; i++) {
        pthread_mutex_init(&made[i].lock, NULL);
        cuc__handle_init(&made[i], CUC__HANDLE_DEVICE);
    }
    device_count = count;
    atomic_store(&devices, made);
    return CUC_OK;
}

static cuc_status ensure_devices(const char *function)
{
    cuc_status st = cuc__driver_init(function);

    if (st < 0)
        return st;
    if (atomic_load(&devices))
        return CUC_OK;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&devices))
        st = read_devices(function);
    pthread_mutex_unlock(&lock);
    return st;
}

int cuc__device_count(void)
{
    return atomic_load(&devices) ? device_count : 0;
}

cuc_status cuc__device_of_handle(cuc_device **out, CUdevice handle, const char *function)
{
    cuc_status st = ensure_devices(function);

    if (st < 0)
        return st;
    cuc_device *all = atomic_load(&devices);
    for (int i = 0; i < device_count; i++) {
        if (all[i].handle == handle) {
            *out = &all[i];
            return CUC_OK;
        }
    }
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "the driver has no device %d, only %d",
                     handle, device_count);
}

static cuc_status no_device(const char *function)
{
    if (cuc__driver_simulated())
        return cuc__fail(CUC_ERROR_NO_DEVICE, function,
                         "the simulated driver (%s) sees no device: CUCORE_SIM_DEVICES sets how "
                         "many it has, 1 without it, and CUDA_VISIBLE_DEVICES can hide them",
                         cuc__driver_path());
    return cuc__fail(CUC_ERROR_NO_DEVICE, function,
                     "the driver (%s) sees no device: check CUDA_VISIBLE_DEVICES, and that a "
                     "container was given a GPU; `cucore doctor` diagnoses it",
                     cuc__driver_path());
}

cuc_status cuc_device_get_count(int32_t *out)
{
    CUC_CHECK_NOT_NULL(out);
    if (cuc__driver_start() == CUDA_ERROR_NO_DEVICE) { // the result of cuInit without a GPU
        *out = 0;
        return CUC_OK;
    }
    cuc_status st = ensure_devices(__func__);
    if (st < 0)
        return st;
    *out = device_count;
    return CUC_OK;
}

cuc_status cuc_device_get(cuc_device **out, int32_t ordinal)
{
    CUC_CHECK_NOT_NULL(out);
    if (cuc__driver_start() == CUDA_ERROR_NO_DEVICE)
        return no_device(__func__);
    cuc_status st = ensure_devices(__func__);
    if (st < 0)
        return st;
    if (device_count == 0)
        return no_device(__func__);
    if (ordinal < 0 || ordinal >= device_count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "ordinal is %d, the driver has devices 0 to %d",
                        ordinal, device_count - 1);
    *out = &atomic_load(&devices)[ordinal];
    return CUC_OK;
}

cuc_status cuc_device_get_current(cuc_device **out)
{
    const char *call = "cuCtxGetCurrent";
    CUcontext current = NULL;
    CUdevice handle;

    CUC_CHECK_NOT_NULL(out);
    if (cuc__driver_start() == CUDA_ERROR_NO_DEVICE)
        return no_device(__func__);
    cuc_status st = ensure_devices(__func__);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuCtxGetCurrent(&current);
    if (!r && !current)
        return CUC_PASS(cuc_device_get(out, 0));
    if (!r) {
        call = "cuCtxGetDevice";
        r = cuc__cu.cuCtxGetDevice(&handle);
    }
    if (r)
        return CUC_FAIL_CU(NULL, r, call, "asking for the current device");
    return cuc__device_of_handle(out, handle, __func__);
}

cuc_status cuc_device_get_by_pci_bus_id(cuc_device **out, const char *bus_id)
{
    CUdevice handle;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(bus_id);
    if (cuc__driver_start() == CUDA_ERROR_NO_DEVICE)
        return no_device(__func__);
    cuc_status st = ensure_devices(__func__);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuDeviceGetByPCIBusId(&handle, bus_id);
    if (r == CUDA_ERROR_INVALID_DEVICE || r == CUDA_ERROR_INVALID_VALUE)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND,
                        "no device at PCI address \"%s\"; expected a form like 0000:3b:00.0",
                        bus_id);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuDeviceGetByPCIBusId", "looking for PCI address %s", bus_id);
    return cuc__device_of_handle(out, handle, __func__);
}

int32_t cuc_device_ordinal(const cuc_device *device)
{
    return device ? device->ordinal : -1;
}

int32_t cuc_device_handle(const cuc_device *device)
{
    return device ? device->handle : -1;
}

const char *cuc_device_name(const cuc_device *device)
{
    return device ? device->name : "";
}

const char *cuc_device_uuid(const cuc_device *device)
{
    return device ? device->uuid : "";
}

cuc_status cuc_device_get_uuid_bytes(uint8_t *out, const cuc_device *device)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    memcpy(out, device->uuid_bytes, sizeof(device->uuid_bytes));
    return CUC_OK;
}

const char *cuc_device_pci_bus_id(const cuc_device *device)
{
    return device ? device->pci_bus_id : "";
}

cuc_status cuc_device_get_compute_capability(int32_t *major, int32_t *minor,
                                             const cuc_device *device)
{
    CUC_CHECK_NOT_NULL(major);
    CUC_CHECK_NOT_NULL(minor);
    CUC_CHECK(device, DEVICE);
    *major = device->major;
    *minor = device->minor;
    return CUC_OK;
}

const char *cuc_device_arch(const cuc_device *device)
{
    return device ? device->arch : "";
}

cuc_status cuc_device_get_memory_info(uint64_t *free_bytes, uint64_t *total_bytes,
                                      cuc_device *device)
{
    size_t free_now, total;
    cuc_context *context;
    bool pushed;

    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st >= 0)
        st = CUC_ENTER(context, &pushed);
    if (st < 0)
        return st;
    CUresult r = cuc__cu.cuMemGetInfo(&free_now, &total);
    if (r)
        st = CUC_FAIL_CU(context, r, "cuMemGetInfo", "asking device %d for its memory",
                         device->ordinal);
    st = CUC_LEAVE(context, pushed, st);
    if (st < 0)
        return st;
    if (free_bytes)
        *free_bytes = free_now;
    if (total_bytes)
        *total_bytes = total;
    return CUC_OK;
}

cuc_status cuc_device_can_access_peer(int32_t *out, cuc_device *device, cuc_device *peer)
{
    int can = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK(peer, DEVICE);
    if (device == peer) {
        *out = 1;
        return CUC_OK;
    }
    CUresult r = cuc__cu.cuDeviceCanAccessPeer(&can, device->handle, peer->handle);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuDeviceCanAccessPeer", "asking about devices %d and %d",
                           device->ordinal, peer->ordinal);
    *out = can;
    return CUC_OK;
}

cuc_status cuc_device_get_peer_attribute(int32_t *out, cuc_device *device, cuc_device *peer,
                                         int32_t attribute)
{
    int value = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK(peer, DEVICE);
    if (device == peer)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "device and peer are both device %d, expected two", device->ordinal);
    CUresult r = cuc__cu.cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)attribute,
                                                 device->handle, peer->handle);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuDeviceGetP2PAttribute",
                           "asking for peer attribute %d of devices %d and %d", attribute,
                           device->ordinal, peer->ordinal);
    *out = value;
    return CUC_OK;
}
