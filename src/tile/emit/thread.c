// The calling thread's coordinates, and the elements that it holds.
#include "ring.h"
#include "tile/ir/array.h"

#include <string.h>

uint32_t tile_register_coordinate(const struct tile_layout *layout, uint32_t index, uint32_t axis)
{
    return tile_axis_coordinate(layout, index, axis);
}

// Gathers the bits of a coordinate. Thread bits that stay adjacent in the coordinate take one
// shift.
static tile_register gather_bits(struct tile_emitter *e, const struct tile_layout *layout,
                                 uint32_t axis)
{
    uint32_t shift = tile_axis_shift(layout, axis);
    uint32_t mask = ((UINT32_C(1) << layout->axis_bits[axis]) - 1) << shift;
    uint32_t threads = TILE_LANE_BITS + layout->warp_bits;
    tile_register sum = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < threads;) {
        uint32_t basis = layout->basis[layout->register_bits + i] & mask, length = 1;
        if (!basis) {
            i++;
            continue;
        }
        while (i + length < threads &&
               (layout->basis[layout->register_bits + i + length] & mask) == basis << length &&
               (basis << length & mask))
            length++;
        uint32_t to = (uint32_t)__builtin_ctz(basis) - shift;
        tile_register part = e->tid;
        if (i)
            part = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", part, i);
        if (i + length < threads)
            part = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", part, (UINT32_C(1) << length) - 1);
        if (to)
            part = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", part, to);
        sum = sum ? tile_make(e, TILE_R32, "or.b32 %R, %R, %R", sum, part) : part;
        i += length;
    }
    return sum ? sum : tile_number32(e, 0);
}

tile_register tile_thread_coordinate(struct tile_emitter *e, const struct tile_layout *layout,
                                     uint32_t axis)
{
    for (uint32_t i = 0; i < e->coordinates; i++)
        if (e->coordinate[i].axis == axis && tile_layout_same(e->coordinate[i].layout, layout))
            return e->coordinate[i].reg;
    struct tile_text *before = tile_into_prologue(e);
    tile_register reg = gather_bits(e, layout, axis);
    e->text = before;
    if (!TILE_RESERVE(e->module, e->coordinate, e->coordinate_capacity, e->coordinates + 1, 16)) {
        e->failed = true;
        return reg;
    }
    e->coordinate[e->coordinates++] = (struct tile_coordinate_entry){ layout, axis, reg };
    return reg;
}

uint32_t tile_thread_mask(const struct tile_layout *layout, uint32_t axis)
{
    uint32_t all = ((UINT32_C(1) << (TILE_LANE_BITS + layout->warp_bits)) - 1)
                   << layout->register_bits;

    return tile_axis_coordinate(layout, all, axis);
}

// Returns the largest coordinate of any thread. A layout for three warpgroups includes a fourth
// one, which does not exist.
static uint32_t extent_of_all(const struct tile_emitter *e, const struct tile_layout *layout,
                              uint32_t axis)
{
    enum { LAST_OF_GROUPS = 3 };
    uint32_t reach = tile_thread_mask(layout, axis), most = 0;
    uint32_t last = (uint32_t)LAST_OF_GROUPS << (layout->register_bits + TILE_LANE_BITS + 2);

    if (!e->ring || e->ring->plan->groups != 3)
        return reach;
    for (uint32_t group = 0; group < LAST_OF_GROUPS; group++) {
        uint32_t of = group << (layout->register_bits + TILE_LANE_BITS + 2);
        uint32_t at = reach & ~tile_axis_coordinate(layout, last & ~of, axis);
        most = at > most ? at : most;
    }
    return most;
}

tile_register tile_inside_tile(struct tile_emitter *e, const struct tile_value *value,
                               uint32_t index, bool *none)
{
    const struct tile_layout *layout = value->layout;
    tile_register inside = TILE_NO_REGISTER;

    *none = false;
    for (uint32_t axis = 0; layout && axis < value->type.rank; axis++) {
        uint32_t extent = (uint32_t)value->type.extent[axis];
        uint32_t own = tile_register_coordinate(layout, index, axis);
        if (own >= extent) {
            *none = true;
            return TILE_NO_REGISTER;
        }
        if (own + extent_of_all(e, layout, axis) < extent)
            continue;
        tile_register p = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u",
                                    tile_thread_coordinate(e, layout, axis), extent - own);
        inside = inside ? tile_make(e, TILE_PRED, "and.pred %R, %R, %R", inside, p) : p;
    }
    return inside;
}
