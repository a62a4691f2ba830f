// Internal interface of elaborate_statement.c and elaborate_control.c.
#ifndef CUCORE_TILE_FRONT_CONTROL_H
#define CUCORE_TILE_FRONT_CONTROL_H

#include "elaborate.h"

// Binds a name in the current block, and hides any outer binding of it. `fixed`: the name may not
// be rebound.
void tile_push_binding(struct tile_elaborator *e, const char *name, struct tile_meaning what,
                       struct tile_location where, bool fixed);

// The state to restore after code that is only checked: unreachable code, and code inside a
// statement with an error. Such code is built into a block that belongs to no kernel.
struct tile_saved_state {
    struct tile_block *block, *function_block;
    struct tile_meaning *result;
    uint32_t results;
    bool returned;
};
// Returns false if out of memory. The caller must call tile_leave_detached() in any case.
bool tile_enter_detached(struct tile_elaborator *e, struct tile_saved_state *before);
void tile_leave_detached(struct tile_elaborator *e, const struct tile_saved_state *before);

// Elaborate a statement. A result of true means that control leaves the block there.
void tile_elaborate_loop(struct tile_elaborator *e, const struct tile_statement *s);
bool tile_elaborate_static_for(struct tile_elaborator *e, const struct tile_statement *s);
// Elaborates break or continue.
bool tile_elaborate_leaving(struct tile_elaborator *e, const struct tile_statement *s);
// Reports T402 for a return that is not at the end of its function.
void tile_report_return(struct tile_elaborator *e, const struct tile_statement *s);
bool tile_elaborate_if(struct tile_elaborator *e, const struct tile_statement *s);
// Builds a break or continue that passes on the current values of the names that the loop carries.
bool tile_leave_loop(struct tile_elaborator *e, enum tile_op_kind kind,
                     struct tile_open_loop *loop);

#endif
