// Pool objects, with their reserved and used memory.
#include "shell.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

// Reserved memory. It is reserved in chunks and kept after a free. A synchronization reduces it to
// the release threshold.

void sim_pool_reserve(struct pool *pool, uint64_t bytes)
{
    struct device *d = &sim.devices[pool->device];

    if (pool->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        d->used = d->used - pool->reserved + bytes;
    pool->reserved = bytes;
    if (bytes > pool->reserved_high)
        pool->reserved_high = bytes;
}

void sim_pool_trim(struct pool *pool, uint64_t keep)
{
    uint64_t least = sim_round_up(pool->used, SIM_POOL_CHUNK),
             want = sim_round_up(keep, SIM_POOL_CHUNK);

    if (want < least)
        want = least;
    if (pool->reserved > want)
        sim_pool_reserve(pool, want);
}

static void trim_pool(struct object *o, void *data)
{
    struct pool *pool = (struct pool *)o;

    (void)data;
    if (o->kind == KIND_POOL && pool->reserved > pool->threshold)
        sim_pool_trim(pool, pool->threshold);
}

void sim_pools_trim(void)
{
    if (sim.pools)
        sim_visit_objects(trim_pool, NULL);
}

static void pool_free(struct pool *pool)
{
    sim_pool_reserve(pool, 0);
    if (pool->file >= 0)
        close(pool->file);
    sim.pools--;
    sim_delist(pool);
    free(pool);
}

void sim_pool_return(struct pool *pool, size_t bytes)
{
    pool->used -= sim_round_up(bytes, 512);
    pool->allocations--;
    if (pool->head.gone && !pool->allocations)
        pool_free(pool);
}

void sim_pool_end(struct pool *pool)
{
    for (int i = 0; i < SIM_DEVICES; i++) {
        struct device *d = &sim.devices[i];
        for (size_t type = 0; type < 2; type++)
            if (d->default_pool[type] == pool)
                d->default_pool[type] = NULL;
        if (d->pool == pool)
            d->pool = NULL;
    }
    if (sim.host_pool == pool)
        sim.host_pool = NULL;
    pool->head.gone = true;
    if (!pool->allocations)
        pool_free(pool);
}

struct pool *sim_pool_new(const CUmemPoolProps *props)
{
    struct pool *p = sim_alloc(sizeof(*p));

    p->file = -1;
    p->props = *props;
    p->device = props->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? props->location.id : 0;
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    if (props->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        p->access[p->device] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    else
        for (int i = 0; i < SIM_DEVICES; i++)
            p->access[i] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    sim.pools++;
    sim_enlist(p, KIND_POOL, NULL);
    return p;
}

void sim_pool_forget(struct pool *pool, const struct allocation *a)
{
    if (!pool->imported)
        (void)fallocate(pool->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        (off_t)a->file_offset, (off_t)sim_round_up(a->bytes, 4096));
}
