// Chooses among the candidates of auto() by the cost model (cost.h), for a kernel whose launch
// extents are known.
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
    uint32_t multiprocessors;   // 0: the number of the architecture's usual device
    struct tile_budget *budget; // NULL: no limits
    bool tries;                 // compile a choice before taking it, and take another if that fails

    // Looks up the measured choice for a kernel, such as "BM=128 BN=256 :stages=4". The key
    // consists of the constants that the host has set and of the extents. Returns false if there is
    // no record. NULL: there are no records.
    bool (*recall)(void *user, const char *kernel, const char *constants, const char *dimensions,
                   char *choice, size_t capacity);
    // Receives "KERNEL.NAME=VALUE" for each chosen constant.
    void (*choose)(void *user, const char *setting);
    // Receives each option of a record, such as "stages", 4.
    void (*option)(void *user, const char *name, int32_t value);
    // Receives a kernel's choice with the model's prediction, or the reason why there is no choice.
    void (*report)(void *user, const char *kernel, const char *text);
    void *user;
};

// Returns false if memory or the budget has run out. Compilation reports errors of the source.
bool tile_choose(const struct tile_choosing *choosing);

// Writes the key of a kernel's record: the constants that the host has set, in the kernel's order,
// and the extents. False if the key does not fit.
bool tile_record_key(const struct tile_choosing *how, const struct tile_kernel *kernel,
                     char *constants, char *dimensions, size_t capacity);

// Calls `visit` for every launchable combination of a kernel's candidates, such as "BM=128 BN=256",
// with the predicted time. The order is unspecified. False if out of memory.
bool tile_visit_candidates(const struct tile_choosing *how, const struct tile_kernel *kernel,
                           void (*visit)(void *user, const char *choice, double seconds),
                           void *user);

// Predicts a kernel's time in seconds; 0 if the kernel cannot be launched or its tiles are too
// large for a block. `how->dimension` gives the extents. Returns false with a reason if they do not
// determine the time.
bool tile_estimate(double *seconds, struct tile_kernel *kernel, const struct tile_choosing *how,
                   char *why, size_t capacity);

// Sets kernel->blocks and kernel->fills_device for a launch with the given dimensions.
void tile_note_grid(struct tile_kernel *kernel, const struct tile_choosing *how);
// Adds a remark, with a remedy, if that launch has fewer blocks than the GPU has multiprocessors.
void tile_remark_grid(const struct tile_kernel *kernel, const struct tile_choosing *how);

#endif
