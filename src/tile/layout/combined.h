// Internal interface of combined.c.
#ifndef CUCORE_TILE_LAYOUT_COMBINED_H
#define CUCORE_TILE_LAYOUT_COMBINED_H

#include "tile/ir/layout.h"

// Masks of the axes along which ops of a kernel combine tiles of a shape. Along the axes `ordered`
// they scan or sort, which takes the most exchanges for the lowest bits of the coordinate. Along
// the axes `extracted` they take single rows.
struct tile_combined {
    uint32_t axes, ordered, extracted;
};
struct tile_combined tile_combined_axes(const struct tile_kernel *kernel,
                                        const struct tile_type *shape);

// Makes a blocked layout one in which ops exchange less. Exchanges the warp bits that lie along
// combined axes for register bits along other axes, as far as there are any. Along ordered axes
// other than the last, a thread then holds neighbors: registers take the lowest bits that
// registers, lanes and warps have of the axis. If rows are taken along one axis, a thread holds all
// elements along it.
void tile_combine_in_warps(struct tile_layout *layout, struct tile_combined combined);

#endif
