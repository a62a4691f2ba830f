// Kernels of tile programs: what their launch knows besides, from the signature in the code.
#ifndef CUCORE_CODE_KERNEL_TILE_H
#define CUCORE_CODE_KERNEL_TILE_H

#include <cucore/launch.h>

#include "kernel.h"
#include "tile/signature/signature.h"

enum {
    // The most that entries take.
    CUC__TILE_BLOCK_BYTES = TILE_MAX_PARAMETERS * 8 * (1 + 2 * TILE_MAX_RANK) + 2 * TILE_MAP_ALIGN +
                            TILE_MAX_MAPS * TILE_MAP_BYTES,
};

// Belongs to the handle of a tile kernel.
struct cuc__tile_kernel {
    struct tile_signature *signature;
    cuc_kernel *entry[TILE_VARIANTS]; // of the signature's entries, under the kernel's name
    struct cuc__parameter parameters[TILE_MAX_PARAMETERS];
};

// A tile kernel of an object. CUC_ERROR_NOT_FOUND, with no failure recorded, when the object has no
// signature of that name.
cuc_status cuc__tile_kernel_get(cuc_kernel **out, cuc_object *object, const char *name,
                                const char *function);
void cuc__tile_kernel_free(struct cuc__tile_kernel *tile);

// Replaces the entries of tile kernels among the interned names of an object's kernels by the tile
// kernels, and keeps each name once; names that are left out are released. `count` is how many
// there were, and then are. False without memory: the names that are left are the caller's still.
bool cuc__tile_kernel_names(const cuc_object *object, const char **names, size_t *count);

// The signature of a kernel in an object, without a driver where the code can be read; NULL with no
// failure recorded when there is none.
cuc_status cuc__tile_signature_of(struct tile_signature **out, cuc_object *object, const char *name,
                                  const char *function);

// launch_tile.c: arguments as the compiler's host side has them; false, with a text that names the
// argument, when one is of another kind or size than the parameter. `out` has room for
// TILE_MAX_PARAMETERS.
bool cuc__tile_read_arguments(struct tile_argument *out, const struct tile_kernel *kernel,
                              const cuc_arg *args, size_t count, char *text, size_t room);
// launch_tile_maps.c: the block of bytes that an entry takes; the grid becomes that of the launch.
// Tensor maps are encoded in the context. False when the entry cannot take these arguments after
// all.
bool cuc__tile_fill_block(const struct tile_signature *signature, const struct tile_entry *entry,
                          const struct tile_argument *argument, int64_t grid[3],
                          uint32_t multiprocessors, cuc_context *context, void *block);
// A launch whose stream, kernel and arguments were not looked at but for their
// handles.
cuc_status cuc__launch_tile(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel,
                            const cuc_arg *args, size_t count);

#endif
