// Fills the parameter block of a tile kernel's entry with the arguments and, for a persistent
// entry, the grid and the tensor maps. Each thread caches a few tensor maps, keyed by all their
// inputs, so that repeated launches with the same tensors encode nothing.
#include "code/kernel_tile.h"

#include "device/context.h"

#include <string.h>

enum { KEPT = 16 };

struct key {
    uint64_t address;
    struct tile_map_shape shape;
    uint32_t box[TILE_MAP_RANK];
    uint32_t dtype, swizzle;
    uint8_t step[TILE_MAP_RANK];
};

struct kept {
    struct key key;
    CUtensorMap map;
};

static _Thread_local struct kept kept[KEPT];
static _Thread_local uint32_t next_kept;

static CUtensorMapDataType map_dtype(cuc_dtype dtype, bool rounds)
{
    if (rounds)
        return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    switch (dtype) {
    case CUC_F16:
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case CUC_BF16:
        return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    default: // copied as bits
        break;
    }
    switch (cuc_dtype_bits(dtype)) {
    case 8:
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case 16:
        return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case 32:
        return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    default:
        return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    }
}

// Encodes a map in the given context, because the driver does not encode without one.
static bool encode(CUtensorMap *map, const struct key *key, cuc_context *context)
{
    uint32_t step[TILE_MAP_RANK];
    bool pushed = false;
    CUresult r;

    if (!cuc__cu.cuTensorMapEncodeTiled || cuc__context_enter(context, &pushed, "cuc_launch") < 0)
        return false;
    for (uint32_t i = 0; i < TILE_MAP_RANK; i++)
        step[i] = key->step[i] ? key->step[i] : 1;
    r = cuc__cu.cuTensorMapEncodeTiled(
        map, key->dtype, key->shape.rank, (void *)(uintptr_t)key->address, key->shape.dims,
        key->shape.strides, key->box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, key->swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return cuc__context_leave(context, pushed, CUC_OK, "cuc_launch") >= 0 && r == CUDA_SUCCESS;
}

static const CUtensorMap *map_of(const struct tile_tensor_map *how, const cuc_tensor *t,
                                 cuc_context *context)
{
    struct key key;
    struct kept *k;

    memset(&key, 0, sizeof(key)); // compared as bytes
    if (!tile_map_shape_of(&key.shape, t))
        return NULL;
    key.address = t->data;
    // Add an axis whose coordinate selects the row at which the matrix ends. Its stride is one row,
    // like that of the axis of rows. The base address moves back by the height of the matrix.
    if (how->ends) {
        key.shape.rank = 3;
        key.shape.dims[2] = key.shape.dims[1] + 1;
        key.shape.strides[1] = key.shape.strides[0];
        key.address -= key.shape.dims[1] * key.shape.strides[0];
    }
    memcpy(key.box, how->box, sizeof(key.box));
    memcpy(key.step, how->step, sizeof(key.step));
    key.dtype = map_dtype(t->dtype, how->rounds);
    key.swizzle = how->swizzle;
    for (uint32_t i = 0; i < KEPT; i++)
        if (memcmp(&kept[i].key, &key, sizeof(key)) == 0)
            return &kept[i].map;
    k = &kept[next_kept++ % KEPT];
    memset(&k->key, 0, sizeof(k->key));
    if (!encode(&k->map, &key, context))
        return NULL;
    memcpy(&k->key, &key, sizeof(key));
    return &k->map;
}

// Returns the multiplier by which blocks divide a tile's number (emit/tiles.c).
static uint32_t inverse_of(int64_t x)
{
    return x ? (uint32_t)(UINT32_MAX / x) : 0;
}

// Returns the number of blocks: one for each multiprocessor, or for each tile if there are fewer.
// If `even` is set, returns the smallest number of blocks, in whole clusters, that needs no more
// waves. All waves then have the same number of blocks and, if the counts divide evenly, work on
// equal rectangles of tiles.
static int64_t blocks_for(int64_t tiles, uint32_t most, uint32_t cluster, bool even)
{
    if (tiles <= most || !even)
        return tiles < most ? tiles : most;
    int64_t waves = (tiles + most - 1) / most, blocks = (tiles + waves - 1) / waves;
    return (blocks + cluster - 1) / cluster * cluster;
}

bool cuc__tile_fill_block(const struct tile_signature *s, const struct tile_entry *entry,
                          const struct tile_argument *argument, int64_t grid[3],
                          uint32_t multiprocessors, cuc_context *context, void *block)
{
    unsigned char *to = block;
    uint32_t words[TILE_GRID_WORDS] = { 0 }, cluster = entry->cluster ? entry->cluster : 1;
    uint32_t across = tile_cluster_across(cluster);
    const uint32_t of_cluster[] = { cluster / across, across, 1 };
    int64_t tiles = 1, padded[3];

    tile_pack_arguments(s->kernel, entry->variant, argument, block);
    if (!entry->persistent)
        return true;
    for (int i = 0; i < 3; i++) {
        padded[i] = (grid[i] + of_cluster[i] - 1) / of_cluster[i] * of_cluster[i];
        if (padded[i] > INT32_MAX / tiles)
            return false;
        tiles *= padded[i];
        words[i] = (uint32_t)grid[i];
    }
    if (multiprocessors < cluster || multiprocessors < entry->split)
        return false;
    multiprocessors = tile_resident_blocks(multiprocessors, cluster);
    // If clusters extend along both axes, the kernel numbers clusters instead of tiles.
    int64_t width = padded[0] / (across > 1 ? of_cluster[0] : 1), height = padded[1] / across;
    words[3] = (uint32_t)tiles;
    words[4] = inverse_of(height * width);
    words[5] = inverse_of(height);
    words[6] = inverse_of(entry->raster ? width % entry->raster : 0);
    unsigned char *maps = to + tile_maps_at(s->parameter_bytes);
    for (uint32_t i = 0; i < entry->map_count; i++, maps += TILE_MAP_BYTES) {
        const struct tile_tensor_map *how = &entry->map[i];
        const cuc_tensor *t = argument[how->parameter].tensor;
        const CUtensorMap *map = NULL;
        if (how->optional && !tile_can_have_map(s, how, t)) {
            memset(maps, 0, TILE_MAP_BYTES);
            continue;
        }
        if (!(map = map_of(how, t, context)))
            return false;
        memcpy(maps, map, TILE_MAP_BYTES);
        words[TILE_MAPS_WORD] |= UINT32_C(1) << i;
    }
    memcpy(to + tile_grid_at(s->parameter_bytes), words, sizeof(words));
    int64_t blocks = entry->split > 1 ? tiles * entry->split
                                      : blocks_for(tiles, multiprocessors, cluster, entry->even);
    if (blocks > INT32_MAX)
        return false;
    grid[0] = blocks;
    grid[1] = grid[2] = 1;
    return true;
}
