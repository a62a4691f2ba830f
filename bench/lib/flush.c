#include "gpu.h"

#include <cucore/launch.h>

cuc_status cuc__bench_flush(struct cuc__bench_gpu *g)
{
    uint64_t count = cuc_buffer_bytes(g->flushed) / 16;
    uint32_t grid = cuc__bench_grid(g, count, 256);

    if (!count)
        return CUC_OK;
    return CUC_LAUNCH(g->stream, CUC_LAUNCH_CONFIG(.grid = { grid }, .block = { 256 }), g->flush,
                      g->flushed, count, g->words);
}
