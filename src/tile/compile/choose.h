// Chooses the candidates of auto() for a kernel that will be launched with known extents: those
// that the cost model (cost.h) rates best.
#ifndef CUCORE_TILE_COMPILE_CHOOSE_H
#define CUCORE_TILE_COMPILE_CHOOSE_H

#include "compile.h"

struct tile_choosing {
    const char *file, *text;
    size_t bytes;
    const char *const *setting; // the host's settings, which are fixed
    uint32_t settings;
    const char *const *dimension; // "M=4096": dimensions and integer scalars
    uint32_t dimensions;
    const struct tile_target *target;
    uint32_t multiprocessors;   // 0: the architecture's usual device
    struct tile_budget *budget; // NULL: no limits

    // Looks up a measured choice for a kernel, such as "BM=128 BN=256 :stages=4", by the constants
    // that the host has set and by the extents. Returns false if there is none. NULL: no records.
    bool (*recall)(void *user, const char *kernel, const char *constants, const char *dimensions,
                   char *choice, size_t capacity);
    // Receives "KERNEL.NAME=VALUE" for each chosen constant.
    void (*choose)(void *user, const char *setting);
    // Receives each option of a record, such as "stages", 4.
    void (*option)(void *user, const char *name, int32_t value);
    // Receives the choice for a kernel and the model's prediction, or the reason why there is none.
    void (*report)(void *user, const char *kernel, const char *text);
    void *user;
};

// False if out of memory or if the budget is spent. Errors of the source are reported by the
// compilation.
bool tile_choose(const struct tile_choosing *choosing);

// Makes the key of a kernel's record: the constants that the host has set, in the kernel's order,
// and the extents. False if they do not fit.
bool tile_record_key(const struct tile_choosing *how, const struct tile_kernel *kernel,
                     char *constants, char *dimensions, size_t capacity);

// Visits, in no particular order, every launchable combination of a kernel's candidates, such as
// "BM=128 BN=256", with the model's prediction. False if out of memory.
bool tile_visit_candidates(const struct tile_choosing *how, const struct tile_kernel *kernel,
                           void (*visit)(void *user, const char *choice, double seconds),
                           void *user);

// Predicts a kernel's time in seconds; 0 if it cannot be launched, or is too large for any block.
// `extent`: like `dimension` above. Returns false with a reason if the given values do not
// determine the time.
bool tile_estimate(double *seconds, struct tile_kernel *kernel, const struct tile_choosing *how,
                   char *why, size_t capacity);

// Sets kernel->blocks and kernel->fills_device for the launch that the given dimensions determine.
void tile_note_grid(struct tile_kernel *kernel, const struct tile_choosing *how);
// Remarks if that launch has fewer blocks than the GPU has multiprocessors, with the remedy.
void tile_remark_grid(const struct tile_kernel *kernel, const struct tile_choosing *how);

#endif
