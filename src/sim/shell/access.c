// Determines which devices may access an allocation.
#include "shell.h"

static bool has_peer(const struct context *c, const struct allocation *a)
{
    for (size_t i = 0; i < SIM_DEVICES; i++) {
        const struct context *peer = c->peers[i] ? sim_context_of(c->peers[i]) : NULL;
        if (peer && (a->context ? peer == a->context : peer->device == a->device))
            return true;
    }
    return false;
}

CUmemAccess_flags sim_access(const struct context *c, int device, const struct allocation *a,
                             CUdeviceptr ptr)
{
    const CUmemAccess_flags all = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

    if (a->virtual)
        return sim_virtual_access(ptr, device);
    if (a->pool && a->pool->props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED)
        return a->pool->access[device];
    switch (a->memory) {
    case MEMORY_MANAGED:
    case MEMORY_HOST:
    case MEMORY_REGISTERED:
        return all;
    default:
        return a->managed || (a->pool && a->device < 0) || a->device == device ||
                       (c && has_peer(c, a))
                   ? all
                   : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    }
}
