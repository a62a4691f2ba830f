// Internal interface of combined.c.
#ifndef CUCORE_TILE_LAYOUT_COMBINED_H
#define CUCORE_TILE_LAYOUT_COMBINED_H

#include "tile/ir/layout.h"

// Returns a mask of the axes along which ops of the kernel reduce, scan or sort tiles of a shape.
uint32_t tile_combined_axes(const struct tile_kernel *kernel, const struct tile_type *shape);

// Exchanges the warp bits of a blocked layout that lie along `axes`, a mask, for register bits
// along other axes, as far as there are any.
void tile_keep_in_warps(struct tile_layout *layout, uint32_t axes);

#endif
