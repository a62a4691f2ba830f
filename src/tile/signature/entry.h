// Entries: the functions that a kernel becomes in PTX, and what a launch has to know of each.
#ifndef CUCORE_TILE_SIGNATURE_ENTRY_H
#define CUCORE_TILE_SIGNATURE_ENTRY_H

#include "tile/ir/ir.h"

// An entry of a kernel. Entries differ only in speed.
enum tile_variant {
    TILE_ALIGNED_32, // if there is a TILE_OVERLAP_32, this entry also requires that no written
                     // tensor overlaps another
    TILE_INDEX_32,
    TILE_INDEX_64, // takes all arguments
    TILE_TMA,
    TILE_OVERLAP_32, // TILE_ALIGNED_32 with barriers for tensors that overlap
    TILE_VARIANTS,
};
const char *tile_variant_name(enum tile_variant variant); // "idx32+aligned"

enum {
    TILE_MAX_MAPS = 4,
    TILE_MAP_RANK = 5,
    TILE_MAP_BYTES = 128,
    TILE_MAP_ALIGN = 64,
    TILE_GRID_BYTES = 28
};

// A tensor map that a launch encodes for copies by TMA.
struct tile_tensor_map {
    uint32_t parameter;
    uint32_t swizzle; // 0 none, 1, 2, 3: over 32, 64, 128 bytes
    bool rounds;      // f32 is rounded to tf32 by the copy
    // Each copy names the row at which the matrix ends. So the rows are two axes of the map, both
    // with a stride of one row. The coordinate on the second axis gives the end. The coordinate on
    // the first axis, which has as many elements as there are rows, gives a row's distance from the
    // end; the end itself is outside.
    bool ends;
    uint32_t box[TILE_MAP_RANK]; // in elements, last axis first; 1 to 256
};

struct tile_entry {
    enum tile_variant variant;
    const char *name;                       // its symbol
    uint32_t warps;                         // warps of a block
    uint32_t static_shared, dynamic_shared; // bytes per block; a launch provides the dynamic ones
    bool assumes_no_overlap; // a barrier is omitted, since no written tensor overlaps another
    // Blocks are persistent and take one tile of the grid after another. The arguments are followed
    // by the grid, its number of tiles, and inverses that turn a tile's number into its coordinates
    // (tiles.c), then, at TILE_MAP_ALIGN, by the maps.
    bool persistent;
    bool even;       // all tiles take the same time, so fewer blocks in as many rounds are as fast
    uint32_t raster; // tiles along the grid's first axis before the next one along its second; 0:
                     // not persistent
    // Blocks of a cluster along the grid's first axis. A persistent entry's grid is padded to a
    // multiple of this number. The code of other entries does not depend on it; a launch uses
    // clusters if the grid is a multiple.
    uint32_t cluster;
    uint32_t split; // blocks that share a tile of the grid; the grid then counts all of them
    bool flexible;  // a launch chooses that number, up to `split`: it changes no result
    uint32_t map_count;
    struct tile_tensor_map map[TILE_MAX_MAPS];
};

// The offset of each parameter in an entry's parameter block. Returns the bytes of all parameters.
uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at);
// The offset of a persistent entry's maps, and the size of its parameter block; `bytes` of
// arguments.
uint32_t tile_maps_at(uint32_t bytes);
uint32_t tile_block_bytes(const struct tile_entry *entry, uint32_t bytes);

#endif
