// Distances in memory: 64-bit products of indices, strides and sizes of elements.
//
// Scales strides to bytes before it multiplies them with indices, and never multiplies by a
// constant 0 or 1, since ptxas of CUDA 13.0 has two errors. If it computes an address again instead
// of spilling it, it sometimes loses the base of a product with the size of an element. And it
// crashes on some code that multiplies a stride by an index of 1 and then by an element's size of
// 1: it loads a parameter's two halves into uniform registers, uses only the upper one, and looks
// up the instruction that defines the lower one, which is gone.
#include "distance.h"

#include "emit.h"

tile_register tile_scale(struct tile_emitter *e, tile_register x, int64_t by)
{
    int64_t value;

    if (by == 1)
        return x;
    if (by == 0)
        return tile_number64(e, 0);
    if (tile_is_number64(e, x, &value))
        return tile_number64(e, (int64_t)((uint64_t)value * (uint64_t)by));
    return tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", x, by);
}

tile_register tile_multiply(struct tile_emitter *e, tile_register x, tile_register y)
{
    int64_t value;

    if (tile_is_number64(e, x, &value))
        return tile_scale(e, y, value);
    if (tile_is_number64(e, y, &value))
        return tile_scale(e, x, value);
    return tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", x, y);
}

tile_register tile_distance(struct tile_emitter *e, tile_register elements,
                            const struct tile_size *stride, uint32_t bytes)
{
    if (!stride->reg)
        return tile_scale(e, elements, stride->value * bytes);
    return tile_multiply(e, elements, tile_scale(e, stride->reg, bytes));
}

tile_register tile_move_along(struct tile_emitter *e, tile_register address, tile_register elements,
                              const struct tile_size *stride, uint32_t bytes)
{
    tile_register distance = tile_distance(e, elements, stride, bytes);
    int64_t value;

    if (!tile_is_number64(e, distance, &value))
        return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", address, distance);
    return value ? tile_make(e, TILE_R64, "add.s64 %R, %R, %l", address, value) : address;
}
