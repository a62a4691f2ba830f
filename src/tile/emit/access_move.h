// Shared by access_move.c and access_shift.c: addresses and bounds of a thread's registers.
#ifndef CUCORE_TILE_EMIT_ACCESS_MOVE_H
#define CUCORE_TILE_EMIT_ACCESS_MOVE_H

#include "access.h"

// Addresses that the code has already computed. Registers that differ only along axes with small
// constant strides share one address; an immediate offset tells them apart.
struct tile_addresses {
    uint32_t own[64][TILE_MAX_RANK];
    tile_register reg[64];
    uint32_t count;
    // Registers that hold the distance in bytes between two points that are `elements` apart along
    // `axis`. Sharing them keeps the code short.
    struct {
        uint32_t axis, elements;
        tile_register reg;
    } step[16];
    uint32_t steps;
};
// Returns the address of register r's element, without the constant `offset`.
tile_register tile_address_of(struct tile_access_state *a, struct tile_addresses *known, uint32_t r,
                              int64_t *offset);

// The tensor's bounds in tile coordinates. Registers with equal coordinates share predicates.
struct tile_bounds {
    struct tile_access_state *access;
    tile_register low[TILE_MAX_RANK], // NO_REGISTER: 0
        high[TILE_MAX_RANK];          // 32 bits; coordinates `low` to `high` - 1 are inside
    tile_register dropped;            // predicate for dropped axes; TILE_NO_REGISTER if some bound
                                      // includes this predicate
    struct {
        uint32_t axis, own;
        tile_register p;
    } row[128];
    uint32_t count;
};
// Clamps a bound to 30 bits. Coordinates have 24 bits, so comparisons with them are unaffected.
tile_register tile_to_bound(struct tile_emitter *e, tile_register x);
// Returns the predicate that register r lies inside along all axes but `except`, or
// TILE_NO_REGISTER if it always does.
tile_register tile_bounds_mask(struct tile_bounds *b, uint32_t r, uint32_t except);
// Returns the padding value of register r.
tile_register tile_pad_of(const struct tile_access_state *a, uint32_t r);
// Computes the deferred registers `first` to `end` - 1.
void tile_compute_deferred(struct tile_access_state *a, uint32_t first, uint32_t end);

// access_shift.c. tile_can_shift() returns true if tile_move_shifted() can move the tile.
bool tile_can_shift(const struct tile_access_state *a);
void tile_move_shifted(struct tile_access_state *a, struct tile_bounds *bounds);

#endif
