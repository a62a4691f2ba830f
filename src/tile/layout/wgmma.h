// The accumulator layout of wgmma.
#ifndef CUCORE_TILE_LAYOUT_WGMMA_H
#define CUCORE_TILE_LAYOUT_WGMMA_H

#include "tile/ir/layout.h"

// Lays out an accumulator with its rows distributed over 2^(warp_bits - 2) warpgroups. False if the
// accumulator does not consist of whole blocks of 64 rows and 8 columns.
bool tile_layout_wgmma(struct tile_layout *layout, const struct tile_type *type,
                       uint32_t warp_bits);

#endif
