// Stream-K: distributes the tiles of the last waves evenly if they would leave multiprocessors
// idle. The iterations of these tiles, one tile after another, are cut into one range for each
// multiprocessor. If a range ends within a tile, the tile's partial sums pass through a workspace.
#include "gemm.h"

#include "tile/layout/wgmma.h"

bool cuc__gemm_is_exchanged(const struct cuc__gemm_tile *tile)
{
    return tile->path == TILE_MMA_PATH_PIPELINE && tile_exchanges(tile->rows, tile->columns);
}

bool cuc__gemm_partials_are_fragments(const struct cuc__gemm_tile *tile)
{
    return tile->path == TILE_MMA_PATH_PIPELINE && tile->rows % 64 == 0 &&
           !(tile->columns & (tile->columns - 1)) && tile->columns >= 16;
}

uint64_t cuc__gemm_stream_k_flag_bytes(const struct cuc__gemm_tile *tile)
{
    return ((uint64_t)tile->programs * sizeof(int64_t) + CUC__GEMM_WORKSPACE_ALIGN - 1) &
           ~(uint64_t)(CUC__GEMM_WORKSPACE_ALIGN - 1);
}

uint64_t cuc__gemm_stream_k_bytes(const struct cuc__gemm_kind *kind,
                                  const struct cuc__gemm_tile *tile)
{
    uint64_t elements = (uint64_t)tile->rows * (uint64_t)tile->columns;

    return cuc__gemm_stream_k_flag_bytes(tile) +
           (uint64_t)tile->programs * elements * (cuc_dtype_bits(kind->accumulator) / 8);
}

// The quotients are exact if they are exact for the largest dividend, a tile's index, and the
// largest divisor, the number of tiles in a band.
int64_t cuc__gemm_stream_k_max_width(const struct cuc__gemm_tile *tile, int64_t rows)
{
    int64_t up = cuc__ceil_div(rows, tile->rows), across = CUC__GEMM_MAX_WIDTH;

    for (; across > 0; across /= 2) {
        int64_t tiles, product;
        uint64_t scaled;
        if (!__builtin_mul_overflow(up, across, &tiles) && tiles <= INT32_MAX &&
            !__builtin_mul_overflow(tiles, cuc__gemm_band(tile) * across, &product) &&
            product <= INT64_C(1) << 40 &&
            !__builtin_mul_overflow((uint64_t)tiles,
                                    cuc__gemm_inverse(cuc__gemm_band(tile) * across), &scaled))
            break;
    }
    return across;
}

void cuc__gemm_schedule_stream_k(struct cuc__gemm_stream_k *out, const struct cuc__gemm_tile *tile,
                                 int64_t rows, int64_t columns, int64_t depth)
{
    int64_t programs = tile->programs, iterations = cuc__ceil_div(depth, tile->depth);
    int64_t up = cuc__ceil_div(rows, tile->rows), across = cuc__ceil_div(columns, tile->columns);
    int64_t band = cuc__gemm_band(tile), tiles = up * across;
    int64_t waves = tiles / programs, spread = tiles % programs, total;

    *out = (struct cuc__gemm_stream_k){
        .units = (uint32_t)tiles,
        .over_iterations = cuc__gemm_inverse(iterations),
        .over_band = cuc__gemm_inverse(band * across),
        .over_last = cuc__gemm_inverse(up % band),
    };
    if (!spread) // all waves are full
        return;
    spread += programs * (waves < tile->stream_k - 1 ? waves : tile->stream_k - 1);
    if (!iterations || __builtin_mul_overflow(spread, iterations, &total) || total >= 1 << 24 ||
        total * iterations >= INT64_C(1) << 40)
        return;
    int64_t longest = cuc__ceil_div(total, programs);
    out->each = (uint32_t)(total / programs);
    out->more = (uint32_t)(total % programs);
    // The factor in parentheses is the maximum number of tiles that a range can touch. Each range
    // has that many units, and a multiprocessor works on one of them at a time.
    out->shared =
        (uint32_t)(programs * (longest > 1 ? cuc__ceil_div(longest - 1, iterations) + 1 : 1));
    out->spread = (uint32_t)spread;
    out->units = out->shared + (uint32_t)(tiles - spread);
}
