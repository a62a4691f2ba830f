#include "gpu.h"

#include <cucore/launch.h>

// The host sets words[0] to 1 to release the kernel. The kernel sets words[1] to 1 if it stopped
// waiting.

cuc_status cuc__bench_block(struct cuc__bench_gpu *g)
{
    uint64_t timeout_ns = (uint64_t)(g->block_timeout_s * 1e9);

    g->host_words[0] = 0;
    g->host_words[1] = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return CUC_LAUNCH(g->stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), g->block,
                      g->words, timeout_ns);
}

void cuc__bench_unblock(struct cuc__bench_gpu *g)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    g->host_words[0] = 1;
}

bool cuc__bench_block_expired(const struct cuc__bench_gpu *g)
{
    return g->host_words[1] != 0;
}
