// Functions of f32 and f64.
#include "emit.h"

tile_register tile_emit_math(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                             tile_register x, tile_register y)
{
    (void)e;
    (void)kind;
    (void)dtype;
    (void)x;
    (void)y;
    return TILE_NO_REGISTER;
}
