// The accumulator layout of wgmma.
#ifndef CUCORE_TILE_LAYOUT_WGMMA_H
#define CUCORE_TILE_LAYOUT_WGMMA_H

#include "tile/ir/layout.h"

// True for the numbers of rows that one or two warpgroups of a pipeline multiply.
static inline bool tile_has_wgmma_rows(int64_t rows)
{
    return rows == 64 || rows == 128 || rows == 256;
}

enum { TILE_ROWS_OF_THREE = 192 }; // rows that three warpgroups multiply

// Returns true if a pipeline computes the transposed product of a tile, because the other operand's
// extent suits wgmma better.
static inline bool tile_exchanges(int64_t rows, int64_t columns)
{
    return !tile_has_wgmma_rows(rows) &&
           (tile_has_wgmma_rows(columns) ||
            (rows != TILE_ROWS_OF_THREE && columns == TILE_ROWS_OF_THREE));
}

// Distributes an accumulator's rows over 2^(warp_bits - 2) warpgroups. Returns false if the
// accumulator does not consist of whole blocks of 64 rows and 8 columns.
bool tile_layout_wgmma(struct tile_layout *layout, const struct tile_type *type,
                       uint32_t warp_bits);
// The same for an operand a in registers. If its elements have 16 bits, it has the layout of an
// accumulator; elements of 8 bits have a layout of their own.
bool tile_layout_wgmma_left(struct tile_layout *layout, const struct tile_type *type,
                            uint32_t warp_bits);

// Does the same, but gives all warpgroups the same 64 rows, and distributes the columns over them.
bool tile_layout_wgmma_columns(struct tile_layout *layout, const struct tile_type *type,
                               uint32_t warp_bits);

#endif
