// Entries with roles: the last warpgroup copies, by one thread; the others multiply and do all
// else. Each role goes through the same tiles of the grid in the same order, with the block's index
// computed from the tile's number, and has its own text.
#ifndef CUCORE_TILE_EMIT_ROLES_H
#define CUCORE_TILE_EMIT_ROLES_H

#include "ring.h"

struct tile_roles {
    uint32_t warps; // that multiply, as layouts count them
    // Of a thread of each role: together no more than the block begins with, or it waits for ever.
    uint32_t copy_registers, product_registers;
    void (*open)(struct tile_emitter *e);          // what both need of the grid
    void (*make_barriers)(struct tile_emitter *e); // by the first thread
    void (*open_products)(struct tile_emitter *e); // what warpgroups need before their first tile
    bool (*through_tiles)(struct tile_emitter *e, bool (*body)(struct tile_emitter *e));
    bool (*copy)(struct tile_emitter *e); // bodies: one tile
    bool (*multiply)(struct tile_emitter *e);
};

// Nothing is known of what the tile before left behind; `multiply` begins with it.
void tile_begin_tile(struct tile_emitter *e);

// The entry of a ring's plan, whose `staging` is known; `entry` gets what a launch needs. false: it
// needs more shared memory than there is, or there is a diagnostic.
bool tile_emit_roles(struct tile_module *module, const struct tile_kernel *kernel,
                     const struct tile_target *target, const struct tile_roles *roles,
                     struct tile_ring *ring, struct tile_text *out, struct tile_entry *entry);

#endif
