// Warp-specialized entries. Each role has separate code. The last warpgroup is the producer and
// copies, usually with one thread. The other warpgroups are consumers: they multiply and do
// everything else. All roles visit the grid's tiles in the same order and compute the block index
// from the tile's number.
#ifndef CUCORE_TILE_EMIT_ROLES_H
#define CUCORE_TILE_EMIT_ROLES_H

#include "ring.h"

struct tile_roles {
    const struct tile_dispatch *dispatch; // the emitter's dispatch table
    uint32_t warps;                       // number of multiplying warps, as counted in layouts
    // Registers per thread of each role. Their total must not exceed the block's initial registers,
    // or the block would wait forever.
    uint32_t copy_registers, product_registers;
    void (*open)(struct tile_emitter *e);          // computes grid values that both roles need
    void (*make_barriers)(struct tile_emitter *e); // initializes barriers; only the first thread
                                                   // runs it
    void (*open_products)(struct tile_emitter *e); // sets up warpgroups before their first tile
    bool (*for_each_tile)(struct tile_emitter *e, bool (*body)(struct tile_emitter *e));
    bool (*copy)(struct tile_emitter *e); // emits the copying role's work for one tile; `multiply`
                                          // does so for the other role
    bool (*multiply)(struct tile_emitter *e);
};

// Waits until the barriers of the whole cluster are initialized and preceding grids have ended.
// Each role does so once, as late as possible: after it has computed its first tile's position.
void tile_await_start(struct tile_emitter *e);

// Resets the emitter's state from the previous tile. `multiply` calls this first.
void tile_begin_tile(struct tile_emitter *e);

// Emits the entry for a ring's plan, whose `staging` is known. `entry` receives the data that a
// launch needs. Returns false if the entry needs too much shared memory, or after a diagnostic.
bool tile_emit_roles(struct tile_module *module, const struct tile_kernel *kernel,
                     const struct tile_target *target, const struct tile_roles *roles,
                     struct tile_ring *ring, struct tile_text *out, struct tile_entry *entry);

#endif
