// Queries and settings of pools: attributes, statistics, trimming, and access by devices. All of
// them use relaxed mode, as pool.c explains.
#include "base/array.h"
#include "pool.h"

#include "base/options.h"
#include "driver/relaxed.h"

#include <inttypes.h>

// Attributes by number. The driver reads and writes an int for a switch and 64 bits for any other
// attribute.
enum { SWITCH = 0x1, SETTABLE = 0x2, HIGH_MARK = 0x4 };

// clang-format off
static const struct attribute {
    const char *name;
    unsigned flags;
} attributes[] = {
#define ROW(constant, value, text) [value] = { text, constant##_FLAGS },
#define CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES_FLAGS   SWITCH | SETTABLE
#define CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC_FLAGS         SWITCH | SETTABLE
#define CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES_FLAGS SWITCH | SETTABLE
#define CUC_MEMORY_POOL_RELEASE_THRESHOLD_FLAGS                 SETTABLE
#define CUC_MEMORY_POOL_RESERVED_CURRENT_FLAGS                  0
#define CUC_MEMORY_POOL_RESERVED_HIGH_FLAGS                     SETTABLE | HIGH_MARK
#define CUC_MEMORY_POOL_USED_CURRENT_FLAGS                      0
#define CUC_MEMORY_POOL_USED_HIGH_FLAGS                         SETTABLE | HIGH_MARK
    CUC_MEMORY_POOL_ATTRIBUTE_LIST(ROW)
#undef ROW
};
// clang-format on

static const struct attribute *find_attribute(int32_t attribute)
{
    bool known = attribute > 0 && (size_t)attribute < CUC_LENGTH(attributes);

    return known && attributes[attribute].name ? &attributes[attribute] : NULL;
}

static cuc_status get(uint64_t *out, const cuc_memory_resource *pool, int32_t attribute,
                      const char *function)
{
    const struct attribute *a = find_attribute(attribute);
    uint64_t value = 0;
    int on = 0;

    if (!a)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "attribute is %d, expected %d to %d (CUC_MEMORY_POOL_ATTRIBUTE_LIST)",
                         attribute, CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
                         CUC_MEMORY_POOL_USED_HIGH);
    void *to = a->flags & SWITCH ? (void *)&on : (void *)&value;
    int code;
    CUC_RELAXED(code,
                cuc__cu.cuMemPoolGetAttribute(pool->pool, (CUmemPool_attribute)attribute, to));
    if (code)
        return cuc__fail_driver(NULL, code, function, "cuMemPoolGetAttribute",
                                "asking for %s of a pool of device %d", a->name,
                                pool->device->ordinal);
    *out = a->flags & SWITCH ? (uint64_t)(on != 0) : value;
    return CUC_OK;
}

cuc_status cuc_memory_pool_get_attribute(uint64_t *out, cuc_memory_resource *pool,
                                         int32_t attribute)
{
    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    return st < 0 ? st : get(out, pool, attribute, __func__);
}

static cuc_status set(cuc_memory_resource *pool, int32_t attribute, uint64_t value,
                      const char *function)
{
    const struct attribute *a = find_attribute(attribute);
    int on = value != 0;

    if (!a || !(a->flags & SETTABLE))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "attribute is %d (%s), which %s",
                         attribute, a ? a->name : "none",
                         a ? "can only be read" : "is not in CUC_MEMORY_POOL_ATTRIBUTE_LIST");
    if (a->flags & HIGH_MARK)
        pool->used = true; // after a reset, the mark no longer shows that the pool was used
    uint64_t most = a->flags & SWITCH ? 1 : a->flags & HIGH_MARK ? 0 : UINT64_MAX;
    if (value > most)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "value is %" PRIu64 ", %s takes only %s", value, a->name,
                         most ? "0 or 1" : "0, which resets the mark");
    void *from = a->flags & SWITCH ? (void *)&on : (void *)&value;
    int code;
    CUC_RELAXED(code,
                cuc__cu.cuMemPoolSetAttribute(pool->pool, (CUmemPool_attribute)attribute, from));
    return !code ? CUC_OK
                 : cuc__fail_driver(NULL, code, function, "cuMemPoolSetAttribute",
                                    "setting %s of a pool of device %d to %" PRIu64, a->name,
                                    pool->device->ordinal, value);
}

cuc_status cuc_memory_pool_set_attribute(cuc_memory_resource *pool, int32_t attribute,
                                         uint64_t value)
{
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    return st < 0 ? st : set(pool, attribute, value, __func__);
}

