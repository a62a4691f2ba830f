// Which candidates of auto() a kernel is compiled with, for the extents that it will be launched
// with: those that the model (cost.h) likes best.
#ifndef CUCORE_TILE_COMPILE_CHOOSE_H
#define CUCORE_TILE_COMPILE_CHOOSE_H

#include "compile.h"

struct tile_choosing {
    const char *file, *text;
    size_t bytes;
    const char *const *setting; // the host's, which stay as they are
    uint32_t settings;
    const char *const *dimension; // "M=4096": dimensions, and integer scalars
    uint32_t dimensions;
    const struct tile_target *target;
    uint32_t multiprocessors; // 0: as the architecture's usual device
    struct tile_budget *budget; // NULL: no limits

    // What was measured for a kernel, with the constants that the host has set and the extents that
    // it has, as "BM=128 BN=256 :stages=4"; false: nothing was. NULL: nobody is asked.
    bool (*recall)(void *user, const char *kernel, const char *constants, const char *dimensions,
                   char *choice, size_t room);
    // Gets "KERNEL.NAME=VALUE" for each constant that is chosen.
    void (*choose)(void *user, const char *setting);
    // Gets what a record says besides constants: "stages", 4.
    void (*option)(void *user, const char *name, int32_t value);
    // Gets what is chosen for a kernel and what the model thinks of it, or why nothing is.
    void (*tell)(void *user, const char *kernel, const char *text);
    void *user;
};

// False: there is no memory, or the budget has ended. Errors of the source are for those who compile
// it.
bool tile_choose(const struct tile_choosing *choosing);

// What a kernel's record is kept under: constants that the host has set, in the kernel's order, and
// extents. False: they do not fit.
bool tile_record_key(const struct tile_choosing *how, const struct tile_kernel *kernel,
                     char *constants, char *dimensions, size_t room);

// Every combination of a kernel's candidates that can be launched, "BM=128 BN=256", with what the
// model thinks of it, in no order. False: there is no memory.
bool tile_visit_candidates(const struct tile_choosing *how, const struct tile_kernel *kernel,
                           void (*visit)(void *user, const char *choice, double seconds),
                           void *user);

// What a kernel takes, in seconds, by the model; 0: it cannot be launched so. `extent` as
// `dimension` above. False, and why, when what is given is not enough to tell.
bool tile_estimate(double *seconds, struct tile_kernel *kernel, const struct tile_choosing *how,
                   char *why, size_t room);

#endif
