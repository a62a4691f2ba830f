// The properties of compilation targets.
#include "target.h"

#include <stdio.h>

bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t capacity)
{
    enum {
        ADA = TILE_HAS_CVT_FP8 | TILE_HAS_MMA_FP8,
        LATER = ADA | TILE_HAS_ATOMIC_BF16 | TILE_HAS_GRID_CONTROL | TILE_HAS_MMA_F64_M16 |
                TILE_HAS_SPECIFIC | TILE_HAS_CLUSTERS | TILE_HAS_VECTOR_RED,
        HOPPER = LATER | TILE_HAS_WGMMA | TILE_PAIRS_ROWS,
    };
    // A block may use all of a multiprocessor's shared memory except 1 KiB. TMA and wgmma tiles are
    // aligned to 1024 bytes. The maximum of resident blocks comes from
    // cudaOccMaxBlocksPerMultiprocessor() in cuda_occupancy.h of CUDA 13.0.
    static const struct {
        int sm;
        uint32_t shared_kib, shared_align, most_blocks, features;
    } machines[] = {
        { 80, 163, 128, 32, 0 },      { 86, 99, 128, 16, 0 },       { 87, 163, 128, 16, 0 },
        { 88, 99, 128, 16, 0 },       { 89, 99, 128, 24, ADA },     { 90, 227, 1024, 32, HOPPER },
        { 100, 227, 128, 32, LATER }, { 103, 227, 128, 32, LATER }, { 110, 227, 128, 24, LATER },
        { 120, 99, 128, 24, LATER },  { 121, 99, 128, 24, LATER },
    };

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].sm != sm)
            continue;
        *target = (struct tile_target){
            .sm = sm,
            .specific = specific,
            .shared_limit = machines[i].shared_kib * 1024,
            .shared_align = machines[i].shared_align,
            .most_blocks = machines[i].most_blocks,
            .features = machines[i].features,
            .contract = true,
        };
        return true;
    }
    snprintf(why, capacity,
             "tile programs are compiled for sm_80, 86, 87, 88, 89, 90, 100, 103, 110, "
             "120 and 121");
    return false;
}
