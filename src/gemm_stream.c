// Stream-K: the last waves of tiles, which would leave multiprocessors without work, are dealt
// evenly. Their turns, one tile's behind the other's, are cut into as many ranges as there are
// multiprocessors; a tile that a range ends in is handed on in a workspace.
#include "gemm.h"

enum { WORKSPACE_ALIGN = 256 };

static int64_t cdiv(int64_t x, int64_t y)
{
    return x / y + (x % y != 0);
}

bool cuc__gemm_puts_aside(const struct cuc__gemm_tile *tile)
{
    return tile->road == TILE_ROAD_PIPELINE && tile->rows % 64 == 0 &&
           !(tile->columns & (tile->columns - 1)) && tile->columns >= 16;
}

uint64_t cuc__gemm_stream_flag_bytes(const struct cuc__gemm_tile *tile)
{
    return ((uint64_t)tile->programs * sizeof(int64_t) + WORKSPACE_ALIGN - 1) &
           ~(uint64_t)(WORKSPACE_ALIGN - 1);
}

uint64_t cuc__gemm_stream_bytes(const struct cuc__gemm_kind *kind,
                                const struct cuc__gemm_tile *tile)
{
    uint64_t sums = (uint64_t)tile->rows * (uint64_t)tile->columns;

    return cuc__gemm_stream_flag_bytes(tile) +
           (uint64_t)tile->programs * sums * (cuc_dtype_bits(kind->accumulator) / 8);
}

void cuc__gemm_deal(struct cuc__gemm_dealt *out, const struct cuc__gemm_tile *tile, int64_t rows,
                    int64_t columns, int64_t depth)
{
    int64_t programs = tile->programs, turns = cdiv(depth, tile->depth);
    int64_t up = cdiv(rows, tile->rows), across = cdiv(columns, tile->columns);
    int64_t band = tile->raster ? tile->raster : CUC__GEMM_RASTER, tiles = up * across;
    int64_t waves = tiles / programs, spread = tiles % programs, total;

    *out = (struct cuc__gemm_dealt){
        .units = (uint32_t)tiles,
        .over_turns = cuc__gemm_inverse(turns),
        .over_band = cuc__gemm_inverse(band * across),
        .over_last = cuc__gemm_inverse(up % band),
    };
    if (!spread) // they come out even
        return;
    spread += programs * (waves < tile->stream_k - 1 ? waves : tile->stream_k - 1);
    if (!turns || __builtin_mul_overflow(spread, turns, &total) || total >= 1 << 24 ||
        total * turns >= INT64_C(1) << 40)
        return;
    int64_t longest = cdiv(total, programs);
    out->each = (uint32_t)(total / programs);
    out->more = (uint32_t)(total % programs);
    // A range goes through this many tiles at most; each multiprocessor has one of them at a time.
    out->shared = (uint32_t)(programs * (longest > 1 ? cdiv(longest - 1, turns) + 1 : 1));
    out->spread = (uint32_t)spread;
    out->units = out->shared + (uint32_t)(tiles - spread);
}
