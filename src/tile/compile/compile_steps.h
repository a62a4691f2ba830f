// Internal interface of the files that compile a kernel: compile.c, compile_roles.c, measure.c,
// refuse.c.
#ifndef CUCORE_TILE_COMPILE_COMPILE_STEPS_H
#define CUCORE_TILE_COMPILE_COMPILE_STEPS_H

#include "compile.h"

struct tile_text;

// measure.c: how much a kernel computes at once: the elements of its largest tile, and whether a
// reduction needs all of that tile at once.
struct tile_measures {
    int64_t most, line; // elements; of the longest line that is reduced
    int64_t transposed; // bytes per element of a transposed tile
    uint32_t loads;     // number of loads of that size
    bool loops, halves; // some load has 16-bit elements
    bool scans;
};
struct tile_measures tile_measures_of(const struct tile_kernel *kernel);
// True if the kernel reduces its whole tile at once.
bool tile_is_row(const struct tile_measures *m);
uint32_t tile_choose_warps(const struct tile_kernel *kernel, const struct tile_target *target);
// The number of blocks in a cluster.
uint32_t tile_blocks_together(const struct tile_measures *m, const struct tile_target *target,
                              uint32_t warps);

// refuse.c: reports tiles, and accumulators of products, that exceed any block's registers. Entries
// with roles place their accumulators elsewhere, where they fit.
void tile_refuse_huge(struct tile_kernel *kernel);
void tile_refuse_accumulators(struct tile_kernel *kernel, const struct tile_target *target,
                              bool has_roles);

// compile_roles.c: compiles the entry with roles, if the kernel and the target allow one. False if
// there is none, which is no error.
bool tile_compile_roles(const struct tile_kernel *kernel, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);

#endif
