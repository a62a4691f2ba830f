#include "entry.h"

uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at)
{
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct tile_type *type = &kernel->parameter[i].value->type;
        at[i] = bytes;
        bytes += type->tensor ? 8u + 16u * type->rank : 8u;
    }
    return bytes;
}

bool tile_asks_alignment(enum tile_variant variant)
{
    return variant == TILE_INDEX_64 || tile_has_roles(variant);
}

uint32_t tile_grid_at(uint32_t bytes)
{
    return bytes + TILE_ALIGNED_BYTES;
}

uint32_t tile_maps_at(uint32_t bytes)
{
    uint32_t end = tile_grid_at(bytes) + 4 * TILE_GRID_WORDS;

    return (end + TILE_MAP_ALIGN - 1) & ~(uint32_t)(TILE_MAP_ALIGN - 1);
}

uint32_t tile_block_bytes(const struct tile_entry *entry, uint32_t bytes)
{
    if (entry->persistent)
        return tile_maps_at(bytes) + entry->map_count * TILE_MAP_BYTES;
    return tile_asks_alignment(entry->variant) ? bytes + TILE_ALIGNED_BYTES : bytes;
}

const char *tile_variant_name(enum tile_variant variant)
{
    static const char *const names[] = { "idx32+aligned", "idx32",         "idx64",
                                         "tma",           "idx32+overlap", "realigned" };

    return names[variant];
}
