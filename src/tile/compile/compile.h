// From a module to PTX: what is compiled for, and the passes.
#ifndef CUCORE_TILE_COMPILE_COMPILE_H
#define CUCORE_TILE_COMPILE_COMPILE_H

#include "tile/ir/ir.h"

struct tile_target {
    int sm;                // 80, 90, 100, 120
    bool specific;         // sm_90a, sm_100a
    uint32_t warps;        // 0: the compiler chooses, a kernel
    uint32_t stages;       // of a pipeline; 0: as many as fit
    uint32_t cluster;      // blocks that share what they load, where they can; 0 and 1: none
    uint32_t split;        // parts of a pipelined loop, a block each; 0 and 1: none
    uint32_t raster;       // tiles of a pipelined loop's grid side by side; 0: 8
    uint32_t blocks;       // of a kernel that are to find room at once; 0: any number
    uint32_t shared_limit; // bytes a block may have
    bool orders_all;       // barriers for tensors that overlap are in every entry, outside of loops
    bool brief;            // little to assemble comes before the last of speed
    bool contract;         // a * b + c may be rounded once
    bool lineinfo;
    bool require_tma, require_tensor_core;
};

// An entry of a kernel; they differ in speed only.
enum tile_variant {
    TILE_ALIGNED_32, // where there is TILE_OVERLAP_32 too: and no written tensor meets another
    TILE_INDEX_32,
    TILE_INDEX_64, // takes everything
    TILE_TMA,
    TILE_OVERLAP_32, // as TILE_ALIGNED_32, with barriers for tensors that overlap
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

// What a launch encodes of a tensor for copies by TMA.
struct tile_tensor_map {
    uint32_t parameter;
    uint32_t swizzle; // 0 none, 1, 2, 3: over 32, 64, 128 bytes
    bool rounds;      // f32 to tf32 on the way
    // A matrix's rows end at a row that each copy says: they are two axes, both a row apart. Along
    // the second lies the end, and along the first, of as many as there are rows, how far a row is
    // from that: the end itself is outside.
    bool ends;
    uint32_t box[TILE_MAP_RANK]; // elements, of the last axis first; 1 to 256
};

struct tile_entry {
    enum tile_variant variant;
    const char *name;                       // its symbol
    uint32_t warps;                         // of a block
    uint32_t static_shared, dynamic_shared; // bytes a block; a launch gives the dynamic ones
    bool presumes_apart; // a barrier is not there, since no written tensor meets another
    // Blocks stay and take one tile of the grid after the other: behind the arguments stand words,
    // the grid, how many tiles it has, and inverses for the way to a tile by its number (tiles.c);
    // behind that, at TILE_MAP_ALIGN, the maps.
    bool persistent;
    bool even; // all tiles take as long: fewer blocks take them in as many turns
    uint32_t
        raster; // tiles along the grid's first axis before the next along its second; 0: others
    // Blocks of a cluster along the grid's first axis. That of a persistent entry is filled up to
    // it; others know nothing of it, and start so where the grid is a multiple.
    uint32_t cluster;
    uint32_t split; // blocks that do one tile of the grid together; then the grid has all of them
    uint32_t map_count;
    struct tile_tensor_map map[TILE_MAX_MAPS];
};

struct tile_compiled {
    // All kernels with all variants and their signatures, closed by a zero byte; in the module's
    // arena.
    const char *ptx;
    size_t ptx_bytes;
};
// target.c: what a target of that number has; false, with a text, when there is no such one.
bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t room);
// False, with diagnostics, when something cannot be.
bool tile_compile(struct tile_module *module, const struct tile_target *target,
                  struct tile_compiled *out);

// As far as layouts: simplified, and laid out as in all entries that are no pipeline's.
bool tile_lay_out(struct tile_module *module, const struct tile_target *target);

// Where each parameter lies in the block of bytes that entries take; how many there are.
uint32_t tile_parameter_layout(const struct tile_kernel *kernel, uint32_t *at);
// Where a persistent entry's maps begin, and where its block of bytes ends; `bytes` of arguments.
uint32_t tile_maps_at(uint32_t bytes);
uint32_t tile_block_bytes(const struct tile_entry *entry, uint32_t bytes);

// Fold, common subexpressions, motion, dead code, until nothing changes.
void tile_simplify(struct tile_kernel *kernel);
// The passes, in order. Each keeps the IR valid; debug builds verify between them.
bool tile_fold(struct tile_kernel *kernel);       // constants, identities; true: something changed
bool tile_cse(struct tile_kernel *kernel);        // common subexpressions
bool tile_widen_late(struct tile_kernel *kernel); // what may come before f16 and bf16 are widened
bool tile_hoist(struct tile_kernel *kernel);      // what does not change in a loop, out of it
bool tile_drop_dead(struct tile_kernel *kernel);
// What ifs yield and nobody uses: names of an arm that nobody asks for behind it.
bool tile_drop_yields(struct tile_kernel *kernel);
// Of rows of so many elements: what is made again from 16 bits rather than kept in 32. True:
// something.
bool tile_make_again(struct tile_kernel *kernel, int64_t elements);
// How many blocks are to find room on a multiprocessor at once; 0: any number.
uint32_t tile_blocks_at_once(const struct tile_kernel *kernel, uint32_t warps);
// Where a power need not be within its bound.
void tile_find_rough(struct tile_kernel *kernel);

#endif
