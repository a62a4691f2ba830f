// From a module to PTX: targets and passes.
#ifndef CUCORE_TILE_COMPILE_COMPILE_H
#define CUCORE_TILE_COMPILE_COMPILE_H

#include "tile/ir/ir.h"

struct tile_target {
    int sm;           // 80, 90, 100, 120
    bool specific;    // sm_90a, sm_100a
    uint32_t warps;   // 0: the compiler chooses for each kernel
    uint32_t stages;  // of a pipeline; 0: as many as fit
    uint32_t cluster; // blocks that share their loads, if possible; 0 and 1: none
    uint32_t split;   // parts of a pipelined loop, one per block; 0 and 1: none
    uint32_t raster; // neighbouring tiles of a pipelined loop's grid; 0: chosen, 8 with loads ahead
    uint32_t blocks; // of a kernel, to fit on a multiprocessor at once; 0: any number
    uint32_t shared_limit; // bytes that a block may have
    bool orders_all;       // every entry has the barriers for tensors that overlap, outside of
                           // loops
    bool brief;            // prefer short code, for fast assembly, to the last bit of speed
    bool contract;         // a * b + c may be rounded once
    bool lineinfo;
    bool require_tma, require_tensor_core;
};

// An entry of a kernel. Entries differ only in speed.
enum tile_variant {
    TILE_ALIGNED_32, // if there is a TILE_OVERLAP_32: also, no written tensor overlaps another
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
    // Each copy names the row at which the matrix ends. For that the rows are two axes of the map,
    // both with a stride of one row. The coordinate on the second gives the end. The coordinate on
    // the first, which has as many elements as there are rows, gives a row's distance from the end;
    // the end itself is outside.
    bool ends;
    uint32_t box[TILE_MAP_RANK]; // in elements, last axis first; 1 to 256
};

struct tile_entry {
    enum tile_variant variant;
    const char *name;                       // its symbol
    uint32_t warps;                         // of a block
    uint32_t static_shared, dynamic_shared; // bytes per block; a launch provides the dynamic ones
    bool presumes_apart; // it omits a barrier, since no written tensor overlaps another
    // Blocks are persistent and take one tile of the grid after another. Behind the arguments lie
    // the grid, its number of tiles, and inverses that turn a tile's number into its coordinates
    // (tiles.c); behind these, at TILE_MAP_ALIGN, the maps.
    bool persistent;
    bool even;       // all tiles take the same time: fewer blocks need as many rounds
    uint32_t raster; // tiles along the grid's first axis before the next one along its second; 0:
                     // not persistent
    // Blocks of a cluster along the grid's first axis. A persistent entry's grid is padded to a
    // multiple of it. Other entries' code does not depend on it; they are launched in clusters if
    // the grid is a multiple.
    uint32_t cluster;
    uint32_t split; // blocks that share a tile of the grid; the grid then counts all of them
    uint32_t map_count;
    struct tile_tensor_map map[TILE_MAX_MAPS];
};

struct tile_compiled {
    // All kernels with all variants and their signatures, zero-terminated, in the module's arena.
    const char *ptx;
    size_t ptx_bytes;
};
// target.c: the properties of a target by its number; false with a text if there is no such target.
bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t room);
// False, with diagnostics, if compilation fails.
bool tile_compile(struct tile_module *module, const struct tile_target *target,
                  struct tile_compiled *out);

// Runs the pipeline up to layouts: simplifies kernels and assigns the layouts of entries without
// roles.
bool tile_lay_out(struct tile_module *module, const struct tile_target *target);

// The offset of each parameter in an entry's parameter block. Returns the bytes of all parameters.
uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at);
// The offset of a persistent entry's maps, and the size of its parameter block; `bytes` of
// arguments.
uint32_t tile_maps_at(uint32_t bytes);
uint32_t tile_block_bytes(const struct tile_entry *entry, uint32_t bytes);

// Folding, late widening, common subexpressions, loop-invariant motion and dead code, until nothing
// changes.
void tile_simplify(struct tile_kernel *kernel);
// The passes, in order. Each keeps the IR valid; debug builds verify between them.
bool tile_fold(struct tile_kernel *kernel);       // constants, identities; true: something changed
bool tile_cse(struct tile_kernel *kernel);        // common subexpressions
bool tile_widen_late(struct tile_kernel *kernel); // delays the widening of f16 and bf16
bool tile_hoist(struct tile_kernel *kernel);      // loop-invariant code motion
bool tile_drop_dead(struct tile_kernel *kernel);
// Drops unused yields of ifs: names of an arm that nobody uses behind it.
bool tile_drop_yields(struct tile_kernel *kernel);
// Rematerializes f32 values from 16-bit words in kernels with rows of so many elements. True if
// something changed.
bool tile_make_again(struct tile_kernel *kernel, int64_t elements);
// The number of blocks that should fit on a multiprocessor at once; 0: any number.
uint32_t tile_blocks_at_once(const struct tile_kernel *kernel, uint32_t warps);
// Finds powers that need not be within their error bound.
void tile_find_rough(struct tile_kernel *kernel);

#endif
