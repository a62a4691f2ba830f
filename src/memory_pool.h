// Pools, between the files of theirs.
#ifndef CUCORE_SRC_MEMORY_POOL_H
#define CUCORE_SRC_MEMORY_POOL_H

#include "memory_resource.h"

// Refuse what is no resource, or one without a pool. memory_pool.c.
cuc_status cuc__memory_pool_check(const cuc_memory_resource *pool, const char *function);

// Let a device reach a pool, or no longer: CUC_ACCESS_NONE or _READ_WRITE.
// memory_pool_attributes.c.
cuc_status cuc__memory_pool_set_access(CUmemoryPool pool, const cuc_device *device, int32_t access,
                                       const char *function);

#endif
