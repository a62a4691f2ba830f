// Entries: the PTX functions into which a kernel is compiled, and the data that a launch needs
// about each.
#ifndef CUCORE_TILE_SIGNATURE_ENTRY_H
#define CUCORE_TILE_SIGNATURE_ENTRY_H

#include "tile/ir/ir.h"

// The kinds of entries of a kernel. They differ only in speed.
enum tile_variant {
    TILE_ALIGNED_32, // if there is a TILE_OVERLAP_32, this entry requires that written tensors do
                     // not overlap other tensors
    TILE_INDEX_32,   // last strides of 1, any alignment
    TILE_INDEX_64,   // takes all arguments
    TILE_TMA,
    TILE_OVERLAP_32, // the same code with barriers for overlapping tensors
    TILE_REALIGNED,  // like TILE_TMA, but threads copy the operands, which may have any alignment
    TILE_VARIANTS,
};
const char *tile_variant_name(enum tile_variant variant); // "idx32+aligned"
// True if the entry is warp-specialized: its warps have different roles.
static inline bool tile_has_roles(enum tile_variant variant)
{
    return variant == TILE_TMA || variant == TILE_REALIGNED;
}

enum {
    TILE_MAX_MAPS = 6,
    TILE_MAP_RANK = 5,
    TILE_MAP_BYTES = 128,
    TILE_MAP_ALIGN = 64,
    TILE_VECTOR_BYTES = 16, // bytes of the widest access
    TILE_ALIGNED_BYTES = 8,
    TILE_GRID_WORDS = 8,
    TILE_MAPS_WORD = 7, // index of the last word, which has a bit for each map that exists
};

// A tensor map that a launch encodes for TMA copies.
struct tile_tensor_map {
    uint32_t parameter;
    uint32_t swizzle; // 0: none; 1, 2, 3: a swizzle over 32, 64, 128 bytes
    bool rounds;      // the copy rounds f32 to tf32
    // Each copy chooses the row e at which the matrix ends, by means of an additional axis. The
    // map's base lies n rows before the matrix, which has n rows. Row r has the coordinates
    // (r + n - e, e) and the address base + (r + n) * pitch. Rows from e on are out of bounds along
    // the first axis.
    bool ends;
    // The entry also accepts a tensor that no map can describe. Threads then copy its elements.
    bool optional;
    uint32_t box[TILE_MAP_RANK]; // in elements, last axis first; 1 to 256
    uint8_t step[TILE_MAP_RANK]; // distance between the box's elements that are copied; 0: all are
                                 // copied
};

struct tile_entry {
    enum tile_variant variant;
    const char *name;                       // name of its PTX function
    uint32_t warps;                         // warps of a block
    uint32_t static_shared, dynamic_shared; // bytes per block; the launch must request the dynamic
                                            // ones
    // Tensors that must be aligned (tile_is_aligned()), one bit per parameter. The kernel checks
    // the alignment of the others at run time.
    uint64_t aligned;
    bool narrow;             // extents and distances in bytes must be below 2^31
    bool assumes_no_overlap; // omits a barrier, since it assumes that no written tensor overlaps
                             // another
    // Blocks are persistent: each processes one tile of the grid after another.
    bool persistent;
    bool even;       // all tiles take the same time, so a launch may use fewer blocks if the number
                     // of rounds stays the same
    uint32_t raster; // persistent: width, along the grid's first axis, of the strips in which tiles
                     // are numbered; otherwise 0
    // Blocks per cluster, along the grid's first axis; of 8 blocks of a persistent entry, two are
    // neighbors along the second axis. A persistent entry's grid is padded to whole clusters. The
    // code of other entries does not depend on the number, and a launch uses clusters only if the
    // grid is a multiple of it.
    uint32_t cluster;
    uint32_t split;     // blocks that share one tile; the launch grid counts all of them
    bool flexible;      // a launch may use fewer blocks per tile, since the result does not depend
                        // on their number
    uint64_t realigned; // parameters that threads realign, one bit each
    uint32_t map_count;
    struct tile_tensor_map map[TILE_MAX_MAPS];
};

// Returns how many blocks of a persistent entry's cluster are neighbors along the grid's second
// axis. The others are neighbors along the first axis.
static inline uint32_t tile_cluster_across(uint32_t cluster)
{
    return cluster > 4 ? 2 : 1;
}

// Returns how many blocks can be resident at once in clusters, with one block per multiprocessor.
// Clusters of more than two blocks leave some multiprocessors unused, since groups of
// multiprocessors (GPCs) differ in size: an H200 has room for 30 clusters of 4, or 15 of 8.
static inline uint32_t tile_resident_blocks(uint32_t multiprocessors, uint32_t cluster)
{
    uint32_t usable = cluster > 2 ? multiprocessors * 10 / 11 : multiprocessors;

    return usable >= cluster ? usable - usable % cluster : cluster;
}

// The layout of an entry's parameter block:
//
// - the arguments;
// - for entries that check alignment, TILE_ALIGNED_BYTES with a bit for each aligned tensor;
// - for persistent entries, TILE_GRID_WORDS words: the grid, its number of tiles, inverses that
//   turn a tile's number into its coordinates (tiles.c), and TILE_MAPS_WORD;
// - for persistent entries, the tensor maps, aligned to TILE_MAP_ALIGN.

// Returns the number of bytes of the widest access to a parameter. The base and the strides of an
// aligned tensor, except the last stride, are multiples of this number.
static inline uint32_t tile_vector_bytes(const struct tile_parameter *p)
{
    return p->vector_bytes ? p->vector_bytes : TILE_VECTOR_BYTES;
}

// Writes the offset of each parameter to `at`, and returns the size of all of them.
uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at);
bool tile_asks_alignment(enum tile_variant variant);
// Return the offsets of a persistent entry's grid and maps, and the size of its parameter block.
// `bytes`: size of the arguments.
uint32_t tile_grid_at(uint32_t bytes);
uint32_t tile_maps_at(uint32_t bytes);
uint32_t tile_block_bytes(const struct tile_entry *entry, uint32_t bytes);

#endif
