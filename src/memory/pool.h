// Pools, between the files of theirs.
#ifndef CUCORE_MEMORY_POOL_H
#define CUCORE_MEMORY_POOL_H

#include "resource.h"

// Refuse what is no resource, or one without a pool. memory_pool.c.
cuc_status cuc__memory_pool_check(const cuc_memory_resource *pool, const char *function);

// Let a device reach a pool, or no longer: CUC_ACCESS_NONE or _READ_WRITE.
// memory_pool_attributes.c.
cuc_status cuc__memory_pool_set_access(CUmemoryPool pool, const cuc_device *device, int32_t access,
                                       const char *function);

// A pool that was released and is as one that is made with these properties, or NULL: then make one.
// memory_pool_rest.c, which says why.
CUmemoryPool cuc__pool_wake(const CUmemPoolProps *props);

// Instead of destroying a pool that may have held memory: it is used again by `props`, or, where
// that is NULL, destroyed in time. An imported one can never be asked what it holds. In relaxed mode.
void cuc__pool_rest(CUmemoryPool pool, const CUmemPoolProps *props, bool imported);

// Destroy all that rest, now. For tests that count, where no thread waits for a stream.
void cuc__pools_settle(void);

#endif
