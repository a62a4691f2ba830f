// Compiles a module to PTX.
#ifndef CUCORE_TILE_COMPILE_COMPILE_H
#define CUCORE_TILE_COMPILE_COMPILE_H

#include "tile/ir/target.h"
#include "tile/signature/entry.h"
#include "tile/pass/pass.h"

struct tile_compiled {
    // The PTX of all kernels and all their variants, with signatures. Zero-terminated, in the
    // module's arena.
    const char *ptx;
    size_t ptx_bytes;
};
// Returns false, with diagnostics, if compilation fails.
bool tile_compile(struct tile_module *module, const struct tile_target *target,
                  struct tile_compiled *out);

// Runs the passes up to layout assignment: simplifies the kernels, and assigns layouts for their
// entries without roles.
bool tile_lay_out(struct tile_module *module, const struct tile_target *target);

#endif
