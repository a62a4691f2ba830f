// Transposed slabs (pass/turned_store.c): each warp of a warpgroup writes its 16 rows of
// accumulators as 32 bytes of each slab row.
#include "ring.h"

uint32_t tile_turned_line(const struct tile_ring *r)
{
    return r->warps_apart ? TILE_SLAB_LINE / 4 : TILE_SLAB_LINE;
}

tile_register tile_turned_lane(struct tile_emitter *e, tile_register slab)
{
    // In stmatrix, each group of 8 lanes gives the addresses of 8 slab rows. The first two groups
    // give slab rows 0 to 7, for rows 0 to 7 and 8 to 15 of the warp's accumulators. The other two
    // groups give slab rows 8 to 15, for the same rows of accumulators.
    tile_register line = tile_make(e, TILE_R32, "and.b32 %R, %R, 7", e->lane);
    tile_register piece = tile_make(e, TILE_R32, "bfe.u32 %R, %R, 3, 1", e->lane);
    tile_register swizzle = line, at = slab;

    if (e->ring->warps_apart) {
        swizzle = tile_make(e, TILE_R32, "shr.u32 %R, %R, 2", line);
    } else {
        tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
        piece = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 2, %R", warp, piece);
    }
    piece = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", piece, swizzle);
    tile_register below = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
    line = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", below, line);
    at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", line, tile_turned_line(e->ring), at);
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 16, %R", piece, at);
}

void tile_fill_turned_slab(struct tile_emitter *e, const struct tile_staging *s,
                           const struct tile_value *x, uint32_t block, uint32_t slab, uint32_t at)
{
    enum { EIGHTS = 8 }; // groups of 8 columns of accumulators, which become slab rows
    uint32_t lines = (uint32_t)x->type.extent[0] - slab * EIGHTS * 8;
    uint32_t eights = lines < EIGHTS * 8 ? lines / 8 : EIGHTS;

    for (uint32_t i = 0, taken; i < eights; i += taken) {
        uint32_t first = (block << (s->column_bits - 3) | (slab * EIGHTS + i)) << 2;
        uint32_t to = at + i * 8 * tile_turned_line(e->ring);
        taken = i + 1 == eights ? 1 : 2;
        if (!tile_compute_registers(e, x, first, first + 4 * taken))
            return;
        const tile_register *reg = e->value[x->id] + first;
        tile_store_matrices(e, reg, taken, ".trans", s->lane[0], to);
    }
}
