// Entries: the PTX functions that a kernel becomes, and the data that a launch needs about each.
#ifndef CUCORE_TILE_SIGNATURE_ENTRY_H
#define CUCORE_TILE_SIGNATURE_ENTRY_H

#include "tile/ir/ir.h"

// The kinds of entries of a kernel. They differ only in speed.
enum tile_variant {
    TILE_ALIGNED_32, // if there is a TILE_OVERLAP_32, this entry also requires that written tensors
                     // overlap no other tensor
    TILE_INDEX_32,
    TILE_INDEX_64, // takes all arguments
    TILE_TMA,
    TILE_OVERLAP_32, // TILE_ALIGNED_32 with barriers for tensors that overlap
    TILE_REALIGNED,  // as TILE_TMA, with operands of any alignment, which threads copy
    TILE_VARIANTS,
};
const char *tile_variant_name(enum tile_variant variant); // "idx32+aligned"
// True if the entry's threads have roles.
static inline bool tile_has_roles(enum tile_variant variant)
{
    return variant == TILE_TMA || variant == TILE_REALIGNED;
}

enum {
    TILE_MAX_MAPS = 4,
    TILE_MAP_RANK = 5,
    TILE_MAP_BYTES = 128,
    TILE_MAP_ALIGN = 64,
    TILE_VECTOR_BYTES = 16, // of the widest access; an aligned tensor's base and strides are
                            // multiples
    TILE_ALIGNED_BYTES = 8,
    TILE_GRID_WORDS = 8,
    TILE_MAPS_WORD = 7, // the last of these: a bit for each map that exists
};

// A tensor map that a launch encodes for copies by TMA.
struct tile_tensor_map {
    uint32_t parameter;
    uint32_t swizzle; // 0 none, 1, 2, 3: over 32, 64, 128 bytes
    bool rounds;      // f32 is rounded to tf32 by the copy
    // Each copy specifies the row e at which the matrix ends, by an additional axis: row r has the
    // coordinates (r + rows - e, e), and the address base + (r + rows) * pitch, from a base that
    // lies `rows` rows before the matrix. Rows from e on are outside of the first axis.
    bool ends;
    // The entry takes a tensor that no map describes: threads then move its elements.
    bool optional;
    uint32_t box[TILE_MAP_RANK]; // in elements, last axis first; 1 to 256
};

struct tile_entry {
    enum tile_variant variant;
    const char *name;                       // its symbol
    uint32_t warps;                         // warps of a block
    uint32_t static_shared, dynamic_shared; // bytes per block; a launch provides the dynamic ones
    // Tensors that must be aligned (tile_is_aligned()), one bit per parameter. The entry asks at
    // run time for the others.
    uint64_t aligned;
    bool assumes_no_overlap; // a barrier is omitted, since no written tensor overlaps another
    // Blocks are persistent and take one tile of the grid after another.
    bool persistent;
    bool even;       // all tiles take the same time, so fewer blocks with the same number of rounds
                     // are as fast
    uint32_t raster; // width, along the grid's first axis, of the strips in which tiles are
                     // numbered; 0: not persistent
    // Blocks of a cluster along the grid's first axis. A persistent entry's grid is padded to a
    // multiple of this number. The code of other entries does not depend on it; a launch uses
    // clusters if the grid is a multiple of it.
    uint32_t cluster;
    uint32_t split;     // blocks that share one tile; the launched grid counts all of them
    bool flexible;      // a launch may use fewer, since the result does not depend on it
    uint64_t realigned; // parameters that threads realign, one bit each
    uint32_t map_count;
    struct tile_tensor_map map[TILE_MAX_MAPS];
};

// Returns the number of blocks in clusters that are resident together, one on a multiprocessor.
// Groups of multiprocessors (GPCs) have different sizes, so clusters of more than two blocks leave
// some unused: an H200 has room for 30 clusters of 4, and 15 of 8.
static inline uint32_t tile_resident_blocks(uint32_t multiprocessors, uint32_t cluster)
{
    uint32_t usable = cluster > 2 ? multiprocessors * 10 / 11 : multiprocessors;

    return usable >= cluster ? usable - usable % cluster : cluster;
}

// An entry's parameter block: the arguments; a bit for each aligned tensor, TILE_ALIGNED_BYTES, if
// the entry asks for it; and for persistent entries TILE_GRID_WORDS (the grid, its number of tiles,
// inverses that turn a tile's number into its coordinates (tiles.c), TILE_MAPS_WORD), then, at
// TILE_MAP_ALIGN, the maps.

// Writes the offset of each parameter to `at`, and returns the bytes of all.
uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at);
bool tile_asks_alignment(enum tile_variant variant);
// The offsets of a persistent entry's grid and maps, and the size of a parameter block; `bytes` of
// arguments.
uint32_t tile_grid_at(uint32_t bytes);
uint32_t tile_maps_at(uint32_t bytes);
uint32_t tile_block_bytes(const struct tile_entry *entry, uint32_t bytes);

#endif
