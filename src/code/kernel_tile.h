// Kernels of tile programs. Their launch data come from the signature in the code.
#ifndef CUCORE_CODE_KERNEL_TILE_H
#define CUCORE_CODE_KERNEL_TILE_H

#include <cucore/launch.h>

#include "kernel.h"
#include "tile/signature/signature.h"

enum {
    // The maximum size of an entry's parameter block.
    CUC__TILE_BLOCK_BYTES = TILE_MAX_PARAMETERS * 8 * (1 + 2 * TILE_MAX_RANK) + 2 * TILE_MAP_ALIGN +
                            TILE_MAX_MAPS * TILE_MAP_BYTES,
};

// A tile kernel compiled for one architecture.
struct cuc__tile_code {
    struct tile_signature *signature;
    // The kernels that the signature lists as entries, all with the tile kernel's name. NULL: the
    // object has parts, and no launch has taken this one so far.
    _Atomic(cuc_kernel *) entry[TILE_VARIANTS];
};

// A tile kernel's data, owned by its handle. A fat binary has code of the kernel for several
// architectures, each with its own signature; `code` has those that the machine's devices run.
struct cuc__tile_kernel {
    struct cuc__tile_code *code; // [code_count]
    uint32_t code_count;
    uint32_t device_count;
    uint32_t *of_device; // [device_count] index into `code`, by device ordinal; NULL if there is
                         // only one code
    uint32_t multiprocessors; // that a launch of persistent blocks fills; 0: all
    struct cuc__parameter parameters[TILE_MAX_PARAMETERS];
};

// Returns the code that a device runs.
static inline struct cuc__tile_code *cuc__tile_code_on(const struct cuc__tile_kernel *tile,
                                                       const cuc_device *device)
{
    return &tile->code[tile->of_device ? tile->of_device[device->ordinal] : 0];
}

// Opens an entry of an object with parts, unless another thread does so first.
cuc_status cuc__tile_kernel_open(cuc_kernel **out, struct cuc__tile_code *code, uint32_t number,
                                 const cuc_kernel *kernel) __attribute__((cold));
// Returns a tile kernel of an object. Returns CUC_ERROR_NOT_FOUND, without recording a failure, if
// the object has no signature of that name.
cuc_status cuc__tile_kernel_get(cuc_kernel **out, cuc_object *object, const char *name,
                                const char *function);
void cuc__tile_kernel_free(struct cuc__tile_kernel *tile);

// Takes the interned names of an object's kernels and replaces the entries of each tile kernel with
// the tile kernel's name, once. Releases the replaced names and updates `count`. Returns false if
// out of memory; the caller still owns the remaining names.
bool cuc__tile_kernel_names(const cuc_object *object, const char **names, size_t *count);

// Reads the signature of a kernel in an object, without a driver if the code is readable. In a fat
// binary, reads the signature of the first architecture. Returns CUC_ERROR_NOT_FOUND, without
// recording a failure, if there is none.
cuc_status cuc__tile_signature_of(struct tile_signature **out, cuc_object *object, const char *name,
                                  const char *function);

// Defined in launch/tile.c. Converts arguments to the form that the compiler's functions for
// launches take. Returns false, with a text that names the argument, if an argument's kind or size
// differs from the parameter's. `out` has room for TILE_MAX_PARAMETERS.
bool cuc__tile_read_arguments(struct tile_argument *out, const struct tile_kernel *kernel,
                              const cuc_arg *args, size_t count, char *text, size_t capacity);
// Defined in launch/tensor_maps.c. Fills an entry's parameter block and replaces the grid with the
// launch grid. Encodes tensor maps in the context. Returns false, with the grid unchanged, if the
// entry cannot take these arguments after all.
bool cuc__tile_fill_block(const struct tile_signature *signature, const struct tile_entry *entry,
                          const struct tile_argument *argument, int64_t grid[3],
                          uint32_t multiprocessors, cuc_context *context, void *block);
// Launches a tile kernel. The caller has checked only the stream and kernel handles.
cuc_status cuc__launch_tile(cuc_stream *stream, const cuc_launch_config *config, cuc_kernel *kernel,
                            const cuc_arg *args, size_t count);

#endif
