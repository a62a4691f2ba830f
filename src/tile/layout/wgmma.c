// The layouts of wgmma in registers. In an accumulator, warp w of a warpgroup holds rows 16 w to 16
// w + 15 of each block of 64. Lane l holds rows l / 4 and l / 4 + 8 of these 16, and columns 2 (l %
// 4) and 2 (l % 4) + 1 of every 8.
//
// An operand a of 8-bit elements has the same rows, but lane l holds columns 4 (l % 4) to
// 4 (l % 4) + 3 of every 16.
#include "wgmma.h"

enum { COLUMN_BITS = 3, ROW_BITS = 6 }; // log2 of the extents of the block whose layout is fixed

bool tile_layout_wgmma(struct tile_layout *layout, const struct tile_type *type, uint32_t warp_bits)
{
    uint32_t columns, rows, n = 0, groups = warp_bits - 2;

    if (type->rank != 2 || warp_bits < 2)
        return false;
    columns = tile_bits_of(type->extent[1]);
    rows = tile_bits_of(type->extent[0]);
    if (type->extent[1] % 8 || type->extent[0] % (1 << ROW_BITS) || rows < ROW_BITS + groups ||
        columns < COLUMN_BITS)
        return false;
    // If the row count is not a power of two, the missing rows must make up whole warpgroups.
    if (type->extent[0] != 1 << rows && rows > ROW_BITS + groups)
        return false;
    *layout = (struct tile_layout){ .warp_bits = (uint8_t)warp_bits, .rank = 2 };
    layout->axis_bits[0] = (uint8_t)rows;
    layout->axis_bits[1] = (uint8_t)columns;
    layout->coordinate_bits = (uint8_t)(rows + columns);
    layout->basis[n++] = 1;                            // two neighboring columns
    layout->basis[n++] = UINT32_C(1) << (columns + 3); // 8 rows below
    for (uint32_t i = COLUMN_BITS; i < columns; i++)
        layout->basis[n++] = UINT32_C(1) << i;
    for (uint32_t i = ROW_BITS + groups; i < rows; i++)
        layout->basis[n++] = UINT32_C(1) << (columns + i);
    layout->register_bits = (uint8_t)n;
    layout->basis[n++] = 2;
    layout->basis[n++] = 4;
    for (uint32_t i = 0; i < 3; i++)
        layout->basis[n++] = UINT32_C(1) << (columns + i);
    for (uint32_t i = 0; i < warp_bits; i++)
        layout->basis[n++] = UINT32_C(1) << (columns + 4 + i);
    return true;
}

bool tile_layout_wgmma_columns(struct tile_layout *layout, const struct tile_type *type,
                               uint32_t warp_bits)
{
    struct tile_type part = *type;
    uint32_t groups = warp_bits - 2, columns = tile_bits_of(type->extent[1]);

    part.extent[1] >>= groups;
    if (type->rank != 2 || warp_bits < 2 || type->extent[1] != 1 << columns ||
        type->extent[0] != 1 << ROW_BITS || !tile_layout_wgmma(layout, &part, 2))
        return false;
    // Rows move up to make room for the column bits that number warpgroups.
    for (uint32_t i = 0; i < tile_hardware_bits(layout); i++)
        if (layout->basis[i] >> (columns - groups))
            layout->basis[i] <<= groups;
    for (uint32_t i = 0; i < groups; i++)
        layout->basis[tile_hardware_bits(layout) + i] = UINT32_C(1) << (columns - groups + i);
    layout->warp_bits = (uint8_t)warp_bits;
    layout->axis_bits[1] = (uint8_t)columns;
    layout->coordinate_bits = (uint8_t)(layout->coordinate_bits + groups);
    return true;
}

bool tile_layout_wgmma_left(struct tile_layout *layout, const struct tile_type *type,
                            uint32_t warp_bits)
{
    enum { STEP = 32 }; // columns of an instruction

    if (!tile_layout_wgmma(layout, type, warp_bits))
        return false;
    if (cuc_dtype_bits(type->dtype) != 8)
        return true;
    if (type->extent[1] % STEP)
        return false;
    layout->basis[2] = layout->basis[1];
    layout->basis[1] = 2; // four neighboring columns
    layout->basis[layout->register_bits] = 4;
    layout->basis[layout->register_bits + 1] = 8;
    return true;
}
