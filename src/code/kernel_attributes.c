// A kernel's resources and limits on one device.
#include "base/array.h"
#include "kernel_tile.h"

#include "device/context.h"
#include "object.h"
#include "driver/relaxed.h"

#include <string.h>

#define ROW(constant, value, name, settable) \
    _Static_assert((int)constant == (int)value, "numbered as the driver does");
CUC_KERNEL_ATTRIBUTE_LIST(ROW)
#undef ROW
_Static_assert((int)CUC_KERNEL_CLUSTER_SCHEDULING_POLICY ==
                       (int)CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE &&
                   (int)CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES ==
                       (int)CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
               "numbered as the driver does");

static const struct {
    const char *name;
    bool settable;
} attributes[CUC_KERNEL_ATTRIBUTE_COUNT] = {
#define ROW(constant, value, name, settable) [value] = { name, settable },
    CUC_KERNEL_ATTRIBUTE_LIST(ROW)
#undef ROW
};

static const char *const cache_configs[] = {
    [CUC_KERNEL_CACHE_DEFAULT] = "no preference",
    [CUC_KERNEL_CACHE_SHARED] = "more shared memory",
    [CUC_KERNEL_CACHE_L1] = "more cache",
    [CUC_KERNEL_CACHE_EQUAL] = "half and half",
};

// Guards writes to limits. Threads hold it only for a few stores, never during a driver call.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cuc_status get(int *out, const cuc_kernel *kernel, const cuc_device *device,
                      int32_t attribute, const char *function)
{
    int value;
    // A kernel's first query may load its code, even during a capture.
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuKernelGetAttribute(&value, (CUfunction_attribute)attribute,
                                              kernel->handle, device->handle);
    cuc__leave_relaxed_mode(mode);

    if (r) {
        cuc_status st = cuc__fail_driver(
            atomic_load(&device->primary), r, function, "cuKernelGetAttribute",
            "reading %s of the kernel %s on device %d (%s, %s)", attributes[attribute].name,
            kernel->name, device->ordinal, device->name, device->arch);
        cuc__object_add_log(kernel->object);
        return st;
    }
    *out = value;
    return CUC_OK;
}

static cuc_status set(const cuc_kernel *kernel, const cuc_device *device, int32_t attribute,
                      int value, const char *function)
{
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r = cuc__cu.cuKernelSetAttribute((CUfunction_attribute)attribute, value,
                                              kernel->handle, device->handle);
    cuc__leave_relaxed_mode(mode);

    if (r)
        return cuc__fail_driver(atomic_load(&device->primary), r, function, "cuKernelSetAttribute",
                                "setting %s of the kernel %s to %d on device %d (%s)",
                                attributes[attribute].name, kernel->name, value, device->ordinal,
                                device->name);
    return CUC_OK;
}

cuc_status cuc__kernel_prepare(cuc_kernel *kernel, cuc_device *device, const char *function)
{
    struct cuc__kernel_limits *limits = &kernel->limits[device->ordinal];
    int threads = 0, fixed = 0, dynamic = 0;
    cuc_status st;

    if (atomic_load_explicit(&limits->known, memory_order_acquire))
        return CUC_OK;
    if ((st = get(&threads, kernel, device, CUC_KERNEL_MAX_THREADS_PER_BLOCK, function)) < 0 ||
        (st = get(&fixed, kernel, device, CUC_KERNEL_SHARED_SIZE_BYTES, function)) < 0 ||
        (st = get(&dynamic, kernel, device, CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES, function)) <
            0)
        return st;

    // Two threads may have queried the limits; the first one to get here writes them.
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&limits->known, memory_order_relaxed)) {
        limits->static_shared_bytes = (uint32_t)fixed;
        atomic_store(&limits->shared_bytes, (uint32_t)dynamic);
        atomic_store(&limits->block_threads, (uint32_t)threads);
        atomic_store_explicit(&limits->known, true, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return CUC_OK;
}

uint32_t cuc__kernel_shared_limit(const cuc_kernel *kernel, const cuc_device *device)
{
    uint32_t fixed = kernel->limits[device->ordinal].static_shared_bytes;
    uint32_t all = device->limits.shared_bytes_optin;

    return all > fixed ? all - fixed : 0;
}

// Raises the limit to the maximum, once, when `bytes` exceeds it. The attribute is only a ceiling,
// because a launch uses the amount that it requests. Concurrent raises therefore agree, and a
// later, larger launch needs no driver call.
cuc_status cuc__kernel_allow_shared(cuc_kernel *kernel, cuc_device *device, uint32_t bytes,
                                    const char *function)
{
    struct cuc__kernel_limits *limits = &kernel->limits[device->ordinal];
    cuc_status st;

    if ((st = cuc__kernel_prepare(kernel, device, function)) < 0)
        return st;
    if (bytes <= atomic_load_explicit(&limits->shared_bytes, memory_order_relaxed))
        return CUC_OK;
    uint32_t limit = cuc__kernel_shared_limit(kernel, device);
    if (bytes > limit)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "shared_bytes is %u, the kernel %s can have at most %u bytes of dynamic shared memory "
            "on device %d (%s): %u bytes per block, less %u of static shared memory",
            bytes, kernel->name, limit, device->ordinal, device->name,
            device->limits.shared_bytes_optin, limits->static_shared_bytes);
    if ((st = set(kernel, device, CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)limit, function)) <
        0)
        return st;
    atomic_store_explicit(&limits->shared_bytes, limit, memory_order_relaxed);
    return CUC_OK;
}