cuc_status cuc_memory_pool_get_statistics(cuc_memory_pool_statistics *out,
                                          cuc_memory_resource *pool)
{
    cuc_memory_pool_statistics s = CUC_MEMORY_POOL_STATISTICS_INIT;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    if (st < 0 ||
        (st = get(&s.reserved_bytes, pool, CUC_MEMORY_POOL_RESERVED_CURRENT, __func__)) < 0 ||
        (st = get(&s.reserved_high, pool, CUC_MEMORY_POOL_RESERVED_HIGH, __func__)) < 0 ||
        (st = get(&s.used_bytes, pool, CUC_MEMORY_POOL_USED_CURRENT, __func__)) < 0 ||
        (st = get(&s.used_high, pool, CUC_MEMORY_POOL_USED_HIGH, __func__)) < 0)
        return st;
    return CUC_WRITE_STRUCT(out, &s, cuc_memory_pool_statistics);
}

cuc_status cuc_memory_pool_reset_high_watermarks(cuc_memory_resource *pool)
{
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    if (st >= 0)
        st = set(pool, CUC_MEMORY_POOL_RESERVED_HIGH, 0, __func__);
    return st < 0 ? st : set(pool, CUC_MEMORY_POOL_USED_HIGH, 0, __func__);
}

cuc_status cuc_memory_pool_trim(cuc_memory_resource *pool, uint64_t keep_bytes)
{
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    if (st < 0)
        return st;
    int code;
    CUC_RELAXED(code, cuc__cu.cuMemPoolTrimTo(pool->pool, (size_t)keep_bytes));
    return !code ? CUC_OK
                 : CUC_FAIL_CU(NULL, code, "cuMemPoolTrimTo",
                               "trimming a pool of device %d to %" PRIu64 " bytes",
                               pool->device->ordinal, keep_bytes);
}

cuc_status cuc__memory_pool_set_access(CUmemoryPool pool, const cuc_device *device, int32_t access,
                                       const char *function)
{
    CUmemAccessDesc desc = {
        .location = { CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal },
        .flags = (CUmemAccess_flags)access,
    };
    int code;

    CUC_RELAXED(code, cuc__cu.cuMemPoolSetAccess(pool, &desc, 1));
    return !code ? CUC_OK
                 : cuc__fail_driver(NULL, code, function, "cuMemPoolSetAccess",
                                    "setting the access of device %d to a memory pool to %s",
                                    device->ordinal, access ? "read and write" : "none");
}

cuc_status cuc_memory_pool_set_access(cuc_memory_resource *pool, cuc_device *peer, int32_t access)
{
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    if (st < 0)
        return st;
    CUC_CHECK(peer, DEVICE);
    if (access != CUC_ACCESS_NONE && access != CUC_ACCESS_READ_WRITE)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "access is %d, expected CUC_ACCESS_NONE (0) or CUC_ACCESS_READ_WRITE (3)",
                        access);
    pool->changed = true;
    if (pool->kind == CUC_MEMORY_DEVICE && peer == pool->device)
        return access
                   ? CUC_OK
                   : CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                              "the pool is of device %d, which always has access", peer->ordinal);
    if (pool->kind == CUC_MEMORY_DEVICE && access) {
        int can = 0;
        int code = cuc__cu.cuDeviceCanAccessPeer(&can, peer->handle, pool->device->handle);
        if (code)
            return CUC_FAIL_CU(NULL, code, "cuDeviceCanAccessPeer",
                               "asking whether device %d can reach device %d", peer->ordinal,
                               pool->device->ordinal);
        if (!can)
            return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                            "device %d cannot access the memory of device %d: copy with "
                            "cuc_copy_peer() instead",
                            peer->ordinal, pool->device->ordinal);
    }
    return cuc__memory_pool_set_access(pool->pool, peer, access, __func__);
}

cuc_status cuc_memory_pool_get_access(int32_t *out, cuc_memory_resource *pool, cuc_device *peer)
{
    CUmemAccess_flags flags = 0;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    if (st < 0)
        return st;
    CUC_CHECK(peer, DEVICE);
    CUmemLocation location = { CU_MEM_LOCATION_TYPE_DEVICE, peer->ordinal };
    int code;
    CUC_RELAXED(code, cuc__cu.cuMemPoolGetAccess(&flags, pool->pool, &location));
    if (code)
        return CUC_FAIL_CU(NULL, code, "cuMemPoolGetAccess",
                           "asking for the access of device %d to a pool of device %d",
                           peer->ordinal, pool->device->ordinal);
    *out = (int32_t)flags;
    return CUC_OK;
}
