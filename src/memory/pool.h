// Internal interface of the memory-pool files.
#ifndef CUCORE_MEMORY_POOL_H
#define CUCORE_MEMORY_POOL_H

#include "resource.h"

// Refuses an invalid resource, and a resource without a pool. Defined in pool.c.
cuc_status cuc__memory_pool_check(const cuc_memory_resource *pool, const char *function);

// Gives a device access to a pool (_READ_WRITE) or withdraws it (CUC_ACCESS_NONE). Defined in
// pool_attributes.c.
cuc_status cuc__memory_pool_set_access(CUmemoryPool pool, const cuc_device *device, int32_t access,
                                       const char *function);

// Returns a released pool that is equivalent to a new one with these properties, or NULL if the
// caller must create one. pool_reuse.c explains why pools are reused.
CUmemoryPool cuc__pool_reuse(const CUmemPoolProps *props);

// Keeps a pool that may have held memory instead of destroying it. A later pool with `props` reuses
// it. If `props` is NULL, the pool is destroyed after some time. `imported` means that the pool
// cannot report its contents. The caller must be in relaxed mode.
void cuc__pool_recycle(CUmemoryPool pool, const CUmemPoolProps *props, bool imported);

// Destroys the kept pools that hold no memory, for tests that count pools. No thread may be waiting
// for a stream.
void cuc__pools_destroy_released(void);

#endif