cuc_status cuc__kernel_allow_large_clusters(cuc_kernel *kernel, cuc_device *device,
                                            const char *function)
{
    struct cuc__kernel_limits *limits = &kernel->limits[device->ordinal];
    cuc_status st;

    if (atomic_load_explicit(&limits->large_clusters, memory_order_relaxed))
        return CUC_OK;
    if ((st = set(kernel, device, CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, function)) < 0)
        return st;
    atomic_store_explicit(&limits->large_clusters, true, memory_order_relaxed);
    return CUC_OK;
}

static bool known(int32_t attribute)
{
    return attribute >= 0 && attribute < CUC_KERNEL_ATTRIBUTE_COUNT;
}

static cuc_status fail_attribute(int32_t attribute, const char *function)
{
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "attribute is %d, expected 0 to %d",
                     (int)attribute, CUC_KERNEL_ATTRIBUTE_COUNT - 1);
}

cuc_status cuc_kernel_get_attribute(int32_t *out, cuc_kernel *kernel, cuc_device *device,
                                    int32_t attribute)
{
    cuc_status st;
    int value = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if (!known(attribute))
        return fail_attribute(attribute, __func__);
    if (kernel->tile)
        kernel = cuc__tile_code_on(kernel->tile, device)->entry[0];
    if ((st = get(&value, kernel, device, attribute, __func__)) < 0)
        return st;
    *out = value;
    return CUC_OK;
}

cuc_status cuc_kernel_set_attribute(cuc_kernel *kernel, cuc_device *device, int32_t attribute,
                                    int32_t value)
{
    cuc_status st;

    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if (!known(attribute))
        return fail_attribute(attribute, __func__);
    if (!attributes[attribute].settable)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "attribute %s is read-only: it is a property of the code of the kernel %s",
                        attributes[attribute].name, kernel->name);
    // A tile kernel reports the properties of its first entry. A setting applies to all entries.
    if (kernel->tile) {
        const struct cuc__tile_code *code = cuc__tile_code_on(kernel->tile, device);
        for (uint32_t i = 1; i < code->signature->entries; i++)
            if (code->entry[i] &&
                (st = cuc_kernel_set_attribute(code->entry[i], device, attribute, value)) < 0)
                return st;
        kernel = code->entry[0];
    }
    if (attribute != CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES)
        return set(kernel, device, attribute, value, __func__);

    // Launches compare their request with the recorded limit, so make sure that it has been
    // recorded before changing it.
    if ((st = cuc__kernel_prepare(kernel, device, __func__)) < 0)
        return st;
    uint32_t limit = cuc__kernel_shared_limit(kernel, device);
    if (value < 0 || (uint32_t)value > limit)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "%s is %d, the kernel %s allows 0 to %u on device %d (%s)",
                        attributes[attribute].name, (int)value, kernel->name, limit,
                        device->ordinal, device->name);
    if ((st = set(kernel, device, attribute, value, __func__)) < 0)
        return st;
    atomic_store(&kernel->limits[device->ordinal].shared_bytes, (uint32_t)value);
    return CUC_OK;
}

const char *cuc_kernel_attribute_name(int32_t attribute)
{
    return known(attribute) ? attributes[attribute].name : "unknown";
}

int32_t cuc_kernel_attribute_from_name(const char *name)
{
    for (int32_t i = 0; name && i < CUC_KERNEL_ATTRIBUTE_COUNT; i++)
        if (strcmp(attributes[i].name, name) == 0)
            return i;
    return -1;
}

cuc_status cuc_kernel_set_cache_config(cuc_kernel *kernel, cuc_device *device, int32_t config)
{
    enum { CONFIGS = CUC_LENGTH(cache_configs) };

    CUC_CHECK(kernel, KERNEL);
    CUC_CHECK(device, DEVICE);
    if (config < 0 || config >= CONFIGS)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "config is %d, expected a CUC_KERNEL_CACHE_ value (0 to %d)", (int)config,
                        CONFIGS - 1);
    if (kernel->tile) {
        const struct cuc__tile_code *code = cuc__tile_code_on(kernel->tile, device);
        for (uint32_t i = 1; i < code->signature->entries; i++) {
            if (!code->entry[i])
                continue;
            cuc_status st = cuc_kernel_set_cache_config(code->entry[i], device, config);
            if (st < 0)
                return st;
        }
        kernel = code->entry[0];
    }
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    CUresult r =
        cuc__cu.cuKernelSetCacheConfig(kernel->handle, (CUfunc_cache)config, device->handle);
    cuc__leave_relaxed_mode(mode);
    if (r)
        return CUC_FAIL_CU(atomic_load(&device->primary), r, "cuKernelSetCacheConfig",
                           "asking for %s for the kernel %s on device %d (%s)",
                           cache_configs[config], kernel->name, device->ordinal, device->name);
    return CUC_OK;
}
