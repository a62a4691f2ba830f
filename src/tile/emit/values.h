// Registers of tile values, and the values whose registers are computed on demand (values.c).
#ifndef CUCORE_TILE_EMIT_VALUES_H
#define CUCORE_TILE_EMIT_VALUES_H

#include "ptx.h"

// A size that is a constant, or a 64-bit register that is equal in every thread.
struct tile_size {
    tile_register reg; // TILE_NO_REGISTER if the size is the constant `value`
    int64_t value;
};

// A tensor or slice as seen by accesses.
struct tile_emit_view {
    tile_register base;                                            // address of element 0
    struct tile_size extent[TILE_MAX_RANK], stride[TILE_MAX_RANK]; // stride in elements
    uint32_t rank;
    cuc_dtype dtype;
    uint32_t aligned; // the base and all strides but the last are multiples of this many bytes
    // 1 + the parameter whose bit says whether the view is aligned to tile_vector_bytes() and has a
    // last stride of 1. 0 if this is known, or if no bit says so.
    uint32_t asks;
};

tile_register tile_size_register(struct tile_emitter *e, const struct tile_size *size);
// Returns the registers of a value, as many as its layout has. Creates them on first use.
tile_register *tile_registers(struct tile_emitter *e, const struct tile_value *value);
uint32_t tile_register_count(const struct tile_value *value);
enum { TILE_PART = 8 }; // number of registers to compute together
// Computes registers `first` to `end` - 1 of a value that may be deferred. Stores them in e->value.
bool tile_compute_registers(struct tile_emitter *e, const struct tile_value *value, uint32_t first,
                            uint32_t end);
// True if a value is deferred and depends on only one tile, apart from scalars.
bool tile_is_deferred(const struct tile_emitter *e, const struct tile_value *value);
// Saves and restores the set of deferred values. Values computed in between are computed again
// later.
struct tile_deferred {
    const struct tile_op **op; // by value id, as in the emitter
    tile_register **reg;
    tile_register zero[3];
};
bool tile_save_deferred(struct tile_emitter *e, struct tile_deferred *kept);
void tile_restore_deferred(struct tile_emitter *e, const struct tile_deferred *kept);

#endif
