// What the files share that compile a kernel: compile.c, compile_roles.c, measure.c, refuse.c.
#ifndef CUCORE_TILE_COMPILE_COMPILE_STEPS_H
#define CUCORE_TILE_COMPILE_COMPILE_STEPS_H

#include "compile.h"

struct tile_text;

// compile.c: debug builds look after each pass whether the IR still keeps its rules.
bool tile_keeps_rules(struct tile_kernel *kernel, const char *after);

// measure.c: how much is done at once: the elements of the largest tile there is, and whether all
// of one line of it comes together.
struct tile_measures {
    int64_t most, line; // elements; of the longest line that is reduced
    int64_t turned;     // bytes of an element of what is transposed
    uint32_t loads;     // of so many elements
    bool loops, halves; // something of 16 bits is loaded
    bool scans;
};
struct tile_measures tile_measures_of(const struct tile_kernel *kernel);
// Whether a row comes together as a whole.
bool tile_is_row(const struct tile_measures *m);
uint32_t tile_choose_warps(const struct tile_kernel *kernel, const struct tile_target *target);
// How many blocks start together.
uint32_t tile_blocks_together(const struct tile_measures *m, const struct tile_target *target,
                              uint32_t warps);

// refuse.c: errors for tiles, and for sums of products, that no block has registers for; entries
// with roles have their sums elsewhere, where they fit.
void tile_refuse_huge(struct tile_kernel *kernel);
void tile_refuse_sums(struct tile_kernel *kernel, const struct tile_target *target, bool has_roles);

// compile_roles.c: the entry with roles, where the kernel is made for it and the target has them.
// False: there is none, which is no error.
bool tile_compile_roles(const struct tile_kernel *kernel, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);

#endif
