// What elaborate_statement.c and elaborate_control.c share.
#ifndef CUCORE_TILE_FRONT_CONTROL_H
#define CUCORE_TILE_FRONT_CONTROL_H

#include "elaborate.h"

// A name of the block that is open, whatever it was outside; `fixed`: it may not be bound again.
void tile_push_binding(struct tile_elaborator *e, const char *name, struct tile_meaning what,
                       struct tile_location where, bool fixed);

// What stands where control does not come, or in what is wrong already, is looked at for its own
// errors all the same: in a block that belongs to nothing.
struct tile_aside {
    struct tile_block *block, *function_block;
    struct tile_meaning *result;
    uint32_t results;
    bool returned;
};
// False without memory; in any case the way back is tile_step_back().
bool tile_step_aside(struct tile_elaborator *e, struct tile_aside *before);
void tile_step_back(struct tile_elaborator *e, const struct tile_aside *before);

// Statements: true when control leaves the block there.
void tile_elaborate_loop(struct tile_elaborator *e, const struct tile_statement *s);
bool tile_elaborate_static_for(struct tile_elaborator *e, const struct tile_statement *s);
// break and continue.
bool tile_elaborate_leaving(struct tile_elaborator *e, const struct tile_statement *s);
// T402 for a return of a function that is not at its end.
void tile_tell_return(struct tile_elaborator *e, const struct tile_statement *s);
bool tile_elaborate_if(struct tile_elaborator *e, const struct tile_statement *s);
// A break or continue of a loop, with what its names stand for now.
bool tile_leave_loop(struct tile_elaborator *e, enum tile_op_kind kind,
                     struct tile_open_loop *loop);

#endif
