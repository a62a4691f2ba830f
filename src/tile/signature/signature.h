// A kernel's signature: the data that a launch needs (parameters, dimensions, facts, grid,
// entries), as bytes in the PTX and cubin. Reading a signature yields a kernel's header without a
// body, which host.h accepts in place of a compiled kernel.
//
// The PTX contains it as the array __cucore_tile_KERNEL. It begins with a head of 16 bytes: magic,
// version, length, and checksum of the rest, each 4 bytes, little-endian. Then come numbers, with 7
// bits per byte, lowest bits first, and strings, each preceded by its length. The codes of kinds
// and ops are fixed, independently of any enum.
#ifndef CUCORE_TILE_SIGNATURE_SIGNATURE_H
#define CUCORE_TILE_SIGNATURE_SIGNATURE_H

#include "entry.h"
#include "tile/ir/host.h"
#include "tile/ir/text.h"

enum {
    TILE_SIGNATURE_VERSION = 8,
    TILE_SIGNATURE_MAX_BYTES = 1 << 20,
    TILE_MAX_PARAMETERS = 64,
    TILE_MAX_DIMENSIONS = TILE_MAX_PARAMETERS * TILE_MAX_RANK,
};

#define TILE_SIGNATURE_PREFIX "__cucore_tile_"

struct tile_signature {
    struct tile_module *module;             // owns all of the signature
    struct tile_kernel *kernel;             // no body, no constants
    uint64_t written;                       // bit i: the kernel stores to parameter i
    struct tile_entry entry[TILE_VARIANTS]; // fastest first; the last one accepts all arguments
    uint32_t entries;
    uint32_t parameter_bytes; // size of the entries' parameter block
};

// Returns a bit for each parameter to which a kernel stores.
uint64_t tile_written_parameters(const struct tile_kernel *kernel);

// Writes the signature as a PTX directive. False, with a diagnostic, if the header is too large.
bool tile_signature_put(struct tile_text *out, const struct tile_kernel *kernel, uint64_t written,
                        const struct tile_entry *entry, uint32_t entries);

// Reads a signature from untrusted bytes. Returns NULL with the reason in `why`, or with "" if out
// of memory.
struct tile_signature *tile_signature_read(const void *bytes, size_t count, char *why,
                                           size_t capacity);
void tile_signature_free(struct tile_signature *signature);

// select.c: returns the first entry whose conditions hold, for arguments that tile_bind_arguments()
// has accepted.
const struct tile_entry *tile_select_entry(const struct tile_signature *signature,
                                           const struct tile_argument *argument);
// True if the conditions of entry number `entry` hold.
bool tile_entry_takes(const struct tile_signature *signature, uint32_t entry,
                      const struct tile_argument *argument);
// True if the last stride is 1 and the base and all other strides are multiples of
// tile_vector_bytes(). Ignores strides of axes with one element.
bool tile_is_aligned(const struct tile_parameter *parameter, const cuc_tensor *tensor);
// True if a map can describe the tensor, and stores by that map write nothing outside of the
// tensor.
bool tile_can_have_map(const struct tile_signature *signature, const struct tile_tensor_map *map,
                       const cuc_tensor *tensor);
// The arguments of cuTensorMapEncodeTiled() for a tensor, last axis first: `dims` in elements,
// `strides` in bytes. tile_map_shape_of() returns false if the tensor cannot have a map.
struct tile_map_shape {
    uint32_t rank;
    uint64_t dims[TILE_MAP_RANK], strides[TILE_MAP_RANK]; // strides[i] belongs to axis i + 1
};
bool tile_map_shape_of(struct tile_map_shape *out, const cuc_tensor *tensor);
// Fills the part of a parameter block that all entries have, and the bits of aligned tensors if the
// entry checks alignment.
void tile_pack_arguments(const struct tile_kernel *kernel, enum tile_variant variant,
                         const struct tile_argument *argument, void *block);
// Reads a scalar from memory into the 64-bit form of scalar.h.
uint64_t tile_scalar_of(cuc_dtype dtype, const void *bytes);

#endif
